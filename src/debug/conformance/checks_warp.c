/* Checks of the registers of one warp and thread: DPC, INJECT, DSCRATCH0 to 3. */
#include "debug/conformance/internal.h"

#define DPC "0x7: DPC"
#define INJECT "0x8: INJECT"
#define DSCRATCH "0x9-0xc: DSCRATCH0-3"
#define SELECTING_ONE "Selecting a Single Warp/Thread"

enum { DSCRATCHES = 4 };

/* ---- DPC ---- */

static void dpc_holds(struct conformance *c)
{
    if (!at_reset(c))
        return;
    if (!c->has_active) {
        cannot(c, "no warp is active after a reset (WACTIVE is 0)");
        return;
    }
    select_warp(c, c->warp);
    for (unsigned i = 1; i < 32; i++) {
        /* Bit 1 is a PC's where instructions may have 2 bytes. */
        const uint32_t value = i == 1 ? 0x80000000 : (uint32_t)1 << i;
        wr(c, DM_DPC, value);
        if (!expect(c, value, rd(c, DM_DPC), "DPC of the halted warp %u after writing 0x%x",
                    (unsigned)c->warp, (unsigned)value))
            return;
    }
}

static void dpc_selected(struct conformance *c)
{
    uint32_t other;
    if (!two_warps(c, &other))
        return;
    select_warp(c, c->warp);
    wr(c, DM_DPC, c->base + AT_COUNT);
    select_warp(c, other);
    wr(c, DM_DPC, c->base + AT_LINE);
    select_warp(c, c->warp);
    if (!expect(c, c->base + AT_COUNT, rd(c, DM_DPC),
                "DPC of warp %u after writing that of warp %u", (unsigned)c->warp, (unsigned)other))
        return;
    select_warp(c, other);
    expect(c, c->base + AT_LINE, rd(c, DM_DPC), "DPC of warp %u", (unsigned)other);
}

/* A warp continues at the address in DPC. */
static void dpc_runs_there(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_WAIT))
        return;
    release_warp(c, c->warp);
    settle(c);
    if (!halt_warp(c, c->warp))
        return;
    select_warp(c, c->warp);
    expect(c, c->base + AT_WAIT, rd(c, DM_DPC),
           "DPC of warp %u after it ran from there in a loop "
           "of one instruction",
           (unsigned)c->warp);
}

static void dpc_steps_there(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_LINE) || !step_warp(c, c->warp))
        return;
    expect(c, c->base + AT_LINE + 4, rd(c, DM_DPC), "DPC of warp %u after a step from 0x%x",
           (unsigned)c->warp, (unsigned)(c->base + AT_LINE));
}

static void dpc_ebreak(struct conformance *c)
{
    if (!run_to_ebreak(c))
        return;
    const uint32_t pc = rd(c, DM_DPC);
    wr(c, DM_DCONFIG, c->dconfig);
    if (pc == c->base + AT_EBREAK + 4)
        remark(c, "it is the address after the ebreak, as in the RTL of 2025");
    else
        expect(c, c->base + AT_EBREAK, pc, "DPC at an ebreak (or 4 more)");
}

/* ---- INJECT ---- */

static void inject_holds(struct conformance *c)
{
    if (!awake(c))
        return;
    for (unsigned i = 0; i < 34; i++) {
        const uint32_t value = i == 0 ? 0xffffffff : i == 1 ? 0 : (uint32_t)1 << (i - 2);
        wr(c, DM_INJECT, value);
        if (!expect(c, value, rd(c, DM_INJECT), "INJECT after writing 0x%x", (unsigned)value))
            return;
    }
}

static void inject_stays(struct conformance *c)
{
    const uint32_t word = rv_addi(X_T0, X_T0, 1);
    if (!at_reset(c))
        return;
    select_warp(c, c->warp);
    if (inject(c, word))
        expect(c, word, rd(c, DM_INJECT), "INJECT after its instruction was injected");
}

static void injectreq_executes(struct conformance *c)
{
    uint32_t came;
    if (!injectable(c))
        return;
    for (uint32_t value = 1; value < 4; value++) {
        select_warp(c, c->warp);
        if (!inject(c, rv_addi(X_T0, 0, (int32_t)value)) || !get_x(c, c->warp, 0, X_T0, &came) ||
            !expect(c, value, came, "t0 (by CSR 0x7b2 and DSCRATCH0) after injecting t0 = %u",
                    (unsigned)value))
            return;
    }
}

static void injectreq_memory(struct conformance *c)
{
    uint32_t before, came;
    if (!injectable(c))
        return;
    if (!c->base_known) {
        cannot(c, "no warp is active after a reset (WACTIVE is 0), and --at names no place");
        return;
    }
    const uint32_t addr = c->base + AT_DATA;
    if (!load_word(c, addr, &before))
        return;
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t value = i ? 0x80a55a01 : 0x12345678;
        if (!store_word(c, addr, value) || !set_x(c, c->warp, 0, X_T0, 0) ||
            !load_word(c, addr, &came) ||
            !expect(c, value, came, "the word at 0x%x, stored and loaded by injected instructions",
                    (unsigned)addr))
            return;
    }
    store_word(c, addr, before);
}

/* An instruction is injected when it is asked for, not when INJECT is written. */
static void injectreq_asked(struct conformance *c)
{
    uint32_t came;
    if (!injectable(c) || !set_x(c, c->warp, 0, X_T0, 7))
        return;
    wr(c, DM_INJECT, rv_addi(X_T0, 0, 9));
    request(c, 0);
    settle(c);
    if (get_x(c, c->warp, 0, X_T0, &came))
        expect(c, 7, came, "t0 after writing 't0 = 9' to INJECT without injectreq");
}

static void injectreq_once(struct conformance *c)
{
    uint32_t before, after;
    if (!injectable(c) || !get_x(c, c->warp, 0, X_T0, &before) ||
        !inject(c, rv_addi(X_T0, X_T0, 1)))
        return;
    settle(c);
    if (get_x(c, c->warp, 0, X_T0, &after))
        expect(c, before + 1, after, "t0, 0x%x before, after injecting t0 += 1", (unsigned)before);
}

static void injectreq_thread(struct conformance *c)
{
    if (c->device.threads < 2) {
        cannot_yet(c, WOULD_THREADS, "warps have only one thread");
        return;
    }
    const unsigned threads[] = {0, 1, c->device.threads - 1};
    if (!injectable(c))
        return;
    for (unsigned i = 0; i < 3; i++)
        if (!set_x(c, c->warp, threads[i], X_T0, 0x10 + threads[i]))
            return;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t came;
        if (!get_x(c, c->warp, threads[i], X_T0, &came) ||
            !expect(c, 0x10 + threads[i], came, "t0 of thread %u, set by injection on each thread",
                    threads[i]))
            return;
    }
}

static void injectreq_warp(struct conformance *c)
{
    uint32_t other, came;
    if (!two_warps(c, &other) || !set_x(c, c->warp, 0, X_T0, 0x21) ||
        !set_x(c, other, 0, X_T0, 0x22))
        return;
    /* WMASK does not matter: it is for halting and resuming. */
    wmask_only(c, other);
    if (!get_x(c, c->warp, 0, X_T0, &came) ||
        !expect(c, 0x21, came, "t0 of warp %u, set by injection on two warps", (unsigned)c->warp) ||
        !get_x(c, other, 0, X_T0, &came))
        return;
    expect(c, 0x22, came, "t0 of warp %u, set by injection on two warps", (unsigned)other);
}

static void injectreq_pc(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_LINE) || !inject(c, rv_addi(X_T0, X_T0, 1)))
        return;
    expect(c, c->base + AT_LINE, rd(c, DM_DPC), "DPC after injecting an addition");
}

static void injectreq_halted(struct conformance *c)
{
    if (!placed(c) || !go_to(c, c->warp, AT_COUNT) || !halt_warp(c, c->warp))
        return;
    const unsigned cause = hacause(c, c->warp);
    if (!inject(c, rv_addi(X_T0, X_T0, 1)))
        return;
    settle(c);
    if (expect(c, 1, rd(c, DM_WSTATUS) >> (c->warp % 32) & 1,
               "WSTATUS of the halted warp %u after an injection", (unsigned)c->warp))
        expect(c, cause, hacause(c, c->warp), "DCTRL.hacause after an injection");
}

/* ---- DSCRATCH ---- */

/* Writes and reads all its bits; false without a verdict if the register reads 0 all the time. */
static bool scratch_holds(struct conformance *c, unsigned n)
{
    bool any = false;
    uint32_t wrong = 0, came_wrong = 0;
    for (unsigned i = 0; i < 34; i++) {
        const uint32_t value = i == 0 ? 0xffffffff : i == 1 ? 0 : (uint32_t)1 << (i - 2);
        wr(c, DM_DSCRATCH0 + n, value);
        const uint32_t came = rd(c, DM_DSCRATCH0 + n);
        any |= came != 0;
        if (came != value && !wrong) {
            wrong = value;
            came_wrong = came;
        }
    }
    if (!any && n)
        return false;
    return !wrong ||
           expect(c, wrong, came_wrong, "DSCRATCH%u after writing 0x%x", n, (unsigned)wrong);
}

static void dscratch_holds(struct conformance *c)
{
    const unsigned n = c->check->number;
    if (!at_reset(c))
        return;
    select_warp(c, c->warp);
    if (!scratch_holds(c, n) && !c->decided)
        cannot_yet(c, WOULD_SCRATCHES,
                   "DSCRATCH%u reads 0 whatever is written: a device has up to 4 of them", n);
}

static void dscratch_distinct(struct conformance *c)
{
    if (!at_reset(c))
        return;
    select_warp(c, c->warp);
    unsigned present = 0;
    for (unsigned i = 0; i < DSCRATCHES; i++) {
        wr(c, DM_DSCRATCH0 + i, 0x100 + i);
        if (rd(c, DM_DSCRATCH0 + i) == 0x100 + i)
            present |= 1u << i;
    }
    if (present == 1) {
        cannot_yet(c, WOULD_SCRATCHES, "there is only DSCRATCH0");
        return;
    }
    for (unsigned i = 0; i < DSCRATCHES; i++)
        if (present >> i & 1 && !expect(c, 0x100 + i, rd(c, DM_DSCRATCH0 + i),
                                        "DSCRATCH%u after writing each of them", i))
            return;
}

/* DSCRATCH0 is CSR 0x7b2 of the thread. */
static void dscratch_to_thread(struct conformance *c)
{
    uint32_t came;
    if (!injectable(c))
        return;
    select_warp(c, c->warp);
    wr(c, DM_DSCRATCH0, 0x2468ace1);
    if (!inject(c, rv_csrr(X_T0, CSR_DSCRATCH0)))
        return;
    /* The value that thread 0 got is observed through another value in place of memory. */
    wr(c, DM_DSCRATCH0, 0);
    if (get_x(c, c->warp, 0, X_T0, &came))
        expect(c, 0x2468ace1, came, "t0 after writing DSCRATCH0 and injecting 'csrr t0, 0x7b2'");
}

static void dscratch_from_thread(struct conformance *c)
{
    if (!injectable(c))
        return;
    select_warp(c, c->warp);
    wr(c, DM_DSCRATCH0, 0);
    if (inject(c, rv_addi(X_T0, 0, 0x35a)) && inject(c, rv_csrw(CSR_DSCRATCH0, X_T0)))
        expect(c, 0x35a, rd(c, DM_DSCRATCH0), "DSCRATCH0 after injecting 'csrw 0x7b2, t0'");
}

static void dscratch_thread(struct conformance *c)
{
    if (c->device.threads < 2) {
        cannot_yet(c, WOULD_THREADS, "warps have only one thread");
        return;
    }
    if (!at_reset(c))
        return;
    const unsigned last = c->device.threads - 1;
    dselect(c, c->warp / 32, c->warp, 0);
    wr(c, DM_DSCRATCH0, 0x11111111);
    dselect(c, c->warp / 32, c->warp, last);
    wr(c, DM_DSCRATCH0, 0x22222222);
    dselect(c, c->warp / 32, c->warp, 0);
    if (!expect(c, 0x11111111, rd(c, DM_DSCRATCH0),
                "DSCRATCH0 of thread 0 after writing that of thread %u", last))
        return;
    dselect(c, c->warp / 32, c->warp, last);
    expect(c, 0x22222222, rd(c, DM_DSCRATCH0), "DSCRATCH0 of thread %u", last);
}

static void dscratch_warp(struct conformance *c)
{
    uint32_t other;
    if (!two_warps(c, &other))
        return;
    select_warp(c, c->warp);
    wr(c, DM_DSCRATCH0, 0x33333333);
    select_warp(c, other);
    wr(c, DM_DSCRATCH0, 0x44444444);
    select_warp(c, c->warp);
    if (!expect(c, 0x33333333, rd(c, DM_DSCRATCH0),
                "DSCRATCH0 of warp %u after writing that of warp %u", (unsigned)c->warp,
                (unsigned)other))
        return;
    select_warp(c, other);
    expect(c, 0x44444444, rd(c, DM_DSCRATCH0), "DSCRATCH0 of warp %u", (unsigned)other);
}

const struct check wt_checks_of_warp[] = {
    {{"dpc.holds", DPC, "DPC.pc", "holds what is written while the warp is halted"},
     .run = dpc_holds},
    {{"dpc.of-selected", SELECTING_ONE, "DPC.pc, DSELECT.warpsel", "each warp has its own"},
     .run = dpc_selected},
    {{"dpc.runs-there", DPC, "DPC.pc", "a resumed warp continues there"}, .run = dpc_runs_there},
    {{"dpc.steps-there", DPC, "DPC.pc", "a step is from there"}, .run = dpc_steps_there},
    {{"dpc.ebreak", DPC, "DPC.pc", "at an ebreak: its address, or the next"}, .run = dpc_ebreak},
    {{"inject.holds", INJECT, "INJECT.instr", "holds what is written"}, .run = inject_holds},
    {{"inject.stays", INJECT, "INJECT.instr", "an injection leaves it"}, .run = inject_stays},
    {{"injectreq.executes", "0x6: DCTRL", "DCTRL.injectreq", "the instruction has its effect"},
     .run = injectreq_executes},
    {{"injectreq.memory", "Debug Module", "DCTRL.injectreq", "memory is read and written by it"},
     .run = injectreq_memory},
    {{"injectreq.when-asked", INJECT, "DCTRL.injectreq, INJECT", "writing INJECT executes nothing"},
     .run = injectreq_asked},
    {{"injectreq.once", "0x6: DCTRL", "DCTRL.injectreq", "one request executes it once"},
     .run = injectreq_once},
    {{"injectreq.thread", SELECTING_ONE, "DCTRL.injectreq, DSELECT.threadsel",
      "in the selected thread alone"},
     .run = injectreq_thread},
    {{"injectreq.warp", SELECTING_ONE, "DCTRL.injectreq, DSELECT.warpsel",
      "in the selected warp alone, whatever WMASK names"},
     .run = injectreq_warp},
    {{"injectreq.pc", INJECT, "DCTRL.injectreq, DPC", "the warp's program counter stays"},
     .run = injectreq_pc},
    {{"injectreq.halted", INJECT, "DCTRL.injectreq, WSTATUS", "a halted warp stays halted"},
     .run = injectreq_halted},
    {{"dscratch0.holds", DSCRATCH, "DSCRATCH0.data", "holds what is written"}, dscratch_holds, 0},
    {{"dscratch1.holds", DSCRATCH, "DSCRATCH1.data", "holds what is written, if there is one"},
     dscratch_holds,
     1},
    {{"dscratch2.holds", DSCRATCH, "DSCRATCH2.data", "holds what is written, if there is one"},
     dscratch_holds,
     2},
    {{"dscratch3.holds", DSCRATCH, "DSCRATCH3.data", "holds what is written, if there is one"},
     dscratch_holds,
     3},
    {{"dscratch.distinct", DSCRATCH, "DSCRATCH0-3", "each has its own value"},
     .run = dscratch_distinct},
    {{"dscratch.to-thread", DSCRATCH, "DSCRATCH0.data", "the thread reads it as CSR 0x7b2"},
     .run = dscratch_to_thread},
    {{"dscratch.from-thread", DSCRATCH, "DSCRATCH0.data", "the thread writes it as CSR 0x7b2"},
     .run = dscratch_from_thread},
    {{"dscratch.of-thread", DSCRATCH, "DSCRATCH0.data, DSELECT.threadsel",
      "each thread has its own"},
     .run = dscratch_thread},
    {{"dscratch.of-warp", DSCRATCH, "DSCRATCH0.data, DSELECT.warpsel", "each warp has its own"},
     .run = dscratch_warp},
    {.run = NULL},
};
