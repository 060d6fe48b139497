/* How things are printed: colours, as GDB has them, and names. */
#include "base/demangle.h"
#include "frontend/console/internal.h"

const char *style(const struct wt_shell *c, enum style which)
{
    /* ECMA-48, SGR. */
    static const char *const sequences[] = {
        [PLAIN] = "\033[m",     [FUNCTION] = "\033[33m", [SOURCE_FILE] = "\033[32m",
        [ADDRESS] = "\033[34m", [NAME] = "\033[36m",     [HEADLINE] = "\033[1m",
        [DIM] = "\033[2m"};
    return c->settings.styled ? sequences[which] : "";
}

const char *function_text(const struct wt_frame *frame, char *text, size_t size)
{
    wt_demangle(frame->function ? frame->function : "??", text, size);
    return text;
}

void write_log(struct wt_shell *c, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (c->log.in_sequence) /* up to its letter */
            c->log.in_sequence =
                text[i] == '[' || text[i] == ';' || (text[i] >= '0' && text[i] <= '9');
        else if (text[i] == '\033')
            c->log.in_sequence = true;
        else
            fputc(text[i], c->log.file);
    }
}
