/* Core files: writes one, and shows what one contains. */
#include <string.h>

#include "frontend/console/console.h"
#include "frontend/console/internal.h"

/* Notes why the program has stopped, for whoever opens the file. */
static void tell_reason(struct wt_shell *c, char *text, size_t size)
{
    struct wt_thread_position place;
    text[0] = 0;
    if (c->program->faulted || !c->program->started || !c->program->thread)
        return; /* the saved state says so itself */
    if (wt_debugger_thread_position(c->program->debugger, c->program->thread, &place, WT_IGNORED) ==
        WT_OK)
        snprintf(text, size, "Program stopped.");
}

enum wt_status do_generate_core(struct wt_shell *c, const char *text, struct wt_error *err)
{
    char path[4096] = "wavetrap.core", reason[64];
    struct wt_debugger_time time;
    uint64_t issues = 0;
    const size_t length = wt_word_length(text);
    if (length >= sizeof path)
        return wt_fail(err, WT_INVALID, "the name of the file is too long");
    if (length)
        snprintf(path, sizeof path, "%.*s", (int)length, text);
    text = wt_skip_blanks(text + length);
    const bool recorded =
        wt_debugger_time(c->program->debugger, &time, WT_IGNORED) == WT_OK && time.start < time.end;
    if (strcmp(text, "all") == 0 || (!*text && recorded))
        issues = UINT64_MAX;
    else if (*text && (!wt_take_number(&text, &issues) || *text))
        return wt_fail(
            err, WT_INVALID,
            "generate-core takes a file and how much of the recorded run goes with it: a "
            "number of issues (0: nothing), or all, as without a number");
    if (!c->program->was_run)
        return wt_fail(err, WT_STATE, "The program is not being run.");
    tell_reason(c, reason, sizeof reason);
    const enum wt_status status =
        wt_debugger_save_core_file(c->program->debugger, path, issues,
                                   c->program->started ? c->program->thread : 0, reason, err);
    if (!status)
        fprintf(c->out, "Saved corefile %s\n", path);
    wt_program_refresh_frames(c->program);
    return status;
}

enum wt_status wt_shell_post_mortem(struct wt_shell *c, const char *reason, struct wt_error *err)
{
    const enum wt_status status = wt_program_post_mortem(c->program, err);
    if (status)
        return status;
    if (c->program->started && c->program->event.kind == WT_EVENT_NONE) {
        wt_words_where(&c->words, c->program->thread);
        if (*reason)
            fprintf(c->out, "\n%s\n", reason);
    }
    if (c->program->started)
        wt_words_stop(&c->words, true);
    fflush(c->out);
    return WT_OK;
}
