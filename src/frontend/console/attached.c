/* A device elsewhere, which runs by itself: it was there before the debugger, and goes on after it.
 */
#include "frontend/console/console.h"
#include "frontend/console/internal.h"

void wt_shell_show_attached(struct wt_shell *c)
{
    if (!c->program->started)
        return;
    wt_words_where(&c->words, c->program->thread);
    wt_words_stop(&c->words, true);
    fflush(c->out);
}

enum wt_status wt_shell_let_go(struct wt_shell *c, struct wt_error *err)
{
    return wt_program_let_go(c->program, err);
}

enum wt_status refuse_attached(const struct wt_shell *c, const char *command, struct wt_error *err)
{
    if (!c->options.attached)
        return WT_OK;
    return wt_fail(err, WT_UNSUPPORTED,
                   "%s: the device runs by itself, its program is neither started nor ended from "
                   "here. 'continue' and 'detach' let it run; 'wavetrap debug --reset' begins at "
                   "its first instruction",
                   command);
}
