/* Asking the machine's judge (machine/judge.h) about the accesses of a message's lanes. */
#include "emulator/gen/lanes.h"

static struct wt_lane_access access_of(const struct gen_message *m, enum wt_watch_kind kind,
                                       enum wt_observed_space space, unsigned size)
{
    const uint32_t enabled = m->t->mask;
    return (struct wt_lane_access){.pc = gen_pc_of(m->t, m->u),
                                   .kind = kind,
                                   .space = space,
                                   .size = size,
                                   .of_wave = m->u->insn.no_mask && enabled,
                                   .owner = enabled ? (uint8_t)__builtin_ctz(enabled) : 0};
}

/* The addresses of some bytes of the lanes. *strays: lanes that are outside of the surface; a load
 * may begin inside, as compilers widen it. */
static uint32_t addresses_of(const struct gen_message *m, const struct gen_transfer *x, bool write,
                             unsigned offset, unsigned size, uint64_t *at, uint32_t *strays)
{
    const uint64_t room = x->surface.size;
    uint32_t lanes = 0;
    *strays = 0;
    for (unsigned i = 0; i < x->lanes; i++) {
        const unsigned lane = gen_message_lane(m, i);
        const uint64_t first = x->addr[i] + offset;
        if (!(x->on >> i & 1))
            continue;
        lanes |= UINT32_C(1) << lane;
        if (x->wide_addresses) {
            at[lane] = first & ((UINT64_C(1) << WT_MEMORY_ADDRESS_BITS) - 1);
        } else if (x->surface.is_slm) {
            at[lane] = (uint64_t)wt_sign_extend(first & GEN_SLM_OFFSET, 28);
        } else if (first < room && (!write || size <= room - first)) {
            at[lane] = x->surface.base + first;
        } else {
            at[lane] = x->surface.base + (uint64_t)wt_sign_extend(first, 32);
            *strays |= UINT32_C(1) << lane;
        }
    }
    return lanes;
}

/* Lanes of the instruction that must not access some bytes each. */
static uint32_t refused(const struct gen_message *m, const struct gen_transfer *x,
                        enum wt_watch_kind kind, unsigned offset, unsigned size)
{
    struct wt_machine *machine = &m->t->device->machine;
    const bool slm = !x->wide_addresses && x->surface.is_slm;
    struct wt_lane_access a =
        access_of(m, kind, slm ? WT_OBSERVED_GROUP : WT_OBSERVED_GLOBAL, size);
    uint64_t at[GEN_CHANNELS];
    uint32_t strays;
    const uint32_t lanes = addresses_of(m, x, kind != WT_WATCH_READ, offset, size, at, &strays);
    a.align = x->align;
    if (x->elements > 1)
        a.unit = 4;
    if (x->elements == 4) /* which may be three */
        a.spare = x->size;
    if (strays)
        machine->judge->outside(machine->judge->context, machine, &m->t->head, &a, strays, at,
                                x->surface.base, x->surface.size, NULL);
    return strays | (uint32_t)wt_judge(machine, &m->t->head, &a, lanes & ~strays, at);
}

void gen_judge_lanes(const struct gen_message *m, struct gen_transfer *x, enum wt_watch_kind kind)
{
    const unsigned first = x->offset[0], size = gen_extent(x) - first;
    uint32_t lanes = 0;
    if (size == x->size * x->elements) {
        lanes = refused(m, x, kind, first, size);
    } else {
        for (unsigned k = 0; k < x->elements; k++)
            lanes |= refused(m, x, kind, x->offset[k], x->size);
    }
    x->refused = 0;
    for (unsigned i = 0; i < x->lanes && lanes; i++)
        if (lanes >> gen_message_lane(m, i) & 1)
            x->refused |= UINT32_C(1) << i;
}

bool gen_judge_block(const struct gen_message *m, const struct gen_transfer *x, bool write,
                     unsigned size)
{
    struct gen_transfer all = *x; /* each channel that is enabled */
    all.lanes = GEN_CHANNELS - m->u->insn.channel;
    all.on = m->on;
    for (unsigned i = 0; i < all.lanes; i++)
        all.addr[i] = x->addr[0];
    return !m->on || !refused(m, &all, write ? WT_WATCH_WRITE : WT_WATCH_READ, 0, size);
}

void gen_judge_texels(const struct gen_message *m, const struct gen_surface *s,
                      enum wt_watch_kind kind, uint32_t lanes, unsigned bytes, const char *what)
{
    struct wt_machine *machine = &m->t->device->machine;
    const struct wt_lane_access a = access_of(m, kind, WT_OBSERVED_GLOBAL, bytes);
    uint64_t at[GEN_CHANNELS];
    uint32_t channels = 0;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = gen_message_lane(m, (unsigned)__builtin_ctz(lanes));
        at[lane] = s->base;
        channels |= UINT32_C(1) << lane;
    }
    machine->judge->outside(machine->judge->context, machine, &m->t->head, &a, channels, at,
                            s->base, 0, what);
}
