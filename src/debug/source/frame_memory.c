/* See frame_memory.h. */
#include "debug/source/frame_memory.h"

#include <dwarf.h>

#include "debug/source/info.h"
#include "debug/source/types.h"

struct finding {
    struct wt_info *info;
    uint64_t window;
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
    for (size_t i = 1; i < count; i++)
        if (ops[i].atom != DW_OP_nop)
            return false;
    if (ops[0].atom == DW_OP_fbreg && !f->window)
        *offset = ops[0].number;
    else if (ops[0].atom == DW_OP_bregx && f->window && ops[0].number2 >= f->window)
        *offset = ops[0].number2 - f->window;
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
        if (tag != DW_TAG_variable || f->count == f->most || !v.name ||
            !place_of(f, &die, &v.offset))
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
