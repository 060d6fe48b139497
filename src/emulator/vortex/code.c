/* Decoding RISC-V into the records of code pages (machine/code_pages.h). */
#include "emulator/vortex/watch.h"

#include <string.h>

/* Operands of a 32-bit word as its row wants them. */
struct vx_uop vx_decode(struct vx_device *d, uint32_t word, unsigned halves)
{
    assert(halves == 1 || halves == 2);
    struct vx_uop u = {.run = vx_illegal, .halves = (uint8_t)halves, .rd = VX_SINK};
    const enum vx_insn_id id = vx_insn_find(word, d->config.xlen);
    if (id == VX_INSN_COUNT || (id >= VX_INSN_LATER && !d->profile->later_rows))
        return u;
    u.run = d->handlers->full[id];
    if (halves == 1 && d->handlers->compressed[id])
        u.run = d->handlers->compressed[id];
    if (d->machine.judge && vx_judged_handler(id))
        u.run = vx_judged_handler(id);
    for (const char *o = vx_insns[id].operands; *o; o++) {
        switch (*o) {
        case 'd':
            u.rd = wt_field(word, 11, 7) ? (uint8_t)wt_field(word, 11, 7) : VX_SINK;
            break;
        case 'D':
            u.rd = (uint8_t)wt_field(word, 11, 7);
            break;
        case 's':
        case 'S':
        case 'a':
        case 'Z':
            u.rs1 = (uint8_t)wt_field(word, 19, 15);
            break;
        case 't':
        case 'T':
            u.rs2 = (uint8_t)wt_field(word, 24, 20);
            break;
        case 'R':
            u.imm |= (int32_t)(wt_field(word, 31, 27) << 8);
            break;
        case 'm':
            u.imm |= (int32_t)wt_field(word, 14, 12);
            break;
        case 'l':
            u.rs1 = (uint8_t)wt_field(word, 19, 15);
            u.imm = vx_imm_i(word);
            break;
        case 'q':
            u.rs1 = (uint8_t)wt_field(word, 19, 15);
            u.imm = vx_imm_s(word);
            break;
        case 'j':
            u.imm = vx_imm_i(word);
            break;
        case 'p':
            u.imm = vx_imm_b(word);
            break;
        case 'J':
            u.imm = vx_imm_j(word);
            break;
        case 'u':
            u.imm = vx_imm_u(word);
            break;
        case '5':
            u.imm = (int32_t)wt_field(word, 24, 20);
            break;
        case '6':
            u.imm = (int32_t)wt_field(word, 25, 20);
            break;
        case 'E':
            u.imm = (int32_t)wt_field(word, 31, 20);
            break;
        case 'r':
            u.imm |= (int32_t)(wt_field(word, 31, 27) << 8);
            break;
        case 'g':
            u.imm |= (int32_t)wt_field(word, 26, 25);
            break;
        default: /* F: the sets of a fence do not matter */
            break;
        }
    }
    return u;
}

/* Two bytes of code. The instruction fetch sees global memory, not the core's local memory. */
static uint16_t parcel(struct vx_device *d, uint64_t addr)
{
    return (uint16_t)wt_load_le(wt_memory_page(d->machine.memory, addr) + (addr & WT_PAGE_MASK), 2);
}

/* The instruction at pc, whatever its record holds. */
static struct vx_uop code_decode(struct vx_device *d, uint64_t pc)
{
    assert(pc % 2 == 0);
    const uint16_t low = parcel(d, pc);
    if ((low & 3) == 3) {
        const uint64_t rest = vx_truncate(d, pc + 2);
        return vx_decode(d, low | (uint32_t)parcel(d, rest) << 16, 2);
    }
    uint32_t word;
    if (vx_rvc_find(low, d->config.xlen, &word))
        return vx_decode(d, word, 1);
    return (struct vx_uop){.run = vx_illegal, .halves = 1};
}

bool vx_decode_record(struct vx_warp *w, struct vx_uop *slot)
{
    const uint64_t pc = vx_pc_of(w, slot);
    if (wt_watch_set_code(w->device->machine.watch, pc))
        return false;
    *slot = code_decode(w->device, pc);
    return true;
}

/* The handler of a record that is not decoded yet: decodes it in place and executes it. */
static const struct vx_uop *decode_here(struct vx_warp *w, const struct vx_uop *u)
{
    struct vx_device *d = w->device;
    const uint64_t pc = vx_pc_of(w, u);
    struct vx_uop *slot = &w->code->uop[u - w->code->uop];
    const struct wt_watch_code *watch = wt_watch_set_code(d->machine.watch, pc);
    *slot = code_decode(d, pc);
    if (watch) {
        const wt_code_handler original = (wt_code_handler)slot->run;
        slot->run = wt_code_watch(&d->machine.code, &w->code->page, pc, original, watch)
                        ? vx_watch_here
                        : decode_here;
        if (slot->run == decode_here)
            return vx_fault(w, u, WT_FAULT_HOST, w->mask, pc,
                            "the host has no memory left to watch this page");
    }
    return slot->run(w, slot);
}

/* The handler behind the last record of a page: continues in the next page. */
static const struct vx_uop *next_page(struct vx_warp *w, const struct vx_uop *u)
{
    const struct vx_uop *next = vx_fetch(w, vx_truncate(w->device, vx_pc_of(w, u)));
    return next ? next->run(w, next) : NULL;
}

const struct wt_code_format vx_code_format = {
    .granule = 2,
    .bundle = 2,
    .longest = 4,
    .first = offsetof(struct vx_code, uop),
    .record = sizeof(struct vx_uop),
    .tail = VX_TAIL,
    .undecoded = (wt_code_handler)decode_here,
    .next_page = (wt_code_handler)next_page,
};

const struct vx_uop *vx_fetch(struct vx_warp *w, uint64_t pc)
{
    WT_CHECK(pc % 2 == 0);
    struct vx_device *d = w->device;
    const bool outside = pc >> WT_MEMORY_ADDRESS_BITS;
    struct wt_code_page *page = outside ? NULL : wt_code_page_of(&d->machine.code, pc);
    if (!page) {
        wt_engine_no_code(&d->machine, &w->head, pc, "PC");
        return NULL;
    }
    w->code = (struct vx_code *)page;
    return &w->code->uop[(pc & WT_PAGE_MASK) / 2];
}
