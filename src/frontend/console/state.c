/* The selection: a thread and one of its frames. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/wave_name.h"
#include "frontend/console/console.h"
#include "frontend/console/internal.h"

void forget_frames(struct wt_shell *c)
{
    wt_frames_free(c->frames);
    c->frames = NULL;
    c->level = 0;
}

void forget_frames_keep_level(struct wt_shell *c)
{
    const unsigned level = c->level;
    forget_frames(c);
    c->level = level;
}

void select_thread(struct wt_shell *c, wt_thread thread)
{
    forget_frames(c);
    c->thread = thread;
    c->list_set = false;
    if (thread)
        wt_debugger_focus(c->debugger, thread);
}

enum wt_status need_run(struct wt_shell *c, struct wt_error *err)
{
    if (!c->started)
        return wt_fail(err, WT_STATE, "The program is not being run.");
    return WT_OK;
}

/* Whether a device elsewhere answers; of another one nothing is asked. */
static enum wt_status check_link(struct wt_shell *c, struct wt_error *err)
{
    const unsigned pc = c->topology->pc_index;
    const struct wt_thread_info *list;
    uint64_t value;
    size_t count;
    if (!c->options.attached)
        return WT_OK;
    enum wt_status status = wt_debugger_threads(c->debugger, &list, &count, err);
    if (!status && c->thread)
        status = wt_debugger_read_numbers(c->debugger, c->thread, &pc, 1, &value, err);
    return status;
}

enum wt_status need_thread(struct wt_shell *c, struct wt_error *err)
{
    if (c->started && (!c->thread || !wt_debugger_thread_alive(c->debugger, c->thread)))
        select_thread(c, wt_debugger_current_thread(c->debugger));
    if (c->started && !c->thread && check_link(c, err) != WT_OK)
        return WT_IO;
    if (!c->started || !c->thread)
        return wt_fail(err, WT_STATE, "No thread selected");
    return WT_OK;
}

/* Whether the selected thread is of the wave whose calls were entered. */
static bool is_entered_wave(struct wt_shell *c)
{
    struct wt_wave wave;
    return wt_debugger_thread_wave(c->debugger, c->thread, &wave) && wave.id == c->entered_wave;
}

void enter_calls(struct wt_shell *c, unsigned line, unsigned more)
{
    struct wt_wave wave;
    if (!is_entered_wave(c))
        c->entered = c->wanted_line = 0;
    if (wt_debugger_thread_wave(c->debugger, c->thread, &wave))
        c->entered_wave = wave.id;
    c->wanted_line = line ? line : c->wanted_line;
    c->entered += more;
    forget_frames(c);
}

static struct wt_frames *frames_of(struct wt_shell *c)
{
    const bool fresh = !c->frames;
    if (fresh && c->started && c->thread)
        c->frames = wt_frames_new(c->debugger, c->modules, c->thread);
    if (!c->frames || !fresh)
        return c->frames;
    const bool knows = is_entered_wave(c);
    const unsigned begun = wt_frames_begun(c->frames, knows ? c->wanted_line : 0);
    const unsigned entered = knows ? c->entered : 0;
    c->hidden = begun > entered ? begun - entered : 0;
    wt_frames_hide(c->frames, c->hidden);
    return c->frames;
}

enum wt_status need_frame(struct wt_shell *c, const struct wt_frame **frame, struct wt_error *err)
{
    struct wt_frames *frames = need_thread(c, err) == WT_OK ? frames_of(c) : NULL;
    *frame = frames ? wt_frames_get(frames, c->level) : NULL;
    if (!*frame && c->started && check_link(c, err) != WT_OK)
        return WT_IO;
    if (!*frame)
        return wt_fail(err, WT_STATE, c->started ? "No frame selected." : "No stack.");
    return WT_OK;
}

const struct wt_frame *caller_of(struct wt_shell *c, const struct wt_frame *frame)
{
    const struct wt_frame *caller = frame;
    while (caller && caller->physical == frame->physical)
        caller = wt_frames_get(c->frames, caller->level + 1);
    return caller;
}

bool find_way_out(struct wt_shell *c, const struct wt_frame *frame, struct stop_at *out)
{
    const struct wt_frame *caller = caller_of(c, frame);
    if (!caller)
        return false;
    *out = (struct stop_at){.addr = caller->pc, .thread = c->thread};
    out->has_cfa = wt_frames_cfa(c->frames, frame->level, &out->cfa);
    return true;
}

struct wt_view view_of(struct wt_shell *c)
{
    struct wt_view view = {.source = c->source};
    const struct wt_frame *frame;
    if (need_frame(c, &frame, WT_IGNORED) == WT_OK) {
        view.thread = c->thread;
        view.frames = c->frames;
        view.frame = frame;
    }
    return view;
}

enum wt_status wave_of_thread(struct wt_shell *c, wt_thread thread, struct wt_wave *wave,
                              struct wt_thread_position *place, struct wt_error *err)
{
    if (!wt_debugger_thread_wave(c->debugger, thread, wave))
        return wt_fail(err, WT_STATE, "No thread selected");
    return wt_debugger_thread_position(c->debugger, thread, place, err);
}

/* Prints the line before a stop: the lane's coordinates, and its active lanes. */
void print_where(struct wt_shell *c, wt_thread thread)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    char lanes[WT_LANES_TEXT], name[WT_WAVE_NAME];
    if (wave_of_thread(c, thread, &wave, &place, WT_IGNORED) != WT_OK)
        return;
    wt_lanes_text(place.active, lanes, sizeof lanes);
    wt_debugger_name_wave(c->debugger, &wave, name, sizeof name);
    fprintf(c->out, "%s[%s, %s %u%s; %s%s %s enabled]%s\n", style(c, DIM), name,
            c->topology->lane_word, place.lane,
            wt_has_lane(place.active, place.lane) ? "" : " (masked off)", c->topology->lane_word,
            wt_lanes_count(place.active) == 1 ? "" : "s", place.active ? lanes : "none",
            style(c, PLAIN));
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "PROGRAM | stopped: device 0, core 0, warp 1, thread 0 | draw at a.c:42 | time 4647, in the past"
 */
void wt_shell_status(struct wt_shell *c, char *text, size_t size)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    struct wt_debugger_time time;
    const struct wt_frame *frame;
    char name[FUNCTION_TEXT], of[WT_WAVE_NAME];
    FILE *out = size ? fmemopen(text, size, "w") : NULL;
    if (size)
        *text = 0;
    if (!out)
        return;
    if (c->status_line)
        fprintf(out, "%s | ", c->options.program ? base_name(c->options.program) : "no program");
    if (!c->status_line) {
        /* Nothing is shown. */
    } else if (!c->started) {
        fputs(c->ended ? "ended" : "not started", out);
    } else if (need_thread(c, WT_IGNORED) != WT_OK ||
               wave_of_thread(c, c->thread, &wave, &place, WT_IGNORED) != WT_OK) {
        fputs("stopped; no kernel runs", out);
    } else {
        wt_debugger_name_wave(c->debugger, &wave, of, sizeof of);
        fprintf(out, "stopped: %s, %s %u", of, c->topology->lane_word, place.lane);
        if (need_frame(c, &frame, WT_IGNORED) == WT_OK && frame->function)
            fprintf(out, " | %s", function_text(frame, name, sizeof name));
        if (need_frame(c, &frame, WT_IGNORED) == WT_OK && frame->file)
            fprintf(out, " at %s:%u", base_name(frame->file), frame->line);
    }
    if (c->status_line && c->started && wt_debugger_time(c->debugger, &time, WT_IGNORED) == WT_OK)
        fprintf(out, " | time %" PRIu64 "%s", time.now, time.in_past ? ", in the past" : "");
    fclose(out);
    text[size - 1] = 0;
}
