/*
 * Address watch: the TCP compares the addresses of vector memory accesses with four registers.
 *
 * An access hits watch n where its 64-byte block (gfx10: 128-byte block, and 7 for 6 in what
 * follows) agrees with the watch's address in bits 47:30 and in those of bits 29:6 that MASK has
 * (bit 0 of MASK is address bit 6), the wave has the watch's VMID, and the kind of access is of its
 * MODE. Scalar memory does not pass the TCP, nor does LDS.
 */
#include "emulator/gcn/internal.h"
#include "emulator/machine/watch.h"

#include <stdio.h>

#define ADDRESS_BITS 48

/* Bits of an address within a block. */
static unsigned block_bits(const struct gcn_device *d)
{
    return gcn_is_gfx10(gcn_model_of(d)) ? 7 : 6;
}

uint32_t gcn_watch_block(const struct gcn_device *d)
{
    return UINT32_C(1) << block_bits(d);
}

static bool valid(const struct gcn_device *d, unsigned n)
{
    return d->debug.watch[n].cntl >> 31;
}

static uint64_t address(const struct gcn_device *d, unsigned n)
{
    return (uint64_t)(d->debug.watch[n].high & 0xffff) << 32 | d->debug.watch[n].low;
}

/* The address bits that count. */
static uint64_t mask(const struct gcn_device *d, unsigned n)
{
    const uint64_t high = ((uint64_t)1 << ADDRESS_BITS) - ((uint64_t)1 << 30);
    const uint32_t bits = UINT32_C(1) << (30 - block_bits(d));
    return high | (uint64_t)(d->debug.watch[n].cntl & (bits - 1)) << block_bits(d);
}

bool gcn_address_watch_page(const struct gcn_device *d, uint64_t addr)
{
    for (unsigned n = 0; d->address_watch && n < GCN_WATCHES; n++)
        if (valid(d, n) && !((addr ^ address(d, n)) & mask(d, n) & ~WT_PAGE_MASK))
            return true;
    return false;
}

bool gcn_address_watch_range(const struct gcn_device *d, uint64_t first, uint64_t last)
{
    const unsigned bits = block_bits(d);
    for (uint64_t block = first >> bits; block <= last >> bits; block++)
        for (unsigned n = 0; d->address_watch && n < GCN_WATCHES; n++)
            if (valid(d, n) && !((block << bits ^ address(d, n)) & mask(d, n)))
                return true;
    return false;
}

static bool of_mode(enum wt_watch_kind kind, uint32_t mode)
{
    switch (mode) {
    case GCN_WATCH_READ:
        return kind == WT_WATCH_READ;
    case GCN_WATCH_NONREAD:
        return kind != WT_WATCH_READ;
    case GCN_WATCH_ATOMIC:
        return kind == WT_WATCH_ACCESS;
    default:
        return true;
    }
}

static bool hits(const struct gcn_wave *w, unsigned n, enum wt_watch_kind kind, uint64_t addr,
                 unsigned size)
{
    const struct gcn_device *d = w->device;
    const uint32_t cntl = d->debug.watch[n].cntl;
    if (!valid(d, n) || (cntl >> 24 & 15) != gcn_dispatch_of(w)->origin.vmid ||
        !of_mode(kind, cntl >> 29 & 3))
        return false;
    const uint64_t first = (addr ^ address(d, n)) & mask(d, n);
    const uint64_t last = ((addr + size - 1) ^ address(d, n)) & mask(d, n);
    return !first || !last;
}

/* MODE[19] enables the exceptions of all four watches; the trap handler's own accesses raise none.
 */
static bool is_exception(const struct gcn_wave *w)
{
    return w->mode >> 19 & 1 && !(w->status & GCN_STATUS_PRIV);
}

void gcn_address_watch_access(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                              unsigned lane, uint64_t addr, unsigned size)
{
    static const char *const words[] = {
        [WT_WATCH_READ] = "load", [WT_WATCH_WRITE] = "store", [WT_WATCH_ACCESS] = "atomic"};
    struct gcn_device *d = w->device;
    assert(size >= 1 && size <= 16 && lane < GCN_LANES);
    if (!d->address_watch || addr >> ADDRESS_BITS)
        return;
    for (unsigned n = 0; n < GCN_WATCHES; n++) {
        if (!hits(w, n, kind, addr, size))
            continue;
        if (!w->watch_hits && is_exception(w)) {
            struct wt_fault fault = {
                .kind = WT_FAULT_EXCEPTION,
                .wave = w->id,
                .pc = gcn_pc_of(w, u),
                .addr = addr,
                .time = gcn_now(w),
            };
            snprintf(fault.text, sizeof fault.text,
                     "%s: %s of %u bytes at 0x%llx by lane %u hits address watch %u", u->row->name,
                     words[kind], size, (unsigned long long)addr, lane, n);
            gcn_note_exception(d, &fault);
        }
        w->watch_hits |= (uint8_t)(1 << n);
        w->watch_rewind = u->length;
        if (is_exception(w) && d->exception)
            d->exception[w->id].lanes |= (uint64_t)1 << lane;
        wt_end_turn(&d->machine, &w->left);
    }
}

void gcn_address_watch_changed(struct gcn_device *d)
{
    d->address_watch = false;
    for (unsigned n = 0; n < GCN_WATCHES; n++)
        d->address_watch |= valid(d, n);
    wt_tlb_clear(&d->machine.tlb); /* watched pages are kept out of it */
}
