/* Children of a value: its parts, and the targets of pointers. Trees, pages and text use them. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "debug/source/source_internal.h"

enum { MOST_COMPONENTS = 16 };

/* Whether a value of the type can be read where a pointer leads to it. */
static bool has_bytes(const struct wt_type *plain)
{
    return plain->kind != WT_TYPE_VOID && plain->kind != WT_TYPE_FUNCTION &&
           !plain->is_incomplete && wt_type_size(plain) != 0;
}

uint64_t wt_value_child_count(const struct wt_values *v)
{
    const struct wt_type *plain = wt_type_plain(v->type);
    size_t count = 0;
    if (v->bit_size)
        return 0;
    if (plain->kind == WT_TYPE_POINTER || plain->kind == WT_TYPE_REFERENCE)
        return has_bytes(wt_type_plain(wt_type_target(plain)));
    if (plain->kind == WT_TYPE_ARRAY)
        return plain->has_count && wt_type_size(wt_type_target(plain)) ? plain->count : 0;
    if (wt_type_is_record(plain) && !plain->is_incomplete)
        wt_type_members(plain, &count);
    return count;
}

/* Room for a value of a type in the lanes of its parent. */
static enum wt_status begin(const struct wt_values *parent, const struct wt_type *type,
                            uint64_t size, struct wt_values *v, struct wt_error *err)
{
    *v = (struct wt_values){.type = type,
                            .lanes = parent->lanes,
                            .lane_count = parent->lane_count,
                            .selected = parent->selected,
                            .size = size,
                            .reg = -1,
                            .there = parent->there,
                            .apart = parent->apart,
                            .uses_frame = parent->uses_frame,
                            .as_of = parent->as_of,
                            .guess = parent->guess,
                            .guess_type = parent->guess_type};
    const bool large = size > WT_VALUE_BYTES || size * v->lane_count > 64 * WT_VALUE_BYTES;
    v->bytes = large ? NULL : calloc(size * v->lane_count + 1, 1);
    v->state = calloc(v->lane_count + 1, 1);
    v->address = calloc(v->lane_count + 1, sizeof *v->address);
    if ((v->bytes || large) && v->state && v->address)
        return WT_OK;
    wt_values_free(v);
    return wt_fail(err, WT_NO_MEMORY, "no host memory for a part of a value");
}

/* Reads what lies in memory, of lanes that have an address. */
static void read_memory(const struct wt_view *scope, struct wt_values *v)
{
    struct wt_wave wave;
    unsigned own, k = 0;
    const bool has_wave = wt_source_wave(scope, &wave, &own);
    for (wt_lanes rest = v->lanes; k < v->lane_count; k++, rest &= rest - 1)
        if (v->state[k] == WT_VALUE_GOOD && !v->bytes)
            v->state[k] = WT_VALUE_LARGE;
        else if (v->state[k] == WT_VALUE_GOOD &&
                 !wt_source_read_lane(scope, has_wave ? &wave : NULL,
                                      rest ? wt_lanes_lowest(rest) : 0, v->space, v->address[k],
                                      v->bytes + k * v->size, v->size))
            v->state[k] = WT_VALUE_UNREADABLE;
}

uint8_t wt_values_part_state(const struct wt_values *v, unsigned k, uint64_t from, uint64_t size)
{
    uint8_t state = v->state[k];
    uint64_t begins = 0;
    if (state != WT_VALUE_LOST || !v->piece_count)
        return state;
    for (unsigned i = 0; i < v->piece_count; i++) {
        const struct wt_value_piece *p = &v->piece[i];
        if (begins < from + size && from < p->end && p->state[k] != WT_VALUE_GOOD)
            return p->state[k];
        begins = p->end;
    }
    return begins < from + size ? WT_VALUE_LOST : WT_VALUE_GOOD;
}

/* A structure or array in a value in pieces is in pieces, too: some of its parts may be lost. */
static enum wt_status share_pieces(const struct wt_values *parent, uint64_t from,
                                   struct wt_values *v, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(v->type);
    if (!parent->piece_count || (plain->kind != WT_TYPE_ARRAY && !wt_type_is_record(plain)))
        return WT_OK;
    if (!(v->piece = calloc(parent->piece_count, sizeof *v->piece)))
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a part of a value");
    for (unsigned i = 0; i < parent->piece_count; i++)
        if (parent->piece[i].end > from) {
            v->piece[v->piece_count] = parent->piece[i];
            v->piece[v->piece_count].in_memory = false; /* the addresses are the parent's */
            v->piece[v->piece_count++].end -= from;
        }
    return WT_OK;
}

/* A part that lies in its parent; @p limit: the bytes that the parent's type has. */
static enum wt_status take_part(const struct wt_view *scope, const struct wt_values *parent,
                                const struct wt_member *m, uint64_t limit, struct wt_values *v,
                                struct wt_error *err)
{
    const uint64_t size =
        m->bit_size ? ((uint64_t)m->bit_offset + m->bit_size + 7) / 8 : wt_type_size(m->type);
    const bool is_inside = m->offset <= limit && size <= limit - m->offset;
    const bool is_there = m->offset <= parent->size && size <= parent->size - m->offset;
    enum wt_status status = begin(parent, m->type, is_inside ? size : 0, v, err);
    if (!status && (status = share_pieces(parent, m->offset, v, err)))
        wt_values_free(v);
    if (status)
        return status;
    v->bit_offset = m->bit_offset;
    v->bit_size = m->bit_size;
    v->in_memory = parent->in_memory;
    v->space = parent->space;
    v->reg = parent->reg;
    v->from = parent->from + m->offset;
    for (unsigned k = 0; k < v->lane_count; k++) {
        v->address[k] = parent->address ? parent->address[k] : 0;
        if (parent->in_memory)
            v->address[k] += m->offset;
        v->state[k] = !is_inside                           ? WT_VALUE_DAMAGED
                      : parent->state[k] == WT_VALUE_LARGE ? WT_VALUE_GOOD
                      : !is_there && !parent->state[k]
                          ? WT_VALUE_LOST
                          : wt_values_part_state(parent, k, m->offset, size);
        if (is_inside && is_there && parent->bytes && v->bytes)
            memcpy(v->bytes + k * size, parent->bytes + k * parent->size + m->offset, size);
    }
    if (!parent->bytes)
        read_memory(scope, v);
    return WT_OK;
}

/* The value that a pointer or reference leads to. */
static enum wt_status take_target(const struct wt_view *scope, const struct wt_values *parent,
                                  const struct wt_type *plain, struct wt_values *v,
                                  struct wt_error *err)
{
    const struct wt_type *target = wt_type_target(plain);
    const uint64_t size = wt_type_size(plain);
    enum wt_status status = begin(parent, target, wt_type_size(target), v, err);
    if (status)
        return status;
    v->in_memory = true;
    v->space = wt_source_space_of(scope->source->topology, plain);
    for (unsigned k = 0; k < v->lane_count; k++) {
        v->state[k] = size > 8 || size > parent->size ? WT_VALUE_DAMAGED : parent->state[k];
        if (v->state[k])
            v->address[k] = parent->address ? parent->address[k] : 0;
        else
            v->address[k] = wt_load_le(parent->bytes + k * parent->size, size);
    }
    read_memory(scope, v);
    return WT_OK;
}

/* A virtual base lies where the object says, in each lane. */
static enum wt_status take_virtual_base(const struct wt_view *scope, const struct wt_values *parent,
                                        const struct wt_member *m, struct wt_values *v,
                                        struct wt_error *err)
{
    enum wt_status status = begin(parent, m->type, wt_type_size(m->type), v, err);
    unsigned k = 0;
    if (status)
        return status;
    v->in_memory = true;
    v->space = parent->space;
    for (wt_lanes rest = v->lanes; k < v->lane_count; k++, rest &= rest - 1) {
        struct wt_view lane = *scope;
        const wt_thread thread =
            rest && scope->thread ? wt_debugger_thread_of_lane(scope->source->debugger,
                                                               scope->thread, wt_lanes_lowest(rest))
                                  : 0;
        lane.thread = thread ? thread : scope->thread;
        v->state[k] = parent->state[k] == WT_VALUE_LARGE ? WT_VALUE_GOOD : parent->state[k];
        if (!v->state[k] &&
            (!parent->in_memory || !v->size ||
             !wt_source_virtual_base(&lane, m, parent->space, parent->address[k], &v->address[k])))
            v->state[k] = WT_VALUE_UNKNOWN;
    }
    read_memory(scope, v);
    return WT_OK;
}

/* A static member, which has a name and no place in its class; it is the same in all lanes. */
static enum wt_status take_static(const struct wt_view *scope, const struct wt_values *parent,
                                  const struct wt_type *record, const struct wt_member *m,
                                  struct wt_values *v, struct wt_error *err)
{
    struct wt_values one = {.reg = -1};
    char *whole = NULL;
    if (record->name && m->name && asprintf(&whole, "%s::%s", record->name, m->name) < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a name");
    const bool found = whole && wt_source_evaluate(scope, whole, &one, WT_IGNORED) == WT_OK;
    free(whole);
    enum wt_status status = begin(parent, found ? one.type : m->type, found ? one.size : 0, v, err);
    if (status) {
        wt_values_free(&one);
        return status;
    }
    v->in_memory = one.in_memory;
    v->space = one.space;
    for (unsigned k = 0; k < v->lane_count; k++) {
        v->state[k] = found ? one.state[0] : WT_VALUE_LOST;
        v->address[k] = found ? one.address[0] : 0;
        if (!v->state[k])
            memcpy(v->bytes + k * v->size, one.bytes, v->size);
    }
    wt_values_free(&one);
    return WT_OK;
}

static enum wt_status take_element(const struct wt_view *scope, const struct wt_values *parent,
                                   const struct wt_type *plain, uint64_t index,
                                   struct wt_value_child *child, struct wt_error *err)
{
    static const char *const names[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7",
                                        "s8", "s9", "sa", "sb", "sc", "sd", "se", "sf"};
    static const char *const letters[] = {"x", "y", "z", "w"};
    const struct wt_member m = {.type = wt_type_target(plain),
                                .offset = wt_type_element_at(plain, index)};
    child->kind = WT_CHILD_ELEMENT;
    child->index = plain->lower + (int64_t)index;
    if (plain->is_vector && plain->count <= MOST_COMPONENTS) {
        child->kind = WT_CHILD_COMPONENT;
        child->name = plain->count <= 4 ? letters[index] : names[index];
    }
    return take_part(scope, parent, &m, wt_type_size(plain), &child->values, err);
}

static enum wt_status take_member(const struct wt_view *scope, const struct wt_values *parent,
                                  const struct wt_type *plain, const struct wt_member *m,
                                  struct wt_value_child *child, struct wt_error *err)
{
    child->kind = m->is_static ? WT_CHILD_STATIC : m->is_base ? WT_CHILD_BASE : WT_CHILD_MEMBER;
    child->name = m->is_base ? wt_type_plain(m->type)->name : m->name;
    child->is_virtual = m->is_virtual;
    if (m->is_static)
        return take_static(scope, parent, plain, m, &child->values, err);
    if (m->is_virtual)
        return take_virtual_base(scope, parent, m, &child->values, err);
    return take_part(scope, parent, m, wt_type_size(plain), &child->values, err);
}

enum wt_status wt_value_child(const struct wt_view *scope, const struct wt_values *v,
                              uint64_t index, struct wt_value_child *child, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(v->type);
    size_t count;
    *child = (struct wt_value_child){.index = (int64_t)index};
    if (index >= wt_value_child_count(v))
        return wt_fail(err, WT_INVALID, "the value has no part of this number");
    if (plain->kind == WT_TYPE_ARRAY)
        return take_element(scope, v, plain, index, child, err);
    if (wt_type_is_record(plain))
        return take_member(scope, v, plain, &wt_type_members(plain, &count)[index], child, err);
    child->kind = WT_CHILD_TARGET;
    child->name = "*";
    return take_target(scope, v, plain, &child->values, err);
}

enum wt_status wt_source_evaluate_parts(const struct wt_view *scope, const char *text,
                                        struct wt_values *values, struct wt_error *err)
{
    struct wt_values address;
    struct wt_value_child child;
    char *whole;
    enum wt_status status = wt_source_evaluate(scope, text, values, err);
    if (status != WT_UNSUPPORTED)
        return status;
    if (asprintf(&whole, "&(%s)", text) < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for an expression");
    if (wt_source_evaluate(scope, whole, &address, WT_IGNORED) == WT_OK) {
        if (wt_value_child(scope, &address, 0, &child, WT_IGNORED) == WT_OK) {
            *values = child.values;
            status = WT_OK;
        }
        wt_values_free(&address);
    }
    free(whole);
    return status;
}
