/* Accesses beside the variable whose address they use. */
#include <stdio.h>

#include "check/memory_state.h"
#include "emulator/machine/heads.h"
#include "emulator/machine/machine.h"

uint64_t memory_room_of(struct wt_machine *m, const struct wt_wave_head *w,
                        enum wt_observed_space space)
{
    const struct wt_group_ops *ops = m->groups.ops;
    return !w->group                      ? 0
           : space == WT_OBSERVED_GROUP   ? ops->asked(m, w->group)
           : space == WT_OBSERVED_PRIVATE ? ops->private_asked(m, w)
                                          : 0;
}

/* The kind of mistake of an access whose address comes from a variable and is outside of it. */
static enum wt_finding_kind kind_beside(struct wt_check_memory *c, const struct wt_wave_head *w,
                                        const struct wt_lane_access *a, uint64_t at)
{
    struct wt_object object;
    struct wt_good good;
    const bool write = a->kind != WT_WATCH_READ;
    const bool there =
        a->space == WT_OBSERVED_GLOBAL || a->space == WT_OBSERVED_CONSTANT
            ? wt_objects_judge(c->space, at, a->size, write, &object, &good) == WT_GOOD
            : at < memory_room_of(c->machine, w, a->space);
    return there ? WT_FOUND_OUT_OF_OBJECT : WT_FOUND_OUT_OF_BOUNDS;
}

/* Whether an access is of a variable; compilers widen loads, and operations on bytes. */
static bool is_of(const struct wt_lane_access *a, uint64_t at, uint64_t first, uint64_t size)
{
    const uint64_t offset = at - first;
    return (offset < size && a->size <= size - offset) || memory_is_widened(a, at, first, size);
}

struct mistake memory_beside(struct wt_check_memory *c, const struct wt_wave_head *w,
                             const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at,
                             const struct variable_of_lanes *v, enum wt_finding_space *space)
{
    static const enum wt_finding_space spaces[] = {[WT_OBSERVED_GLOBAL] = WT_FOUND_GLOBAL,
                                                   [WT_OBSERVED_GROUP] = WT_FOUND_GROUP,
                                                   [WT_OBSERVED_PRIVATE] = WT_FOUND_PRIVATE,
                                                   [WT_OBSERVED_CONSTANT] = WT_FOUND_CONSTANT,
                                                   [WT_OBSERVED_DEVICE] = WT_FOUND_GLOBAL};
    const bool narrow = a->space == WT_OBSERVED_GROUP || a->space == WT_OBSERVED_PRIVATE;
    struct mistake bad = {.lanes = 0};
    for (wt_lanes left = lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        if (is_of(a, at[lane], v->first[lane], v->size))
            continue;
        if (!bad.lanes) {
            /* A flat address before all private memory or LDS wraps around in its lower half. */
            const uint64_t offset = at[lane] - v->first[lane];
            bad.at = v->first[lane] + (narrow ? (uint64_t)(int64_t)(int32_t)offset : offset);
            bad.object = (struct wt_object){.addr = v->first[lane], .size = v->size, .by = ""};
        }
        bad.lanes |= wt_lane_bit(lane);
    }
    if (bad.lanes)
        bad.kind = kind_beside(c, w, a, bad.at);
    snprintf(bad.object.name, sizeof bad.object.name, "%s", v->name);
    *space = spaces[a->space];
    return bad;
}
