/* Decoding Gen9 code into the records of code pages (machine/code_pages.h), and fetching them. */
#include "emulator/gen/internal.h"

#include <stdio.h>
#include <string.h>

static const struct gen_uop *no_code(struct gen_thread *t, const struct gen_uop *u)
{
    const uint64_t pc = gen_pc_of(t, u);
    return gen_fault(t, u, WT_FAULT_ACCESS, t->mask, pc,
                     "instruction fetch at 0x%llx: no memory is mapped there",
                     (unsigned long long)pc);
}

static const struct gen_uop *decode_here(struct gen_thread *t, const struct gen_uop *u);

/* `math` of numbers is computed more exactly than by hardware. No manual has `bfrev` of a float. */
static void note_near(struct wt_near *near, const struct gen_insn *insn)
{
    char name[WT_NEAR_NAME];
    if (insn->row == &gen_rows[GEN_BFREV] && insn->src[0].type == GEN_F)
        wt_near_add(near, GEN_BFREV_F, strlen(GEN_BFREV_F));
    if (insn->row->format != GEN_FORMAT_MATH || !gen_math_is_near(insn->condition))
        return;
    snprintf(name, sizeof name, "math.%s", gen_math_name(insn->condition));
    wt_near_add(near, name, strlen(name));
}

/* Decodes what stands at the record. False: nothing can be fetched there, or, with *good, it is no
 * instruction. */
static bool parse(struct gen_thread *t, struct gen_uop *slot, bool *good)
{
    const uint64_t pc = gen_pc_of(t, slot);
    uint8_t bytes[16] = {0};
    const char *why;
    if (!gen_device_read(t->device, pc, bytes, 8))
        return false;
    slot->word = (struct gen_word){.low = wt_load_le(bytes, 8)};
    if (!gen_is_compact(&slot->word)) {
        if (!gen_device_read(t->device, pc, bytes, 16))
            return false;
        slot->word.high = wt_load_le(bytes + 8, 8);
    }
    *good = gen_decode(&slot->word, &slot->insn, &why);
    slot->mistake = *good ? gen_region_mistake(&slot->insn) : NULL;
    *good = *good && !slot->mistake;
    return true;
}

/* Decodes the record; returns its handler. */
static gen_op code_decode(struct gen_thread *t, struct gen_uop *slot)
{
    bool good;
    assert(slot >= t->code->uop && slot < t->code->uop + GEN_SLOTS);
    if (!parse(t, slot, &good)) { /* whoever comes next looks again */
        slot->run = decode_here;
        return no_code;
    }
    if (good) {
        note_near(&t->device->near, &slot->insn);
        gen_prepare(slot);
    } else {
        slot->granules = slot->insn.length / GEN_GRANULE;
        slot->run = gen_op_illegal;
    }
    return slot->run;
}

bool gen_decode_record(struct gen_thread *t, struct gen_uop *slot)
{
    bool good;
    if (slot->run != decode_here ||
        wt_watch_set_code(t->device->machine.watch, gen_pc_of(t, slot)) || !parse(t, slot, &good) ||
        !good || slot->insn.row->format == GEN_FORMAT_MATH)
        return false;
    gen_prepare(slot);
    return true;
}

/* The handler of a record that is not decoded yet: decodes it in place and executes it. */
static const struct gen_uop *decode_here(struct gen_thread *t, const struct gen_uop *u)
{
    struct gen_device *d = t->device;
    const uint64_t pc = gen_pc_of(t, u);
    struct gen_uop *slot = &t->code->uop[u - t->code->uop];
    const struct wt_watch_code *watch = wt_watch_set_code(d->machine.watch, pc);
    gen_op run = code_decode(t, slot);
    if (watch) {
        if (!wt_code_watch(&d->machine.code, &t->code->page, pc, (wt_code_handler)run, watch)) {
            slot->run = decode_here;
            return gen_fault(t, u, WT_FAULT_HOST, t->mask, pc,
                             "the host has no memory left to watch this page");
        }
        /* Where nothing is mapped, the next one that comes decodes again. */
        if (slot->run != decode_here)
            slot->run = gen_watch_here;
        run = gen_watch_here;
    }
    return run(t, slot);
}

/* The handler behind the last record of a page: continues in the next page. */
static const struct gen_uop *next_page(struct gen_thread *t, const struct gen_uop *u)
{
    const struct gen_uop *next = gen_fetch(t, gen_pc_of(t, u));
    return next ? gen_visit(t, next)->run(t, next) : NULL;
}

const struct wt_code_format gen_code_format = {
    .granule = GEN_GRANULE,
    .bundle = GEN_GRANULE,
    .longest = 16,
    .first = offsetof(struct gen_code, uop),
    .record = sizeof(struct gen_uop),
    .tail = GEN_TAIL,
    .undecoded = (wt_code_handler)decode_here,
    .next_page = (wt_code_handler)next_page,
};

const struct gen_uop *gen_fetch(struct gen_thread *t, uint64_t pc)
{
    struct gen_device *d = t->device;
    struct wt_code_page *page = pc % GEN_GRANULE || pc >> WT_MEMORY_ADDRESS_BITS
                                    ? NULL
                                    : wt_code_page_of(&d->machine.code, pc);
    if (!page) {
        wt_engine_no_code(&d->machine, &t->head, pc, "IP");
        return NULL;
    }
    t->code = (struct gen_code *)page;
    return &t->code->uop[(pc & WT_PAGE_MASK) / GEN_GRANULE];
}

const struct gen_uop *gen_jump(struct gen_thread *t, uint64_t pc)
{
    assert(t->active && t->code);
    if (!(pc % GEN_GRANULE) && (pc & ~WT_PAGE_MASK) == t->code->page.base)
        return gen_visit(t, &t->code->uop[(pc & WT_PAGE_MASK) / GEN_GRANULE]);
    /* The instruction that jumps has been issued; what cannot be fetched is the next one. */
    t->pc = pc;
    if (t->left == 0)
        return NULL;
    const struct gen_uop *next = gen_fetch(t, pc);
    if (!next) {
        t->device->machine.not_issued = false;
        t->device->machine.fault.time++;
    }
    return next;
}
