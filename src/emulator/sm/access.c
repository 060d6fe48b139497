/* The device's memory: mappings, misses of the TLB, and accesses of a warp's lanes. */
#include "emulator/machine/copy.h"
#include "emulator/machine/regions.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/watch.h"

bool sm_mapped(const struct sm_device *d, uint64_t addr, uint64_t size, bool write)
{
    return wt_regions_hold(&d->machine.regions, addr, size, write);
}

enum wt_status sm_device_map(struct sm_device *d, uint64_t addr, uint64_t size, bool writable,
                             struct wt_error *err)
{
    return wt_regions_add(&d->machine.regions, addr, size, writable, err);
}

void sm_device_unmap(struct sm_device *d, uint64_t addr, uint64_t size)
{
    wt_regions_remove(&d->machine.regions, addr, size, WT_IGNORED);
    wt_code_invalidate(&d->machine.code, addr, size);
    wt_tlb_clear(&d->machine.tlb);
}

const uint8_t *sm_tlb_fill_read(struct sm_device *d, uint64_t addr)
{
    return sm_watches_page_read(d, addr) ? NULL : wt_mapped_fill_read(&d->machine, addr);
}

/* A store to global memory has been done on a copy of the process's memory, for which it is told;
 * as an atomic in shared memory it ends the turn. */
static void stored(struct sm_warp *w, uint64_t addr, const uint8_t *bytes, unsigned size,
                   bool atomic)
{
    struct sm_device *d = w->device;
    wt_in_process_stored(&d->machine.process, addr, bytes, size);
    if (!atomic || !wt_in_process_atomic(&d->machine.process, addr))
        return;
    d->machine.event = true;
    wt_end_turn(&d->machine, &w->left);
}

uint8_t *sm_tlb_fill_write(struct sm_device *d, uint64_t addr)
{
    if (sm_watches_page_write(d, addr) || wt_mapped_shares(&d->machine, addr))
        return NULL;
    return wt_mapped_fill_write(&d->machine, addr, !sm_watches_page_read(d, addr));
}

/* The place of addr for a store that the TLB refuses; the caller invalidates code. */
static uint8_t *host_for_write(struct sm_device *d, uint64_t addr)
{
    const struct wt_region *r = wt_regions_at(&d->machine.regions, addr);
    uint8_t *page = r && r->writable ? wt_memory_page_for_write(d->machine.memory, addr) : NULL;
    wt_tlb_drop(&d->machine.tlb, addr); /* the page may have moved to a private copy */
    return page ? page + (addr & WT_PAGE_MASK) : NULL;
}

bool sm_device_read(struct sm_device *d, uint64_t addr, void *out, size_t size)
{
    return wt_mapped_read(&d->machine, addr, out, size);
}

bool sm_device_write(struct sm_device *d, uint64_t addr, const void *bytes, size_t size)
{
    return wt_mapped_write(&d->machine, addr, bytes, size);
}

/* ---- accesses of lanes: where they must not go ---- */

void sm_add_stray(struct sm_access *a, unsigned lane, enum sm_stray_kind kind, uint64_t at)
{
    if (!a->stray) {
        a->stray_kind = kind;
        a->stray_at = at;
    }
    if (kind == a->stray_kind)
        a->stray |= 1u << lane;
}

const struct sm_uop *sm_stray(struct sm_warp *w, const struct sm_uop *u, const struct sm_access *a)
{
    const struct sm_launch *l = &w->device->grid.launch;
    const unsigned long long at = a->stray_at;
    const char *what = wt_access_word(a->atomic  ? WT_ACCESS_ATOMIC
                                      : a->store ? WT_ACCESS_STORE
                                                 : WT_ACCESS_LOAD);
    static const char *const of_memory[] = {
        [SM_STRAY_MISALIGNED] = "",
        [SM_STRAY_MISALIGNED_SHARED] = " of shared memory",
        [SM_STRAY_MISALIGNED_LOCAL] = " of local memory",
        [SM_STRAY_MISALIGNED_CONSTANT] = " of constant memory",
    };
    assert(a->stray);
    switch (a->stray_kind) {
    case SM_STRAY_MISALIGNED:
    case SM_STRAY_MISALIGNED_SHARED:
    case SM_STRAY_MISALIGNED_LOCAL:
    case SM_STRAY_MISALIGNED_CONSTANT:
        return sm_error(w, u, SM_MISALIGNED_ADDR, a->stray, at,
                        "%s of %u bytes at 0x%llx%s, which is not a multiple of %u", what, a->size,
                        at, of_memory[a->stray_kind], a->size);
    case SM_STRAY_SHARED:
        return sm_error(w, u, SM_OOR_ADDR, a->stray, at,
                        "%s of %u bytes at 0x%llx of shared memory; the CTA has 0x%x bytes", what,
                        a->size, at, l->shared);
    case SM_STRAY_LOCAL:
        return sm_error(w, u, SM_OOR_ADDR, a->stray, at,
                        "%s of %u bytes at 0x%llx of local memory; the thread has 0x%x bytes", what,
                        a->size, at, l->local);
    case SM_STRAY_READ_ONLY:
        return sm_error(w, u, SM_L1_ERROR, a->stray, at,
                        "%s of %u bytes at 0x%llx: the memory there is read-only", what, a->size,
                        at);
    default:
        return sm_error(w, u, SM_L1_ERROR, a->stray, at, WT_UNMAPPED, what, a->size, at, "");
    }
}

void sm_reach_shared(struct sm_warp *w, unsigned lane, uint64_t at, struct sm_access *a)
{
    const uint32_t limit = w->device->grid.launch.shared;
    at = (uint32_t)at;
    if (at % a->size) {
        sm_add_stray(a, lane, SM_STRAY_MISALIGNED_SHARED, at);
        return;
    }
    if (at > limit || at + a->size > limit) {
        sm_add_stray(a, lane, SM_STRAY_SHARED, at);
        return;
    }
    a->shared |= 1u << lane;
    a->addr[lane] = at;
}

/* The address in global memory of a lane's local memory at @p offset; false: it has less. */
static bool local_address(const struct sm_warp *w, unsigned lane, uint64_t offset, unsigned size,
                          uint64_t *addr)
{
    const uint64_t local = sm_local_bytes(w);
    *addr = w->local + lane * local + offset;
    return offset + size <= local && offset < local;
}

void sm_reach_local(struct sm_warp *w, unsigned lane, uint64_t at, struct sm_access *a)
{
    at = (uint32_t)at;
    if (at % a->size)
        sm_add_stray(a, lane, SM_STRAY_MISALIGNED_LOCAL, at);
    else if (!local_address(w, lane, at, a->size, &a->addr[lane]) ||
             !sm_mapped(w->device, a->addr[lane], a->size, true))
        sm_add_stray(a, lane, SM_STRAY_LOCAL, at);
}

/* A global address; a generic one leads to shared and local memory through their windows, too. */
void sm_reach_global(struct sm_warp *w, unsigned lane, uint64_t at, bool generic,
                     struct sm_access *a)
{
    struct sm_device *d = w->device;
    const unsigned size = a->size;
    if (at % size) {
        sm_add_stray(a, lane, SM_STRAY_MISALIGNED, at);
        return;
    }
    if (generic && at - SM_SHARED_WINDOW < SM_WINDOW_BYTES) {
        if (at - SM_SHARED_WINDOW + size > d->grid.launch.shared) {
            sm_add_stray(a, lane, SM_STRAY_SHARED, at - SM_SHARED_WINDOW);
            return;
        }
        a->shared |= 1u << lane;
        a->addr[lane] = at - SM_SHARED_WINDOW;
        return;
    }
    if (generic && at - SM_LOCAL_WINDOW < SM_WINDOW_BYTES) {
        const uint64_t offset = at - SM_LOCAL_WINDOW;
        if (!local_address(w, lane, offset, size, &at)) {
            sm_add_stray(a, lane, SM_STRAY_LOCAL, offset);
            return;
        }
    }
    if (!(a->store ? (const uint8_t *)sm_writable(d, at) : sm_readable(d, at)) &&
        !sm_mapped(d, at, size, a->store)) {
        sm_add_stray(a, lane,
                     sm_mapped(d, at, size, false) ? SM_STRAY_READ_ONLY : SM_STRAY_UNMAPPED, at);
        return;
    }
    a->addr[lane] = at;
}

void sm_access_tell(struct sm_warp *w, const struct sm_uop *u, struct sm_access *a)
{
    const enum wt_watch_kind kind = a->atomic  ? WT_WATCH_ACCESS
                                    : a->store ? WT_WATCH_WRITE
                                               : WT_WATCH_READ;
    if (a->lanes)
        sm_observe_lanes(w, u, kind, a->lanes, a->shared, a->addr, a->size);
    a->told = true;
}

void sm_load_bytes(struct sm_warp *w, const struct sm_uop *u, const struct sm_access *a,
                   unsigned lane, uint8_t *bytes)
{
    struct sm_device *d = w->device;
    const bool shared = a->shared >> lane & 1;
    if (shared) {
        memcpy(bytes, w->cta->local + a->addr[lane], a->size);
    } else {
        const uint8_t *host = sm_readable(d, a->addr[lane]);
        if (host)
            memcpy(bytes, host, a->size);
        else
            wt_memory_read(d->machine.memory, a->addr[lane], bytes, a->size);
    }
    if (d->machine.watch && !a->told)
        sm_watch_access(w, u, WT_WATCH_READ, lane, shared, a->addr[lane], a->size, bytes, bytes);
}

/* False: the host has no memory. */
bool sm_store_bytes(struct sm_warp *w, const struct sm_uop *u, const struct sm_access *a,
                    unsigned lane, enum wt_watch_kind kind, const uint8_t *bytes)
{
    struct sm_device *d = w->device;
    const bool shared = a->shared >> lane & 1;
    uint8_t before[16], *to;
    if (!shared && kind == WT_WATCH_ACCESS)
        wt_met(&d->machine);
    if (shared) {
        to = w->cta->local + a->addr[lane];
    } else {
        if ((to = sm_writable(d, a->addr[lane]))) {
            if (d->machine.watch && !a->told)
                sm_watch_access(w, u, kind, lane, false, a->addr[lane], a->size, to, bytes);
            memcpy(to, bytes, a->size);
            return true;
        }
        if (!(to = host_for_write(d, a->addr[lane])))
            return false;
    }
    memcpy(before, to, a->size);
    memcpy(to, bytes, a->size);
    if (!shared) {
        wt_code_invalidate(&d->machine.code, a->addr[lane], a->size);
        if (wt_in_process_reports(&d->machine.process))
            stored(w, a->addr[lane], bytes, a->size, kind == WT_WATCH_ACCESS);
    }
    if (d->machine.watch && !a->told)
        sm_watch_access(w, u, kind, lane, shared, a->addr[lane], a->size, before, bytes);
    return true;
}

void sm_fault(struct sm_warp *w, const struct wt_fault *fault)
{
    struct wt_machine *m = &w->device->machine;
    assert(fault->kind != WT_FAULT_NONE);
    m->fault = *fault;
    m->fault.time = sm_now(w);
    if (m->in_turn)
        wt_not_issued(m);
}

const struct sm_uop *sm_no_memory(struct sm_warp *w, const struct sm_uop *u, uint64_t addr)
{
    struct wt_fault fault = {.kind = WT_FAULT_HOST, .wave = w->id, .lanes = w->mask, .addr = addr};
    fault.pc = w->pc = sm_pc_of(w, u);
    wt_memory_refusal(w->device->machine.memory, fault.text, sizeof fault.text);
    sm_fault(w, &fault);
    return NULL;
}

uint64_t sm_atomic_whole(enum sm_atomic how, bool is_signed, unsigned size, uint64_t old,
                         uint64_t data)
{
    const uint64_t mask = size == 8 ? UINT64_MAX : UINT32_MAX;
    const int64_t so = wt_sign_extend(old, 8 * size), sd = wt_sign_extend(data, 8 * size);
    const bool less = is_signed ? sd < so : (data & mask) < (old & mask);
    switch (how) {
    case SM_ATOMIC_ADD:
    case SM_ATOMIC_SAFEADD:
        return (old + data) & mask;
    case SM_ATOMIC_MIN:
        return less ? data : old;
    case SM_ATOMIC_MAX:
        return less ? old : data;
    case SM_ATOMIC_INC:
        return (old & mask) >= (data & mask) ? 0 : old + 1;
    case SM_ATOMIC_DEC:
        return !(old & mask) || (old & mask) > (data & mask) ? data : old - 1;
    case SM_ATOMIC_AND:
        return old & data;
    case SM_ATOMIC_OR:
        return old | data;
    case SM_ATOMIC_XOR:
        return old ^ data;
    default:
        return data;
    }
}
