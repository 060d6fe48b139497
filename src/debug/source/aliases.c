/*
 * Other names of declarations: C++'s namespace aliases and using declarations, and the renamed
 * entities of Fortran's "use, only" (DW_TAG_imported_declaration). They hold in a block, a
 * namespace or a file.
 */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/source_internal.h"
#include "debug/source/attributes.h"

#define MOST_ALIASES 8 /* most aliases of aliases */

/* The length of a name's first part, up to "::". */
static size_t first_part(const char *name)
{
    unsigned angles = 0;
    size_t i = 0;
    for (; name[i] && !(angles == 0 && name[i] == ':' && name[i + 1] == ':'); i++) {
        angles += name[i] == '<';
        angles -= name[i] == '>' && angles;
    }
    return i;
}

static bool imported(Dwarf_Die *die, Dwarf_Die *what)
{
    Dwarf_Attribute attribute;
    return dwarf_attr(die, DW_AT_import, &attribute) && dwarf_formref_die(&attribute, what);
}

/* Finds the DIE that a declaration imports whose name is the first part of a name. */
static bool is_meant(Dwarf_Die *die, const char *name, size_t length, Dwarf_Die *what)
{
    if (dwarf_tag(die) != DW_TAG_imported_declaration || !imported(die, what))
        return false;
    const char *own = dwarf_diename(die);
    if (!own)
        own = dwarf_diename(what);
    if (!own || strlen(own) != length || strncmp(own, name, length) != 0)
        return false;
    for (unsigned i = 0; i < MOST_ALIASES && dwarf_tag(what) == DW_TAG_imported_declaration; i++)
        if (!imported(what, what))
            return false;
    return dwarf_tag(what) != DW_TAG_imported_declaration;
}

static bool find_in(Dwarf_Die *scope, const char *name, size_t length, bool nested, Dwarf_Die *what)
{
    Dwarf_Die child;
    if (dwarf_child(scope, &child) != 0)
        return false;
    do {
        /* Fortran's renamed names are within the import of the module. */
        if (is_meant(&child, name, length, what) ||
            (nested && dwarf_tag(&child) == DW_TAG_imported_module &&
             find_in(&child, name, length, false, what)))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* In the blocks of the frame, from the innermost, then in the namespaces around and the file. */
static bool find_alias(const struct wt_frame *frame, const char *name, size_t length,
                       Dwarf_Die *what)
{
    Dwarf_Die *around = NULL;
    Dwarf_Die origin;
    bool found = false;
    for (unsigned i = frame->scope_count; i > frame->first_scope && !found; i--) {
        Dwarf_Die block = frame->scope[i - 1];
        wt_info_origin(&block, &origin);
        found = find_in(&block, name, length, true, what) ||
                (origin.addr != block.addr && find_in(&origin, name, length, true, what));
    }
    wt_info_origin(&frame->scope[frame->first_scope], &origin);
    const int count = found ? 0 : dwarf_getscopes_die(&origin, &around);
    for (int i = 1; i < count && !found; i++)
        found = find_in(&around[i], name, length, false, what);
    free(around);
    return found;
}

bool wt_source_alias(const struct wt_view *scope, const char *name, char *whole, size_t size)
{
    const struct wt_frame *frame = scope->frame;
    const size_t length = first_part(name);
    Dwarf_Die what;
    if (!frame || !frame->info || !frame->scope_count || length == 0 ||
        !find_alias(frame, name, length, &what) || !dwarf_diename(&what))
        return false;
    const char *outer = wt_info_scope_of(frame->info, &what);
    const int written = snprintf(whole, size, "%s%s%s%s", outer, outer[0] ? "::" : "",
                                 dwarf_diename(&what), name + length);
    return written > 0 && (size_t)written < size && strcmp(whole, name) != 0;
}
