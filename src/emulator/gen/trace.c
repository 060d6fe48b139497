/* Tracing: each issued instruction, and the registers that it changed. */
#include "emulator/gen/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A thread before an instruction. */
struct gen_trace_point {
    struct gen_registers registers;
    struct gen_thread thread;
    uint64_t time;
    uint8_t bytes[16];
};

void gen_trace_free(struct gen_device *d)
{
    free(d->trace);
    d->trace = NULL;
}

bool gen_trace_before(struct wt_wave_head *head)
{
    struct gen_thread *t = (struct gen_thread *)head;
    assert(t->active && t->g);
    struct gen_device *d = t->device;
    if (!d->trace)
        d->trace = aligned_alloc(64, (sizeof *d->trace + 63) / 64 * 64);
    if (!d->trace)
        return false;
    struct gen_trace_point *p = d->trace;
    if (t->waiting)
        gen_wake(t, t->pc);
    p->thread = *t;
    p->registers = *t->g;
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

static void effects(struct wt_text *t, const struct gen_thread *now, const struct gen_thread *then,
                    const struct gen_registers *old)
{
    const struct gen_registers *g = now->g;
    for (unsigned i = 0; i < GEN_GRFS; i++)
        vector(t, "r", i, g->r + i * GEN_GRF_BYTES, old->r + i * GEN_GRF_BYTES);
    for (unsigned i = 0; i < GEN_ACCS; i++)
        vector(t, "acc", i, g->acc[i], old->acc[i]);
    vector(t, "a", 0, g->a0, old->a0);
    for (unsigned i = 0; i < 2; i++)
        if (g->f[i] != old->f[i])
            wt_text_add(t, " f%u=0x%x", i, g->f[i]);
    words(t, "cr0", g->cr, old->cr, 4);
    words(t, "n0", g->n, old->n, 3);
    if (now->mask != then->mask)
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
    if (t->active && t->incarnation == p->thread.incarnation)
        effects(&to, t, &p->thread, &p->registers);
    const unsigned length = gen_disassemble(&word, text, sizeof text);
    const struct wt_trace trace = {
        .time = p->time,
        .wave = t->id,
        .mask = p->thread.mask,
        .pc = p->thread.pc,
        .bytes = p->bytes,
        .length = length,
        .word = 8,
        .longest = 16,
        .text = text,
        .effect = effect[0] ? effect + 1 : effect,
    };
    fn(context, &trace);
}
