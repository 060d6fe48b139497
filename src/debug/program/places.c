/* Places in the code as users name them: functions, lines, kernels, addresses. */
#include <ctype.h>
#include <dwarf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "debug/program/internal.h"
#include "debug/source/called.h"

/* ---- functions ---- */

struct addresses {
    uint64_t *list;
    size_t count, capacity;
    const struct wt_module *module;
    const char *file; /* functions of units that have this file; NULL: any */
    bool is_whole;    /* functions whose namespaces are all said */
};

static void add_address(struct addresses *a, uint64_t addr)
{
    pg_add_address(&a->list, &a->count, &a->capacity, addr);
}

static void add_inlined(void *context, uint64_t start)
{
    struct addresses *a = context;
    add_address(a, start + a->module->bias);
}

/* Whether the unit of a function has lines of a file. */
static bool is_of_file(Dwarf_Die *die, const char *file)
{
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t count;
    if (!dwarf_diecu(die, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *path = dwarf_filesrc(files, i, NULL, NULL);
        if (path && wt_symbols_is_file(path, file))
            return true;
    }
    return false;
}

static bool take_function(void *context, const struct wt_name *name)
{
    struct addresses *a = context;
    Dwarf_Die die = name->die;
    uint64_t start, end;
    if (a->file && !is_of_file(&die, a->file))
        return true;
    if (wt_info_entry(&die, &start, &end))
        add_address(a, wt_symbols_body(a->module->symbols, start) + a->module->bias);
    if (dwarf_hasattr(&die, DW_AT_inline))
        wt_info_inlined(wt_symbols_info(a->module->symbols), &die, add_inlined, a);
    return true;
}

static int by_address(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static char *resolve_typedef(void *context, const char *name)
{
    const struct wt_type *type;
    bool is_name;
    if (wt_source_type_of(context, name, &type, &is_name, WT_IGNORED) != WT_OK || !is_name ||
        type == wt_type_plain(type))
        return NULL;
    return wt_type_text(wt_type_plain(type));
}

/* The functions of a name: all overloads, unless parameters are given, and all instances of a
 * template, unless arguments are given. */
static void find_functions(struct wt_program *g, const char *text, struct addresses *a)
{
    size_t count;
    const struct wt_module *m = wt_modules_list(g->modules, &count);
    struct wt_view view = wt_program_view(g);
    struct wt_called *called = wt_called_new(text, a->is_whole, resolve_typedef, &view);
    for (size_t i = 0; i < count && called; i++) {
        struct wt_info *info = wt_symbols_info(m[i].symbols);
        a->module = &m[i];
        if (info)
            wt_called_functions(called, info, take_function, a);
    }
    wt_called_free(called);
    if (a->count)
        qsort(a->list, a->count, sizeof *a->list, by_address);
}

/* ---- kernels ---- */

struct program_kernels {
    const char *name; /* NULL: all of them */
    const struct wt_modules *modules;
    bool entries; /* their first instructions, those of the runtime's kernels included */
    struct addresses *a;
};

static void add_kernel(const struct program_kernels *k, uint64_t start)
{
    const struct wt_module *m = k->a->module;
    uint64_t wanted;
    if (!k->name || (wt_symbols_address(m->symbols, k->name, &wanted) && wanted == start))
        add_address(k->a, wt_modules_first_instruction(
                              k->modules,
                              (k->entries ? start : wt_symbols_body(m->symbols, start)) + m->bias));
}

/* Symbols of NVIDIA's kernels are marked as kernels; AMD's code objects describe each kernel in a
 * symbol NAME.kd; files of Vortex 3.0 have __vx_kentry_NAME beside each. */
static bool take_kernel(void *context, const char *name, uint64_t addr, uint64_t size, bool code)
{
    const struct program_kernels *k = context;
    const struct wt_module *m = k->a->module;
    const size_t length = strlen(name);
    uint64_t start;
    if (code && (wt_symbols_is_entry(m->symbols, addr) ||
                 !strncmp(name, VORTEX_KERNEL, sizeof VORTEX_KERNEL - 1)))
        add_kernel(k, addr);
    if (length <= 3 || strcmp(name + length - 3, ".kd") != 0)
        return true;
    /* HIP's runtime and GCC's start-up files contain kernels of their own. They are left out if the
     * user names no kernel. */
    if (!k->name && !k->entries &&
        (strncmp(name, "__amd_", 6) == 0 || strcmp(name, "_init_array.kd") == 0 ||
         strcmp(name, "_fini_array.kd") == 0))
        return true;
    char *kernel = strndup(name, length - 3);
    if (kernel && wt_symbols_address(m->symbols, kernel, &start))
        add_kernel(k, start);
    free(kernel);
    return true;
}

static void find_kernels(struct wt_program *g, const char *name, bool entries, struct addresses *a)
{
    size_t count;
    const struct wt_module *m = wt_modules_list(g->modules, &count);
    struct program_kernels k = {name, g->modules, entries, a};
    for (size_t i = 0; i < count; i++) {
        a->module = &m[i];
        if (m[i].symbols)
            wt_symbols_each(m[i].symbols, take_kernel, &k);
    }
}

uint64_t *pg_kernel_entries(struct wt_program *g, size_t *count)
{
    struct addresses a = {0};
    find_kernels(g, NULL, true, &a);
    /* Programs of Vortex 2 are launched, not kernels in them. */
    const struct wt_module *m = wt_modules_list(g->modules, count);
    for (size_t i = 0; i < *count && !g->topology->has_grid; i++) {
        const struct program_kernels k = {NULL, g->modules, true, &a};
        uint64_t start;
        a.module = &m[i];
        if (m[i].symbols && wt_symbols_address(m[i].symbols, "_start", &start))
            add_kernel(&k, start);
    }
    *count = a.count;
    return a.list;
}

/* "kernel NAME", "kernel": where kernels begin, behind their prologues. */
static enum wt_status at_kernel(struct wt_program *g, const char *name, struct addresses *a,
                                struct wt_error *err)
{
    find_kernels(g, *name ? name : NULL, false, a);
    if (a->count)
        return WT_OK;
    return *name ? wt_fail(err, WT_INVALID, "There is no kernel \"%s\".", name)
                 : wt_fail(err, WT_INVALID, "There is no kernel.");
}

void wt_program_default_source(struct wt_program *g)
{
    uint64_t *list;
    size_t count;
    if (wt_program_resolve(g, "main", &list, &count, WT_IGNORED) != WT_OK &&
        wt_program_resolve(g, "kernel", &list, &count, WT_IGNORED) != WT_OK)
        return;
    struct wt_frames *frames = count ? wt_frames_at(g->debugger, g->modules, list[0]) : NULL;
    const struct wt_frame *frame = frames ? wt_frames_get(frames, 0) : NULL;
    /* The first instruction can be of an inlined function, whose file is a header. */
    while (frame && frame->inlined)
        frame = wt_frames_get(frames, frame->level + 1);
    if (frame && frame->path) {
        free(g->list_file);
        g->list_file = strdup(frame->path);
        g->list_first = frame->line;
        g->list_last = 0;
    }
    wt_frames_free(frames);
    free(list);
}

const char *pg_current_file(struct wt_program *g)
{
    const struct wt_frame *frame;
    if (wt_program_need_frame(g, &frame, WT_IGNORED) == WT_OK && frame->path)
        return frame->path;
    if (!g->list_file)
        wt_program_default_source(g);
    return g->list_file;
}

static enum wt_status at_address(struct wt_program *g, const char *text, struct addresses *a,
                                 struct wt_error *err)
{
    const struct wt_view view = wt_program_view(g);
    struct wt_values values;
    struct wt_address at;
    enum wt_status status = wt_source_evaluate(&view, text, &values, err);
    if (status)
        return status;
    status = wt_values_address(&values, &at, err);
    wt_values_free(&values);
    if (!status)
        status = wt_program_check_begins(g, at.offset, err);
    if (!status)
        add_address(a, at.offset);
    return status;
}

static bool note_file(void *context, const char *file)
{
    *(bool *)context = true;
    return false;
}

/* Adds to the message that there is no such line the reason, where the code has no lines at all. */
static enum wt_status no_line(struct wt_program *g, enum wt_status status, struct wt_error *err)
{
    const char *need = g->topology->lines_need;
    const size_t length = strlen(err->text);
    size_t count;
    bool found = false;
    const struct wt_module *m = wt_modules_list(g->modules, &count);
    for (size_t i = 0; i < count && !found; i++)
        wt_symbols_files(m[i].symbols, note_file, &found);
    if (count && !found)
        snprintf(err->text + length, sizeof err->text - length,
                 " The program has no source lines: compile it with -g%s.", need ? need : "");
    return status;
}

static enum wt_status at_line(struct wt_program *g, const char *text, struct addresses *a,
                              struct wt_error *err)
{
    char *whole;
    const char *file = pg_current_file(g);
    if (!file)
        return no_line(
            g, wt_fail(err, WT_INVALID, "No default source file: name one, as in FILE:%s.", text),
            err);
    if (asprintf(&whole, "%s:%s", file, text) < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a location");
    struct wt_location location;
    enum wt_status status = wt_location_parse(whole, &location, err);
    free(whole);
    if (status)
        return status;
    status = wt_location_resolve(&location, g->modules, 0, &a->list, &a->count, err);
    wt_location_free(&location);
    if (!status && !a->count)
        return wt_fail(err, WT_INVALID, "No line %s in the current file.", text);
    return status;
}

static enum wt_status in_the_list(struct wt_program *g, const char *text, struct addresses *a,
                                  struct wt_error *err)
{
    struct wt_location location;
    enum wt_status status = wt_location_parse(text, &location, err);
    if (status)
        return status;
    status = wt_location_resolve(&location, g->modules, 0, &a->list, &a->count, err);
    if (!status && !a->count) {
        if (location.kind == WT_LOCATION_LINE)
            status = no_line(g,
                             wt_fail(err, WT_INVALID, "No line %u in file \"%s\".", location.line,
                                     location.file),
                             err);
        else
            status = wt_fail(err, WT_INVALID, "Function \"%s\" not defined.", text);
    }
    wt_location_free(&location);
    return status;
}

/* 'NAME', "FILE":LINE and 'FILE:LINE' without the quotes, which the caller frees; NULL: none. */
static char *without_quotes(const char *text)
{
    const char *end = *text == '\'' || *text == '"' ? strchr(text + 1, *text) : NULL;
    char *plain = NULL;
    if (end && (!end[1] || end[1] == ':') &&
        asprintf(&plain, "%.*s%s", (int)(end - text - 1), text + 1, end + 1) < 0)
        return NULL;
    return plain;
}

/* Behind "-qualified" or "-q", as GDB has it; else @p text itself. */
static const char *behind_qualified(const char *text)
{
    const size_t word = *text == '-' ? strcspn(text, " ") : 0;
    return word > 1 && text[word] && strncmp(text, "-qualified", word) == 0
               ? wt_skip_blanks(text + word)
               : text;
}

/* Where the function begins in FILE:FUNCTION, whose FILE the caller frees; NULL: it is none. */
static const char *behind_file(const char *text, char **file)
{
    const char *colon = strchr(text, ':');
    *file = NULL;
    if (!colon || colon == text || colon[1] == ':' || !colon[1] ||
        strcspn(text, "(<\"'`") < (size_t)(colon - text) || isdigit((unsigned char)colon[1]))
        return NULL;
    *file = strndup(text, (size_t)(colon - text));
    return *file ? colon + 1 : NULL;
}

static enum wt_status in_the_file(struct wt_program *g, const char *file, const char *function,
                                  struct addresses *a, struct wt_error *err)
{
    size_t count;
    const struct wt_module *m = wt_modules_list(g->modules, &count);
    char *plain = without_quotes(function);
    bool known = false;
    a->file = file;
    find_functions(g, plain ? plain : function, a);
    for (size_t i = 0; i < count && !known; i++)
        known = wt_symbols_code_line(m[i].symbols, file, 0) != UINT_MAX;
    free(plain);
    return a->count ? WT_OK
           : known
               ? wt_fail(err, WT_INVALID, "Function \"%s\" not defined in \"%s\".", function, file)
               : wt_fail(err, WT_INVALID, "No source file named %s.", file);
}

/* A location by name: a function, FILE:FUNCTION, FILE:LINE. */
static enum wt_status at_name(struct wt_program *g, const char *text, struct addresses *a,
                              struct wt_error *err)
{
    char *file;
    const char *function = behind_file(text, &file);
    if (function) {
        const enum wt_status status = in_the_file(g, file, function, a, err);
        free(file);
        return status;
    }
    find_functions(g, text, a);
    if (a->count)
        return WT_OK;
    return a->is_whole ? wt_fail(err, WT_INVALID, "Function \"%s\" not defined.", text)
                       : in_the_list(g, text, a, err);
}

enum wt_status wt_program_resolve(struct wt_program *g, const char *text, uint64_t **list,
                                  size_t *count, struct wt_error *err)
{
    const char *name = behind_qualified(text);
    struct addresses a = {.is_whole = name != text};
    enum wt_status status = WT_OK;
    text = name;
    char *plain = without_quotes(text);
    const bool is_kernel = strncmp(text, "kernel", 6) == 0 && (!text[6] || text[6] == ' ');
    const char *digits = text;
    while (isdigit((unsigned char)*digits))
        digits++;
    if (plain) {
        status = at_name(g, plain, &a, err);
    } else if (is_kernel) {
        text = wt_skip_blanks(text + 6);
        if (*text && !g->topology->begins_at_kernel) /* there a kernel is a function like others */
            return wt_program_resolve(g, text, list, count, err);
        status = at_kernel(g, text, &a, err);
    } else if (!*text) {
        const struct wt_frame *frame;
        if ((status = wt_program_need_frame(g, &frame, err)) != WT_OK)
            return wt_fail(err, WT_INVALID, "No default breakpoint address now.");
        add_address(&a, frame->pc);
    } else if (*text == '*') {
        status = at_address(g, text + 1, &a, err);
    } else if (digits > text && !*digits) {
        status = at_line(g, text, &a, err);
    } else {
        status = at_name(g, text, &a, err);
    }
    free(plain);
    if (status) {
        free(a.list);
        return status;
    }
    *list = a.list;
    *count = a.count;
    return WT_OK;
}

bool pg_names_function(const char *location, const char *function)
{
    char *file;
    location = behind_qualified(location);
    location += *location == '\'' || *location == '"';
    const char *behind = behind_file(location, &file);
    free(file);
    location = behind ? behind : location;
    location += *location == '\'' || *location == '"';
    const size_t length = strcspn(location, "('\""), own = function ? strcspn(function, "(") : 0;
    return own >= length && length && strncmp(function + own - length, location, length) == 0 &&
           (own == length || function[own - length - 1] == ':');
}

bool pg_is_code(struct wt_program *g, const char *expression)
{
    const struct wt_view view = wt_program_view(g);
    struct wt_values values;
    const char *name = wt_skip_blanks(expression);
    if (!pg_names_code(expression) ||
        wt_source_evaluate(&view, name + (*name == '&'), &values, WT_IGNORED) != WT_OK)
        return false;
    const bool is_code = wt_type_plain(values.type)->kind == WT_TYPE_FUNCTION && values.in_memory;
    wt_values_free(&values);
    return is_code;
}

bool pg_names_code(const char *expression)
{
    const char *name = wt_skip_blanks(expression);
    name = wt_skip_blanks(name + (*name == '&'));
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    while (isalnum((unsigned char)*name) || *name == '_' || *name == ':')
        name++;
    return !*name;
}
