/* Tracing: each issued instruction, and the registers that it changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "emulator/machine/operands.h"
#include "emulator/machine/trace.h"
#include "emulator/sm/operands.h"
#include "emulator/sm/ptx/image.h"

/* A warp before an instruction. */
struct sm_trace_point {
    uint32_t (*r)[SM_LANES]; /* its rows in use, filled where the instruction may write */
    uint32_t room;
    struct wt_insn_operands operands; /* those that may be written */
    bool known;                       /* else any row may be */
    uint32_t p[7], z, s, carry, o, mask, esr, base;
    bool trapped;
    uint64_t incarnation, time, pc;
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

/* The rows of a warp that an operand is in, from *first on. */
static uint32_t rows_of(const struct wt_insn_operand *x, uint32_t *first)
{
    const uint64_t begin = 8 * (uint64_t)x->number + x->first;
    const uint64_t bits = x->bits + (x->kind == WT_OPERAND_ROW ? (SM_LANES - 1) * x->step : 0);
    *first = (uint32_t)(begin / (8 * PTX_ROW_BYTES));
    return bits ? (uint32_t)((begin + bits - 1) / (8 * PTX_ROW_BYTES)) - *first + 1 : 0;
}

/* Whether the instruction may write one of @p count rows from @p row on. */
static bool may_write(const struct sm_trace_point *p, uint32_t row, uint32_t count)
{
    for (unsigned i = 0; p->known && i < p->operands.count; i++) {
        uint32_t first;
        const uint32_t rows = rows_of(&p->operands.list[i], &first);
        if (row < first + rows && first < row + count)
            return true;
    }
    return !p->known;
}

/* Keeps the rows that the instruction may write, by its operands. What comes before it, an error
 * that arrives or the handler's entry, may be executed instead. */
static void keep_rows(const struct sm_warp *w, struct sm_trace_point *p)
{
    struct wt_machine *m = &w->device->machine;
    struct wt_insn_operands *o = &p->operands;
    unsigned kept = 0;
    const uint32_t all = sm_rows_of(w);
    p->known = !w->must_enter && !w->late_code[0] && !w->late_code[1] && !w->step &&
               m->ops->operands(m, w->id, w->pc, o) && !o->incomplete;
    if (!p->known)
        memcpy(p->r, w->r, all * sizeof *p->r);
    for (unsigned i = 0; p->known && i < o->count; i++) {
        const struct wt_insn_operand x = o->list[i];
        uint32_t first;
        if (!x.writes || x.kind > WT_OPERAND_SCALAR || x.file != SM_FILE_R)
            continue;
        const uint32_t rows = rows_of(&x, &first);
        o->list[kept++] = x;
        for (uint32_t row = first; row < first + rows && row < all; row++)
            memcpy(p->r[row], w->r[row], sizeof *p->r);
    }
    o->count = kept;
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
    keep_rows(w, p);
    memcpy(p->p, w->p, sizeof p->p);
    p->z = w->z;
    p->s = w->s;
    p->carry = w->carry;
    p->o = w->o;
    p->mask = w->mask;
    p->esr = w->esr;
    p->base = w->base;
    p->trapped = w->trapped;
    p->incarnation = w->incarnation;
    p->time = d->machine.time;
    p->pc = w->must_enter ? d->handler : w->pc;
    p->pc += sm_is_control(p->pc) ? 8 : 0;
    memset(p->bytes, 0, sizeof p->bytes);
    sm_device_read(d, p->pc, p->bytes, sizeof p->bytes);
    sm_device_read(d, p->pc & ~(uint64_t)(SM_BUNDLE - 1), control, sizeof control);
    p->reuse = sm_control_get(wt_load_le(control, 8), (unsigned)(p->pc % SM_BUNDLE / 8) - 1).reuse;
    return true;
}

/* Registers of the frame that the instruction was in. */
static void ptx_effects(const struct sm_warp *w, const struct sm_trace_point *p, struct wt_text *t)
{
    uint32_t index;
    const struct sm_ptx *image = ptx_image_at(w->device, p->pc, &index);
    const uint8_t *old = (const uint8_t *)p->r[p->base];
    const uint8_t *now = (const uint8_t *)w->r[p->base];
    struct sm_ptx_register r;
    for (size_t n = 0; image && ptx_register_at(image, index, n, &r); n++) {
        uint32_t was, is;
        if (!may_write(p, p->base + r.slot / PTX_ROW_BYTES, r.bytes > 4 ? 2 : 1))
            continue;
        if (r.bytes) {
            wt_trace_row(t, r.name, now + r.slot, old + r.slot, r.bytes, SM_LANES);
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
        if (!may_write(p, i, 1))
            continue;
        snprintf(name, sizeof name, "R%u", i);
        wt_trace_row(t, name, w->r[i], p->r[i], 4, SM_LANES);
    }
    if (w->device->grid.launch.rows)
        ptx_effects(w, p, t);
    for (unsigned i = 0; i < 7; i++)
        if (w->p[i] != p->p[i])
            wt_text_add(t, " P%u=0x%x", i, w->p[i]);
    if (w->z != p->z || w->s != p->s)
        wt_text_add(t, " CC.Z=0x%x CC.S=0x%x", w->z, w->s);
    if (w->carry != p->carry || w->o != p->o)
        wt_text_add(t, " CC.C=0x%x CC.O=0x%x", w->carry, w->o);
    if (w->mask != p->mask)
        wt_text_add(t, " active=0x%x", w->mask);
    if (w->esr != p->esr)
        wt_text_add(t, " ESR=0x%x", w->esr);
    if (w->trapped != p->trapped)
        wt_text_add(t, "%s", w->trapped ? " enters the trap handler" : " leaves the trap handler");
}

void sm_trace_after(struct wt_wave_head *head, wt_trace_fn fn, void *context)
{
    struct sm_warp *w = (struct sm_warp *)head;
    const struct sm_trace_point *p = w->device->trace;
    char text[256], effect[512] = "";
    struct wt_text t = {effect, sizeof effect};
    /* A warp that has ended shows nothing: its slot may have a new one already. */
    if (w->active && w->incarnation == p->incarnation)
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
        .mask = p->mask,
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
