/*
 * Judged instructions (machine/judge.h): while the machine has a judge, the records of loads,
 * stores and atomics have these handlers. They switch the lanes off that must not access, and let
 * the instruction's own handler do the others.
 */
#include <string.h>

#include "emulator/machine/judge.h"
#include "emulator/vortex/by_host.h"
#include "emulator/vortex/watch.h"

/* Fields of an instruction's word that its row has, too (unprivileged ISA, "RV32/64G Instruction
 * Set Listings"). */
enum { OPCODE = 0x7f, LOAD = 0x03, LOAD_FP = 0x07, STORE = 0x23, STORE_FP = 0x27, AMO = 0x2f };

static unsigned opcode_of(enum vx_insn_id id)
{
    return vx_insns[id].match & OPCODE;
}

static bool is_access(enum vx_insn_id id)
{
    const unsigned opcode = opcode_of(id);
    return opcode == LOAD || opcode == LOAD_FP || opcode == STORE || opcode == STORE_FP ||
           opcode == AMO;
}

static enum wt_watch_kind kind_of(enum vx_insn_id id)
{
    const unsigned opcode = opcode_of(id);
    if (opcode == STORE || opcode == STORE_FP)
        return WT_WATCH_WRITE;
    return opcode == AMO && id != VX_INSN_lr_w && id != VX_INSN_lr_d ? WT_WATCH_ACCESS
                                                                     : WT_WATCH_READ;
}

/* Lanes that must not access have loaded zeros. */
static void clear(struct vx_warp *w, const struct vx_uop *u, enum vx_insn_id id, wt_lanes lanes)
{
    const bool is_float = opcode_of(id) == LOAD_FP;
    for (wt_lanes left = lanes; left; left &= left - 1) {
        const unsigned l = wt_lanes_lowest(left);
        if (is_float) /* a narrow number is NaN-boxed ("NaN Boxing of Narrower Values") */
            w->f[(size_t)u->rd * w->device->machine.lanes + l] =
                vx_insns[id].match >> 12 & 1 ? 0 : UINT64_C(0xffffffff) << 32;
        else if (u->rd != VX_SINK)
            vx_set_x(w, u->rd, l, 0);
    }
}

/* The addresses of an access by all lanes: the lowest, the highest, and the bits that any has. */
struct vx_extent {
    uint64_t low, high, bits;
};

#define ADDRESSES(name, type)                                                                      \
    static inline __attribute__((always_inline)) struct vx_extent name(                            \
        const type *restrict base, type offset, unsigned lanes)                                    \
    {                                                                                              \
        type low = (type)-1, high = 0, bits = 0;                                                   \
        for (unsigned l = 0; l < lanes; l++) {                                                     \
            const type at = base[l] + offset;                                                      \
            low = at < low ? at : low;                                                             \
            high = at > high ? at : high;                                                          \
            bits |= at;                                                                            \
        }                                                                                          \
        return (struct vx_extent){low, high, bits};                                                \
    }
ADDRESSES(narrow_addresses, uint32_t)
ADDRESSES(wide_addresses, uint64_t)
#undef ADDRESSES

static inline __attribute__((always_inline)) struct vx_extent addresses(const struct vx_warp *w,
                                                                        const struct vx_uop *u)
{
    const struct vx_device *d = w->device;
    const size_t row = (size_t)u->rs1 * d->machine.lanes;
    const int64_t offset = u->imm;
    return d->config.xlen == 32
               ? narrow_addresses((const uint32_t *)w->x + row, (uint32_t)offset, d->machine.lanes)
               : wide_addresses((const uint64_t *)w->x + row, (uint64_t)offset, d->machine.lanes);
}

VX_BY_HOST(struct vx_extent, addresses, (const struct vx_warp *w, const struct vx_uop *u), (w, u),
           addresses(w, u), addresses(w, u))

/* Whether all lanes are enabled, and their addresses are known to be good. */
static bool passes(const struct vx_warp *w, const struct vx_uop *u, const struct wt_lane_access *a)
{
    const struct wt_judge *judge = w->device->machine.judge;
    if (!w->full || !judge)
        return false;
    const struct vx_extent e = addresses_by_host(w, u);
    return judge->passes(judge->context, &w->head, a, e.low, e.high, e.bits);
}

/* It is no part of the handlers: its first instructions must come behind leave(). */
static __attribute__((noinline)) const struct vx_uop *
judged(struct vx_warp *w, const struct vx_uop *u, enum vx_insn_id id)
{
    struct vx_device *d = w->device;
    const wt_lanes mask = w->mask;
    const unsigned size = 1u << (vx_insns[id].match >> 12 & 3);
    const struct wt_lane_access a = {.pc = vx_pc_of(w, u),
                                     .kind = kind_of(id),
                                     .space = WT_OBSERVED_GLOBAL,
                                     .home = WT_SPACE_GLOBAL,
                                     .size = size,
                                     .align = d->config.allow_misaligned ? 0 : size};
    const vx_handler run = u->halves == 1 && d->handlers->compressed[id]
                               ? d->handlers->compressed[id]
                               : d->handlers->full[id];
    uint64_t at[WT_MAX_LANES];
    if (passes(w, u, &a))
        return run(w, u);
    vx_access_addresses(w, u, at);
    const wt_lanes refused = d->injecting ? 0 : wt_judge(&d->machine, &w->head, &a, mask, at);
    if (!refused)
        return run(w, u);
    vx_set_mask(w, mask & ~refused);
    const struct vx_uop *next = w->mask ? run(w, u) : u + u->halves;
    d->handlers->leave();
    vx_set_mask(w, mask);
    if (next && kind_of(id) != WT_WATCH_WRITE)
        clear(w, u, id, refused);
    return next;
}

/* Of a packed load: its parts, one behind the other; of others 0. */
static unsigned parts_of(enum vx_insn_id id)
{
    return id == VX_INSN_packlb ? 4 : id == VX_INSN_packlh ? 2 : 0;
}

/* A packed load: a lane of which a part is refused loads nothing. */
static const struct vx_uop *judged_packed(struct vx_warp *w, const struct vx_uop *u,
                                          enum vx_insn_id id)
{
    struct vx_device *d = w->device;
    const wt_lanes mask = w->mask;
    const unsigned size = 4 / parts_of(id);
    wt_lanes refused = 0;
    for (unsigned i = 0; i < parts_of(id) && !d->injecting && mask & ~refused; i++) {
        uint64_t at[WT_MAX_LANES];
        const struct wt_lane_access a = {.pc = vx_pc_of(w, u),
                                         .kind = WT_WATCH_READ,
                                         .space = WT_OBSERVED_GLOBAL,
                                         .home = WT_SPACE_GLOBAL,
                                         .size = size,
                                         .part = i,
                                         .align = d->config.allow_misaligned ? 0 : size};
        for (unsigned l = 0; l < d->machine.lanes; l++)
            at[l] = vx_truncate(d, vx_get_x(w, u->rs1, l) + i * vx_get_x(w, u->rs2, l));
        refused |= wt_judge(&d->machine, &w->head, &a, mask & ~refused, at);
    }
    vx_set_mask(w, mask & ~refused);
    const struct vx_uop *next = w->mask ? d->handlers->full[id](w, u) : u + u->halves;
    d->handlers->leave();
    vx_set_mask(w, mask);
    for (wt_lanes left = next ? refused : 0; left; left &= left - 1)
        w->f[(size_t)u->rd * d->machine.lanes + wt_lanes_lowest(left)] = UINT64_C(0xffffffff) << 32;
    return next;
}

#define I(id, name, xlen, match, mask, operands, ...)                                              \
    static const struct vx_uop *judged_##id(struct vx_warp *w, const struct vx_uop *u)             \
    {                                                                                              \
        w->device->handlers->leave();                                                              \
        return parts_of(VX_INSN_##id) ? judged_packed(w, u, VX_INSN_##id)                          \
                                      : judged(w, u, VX_INSN_##id);                                \
    }
#include "emulator/vortex/isa.def"
#undef I

/* Whether addresses lie a word behind the other: of a number of lanes that the compiler may know.
 */
static inline __attribute__((always_inline)) bool are_words(const uint32_t *base, unsigned lanes)
{
    static const uint32_t step[] = {0,  4,  8,  12,  16,  20,  24,  28,  32,  36, 40,
                                    44, 48, 52, 56,  60,  64,  68,  72,  76,  80, 84,
                                    88, 92, 96, 100, 104, 108, 112, 116, 120, 124};
    uint32_t apart = 0;
    if (lanes > sizeof step / sizeof *step)
        return false;
    for (unsigned l = 0; l < lanes; l++)
        apart |= (base[l] - base[0]) ^ step[l];
    return !apart;
}

VX_BY_HOST(bool, are_words, (const uint32_t *base, unsigned lanes), (base, lanes),
           are_words(base, lanes), lanes == 32 ? are_words(base, 32) : are_words(base, lanes))

/* The host's place of an address in a page that nobody watches; NULL: the TLB does not have it. */
static inline uint8_t *place_of(struct wt_tlb *tlb, uint64_t addr, bool stores)
{
    const struct wt_tlb_entry *e = wt_tlb_entry_of(tlb, addr);
    if ((stores ? e->write_page : e->read_page) != (addr & ~WT_PAGE_MASK))
        return NULL;
    return (stores ? e->write_host : (uint8_t *)e->read_host) +
           (addr & WT_PAGE_MASK); /* only read */
}

bool vx_access_words(struct vx_warp *w, const struct vx_uop *u, vx_handler run)
{
    struct vx_device *d = w->device;
    const struct wt_judge *judge = d->machine.judge;
    const unsigned lanes = d->machine.lanes, bytes = 4 * lanes;
    const bool stores = run == judged_sw, told = wt_observes_rows(&d->machine);
    if (!(stores || run == judged_lw) || !w->full || d->config.xlen != 32 || !judge ||
        (d->machine.watch && !told))
        return false;
    const uint32_t *base = (const uint32_t *)w->x + (size_t)u->rs1 * lanes;
    const uint32_t first = base[0] + (uint32_t)u->imm;
    if (base[lanes - 1] - base[0] != bytes - 4 || first % 4 ||
        (first & WT_PAGE_MASK) + bytes > WT_PAGE_SIZE)
        return false;
    const struct wt_lane_access a = {.pc = vx_pc_of(w, u),
                                     .kind = stores ? WT_WATCH_WRITE : WT_WATCH_READ,
                                     .space = WT_OBSERVED_GLOBAL,
                                     .home = WT_SPACE_GLOBAL,
                                     .size = 4,
                                     .is_row = true,
                                     .align = 4};
    if (!are_words_by_host(base, lanes))
        return false;
    if (!judge->passes(judge->context, &w->head, &a, first, first + bytes - 4, first))
        return false;
    uint8_t *host = told ? vx_tell_words(w, &a, first) : place_of(&d->machine.tlb, first, stores);
    void *row = (uint32_t *)w->x + (size_t)(stores ? u->rs2 : u->rd) * lanes;
    void *to = stores ? host : row, *from = stores ? row : host;
    if (host && lanes == 32)
        memcpy(to, from, sizeof(uint32_t) * 32);
    else if (host)
        memcpy(to, from, bytes);
    return host;
}

vx_handler vx_judged_handler(enum vx_insn_id id)
{
    static const vx_handler handlers[VX_INSN_COUNT] = {
#define I(id, name, xlen, match, mask, operands, ...) judged_##id,
#include "emulator/vortex/isa.def"
#undef I
    };
    return is_access(id) || parts_of(id) ? handlers[id] : NULL;
}
