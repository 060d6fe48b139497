/* Names that may stand where a word begins, for completion. */
#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <limits.h>
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

/* Offers functions and variables; where nothing is typed yet, none that C reserves for compilers
 * and libraries, of whose headers a kernel has many. */
static void offer_names(struct wt_program *g, struct wt_names *o, bool functions_only)
{
    size_t modules, count;
    const struct wt_module *m = wt_modules_list(g->modules, &modules);
    for (size_t i = 0; i < modules; i++) {
        struct wt_info *info = wt_symbols_info(m[i].symbols);
        const struct wt_name *names = info ? wt_info_names(info, &count) : NULL;
        for (size_t k = 0; names && k < count; k++)
            if ((names[k].kind == WT_NAME_FUNCTION ||
                 (!functions_only && names[k].kind != WT_NAME_TYPE)) &&
                (o->length || *names[k].name != '_'))
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
            const int tag = dwarf_tag(&child);
            const char *name = dwarf_diename(&child);
            if (name && (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ||
                         tag == DW_TAG_constant || tag == DW_TAG_template_value_parameter))
                wt_names_offer(o, name);
        } while (dwarf_siblingof(&child, &child) == 0);
    }
}

/* ---- members ---- */

/* Where the operand begins whose member is named behind @p end: names, calls, subscripts and
 * members before it. */
static const char *operand_before(const char *begin, const char *end)
{
    unsigned depth = 0;
    for (; end > begin; end--) {
        const char c = end[-1];
        if (c == ')' || c == ']')
            depth++;
        else if (depth)
            depth -= c == '(' || c == '[';
        else if (c == '>' && end - begin > 1 && end[-2] == '-')
            end--;
        else if (!isalnum((unsigned char)c) && !strchr("_$:.", c))
            break;
    }
    return end;
}

static void offer_joined(struct wt_names *o, const char *front, size_t length, const char *name)
{
    char *text;
    if (asprintf(&text, "%.*s%s", (int)length, front, name) < 0)
        return;
    wt_names_offer(o, text);
    free(text);
}

/* Those of a class or structure behind what the word has before @p from. */
static void offer_members_of(struct wt_names *o, const struct wt_type *type, const char *from)
{
    size_t count;
    const struct wt_member *m = wt_type_members(type, &count);
    for (size_t i = 0; i < count; i++)
        if (m[i].name && !m[i].is_base)
            offer_joined(o, o->word, from > o->word ? (size_t)(from - o->word) : 0, m[i].name);
        else if (wt_type_is_record(wt_type_plain(m[i].type)))
            offer_members_of(o, wt_type_plain(m[i].type), from);
}

/* Whether the word stands where a member is named, whose names are offered then. */
static bool offer_members(struct wt_program *g, struct wt_names *o)
{
    const struct wt_view view = wt_program_view(g);
    const char *begin = o->begin ? o->begin : o->word, *from = o->word + o->length, *end;
    const struct wt_type *type;
    bool is_type;
    while (from > begin && (isalnum((unsigned char)from[-1]) || from[-1] == '_'))
        from--;
    if (from > begin && from[-1] == '.')
        end = from - 1;
    else if (from - begin > 1 && from[-1] == '>' && from[-2] == '-')
        end = from - 2;
    else
        return false;
    begin = operand_before(begin, end);
    char *operand = strndup(begin, (size_t)(end - begin));
    if (operand && *operand &&
        wt_source_type_of(&view, operand, &type, &is_type, WT_IGNORED) == WT_OK && !is_type) {
        type = wt_type_plain(type);
        for (int i = 0; i < 2 && (type->kind == WT_TYPE_POINTER || type->kind == WT_TYPE_REFERENCE);
             i++)
            type = wt_type_plain(wt_type_target(type));
        if (wt_type_is_record(type))
            offer_members_of(o, type, from);
    }
    free(operand);
    return true;
}

/* ---- places in a file ---- */

/* Whether the word is FILE:…, of which functions and lines with code are offered then. */
static bool offer_in_file(struct wt_program *g, struct wt_names *o)
{
    const char *colon = memchr(o->word, ':', o->length);
    size_t modules, count;
    const struct wt_module *m = wt_modules_list(g->modules, &modules);
    if (!colon || colon[1] == ':')
        return false;
    const size_t front = (size_t)(colon + 1 - o->word);
    const bool lines = front == o->length || isdigit((unsigned char)colon[1]);
    char *file = strndup(o->word, front - 1);
    for (size_t i = 0; i < modules && file; i++) {
        struct wt_info *info = wt_symbols_info(m[i].symbols);
        const struct wt_name *names = info ? wt_info_names(info, &count) : NULL;
        for (size_t k = 0; names && k < count; k++) {
            Dwarf_Die die = names[k].die;
            if (names[k].kind == WT_NAME_FUNCTION && wt_symbols_declares_in(&die, file))
                offer_joined(o, o->word, front, names[k].name);
        }
        for (unsigned line = 0;
             lines && (line = wt_symbols_code_line(m[i].symbols, file, line + 1)) != UINT_MAX;) {
            char number[16];
            snprintf(number, sizeof number, "%u", line);
            offer_joined(o, o->word, front, number);
        }
    }
    free(file);
    return true;
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
        if (offer_members(g, o))
            break;
        offer_variables(g, o);
        o->near = o->count;
        offer_names(g, o, false);
        break;
    case WT_NAMES_LOCALS:
        offer_variables(g, o);
        break;
    case WT_NAMES_REGISTERS:
        offer_registers(g, o);
        break;
    case WT_NAMES_PLACE:
        if (offer_in_file(g, o))
            break;
        offer_names(g, o, true);
        for (size_t i = 0; i < modules; i++)
            wt_symbols_files(m[i].symbols, offer_file, o);
        break;
    case WT_NAMES_CAUGHT:
        wt_program_catch_names(g, offer_name, o);
        break;
    }
}
