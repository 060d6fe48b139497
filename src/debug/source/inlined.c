/* See inlined.h. */
#include "debug/source/inlined.h"
#include "debug/source/attributes.h"

#include <dwarf.h>
#include <string.h>

#include "debug/source/symbols.h"

/* The name of a file as the compiler was given it, without the folder in which its unit was
 * compiled. */
static const char *shown_file(struct wt_info *info, uint64_t pc, const char *file)
{
    Dwarf_Die unit;
    Dwarf_Attribute attribute;
    if (!file || !info || !wt_info_unit(info, pc, &unit))
        return file;
    const char *name = dwarf_diename(&unit);
    const char *folder = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
    if (!name || name[0] == '/' || !folder)
        return file;
    const size_t length = strlen(folder);
    return strncmp(file, folder, length) == 0 && file[length] == '/' ? file + length + 1 : file;
}

static const char *call_file(struct wt_symbols *symbols, Dwarf_Die *call)
{
    Dwarf_Die unit;
    const char *file = wt_die_file(call, DW_AT_call_file, &unit);
    return file ? wt_symbols_path(symbols, &unit, file) : NULL;
}

static unsigned call_line(Dwarf_Die *call)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    if (!dwarf_attr(call, DW_AT_call_line, &attribute) || dwarf_formudata(&attribute, &number) != 0)
        return 0;
    return (unsigned)number;
}

unsigned wt_inlined_at(struct wt_symbols *symbols, uint64_t addr, Dwarf_Die scope[WT_SCOPES],
                       struct wt_inlined list[WT_SCOPES + 1])
{
    struct wt_info *info = symbols ? wt_symbols_info(symbols) : NULL;
    unsigned count = info ? wt_info_scopes(info, addr, scope) : 0;
    struct wt_line_row row;
    const char *path = NULL;
    unsigned line = 0;
    if (symbols && wt_symbols_row(symbols, addr, &row) && row.line) {
        path = row.file;
        line = row.line;
    }
    for (unsigned n = 0;; n++) {
        unsigned first = count;
        while (first > 0 && !wt_info_is_inlined_call(&scope[first - 1]))
            first--;
        struct wt_inlined *one = &list[n];
        *one = (struct wt_inlined){.file = shown_file(info, addr, path),
                                   .path = path,
                                   .line = line,
                                   .inlined = first > 0,
                                   .first_scope = first > 0 ? first - 1 : 0,
                                   .scope_count = count};
        if (count)
            one->function = wt_info_name_of(info, &scope[one->first_scope]);
        if (!one->function && first == 0 && symbols)
            wt_symbols_function(symbols, addr, &one->function, &one->offset);
        if (first == 0)
            return n + 1;
        path = call_file(symbols, &scope[first - 1]);
        line = call_line(&scope[first - 1]);
        count = first - 1;
    }
}
