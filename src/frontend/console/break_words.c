/* Words of `break` beside a place: offsets ("+1") and threads ("PLACE thread N"). Places that are
 * refused, and the question before a breakpoint waits for code that is loaded later. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/console/internal.h"

enum wt_status take_thread_word(struct wt_shell *c, char *text, wt_thread *thread,
                                struct wt_error *err)
{
    size_t length = strlen(text);
    *thread = 0;
    while (length && isdigit((unsigned char)text[length - 1]))
        length--;
    const char *digits = text + length;
    size_t end = length;
    while (end && isspace((unsigned char)text[end - 1]))
        end--;
    if (!*digits || end == length || end < 6 || strncmp(text + end - 6, "thread", 6) != 0 ||
        (end > 6 && !isspace((unsigned char)text[end - 7])))
        return WT_OK;
    const unsigned long number = strtoul(digits, NULL, 10);
    if (number == 0 || number > UINT32_MAX ||
        !wt_debugger_thread_alive(c->debugger, (wt_thread)number))
        return wt_fail(err, WT_INVALID, "Unknown thread %s.", digits);
    for (end -= 6; end && isspace((unsigned char)text[end - 1]);)
        end--;
    text[end] = 0;
    *thread = (wt_thread)number;
    return WT_OK;
}

enum wt_status relative_line(struct wt_shell *c, const char *text, char **place,
                             struct wt_error *err)
{
    const struct wt_frame *frame;
    const size_t digits = strspn(text + 1, "0123456789");
    *place = NULL;
    if ((*text != '+' && *text != '-') || !digits || text[1 + digits])
        return WT_OK;
    if (need_frame(c, &frame, err) != WT_OK || !frame->line)
        return wt_fail(err, WT_INVALID, "No line to count from: no source line is selected.");
    const long line = (long)frame->line + strtol(text, NULL, 10);
    if (line < 1)
        return wt_fail(err, WT_INVALID, "No line %ld in the current file.", line);
    return asprintf(place, "%s:%ld", frame->path, line) < 0
               ? wt_fail(err, WT_NO_MEMORY, "no host memory for a location")
               : WT_OK;
}

bool accept_pending(struct wt_shell *c, const char *why)
{
    size_t count;
    wt_modules_list(c->modules, &count);
    if (!count) /* of no code is anything known yet */
        return true;
    fprintf(c->out, "%s\n", why);
    return ask(c, "Make breakpoint pending on code that is loaded later? (y or n) ");
}
