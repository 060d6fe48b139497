/* What a judge is asked about accesses of a warp. See memory_access.h. */
#include "emulator/sm/memory_access.h"

/* Offsets of 32 bits may be negative. */
static uint64_t offset_of(uint64_t at)
{
    return at >> 32 ? at : (uint64_t)(int64_t)(int32_t)at;
}

static uint32_t ask(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                    enum wt_observed_space space, uint32_t lanes, const uint64_t *at, unsigned size)
{
    const struct wt_lane_access a = {
        .pc = sm_pc_of(w, u), .kind = kind, .space = space, .size = size, .align = size};
    return (uint32_t)wt_judge(&w->device->machine, &w->head, &a, lanes, at);
}

uint32_t sm_judge(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                  enum sm_judged where, uint32_t lanes, const uint64_t *at, unsigned size)
{
    uint64_t moved[SM_LANES] = {0};
    uint32_t shared = where == SM_JUDGED_SHARED ? lanes : 0;
    uint32_t local = where == SM_JUDGED_LOCAL ? lanes : 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        moved[i] = at[i];
        if (shared >> i & 1 || local >> i & 1) {
            moved[i] = offset_of(at[i]);
        } else if (where == SM_JUDGED_GENERIC && at[i] - SM_SHARED_WINDOW < SM_WINDOW_BYTES) {
            shared |= 1u << i;
            moved[i] -= SM_SHARED_WINDOW;
        } else if (where == SM_JUDGED_GENERIC && at[i] - SM_LOCAL_WINDOW < SM_WINDOW_BYTES) {
            local |= 1u << i;
            moved[i] -= SM_LOCAL_WINDOW;
        }
    }
    return ask(w, u, kind, WT_OBSERVED_GROUP, shared, moved, size) |
           ask(w, u, kind, WT_OBSERVED_PRIVATE, local, moved, size) |
           ask(w, u, kind, where == SM_JUDGED_CONSTANT ? WT_OBSERVED_CONSTANT : WT_OBSERVED_GLOBAL,
               lanes & ~shared & ~local, moved, size);
}

void sm_access_judge(struct sm_warp *w, const struct sm_uop *u, enum sm_judged where,
                     struct sm_access *a, const uint64_t *at)
{
    const enum wt_watch_kind kind = a->atomic  ? WT_WATCH_ACCESS
                                    : a->store ? WT_WATCH_WRITE
                                               : WT_WATCH_READ;
    a->refused = a->lanes ? sm_judge(w, u, kind, where, a->lanes, at, a->size) : 0;
    a->lanes &= ~a->refused;
}

void sm_judge_beside(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                     uint32_t lanes, unsigned size)
{
    struct wt_machine *m = &w->device->machine;
    const struct wt_lane_access a = {.pc = sm_pc_of(w, u), .kind = kind, .size = size};
    static const uint64_t nowhere[SM_LANES];
    if (lanes)
        m->judge->outside(m->judge->context, m, &w->head, &a, lanes, nowhere, 0, 0,
                          "a texel that the surface does not have");
}
