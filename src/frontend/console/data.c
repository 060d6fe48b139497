/* Values: print, output, x, display, ptype, whatis, set var, registers. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/text.h"
#include "frontend/console/internal.h"

/* ---- formats ---- */

/* Reads it, if there is one, and advances *text. */
enum wt_status take_format(const char **text, struct format_spec *spec, struct wt_error *err)
{
    const char *at = *text;
    if (*at != '/')
        return WT_OK;
    at++;
    bool negative = *at == '-';
    if (negative)
        at++;
    if (isdigit((unsigned char)*at)) {
        char *end;
        spec->count = (int64_t)strtoull(at, &end, 10);
        if (negative)
            spec->count = -spec->count;
        at = end;
    }
    for (; isalpha((unsigned char)*at); at++) {
        if (strchr("bhwg", *at))
            spec->size = *at;
        else if (strchr("xduotcfsaiz", *at))
            spec->letter = *at;
        else
            return wt_fail(err, WT_INVALID, "Undefined output format \"%c\".", *at);
    }
    if (*at && !isspace((unsigned char)*at))
        return wt_fail(err, WT_INVALID, "Undefined output format \"%c\".", *at);
    *text = wt_skip_blanks(at);
    return WT_OK;
}

/* ---- print ---- */

/* "@" selects lanes; a user of GDB may have meant its operator for arrays: "table[0..15]" for
 * "table@16", "p[0..15]" for "*p@16". False: the text is nothing like these. */
static bool put_elements(const struct wt_view *view, const char *text, char *out, size_t size)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.->[]$:";
    const bool follows = *text == '*';
    const char *name = wt_skip_blanks(text + follows), *at = name + strspn(name, letters);
    const size_t length = (size_t)(at - name);
    char left[200];
    const struct wt_type *type;
    bool is_name;
    at = wt_skip_blanks(at);
    const char *number = wt_skip_blanks(at + (*at == '@'));
    if (*at != '@' || !isdigit((unsigned char)*number) || strstr(at, "..") || length >= sizeof left)
        return false;
    snprintf(left, sizeof left, "%.*s", (int)length, name);
    const unsigned long count = strtoul(number, NULL, 10);
    if (!count || wt_source_type_of(view, left, &type, &is_name, WT_IGNORED) || is_name)
        return false;
    const enum wt_type_kind kind = wt_type_plain(type)->kind;
    if (kind != WT_TYPE_ARRAY && !(follows && kind == WT_TYPE_POINTER))
        return false;
    snprintf(out, size, "%s[0..%lu]", left, count - 1);
    return true;
}

static void hint_elements(struct wt_shell *c, const struct wt_view *view, const char *text)
{
    char elements[240];
    if (c->hinted.values || !put_elements(view, text, elements, sizeof elements))
        return;
    c->hinted.values = true;
    fprintf(c->out, "('@' selects lanes here. Elements: %s)\n", elements);
}

void hint_logic(struct wt_shell *c, const struct wt_view *view, const char *text)
{
    if (c->hinted.logic || !strchr(text, '@') || !wt_source_selects_logic(view, text))
        return;
    c->hinted.logic = true;
    fputs("('@' binds weakest: a && x@0 is (a && x)@0. For x in lane 0: a && (x@0))\n", c->out);
}

void print_lanes(struct wt_shell *c, const struct wt_view *view, const struct wt_values *values,
                 const struct wt_format *format)
{
    wt_print_lanes(c->out, c->program->debugger, view, values, format,
                   wt_style(&c->words, WT_STYLE_DIM), wt_style(&c->words, WT_STYLE_PLAIN));
}

/* A register of the current wave, for print_operand. */
static bool read_by_name(void *context, const char *name, uint8_t *bytes, size_t size)
{
    struct wt_shell *c = context;
    for (unsigned i = 0; i < c->program->topology->register_count; i++) {
        const struct wt_register *r = &c->program->topology->registers[i];
        if (strcmp(r->name, name) == 0 && wt_register_size(r) == size)
            return wt_program_need_thread(c->program, WT_IGNORED) == WT_OK &&
                   wt_debugger_read_registers(c->program->debugger, c->program->thread, &i, 1,
                                              bytes, WT_IGNORED) == WT_OK;
    }
    return false;
}

/* "print r4.1<16;8,2>:w": an operand in the device's assembly notation is printed by the family,
 * and not parsed as an expression. */
static enum wt_status print_operand(struct wt_shell *c, const char *text, char letter,
                                    bool *is_operand, struct wt_error *err)
{
    *is_operand = false;
    return c->options.print_operand
               ? c->options.print_operand(c->options.context, c->out, text, letter, read_by_name, c,
                                          is_operand, err)
               : WT_OK;
}

/* Evaluates an expression and prints it; `keep`: as "$N = ", in the history of values. */
enum wt_status print_expression(struct wt_shell *c, const char *text, char letter, bool keep,
                                struct wt_error *err)
{
    const struct wt_view view = wt_program_view(c->program);
    struct wt_values values;
    bool is_operand;
    enum wt_status status = print_operand(c, text, letter, &is_operand, err);
    if (status || is_operand)
        return status;
    if ((status = wt_source_evaluate(&view, *text ? text : "$", &values, err)) != WT_OK) {
        char elements[240], why[sizeof err->text];
        if (put_elements(&view, text, elements, sizeof elements)) {
            snprintf(why, sizeof why, "%s", err->text);
            wt_fail(err, status, "%s. Elements: %s", why, elements);
        }
        return status;
    }
    if ((status = wt_values_check(&values, err)) != WT_OK) {
        wt_values_free(&values);
        return status;
    }
    const struct wt_format format = wt_words_format(&c->words, letter, true);
    if (values.selected)
        hint_elements(c, &view, text);
    hint_logic(c, &view, text);
    const unsigned number = keep ? wt_source_keep(c->program->source, &values) : 0;
    if (number)
        fprintf(c->out, "$%u = ", number);
    wt_report_values(c->options.report, text, number, &view, &values, &format);
    if (values.selected && values.lane_count > 1) {
        print_lanes(c, &view, &values, &format);
    } else {
        wt_values_print(c->out, &view, &values, 0, &format);
        if (keep)
            fputc('\n', c->out);
    }
    wt_values_free(&values);
    if (strchr(text, '='))
        wt_program_refresh_frames(c->program);
    return WT_OK;
}

enum wt_status print_with_format(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct format_spec spec = {.count = 1};
    enum wt_status status = take_format(&text, &spec, err);
    if (status)
        return status;
    if (spec.size || spec.count != 1)
        return wt_fail(err, WT_INVALID,
                       spec.size ? "Size letters are meaningless in \"print\" "
                                   "command."
                                 : "Item count other than 1 is meaningless in "
                                   "\"print\" command.");
    if (spec.letter == 'i')
        return wt_fail(err, WT_INVALID, "Format letter \"i\" is meaningless in \"print\" command.");
    return print_expression(c, text, spec.letter, true, err);
}

enum wt_status do_output(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct format_spec spec = {.count = 1};
    enum wt_status status = take_format(&text, &spec, err);
    if (!status && !*text)
        status = wt_fail(err, WT_INVALID, "Argument required (expression to compute).");
    return status ? status : print_expression(c, text, spec.letter, false, err);
}

/* ---- types ---- */

/* "/ox": letters of GDB's ptype and whatis. What typedefs, r and t are about is not shown here. */
static enum wt_status take_type_flags(const char **text, struct wt_ptype_flags *flags,
                                      struct wt_error *err)
{
    const char *at = *text;
    if (*at++ != '/')
        return WT_OK;
    if (!*at || isspace((unsigned char)*at))
        return wt_fail(err, WT_INVALID, "flag expected");
    for (; *at && !isspace((unsigned char)*at); at++) {
        if (!strchr("rmMtToxd", *at))
            return wt_fail(err, WT_INVALID, "unrecognized flag '%c'", *at);
        if (*at == 'o')
            flags->offsets = true;
        if (*at == 'x' || *at == 'd')
            flags->hex = *at == 'x';
        if (strchr("omM", *at))
            flags->no_methods = *at != 'M';
    }
    *text = wt_skip_blanks(at);
    return WT_OK;
}

static enum wt_status print_type(struct wt_shell *c, const char *text, bool is_whole,
                                 struct wt_error *err)
{
    const struct wt_view view = wt_program_view(c->program);
    struct wt_ptype_flags flags = {0};
    const struct wt_type *type;
    bool is_name;
    enum wt_status status = take_type_flags(&text, &flags, err);
    if (status ||
        (status = wt_source_type_of(&view, *text ? text : "$", &type, &is_name, err)) != WT_OK)
        return status;
    /* For the name of a type, one level of typedef is left out. */
    if (is_name && !is_whole && type->kind == WT_TYPE_TYPEDEF && type->target)
        type = type->target;
    if (is_whole) {
        wt_type_print_definition(c->out, type, &flags);
    } else {
        fputs("type = ", c->out);
        wt_type_print(c->out, type);
    }
    fputc('\n', c->out);
    return WT_OK;
}

enum wt_status do_whatis(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return print_type(c, text, false, err);
}

enum wt_status do_ptype(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return print_type(c, text, true, err);
}

/* ---- x ---- */

static unsigned size_of(char size, const struct wt_shell *c)
{
    switch (size) {
    case 'b':
        return 1;
    case 'h':
        return 2;
    case 'g':
        return 8;
    case 'a':
        return c->program->topology->address_bits / 8;
    default:
        return 4;
    }
}

static enum wt_status read_at(struct wt_shell *c, uint64_t address, void *out, size_t size,
                              struct wt_error *err)
{
    const struct wt_view view = wt_program_view(c->program);
    const wt_thread thread = view.thread;
    if (wt_debugger_read_memory(c->program->debugger, thread,
                                (struct wt_address){c->examine.space, address}, out, size,
                                WT_IGNORED) != WT_OK)
        return wt_fail(err, WT_INVALID, "Cannot access memory at address 0x%" PRIx64, address);
    return WT_OK;
}

static void put_label(struct wt_shell *c, uint64_t address)
{
    const struct wt_view view = wt_program_view(c->program);
    char symbol[300] = "";
    if (c->examine.space == 0)
        wt_source_symbol_at(&view, address, false, symbol, sizeof symbol);
    else
        fprintf(c->out, "%s#", c->program->topology->spaces[c->examine.space].name);
    fprintf(c->out, "0x%" PRIx64 "%s%s:", address, symbol[0] ? " " : "", symbol);
}

static enum wt_status examine_string(struct wt_shell *c, struct wt_error *err)
{
    uint8_t text[201];
    size_t length = 0;
    enum wt_status status = WT_OK;
    while (length < 200) {
        if ((status = read_at(c, c->examine.address + length, &text[length], 1, err)) != WT_OK)
            break;
        if (!text[length])
            break;
        length++;
    }
    if (status && length == 0)
        return status;
    const struct wt_view view = wt_program_view(c->program);
    struct wt_types *types = wt_source_types(c->program->source);
    const struct wt_type *type =
        wt_types_array(types, wt_types_basic(types, "char"), length + (length < 200));
    const struct wt_format format = {0};
    if (length < 200)
        text[length] = 0;
    put_label(c, c->examine.address);
    fputc('\t', c->out);
    const struct wt_values read = {.type = type, .size = wt_type_size(type)};
    wt_values_print_bytes(c->out, &view, &read, text, &format);
    fputs(length == 200 ? "...\n" : "\n", c->out);
    c->examine.address += length + (length < 200);
    return WT_OK;
}

static enum wt_status examine_instruction(struct wt_shell *c, struct wt_error *err)
{
    const struct wt_view view = wt_program_view(c->program);
    struct wt_code_line line;
    const enum wt_status status =
        wt_program_instruction(c->program, c->examine.address, &line, err);
    if (status)
        return status;
    fputs(view.frame && view.frame->pc == line.addr ? "=> " : "   ", c->out);
    put_label(c, line.addr);
    fprintf(c->out, "\t%s", *line.text ? line.text : ".byte");
    for (unsigned i = 0; i < line.length && !*line.text; i++)
        fprintf(c->out, "%s0x%02x", i ? "," : " ", line.bytes[i]);
    fputc('\n', c->out);
    c->examine.address += line.length;
    return WT_OK;
}

static const struct wt_type *unit_type(struct wt_shell *c, char letter, unsigned size)
{
    struct wt_types *types = wt_source_types(c->program->source);
    if (letter == 'f')
        return wt_types_basic(types, size == 2 ? "_Float16" : size == 4 ? "float" : "double");
    return wt_types_integer(types, size, letter == 'd' || letter == 'c');
}

static enum wt_status examine_units(struct wt_shell *c, uint64_t count, struct wt_error *err)
{
    const struct wt_view view = wt_program_view(c->program);
    const char letter = c->examine.letter;
    const unsigned size = size_of(c->examine.size, c);
    const struct wt_type *type = unit_type(c, letter, size);
    struct wt_format format = {.letter = letter == 'f' ? 0 : letter == 'x' ? 'z' : letter};
    unsigned per_line = size == 8 ? 2 : size == 4 ? 4 : 8;
    if (letter == 't')
        per_line = size == 8 ? 1 : size == 4 ? 2 : size == 2 ? 8 : 8;
    if (letter == 'a')
        per_line = 2;
    if (letter == 'c')
        per_line = 8;
    for (uint64_t i = 0; i < count; i++) {
        uint8_t bytes[8];
        if (i % per_line == 0) {
            uint8_t probe[8];
            enum wt_status first = read_at(c, c->examine.address, probe, size, err);
            if (first) {
                if (i)
                    fputc('\n', c->out);
                return first;
            }
            if (i)
                fputc('\n', c->out);
            put_label(c, c->examine.address);
        }
        enum wt_status status = read_at(c, c->examine.address, bytes, size, err);
        if (status) {
            fputc('\n', c->out);
            return status;
        }
        fputc('\t', c->out);
        if (letter == 't') {
            for (unsigned bit = size * 8; bit-- > 0;)
                fputc(wt_load_le(bytes, size) >> bit & 1 ? '1' : '0', c->out);
        } else {
            wt_values_print_bytes(c->out, &view, &(struct wt_values){.type = type, .size = size},
                                  bytes, &format);
        }
        c->examine.address += size;
    }
    fputc('\n', c->out);
    return WT_OK;
}

/* The address that an expression is, or where its value is. */
static enum wt_status address_of(struct wt_shell *c, const char *text, struct wt_address *at,
                                 struct wt_error *err)
{
    const struct wt_view view = wt_program_view(c->program);
    struct wt_values values;
    enum wt_status status = wt_source_evaluate(&view, text, &values, err);
    if (status)
        return status;
    if (values.in_memory && wt_type_is_record(wt_type_plain(values.type)))
        *at = (struct wt_address){values.space, values.address[0]};
    else
        status = wt_values_address(&values, at, err);
    wt_values_free(&values);
    return status;
}

static enum wt_status print_allocation(struct wt_shell *c, const char *text,
                                       enum wt_allocation_of what, struct wt_error *err)
{
    struct wt_address at = {0};
    if (!*text)
        return wt_fail(err, WT_INVALID, "it takes an address: an expression");
    enum wt_status status = wt_program_need_thread(c->program, err);
    if (status || (status = address_of(c, text, &at, err)) != WT_OK)
        return status;
    return wt_checks_print_object(c->program->debugger, c->options.checks, c->program->thread, at,
                                  what, c->out, err);
}

enum wt_status do_info_allocation(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return print_allocation(c, text, WT_ALLOCATION, err);
}

enum wt_status do_who_allocated(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return print_allocation(c, text, WT_WHO_ALLOCATED, err);
}

enum wt_status do_who_freed(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return print_allocation(c, text, WT_WHO_FREED, err);
}

static enum wt_status examine(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct format_spec spec = {.count = 1};
    enum wt_status status = take_format(&text, &spec, err);
    if (status)
        return status;
    if (*text) {
        struct wt_address at = {0};
        if ((status = address_of(c, text, &at, err)) != WT_OK)
            return status;
        c->examine.address = at.offset;
        c->examine.space = at.space;
    } else if (!c->examine.any) {
        c->examine.address = 0;
    }
    c->examine.any = true;
    c->examine.begin = c->examine.address;
    if (spec.letter)
        c->examine.letter = spec.letter;
    if (!c->examine.letter)
        c->examine.letter = 'x';
    if (spec.size)
        c->examine.size = spec.size;
    else if (spec.letter == 'a')
        c->examine.size = c->program->topology->address_bits == 64 ? 'g' : 'w';
    else if (spec.letter == 'c')
        c->examine.size = 'b';
    else if (!c->examine.size)
        c->examine.size = 'w';
    if (spec.count < 0 || spec.count > 1 << 20)
        return wt_fail(err, WT_INVALID, "x shows up to 1048576 units at and above an address");
    if (c->examine.letter == 'i')
        status = wt_program_check_begins(c->program, c->examine.address, err);
    else if (c->examine.letter != 's')
        return spec.count ? examine_units(c, (uint64_t)spec.count, err) : WT_OK;
    for (int64_t i = 0; i < spec.count && !status; i++)
        status = c->examine.letter == 's' ? examine_string(c, err) : examine_instruction(c, err);
    return status;
}

/* $_ is the last address that x has shown, $__ what is there. */
static void keep_examined(struct wt_shell *c, uint64_t begin)
{
    static const char *const types[] = {[1] = "unsigned char",
                                        [2] = "unsigned short",
                                        [4] = "unsigned int",
                                        [8] = "unsigned long long"};
    const unsigned size = size_of(c->examine.size, c);
    const bool units = c->examine.letter != 's' && c->examine.letter != 'i';
    const uint64_t at = units && c->examine.address > begin ? c->examine.address - size : begin;
    if (c->examine.space)
        return;
    set_variable(c, "_", "(%s *)0x%" PRIx64, types[units ? size : 1], at);
    set_variable(c, "__", "*(%s *)0x%" PRIx64, types[units ? size : 1], at);
}

static enum wt_status examine_memory(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const enum wt_status status = examine(c, text, err);
    if (!status && c->examine.any)
        keep_examined(c, c->examine.begin);
    return status;
}

enum wt_status do_x(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return examine_memory(c, text, err);
}

/* ---- display ---- */

static enum wt_status show_display(struct wt_shell *c, const struct display *d,
                                   struct wt_error *err)
{
    const char *format = d->format;
    struct format_spec spec = {.count = 1};
    take_format(&format, &spec, WT_IGNORED);
    const bool memory = spec.letter == 'i' || spec.letter == 's' || spec.size || spec.count != 1;
    if (memory) {
        char *text;
        if (asprintf(&text, "%s %s", d->format, d->text) < 0)
            return wt_fail(err, WT_NO_MEMORY, "no host memory");
        fprintf(c->out, "%u: x%s\n", d->number, text);
        const struct examine before = c->examine;
        enum wt_status status = examine_memory(c, text, err);
        c->examine = before;
        free(text);
        return status;
    }
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length), *kept = c->out;
    if (!out)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    c->out = out;
    enum wt_status status = print_expression(c, d->text, spec.letter, false, err);
    fclose(out);
    c->out = kept;
    if (!status)
        fprintf(c->out, "%u: %s%s%s = %s%s", d->number, d->format, d->format[0] ? " " : "", d->text,
                text, length && text[length - 1] == '\n' ? "" : "\n");
    free(text);
    return status;
}

void show_displays(struct wt_shell *c)
{
    for (size_t i = 0; i < c->displays.count; i++) {
        struct wt_error err;
        /* An expression that has no meaning here is displayed again where it has one. */
        if (c->displays.list[i].enabled)
            show_display(c, &c->displays.list[i], &err);
    }
}

enum wt_status do_display(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct display d = {.enabled = true};
    if (!*text) {
        show_displays(c);
        return WT_OK;
    }
    const char *expression = text;
    struct format_spec spec = {.count = 1};
    enum wt_status status = take_format(&expression, &spec, err);
    if (status)
        return status;
    const size_t length = *text == '/' ? wt_word_length(text) : 0;
    if (length >= sizeof d.format || !*expression)
        return wt_fail(err, WT_INVALID, "display takes an expression");
    memcpy(d.format, text, length);
    struct display *grown = wt_array_grow(c->displays.list, &c->displays.capacity,
                                          c->displays.count + 1, sizeof *grown);
    if (grown)
        c->displays.list = grown;
    d.text = grown ? strdup(expression) : NULL;
    if (!d.text)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a display");
    d.number = c->displays.last + 1;
    if ((status = show_display(c, &d, err)) != WT_OK) {
        free(d.text);
        return status;
    }
    c->displays.last++;
    grown[c->displays.count++] = d;
    return WT_OK;
}

enum wt_status do_undisplay(struct wt_shell *c, const char *text, struct wt_error *err)
{
    uint64_t number;
    if (!*text) {
        free_displays(c);
        return WT_OK;
    }
    while (*text) {
        if (!wt_take_number(&text, &number))
            return wt_fail(err, WT_INVALID, "undisplay takes numbers of displays");
        size_t i = 0;
        while (i < c->displays.count && c->displays.list[i].number != number)
            i++;
        if (i == c->displays.count)
            return wt_fail(err, WT_INVALID, "Could not find display number %" PRIu64 ".", number);
        free(c->displays.list[i].text);
        memmove(&c->displays.list[i], &c->displays.list[i + 1],
                (--c->displays.count - i) * sizeof *c->displays.list);
    }
    return WT_OK;
}

enum wt_status enable_displays(struct wt_shell *c, const char *text, bool enabled,
                               struct wt_error *err)
{
    struct wt_ranges wanted = {.count = 0};
    const enum wt_status status = *text ? wt_take_ranges(&text, &wanted, err) : WT_OK;
    for (size_t i = 0; i < c->displays.count && !status; i++)
        if (!wanted.count || wt_ranges_have(&wanted, c->displays.list[i].number))
            c->displays.list[i].enabled = enabled;
    return status;
}

enum wt_status do_info_display(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = take_no_arguments(text, "info display", err);
    if (status)
        return status;
    if (!c->displays.count) {
        fputs("There are no auto-display expressions now.\n", c->out);
        return WT_OK;
    }
    fputs("Auto-display expressions now in effect:\nNum Enb Expression\n", c->out);
    for (size_t i = 0; i < c->displays.count; i++)
        fprintf(c->out, "%u:   %c  %s%s%s\n", c->displays.list[i].number,
                c->displays.list[i].enabled ? 'y' : 'n', c->displays.list[i].format,
                c->displays.list[i].format[0] ? " " : "", c->displays.list[i].text);
    return WT_OK;
}

void free_displays(struct wt_shell *c)
{
    for (size_t i = 0; i < c->displays.count; i++)
        free(c->displays.list[i].text);
    c->displays.count = 0;
}

/* ---- registers ---- */

#define CODE_SET "virtual" /* the set of those that code has under names of its own */

static void print_register(struct wt_shell *c, unsigned index)
{
    const struct wt_register *r = &c->program->topology->registers[index];
    const struct wt_view view = wt_program_view(c->program);
    struct wt_values values;
    struct wt_error err;
    char name[64];
    snprintf(name, sizeof name, "$%s", r->name);
    if (wt_source_evaluate(&view, name, &values, &err) != WT_OK) {
        fprintf(c->out, "%-14s <unavailable>\n", r->name);
        return;
    }
    const struct wt_format raw = {.letter = 'x'}, natural = {0};
    fprintf(c->out, "%-14s ", r->name);
    if (values.state[0] != WT_VALUE_GOOD || r->type == WT_REG_FLOAT || r->bits > 64 ||
        r->type == WT_REG_FLOAT_UNION) {
        wt_values_print(c->out, &view, &values, 0, &natural);
    } else {
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        if (out) {
            wt_values_print(out, &view, &values, 0, &raw);
            fclose(out);
            fprintf(c->out, "%-19s", text);
        }
        free(text);
        wt_values_print(c->out, &view, &values, 0, &natural);
    }
    fputc('\n', c->out);
    wt_values_free(&values);
}

/* A register that the code names itself: of the thread's lane, and of all lanes of its warp. */
static void print_code_register(struct wt_shell *c, const struct wt_code_register *reg)
{
    const struct wt_view view = wt_program_view(c->program);
    struct wt_values values;
    char name[72];
    const struct wt_format raw = {.letter = 'x'}, natural = {0};
    snprintf(name, sizeof name, "$%s%s", reg->name, reg->is_mask ? "" : "@*");
    fprintf(c->out, "%-14s ", reg->name);
    if (wt_source_evaluate(&view, name, &values, WT_IGNORED) != WT_OK) {
        fputs("<unavailable>\n", c->out);
        return;
    }
    if (reg->is_mask)
        wt_values_print(c->out, &view, &values, 0, &raw), fputc('\n', c->out);
    else
        print_lanes(c, &view, &values, &natural);
    wt_values_free(&values);
}

/* Prints the registers of this name that the frame's code has; set: all of them. */
static bool print_code_registers(struct wt_shell *c, const char *name, size_t length, bool all)
{
    const struct wt_view view = wt_program_view(c->program);
    struct wt_code_register reg;
    bool found = false;
    for (size_t i = 0; wt_source_code_register(&view, i, &reg); i++)
        if (!reg.parameter &&
            (all || (strlen(reg.name) == length && memcmp(reg.name, name, length) == 0))) {
            print_code_register(c, &reg);
            found = true;
        }
    return found;
}

enum wt_status do_info_registers(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = wt_program_need_run(c->program, err);
    if (status)
        return wt_fail(err, WT_STATE, "The program has no registers now.");
    if ((status = wt_program_need_thread(c->program, err)) != WT_OK)
        return status;
    if (!*text) {
        const char *first = c->program->topology->registers[0].set;
        for (unsigned i = 0; i < c->program->topology->register_count; i++)
            if (strcmp(c->program->topology->registers[i].set, first) == 0 ||
                i == c->program->topology->pc_index)
                print_register(c, i);
        return WT_OK;
    }
    while (*text) {
        const size_t length = wt_word_length(text);
        const char *name = *text == '$' ? text + 1 : text;
        const size_t size = length - (size_t)(name - text);
        bool found = false;
        for (unsigned i = 0; i < c->program->topology->register_count; i++) {
            const struct wt_register *r = &c->program->topology->registers[i];
            const bool all = size == 3 && strncmp(name, "all", 3) == 0;
            if (all || (strlen(r->name) == size && strncmp(r->name, name, size) == 0) ||
                (r->alt_name && strlen(r->alt_name) == size &&
                 strncmp(r->alt_name, name, size) == 0) ||
                (strlen(r->set) == size && strncmp(r->set, name, size) == 0)) {
                print_register(c, i);
                found = true;
            }
        }
        const bool of_code = size == strlen(CODE_SET) && memcmp(name, CODE_SET, size) == 0;
        const bool all = size == 3 && memcmp(name, "all", 3) == 0;
        found = print_code_registers(c, name, size, of_code || all) || found;
        if (!found)
            return wt_fail(err, WT_INVALID, "Invalid register `%.*s'", (int)size, name);
        text = wt_skip_blanks(text + length);
    }
    return WT_OK;
}

/* ---- echo and printf ---- */

enum wt_status do_info_all_registers(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return do_info_registers(c, *text ? text : "all", err);
}
