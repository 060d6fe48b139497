/* Formatted text: echo, printf, dprintf. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/console/internal.h"

enum wt_status do_echo(struct wt_shell *c, const char *text, struct wt_error *err)
{
    while (*text)
        fputc(wt_message_unescape(&text), c->out);
    return WT_OK;
}

/* The text that a format and its values make; the caller frees *said, also after an error. */
static enum wt_status format(struct wt_shell *c, const char *text, char **said, size_t *length,
                             struct wt_error *err)
{
    FILE *out = open_memstream(said, length);
    if (!out) {
        *said = NULL;
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    const enum wt_status status = wt_program_message(c->program, out, text, err);
    fclose(out);
    return status;
}

enum wt_status do_printf(struct wt_shell *c, const char *text, struct wt_error *err)
{
    char *said;
    size_t length;
    const enum wt_status status = format(c, text, &said, &length, err);
    if (!status)
        fwrite(said, 1, length, c->out);
    free(said);
    return status;
}

/* The text is a line, which is executed. */
enum wt_status do_eval(struct wt_shell *c, const char *text, struct wt_error *err)
{
    char *line;
    size_t length;
    enum wt_status status = format(c, text, &line, &length, err);
    if (!status)
        status = wt_language_execute(c->owner.language, line, err);
    free(line);
    return status;
}

enum wt_status do_dprintf(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const char *comma = wt_message_argument_end(text, ",");
    if (!*text || !*comma)
        return wt_fail(err, WT_INVALID,
                       "dprintf takes a location, a format and values: dprintf LOCATION,\"FORMAT\","
                       "VALUE,...");
    const char *format = wt_skip_blanks(comma + 1);
    enum wt_status status = wt_message_check(format, err);
    if (status)
        return status;
    char *location = strndup(text, (size_t)(comma - text));
    if (!location)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a breakpoint");
    for (size_t end = strlen(location); end && isspace((unsigned char)location[end - 1]);)
        location[--end] = 0;
    status = set_break(c, location, false, format, err);
    free(location);
    return status;
}
