/* Where the variables of a scope are, in words: `info scope`. See words.h. */
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/attributes.h"
#include "frontend/common/words.h"

static void print_operations(const struct wt_words *w, const Dwarf_Op *ops, size_t count)
{
    const struct wt_topology *t = w->program->topology;
    unsigned number;
    const int index =
        count == 1 && wt_dwarf_register(ops, &number) ? wt_topology_dwarf_index(t, number) : -1;
    if (index >= 0)
        fprintf(w->out, "a variable in $%s", t->registers[index].name);
    else if (count == 1 && ops->atom == DW_OP_fbreg)
        fprintf(w->out, "a variable at frame base %+" PRId64, (int64_t)ops->number);
    else if (!count)
        fputs("optimized out", w->out);
    else
        fputs("a complex DWARF expression", w->out);
}

static void print_places(const struct wt_words *w, const struct wt_frame *frame,
                         Dwarf_Attribute *attribute)
{
    Dwarf_Block block;
    Dwarf_Addr base, start, end;
    Dwarf_Op *ops;
    size_t count;
    ptrdiff_t at = 0;
    const bool is_list = dwarf_formblock(attribute, &block) != 0;
    if (is_list)
        fputs("multi-location:\n", w->out);
    while ((at = dwarf_getlocations(attribute, at, &base, &start, &end, &ops, &count)) > 0) {
        if (is_list)
            fprintf(w->out, "  Range 0x%" PRIx64 "-0x%" PRIx64 ": ", start + frame->bias,
                    end + frame->bias);
        print_operations(w, ops, count);
        if (!is_list)
            return;
        fputc('\n', w->out);
    }
    if (at < 0) /* operations that libdw does not know */
        fputs("a complex DWARF expression", w->out);
}

static void print_symbol(const struct wt_words *w, const struct wt_view *view, Dwarf_Die *die)
{
    const struct wt_topology *t = w->program->topology;
    Dwarf_Attribute attribute;
    const struct wt_type *type = wt_types_of(wt_info_types(view->frame->info), die);
    struct wt_values v;
    int64_t value;
    const bool is_read = wt_source_read_variable(view, die, 0, &v, WT_IGNORED) == WT_OK;
    bool known = true;
    fprintf(w->out, "Symbol %s is ", dwarf_diename(die));
    if (dwarf_attr_integrate(die, DW_AT_const_value, &attribute)) {
        fputs("a constant", w->out);
        if (wt_attribute_number(&attribute, &value))
            fprintf(w->out, " with value %" PRId64 " (0x%" PRIx64 ")", value, (uint64_t)value);
    } else if (is_read && v.in_memory) {
        fprintf(w->out, "in static storage at address %s%s0x%" PRIx64,
                v.space ? t->spaces[v.space].name : "", v.space ? "#" : "", v.address[0]);
    } else if (dwarf_attr_integrate(die, DW_AT_location, &attribute)) {
        print_places(w, view->frame, &attribute);
    } else {
        known = false;
        fputs("optimized out", w->out);
    }
    if (known)
        fprintf(w->out, ", length %" PRIu64, wt_type_size(type));
    fputs(".\n", w->out);
    if (is_read)
        wt_values_free(&v);
}

/* *what: the location, of which nothing was listed yet; else NULL. */
static void print_symbols(const struct wt_words *w, const struct wt_view *view, Dwarf_Die *scope,
                          const char **what)
{
    struct wt_child at;
    for (bool more = wt_info_first_child(scope, &at); more; more = wt_info_next_child(scope, &at)) {
        Dwarf_Die child = at.die;
        const int tag = dwarf_tag(&child);
        const char *name = dwarf_diename(&child);
        if (wt_info_is_part(scope, &child))
            print_symbols(w, view, &child, what);
        if ((tag != DW_TAG_formal_parameter && tag != DW_TAG_variable) || !name ||
            strncmp(name, "__ocl_dbg_", 10) == 0)
            continue;
        if (*what)
            fprintf(w->out, "Scope for %s:\n", *what);
        *what = NULL;
        print_symbol(w, view, &child);
    }
}

enum wt_status wt_words_scope(const struct wt_words *w, const char *text, struct wt_error *err)
{
    struct wt_program *g = w->program;
    uint64_t *list;
    size_t count;
    const char *what = text;
    enum wt_status status =
        *text ? wt_program_resolve(g, text, &list, &count, err)
              : wt_fail(err, WT_INVALID,
                        "requires an argument (function, line or *addr) to define a scope");
    if (status)
        return status;
    struct wt_frames *frames = count ? wt_frames_at(g->debugger, g->modules, list[0]) : NULL;
    const struct wt_frame *frame = frames ? wt_frames_get(frames, 0) : NULL;
    const struct wt_view view = {.source = g->source, .frames = frames, .frame = frame};
    for (unsigned i = frame ? frame->scope_count : 0; frame && i > frame->first_scope; i--) {
        Dwarf_Die scope = frame->scope[i - 1];
        print_symbols(w, &view, &scope, &what);
    }
    if (what)
        fprintf(w->out, "Scope for %s contains no locals or arguments.\n", what);
    wt_frames_free(frames);
    free(list);
    return WT_OK;
}
