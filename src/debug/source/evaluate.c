/* Values of expressions in the lanes of a wave. */
#include <assert.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "debug/source/compile.h"
#include "debug/source/places.h"
#include "debug/source/source_internal.h"

bool wt_source_wave(const struct wt_view *scope, struct wt_wave *wave, unsigned *lane)
{
    struct wt_debugger *d = scope->source->debugger;
    struct wt_thread_position place;
    if (!scope->thread || !wt_debugger_thread_wave(d, scope->thread, wave) ||
        wt_debugger_thread_position(d, scope->thread, &place, WT_IGNORED))
        return false;
    *lane = place.lane;
    return true;
}

static enum wt_status evaluate_number(const struct wt_view *scope, wt_compile_fn *compile,
                                      const void *what, wt_lanes lanes, int64_t *value,
                                      struct wt_error *err);

struct compiler wt_compiler_for(const struct wt_view *scope)
{
    struct compiler c = {.scope = scope,
                         .evaluate = wt_source_evaluate_node,
                         .number = evaluate_number,
                         .section = wt_compile_section,
                         .intrinsic = wt_compile_intrinsic,
                         .parameter = wt_compile_parameter,
                         .named_parameter = wt_compile_named_parameter,
                         .build = {.types = scope->source->types,
                                   .frame_ops = &wt_frame_ops,
                                   .entry_value = wt_frames_entry_value,
                                   .kept = wt_frames_kept,
                                   .named_register = wt_compile_code_register,
                                   .topology = scope->source->topology,
                                   .frames = scope->frames}};
    struct wt_wave wave;
    unsigned lane;
    if (wt_source_wave(scope, &wave, &lane))
        c.all = wt_lanes_first(wave.lanes);
    return c;
}

/* ---- without a wave ---- */

static wt_lanes read_plain(void *context, wt_lanes which, const uint64_t *addr, unsigned size,
                           uint64_t *out)
{
    uint8_t bytes[8];
    if (!which || !wt_source_read(context, 0, addr[0], bytes, size))
        return 0;
    out[0] = wt_load_le(bytes, size);
    return which;
}

/* ---- one piece of a value ---- */

struct value_reader {
    const struct wt_view *scope;
    struct compiler *c;
    bool has_wave;
    struct wt_wave wave;
    wt_lanes lanes;
    unsigned count;
    struct wt_lane_value *value; /* value of each lane */
};

/* Runs the expression up to a vector, whose numbers in each lane it gives. */
static enum wt_status run_to_vector(struct value_reader *r, wt_expr_vector v, struct wt_error *err)
{
    struct wt_expr *expr = r->c->build.expr;
    wt_expr_add(expr, WT_EXPR_END, 0, wt_expr_temporary(expr, 0), v, v);
    enum wt_status status = wt_expr_finish(expr, err);
    if (status)
        return status;
    if (r->has_wave)
        return wt_debugger_evaluate(r->scope->source->debugger, r->wave.id, r->lanes, expr, 0,
                                    r->value, NULL, err);
    size_t registers;
    wt_expr_registers(expr, &registers);
    if (registers)
        return wt_fail(err, WT_STATE, "No registers.");
    enum wt_expr_failure failure = WT_EXPR_NO_VALUE;
    const struct wt_expr_world world = {
        .context = (void *)(uintptr_t)r->scope, .read = read_plain, .failure = &failure};
    uint64_t number = 0;
    const wt_lanes known = wt_expr_run(expr, NULL, 1, &world, &number);
    r->value[0] = (struct wt_lane_value){.known = known != 0, .failure = failure, .value = number};
    return WT_OK;
}

/* The numbers of a vector in each lane; ends its expression, which lanes may leave before. */
static enum wt_status run_vector(struct value_reader *r, wt_expr_vector v, struct wt_error *err)
{
    uint64_t constant;
    if (r->c->build.uses_home || !wt_expr_is_constant(r->c->build.expr, v, &constant))
        return run_to_vector(r, v, err);
    for (unsigned k = 0; k < r->count; k++)
        r->value[k] = (struct wt_lane_value){.known = true, .value = constant};
    return WT_OK;
}

bool wt_source_read_lane(const struct wt_view *scope, const struct wt_wave *wave, unsigned lane,
                         uint32_t space, uint64_t address, void *out, size_t size)
{
    struct wt_debugger *d = scope->source->debugger;
    if (!wave)
        return wt_source_read(scope, space, address, out, size);
    return wt_debugger_read_lane(d, wave->id, lane, (struct wt_address){space, address}, out, size,
                                 WT_IGNORED) == WT_OK;
}

/* A lane without a number has no value. */
static void note_failure(const struct value_reader *r, unsigned k, struct wt_values *values)
{
    static const uint8_t states[] = {[WT_EXPR_NO_VALUE] = WT_VALUE_UNKNOWN,
                                     [WT_EXPR_DIVIDED] = WT_VALUE_DIVIDED,
                                     [WT_EXPR_UNREAD] = WT_VALUE_UNREACHED,
                                     [WT_EXPR_UNFIT] = WT_VALUE_UNFIT};
    values->state[k] = states[r->value[k].failure];
    values->address[k] = r->value[k].value;
}

static void read_memory(struct value_reader *r, const struct wt_piece *p, uint64_t at,
                        struct wt_values *values)
{
    const struct wt_space *space = &r->scope->source->topology->spaces[p->space];
    const bool shared = space->scope != WT_SCOPE_LANE;
    unsigned k = 0;
    for (wt_lanes rest = r->lanes; k < r->count; k++, rest &= rest - 1) {
        uint8_t *out = values->bytes + k * values->size + at;
        const unsigned lane = r->has_wave ? wt_lanes_lowest(rest) : 0;
        if (!r->value[k].known) {
            note_failure(r, k, values);
            continue;
        }
        values->address[k] = r->value[k].value;
        if (p->unstored) {
            values->state[k] = WT_VALUE_NOT_YET;
            continue;
        }
        /* Lanes that look at the same address see the same value. */
        if (k && shared && r->value[k - 1].known && r->value[k - 1].value == r->value[k].value) {
            if (values->state[k - 1] == WT_VALUE_UNREADABLE)
                values->state[k] = WT_VALUE_UNREADABLE;
            else
                memcpy(out, out - values->size, p->size);
            continue;
        }
        if (!wt_source_read_lane(r->scope, r->has_wave ? &r->wave : NULL, lane, p->space,
                                 r->value[k].value, out, p->size))
            values->state[k] = WT_VALUE_UNREADABLE;
    }
}

/* A register that is wider than a cell. */
static enum wt_status read_wide(struct value_reader *r, const struct wt_piece *p, uint64_t at,
                                struct wt_values *values, struct wt_error *err)
{
    const struct wt_register *reg = &r->scope->source->topology->registers[p->reg];
    const unsigned index = (unsigned)p->reg;
    uint8_t *row = malloc(wt_register_row(reg, r->lanes));
    if (!row)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a register");
    enum wt_status status = wt_debugger_read_rows(r->scope->source->debugger, r->scope->thread,
                                                  r->lanes, &index, 1, row, err);
    const size_t step = reg->scope == WT_SCOPE_LANE ? wt_register_size(reg) : 0;
    for (unsigned k = 0; k < r->count && !status; k++)
        memcpy(values->bytes + k * values->size + at, row + k * step + p->from, p->size);
    free(row);
    if (!status && r->c->build.uses_home)
        status = run_to_vector(r, wt_build_constant(&r->c->build, 0), err);
    for (unsigned k = 0; k < r->count && !status && r->c->build.uses_home; k++)
        if (!r->value[k].known)
            values->state[k] = WT_VALUE_UNKNOWN;
    return status;
}

static enum wt_status read_piece(struct value_reader *r, const struct wt_piece *p, uint64_t at,
                                 struct wt_values *values, struct wt_error *err)
{
    enum wt_status status;
    if (p->kind == WT_PIECE_LOST) {
        for (unsigned k = 0; k < r->count && !wt_type_is_padding(values->type, at, p->size); k++)
            values->state[k] = WT_VALUE_LOST;
        return WT_OK;
    }
    if (p->kind == WT_PIECE_CELL && p->reg >= 0 && p->size > 8 && r->has_wave)
        return read_wide(r, p, at, values, err);
    if ((status = run_vector(r, p->vector, err)) != WT_OK)
        return status;
    if (p->kind == WT_PIECE_MEMORY) {
        read_memory(r, p, at, values);
        return WT_OK;
    }
    for (unsigned k = 0; k < r->count; k++) {
        uint8_t *out = values->bytes + k * values->size + at;
        if (!r->value[k].known) {
            note_failure(r, k, values);
            continue;
        }
        for (uint64_t i = 0; i < p->size && i < 8; i++)
            out[i] = (uint8_t)(r->value[k].value >> (8 * i));
    }
    return WT_OK;
}

/* ---- a value ---- */

static enum wt_status prepare(struct compiler *c, wt_compile_fn *compile, const void *what,
                              struct wt_operand *o, struct wt_error *err)
{
    wt_expr_free(c->build.expr);
    c->build.expr = wt_expr_new();
    c->build.next = 0;
    c->depth = 0;
    c->guess = NULL;
    if (!c->build.expr)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for an expression");
    return compile(c, what, o, err);
}

static enum wt_status allocate(struct wt_values *v, unsigned pieces, struct wt_error *err)
{
    if (v->size > WT_VALUE_BYTES || v->size * v->lane_count > 64 * WT_VALUE_BYTES)
        return wt_fail(err, WT_UNSUPPORTED,
                       "value requires %" PRIu64 " bytes, which is more than %" PRIu64
                       ": print a part of it, as in array[0..9]",
                       v->size, WT_VALUE_BYTES);
    v->bytes = calloc(v->size * v->lane_count + 1, 1);
    v->state = calloc(v->lane_count, 1);
    v->piece_count = pieces > 1 ? pieces : 0;
    v->address = calloc((size_t)v->lane_count * (1 + v->piece_count), sizeof *v->address);
    v->piece = pieces > 1 ? calloc(pieces, sizeof *v->piece) : NULL;
    if (!v->bytes || !v->state || !v->address || (pieces > 1 && !v->piece))
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a value of %u lanes", v->lane_count);
    return WT_OK;
}

/* Of lanes whose value cannot be computed, those in which a variable has no home. */
static void find_homeless(struct value_reader *r, wt_compile_fn *compile, const void *what,
                          struct wt_values *values)
{
    struct wt_build *b = &r->c->build;
    struct wt_operand o;
    bool any = false;
    for (unsigned k = 0; k < r->count; k++)
        any |= wt_value_is_unknown(values->state[k]);
    if (!any || !b->uses_home)
        return;
    b->asks_homes = true;
    if (prepare(r->c, compile, what, &o, WT_IGNORED) != WT_OK ||
        run_to_vector(r, wt_build_constant(b, 0), WT_IGNORED) != WT_OK)
        return;
    for (unsigned k = 0; k < r->count; k++)
        if (wt_value_is_unknown(values->state[k]) && r->value[k].known && r->value[k].value)
            values->state[k] =
                r->value[k].value == WT_HOMELESS_YET ? WT_VALUE_NOT_YET : WT_VALUE_NOT_HERE;
}

/* Keeps the states of a piece, which are those of the value so far. */
static void end_piece(struct wt_values *values, unsigned i, const struct wt_piece *piece,
                      uint64_t end)
{
    values->piece[i].end = end;
    values->piece[i].reg = piece->kind == WT_PIECE_CELL ? piece->reg : -1;
    values->piece[i].from = piece->from;
    values->piece[i].in_memory = piece->kind == WT_PIECE_MEMORY && !piece->unstored;
    values->piece[i].space = piece->space;
    uint64_t *address = values->address + (1 + i) * values->lane_count;
    memcpy(address, values->address, values->lane_count * sizeof *address);
    values->piece[i].address = address;
    memcpy(values->piece[i].state, values->state, values->lane_count);
    memset(values->state, WT_VALUE_GOOD, values->lane_count);
}

/* A value that lacks a piece is none. */
static void take_states(struct wt_values *values, const struct wt_value_piece *piece)
{
    for (unsigned k = 0; k < values->lane_count; k++)
        if (piece->state[k] != WT_VALUE_GOOD)
            values->state[k] = piece->state[k];
}

/* Values of one place; @p only: of these lanes, whichever the expression selects. */
static enum wt_status read_here(const struct wt_view *scope, wt_compile_fn *compile,
                                const void *what, wt_lanes lanes, wt_lanes only,
                                struct wt_values *values, struct wt_error *err)
{
    struct compiler c = wt_compiler_for(scope);
    struct value_reader r = {.scope = scope, .c = &c};
    struct wt_lane_value value[WT_MAX_LANES];
    struct wt_operand o;
    unsigned lane = 0;
    *values = (struct wt_values){.reg = -1};
    r.has_wave = wt_source_wave(scope, &r.wave, &lane);
    c.build.own_lane = !only && (!lanes || lanes == wt_lane_bit(lane));
    enum wt_status status = prepare(&c, compile, what, &o, err);
    if (!status && c.build.own_lane && c.any_lanes) { /* the expression selects others */
        c.build.own_lane = false;
        status = prepare(&c, compile, what, &o, err);
    }
    if (status) {
        wt_expr_free(c.build.expr);
        return status;
    }
    r.lanes = only ? only : c.any_lanes ? c.lanes : lanes ? lanes : wt_lane_bit(lane);
    r.count = wt_lanes_count(r.lanes);
    r.value = value;
    values->type = o.type;
    values->lanes = r.lanes;
    values->lane_count = r.count;
    values->selected = c.any_lanes;
    values->bit_offset = o.bit_offset;
    values->bit_size = o.bit_size;
    values->in_memory = wt_operand_in_memory(&o) && !o.piece[0].unstored;
    values->in_frame = o.piece_count && o.piece[0].kind == WT_PIECE_MEMORY &&
                       !o.piece[0].unstored && o.piece[0].in_frame;
    values->reference = values->in_memory ? o.reference : NULL;
    values->reg = o.piece_count == 1 ? o.piece[0].reg : -1;
    values->from = o.piece_count == 1 ? o.piece[0].from : 0;
    values->space = o.piece_count == 1 ? o.piece[0].space : 0;
    values->uses_frame = c.build.uses_frame;
    values->as_of = c.as_of;
    values->guess = c.guess;
    values->guess_type = c.guess_type;
    for (unsigned i = 0; i < o.piece_count; i++)
        values->size += o.piece[i].size;
    status = allocate(values, o.piece_count, err);
    uint64_t at = 0;
    for (unsigned i = 0; i < o.piece_count && !status; i++) {
        if (i)
            status = prepare(&c, compile, what, &o, err);
        if (!status)
            status = read_piece(&r, &o.piece[i], at, values, err);
        at += o.piece[i].size;
        if (!status && values->piece)
            end_piece(values, i, &o.piece[i], at);
    }
    for (unsigned i = 0; i < values->piece_count && !status; i++)
        take_states(values, &values->piece[i]);
    for (unsigned k = 0; k < r.count && !status && wt_operand_lacks_bits(&o); k++)
        values->state[k] = WT_VALUE_LOST;
    if (!status)
        find_homeless(&r, compile, what, values);
    wt_expr_free(c.build.expr);
    if (status)
        wt_values_free(values);
    return status;
}

/* Takes over the values of lanes that are at another place; none: NULL. */
static void take_group(struct wt_values *values, const struct wt_values *group, wt_lanes lanes)
{
    unsigned k = 0, from = 0;
    for (wt_lanes rest = values->lanes; k < values->lane_count; k++, rest &= rest - 1) {
        if (!wt_has_lane(lanes, wt_lanes_lowest(rest)))
            continue;
        if (!group || group->size != values->size) {
            values->state[k] = WT_VALUE_ELSEWHERE;
            continue;
        }
        memcpy(values->bytes + k * values->size, group->bytes + from * group->size, group->size);
        values->state[k] = group->state[from];
        values->address[k] = group->address[from];
        for (unsigned i = 0; i < values->piece_count; i++)
            values->piece[i].state[k] = group->piece_count == values->piece_count &&
                                                group->piece[i].end == values->piece[i].end
                                            ? group->piece[i].state[from]
                                            : group->state[from];
        from++;
    }
    if (group && (group->in_memory != values->in_memory || group->space != values->space ||
                  group->reg != values->reg))
        values->apart = true;
}

static bool is_there(const struct wt_values *v)
{
    for (unsigned k = 0; k < v->lane_count; k++)
        if (v->state[k] == WT_VALUE_LOST)
            return false;
    return true;
}

/* Reads again what lanes have that are elsewhere in the program. */
static void read_elsewhere(const struct wt_view *scope, wt_compile_fn *compile, const void *what,
                           const struct wt_places *places, struct wt_values *values)
{
    values->there = is_there(values) ? places->own : 0;
    for (unsigned i = 0; i < places->count; i++) {
        const struct wt_place *place = &places->place[i];
        const wt_lanes wanted = place->lanes & values->lanes;
        struct wt_view view;
        struct wt_values group;
        struct wt_frames *frames = wt_places_view(scope, place, &view);
        const bool known = frames && view.frame &&
                           read_here(&view, compile, what, 0, wanted ? wanted : place->lanes,
                                     &group, WT_IGNORED) == WT_OK;
        if (known && is_there(&group))
            values->there |= place->lanes;
        if (wanted)
            take_group(values, known ? &group : NULL, wanted);
        if (known)
            wt_values_free(&group);
        wt_frames_free(frames);
    }
}

static enum wt_status read_values(const struct wt_view *scope, wt_compile_fn *compile,
                                  const void *what, wt_lanes lanes, struct wt_values *values,
                                  struct wt_error *err)
{
    struct wt_places places;
    enum wt_status status = read_here(scope, compile, what, lanes, 0, values, err);
    if (status || (!values->uses_frame && is_there(values)) || !wt_places_find(scope, &places) ||
        !(values->lanes & ~places.own))
        return status;
    read_elsewhere(scope, compile, what, &places, values);
    return WT_OK;
}

static enum wt_status compile_tree(struct compiler *c, const void *what, struct wt_operand *o,
                                   struct wt_error *err)
{
    const struct wt_node *node = what;
    const enum wt_status status = wt_compile_node(c, node, o, err);
    if (!status && wt_compile_is_untyped(o))
        return wt_fail(err, WT_INVALID, "'%s' has unknown type; cast it to its declared type",
                       node->kind == WT_NODE_NAME ? node->text : "the variable");
    return status;
}

static enum wt_status compile_condition(struct compiler *c, const void *what, struct wt_operand *o,
                                        struct wt_error *err)
{
    enum wt_status status = wt_compile_reductions(c, what, err);
    return status ? status : wt_compile_node(c, what, o, err);
}

struct variable_at {
    Dwarf_Die *die;
};

static enum wt_status compile_die(struct compiler *c, const void *what, struct wt_operand *o,
                                  struct wt_error *err)
{
    const struct variable_at *v = what;
    const struct wt_frame *frame = c->scope->frame;
    return wt_compile_variable(c, v->die, frame->info, frame->bias, true, o, err);
}

enum wt_status wt_source_evaluate_node(const struct wt_view *scope, const struct wt_node *node,
                                       wt_lanes lanes, struct wt_values *values,
                                       struct wt_error *err)
{
    return read_values(scope, compile_tree, node, lanes, values, err);
}

static enum wt_status evaluate_number(const struct wt_view *scope, wt_compile_fn *compile,
                                      const void *what, wt_lanes lanes, int64_t *value,
                                      struct wt_error *err)
{
    struct wt_values values;
    *value = 0;
    enum wt_status status = read_values(scope, compile, what, lanes, &values, err);
    if (status)
        return status;
    unsigned k = 0;
    for (wt_lanes rest = lanes; !status && (k == 0 || rest); k++, rest &= rest - 1)
        if (values.state[k] != WT_VALUE_GOOD || values.size > 8)
            status = wt_fail(err, WT_INVALID, "the bounds of the array cannot be read");
        else if (memcmp(values.bytes, values.bytes + k * values.size, values.size) != 0)
            status = wt_fail(err, WT_INVALID,
                             "lanes %u and %u have different bounds of the array: select one of "
                             "them with @%u",
                             wt_lanes_lowest(lanes), wt_lanes_lowest(rest), wt_lanes_lowest(lanes));
        else
            *value = (int64_t)wt_load_le(values.bytes, values.size);
    wt_values_free(&values);
    return status;
}

struct base_of {
    const struct wt_member *base;
    uint64_t object;
};

static enum wt_status compile_base(struct compiler *c, const void *what, struct wt_operand *o,
                                   struct wt_error *err)
{
    const struct base_of *b = what;
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    Dwarf_Die die = b->base->die;
    wt_expr_vector address = 0;
    if (!dwarf_attr(&die, DW_AT_data_member_location, &attribute) ||
        dwarf_getlocation(&attribute, &ops, &count) != 0)
        return wt_fail(err, WT_INVALID, "the debug information is damaged");
    enum wt_status status = wt_build_member_address(
        &c->build, &attribute, ops, count, wt_build_constant(&c->build, b->object), &address, err);
    *o = wt_operand_cell(wt_types_integer(c->build.types, 8, true), address);
    return status;
}

bool wt_source_virtual_base(const struct wt_view *scope, const struct wt_member *base,
                            uint32_t space, uint64_t object, uint64_t *address)
{
    const struct wt_topology *t = scope->source->topology;
    const uint64_t aperture = space ? t->spaces[space].aperture : 0;
    const struct base_of what = {base, object + aperture};
    int64_t value;
    if ((space && !aperture) ||
        evaluate_number(scope, compile_base, &what, 0, &value, WT_IGNORED) != WT_OK)
        return false;
    *address = (uint64_t)value - aperture;
    return true;
}

enum wt_status wt_source_read_variable(const struct wt_view *scope, Dwarf_Die *variable,
                                       wt_lanes lanes, struct wt_values *values,
                                       struct wt_error *err)
{
    const struct variable_at v = {variable};
    assert(scope->frame);
    return read_values(scope, compile_die, &v, lanes, values, err);
}

/* ---- texts ---- */

enum wt_status wt_source_type_of(const struct wt_view *scope, const char *text,
                                 const struct wt_type **type, bool *is_type_name,
                                 struct wt_error *err)
{
    struct wt_node *root;
    enum wt_status status = wt_source_parse(scope, text, &root, err);
    if (status)
        return status;
    *is_type_name = root->kind == WT_NODE_TYPE;
    if (*is_type_name) {
        *type = root->type;
    } else {
        struct compiler c = wt_compiler_for(scope);
        struct wt_operand o;
        c.types_only = true;
        status = prepare(&c, compile_tree, root, &o, err);
        wt_expr_free(c.build.expr);
        *type = o.reference ? o.reference : o.type;
    }
    wt_node_free(root);
    return status;
}

enum wt_status wt_source_compile(const struct wt_view *scope, const char *text,
                                 struct wt_expr **expr, bool *names_local, struct wt_error *err)
{
    struct wt_node *root;
    struct compiler c = wt_compiler_for(scope);
    struct wt_operand o;
    wt_expr_vector cell;
    *expr = NULL;
    enum wt_status status = wt_source_parse(scope, text, &root, err);
    if (status)
        return status;
    c.beside = true;
    if (root->kind == WT_NODE_ASSIGN)
        status = wt_fail(err, WT_INVALID, "an assignment is not a condition; is '==' meant?");
    if (!status)
        status = prepare(&c, compile_condition, root, &o, err);
    if (!status)
        status = wt_compile_truth(&c, &o, &cell, err);
    if (!status)
        status = wt_compile_check_guess(&c, "a condition", err);
    if (!status) {
        wt_expr_add(c.build.expr, WT_EXPR_END, 0, wt_expr_temporary(c.build.expr, 0), cell, cell);
        status = wt_expr_finish(c.build.expr, err);
    }
    wt_node_free(root);
    if (status) {
        wt_expr_free(c.build.expr);
        return c.wants_launch && strstr(err->text, "optimized out") ? wt_compile_at_launch(err)
                                                                    : status;
    }
    *expr = c.build.expr;
    if (names_local)
        *names_local = c.names_local;
    return WT_OK;
}
