/* See described.h. */
#include "debug/source/described.h"

#include <dwarf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/called_place.h"
#include "base/demangle.h"
#include "base/foreign.h"
#include "debug/source/inlined.h"
#include "debug/source/modules.h"
#include "debug/source/symbols.h"

/*
 * Where debug information has lines alone, as clang's for optimised PTX, an instruction of a
 * function in another file (a header of the compiler's) is one that was inlined: *outer becomes the
 * line of the function's own file whose code is before it. That file is the one of the last
 * instruction, the end of the function; the first one may be inlined (CUDA's threadIdx).
 */
static bool line_before(struct wt_symbols *symbols, uint64_t at, const struct wt_inlined *inner,
                        struct wt_inlined *outer)
{
    enum { MOST = 64 };
    uint64_t start, end;
    struct wt_line_row last, row;
    if (!wt_symbols_extent(symbols, at, &start, &end) || end == start ||
        !wt_symbols_row(symbols, end - 1, &last) || !wt_symbols_row(symbols, at, &row) ||
        !row.file || !last.file)
        return false;
    for (unsigned i = 0; i < MOST && strcmp(row.file, last.file) != 0; i++)
        if (row.start <= start || !wt_symbols_row(symbols, row.start - 1, &row) || !row.file)
            return false;
    if (!row.line || strcmp(row.file, last.file) != 0 ||
        (inner->path && strcmp(row.file, inner->path) == 0))
        return false;
    *outer = *inner;
    outer->file = outer->path = row.file;
    outer->line = row.line;
    outer->after = true;
    return true;
}

/* Calls at an address of the file, as wt_inlined_at(); where debug information has lines alone,
 * with the line of the function's own file that comes before one of another file. */
static unsigned calls_at(struct wt_symbols *symbols, uint64_t addr, const struct wt_foreign *more,
                         struct wt_inlined list[WT_SCOPES + 1])
{
    Dwarf_Die scope[WT_SCOPES];
    unsigned count = wt_inlined_at(symbols, addr, scope, list);
    if (count == 1 && !(list[0].scope_count && dwarf_hasattr(&scope[0], DW_AT_decl_file)) &&
        line_before(symbols, addr, &list[0], &list[1]))
        count = 2;
    for (unsigned i = 0; i < count; i++)
        list[i].foreign = wt_is_foreign(more, list[i].path);
    return count;
}

/* Code of modules, or of one file. */
struct described_code {
    const struct wt_modules *modules;
    struct wt_symbols *symbols; /* `modules` NULL */
};

static struct wt_symbols *symbols_at(const struct described_code *code, unsigned device,
                                     uint64_t pc, uint64_t *addr)
{
    const struct wt_module *m = wt_modules_at(code->modules, device, pc);
    *addr = pc - (m ? m->bias : 0);
    return m ? m->symbols : code->modules ? NULL : code->symbols;
}

typedef void take_fn(void *context, const struct wt_inlined *call);

/* Takes calls from number @p first on; returns the number of the first one in the user's code, or
 * of the last one and 1. */
static unsigned each_call(const struct described_code *code, const struct wt_called_place *place,
                          unsigned first, take_fn *take, void *context)
{
    const struct wt_foreign *more = wt_modules_foreign(code->modules);
    struct wt_inlined list[WT_SCOPES + 1];
    unsigned seen = 0, own = UINT_MAX;
    for (unsigned k = 0; k <= place->depth && (!k || place->back[k - 1]); k++) {
        uint64_t addr;
        struct wt_symbols *symbols =
            symbols_at(code, place->device, k ? place->back[k - 1] - 1 : place->pc, &addr);
        const unsigned count = symbols ? calls_at(symbols, addr, more, list) : 0;
        for (unsigned i = 0; i < count; i++, seen++) {
            if (own == UINT_MAX && list[i].path && list[i].line && !list[i].foreign)
                own = seen;
            if (take && seen >= first)
                take(context, &list[i]);
        }
    }
    return own;
}

static void take_calls(const struct described_code *code, const struct wt_called_place *place,
                       take_fn *take, void *context)
{
    const unsigned own = each_call(code, place, 0, NULL, NULL);
    each_call(code, place, own == UINT_MAX ? 0 : own, take, context);
}

void wt_described_calls(const struct wt_modules *modules, const struct wt_called_place *place,
                        take_fn *take, void *context)
{
    take_calls(&(struct described_code){.modules = modules}, place, take, context);
}

/* A place that is printed. */
struct printed {
    FILE *out;
    bool any, foreign;
};

/* " at FILE:LINE" of the innermost call, ", in CALLER at FILE:LINE" of each other one. */
static void print_call(void *context, const struct wt_inlined *call)
{
    struct printed *p = context;
    const char *slash = call->path ? strrchr(call->path, '/') : NULL;
    char name[220];
    if (!call->path || !call->line)
        return;
    if (p->any && call->function) {
        wt_demangle_source(call->function, name, sizeof name);
        fprintf(p->out, ", in %s", name);
    }
    const char *file = slash ? slash + 1 : call->path;
    fprintf(p->out, call->after ? " in %s, after line %u" : " at %s:%u", file, call->line);
    p->foreign |= !p->any && call->foreign;
    p->any = true;
}

static void describe(const struct described_code *code, const struct wt_called_place *place,
                     bool in_file, char *text, size_t size)
{
    const char *name;
    uint64_t offset, addr;
    char plain[220], *whole = NULL;
    size_t length;
    struct printed p = {.out = open_memstream(&whole, &length)};
    struct wt_symbols *symbols = symbols_at(code, place->device, place->pc, &addr);
    snprintf(text, size, "0x%" PRIx64, in_file ? addr : place->pc);
    if (!p.out)
        return;
    fputs(text, p.out);
    if (wt_symbols_function(symbols, addr, &name, &offset)) {
        wt_demangle(name, plain, sizeof plain);
        fprintf(p.out, " <%s", plain);
        fprintf(p.out, offset ? "+%" PRIu64 ">" : ">", offset);
    }
    take_calls(code, place, print_call, &p);
    if (p.foreign)
        fputs(" (no source of the program's)", p.out);
    if (fclose(p.out) == 0)
        snprintf(text, size, "%s", whole);
    free(whole);
}

void wt_symbols_describe(struct wt_symbols *s, uint64_t addr, char *text, size_t size)
{
    describe(&(struct described_code){.symbols = s}, &(struct wt_called_place){.pc = addr}, true,
             text, size);
}

void wt_described_place(const struct wt_modules *modules, const struct wt_called_place *place,
                        char *text, size_t size)
{
    describe(&(struct described_code){.modules = modules}, place, false, text, size);
}

void wt_described_in_file(const struct wt_modules *modules, const struct wt_called_place *place,
                          char *text, size_t size)
{
    describe(&(struct described_code){.modules = modules}, place, true, text, size);
}

void wt_modules_describe(const struct wt_modules *modules, unsigned device, uint64_t addr,
                         char *text, size_t size)
{
    wt_described_place(modules, &(struct wt_called_place){.pc = addr, .device = device}, text,
                       size);
}

/* The first call is taken. */
static void take_first(void *context, const struct wt_inlined *call)
{
    struct wt_inlined *first = context;
    if (!first->path)
        *first = *call;
}

void wt_described_call(const struct wt_modules *modules, const struct wt_called_place *place,
                       struct wt_inlined *call)
{
    *call = (struct wt_inlined){.path = NULL};
    wt_described_calls(modules, place, take_first, call);
}

bool wt_described_line(const struct wt_modules *modules, const struct wt_called_place *place,
                       const char **file, unsigned *line)
{
    struct wt_inlined first;
    wt_described_call(modules, place, &first);
    *file = first.path;
    *line = first.line;
    return first.path && first.line;
}

bool wt_modules_user_line(const struct wt_modules *modules, unsigned device, uint64_t addr,
                          const char **file, unsigned *line)
{
    return wt_described_line(modules, &(struct wt_called_place){.pc = addr, .device = device}, file,
                             line);
}
