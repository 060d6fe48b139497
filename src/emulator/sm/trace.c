/* Tracing: each issued instruction, and the registers that it changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "emulator/sm/ptx_image.h"

/* A warp before an instruction. */
struct sm_trace_point {
    uint32_t (*r)[SM_LANES]; /* its rows in use */
    uint32_t room;
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

bool sm_trace_before(struct wt_wave_head *head)
{
    struct sm_warp *w = (struct sm_warp *)head;
    struct sm_device *d = w->device;
    uint8_t control[8] = {0};
    if (!d->trace && !(d->trace = calloc(1, sizeof *d->trace)))
        return false;
    struct sm_trace_point *p = d->trace;
    const uint32_t rows = sm_rows_of(w);
    if (p->room < rows) {
        uint32_t(*grown)[SM_LANES] = realloc(p->r, rows * sizeof *grown);
        if (!grown)
            return false;
        p->r = grown;
        p->room = rows;
    }
    p->warp = *w;
    p->time = d->machine.time;
    memcpy(p->r, w->r, rows * sizeof *p->r);
    p->pc = w->must_enter ? d->handler : w->pc;
    p->pc += sm_is_control(p->pc) ? 8 : 0;
    memset(p->bytes, 0, sizeof p->bytes);
    sm_device_read(d, p->pc, p->bytes, sizeof p->bytes);
    sm_device_read(d, p->pc & ~(uint64_t)(SM_BUNDLE - 1), control, sizeof control);
    p->reuse = sm_control_get(wt_load_le(control, 8), (unsigned)(p->pc % SM_BUNDLE / 8) - 1).reuse;
    return true;
}

/* The lanes of a register that changed: the first ones; one value where all have the same. */
static void row(const char *name, const void *now, const void *old, unsigned bytes,
                struct wt_text *t)
{
    enum { SHOWN = 4 };
    unsigned changed = 0, first = 0, shown = 0;
    bool same = true;
    for (unsigned i = 0; i < SM_LANES; i++) {
        if (ptx_get(now, bytes, i) == ptx_get(old, bytes, i))
            continue;
        if (!changed++)
            first = i;
        same &= ptx_get(now, bytes, i) == ptx_get(now, bytes, first);
    }
    if (!changed)
        return;
    wt_text_add(t, " %s", name);
    if (same && changed > 1) {
        wt_text_add(t, "=0x%llx", (unsigned long long)ptx_get(now, bytes, first));
        return;
    }
    for (unsigned i = first; i < SM_LANES && shown < SHOWN; i++)
        if (ptx_get(now, bytes, i) != ptx_get(old, bytes, i))
            wt_text_add(t, "%s[%u]=0x%llx", shown++ ? "," : "", i,
                        (unsigned long long)ptx_get(now, bytes, i));
    if (changed > SHOWN)
        wt_text_add(t, ",… (%u lanes)", changed);
}

/* Registers of the frame that the instruction was in. */
static void ptx_effects(const struct sm_warp *w, const struct sm_trace_point *p, struct wt_text *t)
{
    uint32_t index;
    const struct sm_ptx *image = ptx_image_at(w->device, p->pc, &index);
    const uint8_t *old = (const uint8_t *)p->r[p->warp.base];
    const uint8_t *now = (const uint8_t *)w->r[p->warp.base];
    struct sm_ptx_register r;
    for (size_t n = 0; image && ptx_register_at(image, index, n, &r); n++) {
        uint32_t was, is;
        if (r.bytes) {
            row(r.name, now + r.slot, old + r.slot, r.bytes, t);
            continue;
        }
        memcpy(&was, old + r.slot, 4);
        memcpy(&is, now + r.slot, 4);
        if (was != is)
            wt_text_add(t, " %s=0x%x", r.name, is);
    }
}

static void effects(const struct sm_warp *w, const struct sm_trace_point *p, struct wt_text *t)
{
    for (unsigned i = 0; i < SM_RZ; i++) {
        char name[8];
        snprintf(name, sizeof name, "R%u", i);
        row(name, w->r[i], p->r[i], 4, t);
    }
    if (w->device->grid.launch.rows)
        ptx_effects(w, p, t);
    for (unsigned i = 0; i < 7; i++)
        if (w->p[i] != p->warp.p[i])
            wt_text_add(t, " P%u=0x%x", i, w->p[i]);
    if (w->z != p->warp.z || w->s != p->warp.s)
        wt_text_add(t, " CC.Z=0x%x CC.S=0x%x", w->z, w->s);
    if (w->carry != p->warp.carry || w->o != p->warp.o)
        wt_text_add(t, " CC.C=0x%x CC.O=0x%x", w->carry, w->o);
    if (w->mask != p->warp.mask)
        wt_text_add(t, " active=0x%x", w->mask);
    if (w->esr != p->warp.esr)
        wt_text_add(t, " ESR=0x%x", w->esr);
    if (w->trapped != p->warp.trapped)
        wt_text_add(t, "%s", w->trapped ? " enters the trap handler" : " leaves the trap handler");
}

void sm_trace_after(struct wt_wave_head *head, wt_trace_fn fn, void *context)
{
    struct sm_warp *w = (struct sm_warp *)head;
    const struct sm_trace_point *p = w->device->trace;
    char text[256], effect[512] = "";
    struct wt_text t = {effect, sizeof effect};
    /* A warp that has ended shows nothing: its slot may have a new one already. */
    if (w->active && w->incarnation == p->warp.incarnation)
        effects(w, p, &t);
    uint32_t index;
    const uint64_t word = wt_load_le(p->bytes, 8);
    const struct sm_ptx *image = ptx_image_at(w->device, p->pc, &index);
    if (image && word == ptx_word(image, index))
        ptx_record_text(image, index, text, sizeof text);
    else
        sm_disassemble(word, p->pc, p->reuse, text, sizeof text);
    const struct wt_trace trace = {
        .time = p->time,
        .wave = w->id,
        .mask = p->warp.mask,
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
