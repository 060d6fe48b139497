/*
 * Branches of DWARF expressions (DWARF 5, 2.5.1.5). The core's form has branches at which lanes
 * part. DWARF's stack is known only while the expression is compiled, so lanes that come together
 * have their stacks in the same temporaries.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/dwarf_machine.h"

/* Locations that are no values on the stack: registers, blocks of constants. */
static enum wt_status check_on_stack(const struct machine *m, struct wt_error *err)
{
    if (!m->is_register && !m->block)
        return WT_OK;
    return wt_fail(err, WT_UNSUPPORTED,
                   "a branch of the debug information chooses between %s, which is not supported",
                   m->is_register ? "registers" : "blocks of constants");
}

/* Whether both stacks have as many cells, and cells that stand for the same. */
static enum wt_status compare_stacks(const struct machine *m, const struct join *j,
                                     struct wt_error *err)
{
    bool same = m->is_value == j->is_value;
    if (m->count != j->count)
        return wt_fail(err, WT_INVALID,
                       "the debug information is damaged: the branches of a location leave "
                       "different numbers of values");
    for (unsigned i = 0; i < j->count; i++) {
        const struct cell *a = &m->stack[i], *b = &j->stack[i];
        same &= a->space == b->space && a->in_frame == b->in_frame &&
                a->is_loaded == b->is_loaded && a->in_file == b->in_file &&
                a->is_saved == b->is_saved && a->type == b->type;
    }
    return same ? WT_OK
                : wt_fail(err, WT_UNSUPPORTED,
                          "a branch of the debug information chooses between places of different "
                          "kinds, which is not supported");
}

/* The present stack goes to the temporaries of a join. Lanes that have gone there before keep
 * theirs: an instruction writes the cells of the lanes that execute it. */
static enum wt_status bring_stack(struct machine *m, struct join *j, struct wt_error *err)
{
    enum wt_status status = check_on_stack(m, err);
    if (status || (status = compare_stacks(m, j, err)) != WT_OK)
        return status;
    for (unsigned i = 0; i < j->count; i++) {
        const wt_expr_vector v = m->stack[i].vector;
        wt_expr_add(m->b->expr, WT_EXPR_COPY, 0, j->home[i], v, v);
        j->differs[i] |= v != j->stack[i].vector;
        j->stack[i].overflows |= m->stack[i].overflows;
    }
    return WT_OK;
}

static struct join *find_join(const struct machine *m, uint64_t offset)
{
    struct join *j = m->joins;
    while (j && j->offset != offset)
        j = j->next;
    return j;
}

/* A new join with the present stack, which is copied to new temporaries. */
static enum wt_status add_join(struct machine *m, uint64_t offset, struct join **added,
                               struct wt_error *err)
{
    enum wt_status status = check_on_stack(m, err);
    if (status)
        return status;
    struct join *j = calloc(1, sizeof *j);
    if (!j)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a location");
    j->next = m->joins;
    m->joins = *added = j;
    j->offset = offset;
    j->count = m->count;
    j->is_value = m->is_value;
    memcpy(j->stack, m->stack, m->count * sizeof *m->stack);
    for (unsigned i = 0; i < j->count && !status; i++)
        status = wt_build_op(m->b, WT_EXPR_COPY, 0, j->stack[i].vector, j->stack[i].vector,
                             &j->home[i], err);
    return status;
}

enum wt_status wt_machine_jump(struct machine *m, const Dwarf_Op *ops, size_t count, size_t at,
                               struct wt_error *err)
{
    const uint64_t after = ops[at].offset + 3; /* an operand of 2 bytes, signed */
    const int distance = (int16_t)ops[at].number;
    const bool some = ops[at].atom == DW_OP_bra;
    const wt_expr_vector none = wt_expr_temporary(m->b->expr, 0);
    wt_expr_vector condition = none;
    enum wt_status status = some ? wt_machine_pop_address(m, &condition, err) : WT_OK;
    if (status)
        return status;
    if (distance < 0)
        return wt_fail(err, WT_UNSUPPORTED,
                       "the debug information has a loop in a location, which is not supported");
    const uint64_t target = after + (unsigned)distance;
    bool is_known = wt_dwarf_operation_ends(&ops[count - 1], target);
    for (size_t i = at + 1; i < count; i++)
        is_known |= ops[i].offset == target;
    if (!is_known)
        return malformed(err);
    struct join *j = find_join(m, target);
    if ((status = j ? bring_stack(m, j, err) : add_join(m, target, &j, err)) != WT_OK)
        return status;
    if (j->jumps == DWARF_JUMPS)
        return wt_fail(err, WT_UNSUPPORTED, "a location has too many branches");
    j->jump[j->jumps++] = wt_expr_add(m->b->expr, some ? WT_EXPR_BRANCH : WT_EXPR_GOTO, 0, none,
                                      condition, condition);
    m->has_left = !some;
    return WT_OK;
}

enum wt_status wt_machine_join(struct machine *m, uint64_t offset, struct wt_error *err)
{
    struct join **link = &m->joins;
    while (*link && (*link)->offset != offset)
        link = &(*link)->next;
    struct join *j = *link;
    if (!j)
        return WT_OK;
    enum wt_status status = m->has_left ? WT_OK : bring_stack(m, j, err);
    if (status)
        return status;
    for (unsigned i = 0; i < j->jumps; i++)
        wt_expr_set_target(m->b->expr, j->jump[i], wt_expr_here(m->b->expr));
    m->count = j->count;
    m->is_value = j->is_value;
    m->has_left = false;
    for (unsigned i = 0; i < j->count; i++) {
        m->stack[i] = j->stack[i];
        if (j->differs[i])
            m->stack[i].vector = j->home[i];
    }
    *link = j->next;
    free(j);
    return WT_OK;
}

void wt_machine_free_joins(struct machine *m)
{
    while (m->joins) {
        struct join *j = m->joins;
        m->joins = j->next;
        free(j);
    }
}
