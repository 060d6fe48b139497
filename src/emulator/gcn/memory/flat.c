/* FLAT, GLOBAL and SCRATCH: addresses that lanes bring along (manual, chapter 9). */
#include "emulator/gcn/exec/row_function.h"
#include "emulator/gcn/memory/vmem.h"

#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)

typedef const struct gcn_uop *(*access_fn)(struct gcn_wave *w, const struct gcn_uop *u,
                                           struct gcn_targets *t);

/* Whether the instruction can be executed at all; else *next is the handler's return value. */
static bool possible(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_uop **next)
{
    if (w->mode & GCN_MODE_VSKIP) {
        *next = gcn_next(u);
        return false;
    }
    const bool pair =
        u->row->encoding == GCN_FLAT || (u->row->encoding == GCN_GLOBAL && u->base == GCN_NO_BASE);
    if (u->vaddr && u->src[0] + pair >= w->vgprs)
        *next = gcn_no_row(w, u, u->src[0] + pair);
    else if (u->lds && (u->row->encoding == GCN_FLAT || u->row->operands[0] != 'r'))
        *next = gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                          "%s with the LDS bit is not executed by this emulator", u->row->name);
    else
        return true;
    return false;
}

/* Addresses for all lanes, whether they access memory or not: that is quicker. In *all, the bits
 * that are set in any of them. */
static CLONED address_lanes(uint64_t *addr, uint64_t base, const uint32_t *low,
                            const uint32_t *high, uint64_t *all)
{
    uint64_t some = 0;
    if (high) {
        LANES {
            addr[i] = base + (low[i] | (uint64_t)high[i] << 32);
            some |= addr[i];
        }
    } else {
        LANES
            addr[i] = base + low[i];
    }
    *all = some;
}

static CLONED leave_aperture(const uint64_t *addr, uint64_t lanes, uint64_t aperture,
                             uint64_t *differ)
{
    uint64_t some = 0;
    LANES
        some |= (addr[i] ^ aperture) >> 32 & (0 - (lanes >> i & 1));
    *differ = some;
}

static CLONED drop_aperture(uint64_t *addr)
{
    LANES
        addr[i] = (uint32_t)addr[i];
}

/* The lanes whose addresses are in LDS or in private memory; those become offsets. */
static void find_apertures(struct gcn_targets *t)
{
    static_assert(GCN_APERTURE_SIZE == (uint64_t)1 << 32, "an aperture is an address's upper half");
    uint64_t not_shared, not_private;
    leave_aperture(t->addr, t->lanes, GCN_SHARED_APERTURE, &not_shared);
    leave_aperture(t->addr, t->lanes, GCN_PRIVATE_APERTURE, &not_private);
    if (!not_shared || !not_private) {
        *(not_shared ? &t->private : &t->lds) = t->lanes;
        drop_aperture(t->addr);
        return;
    }
    for (uint64_t left = t->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t addr = t->addr[lane];
        if (addr - GCN_SHARED_APERTURE < GCN_APERTURE_SIZE)
            t->lds |= (uint64_t)1 << lane;
        else if (addr - GCN_PRIVATE_APERTURE < GCN_APERTURE_SIZE)
            t->private |= (uint64_t)1 << lane;
        else
            continue;
        t->addr[lane] = (uint32_t)addr;
    }
}

/* Addresses in memory for all enabled lanes; returns the bits that are set in any of them. */
static uint64_t begin_targets(const struct gcn_wave *w, const struct gcn_uop *u,
                              struct gcn_targets *t, uint64_t base, const uint32_t *low,
                              const uint32_t *high)
{
    uint64_t all;
    t->at = u;
    t->lanes = gcn_exec(w);
    t->lds = t->private = t->zero = t->split = 0;
    t->swizzled = t->judged = false;
    address_lanes(t->addr, base, low, high, &all);
    return all;
}

/* The aperture that each address lies in decides where it goes. */
static const struct gcn_uop *flat(struct gcn_wave *w, const struct gcn_uop *u, access_fn access)
{
    const struct gcn_uop *next;
    if (!possible(w, u, &next))
        return next;
    const uint32_t *low = w->v[u->src[0]], *high = w->v[u->src[0] + 1];
    const uint64_t base = (uint64_t)(int64_t)u->imm;
    if (access != gcn_vmem_atomic && high[0] >> 16 == 0 &&
        gcn_vmem_row(w, u, base, low, high, access == gcn_vmem_store))
        return gcn_next(u);
    struct gcn_targets t;
    if (begin_targets(w, u, &t, base, low, high) >> 48)
        find_apertures(&t);
    return access(w, u, &t);
}

/* Addresses of the _addtid instructions, which are the lanes' numbers. */
#define FOUR(n) 4 * (n), 4 * (n) + 4, 4 * (n) + 8, 4 * (n) + 12
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
static const uint32_t dwords[GCN_LANES] = {SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)};

static const struct gcn_uop *global(struct gcn_wave *w, const struct gcn_uop *u, access_fn access)
{
    const struct gcn_uop *next;
    if (!possible(w, u, &next))
        return next;
    const bool scalar = u->base != GCN_NO_BASE;
    const uint64_t base = (uint64_t)(int64_t)u->imm + (scalar ? gcn_pair(&w->s[u->base]) : 0);
    const bool pair = u->vaddr && !scalar;
    const uint32_t *low = u->vaddr ? w->v[u->src[0]] : dwords,
                   *high = pair ? w->v[u->src[0] + 1] : NULL;
    if ((access == gcn_vmem_load || access == gcn_vmem_store) &&
        gcn_vmem_row(w, u, base, low, high, access == gcn_vmem_store))
        return gcn_next(u);
    struct gcn_targets t;
    begin_targets(w, u, &t, base, low, high);
    return access(w, u, &t);
}

/* Offsets of private memory: from a VGPR, an SGPR or, on some models, from both or neither. */
static const struct gcn_uop *scratch(struct gcn_wave *w, const struct gcn_uop *u, access_fn access)
{
    const struct gcn_uop *next;
    if (!possible(w, u, &next))
        return next;
    struct gcn_targets t = {
        .at = u, .lanes = gcn_exec(w), .private = gcn_exec(w), .judged = u->lds};
    for (unsigned lane = 0; lane < GCN_LANES; lane++)
        t.addr[lane] = gcn_scratch_offset(w, u, lane);
    /* On the way to LDS each lane reads one place of memory: none may cross a dword. */
    for (uint64_t left = u->lds ? t.lanes : 0; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if (t.addr[lane] % 4 + u->size > 4)
            continue;
        t.addr[lane] = gcn_private_addr(w, lane, t.addr[lane]);
        t.private &= ~((uint64_t)1 << lane);
    }
    return access(w, u, &t);
}

#define ROW(name, way, access)                                                                     \
    OP(name)                                                                                       \
    {                                                                                              \
        return way(w, u, access);                                                                  \
    }
ROW(flat_load, flat, gcn_vmem_load)
ROW(flat_store, flat, gcn_vmem_store)
ROW(flat_atomic, flat, gcn_vmem_atomic)
ROW(global_load, global, u->lds ? gcn_load_to_lds : gcn_vmem_load)
ROW(global_store, global, gcn_vmem_store)
ROW(global_atomic, global, gcn_vmem_atomic)
ROW(scratch_load, scratch, u->lds ? gcn_load_to_lds : gcn_vmem_load)
ROW(scratch_store, scratch, gcn_vmem_store)
