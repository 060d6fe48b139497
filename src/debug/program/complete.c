/* Names that may stand where a word begins, for completion. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/program/internal.h"
#include "debug/source/frames.h"
#include "debug/source/info.h"

enum { MOST_NAMES = 2000 };

void wt_names_offer(struct wt_names *o, const char *text)
{
    if (strncmp(text, o->word, o->length) != 0 || o->count >= MOST_NAMES)
        return;
    for (size_t i = 0; i < o->count; i++)
        if (strcmp(o->list[i], text) == 0)
            return;
    char **grown = wt_array_grow(o->list, &o->capacity, o->count + 1, sizeof(char *));
    char *copy = grown ? strdup(text) : NULL;
    if (grown)
        o->list = grown;
    if (copy)
        grown[o->count++] = copy;
}

static void offer_names(struct wt_program *g, struct wt_names *o, bool functions_only)
{
    size_t modules, count;
    const struct wt_module *m = wt_modules_list(g->modules, &modules);
    for (size_t i = 0; i < modules; i++) {
        struct wt_info *info = wt_symbols_info(m[i].symbols);
        const struct wt_name *names = info ? wt_info_names(info, &count) : NULL;
        for (size_t k = 0; names && k < count; k++)
            if (names[k].kind == WT_NAME_FUNCTION ||
                (!functions_only && names[k].kind != WT_NAME_TYPE))
                wt_names_offer(o, names[k].name);
    }
}

static void offer_variables(struct wt_program *g, struct wt_names *o)
{
    const struct wt_frame *frame;
    if (wt_program_need_frame(g, &frame, WT_IGNORED) != WT_OK)
        return;
    for (unsigned i = frame->first_scope; i < frame->scope_count; i++) {
        Dwarf_Die scope = frame->scope[i], child;
        if (dwarf_child(&scope, &child) != 0)
            continue;
        do {
            const char *name = dwarf_diename(&child);
            if (name)
                wt_names_offer(o, name);
        } while (dwarf_siblingof(&child, &child) == 0);
    }
}

static void offer_registers(struct wt_program *g, struct wt_names *o)
{
    const struct wt_view view = wt_program_view(g);
    struct wt_code_register reg;
    char name[80];
    for (size_t i = 0; i < g->topology->register_count; i++) {
        snprintf(name, sizeof name, "$%s", g->topology->registers[i].name);
        wt_names_offer(o, name);
    }
    for (size_t i = 0; wt_source_code_register(&view, i, &reg); i++) {
        snprintf(name, sizeof name, "$%s", reg.name);
        if (!reg.parameter)
            wt_names_offer(o, name);
    }
}

static void offer_name(void *context, const char *name)
{
    wt_names_offer(context, name);
}

static bool offer_file(void *context, const char *file)
{
    const char *base = strrchr(file, '/');
    wt_names_offer(context, base ? base + 1 : file);
    return true;
}

void wt_program_offer(struct wt_program *g, enum wt_names_kind kind, struct wt_names *o)
{
    size_t modules;
    const struct wt_module *m = wt_modules_list(g->modules, &modules);
    switch (kind) {
    case WT_NAMES_EXPRESSION:
        offer_names(g, o, false);
        offer_variables(g, o);
        break;
    case WT_NAMES_REGISTERS:
        offer_registers(g, o);
        break;
    case WT_NAMES_PLACE:
        offer_names(g, o, true);
        for (size_t i = 0; i < modules; i++)
            wt_symbols_files(m[i].symbols, offer_file, o);
        break;
    case WT_NAMES_CAUGHT:
        wt_program_catch_names(g, offer_name, o);
        break;
    }
}
