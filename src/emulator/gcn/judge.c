/* Asks the machine's judge (machine/judge.h) before accesses of vector memory, scalar memory and
 * LDS. GDS is not judged. */
#include "emulator/gcn/judge.h"
#include "emulator/gcn/memory/vmem.h"
#include "emulator/gcn/watch.h"

#include <string.h>

static struct wt_lane_access access_of(struct gcn_wave *w, const struct gcn_uop *u,
                                       enum wt_watch_kind kind, enum wt_observed_space space,
                                       unsigned size)
{
    /* LLVM widens vectors of three that are aligned to 8; scalar loads up to 16 dwords. */
    return (struct wt_lane_access){.pc = gcn_pc_of(w, u),
                                   .kind = kind,
                                   .space = space,
                                   .size = size,
                                   .align = kind == WT_WATCH_ACCESS ? size : 0,
                                   .unit = u->row->encoding == GCN_SMEM ? 64 : 8};
}

/* wt_lane_access.lost of an atomic. Where instructions have scopes, one for the system alone is
 * promised to be one step for the host. */
static unsigned lost_of(const struct gcn_wave *w, const struct gcn_uop *u)
{
    const struct gcn_model *model = gcn_model_of(w->device);
    const enum gcn_atomic what = gcn_atomic_of(model, u->row);
    if (!model->scoped_caches)
        return gcn_atomic_lost(model, what);
    return u->scc && !gcn_atomic_is_on_bus(what) ? WT_TORN | WT_GRAIN_FINE_HOST : 0;
}

static uint64_t ask(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                    enum wt_observed_space space, unsigned size, uint64_t lanes, const uint64_t *at)
{
    struct wt_lane_access a = access_of(w, u, kind, space, size);
    if (kind == WT_WATCH_ACCESS && space == WT_OBSERVED_GLOBAL)
        a.lost = lost_of(w, u);
    return (uint64_t)wt_judge(&w->device->machine, &w->head, &a, lanes, at);
}

/* The offset in a lane's own memory of an address in the wave's scratch memory (gcn_private_addr);
 * it may lie before or behind it. */
static uint64_t own_offset(uint64_t addr, uint64_t scratch, unsigned lane)
{
    const int64_t row = 4 * GCN_LANES;
    const int64_t offset = (int64_t)(addr - scratch) - 4 * (int64_t)lane;
    const int64_t rows = (offset - (offset % row + row) % row) / row;
    return (uint64_t)(4 * rows + offset - rows * row);
}

void gcn_judge_targets(struct gcn_wave *w, const struct gcn_uop *u, struct gcn_targets *t,
                       enum wt_watch_kind kind, unsigned size)
{
    const uint64_t lanes = t->lanes & ~t->zero;
    uint64_t own[GCN_LANES], private = t->swizzled ? 0 : lanes & t->private, scratch;
    const uint64_t *offset = t->addr;
    if (t->swizzled && gcn_private_home(w, &scratch)) {
        for (unsigned i = 0; i < GCN_LANES; i++)
            own[i] = own_offset(t->addr[i], scratch, i);
        offset = own;
        private = lanes;
    }
    t->zero |= ask(w, u, kind, WT_OBSERVED_PRIVATE, size, private, offset);
    t->zero |= ask(w, u, kind, WT_OBSERVED_GROUP, size, lanes & t->lds, t->addr);
    t->zero |= ask(w, u, kind, WT_OBSERVED_GLOBAL, size, lanes & ~private & ~t->lds & ~t->private,
                   t->addr);
    t->judged = true;
}

bool gcn_judge_passes(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                      uint32_t first, uint32_t last, unsigned part, unsigned size)
{
    const struct wt_judge *judge = w->device->machine.judge;
    const uint32_t room = w->group->local_size;
    struct wt_lane_access a = access_of(w, u, kind, WT_OBSERVED_GROUP, size);
    a.part = part;
    return last < room && size <= room - last &&
           judge->passes(judge->context, &w->head, &a, first, last, 0);
}

const uint32_t *gcn_judge_lanes(struct gcn_wave *w, const struct gcn_uop *u,
                                enum wt_watch_kind kind, const uint32_t *addr, uint32_t base,
                                unsigned part, unsigned size, uint32_t *room)
{
    enum { OUTSIDE = 1u << 30 };
    uint64_t at[GCN_LANES];
    struct wt_lane_access a = access_of(w, u, kind, WT_OBSERVED_GROUP, size);
    a.part = part;
    for (unsigned i = 0; i < GCN_LANES; i++)
        at[i] = (uint64_t)(int64_t)(int32_t)(addr[i] + base);
    const uint64_t refused = (uint64_t)wt_judge(&w->device->machine, &w->head, &a, gcn_exec(w), at);
    if (!refused)
        return addr;
    for (unsigned i = 0; i < GCN_LANES; i++)
        room[i] = refused >> i & 1 ? OUTSIDE - base : addr[i];
    return room;
}

bool gcn_judge_wave(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                    uint64_t addr, unsigned size)
{
    const uint64_t lanes = gcn_exec(w);
    uint64_t at[GCN_LANES];
    const bool private = strncmp(u->row->name, "s_scratch", 9) == 0;
    if (!lanes || private || wt_judge_holds(&w->device->machine, addr, size, kind != WT_WATCH_READ))
        return true;
    for (unsigned i = 0; i < GCN_LANES; i++)
        at[i] = addr;
    return !ask(w, u, kind, WT_OBSERVED_GLOBAL, size, lanes, at);
}

/* The calling convention of functions: arguments and results of 64 bits in v[0:1], the address of
 * return in s[30:31] (LLVM, "User Guide for AMDGPU Backend", "Non-Kernel Functions"). */
uint64_t gcn_judge_allocator(struct gcn_wave *w, uint64_t pc)
{
    struct wt_machine *m = &w->device->machine;
    const struct wt_judge *j = m->judge;
    const uint64_t returns = gcn_pair(&w->s[30]), lanes = gcn_exec(w);
    uint64_t value[GCN_LANES];
    if (!j || !lanes || w->vgprs < 2)
        return 0;
    for (unsigned i = 0; i < GCN_LANES; i++)
        value[i] = w->v[0][i] | (uint64_t)w->v[1][i] << 32;
    const uint64_t refused =
        (uint64_t)j->allocator(j->context, m, &w->head, pc, returns, lanes, value);
    for (uint64_t left = refused; left; left &= left - 1)
        w->v[0][__builtin_ctzll(left)] = w->v[1][__builtin_ctzll(left)] = 0;
    return gcn_is_allocator(w->device, returns) ? returns : 0;
}
