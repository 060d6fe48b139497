/* See host_calls.h. */
#include "report/host_calls.h"

#include <dwarf.h>
#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/demangle.h"
#include "base/foreign.h"
#include "debug/source/attributes.h"
#include "debug/source/inlined.h"
#include "debug/source/symbols.h"
#include "target/own_files.h"

/* ---- lists of calls ---- */

void wt_report_calls_add(struct wt_report_calls *calls, const struct wt_inlined *call, bool own)
{
    struct wt_report_call *grown =
        wt_array_grow(calls->list, &calls->capacity, calls->count + 1, sizeof *grown);
    if (!grown)
        return;
    calls->list = grown;
    char name[512] = "";
    if (call->function)
        wt_demangle_source(call->function, name, sizeof name);
    struct wt_report_call *c = &grown[calls->count];
    *c = (struct wt_report_call){.function = strdup(name),
                                 .file = strdup(call->path ? call->path : ""),
                                 .line = call->line,
                                 .own = own,
                                 .after = call->after,
                                 .foreign = call->foreign};
    if (c->function && c->file) {
        calls->count++;
        return;
    }
    free(c->function);
    free(c->file);
}

const struct wt_report_call *wt_report_calls_own(const struct wt_report_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++)
        if (calls->list[i].own)
            return &calls->list[i];
    return NULL;
}

void wt_report_calls_free(struct wt_report_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++) {
        free(calls->list[i].function);
        free(calls->list[i].file);
    }
    free(calls->list);
    *calls = (struct wt_report_calls){.count = 0};
}

/* ---- files ---- */

struct wt_report_host_file {
    char *path;
    struct wt_symbols *symbols; /* NULL: it cannot be read */
    bool ours;                  /* a library of wavetrap's */
};

/* Whether a library is one that `exec` brings into the program. */
static bool is_ours(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    if (slash && strncmp(slash + 1, "libwavetrap-", 12) == 0)
        return true;
    for (const struct wt_family *const *f = wt_families; *f; f++)
        if (wt_own_driver(*f, folder, sizeof folder) && strlen(folder) == length &&
            strncmp(folder, path, length) == 0)
            return true;
    return false;
}

static struct wt_report_host_file *file_of(struct wt_report_host_files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->list[i].path, path) == 0)
            return &files->list[i];
    struct wt_report_host_file *grown =
        wt_array_grow(files->list, &files->capacity, files->count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    files->list = grown;
    struct wt_report_host_file *f = &grown[files->count];
    *f = (struct wt_report_host_file){.path = strdup(path), .ours = is_ours(path)};
    if (!f->path)
        return NULL;
    files->count++;
    if (!f->ours)
        wt_symbols_open(path, &f->symbols, WT_IGNORED);
    return f;
}

void wt_report_host_files_free(struct wt_report_host_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->list[i].path);
        wt_symbols_close(files->list[i].symbols);
    }
    free(files->list);
    *files = (struct wt_report_host_files){.count = 0};
}

/* The address that a byte of the file has in its ELF segments. */
static bool address_in_file(struct wt_symbols *symbols, uint64_t offset, uint64_t *address)
{
    size_t length;
    const uint8_t *image = wt_symbols_image(symbols, &length);
    Elf64_Ehdr header;
    if (!image || length < sizeof header || image[EI_CLASS] != ELFCLASS64)
        return false;
    memcpy(&header, image, sizeof header);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        const uint64_t at = header.e_phoff + (uint64_t)i * sizeof segment;
        if (at > length - sizeof segment)
            return false;
        memcpy(&segment, image + at, sizeof segment);
        if (segment.p_type == PT_LOAD && offset - segment.p_offset < segment.p_filesz) {
            *address = segment.p_vaddr + (offset - segment.p_offset);
            return true;
        }
    }
    return false;
}

/* ---- addresses ---- */

/* A line of /proc/PID/maps. */
struct mapping {
    uint64_t start, end, offset;
    const char *path;
};

/* Reads the next line into @p line, of PATH_MAX + 100 bytes. */
static bool next_mapping(const char **maps, char *line, struct mapping *m)
{
    while (**maps) {
        const size_t length = strcspn(*maps, "\n");
        snprintf(line, PATH_MAX + 100, "%.*s", (int)length, *maps);
        *maps += length + ((*maps)[length] == '\n');
        m->path = strchr(line, '/');
        if (m->path && sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &m->start, &m->end,
                              &m->offset) == 3)
            return true;
    }
    return false;
}

/* The mapping that holds an address; *is_first: it is of the file that is mapped lowest, which the
 * program itself is. */
static bool find_mapping(const char *maps, uint64_t address, char *line, struct mapping *m,
                         bool *is_first)
{
    char program[PATH_MAX + 100] = "";
    while (next_mapping(&maps, line, m)) {
        if (!*program)
            snprintf(program, sizeof program, "%s", m->path);
        *is_first = strcmp(program, m->path) == 0;
        if (address >= m->start && address < m->end)
            return true;
    }
    return false;
}

/* Whether a function is one that clang makes for a kernel, which launches it; its name and place
 * are the kernel's. */
static bool is_launch(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute)
                           ? dwarf_formstring(&attribute)
                           : NULL;
    return name && strstr(name, "__device_stub__");
}

/* Gives a call that the line table has at line 0, as one that the compiler has merged of several,
 * a line that its own line comes after: that of the function's declaration, or 0. */
static void place_without_line(struct wt_inlined *call, struct wt_symbols *symbols,
                               Dwarf_Die *function, const char *elf_file)
{
    uint64_t line;
    Dwarf_Die unit;
    const char *file = function ? wt_die_file(function, DW_AT_decl_file, &unit) : NULL;
    call->after = file && wt_die_number(function, DW_AT_decl_line, &line) &&
                  (call->path = wt_symbols_path(symbols, &unit, file));
    call->path = call->after ? call->path : elf_file;
    call->line = call->after ? (unsigned)line : 0;
}

/* Adds what is at an address; false: the calls end here. */
static bool add_address(struct wt_report_host_files *files, const char *maps, uint64_t address,
                        struct wt_report_calls *calls)
{
    char line[PATH_MAX + 100];
    struct mapping m;
    bool is_program;
    uint64_t at;
    Dwarf_Die scope[WT_SCOPES];
    struct wt_inlined list[WT_SCOPES + 1];
    if (!find_mapping(maps, address, line, &m, &is_program))
        return true;
    struct wt_report_host_file *f = file_of(files, m.path);
    if (!f || f->ours)
        return true;
    if (!f->symbols || !address_in_file(f->symbols, address - m.start + m.offset, &at)) {
        wt_report_calls_add(calls, &(struct wt_inlined){.path = m.path}, false);
        return true;
    }
    const unsigned count = wt_inlined_at(f->symbols, at, scope, list);
    for (unsigned i = 0; i < count; i++) {
        const bool has_line = list[i].path && list[i].line;
        if (list[i].scope_count && is_launch(&scope[list[i].first_scope]))
            continue;
        if (!has_line)
            place_without_line(&list[i], f->symbols,
                               list[i].scope_count ? &scope[list[i].first_scope] : NULL, m.path);
        wt_report_calls_add(calls, &list[i], is_program || list[i].line);
    }
    return !is_program || !list[count - 1].function ||
           strcmp(list[count - 1].function, "main") != 0;
}

/* Whether a call is the C library's own, which starts threads and programs. */
static bool is_start(const struct wt_report_call *c)
{
    return !c->own && (strstr(c->file, "/libc.so") || strstr(c->file, "/ld-linux") ||
                       strstr(c->file, "/libpthread"));
}

static void drop(struct wt_report_calls *calls, size_t i)
{
    free(calls->list[i].function);
    free(calls->list[i].file);
    memmove(&calls->list[i], &calls->list[i + 1], (--calls->count - i) * sizeof *calls->list);
}

/* Whether a call has a line in a source of the user's. */
static bool is_of_user(const struct wt_report_call *c)
{
    return c->own && c->line && !wt_is_foreign(NULL, c->file);
}

void wt_report_host_calls(struct wt_report_host_files *files, const char *maps,
                          const struct wt_call_stack *stack, struct wt_report_calls *calls)
{
    const size_t before = calls->count;
    unsigned i = 0;
    /* A return address is behind the call, which may be a function's last instruction. */
    while (i < stack->depth && add_address(files, maps, (uintptr_t)stack->address[i] - 1, calls))
        i++;
    while (calls->count && is_start(&calls->list[calls->count - 1]))
        drop(calls, calls->count - 1);
    size_t own = before;
    while (own < calls->count && !is_of_user(&calls->list[own]))
        own++;
    while (own < calls->count && own-- > before)
        drop(calls, before);
}
