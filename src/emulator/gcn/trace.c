/* Tracing: each issued instruction, and the registers that it changed. */
#include "emulator/gcn/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "emulator/gcn/know/operands.h"
#include "emulator/machine/trace.h"

/* A wave before an instruction. */
struct gcn_trace_point {
    struct gcn_disassembler *disassembler;
    uint32_t (*v)[GCN_LANES];             /* GCN_MOST_ROWS rows, of which the wave's are filled */
    uint64_t written[GCN_MOST_ROWS / 64]; /* the rows that the instruction may write: noted in v */
    struct gcn_wave wave;                 /* but for its vector registers */
    uint64_t time;
    uint8_t bytes[4 * GCN_MOST_DWORDS];
    unsigned available; /* available of bytes */
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
    d->trace->disassembler = gcn_disassembler_new(gcn_model_of(d), gcn_code_lanes(d));
    d->trace->v = aligned_alloc(64, GCN_MOST_ROWS * sizeof *d->trace->v);
    if (d->trace->disassembler && d->trace->v)
        return true;
    gcn_trace_free(d);
    return false;
}

/* The rows that the instruction may write, by its operands; all of them where registers choose. */
static void find_written(const struct gcn_wave *w, struct gcn_trace_point *p)
{
    struct gcn_uop u = {0};
    struct wt_insn_operands o;
    uint32_t word[GCN_MOST_DWORDS];
    const char *why;
    memcpy(word, p->bytes, sizeof word);
    const bool known =
        p->available &&
        gcn_decode(gcn_model_of(w->device), gcn_lanes_of(w), word, p->available / 4, &u, &why) &&
        gcn_operands(&u, &o) && !(w->mode & GCN_MODE_GPR_IDX_EN);
    memset(p->written, known ? 0 : 0xff, sizeof p->written);
    for (unsigned i = 0; known && i < o.count; i++) {
        const struct wt_insn_operand *x = &o.list[i];
        for (unsigned k = 0;
             x->writes && x->file == GCN_FILE_V && k < (x->first + x->bits + 31u) / 32; k++)
            if (x->number + k < GCN_MOST_ROWS)
                p->written[(x->number + k) / 64] |= UINT64_C(1) << (x->number + k) % 64;
    }
}

static bool is_written(const struct gcn_trace_point *p, unsigned row)
{
    return p->written[row / 64] >> row % 64 & 1;
}

bool gcn_trace_before(struct wt_wave_head *head)
{
    struct gcn_wave *w = (struct gcn_wave *)head;
    assert(w->active && w->v);
    struct gcn_device *d = w->device;
    if (!make_point(d))
        return false;
    struct gcn_trace_point *p = d->trace;
    p->wave = *w;
    p->time = d->machine.time;
    p->available = 4u * gcn_model_of(d)->most_dwords;
    while (p->available && !gcn_read(d, w->pc, p->bytes, p->available))
        p->available -= 4;
    find_written(w, p);
    for (unsigned i = 0; i < GCN_MOST_ROWS; i++)
        if (is_written(p, i) && gcn_has_row(w, i))
            memcpy(p->v[i], w->v[i], sizeof p->v[i]);
    return true;
}

/* Scalar registers by their names; pairs that belong together as one number. */
static void scalars(const struct gcn_wave *w, const struct gcn_wave *old, struct wt_text *t)
{
    static const uint8_t pairs[] = {GCN_FLAT_SCRATCH, GCN_XNACK_MASK, GCN_VCC, GCN_EXEC};
    for (unsigned i = 0; i < GCN_FLAT_SCRATCH; i++)
        if (w->s[i] != old->s[i])
            wt_text_add(t, " s%u=0x%x", i, w->s[i]);
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const unsigned n = pairs[i];
        char name[16];
        if (gcn_pair(&w->s[n]) == gcn_pair(&old->s[n]))
            continue;
        gcn_scalar_name(n, 2, name, sizeof name);
        wt_text_add(t, " %s=0x%llx", name, (unsigned long long)gcn_pair(&w->s[n]));
    }
    for (unsigned i = GCN_TTMP; i < GCN_M0; i++)
        if (w->s[i] != old->s[i])
            wt_text_add(t, " ttmp%u=0x%x", i - GCN_TTMP, w->s[i]);
    if (w->s[GCN_M0] != old->s[GCN_M0])
        wt_text_add(t, " m0=0x%x", w->s[GCN_M0]);
    if (w->scc != old->scc)
        wt_text_add(t, " scc=%u", w->scc);
    if (w->mode != old->mode)
        wt_text_add(t, " mode=0x%x", w->mode);
}

void gcn_trace_after(struct wt_wave_head *head, wt_trace_fn fn, void *context)
{
    struct gcn_wave *w = (struct gcn_wave *)head;
    assert(w->device->trace && fn);
    const struct gcn_trace_point *p = w->device->trace;
    char text[256], effect[512] = "";
    struct wt_text t = {effect, sizeof effect};
    /* A wave that has ended shows nothing: its slot may have a new one already. */
    if (w->active && w->group == p->wave.group && w->index == p->wave.index) {
        scalars(w, &p->wave, &t);
        for (unsigned i = 0; i < GCN_MOST_ROWS; i++)
            if (is_written(p, i) && gcn_has_row(w, i)) {
                char name[8];
                snprintf(name, sizeof name, "%c%u", i < GCN_AGPR ? 'v' : 'a', i % GCN_AGPR);
                wt_trace_row(&t, name, w->v[i], p->v[i], 4, GCN_LANES);
            }
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
        .longest = 4u * gcn_model_of(w->device)->most_dwords,
        .text = text,
        .effect = effect[0] ? effect + 1 : effect,
    };
    fn(context, &trace);
}
