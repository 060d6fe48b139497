/* Programs of PTX: texts, image, symbols. See sm_ptx.h. */
#include "target/sm_ptx.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/cubin.h"
#include "object/line_elf.h"

enum wt_status wt_sm_ptx_add(struct wt_sm_ptx *p, const char *name, const char *text, size_t length,
                             struct wt_error *err)
{
    struct sm_ptx_module *grown = wt_array_grow(p->module, &p->room, p->count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    p->module = grown;
    struct ptx_module *tree = calloc(1, sizeof *tree);
    char *copy = strdup(name);
    enum wt_status status = tree && copy ? ptx_parse(name, text, length, tree, err)
                                         : wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (status) {
        free(tree);
        free(copy);
        return status;
    }
    grown[p->count++] = (struct sm_ptx_module){.name = copy, .text = tree};
    return WT_OK;
}

enum wt_status wt_sm_ptx_link(struct wt_sm_ptx *p, uint64_t code, uint64_t data,
                              struct wt_error *err)
{
    assert(p->count && !p->image);
    return sm_ptx_link(p->module, p->count, code, data, &p->image, err);
}

void wt_sm_ptx_free(struct wt_sm_ptx *p)
{
    sm_ptx_free(p->image);
    for (size_t i = 0; i < p->count; i++) {
        struct ptx_module *tree = (struct ptx_module *)p->module[i].text;
        ptx_free(tree);
        free(tree);
        free((char *)p->module[i].name);
    }
    free(p->module);
    *p = (struct wt_sm_ptx){0};
}

/* ---- source lines ---- */

/* The files of all texts: each text itself first, then those that it names by .file. */
struct files {
    const char **name;
    size_t count, room;
    char **own; /* names that were made here */
    size_t own_count, own_room;
    size_t *first; /* of each text: its first .file */
};

static bool add_file(struct files *f, const char *name)
{
    const char **grown = wt_array_grow(f->name, &f->room, f->count + 1, sizeof *grown);
    if (!grown)
        return false;
    f->name = grown;
    grown[f->count++] = name;
    return true;
}

static bool add_own(struct files *f, const struct ptx_file *file)
{
    const struct ptx_name folder = file->folder, name = file->name;
    const bool whole = !folder.length || (name.length && name.at[0] == '/');
    char **grown = wt_array_grow(f->own, &f->own_room, f->own_count + 1, sizeof *grown);
    if (!grown)
        return false;
    f->own = grown;
    const size_t size = (size_t)folder.length + name.length + 2;
    char *copy = malloc(size);
    if (!copy)
        return false;
    snprintf(copy, size, "%.*s%s%.*s", whole ? 0 : (int)folder.length, whole ? "" : folder.at,
             whole ? "" : "/", (int)name.length, name.at);
    grown[f->own_count++] = copy;
    return add_file(f, copy);
}

static bool collect_files(const struct wt_sm_ptx *p, struct files *f)
{
    f->first = calloc(p->count, sizeof *f->first);
    if (!f->first)
        return false;
    for (size_t i = 0; i < p->count; i++)
        if (!add_file(f, p->module[i].name))
            return false;
    for (size_t i = 0; i < p->count; i++) {
        f->first[i] = f->count;
        for (size_t k = 0; k < p->module[i].text->file_count; k++)
            if (!add_own(f, &p->module[i].text->file[k]))
                return false;
    }
    return true;
}

static void free_files(struct files *f)
{
    for (size_t i = 0; i < f->own_count; i++)
        free(f->own[i]);
    free(f->own);
    free(f->name);
    free(f->first);
}

/* The first instruction of a function, from the given one on, that has a .loc; false: none has. */
static bool find_loc(const struct wt_sm_ptx *p, size_t index, struct sm_ptx_line *line)
{
    for (size_t i = index; sm_ptx_line(p->image, i, line); i++) {
        if (i > index && line->begins_function)
            return false;
        if (line->file)
            return true;
    }
    return false;
}

/*
 * The source line of an instruction; in a function without .loc, the text's own line. In others
 * what comes before the first .loc is of its line; what else has none (labels) is of line 0.
 */
static struct line_elf_row row_of(const struct wt_sm_ptx *p, const struct files *f, size_t index,
                                  struct sm_ptx_line *line, bool *has_loc)
{
    const uint64_t address = line->address;
    if (line->begins_function) {
        const struct sm_ptx_line own = *line;
        *has_loc = find_loc(p, index, line);
        if (!*has_loc)
            *line = own;
        line->begins_function = true;
    }
    const struct ptx_module *text = p->module[line->module].text;
    struct line_elf_row row = {.address = address,
                               .file = line->module,
                               .line = *has_loc ? 0 : line->text_line,
                               .is_statement = true};
    for (size_t k = 0; line->file && k < text->file_count; k++)
        if (text->file[k].number == line->file) {
            row.file = (uint32_t)(f->first[line->module] + k);
            row.line = line->line;
            row.column = line->column;
            break;
        }
    return row;
}

static bool add_rows(const struct wt_sm_ptx *p, const struct files *f, struct line_elf_row **rows,
                     size_t *count)
{
    struct sm_ptx_line line;
    size_t room = 0;
    bool has_loc = false;
    for (size_t i = 0; sm_ptx_line(p->image, i, &line); i++) {
        const struct line_elf_row row = row_of(p, f, i, &line, &has_loc);
        const struct line_elf_row *last = *count ? &(*rows)[*count - 1] : NULL;
        /* Line 0 is code of no line: it belongs to what comes before it. */
        if (last && !row.line && !line.begins_function)
            continue;
        if (last && last->file == row.file && last->line == row.line &&
            last->column == row.column && !line.begins_function)
            continue;
        struct line_elf_row *grown = wt_array_grow(*rows, &room, *count + 1, sizeof *grown);
        if (!grown)
            return false;
        *rows = grown;
        grown[(*count)++] = row;
    }
    return true;
}

static struct line_elf_symbol *symbols_of(const struct wt_sm_ptx *p, size_t *count)
{
    size_t functions, variables;
    const struct sm_ptx_kernel *kernel = sm_ptx_kernels(p->image, &functions);
    const struct sm_ptx_symbol *variable = sm_ptx_symbols(p->image, &variables);
    struct line_elf_symbol *list = calloc(functions + variables + 1, sizeof *list);
    for (size_t i = 0; list && i < functions; i++)
        list[i] = (struct line_elf_symbol){.name = kernel[i].name,
                                           .address = kernel[i].entry,
                                           .size = kernel[i].end - kernel[i].entry,
                                           .is_function = true,
                                           .is_kernel = kernel[i].is_kernel};
    for (size_t i = 0; list && i < variables; i++)
        list[functions + i] = (struct line_elf_symbol){
            .name = variable[i].name, .address = variable[i].address, .size = variable[i].size};
    *count = functions + variables;
    return list;
}

enum wt_status wt_sm_ptx_add_module(const struct wt_sm_ptx *p, struct wt_modules *modules,
                                    unsigned device, wt_module_id *id, struct wt_error *err)
{
    struct files files = {0};
    struct line_elf_row *rows = NULL;
    struct line_elf elf = {.producer = "wavetrap", .unit = p->module[0].name};
    enum wt_status status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    uint8_t *bytes;
    size_t length;
    elf.machine = CUBIN_ELF_MACHINE;
    elf.code = sm_ptx_code(p->image, &elf.code_size);
    elf.address = sm_ptx_code_address(p->image);
    struct line_elf_symbol *symbols = symbols_of(p, &elf.symbol_count);
    if (symbols && collect_files(p, &files) && add_rows(p, &files, &rows, &elf.row_count)) {
        elf.symbol = symbols;
        elf.file = files.name;
        elf.file_count = files.count;
        elf.row = rows;
        if ((status = line_elf_write(&elf, &bytes, &length, err)) == WT_OK) {
            status =
                wt_modules_add_bytes(modules, p->module[0].name, bytes, length, 0, device, id, err);
            free(bytes);
        }
    }
    free(symbols);
    free(rows);
    free_files(&files);
    return status;
}
