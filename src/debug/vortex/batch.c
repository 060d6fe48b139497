/*
 * Batches of Debug Module accesses. Many injections share one round trip as long as the device has
 * always finished one before the next access arrived ("brisk"). Each injection is polled within the
 * batch, so that a device that falls behind is noticed; from then on it is served one injection at
 * a time.
 */
#include "debug/vortex/dm.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "base/clock.h"

/* The default time that a device may take for one request. */
#define WAIT_MS 2000
#define WAIT_STUCK_MS 100
/* The least number of polls, and the number of polls without a rest between them. */
#define POLLS_AT_LEAST 32
#define POLLS_AT_ONCE 1000

void dm_begin(struct wt_probe *p)
{
    struct dm_batch *b = &p->batch;
    b->count = b->injections = 0;
    b->selected_known = b->instruction_known = b->no_memory = b->guarded = false;
    p->scanned = false;
}

static size_t append(struct dm_batch *b, struct wt_bus_op op)
{
    if (b->count == b->capacity) {
        struct wt_bus_op *more = wt_array_grow(b->op, &b->capacity, b->count + 1, sizeof *more);
        if (!more) {
            b->no_memory = true;
            return 0;
        }
        b->op = more;
    }
    b->op[b->count] = op;
    return b->count++;
}

void dm_put(struct wt_probe *p, enum dm_register reg, uint32_t value)
{
    append(&p->batch, (struct wt_bus_op){.write = true, .addr = (uint16_t)reg, .value = value});
}

size_t dm_get(struct wt_probe *p, enum dm_register reg)
{
    return append(&p->batch, (struct wt_bus_op){.addr = (uint16_t)reg});
}

void dm_select(struct wt_probe *p, unsigned window, uint32_t wave, unsigned lane)
{
    struct dm_batch *b = &p->batch;
    assert(window < 1u << 10 && wave < 1u << 15 && lane < 1u << 7); /* DSELECT's fields */
    uint32_t value = (uint32_t)window << 22 | wave << 7 | lane;
    if (b->selected_known && b->selected == value)
        return;
    b->selected = value;
    b->selected_known = true;
    dm_put(p, DM_DSELECT, value);
}

/*
 * A Debug Module that was reset unnoticed would take the first request for a mere wake-up call, and
 * the rest would seem to work: check for a reset before the request.
 */
void dm_guard(struct wt_probe *p)
{
    struct dm_batch *b = &p->batch;
    if (b->guarded)
        return;
    b->guarded = true;
    b->guard = dm_get(p, DM_DCTRL);
}

void dm_request(struct wt_probe *p, uint32_t bits)
{
    dm_guard(p);
    dm_put(p, DM_DCTRL, DCTRL_DMACTIVE | bits);
}

void dm_inject(struct wt_probe *p, uint32_t instruction)
{
    struct dm_batch *b = &p->batch;
    if (b->injections == b->injection_capacity) {
        size_t *more =
            wt_array_grow(b->injection, &b->injection_capacity, b->injections + 1, sizeof *more);
        if (!more) {
            b->no_memory = true;
            return;
        }
        b->injection = more;
    }
    if (!b->instruction_known || b->instruction != instruction)
        dm_put(p, DM_INJECT, instruction);
    b->instruction = instruction;
    b->instruction_known = true;
    dm_request(p, DCTRL_INJECTREQ);
    for (unsigned i = 0; i + 1 < p->polls; i++)
        dm_get(p, DM_DCTRL);
    b->injection[b->injections++] = dm_get(p, DM_DCTRL);
}

void dm_wait_begin(struct wt_probe *p, struct dm_wait *wait)
{
    unsigned ms = p->link->wait_ms ? p->link->wait_ms : WAIT_MS;
    if (p->stuck && ms > WAIT_STUCK_MS)
        ms = WAIT_STUCK_MS;
    wait->deadline_ns = wt_clock_ns() + (uint64_t)ms * 1000000;
    wait->polls = 0;
}

bool dm_wait_more(struct dm_wait *wait)
{
    /* A device in this process may need many accesses but no time; behind a slow wire a few
     * accesses use up all the time. */
    if (++wait->polls > POLLS_AT_ONCE) {
        struct timespec nap = {.tv_nsec = 200000};
        nanosleep(&nap, NULL);
    }
    return wait->polls < POLLS_AT_LEAST || wt_clock_ns() < wait->deadline_ns;
}

static enum wt_status check_awake(uint32_t dctrl, struct wt_error *err)
{
    if (dctrl & DCTRL_DMACTIVE)
        return WT_OK;
    return wt_fail(err, WT_IO,
                   "the Debug Module is not active any more (DCTRL reads 0x%08x): attach "
                   "again",
                   (unsigned)dctrl);
}

enum wt_status dm_wait_clear(struct wt_probe *p, uint32_t bits, const char *what,
                             struct wt_error *err)
{
    struct dm_wait wait;
    dm_wait_begin(p, &wait);
    for (;;) {
        uint32_t dctrl;
        enum wt_status status = wt_bus_read(p->bus, DM_DCTRL, &dctrl, err);
        if (!status)
            status = check_awake(dctrl, err);
        if (status)
            return status;
        if (!(dctrl & bits)) {
            p->stuck = false;
            return WT_OK;
        }
        if (!dm_wait_more(&wait)) {
            p->stuck = true;
            return wt_fail(err, WT_TIMEOUT,
                           "the device did not finish in time: waited for %s (DCTRL reads 0x%08x)",
                           what, (unsigned)dctrl);
        }
    }
}

static enum wt_status transact(struct wt_probe *p, size_t from, size_t to, struct wt_error *err)
{
    if (from == to)
        return WT_OK;
    return wt_bus_transact(p->bus, p->batch.op + from, to - from, err);
}

/* One injection a round trip, each awaited. */
static enum wt_status run_slowly(struct wt_probe *p, struct wt_error *err)
{
    struct dm_batch *b = &p->batch;
    size_t from = 0;
    for (size_t i = 0; i < b->injections; i++) {
        size_t poll = b->injection[i];
        enum wt_status status = transact(p, from, poll + 1, err);
        if (!status)
            status = check_awake(b->op[poll].value, err);
        if (!status && b->guarded && b->guard >= from && b->guard <= poll)
            status = check_awake(b->op[b->guard].value, err);
        if (!status && b->op[poll].value & DCTRL_INJECTSTATE)
            status = dm_wait_clear(p, DCTRL_INJECTSTATE,
                                   "an injected instruction (DCTRL.injectstate)", err);
        if (status)
            return status;
        from = poll + 1;
    }
    enum wt_status status = transact(p, from, b->count, err);
    if (!status && b->guarded && b->guard >= from)
        status = check_awake(b->op[b->guard].value, err);
    return status;
}

enum wt_status dm_run(struct wt_probe *p, struct wt_error *err)
{
    struct dm_batch *b = &p->batch;
    if (b->no_memory)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a batch of register accesses");
    if (!p->brisk)
        return run_slowly(p, err);
    enum wt_status status = transact(p, 0, b->count, err);
    if (status)
        return status;
    if (b->guarded && (status = check_awake(b->op[b->guard].value, err)))
        return status;
    bool late = false;
    for (size_t i = 0; i < b->injections; i++) {
        uint32_t dctrl = b->op[b->injection[i]].value;
        if ((status = check_awake(dctrl, err)))
            return status;
        late |= (dctrl & DCTRL_INJECTSTATE) != 0;
    }
    if (!late)
        return WT_OK;
    p->brisk = false;
    status =
        dm_wait_clear(p, DCTRL_INJECTSTATE, "an injected instruction (DCTRL.injectstate)", err);
    return status ? status : run_slowly(p, err);
}

/* The shortest usual sequence: lui and addi(w) for the upper part, then 12 bits at a time. */
static void inject_li64(struct wt_probe *p, unsigned reg, int64_t value)
{
    int64_t low = (int64_t)((uint64_t)value << 52) >> 52;
    if (value == (int64_t)(int32_t)value) {
        uint32_t upper = ((uint32_t)value + 0x800) & 0xfffff000;
        if (upper) {
            dm_inject(p, upper | reg << 7 | 0x37);
            if (low)
                dm_inject(p, rv_i(0x1b, reg, 0, reg, (int32_t)low));
        } else {
            dm_inject(p, rv_addi(reg, 0, (int32_t)low));
        }
        return;
    }
    int64_t rest = (int64_t)((uint64_t)value - (uint64_t)low) >> 12;
    unsigned shift = 12;
    while (!(rest & 1)) {
        rest >>= 1;
        shift++;
    }
    inject_li64(p, reg, rest);
    dm_inject(p, rv_slli(reg, reg, shift));
    if (low)
        dm_inject(p, rv_addi(reg, reg, (int32_t)low));
}

void dm_inject_constant(struct wt_probe *p, unsigned reg, uint64_t value)
{
    if (p->xlen == 64) {
        inject_li64(p, reg, (int64_t)value);
    } else {
        dm_put(p, DM_DSCRATCH0, (uint32_t)value);
        dm_inject(p, rv_csrr(reg, CSR_DSCRATCH0));
    }
}
