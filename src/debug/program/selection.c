/* The selection: a thread and one of its frames. */
#include <string.h>

#include "debug/program/internal.h"

void wt_program_forget_frames(struct wt_program *g)
{
    wt_frames_free(g->frames);
    g->frames = NULL;
    g->level = 0;
}

void wt_program_refresh_frames(struct wt_program *g)
{
    const unsigned level = g->level;
    wt_program_forget_frames(g);
    g->level = level;
}

void wt_program_select(struct wt_program *g, wt_thread thread)
{
    wt_program_forget_frames(g);
    g->thread = thread;
    g->list_set = false;
    if (thread)
        wt_debugger_focus(g->debugger, thread);
}

enum wt_status wt_program_need_run(struct wt_program *g, struct wt_error *err)
{
    if (!g->started)
        return wt_fail(err, WT_STATE, "The program is not being run.");
    return WT_OK;
}

/* Whether a device elsewhere answers; of another one nothing is asked. */
static enum wt_status check_link(struct wt_program *g, struct wt_error *err)
{
    const unsigned pc = g->topology->pc_index;
    const struct wt_thread_info *list;
    uint64_t value;
    size_t count;
    if (!g->options.attached)
        return WT_OK;
    enum wt_status status = wt_debugger_threads(g->debugger, &list, &count, err);
    if (!status && g->thread)
        status = wt_debugger_read_numbers(g->debugger, g->thread, &pc, 1, &value, err);
    return status;
}

enum wt_status wt_program_need_thread(struct wt_program *g, struct wt_error *err)
{
    if (g->started && (!g->thread || !wt_debugger_thread_alive(g->debugger, g->thread)))
        wt_program_select(g, wt_debugger_current_thread(g->debugger));
    if (g->started && !g->thread && check_link(g, err) != WT_OK)
        return WT_IO;
    if (!g->started || !g->thread)
        return wt_fail(err, WT_STATE, "No thread selected");
    return WT_OK;
}

/* Whether the selected thread is of the wave whose calls were entered. */
static bool is_entered_wave(struct wt_program *g)
{
    struct wt_wave wave;
    return wt_debugger_thread_wave(g->debugger, g->thread, &wave) && wave.id == g->entered_wave;
}

void pg_enter_calls(struct wt_program *g, unsigned line, unsigned more)
{
    struct wt_wave wave;
    if (!is_entered_wave(g))
        g->entered = g->wanted_line = 0;
    if (wt_debugger_thread_wave(g->debugger, g->thread, &wave))
        g->entered_wave = wave.id;
    g->wanted_line = line ? line : g->wanted_line;
    g->entered += more;
    wt_program_forget_frames(g);
}

static struct wt_frames *frames_of(struct wt_program *g)
{
    const bool fresh = !g->frames;
    if (fresh && g->started && g->thread)
        g->frames = wt_frames_new(g->debugger, g->modules, g->thread);
    if (!g->frames || !fresh)
        return g->frames;
    const bool knows = is_entered_wave(g);
    const unsigned begun = wt_frames_begun(g->frames, knows ? g->wanted_line : 0);
    const unsigned entered = knows ? g->entered : 0;
    g->hidden = begun > entered ? begun - entered : 0;
    wt_frames_hide(g->frames, g->hidden);
    return g->frames;
}

enum wt_status wt_program_need_frame(struct wt_program *g, const struct wt_frame **frame,
                                     struct wt_error *err)
{
    struct wt_frames *frames = wt_program_need_thread(g, err) == WT_OK ? frames_of(g) : NULL;
    *frame = frames ? wt_frames_get(frames, g->level) : NULL;
    if (!*frame && g->started && check_link(g, err) != WT_OK)
        return WT_IO;
    if (!*frame)
        return wt_fail(err, WT_STATE, g->started ? "No frame selected." : "No stack.");
    return WT_OK;
}

const struct wt_frame *pg_caller(struct wt_program *g, const struct wt_frame *frame)
{
    const struct wt_frame *caller = frame;
    while (caller && caller->physical == frame->physical)
        caller = wt_frames_get(g->frames, caller->level + 1);
    return caller;
}

bool pg_find_way_out(struct wt_program *g, const struct wt_frame *frame, struct wt_stop_at *out)
{
    const struct wt_frame *caller = pg_caller(g, frame);
    if (!caller)
        return false;
    *out = (struct wt_stop_at){.addr = caller->pc, .thread = g->thread};
    out->has_cfa = wt_frames_cfa(g->frames, frame->level, &out->cfa);
    return true;
}

struct wt_view wt_program_view(struct wt_program *g)
{
    struct wt_view view = {.source = g->source};
    const struct wt_frame *frame;
    if (wt_program_need_frame(g, &frame, WT_IGNORED) == WT_OK) {
        view.thread = g->thread;
        view.frames = g->frames;
        view.frame = frame;
    }
    return view;
}

enum wt_status wt_program_wave(struct wt_program *g, wt_thread thread, struct wt_wave *wave,
                               struct wt_thread_position *place, struct wt_error *err)
{
    if (!wt_debugger_thread_wave(g->debugger, thread, wave))
        return wt_fail(err, WT_STATE, "No thread selected");
    return wt_debugger_thread_position(g->debugger, thread, place, err);
}

wt_wave_id wt_program_own_wave(const struct wt_program *g)
{
    struct wt_wave wave;
    return g->thread && wt_debugger_thread_wave(g->debugger, g->thread, &wave) ? wave.id
                                                                               : WT_NO_WAVE;
}

bool wt_program_thread_of_wave(struct wt_program *g, wt_wave_id wave, wt_thread *thread)
{
    const struct wt_thread_info *list;
    size_t count;
    if (wt_debugger_threads(g->debugger, &list, &count, WT_IGNORED) != WT_OK)
        return false;
    const struct wt_thread_info *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (list[i].wave == wave && (!best || (!best->enabled && list[i].enabled)))
            best = &list[i];
    if (best)
        *thread = best->id;
    return best != NULL;
}

enum wt_status wt_program_select_lane(struct wt_program *g, unsigned lane, struct wt_error *err)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    enum wt_status status = wt_program_wave(g, g->thread, &wave, &place, err);
    if (status)
        return status;
    if (lane >= wave.lanes)
        return wt_fail(err, WT_INVALID, "there is no %s %u: the %s has %ss 0 to %u",
                       g->topology->lane_word, lane, g->topology->wave_word, g->topology->lane_word,
                       wave.lanes - 1);
    if (wt_debugger_thread_mode(g->debugger) == WT_THREADS_WAVES &&
        (status = wt_debugger_choose_lane(g->debugger, lane, err)) != WT_OK)
        return status;
    wt_program_select(g, wt_debugger_thread_of_lane(g->debugger, g->thread, lane));
    return WT_OK;
}

enum wt_status wt_program_select_lane_of(struct wt_program *g, wt_wave_id wave, unsigned lane,
                                         struct wt_error *err)
{
    wt_thread thread;
    if (!wt_program_thread_of_wave(g, wave, &thread))
        return wt_fail(err, WT_STATE, "the %s has ended", g->topology->wave_word);
    wt_program_select(g, thread);
    return wt_program_select_lane(g, lane, err);
}

/* ---- a lane by its coordinates ---- */

static void keep(struct wt_focus *f, enum wt_coordinate which, const uint32_t *value, size_t count)
{
    if (f->given[which])
        return;
    f->given[which] = true;
    memcpy(f->value[which], value, count * sizeof *value);
}

static struct wt_focus complete(const struct wt_focus *given, const struct wt_wave *own)
{
    struct wt_focus f = *given;
    const bool *is = given->given, in_hardware = is[WT_BY_CORE] || is[WT_BY_SLOT];
    const uint32_t dispatch = (uint32_t)own->dispatch;
    if (is[WT_BY_ITEM] && !in_hardware)
        keep(&f, WT_BY_GROUP, own->group, 3);
    if ((is[WT_BY_GROUP] || is[WT_BY_ITEM]) && !in_hardware)
        keep(&f, WT_BY_DISPATCH, &dispatch, 1);
    if (is[WT_BY_LANE] && !is[WT_BY_GROUP] && !is[WT_BY_ITEM])
        keep(&f, WT_BY_SLOT, &own->slot, 1);
    if ((f.given[WT_BY_LANE] || f.given[WT_BY_SLOT]) && !f.given[WT_BY_GROUP])
        keep(&f, WT_BY_CORE, &own->core, 1);
    return f;
}

static bool fits(const struct wt_focus *f, const struct wt_wave *w, unsigned lane)
{
    const uint32_t of[WT_COORDINATES][3] = {[WT_BY_DISPATCH] = {(uint32_t)w->dispatch},
                                            [WT_BY_GROUP] = {w->group[0], w->group[1], w->group[2]},
                                            [WT_BY_ITEM] = {(uint32_t)wt_wave_item(w, lane, 0),
                                                            (uint32_t)wt_wave_item(w, lane, 1),
                                                            (uint32_t)wt_wave_item(w, lane, 2)},
                                            [WT_BY_DEVICE] = {w->device},
                                            [WT_BY_CORE] = {w->core},
                                            [WT_BY_SLOT] = {w->slot},
                                            [WT_BY_LANE] = {lane}};
    bool fits = true;
    for (unsigned i = 0; i < WT_COORDINATES; i++)
        fits &= !f->given[i] || memcmp(f->value[i], of[i], sizeof of[i]) == 0;
    return fits;
}

const struct wt_wave *wt_find_lane(const struct wt_work *work, const struct wt_focus *focus,
                                   const struct wt_wave *own, unsigned *lane)
{
    const struct wt_focus f = complete(focus, own);
    for (size_t i = 0; i < work->worker_count; i++) {
        const struct wt_wave *w = &work->worker[i]->wave;
        uint32_t first;
        for (*lane = 0; *lane < wt_wave_items(w, &first); ++*lane)
            if (fits(&f, w, *lane))
                return w;
    }
    return NULL;
}

const struct wt_frame *pg_function_of(struct wt_program *g, const struct wt_frame *frame)
{
    const struct wt_frame *next = frame;
    while (next && next->physical == frame->physical) {
        frame = next;
        next = wt_frames_get(g->frames, frame->level + 1);
    }
    return frame;
}

bool pg_same_wave(struct wt_program *g, wt_thread a, wt_thread b)
{
    struct wt_wave x, y;
    return a == b || (wt_debugger_thread_wave(g->debugger, a, &x) &&
                      wt_debugger_thread_wave(g->debugger, b, &y) && x.id == y.id);
}
