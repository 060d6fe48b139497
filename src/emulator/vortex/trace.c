/* The trace of issued instructions: each instruction, and the registers that it wrote. */
#include "emulator/vortex/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A warp as it stands before it issues. */
struct vx_trace_point {
    uint64_t time, pc;
    wt_lanes mask;
    uint8_t bytes[4];
    unsigned length;
    uint32_t word; /* the 32-bit instruction (what a compressed one stands for) */
    enum vx_insn_id id;
    uint64_t addr[WT_MAX_LANES]; /* of memory instructions, per lane */
};

static bool has_operand(enum vx_insn_id id, char letter)
{
    return id < VX_INSN_COUNT && strchr(vx_insns[id].operands, letter);
}

/* Bytes that the instruction stores at addr, 0 if it does not. */
static unsigned stores(enum vx_insn_id id)
{
    switch (id) {
    case VX_INSN_sb:
        return 1;
    case VX_INSN_sh:
        return 2;
    case VX_INSN_sw:
    case VX_INSN_fsw:
        return 4;
    case VX_INSN_sd:
    case VX_INSN_fsd:
        return 8;
    default:
        if (has_operand(id, 'a') && has_operand(id, 't')) /* AMO and SC */
            return wt_field(vx_insns[id].match, 14, 12) == 2 ? 4 : 8;
        return 0;
    }
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
    /* Fetch sees global memory only. */
    wt_memory_read(d->machine.memory, w->pc, point->bytes, sizeof point->bytes);
    point->length = (point->bytes[0] & 3) == 3 ? 4 : 2;
    point->word = (uint32_t)wt_load_le(point->bytes, 4);
    if (point->length == 2 &&
        !vx_rvc_find((uint16_t)wt_load_le(point->bytes, 2), d->config.xlen, &point->word))
        point->word = 0;
    point->id = vx_insn_find(point->word, d->config.xlen);
    if (!stores(point->id))
        return true;
    const int32_t offset = has_operand(point->id, 'q') ? vx_imm_s(point->word) : 0;
    for (unsigned l = 0; l < d->machine.lanes; l++)
        point->addr[l] = vx_truncate(d, vx_get_x(w, wt_field(point->word, 19, 15), l) +
                                            (uint64_t)(int64_t)offset);
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
    const unsigned rd = wt_field(point->word, 11, 7);
    if (point->mask && has_operand(point->id, 'd') && rd)
        append_row(&t, w, point->mask, vx_x_name(rd), rd, false);
    if (point->mask && has_operand(point->id, 'D'))
        append_row(&t, w, point->mask, vx_f_name(rd), rd, true);
    const unsigned size = stores(point->id);
    for (unsigned l = 0; size && l < d->machine.lanes; l++) {
        uint8_t bytes[8];
        if (!wt_has_lane(point->mask, l) || !vx_read_bytes(w->core, d, point->addr[l], bytes, size))
            continue;
        wt_text_add(&t, " mem[0x%llx]=0x%llx", (unsigned long long)point->addr[l],
                    (unsigned long long)wt_load_le(bytes, size));
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
