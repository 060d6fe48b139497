/* The code of a function, and the ways through it. See flow.h. */
#include "debug/gen/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { MOST_CODE = 1 << 22, CHUNK = 4096 };

size_t genp_find_instruction(const struct genp_code *f, uint64_t addr)
{
    WT_BISECT(low, f->count, f->insn[middle].addr < addr);
    return low < f->count && f->insn[low].addr == addr ? low : SIZE_MAX;
}

static void mark(struct genp_code *f, uint64_t first, uint64_t end)
{
    for (size_t i = 0; i < f->count; i++)
        f->insn[i].is_partial |= f->insn[i].addr >= first && f->insn[i].addr < end;
}

/* 8 or 16: code for 32 channels has two registers of 16 each. */
static unsigned count_lanes(const struct genp_code *f)
{
    unsigned most = 8;
    for (size_t i = 0; i < f->count; i++)
        if (!f->insn[i].e.all_channels && f->insn[i].e.channels > most)
            most = 16;
    return most;
}

/* Marks the beginnings of blocks, and where fewer channels may execute. False: the code jumps to
 * addresses that it does not say. */
static bool find_blocks(struct genp_code *f)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct genp_instruction *in = &f->insn[i];
        if (in->e.leaves && in->e.goes_on)
            return false;
        for (unsigned k = 0; k < in->e.targets; k++) {
            const size_t to = genp_find_instruction(f, in->e.target[k]);
            if (to == SIZE_MAX)
                return false;
            f->insn[to].begins_block = true;
            if (in->e.target[k] <= in->addr)
                mark(f, in->e.target[k], in->addr + 1);
        }
        if (in->e.parts_until)
            mark(f, in->addr + in->e.length, in->e.parts_until);
        if ((in->e.targets || !in->e.goes_on) && i + 1 < f->count)
            f->insn[i + 1].begins_block = true;
    }
    return true;
}

static uint8_t *read_bytes(const struct wt_kept_address *a, uint64_t size)
{
    uint8_t *bytes = a->end > a->start && size <= MOST_CODE ? malloc(size) : NULL;
    bool good = bytes != NULL;
    for (uint64_t at = 0; good && at < size; at += CHUNK)
        good = a->read_code(a->context, a->start + at, bytes + at,
                            size - at < CHUNK ? size - at : CHUNK);
    if (good)
        return bytes;
    free(bytes);
    return NULL;
}

static bool decode(const struct genp_function *of, struct genp_code *f)
{
    for (uint64_t at = 0; at < of->size;) {
        struct genp_instruction *grown =
            wt_array_grow(f->insn, &f->capacity, f->count + 1, sizeof *f->insn);
        if (!grown)
            return false;
        f->insn = grown;
        struct genp_instruction *in = &grown[f->count];
        *in = (struct genp_instruction){.addr = of->start + at, .begins_block = f->count == 0};
        const uint64_t rest = of->size - at;
        genp_effects_of(in->addr, of->bytes + at, rest < 16 ? (unsigned)rest : 16, &in->e);
        if (in->e.opcode == 0) /* the padding behind a kernel */
            break;
        f->count++;
        at += in->e.length;
    }
    f->lanes = count_lanes(f);
    return f->count && find_blocks(f);
}

static void forget(struct genp_function *f)
{
    if (f->states)
        f->free_states(f->states);
    free(f->code.insn);
    free(f->bytes);
    *f = (struct genp_function){.start = 0};
}

struct genp_function *genp_read_function(struct genp_functions *functions,
                                         const struct wt_kept_address *asked)
{
    enum { PLACES = sizeof functions->list / sizeof *functions->list };
    struct genp_function now = {.start = asked->start, .size = asked->end - asked->start};
    if (!(now.bytes = read_bytes(asked, now.size)))
        return NULL;
    for (unsigned i = 0; i < PLACES; i++) {
        struct genp_function *f = &functions->list[i];
        if (f->bytes && f->start == now.start && f->size == now.size &&
            memcmp(f->bytes, now.bytes, now.size) == 0) {
            forget(&now);
            return f;
        }
    }
    if (!decode(&now, &now.code)) {
        forget(&now);
        return NULL;
    }
    struct genp_function *place = &functions->list[functions->oldest++ % PLACES];
    forget(place);
    *place = now;
    return place;
}

void genp_forget_functions(struct genp_functions *functions)
{
    for (unsigned i = 0; i < sizeof functions->list / sizeof *functions->list; i++)
        forget(&functions->list[i]);
}

size_t genp_end_of_block(const struct genp_code *f, size_t block)
{
    size_t i = block + 1;
    while (i < f->count && !f->insn[i].begins_block)
        i++;
    return i;
}

size_t genp_block_of(const struct genp_code *f, size_t i)
{
    while (!f->insn[i].begins_block)
        i--;
    return i;
}

bool genp_go_on(const struct genp_code *f, size_t last, bool (*visit)(size_t block, void *context),
                void *context)
{
    const struct genp_effects *e = &f->insn[last].e;
    bool changed = false;
    if (e->goes_on && last + 1 < f->count)
        changed |= visit(last + 1, context);
    for (unsigned k = 0; k < e->targets; k++)
        changed |= visit(genp_find_instruction(f, e->target[k]), context);
    return changed;
}
