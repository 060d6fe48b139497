/* Texts that are evaluated: expressions, and assignments, which write values where they lie, in
 * each lane. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "debug/source/compile.h"
#include "debug/source/source_internal.h"

static enum wt_status write_lane(const struct wt_view *scope, const struct wt_values *to,
                                 unsigned k, unsigned lane, const uint8_t *bytes,
                                 struct wt_error *err)
{
    struct wt_debugger *d = scope->source->debugger;
    struct wt_wave wave;
    unsigned own;
    const bool has_wave = wt_source_wave(scope, &wave, &own);
    if (wt_value_is_unknown(to->state[k])) {
        char why[WT_VALUE_REASON];
        return wt_fail(err, WT_INVALID, "the place to write to cannot be found: %s",
                       wt_values_reason(to, k, why));
    }
    if (to->state[k] == WT_VALUE_NOT_YET)
        return wt_fail(err, WT_INVALID,
                       "the place to write to is not available yet: code that follows "
                       "computes it");
    if (to->state[k] == WT_VALUE_NOT_HERE)
        return wt_fail(err, WT_INVALID,
                       "the place to write to is not available here: the code has re-used the "
                       "registers that held it");
    if (to->in_memory) {
        const struct wt_address address = {to->space, to->address[k]};
        if (has_wave)
            return wt_debugger_write_lane(d, wave.id, lane, address, bytes, to->size, err);
        return wt_debugger_write_memory(d, scope->thread, address, bytes, to->size, err);
    }
    if (to->reg < 0 || !has_wave)
        return wt_fail(err, WT_INVALID, "Left operand of assignment is not an lvalue.");
    const unsigned index = (unsigned)to->reg;
    uint8_t row[WT_REGISTER_BITS / 8];
    enum wt_status status =
        wt_debugger_read_rows(d, scope->thread, wt_lane_bit(lane), &index, 1, row, err);
    if (status)
        return status;
    /* A value narrower than a RISC-V register is extended as the ABI says: floats by ones above. */
    assert(to->from + to->size <= sizeof row);
    memcpy(row + to->from, bytes, to->size);
    const wt_thread thread = wt_debugger_thread_of_lane(d, scope->thread, lane);
    return wt_debugger_write_register(d, thread, index, row, err);
}

/* Puts a number's bits into a bit field's bytes. */
static void put_bits(const struct wt_values *to, uint8_t *bytes, uint64_t value)
{
    for (uint32_t i = 0; i < to->bit_size; i++) {
        const uint32_t at = to->bit_offset + i;
        if (at / 8 >= to->size)
            return;
        bytes[at / 8] =
            (uint8_t)((bytes[at / 8] & ~(1u << at % 8)) | (unsigned)(value >> i & 1) << at % 8);
    }
}

static enum wt_status assign_lanes(const struct wt_view *scope, const struct wt_values *to,
                                   const struct wt_values *from, struct wt_error *err)
{
    unsigned k = 0;
    if (to->apart)
        return wt_fail(err, WT_UNSUPPORTED,
                       "these lanes have it in different places: select the thread of one of them "
                       "(thread N), and assign there");
    for (unsigned i = 0; i < to->lane_count; i++)
        if (to->state[i] == WT_VALUE_ELSEWHERE)
            return wt_fail(err, WT_INVALID, "some of these lanes wait where it is not");
    for (wt_lanes rest = to->lanes; k < to->lane_count; k++, rest &= rest - 1) {
        const uint8_t *source = from->bytes + (from->lane_count == 1 ? 0 : k) * from->size;
        const uint8_t state = from->state[from->lane_count == 1 ? 0 : k];
        uint8_t bits[16];
        if (state != WT_VALUE_GOOD)
            return wt_fail(err, WT_INVALID, "the value to assign cannot be read");
        if (to->bit_size) {
            const uint64_t size = from->size < 8 ? from->size : 8;
            memcpy(bits, to->bytes + k * to->size, to->size < sizeof bits ? to->size : sizeof bits);
            put_bits(to, bits, wt_load_le(source, size));
            source = bits;
        }
        enum wt_status status = write_lane(scope, to, k, wt_lanes_lowest(rest), source, err);
        if (status)
            return status;
    }
    return WT_OK;
}

/* Converts the right side to the left side's type by a cast around its tree. */
static enum wt_status right_side(const struct wt_view *scope, const struct wt_node *n,
                                 const struct wt_values *to, struct wt_values *from,
                                 struct wt_error *err)
{
    struct wt_node left = *n->a, right = *n->b, sum, cast;
    const struct wt_node *value = &right;
    left.next = NULL;
    if (n->op) {
        sum = (struct wt_node){.kind = WT_NODE_BINARY, .op = n->op, .a = &left, .b = &right};
        value = &sum;
    }
    const enum wt_type_half half = to ? wt_type_half(to->type) : WT_NO_HALF;
    if (half == WT_BFLOAT)
        return wt_fail(err, WT_UNSUPPORTED, "a bfloat16 cannot be assigned: set its bits");
    if (to && (half || wt_type_is_scalar(wt_type_plain(to->type))) &&
        wt_type_size(wt_type_plain(to->type)) <= 8) {
        cast = (struct wt_node){.kind = WT_NODE_CAST,
                                .a = (struct wt_node *)(uintptr_t)value,
                                .type = half ? wt_types_basic(scope->source->types, "_Float16")
                                             : to->type};
        value = &cast;
    }
    return wt_source_evaluate_node(scope, value, to ? to->lanes : 0, from, err);
}

static enum wt_status assign(const struct wt_view *scope, const struct wt_node *n,
                             struct wt_values *values, struct wt_error *err)
{
    struct wt_source *s = scope->source;
    struct wt_values from;
    enum wt_status status;
    /* A convenience variable takes any value. */
    if (n->a->kind == WT_NODE_DOLLAR) {
        struct wt_values old;
        status = wt_source_evaluate_node(scope, n->a, 0, &old, err);
        if (status)
            return status;
        if (old.reg < 0) {
            status = right_side(scope, n, NULL, values, err);
            if (!status && (status = wt_source_set_variable(s, n->a->text, values, err)) != WT_OK)
                wt_values_free(values);
            if (!status && n->before) {
                wt_values_free(values);
                *values = old;
                return WT_OK;
            }
            wt_values_free(&old);
            return status;
        }
        wt_values_free(&old);
    }
    if ((status = wt_source_evaluate_node(scope, n->a, 0, values, err)) != WT_OK)
        return status;
    status = right_side(scope, n, values, &from, err);
    if (!status) {
        if (!values->bit_size && from.size < values->size && n->a->kind == WT_NODE_DOLLAR)
            status = wt_fail(err, WT_INVALID,
                             "the value has %" PRIu64 " bytes, and the whole of $%s has %" PRIu64
                             ": set one element, $%s[0] = …",
                             from.size, n->a->text, values->size, n->a->text);
        else if (!values->bit_size && from.size < values->size)
            status = wt_fail(err, WT_INVALID,
                             "the value has %" PRIu64 " bytes, and %" PRIu64 " are needed",
                             from.size, values->size);
        else if (from.lane_count != 1 && from.lanes != values->lanes)
            status = wt_fail(err, WT_INVALID,
                             "the value is of other lanes than those that are "
                             "assigned to");
        else if ((status = wt_type_half(values->type) == WT_HALF
                               ? WT_OK
                               : wt_type_check_assigned(values->type, from.type, err)) == WT_OK &&
                 (!s->may_change || !(status = s->may_change(s->may_change_context, err))))
            status = assign_lanes(scope, values, &from, err);
        wt_values_free(&from);
    }
    if (!status && n->before)
        return WT_OK;
    wt_values_free(values);
    return status ? status : wt_source_evaluate_node(scope, n->a, 0, values, err);
}

/* ---- texts ---- */

/* Evaluates $_dispatch_pos or $_lane_workgroup_pos, whose value is a text with these numbers. */
static enum wt_status evaluate_place(const struct wt_view *scope, const char *const *number,
                                     const char *form, struct wt_values *values,
                                     struct wt_error *err)
{
    unsigned v[WT_PLACE_NUMBERS] = {0};
    char plain[80], text[82];
    for (unsigned i = 0; i < WT_PLACE_NUMBERS && number[i]; i++) {
        struct wt_address one = {0};
        enum wt_status status = wt_source_evaluate(scope, number[i], values, err);
        if (status)
            return status;
        status = wt_values_address(values, &one, err);
        wt_values_free(values);
        if (status)
            return status;
        v[i] = (unsigned)one.offset;
    }
    snprintf(plain, sizeof plain, form, v[0], v[1], v[2], v[3]);
    snprintf(text, sizeof text, "\"%s\"", plain);
    return wt_source_evaluate(scope, text, values, err);
}

enum wt_status wt_source_evaluate(const struct wt_view *scope, const char *text,
                                  struct wt_values *values, struct wt_error *err)
{
    struct wt_node *root;
    const char *form;
    enum wt_status status = wt_source_parse(scope, text, &root, err);
    if (status)
        return status;
    const char *const *number = wt_compile_place(scope->source->topology, root, &form);
    if (number) {
        wt_node_free(root);
        return evaluate_place(scope, number, form, values, err);
    }
    /* The value may be kept longer than the frame; its type belongs to the frame's module. */
    if (scope->frame && scope->frame->symbols &&
        !wt_source_hold(scope->source, scope->frame->symbols))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory for symbols");
    else
        status = root->kind == WT_NODE_ASSIGN
                     ? assign(scope, root, values, err)
                     : wt_source_evaluate_node(scope, root, 0, values, err);
    wt_node_free(root);
    return status;
}
