/*
 * The registers by which a host debugs threads (Linux's drivers for Intel GPUs, i915 and xe:
 * TD_CTL, TD_ATT, TD_CLR, MCR_SELECTOR). docs/gen9.md, "Exceptions", describes them.
 */
#include "base/hw_registers.h"
#include "emulator/gen/internal.h"

/* A thread's view of itself; docs/gen9.md says which bits public sources document. */
static const char *const roundings[] = {"to nearest", "up", "down", "to zero", NULL};
#define ATTENTION_ROW_FIELD                                                                        \
    WT_HW_FIELD("THREADS", 31, 0, R, "bit 8 * EU + thread: it waits in the system routine")
#define CLEAR_ROW_FIELD WT_HW_FIELD("THREADS", 31, 0, W, "ones notify the threads that wait: n0.1")

static const struct wt_hw_register registers[] = {
    WT_HW_REGISTER(GEN_MCR_SELECTOR, "MCR_SELECTOR", "whose TD_ATT and TD_CLR",
                   WT_HW_FIELD("SLICE", 27, 26, RW, "slice"),
                   WT_HW_FIELD("SUBSLICE", 25, 24, RW, "subslice of it")),
    WT_HW_REGISTER(
        GEN_TD_CTL, "TD_CTL", "debugging of all threads",
        WT_HW_FIELD("BREAKPOINT_ENABLE", 2, 2, RW, "DebugCtrl bits of instructions count"),
        WT_HW_FIELD("FORCE_EXCEPTION", 3, 3, RW, "threads begin with a forced exception"),
        WT_HW_FIELD("FORCE_THREAD_BREAKPOINT_ENABLE", 4, 4, RW,
                    "they count in threads whose cr0.1 does not enable them, too"),
        WT_HW_FIELD("FORCE_EXTERNAL_HALT", 6, 6, RW, "all threads enter the system routine"),
        WT_HW_FIELD("FEH_AND_FEE_ENABLE", 7, 7, RW, "forced exceptions are enabled")),
    WT_HW_REGISTER(GEN_TD_ATT, "TD_ATT0", "EUs 0 to 3", ATTENTION_ROW_FIELD),
    WT_HW_REGISTER(GEN_TD_ATT + 1, "TD_ATT1", "EUs 4 to 7", ATTENTION_ROW_FIELD),
    WT_HW_REGISTER(GEN_CONTEXT_SAVE, "CONTEXT_SAVE", "wavetrap's own: preemption",
                   WT_HW_FIELD("REQUEST", 0, 0, W, "threads take a context save exception"),
                   WT_HW_FIELD("FORCE", 1, 1, W, "so do those whose cr0.1 does not enable it")),
    WT_HW_REGISTER(GEN_TD_CLR, "TD_CLR0", "EUs 0 to 3", CLEAR_ROW_FIELD),
    WT_HW_REGISTER(GEN_TD_CLR + 1, "TD_CLR1", "EUs 4 to 7", CLEAR_ROW_FIELD),
    WT_HW_LAYOUT("cr0.0", "control of a thread",
                 WT_HW_FIELD("ALT", 0, 0, RW, "floats as in ALT mode, not as IEEE 754 has them"),
                 WT_HW_FIELD("ACC_DISABLE", 1, 1, RW, "accumulators are not written implicitly"),
                 WT_HW_FIELD("SPF", 2, 2, RW, "single program flow: channels do not branch apart"),
                 WT_HW_FIELD("VME", 3, 3, RW, "vector mask enable"),
                 WT_HW_FIELD("ROUNDING", 5, 4, RW, "of floats", .values = roundings),
                 WT_HW_FIELD("KEEP_DF", 6, 6, RW, "denormal doubles are kept"),
                 WT_HW_FIELD("KEEP_F", 7, 7, RW, "denormal floats are kept"),
                 WT_HW_FIELD("KEEP_HF", 10, 10, RW, "denormal half floats are kept"),
                 WT_HW_FIELD("BREAKPOINT_SUPPRESS", 15, 15, RW,
                             "one instruction is executed before the next breakpoint counts"),
                 WT_HW_FIELD("MASTER_EXCEPTION", 31, 31, RW,
                             "the thread is in its system routine; AIP is in cr0.2")),
    WT_HW_LAYOUT("cr0.1", "exceptions of a thread: enabled ones, and reasons",
                 WT_HW_FIELD("ENABLE_SAVE", 9, 9, RW, "context saves are exceptions"),
                 WT_HW_FIELD("ENABLE_STACK", 11, 11, RW, "stack exceptions are enabled"),
                 WT_HW_FIELD("ENABLE_ILLEGAL", 12, 12, RW, "illegal opcodes are exceptions"),
                 WT_HW_FIELD("ENABLE_SOFTWARE", 13, 13, RW, "software exceptions are enabled"),
                 WT_HW_FIELD("ENABLE_BREAKPOINT", 15, 15, RW, "DebugCtrl bits count"),
                 WT_HW_FIELD("SAVE", 25, 25, RW, "the context is to be saved"),
                 WT_HW_FIELD("FORCED", 26, 26, RW, "forced when the thread began"),
                 WT_HW_FIELD("STACK", 27, 27, RW, "sp.0 would be beyond its limit, sp.1"),
                 WT_HW_FIELD("ILLEGAL", 28, 28, RW, "an illegal opcode, at AIP"),
                 WT_HW_FIELD("SOFTWARE", 29, 29, RW, "the thread's own; AIP is after it"),
                 WT_HW_FIELD("HALT", 30, 30, RW, "the host has halted all threads"),
                 WT_HW_FIELD("BREAKPOINT", 31, 31, RW,
                             "a breakpoint, at AIP; or a step, after which AIP is")),
    WT_HW_LAYOUT(
        "cr0.2", "application IP",
        WT_HW_FIELD("AIP", 31, 0, RW,
                    "IP of the application, relative to the instruction base: where it continues")),
    WT_HW_LAYOUT("cr0.3", "preemption",
                 WT_HW_FIELD("RESTORE", 8, 8, RW, "the routine is to restore the context"),
                 WT_HW_FIELD("SAVE", 9, 9, RW, "the routine is to save the context")),
    WT_HW_LAYOUT("sr0.0", "where a thread is", WT_HW_FIELD("TID", 2, 0, R, "thread of its EU"),
                 WT_HW_FIELD("EUID", 11, 8, R, "EU of its subslice"),
                 WT_HW_FIELD("SUBSLICE", 13, 12, R, "subslice of its slice"),
                 WT_HW_FIELD("SLICE", 15, 14, R, "slice"),
                 WT_HW_FIELD("FFTID", 31, 24, R, "number of the thread, which r0.5 has, too")),
    WT_HW_LAYOUT("sr0.2", "a thread's channels",
                 WT_HW_FIELD("DISPATCH_MASK", 31, 0, R, "channels with which the thread began")),
};

const struct wt_hw_table gen_register_table = {.registers = registers,
                                               .count = WT_HW_COUNT(registers)};

enum { EUS_OF_ROW = 4, THREADS_OF_EU = 8, ROWS = GEN_EUS / EUS_OF_ROW };

/* The first thread of the subslice that MCR_SELECTOR selects; NULL: there is no such subslice. */
static struct gen_thread *selected(struct gen_device *d)
{
    const unsigned slice = d->mcr_selector >> 26 & 3, subslice = d->mcr_selector >> 24 & 3;
    const unsigned index = 3 * slice + subslice;
    return subslice < 3 && index < d->config.subslices ? &d->thread[index * GEN_SUBSLICE_THREADS]
                                                       : NULL;
}

/* The thread that a bit of a row of TD_ATT or TD_CLR stands for; NULL: the eighth of an EU. */
static struct gen_thread *of_bit(struct gen_thread *first, unsigned row, unsigned bit)
{
    const unsigned eu = row * EUS_OF_ROW + bit / THREADS_OF_EU, thread = bit % THREADS_OF_EU;
    return thread < GEN_EU_THREADS ? &first[eu * GEN_EU_THREADS + thread] : NULL;
}

static uint32_t attention(struct gen_device *d, unsigned row)
{
    struct gen_thread *first = selected(d);
    uint32_t bits = 0;
    for (unsigned i = 0; first && i < 32; i++) {
        const struct gen_thread *t = of_bit(first, row, i);
        bits |= (uint32_t)(t && gen_has_attention(t)) << i;
    }
    return bits;
}

/* A written 1 notifies a thread that waits for the host (n0.1). */
static void clear_attention(struct gen_device *d, unsigned row, uint32_t bits)
{
    struct gen_thread *first = selected(d);
    for (; first && bits; bits &= bits - 1) {
        struct gen_thread *t = of_bit(first, row, (unsigned)__builtin_ctz(bits));
        if (!t || !gen_has_attention(t))
            continue;
        if (t->held) {
            gen_release(t);
            gen_take_save(t);
            continue;
        }
        t->g->n[1]++;
        t->waits = false;
        gen_update_ready(t);
    }
}

/* A halt applies to all running threads; the other bits apply to threads that begin. */
static void write_control(struct gen_device *d, uint32_t value)
{
    d->td_ctl = value & GEN_TD_CTL_MASK;
    for (uint32_t i = 0; i < d->machine.waves && value & GEN_TD_CTL_HALT; i++) {
        struct gen_thread *t = &d->thread[i];
        if (!t->active || t->held)
            continue;
        if (d->debugged) {
            gen_hold(t, GEN_CR1_HALT);
            continue;
        }
        t->g->cr[1] |= GEN_CR1_HALT;
        gen_take_request(t);
    }
}

static void save_context(struct gen_device *d, bool forced)
{
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (d->thread[i].active)
            gen_request_save(&d->thread[i], forced);
}

uint32_t gen_debug_read(struct wt_machine *m, uint32_t addr)
{
    struct gen_device *d = (struct gen_device *)m;
    if (addr == GEN_TD_CTL)
        return d->td_ctl;
    if (addr == GEN_MCR_SELECTOR)
        return d->mcr_selector;
    if (addr >= GEN_TD_ATT && addr < GEN_TD_ATT + ROWS)
        return attention(d, addr - GEN_TD_ATT);
    return 0;
}

void gen_debug_write(struct wt_machine *m, uint32_t addr, uint32_t value)
{
    struct gen_device *d = (struct gen_device *)m;
    if (addr == GEN_TD_CTL)
        write_control(d, value);
    else if (addr == GEN_MCR_SELECTOR)
        d->mcr_selector = value;
    else if (addr >= GEN_TD_CLR && addr < GEN_TD_CLR + ROWS)
        clear_attention(d, addr - GEN_TD_CLR, value);
    else if (addr == GEN_CONTEXT_SAVE && value & GEN_SAVE_REQUEST)
        save_context(d, value & GEN_SAVE_FORCE);
}
