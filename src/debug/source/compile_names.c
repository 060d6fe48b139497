/* Compiles names: variables, functions, registers, earlier values. */
#include <dwarf.h>
#include <string.h>
#include <strings.h>

#include "debug/source/attributes.h"
#include "debug/source/compile.h"

static const struct wt_type no_function_type = {
    .kind = WT_TYPE_FUNCTION, .name = "<text variable, no debug info>", .size = 1, .read = true};

/* ---- names ---- */

static const struct wt_type *register_type(struct compiler *c, const struct wt_register *r)
{
    struct wt_types *types = c->build.types;
    switch (r->type) {
    case WT_REG_CODE_PTR:
        return wt_types_pointer(types, wt_types_function(types));
    case WT_REG_DATA_PTR:
        return wt_types_pointer(types, wt_compile_basic(c, "void"));
    case WT_REG_FLOAT:
        return wt_compile_basic(c, r->bits == 32 ? "float" : r->bits == 16 ? "_Float16" : "double");
    case WT_REG_FLOAT_UNION:
        return wt_types_float_union(types);
    default:
        break;
    }
    if (r->bits > 64)
        return wt_types_array(types, wt_compile_basic(c, "unsigned int"), (r->bits + 31) / 32);
    const unsigned size = r->bits <= 8 ? 1 : r->bits <= 16 ? 2 : r->bits <= 32 ? 4 : 8;
    return wt_compile_integer(c, size, r->type == WT_REG_INT);
}

int wt_compile_register_index(const struct wt_topology *t, const char *name)
{
    for (size_t i = 0; i < t->register_count; i++)
        if (strcmp(t->registers[i].name, name) == 0 ||
            (t->registers[i].alt_name && strcmp(t->registers[i].alt_name, name) == 0))
            return (int)i;
    static const struct {
        const char *name;
        enum wt_register_role role;
    } roles[] = {{"pc", WT_ROLE_PC}, {"sp", WT_ROLE_SP}, {"fp", WT_ROLE_FP}};
    for (size_t k = 0; k < sizeof roles / sizeof roles[0]; k++)
        for (size_t i = 0; i < t->register_count; i++)
            if (strcmp(roles[k].name, name) == 0 && t->registers[i].role == roles[k].role)
                return (int)i;
    return -1;
}

static bool is_number_after(const char *name, size_t letters)
{
    return name[letters] && strspn(name + letters, "0123456789") == strlen(name + letters);
}

/* "rd9" as PTX's %rd1. */
static bool is_like_code_register(struct compiler *c, const char *name, size_t letters)
{
    struct wt_code_register reg;
    for (size_t n = 0; wt_source_code_register(c->scope, n, &reg); n++)
        if (!reg.parameter && reg.name[0] == '%' && strncasecmp(reg.name + 1, name, letters) == 0 &&
            is_number_after(reg.name + 1, letters))
            return true;
    return false;
}

/*
 * Whether a name is made as those of the device's registers or of the code's own are, in letters of
 * either case ("v300" as "v0", "r999" as "R0", "rd9" as "%rd1"), or names a file of registers.
 */
static bool is_like_register(struct compiler *c, const char *name)
{
    static const char *const files[] = {"agpr", "gpr", "grf", "sgpr", "vgpr"};
    const struct wt_topology *t = c->scope->source->topology;
    const size_t letters = strcspn(name, "0123456789");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strlen(files[i]) == letters && strncasecmp(files[i], name, letters) == 0 &&
            strspn(name + letters, "0123456789") == strlen(name + letters))
            return true;
    if (!letters || !is_number_after(name, letters))
        return false;
    for (size_t i = 0; t && i < t->register_count; i++) {
        const char *own = t->registers[i].name, *other = t->registers[i].alt_name;
        if ((strncasecmp(own, name, letters) == 0 && is_number_after(own, letters)) ||
            (other && strncasecmp(other, name, letters) == 0 && is_number_after(other, letters)))
            return true;
    }
    return is_like_code_register(c, name, letters);
}

/* A register that code names itself: what stands for its value. *found: there is one. */
enum wt_status wt_compile_code_register(struct wt_build *b, const char *name, bool *found,
                                        struct wt_operand *o, struct wt_error *err)
{
    struct compiler *c = (struct compiler *)((char *)b - offsetof(struct compiler, build));
    struct wt_code_register reg;
    size_t n = 0;
    while ((*found = wt_source_code_register(c->scope, n, &reg)) &&
           (reg.parameter || strcmp(reg.name, name) != 0))
        n++;
    if (!*found)
        return WT_OK;
    c->names_local = true;
    return wt_compile_text(c, reg.expression, o, err);
}

/* The replacement of a name that GDB, rocgdb or cuda-gdb have. NULL: it is none of them. */
static const char *word_elsewhere(const char *name)
{
    static const char *const list[][2] = {
        {"_siginfo", "'info fault' describes a fault"},
        {"_streq", "'==' compares texts"},
        {"_regex", "'==' compares texts"},
        {"_strlen", "'print' shows a text's length"},
        {"_memeq", "'find' compares memory"},
        {"_thread", "'thread' shows and selects it"},
        {"_gthread", "'thread' shows and selects it"},
        {"_inferior", "there is one program"},
        {"_lane", "'lane' shows and selects it"},
        {"_shell_exitcode", "'shell' prints the status of its command"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(name, list[i][0]) == 0)
            return list[i][1];
    return NULL;
}

static enum wt_status use_kept(struct compiler *c, const struct kept_value *kept, const char *name,
                               struct wt_operand *o, struct wt_error *err)
{
    if (kept->size > 8 * WT_PIECES)
        return wt_fail(err, WT_UNSUPPORTED, "$%s is too large to be used in an expression", name);
    *o = wt_compile_constant_bytes(c, kept->type, kept->bytes, kept->size);
    o->bit_offset = kept->bit_offset;
    o->bit_size = kept->bit_size;
    if (kept->as_of)
        c->as_of = kept->as_of;
    if (kept->guess) {
        c->guess = kept->guess;
        c->guess_type = kept->guess_type;
    }
    return wt_compile_follow_reference(c, o, err); /* 'finish' keeps the references it prints */
}

enum wt_status wt_compile_dollar(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                                 struct wt_error *err)
{
    struct wt_source *s = c->scope->source;
    const char *name = n->text;
    const struct kept_value *kept = NULL;
    if (!name[0] || name[0] == '$' || (name[0] >= '0' && name[0] <= '9')) {
        kept = wt_source_kept(s, name);
        if (!kept && (name[0] >= '0' && name[0] <= '9'))
            return wt_fail(err, WT_INVALID, "History has not yet reached $%s.", name);
    }
    const int index = kept ? -1 : wt_compile_register_index(s->topology, name);
    if (index >= 0) {
        const struct wt_register *r = &s->topology->registers[index];
        if (!c->scope->thread && !c->beside)
            return wt_fail(err, WT_STATE, "No registers.");
        enum wt_status status =
            wt_frames_register(&c->build, c->scope->frame, (unsigned)index, o, err);
        o->type = register_type(c, r);
        return status;
    }
    bool found = false;
    if (!kept) {
        enum wt_status status = wt_compile_code_register(&c->build, name, &found, o, err);
        if (status || found)
            return status;
        if (name[0] == '%')
            return c->scope->frame
                       ? wt_fail(err, WT_INVALID, "this function has no register %s", name)
                       : wt_fail(err, WT_STATE, "No registers.");
        kept = wt_source_variable(s, name);
    }
    if (!kept && is_like_register(c, name))
        return wt_fail(err, WT_INVALID, "there is no register %s: 'info registers' lists them",
                       name);
    if (!kept && s->topology->has_grid && strcmp(name, "_thread_workgroup_pos") == 0)
        return wt_compile_wave_of_group(c, o, err);
    const char *form;
    if (!kept && wt_compile_place(s->topology, n, &form))
        return wt_fail(
            err, WT_UNSUPPORTED,
            "$%s is a text, which is printed alone, or compared with a text by == or !=", name);
    const char *other = kept ? NULL : word_elsewhere(name);
    if (other)
        return wt_fail(err, WT_UNSUPPORTED, "there is no $%s here: %s", name, other);
    if (!kept && name[0] == '_')
        return wt_fail(err, WT_INVALID,
                       "This device has no $%s: 'info registers' lists what there is.", name);
    if (!kept) {
        *o = wt_compile_lost(
            wt_compile_basic(c, "void")); /* as GDB: a variable that was never set is void */
        o->piece_count = 0;
        return WT_OK;
    }
    return use_kept(c, kept, name, o, err);
}

/* Element @p i of a region, in each lane. */
static enum wt_status region_element(struct compiler *c, const struct wt_register_region *region,
                                     unsigned i, wt_expr_vector *cell, struct wt_error *err)
{
    const int index = wt_compile_register_index(c->build.topology, region->element[i].reg);
    struct wt_operand whole, part;
    if (index < 0)
        return wt_fail(err, WT_STATE, "the device has no register %s", region->element[i].reg);
    enum wt_status status =
        wt_frames_register(&c->build, c->scope->frame, (unsigned)index, &whole, err);
    if (!status)
        status = wt_operand_part(&c->build, &whole, region->element[i].from,
                                 wt_compile_integer(c, region->size, false), &part, err);
    return status ? status : wt_operand_cell_of(&c->build, &part, cell, err);
}

enum wt_status wt_compile_region(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                                 struct wt_error *err)
{
    const struct wt_source *s = c->scope->source;
    struct wt_register_region region;
    wt_expr_vector result = 0, lane = 0, cell = 0, chosen = 0;
    struct wt_operand number;
    const int index = wt_compile_register_index(s->topology, "_lane");
    if (index < 0 || (!c->scope->thread && !c->beside))
        return wt_fail(err, WT_STATE, "No registers.");
    if (!s->region || !s->region(s->region_context, n->text, &region))
        return wt_fail(err, WT_INVALID, "%s is not a region of registers", n->text);
    if (!region.type)
        return wt_fail(err, WT_INVALID, "%s: %s", n->text, region.why);
    const struct wt_type *type = wt_compile_basic(c, region.type);
    enum wt_status status = wt_compile_result_temporary(c, &result, err);
    if (!status)
        status = wt_frames_register(&c->build, c->scope->frame, (unsigned)index, &number, err);
    number.type = wt_compile_integer(c, 4, false);
    if (!status)
        status = wt_operand_cell_of(&c->build, &number, &lane, err);
    if (status)
        return status;
    struct wt_expr *expr = c->build.expr;
    const wt_expr_vector none = wt_build_constant(&c->build, 0);
    wt_expr_add(expr, WT_EXPR_COPY, 0, result, none, none);
    for (unsigned i = 0; i < region.count && !status; i++) {
        const unsigned mark = c->build.next;
        status = wt_build_op(&c->build, WT_EXPR_EQUAL, 0, lane, wt_build_constant(&c->build, i),
                             &chosen, err);
        if (!status)
            status = wt_build_op(&c->build, WT_EXPR_SUB, 0, none, chosen, &chosen, err);
        if (!status)
            status = region_element(c, &region, i, &cell, err);
        if (!status)
            status = wt_build_op(&c->build, WT_EXPR_AND, 0, cell, chosen, &chosen, err);
        if (!status)
            wt_expr_add(expr, WT_EXPR_OR, 0, result, result, chosen);
        c->build.next = mark;
    }
    if (!status)
        status = wt_build_op(&c->build, WT_EXPR_LESS_UNSIGNED, 0, lane,
                             wt_build_constant(&c->build, region.count), &chosen, err);
    if (status)
        return status;
    const size_t branch = wt_expr_add(expr, WT_EXPR_BRANCH, 0, result, chosen, chosen);
    wt_expr_add(expr, WT_EXPR_FAIL, 0, result, result, result);
    wt_expr_set_target(expr, branch, wt_expr_here(expr));
    *o = wt_operand_cell(type, result);
    return WT_OK;
}

static enum wt_status compile_function(struct compiler *c, struct wt_found *f, const char *name,
                                       struct wt_operand *o, struct wt_error *err)
{
    uint64_t start, end;
    if (!wt_info_entry(&f->die, &start, &end))
        return wt_fail(err, WT_INVALID, "the function %s has no code of its own: it was inlined",
                       name);
    const struct wt_type *type = wt_types_read(wt_info_types(f->info), &f->die);
    *o = wt_operand_memory(type, 0, wt_build_constant(&c->build, start + f->bias));
    return WT_OK;
}

enum wt_status wt_compile_found(struct compiler *c, struct wt_found *f, const char *name,
                                struct wt_operand *o, struct wt_error *err)
{
    Dwarf_Attribute attribute;
    int64_t value;
    switch (f->kind) {
    case WT_FOUND_VARIABLE:
        return wt_compile_variable(c, &f->die, f->info, f->bias, f->is_local, o, err);
    case WT_FOUND_FUNCTION:
        return compile_function(c, f, name, o, err);
    case WT_FOUND_ENUMERATOR:
        if (!dwarf_attr(&f->die, DW_AT_const_value, &attribute) ||
            !wt_attribute_number(&attribute, &value))
            return wt_fail(err, WT_INVALID, "the enumerator %s has no value", name);
        *o = wt_operand_cell(f->type.addr ? wt_types_read(wt_info_types(f->info), &f->type)
                                          : wt_compile_basic(c, "int"),
                             wt_build_constant(&c->build, (uint64_t)value));
        return WT_OK;
    default:
        *o = wt_operand_memory(f->is_code ? &no_function_type : &wt_compile_no_type, 0,
                               wt_build_constant(&c->build, f->address));
        return WT_OK;
    }
}

enum wt_status wt_compile_at_launch(struct wt_error *err)
{
    return wt_fail(err, WT_INVALID,
                   "a parameter is known as it was at launch only; print says so, a condition "
                   "cannot");
}

enum wt_status wt_compile_name(struct compiler *c, const char *name, struct wt_operand *o,
                               struct wt_error *err)
{
    struct wt_found f;
    const bool found = wt_source_find(c->scope, name, &f);
    /* A method's code names members of its object without a prefix. */
    if ((!found || !f.is_local) && c->scope->frame && strcmp(name, "this") != 0 &&
        wt_source_is_cplusplus(c->scope)) {
        struct wt_operand object;
        struct wt_found self;
        const bool before = c->names_local;
        if (wt_source_find(c->scope, "this", &self) && self.is_local &&
            wt_compile_variable(c, &self.die, self.info, self.bias, true, &object, err) == WT_OK &&
            wt_compile_dereference(c, &object, &object, err) == WT_OK &&
            wt_compile_member(c, &object, name, o, err) == WT_OK)
            return WT_OK;
        c->names_local = before;
    }
    if (found)
        return wt_compile_found(c, &f, name, o, err);
    if (wt_compile_static(c, name, o))
        return WT_OK;
    if (wt_source_is_cplusplus(c->scope) &&
        (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)) {
        *o = wt_operand_cell(wt_compile_basic(c, "bool"),
                             wt_build_constant(&c->build, name[0] == 't'));
        return WT_OK;
    }
    c->wants_launch = false;
    if (c->named_parameter(c, name, o))
        return WT_OK;
    if (c->wants_launch)
        return wt_compile_at_launch(err);
    if (wt_compile_launch_array(c, name, o))
        return WT_OK;
    return wt_fail(err, WT_INVALID, "No symbol \"%s\" in current context.", name);
}
