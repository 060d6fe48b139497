/*
 * Memory as a lane of a halted warp sees it: through the target's memory port, or by injected loads
 * and stores. A batch covers 16 KiB; the base is set anew every 2 KiB, and offsets do the rest.
 */
#include <inttypes.h>

#include "base/bits.h"
#include "debug/vortex/loan.h"

#define CHUNK 2048 /* what the offsets 0..2047 of loads and stores reach */
#define BATCH_BYTES (8 * CHUNK)

static enum wt_status check_range(struct wt_probe *p, struct wt_address at, size_t size,
                                  struct wt_error *err)
{
    const uint64_t addr = at.offset, last = addr + size - 1;
    if (at.space >= p->topology.space_count)
        return wt_fail(err, WT_INVALID, "there is no address space %u", (unsigned)at.space);
    if (last < addr || (p->xlen == 32 && last >> 32))
        return wt_fail(err, WT_INVALID,
                       "0x%" PRIx64 " and %zu bytes from there is past the end of "
                       "the address space",
                       addr, size);
    return WT_OK;
}

/* Bytes until the next word where it is unaligned or the end is near, else a word. */
static unsigned piece_size(uint64_t addr, size_t left)
{
    return addr % 4 == 0 && left >= 4 ? 4 : 1;
}

enum wt_status vortex_read_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                  struct wt_address at, void *out, size_t size,
                                  struct wt_error *err)
{
    const uint64_t addr = at.offset;
    if (size == 0)
        return WT_OK;
    enum wt_status status = check_range(p, at, size, err);
    if (status)
        return status;
    const struct wt_target_services *services = p->target->services;
    if (p->port && services->read_memory) {
        if (services->read_memory(p->target->context, wave, lane, at, out, size))
            return WT_OK;
        return wt_fail(err, WT_INVALID, "no memory at 0x%" PRIx64 " (%zu bytes)", addr, size);
    }
    struct dm_loan loan;
    struct dm_places place;
    dm_one_place(&place, wave, lane);
    if ((status = loan_borrow(p, &loan, &place, true, err)))
        return status;
    bool before = dm_fault_present(p);
    uint8_t *bytes = out;
    for (size_t done = 0; done < size;) {
        size_t part = size - done < BATCH_BYTES ? size - done : BATCH_BYTES;
        dm_begin(p);
        dm_select_lane(p, wave, lane);
        for (size_t k = 0, n; k < part; k += n) {
            uint64_t here = addr + done + k;
            if (k == 0 || here % CHUNK == 0)
                dm_inject_constant(p, X_T0, here & ~(uint64_t)(CHUNK - 1));
            n = piece_size(here, part - k);
            dm_inject(p, rv_i(0x03, X_T1, n == 4 ? 2 : 4, X_T0, (int32_t)(here % CHUNK)));
            dm_fetch(p, X_T1);
        }
        loan_add_return(p, &loan);
        status = loan_run(p, &loan, err);
        if (!status)
            status = loan_check_fault(p, before, &loan, err);
        if (status)
            return status;
        size_t cursor = 0;
        for (size_t k = 0, n; k < part; k += n) {
            n = piece_size(addr + done + k, part - k);
            wt_store_le(bytes + done + k, dm_next_value(p, &cursor), n);
        }
        done += part;
    }
    return WT_OK;
}

enum wt_status vortex_write_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                   struct wt_address at, const void *bytes, size_t size,
                                   struct wt_error *err)
{
    const uint64_t addr = at.offset;
    if (size == 0)
        return WT_OK;
    enum wt_status status = check_range(p, at, size, err);
    if (status)
        return status;
    const struct wt_target_services *services = p->target->services;
    if (p->port && services->write_memory) {
        if (services->write_memory(p->target->context, wave, lane, at, bytes, size))
            return WT_OK;
        return wt_fail(err, WT_INVALID, "cannot write %zu bytes at 0x%" PRIx64, size, addr);
    }
    struct dm_loan loan;
    struct dm_places place;
    dm_one_place(&place, wave, lane);
    if ((status = loan_borrow(p, &loan, &place, true, err)))
        return status;
    bool before = dm_fault_present(p);
    const uint8_t *from = bytes;
    for (size_t done = 0; done < size;) {
        size_t part = size - done < BATCH_BYTES ? size - done : BATCH_BYTES;
        dm_begin(p);
        dm_select_lane(p, wave, lane);
        for (size_t k = 0, n; k < part; k += n) {
            uint64_t here = addr + done + k;
            if (k == 0 || here % CHUNK == 0)
                dm_inject_constant(p, X_T0, here & ~(uint64_t)(CHUNK - 1));
            n = piece_size(here, part - k);
            dm_put(p, DM_DSCRATCH0, (uint32_t)wt_load_le(from + done + k, n));
            dm_inject(p, rv_csrr(X_T1, CSR_DSCRATCH0));
            dm_inject(p, rv_s(0x23, n == 4 ? 2 : 0, X_T0, X_T1, (int32_t)(here % CHUNK)));
        }
        loan_add_return(p, &loan);
        status = loan_run(p, &loan, err);
        if (!status)
            status = loan_check_fault(p, before, &loan, err);
        if (status)
            return status;
        done += part;
    }
    return WT_OK;
}
