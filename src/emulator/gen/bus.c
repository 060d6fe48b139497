/*
 * The registers by which a host debugs threads (Linux's drivers for Intel GPUs, i915 and xe:
 * TD_CTL, TD_ATT, TD_CLR, MCR_SELECTOR). docs/gen9.md, "Exceptions", describes them.
 */
#include "base/hw_registers.h"
#include "emulator/gen/internal.h"

static const struct wt_hw_field selector[] = {
    WT_HW_FIELD("SLICE", 27, 26, WT_HW_RW, NULL, "slice"),
    WT_HW_FIELD("SUBSLICE", 25, 24, WT_HW_RW, NULL, "subslice of it"),
};
static const struct wt_hw_field control[] = {
    WT_HW_FIELD("BREAKPOINT_ENABLE", 2, 2, WT_HW_RW, NULL, "DebugCtrl bits of instructions count"),
    WT_HW_FIELD("FORCE_EXCEPTION", 3, 3, WT_HW_RW, NULL, "threads begin with a forced exception"),
    WT_HW_FIELD("FORCE_THREAD_BREAKPOINT_ENABLE", 4, 4, WT_HW_RW, NULL,
                "they count in threads whose cr0.1 does not enable them, too"),
    WT_HW_FIELD("FORCE_EXTERNAL_HALT", 6, 6, WT_HW_RW, NULL,
                "all threads enter the system routine"),
    WT_HW_FIELD("FEH_AND_FEE_ENABLE", 7, 7, WT_HW_RW, NULL, "forced exceptions are enabled"),
};
static const struct wt_hw_field attention_row[] = {
    WT_HW_FIELD("THREADS", 31, 0, WT_HW_R, NULL,
                "bit 8 * EU + thread: it waits in the system routine"),
};
static const struct wt_hw_field save[] = {
    WT_HW_FIELD("REQUEST", 0, 0, WT_HW_W, NULL, "threads take a context save exception"),
    WT_HW_FIELD("FORCE", 1, 1, WT_HW_W, NULL, "so do those whose cr0.1 does not enable it"),
};
static const struct wt_hw_field clear_row[] = {
    WT_HW_FIELD("THREADS", 31, 0, WT_HW_W, NULL, "ones notify the threads that wait: n0.1"),
};

static const struct wt_hw_register registers[] = {
    {GEN_MCR_SELECTOR, "MCR_SELECTOR", selector, WT_HW_COUNT(selector), "whose TD_ATT and TD_CLR",
     false, false},
    {GEN_TD_CTL, "TD_CTL", control, WT_HW_COUNT(control), "debugging of all threads", false, false},
    {GEN_TD_ATT, "TD_ATT0", attention_row, WT_HW_COUNT(attention_row), "EUs 0 to 3", false, false},
    {GEN_TD_ATT + 1, "TD_ATT1", attention_row, WT_HW_COUNT(attention_row), "EUs 4 to 7", false,
     false},
    {GEN_CONTEXT_SAVE, "CONTEXT_SAVE", save, WT_HW_COUNT(save), "wavetrap's own: preemption", false,
     false},
    {GEN_TD_CLR, "TD_CLR0", clear_row, WT_HW_COUNT(clear_row), "EUs 0 to 3", false, false},
    {GEN_TD_CLR + 1, "TD_CLR1", clear_row, WT_HW_COUNT(clear_row), "EUs 4 to 7", false, false},
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
