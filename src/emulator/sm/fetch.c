/* Records of code pages (machine/code_pages.h): fetching and decoding them; the call-return stack.
 */
#include "emulator/sm/watch.h"

static const struct sm_uop *no_code(struct sm_warp *w, const struct sm_uop *u)
{
    const uint64_t pc = sm_pc_of(w, u);
    return sm_error(w, u, SM_PC_OVERFLOW, w->mask, pc,
                    "instruction fetch at 0x%llx: no memory is mapped there",
                    (unsigned long long)pc);
}

static const struct sm_uop *decode_here(struct sm_warp *w, const struct sm_uop *u);

/* Decodes the record in place; its handler. */
static sm_op code_decode(struct sm_warp *w, struct sm_uop *slot)
{
    struct sm_device *d = w->device;
    const uint64_t pc = sm_pc_of(w, slot);
    uint8_t bytes[8];
    if (!sm_mapped(d, pc, 8, false)) { /* whoever comes next looks again */
        slot->run = decode_here;
        return no_code;
    }
    wt_memory_read(d->machine.memory, pc, bytes, 8);
    const uint64_t word = wt_load_le(bytes, 8);
    const size_t next = (size_t)(slot - w->code->uop) + 1;
    *slot = (struct sm_uop){.word = word, .guard = 7, .step = next % 4 || next >= SM_SLOTS ? 1 : 2};
    if (!d->code_ops->decode_record(d, pc, slot))
        d->code_ops->decode_word(d, slot);
    return slot->run;
}

/* The handler of a record that is not decoded yet: decodes it in place and executes it. */
static const struct sm_uop *decode_here(struct sm_warp *w, const struct sm_uop *u)
{
    struct sm_device *d = w->device;
    const uint64_t pc = sm_pc_of(w, u);
    struct sm_uop *slot = &w->code->uop[u - w->code->uop];
    const struct wt_watch_code *watch = wt_watch_set_code(d->machine.watch, pc);
    sm_op run = code_decode(w, slot);
    if (watch && slot->run != decode_here) {
        if (!wt_code_watch(&d->machine.code, &w->code->page, pc, (wt_code_handler)run, watch)) {
            slot->run = decode_here;
            const struct wt_fault fault = {.kind = WT_FAULT_HOST,
                                           .wave = w->id,
                                           .pc = pc,
                                           .text =
                                               "the host has no memory left to watch this page"};
            w->pc = pc;
            sm_fault(w, &fault);
            return NULL;
        }
        slot->run = run = sm_watch_here;
    }
    return run(w, slot);
}

/* The handler behind the last record of a page: continues in the next page. */
static const struct sm_uop *next_page(struct sm_warp *w, const struct sm_uop *u)
{
    const struct sm_uop *next = sm_fetch(w, sm_pc_of(w, u));
    return next ? next->run(w, next) : NULL;
}

const struct wt_code_format sm_code_format = {
    .granule = 8,
    .bundle = SM_BUNDLE,
    .longest = 8,
    .first = offsetof(struct sm_code, uop),
    .record = sizeof(struct sm_uop),
    .tail = SM_TAIL,
    .undecoded = (wt_code_handler)decode_here,
    .next_page = (wt_code_handler)next_page,
};

/* The instruction at an address where there can be none: it raises the error. No page holds it. */
static const struct sm_uop nowhere = {.run = sm_op_nowhere, .guard = 7};

const struct sm_uop *sm_fetch(struct sm_warp *w, uint64_t pc)
{
    struct sm_device *d = w->device;
    w->pc = pc;
    if (pc % 8 || pc >> WT_MEMORY_ADDRESS_BITS)
        return &nowhere;
    pc += sm_is_control(pc) ? 8 : 0;
    struct wt_code_page *page = wt_code_page_of(&d->machine.code, pc);
    if (!page) {
        const struct wt_fault fault = {.kind = WT_FAULT_HOST,
                                       .wave = w->id,
                                       .lanes = w->mask,
                                       .pc = pc,
                                       .addr = pc,
                                       .text = "the host has no memory left to decode this page"};
        w->pc = pc;
        sm_fault(w, &fault);
        return NULL;
    }
    w->code = (struct sm_code *)page;
    return sm_visit(w, &w->code->uop[(pc & WT_PAGE_MASK) / 8]);
}

const struct sm_uop *sm_jump(struct sm_warp *w, uint64_t pc)
{
    assert(w->active && w->code);
    if (!(pc % 8) && !sm_is_control(pc) && (pc & ~WT_PAGE_MASK) == w->code->page.base)
        return sm_visit(w, &w->code->uop[(pc & WT_PAGE_MASK) / 8]);
    /* The instruction that jumps has been issued; what cannot be fetched is the next one. */
    w->pc = pc;
    if (w->left == 0)
        return NULL;
    const struct sm_uop *next = sm_fetch(w, pc);
    if (!next) {
        w->device->machine.not_issued = false;
        w->device->machine.fault.time++;
    }
    return next;
}

/* ---- the call-return stack ---- */

bool sm_push(struct sm_warp *w, enum sm_entry_kind kind, uint32_t mask, uint64_t pc)
{
    if (w->depth == SM_STACK)
        return false;
    w->stack[w->depth++] = (struct sm_entry){.pc = pc, .mask = mask, .kind = kind};
    return true;
}

const struct sm_uop *sm_next_lanes(struct sm_warp *w, const struct sm_uop *u)
{
    if (w->mask)
        return sm_next(u);
    while (w->depth && w->stack[w->depth - 1].kind != SM_ENTRY_TRAP) {
        const struct sm_entry e = w->stack[--w->depth];
        if (!e.mask)
            continue;
        w->mask = e.mask;
        return sm_jump(w, e.pc);
    }
    sm_lanes_end(w, UINT32_MAX);
    sm_warp_end(w);
    return NULL;
}

const struct sm_uop *sm_exit_lanes(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes)
{
    for (uint32_t i = 0; i < w->depth; i++)
        w->stack[i].mask &= ~lanes;
    sm_lanes_end(w, lanes);
    w->mask &= ~lanes;
    return sm_next_lanes(w, u);
}
