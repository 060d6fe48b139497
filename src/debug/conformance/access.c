/* Register accesses, waits with a limit, and injections of the conformance test. See internal.h. */
#include "debug/conformance/internal.h"

#include <time.h>

#include "base/clock.h"

void accesses(struct conformance *c, struct wt_bus_op *ops, size_t count)
{
    if (!c->broken && count && wt_bus_transact(c->bus, ops, count, c->err))
        c->broken = true;
}

uint32_t rd(struct conformance *c, unsigned reg)
{
    struct wt_bus_op op = {.addr = (uint16_t)reg};
    accesses(c, &op, 1);
    return op.value;
}

void wr(struct conformance *c, unsigned reg, uint32_t value)
{
    struct wt_bus_op op = {.write = true, .addr = (uint16_t)reg, .value = value};
    accesses(c, &op, 1);
}

void request(struct conformance *c, uint32_t bits)
{
    wr(c, DM_DCTRL, DCTRL_DMACTIVE | bits);
}

static uint32_t dselect_word(unsigned window, uint32_t warp, unsigned thread)
{
    return (uint32_t)window << 22 | warp << 7 | thread;
}

void dselect(struct conformance *c, unsigned window, uint32_t warp, unsigned thread)
{
    wr(c, DM_DSELECT, dselect_word(window, warp, thread));
}

void select_warp(struct conformance *c, uint32_t warp)
{
    dselect(c, warp / 32, warp, 0);
}

/* ---- waiting ---- */

/* A device that is pumped gets a number of turns; one that runs by itself gets time. */
enum { PUMPS = 128, EAGER_POLLS = 64, SETTLE_PUMPS = 8 };

static bool is_pumped(const struct conformance *c)
{
    return c->target->services && c->target->services->pump;
}

static void pump(struct conformance *c)
{
    /* Each warp gets its turn, whatever the schedule. */
    c->target->services->pump(c->target->context, 64 + 2 * (uint64_t)c->waves);
}

static uint64_t patience_ns(const struct conformance *c)
{
    return (c->options->patience_ms ? c->options->patience_ms : 1000) * (uint64_t)1000000;
}

static void nap(uint64_t ns)
{
    const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000),
                               .tv_nsec = (long)(ns % 1000000000)};
    nanosleep(&t, NULL);
}

bool more(struct conformance *c, struct patience *p)
{
    if (c->broken)
        return false;
    if (is_pumped(c)) {
        pump(c);
        return ++p->polls < PUMPS;
    }
    if (p->polls == 0)
        p->deadline_ns = wt_clock_ns() + patience_ns(c);
    if (++p->polls > EAGER_POLLS)
        nap(1000000);
    return p->polls <= EAGER_POLLS || wt_clock_ns() < p->deadline_ns;
}

bool wait_for(struct conformance *c, unsigned reg, uint32_t mask, uint32_t value)
{
    struct patience p = {0};
    do {
        if ((rd(c, reg) & mask) == value)
            return !c->broken;
    } while (more(c, &p));
    return false;
}

void settle(struct conformance *c)
{
    if (!is_pumped(c)) {
        nap(patience_ns(c) / 50);
        return;
    }
    for (unsigned i = 0; i < SETTLE_PUMPS; i++)
        pump(c);
}

/* ---- windows ---- */

uint32_t window_bits(const struct conformance *c, unsigned window)
{
    if (window >= c->windows)
        return 0;
    uint32_t left = c->waves - window * 32;
    return left >= 32 ? 0xffffffff : ((uint32_t)1 << left) - 1;
}

void wmask_set(struct conformance *c, const uint32_t wanted[DM_MAX_WINDOWS])
{
    struct wt_bus_op ops[2 * 64];
    size_t count = 0;
    for (unsigned i = 0; i < c->windows; i++) {
        if (!c->wmask_known || c->wmask[i] != wanted[i]) {
            ops[count++] = (struct wt_bus_op){true, DM_DSELECT, dselect_word(i, 0, 0)};
            ops[count++] = (struct wt_bus_op){true, DM_WMASK, wanted[i]};
        }
        if (count == sizeof ops / sizeof *ops || i + 1 == c->windows) {
            accesses(c, ops, count);
            count = 0;
        }
        c->wmask[i] = wanted[i];
    }
    c->wmask_known = !c->broken;
}

void wmask_all(struct conformance *c)
{
    uint32_t wanted[DM_MAX_WINDOWS];
    for (unsigned i = 0; i < c->windows; i++)
        wanted[i] = window_bits(c, i);
    wmask_set(c, wanted);
}

void wmask_none(struct conformance *c)
{
    const uint32_t wanted[DM_MAX_WINDOWS] = {0};
    wmask_set(c, wanted);
}

void wmask_only(struct conformance *c, uint32_t warp)
{
    uint32_t wanted[DM_MAX_WINDOWS] = {0};
    wanted[warp / 32] = (uint32_t)1 << (warp % 32);
    wmask_set(c, wanted);
}

void read_windows(struct conformance *c, unsigned reg, uint32_t words[DM_MAX_WINDOWS])
{
    struct wt_bus_op ops[2 * 64];
    for (unsigned first = 0; first < c->windows; first += 64) {
        unsigned count = c->windows - first < 64 ? c->windows - first : 64;
        for (unsigned i = 0; i < count; i++) {
            ops[2 * i] = (struct wt_bus_op){true, DM_DSELECT, dselect_word(first + i, 0, 0)};
            ops[2 * i + 1] = (struct wt_bus_op){.addr = (uint16_t)reg};
        }
        accesses(c, ops, 2 * (size_t)count);
        for (unsigned i = 0; i < count; i++)
            words[first + i] = ops[2 * i + 1].value;
    }
}

bool warp_bit(struct conformance *c, unsigned reg, uint32_t warp)
{
    select_warp(c, warp);
    return rd(c, reg) >> (warp % 32) & 1;
}

/* ---- injection ---- */

bool inject(struct conformance *c, uint32_t instruction)
{
    struct wt_bus_op ops[] = {
        {true, DM_INJECT, instruction},
        {true, DM_DCTRL, DCTRL_DMACTIVE | DCTRL_INJECTREQ},
        {.addr = DM_DCTRL},
    };
    accesses(c, ops, 3);
    if (!c->broken && ops[2].value & DCTRL_INJECTSTATE &&
        !wait_for(c, DM_DCTRL, DCTRL_INJECTSTATE, 0))
        return cannot_yet(c, WOULD_TIME,
                          "DCTRL.injectstate does not return to NONE after an injection");
    return !c->broken;
}

bool get_x(struct conformance *c, uint32_t warp, unsigned thread, unsigned reg, uint32_t *value)
{
    *value = 0;
    dselect(c, warp / 32, warp, thread);
    wr(c, DM_DSCRATCH0, 0xbad0bad0); /* an older value is not taken for this one */
    if (!inject(c, rv_csrw(CSR_DSCRATCH0, reg)))
        return false;
    *value = rd(c, DM_DSCRATCH0);
    return !c->broken;
}

bool set_x(struct conformance *c, uint32_t warp, unsigned thread, unsigned reg, uint32_t value)
{
    dselect(c, warp / 32, warp, thread);
    wr(c, DM_DSCRATCH0, value);
    if (!inject(c, rv_csrr(reg, CSR_DSCRATCH0)))
        return false;
    /* The specification leaves open what the upper half of a 32-bit CSR reads as. */
    return c->device.xlen != 64 ||
           (inject(c, rv_slli(reg, reg, 32)) && inject(c, rv_srli(reg, reg, 32)));
}

bool get_csr(struct conformance *c, uint32_t warp, unsigned csr, uint32_t *value)
{
    *value = 0;
    select_warp(c, warp);
    return inject(c, rv_csrr(X_T0, csr)) && get_x(c, warp, 0, X_T0, value);
}

bool load_word(struct conformance *c, uint32_t addr, uint32_t *value)
{
    *value = 0;
    return set_x(c, c->warp, 0, X_T1, addr) && inject(c, rv_i(0x03, X_T0, 2, X_T1, 0)) &&
           get_x(c, c->warp, 0, X_T0, value);
}

bool store_word(struct conformance *c, uint32_t addr, uint32_t value)
{
    return set_x(c, c->warp, 0, X_T1, addr) && set_x(c, c->warp, 0, X_T0, value) &&
           inject(c, rv_s(0x23, 2, X_T1, X_T0, 0));
}
