/* PTX: memory (manual 9.7.9, 9.7.13.6 ff.): loads and stores, atomics, parameters, addresses. */
#include <string.h>

#include "emulator/sm/memory_access.h"
#include "emulator/sm/watch.h"
#include "emulator/sm/ptx/exec/rows.h"

static enum sm_judged judged(const struct ptx_op *o)
{
    return o->space == PTX_SPACE_SHARED                                 ? SM_JUDGED_SHARED
           : o->space == PTX_SPACE_LOCAL                                ? SM_JUDGED_LOCAL
           : o->space == PTX_SPACE_NONE                                 ? SM_JUDGED_GENERIC
           : o->space == PTX_SPACE_CONST || o->space == PTX_SPACE_PARAM ? SM_JUDGED_CONSTANT
                                                                        : SM_JUDGED_GLOBAL;
}

static uint64_t address_of(const struct ptx_op *o, const void *row, unsigned lane)
{
    return ptx_get(row, o->from_type == 4 ? 4 : 8, lane) + (uint64_t)o->offset;
}

/* A global address stays as it is. In constant memory, and among the kernel's parameters,
 * offsets have 32 bits (PTX ISA 6.4.1): those bits of its distance from where they begin. */
static uint64_t in_space(const struct sm_warp *w, const struct ptx_op *o, uint64_t at)
{
    const struct sm_launch *l = &w->device->grid.launch;
    uint64_t first;
    if (o->space == PTX_SPACE_PARAM)
        first = l->bank[0];
    else if (o->space == PTX_SPACE_CONST && l->constant_end > l->constant)
        first = l->constant;
    else
        return at;
    return first + (uint32_t)(at - first);
}

static __attribute__((noinline)) void judge(struct sm_warp *w, const struct sm_uop *u,
                                            struct sm_access *a)
{
    const void *row = ptx_in(ptx_frame(w), &u->ptx->s[0]);
    uint64_t at[SM_LANES];
    for (unsigned i = 0; i < SM_LANES; i++)
        at[i] = in_space(w, u->ptx, address_of(u->ptx, row, i));
    sm_access_judge(w, u, judged(u->ptx), a, at);
}

/* The address of each lane, checked. False: *next is to be returned. */
static bool reach(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                  struct sm_access *a, const struct sm_uop **next)
{
    const struct ptx_op *o = u->ptx;
    const uint8_t *frame = ptx_frame(w);
    const uint64_t *row = ptx_in(frame, &o->s[0]);
    const bool narrow = o->from_type == 4; /* the base is a register of 32 bits */
    sm_access_begin(a, ptx_lanes(w, o), o->element, kind);
    if (sm_has_judge(w))
        judge(w, u, a);
    for (uint32_t left = a->lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const uint64_t base = narrow ? ((const uint32_t *)row)[i] : row[i];
        const uint64_t at = base + (uint64_t)o->offset;
        switch (o->space) {
        case PTX_SPACE_SHARED:
            sm_reach_shared(w, i, at, a);
            break;
        case PTX_SPACE_LOCAL:
            sm_reach_local(w, i, at, a);
            break;
        default:
            sm_reach_global(w, i, in_space(w, o, at), o->space == PTX_SPACE_NONE, a);
            break;
        }
    }
    return sm_access_good(w, u, a, next);
}

/* Elements of a vector: their bytes are o->size, those of their registers 4 or 8. */
static inline uint64_t element(const struct ptx_op *o, const uint8_t *bytes)
{
    const uint64_t value = wt_load_le(bytes, o->size);
    return o->is_signed ? (uint64_t)wt_sign_extend(value, 8u * o->size) : value;
}

static void put_element(const struct ptx_op *o, uint8_t *frame, unsigned k, unsigned lane,
                        const uint8_t *bytes)
{
    if (o->vector[k] != PTX_NO_SLOT)
        ptx_put(frame + o->vector[k], o->how, lane, element(o, bytes));
}

/* Whether a watch or an observer wants each lane by itself in shared memory. */
static inline bool is_watched_by_lane(const struct wt_machine *m)
{
    return m->watch && !wt_observes_rows(m);
}

/* Whether a judge, which is there, need not be asked about global memory that lanes, 1 or more,
 * access. Whoever finds the bytes looks at bounds of shared and local memory. */
static __attribute__((noinline)) bool are_allowed(struct sm_warp *w, const struct ptx_op *o,
                                                  uint32_t lanes, bool store,
                                                  const struct ptx_addresses *known)
{
    const void *row = ptx_in(ptx_frame(w), &o->s[0]);
    const bool generic = o->space == PTX_SPACE_NONE, global = o->space == PTX_SPACE_GLOBAL;
    const bool in_row = known && known->in_row;
    uint64_t low = in_row ? address_of(o, row, 0) : UINT64_MAX,
             high = in_row ? address_of(o, row, SM_LANES - 1) : 0;
    PTX_LEFT(i, in_row ? 0 : lanes)
    {
        const uint64_t at = address_of(o, row, i);
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    if (o->origin) {
        const uint64_t first = ptx_origin_at(w, o->origin, (unsigned)__builtin_ctz(lanes));
        const uint64_t end = first + o->origin->variable.size;
        if (generic || low < first || high + o->size > end)
            return false;
    }
    if (o->array && (!generic || high - SM_LOCAL_WINDOW < SM_WINDOW_BYTES))
        return false;
    if (o->space == PTX_SPACE_LOCAL)
        return high + o->size <= ptx_stack_end(w, lanes, false);
    if (!global && !generic)
        return true;
    if (generic && low >= SM_SHARED_WINDOW && high - SM_SHARED_WINDOW < SM_WINDOW_BYTES)
        return true;
    if (generic && low >= SM_LOCAL_WINDOW && high - SM_LOCAL_WINDOW < SM_WINDOW_BYTES)
        return high - SM_LOCAL_WINDOW + o->size <= ptx_stack_end(w, lanes, false);
    return wt_judge_holds(&w->device->machine, low, high - low + o->size, store);
}

/* Whether all lanes access bytes below @p limit of shared memory. */
static bool are_below(const uint64_t *row, uint64_t offset, uint64_t size, uint64_t limit)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < SM_LANES; i++)
        most = row[i] + offset > most ? row[i] + offset : most;
    return size <= limit && most <= limit - size;
}

/* Whether an access is one of all lanes, of dwords or qwords that registers hold, with addresses of
 * 64 bits. */
static inline bool is_of_all(const struct ptx_op *o, uint32_t lanes)
{
    return lanes == UINT32_MAX && o->count == 1 && o->size == o->how && o->from_type != 4;
}

/*
 * For such an access: the host's bytes of shared memory, or of the one page of global memory that
 * all lanes access. A lane's are there at its address, of which only the bits in *mask count;
 * *in_row: one lane's behind the other's. NULL: it is another memory, there are several pages, or
 * more than a copy is needed.
 */
static uint8_t *find_bytes(struct sm_warp *w, const struct ptx_op *o, bool store, uint64_t *mask,
                           bool *in_row)
{
    struct sm_device *d = w->device;
    const uint64_t *row = ptx_in(ptx_frame(w), &o->s[0]);
    const uint64_t offset = (uint64_t)o->offset, first = row[0] + offset, size = o->size;
    struct ptx_addresses a;
    const bool shared = o->space == PTX_SPACE_SHARED;
    if (!shared && o->space != PTX_SPACE_GLOBAL && o->space != PTX_SPACE_NONE)
        return NULL;
    ptx_compare_addresses(row, offset, size, &a);
    *in_row = a.in_row;
    if (a.any & (size - 1))
        return NULL;
    if (sm_has_judge(w) && !are_allowed(w, o, UINT32_MAX, store, &a))
        return NULL;
    if (shared) {
        const uint32_t limit = d->grid.launch.shared;
        *mask = UINT64_MAX;
        const bool below = size <= limit && a.any <= limit - size;
        return !is_watched_by_lane(&d->machine) && (below || are_below(row, offset, size, limit))
                   ? w->cta->local
                   : NULL;
    }
    if (a.apart >> WT_PAGE_BITS ||
        (o->space == PTX_SPACE_NONE &&
         (first - SM_SHARED_WINDOW < SM_WINDOW_BYTES || first - SM_LOCAL_WINDOW < SM_WINDOW_BYTES)))
        return NULL;
    uint8_t *host = store ? sm_writable(d, first) : (uint8_t *)sm_readable(d, first);
    *mask = WT_PAGE_MASK;
    return host ? host - (first & WT_PAGE_MASK) : NULL;
}

/* Tells who observes all of an access that is done for the lanes at once. */
static __attribute__((noinline)) void tell_all(struct sm_warp *w, const struct sm_uop *u,
                                               uint32_t lanes, enum wt_watch_kind kind)
{
    const struct ptx_op *o = u->ptx;
    const void *row = ptx_in(ptx_frame(w), &o->s[0]);
    const enum ptx_space space = (enum ptx_space)o->space;
    uint64_t at[SM_LANES];
    uint32_t shared = space == PTX_SPACE_SHARED ? lanes : 0;
    uint64_t some = 0;
    for (unsigned i = 0; i < SM_LANES; i++)
        some |= at[i] = ptx_get(row, o->from_type == 4 ? 4 : 8, i) + (uint64_t)o->offset;
    const bool simple =
        space != PTX_SPACE_LOCAL && (space != PTX_SPACE_NONE || some < SM_SHARED_WINDOW);
    for (unsigned i = 0; i < SM_LANES && !simple; i++) {
        if (space == PTX_SPACE_LOCAL) {
            at[i] += w->local + i * sm_local_bytes(w);
        } else if (space == PTX_SPACE_NONE && at[i] - SM_SHARED_WINDOW < SM_WINDOW_BYTES) {
            at[i] -= SM_SHARED_WINDOW;
            shared |= lanes & 1u << i;
        } else if (space == PTX_SPACE_NONE && at[i] - SM_LOCAL_WINDOW < SM_WINDOW_BYTES) {
            at[i] += w->local + i * sm_local_bytes(w) - SM_LOCAL_WINDOW;
        }
    }
    if (lanes)
        sm_observe_lanes(w, u, kind, lanes, shared, at, o->size);
}

static inline void tell(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes,
                        enum wt_watch_kind kind)
{
    if (wt_observes_rows(&w->device->machine))
        tell_all(w, u, lanes, kind);
}

/* Tells accesses of all lanes, each behind that of the lane before. */
static inline void tell_row(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                            uint64_t first)
{
    if (wt_observes_rows(&w->device->machine))
        sm_observe_row(w, u, kind, u->ptx->space == PTX_SPACE_SHARED, first, u->ptx->size);
}

/* Loads for all lanes at once: done, or false. */
static bool load_all(struct sm_warp *w, const struct sm_uop *u, uint8_t *to)
{
    const struct ptx_op *o = u->ptx;
    const uint64_t *row = ptx_in(ptx_frame(w), &o->s[0]), offset = (uint64_t)o->offset;
    uint64_t mask;
    bool in_row;
    const uint8_t *bytes = find_bytes(w, o, false, &mask, &in_row);
    if (!bytes)
        return false;
    if (in_row)
        tell_row(w, u, WT_WATCH_READ, row[0] + offset);
    else
        tell(w, u, UINT32_MAX, WT_WATCH_READ);
    if (in_row)
        memcpy(to, bytes + ((row[0] + offset) & mask), (size_t)SM_LANES * o->size);
    else if (o->size == 4)
        for (unsigned i = 0; i < SM_LANES; i++)
            memcpy(to + 4 * i, bytes + ((row[i] + offset) & mask), 4);
    else
        for (unsigned i = 0; i < SM_LANES; i++)
            memcpy(to + 8 * i, bytes + ((row[i] + offset) & mask), 8);
    return true;
}

/* Stores for all lanes; those of lanes to one place are done in their order. */
static bool store_all(struct sm_warp *w, const struct sm_uop *u, const uint8_t *from)
{
    const struct ptx_op *o = u->ptx;
    const uint64_t *row = ptx_in(ptx_frame(w), &o->s[0]), offset = (uint64_t)o->offset;
    uint64_t mask;
    bool in_row;
    uint8_t *bytes = find_bytes(w, o, true, &mask, &in_row);
    if (!bytes)
        return false;
    if (in_row)
        tell_row(w, u, WT_WATCH_WRITE, row[0] + offset);
    else
        tell(w, u, UINT32_MAX, WT_WATCH_WRITE);
    if (in_row)
        memcpy(bytes + ((row[0] + offset) & mask), from, (size_t)SM_LANES * o->size);
    else if (o->size == 4)
        for (unsigned i = 0; i < SM_LANES; i++)
            memcpy(bytes + ((row[i] + offset) & mask), from + 4 * i, 4);
    else
        for (unsigned i = 0; i < SM_LANES; i++)
            memcpy(bytes + ((row[i] + offset) & mask), from + 8 * i, 8);
    return true;
}

/*
 * The dwords or qwords that lanes access, on the host. False: the lanes are looked at one by one,
 * for an error, or pages that need more than a copy. `narrow`: addresses have 32 bits.
 */
static inline __attribute__((always_inline)) bool find_lanes(struct sm_warp *w,
                                                             const struct ptx_op *o, uint32_t lanes,
                                                             bool store, enum ptx_space space,
                                                             bool narrow, uint8_t *host[SM_LANES])
{
    struct sm_device *const d = w->device;
    const uint8_t *row = ptx_in(ptx_frame(w), &o->s[0]);
    uint8_t *const shared = w->cta->local;
    const uint64_t offset = (uint64_t)o->offset, size = o->size, local = w->local;
    const uint64_t bytes = sm_local_bytes(w), limit = d->grid.launch.shared;
    const bool watched = is_watched_by_lane(&d->machine);
    PTX_LEFT(i, lanes)
    {
        uint64_t at = ptx_get(row, narrow ? 4 : 8, i) + offset;
        if (at & (size - 1))
            return false;
        enum ptx_space where = space;
        if (space == PTX_SPACE_NONE && at - SM_SHARED_WINDOW < SM_WINDOW_BYTES) {
            where = PTX_SPACE_SHARED;
            at -= SM_SHARED_WINDOW;
        } else if (space == PTX_SPACE_NONE && at - SM_LOCAL_WINDOW < SM_WINDOW_BYTES) {
            where = PTX_SPACE_LOCAL;
            at -= SM_LOCAL_WINDOW;
        }
        if (where == PTX_SPACE_SHARED) {
            if (at >= limit || size > limit - at || watched)
                return false;
            host[i] = shared + at;
            continue;
        }
        if (where == PTX_SPACE_LOCAL) {
            if (at >= bytes || size > bytes - at)
                return false;
            at += local + i * bytes;
        }
        if (!(host[i] = store ? sm_writable(d, at) : (uint8_t *)sm_readable(d, at)))
            return false;
    }
    return true;
}

static bool find_hosts(struct sm_warp *w, const struct ptx_op *o, uint32_t lanes, bool store,
                       uint8_t *host[SM_LANES])
{
    const bool narrow = o->from_type == 4;
    if (o->count != 1 || o->size != o->how)
        return false;
    if (sm_has_judge(w) && lanes && !are_allowed(w, o, lanes, store, NULL))
        return false;
#define OF_SPACE(space)                                                                            \
    case space:                                                                                    \
        if (narrow)                                                                                \
            return store ? find_lanes(w, o, lanes, true, space, true, host)                        \
                         : find_lanes(w, o, lanes, false, space, true, host);                      \
        return store ? find_lanes(w, o, lanes, true, space, false, host)                           \
                     : find_lanes(w, o, lanes, false, space, false, host);
    switch ((enum ptx_space)o->space) {
        OF_SPACE(PTX_SPACE_SHARED)
        OF_SPACE(PTX_SPACE_LOCAL)
        OF_SPACE(PTX_SPACE_GLOBAL)
        OF_SPACE(PTX_SPACE_NONE)
    default:
        return false;
    }
#undef OF_SPACE
}

/* Copies what the lanes load into their register, a row. */
static inline void load_row(uint8_t *to, uint8_t *const host[SM_LANES], uint32_t lanes,
                            unsigned size)
{
    if (lanes == UINT32_MAX && size == 4)
        for (unsigned i = 0; i < SM_LANES; i++)
            memcpy(to + 4 * i, host[i], 4);
    else if (lanes == UINT32_MAX)
        for (unsigned i = 0; i < SM_LANES; i++)
            memcpy(to + 8 * i, host[i], 8);
    else
        PTX_LEFT(i, lanes)
    memcpy(to + size * i, host[i], size);
}

static inline void store_row(uint8_t *const host[SM_LANES], const uint8_t *from, uint32_t lanes,
                             unsigned size)
{
    if (lanes == UINT32_MAX && size == 4)
        for (unsigned i = 0; i < SM_LANES; i++)
            memcpy(host[i], from + 4 * i, 4);
    else if (lanes == UINT32_MAX)
        for (unsigned i = 0; i < SM_LANES; i++)
            memcpy(host[i], from + 8 * i, 8);
    else
        PTX_LEFT(i, lanes)
    memcpy(host[i], from + size * i, size);
}

/* Loads of refused lanes give zeros. */
static void zero_refused(const struct ptx_op *o, uint8_t *frame, const struct sm_access *a)
{
    PTX_LEFT(i, a->refused)
    for (unsigned k = 0; k < o->count; k++)
        if (o->vector[k] != PTX_NO_SLOT)
            ptx_put(frame + o->vector[k], o->how, i, 0);
}

PTX_EXECUTOR(ptx_op_load)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    uint8_t *host[SM_LANES];
    struct sm_access a;
    const struct sm_uop *next;
    const uint32_t lanes = ptx_lanes(w, o);
    if (o->vector[0] != PTX_NO_SLOT && is_of_all(o, lanes) && load_all(w, u, frame + o->vector[0]))
        return sm_next(u);
    if (o->vector[0] != PTX_NO_SLOT && find_hosts(w, o, lanes, false, host)) {
        tell(w, u, lanes, WT_WATCH_READ);
        load_row(frame + o->vector[0], host, lanes, o->size);
        return sm_next(u);
    }
    if (!reach(w, u, WT_WATCH_READ, &a, &next))
        return next;
    zero_refused(o, frame, &a);
    PTX_LEFT(i, a.lanes)
    {
        uint8_t bytes[32];
        sm_load_bytes(w, u, &a, i, bytes);
        for (unsigned k = 0; k < o->count; k++)
            put_element(o, frame, k, i, bytes + k * o->size);
    }
    return sm_next(u);
}

PTX_EXECUTOR(ptx_op_store)
{
    const struct ptx_op *o = u->ptx;
    const uint8_t *frame = ptx_frame(w);
    uint8_t *host[SM_LANES];
    struct sm_access a;
    const struct sm_uop *next;
    const uint32_t lanes = ptx_lanes(w, o);
    if (!o->vector_constant[0] && is_of_all(o, lanes) && store_all(w, u, frame + o->vector[0]))
        return sm_next(u);
    if (!o->vector_constant[0] && find_hosts(w, o, lanes, true, host)) {
        tell(w, u, lanes, WT_WATCH_WRITE);
        store_row(host, frame + o->vector[0], lanes, o->size);
        return sm_next(u);
    }
    if (!reach(w, u, WT_WATCH_WRITE, &a, &next))
        return next;
    PTX_LEFT(i, a.lanes)
    {
        uint8_t bytes[32];
        for (unsigned k = 0; k < o->count; k++) {
            const void *from = o->vector_constant[k] ? o->vector_constant[k] : frame + o->vector[k];
            wt_store_le(bytes + k * o->size, ptx_get(from, o->how, i), o->size);
        }
        if (!sm_store_bytes(w, u, &a, i, WT_WATCH_WRITE, bytes))
            return sm_no_memory(w, u, a.addr[i]);
    }
    return sm_next(u);
}

/* ---- parameters ---- */

/* A kernel's parameters stand in constant bank 0; all lanes read the same. */
PTX_EXECUTOR(ptx_op_load_parameter)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_launch *l = &w->device->grid.launch;
    uint8_t *frame = ptx_frame(w), bytes[32];
    const uint32_t at = (uint32_t)o->offset, lanes = ptx_lanes(w, o);
    if ((uint64_t)at + o->element > l->bank_size[0])
        return sm_error(w, u, SM_INVALID_CONST_ADDR, lanes, at,
                        "there is no parameter at c[0x0][0x%x]", at);
    const uint64_t addr = l->bank[0] + at;
    const uint8_t *host = sm_readable(w->device, addr);
    if (!host || (addr & WT_PAGE_MASK) + o->element > WT_PAGE_SIZE) {
        wt_memory_read(w->device->machine.memory, addr, bytes, o->element);
        host = bytes;
    }
    if (w->device->machine.watch && lanes)
        sm_watch_parameter(w, u, lanes, addr, o->element, host);
    for (unsigned k = 0; k < o->count; k++)
        if (o->vector[k] != PTX_NO_SLOT)
            ptx_fill(frame + o->vector[k], o->how, lanes, element(o, host + k * o->size));
    return sm_next(u);
}

/* Those of functions stand in rows of dwords, from s[0].slot on; o->offset is that into them. */
static uint32_t read_rows(const uint8_t *rows, uint32_t at, unsigned lane)
{
    return ((const uint32_t *)(rows + at / 4 * PTX_ROW_BYTES))[lane] >> 8 * (at % 4);
}

static void write_rows(uint8_t *rows, uint32_t at, unsigned size, unsigned lane, uint32_t value)
{
    uint32_t *low = (uint32_t *)(rows + at / 4 * PTX_ROW_BYTES);
    const uint32_t mask = (size == 4 ? UINT32_MAX : (1u << 8 * size) - 1) << 8 * (at % 4);
    low[lane] = (low[lane] & ~mask) | (value << 8 * (at % 4) & mask);
}

PTX_EXECUTOR(ptx_op_load_argument)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const uint8_t *rows = frame + o->s[0].slot;
    const uint32_t lanes = ptx_lanes(w, o);
    for (unsigned k = 0; k < o->count; k++) {
        const uint32_t at = (uint32_t)o->offset + k * o->size;
        if (o->size == 4 && o->how == 4 && at % 4 == 0) {
            if (o->vector[k] != PTX_NO_SLOT)
                ptx_copy_row(frame + o->vector[k], rows + at / 4 * PTX_ROW_BYTES, lanes);
            continue;
        }
        if (o->size == 8) {
            if (o->vector[k] != PTX_NO_SLOT)
                ptx_join_row((uint64_t *)(frame + o->vector[k]),
                             (const uint32_t *)(rows + at / 4 * PTX_ROW_BYTES), lanes);
            continue;
        }
        PTX_LEFT(i, lanes)
        {
            uint8_t bytes[8];
            wt_store_le(bytes, read_rows(rows, at, i), 8);
            put_element(o, frame, k, i, bytes);
        }
    }
    return sm_next(u);
}

PTX_EXECUTOR(ptx_op_store_parameter)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    uint8_t *rows = frame + o->s[0].slot;
    const uint32_t lanes = ptx_lanes(w, o);
    for (unsigned k = 0; k < o->count; k++) {
        const void *from = o->vector_constant[k] ? o->vector_constant[k] : frame + o->vector[k];
        const uint32_t at = (uint32_t)o->offset + k * o->size;
        if (o->size == 4 && o->how == 4 && at % 4 == 0) {
            ptx_copy_row(rows + at / 4 * PTX_ROW_BYTES, from, lanes);
            continue;
        }
        if (o->size == 8) {
            ptx_split_row((uint32_t *)(rows + at / 4 * PTX_ROW_BYTES), from, lanes);
            continue;
        }
        PTX_LEFT(i, lanes)
        write_rows(rows, at, o->size, i, (uint32_t)ptx_get(from, o->how, i));
    }
    return sm_next(u);
}

/* ---- atomics ---- */

/* Of singles those in shared memory keep what is subnormal (9.7.13.6). */
static uint64_t floating(unsigned type, enum sm_atomic how, bool shared, uint64_t old,
                         uint64_t data)
{
    const enum ptx_math op = how == SM_ATOMIC_MIN   ? PTX_OP_min
                             : how == SM_ATOMIC_MAX ? PTX_OP_max
                                                    : PTX_OP_add;
    return ptx_float_of_lane(op, (enum ptx_type)type, type == PTX_F32 && !shared, old, data);
}

/* Atomics on integers in shared or global memory that nobody attends, lane by lane, the lowest
 * first; false: there is more to do. */
static bool atomic_plainly(struct sm_warp *w, const struct ptx_op *o)
{
    const struct wt_machine *m = &w->device->machine;
    const bool narrow = o->from_type == 4, shared = o->space == PTX_SPACE_SHARED;
    const uint32_t lanes = ptx_lanes(w, o);
    const enum sm_atomic how = (enum sm_atomic)o->how;
    uint8_t *frame = ptx_frame(w), *host[SM_LANES];
    const uint32_t *data = ptx_in(frame, &o->s[1]);
    if (m->watch || m->judge || (m->apart && !shared) || o->size != 4 || how == SM_ATOMIC_CAS ||
        (o->flag && how <= SM_ATOMIC_MAX) || (!shared && o->space != PTX_SPACE_GLOBAL) ||
        !(shared ? find_lanes(w, o, lanes, true, PTX_SPACE_SHARED, narrow, host)
                 : find_lanes(w, o, lanes, true, PTX_SPACE_GLOBAL, narrow, host)))
        return false;
    PTX_LEFT(i, lanes)
    {
        const uint32_t old = (uint32_t)wt_load_le(host[i], 4), value = data[i];
        const uint64_t result =
            how == SM_ATOMIC_ADD ? old + value : sm_atomic_whole(how, o->is_signed, 4, old, value);
        wt_store_le(host[i], result, 4);
        if (o->d != PTX_NO_SLOT)
            ptx_put(frame + o->d, 4, i, old);
    }
    return true;
}

/* Lane by lane, the lowest first. */
PTX_EXECUTOR(ptx_op_atomic)
{
    const struct ptx_op *o = u->ptx;
    if (atomic_plainly(w, o))
        return sm_next(u);
    uint8_t *frame = ptx_frame(w);
    const void *data = ptx_in(frame, &o->s[1]), *second = ptx_in(frame, &o->s[2]);
    const enum sm_atomic how = (enum sm_atomic)o->how;
    const unsigned size = o->size, wide = size == 8 ? 8 : 4;
    struct sm_access a;
    const struct sm_uop *next;
    if (!reach(w, u, WT_WATCH_ACCESS, &a, &next))
        return next;
    PTX_LEFT(k, o->d != PTX_NO_SLOT ? a.refused : 0)
    ptx_put(frame + o->d, wide, k, 0);
    PTX_LEFT(i, a.lanes)
    {
        uint8_t bytes[16];
        if (a.shared >> i & 1)
            memcpy(bytes, w->cta->local + a.addr[i], size);
        else
            wt_memory_read(w->device->machine.memory, a.addr[i], bytes, size);
        const uint64_t old = wt_load_le(bytes, size), value = ptx_get(data, wide, i);
        const uint64_t mask = size == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * size) - 1;
        uint64_t result;
        if (how == SM_ATOMIC_CAS)
            result = old == (value & mask) ? ptx_get(second, wide, i) : old;
        else if (o->flag && how <= SM_ATOMIC_MAX)
            result = floating(o->type, how, a.shared >> i & 1, old, value);
        else
            result = sm_atomic_whole(how, o->is_signed, size, old, value);
        wt_store_le(bytes, result, size);
        if (!sm_store_bytes(w, u, &a, i, WT_WATCH_ACCESS, bytes))
            return sm_no_memory(w, u, a.addr[i]);
        if (o->d != PTX_NO_SLOT)
            ptx_put(frame + o->d, wide, i, old);
    }
    return sm_next(u);
}

/* ---- addresses ---- */

/* mov of an address that is known only now: of local memory, of what the launch adds to shared
 * memory, of a kernel's parameter. o->flag: generic. */
PTX_EXECUTOR(ptx_op_address)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_launch *l = &w->device->grid.launch;
    uint8_t *frame = ptx_frame(w);
    const uint32_t *local = w->r[w->base + PTX_LOCAL_ROW];
    PTX_LEFT(i, ptx_lanes(w, o))
    {
        uint64_t at;
        if (o->how == PTX_LOCAL_ADDRESS)
            at = local[i] + (o->flag ? SM_LOCAL_WINDOW : 0);
        else if (o->how == PTX_SHARED_ADDRESS)
            at = l->dynamic + (o->flag ? SM_SHARED_WINDOW : 0);
        else
            at = l->bank[0];
        ptx_put(frame + o->d, o->size, i, at + (uint64_t)o->offset);
    }
    return sm_next(u);
}

/* isspacep: whether a generic address leads to a space. */
PTX_EXECUTOR(ptx_op_space)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_launch *l = &w->device->grid.launch;
    uint8_t *frame = ptx_frame(w);
    const void *A = ptx_in(frame, &o->s[0]);
    uint32_t mask = 0;
    for (unsigned i = 0; i < SM_LANES; i++) {
        const uint64_t a = ptx_get(A, o->size, i);
        const bool shared = a - SM_SHARED_WINDOW < SM_WINDOW_BYTES;
        const bool local = a - SM_LOCAL_WINDOW < SM_WINDOW_BYTES;
        const bool parameter = a - l->bank[0] < l->bank_size[0];
        const bool constant = a >= l->constant && a < l->constant_end;
        const bool holds = o->space == PTX_SPACE_SHARED  ? shared
                           : o->space == PTX_SPACE_LOCAL ? local
                           : o->space == PTX_SPACE_PARAM ? parameter
                           : o->space == PTX_SPACE_CONST ? constant
                                                         : !shared && !local && !constant;
        mask |= (uint32_t)holds << i;
    }
    ptx_set_mask(frame, o->d, mask, ptx_lanes(w, o));
    return sm_next(u);
}

/* ---- the stack of local memory ---- */

/* alloca d, size, alignment: addresses of local memory, upwards (9.7.16.3). */
PTX_EXECUTOR(ptx_op_alloca)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const void *size = ptx_in(frame, &o->s[0]);
    const uint32_t limit = w->device->grid.launch.local, lanes = ptx_lanes(w, o);
    const uint32_t align = o->index;
    uint32_t *stack = w->r[w->base + PTX_STACK_ROW];
    PTX_LEFT(i, lanes)
    {
        const uint64_t n = ptx_get(size, o->size, i);
        if (n > limit || ((stack[i] + align - 1) & ~(align - 1)) + n > limit)
            return sm_error(w, u, SM_API_STACK_ERROR, 1u << i, 0,
                            "alloca of %llu bytes; the thread has %u bytes of local memory",
                            (unsigned long long)n, limit);
    }
    PTX_LEFT(k, lanes)
    {
        const uint32_t at = (stack[k] + align - 1) & ~(align - 1);
        stack[k] = at + (uint32_t)ptx_get(size, o->size, k);
        ptx_put(frame + o->d, o->size, k, at);
    }
    return sm_next(u);
}

/* stacksave d; stackrestore a */
PTX_EXECUTOR(ptx_op_stack)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    uint32_t *stack = w->r[w->base + PTX_STACK_ROW];
    const void *A = ptx_in(frame, &o->s[0]);
    PTX_LEFT(i, ptx_lanes(w, o))
    {
        if (o->flag)
            stack[i] = (uint32_t)ptx_get(A, o->size, i);
        else
            ptx_put(frame + o->d, o->size, i, stack[i]);
    }
    return sm_next(u);
}

void ptx_tell_copies(const struct sm_warp *w, const struct sm_uop *u,
                     enum wt_observed_event_kind kind, uint32_t lanes, uint32_t number)
{
    if (lanes && wt_observes_events(&w->device->machine))
        wt_wave_tell(&w->device->machine, &w->head,
                     &(struct wt_observed_event){
                         .kind = kind, .pc = sm_pc_of(w, u), .lanes = lanes, .number = number});
}

/* flag: the copies till now are a group; else waits until no more than `index` groups are left. */
PTX_EXECUTOR(ptx_op_copy_wait)
{
    ptx_tell_copies(w, u, u->ptx->flag ? WT_SEEN_COMMIT : WT_SEEN_COPIED, ptx_lanes(w, u->ptx),
                    u->ptx->index);
    return sm_next(u);
}

/* cp.async, done at once: s[0], offset: to shared memory; s[1], index: from global memory; s[2]:
 * the bytes that are read. */
PTX_EXECUTOR(ptx_op_copy_async)
{
    const struct ptx_op *o = u->ptx;
    const uint8_t *frame = ptx_frame(w);
    const void *to = ptx_in(frame, &o->s[0]), *from = ptx_in(frame, &o->s[1]);
    const uint32_t *count = ptx_in(frame, &o->s[2]);
    struct sm_access loads, stores;
    uint64_t source[SM_LANES], target[SM_LANES];
    sm_access_begin(&loads, 0, o->size, WT_WATCH_READ);
    sm_access_begin(&stores, ptx_lanes(w, o), o->size, WT_WATCH_WRITE);
    PTX_LEFT(k, stores.lanes)
    {
        target[k] = ptx_get(to, o->from_type, k) + (uint64_t)o->offset;
        source[k] = ptx_get(from, o->element, k) + (uint64_t)(int32_t)o->index;
        loads.lanes |= (uint32_t)(count[k] != 0) << k;
    }
    if (sm_has_judge(w)) {
        sm_access_judge(w, u, SM_JUDGED_GLOBAL, &loads, source);
        sm_access_judge(w, u, SM_JUDGED_SHARED, &stores, target);
    }
    PTX_LEFT(i, stores.lanes)
    {
        sm_reach_shared(w, i, target[i], &stores);
        if (loads.lanes >> i & 1)
            sm_reach_global(w, i, source[i], false, &loads);
    }
    if (loads.stray || stores.stray)
        return sm_stray(w, u, loads.stray ? &loads : &stores);
    ptx_tell_copies(w, u, WT_SEEN_COPY, stores.lanes, 0);
    PTX_LEFT(i, stores.lanes)
    {
        uint8_t bytes[16] = {0};
        if (loads.lanes >> i & 1)
            sm_load_bytes(w, u, &loads, i, bytes);
        if (count[i] < o->size)
            memset(bytes + count[i], 0, o->size - count[i]);
        if (!sm_store_bytes(w, u, &stores, i, WT_WATCH_WRITE, bytes))
            return sm_no_memory(w, u, stores.addr[i]);
    }
    return sm_next(u);
}
