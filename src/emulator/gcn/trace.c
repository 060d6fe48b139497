/* Tracing: what each issued instruction was, and which registers it changed. */
#include "emulator/gcn/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gcn_trace_point_init(struct gcn_trace_point *p)
{
    return (p->v = aligned_alloc(64, GCN_VGPRS * sizeof *p->v)) != NULL;
}

void gcn_trace_point_free(struct gcn_trace_point *p)
{
    free(p->v);
}

void gcn_trace_before(struct gcn_wave *w, struct gcn_trace_point *p)
{
    p->wave = *w;
    p->time = w->device->machine.time;
    memcpy(p->v, w->v, w->vgprs * sizeof *w->v);
    p->available = gcn_read(w->device, w->pc, p->bytes, 8)   ? 8
                   : gcn_read(w->device, w->pc, p->bytes, 4) ? 4
                                                             : 0;
}

/* A text that grows until it is full. */
struct text {
    char *at;
    size_t left;
};

static void add(struct text *t, const char *format, unsigned long long a, unsigned long long b)
{
    const int n = snprintf(t->at, t->left, format, a, b);
    if (n > 0 && (size_t)n < t->left) {
        t->at += n;
        t->left -= (size_t)n;
    }
}

/* Scalar registers by their names; pairs that belong together as one number. */
static void scalars(const struct gcn_wave *w, const struct gcn_wave *old, struct text *t)
{
    static const struct {
        unsigned number;
        const char *format;
    } pairs[] = {{GCN_FLAT_SCRATCH, " flat_scratch=0x%llx"},
                 {GCN_XNACK_MASK, " xnack_mask=0x%llx"},
                 {GCN_VCC, " vcc=0x%llx"},
                 {GCN_EXEC, " exec=0x%llx"}};
    for (unsigned i = 0; i < GCN_FLAT_SCRATCH; i++)
        if (w->s[i] != old->s[i])
            add(t, " s%llu=0x%llx", i, w->s[i]);
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const unsigned n = pairs[i].number;
        if (gcn_pair(&w->s[n]) != gcn_pair(&old->s[n]))
            add(t, pairs[i].format, gcn_pair(&w->s[n]), 0);
    }
    for (unsigned i = GCN_TTMP; i < GCN_M0; i++)
        if (w->s[i] != old->s[i])
            add(t, " ttmp%llu=0x%llx", i - GCN_TTMP, w->s[i]);
    if (w->s[GCN_M0] != old->s[GCN_M0])
        add(t, " m0=0x%llx", w->s[GCN_M0], 0);
    if (w->scc != old->scc)
        add(t, " scc=%llu", w->scc, 0);
    if (w->mode != old->mode)
        add(t, " mode=0x%llx", w->mode, 0);
}

/* The lanes of a vector register that changed: the first ones; one value where all have the same.
 */
static void vector(unsigned n, const uint32_t *now, const uint32_t *old, struct text *t)
{
    enum { SHOWN = 4 };
    unsigned changed = 0, first = 0;
    bool same = true;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        if (now[i] == old[i])
            continue;
        if (!changed++)
            first = i;
        same &= now[i] == now[first];
    }
    if (!changed)
        return;
    if (same && changed > 1) {
        add(t, " v%llu=0x%llx", n, now[first]);
        return;
    }
    unsigned shown = 0;
    for (unsigned i = first; i < GCN_LANES && shown < SHOWN; i++) {
        if (now[i] == old[i])
            continue;
        if (!shown++)
            add(t, " v%llu[%llu]", n, i);
        else
            add(t, ",[%llu]", i, 0);
        add(t, "=0x%llx", now[i], 0);
    }
    if (changed > SHOWN)
        add(t, ",… (%llu lanes)", changed, 0);
}

void gcn_trace_after(struct gcn_wave *w, const struct gcn_trace_point *p,
                     struct gcn_disassembler *disassembler, gcn_trace_fn fn, void *context)
{
    char text[256], effect[512] = "";
    struct text t = {effect, sizeof effect};
    /* A wave that has ended shows nothing: its slot may have a new one already. */
    if (w->active && w->group == p->wave.group && w->index == p->wave.index) {
        scalars(w, &p->wave, &t);
        for (unsigned i = 0; i < w->vgprs; i++)
            vector(i, w->v[i], p->v[i], &t);
    }
    const struct gcn_trace trace = {
        .time = p->time,
        .wave = w->id,
        .exec = gcn_exec(&p->wave),
        .pc = p->wave.pc,
        .word = {(uint32_t)wt_load_le(p->bytes, 4),
                 p->available < 8 ? 0 : (uint32_t)wt_load_le(p->bytes + 4, 4)},
        .length =
            gcn_disassemble(disassembler, p->bytes, p->available, p->wave.pc, text, sizeof text),
        .text = text,
        .effect = effect[0] ? effect + 1 : effect,
    };
    fn(context, &trace);
}
