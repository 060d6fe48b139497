/* Source files: list, info line, info source, info symbol, info functions, disassemble. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/demangle.h"
#include "frontend/console/internal.h"

/* "demangle [--] NAME" */
enum wt_status do_demangle(struct wt_shell *c, const char *text, struct wt_error *err)
{
    char name[2000];
    if (strncmp(text, "-- ", 3) == 0)
        text = wt_skip_blanks(text + 3);
    if (!*text)
        return wt_fail(err, WT_INVALID, "demangle takes a name, as compilers of C++ write it");
    wt_demangle(text, name, sizeof name);
    if (strcmp(name, text) == 0)
        return wt_fail(err, WT_INVALID, "Can't demangle \"%s\"", text);
    fprintf(c->out, "%s\n", name);
    return WT_OK;
}

/* ---- list ---- */

enum wt_status do_list(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_text_file *f;
    const enum wt_status status = wt_program_list(c->program, text, c->settings.list_size, &f, err);
    for (unsigned n = c->program->list_first; !status && n <= c->program->list_last; n++)
        fprintf(c->out, "%u\t%s\n", n, f->line[n - 1]);
    return status;
}

/* The next line of the source, or the one before, that has such a text. */
static enum wt_status search(struct wt_shell *c, const char *text, bool back, struct wt_error *err)
{
    struct wt_program *g = c->program;
    const struct wt_text_file *f = g->list_file ? wt_program_open_source(g, g->list_file) : NULL;
    regex_t wanted;
    if (!f || !f->path)
        return wt_fail(err, WT_STATE, "No source file is listed: 'list' shows one.");
    const enum wt_status status = take_pattern(text, "search", 0, &wanted, err);
    if (status)
        return status;
    size_t n = back ? g->list_first : g->list_last + (size_t)1;
    for (n -= back; n >= 1 && n <= f->line_count; n += back ? -1 : 1)
        if (regexec(&wanted, f->line[n - 1], 0, NULL, 0) == 0)
            break;
    regfree(&wanted);
    if (n < 1 || n > f->line_count)
        return wt_fail(err, WT_INVALID, "Expression not found");
    fprintf(c->out, "%zu\t%s\n", n, f->line[n - 1]);
    g->list_first = g->list_last = (unsigned)n;
    set_variable(c, "_", "%zu", n);
    return WT_OK;
}

enum wt_status do_search(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return search(c, text, false, err);
}

enum wt_status do_reverse_search(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return search(c, text, true, err);
}

/* ---- info ---- */

enum wt_status do_info_files(struct wt_shell *c, const char *text, struct wt_error *err)
{
    fprintf(c->out, "Program: %s\n", c->options.program ? c->options.program : "none");
    return do_info_modules(c, text, err);
}

enum wt_status do_info_source(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = take_no_arguments(text, "info source", err);
    if (status)
        return status;
    const struct wt_frame *frame;
    if (wt_program_need_frame(c->program, &frame, WT_IGNORED) != WT_OK || !frame->path) {
        fputs("No current source file.\n", c->out);
        return WT_OK;
    }
    const struct wt_text_file *f = wt_program_open_source(c->program, frame->path);
    fprintf(c->out, "Current source file is %s\n", frame->file);
    fprintf(c->out, "Located in %s\n", f && f->path ? f->path : "(not found)");
    if (f && f->path)
        fprintf(c->out, "Contains %zu lines.\n", f->line_count);
    return WT_OK;
}

enum wt_status do_info_line(struct wt_shell *c, const char *text, struct wt_error *err)
{
    uint64_t *list;
    size_t count;
    enum wt_status status = wt_program_resolve_lines(c->program, text, &list, &count, err);
    if (status)
        return status;
    for (size_t i = 0; i < count; i++) {
        struct wt_frames *frames = wt_frames_at(c->program->debugger, c->program->modules, list[i]);
        const struct wt_frame *frame = frames ? wt_frames_get(frames, 0) : NULL;
        struct wt_line_row row;
        if (frame && frame->file && wt_symbols_row(frame->symbols, list[i] - frame->bias, &row)) {
            const struct wt_view view = wt_program_view(c->program);
            char start[300], end[300];
            wt_source_symbol_at(&view, row.start + frame->bias, false, start, sizeof start);
            wt_source_symbol_at(&view, row.end + frame->bias, false, end, sizeof end);
            fprintf(c->out,
                    "Line %u of \"%s\" starts at address 0x%" PRIx64 "%s%s and ends at 0x%" PRIx64
                    "%s%s.\n",
                    frame->line, frame->file, row.start + frame->bias, *start ? " " : "", start,
                    row.end + frame->bias, *end ? " " : "", end);
            c->examine.address = row.start + frame->bias;
            c->examine.space = 0;
            c->examine.any = true;
        } else {
            fprintf(c->out, "No line number information available for address 0x%" PRIx64 "\n",
                    list[i]);
        }
        wt_frames_free(frames);
    }
    free(list);
    return WT_OK;
}

enum wt_status do_info_symbol(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_view view = wt_program_view(c->program);
    uint64_t address;
    char symbol[300];
    enum wt_status status = *text ? wt_program_address(c->program, text, &address, err)
                                  : wt_fail(err, WT_INVALID, "Argument required (address).");
    if (status)
        return status;
    wt_source_symbol_at(&view, address, false, symbol, sizeof symbol);
    if (!symbol[0])
        wt_source_symbol_at(&view, address, true, symbol, sizeof symbol);
    if (!symbol[0]) {
        fprintf(c->out, "No symbol matches %s.\n", text);
        return WT_OK;
    }
    symbol[strlen(symbol) - 1] = 0;
    char *plus = strchr(symbol, '+');
    if (plus)
        *plus = 0;
    fprintf(c->out, plus ? "%s + %s\n" : "%s\n", symbol + 1, plus ? plus + 1 : "");
    return WT_OK;
}

enum wt_status do_info_address(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_view view = wt_program_view(c->program);
    struct wt_values v;
    if (!*text)
        return wt_fail(err, WT_INVALID, "Argument required.");
    enum wt_status status = wt_source_evaluate(&view, text, &v, err);
    if (status)
        return status;
    if (v.in_memory)
        fprintf(c->out, "Symbol \"%s\" is at %s%s0x%" PRIx64 ".\n", text,
                v.space ? c->program->topology->spaces[v.space].name : "", v.space ? "#" : "",
                v.address[0]);
    else if (v.reg >= 0)
        fprintf(c->out, "Symbol \"%s\" is in $%s.\n", text,
                c->program->topology->registers[v.reg].name);
    else if (v.state[0] == WT_VALUE_LOST)
        fprintf(c->out, "Symbol \"%s\" is optimized out.\n", text);
    else
        fprintf(c->out, "Symbol \"%s\" is computed.\n", text);
    wt_values_free(&v);
    return WT_OK;
}

static enum wt_status list_names(struct wt_shell *c, const char *text, enum wt_name_kind kind,
                                 const char *what)
{
    size_t modules, count;
    const struct wt_module *m = wt_modules_list(c->program->modules, &modules);
    if (*text)
        fprintf(c->out, "All %s with \"%s\" in their names:\n", what, text);
    else
        fprintf(c->out, "All defined %s:\n", what);
    for (size_t i = 0; i < modules; i++) {
        struct wt_info *info = wt_symbols_info(m[i].symbols);
        const struct wt_name *names = info ? wt_info_names(info, &count) : NULL;
        for (size_t k = 0; names && k < count; k++) {
            Dwarf_Die die = names[k].die;
            uint64_t start, end;
            if (names[k].kind != kind || (*text && !strstr(names[k].name, text)) ||
                (kind == WT_NAME_FUNCTION && !wt_info_entry(&die, &start, &end)) ||
                (k && names[k - 1].kind == kind && strcmp(names[k - 1].name, names[k].name) == 0))
                continue;
            if (kind == WT_NAME_FUNCTION)
                fprintf(c->out, "0x%" PRIx64 "  ", start + m[i].bias);
            if (kind == WT_NAME_TYPE)
                fputs(names[k].name, c->out);
            else
                wt_type_print_declared(c->out,
                                       kind == WT_NAME_FUNCTION
                                           ? wt_types_read(wt_info_types(info), &die)
                                           : wt_types_of(wt_info_types(info), &die),
                                       names[k].name);
            fputs(kind == WT_NAME_TYPE ? "\n" : ";\n", c->out);
        }
    }
    return WT_OK;
}

/* Functions without debug information. */
struct bare_symbols {
    struct wt_shell *shell;
    const struct wt_module *module;
    const char *text;
    bool any;
};

static bool list_bare_symbol(void *context, const char *name, uint64_t addr, uint64_t size,
                             bool code)
{
    struct bare_symbols *b = context;
    Dwarf_Die scope[WT_SCOPES];
    char plain[1024];
    struct wt_info *info = wt_symbols_info(b->module->symbols);
    if (!code || (info && wt_info_scopes(info, addr, scope)))
        return true;
    wt_demangle(name, plain, sizeof plain);
    if (*b->text && !strstr(plain, b->text))
        return true;
    if (!b->any)
        fputs("\nNon-debugging symbols:\n", b->shell->out);
    b->any = true;
    fprintf(b->shell->out, "0x%0*" PRIx64 "  %s\n",
            (int)b->shell->program->topology->address_bits / 4, addr + b->module->bias, plain);
    return true;
}

enum wt_status do_info_functions(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct bare_symbols bare = {.shell = c, .text = text};
    size_t count;
    const struct wt_module *m = wt_modules_list(c->program->modules, &count);
    list_names(c, text, WT_NAME_FUNCTION, "functions");
    for (size_t i = 0; i < count; i++) {
        bare.module = &m[i];
        if (m[i].symbols)
            wt_symbols_each(m[i].symbols, list_bare_symbol, &bare);
    }
    return WT_OK;
}

enum wt_status do_info_variables(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return list_names(c, text, WT_NAME_VARIABLE, "variables");
}

enum wt_status do_info_types(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return list_names(c, text, WT_NAME_TYPE, "types");
}

struct console_file_seen {
    struct wt_shell *c;
    const char **list;
    size_t count, capacity;
};

static bool print_file(void *context, const char *file)
{
    struct console_file_seen *s = context;
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->list[i], file) == 0)
            return true;
    const char **grown = wt_array_grow(s->list, &s->capacity, s->count + 1, sizeof(const char *));
    if (!grown)
        return false;
    s->list = grown;
    grown[s->count++] = file;
    fprintf(s->c->out, "%s\n", file);
    return true;
}

enum wt_status do_info_sources(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct console_file_seen seen = {.c = c};
    size_t count;
    enum wt_status status = take_no_arguments(text, "info sources", err);
    if (status)
        return status;
    const struct wt_module *m = wt_modules_list(c->program->modules, &count);
    for (size_t i = 0; i < count; i++)
        wt_symbols_files(m[i].symbols, print_file, &seen);
    free(seen.list);
    return WT_OK;
}

/* ---- disassemble ---- */

/* Prints marks of the waves that are at an address. */
static void put_marks(struct wt_shell *c, uint64_t addr, const struct wt_work *work)
{
    const wt_wave_id own = wt_program_own_wave(c->program);
    const char *before = "\t; also here: ";
    for (size_t i = 0; i < work->wave_count; i++) {
        const struct wt_wave_info *info = &work->wave[i];
        if (info->wave.id == own || info->running || info->pc != addr)
            continue;
        fprintf(c->out, "%s%u/%u", before, info->wave.core, info->wave.slot);
        before = ",";
    }
}

static enum wt_status disassemble_line(struct wt_shell *c, uint64_t *at, uint64_t pc, bool raw,
                                       uint64_t function, const struct wt_work *work,
                                       struct wt_error *err)
{
    struct wt_code_line line;
    const enum wt_status status = wt_program_instruction(c->program, *at, &line, err);
    if (status)
        return status;
    fprintf(c->out, "%s0x%0*" PRIx64, *at == pc ? "=> " : "   ",
            (int)c->program->topology->address_bits / 4, *at);
    if (function)
        fprintf(c->out, " <+%" PRIu64 ">:\t", *at - function);
    else
        fputs(":\t", c->out);
    if (raw || !*line.text) {
        for (unsigned i = 0; i < line.length; i++)
            fprintf(c->out, "%02x ", line.bytes[i]);
        fputs(*line.text ? "\t" : "", c->out);
    }
    fputs(line.text, c->out);
    put_marks(c, *at, work);
    fputc('\n', c->out);
    *at += line.length;
    return WT_OK;
}

enum wt_status do_disassemble(struct wt_shell *c, const char *text, struct wt_error *err)
{
    bool source = false, raw = false;
    uint64_t start = 0, end = 0, function = 0;
    const struct wt_frame *frame = NULL;
    enum wt_status status = WT_OK;
    while (*text == '/') {
        for (text++; isalpha((unsigned char)*text); text++) {
            if (*text == 's' || *text == 'm')
                source = true;
            else if (*text == 'r')
                raw = true;
            else
                return wt_fail(err, WT_INVALID, "Invalid disassembly modifier.");
        }
        text = wt_skip_blanks(text);
    }
    const char *comma = strchr(text, ',');
    wt_program_need_frame(c->program, &frame, WT_IGNORED);
    const uint64_t pc = frame ? frame->pc : UINT64_MAX;
    if (comma) {
        char *from = strndup(text, (size_t)(comma - text));
        const char *to = wt_skip_blanks(comma + 1);
        status = from ? wt_program_address(c->program, from, &start, err)
                      : wt_fail(err, WT_NO_MEMORY, "no host memory");
        free(from);
        if (!status)
            status = wt_program_address(c->program, *to == '+' ? to + 1 : to, &end, err);
        if (!status)
            status = wt_program_check_begins(c->program, start, err);
        if (status)
            return status;
        if (*to == '+')
            end += start;
    } else {
        struct wt_function f;
        uint64_t at = pc;
        if (*text)
            status = wt_program_address(c->program, text, &at, err);
        else if (!frame)
            status = wt_fail(err, WT_STATE, "No frame selected.");
        if (status || (status = wt_program_function_at(c->program, at, &f, err)) != WT_OK)
            return status;
        fprintf(c->out, "Dump of assembler code for function %s:\n", f.name);
        start = function = f.start;
        end = f.end;
    }
    if (end - start > 1u << 20)
        return wt_fail(err, WT_INVALID, "at most a million bytes of code are shown");
    struct wt_work work;
    wt_program_work(c->program, &work, WT_IGNORED);
    unsigned last_line = 0;
    for (uint64_t at = start; at < end && !status;) {
        const char *file;
        unsigned line;
        at = wt_modules_first_instruction(c->program->modules, at);
        if (source && wt_modules_line(c->program->modules, 0, at, &file, &line) &&
            line != last_line) {
            struct wt_text_file *f = wt_program_open_source(c->program, file);
            if (f && f->path && line <= f->line_count)
                fprintf(c->out, "%u\t%s\n", line, f->line[line - 1]);
            last_line = line;
        }
        status = disassemble_line(c, &at, pc, raw, function, &work, err);
    }
    wt_work_free(&work);
    if (!status && !comma)
        fputs("End of assembler dump.\n", c->out);
    return status;
}
