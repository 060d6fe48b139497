/*
 * Memory: global (LDG, STG, ATOM, RED), shared (LDS, STS, ATOMS), local (LDL, STL), generic (LD,
 * ST), constant (LDC). An access that one lane must not do has no effect for any lane.
 */
#include "emulator/machine/softfloat.h"
#include "emulator/sm/memory_access.h"

#include <string.h>

/* Sizes of field size48: bytes, and whether the value is extended with its sign. */
static unsigned bytes_of(unsigned size)
{
    static const uint8_t sizes[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    return sizes[size & 7];
}

static uint64_t base_of(const struct sm_warp *w, unsigned reg, unsigned lane, bool wide)
{
    return w->r[reg][lane] | (wide ? (uint64_t)w->r[reg + 1][lane] << 32 : 0);
}

/* Checks registers of a vector: those of 64 bits begin even, of 128 at a multiple of 4. */
static bool good_vector(unsigned reg, unsigned size)
{
    const unsigned count = size / 4;
    return size <= 4 || reg == SM_RZ || reg % count == 0;
}

static const struct sm_uop *bad_vector(struct sm_warp *w, const struct sm_uop *u, unsigned size)
{
    return sm_error(w, u, SM_MISALIGNED_REG, sm_lanes_of(w, u), 0,
                    "R%u does not begin a vector of %u bytes", u->d, size);
}

/* The addresses of an instruction: register a and an offset. */
struct sass_place {
    enum { GLOBAL, GENERIC, SHARED, LOCAL } memory;
    bool wide; /* registers a and a + 1 have 64 bits of a global address */
    int64_t offset;
};

static inline uint64_t address_of(const struct sm_warp *w, const struct sm_uop *u,
                                  struct sass_place p, unsigned lane)
{
    const uint64_t at = base_of(w, u->a, lane, p.wide) + (uint64_t)p.offset;
    return p.wide ? at : (uint32_t)at;
}

static __attribute__((noinline)) void judge(struct sm_warp *w, const struct sm_uop *u,
                                            struct sass_place p, struct sm_access *a)
{
    static const enum sm_judged where[] = {[GLOBAL] = SM_JUDGED_GLOBAL,
                                           [GENERIC] = SM_JUDGED_GENERIC,
                                           [SHARED] = SM_JUDGED_SHARED,
                                           [LOCAL] = SM_JUDGED_LOCAL};
    uint64_t at[SM_LANES];
    for (unsigned i = 0; i < SM_LANES; i++)
        at[i] = address_of(w, u, p, i);
    sm_access_judge(w, u, where[p.memory], a, at);
}

/* Checks the accesses of all lanes. False: refused. */
static bool reach(struct sm_warp *w, const struct sm_uop *u, struct sass_place p, unsigned size,
                  enum wt_watch_kind kind, struct sm_access *a, const struct sm_uop **next)
{
    sm_access_begin(a, sm_lanes_of(w, u), size, kind);
    if (sm_has_judge(w))
        judge(w, u, p, a);
    for (uint32_t left = a->lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const uint64_t at = address_of(w, u, p, i);
        if (p.memory == SHARED)
            sm_reach_shared(w, i, at, a);
        else if (p.memory == LOCAL)
            sm_reach_local(w, i, at, a);
        else
            sm_reach_global(w, i, at, p.memory == GENERIC, a);
    }
    return sm_access_good(w, u, a, next);
}

/* ---- loads and stores ---- */

/* Loads of refused lanes give zeros. */
static void zero_refused(struct sm_warp *w, const struct sm_access *a, unsigned d)
{
    for (uint32_t left = a->refused; left; left &= left - 1)
        for (unsigned k = 0; k < (a->size + 3) / 4 && d + k < SM_RZ; k++)
            w->r[d + k][__builtin_ctz(left)] = 0;
}

/* `size` is that of size48: whether bytes are extended with their sign. */
static const struct sm_uop *load_lanes(struct sm_warp *w, const struct sm_uop *u,
                                       const struct sm_access *a, unsigned size)
{
    zero_refused(w, a, u->d);
    for (uint32_t left = a->lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        uint8_t bytes[16];
        sm_load_bytes(w, u, a, i, bytes);
        if (u->d == SM_RZ)
            continue;
        if (a->size >= 4) {
            for (unsigned k = 0; k < a->size / 4 && u->d + k < SM_RZ; k++)
                w->r[u->d + k][i] = (uint32_t)wt_load_le(bytes + 4 * k, 4);
            continue;
        }
        const uint64_t value = wt_load_le(bytes, a->size);
        w->r[u->d][i] = (uint32_t)(size & 1 ? (uint64_t)wt_sign_extend(value, 8 * a->size) : value);
    }
    return sm_next(u);
}

static const struct sm_uop *load(struct sm_warp *w, const struct sm_uop *u, struct sass_place p,
                                 unsigned size)
{
    struct sm_access a;
    const struct sm_uop *next;
    if (!good_vector(u->d, bytes_of(size)))
        return bad_vector(w, u, bytes_of(size));
    if (!reach(w, u, p, bytes_of(size), WT_WATCH_READ, &a, &next))
        return next;
    return load_lanes(w, u, &a, size);
}

static const struct sm_uop *store(struct sm_warp *w, const struct sm_uop *u, struct sass_place p,
                                  unsigned size)
{
    struct sm_access a;
    const struct sm_uop *next;
    if (!good_vector(u->d, bytes_of(size)))
        return bad_vector(w, u, bytes_of(size));
    if (!reach(w, u, p, bytes_of(size), WT_WATCH_WRITE, &a, &next))
        return next;
    for (uint32_t left = a.lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        uint8_t bytes[16] = {0};
        for (unsigned k = 0; k < (a.size + 3) / 4; k++)
            wt_store_le(bytes + 4 * k, u->d == SM_RZ ? 0 : w->r[u->d + k][i], 4);
        if (!sm_store_bytes(w, u, &a, i, WT_WATCH_WRITE, bytes))
            return sm_no_memory(w, u, a.addr[i]);
    }
    return sm_next(u);
}

static int64_t offset24(const struct sm_uop *u)
{
    return wt_sign_extend(sm_bits(u->word, 20, 24), 24);
}

static struct sass_place global(const struct sm_uop *u)
{
    return (struct sass_place){GLOBAL, SM_FIELD(u->word, e45), offset24(u)};
}

static struct sass_place generic(const struct sm_uop *u)
{
    return (struct sass_place){GENERIC, SM_FIELD(u->word, e52),
                               wt_sign_extend(sm_bits(u->word, 20, 32), 32)};
}

static struct sass_place near(const struct sm_uop *u, bool shared)
{
    return (struct sass_place){shared ? SHARED : LOCAL, false, offset24(u)};
}

/* `access` is load or store. */
#define ACCESS(name, access, place, size)                                                          \
    const struct sm_uop *sm_op_##name(struct sm_warp *w, const struct sm_uop *u)                   \
    {                                                                                              \
        return access(w, u, place, size);                                                          \
    }
ACCESS(ldg, load, global(u), SM_FIELD(u->word, gsize48) == 7 ? 6 : SM_FIELD(u->word, gsize48))
ACCESS(stg, store, global(u), SM_FIELD(u->word, size48))
ACCESS(ld, load, generic(u), SM_FIELD(u->word, size53))
ACCESS(st, store, generic(u), SM_FIELD(u->word, size53))
ACCESS(lds, load, near(u, true), SM_FIELD(u->word, lds48) & 7)
ACCESS(sts, store, near(u, true), SM_FIELD(u->word, size48))
ACCESS(ldl, load, near(u, false), SM_FIELD(u->word, size48))
ACCESS(stl, store, near(u, false), SM_FIELD(u->word, size48))

const struct sm_uop *sm_op_ldc(struct sm_warp *w, const struct sm_uop *u)
{
    const struct sm_launch *l = &w->device->grid.launch;
    const unsigned bank = (unsigned)sm_bits(u->word, 36, 5);
    const unsigned size = SM_FIELD(u->word, csize48), bytes = bytes_of(size);
    const int64_t offset = wt_sign_extend(sm_bits(u->word, 20, 16), 16);
    struct sm_access a = {.lanes = sm_lanes_of(w, u), .size = bytes};
    if (!good_vector(u->d, bytes))
        return bad_vector(w, u, bytes);
    if (sm_has_judge(w) && bank < SM_BANKS && l->bank[bank]) {
        uint64_t at[SM_LANES];
        for (unsigned i = 0; i < SM_LANES; i++)
            at[i] = l->bank[bank] + (uint32_t)(w->r[u->a][i] + (uint64_t)offset);
        sm_access_judge(w, u, SM_JUDGED_CONSTANT, &a, at);
    }
    uint32_t beyond = 0, first = 0;
    for (uint32_t left = a.lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const uint32_t at = (uint32_t)(w->r[u->a][i] + (uint64_t)offset);
        if (at % bytes) {
            sm_add_stray(&a, i, SM_STRAY_MISALIGNED_CONSTANT, at);
        } else if (bank >= SM_BANKS || !l->bank[bank] ||
                   at + (uint64_t)bytes > l->bank_size[bank]) {
            first = beyond ? first : at;
            beyond |= 1u << i;
        } else {
            a.addr[i] = l->bank[bank] + at;
        }
    }
    if (a.stray && (!beyond || __builtin_ctz(a.stray) < __builtin_ctz(beyond)))
        return sm_stray(w, u, &a);
    if (beyond)
        return sm_error(w, u, SM_INVALID_CONST_ADDR_LDC, beyond, first,
                        "there is no constant at c[0x%x][0x%x]", bank, first);
    return load_lanes(w, u, &a, size);
}

/* ---- atomics ---- */

/* As field aty49: */
enum type { U32, S32, U64, F32_FTZ, F16X2, S64, F64 };

static uint64_t floating(enum type type, uint64_t old, uint64_t data)
{
    struct wt_fp fp = {.propagate_nan = true};
    if (type == F64)
        return wt_f64_add(old, data, &fp);
    if (type == F16X2)
        return wt_f16_add((uint16_t)old, (uint16_t)data, &fp) |
               (uint32_t)wt_f16_add((uint16_t)(old >> 16), (uint16_t)(data >> 16), &fp) << 16;
    fp.flush_input = fp.flush_output = true;
    const uint32_t sum = wt_f32_add((uint32_t)old, (uint32_t)data, &fp);
    return (sum & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : sum;
}

static uint64_t value_of(const struct sm_warp *w, unsigned reg, unsigned lane, unsigned size)
{
    if (reg == SM_RZ)
        return 0;
    return w->r[reg][lane] | (size == 8 ? (uint64_t)w->r[reg + 1][lane] << 32 : 0);
}

static unsigned atomic_bytes(enum type type)
{
    return type == U64 || type == S64 || type == F64 ? 8 : 4;
}

static bool is_float(enum type type)
{
    return type == F32_FTZ || type == F16X2 || type == F64;
}

/* Does an atomic lane by lane, the lowest first. Register d gets the old values. */
static const struct sm_uop *atomic(struct sm_warp *w, const struct sm_uop *u, struct sass_place p,
                                   enum sm_atomic how, enum type type, unsigned d, unsigned data)
{
    struct sm_access a;
    const struct sm_uop *next;
    const unsigned size = atomic_bytes(type);
    const unsigned second = data == SM_RZ ? SM_RZ : data + (size == 8 ? 2 : 1);
    if (!reach(w, u, p, size, WT_WATCH_ACCESS, &a, &next))
        return next;
    zero_refused(w, &a, d);
    for (uint32_t left = a.lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        uint8_t bytes[16];
        if (a.shared >> i & 1)
            memcpy(bytes, w->cta->local + a.addr[i], size);
        else
            wt_memory_read(w->device->machine.memory, a.addr[i], bytes, size);
        const uint64_t old = wt_load_le(bytes, size), value = value_of(w, data, i, size);
        uint64_t result;
        if (how == SM_ATOMIC_CAS)
            result = old == value ? value_of(w, second, i, size) : old;
        else if (how == SM_ATOMIC_ADD && is_float(type))
            result = floating(type, old, value);
        else
            result = sm_atomic_whole(how, type == S32 || type == S64, size, old, value);
        wt_store_le(bytes, result, size);
        if (!sm_store_bytes(w, u, &a, i, WT_WATCH_ACCESS, bytes))
            return sm_no_memory(w, u, a.addr[i]);
        if (d == SM_RZ)
            continue;
        w->r[d][i] = (uint32_t)old;
        if (size == 8 && d + 1 < SM_RZ)
            w->r[d + 1][i] = (uint32_t)(old >> 32);
    }
    return sm_next(u);
}

static const struct sm_uop *bad_type(struct sm_warp *w, const struct sm_uop *u)
{
    return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, sm_lanes_of(w, u), 0,
                    "an atomic operation that floating-point numbers do not have");
}

/* Addresses of ATOM and RED. */
static struct sass_place atomic_place(const struct sm_uop *u)
{
    return (struct sass_place){GENERIC, SM_FIELD(u->word, e48),
                               wt_sign_extend(sm_bits(u->word, 28, 20), 20)};
}

const struct sm_uop *sm_op_atom(struct sm_warp *w, const struct sm_uop *u)
{
    const enum sm_atomic how = (enum sm_atomic)SM_FIELD(u->word, atom52);
    const enum type type = (enum type)SM_FIELD(u->word, aty49);
    if (is_float(type) && how != SM_ATOMIC_ADD)
        return bad_type(w, u);
    return atomic(w, u, atomic_place(u), (unsigned)how == 10 ? SM_ATOMIC_ADD : how, type, u->d,
                  u->b);
}

const struct sm_uop *sm_op_atom_cas(struct sm_warp *w, const struct sm_uop *u)
{
    const enum type type = SM_FIELD(u->word, casz49) ? U64 : U32;
    return atomic(w, u, atomic_place(u), SM_ATOMIC_CAS, type, u->d, u->b);
}

const struct sm_uop *sm_op_red(struct sm_warp *w, const struct sm_uop *u)
{
    const enum sm_atomic how = (enum sm_atomic)SM_FIELD(u->word, red23);
    const enum type type = (enum type)SM_FIELD(u->word, redty20);
    if (is_float(type) && how != SM_ATOMIC_ADD)
        return bad_type(w, u);
    return atomic(w, u, atomic_place(u), how, type, SM_RZ, u->d);
}

static struct sass_place atoms_place(const struct sm_uop *u)
{
    return (struct sass_place){SHARED, false, wt_sign_extend(sm_bits(u->word, 30, 22), 22) * 4};
}

const struct sm_uop *sm_op_atoms(struct sm_warp *w, const struct sm_uop *u)
{
    static const enum type types[4] = {U32, S32, U64, S64};
    return atomic(w, u, atoms_place(u), (enum sm_atomic)SM_FIELD(u->word, atoms52),
                  types[SM_FIELD(u->word, asty28)], u->d, u->b);
}

const struct sm_uop *sm_op_atoms_cas(struct sm_warp *w, const struct sm_uop *u)
{
    const enum type type = SM_FIELD(u->word, casz52) ? U64 : U32;
    return atomic(w, u, atoms_place(u), SM_ATOMIC_CAS, type, u->d, u->b);
}

/* Every access is done in order and seen by all at once: there is nothing to wait for. */
const struct sm_uop *sm_op_membar(struct sm_warp *w, const struct sm_uop *u)
{
    enum { CTA, GL, SYS, VC };
    static const enum wt_observed_scope scopes[] = {[CTA] = WT_AMONG_GROUP,
                                                    [GL] = WT_AMONG_DEVICE,
                                                    [SYS] = WT_AMONG_SYSTEM,
                                                    [VC] = WT_AMONG_SYSTEM};
    const uint32_t lanes = sm_lanes_of(w, u);
    if (lanes)
        wt_wave_tell_fence(&w->device->machine, &w->head, sm_pc_of(w, u), lanes,
                           WT_ORDER_SEQUENTIAL, scopes[SM_FIELD(u->word, membar8)]);
    return sm_next(u);
}

const struct sm_uop *sm_op_cctl(struct sm_warp *w, const struct sm_uop *u)
{
    return sm_next(u);
}
