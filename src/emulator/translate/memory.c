/* Memory for translated code, and its execution. See rows.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator/translate/internal.h"

struct wt_rows_memory {
    uint8_t *bytes;
    size_t size, used;
    uint64_t numbers; /* numbers of blocks */
    struct emitter *emitter;
    struct rows_block {
        struct wt_rows_block block;
        struct wt_rows_unseen unseen;
        struct rows_block *next;
    } * blocks;
};

bool wt_rows_supported(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

bool wt_rows_has_512(void)
{
#ifdef __x86_64__
    return wt_rows_supported() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#else
    return false;
#endif
}

size_t wt_rows_leave_short(struct wt_rows_insn *insn, size_t count)
{
    size_t first = 0, own = 0, total = 0;
    for (size_t i = 0; i <= count; i++) {
        const bool leaves = i == count || insn[i].op == WT_ROWS_HANDLER ||
                            (insn[i].op == WT_ROWS_BRANCH && !insn[i].combine &&
                             insn[i].branch.target == WT_ROWS_ELSEWHERE);
        if (!leaves) {
            /* a branch within the block leads on */
            own += insn[i].op == WT_ROWS_CALL ? insn[i].how
                   : insn[i].op == WT_ROWS_BRANCH_WHEN && insn[i].branch.target < count ? 2
                                                                                        : 1;
            continue;
        }
        const bool pays = own >= 2 && 2 * own > i - first;
        for (size_t k = first; k < i && !pays; k++)
            insn[k].op = WT_ROWS_HANDLER;
        total += pays ? own : 0;
        if (i < count)
            insn[i].op = WT_ROWS_HANDLER;
        first = i + 1;
        own = 0;
    }
    return total;
}

size_t wt_rows_leave_observed(struct wt_rows_insn *insn, size_t count, size_t from)
{
    size_t head = 0, end = 0; /* of the loop: the end of one that is found is not 0 */
    for (size_t i = 0; i < count; i++)
        switch ((enum wt_rows_op)insn[i].op) {
        case WT_ROWS_LOAD:
        case WT_ROWS_STORE:
        case WT_ROWS_FETCH:
        case WT_ROWS_PARAMETER:
        case WT_ROWS_AT_MOST:
        case WT_ROWS_ARRIVE:
            insn[i] = (struct wt_rows_insn){.op = WT_ROWS_CALL};
            break;
        case WT_ROWS_BRANCH:
        case WT_ROWS_BRANCH_IF:
        case WT_ROWS_BRANCH_WHEN:
            if (insn[i].branch.target > i || i < from)
                break;
            if (!end)
                head = insn[i].branch.target;
            if (!end || (insn[i].branch.target >= head && insn[i].branch.target < end))
                end = i + 1;
            break;
        default:
            break;
        }
    return end ? end : count;
}

struct wt_rows_memory *wt_rows_memory_new(size_t bytes)
{
    struct wt_rows_memory *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->size = bytes;
    m->emitter = wt_rows_emitter_new();
    m->bytes = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m->emitter && m->bytes != MAP_FAILED &&
        mprotect(m->bytes, bytes, PROT_READ | PROT_EXEC) == 0)
        return m;
    if (m->bytes != MAP_FAILED)
        munmap(m->bytes, bytes);
    wt_rows_emitter_free(m->emitter);
    free(m);
    return NULL;
}

void wt_rows_memory_clear(struct wt_rows_memory *m)
{
    while (m->blocks) {
        struct rows_block *b = m->blocks;
        m->blocks = b->next;
        free((uint32_t *)b->block.entry);
        free(b->block.place);
        free(b);
    }
    m->used = 0;
}

void wt_rows_memory_free(struct wt_rows_memory *m)
{
    if (!m)
        return;
    wt_rows_memory_clear(m);
    wt_rows_emitter_free(m->emitter);
    munmap(m->bytes, m->size);
    free(m);
}

size_t wt_rows_memory_used(const struct wt_rows_memory *m)
{
    return m->used;
}

/* Copies code to where it is executed; its pages are not executable meanwhile. */
static bool place(struct wt_rows_memory *m, const struct wt_rows_code *code)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), first = m->used & ~(page - 1);
    uint8_t *pages = m->bytes + first;
    if (code->size > m->size - m->used)
        return false;
    const size_t bytes = m->used + code->size - first;
    if (mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    memcpy(m->bytes + m->used, code->bytes, code->size);
    return mprotect(pages, bytes, PROT_READ | PROT_EXEC) == 0;
}

const struct wt_rows_block *wt_rows_translate(struct wt_rows_memory *m,
                                              const struct wt_rows_shape *shape,
                                              const struct wt_rows_insn *insn, uint32_t number,
                                              size_t count)
{
    struct wt_rows_code code;
    struct rows_block *b = calloc(1, sizeof *b);
    bool emitted;
    while (!(emitted = wt_rows_emit(m->emitter, shape, insn, count, &code)) && count > 1) {
        free(code.entry);
        count /= 2;
    }
    uint64_t *places = emitted ? calloc(code.targets + 1, sizeof *places) : NULL;
    if (!places || !b || !place(m, &code)) {
        free(code.entry);
        free(places);
        free(b);
        return NULL;
    }
    const uint8_t *first = m->bytes + m->used;
    /* Rows of fewer lanes are parts of a vector: the others do not execute. */
    const uint64_t all = shape->lanes < 4 ? 0 : UINT64_MAX >> (64 - shape->lanes);
    uint64_t used = 1;
    for (size_t i = 0; i < count; i++)
        used |= insn[i].unmasked ? 0 : ((UINT64_C(1) << insn[i].lanes) - 1) << insn[i].channel;
    b->block = (struct wt_rows_block){.few = shape->few,
                                      .sparse = shape->scalars && !shape->vectors_512,
                                      .all = shape->regions ? used : all,
                                      .more = shape->regions,
                                      .first = number,
                                      .number = ++m->numbers,
                                      .count = (uint32_t)count,
                                      .entry = code.entry,
                                      .target = code.entry + code.kinds * count,
                                      .targets = (uint32_t)code.targets,
                                      .place = places};
    for (size_t i = 0; i < WT_ROWS_CODES; i++)
        b->block.code[i] = first + code.first[i];
    if (code.unseen_longest) {
        b->unseen = (struct wt_rows_unseen){.code = first + code.unseen,
                                            .first = code.unseen_first,
                                            .longest = code.unseen_longest};
        b->block.unseen = &b->unseen;
    }
    b->block.tells = true;
    for (size_t i = 0; i < count; i++) {
        b->block.gives |= insn[i].op == WT_ROWS_GIVEN;
        b->block.called[i / 64] |= (uint64_t)(insn[i].op == WT_ROWS_CALL) << i % 64;
        b->block.tells &= insn[i].op != WT_ROWS_BRANCH || insn[i].branch.comes_to;
    }
    b->next = m->blocks;
    m->blocks = b;
    m->used += (code.size + 63) & ~(size_t)63;
    m->used = m->used < m->size ? m->used : m->size;
    return &b->block;
}

/* Whether those that execute are in a few parts of eight lanes. */
static bool is_sparse(uint64_t mask)
{
    mask |= mask >> 4;
    mask |= mask >> 2;
    mask |= mask >> 1;
    const uint64_t ones = UINT64_C(0x0101010101010101); /* the product's upper byte is their sum */
    const unsigned parts = (unsigned)((mask & ones) * ones >> 56);
    return parts && parts <= WT_ROWS_SPARSE;
}

/* Not looked at: translated code has no description of its type in front of it. */
__attribute__((no_sanitize("undefined"))) uint32_t
wt_rows_run_some(const struct wt_rows_block *block, uint32_t first, struct wt_rows_state *s)
{
    uint64_t (*run)(struct wt_rows_state *, const uint8_t *);
    assert(first < block->count && s->left);
    const bool some = (block->more ? s->mask & block->all : s->mask) != block->all;
    const uint64_t but_one = s->mask & (s->mask - 1);
    const unsigned kind = some && block->few && !(but_one & (but_one - 1)) ? 2 + !!but_one : some;
    const uint8_t *code = block->code[kind];
    const bool sparse = some && block->sparse && is_sparse(s->mask); /* begins like that for some */
    memcpy(&run, &code, sizeof run);
    /* Entries are counted from the first byte of code for all lanes. */
    return (uint32_t)run(s, block->code[0] + block->entry[(kind + sparse) * block->count + first]);
}
