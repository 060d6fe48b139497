/* Compiles what a language calls the coordinates of work-items. */
#include <string.h>

#include "debug/source/compile.h"

/* ---- what a language calls the coordinates of work-items ---- */

/* A number of the lane's work: a register that the debugger adds, or a number computed from such
 * registers. */
enum work_number { WORK_ITEM, WORK_GROUP, WORK_BLOCK, WORK_GRID, WORK_GROUPS, WORK_GLOBAL_ITEM };

static enum wt_status work_register(struct compiler *c, const char *kind, unsigned axis,
                                    wt_expr_vector *v, struct wt_error *err)
{
    char name[20];
    struct wt_operand o;
    snprintf(name, sizeof name, "_%s_%c", kind, 'x' + (int)axis);
    const int index = wt_compile_register_index(c->build.topology, name);
    if (index < 0)
        return wt_fail(err, WT_UNSUPPORTED, "the device does not report which work-item a lane is");
    if (!c->scope->thread && !c->beside)
        return wt_fail(err, WT_STATE, "No registers.");
    enum wt_status status =
        wt_frames_register(&c->build, c->scope->frame, (unsigned)index, &o, err);
    o.type = wt_compile_integer(c, 4, false);
    return status ? status : wt_operand_cell_of(&c->build, &o, v, err);
}

static enum wt_status compile_work(struct compiler *c, enum work_number number, unsigned axis,
                                   const struct wt_type *type, struct wt_operand *o,
                                   struct wt_error *err)
{
    static const char *const kinds[] = {
        [WORK_ITEM] = "item", [WORK_GROUP] = "group", [WORK_BLOCK] = "block",
        [WORK_GRID] = "grid", [WORK_GROUPS] = "grid", [WORK_GLOBAL_ITEM] = "group"};
    wt_expr_vector v = 0, block = 0, item = 0;
    enum wt_status status = work_register(c, kinds[number], axis, &v, err);
    if (!status && number >= WORK_GROUPS)
        status = work_register(c, "block", axis, &block, err);
    if (!status && number == WORK_GROUPS) {
        const wt_expr_vector one = wt_build_constant(&c->build, 1);
        if ((status = wt_build_op(&c->build, WT_EXPR_ADD, 0, v, block, &v, err)) == WT_OK &&
            (status = wt_build_op(&c->build, WT_EXPR_SUB, 0, v, one, &v, err)) == WT_OK)
            status = wt_build_op(&c->build, WT_EXPR_DIV_UNSIGNED, 0, v, block, &v, err);
    } else if (!status && number == WORK_GLOBAL_ITEM) {
        if ((status = work_register(c, "item", axis, &item, err)) == WT_OK &&
            (status = wt_build_op(&c->build, WT_EXPR_MUL, 0, v, block, &v, err)) == WT_OK)
            status = wt_build_op(&c->build, WT_EXPR_ADD, 0, v, item, &v, err);
    }
    if (!status)
        *o = wt_operand_cell(type, v);
    return status;
}

/* HIP's and CUDA's variables of work; a local variable of the name hides one. */
static const struct work_name {
    const char *name, *type;
    enum work_number number;
} work_names[] = {{"threadIdx", "uint3", WORK_ITEM},
                  {"blockIdx", "uint3", WORK_GROUP},
                  {"blockDim", "dim3", WORK_BLOCK},
                  {"gridDim", "dim3", WORK_GROUPS}};

static const struct work_name *find_work(struct compiler *c, const char *name)
{
    struct wt_found found;
    for (size_t i = 0; i < sizeof work_names / sizeof work_names[0]; i++)
        if (c->build.topology->has_grid && strcmp(work_names[i].name, name) == 0 &&
            !(wt_source_find(c->scope, name, &found) && found.is_local))
            return &work_names[i];
    return NULL;
}

/* threadIdx.x and the like; *is_work: it is one of them. */
enum wt_status wt_compile_coordinate(struct compiler *c, const struct wt_node *n,
                                     struct wt_operand *o, bool *is_work, struct wt_error *err)
{
    const bool is_axis = strlen(n->text) == 1 && *n->text >= 'x' && *n->text <= 'z';
    const struct work_name *w =
        n->a->kind == WT_NODE_NAME && is_axis ? find_work(c, n->a->text) : NULL;
    *is_work = w != NULL;
    return w ? compile_work(c, w->number, (unsigned)(*n->text - 'x'),
                            wt_compile_integer(c, 4, false), o, err)
             : WT_OK;
}

/* threadIdx and the like as a whole, and warpSize; *is_work: it is one of them. */
enum wt_status wt_compile_work_name(struct compiler *c, const char *name, struct wt_operand *o,
                                    bool *is_work, struct wt_error *err)
{
    const struct work_name *w = find_work(c, name);
    const struct wt_type *element = wt_compile_integer(c, 4, false);
    enum wt_status status = WT_OK;
    struct wt_found found;
    const bool is_size = c->build.topology->has_grid && strcmp(name, "warpSize") == 0 &&
                         !(wt_source_find(c->scope, name, &found) && found.is_local);
    *is_work = w || is_size;
    if (is_size)
        *o = wt_operand_cell(wt_compile_integer(c, 4, true),
                             wt_build_constant(&c->build, c->build.topology->lanes));
    if (!w)
        return WT_OK;
    struct wt_operand whole = {.type = wt_types_triple(c->build.types, w->type, element),
                               .piece_count = 3};
    for (unsigned axis = 0; axis < 3 && !status; axis++) {
        struct wt_operand one;
        status = compile_work(c, w->number, axis, element, &one, err);
        if (!status)
            whole.piece[axis] = one.piece[0];
    }
    if (!status)
        *o = whole;
    return status;
}

/* OpenCL's get_global_id(0) and the like. */
enum wt_status wt_compile_work_call(struct compiler *c, const struct wt_node *n,
                                    struct wt_operand *o, bool *is_work, struct wt_error *err)
{
    static const struct {
        const char *name;
        enum work_number number;
    } names[] = {{"get_local_id", WORK_ITEM},        {"get_group_id", WORK_GROUP},
                 {"get_local_size", WORK_BLOCK},     {"get_enqueued_local_size", WORK_BLOCK},
                 {"get_global_size", WORK_GRID},     {"get_num_groups", WORK_GROUPS},
                 {"get_global_id", WORK_GLOBAL_ITEM}};
    struct wt_operand axis;
    wt_expr_vector cell = 0;
    uint64_t value;
    *is_work = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && c->build.topology->has_grid; i++) {
        if (n->a->kind != WT_NODE_NAME || strcmp(names[i].name, n->a->text) != 0)
            continue;
        *is_work = true;
        enum wt_status status =
            n->b && !n->b->next ? wt_compile_node(c, n->b, &axis, err)
                                : wt_fail(err, WT_INVALID, "%s() takes a dimension, as in %s(0)",
                                          n->a->text, n->a->text);
        if (!status)
            status = wt_compile_number(c, &axis, wt_compile_integer(c, 8, false), &cell, err);
        if (status)
            return status;
        if (!wt_expr_is_constant(c->build.expr, cell, &value) || value > 2)
            return wt_fail(err, WT_INVALID, "a dimension is 0, 1 or 2");
        return compile_work(c, names[i].number, (unsigned)value,
                            wt_compile_basic(c, "unsigned long"), o, err);
    }
    return WT_OK;
}

enum wt_status wt_compile_space(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                                struct wt_error *err)
{
    const struct wt_topology *t = c->scope->source->topology;
    wt_expr_vector address;
    for (size_t i = 0; i < t->space_count; i++) {
        if (strcmp(t->spaces[i].name, n->text) != 0)
            continue;
        enum wt_status status = wt_compile_node(c, n->a, o, err);
        if (!status)
            status = wt_compile_number(c, o, wt_compile_integer(c, 8, false), &address, err);
        if (status)
            return status;
        *o = wt_operand_cell(wt_types_pointer(c->build.types, wt_compile_basic(c, "int")), address);
        o->piece[0].space = (uint32_t)i;
        return wt_compile_make_generic(c, o, err);
    }
    char names[128] = "";
    for (size_t i = 0; i < t->space_count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 t->spaces[i].name);
    return wt_fail(err, WT_INVALID, "there is no address space '%s': the device has %s", n->text,
                   names);
}

/* ---- rocgdb's names for the place of a wave and of a lane ---- */

/* Values that are texts: how one reads, and the numbers in it. */
static const struct place_name {
    const char *name, *form;
    const char *number[WT_PLACE_NUMBERS];
} place_names[] = {{"_dispatch_pos",
                    "(%u,%u,%u)/%u",
                    {"$_group_x", "$_group_y", "$_group_z", "$_thread_workgroup_pos"}},
                   {"_lane_workgroup_pos", "[%u,%u,%u]", {"$_item_x", "$_item_y", "$_item_z"}}};

static const struct place_name *find_place(const struct wt_topology *t, const struct wt_node *n)
{
    for (size_t i = 0;
         t->has_grid && n->kind == WT_NODE_DOLLAR && i < sizeof place_names / sizeof *place_names;
         i++)
        if (strcmp(n->text, place_names[i].name) == 0)
            return &place_names[i];
    return NULL;
}

const char *const *wt_compile_place(const struct wt_topology *t, const struct wt_node *n,
                                    const char **form)
{
    const struct place_name *p = find_place(t, n);
    *form = p ? p->form : NULL;
    return p ? p->number : NULL;
}

enum wt_status wt_compile_place_equal(struct compiler *c, const struct wt_node *n,
                                      struct wt_operand *o, bool *is_place, struct wt_error *err)
{
    const bool turned = n->a->kind == WT_NODE_STRING;
    const struct wt_node *name = turned ? n->b : n->a, *text = turned ? n->a : n->b;
    const struct place_name *p =
        text->kind == WT_NODE_STRING && (n->op == WT_OP_EQ || n->op == WT_OP_NE)
            ? find_place(c->build.topology, name)
            : NULL;
    unsigned v[WT_PLACE_NUMBERS] = {0};
    char again[80], expression[300];
    *is_place = p != NULL;
    if (!p)
        return WT_OK;
    (void)sscanf(text->text, p->form, &v[0], &v[1], &v[2], &v[3]);
    snprintf(again, sizeof again, p->form, v[0], v[1], v[2], v[3]);
    if (strcmp(again, text->text) != 0)
        return wt_fail(err, WT_INVALID, "$%s is a text of the form \"%s\"", p->name,
                       p->number[3] ? "(0,0,0)/0" : "[0,0,0]");
    size_t at =
        (size_t)snprintf(expression, sizeof expression, "%s(1", n->op == WT_OP_NE ? "!" : "");
    for (unsigned i = 0; i < WT_PLACE_NUMBERS && p->number[i]; i++)
        at += (size_t)snprintf(expression + at, sizeof expression - at, " && %s == %u",
                               p->number[i], v[i]);
    snprintf(expression + at, sizeof expression - at, ")");
    return wt_compile_text(c, expression, o, err);
}

enum wt_status wt_compile_wave_of_group(struct compiler *c, struct wt_operand *o,
                                        struct wt_error *err)
{
    char text[120];
    snprintf(text, sizeof text, "(($_item_z * $_block_y + $_item_y) * $_block_x + $_item_x) / %u",
             c->build.topology->lanes);
    return wt_compile_text(c, text, o, err);
}
