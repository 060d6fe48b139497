/*
 * Parameters whose place the debug information does not know: optimised away, or without a
 * description, as structures by value of PTX are. What a kernel was given stays in the block of the
 * launch's arguments; functions of PTX have theirs in registers.
 */
#include <dwarf.h>
#include <string.h>

#include "debug/source/source_internal.h"

/* Whether a parameter of a function is the one that a name in its frame is: an OpenCL kernel of
 * clang 22 and its body (wt_info_is_inlined_call()) have an entry for it each. */
static bool is_same(Dwarf_Die *own, Dwarf_Die *die)
{
    const char *name = dwarf_diename(own), *other = dwarf_diename(die);
    return dwarf_dieoffset(own) == dwarf_dieoffset(die) ||
           (name && other && strcmp(name, other) == 0);
}

/* Which parameter of the frame's function it is, from 1; 0: none. @p count: how many there are. */
static unsigned number_of(const struct wt_frame *frame, Dwarf_Die *die, unsigned *count)
{
    Dwarf_Die function, child;
    unsigned number = 0;
    *count = 0;
    if (dwarf_tag(die) != DW_TAG_formal_parameter || !frame || frame->inlined ||
        !frame->scope_count)
        return 0;
    function = frame->scope[0];
    if (dwarf_child(&function, &child) != 0)
        return 0;
    do {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter)
            continue;
        ++*count;
        if (is_same(&child, die))
            number = *count;
    } while (dwarf_siblingof(&child, &child) == 0);
    return number;
}

/* Whether the frame's function begins where its symbol does: a subroutine of Gen9's code lies
 * within the symbol of the kernel, whose arguments are not its own. */
static bool has_symbol(const struct compiler *c)
{
    const struct wt_frame *frame = c->scope->frame;
    const char *name;
    uint64_t offset;
    Dwarf_Addr start;
    Dwarf_Die function;
    if (!frame || !frame->scope_count)
        return true;
    function = frame->scope[0];
    return dwarf_lowpc(&function, &start) != 0 ||
           !wt_modules_function(c->scope->source->modules, 0, start + frame->bias, &name,
                                &offset) ||
           offset == 0;
}

/* An optimiser removes parameters of functions: the n-th of the code is then not the source's. */
static bool has_all(struct compiler *c, unsigned count)
{
    struct wt_code_register reg;
    unsigned most = 0;
    bool at_launch = false;
    for (size_t n = 0; wt_source_code_register(c->scope, n, &reg); n++) {
        at_launch |= reg.at_launch;
        most = reg.parameter > most ? reg.parameter : most;
    }
    return at_launch || most == count;
}

static bool add_piece(struct wt_operand *o, const struct wt_piece *p)
{
    if (o->piece_count == WT_PIECES)
        return false;
    o->piece[o->piece_count++] = *p;
    return true;
}

/* Copies: nothing that is written to the block would reach the variable. */
static bool add_from_launch(struct compiler *c, const struct wt_code_register *reg,
                            struct wt_operand *o)
{
    struct wt_wave wave;
    c->wants_launch |= c->beside;
    if (c->beside || !c->scope->thread ||
        !wt_debugger_thread_wave(c->scope->source->debugger, c->scope->thread, &wave) ||
        !wave.arguments)
        return false;
    for (uint64_t at = 0; at < reg->bytes;) {
        struct wt_piece p = {.kind = WT_PIECE_CELL, .reg = -1, .size = 8};
        while (p.size > reg->bytes - at)
            p.size /= 2;
        if (wt_build_load(&c->build, 0, (unsigned)p.size,
                          wt_build_constant(&c->build, wave.arguments + reg->offset + at),
                          &p.vector, WT_IGNORED) != WT_OK ||
            !add_piece(o, &p))
            return false;
        at += p.size;
    }
    c->as_of = "at launch";
    return true;
}

static bool add_register(struct compiler *c, const struct wt_code_register *reg,
                         struct wt_operand *o)
{
    struct wt_node *root;
    struct wt_operand part;
    if (wt_source_parse(c->scope, reg->expression, &root, WT_IGNORED) != WT_OK)
        return false;
    struct wt_piece p = {.kind = WT_PIECE_CELL, .reg = -1, .size = reg->bytes};
    const bool good = wt_compile_node(c, root, &part, WT_IGNORED) == WT_OK &&
                      wt_operand_cell_of(&c->build, &part, &p.vector, WT_IGNORED) == WT_OK;
    wt_node_free(root);
    c->as_of = "at the call";
    return good && add_piece(o, &p);
}

/* Members that the code does not use: Intel's compiler leaves them out. */
static bool add_gap(struct wt_operand *o, uint64_t size)
{
    const struct wt_piece p = {.kind = WT_PIECE_LOST, .reg = -1, .size = size};
    return !size || add_piece(o, &p);
}

/*
 * All of parameter @p number of the code at the frame's pc, of @p size bytes, part for part in
 * their order. Of another size it is not what the source calls the parameter; the payload of a Gen9
 * kernel has four bytes of a smaller number.
 */
static bool compile_number(struct compiler *c, unsigned number, uint64_t size, struct wt_operand *o)
{
    struct wt_code_register reg;
    uint64_t known = 0;
    for (size_t n = 0; number && wt_source_code_register(c->scope, n, &reg); n++) {
        if (reg.parameter != number)
            continue;
        if (reg.at_launch && !has_symbol(c))
            return false;
        if (reg.at_launch && reg.at < known) {
            if (reg.at + reg.bytes <= known)
                continue;
            reg.offset += (uint32_t)(known - reg.at);
            reg.bytes -= (uint32_t)(known - reg.at);
            reg.at = (uint32_t)known;
        }
        if (known >= size || !add_gap(o, reg.at_launch ? reg.at - known : 0) ||
            !(reg.at_launch ? add_from_launch(c, &reg, o) : add_register(c, &reg, o)))
            return false;
        known = reg.at_launch ? reg.at + reg.bytes : known + reg.bytes;
    }
    if (!known || (known > size && known - size >= 4) ||
        !add_gap(o, known < size ? size - known : 0))
        return false;
    if (known > size)
        o->piece[o->piece_count - 1].size -= known - size;
    c->names_local = true;
    return true;
}

bool wt_compile_parameter(struct compiler *c, Dwarf_Die *die, const struct wt_type *type,
                          struct wt_operand *o)
{
    struct wt_operand found = {.type = type};
    unsigned count;
    const unsigned number = number_of(c->scope->frame, die, &count);
    if (!has_all(c, count) || !compile_number(c, number, wt_type_size(type), &found))
        return false;
    *o = found;
    return true;
}

bool wt_compile_named_parameter(struct compiler *c, const char *name, struct wt_operand *o)
{
    struct wt_code_register reg;
    struct wt_types *types = c->build.types;
    unsigned number = 0;
    uint64_t size = 0;
    for (size_t n = 0; wt_source_code_register(c->scope, n, &reg); n++)
        if (reg.parameter && strcmp(reg.name, name) == 0) {
            number = reg.parameter;
            size += reg.bytes;
        }
    if (!number)
        return false;
    *o = (struct wt_operand){
        .type = size == 1 || size == 2 || size == 4 || size == 8
                    ? wt_types_integer(types, (unsigned)size, false)
                    : wt_types_array(types, wt_types_integer(types, 1, false), size)};
    return compile_number(c, number, size, o);
}
