/* DWARF expressions and location descriptions, compiled to the core's form. */
#include <dwarf.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "debug/source/dwarf_machine.h"

static enum wt_status lost(struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED, "value has been optimized out");
}

static enum wt_status push(struct machine *m, wt_expr_vector v, struct wt_error *err)
{
    return push_cell(m, (struct cell){.vector = v}, err);
}

static enum wt_status push_constant(struct machine *m, uint64_t value, struct wt_error *err)
{
    const bool overflows = wt_machine_address_size(m) < 8 && value > UINT32_MAX;
    return push_cell(
        m, (struct cell){.vector = wt_build_constant(m->b, value), .overflows = overflows}, err);
}

/* An address within a frame. */
static enum wt_status push_in_frame(struct machine *m, wt_expr_vector v, struct wt_error *err)
{
    const uint32_t space = m->b->topology ? m->b->topology->frame_space : 0;
    return push_cell(m, (struct cell){.vector = v, .space = space, .in_frame = true}, err);
}

static enum wt_status push_loaded(struct machine *m, uint64_t address, struct wt_error *err)
{
    const wt_expr_vector v = wt_build_constant(m->b, address + m->bias);
    return push_cell(m, (struct cell){.vector = v, .is_loaded = true}, err);
}

/* The number of a DWARF address space in the probe's list. clang's own number for a space takes
 * precedence over the documented number: no other compiler writes DW_OP_xderef. */
static enum wt_status find_space(struct machine *m, uint64_t number, uint32_t *space,
                                 struct wt_error *err)
{
    const struct wt_topology *t = m->b->topology;
    for (size_t i = 0; t && number && i < t->space_count; i++)
        if ((uint64_t)t->spaces[i].clang == number) {
            *space = (uint32_t)i;
            return WT_OK;
        }
    for (size_t i = 0; t && i < t->space_count; i++)
        if (t->spaces[i].dwarf >= 0 && (uint64_t)t->spaces[i].dwarf == number) {
            *space = (uint32_t)i;
            return WT_OK;
        }
    return wt_fail(err, WT_UNSUPPORTED,
                   "the debug information names address space %" PRIu64
                   ", which the device does not have",
                   number);
}

/* The operations that follow an operation in its simple location. */
enum follows { MORE, STACK_VALUE, NOTHING };

/*
 * The location of a value in an address space: the space is below the address on the stack. LLVM
 * writes DW_OP_xderef at the end of the location of a variable, not at the end of an expression for
 * its contents. LLVM keeps the operation for a variable that it has moved from the frame to
 * registers: then the "address", which is not an address in a frame, is the value.
 */
static enum wt_status xderef(struct machine *m, enum follows next, unsigned size,
                             struct wt_error *err)
{
    wt_expr_vector address = 0, number = 0;
    uint64_t value;
    uint32_t space = 0;
    enum wt_status status;
    const struct cell top = m->count ? m->stack[m->count - 1] : (struct cell){0};
    if ((status = pop(m, &address, err)) != WT_OK || (status = pop(m, &number, err)) != WT_OK)
        return status;
    if (!wt_expr_is_constant(m->b->expr, number, &value))
        return wt_fail(err, WT_UNSUPPORTED, "an address space that is computed is not supported");
    if ((status = find_space(m, value, &space, err)) != WT_OK)
        return status;
    /* A module is loaded into space 0; in other spaces its variables have the addresses of the
     * file. */
    if (space && top.is_loaded &&
        (status = wt_build_op(m->b, WT_EXPR_SUB, 0, address, wt_build_constant(m->b, m->bias),
                              &address, err)) != WT_OK)
        return status;
    const struct wt_topology *t = m->b->topology;
    if (next != MORE && !top.in_frame && space && space == t->frame_space &&
        t->spaces[space].clang) {
        m->is_value = true;
        return push(m, address, err);
    }
    if (next == NOTHING)
        return push_cell(m, (struct cell){.vector = address, .space = space}, err);
    if ((status = wt_build_load(m->b, space, size, address, &address, err)) != WT_OK)
        return status;
    return push(m, address, err);
}

static enum wt_status register_value(struct machine *m, uint64_t number, wt_expr_vector *cell,
                                     struct wt_error *err)
{
    struct wt_operand o;
    if (!m->frame)
        return wt_fail(err, WT_STATE, "No frame selected.");
    enum wt_status status =
        m->b->frame_ops->dwarf_register(m->b, m->frame, (unsigned)number, &o, err);
    if (status)
        return status;
    /* The operand as an address: whole and unsigned. */
    o.type = wt_types_integer(m->b->types, o.piece[0].size <= 4 ? 4 : 8, false);
    return wt_operand_cell_of(m->b, &o, cell, err);
}

bool wt_build_is_frame_register(const struct wt_build *b, unsigned number)
{
    const struct wt_topology *t = b->topology;
    for (size_t i = 0; t && i < t->register_count; i++)
        if (t->registers[i].dwarf >= 0 && (unsigned)t->registers[i].dwarf == number)
            return t->registers[i].role == WT_ROLE_SP || t->registers[i].role == WT_ROLE_FP;
    return false;
}

enum wt_status wt_build_frame_address(struct wt_build *b, wt_expr_vector *v, struct wt_error *err)
{
    const unsigned scale = b->topology ? b->topology->frame_scale : 0;
    if (scale <= 1)
        return WT_OK;
    return wt_build_op(b, WT_EXPR_DIV_UNSIGNED, 0, *v, wt_build_constant(b, scale), v, err);
}

static enum wt_status breg(struct machine *m, uint64_t number, int64_t offset, struct wt_error *err)
{
    wt_expr_vector v;
    const bool in_frame = wt_build_is_frame_register(m->b, (unsigned)number);
    enum wt_status status = register_value(m, number, &v, err);
    if (!status && in_frame)
        status = wt_build_frame_address(m->b, &v, err);
    if (!status)
        status = wt_build_op(m->b, WT_EXPR_ADD, 0, v, wt_build_constant(m->b, (uint64_t)offset), &v,
                             err);
    if (status)
        return status;
    const struct cell sum = {.vector = v, .overflows = wt_machine_address_size(m) < 8};
    return in_frame ? push_in_frame(m, v, err) : push_cell(m, sum, err);
}

enum { HALF = 16 }; /* lanes that a location names registers for, of waves with more */

static enum wt_status place_in_file(struct machine *m, struct wt_error *err);
static enum wt_status look_at_value(struct machine *m, unsigned from, unsigned size,
                                    unsigned stride, unsigned first, struct wt_error *err);

static enum wt_status reg(struct machine *m, uint64_t number, struct wt_error *err)
{
    if (!m->frame)
        return wt_fail(err, WT_STATE, "No frame selected.");
    struct wt_address saved;
    if (m->takes_bits && m->b->frame_ops->saved(m->b, m->frame, (unsigned)number, &saved)) {
        m->b->uses_frame = true;
        return push_cell(m,
                         (struct cell){.vector = wt_build_constant(m->b, saved.offset),
                                       .space = saved.space,
                                       .in_file = true,
                                       .is_saved = true},
                         err);
    }
    if (m->takes_bits) {
        enum wt_status status = push_constant(m, number, err);
        return status ? status : place_in_file(m, err);
    }
    const struct wt_topology *t = m->b->topology;
    if (t && t->file_space && number >= (uint64_t)t->file_dwarf) {
        const uint64_t from = (number - (uint64_t)t->file_dwarf) * t->file_bytes;
        const uint64_t size = m->size && m->size < t->file_bytes ? m->size : t->file_bytes;
        const enum wt_status status = look_at_value(m, (unsigned)from, (unsigned)size, 0, 0, err);
        if (status)
            return status;
    }
    m->is_register = true;
    return m->b->frame_ops->dwarf_register(m->b, m->frame, (unsigned)number, &m->place, err);
}

static enum wt_status fbreg(struct machine *m, int64_t offset, struct wt_error *err)
{
    wt_expr_vector base;
    bool in_frame;
    if (!m->frame)
        return wt_fail(err, WT_STATE, "No frame selected.");
    enum wt_status status = m->b->frame_ops->base(m->b, m->frame, &base, &in_frame, err);
    if (!status)
        status = wt_build_op(m->b, WT_EXPR_ADD, 0, base, wt_build_constant(m->b, (uint64_t)offset),
                             &base, err);
    if (status)
        return status;
    return in_frame ? push_in_frame(m, base, err) : push(m, base, err);
}

/* ---- Intel's operations: registers as a file of bytes, of which each lane has its own part ----
 */

static enum wt_status no_file(struct machine *m, struct wt_error *err)
{
    if (m->b->topology && m->b->topology->file_space)
        return WT_OK;
    return wt_fail(err, WT_UNSUPPORTED,
                   "the debug information takes the registers for a file of bytes, which this "
                   "device does not have");
}

/* Converts the number of a register on the stack to its offset in the file. */
static enum wt_status place_in_file(struct machine *m, struct wt_error *err)
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

static enum wt_status push_lane(struct machine *m, struct wt_error *err)
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
    if ((status = push_lane(m, err)) != WT_OK || (status = pop(m, &lane, err)) != WT_OK ||
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
        wt_build_leave(m->b, kept.state == WT_KEPT_NOT_YET ? WT_HOMELESS_YET : WT_HOMELESS_NOW);
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
    wt_build_leave(m->b, kept.state == WT_KEPT_NOT_YET ? WT_HOMELESS_YET : WT_HOMELESS_NOW);
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

/*
 * Replaces an offset in the file by the address that is stored there for the lane: elements have 8
 * bytes. Of code for 32 lanes the registers are those of the first 16.
 */
static enum wt_status take_address(struct machine *m, struct wt_error *err)
{
    const struct cell *top = &m->stack[m->count - 1];
    const uint32_t space = space_in_file(m, top);
    uint64_t from = UINT_MAX;
    wt_expr_vector lane = 0, v = 0, is_other = 0;
    enum wt_status status;
    if (top->is_saved || !wt_expr_is_constant(m->b->expr, top->vector, &from))
        from = UINT_MAX;
    const bool halves = m->b->topology->lanes > HALF && from != UINT_MAX && m->b->kept;
    if ((status = push_lane(m, err)) != WT_OK || (status = pop(m, &lane, err)) != WT_OK ||
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

/*
 * A variable's value that lanes have in the register file, or that all share (stride 0): lanes
 * leave where the code has not computed it yet, and where the registers have something else.
 */
static enum wt_status look_at_value(struct machine *m, unsigned from, unsigned size,
                                    unsigned stride, unsigned first, struct wt_error *err)
{
    struct wt_kept_answer kept = {.state = WT_KEPT_IN_PLACE};
    const struct wt_kept_address place = {
        .reg = -1, .from = from, .size = size, .stride = stride, .first = first};
    if (!m->b->kept || !m->b->variable || from == UINT_MAX || !size)
        return WT_OK;
    const enum wt_status status = m->b->kept(m->b, m->frame, &place, &kept, err);
    if (!status && kept.state != WT_KEPT_IN_PLACE)
        wt_build_leave(m->b, kept.state == WT_KEPT_NOT_YET ? WT_HOMELESS_YET : WT_HOMELESS_NOW);
    return status;
}

/*
 * The place in scratch memory of what each lane has in a register that the code has spilled, if
 * DW_OP_deref reads it as Intel's compiler writes it: DW_OP_const8u, the lane (less 16 in the other
 * half of 32), DW_OP_litN, DW_OP_shl, DW_OP_plus. 0: it is another expression.
 */
static uint64_t spilled_at(const struct machine *m, const Dwarf_Op *op, unsigned *size,
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

/*
 * Replaces such a place by what is there. For its whole scope it is the variable's address. In a
 * list of locations it is the value, though DW_OP_stack_value does not follow. Of smaller numbers
 * than the elements nothing tells whether the registers had them packed.
 */
static enum wt_status take_spilled(struct machine *m, uint64_t spilled, unsigned size,
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
        wt_build_leave(m->b, kept.state == WT_KEPT_NOT_YET ? WT_HOMELESS_YET : WT_HOMELESS_NOW);
    if (is_address)
        return push_home(m, v, 0, UINT_MAX, first, err);
    m->is_value = true;
    status = wt_build_load(m->b, 0, size, v, &v, err);
    return status ? status : push(m, v, err);
}

/* As look_at_value(), of a place in the file that is the same for all lanes. */
static enum wt_status look_at_place(struct machine *m, const struct cell *place, uint64_t offset,
                                    uint64_t size, struct wt_error *err)
{
    uint64_t from;
    if (place->is_saved || !wt_expr_is_constant(m->b->expr, place->vector, &from))
        return WT_OK;
    return look_at_value(m, (unsigned)(from + offset), (unsigned)size, 0, 0, err);
}

/* DW_OP_INTEL_push_bit_piece_stack: a place in the file, an offset and a size in bits. */
static enum wt_status push_bits(struct machine *m, const Dwarf_Op *op, struct wt_error *err)
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
    uint64_t constant;
    if (m->is_of_home && bits == 64)
        status = WT_OK;
    else if (from != UINT_MAX)
        status = look_at_value(m, from, (unsigned)bits / 8, stride, first, err);
    else if (wt_expr_is_constant(m->b->expr, offset, &constant))
        status = look_at_place(m, place, constant / 8, bits / 8, err);
    if (status)
        return status;
    if ((status = wt_build_op(m->b, WT_EXPR_SHR_UNSIGNED, 0, offset, wt_build_constant(m->b, 3),
                              &offset, err)) ||
        (status = pop(m, &v, err)) != WT_OK ||
        (status = wt_build_op(m->b, WT_EXPR_ADD, 0, v, offset, &v, err)))
        return status;
    if (m->is_of_home && bits == 64)
        return push_home(m, v, space, from, first, err);
    status = wt_build_load(m->b, space, (unsigned)bits / 8, v, &v, err);
    return status ? status : push(m, v, err);
}

/* Operands that are given by an index: DW_OP_addrx, DW_OP_constx. */
static enum wt_status indexed(struct machine *m, const Dwarf_Op *op, bool address,
                              struct wt_error *err)
{
    Dwarf_Attribute found;
    Dwarf_Addr addr;
    Dwarf_Word word;
    if (!m->attribute || dwarf_getlocation_attr(m->attribute, op, &found) != 0)
        return malformed(err);
    if (address)
        return dwarf_formaddr(&found, &addr) == 0 ? push_loaded(m, addr, err) : malformed(err);
    if (dwarf_formudata(&found, &word) == 0)
        return push_constant(m, word, err);
    return dwarf_formaddr(&found, &addr) == 0 ? push_constant(m, addr, err) : malformed(err);
}

static enum wt_status implicit(struct machine *m, const Dwarf_Op *op, struct wt_error *err)
{
    Dwarf_Block block;
    if (!m->attribute || dwarf_getlocation_implicit_value(m->attribute, op, &block) != 0)
        return malformed(err);
    m->block = block.data;
    m->block_size = block.length;
    return WT_OK;
}

static enum wt_status stack_op(struct machine *m, const Dwarf_Op *op, struct wt_error *err)
{
    const unsigned n = m->count;
    switch (op->atom) {
    case DW_OP_dup:
        return n ? push_cell(m, m->stack[n - 1], err) : malformed(err);
    case DW_OP_drop:
        if (!n)
            return malformed(err);
        m->count--;
        return WT_OK;
    case DW_OP_over:
        return n > 1 ? push_cell(m, m->stack[n - 2], err) : malformed(err);
    case DW_OP_pick:
        return op->number < n ? push_cell(m, m->stack[n - 1 - op->number], err) : malformed(err);
    case DW_OP_swap:
    case DW_OP_rot: {
        const unsigned depth = op->atom == DW_OP_swap ? 2 : 3;
        if (n < depth)
            return malformed(err);
        const struct cell top = m->stack[n - 1];
        memmove(&m->stack[n - depth + 1], &m->stack[n - depth], (depth - 1) * sizeof top);
        m->stack[n - depth] = top;
        return WT_OK;
    }
    default:
        return malformed(err);
    }
}

static enum wt_status step(struct machine *m, const Dwarf_Op *op, enum follows next,
                           struct wt_error *err)
{
    const unsigned atom = op->atom;
    wt_expr_vector v;
    enum wt_status status;
    uint64_t spilled;
    unsigned size, first;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
        return push_constant(m, atom - DW_OP_lit0, err);
    if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
        return reg(m, atom - DW_OP_reg0, err);
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
        return breg(m, atom - DW_OP_breg0, (int64_t)op->number, err);
    switch (atom) {
    case DW_OP_addr:
        return push_loaded(m, op->number, err);
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return push_constant(m, op->number, err);
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
        return indexed(m, op, true, err);
    case DW_OP_constx:
    case DW_OP_GNU_const_index:
        return indexed(m, op, false, err);
    case DW_OP_regx:
        return reg(m, op->number, err);
    case DW_OP_bregx:
        return breg(m, op->number, (int64_t)op->number2, err);
    case DW_OP_fbreg:
        return fbreg(m, (int64_t)op->number, err);
    case DW_OP_push_object_address:
        return m->b->has_object ? push_cell(m, (struct cell){.vector = m->b->object}, err)
                                : malformed(err);
    case DW_OP_call_frame_cfa:
        if (!m->frame)
            return wt_fail(err, WT_STATE, "No frame selected.");
        status = m->b->frame_ops->cfa(m->b, m->frame, &v, err);
        return status ? status : push(m, v, err);
    case DW_OP_dup:
    case DW_OP_drop:
    case DW_OP_over:
    case DW_OP_pick:
    case DW_OP_swap:
    case DW_OP_rot:
        return stack_op(m, op, err);
    case DW_OP_deref:
    case DW_OP_deref_size:
        if (atom == DW_OP_deref && (spilled = spilled_at(m, op, &size, &first)) != 0)
            return take_spilled(m, spilled, size, first, err);
        if (m->count && m->stack[m->count - 1].in_file && (status = take_address(m, err)) != WT_OK)
            return status;
        if ((status = wt_machine_pop_address(m, &v, err)) != WT_OK)
            return status;
        if (atom == DW_OP_deref_size && (op->number == 0 || op->number > 8))
            return malformed(err);
        status = wt_build_load(
            m->b, 0, atom == DW_OP_deref ? wt_machine_address_size(m) : (unsigned)op->number, v, &v,
            err);
        return status ? status : push(m, v, err);
    case DW_OP_xderef:
        return xderef(m, next, wt_machine_address_size(m), err);
    case DW_OP_plus_uconst:
        if ((status = push_constant(m, op->number, err)) != WT_OK)
            return status;
        return wt_machine_arithmetic(m, DW_OP_plus, err);
    case DW_OP_stack_value:
        m->is_value = true;
        return WT_OK;
    case DW_OP_convert:
    case DW_OP_GNU_convert:
    case DW_OP_reinterpret:
    case DW_OP_GNU_reinterpret:
    case DW_OP_const_type:
    case DW_OP_GNU_const_type:
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type:
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type:
        return wt_machine_typed(m, op, err);
    case DW_OP_implicit_value:
        return implicit(m, op, err);
    case WT_OP_INTEL_REGS:
        return place_in_file(m, err);
    case WT_OP_INTEL_PUSH_LANE:
        return push_lane(m, err);
    case WT_OP_INTEL_PUSH_BITS:
        return push_bits(m, op, err);
    case DW_OP_nop:
        return WT_OK;
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value:
        if (!m->b->entry_value)
            return lost(err);
        status = m->b->entry_value(m->b, m->attribute, op, m->frame, &v, err);
        return status ? status : push(m, v, err);
    case DW_OP_implicit_pointer:
    case DW_OP_GNU_implicit_pointer:
    case DW_OP_GNU_parameter_ref:
    case DW_OP_GNU_variable_value:
        return lost(err);
    default:
        return wt_machine_arithmetic(m, atom, err);
    }
}

/* Adds bytes of a block as constants of up to 8 bytes. */
static enum wt_status add_block(struct machine *m, uint64_t size, struct wt_operand *o,
                                struct wt_error *err)
{
    for (uint64_t at = 0; at < size; at += 8) {
        uint64_t value = 0;
        const uint64_t take = size - at < 8 ? size - at : 8;
        for (uint64_t i = 0; i < take && at + i < m->block_size; i++)
            value |= (uint64_t)m->block[at + i] << (8 * i);
        if (o->piece_count == WT_PIECES)
            return wt_fail(err, WT_UNSUPPORTED, "the value is in too many pieces");
        o->piece[o->piece_count++] = (struct wt_piece){.kind = WT_PIECE_CELL,
                                                       .vector = wt_build_constant(m->b, value),
                                                       .reg = -1,
                                                       .size = take};
    }
    return WT_OK;
}

/* Ends a simple location: adds its pieces for `size` bytes (0: all that are left). */
static enum wt_status finish_piece(struct machine *m, uint64_t size, struct wt_operand *o,
                                   struct wt_error *err)
{
    enum wt_status status = WT_OK;
    struct wt_piece p = {.kind = WT_PIECE_LOST, .reg = -1, .size = size};
    if (m->block) {
        status = add_block(m, size ? size : m->block_size, o, err);
        m->block = NULL;
        return status;
    }
    if (m->is_register) {
        m->is_register = false;
        for (unsigned i = 0; i < m->place.piece_count; i++) {
            p = m->place.piece[i];
            if (size && p.size > size)
                p.size = size;
            if (o->piece_count == WT_PIECES)
                return wt_fail(err, WT_UNSUPPORTED, "the value is in too many pieces");
            o->piece[o->piece_count++] = p;
        }
        return WT_OK;
    }
    if (m->count) {
        const struct cell top = m->stack[m->count - 1];
        const unsigned whole = top.type        ? (unsigned)wt_type_size(top.type)
                               : top.overflows ? wt_machine_address_size(m)
                                               : 8;
        status = m->is_value ? pop(m, &p.vector, err) : wt_machine_pop_address(m, &p.vector, err);
        if (status)
            return status;
        p.kind = m->is_value ? WT_PIECE_CELL : WT_PIECE_MEMORY;
        p.space = top.space;
        m->is_value = false;
        if (p.kind == WT_PIECE_CELL && (p.size == 0 || p.size > whole))
            p.size = whole;
    }
    if (o->piece_count == WT_PIECES)
        return wt_fail(err, WT_UNSUPPORTED, "the value is in too many pieces");
    o->piece[o->piece_count++] = p;
    return WT_OK;
}

static bool is_piece(const Dwarf_Op *op)
{
    return op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece;
}

/* Ends a run of pieces of bits: adds it as one piece. */
static enum wt_status finish_bits(struct machine *m, struct wt_operand *o, struct wt_error *err)
{
    const uint64_t all = m->bit_count < 64 ? (UINT64_C(1) << m->bit_count) - 1 : UINT64_MAX;
    const bool is_lost = m->lost == all;
    if (o->piece_count == WT_PIECES)
        return wt_fail(err, WT_UNSUPPORTED, "the value is in too many pieces");
    o->piece[o->piece_count++] = (struct wt_piece){.kind = is_lost ? WT_PIECE_LOST : WT_PIECE_CELL,
                                                   .vector = is_lost ? 0 : m->bits,
                                                   .reg = -1,
                                                   .size = (m->bit_count + 7) / 8,
                                                   .lost = m->lost};
    m->bit_count = 0;
    m->lost = 0;
    return WT_OK;
}

/*
 * Ends a simple location for `size` bits from bit `offset` of its value on, counted from the lowest
 * one (DWARF 5, 2.6.1.2). Pieces are put together until they end at a byte.
 */
static enum wt_status add_bits(struct machine *m, uint64_t size, uint64_t offset,
                               struct wt_operand *o, struct wt_error *err)
{
    struct wt_operand one = {0};
    const struct wt_piece *p = &one.piece[0];
    enum wt_status status;
    const unsigned mark = m->b->next;
    if (!size)
        return malformed(err);
    if (size > 64 || offset > 64 - size || m->bit_count + size > 64)
        return wt_fail(err, WT_UNSUPPORTED,
                       "pieces of bits that are not together in 64 bits are not supported");
    const uint64_t mask = size < 64 ? (UINT64_C(1) << size) - 1 : UINT64_MAX;
    if ((status = finish_piece(m, (offset + size + 7) / 8, &one, err)) != WT_OK)
        return status;
    if (one.piece_count != 1 || p->lost)
        return malformed(err);
    if (p->kind == WT_PIECE_LOST) {
        m->lost |= mask << m->bit_count;
        if (!m->bit_count)
            m->bits = wt_build_constant(m->b, 0);
    } else {
        wt_expr_vector v = p->vector;
        if ((p->kind == WT_PIECE_MEMORY &&
             (status = wt_build_load(m->b, p->space, (unsigned)p->size, v, &v, err))) ||
            (offset && (status = wt_build_op(m->b, WT_EXPR_SHR_UNSIGNED, 0, v,
                                             wt_build_constant(m->b, offset), &v, err))) ||
            (status =
                 wt_build_op(m->b, WT_EXPR_AND, 0, v, wt_build_constant(m->b, mask), &v, err)) ||
            (m->bit_count &&
             (status = wt_build_op(m->b, WT_EXPR_SHL, 0, v, wt_build_constant(m->b, m->bit_count),
                                   &v, err))) ||
            (m->bit_count && (status = wt_build_op(m->b, WT_EXPR_OR, 0, m->bits, v, &v, err))))
            return status;
        if ((status = wt_build_release(m->b, mark, &v, err)) != WT_OK)
            return status;
        m->bits = v;
    }
    m->bit_count += (unsigned)size;
    return m->bit_count % 8 ? WT_OK : finish_bits(m, o, err);
}

/*
 * Intel's compiler describes a vector of n elements in memory by n places of addresses, one behind
 * the other without DW_OP_piece, each in the registers behind those of the place before. The
 * vector has one address, which is at the first place; nothing else tells what the other registers
 * hold. Returns how many operations follow place [begin, end) that are the others.
 */
static size_t count_places(const Dwarf_Op *ops, size_t count, size_t begin, size_t end)
{
    const size_t length = end - begin;
    uint64_t distance = 0;
    size_t others = 0;
    for (size_t i = end; i < count; i++) {
        const Dwarf_Op *op = &ops[i], *before = &ops[i - length];
        const bool names_register = op->atom == DW_OP_plus_uconst;
        if (names_register && distance == 0)
            distance = op->number - before->number;
        if (op->atom != before->atom || op->number2 != before->number2 ||
            op->number != before->number + (names_register ? distance : 0))
            break;
        if ((i + 1 - end) % length == 0)
            others = i + 1 - end;
    }
    return others;
}

/* Registers 0 to 31 have operations of their own; others stand in an operand. */
static bool is_register(const Dwarf_Op *op)
{
    return op->atom == DW_OP_regx || (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31);
}

static enum wt_status run_operations(struct machine *m, const Dwarf_Op *ops, size_t count,
                                     uint64_t size, struct wt_operand *o, struct wt_error *err)
{
    const struct wt_topology *t = m->b->topology;
    bool pieces = false;
    size_t begin = 0; /* the first operation of what may be such a place */
    m->ops = ops;
    m->is_of_home = ops[count - 1].atom != DW_OP_stack_value;
    for (size_t i = 0; i < count; i++) {
        m->takes_bits |= ops[i].atom == WT_OP_INTEL_PUSH_BITS;
        /* A part of a register that does not begin at the register's first bit. */
        m->takes_bits |= t && t->file_space && ops[i].atom == DW_OP_bit_piece && ops[i].number2;
        /* Intel's compiler describes in this way an object that registers point to; each lane has
         * its own pointer. */
        m->takes_bits |= t && t->file_space && is_register(&ops[i]) && i + 1 < count &&
                         ops[i + 1].atom == DW_OP_deref_size;
    }
    for (size_t i = 0; i < count; i++) {
        enum wt_status status = wt_machine_join(m, ops[i].offset, err);
        if (status)
            return status;
        if (m->has_left)
            continue;
        if (ops[i].atom == DW_OP_bra || ops[i].atom == DW_OP_skip) {
            status = wt_machine_jump(m, ops, count, i, err);
            begin = i + 1;
        } else if (is_piece(&ops[i]) && m->joins) {
            return wt_fail(err, WT_UNSUPPORTED,
                           "a branch of the debug information chooses between pieces of a value, "
                           "which is not supported");
        } else if (ops[i].atom == DW_OP_bit_piece && m->takes_bits && m->count &&
                   m->stack[m->count - 1].in_file && ops[i].number % 8 == 0 && ops[i].number) {
            const uint64_t bytes = ops[i].number / 8;
            struct cell *place = &m->stack[m->count - 1];
            if (!place->is_saved)
                place->space = t->file_space;
            if ((status = look_at_place(m, place, ops[i].number2 / 8, bytes, err)) != WT_OK)
                return status;
            status = wt_build_op(m->b, WT_EXPR_ADD, 0, place->vector,
                                 wt_build_constant(m->b, ops[i].number2 / 8), &place->vector, err);
            pieces = true;
            status = status ? status : finish_piece(m, bytes, o, err);
        } else if (is_piece(&ops[i])) {
            const bool of_bits = ops[i].atom == DW_OP_bit_piece;
            const uint64_t bytes = of_bits ? ops[i].number / 8 : ops[i].number;
            pieces = true;
            if (m->bit_count || (of_bits && (ops[i].number % 8 || ops[i].number2)))
                status = add_bits(m, of_bits ? ops[i].number : 8 * bytes,
                                  of_bits ? ops[i].number2 : 0, o, err);
            else
                status = bytes ? finish_piece(m, bytes, o, err) : malformed(err);
        } else {
            const unsigned after = i + 1 < count ? ops[i + 1].atom : DW_OP_piece;
            status = step(m, &ops[i],
                          after == DW_OP_stack_value                         ? STACK_VALUE
                          : after == DW_OP_piece || after == DW_OP_bit_piece ? NOTHING
                                                                             : MORE,
                          err);
            /* What is optimised out is this piece, not the others. */
            if (status == WT_UNSUPPORTED && strstr(err->text, "optimized out") && !m->joins) {
                size_t end = i;
                while (end < count && !is_piece(&ops[end]))
                    end++;
                if (end < count) {
                    m->count = 0;
                    m->is_value = m->is_register = false;
                    m->block = NULL;
                    i = end - 1;
                    status = WT_OK;
                }
            }
        }
        if (status)
            return status;
        if (m->is_of_home && ops[i].atom == WT_OP_INTEL_PUSH_BITS)
            i += count_places(ops, count, begin, i + 1);
    }
    enum wt_status status = m->joins ? wt_machine_join(m, m->joins->offset, err) : WT_OK;
    if (!status && m->bit_count)
        status = finish_bits(m, o, err);
    if (status)
        return status;
    if (m->joins) /* two ends */
        return malformed(err);
    return pieces ? WT_OK : finish_piece(m, size, o, err);
}

static enum wt_status run(struct machine *m, const Dwarf_Op *ops, size_t count, uint64_t size,
                          struct wt_operand *o, struct wt_error *err)
{
    const enum wt_status status = run_operations(m, ops, count, size, o, err);
    wt_machine_free_joins(m);
    /* A register's rule begins with the CFA (DWARF 5, 6.4.2.3), which it need not use; libdw writes
     * that as its first operation. */
    const unsigned rest = !m->attribute && count && ops[0].atom == DW_OP_call_frame_cfa;
    if (!status && m->count > rest) /* a byte that is missing or too many: any entry may be it */
        return wt_fail(
            err, WT_INVALID,
            "the debug information is damaged: a location ends with more than one value");
    return status;
}

enum wt_status wt_build_location(struct wt_build *b, Dwarf_Attribute *attribute,
                                 const Dwarf_Op *ops, size_t count, const struct wt_frame *frame,
                                 uint64_t bias, uint64_t size, struct wt_operand *o,
                                 struct wt_error *err)
{
    struct machine m = {.b = b, .attribute = attribute, .frame = frame, .bias = bias, .size = size};
    *o = (struct wt_operand){0};
    if (count == 0)
        return lost(err);
    return run(&m, ops, count, size, o, err);
}

enum wt_status wt_build_address(struct wt_build *b, Dwarf_Attribute *attribute, const Dwarf_Op *ops,
                                size_t count, const struct wt_frame *frame, uint64_t bias,
                                wt_expr_vector *address, struct wt_error *err)
{
    struct wt_operand o = {0};
    enum wt_status status = wt_build_location(b, attribute, ops, count, frame, bias, 8, &o, err);
    if (status)
        return status;
    if (o.piece_count != 1 || o.piece[0].kind == WT_PIECE_LOST)
        return malformed(err);
    *address = o.piece[0].vector;
    if (o.piece[0].kind == WT_PIECE_CELL && o.piece[0].reg >= 0) {
        o.type = wt_types_integer(b->types, o.piece[0].size <= 4 ? 4 : 8, false);
        return wt_operand_cell_of(b, &o, address, err);
    }
    return WT_OK;
}

enum wt_status wt_build_member_address(struct wt_build *b, Dwarf_Attribute *attribute,
                                       const Dwarf_Op *ops, size_t count, wt_expr_vector object,
                                       wt_expr_vector *address, struct wt_error *err)
{
    struct machine m = {.b = b, .attribute = attribute};
    struct wt_operand o = {0};
    enum wt_status status = push(&m, object, err);
    if (!status)
        status = run(&m, ops, count, 8, &o, err);
    if (!status && (o.piece_count != 1 || o.piece[0].kind == WT_PIECE_LOST))
        return malformed(err);
    *address = o.piece[0].vector;
    return status;
}
