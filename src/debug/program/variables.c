/* The variables of a frame, as its debug information or its code names them. */
#include <dwarf.h>
#include <string.h>

#include "debug/program/internal.h"
#include "debug/source/attributes.h"

struct walk {
    const struct wt_view *view;
    bool arguments, any;
    wt_lanes lanes; /* 0: that of the thread */
    wt_variable_fn *each;
    void *context;
};

static void give(struct walk *w, const char *name, enum wt_status status, struct wt_values *values,
                 const struct wt_error *err)
{
    w->each(w->context, &(struct wt_variable){.name = name,
                                              .view = w->view,
                                              .values = status ? NULL : values,
                                              .why = status ? err->text : ""});
    if (!status)
        wt_values_free(values);
    w->any = true;
}

/* Parameters that only the code names: PTX with tables of lines alone. */
static void walk_code(struct walk *w)
{
    struct wt_code_register reg;
    struct wt_values v;
    unsigned last = 0;
    for (size_t n = 0; wt_source_code_register(w->view, n, &reg); n++) {
        char name[96];
        snprintf(name, sizeof name, w->lanes ? "%s@%u" : "%s", reg.name, wt_lanes_lowest(w->lanes));
        if (!reg.parameter || reg.parameter == last || reg.name[0] == '%' ||
            wt_source_evaluate(w->view, name, &v, WT_IGNORED) != WT_OK)
            continue;
        give(w, reg.name, WT_OK, &v, NULL);
        last = reg.parameter;
    }
}

static void walk_scope(struct walk *w, Dwarf_Die *scope)
{
    struct wt_child at;
    for (bool more = wt_info_first_child(scope, &at); more; more = wt_info_next_child(scope, &at)) {
        Dwarf_Die child = at.die;
        const char *name = dwarf_diename(&child);
        struct wt_values v;
        struct wt_error err;
        if (wt_info_is_part(scope, &child))
            walk_scope(w, &child);
        if (dwarf_tag(&child) == (w->arguments ? DW_TAG_formal_parameter : DW_TAG_variable) &&
            name && strncmp(name, "__ocl_dbg_", 10) != 0) /* variables that Intel's compiler adds */
            give(w, name, wt_source_read_variable(w->view, &child, w->lanes, &v, &err), &v, &err);
    }
}

/* Whether the frame's function has parameters by its debug information. */
static bool has_parameters(const struct wt_frame *frame)
{
    Dwarf_Die function = frame->scope[frame->first_scope], child;
    bool any = false;
    if (frame->scope_count && dwarf_child(&function, &child) == 0)
        do
            any |= dwarf_tag(&child) == DW_TAG_formal_parameter;
        while (!any && dwarf_siblingof(&child, &child) == 0);
    return any;
}

bool wt_program_variables(struct wt_program *g, const struct wt_frame *frame, bool arguments,
                          wt_lanes lanes, wt_variable_fn *each, void *context)
{
    const struct wt_view view = {
        .source = g->source, .thread = g->thread, .frames = g->frames, .frame = frame};
    struct walk w = {
        .view = &view, .arguments = arguments, .lanes = lanes, .each = each, .context = context};
    if (arguments && !frame->inlined && !has_parameters(frame))
        walk_code(&w);
    for (unsigned i = frame->scope_count; i > frame->first_scope; i--) {
        Dwarf_Die scope = frame->scope[i - 1];
        if (!arguments || i - 1 == frame->first_scope)
            walk_scope(&w, &scope);
    }
    return w.any;
}
