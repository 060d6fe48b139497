/* Decoding GCN into the records of code pages (machine/code_pages.h), and fetching them. */
#include "emulator/gcn/judge.h"
#include "emulator/gcn/know/block.h"
#include "emulator/gcn/watch.h"

static const struct gcn_uop *no_code(struct gcn_wave *w, const struct gcn_uop *u)
{
    const uint64_t pc = gcn_pc_of(w, u);
    return gcn_fault(w, u, WT_FAULT_ACCESS, gcn_exec(w), pc,
                     "instruction fetch at 0x%llx: no memory is mapped there",
                     (unsigned long long)pc);
}

static const struct gcn_uop *decode_here(struct gcn_wave *w, const struct gcn_uop *u);

/* Decodes the instruction of a slot of w->code in place. In *available, how many dwords of it there
 * are. False: it is illegal. */
static bool parse(struct gcn_wave *w, struct gcn_uop *slot, unsigned *available)
{
    assert(slot >= w->code->uop && slot < w->code->uop + GCN_SLOTS);
    struct gcn_device *d = w->device;
    const uint64_t pc = gcn_pc_of(w, slot);
    uint8_t bytes[4];
    uint32_t word[GCN_MOST_DWORDS];
    const char *why;
    const unsigned most = gcn_model_of(d)->most_dwords;
    for (*available = 0; *available < most && gcn_mapped(d, pc + 4 * *available, 4, false);) {
        wt_memory_read(d->machine.memory, pc + 4 * *available, bytes, 4);
        word[(*available)++] = (uint32_t)wt_load_le(bytes, 4);
    }
    return *available && gcn_decode(gcn_model_of(d), gcn_lanes_of(w), word, *available, slot, &why);
}

/* Likewise of what is executed. Returns the handler that does that. */
static gcn_op code_decode(struct gcn_wave *w, struct gcn_uop *slot)
{
    unsigned available;
    const bool good = parse(w, slot, &available);
    if (!available) { /* whoever comes next looks again */
        slot->run = decode_here;
        return no_code;
    }
    if (good && gcn_row_is_near(slot->row))
        wt_near_add(&w->device->near, slot->row->name, strlen(slot->row->name));
    slot->run = good ? gcn_handler_of(slot) : gcn_illegal;
    return slot->run;
}

bool gcn_decode_record(struct gcn_wave *w, struct gcn_uop *slot)
{
    struct gcn_device *d = w->device;
    const uint64_t pc = gcn_pc_of(w, slot);
    unsigned available;
    if (slot->run != decode_here || wt_watch_set_code(d->machine.watch, pc) ||
        gcn_is_allocator(d, pc) || !parse(w, slot, &available) || gcn_row_is_near(slot->row))
        return false;
    slot->run = gcn_handler_of(slot);
    return true;
}

/* The handler of a record at which the judge is told of waves; the one where the wave comes back to
 * becomes such a record, too. */
static const struct gcn_uop *at_allocator(struct gcn_wave *w, const struct gcn_uop *u)
{
    const uint64_t back = gcn_judge_allocator(w, gcn_pc_of(w, u));
    struct gcn_code *code = back && back % 4 == 0 && !(back >> WT_MEMORY_ADDRESS_BITS)
                                ? (struct gcn_code *)wt_code_page_of(&w->device->machine.code, back)
                                : NULL;
    struct gcn_uop *slot = code ? &code->uop[(back & WT_PAGE_MASK) / 4] : NULL;
    if (slot && slot->run != gcn_watch_here)
        slot->run = decode_here;
    return gcn_handler_of(u)(w, u);
}

/* The handler of a record that is not decoded yet: decodes it in place and executes it. */
static const struct gcn_uop *decode_here(struct gcn_wave *w, const struct gcn_uop *u)
{
    struct gcn_device *d = w->device;
    const uint64_t pc = gcn_pc_of(w, u);
    struct gcn_uop *slot = &w->code->uop[u - w->code->uop];
    const struct wt_watch_code *watch = wt_watch_set_code(d->machine.watch, pc);
    gcn_op run = code_decode(w, slot);
    if (!watch && slot->run != decode_here && run != gcn_illegal && gcn_is_allocator(d, pc))
        slot->run = run = at_allocator;
    if (watch) {
        if (!wt_code_watch(&d->machine.code, &w->code->page, pc, (wt_code_handler)run, watch)) {
            slot->run = decode_here;
            return gcn_fault(w, u, WT_FAULT_HOST, gcn_exec(w), pc,
                             "the host has no memory left to watch this page");
        }
        /* Where nothing is mapped, the next one that comes decodes again. */
        if (slot->run != decode_here)
            slot->run = gcn_watch_here;
        run = gcn_watch_here;
    }
    return run(w, slot);
}

/* The handler behind the last record of a page: continues in the next page. */
static const struct gcn_uop *next_page(struct gcn_wave *w, const struct gcn_uop *u)
{
    const struct gcn_uop *next = gcn_fetch(w, gcn_pc_of(w, u));
    return next ? gcn_visit(w, next)->run(w, next) : NULL;
}

const struct wt_code_format gcn_code_format = {
    .granule = 4,
    .bundle = 4,
    .longest = 4 * GCN_MOST_DWORDS,
    .first = offsetof(struct gcn_code, uop),
    .record = sizeof(struct gcn_uop),
    .tail = GCN_TAIL,
    .undecoded = (wt_code_handler)decode_here,
    .next_page = (wt_code_handler)next_page,
};

const struct gcn_uop *gcn_fetch(struct gcn_wave *w, uint64_t pc)
{
    struct gcn_device *d = w->device;
    struct wt_code_page *page =
        pc % 4 || pc >> WT_MEMORY_ADDRESS_BITS ? NULL : wt_code_page_of(&d->machine.code, pc);
    if (!page) {
        wt_engine_no_code(&d->machine, &w->head, pc, "PC");
        return NULL;
    }
    w->code = (struct gcn_code *)page;
    return &w->code->uop[(pc & WT_PAGE_MASK) / 4];
}

const struct gcn_uop *gcn_jump(struct gcn_wave *w, uint64_t pc)
{
    assert(w->active && w->code);
    if (!(pc % 4) && (pc & ~WT_PAGE_MASK) == w->code->page.base)
        return gcn_visit(w, &w->code->uop[(pc & WT_PAGE_MASK) / 4]);
    /* The instruction that jumps has been issued; what cannot be fetched is the next one. */
    w->pc = pc;
    if (w->left == 0)
        return NULL;
    const struct gcn_uop *next = gcn_fetch(w, pc);
    if (!next) {
        w->device->machine.not_issued = false;
        w->device->machine.fault.time++;
        return NULL;
    }
    return gcn_visit(w, next);
}
