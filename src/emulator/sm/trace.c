/* Tracing: what each issued instruction was, and which registers it changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sm/internal.h"

/* A warp before an instruction. */
struct sm_trace_point {
    uint32_t (*r)[SM_LANES];
    struct sm_warp warp; /* but for its registers */
    uint64_t time, pc;
    uint8_t bytes[8];
    unsigned reuse;
};

void sm_trace_free(struct sm_device *d)
{
    if (!d->trace)
        return;
    free(d->trace->r);
    free(d->trace);
    d->trace = NULL;
}

bool sm_trace_before(struct sm_warp *w)
{
    struct sm_device *d = w->device;
    uint8_t control[8] = {0};
    if (!d->trace) {
        d->trace = calloc(1, sizeof *d->trace);
        if (!d->trace || !(d->trace->r = malloc(SM_RZ * sizeof *d->trace->r))) {
            sm_trace_free(d);
            return false;
        }
    }
    struct sm_trace_point *p = d->trace;
    p->warp = *w;
    p->time = d->machine.time;
    memcpy(p->r, w->r, SM_RZ * sizeof *p->r);
    p->pc = w->must_enter ? d->handler : w->pc;
    p->pc += sm_is_control(p->pc) ? 8 : 0;
    memset(p->bytes, 0, sizeof p->bytes);
    sm_device_read(d, p->pc, p->bytes, sizeof p->bytes);
    sm_device_read(d, p->pc & ~(uint64_t)(SM_BUNDLE - 1), control, sizeof control);
    p->reuse = sm_control_get(wt_load_le(control, 8), (unsigned)(p->pc % SM_BUNDLE / 8) - 1).reuse;
    return true;
}

/* A text that grows until it is full. */
struct text {
    char *at;
    size_t left;
};

static void add(struct text *t, const char *format, unsigned a, unsigned b)
{
    const int n = snprintf(t->at, t->left, format, a, b);
    if (n > 0 && (size_t)n < t->left) {
        t->at += n;
        t->left -= (size_t)n;
    }
}

/* The lanes of a register that changed: the first ones; one value where all have the same. */
static void row(unsigned n, const uint32_t *now, const uint32_t *old, struct text *t)
{
    enum { SHOWN = 4 };
    unsigned changed = 0, first = 0, shown = 0;
    bool same = true;
    for (unsigned i = 0; i < SM_LANES; i++) {
        if (now[i] == old[i])
            continue;
        if (!changed++)
            first = i;
        same &= now[i] == now[first];
    }
    if (!changed)
        return;
    if (same && changed > 1) {
        add(t, " R%u=0x%x", n, now[first]);
        return;
    }
    for (unsigned i = first; i < SM_LANES && shown < SHOWN; i++) {
        if (now[i] == old[i])
            continue;
        if (!shown++)
            add(t, " R%u[%u]", n, i);
        else
            add(t, ",[%u]", i, 0);
        add(t, "=0x%x", now[i], 0);
    }
    if (changed > SHOWN)
        add(t, ",… (%u lanes)", changed, 0);
}

static void effects(const struct sm_warp *w, const struct sm_trace_point *p, struct text *t)
{
    for (unsigned i = 0; i < SM_RZ; i++)
        row(i, w->r[i], p->r[i], t);
    for (unsigned i = 0; i < 7; i++)
        if (w->p[i] != p->warp.p[i])
            add(t, " P%u=0x%x", i, w->p[i]);
    if (w->z != p->warp.z || w->s != p->warp.s)
        add(t, " CC.Z=0x%x CC.S=0x%x", w->z, w->s);
    if (w->carry != p->warp.carry || w->o != p->warp.o)
        add(t, " CC.C=0x%x CC.O=0x%x", w->carry, w->o);
    if (w->active != p->warp.active)
        add(t, " active=0x%x", w->active, 0);
    if (w->esr != p->warp.esr)
        add(t, " ESR=0x%x", w->esr, 0);
    if (w->trapped != p->warp.trapped)
        add(t, w->trapped ? " enters the trap handler" : " leaves the trap handler", 0, 0);
}

void sm_trace_after(struct sm_warp *w, wt_trace_fn fn, void *context)
{
    const struct sm_trace_point *p = w->device->trace;
    char text[256], effect[512] = "";
    struct text t = {effect, sizeof effect};
    /* A warp that has ended shows nothing: its slot may have a new one already. */
    if (w->runs && w->incarnation == p->warp.incarnation)
        effects(w, p, &t);
    sm_disassemble(wt_load_le(p->bytes, 8), p->pc, p->reuse, text, sizeof text);
    const struct wt_trace trace = {
        .time = p->time,
        .wave = w->id,
        .mask = p->warp.active,
        .pc = p->pc,
        .bytes = p->bytes,
        .length = 8,
        .word = 8,
        .longest = 8,
        .text = text,
        .effect = effect[0] ? effect + 1 : effect,
    };
    fn(context, &trace);
}
