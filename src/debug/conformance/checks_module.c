/* Checks of DCTRL's module side: dmactive, ndmreset, the summary bits, and which bits can be
 * written. */
#include "debug/conformance/internal.h"

#define DCTRL "0x6: DCTRL"

/* ---- dmactive ---- */

static void dmactive_holds(struct conformance *c)
{
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t value = i % 2 ? 0 : DCTRL_DMACTIVE;
        c->wmask_known = false;
        wr(c, DM_DCTRL, value);
        if (!expect(c, value >> 31, rd(c, DM_DCTRL) >> 31, "DCTRL.dmactive after writing %u",
                    (unsigned)(value >> 31)))
            return;
    }
}

/* The value of a register after dmactive was 0. */
static uint32_t after_sleep(struct conformance *c, unsigned reg)
{
    c->wmask_known = false;
    wr(c, DM_DCTRL, 0);
    wr(c, DM_DCTRL, DCTRL_DMACTIVE);
    return rd(c, reg);
}

/*
 * dmactive = 0 resets the register. The specification does not give the reset value, so the check
 * only requires that it does not depend on the register's earlier contents.
 */
static void sleep_resets(struct conformance *c, unsigned reg, const char *name, uint32_t mask)
{
    const uint32_t reset = after_sleep(c, reg);
    for (unsigned i = 0; i < 2; i++) {
        if (!awake(c))
            return;
        const uint32_t value = i ? reset & ~mask : reset | mask;
        wr(c, reg, value);
        if (rd(c, reg) != value && i == 0 && rd(c, reg) == reset) {
            failed(c, "%s cannot be given another value than 0x%x, so that nothing can reset it",
                   name, (unsigned)reset);
            return;
        }
        if (!expect(c, reset, after_sleep(c, reg), "%s (0x%x before) after dmactive=0", name,
                    (unsigned)value))
            return;
    }
}

static void sleep_resets_dconfig(struct conformance *c)
{
    sleep_resets(c, DM_DCONFIG, "DCONFIG", 0xfc000001);
    wr(c, DM_DCONFIG, c->dconfig);
}

static void sleep_resets_dselect(struct conformance *c)
{
    const struct wt_conformance_device *d = &c->device;
    const uint32_t mask = (c->windows - 1) << 22 | (c->waves - 1) << 7 | (d->threads - 1);
    if (!mask) {
        cannot_yet(c, WOULD_WARPS, "there is only one warp of one thread to select");
        return;
    }
    sleep_resets(c, DM_DSELECT, "DSELECT", mask);
}

static void sleep_resets_wmask(struct conformance *c)
{
    sleep_resets(c, DM_WMASK, "WMASK of window 0", window_bits(c, 0));
    if (c->decided || c->windows == 1)
        return;
    /* And the last window. */
    c->wmask_known = false;
    dselect(c, 0, 0, 0);
    wr(c, DM_WMASK, 0);
    after_sleep(c, DM_WMASK);
    dselect(c, c->windows - 1, 0, 0);
    const uint32_t reset = rd(c, DM_WMASK);
    wr(c, DM_WMASK, ~reset & window_bits(c, c->windows - 1));
    after_sleep(c, DM_WMASK);
    dselect(c, c->windows - 1, 0, 0);
    expect(c, reset, rd(c, DM_WMASK), "WMASK of window %u after dmactive=0", c->windows - 1);
}

static void sleep_resets_inject(struct conformance *c)
{
    sleep_resets(c, DM_INJECT, "INJECT", 0xffffffff);
}

/* A register of one thread. A register that reads 0 whatever is written does not exist. */
static bool sleep_resets_scratch(struct conformance *c, uint32_t warp, unsigned thread, unsigned n)
{
    uint32_t came[2];
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t value = i ? 0xa5a5a5a5 : 0x5a5a5a5a;
        dselect(c, warp / 32, warp, thread);
        wr(c, DM_DSCRATCH0 + n, value);
        if (n && rd(c, DM_DSCRATCH0 + n) != value)
            return !c->broken;
        if (!expect(c, value, rd(c, DM_DSCRATCH0 + n),
                    "DSCRATCH%u of warp %u thread %u after writing it", n, (unsigned)warp, thread))
            return false;
        c->wmask_known = false;
        wr(c, DM_DCTRL, 0);
        wr(c, DM_DCTRL, DCTRL_DMACTIVE);
        dselect(c, warp / 32, warp, thread);
        came[i] = rd(c, DM_DSCRATCH0 + n);
    }
    return expect(c, came[0], came[1],
                  "DSCRATCH%u of warp %u thread %u (0xa5a5a5a5 before) after dmactive=0, expected "
                  "what it reads with 0x5a5a5a5a before",
                  n, (unsigned)warp, thread);
}

/* DSCRATCH belongs to the threads, but is also a register of the module. */
static void sleep_resets_dscratch(struct conformance *c)
{
    if (!at_reset(c))
        return;
    for (unsigned n = 0; n < 4; n++)
        if (!sleep_resets_scratch(c, c->warp, 0, n))
            return;
    sleep_resets_scratch(c, c->warp, c->device.threads - 1, 0);
}

/* Registers are held in reset as long as dmactive is 0: a write during that time has no effect. */
static void sleep_holds(struct conformance *c)
{
    const uint32_t reset = after_sleep(c, DM_INJECT);
    wr(c, DM_DCTRL, 0);
    wr(c, DM_INJECT, ~reset);
    wr(c, DM_DCTRL, DCTRL_DMACTIVE);
    expect(c, reset, rd(c, DM_INJECT), "INJECT after writing 0x%x to it while dmactive=0",
           (unsigned)~reset);
}

/* ---- ndmreset ---- */

static void ndmreset_ends(struct conformance *c)
{
    if (!awake(c))
        return;
    wr(c, DM_DCONFIG, c->dconfig);
    wmask_all(c);
    request(c, DCTRL_RESETHALTREQ | DCTRL_NDMRESET);
    if (!wait_for(c, DM_DCTRL, DCTRL_NDMRESET, 0))
        failed(c, "expected DCTRL.ndmreset to return to 0, it reads 1 for ever");
}

static void ndmreset_pc(struct conformance *c)
{
    if (!placed(c))
        return;
    select_warp(c, c->warp);
    const uint32_t start = rd(c, DM_DPC);
    if (!go_to(c, c->warp, AT_WAIT) || !at_reset(c))
        return;
    select_warp(c, c->warp);
    expect(c, start, rd(c, DM_DPC), "DPC of warp %u after a second reset", (unsigned)c->warp);
}

static void ndmreset_active(struct conformance *c)
{
    if (!counting(c))
        return;
    send_all(c, AT_EXIT);
    wmask_all(c);
    request(c, DCTRL_RESUMEREQ);
    uint32_t came[DM_MAX_WINDOWS];
    settle(c);
    if (!at_reset(c))
        return;
    read_windows(c, DM_WACTIVE, came);
    for (unsigned i = 0; i < c->windows; i++)
        if (!expect(c, c->active[i], came[i],
                    "WACTIVE of window %u after a reset, expected as after the first reset", i))
            return;
}

static void ndmreset_unhalts(struct conformance *c)
{
    if (!counting(c))
        return;
    if (!expect(c, 1, warp_bit(c, DM_WSTATUS, c->warp), "WSTATUS of warp %u before the reset",
                (unsigned)c->warp))
        return;
    request(c, DCTRL_NDMRESET);
    if (!reset_ends(c))
        return;
    expect(c, 0, warp_bit(c, DM_WSTATUS, c->warp),
           "WSTATUS of warp %u, halted before, after a reset without resethaltreq",
           (unsigned)c->warp);
}

/* ndmreset resets all but the module, which otherwise would not know what resethaltreq means. */
static void ndmreset_keeps(struct conformance *c)
{
    if (!at_reset(c))
        return;
    const uint32_t select = (c->waves - 1) << 7 | (c->device.threads - 1);
    const uint32_t config = c->dconfig | DCONFIG_EH;
    wr(c, DM_DCONFIG, config);
    wr(c, DM_INJECT, 0x12345678);
    wmask_all(c);
    dselect(c, 0, 0, 0);
    const uint32_t mask = rd(c, DM_WMASK);
    wr(c, DM_DSELECT, select);
    request(c, DCTRL_RESETHALTREQ | DCTRL_NDMRESET);
    if (!reset_ends(c) || !expect(c, select, rd(c, DM_DSELECT), "DSELECT after ndmreset") ||
        !expect(c, config, rd(c, DM_DCONFIG), "DCONFIG after ndmreset") ||
        !expect(c, 0x12345678, rd(c, DM_INJECT), "INJECT after ndmreset") ||
        !expect(c, mask, rd(c, DM_WMASK), "WMASK of window 0 after ndmreset"))
        return;
    wr(c, DM_DCONFIG, c->dconfig);
    expect(c, 1, rd(c, DM_DCTRL) >> 31, "DCTRL.dmactive after ndmreset");
}

/* ---- which warps there are, in the six summary bits ---- */

enum situation { ALL_HALTED, ALL_RESUMED, MIXED, ALL_EXITED, SITUATIONS };

static const char *const situation_names[] = {
    "with every warp halted",
    "with every warp resumed",
    "with one active warp halted and another running",
    "after every warp has exited",
};

/* Brings the device into the situation. False without a verdict: this device cannot be. */
static bool arrange(struct conformance *c, enum situation situation)
{
    uint32_t other;
    switch (situation) {
    case ALL_HALTED:
    case ALL_RESUMED:
        if (!counting(c))
            return false;
        wmask_all(c);
        request(c, situation == ALL_HALTED ? DCTRL_HALTREQ : DCTRL_RESUMEREQ);
        break;
    case MIXED:
        if (!c->has_other && c->device.warps < 2)
            return false;
        if (!two_warps(c, &other))
            return false;
        release_warp(c, other);
        break;
    default:
        if (!counting(c))
            return false;
        send_all(c, AT_EXIT);
        wmask_all(c);
        request(c, DCTRL_RESUMEREQ);
        for (struct patience p = {0}; more(c, &p);) {
            uint32_t words[DM_MAX_WINDOWS], any = 0;
            read_windows(c, DM_WACTIVE, words);
            for (unsigned i = 0; i < c->windows; i++)
                any |= words[i];
            if (!any)
                return !c->broken;
        }
        return cannot_yet(c, WOULD_TIME, "not every warp becomes inactive when all exit (WACTIVE)");
    }
    settle(c);
    return !c->broken;
}

/* The value that a summary bit must read in each situation: '0', '1', or '?' where the
 * specification leaves it open. */
static void summary_bit(struct conformance *c)
{
    /* The specification does not say whether a warp that waits to be spawned is unavailable. */
    const char *values[] = {
        c->waves == 1 ? "00?1" : "???1", "0001", "0110", "010?", "1010", "100?"};
    const unsigned bit = c->check->number;
    const char *expected = values[bit - 24];
    bool seen[2] = {false, false};
    for (enum situation s = ALL_HALTED; s < SITUATIONS; s++) {
        if (expected[s] == '?')
            continue;
        if (!arrange(c, s)) {
            if (c->decided || c->broken)
                return;
            continue;
        }
        const uint32_t wanted = expected[s] == '1';
        seen[wanted] = true;
        if (!expect(c, wanted, rd(c, DM_DCTRL) >> bit & 1, "%s %s", c->check->about.reg,
                    situation_names[s]))
            return;
    }
    if (!seen[0] || !seen[1])
        remark(c, "only its %u was seen", seen[1]);
}

/* ---- what may be written ---- */

/* DCTRL with the situations of a halted and a running device. */
static void reserved(struct conformance *c)
{
    if (!counting(c))
        return;
    for (unsigned i = 0; i < 2; i++) {
        request(c, DCTRL_RESERVED);
        if (!expect(c, 0, rd(c, DM_DCTRL) & DCTRL_RESERVED,
                    "DCTRL[23:12] after writing 1s to them, warps %s", i ? "running" : "halted"))
            return;
        wmask_all(c);
        request(c, DCTRL_RESUMEREQ);
    }
}

/* Clients read DCTRL, change a field and write it back: writing to status bits must
 * have no effect. */
static void read_only_bits(struct conformance *c)
{
    const uint32_t status = DCTRL_SUMMARY | (uint32_t)7 << 9 | DCTRL_INJECTSTATE | DCTRL_STEPSTATE;
    if (!at_reset(c))
        return;
    select_warp(c, c->warp);
    const uint32_t before = rd(c, DM_DCTRL);
    wr(c, DM_DCTRL, before);
    if (!expect(c, before, rd(c, DM_DCTRL), "DCTRL after writing back what it read"))
        return;
    wr(c, DM_DCTRL, before ^ status);
    if (!expect(c, before, rd(c, DM_DCTRL),
                "DCTRL after writing the complement of its status bits"))
        return;
    expect(c, 1, warp_bit(c, DM_WSTATUS, c->warp),
           "WSTATUS of warp %u, halted, after writing DCTRL's status bits", (unsigned)c->warp);
}

static void requests_read_zero(struct conformance *c)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } requests[] = {{DCTRL_INJECTREQ, "injectreq"},
                    {DCTRL_STEPREQ, "stepreq"},
                    {DCTRL_RESUMEREQ, "resumereq"},
                    {DCTRL_HALTREQ, "haltreq"}};
    if (!placed(c) || !go_to(c, c->warp, AT_COUNT))
        return;
    wmask_only(c, c->warp);
    select_warp(c, c->warp);
    wr(c, DM_INJECT, rv_addi(X_T0, X_T0, 0));
    for (unsigned i = 0; i < 4; i++) {
        request(c, requests[i].bit);
        if (!expect(c, 0, rd(c, DM_DCTRL) & DCTRL_REQUESTS,
                    "DCTRL's request bits [6], [3], [1:0] after a %s", requests[i].name))
            return;
        if (!wait_for(c, DM_DCTRL, DCTRL_INJECTSTATE | DCTRL_STEPSTATE, 0)) {
            cannot_yet(c, WOULD_TIME, "DCTRL.%s is not done in time", requests[i].name);
            return;
        }
    }
}

/* Addresses from 0xd on are unused, and no register answers to them. */
static void map_ends(struct conformance *c)
{
    static const unsigned aliased[] = {DM_DCONFIG, DM_DSELECT, DM_WMASK, DM_INJECT, DM_DSCRATCH0};
    if (!at_reset(c))
        return;
    dselect(c, 0, c->warp, 0);
    wr(c, DM_INJECT, 0x00000013);
    wr(c, DM_DSCRATCH0, 0x5a5a5a5a);
    uint32_t before[5];
    for (unsigned i = 0; i < 5; i++)
        before[i] = rd(c, aliased[i]);
    c->wmask_known = false;
    for (unsigned addr = 0xd; addr < 0x20; addr++)
        if (addr != 0x16) /* were it DCTRL, the rest would mean nothing */
            wr(c, addr, 0xa5a5a5a5);
    for (unsigned i = 0; i < 5; i++)
        if (!expect(c, before[i], rd(c, aliased[i]),
                    "register 0x%x after writing to addresses 0xd to 0x1f", aliased[i]))
            return;
}

const struct check wt_checks_of_module[] = {
    {{"dmactive.holds", DCTRL, "DCTRL.dmactive", "holds what is written"}, .run = dmactive_holds},
    {{"dmactive.resets-dconfig", DCTRL, "DCTRL.dmactive", "0 resets DCONFIG"},
     .run = sleep_resets_dconfig},
    {{"dmactive.resets-dselect", DCTRL, "DCTRL.dmactive", "0 resets DSELECT"},
     .run = sleep_resets_dselect},
    {{"dmactive.resets-wmask", DCTRL, "DCTRL.dmactive", "0 resets WMASK, first and last window"},
     .run = sleep_resets_wmask},
    {{"dmactive.resets-inject", DCTRL, "DCTRL.dmactive", "0 resets INJECT"},
     .run = sleep_resets_inject},
    {{"dmactive.resets-dscratch", DCTRL, "DCTRL.dmactive",
      "0 resets DSCRATCH, of the first and the last thread"},
     .run = sleep_resets_dscratch},
    {{"dmactive.keeps-asleep", DCTRL, "DCTRL.dmactive", "while it is 0, registers stay reset"},
     .run = sleep_holds},
    {{"ndmreset.ends", DCTRL, "DCTRL.ndmreset", "returns to 0"}, .run = ndmreset_ends},
    {{"ndmreset.pc", DCTRL, "DCTRL.ndmreset", "warps begin where they began"}, .run = ndmreset_pc},
    {{"ndmreset.active", DCTRL, "DCTRL.ndmreset", "the same warps are active as at first"},
     .run = ndmreset_active},
    {{"ndmreset.unhalts", DCTRL, "DCTRL.ndmreset", "without resethaltreq, warps run after it"},
     .run = ndmreset_unhalts},
    {{"ndmreset.keeps-module", DCTRL, "DCTRL.ndmreset", "the module's own registers stay"},
     .run = ndmreset_keeps},
    {{"dctrl.allhalted", DCTRL, "DCTRL.allhalted", "all warps are halted"}, summary_bit, 29},
    {{"dctrl.anyhalted", DCTRL, "DCTRL.anyhalted", "some warp is halted"}, summary_bit, 28},
    {{"dctrl.allrunning", DCTRL, "DCTRL.allrunning", "all warps are running"}, summary_bit, 27},
    {{"dctrl.anyrunning", DCTRL, "DCTRL.anyrunning", "some warp is running"}, summary_bit, 26},
    {{"dctrl.allunavail", DCTRL, "DCTRL.allunavail", "all warps are unavailable"}, summary_bit, 25},
    {{"dctrl.anyunavail", DCTRL, "DCTRL.anyunavail", "some warp is unavailable"}, summary_bit, 24},
    {{"dctrl.reserved", DCTRL, "DCTRL[23:12]", "reserved bits read 0"}, .run = reserved},
    {{"dctrl.read-only", DCTRL, "DCTRL", "status bits take no writes"}, .run = read_only_bits},
    {{"dctrl.requests-read-0", DCTRL, "DCTRL", "request bits are for writing only"},
     .run = requests_read_zero},
    {{"map.ends", "Debug Module Registers", "0xd and up", "no register answers there"},
     .run = map_ends},
    {.run = NULL},
};
