/* Tracing: what each issued instruction was, and which registers it changed. */
#include "emulator/gcn/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A wave before an instruction. */
struct gcn_trace_point {
    struct gcn_disassembler *disassembler;
    uint32_t (*v)[GCN_LANES]; /* GCN_VGPRS rows, of which the wave's are filled */
    struct gcn_wave wave;     /* but for its vector registers */
    uint64_t time;
    uint8_t bytes[8];
    unsigned available; /* of bytes */
};

void gcn_trace_free(struct gcn_device *d)
{
    if (!d->trace)
        return;
    gcn_disassembler_free(d->trace->disassembler);
    free(d->trace->v);
    free(d->trace);
    d->trace = NULL;
}

static bool make_point(struct gcn_device *d)
{
    if (d->trace)
        return true;
    d->trace = aligned_alloc(_Alignof(struct gcn_trace_point), sizeof *d->trace);
    if (!d->trace)
        return false;
    memset(d->trace, 0, sizeof *d->trace);
    d->trace->disassembler = gcn_disassembler_new();
    d->trace->v = aligned_alloc(64, GCN_VGPRS * sizeof *d->trace->v);
    if (d->trace->disassembler && d->trace->v)
        return true;
    gcn_trace_free(d);
    return false;
}

bool gcn_trace_before(struct gcn_wave *w)
{
    assert(w->active && w->v);
    struct gcn_device *d = w->device;
    if (!make_point(d))
        return false;
    struct gcn_trace_point *p = d->trace;
    p->wave = *w;
    p->time = d->machine.time;
    memcpy(p->v, w->v, w->vgprs * sizeof *w->v);
    p->available = gcn_read(d, w->pc, p->bytes, 8) ? 8 : gcn_read(d, w->pc, p->bytes, 4) ? 4 : 0;
    return true;
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

void gcn_trace_after(struct gcn_wave *w, wt_trace_fn fn, void *context)
{
    assert(w->device->trace && fn);
    const struct gcn_trace_point *p = w->device->trace;
    char text[256], effect[512] = "";
    struct text t = {effect, sizeof effect};
    /* A wave that has ended shows nothing: its slot may have a new one already. */
    if (w->active && w->group == p->wave.group && w->index == p->wave.index) {
        scalars(w, &p->wave, &t);
        for (unsigned i = 0; i < w->vgprs; i++)
            vector(i, w->v[i], p->v[i], &t);
    }
    const struct wt_trace trace = {
        .time = p->time,
        .wave = w->id,
        .mask = gcn_exec(&p->wave),
        .pc = p->wave.pc,
        .bytes = p->bytes,
        .length =
            gcn_disassemble(p->disassembler, p->bytes, p->available, p->wave.pc, text, sizeof text),
        .word = 4,
        .longest = 8,
        .text = text,
        .effect = effect[0] ? effect + 1 : effect,
    };
    fn(context, &trace);
}
