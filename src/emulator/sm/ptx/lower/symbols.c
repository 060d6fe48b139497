/*
 * Symbols of PTX modules: the definition that a name refers to (manual 5.4, 11.6). Names without
 * linkage are local to their module; .visible ones are known in all modules; of .weak and .common
 * ones the first definition counts. The linker's constants and errors are here, too.
 */
#include "emulator/sm/ptx/lower/lower.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define NONE UINT32_MAX

/* Line n of a text, from 1, without the white space at its ends. */
static struct ptx_name line_of(const char *text, uint32_t n)
{
    while (n > 1 && *text)
        n -= *text++ == '\n';
    text += strspn(text, " \t");
    struct ptx_name line = {.at = text, .length = (uint32_t)strcspn(text, "\r\n")};
    while (line.length && line.at[line.length - 1] == ' ')
        line.length--;
    return line;
}

/* A sentence with its place before it, the line behind it. */
static void tell(const struct ptx_linker *l, uint32_t module, struct ptx_place place,
                 const char *sentence, char *text, size_t size)
{
    const struct ptx_name line = line_of(l->module[module].text->text, place.line);
    snprintf(text, size, "%.150s:%u:%u: %s\n  %.*s", l->module[module].name, place.line,
             place.column, sentence, (int)(line.length > 120 ? 120 : line.length), line.at);
}

bool ptx_mistake(struct ptx_linker *l, uint32_t module, struct ptx_place place,
                 enum wt_status status, const char *format, ...)
{
    char sentence[300], text[600];
    va_list arguments;
    if (l->status != WT_OK)
        return false;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    tell(l, module, place, sentence, text, sizeof text);
    l->status = wt_fail(l->err, status, "%s", text);
    return false;
}

/* Functions of the device runtime that NVIDIA's driver brings, which nvcc -rdc=true declares in
 * each program. Here they are missing only when a thread calls one. */
static bool is_of_device_runtime(struct ptx_name name)
{
    static const char *const prefixes[] = {"cnp", "__cuda_syscall_"};
    for (unsigned i = 0; i < 2; i++)
        if (name.length > strlen(prefixes[i]) &&
            memcmp(name.at, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

bool ptx_check_defined(struct ptx_linker *l, uint32_t module, struct ptx_place place,
                       const struct ptx_symbol *s)
{
    char sentence[300], text[600];
    char **note = s->variable ? &l->image->undefined : &l->image->undefined_function;
    const bool nowhere = s->variable ? !ptx_is_definition(s) && !s->placed && !s->dynamic
                                     : l->image->function[s->info].builtin == PTX_UNRESOLVED;
    if (!nowhere || *note || is_of_device_runtime(s->name))
        return true;
    snprintf(sentence, sizeof sentence,
             "the %s '%.*s' is declared .extern, and no module defines it",
             s->variable ? "variable" : "function",
             (int)(s->name.length > 200 ? 200 : s->name.length), s->name.at);
    tell(l, module, place, sentence, text, sizeof text);
    *note = strdup(text);
    return *note || ptx_out_of_memory(l);
}

bool ptx_out_of_memory(struct ptx_linker *l)
{
    if (l->status == WT_OK)
        l->status = wt_fail(l->err, WT_NO_MEMORY, "the host has no memory left for a PTX program");
    return false;
}

/* ---- constant rows ---- */

const void *ptx_constant(struct ptx_linker *l, unsigned bytes, uint64_t value)
{
    struct ptx_constant_rows *c = l->constants;
    struct sm_ptx *image = l->image;
    if (bytes < 8)
        value = (uint32_t)value;
    const size_t hash = (value * UINT64_C(0x9e3779b97f4a7c15) >> 54) ^ bytes;
    for (uint32_t i = c->bucket[hash & 1023]; i != NONE; i = c->next[i])
        if (c->value[i] == value && c->bytes[i] == bytes)
            return image->row[i];
    const size_t count = image->row_count + 1;
    size_t room[3] = {c->room, c->room, c->room};
    void **rows = wt_array_grow(image->row, &image->row_room, count, sizeof *rows);
    if (rows)
        image->row = rows;
    uint64_t *values = wt_array_grow(c->value, &room[0], count, sizeof *values);
    if (values)
        c->value = values;
    uint32_t *sizes = wt_array_grow(c->bytes, &room[1], count, sizeof *sizes);
    if (sizes)
        c->bytes = sizes;
    uint32_t *nexts = wt_array_grow(c->next, &room[2], count, sizeof *nexts);
    if (nexts)
        c->next = nexts;
    void *row = aligned_alloc(64, (size_t)SM_LANES * 8);
    if (!rows || !values || !sizes || !nexts || !row) {
        free(row);
        ptx_out_of_memory(l);
        return NULL;
    }
    c->room = room[0];
    for (unsigned i = 0; i < SM_LANES; i++)
        ptx_put(row, bytes < 8 ? 4 : 8, i, value);
    if (bytes < 8)
        memset((uint8_t *)row + PTX_ROW_BYTES, 0, PTX_ROW_BYTES);
    const uint32_t n = (uint32_t)image->row_count++;
    image->row[n] = row;
    c->value[n] = value;
    c->bytes[n] = bytes;
    c->next[n] = c->bucket[hash & 1023];
    c->bucket[hash & 1023] = n;
    return row;
}

/* All records are there: addresses of functions are known. */
void ptx_fill_in_functions(struct ptx_linker *l)
{
    const struct sm_ptx *image = l->image;
    for (size_t i = 0; i < image->row_count; i++) {
        if (l->constants->bytes[i] != PTX_FUNCTION)
            continue;
        const struct ptx_function_info *f = &image->function[l->constants->value[i]];
        for (unsigned lane = 0; lane < SM_LANES; lane++)
            ptx_put(image->row[i], 8, lane, ptx_pc(image, f->entry));
    }
}

/* ---- symbols ---- */

static uint32_t hash_of(struct ptx_name name)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < name.length; i++)
        h = (h ^ (uint8_t)name.at[i]) * 16777619u;
    return h;
}

bool ptx_is_definition(const struct ptx_symbol *s)
{
    if (s->function)
        return s->function->has_body;
    return s->variable->linkage != PTX_EXTERN;
}

static enum ptx_linkage linkage_of(const struct ptx_symbol *s)
{
    return s->function ? s->function->linkage : s->variable->linkage;
}

static void add_symbol(struct ptx_linker *l, uint32_t module, const struct ptx_variable *variable,
                       const struct ptx_function *function)
{
    struct ptx_symbol *s = &l->symbol[l->symbol_count];
    *s = (struct ptx_symbol){.name = variable ? variable->name : function->name,
                             .module = module,
                             .variable = variable,
                             .function = function};
    uint32_t *bucket = &l->bucket[hash_of(s->name) & (l->bucket_count - 1)];
    s->next = *bucket;
    *bucket = (uint32_t)l->symbol_count++;
}

static bool has_address(enum ptx_space space)
{
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_CONST || space == PTX_SPACE_SHARED;
}

/* Variables of these spaces that are declared in a body (LLVM puts there what one kernel alone
 * uses): static ones whose names the body alone knows. */
static void collect_inner(struct ptx_linker *l, uint32_t module, const struct ptx_function *f)
{
    const struct ptx_module *text = l->module[module].text;
    for (uint32_t i = 0; i < f->statement_count; i++) {
        const struct ptx_statement *s = &text->statement[f->statement + i];
        if (s->kind != PTX_STATEMENT_VARIABLE || !has_address(text->variable[s->index].space))
            continue;
        add_symbol(l, module, &text->variable[s->index], NULL);
        l->symbol[l->symbol_count - 1].inside = f;
    }
}

const struct ptx_symbol *ptx_inner_symbol(const struct ptx_linker *l,
                                          const struct ptx_variable *variable)
{
    uint32_t i = l->bucket[hash_of(variable->name) & (l->bucket_count - 1)];
    while (l->symbol[i].variable != variable)
        i = l->symbol[i].next; /* ptx_collect_symbols() has added it */
    return &l->symbol[i];
}

bool ptx_collect_symbols(struct ptx_linker *l)
{
    size_t count = 1;
    for (size_t m = 0; m < l->module_count; m++) {
        const struct ptx_module *text = l->module[m].text;
        count += text->global_count + text->function_count;
        for (size_t i = 0; i < text->statement_count; i++)
            count += text->statement[i].kind == PTX_STATEMENT_VARIABLE;
    }
    l->bucket_count = 64;
    while (l->bucket_count < count)
        l->bucket_count *= 2;
    l->symbol = calloc(count, sizeof *l->symbol);
    l->bucket = malloc(l->bucket_count * sizeof *l->bucket);
    if (!l->symbol || !l->bucket)
        return ptx_out_of_memory(l);
    memset(l->bucket, 0xff, l->bucket_count * sizeof *l->bucket);
    for (uint32_t m = 0; m < l->module_count; m++) {
        const struct ptx_module *text = l->module[m].text;
        for (size_t i = 0; i < text->global_count; i++)
            add_symbol(l, m, &text->variable[text->global[i]], NULL);
        for (size_t i = 0; i < text->function_count; i++) {
            if (!text->function[i].is_prototype)
                add_symbol(l, m, NULL, &text->function[i]);
            collect_inner(l, m, &text->function[i]);
        }
    }
    return true;
}

/* The best symbol of a name: the module's own definition; another module's that it may see; a
 * declaration. */
static struct ptx_symbol *look_up(struct ptx_linker *l, uint32_t module, struct ptx_name name)
{
    struct ptx_symbol *found = NULL;
    unsigned rank = 0;
    for (uint32_t i = l->bucket[hash_of(name) & (l->bucket_count - 1)]; i != NONE;
         i = l->symbol[i].next) {
        struct ptx_symbol *s = &l->symbol[i];
        if (s->inside || !ptx_names_equal(s->name, name))
            continue;
        unsigned r;
        if (s->module == module)
            r = ptx_is_definition(s) ? 5 : 2;
        else if (!ptx_is_definition(s) || linkage_of(s) == PTX_PRIVATE)
            r = ptx_is_definition(s) ? 0 : 1;
        else
            r = linkage_of(s) == PTX_VISIBLE ? 4 : 3;
        /* Buckets have the newest first: among equals the oldest counts. */
        if (r && r >= rank) {
            found = s;
            rank = r;
        }
    }
    return found;
}

struct ptx_symbol *ptx_find_symbol(struct ptx_linker *l, uint32_t module, struct ptx_name name)
{
    struct ptx_symbol *s = look_up(l, module, name);
    if (!s)
        return NULL;
    return s->definition ? s->definition : s;
}

/* .weak and .common symbols are one in all modules; .visible ones must be defined once. */
bool ptx_resolve_symbols(struct ptx_linker *l)
{
    for (size_t i = 0; i < l->symbol_count; i++) {
        struct ptx_symbol *s = &l->symbol[i];
        const enum ptx_linkage linkage = linkage_of(s);
        s->definition = s;
        for (uint32_t k = l->bucket[hash_of(s->name) & (l->bucket_count - 1)]; k != NONE;
             k = l->symbol[k].next) {
            struct ptx_symbol *o = &l->symbol[k];
            if (o == s || s->inside || o->inside || !ptx_names_equal(o->name, s->name) ||
                !ptx_is_definition(o))
                continue;
            const bool same_module = o->module == s->module;
            if (!ptx_is_definition(s)) {
                if ((same_module || linkage_of(o) != PTX_PRIVATE) &&
                    (s->definition == s || k < (uint32_t)(s->definition - l->symbol) ||
                     same_module))
                    s->definition = o;
                continue;
            }
            if (same_module && s->variable && o->variable) {
                const struct ptx_place place = s->variable->place;
                if (k < i)
                    return ptx_mistake(l, s->module, place, WT_INVALID, "'%.*s' is defined twice",
                                       (int)s->name.length, s->name.at);
                continue;
            }
            if (linkage == PTX_PRIVATE || linkage_of(o) == PTX_PRIVATE)
                continue;
            const bool both = linkage == PTX_VISIBLE && linkage_of(o) == PTX_VISIBLE;
            if (both && k < i) {
                const struct ptx_place place =
                    s->function ? s->function->place : s->variable->place;
                return ptx_mistake(l, s->module, place, WT_INVALID, "'%.*s' is defined in %s, too",
                                   (int)s->name.length, s->name.at, l->module[o->module].name);
            }
            /* A strong definition wins; else the first one. */
            if (linkage != PTX_VISIBLE && (linkage_of(o) == PTX_VISIBLE ||
                                           (k < i && k < (uint32_t)(s->definition - l->symbol))))
                s->definition = o;
        }
    }
    for (uint32_t m = 0; m < l->module_count; m++) {
        const struct ptx_module *text = l->module[m].text;
        for (size_t i = 0; i < text->alias_count; i++) {
            struct ptx_symbol *name = look_up(l, m, text->alias[i].name);
            struct ptx_symbol *target = look_up(l, m, text->alias[i].target);
            if (!name || !target || !name->function || !target->function)
                return ptx_mistake(l, m, text->alias[i].place, WT_INVALID,
                                   ".alias names what is not a function");
            name->definition = target->definition;
        }
    }
    return true;
}

/* Defines a symbol, which modules have only declared, at the place that is said for it. */
static void define(struct ptx_linker *l, struct ptx_symbol *s)
{
    for (uint32_t k = l->bucket[hash_of(s->name) & (l->bucket_count - 1)]; k != NONE;
         k = l->symbol[k].next) {
        struct ptx_symbol *o = &l->symbol[k];
        if (!o->inside && ptx_names_equal(o->name, s->name) && !ptx_is_definition(o))
            o->definition = s;
    }
}

void ptx_place_symbols(struct ptx_linker *l)
{
    for (size_t i = 0; i < l->symbol_count; i++) {
        struct ptx_symbol *s = &l->symbol[i];
        if (!s->variable || !s->variable->address)
            continue;
        if (s->definition == s && !ptx_is_definition(s))
            define(l, s);
        if (s->definition->variable) {
            s->definition->placed = true;
            s->definition->address = s->variable->address;
        }
    }
}

/* ---- for debuggers ---- */

bool ptx_add_variable(struct ptx_linker *l, const struct sm_ptx_variable *variable)
{
    struct sm_ptx *image = l->image;
    struct sm_ptx_variable *grown = wt_array_grow(image->variable, &image->variable_room,
                                                  image->variable_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(l);
    image->variable = grown;
    grown[image->variable_count++] = *variable;
    return true;
}

uint16_t ptx_origin_number(struct ptx_linker *l, const struct ptx_variable *v, enum ptx_space space,
                           uint64_t place)
{
    struct sm_ptx *image = l->image;
    size_t i = image->origin_count;
    while (i-- > 0)
        if (image->origin[i].variable.first == place && image->origin[i].name.at == v->name.at)
            return (uint16_t)(i + 1);
    if (!v->bytes || image->origin_count == UINT16_MAX)
        return 0;
    struct ptx_origin *grown =
        wt_array_grow(image->origin, &image->origin_room, image->origin_count + 1, sizeof *grown);
    if (!grown)
        return 0;
    image->origin = grown;
    grown[image->origin_count] = (struct ptx_origin){
        .name = v->name, .space = space, .variable = {.first = place, .size = v->bytes}};
    return (uint16_t)++image->origin_count;
}

bool ptx_list_variables(struct ptx_linker *l)
{
    for (size_t i = 0; i < l->symbol_count; i++) {
        const struct ptx_symbol *s = &l->symbol[i];
        if (s->variable && s->definition && s->definition->variable &&
            !ptx_add_variable(l,
                              &(struct sm_ptx_variable){.name = s->name,
                                                        .module = s->module,
                                                        .space = s->definition->variable->space,
                                                        .place = s->definition->address,
                                                        .bytes = s->definition->variable->bytes}))
            return false;
    }
    return true;
}

const struct sm_ptx_variable *sm_ptx_variable(const struct sm_ptx *image, uint32_t module,
                                              struct ptx_name name)
{
    for (size_t i = 0; i < image->variable_count; i++)
        if (image->variable[i].module == module && ptx_names_equal(image->variable[i].name, name))
            return &image->variable[i];
    return NULL;
}
