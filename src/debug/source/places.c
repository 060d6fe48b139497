/*
 * Where the lanes of a diverged wave are. A lane that waits for its turn goes on at a place of its
 * own, where a variable may be elsewhere than at the wave's PC, or not there at all. Only targets
 * that tell why lanes wait (struct wt_wave_detail) tell where.
 */
#include "debug/source/places.h"

#include <stdlib.h>
#include <string.h>

#include "debug/source/source_internal.h"

uint64_t wt_place_of_lane(const struct wt_wave_info *info, unsigned lane)
{
    if (wt_has_lane(info->mask, lane) || !info->has_detail)
        return info->pc;
    for (unsigned i = 0; i < info->detail.waiter_count; i++)
        if (wt_has_lane(info->detail.waiter[i].lanes, lane))
            return info->detail.waiter[i].pc;
    return info->pc;
}

bool wt_places_find(const struct wt_view *scope, struct wt_places *places)
{
    struct wt_debugger *d = scope->source->debugger;
    struct wt_thread_position own;
    struct wt_wave wave;
    places->count = 0;
    places->own = 0;
    if (!scope->thread || !scope->frame || !wt_debugger_thread_wave(d, scope->thread, &wave) ||
        wt_debugger_thread_position(d, scope->thread, &own, WT_IGNORED) != WT_OK ||
        own.active == wt_lanes_first(wave.lanes))
        return false;
    struct wt_wave_info *info = malloc(sizeof *info);
    if (!info || wt_debugger_wave(d, wave.id, info, WT_IGNORED) != WT_OK || !info->has_detail ||
        !info->detail.waiter_count) {
        free(info);
        return false;
    }
    const uint64_t here = wt_place_of_lane(info, own.lane);
    for (unsigned lane = 0; lane < wave.lanes; lane++) {
        const uint64_t pc = wt_place_of_lane(info, lane);
        unsigned i = 0;
        while (i < places->count && places->place[i].pc != pc)
            i++;
        if (pc == here) {
            places->own |= wt_lane_bit(lane);
        } else {
            if (i == places->count)
                places->place[places->count++] = (struct wt_place){.pc = pc};
            places->place[i].lanes |= wt_lane_bit(lane);
        }
    }
    free(info);
    return places->count != 0;
}

static bool same_function(const struct wt_frame *a, const struct wt_frame *b)
{
    return a->scope_count && b->scope_count &&
           a->scope[a->first_scope].addr == b->scope[b->first_scope].addr;
}

/* The number of frames of a function from level @p level outwards. */
static unsigned calls_of(struct wt_frames *frames, const struct wt_frame *function, unsigned level)
{
    const struct wt_frame *frame;
    unsigned count = 0;
    for (; (frame = wt_frames_get(frames, level)) != NULL; level++)
        count += same_function(frame, function);
    return count;
}

struct wt_frames *wt_places_view(const struct wt_view *scope, const struct wt_place *place,
                                 struct wt_view *view)
{
    const struct wt_frame *frame;
    const struct wt_source *s = scope->source;
    *view = *scope;
    view->thread =
        wt_debugger_thread_of_lane(s->debugger, scope->thread, wt_lanes_lowest(place->lanes));
    view->frame = NULL;
    view->frames = view->thread ? wt_frames_new(s->debugger, s->modules, view->thread) : NULL;
    if (!view->frames)
        return NULL;
    /* The same call: calls of a function are counted from the outermost. */
    unsigned rest = calls_of(view->frames, scope->frame, 0);
    const unsigned wanted = calls_of(scope->frames, scope->frame, scope->frame->level);
    for (unsigned level = 0; rest >= wanted && !view->frame; level++) {
        if ((frame = wt_frames_get(view->frames, level)) == NULL)
            break;
        if (same_function(frame, scope->frame) && rest-- == wanted)
            view->frame = frame;
    }
    return view->frames;
}
