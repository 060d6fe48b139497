/* Intel's operations: registers as a file of bytes, of which each lane has its own part. See
 * dwarf_machine.h. */
#include "debug/source/dwarf_machine.h"

#include <dwarf.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

/* The lanes that a location names registers for, of waves with more. */
enum { HALF = 16 };

static enum wt_status no_file(struct machine *m, struct wt_error *err)
{
    if (m->b->topology && m->b->topology->file_space)
        return WT_OK;
    return wt_fail(err, WT_UNSUPPORTED,
                   "the debug information takes the registers for a file of bytes, which this "
                   "device does not have");
}

enum wt_status wt_machine_file_place(struct machine *m, struct wt_error *err)
{
    const struct wt_topology *t = m->b->topology;
    enum wt_status status = no_file(m, err);
    wt_expr_vector v = 0;
    if (status || (status = pop(m, &v, err)) != WT_OK ||
        (status = wt_build_op(m->b, WT_EXPR_SUB, 0, v,
                              wt_build_constant(m->b, (uint64_t)t->file_dwarf), &v, err)) ||
        (status =
             wt_build_op(m->b, WT_EXPR_MUL, 0, v, wt_build_constant(m->b, t->file_bytes), &v, err)))
        return status;
    return push_cell(m, (struct cell){.vector = v, .in_file = true}, err);
}

enum wt_status wt_machine_lane(struct machine *m, struct wt_error *err)
{
    const struct wt_topology *t = m->b->topology;
    for (size_t i = 0; t && i < t->register_count; i++)
        if (strcmp(t->registers[i].name, "_lane") == 0)
            return push(m, wt_expr_register(m->b->expr, (unsigned)i), err);
    return wt_fail(err, WT_STATE, "No frame selected.");
}

/* The space of an offset in the register file; 0 if the value is no such offset. */
static uint32_t space_in_file(const struct machine *m, const struct cell *place)
{
    if (!place->in_file)
        return 0;
    return place->is_saved ? place->space : m->b->topology->file_space;
}

/* The sum that has a home, for lanes from `first` on. */
static enum wt_status push_sum(struct machine *m, const struct wt_kept_answer *sum, unsigned first,
                               struct wt_error *err)
{
    wt_expr_vector lane = 0, v = wt_build_constant(m->b, (uint64_t)sum->plus), part = 0;
    enum wt_status status;
    if ((status = wt_machine_lane(m, err)) != WT_OK || (status = pop(m, &lane, err)) != WT_OK ||
        (status = wt_build_op(m->b, WT_EXPR_SUB, 0, lane, wt_build_constant(m->b, first), &lane,
                              err)) != WT_OK ||
        (status = wt_build_op(m->b, WT_EXPR_MUL, 0, lane,
                              wt_build_constant(m->b, (uint64_t)sum->stride), &part, err)) != WT_OK)
        return status;
    status = wt_build_op(m->b, WT_EXPR_ADD, 0, part, v, &v, err);
    for (unsigned i = 0; i < sum->count && !status; i++) {
        const struct wt_kept_term *t = &sum->term[i];
        if ((status = wt_build_op(m->b, WT_EXPR_MUL, 0, lane, wt_build_constant(m->b, t->stride),
                                  &part, err)) ||
            (status = wt_build_op(m->b, WT_EXPR_ADD, 0, part, wt_build_constant(m->b, t->from),
                                  &part, err)) ||
            (status = wt_build_load(m->b, m->b->topology->file_space, t->size, part, &part, err)) ||
            (t->size < 8 &&
             (status = wt_build_op(m->b, WT_EXPR_EXT, 8 * t->size, part, part, &part, err))))
            return status;
        status = wt_build_op(m->b, WT_EXPR_ADD, 0, v, part, &v, err);
    }
    return status ? status : push(m, v, err);
}

/* The home that is read at a place, whose elements of 8 bytes begin at `from` in the file for lane
 * `first`; UINT_MAX: it is no such place, and has what the debug information says. */
static enum wt_status push_home(struct machine *m, wt_expr_vector place, uint32_t space,
                                unsigned from, unsigned first, struct wt_error *err)
{
    struct wt_kept_answer kept = {.state = WT_KEPT_IN_PLACE};
    wt_expr_vector v = 0;
    enum wt_status status = WT_OK;
    m->b->uses_frame = true;
    if (from != UINT_MAX && m->b->kept)
        status = m->b->kept(m->b, m->frame,
                            &(struct wt_kept_address){.reg = -1, .from = from, .first = first},
                            &kept, err);
    if (status)
        return status;
    if (kept.state == WT_KEPT_COMPUTED)
        return push_sum(m, &kept, first, err);
    if (kept.state != WT_KEPT_IN_PLACE)
        wt_build_leave_kept(m->b, kept.state);
    if ((status = wt_build_load(m->b, space, 8, place, &v, err)) != WT_OK)
        return status;
    /* Registers are 0 when a thread begins: lanes have not executed the code that computes it. */
    const size_t branch = wt_expr_add(m->b->expr, WT_EXPR_BRANCH, 0, v, v, v);
    wt_build_leave(m->b, WT_HOMELESS_YET);
    wt_expr_set_target(m->b->expr, branch, wt_expr_here(m->b->expr));
    return push(m, v, err);
}

/* The home of lanes of the other half, for which the debug information names no register. */
static enum wt_status push_other_half(struct machine *m, unsigned from, struct wt_error *err)
{
    struct wt_kept_answer kept = {.state = WT_KEPT_GONE};
    const struct wt_kept_address place = {
        .reg = -1, .from = from, .first = HALF, .is_other_half = true};
    const enum wt_status status = m->b->kept(m->b, m->frame, &place, &kept, err);
    if (status)
        return status;
    if (kept.state == WT_KEPT_COMPUTED)
        return push_sum(m, &kept, HALF, err);
    wt_build_leave_kept(m->b, kept.state);
    return push_constant(m, 0, err);
}

/* The home on the stack is that of the first lanes of a wave. The others have theirs, which they
 * come to from operation `branch` of the expression. */
static enum wt_status join_halves(struct machine *m, size_t branch, unsigned from,
                                  struct wt_error *err)
{
    wt_expr_vector v = 0, other = 0, home = 0;
    enum wt_status status;
    if ((status = pop(m, &v, err)) != WT_OK ||
        (status = wt_build_op(m->b, WT_EXPR_COPY, 0, v, v, &home, err)) != WT_OK)
        return status;
    const size_t end = wt_expr_add(m->b->expr, WT_EXPR_GOTO, 0, v, v, v);
    wt_expr_set_target(m->b->expr, branch, wt_expr_here(m->b->expr));
    if ((status = push_other_half(m, from, err)) != WT_OK || (status = pop(m, &other, err)))
        return status;
    wt_expr_add(m->b->expr, WT_EXPR_COPY, 0, home, other, other);
    wt_expr_set_target(m->b->expr, end, wt_expr_here(m->b->expr));
    return push(m, home, err);
}

enum wt_status wt_machine_stored_address(struct machine *m, struct wt_error *err)
{
    const struct cell *top = &m->stack[m->count - 1];
    const uint32_t space = space_in_file(m, top);
    uint64_t from = UINT_MAX;
    wt_expr_vector lane = 0, v = 0, is_other = 0;
    enum wt_status status;
    if (top->is_saved || !wt_expr_is_constant(m->b->expr, top->vector, &from))
        from = UINT_MAX;
    const bool halves = m->b->topology->lanes > HALF && from != UINT_MAX && m->b->kept;
    if ((status = wt_machine_lane(m, err)) != WT_OK || (status = pop(m, &lane, err)) != WT_OK ||
        (status = pop(m, &v, err)) != WT_OK ||
        (halves && (status = wt_build_op(m->b, WT_EXPR_LESS_UNSIGNED, 0,
                                         wt_build_constant(m->b, HALF - 1), lane, &is_other, err))))
        return status;
    const size_t branch =
        halves ? wt_expr_add(m->b->expr, WT_EXPR_BRANCH, 0, is_other, is_other, is_other) : 0;
    if ((status =
             wt_build_op(m->b, WT_EXPR_MUL, 0, lane, wt_build_constant(m->b, 8), &lane, err)) ||
        (status = wt_build_op(m->b, WT_EXPR_ADD, 0, v, lane, &v, err)) ||
        (status = push_home(m, v, space, (unsigned)from, 0, err)))
        return status;
    return halves ? join_halves(m, branch, (unsigned)from, err) : WT_OK;
}

static unsigned small_constant(const Dwarf_Op *op)
{
    return op->atom == DW_OP_const1u                           ? (unsigned)op->number
           : op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31 ? (unsigned)(op->atom - DW_OP_lit0)
                                                               : 0;
}

/*
 * Where the elements of `bits` bits of each lane begin that DW_OP_INTEL_push_bit_piece_stack reads,
 * as Intel's compiler writes it: as many parts of *stride bytes in a register as fit, from register
 * NN on; for lanes from 16 on in code of 32 lanes with DW_OP_lit16, DW_OP_minus in front. UINT_MAX:
 * it is another expression.
 */
static unsigned elements_at(const struct machine *m, const Dwarf_Op *op, unsigned bits,
                            unsigned *stride, unsigned *first)
{
    enum { LANES_PART = 10, WIDTH = 3 }; /* operations of the lane's part; before it: its width */
    const size_t index = (size_t)(op - m->ops);
    const struct wt_topology *t = m->b->topology;
    *stride = *first = 0;
    const unsigned width = index > LANES_PART ? small_constant(op - WIDTH) : 0;
    if (width < 8 || width > 64 || width & (width - 1) || bits > width)
        return UINT_MAX;
    const unsigned shift = 8u - (unsigned)__builtin_ctz(width), mask = (1u << shift) - 1, any = 0;
    const unsigned form[] = {DW_OP_lit0 + shift,
                             DW_OP_shr,
                             DW_OP_plus_uconst,
                             WT_OP_INTEL_REGS,
                             WT_OP_INTEL_PUSH_LANE,
                             DW_OP_lit0 + mask,
                             DW_OP_and,
                             any,
                             DW_OP_mul,
                             any};
    const ptrdiff_t count = sizeof form / sizeof form[0];
    for (ptrdiff_t i = 0; i < count; i++)
        if (form[i] != any && op[i - count].atom != form[i])
            return UINT_MAX;
    *stride = width / 8;
    const Dwarf_Op *lane = &op[-count - 1];
    if (index >= LANES_PART + 3 && lane->atom == DW_OP_minus && lane[-1].atom == DW_OP_lit16 &&
        lane[-2].atom == WT_OP_INTEL_PUSH_LANE)
        *first = 16;
    else if (lane->atom != WT_OP_INTEL_PUSH_LANE)
        return UINT_MAX;
    const uint64_t number = op[2 - count].number;
    return number < (uint64_t)t->file_dwarf
               ? UINT_MAX
               : (unsigned)((number - (uint64_t)t->file_dwarf) * t->file_bytes);
}

enum wt_status wt_machine_check_value(struct machine *m, unsigned from, unsigned size,
                                      unsigned stride, unsigned first, struct wt_error *err)
{
    struct wt_kept_answer kept = {.state = WT_KEPT_IN_PLACE};
    const struct wt_kept_address place = {
        .reg = -1, .from = from, .size = size, .stride = stride, .first = first};
    if (!m->b->kept || !m->b->variable || from == UINT_MAX || !size)
        return WT_OK;
    const enum wt_status status = m->b->kept(m->b, m->frame, &place, &kept, err);
    if (!status && kept.state != WT_KEPT_IN_PLACE)
        wt_build_leave_kept(m->b, kept.state);
    return status;
}

uint64_t wt_machine_spilled_at(const struct machine *m, const Dwarf_Op *op, unsigned *size,
                               unsigned *first)
{
    enum { ONE_HALF = 5, OTHER_HALF = ONE_HALF + 2, MOST_SHIFT = 3 };
    const size_t index = (size_t)(op - m->ops);
    if (index < ONE_HALF || op[-1].atom != DW_OP_plus || op[-2].atom != DW_OP_shl ||
        op[-3].atom < DW_OP_lit0 || op[-3].atom > DW_OP_lit0 + MOST_SHIFT)
        return 0;
    const bool is_other = index >= OTHER_HALF && op[-4].atom == DW_OP_minus;
    const Dwarf_Op *place = op - (is_other ? OTHER_HALF : ONE_HALF);
    *size = 1u << (op[-3].atom - DW_OP_lit0);
    *first = is_other ? HALF : 0;
    return place->atom == DW_OP_const8u && place[1].atom == WT_OP_INTEL_PUSH_LANE &&
                   (!is_other || place[2].atom == DW_OP_lit16)
               ? place->number
               : 0;
}

enum wt_status wt_machine_take_spilled(struct machine *m, uint64_t spilled, unsigned size,
                                       unsigned first, struct wt_error *err)
{
    const bool is_address = size == 8 && !m->b->named_end;
    struct wt_kept_answer kept = {.state = WT_KEPT_IN_PLACE};
    const struct wt_kept_address place = {
        .reg = -1, .spilled = spilled, .size = size, .stride = size, .first = first};
    wt_expr_vector v = 0;
    enum wt_status status = pop(m, &v, err);
    m->b->uses_frame = true;
    if (!status && m->b->kept && m->b->variable)
        status = m->b->kept(m->b, m->frame, &place, &kept, err);
    if (status)
        return status;
    if (!is_address && m->size != size)
        kept.state = WT_KEPT_GONE;
    if (kept.state != WT_KEPT_IN_PLACE)
        wt_build_leave_kept(m->b, kept.state);
    if (is_address)
        return push_home(m, v, 0, UINT_MAX, first, err);
    m->is_value = true;
    status = wt_build_load(m->b, 0, size, v, &v, err);
    return status ? status : push(m, v, err);
}

enum wt_status wt_machine_check_place(struct machine *m, const struct cell *place, uint64_t offset,
                                      uint64_t size, struct wt_error *err)
{
    uint64_t from;
    if (place->is_saved || !wt_expr_is_constant(m->b->expr, place->vector, &from))
        return WT_OK;
    return wt_machine_check_value(m, (unsigned)(from + offset), (unsigned)size, 0, 0, err);
}

/* The base of the frame at a place in the file: the code sets it in the function's prologue, and
 * restores the caller's in its epilogue. */
static enum wt_status push_base(struct machine *m, wt_expr_vector place, uint32_t space,
                                unsigned base, struct wt_error *err)
{
    struct wt_kept_answer kept = {.state = WT_KEPT_IN_PLACE};
    const struct wt_kept_address asked = {.reg = -1, .from = base, .size = 8, .is_base = true};
    const enum wt_status status =
        base != UINT_MAX && m->b->kept ? m->b->kept(m->b, m->frame, &asked, &kept, err) : WT_OK;
    if (status)
        return status;
    if (kept.state == WT_KEPT_COMPUTED)
        return push_sum(m, &kept, 0, err);
    if (kept.state != WT_KEPT_IN_PLACE)
        wt_build_leave_kept(m->b, kept.state);
    return push_home(m, place, space, UINT_MAX, 0, err);
}

enum wt_status wt_machine_bits(struct machine *m, const Dwarf_Op *op, struct wt_error *err)
{
    wt_expr_vector size = 0, offset = 0, v = 0;
    uint64_t bits;
    enum wt_status status;
    unsigned first = 0, stride = 0;
    if ((status = no_file(m, err)) != WT_OK || (status = pop(m, &size, err)) != WT_OK ||
        (status = pop(m, &offset, err)) != WT_OK)
        return status;
    if (!m->count || !m->stack[m->count - 1].in_file ||
        !wt_expr_is_constant(m->b->expr, size, &bits))
        return malformed(err);
    /* So Intel's compiler describes an array that it keeps in registers, as if it were a vector
     * each of whose elements has the array's size. */
    if (!bits || bits % 8 || bits > 64)
        return wt_fail(err, WT_UNSUPPORTED,
                       "the debug information does not say which registers hold the elements: it "
                       "names parts of %" PRIu64 " bits",
                       bits);
    m->b->uses_frame = true;
    const struct cell *place = &m->stack[m->count - 1];
    const uint32_t space = space_in_file(m, place);
    const unsigned from =
        place->is_saved ? UINT_MAX : elements_at(m, op, (unsigned)bits, &stride, &first);
    uint64_t constant, reg;
    const unsigned base = !place->is_saved &&
                                  wt_expr_is_constant(m->b->expr, place->vector, &reg) &&
                                  wt_expr_is_constant(m->b->expr, offset, &constant)
                              ? (unsigned)(reg + constant / 8)
                              : UINT_MAX;
    if (m->is_of_home && bits == 64)
        status = WT_OK;
    else if (from != UINT_MAX)
        status = wt_machine_check_value(m, from, (unsigned)bits / 8, stride, first, err);
    else if (wt_expr_is_constant(m->b->expr, offset, &constant))
        status = wt_machine_check_place(m, place, constant / 8, bits / 8, err);
    if (status)
        return status;
    if ((status = wt_build_op(m->b, WT_EXPR_SHR_UNSIGNED, 0, offset, wt_build_constant(m->b, 3),
                              &offset, err)) ||
        (status = pop(m, &v, err)) != WT_OK ||
        (status = wt_build_op(m->b, WT_EXPR_ADD, 0, v, offset, &v, err)))
        return status;
    if (m->is_of_home && bits == 64)
        return from == UINT_MAX ? push_base(m, v, space, base, err)
                                : push_home(m, v, space, from, first, err);
    status = wt_build_load(m->b, space, (unsigned)bits / 8, v, &v, err);
    return status ? status : push(m, v, err);
}
