/* The trace of issued instructions: each instruction, and the registers that it wrote. */
#include "emulator/vortex/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "emulator/machine/operands.h"
#include "emulator/machine/trace.h"
#include "emulator/vortex/operands.h"

/* A warp as it stands before it issues. */
struct vx_trace_point {
    uint64_t time, pc;
    wt_lanes mask;
    uint8_t bytes[4];
    unsigned length;
    uint32_t word; /* the 32-bit instruction (what a compressed one stands for) */
    struct wt_insn_operands operands;
    uint64_t addr[WT_MAX_LANES]; /* addr of memory that is written, per lane */
};

static bool writes_memory(const struct wt_insn_operand *o)
{
    return o->kind == WT_OPERAND_MEMORY && o->writes;
}

uint32_t vx_fetch_word(struct vx_device *d, uint64_t pc)
{
    uint8_t bytes[4];
    uint32_t word;
    /* Fetch sees global memory only. */
    wt_memory_read(d->machine.memory, pc, bytes, sizeof bytes);
    word = (uint32_t)wt_load_le(bytes, 4);
    if ((bytes[0] & 3) != 3 && !vx_rvc_find((uint16_t)word, d->config.xlen, &word))
        return 0;
    return word;
}

bool vx_trace_before(struct wt_wave_head *head)
{
    const struct vx_warp *w = (struct vx_warp *)head;
    struct vx_device *d = w->device;
    if (!d->trace && !(d->trace = malloc(sizeof *d->trace)))
        return false;
    struct vx_trace_point *point = d->trace;
    point->time = d->machine.time;
    point->pc = w->pc;
    point->mask = w->mask;
    wt_memory_read(d->machine.memory, w->pc, point->bytes, sizeof point->bytes);
    point->length = (point->bytes[0] & 3) == 3 ? 4 : 2;
    point->word = vx_fetch_word(d, w->pc);
    vx_operands(point->word, d->config.xlen, &point->operands);
    for (unsigned i = 0; i < point->operands.count; i++) {
        const struct wt_insn_operand *o = &point->operands.list[i];
        for (unsigned l = 0; l < d->machine.lanes && writes_memory(o); l++)
            point->addr[l] = vx_truncate(d, vx_get_x(w, o->number, l) + (uint64_t)o->value);
    }
    return true;
}

static uint64_t lane_value(const struct vx_warp *w, unsigned r, unsigned lane, bool fp)
{
    return fp ? w->f[(size_t)r * w->device->machine.lanes + lane] : vx_get_x(w, r, lane);
}

/* "a0=[1 2 - 4]": one value if all enabled lanes have the same, '-' for lanes switched off. */
static void append_row(struct wt_text *t, const struct vx_warp *w, wt_lanes mask, const char *name,
                       unsigned r, bool fp)
{
    assert(r < 32);
    const unsigned lanes = w->device->machine.lanes;
    uint64_t common = 0;
    bool some = false, same = true;
    for (unsigned l = 0; l < lanes; l++) {
        if (!wt_has_lane(mask, l))
            continue;
        const uint64_t value = lane_value(w, r, l, fp);
        same = same && (!some || value == common);
        common = value;
        some = true;
    }
    wt_text_add(t, " %s=", name);
    if (same) {
        wt_text_add(t, "0x%llx", (unsigned long long)common);
        return;
    }
    wt_text_add(t, "[");
    for (unsigned l = 0; l < lanes; l++) {
        if (wt_has_lane(mask, l))
            wt_text_add(t, "%s0x%llx", l ? " " : "", (unsigned long long)lane_value(w, r, l, fp));
        else
            wt_text_add(t, "%s-", l ? " " : "");
    }
    wt_text_add(t, "]");
}

void vx_trace_after(struct wt_wave_head *head, wt_trace_fn fn, void *context)
{
    const struct vx_warp *w = (struct vx_warp *)head;
    assert(w->device->trace && fn);
    struct vx_device *d = w->device;
    const struct vx_trace_point *point = d->trace;
    char text[128], effect[8192] = "", mask[40];
    struct wt_text t = {effect, sizeof effect};
    vx_disassemble(point->bytes, point->length, d->config.xlen, point->pc, text, sizeof text);
    for (unsigned i = 0; i < point->operands.count; i++) {
        const struct wt_insn_operand *o = &point->operands.list[i];
        uint8_t bytes[8];
        if (point->mask && o->kind == WT_OPERAND_ROW && o->writes) {
            char name[16];
            vx_operand_name(o, name, sizeof name);
            append_row(&t, w, point->mask, name, o->number, o->file == VX_FILE_F);
        }
        for (unsigned l = 0; writes_memory(o) && l < d->machine.lanes; l++)
            if (wt_has_lane(point->mask, l) &&
                vx_read_bytes(w->core, d, point->addr[l], bytes, o->bits / 8))
                wt_text_add(&t, " mem[0x%llx]=0x%llx", (unsigned long long)point->addr[l],
                            (unsigned long long)wt_load_le(bytes, o->bits / 8));
    }
    if (w->mask != point->mask) {
        wt_mask_text(w->mask, mask, sizeof mask);
        wt_text_add(&t, " mask=%s", mask);
    }
    if (w->wait != VX_RUNS)
        wt_text_add(&t, " waits");
    const struct wt_trace trace = {
        .time = point->time,
        .wave = w->id,
        .mask = point->mask,
        .pc = point->pc,
        .bytes = point->bytes,
        .length = point->length,
        .word = 4,
        .longest = 4,
        .text = text,
        .effect = effect[0] ? effect + 1 : effect,
    };
    fn(context, &trace);
}
