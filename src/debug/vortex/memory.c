/*
 * Memory as a lane of a halted warp sees it: through the target's memory port, or by injected loads
 * and stores. A batch covers 16 KiB. The base register is set anew every 2 KiB, and offsets cover
 * the rest.
 */
#include <inttypes.h>

#include "base/bits.h"
#include "debug/vortex/loan.h"

#define CHUNK 2048 /* the range of the offsets 0..2047 of loads and stores */
#define BATCH_BYTES (8 * CHUNK)

static enum wt_status check_range(struct wt_probe *p, struct wt_address at, size_t size,
                                  struct wt_error *err)
{
    const uint64_t addr = at.offset & ~p->topology.gpu_bits, last = addr + size - 1;
    if (at.space >= p->topology.space_count)
        return wt_fail(err, WT_INVALID, "there is no address space %u", (unsigned)at.space);
    if (last < addr || (p->xlen == 32 && last >> 32))
        return wt_fail(err, WT_INVALID,
                       "0x%" PRIx64 " and %zu bytes from there is past the end of "
                       "the address space",
                       addr, size);
    return WT_OK;
}

/* The size of the next access: bytes up to the next word if unaligned or near the end,
 * else a word. */
static unsigned piece_size(uint64_t addr, size_t left)
{
    return addr % 4 == 0 && left >= 4 ? 4 : 1;
}

/* Adds a load of @p n bytes at t0 + offset, which gives the next value of the batch. */
static void add_load(struct wt_probe *p, size_t n, int32_t offset)
{
    dm_inject(p, rv_i(0x03, X_T1, n == 4 ? 2 : 4, X_T0, offset));
    dm_fetch(p, X_T1);
}

static void add_store(struct wt_probe *p, const uint8_t *bytes, size_t n, int32_t offset)
{
    dm_put(p, DM_DSCRATCH0, (uint32_t)wt_load_le(bytes, n));
    dm_inject(p, rv_csrr(X_T1, CSR_DSCRATCH0));
    dm_inject(p, rv_s(0x23, n == 4 ? 2 : 0, X_T0, X_T1, offset));
}

/* One batch: reads [addr, addr + size) to @p out, or writes it from @p from; the other is NULL. */
static enum wt_status move_batch(struct wt_probe *p, struct dm_loan *loan, uint64_t addr,
                                 uint8_t *out, const uint8_t *from, size_t size,
                                 struct wt_error *err)
{
    enum wt_status status;
    size_t cursor = 0;
    loan_begin(p, loan);
    for (size_t k = 0, n; k < size; k += n) {
        const uint64_t here = addr + k;
        if (k == 0 || here % CHUNK == 0)
            dm_inject_constant(p, X_T0, here & ~(uint64_t)(CHUNK - 1));
        n = piece_size(here, size - k);
        if (from)
            add_store(p, from + k, n, (int32_t)(here % CHUNK));
        else
            add_load(p, n, (int32_t)(here % CHUNK));
    }
    if ((status = loan_run(p, loan, err)) != WT_OK)
        return status;
    for (size_t k = 0, n; out && k < size; k += n) {
        n = piece_size(addr + k, size - k);
        wt_store_le(out + k, dm_next_value(p, &cursor), n);
    }
    return WT_OK;
}

static enum wt_status move_by_injection(struct wt_probe *p, uint32_t wave, unsigned lane,
                                        uint64_t addr, uint8_t *out, const uint8_t *from,
                                        size_t size, struct wt_error *err)
{
    struct dm_loan loan;
    enum wt_status status = loan_borrow_one(p, &loan, wave, lane, true, err);
    for (size_t done = 0, part; done < size && !status; done += part) {
        part = size - done < BATCH_BYTES ? size - done : BATCH_BYTES;
        status = move_batch(p, &loan, addr + done, out ? out + done : NULL,
                            from ? from + done : NULL, part, err);
    }
    return status;
}

enum wt_status vortex_read_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                  struct wt_address at, void *out, size_t size,
                                  struct wt_error *err)
{
    const struct wt_target_services *services = p->target->services;
    enum wt_status status = size ? check_range(p, at, size, err) : WT_OK;
    if (status || size == 0)
        return status;
    if (!p->port || !services->read_memory)
        return move_by_injection(p, wave, lane, at.offset, out, NULL, size, err);
    if (services->read_memory(p->target->context, wave, lane, at, out, size))
        return WT_OK;
    return wt_fail(err, WT_INVALID, "no memory at 0x%" PRIx64 " (%zu bytes)", at.offset, size);
}

enum wt_status vortex_write_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                   struct wt_address at, const void *bytes, size_t size,
                                   struct wt_error *err)
{
    const struct wt_target_services *services = p->target->services;
    enum wt_status status = size ? check_range(p, at, size, err) : WT_OK;
    if (status || size == 0)
        return status;
    if (!p->port || !services->write_memory)
        return move_by_injection(p, wave, lane, at.offset, NULL, bytes, size, err);
    if (services->write_memory(p->target->context, wave, lane, at, bytes, size))
        return WT_OK;
    return wt_fail(err, WT_INVALID, "cannot write %zu bytes at 0x%" PRIx64, size, at.offset);
}
