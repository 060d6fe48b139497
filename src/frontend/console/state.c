/* Where the selected thread is, in words: for reports of stops and for status lines. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/wave_name.h"
#include "frontend/console/console.h"
#include "frontend/console/internal.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

enum wt_status do_info_profile(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return c->options.profile
               ? c->options.profile(c->options.context, c->out, err)
               : wt_fail(err, WT_STATE,
                         "nothing is counted: start the debugger with the option --profile");
}

enum wt_status do_info_checks(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_check_place found[2];
    uint64_t number = 0;
    const struct wt_checks *checks = c->options.checks;
    const enum wt_status status = wt_checks_need(checks, err);
    if (status)
        return status;
    if (*text && (!wt_take_number(&text, &number) || *text || !number))
        return wt_fail(err, WT_INVALID, "info checks takes the number of a finding, from 1 on");
    return checks->print(checks->context, c->out, number, false, found, err);
}

enum wt_status do_info_races(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_check_place found[2];
    const struct wt_checks *checks = c->options.checks;
    const enum wt_status status = wt_checks_need(checks, err);
    return status ? status : checks->print(checks->context, c->out, 0, true, found, err);
}

/* "PROGRAM | stopped: device 0, core 0, warp 1, thread 0 | draw at a.c:42 | time 4647, in the past"
 */
void wt_shell_status(struct wt_shell *c, char *text, size_t size)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    struct wt_debugger_time time;
    const struct wt_frame *frame;
    char name[WT_FUNCTION_TEXT], of[WT_WAVE_NAME];
    FILE *out = size ? fmemopen(text, size, "w") : NULL;
    if (size)
        *text = 0;
    if (!out)
        return;
    if (c->settings.status_line)
        fprintf(out, "%s | ", c->options.program ? base_name(c->options.program) : "no program");
    if (!c->settings.status_line) {
        /* Nothing is shown. */
    } else if (!c->program->started) {
        fputs(c->program->ended ? "ended" : "not started", out);
    } else if (wt_program_need_thread(c->program, WT_IGNORED) != WT_OK ||
               wt_program_wave(c->program, c->program->thread, &wave, &place, WT_IGNORED) !=
                   WT_OK) {
        fputs("stopped; no kernel runs", out);
    } else {
        wt_debugger_name_wave(c->program->debugger, &wave, of, sizeof of);
        fprintf(out, "stopped: %s, %s %u", of, c->program->topology->lane_word, place.lane);
        if (wt_program_need_frame(c->program, &frame, WT_IGNORED) == WT_OK && frame->function)
            fprintf(out, " | %s", wt_function_text(frame, name, sizeof name));
        if (wt_program_need_frame(c->program, &frame, WT_IGNORED) == WT_OK && frame->file)
            fprintf(out, " at %s:%u", base_name(frame->file), frame->line);
    }
    if (c->settings.status_line && c->program->started &&
        wt_debugger_time(c->program->debugger, &time, WT_IGNORED) == WT_OK)
        fprintf(out, " | time %" PRIu64 "%s", time.now, time.in_past ? ", in the past" : "");
    fclose(out);
    text[size - 1] = 0;
}
