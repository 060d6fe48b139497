/* See frame_memory.h. */
#include "debug/source/frame_memory.h"

#include <dwarf.h>

#include "debug/source/info.h"
#include "debug/source/types.h"

struct finding {
    struct wt_info *info;
    uint64_t window;
    bool parameters; /* those, too */
    struct wt_memory_variable *list;
    size_t count, most;
};

/* The offset of a variable that has one place as long as it lives: from the frame's base, or from
 * the register that stands for it (which the compiler of PTX has written). */
static bool place_of(const struct finding *f, Dwarf_Die *die, uint64_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &ops, &count) != 0 || !count)
        return false;
    /* clang 22 says of which space it is: private, of which the frame is. */
    const bool spaced = count == 4 && ops[1].atom >= DW_OP_lit0 && ops[1].atom <= DW_OP_lit31 &&
                        ops[2].atom == DW_OP_swap && ops[3].atom == DW_OP_xderef;
    uint64_t more = 0;
    for (size_t i = 1; i < count && !spaced; i++)
        if (ops[i].atom == DW_OP_plus_uconst)
            more += ops[i].number;
        else if (ops[i].atom != DW_OP_nop)
            return false;
    if (ops[0].atom == DW_OP_fbreg && !f->window)
        *offset = ops[0].number + more;
    else if (ops[0].atom == DW_OP_bregx && f->window && ops[0].number2 >= f->window)
        *offset = ops[0].number2 - f->window + more;
    else
        return false;
    return true;
}

static void add_variables_in(struct finding *f, Dwarf_Die *scope, unsigned depth)
{
    Dwarf_Die die;
    if (depth > WT_SCOPES || dwarf_child(scope, &die) != 0)
        return;
    do {
        const int tag = dwarf_tag(&die);
        struct wt_memory_variable v = {.name = dwarf_diename(&die)};
        if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            add_variables_in(f, &die, depth + 1);
        if ((tag != DW_TAG_variable && (tag != DW_TAG_formal_parameter || !f->parameters)) ||
            f->count == f->most || !v.name || !place_of(f, &die, &v.offset))
            continue;
        v.size = wt_type_size(wt_types_of(wt_info_types(f->info), &die));
        if (v.size)
            f->list[f->count++] = v;
    } while (dwarf_siblingof(&die, &die) == 0);
}

size_t wt_frame_variables(struct wt_symbols *symbols, uint64_t kernel, uint64_t window,
                          struct wt_memory_variable *list, size_t most)
{
    struct finding f = {.window = window, .list = list, .most = most};
    Dwarf_Die scope[WT_SCOPES];
    f.info = wt_symbols_info(symbols);
    if (!f.info || !wt_info_scopes(f.info, kernel, scope) ||
        !wt_symbols_is_kernel(symbols, kernel) ||
        (!window && dwarf_hasattr(&scope[0], DW_AT_frame_base)))
        return 0;
    add_variables_in(&f, &scope[0], 0);
    return f.count;
}

static bool based_variable(struct wt_symbols *symbols, uint64_t addr, const struct wt_own_place *p,
                           struct wt_memory_variable *v)
{
    enum { MOST = 64 };
    struct wt_memory_variable list[MOST];
    struct finding f = {.window = p->window, .parameters = true, .list = list, .most = MOST};
    Dwarf_Die scope[WT_SCOPES];
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    uint64_t start, end;
    size_t count;
    f.info = wt_symbols_info(symbols);
    if (!f.info || !wt_info_scopes(f.info, addr, scope) ||
        !wt_symbols_extent(symbols, addr, &start, &end))
        return false;
    const bool kernel = !p->window && wt_symbols_is_kernel(symbols, start);
    if (!kernel && !p->window &&
        (!dwarf_attr_integrate(&scope[0], DW_AT_frame_base, &attribute) ||
         dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1 ||
         ops[0].atom != DW_OP_regx))
        return false;
    add_variables_in(&f, &scope[0], 0);
    const uint64_t from = kernel ? 0 : p->frame, offset = p->at - from;
    const bool is = wt_variable_that_holds(list, f.count, offset, v) && v->offset == offset;
    v->offset += from;
    return is;
}

bool wt_variable_at(struct wt_symbols *symbols, uint64_t addr, const struct wt_own_place *p,
                    struct wt_memory_variable *v)
{
    enum { MOST = 64 };
    struct wt_memory_variable list[MOST];
    uint64_t start, end;
    size_t count = 0;
    if (p->of == WT_PLACE_IN_FRAME)
        return based_variable(symbols, addr, p, v);
    if (p->of == WT_PLACE_OF_GROUP)
        count = wt_group_variables(symbols, addr, 0, p->window, list, MOST);
    else if (wt_symbols_extent(symbols, addr, &start, &end))
        count = wt_frame_variables(symbols, start, p->window, list, MOST);
    return wt_variable_that_holds(list, count, p->at, v);
}

/* Whether a function's frame base is the CFA: on RISC-V the stack pointer at its begin (RISC-V ELF
 * psABI, "DWARF"). */
static bool is_of_cfa(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    return dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) &&
           dwarf_getlocation(&attribute, &ops, &count) == 0 && count == 1 &&
           ops[0].atom == DW_OP_call_frame_cfa;
}

size_t wt_stack_variables(struct wt_symbols *symbols, uint64_t addr,
                          struct wt_memory_variable *list, size_t most)
{
    struct finding f = {.parameters = true, .list = list, .most = most};
    Dwarf_Die scope[WT_SCOPES];
    f.info = wt_symbols_info(symbols);
    if (!f.info || !wt_info_scopes(f.info, addr, scope) || !is_of_cfa(&scope[0]))
        return 0;
    add_variables_in(&f, &scope[0], 0);
    return f.count;
}

/* Numbers, which have no block, are no objects in memory. */
static void add_constants_in(struct wt_info *info, Dwarf_Die *scope, unsigned depth,
                             struct wt_constant_variable *list, size_t *count, size_t most)
{
    Dwarf_Attribute attribute;
    Dwarf_Block block;
    Dwarf_Die die;
    if (depth > WT_SCOPES || dwarf_child(scope, &die) != 0)
        return;
    do {
        const int tag = dwarf_tag(&die);
        const char *name = dwarf_diename(&die);
        if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            add_constants_in(info, &die, depth + 1, list, count, most);
        if (tag == DW_TAG_variable && name && *count < most &&
            dwarf_attr_integrate(&die, DW_AT_const_value, &attribute) &&
            dwarf_formblock(&attribute, &block) == 0 && block.length &&
            block.length == wt_type_size(wt_types_of(wt_info_types(info), &die)))
            list[(*count)++] = (struct wt_constant_variable){name, block.data, block.length};
    } while (dwarf_siblingof(&die, &die) == 0);
}

size_t wt_constant_variables(struct wt_symbols *symbols, uint64_t addr,
                             struct wt_constant_variable *list, size_t most)
{
    struct wt_info *info = wt_symbols_info(symbols);
    Dwarf_Die scope[WT_SCOPES];
    size_t count = 0;
    if (info && wt_info_scopes(info, addr, scope))
        add_constants_in(info, &scope[0], 0, list, &count, most);
    return count;
}

bool wt_variable_that_holds(const struct wt_memory_variable *list, size_t count, uint64_t offset,
                            struct wt_memory_variable *v)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const struct wt_memory_variable *one = &list[i];
        if (offset - one->offset >= one->size)
            continue;
        const uint64_t before = any ? v->offset : one->offset,
                       end = any ? before + v->size : before;
        const uint64_t first = offset - one->offset > offset - before ? one->offset : before;
        const uint64_t last =
            one->offset + one->size - first > end - first ? one->offset + one->size : end;
        *v = (struct wt_memory_variable){any && v->size > one->size ? v->name : one->name, first,
                                         last - first};
        any = true;
    }
    return any;
}

/* ---- variables of a file ---- */

static bool is_at(Dwarf_Die *die, uint64_t addr)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    return dwarf_attr(die, DW_AT_location, &attribute) &&
           dwarf_getlocation(&attribute, &ops, &count) == 0 && count == 1 &&
           ops[0].atom == DW_OP_addr && ops[0].number == addr;
}

static void look_for(struct wt_symbols *symbols, Dwarf_Die *scope, uint64_t addr, unsigned depth,
                     bool *defined, bool *declared)
{
    Dwarf_Die die;
    uint64_t there;
    if (depth > WT_SCOPES || dwarf_child(scope, &die) != 0)
        return;
    do {
        const int tag = dwarf_tag(&die);
        const char *name = tag == DW_TAG_variable ? dwarf_diename(&die) : NULL;
        if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace)
            look_for(symbols, &die, addr, depth + 1, defined, declared);
        if (tag == DW_TAG_variable && is_at(&die, addr))
            *defined = true;
        else if (name && dwarf_hasattr(&die, DW_AT_declaration) &&
                 wt_symbols_address(symbols, name, &there) && there == addr)
            *declared = true;
    } while (dwarf_siblingof(&die, &die) == 0);
}

bool wt_file_defines(struct wt_symbols *symbols, uint64_t addr, uint64_t variable)
{
    struct wt_info *info = wt_symbols_info(symbols);
    bool defined = false, declared = false;
    Dwarf_Die unit;
    if (!info || !wt_info_unit(info, addr, &unit) || wt_info_is_assembly(info, addr))
        return false;
    look_for(symbols, &unit, variable, 0, &defined, &declared);
    return defined && !declared;
}
