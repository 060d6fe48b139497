/* Decoded code: pages of records that handlers run over, filled in as they are reached. */
#include "emulator/gcn/watch.h"

#include <stdlib.h>
#include <string.h>

static struct gcn_code **bucket_of(struct gcn_device *d, uint64_t page)
{
    return &d->code[(page >> WT_PAGE_BITS) % GCN_CODE_BUCKETS];
}

static struct gcn_code *find(struct gcn_device *d, uint64_t addr)
{
    const uint64_t page = addr & ~WT_PAGE_MASK;
    struct gcn_code *code = *bucket_of(d, page);
    while (code && code->base != page)
        code = code->next;
    return code;
}

static const struct gcn_uop *no_code(struct gcn_wave *w, const struct gcn_uop *u)
{
    const uint64_t pc = gcn_pc_of(w, u);
    return gcn_fault(w, u, WT_FAULT_ACCESS, gcn_exec(w), pc,
                     "instruction fetch at 0x%llx: no memory is mapped there",
                     (unsigned long long)pc);
}

static const struct gcn_uop *decode_here(struct gcn_wave *w, const struct gcn_uop *u);

gcn_op gcn_code_decode(struct gcn_wave *w, struct gcn_uop *slot)
{
    struct gcn_device *d = w->device;
    const uint64_t pc = gcn_pc_of(w, slot);
    uint8_t bytes[8];
    uint32_t word[2];
    unsigned available = 0;
    while (available < 2 && gcn_mapped(d, pc + 4 * available, 4, false)) {
        wt_memory_read(d->memory, pc + 4 * available, bytes, 4);
        word[available++] = (uint32_t)wt_load_le(bytes, 4);
    }
    const char *why;
    if (!available) { /* whoever comes next looks again */
        slot->run = decode_here;
        return no_code;
    }
    slot->run = gcn_decode(word, available, slot, &why) ? gcn_handler_of(slot) : gcn_illegal;
    return slot->run;
}

/* The handler of a slot that nobody has reached yet: decodes it in place and runs it. */
static const struct gcn_uop *decode_here(struct gcn_wave *w, const struct gcn_uop *u)
{
    struct gcn_uop *slot = &w->code->uop[u - w->code->uop];
    if (!wt_watch_set_executes(w->device->machine.watch, gcn_pc_of(w, u)))
        return gcn_code_decode(w, slot)(w, slot);
    slot->run = gcn_watch_here;
    return gcn_watch_here(w, slot);
}

/* The handler behind the last slot of a page: goes on in the next page. */
static const struct gcn_uop *next_page(struct gcn_wave *w, const struct gcn_uop *u)
{
    const struct gcn_uop *next = gcn_fetch(w, gcn_pc_of(w, u));
    return next ? next->run(w, next) : NULL;
}

static struct gcn_code *code_new(uint64_t base)
{
    struct gcn_code *code = calloc(1, sizeof *code);
    if (!code)
        return NULL;
    code->base = base;
    for (unsigned i = 0; i < GCN_SLOTS; i++)
        code->uop[i].run = decode_here;
    for (unsigned i = GCN_SLOTS; i < GCN_SLOTS + 3; i++)
        code->uop[i].run = next_page;
    return code;
}

const struct gcn_uop *gcn_fetch(struct gcn_wave *w, uint64_t pc)
{
    struct gcn_device *d = w->device;
    const char *wrong = NULL;
    struct gcn_code *code = NULL;
    if (pc % 4)
        wrong = "the PC is not a multiple of 4";
    else if (pc >> WT_MEMORY_ADDRESS_BITS)
        wrong = "jump outside the address space of 48 bits";
    else if (!(code = find(d, pc)) && !(code = code_new(pc & ~WT_PAGE_MASK)))
        wrong = "the host has no memory left to decode this page";
    if (wrong) {
        w->pc = pc;
        d->machine.fault = (struct wt_fault){
            .kind = pc % 4                         ? WT_FAULT_MISALIGNED
                    : pc >> WT_MEMORY_ADDRESS_BITS ? WT_FAULT_ACCESS
                                                   : WT_FAULT_HOST,
            .wave = w->id,
            .lanes = gcn_exec(w),
            .pc = pc,
            .addr = pc,
            .time = gcn_now(w),
        };
        strcpy(d->machine.fault.text, wrong);
        d->not_issued = true;
        return NULL;
    }
    if (find(d, pc) != code) {
        struct gcn_code **bucket = bucket_of(d, code->base);
        code->next = *bucket;
        *bucket = code;
        /* From now on stores into this page, and into the next one, which its last instruction may
         * reach, must take the slow way, which tells us. */
        wt_tlb_drop(&d->tlb, pc);
        wt_tlb_drop(&d->tlb, pc + WT_PAGE_SIZE);
    }
    w->code = code;
    return &code->uop[(pc & WT_PAGE_MASK) / 4];
}

const struct gcn_uop *gcn_jump(struct gcn_wave *w, uint64_t pc)
{
    if (!(pc % 4) && (pc & ~WT_PAGE_MASK) == w->code->base)
        return &w->code->uop[(pc & WT_PAGE_MASK) / 4];
    /* The instruction that jumps has been issued; what cannot be fetched is the next one. */
    w->pc = pc;
    if (w->left == 0)
        return NULL;
    const struct gcn_uop *next = gcn_fetch(w, pc);
    if (!next) {
        w->device->not_issued = false;
        w->device->machine.fault.time++;
    }
    return next;
}

bool gcn_code_on_page(struct gcn_device *d, uint64_t addr)
{
    return find(d, addr) || find(d, addr - WT_PAGE_SIZE);
}

void gcn_code_invalidate(struct gcn_device *d, uint64_t addr, uint64_t size)
{
    /* An instruction that begins up to two dwords before may hold the first byte. */
    const uint64_t first = (addr & ~(uint64_t)3) - 8, end = addr + size;
    for (uint64_t at = first; at < end; at += 4) {
        struct gcn_code *code = find(d, at);
        if (code)
            code->uop[(at & WT_PAGE_MASK) / 4].run = decode_here;
        else
            at |= WT_PAGE_MASK & ~(uint64_t)3;
    }
}

void gcn_code_redecode(struct gcn_device *d, uint64_t first, uint64_t last)
{
    for (unsigned i = 0; i < GCN_CODE_BUCKETS; i++)
        for (struct gcn_code *code = d->code[i]; code; code = code->next)
            for (uint64_t at = 0; at < GCN_SLOTS; at++)
                if (code->base + 4 * at >= first && code->base + 4 * at <= last)
                    code->uop[at].run = decode_here;
}

void gcn_code_clear(struct gcn_device *d)
{
    for (unsigned i = 0; i < GCN_CODE_BUCKETS; i++) {
        while (d->code[i]) {
            struct gcn_code *code = d->code[i];
            d->code[i] = code->next;
            free(code);
        }
    }
}
