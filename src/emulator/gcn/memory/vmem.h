/*
 * The common part of the vector memory encodings (FLAT, MUBUF, MTBUF): loads, stores and atomics of
 * a wave's lanes to memory, to LDS, or to swizzled private memory. A function that returns an
 * instruction returns the next one, or what gcn_fault() returns.
 */
#ifndef WT_EMULATOR_GCN_MEMORY_VMEM_H
#define WT_EMULATOR_GCN_MEMORY_VMEM_H

#include "emulator/gcn/internal.h"
#include "emulator/machine/regions.h"
#include "emulator/machine/watch.h"

/*
 * Loads `words` registers, 1 to 4, of 64 lanes from memory in which the lanes lie side by side,
 * each with so many dwords. For little-endian hosts.
 */
void gcn_load_row(uint32_t (*to)[GCN_LANES], const uint32_t *from, unsigned words);
/*
 * Stores `words` registers, 1 to 4, of 64 lanes to memory in which the lanes lie side by side. For
 * little-endian hosts.
 */
void gcn_store_row(uint32_t *to, uint32_t (*from)[GCN_LANES], unsigned words);
/*
 * *differ becomes 0 where the 64 addresses high:low (high may be NULL) are each `step` behind the
 * one before and their lower halves do not overflow 32 bits; else another number.
 */
void gcn_leave_row(const uint32_t *low, const uint32_t *high, uint32_t step, uint32_t *differ);

/* Where the lanes of one access go: to memory or to the group's LDS. */
struct gcn_targets {
    const struct gcn_uop
        *at; /* the instruction, where it stands: one executed may be a part of it */
    uint64_t addr[GCN_LANES]; /* memory address, or offset into LDS */
    uint64_t lanes;           /* that access at all */
    uint64_t lds;             /* those of them that go to LDS */
    uint64_t private;         /* those of them that go to swizzled scratch: addr is the offset */
    uint64_t zero;            /* lanes whose loads give 0 and whose stores are dropped */
    uint64_t split;           /* lanes whose access begins in a linear buffer and ends behind it */
    bool swizzled; /* scratch memory in elements: each lane's own, addr is where it lies */
    bool judged;   /* the judge has been asked: lanes that it refuses are in zero */
};

/*
 * Executes the access of a full wave to memory side by side, in one page: lane i at base + high:low
 * (high may be NULL). False, and nothing is done, where it is not such an access, or it would fail.
 */
bool gcn_vmem_row(struct gcn_wave *w, const struct gcn_uop *u, uint64_t base, const uint32_t *low,
                  const uint32_t *high, bool store);
/*
 * Loads u->size bytes a lane, 1 to 16, from its target into the VGPRs from u->dst on. Returns the
 * next instruction, or what gcn_fault returns.
 */
const struct gcn_uop *gcn_vmem_load(struct gcn_wave *w, const struct gcn_uop *u,
                                    struct gcn_targets *t);
/*
 * Stores u->size bytes a lane, 1 to 16, from the VGPRs from u->src[1] on to its target. Nothing is
 * stored where a lane may not. Returns as gcn_vmem_load.
 */
const struct gcn_uop *gcn_vmem_store(struct gcn_wave *w, const struct gcn_uop *u,
                                     struct gcn_targets *t);
/*
 * Does the atomic of u's opcode on u->size bytes, 4 or 8, lane after lane; with GLC the old values
 * go to the VGPRs from u->dst on. Returns as gcn_vmem_load.
 */
const struct gcn_uop *gcn_vmem_atomic(struct gcn_wave *w, const struct gcn_uop *u,
                                      struct gcn_targets *t);
/*
 * Fills in where each lane's access of so many bytes through a buffer resource goes (buffer.c).
 * False: refused, or left out for VSKIP; *next is what the handler returns. Lanes that cross the
 * elements of a swizzled buffer are marked private, those that cross a linear buffer's end split.
 * In a split access of several dwords each is checked by itself; formatted elements and atomics are
 * done whole or not at all (section 8.1.5).
 */
bool gcn_buffer_resolve(struct gcn_wave *w, const struct gcn_uop *u, unsigned size,
                        struct gcn_targets *t, const struct gcn_uop **next);
/*
 * Executes loads with LDS = 1 (buffer.c): to LDS at M0[15:0] plus the offset plus 4 for each lane.
 * Returns as gcn_vmem_load.
 */
const struct gcn_uop *gcn_load_to_lds(struct gcn_wave *w, const struct gcn_uop *u,
                                      struct gcn_targets *t);

/* ---- judge.c ---- */

/* Asks the judge, which is there, about lanes' accesses of so many bytes; it refuses those that
 * come to t->zero. */
void gcn_judge_targets(struct gcn_wave *w, const struct gcn_uop *u, struct gcn_targets *t,
                       enum wt_watch_kind kind, unsigned size);
/* Likewise where there may be no judge, or it has been asked. */
static inline void gcn_judge(struct gcn_wave *w, const struct gcn_uop *u, struct gcn_targets *t,
                             enum wt_watch_kind kind, unsigned size)
{
    if (__builtin_expect(w->device->machine.judge && !t->judged, false))
        gcn_judge_targets(w, u, t, kind, size);
}
/* Likewise of a data share, lane i's at addr[i] + base, the instruction's access number @p part:
 * returns addresses, of which those of refused lanes are outside: @p room or, where all may access,
 * @p addr. */
const uint32_t *gcn_judge_lanes(struct gcn_wave *w, const struct gcn_uop *u,
                                enum wt_watch_kind kind, const uint32_t *addr, uint32_t base,
                                unsigned part, unsigned size, uint32_t *room);
/* Whether it need not be asked about them, whose lowest and highest offsets are these. */
bool gcn_judge_passes(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                      uint32_t first, uint32_t last, unsigned part, unsigned size);
/* Likewise of a scalar access by the whole wave. False: it is refused. */
bool gcn_judge_wave(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                    uint64_t addr, unsigned size);
/* Likewise where there may be no judge. */
static inline bool gcn_judge_scalar(struct gcn_wave *w, const struct gcn_uop *u,
                                    enum wt_watch_kind kind, uint64_t addr, unsigned size)
{
    return __builtin_expect(!w->device->machine.judge, true) ||
           gcn_judge_wave(w, u, kind, addr, size);
}

/* ---- vmem_lane.c: one lane ---- */

/* The byte of a lane's private memory that a SCRATCH instruction names. */
static inline uint32_t gcn_scratch_offset(const struct gcn_wave *w, const struct gcn_uop *u,
                                          unsigned lane)
{
    return (u->vaddr ? w->v[u->src[0]][lane] : 0) + (u->base != 0x7f ? w->s[u->base] : 0) +
           (uint32_t)u->imm;
}

/* The address of byte `offset` of a lane's private memory, by the wave's FLAT_SCRATCH. */
uint64_t gcn_private_addr(const struct gcn_wave *w, unsigned lane, uint64_t offset);
/* Reads `size` bytes of one lane's target, 1 to 16; false where nothing is mapped. */
bool gcn_vmem_read_lane(struct gcn_wave *w, const struct gcn_targets *t, unsigned lane,
                        uint8_t *bytes, unsigned size);
/* Whether one lane may write `size` bytes to its target. */
bool gcn_vmem_may_write(struct gcn_wave *w, const struct gcn_targets *t, unsigned lane,
                        unsigned size);
/* Writes bytes that gcn_vmem_may_write() allows; fails only without host memory. */
bool gcn_vmem_write_lane(struct gcn_wave *w, const struct gcn_targets *t, unsigned lane,
                         const uint8_t *bytes, unsigned size);
/* Reports one lane's access to watches: swizzled memory dword by dword. */
void gcn_vmem_watch_lane(struct gcn_wave *w, const struct gcn_targets *t, enum wt_watch_kind kind,
                         unsigned lane, unsigned size, const uint8_t *before, const uint8_t *after);
/* The fault of an access that some lanes may not do. */
const struct gcn_uop *gcn_vmem_refuse(struct gcn_wave *w, const struct gcn_uop *u,
                                      const struct gcn_targets *t, enum wt_access access);

/* ---- atomics ---- */

/* Atomic operations; opcodes of MUBUF and FLAT less 0x40 or 0x60, of MIMG less 0x10. */
enum gcn_atomic {
    GCN_ATOMIC_SWAP,
    GCN_ATOMIC_CMPSWAP,
    GCN_ATOMIC_ADD,
    GCN_ATOMIC_SUB,
    GCN_ATOMIC_SMIN,
    GCN_ATOMIC_UMIN,
    GCN_ATOMIC_SMAX,
    GCN_ATOMIC_UMAX,
    GCN_ATOMIC_AND,
    GCN_ATOMIC_OR,
    GCN_ATOMIC_XOR,
    GCN_ATOMIC_INC,
    GCN_ATOMIC_DEC,
    GCN_ATOMIC_ADD_F32,
    GCN_ATOMIC_PK_ADD_F16,
    GCN_ATOMIC_ADD_F64,
    GCN_ATOMIC_MIN_F64,
    GCN_ATOMIC_MAX_F64,
    GCN_ATOMIC_PK_ADD_BF16,
    GCN_ATOMIC_ADD_F32_ALL, /* not an opcode: denormal numbers count, too */
    GCN_ATOMIC_FCMPSWAP,    /* gfx10: compares as numbers */
    GCN_ATOMIC_CSUB,        /* gfx10: not below 0 */
};
/* The operation of a row that is an atomic of memory. */
static inline enum gcn_atomic gcn_atomic_of(const struct gcn_model *model,
                                            const struct gcn_row *row)
{
    const enum gcn_atomic what = (enum gcn_atomic)gcn_atomic_number(row);
    return what == GCN_ATOMIC_ADD_F32 && model->fused_matrices ? GCN_ATOMIC_ADD_F32_ALL : what;
}
/* vmem_atomic.c: the sum of singles, rounded to nearest; denormal ones are zeros (LLVM) or not. */
uint32_t gcn_atomic_add_f32(uint32_t old, uint32_t data, bool flush);
/* The sums of pairs of halves, likewise; denormal ones count. */
uint32_t gcn_atomic_pk_add_f16(uint32_t old, uint32_t data);
/* Likewise of bfloats. */
uint32_t gcn_atomic_pk_add_bf16(uint32_t old, uint32_t data);
/* Sum, minimum, maximum or comparison, of doubles or, where they have 4 bytes, singles. Denormal
 * ones count. */
uint64_t gcn_atomic_float(enum gcn_atomic what, unsigned size, uint64_t old, uint64_t data,
                          uint64_t compare);
/* The new value at a place of `size` bytes (4 or 8) that had `old`. Inline, so that loops know both
 * `what` and `size`. */
static inline __attribute__((always_inline)) uint64_t
gcn_atomic(enum gcn_atomic what, unsigned size, uint64_t old, uint64_t data, uint64_t compare)
{
    const unsigned bits = size * 8;
    const int64_t x = wt_sign_extend(old, bits), y = wt_sign_extend(data, bits);
    switch (what) {
    case GCN_ATOMIC_SWAP:
        return data;
    case GCN_ATOMIC_CMPSWAP:
        return old == compare ? data : old;
    case GCN_ATOMIC_ADD:
        return old + data;
    case GCN_ATOMIC_SUB:
        return old - data;
    case GCN_ATOMIC_SMIN:
        return x < y ? old : data;
    case GCN_ATOMIC_UMIN:
        return old < data ? old : data;
    case GCN_ATOMIC_SMAX:
        return x > y ? old : data;
    case GCN_ATOMIC_UMAX:
        return old > data ? old : data;
    case GCN_ATOMIC_AND:
        return old & data;
    case GCN_ATOMIC_OR:
        return old | data;
    case GCN_ATOMIC_XOR:
        return old ^ data;
    case GCN_ATOMIC_INC:
        return old >= data ? 0 : old + 1;
    case GCN_ATOMIC_CSUB:
        return old < data ? 0 : old - data;
    case GCN_ATOMIC_ADD_F32:
    case GCN_ATOMIC_ADD_F32_ALL:
        return gcn_atomic_add_f32((uint32_t)old, (uint32_t)data, what == GCN_ATOMIC_ADD_F32);
    case GCN_ATOMIC_PK_ADD_F16:
        return gcn_atomic_pk_add_f16((uint32_t)old, (uint32_t)data);
    case GCN_ATOMIC_PK_ADD_BF16:
        return gcn_atomic_pk_add_bf16((uint32_t)old, (uint32_t)data);
    case GCN_ATOMIC_DEC:
        return old == 0 || old > data ? data : old - 1;
    default:
        return gcn_atomic_float(what, size, old, data, compare);
    }
}

/* Whether PCI Express has it. */
static inline bool gcn_atomic_is_on_bus(enum gcn_atomic what)
{
    return what == GCN_ATOMIC_SWAP || what == GCN_ATOMIC_CMPSWAP || what == GCN_ATOMIC_ADD;
}

/* Whether the atomic's data are two values. */
static inline bool gcn_compares(enum gcn_atomic what)
{
    return what == GCN_ATOMIC_CMPSWAP || what == GCN_ATOMIC_FCMPSWAP;
}

/* Below which grain of memory hardware does an atomic (wt_lane_access.lost): of those on integers
 * PCI Express has three, and the others do not come to memory of the host; those on floats are
 * dropped in the GPU's fine-grained memory, too (AMD, "Hardware atomics operation support"). */
static inline enum wt_grain gcn_atomic_lost(const struct gcn_model *model, enum gcn_atomic what)
{
    if (model->scoped_caches) /* gfx942: it does all */
        return WT_GRAIN_COARSE;
    return gcn_atomic_is_on_bus(what)   ? WT_GRAIN_COARSE
           : what >= GCN_ATOMIC_ADD_F32 ? WT_GRAIN_FINE
                                        : WT_GRAIN_FINE_HOST;
}
/* Whether the device, which has its host behind PCI Express, drops an atomic at an address. */
static inline bool gcn_atomic_drops(const struct gcn_device *d, enum gcn_atomic what, uint64_t addr)
{
    const enum wt_grain lost =
        d->config.atomics_pcie ? gcn_atomic_lost(gcn_model_of(d), what) : WT_GRAIN_COARSE;
    const struct wt_region *r = lost ? wt_regions_at(&d->machine.regions, addr) : NULL;
    return r && r->grain >= lost;
}

/*
 * vmem_atomic.c: does the atomic of u's opcode on u->size bytes, 4 or 8, of these lanes, each at
 * host[lane], which is aligned; with GLC the old values go to the VGPRs from u->dst on. `one`: all
 * lanes are at one place, which changes once. `in_place`: threads of the host may change the memory
 * at the same time.
 */
void gcn_vmem_change(struct gcn_wave *w, const struct gcn_uop *u, const uint8_t *const *host,
                     uint64_t lanes, bool one, bool in_place, enum gcn_atomic what);

#endif
