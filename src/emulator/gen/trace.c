/* Tracing: each issued instruction, and the registers that it changed. */
#include "emulator/gen/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "emulator/gen/operands.h"
#include "emulator/machine/trace.h"

enum { ROWS = GEN_GRFS + GEN_ACCS };

/* A thread before an instruction. */
struct gen_trace_point {
    uint8_t row[ROWS][GEN_GRF_BYTES]; /* r0 to r127, acc0 to acc9; filled where … */
    bool written[ROWS];               /* … the instruction may write it */
    uint8_t a0[GEN_GRF_BYTES];
    uint32_t f[2], cr[4], n[4];
    uint64_t incarnation, pc, time;
    uint32_t mask;
    uint8_t bytes[16];
};

void gen_trace_free(struct gen_device *d)
{
    free(d->trace);
    d->trace = NULL;
}

static uint8_t *row_of(struct gen_registers *g, unsigned row)
{
    return row < GEN_GRFS ? g->r + row * GEN_GRF_BYTES : g->acc[row - GEN_GRFS];
}

/* Notes that bits of a file are written. */
static void mark(struct gen_trace_point *p, const struct wt_insn_operand *o, unsigned bit)
{
    const unsigned base = o->file == GEN_FILE_ACC ? GEN_GRFS : 0,
                   end = o->file == GEN_FILE_ACC ? ROWS : GEN_GRFS,
                   last = base + (bit + (o->bits ? o->bits : 1) - 1) / 8 / GEN_GRF_BYTES;
    for (unsigned row = base + bit / 8 / GEN_GRF_BYTES; row <= last && row < end; row++)
        p->written[row] = true;
}

/* The rows that the instruction may write, by its operands; all of them where it has none. */
static void find_written(struct gen_thread *t, struct gen_trace_point *p)
{
    struct wt_machine *m = &t->device->machine;
    struct wt_insn_operands o;
    const bool known = m->ops->operands(m, t->id, t->pc, &o) && !o.incomplete;
    memset(p->written, !known, sizeof p->written);
    for (unsigned i = 0; known && i < o.count; i++) {
        const struct wt_insn_operand *x = &o.list[i];
        const unsigned lanes = x->kind == WT_OPERAND_SCALAR ? 1 : o.lanes ? o.lanes : GEN_CHANNELS;
        const unsigned in_row = x->row ? x->row : WT_MAX_LANES;
        if (!x->writes || x->kind > WT_OPERAND_SCALAR || x->file > GEN_FILE_ACC)
            continue;
        for (unsigned e = 0; e < lanes; e++)
            mark(p, x, x->number * 8u + x->first + e / in_row * x->row_step + e % in_row * x->step);
    }
}

bool gen_trace_before(struct wt_wave_head *head)
{
    struct gen_thread *t = (struct gen_thread *)head;
    assert(t->active && t->g);
    struct gen_device *d = t->device;
    if (!d->trace)
        d->trace = malloc(sizeof *d->trace);
    if (!d->trace)
        return false;
    struct gen_trace_point *p = d->trace;
    if (t->waiting)
        gen_wake(t, t->pc);
    find_written(t, p);
    for (unsigned i = 0; i < ROWS; i++)
        if (p->written[i])
            memcpy(p->row[i], row_of(t->g, i), GEN_GRF_BYTES);
    memcpy(p->a0, t->g->a0, sizeof p->a0);
    memcpy(p->f, t->g->f, sizeof p->f);
    memcpy(p->cr, t->g->cr, sizeof p->cr);
    memcpy(p->n, t->g->n, sizeof p->n);
    p->incarnation = t->incarnation;
    p->mask = t->mask;
    p->pc = t->pc;
    p->time = d->machine.time;
    memset(p->bytes, 0, sizeof p->bytes);
    if (!gen_device_read(d, t->pc, p->bytes, 16))
        gen_device_read(d, t->pc, p->bytes, 8);
    return true;
}

/* The dwords of a register that changed: one value where all eight are the same. */
static void vector(struct wt_text *t, const char *name, unsigned number, const uint8_t *now,
                   const uint8_t *old)
{
    enum { SHOWN = 4, DWORDS = GEN_GRF_BYTES / 4 };
    unsigned changed = 0, shown = 0;
    bool same = true;
    for (unsigned i = 0; i < DWORDS; i++) {
        changed += memcmp(now + 4 * i, old + 4 * i, 4) != 0;
        same = same && memcmp(now, now + 4 * i, 4) == 0;
    }
    if (!changed)
        return;
    if (same && changed == DWORDS) {
        wt_text_add(t, " %s%u=0x%x", name, number, (unsigned)wt_load_le(now, 4));
        return;
    }
    for (unsigned i = 0; i < DWORDS && shown < SHOWN; i++) {
        if (memcmp(now + 4 * i, old + 4 * i, 4) == 0)
            continue;
        if (shown++)
            wt_text_add(t, ",.%u=0x%x", i, (unsigned)wt_load_le(now + 4 * i, 4));
        else
            wt_text_add(t, " %s%u.%u=0x%x", name, number, i, (unsigned)wt_load_le(now + 4 * i, 4));
    }
    if (changed > SHOWN)
        wt_text_add(t, ",… (%u dwords)", changed);
}

static void words(struct wt_text *t, const char *name, const uint32_t *now, const uint32_t *old,
                  unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (now[i] != old[i])
            wt_text_add(t, " %s.%u=0x%x", name, i, now[i]);
}

static void effects(struct wt_text *t, const struct gen_thread *now,
                    const struct gen_trace_point *p)
{
    struct gen_registers *g = now->g;
    for (unsigned i = 0; i < ROWS; i++)
        if (p->written[i])
            vector(t, i < GEN_GRFS ? "r" : "acc", i < GEN_GRFS ? i : i - GEN_GRFS, row_of(g, i),
                   p->row[i]);
    vector(t, "a", 0, g->a0, p->a0);
    for (unsigned i = 0; i < 2; i++)
        if (g->f[i] != p->f[i])
            wt_text_add(t, " f%u=0x%x", i, g->f[i]);
    words(t, "cr0", g->cr, p->cr, 4);
    words(t, "n0", g->n, p->n, 3);
    if (now->mask != p->mask)
        wt_text_add(t, " ce=0x%x", now->mask);
}

void gen_trace_after(struct wt_wave_head *head, wt_trace_fn fn, void *context)
{
    struct gen_thread *t = (struct gen_thread *)head;
    assert(t->device->trace && fn);
    const struct gen_trace_point *p = t->device->trace;
    const struct gen_word word = {wt_load_le(p->bytes, 8), wt_load_le(p->bytes + 8, 8)};
    char text[256], effect[512] = "";
    struct wt_text to = {effect, sizeof effect};
    /* A thread that has ended shows nothing: its slot may have a new one already. */
    if (t->active && t->incarnation == p->incarnation)
        effects(&to, t, p);
    const unsigned length = gen_disassemble(&word, text, sizeof text);
    const struct wt_trace trace = {
        .time = p->time,
        .wave = t->id,
        .mask = p->mask,
        .pc = p->pc,
        .bytes = p->bytes,
        .length = length,
        .word = 8,
        .longest = 16,
        .text = text,
        .effect = effect[0] ? effect + 1 : effect,
    };
    fn(context, &trace);
}
