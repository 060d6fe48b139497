/* DWARF expressions and location descriptions, compiled to the core's form. */
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "debug/source/attributes.h"
#include "debug/source/dwarf_machine.h"

static enum wt_status lost(struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED, "value has been optimized out");
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
    enum wt_status status = m->b->frame_ops->dwarf_register(m->b, m->frame, number, &o, err);
    if (status)
        return status;
    /* The operand as an address: whole and unsigned. */
    o.type = wt_types_integer(m->b->types, o.piece[0].size <= 4 ? 4 : 8, false);
    return wt_operand_cell_of(m->b, &o, cell, err);
}

bool wt_build_is_frame_register(const struct wt_build *b, unsigned number)
{
    const struct wt_topology *t = b->topology;
    const int index = wt_topology_dwarf_index(t, number);
    return index >= 0 &&
           (t->registers[index].role == WT_ROLE_SP || t->registers[index].role == WT_ROLE_FP);
}

enum wt_status wt_build_frame_address(struct wt_build *b, wt_expr_vector *v, struct wt_error *err)
{
    const struct wt_topology *t = b->topology;
    if (!t || (t->frame_scale <= 1 && !t->frame_scale_index))
        return WT_OK;
    const wt_expr_vector scale = t->frame_scale_index
                                     ? wt_expr_register(b->expr, (unsigned)t->frame_scale_index)
                                     : wt_build_constant(b, t->frame_scale);
    return wt_build_op(b, WT_EXPR_DIV_UNSIGNED, 0, *v, scale, v, err);
}

/* A variable's address that the debug information has in one register for all of the function:
 * compilers then use the register for something else, too. */
static enum wt_status follow_address(struct machine *m, uint64_t number, struct wt_error *err)
{
    struct wt_build *b = m->b;
    struct wt_kept_answer kept = {.state = WT_KEPT_IN_PLACE};
    const struct wt_kept_address place = {
        .reg = wt_topology_dwarf_index(b->topology, (unsigned)number)};
    if (!m->is_of_home || !b->kept || !b->variable || b->named_end || place.reg < 0)
        return WT_OK;
    const enum wt_status status = b->kept(b, m->frame, &place, &kept, err);
    if (!status && kept.state != WT_KEPT_IN_PLACE)
        wt_build_leave_kept(b, kept.state);
    return status;
}

static enum wt_status breg(struct machine *m, uint64_t number, int64_t offset, struct wt_error *err)
{
    wt_expr_vector v;
    const bool in_frame = wt_build_is_frame_register(m->b, (unsigned)number);
    enum wt_status status = in_frame ? WT_OK : follow_address(m, number, err);
    if (!status)
        status = register_value(m, number, &v, err);
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
        return status ? status : wt_machine_file_place(m, err);
    }
    const struct wt_topology *t = m->b->topology;
    if (t && t->file_space && number >= (uint64_t)t->file_dwarf) {
        const uint64_t from = (number - (uint64_t)t->file_dwarf) * t->file_bytes;
        const uint64_t size = m->size && m->size < t->file_bytes ? m->size : t->file_bytes;
        const enum wt_status status =
            wt_machine_check_value(m, (unsigned)from, (unsigned)size, 0, 0, err);
        if (status)
            return status;
    }
    m->is_register = true;
    return m->b->frame_ops->dwarf_register(m->b, m->frame, number, &m->place, err);
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
        if (atom == DW_OP_deref && (spilled = wt_machine_spilled_at(m, op, &size, &first)) != 0)
            return wt_machine_take_spilled(m, spilled, size, first, err);
        if (m->count && m->stack[m->count - 1].in_file &&
            (status = wt_machine_stored_address(m, err)) != WT_OK)
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
        return wt_machine_file_place(m, err);
    case WT_OP_INTEL_PUSH_LANE:
        return wt_machine_lane(m, err);
    case WT_OP_INTEL_PUSH_BITS:
        return wt_machine_bits(m, op, err);
    case DW_OP_nop:
        return WT_OK;
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value:
        if (!m->b->entry_value)
            return lost(err);
        struct cell entry = {0};
        status =
            m->b->entry_value(m->b, m->attribute, op, m->frame, &entry.vector, &entry.type, err);
        return status ? status : push_cell(m, entry, err);
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
        if (m->type) {
            *m->type = top.type;
            m->is_value |= top.type != NULL;
        }
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

/* A piece of more bytes than its place has: nothing is known of the others. */
static enum wt_status fill_piece(struct wt_operand *o, unsigned from, uint64_t bytes,
                                 struct wt_error *err)
{
    uint64_t known = 0;
    for (unsigned i = from; i < o->piece_count; i++)
        known += o->piece[i].size;
    if (known >= bytes)
        return WT_OK;
    if (o->piece_count == WT_PIECES)
        return wt_fail(err, WT_UNSUPPORTED, "the value is in too many pieces");
    o->piece[o->piece_count++] =
        (struct wt_piece){.kind = WT_PIECE_LOST, .reg = -1, .size = bytes - known};
    return WT_OK;
}

static bool computes_number(unsigned atom)
{
    return (atom >= DW_OP_const1u && atom <= DW_OP_consts) ||
           (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) || (atom >= DW_OP_abs && atom <= DW_OP_xor);
}

/*
 * DWARF 2 and 3 have no DW_OP_stack_value: in their units clang's expression of a value looks like
 * that of an address. Where it computes with numbers alone it is a value, since clang gives an
 * address by DW_OP_addr.
 */
static bool is_number(const struct machine *m, const Dwarf_Op *ops, size_t count)
{
    Dwarf_Die unit;
    Dwarf_Half version;
    for (size_t i = 0; i < count; i++)
        if (!computes_number(ops[i].atom))
            return false;
    return count && m->attribute &&
           dwarf_cu_die(m->attribute->cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) &&
           version < 4 && wt_clang_version(&unit);
}

static enum wt_status run_operations(struct machine *m, const Dwarf_Op *ops, size_t count,
                                     uint64_t size, struct wt_operand *o, struct wt_error *err)
{
    const struct wt_topology *t = m->b->topology;
    bool pieces = false;
    size_t begin = 0; /* the first operation of what may be such a place */
    size_t first = 0; /* … of the piece */
    m->ops = ops;
    m->is_of_home = ops[count - 1].atom != DW_OP_stack_value;
    for (size_t i = 0; i < count; i++) {
        m->takes_bits |= ops[i].atom == WT_OP_INTEL_PUSH_BITS;
        /* A part of a register that does not begin at the register's first bit. */
        m->takes_bits |= t && t->file_space && ops[i].atom == DW_OP_bit_piece && ops[i].number2;
        /* Intel's compiler describes in this way an object that registers point to; each lane has
         * its own pointer. */
        m->takes_bits |= t && t->file_space && wt_dwarf_register(&ops[i], NULL) && i + 1 < count &&
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
            if ((status = wt_machine_check_place(m, place, ops[i].number2 / 8, bytes, err)) !=
                WT_OK)
                return status;
            status = wt_build_op(m->b, WT_EXPR_ADD, 0, place->vector,
                                 wt_build_constant(m->b, ops[i].number2 / 8), &place->vector, err);
            pieces = true;
            status = status ? status : finish_piece(m, bytes, o, err);
        } else if (is_piece(&ops[i])) {
            const bool of_bits = ops[i].atom == DW_OP_bit_piece;
            const uint64_t bytes = of_bits ? ops[i].number / 8 : ops[i].number;
            const unsigned from = o->piece_count;
            pieces = true;
            m->is_value |= is_number(m, ops + first, i - first);
            first = i + 1;
            if (m->bit_count || (of_bits && (ops[i].number % 8 || ops[i].number2)))
                status = add_bits(m, of_bits ? ops[i].number : 8 * bytes,
                                  of_bits ? ops[i].number2 : 0, o, err);
            else if (!bytes)
                status = malformed(err);
            else if ((status = finish_piece(m, bytes, o, err)) == WT_OK)
                status = fill_piece(o, from, bytes, err);
        } else {
            const unsigned after = i + 1 < count ? ops[i + 1].atom : DW_OP_piece;
            status = step(m, &ops[i],
                          after == DW_OP_stack_value                         ? STACK_VALUE
                          : after == DW_OP_piece || after == DW_OP_bit_piece ? NOTHING
                                                                             : MORE,
                          err);
            /* Only this piece is optimised out, not the others. */
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
    m->is_value |= is_number(m, ops, count);
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
                                const struct wt_type **type, wt_expr_vector *address,
                                struct wt_error *err)
{
    struct machine m = {
        .b = b, .attribute = attribute, .frame = frame, .bias = bias, .size = 8, .type = type};
    struct wt_operand o = {0};
    enum wt_status status = count ? run(&m, ops, count, 8, &o, err) : lost(err);
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
