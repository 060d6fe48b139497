/*
 * Code for all lanes from the first instruction of a block up to the wave's last one, which stores
 * those rows alone that it reads from memory: nobody sees the others. It needs no row of before: it
 * reads what it has written. If it is left anywhere else than before the last instruction, the
 * block's other code does everything again: so nothing that may leave comes behind a store to
 * memory. See wt_rows_run_unseen().
 */
#include <string.h>

#include "emulator/translate/emit.h"

enum { SETS = WT_ROWS_MOST / 64 };

static bool branches(const struct wt_rows_insn *n)
{
    return n->op == WT_ROWS_BRANCH || n->op == WT_ROWS_BRANCH_IF;
}

/* Whether it is one of those that are known here: their results are rows or predicates of their
 * own, or none, and their sources tell what they read. */
static bool is_known(const struct emitter *e, const struct wt_rows_insn *n)
{
    switch ((enum wt_rows_op)n->op) {
    case WT_ROWS_HANDLER:
    case WT_ROWS_CALL:
    case WT_ROWS_NOTHING:
    case WT_ROWS_BRANCH:
        return true;
    case WT_ROWS_PREDICATE:
        return !n->conditional;
    default:
        return emit_is_512(e, n);
    }
}

static bool has_result(const struct wt_rows_insn *n)
{
    return n->op != WT_ROWS_HANDLER && n->op != WT_ROWS_CALL && n->op != WT_ROWS_NOTHING &&
           n->op != WT_ROWS_STORE && !branches(n);
}

/* Whether the code goes on behind it. */
static bool leads_on(const struct wt_rows_insn *n)
{
    return n->op != WT_ROWS_HANDLER && n->op != WT_ROWS_CALL &&
           (n->op != WT_ROWS_BRANCH || n->combine);
}

/* The number of the first instruction whose result has a slot; the count: there is none. */
static uint32_t first_with(const struct emitter *e, uint32_t slot)
{
    uint32_t i = 0;
    while (i < e->count && (!has_result(&e->insn[i]) || e->insn[i].d != slot))
        i++;
    return i;
}

/* Whether rows that it writes are never read before, on any way. (Those that it does not write are
 * found when it is emitted.) */
static bool reads_own_rows(const struct emitter *e)
{
    uint64_t written[WT_ROWS_MOST + 1][SETS]; /* before each, on all ways: by first_with() */
    memset(written, 0xff, sizeof written);
    memset(written[0], 0, sizeof written[0]);
    for (uint32_t i = 0; i < e->count; i++) {
        const struct wt_rows_insn *n = &e->insn[i];
        uint64_t *now = written[i];
        for (unsigned k = 0; k < (n->op == WT_ROWS_LOAD ? 1 : 3); k++) {
            const uint32_t of = n->s[k].constant ? e->count : first_with(e, n->s[k].slot);
            if (of < e->count && !(now[of / 64] >> of % 64 & 1))
                return false;
        }
        if (has_result(n)) {
            const uint32_t of = first_with(e, n->d);
            now[of / 64] |= UINT64_C(1) << of % 64;
        }
        for (unsigned k = 0; k < SETS; k++) {
            if (leads_on(n))
                written[i + 1][k] &= now[k];
            if (branches(n) && n->branch.target < e->count)
                written[n->branch.target][k] &= now[k];
        }
    }
    return true;
}

uint32_t emit_longest_unseen(const struct emitter *e)
{
    uint32_t longest[WT_ROWS_MOST + 1] = {0};
    if (!e->shape->vectors_512 || !e->shape->paths || e->shape->lanes != 32)
        return 0;
    for (uint32_t i = e->count; i-- > 0;) {
        const struct wt_rows_insn *n = &e->insn[i];
        uint32_t behind = leads_on(n) ? longest[i + 1] : 0;
        if (!is_known(e, n) || (branches(n) && n->branch.target <= i))
            return 0;
        if (branches(n) && n->branch.target < e->count && longest[n->branch.target] > behind)
            behind = longest[n->branch.target];
        longest[i] = n->op == WT_ROWS_HANDLER ? n->ends : behind + (behind != 0);
    }
    return longest[0] && reads_own_rows(e) ? longest[0] : 0;
}
