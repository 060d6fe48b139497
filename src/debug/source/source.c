/* The context of expressions: names, earlier values, memory. See source.h. */
#include "debug/source/attributes.h"
#include "debug/source/called.h"
#include "debug/source/source_internal.h"
#include "debug/source/symbols.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/demangle.h"
#include "debug/source/language.h"

struct wt_source *wt_source_new(struct wt_debugger *debugger, struct wt_modules *modules)
{
    struct wt_source *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->debugger = debugger;
    s->modules = modules;
    s->topology = wt_debugger_topology(debugger);
    s->types = wt_types_new(NULL, NULL, NULL, s->topology->address_bits / 8);
    if (!s->types) {
        free(s);
        return NULL;
    }
    return s;
}

void wt_source_use(struct wt_source *s, struct wt_debugger *debugger, struct wt_modules *modules)
{
    s->debugger = debugger;
    s->modules = modules;
    s->topology = wt_debugger_topology(debugger);
}

void wt_source_free(struct wt_source *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->value_count; i++)
        free(s->value[i].bytes);
    for (size_t i = 0; i < s->variable_count; i++) {
        free(s->variable[i].name);
        free(s->variable[i].value.bytes);
    }
    for (size_t i = 0; i < s->kept_count; i++)
        wt_symbols_close(s->kept[i]);
    free(s->value);
    free(s->variable);
    free(s->kept);
    wt_types_free(s->types);
    free(s);
}

struct wt_debugger *wt_source_debugger(struct wt_source *s)
{
    return s->debugger;
}

struct wt_types *wt_source_types(struct wt_source *s)
{
    return s->types;
}

bool wt_source_hold(struct wt_source *s, struct wt_symbols *symbols)
{
    for (size_t i = 0; i < s->kept_count; i++)
        if (s->kept[i] == symbols)
            return true;
    struct wt_symbols **grown =
        wt_array_grow(s->kept, &s->kept_capacity, s->kept_count + 1, sizeof(struct wt_symbols *));
    if (!grown)
        return false;
    s->kept = grown;
    grown[s->kept_count++] = wt_symbols_share(symbols);
    return true;
}

/* The debug information of a module, which stays as long as the source does. */
static struct wt_info *wt_source_info(struct wt_source *s, const struct wt_module *module)
{
    struct wt_info *info = wt_symbols_info(module->symbols);
    return info && wt_source_hold(s, module->symbols) ? info : NULL;
}

/* ---- values that are kept ---- */

/* The value of the first lane. */
static bool copy_value(struct kept_value *to, const struct wt_values *v)
{
    uint8_t *copy = malloc(v->size ? v->size : 1);
    if (!copy)
        return false;
    memcpy(copy, v->bytes, v->size);
    free(to->bytes);
    *to = (struct kept_value){.type = v->type,
                              .size = v->size,
                              .bytes = copy,
                              .bit_offset = v->bit_offset,
                              .bit_size = v->bit_size,
                              .as_of = v->as_of,
                              .guess = v->guess,
                              .guess_type = v->guess_type};
    return true;
}

unsigned wt_source_keep(struct wt_source *s, const struct wt_values *values)
{
    if (!values->lane_count)
        return 0;
    struct kept_value *grown =
        wt_array_grow(s->value, &s->value_capacity, s->value_count + 1, sizeof *grown);
    if (!grown)
        return 0;
    s->value = grown;
    struct kept_value *v = &grown[s->value_count];
    *v = (struct kept_value){0};
    if (!copy_value(v, values))
        return 0;
    return (unsigned)++s->value_count;
}

const struct kept_value *wt_source_kept(struct wt_source *s, const char *name)
{
    size_t back = 0;
    char *end;
    if (!name[0]) /* $ */
        return s->value_count ? &s->value[s->value_count - 1] : NULL;
    if (name[0] == '$') { /* $$, $$2 */
        back = name[1] ? strtoul(name + 1, &end, 10) : 1;
        if (name[1] && *end)
            return NULL;
        return back < s->value_count ? &s->value[s->value_count - 1 - back] : NULL;
    }
    const size_t number = strtoul(name, &end, 10);
    return !*end && number > 0 && number <= s->value_count ? &s->value[number - 1] : NULL;
}

const struct kept_value *wt_source_variable(struct wt_source *s, const char *name)
{
    for (size_t i = 0; i < s->variable_count; i++)
        if (strcmp(s->variable[i].name, name) == 0)
            return &s->variable[i].value;
    return NULL;
}

const char *wt_source_variable_name(const struct wt_source *s, size_t i)
{
    return i < s->variable_count ? s->variable[i].name : NULL;
}

enum wt_status wt_source_set_variable(struct wt_source *s, const char *name,
                                      const struct wt_values *values, struct wt_error *err)
{
    size_t i = 0;
    while (i < s->variable_count && strcmp(s->variable[i].name, name) != 0)
        i++;
    if (i == s->variable_count) {
        struct variable *grown =
            wt_array_grow(s->variable, &s->variable_capacity, s->variable_count + 1, sizeof *grown);
        char *copy = grown ? strdup(name) : NULL;
        if (grown)
            s->variable = grown;
        if (!copy)
            return wt_fail(err, WT_NO_MEMORY, "no host memory for $%s", name);
        grown[s->variable_count++] = (struct variable){.name = copy};
    }
    if (!copy_value(&s->variable[i].value, values))
        return wt_fail(err, WT_NO_MEMORY, "no host memory for $%s", name);
    return WT_OK;
}

/* ---- registers of code ---- */

void wt_source_name_registers(struct wt_source *s, wt_code_register_fn *next, void *context)
{
    s->code_register = next;
    s->code_register_context = context;
}

void wt_source_take_regions(struct wt_source *s, wt_register_region_fn *region, void *context)
{
    s->region = region;
    s->region_context = context;
}

void wt_source_ask_changes(struct wt_source *s, wt_may_change_fn *may_change, void *context)
{
    s->may_change = may_change;
    s->may_change_context = context;
}

bool wt_source_code_register(const struct wt_view *scope, size_t n, struct wt_code_register *reg)
{
    const struct wt_source *s = scope->source;
    return s->code_register && scope->frame &&
           s->code_register(s->code_register_context, scope->frame->inside, n, reg);
}

/* ---- memory ---- */

bool wt_source_read(const struct wt_view *scope, uint32_t space, uint64_t address, void *out,
                    size_t size)
{
    return wt_debugger_read_memory(scope->source->debugger, scope->thread,
                                   (struct wt_address){space, address}, out, size,
                                   WT_IGNORED) == WT_OK;
}

/* ---- names ---- */

/* The variable of this name among the children of a scope. */
static bool find_child(Dwarf_Die *scope, const char *name, Dwarf_Die *found, Dwarf_Die *type)
{
    struct wt_child at;
    bool any = false;
    for (bool more = wt_info_first_child(scope, &at); more; more = wt_info_next_child(scope, &at)) {
        Dwarf_Die child = at.die;
        const int tag = dwarf_tag(&child);
        if (wt_info_is_part(scope, &child))
            any |= find_child(&child, name, found, type);
        if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter && tag != DW_TAG_constant &&
            tag != DW_TAG_enumeration_type)
            continue;
        if (tag == DW_TAG_enumeration_type) {
            Dwarf_Die enumerator;
            if (dwarf_child(&child, &enumerator) == 0)
                do {
                    const char *own = dwarf_diename(&enumerator);
                    if (own && strcmp(own, name) == 0) {
                        *found = enumerator;
                        *type = child;
                        return true;
                    }
                } while (dwarf_siblingof(&enumerator, &enumerator) == 0);
            continue;
        }
        const char *own = dwarf_diename(&child);
        if (own && strcmp(own, name) == 0) {
            *found = child;
            any = true; /* of several the last declared one hides the others */
        }
    }
    return any;
}

/* The same among blocks for which the compiler has given no addresses, at any depth: nobody can
 * tell where they begin and end. GDB takes them for parts of the scope around them. */
static bool find_in_blocks(Dwarf_Die *scope, const char *name, Dwarf_Die *found, Dwarf_Die *type)
{
    Dwarf_Die child;
    bool any = false;
    if (dwarf_child(scope, &child) != 0)
        return false;
    do {
        if (dwarf_tag(&child) == DW_TAG_lexical_block && !dwarf_hasattr(&child, DW_AT_low_pc) &&
            !dwarf_hasattr(&child, DW_AT_ranges))
            any =
                find_child(&child, name, found, type) || find_in_blocks(&child, name, found, type);
    } while (!any && dwarf_siblingof(&child, &child) == 0);
    return any;
}

#define ANONYMOUS "(anonymous namespace)"
#define MOST_IMPORTS 16
#define MOST_NAME 512

/* The scopes in which a name is looked up: C++ prefers names of the function's own namespaces and
 * classes. */
struct source_place {
    const char *function;                /* whose names are at hand; "" */
    const char *module;                  /* Fortran's, in which the function stands; "" */
    const char *import[MOST_IMPORTS];    /* namespaces that "using namespace" names there */
    const char *import_in[MOST_IMPORTS]; /* … and the ones that these stand in; "" */
    unsigned import_count;
};

struct source_search {
    struct wt_found *found;
    const char *name;
    const struct source_place *place;
    const char *file; /* the file that declares it; NULL: any */
    size_t rank;      /* of what was found */
    Dwarf_Die unit;   /* preferred: static names of the same file */
    bool has_unit;
};

static void find_imports(struct wt_info *info, Dwarf_Die *scope, struct source_place *place)
{
    Dwarf_Die child, namespace;
    Dwarf_Attribute attribute;
    if (dwarf_child(scope, &child) != 0)
        return;
    do {
        if (dwarf_tag(&child) != DW_TAG_imported_module || place->import_count == MOST_IMPORTS ||
            !dwarf_attr(&child, DW_AT_import, &attribute) ||
            !dwarf_formref_die(&attribute, &namespace) || !dwarf_diename(&namespace))
            continue;
        place->import_in[place->import_count] = wt_info_scope_of(info, &namespace);
        place->import[place->import_count++] = dwarf_diename(&namespace);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void find_place(const struct wt_view *scope, struct source_place *place)
{
    const struct wt_frame *frame = scope->frame;
    *place = (struct source_place){.function = "", .module = ""};
    if (!frame || !frame->info)
        return;
    if (frame->function)
        place->function = frame->function;
    if (frame->scope_count && wt_source_is_fortran(scope)) {
        Dwarf_Die function = frame->scope[0];
        place->module = wt_info_scope_of(frame->info, &function);
    }
    for (unsigned i = frame->first_scope; i < frame->scope_count; i++) {
        Dwarf_Die block = frame->scope[i];
        find_imports(frame->info, &block, place);
    }
}

/* Whether @p whole, up to @p length, is the namespace @p name within @p outer. */
static bool is_import(const char *whole, size_t length, const char *outer, const char *name)
{
    const size_t before = outer[0] ? strlen(outer) + 2 : 0, own = strlen(name);
    return length == before + own && strncmp(whole, outer, before ? before - 2 : 0) == 0 &&
           strncmp(whole + before, name, own) == 0;
}

/* How near a name is to its use; larger is nearer. 1: in any namespace. */
static size_t rank_of(const struct source_place *place, const char *whole, const char *name)
{
    size_t length = strlen(whole) - strlen(name);
    const size_t anonymous = strlen(ANONYMOUS);
    length = length >= 2 ? length - 2 : 0; /* the namespaces before it */
    if (length >= anonymous && strncmp(whole + length - anonymous, ANONYMOUS, anonymous) == 0)
        length = length > anonymous + 2 ? length - anonymous - 2 : 0;
    if (length == 0)
        return 3;
    if (strncmp(whole, place->function, length) == 0 && place->function[length] == ':')
        return 3 + length;
    if (place->module[0] && strlen(place->module) == length &&
        strncmp(whole, place->module, length) == 0)
        return 3 + length;
    for (unsigned i = 0; i < place->import_count; i++)
        if (is_import(whole, length, place->import_in[i], place->import[i]))
            return 2;
    return 1;
}

static bool has_place(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    return dwarf_attr(die, DW_AT_location, &attribute) ||
           dwarf_attr(die, DW_AT_const_value, &attribute) || wt_compile_is_without_address(die);
}

static bool same_unit(const struct source_search *s, const Dwarf_Die *die)
{
    Dwarf_Die unit, copy = *die;
    return s->has_unit && dwarf_diecu(&copy, &unit, NULL, NULL) && unit.addr == s->unit.addr;
}

/* Whether @p whole is "T::T", or "T<int>::T", and @p name is T alone. */
static bool is_constructor(const char *whole, const char *name)
{
    const size_t length = strlen(whole), own = strlen(name);
    unsigned angles = 0;
    if (length < 2 * own + 2)
        return false;
    const char *end = whole + length - own - 2; /* of the class's name */
    while (end > whole && (end[-1] == '>' || angles)) {
        angles += end[-1] == '>';
        angles -= end[-1] == '<';
        end--;
    }
    const char *class = end - own;
    return class >= whole && strncmp(class, name, own) == 0 && (class == whole || class[-1] == ':');
}

/* Whether @p die is the code of the function that @p abstract describes for inlined copies: GCC's
 * link-time optimiser, as for offloading, puts them in different units. */
static bool is_its_code(Dwarf_Die *abstract, Dwarf_Die *die)
{
    uint64_t start, end;
    return !wt_info_entry(abstract, &start, &end) && wt_info_entry(die, &start, &end);
}

static bool take_name(void *context, const struct wt_name *name)
{
    struct source_search *s = context;
    struct wt_found *f = s->found;
    Dwarf_Die die = name->die;
    if (name->kind == WT_NAME_TYPE)
        return true;
    if (s->file && !wt_symbols_declares_in(&die, s->file))
        return true;
    if (name->kind == WT_NAME_VARIABLE && !has_place(&die))
        return true; /* a declaration */
    if (name->kind == WT_NAME_FUNCTION && is_constructor(name->name, s->name))
        return true; /* the class is meant */
    const size_t rank = 2 * rank_of(s->place, name->name, s->name) + same_unit(s, &die);
    if (f->kind == WT_FOUND_NOTHING || rank > s->rank ||
        (rank == s->rank && f->kind == WT_FOUND_FUNCTION && name->kind == WT_NAME_FUNCTION &&
         is_its_code(&f->die, &die))) {
        s->rank = rank;
        f->is_near = rank >= 4;
        f->kind = name->kind == WT_NAME_FUNCTION   ? WT_FOUND_FUNCTION
                  : name->kind == WT_NAME_VARIABLE ? WT_FOUND_VARIABLE
                                                   : WT_FOUND_ENUMERATOR;
        f->die = die;
        f->type = name->type;
    }
    return true;
}

/* Whether the line at which the frame is stands before the variable's declaration. */
static bool is_declared_later(const struct wt_frame *frame, Dwarf_Die *die)
{
    uint64_t line;
    return frame->file && frame->line && wt_die_number(die, DW_AT_decl_line, &line) &&
           line > frame->line && wt_symbols_declares_in(die, frame->file);
}

/* The DIE that another one is a copy, or the definition, of; false: of none. */
static bool find_origin(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    return (dwarf_attr(die, DW_AT_abstract_origin, &attribute) ||
            dwarf_attr(die, DW_AT_specification, &attribute)) &&
           dwarf_formref_die(&attribute, die);
}

static bool find_argument(Dwarf_Die *of, int tag, const char *name, Dwarf_Die *found)
{
    if (dwarf_child(of, found) != 0)
        return false;
    do {
        const char *own = dwarf_tag(found) == tag ? dwarf_diename(found) : NULL;
        if (own && strcmp(own, name) == 0)
            return true;
    } while (dwarf_siblingof(found, found) == 0);
    return false;
}

/* The parameter of a template, of the frame's function or of the classes that it is in. */
static bool find_template_parameter(const struct wt_frame *frame, int tag, const char *name,
                                    Dwarf_Die *found)
{
    Dwarf_Die *scopes = NULL;
    if (!frame || !frame->scope_count)
        return false;
    Dwarf_Die die = frame->scope[frame->inlined ? frame->first_scope : 0];
    for (unsigned depth = 0; depth < 8; depth++) {
        if (find_argument(&die, tag, name, found))
            return true;
        if (!find_origin(&die))
            break;
    }
    const int count = dwarf_getscopes_die(&die, &scopes);
    bool any = false;
    for (int i = 1; i < count && !any; i++)
        any = find_argument(&scopes[i], tag, name, found);
    free(scopes);
    return any;
}

/*
 * A block's addresses may hold instructions of the lines around it, which the compiler has moved
 * there (DWARF 2 cannot give it several ranges): at these lines a name means the variable that the
 * block's own hides.
 */
static bool find_local(const struct wt_frame *frame, const char *name, struct wt_found *found)
{
    Dwarf_Die die, type;
    bool any = false, decided = false;
    memset(&type, 0, sizeof type);
    for (unsigned round = 0; round < 2 && !any; round++)
        for (unsigned i = frame->scope_count; i > frame->first_scope && !decided; i--) {
            Dwarf_Die scope = frame->scope[i - 1];
            if (!(round == 0 ? find_child : find_in_blocks)(&scope, name, &die, &type))
                continue;
            decided = !is_declared_later(frame, &die);
            if (any && !decided)
                continue;
            found->die = die;
            found->type = type;
            any = true;
        }
    if (!any && !find_template_parameter(frame, DW_TAG_template_value_parameter, name, &found->die))
        return false;
    found->kind =
        dwarf_tag(&found->die) == DW_TAG_enumerator ? WT_FOUND_ENUMERATOR : WT_FOUND_VARIABLE;
    found->is_local = true;
    found->info = frame->info;
    found->bias = frame->bias;
    return true;
}

/* A function with its parameters: "ns::f<int>(int)". */
static void find_called(struct wt_info *info, struct source_search *s)
{
    char plain[MOST_NAME];
    const char *whole = s->name;
    struct wt_called *called = wt_called_new(whole, false, NULL, NULL);
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(whole, "("), whole);
    s->name = plain;
    if (called)
        wt_called_functions(called, info, take_name, s);
    s->name = whole;
    wt_called_free(called);
}

static bool find_as_it_is(const struct wt_view *scope, const char *name, struct wt_found *found)
{
    const struct wt_frame *frame = scope->frame;
    *found = (struct wt_found){.kind = WT_FOUND_NOTHING};
    const bool global = strncmp(name, "::", 2) == 0;
    if (frame && !global && find_local(frame, name, found))
        return true;
    struct source_place place;
    find_place(scope, &place);
    struct source_search search = {
        .found = found, .name = global ? name + 2 : name, .place = &place};
    char file[MOST_NAME];
    const char *behind = strstr(name, "::");
    if (behind && behind != name && memchr(name, '.', (size_t)(behind - name))) { /* file.c::name */
        snprintf(file, sizeof file, "%.*s", (int)(behind - name), name);
        search.file = file;
        search.name = name = behind + 2;
    }
    if (frame && frame->info)
        search.has_unit = wt_info_unit(frame->info, frame->inside - frame->bias, &search.unit);
    size_t count;
    const struct wt_module *m = wt_modules_list(scope->source->modules, &count);
    for (size_t i = count; i-- > 0;) {
        struct wt_info *info = wt_source_info(scope->source, &m[i]);
        if (!info)
            continue;
        if (strchr(name, '('))
            find_called(info, &search);
        else
            wt_info_find(info, name, take_name, &search);
        if (found->kind != WT_FOUND_NOTHING) {
            found->info = info;
            found->bias = m[i].bias;
            return true;
        }
    }
    for (size_t i = search.file ? 0 : count; i-- > 0;) {
        uint64_t address;
        const char *symbol;
        uint64_t offset;
        if (!wt_symbols_address(m[i].symbols, name, &address))
            continue;
        found->kind = WT_FOUND_SYMBOL;
        found->address = address + m[i].bias;
        found->is_code = wt_symbols_function(m[i].symbols, address, &symbol, &offset);
        return true;
    }
    return false;
}

bool wt_source_find(const struct wt_view *scope, const char *name, struct wt_found *found)
{
    char whole[MOST_NAME];
    struct wt_found other;
    const bool any = find_as_it_is(scope, name, found);
    if ((!any || (!found->is_local && !found->is_near)) &&
        wt_source_alias(scope, name, whole, sizeof whole) && find_as_it_is(scope, whole, &other)) {
        *found = other;
        return true;
    }
    return any;
}

static bool unit_of(const struct wt_view *scope, Dwarf_Die *unit)
{
    const struct wt_frame *frame = scope->frame;
    Dwarf_Die function;
    if (!frame || !frame->info)
        return false;
    if (wt_info_unit(frame->info, frame->inside - frame->bias, unit))
        return true;
    if (!frame->scope_count)
        return false;
    function = frame->scope[0]; /* clang 22 gives units of PTX no addresses */
    return dwarf_diecu(&function, unit, NULL, NULL) != NULL;
}

bool wt_source_is_cplusplus(const struct wt_view *scope)
{
    Dwarf_Die unit;
    return unit_of(scope, &unit) && wt_language_is_cplusplus(&unit);
}

bool wt_source_is_fortran(const struct wt_view *scope)
{
    Dwarf_Die unit;
    return unit_of(scope, &unit) && wt_language_is_fortran(&unit);
}

struct type_search {
    const char *name;
    const struct source_place *place;
    size_t rank;
    int tag; /* 0: any; else a structure, union or enumeration of this tag */
    bool cplusplus;
    Dwarf_Die die;
};

static bool take_type(void *context, const struct wt_name *name)
{
    struct type_search *s = context;
    Dwarf_Die die = name->die;
    if (name->kind != WT_NAME_TYPE)
        return true;
    const int tag = dwarf_tag(&die);
    const bool record = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    const bool tagged = record || tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type;
    if (s->tag ? !(tag == s->tag || (record && s->tag == DW_TAG_structure_type))
               : tagged && !s->cplusplus && !wt_language_is_cplusplus(&die))
        return true;
    const size_t rank = rank_of(s->place, name->name, s->name);
    if (!s->die.addr || rank > s->rank) {
        s->die = die;
        s->rank = rank;
    }
    return true;
}

static const struct wt_type *find_type(const struct wt_view *scope, const char *name)
{
    struct type_search search = {.cplusplus = wt_source_is_cplusplus(scope)};
    static const struct {
        const char *word;
        int tag;
    } tags[] = {{"struct ", DW_TAG_structure_type},
                {"class ", DW_TAG_structure_type},
                {"union ", DW_TAG_union_type},
                {"enum ", DW_TAG_enumeration_type}};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        if (strncmp(name, tags[i].word, strlen(tags[i].word)) == 0) {
            search.tag = tags[i].tag;
            name += strlen(tags[i].word);
            break;
        }
    /* A variable hides a type of its name. */
    struct wt_found found;
    if (!search.tag && wt_source_find(scope, name, &found) && (found.is_local || found.is_near))
        return NULL;
    size_t count;
    struct source_place place;
    find_place(scope, &place);
    search.place = &place;
    search.name = strncmp(name, "::", 2) == 0 ? name + 2 : name;
    const struct wt_module *m = wt_modules_list(scope->source->modules, &count);
    for (size_t i = count; i-- > 0;) {
        struct wt_info *info = wt_source_info(scope->source, &m[i]);
        if (!info)
            continue;
        wt_info_find(info, name, take_type, &search);
        if (search.die.addr)
            return wt_types_read(wt_info_types(info), &search.die);
    }
    return search.tag ? NULL : wt_types_basic(scope->source->types, name);
}

const struct wt_type *wt_source_find_type(void *context, const char *name)
{
    char whole[MOST_NAME];
    const struct wt_view *scope = context;
    Dwarf_Die parameter;
    if (find_template_parameter(scope->frame, DW_TAG_template_type_parameter, name, &parameter))
        return wt_types_of(wt_info_types(scope->frame->info), &parameter);
    const struct wt_type *type = find_type(context, name);
    return !type && wt_source_alias(context, name, whole, sizeof whole) ? find_type(context, whole)
                                                                        : type;
}

/* has_name of struct wt_parse_world. */
static bool has_name(void *context, const char *name)
{
    struct wt_found found;
    return wt_source_find(context, name, &found) || wt_source_find_type(context, name) != NULL;
}

/* region_length of struct wt_parse_world. */
static size_t region_length(void *context, const char *text)
{
    const struct wt_view *scope = context;
    struct wt_register_region region;
    return scope->source->region
               ? scope->source->region(scope->source->region_context, text, &region)
               : 0;
}

enum wt_status wt_source_parse(const struct wt_view *scope, const char *text, struct wt_node **root,
                               struct wt_error *err)
{
    const struct wt_parse_world world = {.types = scope->source->types,
                                         .find_type = wt_source_find_type,
                                         .has_name = has_name,
                                         .region_length = region_length,
                                         .context = (void *)(uintptr_t)scope,
                                         .fortran = wt_source_is_fortran(scope)};
    scope->source->work = 0;
    return wt_parse_expression(text, &world, root, err);
}

static bool any_over_logic(const struct wt_node *n)
{
    for (; n; n = n->next)
        if ((n->kind == WT_NODE_LANES && n->over_logic) || any_over_logic(n->a) ||
            any_over_logic(n->b) || any_over_logic(n->c))
            return true;
    return false;
}

bool wt_source_selects_logic(const struct wt_view *scope, const char *text)
{
    struct wt_node *root;
    if (wt_source_parse(scope, text, &root, WT_IGNORED) != WT_OK)
        return false;
    const bool any = any_over_logic(root);
    wt_node_free(root);
    return any;
}

enum wt_status wt_source_check(const struct wt_view *scope, const char *text, struct wt_error *err)
{
    struct wt_node *root;
    const enum wt_status status = wt_source_parse(scope, text, &root, err);
    if (!status)
        wt_node_free(root);
    return status;
}

/* ---- addresses ---- */

struct nearest {
    uint64_t address;
    const char *name;
    uint64_t at;
};

static bool take_nearest(void *context, const char *name, uint64_t addr, uint64_t size, bool code)
{
    struct nearest *n = context;
    if (addr > n->address)
        return false;
    if (!code && size && n->address - addr < size) {
        n->name = name;
        n->at = addr;
    }
    return true;
}

void wt_source_symbol_at(const struct wt_view *scope, uint64_t address, bool data, char *text,
                         size_t size)
{
    const struct wt_modules *modules = scope->source->modules;
    const char *name;
    char plain[250];
    uint64_t offset;
    const struct wt_topology *t = scope->source->topology;
    /* A pointer of the program's is one of the frame's own GPU. */
    if (scope->frame && !(address & t->gpu_bits))
        address |= scope->frame->pc & t->gpu_bits;
    text[0] = 0;
    for (size_t i = 0; i < t->space_count; i++) {
        const struct wt_space *s = &t->spaces[i];
        if (s->aperture && address >= s->aperture &&
            (address - s->aperture) >> s->address_bits == 0)
            snprintf(text, size, "<%s#0x%" PRIx64 ">", s->name, address - s->aperture);
    }
    const struct wt_module *m = wt_modules_at(modules, 0, address);
    if (!m)
        return;
    struct nearest n = {.address = address - m->bias};
    wt_symbols_each(m->symbols, take_nearest, &n);
    if (n.name) {
        name = n.name;
        offset = n.address - n.at;
    } else if (data || !wt_modules_function(modules, 0, address, &name, &offset)) {
        return;
    }
    wt_demangle(name, plain, sizeof plain);
    if (offset)
        snprintf(text, size, "<%s+%" PRIu64 ">", plain, offset);
    else
        snprintf(text, size, "<%s>", plain);
}
