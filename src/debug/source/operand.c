/* Cells and operands of an expression that is compiled. See build.h. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "debug/source/build.h"

wt_expr_vector wt_build_constant(struct wt_build *b, uint64_t value)
{
    return wt_expr_constant(b->expr, value);
}

static enum wt_status temporary(struct wt_build *b, wt_expr_vector *to, struct wt_error *err)
{
    if (b->next >= WT_EXPR_MOST_TEMPORARIES)
        return wt_fail(err, WT_UNSUPPORTED, "the expression is too long; split it");
    *to = wt_expr_temporary(b->expr, b->next++);
    return WT_OK;
}

/* Folds the most frequent operation on constants: sums of addresses. */
static bool fold(enum wt_expr_op op, uint64_t a, uint64_t b, uint64_t *value)
{
    switch (op) {
    case WT_EXPR_ADD:
        *value = a + b;
        return true;
    case WT_EXPR_SUB:
        *value = a - b;
        return true;
    case WT_EXPR_MUL:
        *value = a * b;
        return true;
    case WT_EXPR_AND:
        *value = a & b;
        return true;
    case WT_EXPR_OR:
        *value = a | b;
        return true;
    default:
        return false;
    }
}

enum wt_status wt_build_op(struct wt_build *b, enum wt_expr_op op, unsigned size, wt_expr_vector a,
                           wt_expr_vector other, wt_expr_vector *to, struct wt_error *err)
{
    uint64_t x, y, value;
    if (wt_expr_is_constant(b->expr, a, &x) && wt_expr_is_constant(b->expr, other, &y) &&
        fold(op, x, y, &value)) {
        *to = wt_expr_constant(b->expr, value);
        return WT_OK;
    }
    if (op == WT_EXPR_ADD && wt_expr_is_constant(b->expr, other, &y) && y == 0) {
        *to = a;
        return WT_OK;
    }
    enum wt_status status = temporary(b, to, err);
    if (!status)
        wt_expr_add(b->expr, op, size, *to, a, other);
    return status;
}

enum wt_status wt_build_load(struct wt_build *b, uint32_t space, unsigned size,
                             wt_expr_vector address, wt_expr_vector *to, struct wt_error *err)
{
    const struct wt_space *s = space ? &b->topology->spaces[space] : NULL;
    enum wt_status status;
    if (s && !s->aperture)
        return wt_fail(err, WT_UNSUPPORTED, "%s memory cannot be read within an expression",
                       s->name);
    if (s && (status = wt_build_op(b, WT_EXPR_ADD, 0, address, wt_build_constant(b, s->aperture),
                                   &address, err)) != WT_OK)
        return status;
    return wt_build_op(b, WT_EXPR_LOAD, size, address, address, to, err);
}

enum wt_status wt_build_release(struct wt_build *b, unsigned mark, wt_expr_vector *keep,
                                struct wt_error *err)
{
    const wt_expr_vector first = wt_expr_temporary(b->expr, mark);
    bool is_temporary = false;
    for (unsigned i = mark; i < b->next; i++)
        is_temporary |= *keep == wt_expr_temporary(b->expr, i);
    b->next = mark;
    if (!is_temporary)
        return WT_OK;
    wt_expr_vector to = first;
    enum wt_status status = temporary(b, &to, err);
    if (!status && *keep != first)
        wt_expr_add(b->expr, WT_EXPR_COPY, 0, to, *keep, *keep);
    *keep = first;
    return status;
}

void wt_build_leave(struct wt_build *b, enum wt_build_homeless why)
{
    const wt_expr_vector number = wt_build_constant(b, why);
    b->uses_home = true;
    wt_expr_add(b->expr, b->asks_homes ? WT_EXPR_END : WT_EXPR_FAIL, 0,
                wt_expr_temporary(b->expr, 0), number, number);
}

void wt_build_leave_kept(struct wt_build *b, enum wt_kept_state state)
{
    assert(state == WT_KEPT_NOT_YET || state == WT_KEPT_GONE);
    wt_build_leave(b, state == WT_KEPT_NOT_YET ? WT_HOMELESS_YET : WT_HOMELESS_NOW);
}

struct wt_operand wt_operand_cell(const struct wt_type *type, wt_expr_vector vector)
{
    return (struct wt_operand){
        .type = type,
        .piece_count = 1,
        .piece = {
            {.kind = WT_PIECE_CELL, .vector = vector, .reg = -1, .size = wt_type_size(type)}}};
}

struct wt_operand wt_operand_memory(const struct wt_type *type, uint32_t space,
                                    wt_expr_vector address)
{
    return (struct wt_operand){.type = type,
                               .piece_count = 1,
                               .piece = {{.kind = WT_PIECE_MEMORY,
                                          .vector = address,
                                          .space = space,
                                          .reg = -1,
                                          .size = wt_type_size(type)}}};
}

bool wt_operand_in_memory(const struct wt_operand *o)
{
    return o->piece_count == 1 && o->piece[0].kind == WT_PIECE_MEMORY;
}

/* Bytes [offset, offset + size) of a piece. */
static enum wt_status cut(struct wt_build *b, const struct wt_piece *p, uint64_t offset,
                          uint64_t size, struct wt_piece *part, struct wt_error *err)
{
    *part = *p;
    part->size = size;
    if (p->kind == WT_PIECE_CELL && p->lost)
        part->lost = offset < 8 ? p->lost >> (8 * offset) : 0;
    if (p->kind == WT_PIECE_LOST || offset == 0)
        return WT_OK;
    if (p->kind == WT_PIECE_MEMORY)
        return wt_build_op(b, WT_EXPR_ADD, 0, p->vector, wt_build_constant(b, offset),
                           &part->vector, err);
    if (p->reg < 0)
        return wt_build_op(b, WT_EXPR_SHR_UNSIGNED, 0, p->vector, wt_build_constant(b, offset * 8),
                           &part->vector, err);
    part->from += offset;
    const unsigned cell = (unsigned)(part->from / 8), shift = (unsigned)(part->from % 8 * 8);
    part->vector = wt_expr_register_part(b->expr, (unsigned)p->reg, cell);
    return shift ? wt_build_op(b, WT_EXPR_SHR_UNSIGNED, 0, part->vector,
                               wt_build_constant(b, shift), &part->vector, err)
                 : WT_OK;
}

enum wt_status wt_operand_part(struct wt_build *b, const struct wt_operand *o, uint64_t offset,
                               const struct wt_type *type, struct wt_operand *part,
                               struct wt_error *err)
{
    uint64_t size = wt_type_size(type), at = 0;
    struct wt_operand result = {.type = type};
    if (wt_operand_in_memory(o)) {
        enum wt_status status = cut(b, &o->piece[0], offset, size, &result.piece[0], err);
        result.piece_count = 1;
        *part = result;
        return status;
    }
    for (unsigned i = 0; i < o->piece_count && size; i++) {
        const struct wt_piece *p = &o->piece[i];
        if (offset < at + p->size) {
            const uint64_t from = offset - at, rest = p->size - from;
            const uint64_t take = size < rest ? size : rest;
            enum wt_status status = cut(b, p, from, take, &result.piece[result.piece_count++], err);
            if (status)
                return status;
            offset += take;
            size -= take;
        }
        at += p->size;
    }
    if (size) {
        if (result.piece_count == WT_PIECES)
            return wt_fail(err, WT_UNSUPPORTED, "the value is in too many pieces");
        result.piece[result.piece_count++] =
            (struct wt_piece){.kind = WT_PIECE_LOST, .reg = -1, .size = size};
    }
    *part = result;
    return WT_OK;
}

bool wt_operand_lacks_bits(const struct wt_operand *o)
{
    uint64_t at = 0; /* in bits */
    for (unsigned i = 0; i < o->piece_count; at += 8 * o->piece[i++].size) {
        uint64_t lost = o->piece[i].lost;
        if (o->piece[i].size < 8)
            lost &= (UINT64_C(1) << 8 * o->piece[i].size) - 1;
        for (unsigned bit = 0; bit < 64 && lost >> bit; bit++)
            if (lost >> bit & 1 && (!o->bit_size || (at + bit >= o->bit_offset &&
                                                     at + bit < o->bit_offset + o->bit_size)))
                return true;
    }
    return false;
}

/* The pieces of at most 8 bytes, one above the other. */
static enum wt_status gather(struct wt_build *b, const struct wt_operand *o, wt_expr_vector *cell,
                             struct wt_error *err)
{
    enum wt_status status;
    const unsigned mark = b->next;
    unsigned shift = 0;
    for (unsigned i = 0; i < o->piece_count; i++) {
        const struct wt_piece *p = &o->piece[i];
        wt_expr_vector part = p->vector;
        if (p->kind == WT_PIECE_LOST)
            return wt_fail(err, WT_UNSUPPORTED, "value has been optimized out");
        if (p->size > 8 || shift / 8 + p->size > 8)
            return wt_fail(err, WT_UNSUPPORTED,
                           "a value of more than 8 bytes cannot be computed "
                           "with");
        if (p->unstored)
            wt_build_leave(b, WT_HOMELESS_YET);
        if (p->kind == WT_PIECE_MEMORY &&
            (status = wt_build_load(b, p->space, (unsigned)p->size, p->vector, &part, err)))
            return status;
        if (o->piece_count > 1) {
            if (p->kind == WT_PIECE_CELL && p->size < 8 &&
                (status = wt_build_op(b, WT_EXPR_ZERO_EXT, (unsigned)p->size * 8, part, part, &part,
                                      err)))
                return status;
            if (shift && (status = wt_build_op(b, WT_EXPR_SHL, 0, part, wt_build_constant(b, shift),
                                               &part, err)))
                return status;
            if (i && (status = wt_build_op(b, WT_EXPR_OR, 0, *cell, part, &part, err)))
                return status;
        }
        *cell = part;
        shift += (unsigned)p->size * 8;
    }
    return wt_build_release(b, mark, cell, err);
}

enum wt_status wt_operand_cell_of(struct wt_build *b, const struct wt_operand *o,
                                  wt_expr_vector *cell, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    const uint64_t size = wt_type_size(plain);
    enum wt_status status;
    if (!wt_type_is_scalar(plain))
        return wt_fail(err, WT_INVALID, "a number or a pointer is needed here");
    if (size == 0 || size > 8)
        return wt_fail(err, WT_UNSUPPORTED, "numbers of %" PRIu64 " bytes cannot be computed with",
                       size);
    if (o->piece_count == 0 || wt_operand_lacks_bits(o))
        return wt_fail(err, WT_UNSUPPORTED, "value has been optimized out");
    if ((status = gather(b, o, cell, err)) != WT_OK)
        return status;
    unsigned bits = (unsigned)size * 8;
    if (o->bit_size) {
        bits = o->bit_size;
        if (o->bit_offset && (status = wt_build_op(b, WT_EXPR_SHR_UNSIGNED, 0, *cell,
                                                   wt_build_constant(b, o->bit_offset), cell, err)))
            return status;
    }
    uint64_t value;
    if (wt_expr_is_constant(b->expr, *cell, &value)) {
        if (bits < 64) {
            const unsigned by = 64 - bits;
            value = wt_type_is_signed(plain) ? (uint64_t)((int64_t)(value << by) >> by)
                                             : value << by >> by;
        }
        *cell = wt_build_constant(b, value);
        return WT_OK;
    }
    const bool loaded = o->piece_count == 1 && o->piece[0].kind == WT_PIECE_MEMORY && !o->bit_size;
    if (bits < 64 && (wt_type_is_signed(plain) || !loaded))
        return wt_build_op(b, wt_type_is_signed(plain) ? WT_EXPR_EXT : WT_EXPR_ZERO_EXT, bits,
                           *cell, *cell, cell, err);
    return WT_OK;
}

/* ---- 128 bits ---- */

bool wt_type_is_wide(const struct wt_type *type)
{
    const struct wt_type *plain = wt_type_plain(type);
    return wt_type_is_integral(plain) && wt_type_size(plain) == 16;
}

enum wt_status wt_build_pair(struct wt_build *b, wt_expr_vector *pair, struct wt_error *err)
{
    wt_expr_vector high;
    enum wt_status status = temporary(b, pair, err);
    return status ? status : temporary(b, &high, err);
}

/* The second temporary of a pair. */
static wt_expr_vector high_of(struct wt_build *b, wt_expr_vector pair)
{
    unsigned number = 0;
    while (wt_expr_temporary(b->expr, number) != pair)
        number++;
    return wt_expr_temporary(b->expr, number + 1);
}

enum wt_status wt_build_wide(struct wt_build *b, enum wt_expr_op op, wt_expr_vector a,
                             wt_expr_vector other, wt_expr_vector *to, struct wt_error *err)
{
    enum wt_status status = wt_build_pair(b, to, err);
    if (!status)
        wt_expr_add(b->expr, op, 0, *to, a, other);
    return status;
}

struct wt_operand wt_operand_of_pair(struct wt_build *b, const struct wt_type *type,
                                     wt_expr_vector pair)
{
    return (struct wt_operand){
        .type = type,
        .piece_count = 2,
        .piece = {{.kind = WT_PIECE_CELL, .vector = pair, .reg = -1, .size = 8},
                  {.kind = WT_PIECE_CELL, .vector = high_of(b, pair), .reg = -1, .size = 8}}};
}

/* One half of a number of 128 bits. */
static enum wt_status half_of(struct wt_build *b, const struct wt_operand *o, unsigned which,
                              wt_expr_vector *cell, struct wt_error *err)
{
    const struct wt_type *half = wt_types_integer(b->types, 8, false);
    struct wt_operand part;
    for (unsigned i = 0; i < o->piece_count; i++)
        if (o->piece[i].kind == WT_PIECE_CELL && o->piece[i].size > 8)
            return wt_fail(err, WT_UNSUPPORTED,
                           "a register of more than 64 bits cannot be computed with");
    enum wt_status status = wt_operand_part(b, o, which * 8, half, &part, err);
    return status ? status : wt_operand_cell_of(b, &part, cell, err);
}

enum wt_status wt_operand_pair_of(struct wt_build *b, const struct wt_operand *o,
                                  wt_expr_vector *pair, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    wt_expr_vector low = 0, high = 0;
    enum wt_status status = wt_build_pair(b, pair, err);
    const unsigned mark = b->next;
    if (status)
        return status;
    if (wt_type_is_wide(plain)) {
        if (o->bit_size)
            return wt_fail(err, WT_UNSUPPORTED, "bit fields of 128 bits cannot be computed with");
        if ((status = half_of(b, o, 0, &low, err)) == WT_OK)
            status = half_of(b, o, 1, &high, err);
    } else if ((status = wt_operand_cell_of(b, o, &low, err)) != WT_OK) {
        return status;
    } else if (plain->kind == WT_TYPE_FLOAT) {
        unsigned bits = (unsigned)wt_type_size(plain) * 8;
        if (bits == 16) {
            status = wt_build_op(b, WT_EXPR_HALF_TO_F, 32, low, low, &low, err);
            bits = 32;
        }
        wt_expr_add(b->expr, WT_EXPR_WIDE_F_TO_INT, bits, *pair, low, low);
        b->next = mark;
        return status;
    } else if (wt_type_is_signed(plain)) {
        status = wt_build_op(b, WT_EXPR_SHR_SIGNED, 0, low, wt_build_constant(b, 63), &high, err);
    } else {
        high = wt_build_constant(b, 0);
    }
    if (status)
        return status;
    wt_expr_add(b->expr, WT_EXPR_COPY, 0, *pair, low, low);
    wt_expr_add(b->expr, WT_EXPR_COPY, 0, high_of(b, *pair), high, high);
    b->next = mark;
    return WT_OK;
}

static enum wt_status convert_wide(struct wt_build *b, const struct wt_operand *o,
                                   const struct wt_type *type, struct wt_operand *result,
                                   struct wt_error *err)
{
    const struct wt_type *to = wt_type_plain(type);
    wt_expr_vector pair = 0, cell = 0;
    enum wt_status status = wt_operand_pair_of(b, o, &pair, err);
    if (status)
        return status;
    if (wt_type_is_wide(to)) {
        *result = wt_operand_of_pair(b, type, pair);
        return WT_OK;
    }
    if (to->kind == WT_TYPE_BOOL) {
        status = wt_build_op(b, WT_EXPR_OR, 0, pair, high_of(b, pair), &cell, err);
    } else if (to->kind == WT_TYPE_FLOAT) {
        const unsigned bits = wt_type_size(to) == 4 ? 32 : 64;
        if ((status = temporary(b, &cell, err)) == WT_OK)
            wt_expr_add(b->expr,
                        wt_type_is_signed(wt_type_plain(o->type)) ? WT_EXPR_WIDE_INT_TO_F
                                                                  : WT_EXPR_WIDE_UINT_TO_F,
                        bits, cell, pair, pair);
        struct wt_operand number =
            wt_operand_cell(wt_types_basic(b->types, bits == 32 ? "float" : "double"), cell);
        return status ? status : wt_operand_convert(b, &number, type, result, err);
    } else {
        cell = pair;
    }
    struct wt_operand low = wt_operand_cell(wt_types_integer(b->types, 8, false), cell);
    return status ? status : wt_operand_convert(b, &low, type, result, err);
}

/* A float of any size as one of `bits`. */
static enum wt_status float_to(struct wt_build *b, unsigned from, unsigned bits,
                               wt_expr_vector *cell, struct wt_error *err)
{
    if (from == bits)
        return WT_OK;
    if (from == 16)
        return wt_build_op(b, WT_EXPR_HALF_TO_F, bits, *cell, *cell, cell, err);
    if (bits == 16)
        return wt_build_op(b, WT_EXPR_F_TO_HALF, from, *cell, *cell, cell, err);
    return wt_build_op(b, WT_EXPR_F_TO_F, bits, *cell, *cell, cell, err);
}

enum wt_status wt_operand_convert(struct wt_build *b, const struct wt_operand *o,
                                  const struct wt_type *type, struct wt_operand *result,
                                  struct wt_error *err)
{
    const struct wt_type *from = wt_type_plain(o->type), *to = wt_type_plain(type);
    const unsigned from_bits = (unsigned)wt_type_size(from) * 8;
    const uint64_t size = wt_type_size(to);
    wt_expr_vector cell;
    if (wt_type_is_scalar(from) && (wt_type_is_wide(from) || wt_type_is_wide(to)))
        return convert_wide(b, o, type, result, err);
    enum wt_status status = wt_operand_cell_of(b, o, &cell, err);
    if (status)
        return status;
    if (!wt_type_is_scalar(to) || size == 0 || size > 8)
        return wt_fail(err, WT_INVALID, "a value cannot be made one of that type");
    const unsigned bits = (unsigned)size * 8;
    const bool from_float = from->kind == WT_TYPE_FLOAT, to_float = to->kind == WT_TYPE_FLOAT;
    if (from_float && to_float) {
        status = float_to(b, from_bits, bits, &cell, err);
    } else if (from_float) {
        if (from_bits == 16)
            status = float_to(b, 16, 32, &cell, err);
        const unsigned width = from_bits == 16 ? 32 : from_bits;
        if (!status && to->kind == WT_TYPE_BOOL) {
            status =
                wt_build_op(b, WT_EXPR_F_EQUAL, width, cell, wt_build_constant(b, 0), &cell, err);
            if (!status)
                status = wt_build_op(b, WT_EXPR_LOGIC_NOT, 0, cell, cell, &cell, err);
        } else if (!status) {
            status = wt_build_op(b, WT_EXPR_F_TO_INT, width, cell, cell, &cell, err);
        }
    } else if (to_float) {
        const unsigned width = bits == 16 ? 32 : bits;
        status = wt_build_op(b, wt_type_is_signed(from) ? WT_EXPR_INT_TO_F : WT_EXPR_UINT_TO_F,
                             width, cell, cell, &cell, err);
        if (!status)
            status = float_to(b, width, bits, &cell, err);
    } else if (to->kind == WT_TYPE_BOOL) {
        status = wt_build_op(b, WT_EXPR_LOGIC_NOT, 0, cell, cell, &cell, err);
        if (!status)
            status = wt_build_op(b, WT_EXPR_LOGIC_NOT, 0, cell, cell, &cell, err);
    }
    if (!status && !to_float && bits < 64 && to->kind != WT_TYPE_BOOL) {
        const bool is_signed = wt_type_is_signed(to);
        uint64_t value;
        if (wt_expr_is_constant(b->expr, cell, &value)) {
            const unsigned by = 64 - bits;
            cell = wt_build_constant(b, is_signed ? (uint64_t)((int64_t)(value << by) >> by)
                                                  : value << by >> by);
        } else {
            status = wt_build_op(b, is_signed ? WT_EXPR_EXT : WT_EXPR_ZERO_EXT, bits, cell, cell,
                                 &cell, err);
        }
    }
    if (!status)
        *result = wt_operand_cell(type, cell);
    return status;
}
