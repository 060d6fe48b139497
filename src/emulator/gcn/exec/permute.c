/* Instructions of the data share's unit that move values between lanes and use no memory (manual,
 * chapter 10). */
#include "emulator/gcn/memory/ds.h"

#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)
#define UNLESS_SKIPPED                                                                             \
    if (w->mode & GCN_MODE_VSKIP)                                                                  \
        return gcn_next(u);                                                                        \
    const struct gcn_uop *next = NULL

/* The lane that a lane's VGPR names. From gfx10 on, lanes of 32 exchange values among themselves.
 */
static unsigned named(const struct gcn_wave *w, const struct gcn_uop *u, unsigned lane)
{
    const uint32_t n = (w->v[u->src[0]][lane] + (uint32_t)u->imm) / 4;
    return gcn_is_gfx10(gcn_model_of(w->device)) ? (lane & 32) | n % 32 : n % GCN_LANES;
}

/* Tells who observes the machine of lanes that read lanes which EXEC disables. */
__attribute__((noinline)) static void tell_exchange(const struct gcn_wave *w,
                                                    const struct gcn_uop *u)
{
    const uint64_t exec = gcn_exec(w);
    struct wt_observed_event event = {
        .kind = WT_SEEN_EXCHANGE, .pc = gcn_pc_of(w, u), .shifts = true};
    int shift = 0;
    for (uint64_t left = exec; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const unsigned from = named(w, u, lane);
        const int by = (int)from - (int)lane;
        event.shifts &= !by || !shift || by == shift;
        shift = by ? by : shift;
        if (exec >> from & 1)
            continue;
        event.lanes |= wt_lane_bit(lane);
        event.named |= wt_lane_bit(from);
    }
    if (event.lanes)
        wt_wave_tell(&w->device->machine, &w->head, &event);
}

/* Backwards: each lane names the lane that it reads. One that EXEC disables gives 0. */
OP(ds_bpermute_b32)
{
    uint32_t from[GCN_LANES], result[GCN_LANES];
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->src[0], 1, &next) ||
        !gcn_ds_registers(w, u, u->src[1], 1, &next) || !gcn_ds_registers(w, u, u->dst, 1, &next))
        return next;
    if (wt_observes_events(&w->device->machine))
        tell_exchange(w, u);
    const uint32_t *on = gcn_lanes_on(w, gcn_exec(w));
    for (unsigned lane = 0; lane < GCN_LANES; lane++)
        from[lane] = w->v[u->src[1]][lane] & on[lane];
    EACH_LANE(lane)
    result[lane] = from[named(w, u, (unsigned)lane)];
    gcn_blend(w->v[u->dst], result, on);
    gcn_ds_issued(w);
    return gcn_next(u);
}

/* Forwards: each lane names the lane that it writes; the highest one wins. */
OP(ds_permute_b32)
{
    uint32_t result[GCN_LANES] = {0};
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->src[0], 1, &next) ||
        !gcn_ds_registers(w, u, u->src[1], 1, &next) || !gcn_ds_registers(w, u, u->dst, 1, &next))
        return next;
    EACH_LANE(lane)
    result[named(w, u, (unsigned)lane)] = w->v[u->src[1]][lane];
    EACH_LANE(lane)
    w->v[u->dst][lane] = result[lane];
    gcn_ds_issued(w);
    return gcn_next(u);
}

unsigned gcn_swizzled(uint32_t pattern, unsigned i)
{
    const uint32_t mask = pattern & 31;
    if (pattern >= 0xe000) { /* the butterflies of an FFT: the bits above the mask's in reverse */
        unsigned reversed = 0;
        for (unsigned bit = 0; bit < 5; bit++)
            reversed |= (i >> bit & 1) << (4 - bit);
        return (i & 32) | (reversed >> (unsigned)__builtin_popcount(mask)) | (i & mask);
    }
    if (pattern >= 0xc000) { /* rotates by [9:5], backwards with [10], where the mask has no bits */
        const unsigned by = pattern >> 5 & 31;
        return (i & 32) | (i & mask) | ((pattern >> 10 & 1 ? i - by : i + by) & 31 & ~mask);
    }
    if (pattern & 0x8000)
        return (i & ~3u) | (pattern >> (2 * (i & 3)) & 3);
    /* and, or, xor masks */
    return (i & 32) | ((((i & pattern) | pattern >> 5) ^ pattern >> 10) & 31);
}

/* The offset is the pattern. */
OP(ds_swizzle_b32)
{
    uint32_t result[GCN_LANES];
    const uint32_t pattern = (uint32_t)u->imm;
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->src[0], 1, &next) || !gcn_ds_registers(w, u, u->dst, 1, &next))
        return next;
    const uint64_t exec = gcn_exec(w);
    EACH_LANE(lane)
    {
        const unsigned from = gcn_swizzled(pattern, (unsigned)lane);
        result[lane] = exec >> from & 1 ? w->v[u->src[0]][from] : 0;
    }
    EACH_LANE(lane)
    w->v[u->dst][lane] = result[lane];
    gcn_ds_issued(w);
    return gcn_next(u);
}

OP(ds_nop)
{
    return gcn_next(u);
}
