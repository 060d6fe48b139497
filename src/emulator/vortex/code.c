/* Decoded code: pages of records that handlers run over, filled in as they are reached. */
#include "emulator/vortex/watch.h"

#include <stdlib.h>
#include <string.h>

static struct vx_code **bucket_of(struct vx_device *d, uint64_t page)
{
    return &d->code[(page >> WT_PAGE_BITS) % VX_CODE_BUCKETS];
}

static struct vx_code *find(struct vx_device *d, uint64_t addr)
{
    const uint64_t page = addr & ~WT_PAGE_MASK;
    struct vx_code *code = *bucket_of(d, page);
    while (code && code->base != page)
        code = code->next;
    return code;
}

/* Operands of a 32-bit word as its row wants them. */
struct vx_uop vx_decode(struct vx_device *d, uint32_t word, unsigned halves)
{
    struct vx_uop u = {.run = vx_illegal, .halves = (uint8_t)halves, .rd = VX_SINK};
    const enum vx_insn_id id = vx_insn_find(word, d->config.xlen);
    if (id == VX_INSN_COUNT)
        return u;
    u.run = d->handlers->full[id];
    if (halves == 1 && d->handlers->compressed[id])
        u.run = d->handlers->compressed[id];
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
        default: /* F: the sets of a fence do not matter */
            break;
        }
    }
    return u;
}

/* Two bytes of code. The instruction fetch sees global memory, not the core's local memory. */
static uint16_t parcel(struct vx_device *d, uint64_t addr)
{
    return (uint16_t)wt_load_le(wt_memory_page(d->memory, addr) + (addr & WT_PAGE_MASK), 2);
}

struct vx_uop vx_code_decode(struct vx_device *d, uint64_t pc)
{
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

/* The handler of a slot that nobody has reached yet: decodes it in place and runs it. */
static const struct vx_uop *decode_here(struct vx_warp *w, const struct vx_uop *u)
{
    struct vx_device *d = w->device;
    const uint64_t pc = vx_pc_of(w, u);
    struct vx_uop *slot = &w->code->uop[u - w->code->uop];
    if (wt_watch_set_executes(d->machine.watch, pc))
        *slot = (struct vx_uop){.run = vx_watch_here};
    else
        *slot = vx_code_decode(d, pc);
    return slot->run(w, slot);
}

/* The handler behind the last slot of a page: goes on in the next page. */
static const struct vx_uop *next_page(struct vx_warp *w, const struct vx_uop *u)
{
    const struct vx_uop *next = vx_fetch(w, vx_truncate(w->device, vx_pc_of(w, u)));
    return next ? next->run(w, next) : NULL;
}

struct vx_code *vx_code_new(uint64_t base)
{
    struct vx_code *code = malloc(sizeof *code);
    if (!code)
        return NULL;
    code->base = base;
    code->next = NULL;
    for (unsigned i = 0; i < VX_SLOTS; i++)
        code->uop[i] = (struct vx_uop){.run = decode_here};
    code->uop[VX_SLOTS] = code->uop[VX_SLOTS + 1] = (struct vx_uop){.run = next_page};
    return code;
}

const struct vx_uop *vx_fetch(struct vx_warp *w, uint64_t pc)
{
    struct vx_device *d = w->device;
    struct vx_code *code = find(d, pc);
    if (!code) {
        if (pc >> WT_MEMORY_ADDRESS_BITS || !(code = vx_code_new(pc & ~WT_PAGE_MASK))) {
            w->pc = pc;
            d->machine.fault = (struct wt_fault){
                .kind = pc >> WT_MEMORY_ADDRESS_BITS ? WT_FAULT_ACCESS : WT_FAULT_HOST,
                .wave = w->id,
                .lanes = w->mask,
                .pc = pc,
                .addr = pc,
                .time = vx_now(w),
            };
            strcpy(d->machine.fault.text, pc >> WT_MEMORY_ADDRESS_BITS
                                              ? "jump outside the address space of 48 bits"
                                              : "the host has no memory left to decode this page");
            return NULL;
        }
        struct vx_code **bucket = bucket_of(d, code->base);
        code->next = *bucket;
        *bucket = code;
        /* From now on stores into this page, and into the next one, which its last instruction may
         * reach, must take the slow way, which tells us. */
        wt_tlb_drop(&d->tlb, pc);
        wt_tlb_drop(&d->tlb, pc + WT_PAGE_SIZE);
    }
    w->code = code;
    return &code->uop[(pc & WT_PAGE_MASK) / 2];
}

bool vx_code_on_page(struct vx_device *d, uint64_t addr)
{
    /* The last instruction of the page before may reach into this one. */
    return find(d, addr) || find(d, addr - WT_PAGE_SIZE);
}

static void forget(struct vx_device *d, uint64_t addr)
{
    struct vx_code *code = find(d, addr);
    if (code)
        code->uop[(addr & WT_PAGE_MASK) / 2] = (struct vx_uop){.run = decode_here};
}

void vx_code_invalidate(struct vx_device *d, uint64_t addr, uint64_t size)
{
    /* An instruction that begins up to three bytes before may hold the first byte. */
    const uint64_t first = (addr & ~(uint64_t)1) - 2, end = addr + size;
    for (uint64_t at = first; at < end; at += 2) {
        if ((at & WT_PAGE_MASK) == 0 && !find(d, at)) {
            at += WT_PAGE_SIZE - 2;
            continue;
        }
        forget(d, at);
    }
}

void vx_code_redecode(struct vx_device *d, uint64_t first, uint64_t last)
{
    for (unsigned i = 0; i < VX_CODE_BUCKETS; i++)
        for (struct vx_code *code = d->code[i]; code; code = code->next) {
            if (code->base > last || code->base + WT_PAGE_MASK < first)
                continue;
            for (uint64_t slot = 0; slot < VX_SLOTS; slot++)
                if (code->base + 2 * slot >= first && code->base + 2 * slot <= last)
                    code->uop[slot] = (struct vx_uop){.run = decode_here};
        }
}

void vx_code_note_pages(struct vx_device *d)
{
    for (unsigned i = 0; i < VX_CODE_BUCKETS; i++) {
        for (struct vx_code *code = d->code[i]; code; code = code->next) {
            code->page[0] = wt_memory_page(d->memory, code->base);
            code->page[1] = wt_memory_page(d->memory, code->base + WT_PAGE_SIZE);
        }
    }
}

void vx_code_keep_pages(struct vx_device *d)
{
    for (unsigned i = 0; i < VX_CODE_BUCKETS; i++) {
        struct vx_code **at = &d->code[i];
        while (*at) {
            struct vx_code *code = *at;
            if (code->page[0] == wt_memory_page(d->memory, code->base) &&
                code->page[1] == wt_memory_page(d->memory, code->base + WT_PAGE_SIZE)) {
                at = &code->next;
                continue;
            }
            *at = code->next;
            free(code);
        }
    }
}

void vx_code_clear(struct vx_device *d)
{
    for (unsigned i = 0; i < VX_CODE_BUCKETS; i++) {
        while (d->code[i]) {
            struct vx_code *code = d->code[i];
            d->code[i] = code->next;
            free(code);
        }
    }
}
