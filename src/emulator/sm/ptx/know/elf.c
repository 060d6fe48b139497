/* A linked program as an ELF file for debuggers: code, symbols, source lines, debug information.
 */
#include <assert.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "emulator/sm/ptx/know/data.h"
#include "emulator/sm/ptx/ptx.h"
#include "object/cubin.h"
#include "object/line_elf.h"
#include "object/ptx_section.h"

/* A program and its texts. */
struct ptx_linked {
    const struct sm_ptx *image;
    const struct sm_ptx_module *module;
    size_t count;
};

/* ---- source lines ---- */

/* The files of a text: the text itself, then those that it names by .file. A text with debug
 * information uses the numbers of its .file directives, so for it these come first, in that order.
 */
struct files {
    const char **name;
    size_t count, room;
    char **own; /* names that were made here */
    size_t own_count, own_room;
    size_t first;    /* the first .file */
    size_t own_text; /* the text itself */
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

/* Whether .file directives have the numbers from 1 on, in order. */
static bool has_numbered_files(const struct ptx_module *text)
{
    for (size_t i = 0; i < text->file_count; i++)
        if (text->file[i].number != i + 1)
            return false;
    return true;
}

static bool add_named(const struct ptx_module *text, struct files *f)
{
    f->first = f->count;
    for (size_t i = 0; i < text->file_count; i++)
        if (!add_own(f, &text->file[i]))
            return false;
    return true;
}

static bool add_itself(const struct sm_ptx_module *module, struct files *f)
{
    f->own_text = f->count;
    return add_file(f, module->name);
}

static bool collect_files(const struct sm_ptx_module *module, bool numbered, struct files *f)
{
    return numbered ? add_named(module->text, f) && add_itself(module, f)
                    : add_itself(module, f) && add_named(module->text, f);
}

static void free_files(struct files *f)
{
    for (size_t i = 0; i < f->own_count; i++)
        free(f->own[i]);
    free(f->own);
    free(f->name);
}

/* The first instruction of a function, from the given one on, that has a .loc; false: none has. */
static bool find_loc(const struct ptx_linked *p, size_t index, struct sm_ptx_line *line)
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
 * The source line of an instruction; in a function without .loc, the text's own line. In other
 * functions, instructions before the first .loc belong to its line; anything else without a .loc
 * (labels) belongs to line 0.
 */
static struct line_elf_row row_of(const struct ptx_linked *p, const struct files *files,
                                  size_t index, struct sm_ptx_line *line, bool *has_loc)
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
    const struct files *f = &files[line->module];
    struct line_elf_row row = {.address = address,
                               .unit = line->module,
                               .file = (uint32_t)f->own_text,
                               .line = *has_loc ? 0 : line->text_line,
                               .is_statement = true};
    for (size_t k = 0; line->file && k < text->file_count; k++)
        if (text->file[k].number == line->file) {
            row.file = (uint32_t)(f->first + k);
            row.line = line->line;
            row.column = line->column;
            break;
        }
    return row;
}

/* Whether a text's lines from @p first to before @p end have a branch. */
static bool has_branch(const struct ptx_module *text, uint32_t first, uint32_t end)
{
    for (size_t i = 0; i < text->statement_count; i++) {
        const struct ptx_statement *s = &text->statement[i];
        if (s->kind == PTX_STATEMENT_INSTRUCTION && s->place.line >= first && s->place.line < end &&
            s->name.length >= 3 &&
            (memcmp(s->name.at, "bra", 3) == 0 || memcmp(s->name.at, "brx", 3) == 0))
            return true;
    }
    return false;
}

/* The function whose rows are added: where its body may begin. */
struct sm_ptx_entry {
    uint32_t file, text_line;
    bool has_body; /* its body's row is there, or is not looked for */
};

/*
 * Whether a row begins the body of a function without debug information: the first one behind its
 * entry that is of the function's own file. Inlined calls before it, such as those that clang's
 * header makes of blockIdx.x, are not where a breakpoint on the function belongs. Behind a branch
 * it may be passed by: then there is none.
 */
static bool begins_body(const struct ptx_module *text, struct sm_ptx_entry *e,
                        const struct line_elf_row *row, uint32_t text_line)
{
    if (e->has_body || row->file != e->file)
        return false;
    e->has_body = true;
    return !has_branch(text, e->text_line, text_line);
}

static bool add_rows(const struct ptx_linked *p, const struct files *files,
                     const struct line_elf_unit *unit, struct line_elf_row **rows, size_t *count)
{
    struct sm_ptx_line line;
    struct sm_ptx_entry entry = {.has_body = true};
    size_t room = 0;
    bool has_loc = false;
    for (size_t i = 0; sm_ptx_line(p->image, i, &line); i++) {
        const struct line_elf_row row = row_of(p, files, i, &line, &has_loc);
        const struct line_elf_row *last = *count ? &(*rows)[*count - 1] : NULL;
        /* Line 0 means code without a line: it belongs to the preceding line. */
        if (last && !row.line && !line.begins_function)
            continue;
        if (last && last->unit == row.unit && last->file == row.file && last->line == row.line &&
            last->column == row.column && !line.begins_function)
            continue;
        struct line_elf_row *grown = wt_array_grow(*rows, &room, *count + 1, sizeof *grown);
        if (!grown)
            return false;
        *rows = grown;
        grown[*count] = row;
        if (line.begins_function)
            entry = (struct sm_ptx_entry){.file = row.file,
                                          .text_line = line.text_line,
                                          .has_body = unit[row.unit].is_described};
        else
            grown[*count].begins_body =
                begins_body(p->module[row.unit].text, &entry, &row, line.text_line);
        ++*count;
    }
    return true;
}

static struct line_elf_symbol *symbols_of(const struct ptx_linked *p, size_t *count)
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

/* ---- debug information of the text ---- */

/* The targets of names in a text's sections, and the output: the joined sections of all texts. */
struct sm_ptx_names {
    const struct sm_ptx *image;
    const struct ptx_module *text;
    uint32_t module;
    struct sm_ptx_sections *to;
    size_t abbreviations, locations, strings, information; /* where those of this text begin */
};

/* Sections as bytes, one text's behind the other's. */
struct sm_ptx_sections {
    struct wt_buffer information, abbreviations, strings, locations;
    struct line_elf_reference *reference;
    size_t reference_count, reference_room;
    const struct sm_ptx_variable **described; /* those that they say the place of */
    size_t described_count, described_room;
};

/*
 * The line of the text where the code begins that a label names. A branch passes the label's own
 * place by, so it is that of the next instruction; before the first instruction of a function and
 * behind its last one there is nothing but the label.
 */
static uint32_t line_of_label(const struct ptx_module *text, size_t label)
{
    const struct ptx_statement *s = text->statement;
    for (size_t k = 0; k < text->function_count; k++) {
        const struct ptx_function *f = &text->function[k];
        const size_t end = (size_t)f->statement + f->statement_count;
        bool before = false;
        if (label < f->statement || label >= end)
            continue;
        for (size_t i = f->statement; i < end; i++)
            if (s[i].kind == PTX_STATEMENT_INSTRUCTION && i < label)
                before = true;
            else if (s[i].kind == PTX_STATEMENT_INSTRUCTION && before)
                return s[i].place.line;
    }
    return s[label].place.line;
}

/* The address of a label: that of the first instruction after it in the text. */
static bool find_label(const struct sm_ptx_names *n, struct ptx_name name, uint64_t *address)
{
    const struct ptx_statement *s = n->text->statement;
    struct sm_ptx_line line;
    bool behind = false; /* the line before it is of this text */
    size_t size, label = 0;
    while (label < n->text->statement_count &&
           (s[label].kind != PTX_STATEMENT_LABEL || !ptx_names_equal(s[label].name, name)))
        label++;
    if (label == n->text->statement_count)
        return false;
    const uint32_t first = line_of_label(n->text, label);
    sm_ptx_code(n->image, &size);
    *address = sm_ptx_code_address(n->image) + size;
    for (size_t i = 0; sm_ptx_line(n->image, i, &line); i++) {
        if (line.module == n->module && line.text_line >= first) {
            *address = line.address;
            return true;
        }
        if (line.module != n->module && behind) /* it ends the text's code */
            *address = line.address;
        behind = line.module == n->module;
    }
    return true;
}

/* Where a section begins, in the bytes of all texts. */
static bool value_of_section(const struct sm_ptx_names *n, struct ptx_name name, unsigned size,
                             struct wt_buffer *out)
{
    struct sm_ptx_sections *to = n->to;
    uint64_t value = 0;
    if (ptx_name_is(name, ".debug_line") && size == 4 && out == &to->information) {
        struct line_elf_reference *grown = wt_array_grow(to->reference, &to->reference_room,
                                                         to->reference_count + 1, sizeof *grown);
        if (!grown)
            return false;
        to->reference = grown;
        grown[to->reference_count++] =
            (struct line_elf_reference){.at = out->length, .unit = n->module};
    } else if (ptx_name_is(name, ".debug_abbrev")) {
        value = n->abbreviations;
    } else if (ptx_name_is(name, ".debug_str")) {
        value = n->strings;
    } else if (ptx_name_is(name, ".debug_loc")) {
        value = n->locations;
    } else if (ptx_name_is(name, ".debug_info")) {
        value = n->information;
    }
    wt_buffer_append_number(out, value, size);
    return true;
}

/*
 * DW_OP_addr of a variable, which LLVM writes with its space in DW_AT_address_class. Here an
 * address is a generic one: shared memory is addressed by its window. Local memory begins where the
 * frame's does, which a register of the probe gives: DW_OP_bregx, of the same length, replaces
 * DW_OP_addr.
 */
static bool put_variable(const struct sm_ptx_variable *v, struct wt_buffer *out)
{
    enum { WHOLE = 9, REGISTER = PTX_DWARF_LOCAL };
    static_assert(REGISTER >= 128 && REGISTER < 16384, "a ULEB128 of two bytes");
    if (v->space != PTX_SPACE_LOCAL) {
        const bool shared = v->space == PTX_SPACE_SHARED;
        wt_buffer_append_number(out, v->place + (shared ? SM_SHARED_WINDOW : 0), 8);
        return true;
    }
    uint64_t offset = SM_LOCAL_WINDOW + v->place;
    if (out->failed || !out->length || out->bytes[out->length - 1] != DW_OP_addr)
        return false;
    out->bytes[out->length - 1] = DW_OP_bregx;
    wt_buffer_append_number(out, (REGISTER & 0x7f) | 0x80, 1);
    wt_buffer_append_number(out, REGISTER >> 7, 1);
    for (unsigned i = 0; i < 5; i++, offset >>= 7) /* SLEB128 */
        wt_buffer_append_number(out, (offset & 0x7f) | (i < 4 ? 0x80 : 0), 1);
    wt_buffer_append_number(out, DW_OP_nop, WHOLE - 8);
    return true;
}

/* LLVM writes "work.tile" for a variable that it has declared as work_$_tile, since names have no
 * dots. */
static const struct sm_ptx_variable *find_variable(const struct sm_ptx_names *n,
                                                   struct ptx_name name)
{
    char text[1024];
    struct ptx_name own = {.at = text};
    const struct sm_ptx_variable *v = sm_ptx_variable(n->image, n->module, name);
    for (uint32_t i = 0; i < name.length; i++) {
        const bool is_dot = name.at[i] == '.';
        if (own.length + 3 > sizeof text)
            return v;
        memcpy(text + own.length, is_dot ? "_$_" : name.at + i, is_dot ? 3 : 1);
        own.length += is_dot ? 3 : 1;
    }
    return v ? v : sm_ptx_variable(n->image, n->module, own);
}

/* The place of a label in the lists of locations. */
static bool find_list(const struct sm_ptx_names *n, struct ptx_name name, uint64_t *offset)
{
    for (size_t i = 0; i < n->text->section_count; i++)
        if (ptx_name_is(n->text->section[i].name, ".debug_loc") &&
            ptx_section_label(&n->text->section[i], name, offset)) {
            *offset += n->locations;
            return true;
        }
    return false;
}

static bool value_of_name(void *context, struct ptx_name name, unsigned size, struct wt_buffer *out)
{
    const struct sm_ptx_names *n = context;
    uint64_t address = 0;
    if (*name.at == '.')
        return value_of_section(n, name, size, out);
    if (find_label(n, name, &address) || (size == 4 && find_list(n, name, &address))) {
        wt_buffer_append_number(out, address, size);
        return true;
    }
    const struct sm_ptx_variable *v = size == 8 ? find_variable(n, name) : NULL;
    if (v) {
        struct sm_ptx_sections *to = n->to;
        const struct sm_ptx_variable **grown = wt_array_grow(
            to->described, &to->described_room, to->described_count + 1, sizeof *grown);
        if (!grown)
            return false;
        to->described = grown;
        grown[to->described_count++] = v;
        return put_variable(v, out);
    }
    /* A variable that does not exist has no location: the expression is emptied. */
    if (size == 8 && !out->failed && out->length && out->bytes[out->length - 1] == DW_OP_addr) {
        out->bytes[out->length - 1] = DW_OP_nop;
        wt_buffer_append_number(out, DW_OP_nop * UINT64_C(0x0101010101010101), 8);
        return true;
    }
    return false;
}

static bool has_failed(const struct sm_ptx_sections *s)
{
    return s->information.failed || s->abbreviations.failed || s->strings.failed ||
           s->locations.failed;
}

/* Whether abbreviations are of a compile unit without children alone: line tables only. */
static bool has_units_alone(const uint8_t *bytes, size_t length)
{
    size_t end = 3; /* code, tag, children */
    if (length < end || bytes[0] > 127 || bytes[1] != DW_TAG_compile_unit ||
        bytes[2] != DW_CHILDREN_no)
        return false;
    while (end + 2 <= length && (bytes[end] || bytes[end + 1]))
        end += 2; /* an attribute and its form, of a byte each */
    return end + 2 >= length || !bytes[end + 2];
}

/* Adds the sections of a text. False: it has none that are sound and tell more than lines, and
 * nothing is added. */
static bool take_sections(const struct ptx_linked *p, uint32_t module, struct sm_ptx_sections *to)
{
    const struct ptx_module *text = p->module[module].text;
    struct sm_ptx_names names = {.image = p->image,
                                 .text = text,
                                 .module = module,
                                 .to = to,
                                 .abbreviations = to->abbreviations.length,
                                 .locations = to->locations.length,
                                 .strings = to->strings.length,
                                 .information = to->information.length};
    const size_t references = to->reference_count, described = to->described_count;
    const struct {
        const char *name;
        struct wt_buffer *bytes;
    } wanted[] = {{".debug_info", &to->information},
                  {".debug_abbrev", &to->abbreviations},
                  {".debug_str", &to->strings},
                  {".debug_loc", &to->locations}};
    bool good = has_numbered_files(text);
    for (size_t i = 0; i < text->section_count && good; i++)
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
            if (ptx_name_is(text->section[i].name, wanted[k].name) &&
                ptx_section_bytes(&text->section[i], value_of_name, &names, wanted[k].bytes,
                                  WT_IGNORED) != WT_OK)
                good = false;
    const size_t first = names.abbreviations, length = to->abbreviations.length;
    if (good && !has_failed(to) && to->information.length > names.information && length > first &&
        !has_units_alone(to->abbreviations.bytes + first, length - first))
        return true;
    to->information.length = names.information;
    to->abbreviations.length = names.abbreviations;
    to->strings.length = names.strings;
    to->locations.length = names.locations;
    to->reference_count = references;
    to->described_count = described;
    return false;
}

static struct line_elf_bytes bytes_of(const struct wt_buffer *b)
{
    return (struct line_elf_bytes){b->bytes, b->length};
}

static void free_sections(struct sm_ptx_sections *s)
{
    free(s->information.bytes);
    free(s->abbreviations.bytes);
    free(s->strings.bytes);
    free(s->locations.bytes);
    free(s->reference);
    free(s->described);
}

/* ---- the module ---- */

/* The debug information that is made for a module; each text is a unit. */
struct making {
    struct sm_ptx_sections sections;
    struct files *files;
    struct line_elf_unit *unit;
    struct line_elf_row *rows;
    struct line_elf_symbol *symbols;
    struct line_elf_datum *data;
    char *names; /* names of the data */
    size_t data_count;
    struct line_elf_parameter *parameters;
    size_t parameter_count;
};

static bool is_described(const struct sm_ptx_sections *s, const struct sm_ptx_variable *v)
{
    for (size_t i = 0; i < s->described_count; i++)
        if (s->described[i] == v)
            return true;
    return false;
}

/* An array of shared memory whose length the launch gives (PTX manual, 5.4.4); *place: where it
 * begins, behind the kernel's own. False: it is another variable, or kernels have it elsewhere. */
static bool find_dynamic(const struct sm_ptx *image, const struct ptx_variable *v, uint64_t *place)
{
    size_t count;
    const struct sm_ptx_kernel *f = sm_ptx_kernels(image, &count);
    bool any = false;
    if (v->space != PTX_SPACE_SHARED || v->linkage != PTX_EXTERN || v->bytes || !v->is_array)
        return false;
    for (size_t i = 0; i < count; i++) {
        const uint64_t end = (uint64_t)(f[i].shared + 15) / 16 * 16;
        if (!f[i].is_kernel)
            continue;
        if (any && end != *place)
            return false;
        any = true;
        *place = end;
    }
    return any;
}

static bool is_global(const struct ptx_module *text, size_t variable)
{
    size_t k = 0;
    while (k < text->global_count && text->global[k] != variable)
        k++;
    return k < text->global_count;
}

/* The variables of the texts that their debug information does not describe (there is none, or line
 * tables only), with PTX's types. */
static bool make_data(const struct ptx_linked *p, struct making *m)
{
    size_t most = 0, room = 1, used = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct ptx_module *text = p->module[i].text;
        most += text->variable_count;
        for (size_t k = 0; k < text->variable_count; k++)
            room += text->variable[k].name.length + 1;
    }
    m->data = calloc(most + 1, sizeof *m->data);
    m->names = malloc(room);
    if (!m->data || !m->names)
        return false;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct ptx_module *text = p->module[i].text;
        for (size_t k = 0; k < text->variable_count; k++) {
            const struct ptx_variable *v = &text->variable[k];
            const struct sm_ptx_variable *at = sm_ptx_variable(p->image, i, v->name);
            struct line_elf_datum *d = &m->data[m->data_count];
            uint64_t dynamic = 0;
            if (!is_global(text, k) && v->space != PTX_SPACE_SHARED)
                continue;
            const bool is_open = find_dynamic(p->image, v, &dynamic);
            if (!is_open && (!at || at->module != i || at->space == PTX_SPACE_LOCAL ||
                             is_described(&m->sections, at)))
                continue;
            if ((!v->bytes && !is_open) || !sm_ptx_datum(v, d))
                continue;
            if (sm_ptx_is_guess(v->type, text->file_count))
                d->encoding = LINE_ELF_GUESS;
            d->is_open = is_open;
            d->address = is_open
                             ? SM_SHARED_WINDOW + dynamic
                             : at->place + (at->space == PTX_SPACE_SHARED ? SM_SHARED_WINDOW : 0);
            sm_ptx_name_datum(m->data, m->data_count, v->name, m->names + used, v->name.length + 1);
            d->name = m->names + used;
            used += v->name.length + 1;
            m->data_count++;
        }
    }
    return true;
}

/* The results and parameters of all functions, by PTX's names and types. */
static bool make_parameters(const struct ptx_linked *p, struct making *m)
{
    size_t functions, most = 0;
    const struct sm_ptx_kernel *f = sm_ptx_kernels(p->image, &functions);
    for (size_t i = 0; i < functions; i++)
        most += f[i].parameter_count + 1;
    m->parameters = calloc(most + 1, sizeof *m->parameters);
    for (size_t i = 0; m->parameters && i < functions; i++) {
        struct line_elf_parameter *result = &m->parameters[m->parameter_count];
        if (f[i].result && sm_ptx_datum(f[i].result, &result->own)) {
            result->function = f[i].entry;
            result->is_result = true;
            m->parameter_count++;
        }
        for (size_t k = 0; k < f[i].parameter_count; k++) {
            struct line_elf_parameter *to = &m->parameters[m->parameter_count];
            /* One of no known type has its number all the same. */
            if (!sm_ptx_datum(f[i].parameter[k].declared, &to->own))
                to->own =
                    (struct line_elf_datum){.type = "b8", .encoding = DW_ATE_unsigned, .size = 1};
            to->own.name = f[i].parameter[k].name;
            to->function = f[i].entry;
            m->parameter_count++;
        }
    }
    return m->parameters != NULL;
}

static bool make_units(const struct ptx_linked *p, struct making *m)
{
    m->files = calloc(p->count, sizeof *m->files);
    m->unit = calloc(p->count, sizeof *m->unit);
    if (!m->files || !m->unit)
        return false;
    for (uint32_t i = 0; i < p->count; i++) {
        const bool described = take_sections(p, i, &m->sections);
        if (!collect_files(&p->module[i], described, &m->files[i]))
            return false;
        m->unit[i] = (struct line_elf_unit){.name = p->module[i].name,
                                            .file = m->files[i].name,
                                            .file_count = m->files[i].count,
                                            .is_described = described};
    }
    return !has_failed(&m->sections);
}

static void free_making(const struct ptx_linked *p, struct making *m)
{
    for (size_t i = 0; m->files && i < p->count; i++)
        free_files(&m->files[i]);
    free(m->files);
    free(m->unit);
    free(m->rows);
    free(m->symbols);
    free(m->data);
    free(m->parameters);
    free(m->names);
    free_sections(&m->sections);
}

/* Notes the texts whose own lines are in the line table: no file has them. */
static void note_sources(const struct making *m, const struct line_elf *elf, bool *is_source)
{
    for (size_t i = 0; i < elf->row_count; i++)
        is_source[elf->row[i].unit] |= elf->row[i].file == m->files[elf->row[i].unit].own_text;
}

enum wt_status sm_ptx_elf(const struct sm_ptx *image, const struct sm_ptx_module *modules,
                          size_t count, bool *is_source, uint8_t **bytes, size_t *length,
                          struct wt_error *err)
{
    const struct ptx_linked p = {image, modules, count};
    struct making m = {.files = NULL};
    struct line_elf elf = {
        .producer = "wavetrap", .machine = CUBIN_ELF_MACHINE, .unit_count = count};
    enum wt_status status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    elf.code = sm_ptx_code(image, &elf.code_size);
    elf.address = sm_ptx_code_address(image);
    m.symbols = symbols_of(&p, &elf.symbol_count);
    if (m.symbols && make_units(&p, &m) && make_data(&p, &m) && make_parameters(&p, &m) &&
        add_rows(&p, m.files, m.unit, &m.rows, &elf.row_count)) {
        elf.information = bytes_of(&m.sections.information);
        elf.abbreviations = bytes_of(&m.sections.abbreviations);
        elf.strings = bytes_of(&m.sections.strings);
        elf.locations = bytes_of(&m.sections.locations);
        elf.reference = m.sections.reference;
        elf.reference_count = m.sections.reference_count;
        elf.symbol = m.symbols;
        elf.datum = m.data;
        elf.datum_count = m.data_count;
        elf.parameter = m.parameters;
        elf.parameter_count = m.parameter_count;
        elf.unit = m.unit;
        elf.row = m.rows;
        if (is_source)
            note_sources(&m, &elf, is_source);
        status = line_elf_write(&elf, bytes, length, err);
    }
    free_making(&p, &m);
    return status;
}

static bool no_name(void *context, struct ptx_name name, unsigned size, struct wt_buffer *out)
{
    return false;
}

bool ptx_describes_variables(const struct ptx_module *text)
{
    struct wt_buffer bytes = {.bytes = NULL};
    bool does = false;
    for (size_t i = 0; i < text->section_count && !does; i++)
        does = ptx_name_is(text->section[i].name, ".debug_abbrev") &&
               ptx_section_bytes(&text->section[i], no_name, NULL, &bytes, WT_IGNORED) == WT_OK &&
               !bytes.failed && bytes.length && !has_units_alone(bytes.bytes, bytes.length);
    free(bytes.bytes);
    return does;
}
