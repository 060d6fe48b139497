/* Checks of WMASK, WACTIVE and WSTATUS, and of the windows in which they are seen. */
#include "debug/conformance/internal.h"

#define WMASK "0x3: WMASK"
#define WACTIVE "0x4: WACTIVE"
#define WSTATUS "0x5: WSTATUS"
#define SELECTING "Selecting Multiple Warps"

/* ---- WMASK ---- */

/* The pattern that a window gets: different in each. */
static uint32_t pattern(const struct conformance *c, unsigned window, uint32_t salt)
{
    return (window * 0x9e3779b1u + 0x7f4a7c15u * (salt + 1)) & window_bits(c, window);
}

static void write_windows(struct conformance *c, uint32_t salt)
{
    c->wmask_known = false;
    for (unsigned i = 0; i < c->windows; i++) {
        struct wt_bus_op ops[] = {{true, DM_DSELECT, (uint32_t)i << 22},
                                  {true, DM_WMASK, pattern(c, i, salt)}};
        accesses(c, ops, 2);
    }
}

static void wmask_holds(struct conformance *c)
{
    if (!awake(c))
        return;
    c->wmask_known = false;
    dselect(c, 0, 0, 0);
    const uint32_t all = window_bits(c, 0);
    uint32_t value = all;
    for (unsigned i = 0; i < 34; i++) {
        wr(c, DM_WMASK, value);
        if (!expect(c, value, rd(c, DM_WMASK) & all, "WMASK of window 0 after writing 0x%x",
                    (unsigned)value))
            return;
        value = i == 0 || i > 32 ? 0 : ((uint32_t)1 << (i - 1)) & all;
    }
}

static void wmask_windows(struct conformance *c)
{
    if (c->windows == 1) {
        cannot_yet(c, WOULD_WINDOWS, "the device has only one window");
        return;
    }
    if (!awake(c))
        return;
    for (uint32_t salt = 0; salt < 2; salt++) {
        uint32_t came[DM_MAX_WINDOWS];
        write_windows(c, salt);
        read_windows(c, DM_WMASK, came);
        for (unsigned i = 0; i < c->windows; i++)
            if (!expect(c, pattern(c, i, salt), came[i] & window_bits(c, i),
                        "WMASK of window %u after writing each window", i))
                return;
    }
}

static void wmask_inert(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_COUNT) || !resume_warp(c, c->warp))
        return;
    wmask_none(c);
    wmask_only(c, c->warp);
    select_warp(c, c->warp);
    settle(c);
    expect(c, 0, rd(c, DM_WSTATUS) >> (c->warp % 32) & 1,
           "WSTATUS of warp %u after selecting it in WMASK and requesting nothing",
           (unsigned)c->warp);
}

/* ---- WACTIVE ---- */

static const char *name_of(unsigned reg)
{
    return reg == DM_WACTIVE ? "WACTIVE" : "WSTATUS";
}

/* Writes to a read-only window of status bits. */
static void read_only(struct conformance *c)
{
    const unsigned reg = c->check->number;
    const char *name = name_of(reg);
    if (!at_reset(c))
        return;
    select_warp(c, c->warp);
    const uint32_t before = rd(c, reg);
    wr(c, reg, ~before);
    if (!expect(c, before, rd(c, reg), "%s after writing its complement", name))
        return;
    wr(c, reg, 0);
    expect(c, before, rd(c, reg), "%s after writing 0", name);
}

/* The bits of warps first … first + count - 1, at most 32 of them. */
static uint32_t warps_of(const uint32_t *words, uint32_t first, unsigned count)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < count && i < 32; i++)
        bits |= (words[(first + i) / 32] >> ((first + i) % 32) & 1) << i;
    return bits;
}

static void wactive_csr(struct conformance *c)
{
    if (!injectable(c))
        return;
    uint32_t active[DM_MAX_WINDOWS];
    read_windows(c, DM_WACTIVE, active);
    const unsigned warps = c->device.warps;
    const uint32_t cores = warps ? c->waves / warps : 0;
    /* The first core, the last one, and one in the middle. */
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t core = i == 0 ? 0 : i == 1 ? cores / 2 : cores - 1;
        uint32_t came, mask = warps >= 32 ? 0xffffffff : ((uint32_t)1 << warps) - 1;
        if (core >= cores || !get_csr(c, core * warps, CSR_ACTIVE_WARPS, &came))
            return;
        if (!expect(c, came & mask, warps_of(active, core * warps, warps),
                    "WACTIVE of core %u's warps, expected as its CSR 0x%x has it", (unsigned)core,
                    CSR_ACTIVE_WARPS))
            return;
    }
}

static void wactive_exit(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_EXIT))
        return;
    if (!expect(c, 1, warp_bit(c, DM_WACTIVE, c->warp), "WACTIVE of warp %u before it exits",
                (unsigned)c->warp))
        return;
    release_warp(c, c->warp);
    const uint32_t bit = (uint32_t)1 << (c->warp % 32);
    if (!wait_for(c, DM_WACTIVE, bit, 0))
        failed(c, "expected WACTIVE of warp %u to become 0 when it exits (TMC x0), it stays 1",
               (unsigned)c->warp);
}

static void wactive_spawn(struct conformance *c)
{
    if (!placed(c))
        return;
    if (c->device.warps < 2) {
        cannot_yet(c, WOULD_WARPS, "the cores have only one warp");
        return;
    }
    const uint32_t spawned = c->warp + 1;
    const uint32_t bit = (uint32_t)1 << (spawned % 32);
    if (!expect(c, 0, warp_bit(c, DM_WACTIVE, spawned), "WACTIVE of warp %u before it is spawned",
                (unsigned)spawned) ||
        !set_x(c, c->warp, 0, 6 /* t1 */, 2) || !set_x(c, c->warp, 0, 7 /* t2 */, c->base) ||
        !go_to(c, c->warp, AT_SPAWN))
        return;
    release_warp(c, c->warp);
    select_warp(c, spawned);
    if (!wait_for(c, DM_WACTIVE, bit, bit))
        failed(c, "expected WACTIVE of warp %u to become 1 when it is spawned (WSPAWN), it stays 0",
               (unsigned)spawned);
}

/* Every warp is halted: bits of warps that do not exist are 0 nevertheless. */
static void beyond(struct conformance *c)
{
    const unsigned reg = c->check->number;
    const char *name = name_of(reg);
    if (!at_reset(c))
        return;
    c->wmask_known = false;
    /* As by a client for which that means "all". */
    dselect(c, c->windows - 1, 0, 0);
    wr(c, DM_WMASK, 0xffffffff);
    request(c, DCTRL_HALTREQ);
    uint32_t came = rd(c, reg), bits = window_bits(c, c->windows - 1);
    if (!expect(c, 0, came & ~bits, "%s bits of window %u beyond warp %u", name, c->windows - 1,
                (unsigned)c->waves - 1))
        return;
    if (c->windows < DM_MAX_WINDOWS) {
        dselect(c, c->windows, 0, 0);
        wr(c, DM_WMASK, 0xffffffff);
        request(c, DCTRL_HALTREQ);
        expect(c, 0, rd(c, reg), "%s of window %u, which has no warps", name, c->windows);
        wr(c, DM_WMASK, 0);
    } else if (bits == 0xffffffff) {
        cannot_yet(c, WOULD_ABSENT, "every bit of every window belongs to a warp that exists");
    }
}

/* ---- WSTATUS ---- */

/* The first warp halts, whatever it was doing, by resethaltreq or by haltreq. */
static void halt_somehow(struct conformance *c)
{
    const uint32_t bit = (uint32_t)1 << (c->warp % 32);
    wmask_all(c);
    request(c, DCTRL_RESETHALTREQ | DCTRL_NDMRESET);
    if (!reset_ends(c))
        return;
    request(c, DCTRL_HALTREQ);
    select_warp(c, c->warp);
    if (!wait_for(c, DM_WSTATUS, bit, bit))
        failed(c, "expected WSTATUS of warp %u to become 1 by resethaltreq or haltreq, it stays 0",
               (unsigned)c->warp);
}

static void wstatus_halted(struct conformance *c)
{
    if (!awake(c))
        return;
    halt_somehow(c);
    if (c->decided || !placed(c) || !go_to(c, c->warp, AT_COUNT))
        return;
    const uint32_t bit = (uint32_t)1 << (c->warp % 32);
    release_warp(c, c->warp);
    if (!wait_for(c, DM_WSTATUS, bit, 0)) {
        failed(c, "expected WSTATUS of warp %u to become 0 when it resumes, it stays 1",
               (unsigned)c->warp);
        return;
    }
    request(c, DCTRL_HALTREQ);
    if (!wait_for(c, DM_WSTATUS, bit, bit))
        failed(c, "expected WSTATUS of warp %u to become 1 when it halts, it stays 0",
               (unsigned)c->warp);
}

/* The one halted warp shows in its window, at its bit, and nowhere else. */
static void wstatus_windows(struct conformance *c)
{
    if (c->windows == 1) {
        cannot_yet(c, WOULD_WINDOWS, "the device has only one window");
        return;
    }
    if (!counting(c))
        return;
    const uint32_t warps[] = {c->warp, c->has_other ? c->other : c->warp, last_active(c)};
    for (unsigned i = 0; i < 3; i++) {
        uint32_t came[DM_MAX_WINDOWS];
        wmask_all(c);
        request(c, DCTRL_RESUMEREQ);
        wmask_only(c, warps[i]);
        request(c, DCTRL_HALTREQ);
        select_warp(c, warps[i]);
        const uint32_t bit = (uint32_t)1 << (warps[i] % 32);
        wait_for(c, DM_WSTATUS, bit, bit);
        read_windows(c, DM_WSTATUS, came);
        for (unsigned w = 0; w < c->windows; w++)
            if (!expect(c, w == warps[i] / 32 ? bit : 0, came[w],
                        "WSTATUS of window %u when only warp %u is halted", w, (unsigned)warps[i]))
                return;
    }
}

/* ---- requests and windows ---- */

/*
 * Halt (or resume) requests apply to the warps of WMASK in every window, whichever is selected. The
 * specification leaves open whether a warp that is not active can be halted.
 */
static void all_windows(struct conformance *c)
{
    const bool halt = c->check->number;
    const char *name = halt ? "haltreq" : "resumereq";
    if (c->windows == 1) {
        cannot_yet(c, WOULD_WINDOWS, "the device has only one window");
        return;
    }
    if (!counting(c))
        return;
    wmask_all(c);
    request(c, halt ? DCTRL_RESUMEREQ : DCTRL_HALTREQ);
    /* Active warps alternately: some are selected, some are not. */
    uint32_t came[DM_MAX_WINDOWS], chosen[DM_MAX_WINDOWS] = {0};
    unsigned turn = 0;
    for (uint32_t w = 0; w < c->waves; w++)
        if (c->active[w / 32] >> (w % 32) & 1 && turn++ % 2 == 0)
            chosen[w / 32] |= (uint32_t)1 << (w % 32);
    wmask_set(c, chosen);
    dselect(c, 0, 0, 0);
    request(c, halt ? DCTRL_HALTREQ : DCTRL_RESUMEREQ);
    settle(c);
    read_windows(c, DM_WSTATUS, came);
    for (unsigned i = 0; i < c->windows; i++) {
        const uint32_t wanted = halt ? chosen[i] : ~chosen[i];
        if (!expect(c, wanted & c->active[i], came[i] & c->active[i],
                    "WSTATUS of window %u after %s with WMASK 0x%x there (active warps alone)", i,
                    name, (unsigned)chosen[i]))
            return;
    }
}

const struct check wt_checks_of_windows[] = {
    {{"wmask.holds", WMASK, "WMASK.mask", "holds what is written, for each warp that exists"},
     .run = wmask_holds},
    {{"wmask.windows", SELECTING, "WMASK, DSELECT.winsel", "each window has bits of its own"},
     .run = wmask_windows},
    {{"wmask.inert", SELECTING, "WMASK.mask", "to select is not to halt"}, .run = wmask_inert},
    {{"wactive.read-only", WACTIVE, "WACTIVE.astatus", "writes change nothing"},
     read_only,
     DM_WACTIVE},
    {{"wactive.csr", WACTIVE, "WACTIVE.astatus", "as the program sees it"}, .run = wactive_csr},
    {{"wactive.exit", WACTIVE, "WACTIVE.astatus", "0 once a warp has exited"}, .run = wactive_exit},
    {{"wactive.spawn", WACTIVE, "WACTIVE.astatus", "1 once a warp is spawned"},
     .run = wactive_spawn},
    {{"wactive.beyond", WACTIVE, "WACTIVE.astatus", "0 for warps that do not exist"},
     beyond,
     DM_WACTIVE},
    {{"wstatus.read-only", WSTATUS, "WSTATUS.status", "writes change nothing"},
     read_only,
     DM_WSTATUS},
    {{"wstatus.halted", WSTATUS, "WSTATUS.status", "1 while a warp is halted, 0 while it is not"},
     .run = wstatus_halted},
    {{"wstatus.windows", WSTATUS, "WSTATUS, DSELECT.winsel", "a warp is in its own window only"},
     .run = wstatus_windows},
    {{"wstatus.beyond", WSTATUS, "WSTATUS.status", "0 for warps that do not exist"},
     beyond,
     DM_WSTATUS},
    {{"haltreq.all-windows", SELECTING, "DCTRL.haltreq, WMASK", "means all windows, not winsel's"},
     all_windows,
     true},
    {{"resumereq.all-windows", SELECTING, "DCTRL.resumereq, WMASK",
      "means all windows, not winsel's"},
     all_windows,
     false},
    {.run = NULL},
};
