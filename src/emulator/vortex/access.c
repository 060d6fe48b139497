/* Memory as a core of Vortex sees it: RAM, its local memory, the console; and the TLB's misses. */
#include "emulator/vortex/by_host.h"
#include "emulator/vortex/watch.h"

#include <string.h>

static inline bool is_local(const struct vx_device *d, uint64_t addr)
{
    return addr - d->profile->local_mem_base[d->config.xlen == 64] < d->profile->local_mem_size;
}

bool vx_is_local(const struct vx_device *d, uint64_t addr)
{
    return is_local(d, addr);
}

/* Which memory holds addr for this core, and where in it. */
static struct wt_memory *memory_of(const struct vx_device *d, const struct vx_core *core,
                                   uint64_t addr)
{
    return vx_is_local(d, addr) ? core->local : d->machine.memory;
}

static bool outside(uint64_t addr)
{
    return addr >> WT_MEMORY_ADDRESS_BITS != 0;
}

/* Of a ring the write indices: stores to the rest are to memory. */
static bool page_has_console(const struct vx_device *d, uint64_t addr)
{
    const uint64_t page = addr & ~WT_PAGE_MASK;
    if (d->profile->console_ring)
        return vx_ring_is_index(d, page, WT_PAGE_SIZE);
    return page < d->config.console_addr + d->config.console_slots &&
           d->config.console_addr < page + WT_PAGE_SIZE;
}

static bool is_console(const struct vx_device *d, uint64_t addr, unsigned size)
{
    return !d->profile->console_ring && addr < d->config.console_addr + d->config.console_slots &&
           d->config.console_addr < addr + size;
}

const uint8_t *vx_tlb_fill_read(struct vx_warp *w, uint64_t addr, uint64_t size)
{
    assert(size > 0 && (addr & WT_PAGE_MASK) + size <= WT_PAGE_SIZE);
    struct vx_device *d = w->device;
    if (outside(addr))
        return NULL;
    if (d->machine.watch && vx_watches_read(d, w->core, addr & ~WT_PAGE_MASK, WT_PAGE_SIZE)) {
        if (vx_watches_read(d, w->core, addr, size))
            return NULL;
        return wt_memory_page(memory_of(d, w->core, addr), addr) + (addr & WT_PAGE_MASK);
    }
    return wt_tlb_fill_read(&d->machine.tlb, addr,
                            wt_memory_page(memory_of(d, w->core, addr), addr));
}

uint8_t *vx_tlb_fill_write(struct vx_warp *w, uint64_t addr, uint64_t size)
{
    assert(size > 0 && (addr & WT_PAGE_MASK) + size <= WT_PAGE_SIZE);
    struct vx_device *d = w->device;
    if (outside(addr) || page_has_console(d, addr))
        return NULL;
    if (!vx_is_local(d, addr) && wt_code_on_page(&d->machine.code, addr))
        return NULL;
    const uint64_t page = addr & ~WT_PAGE_MASK;
    bool watched = false, read_watched = false;
    if (d->machine.watch) {
        if (vx_watches_write(d, w->core, addr, size))
            return NULL;
        watched = vx_watches_write(d, w->core, page, WT_PAGE_SIZE);
        read_watched = vx_watches_read(d, w->core, page, WT_PAGE_SIZE);
    }
    uint8_t *host = wt_memory_page_for_write(memory_of(d, w->core, addr), addr);
    return host ? wt_tlb_fill_write(&d->machine.tlb, addr, host, !read_watched, !watched) : NULL;
}

/* In tags of the TLB: of a page that is observed, for which no access but those here finds it. */
enum { TOLD = 1 << (WT_PAGE_BITS - 1) };

/* The page of an aligned access that is ordinary memory; NULL: it is none. */
static __attribute__((noinline)) uint8_t *find_plain_page(struct vx_warp *w, uint64_t addr,
                                                          bool write)
{
    struct vx_device *d = w->device;
    const uint64_t tag = (addr & ~WT_PAGE_MASK) | TOLD;
    struct wt_tlb_entry *e = wt_tlb_entry_of(&d->machine.tlb, addr);
    if (outside(addr) || page_has_console(d, addr) ||
        (write && !is_local(d, addr) && wt_code_on_page(&d->machine.code, addr)))
        return NULL;
    if (!write) {
        const uint8_t *page = wt_memory_page(memory_of(d, w->core, addr), addr);
        *e = (struct wt_tlb_entry){.read_page = tag, .write_page = WT_TLB_NONE, .read_host = page};
        return (uint8_t *)page;
    }
    uint8_t *page = wt_memory_page_for_write(memory_of(d, w->core, addr), addr);
    wt_tlb_drop(&d->machine.tlb, addr); /* the page may have moved to a private copy */
    if (page)
        *e = (struct wt_tlb_entry){tag, tag, page, page};
    return page;
}

static inline uint8_t *plain_page(struct vx_warp *w, uint64_t addr, bool write)
{
    const uint64_t tag = (addr & ~WT_PAGE_MASK) | TOLD;
    const struct wt_tlb_entry *e = wt_tlb_entry_of(&w->device->machine.tlb, addr);
    if ((write ? e->write_page : e->read_page) == tag)
        return write ? e->write_host : (uint8_t *)e->read_host; /* only read */
    return find_plain_page(w, addr, write);
}

static inline __attribute__((always_inline)) uint64_t *
put_addresses(const struct vx_warp *w, const struct vx_uop *u, uint64_t *restrict at)
{
    const unsigned lanes = w->device->machine.lanes;
    const size_t row = (size_t)u->rs1 * lanes;
    const uint32_t *restrict narrow = (const uint32_t *)w->x + row;
    const uint64_t *restrict wide = (const uint64_t *)w->x + row;
    const int64_t imm = u->imm;
    if (w->device->config.xlen == 32)
        for (unsigned l = 0; l < lanes; l++)
            at[l] = (uint32_t)(narrow[l] + (uint32_t)imm);
    else
        for (unsigned l = 0; l < lanes; l++)
            at[l] = wide[l] + (uint64_t)imm;
    return at;
}
VX_BY_HOST(uint64_t *, put_addresses,
           (const struct vx_warp *w, const struct vx_uop *u, uint64_t *restrict at), (w, u, at),
           put_addresses(w, u, at), put_addresses(w, u, at))

void vx_access_addresses(const struct vx_warp *w, const struct vx_uop *u, uint64_t *restrict at)
{
    put_addresses_by_host(w, u, at);
}

uint8_t *vx_tell_page(struct vx_warp *w, const struct vx_uop *u, enum wt_watch_kind kind,
                      unsigned size, uint64_t first, bool is_row)
{
    assert(w->full);
    uint8_t *page = w->device->injecting ? NULL : plain_page(w, first, kind != WT_WATCH_READ);
    if (!page)
        return NULL;
    vx_access_addresses(w, u, vx_observe_row(w, u, kind, is_local(w->device, first), size, is_row));
    if (!is_row)
        wt_observe_stored(&w->device->machine, kind);
    return page + (first & WT_PAGE_MASK);
}

/* Addresses of words one behind the other. */
static inline __attribute__((always_inline)) uint64_t *put_words(uint64_t *at, uint64_t first,
                                                                 unsigned lanes)
{
    for (unsigned l = 0; l < lanes; l++)
        at[l] = first + 4 * l;
    return at;
}
VX_BY_HOST(uint64_t *, put_words, (uint64_t * at, uint64_t first, unsigned lanes),
           (at, first, lanes), put_words(at, first, lanes),
           lanes == 32 ? put_words(at, first, 32) : put_words(at, first, lanes))

uint8_t *vx_tell_words(struct vx_warp *w, const struct wt_lane_access *a, uint64_t first)
{
    assert(w->full && a->is_row && a->size == 4);
    struct vx_device *d = w->device;
    struct wt_machine *m = &d->machine;
    uint8_t *page =
        d->injecting || is_local(d, first) ? NULL : plain_page(w, first, a->kind != WT_WATCH_READ);
    if (!page)
        return NULL;
    uint64_t *at = wt_observe_row(m, &w->head, vx_now(w), a, w->mask);
    put_words_by_host(at, first, m->lanes);
    return page + (first & WT_PAGE_MASK);
}

bool vx_tell_lanes(struct vx_warp *w, const struct vx_uop *u, enum wt_watch_kind kind,
                   unsigned size, uint8_t **host)
{
    const unsigned lanes = w->device->machine.lanes;
    const bool write = kind != WT_WATCH_READ;
    uint64_t at[WT_MAX_LANES], differ = 0, low = 0;
    if (!w->mask || w->device->injecting)
        return false;
    const unsigned first = wt_lanes_lowest(w->mask);
    at[first] = 0;
    vx_access_addresses(w, u, at);
    for (unsigned l = 0; l < lanes; l++) {
        differ |= (at[l] ^ at[first]) & w->lane64[l];
        low |= at[l] & w->lane64[l];
    }
    uint8_t *page = low & (size - 1) ? NULL : plain_page(w, at[first], write);
    if (!page)
        return false;
    if (!(differ & ~(uint64_t)WT_PAGE_MASK)) {
        for (unsigned l = 0; l < lanes; l++)
            host[l] = page + (at[l] & WT_PAGE_MASK);
        memcpy(vx_observe_row(w, u, kind, is_local(w->device, at[first]), size, false), at,
               lanes * sizeof *at);
        wt_observe_stored(&w->device->machine, kind);
        return true;
    }
    const bool local = is_local(w->device, at[first]);
    uint64_t last = at[first];
    for (unsigned half = 0; half < WT_MAX_LANES; half += 64)
        for (uint64_t left = (uint64_t)(w->mask >> half); left; left &= left - 1) {
            const unsigned l = half + (unsigned)__builtin_ctzll(left);
            if ((at[l] ^ last) & ~(uint64_t)WT_PAGE_MASK) {
                page = plain_page(w, at[l], write);
                if (!page || is_local(w->device, at[l]) != local)
                    return false;
            }
            last = at[l];
            host[l] = page + (at[l] & WT_PAGE_MASK);
        }
    memcpy(vx_observe_row(w, u, kind, local, size, false), at, lanes * sizeof *at);
    wt_observe_stored(&w->device->machine, kind);
    return true;
}

void vx_tlb_switch_core(struct vx_device *d, struct vx_core *core)
{
    assert(core >= d->core && core < d->core + d->core_count);
    if (d->tlb_core == core)
        return;
    d->tlb_core = core;
    const uint64_t base = d->profile->local_mem_base[d->config.xlen == 64];
    for (uint64_t at = 0; at < d->profile->local_mem_size; at += WT_PAGE_SIZE)
        wt_tlb_drop(&d->machine.tlb, base + at);
}

/* Why an access must not be made. */
enum refusal { ALLOWED, OUTSIDE, NOT_A_BYTE, NO_HOST_MEMORY };

static enum refusal refusal_of(const struct vx_warp *w, uint64_t addr, unsigned size, bool store)
{
    if (outside(addr) || outside(addr + size - 1))
        return OUTSIDE;
    /* Only byte stores reach the console (SimX stops at any other). */
    return store && size != 1 && is_console(w->device, addr, size) ? NOT_A_BYTE : ALLOWED;
}

/* Raises the fault of an access that is refused; false. */
static bool refuse(struct vx_warp *w, const struct vx_uop *u, enum refusal why, unsigned lane,
                   uint64_t addr, unsigned size, enum wt_access access)
{
    assert(why != ALLOWED && lane < w->device->machine.lanes);
    const char *what = wt_access_word(access);
    const unsigned long long at = addr;
    char why_not[128];
    /* All lanes that are refused for this reason. (Loads are refused only where stores are.) */
    wt_lanes lanes = wt_lane_bit(lane);
    for (unsigned l = 0; l < w->device->machine.lanes; l++) {
        const uint64_t to =
            vx_truncate(w->device, vx_get_x(w, u->rs1, l) + (uint64_t)(int64_t)u->imm);
        if (wt_has_lane(w->mask, l) && refusal_of(w, to, size, true) == why)
            lanes |= wt_lane_bit(l);
    }
    switch (why) {
    case NOT_A_BYTE:
        vx_fault(w, u, WT_FAULT_ACCESS, lanes, addr,
                 "%s of %u bytes at 0x%llx: the console of Vortex 2.x takes single bytes only; "
                 "profile=v3 has that of Vortex 3.0",
                 what, size, at);
        break;
    case NO_HOST_MEMORY:
        wt_memory_refusal(memory_of(w->device, w->core, addr), why_not, sizeof why_not);
        vx_fault(w, u, WT_FAULT_HOST, lanes, addr, "%s of %u bytes at 0x%llx: %s", what, size, at,
                 why_not);
        break;
    default:
        vx_fault(w, u, WT_FAULT_ACCESS, lanes, addr,
                 "%s of %u bytes at 0x%llx: outside the address space of 48 bits", what, size, at);
    }
    return false;
}

/* The bytes at an address that is not outside. */
static uint64_t value_at(struct vx_warp *w, uint64_t addr, unsigned size)
{
    assert(size == 1 || size == 2 || size == 4 || size == 8);
    uint8_t bytes[8];
    vx_read_bytes(w->core, w->device, addr, bytes, size);
    return wt_load_le(bytes, size);
}

bool vx_peek(struct vx_warp *w, const struct vx_uop *u, unsigned lane, uint64_t addr, unsigned size,
             uint64_t *value)
{
    if (!vx_may_store(w, u, lane, addr, size, WT_ACCESS_ATOMIC))
        return false;
    *value = value_at(w, addr, size);
    return true;
}

bool vx_load(struct vx_warp *w, const struct vx_uop *u, unsigned lane, uint64_t addr, unsigned size,
             uint64_t *value)
{
    assert(lane < w->device->machine.lanes);
    const enum refusal why = refusal_of(w, addr, size, false);
    if (why)
        return refuse(w, u, why, lane, addr, size, WT_ACCESS_LOAD);
    *value = value_at(w, addr, size);
    if (w->device->machine.watch)
        vx_watch_access(w, u, WT_WATCH_READ, lane, addr, size, *value, *value);
    return true;
}

bool vx_may_store(struct vx_warp *w, const struct vx_uop *u, unsigned lane, uint64_t addr,
                  unsigned size, enum wt_access access)
{
    const enum refusal why = refusal_of(w, addr, size, true);
    return !why || refuse(w, u, why, lane, addr, size, access);
}

bool vx_store(struct vx_warp *w, const struct vx_uop *u, unsigned lane, uint64_t addr,
              unsigned size, uint64_t value, enum wt_watch_kind kind)
{
    assert(lane < w->device->machine.lanes);
    assert(kind == WT_WATCH_WRITE || kind == WT_WATCH_ACCESS);
    struct vx_device *d = w->device;
    const enum wt_access access = kind == WT_WATCH_ACCESS ? WT_ACCESS_ATOMIC : WT_ACCESS_STORE;
    if (!vx_may_store(w, u, lane, addr, size, access))
        return false;
    if (d->machine.watch)
        vx_watch_access(w, u, kind, lane, addr, size, value_at(w, addr, size), value);
    if (is_console(d, addr, size)) {
        wt_console_put(&d->machine, &d->console, (unsigned)(addr - d->config.console_addr),
                       (char)value);
        return true;
    }
    uint8_t bytes[8];
    wt_store_le(bytes, value, size);
    if (!vx_write_bytes(w->core, d, addr, bytes, size))
        return refuse(w, u, NO_HOST_MEMORY, lane, addr, size, access);
    if (vx_ring_is_index(d, addr, size))
        vx_ring_drain(d);
    return true;
}

bool vx_read_bytes(struct vx_core *core, struct vx_device *d, uint64_t addr, void *out, size_t size)
{
    assert(core && (out || !size));
    uint8_t *to = out;
    while (size) {
        if (outside(addr))
            return false;
        const size_t room = (size_t)(WT_PAGE_SIZE - (addr & WT_PAGE_MASK));
        const size_t part = room < size ? room : size;
        wt_memory_read(memory_of(d, core, addr), addr, to, part);
        to += part;
        addr = vx_truncate(d, addr + part);
        size -= part;
    }
    return true;
}

bool vx_write_bytes(struct vx_core *core, struct vx_device *d, uint64_t addr, const void *bytes,
                    size_t size)
{
    assert(core && (bytes || !size));
    const uint8_t *from = bytes;
    while (size) {
        if (outside(addr))
            return false;
        const size_t room = (size_t)(WT_PAGE_SIZE - (addr & WT_PAGE_MASK));
        const size_t part = room < size ? room : size;
        struct wt_memory *memory = memory_of(d, core, addr);
        if (!wt_memory_write(memory, addr, from, part))
            return false;
        /* The page may have moved to a private copy. */
        wt_tlb_drop(&d->machine.tlb, addr);
        if (memory == d->machine.memory)
            wt_code_invalidate(&d->machine.code, addr, part);
        from += part;
        addr = vx_truncate(d, addr + part);
        size -= part;
    }
    return true;
}

void vx_device_flush_console(struct vx_device *d)
{
    if (vx_ring_is_ours(d))
        vx_ring_drain(d);
    wt_console_flush(&d->machine, &d->console);
    if (vx_ring_is_ours(d))
        vx_ring_tell_lost(d);
}
