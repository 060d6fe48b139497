/* Checks of DCTRL's requests: halt, resume, halt at reset, step; and of hacause. */
#include "debug/conformance/internal.h"

#define DCTRL "0x6: DCTRL"
#define SELECTING "Selecting Multiple Warps"
#define SELECTING_ONE "Selecting a Single Warp/Thread"

enum { X_T2 = 7 };

/* ---- haltreq, resumereq ---- */

/* The running warp halts, and is really stopped: neither DPC nor its counter changes any more. */
static void haltreq_stops(struct conformance *c)
{
    uint32_t before, after;
    if (!placed(c) || !go_to(c, c->warp, AT_COUNT))
        return;
    release_warp(c, c->warp);
    settle(c);
    request(c, DCTRL_HALTREQ);
    const uint32_t bit = (uint32_t)1 << (c->warp % 32);
    if (!wait_for(c, DM_WSTATUS, bit, bit)) {
        failed(c, "expected warp %u to halt on haltreq, WSTATUS of it stays 0", (unsigned)c->warp);
        return;
    }
    if (!get_x(c, c->warp, 0, X_T0, &before))
        return;
    const uint32_t pc = rd(c, DM_DPC);
    settle(c);
    if (!get_x(c, c->warp, 0, X_T0, &after))
        return;
    if (expect(c, pc, rd(c, DM_DPC), "DPC of the halted warp %u some time later",
               (unsigned)c->warp))
        expect(c, before, after, "t0, which warp %u counts, some time after it halted",
               (unsigned)c->warp);
}

/* Checks whether a warp counts while others are halted or resumed. It is halted before
 * and after. */
static bool counted(struct conformance *c, uint32_t warp, uint32_t before, bool *moved)
{
    uint32_t after;
    if (!read_counter(c, warp, &after))
        return false;
    *moved = after != before;
    return true;
}

/* One warp is halted by haltreq, the other one, which WMASK does not name, goes on. */
static void haltreq_selected(struct conformance *c)
{
    uint32_t other;
    if (!two_warps(c, &other))
        return;
    release_warp(c, c->warp);
    release_warp(c, other);
    wmask_only(c, c->warp);
    request(c, DCTRL_HALTREQ);
    settle(c);
    if (expect(c, 1, warp_bit(c, DM_WSTATUS, c->warp), "WSTATUS of warp %u, which WMASK names",
               (unsigned)c->warp))
        expect(c, 0, warp_bit(c, DM_WSTATUS, other),
               "WSTATUS of warp %u, which WMASK does not name, after haltreq", (unsigned)other);
}

static void haltreq_none(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_COUNT) || !resume_warp(c, c->warp))
        return;
    wmask_none(c);
    select_warp(c, c->warp);
    request(c, DCTRL_HALTREQ);
    settle(c);
    expect(c, 0, rd(c, DM_WSTATUS) >> (c->warp % 32) & 1,
           "WSTATUS of warp %u after haltreq with WMASK 0", (unsigned)c->warp);
}

static void resumereq_runs(struct conformance *c)
{
    uint32_t before;
    bool moved = false;
    if (!placed(c) || !go_to(c, c->warp, AT_COUNT) || !get_x(c, c->warp, 0, X_T0, &before))
        return;
    release_warp(c, c->warp);
    settle(c);
    const uint32_t bit = (uint32_t)1 << (c->warp % 32);
    if (rd(c, DM_WSTATUS) & bit) {
        failed(c, "expected warp %u to run after resumereq, WSTATUS of it stays 1",
               (unsigned)c->warp);
        return;
    }
    if (counted(c, c->warp, before, &moved) && !moved)
        failed(c, "expected warp %u to issue instructions after resumereq, it has issued none",
               (unsigned)c->warp);
}

static void resumereq_selected(struct conformance *c)
{
    uint32_t other;
    if (!two_warps(c, &other))
        return;
    release_warp(c, other);
    settle(c);
    if (expect(c, 0, warp_bit(c, DM_WSTATUS, other), "WSTATUS of warp %u, which WMASK names",
               (unsigned)other))
        expect(c, 1, warp_bit(c, DM_WSTATUS, c->warp),
               "WSTATUS of warp %u, which WMASK does not name, after resumereq", (unsigned)c->warp);
}

/* ---- resethaltreq ---- */

/* Resets with resethaltreq for one warp alone, in one write or in two, as clients do it. */
static void reset_halt(struct conformance *c)
{
    const bool two_writes = c->check->number;
    if (!counting(c))
        return;
    select_warp(c, c->warp);
    const uint32_t start = rd(c, DM_DPC);
    wmask_all(c);
    request(c, DCTRL_RESUMEREQ);
    settle(c);
    wmask_only(c, c->warp);
    if (two_writes)
        request(c, DCTRL_RESETHALTREQ);
    request(c, DCTRL_NDMRESET | (two_writes ? 0 : DCTRL_RESETHALTREQ));
    if (!reset_ends(c))
        return;
    if (!expect(c, 1, warp_bit(c, DM_WSTATUS, c->warp),
                "WSTATUS of warp %u after a reset with resethaltreq", (unsigned)c->warp))
        return;
    settle(c);
    if (c->options->base_given)
        return; /* where it starts is not known */
    expect(c, start, rd(c, DM_DPC), "DPC of warp %u, halted before its first instruction",
           (unsigned)c->warp);
}

static void resethaltreq_selected(struct conformance *c)
{
    if (!counting(c))
        return;
    wmask_none(c);
    uint32_t running = c->warp;
    if (c->has_other) {
        wmask_only(c, c->warp);
        running = c->other;
    }
    request(c, DCTRL_RESETHALTREQ | DCTRL_NDMRESET);
    if (!reset_ends(c))
        return;
    expect(c, 0, warp_bit(c, DM_WSTATUS, running),
           "WSTATUS of warp %u, which WMASK does not name, after a reset with resethaltreq",
           (unsigned)running);
}

static void resethaltreq_once(struct conformance *c)
{
    if (!counting(c))
        return;
    wmask_only(c, c->warp);
    request(c, DCTRL_RESETHALTREQ | DCTRL_NDMRESET);
    if (!reset_ends(c))
        return;
    request(c, DCTRL_RESUMEREQ);
    request(c, DCTRL_NDMRESET);
    if (!reset_ends(c))
        return;
    expect(c, 0, warp_bit(c, DM_WSTATUS, c->warp),
           "WSTATUS of warp %u after a second reset, without resethaltreq", (unsigned)c->warp);
}

/* ---- hacause ---- */

static void hacause_none(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_COUNT) || !resume_warp(c, c->warp))
        return;
    expect(c, CAUSE_NONE, hacause(c, c->warp), "DCTRL.hacause of the running warp %u",
           (unsigned)c->warp);
}

static void hacause_haltreq(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_COUNT) || !resume_warp(c, c->warp) ||
        !halt_warp(c, c->warp))
        return;
    expect(c, CAUSE_HALTREQ, hacause(c, c->warp), "DCTRL.hacause after haltreq (2: HALTREQ)");
}

static void hacause_step(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_COUNT) || !step_warp(c, c->warp))
        return;
    expect(c, CAUSE_STEP, hacause(c, c->warp), "DCTRL.hacause after a step (3: STEP)");
}

static void hacause_ebreak(struct conformance *c)
{
    if (!run_to_ebreak(c))
        return;
    expect(c, CAUSE_EBREAK, hacause(c, c->warp), "DCTRL.hacause after an ebreak (1: EBREAK)");
    wr(c, DM_DCONFIG, c->dconfig);
}

static void hacause_resethaltreq(struct conformance *c)
{
    if (!at_reset(c))
        return;
    wmask_all(c);
    request(c, DCTRL_RESETHALTREQ | DCTRL_NDMRESET);
    if (!reset_ends(c))
        return;
    if (!warp_bit(c, DM_WSTATUS, c->warp)) {
        cannot(c, "resethaltreq does not halt warp %u", (unsigned)c->warp);
        return;
    }
    const unsigned cause = hacause(c, c->warp);
    if (cause == CAUSE_HALTREQ)
        remark(c, "it reports HALTREQ, which is acceptable");
    else
        expect(c, CAUSE_RESETHALTREQ, cause,
               "DCTRL.hacause after resethaltreq (4: RESETHALTREQ; 2, HALTREQ, is acceptable)");
}

static void hacause_selected(struct conformance *c)
{
    uint32_t other;
    if (!two_warps(c, &other) || !step_warp(c, other))
        return;
    if (!halt_warp(c, c->warp))
        return;
    release_warp(c, c->warp);
    settle(c);
    if (!halt_warp(c, c->warp))
        return;
    if (expect(c, CAUSE_STEP, hacause(c, other), "DCTRL.hacause of warp %u, which was stepped",
               (unsigned)other))
        expect(c, CAUSE_HALTREQ, hacause(c, c->warp),
               "DCTRL.hacause of warp %u, which was halted by haltreq", (unsigned)c->warp);
}

/* ---- stepreq ---- */

static void stepreq_one(struct conformance *c)
{
    uint32_t before, after;
    if (!placed(c) || !go_to(c, c->warp, AT_LINE) || !get_x(c, c->warp, 0, X_T0, &before))
        return;
    for (unsigned i = 1; i <= 3; i++) {
        if (!step_warp(c, c->warp) || !expect(c, c->base + AT_LINE + 4 * i, rd(c, DM_DPC),
                                              "DPC after %u steps of 4 bytes", i))
            return;
        if (!get_x(c, c->warp, 0, X_T0, &after) ||
            !expect(c, before + i, after, "t0 after %u steps of t0 += 1 from 0x%x", i,
                    (unsigned)before))
            return;
    }
}

static void stepreq_halts(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_COUNT))
        return;
    select_warp(c, c->warp);
    request(c, DCTRL_STEPREQ);
    if (!wait_for(c, DM_DCTRL, DCTRL_STEPSTATE, 0)) {
        failed(c, "expected DCTRL.stepstate to return to NONE, it reads %u for ever",
               (unsigned)wt_field(rd(c, DM_DCTRL), 5, 4));
        return;
    }
    settle(c);
    expect(c, 1, rd(c, DM_WSTATUS) >> (c->warp % 32) & 1, "WSTATUS of warp %u after its step",
           (unsigned)c->warp);
}

static void stepreq_jump(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_JUMP) || !step_warp(c, c->warp))
        return;
    expect(c, c->base + AT_COUNT, rd(c, DM_DPC), "DPC after a step of a jump from 0x%x",
           (unsigned)(c->base + AT_JUMP));
}

/* The warp of warpsel steps, whatever WMASK names, and none beside it. */
static void stepreq_selected(struct conformance *c)
{
    uint32_t other;
    if (!two_warps(c, &other) || !go_to(c, c->warp, AT_LINE) || !go_to(c, other, AT_LINE))
        return;
    wmask_only(c, c->warp);
    if (!step_warp(c, other))
        return;
    settle(c);
    if (!expect(c, c->base + AT_LINE + 4, rd(c, DM_DPC), "DPC of warp %u, which was stepped",
                (unsigned)other))
        return;
    select_warp(c, c->warp);
    if (expect(c, c->base + AT_LINE, rd(c, DM_DPC), "DPC of warp %u, when warp %u was stepped",
               (unsigned)c->warp, (unsigned)other))
        expect(c, 1, rd(c, DM_WSTATUS) >> (c->warp % 32) & 1,
               "WSTATUS of warp %u, when warp %u was stepped", (unsigned)c->warp, (unsigned)other);
}

/* States that were seen after a request, for as long as they last. */
static void states(struct conformance *c, unsigned msb, unsigned lsb, const char *name)
{
    unsigned last = 0, polls = 0;
    bool seen[4] = {false, false, false, false};
    struct patience p = {0};
    for (;;) {
        const unsigned state = wt_field(rd(c, DM_DCTRL), msb, lsb);
        if (c->broken)
            return;
        if (state == 3) {
            failed(c, "expected DCTRL.%s to be NONE, REQ or INFLIGHT, got 3", name);
            return;
        }
        if (state == 0)
            break;
        if (state < last) {
            failed(c, "expected DCTRL.%s to go from REQ to INFLIGHT, it went from %u to %u", name,
                   last, state);
            return;
        }
        last = state;
        seen[state] = true;
        if (++polls > 1000 && !more(c, &p)) {
            failed(c, "expected DCTRL.%s to return to NONE, it reads %u for ever", name, state);
            return;
        }
    }
    if (!seen[1] && !seen[2])
        remark(c, "it is done before DCTRL can be read: only NONE was seen");
}

static void stepstate(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_COUNT))
        return;
    select_warp(c, c->warp);
    request(c, DCTRL_STEPREQ);
    states(c, 5, 4, "stepstate");
}

static void injectstate(struct conformance *c)
{
    if (!at_reset(c))
        return;
    select_warp(c, c->warp);
    wr(c, DM_INJECT, rv_addi(X_T0, X_T0, 0));
    request(c, DCTRL_INJECTREQ);
    states(c, 8, 7, "injectstate");
}

/* A warp that waits at a barrier cannot issue: its step stays requested. */
static bool step_in_vain(struct conformance *c)
{
    if (!placed(c) || !set_x(c, c->warp, 0, X_T1, 0) || !set_x(c, c->warp, 0, X_T2, 2) ||
        !go_to(c, c->warp, AT_BARRIER) || !step_warp(c, c->warp))
        return false;
    const uint32_t pc = rd(c, DM_DPC);
    if (pc != c->base + AT_BARRIER && pc != c->base + AT_WAIT)
        return cannot(c, "warp %u does not wait at a barrier (BAR) for a second warp: DPC is 0x%x",
                      (unsigned)c->warp, (unsigned)pc);
    request(c, DCTRL_STEPREQ);
    settle(c);
    return !c->broken;
}

static void step_pending(struct conformance *c)
{
    if (!step_in_vain(c))
        return;
    if (!(rd(c, DM_DCTRL) & DCTRL_STEPSTATE))
        failed(c,
               "expected DCTRL.stepstate to be REQ or INFLIGHT while the warp waits at a barrier "
               "and cannot issue, got NONE");
}

static void ndmreset_ends_step(struct conformance *c)
{
    /* An earlier check may have left a step requested. */
    if (!at_reset(c) ||
        !expect(c, 0, wt_field(rd(c, DM_DCTRL), 5, 4), "DCTRL.stepstate after ndmreset") ||
        !step_in_vain(c))
        return;
    if (!(rd(c, DM_DCTRL) & DCTRL_STEPSTATE)) {
        cannot(c, "no step stays pending at a barrier");
        return;
    }
    wmask_all(c);
    request(c, DCTRL_RESETHALTREQ | DCTRL_NDMRESET);
    if (reset_ends(c))
        expect(c, 0, wt_field(rd(c, DM_DCTRL), 5, 4), "DCTRL.stepstate after ndmreset");
}

const struct check wt_checks_of_requests[] = {
    {{"haltreq.stops", DCTRL, "DCTRL.haltreq", "the warp halts, and nothing of it moves"},
     .run = haltreq_stops},
    {{"haltreq.only-selected", SELECTING, "DCTRL.haltreq, WMASK", "other warps continue"},
     .run = haltreq_selected},
    {{"haltreq.none-selected", SELECTING, "DCTRL.haltreq, WMASK", "WMASK 0: no warp halts"},
     .run = haltreq_none},
    {{"resumereq.runs", DCTRL, "DCTRL.resumereq", "the warp issues instructions again"},
     .run = resumereq_runs},
    {{"resumereq.only-selected", SELECTING, "DCTRL.resumereq, WMASK", "other warps stay halted"},
     .run = resumereq_selected},
    {{"resethaltreq.halts", DCTRL, "DCTRL.resethaltreq",
      "in one write with ndmreset: halted at "
      "the first instruction"},
     reset_halt,
     0},
    {{"resethaltreq.latched", DCTRL, "DCTRL.resethaltreq",
      "in a write before that of ndmreset, as "
      "clients do it"},
     reset_halt,
     1},
    {{"resethaltreq.only-selected", DCTRL, "DCTRL.resethaltreq, WMASK", "other warps run"},
     .run = resethaltreq_selected},
    {{"resethaltreq.once", DCTRL, "DCTRL.resethaltreq", "the reset after that does not halt"},
     .run = resethaltreq_once},
    {{"hacause.none", DCTRL, "DCTRL.hacause", "NONE while the warp runs"}, .run = hacause_none},
    {{"hacause.haltreq", DCTRL, "DCTRL.hacause", "HALTREQ after haltreq"}, .run = hacause_haltreq},
    {{"hacause.step", DCTRL, "DCTRL.hacause", "STEP after a step"}, .run = hacause_step},
    {{"hacause.ebreak", DCTRL, "DCTRL.hacause", "EBREAK after an ebreak"}, .run = hacause_ebreak},
    {{"hacause.resethaltreq", DCTRL, "DCTRL.hacause", "RESETHALTREQ or HALTREQ after resethaltreq"},
     .run = hacause_resethaltreq},
    {{"hacause.of-selected", SELECTING_ONE, "DCTRL.hacause, DSELECT.warpsel",
      "of the selected warp"},
     .run = hacause_selected},
    {{"stepreq.one", DCTRL, "DCTRL.stepreq", "one instruction, no more and no less"},
     .run = stepreq_one},
    {{"stepreq.halts", DCTRL, "DCTRL.stepreq, stepstate", "it ends, and the warp is halted again"},
     .run = stepreq_halts},
    {{"stepreq.jump", DCTRL, "DCTRL.stepreq", "a jump is stepped to its target"},
     .run = stepreq_jump},
    {{"stepreq.only-selected", SELECTING_ONE, "DCTRL.stepreq, DSELECT.warpsel",
      "the selected warp alone, whatever WMASK names"},
     .run = stepreq_selected},
    {{"stepstate.order", DCTRL, "DCTRL.stepstate", "REQ, INFLIGHT, NONE"}, .run = stepstate},
    {{"stepstate.pending", DCTRL, "DCTRL.stepstate", "not NONE while the warp cannot issue"},
     .run = step_pending},
    {{"ndmreset.ends-step", DCTRL, "DCTRL.stepstate, ndmreset", "a reset ends a pending step"},
     .run = ndmreset_ends_step},
    {{"injectstate.order", DCTRL, "DCTRL.injectstate", "REQ, INFLIGHT, NONE"}, .run = injectstate},
    {.run = NULL},
};
