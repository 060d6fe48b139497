/* Formatted text: messages with values, as printf has them, and log points. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "debug/program/internal.h"
#include "debug/source/types.h"

#define LONGEST_STRING 65536

char wt_message_unescape(const char **at)
{
    const char c = *(*at)++;
    if (c != '\\' || !**at)
        return c;
    const char e = *(*at)++;
    switch (e) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'a':
        return '\a';
    case 'e':
        return 033;
    default:
        return e;
    }
}

const char *wt_message_argument_end(const char *text, const char *ends)
{
    int depth = 0;
    char quote = 0;
    for (; *text; text++) {
        if (quote) {
            if (*text == '\\' && text[1])
                text++;
            else if (*text == quote)
                quote = 0;
        } else if (*text == '"' || *text == '\'') {
            quote = *text;
        } else if (strchr("([", *text)) {
            depth++;
        } else if (strchr(")]", *text)) {
            depth--;
        } else if (depth <= 0 && strchr(ends, *text)) {
            break;
        }
    }
    return text;
}

/* A string of the program: an array, or characters up to a zero behind a pointer. */
static enum wt_status print_string(FILE *out, const char *format, const struct wt_view *view,
                                   const struct wt_values *v, struct wt_error *err)
{
    char *text;
    size_t length;
    FILE *copy = open_memstream(&text, &length);
    enum wt_status status = WT_OK;
    if (!copy)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (wt_type_plain(v->type)->kind == WT_TYPE_ARRAY) {
        fwrite(v->bytes, 1, v->size, copy);
    } else {
        const uint64_t start = v->size <= 8 ? wt_load_le(v->bytes, v->size) : 0;
        char byte = 1;
        for (uint64_t at = start; byte && at - start < LONGEST_STRING && !status; at++) {
            if (!wt_source_read(view, v->in_memory ? 0 : v->space, at, &byte, 1))
                status = wt_fail(err, WT_INVALID, "Cannot access memory at address 0x%" PRIx64, at);
            else
                fputc(byte, copy);
        }
    }
    fputc(0, copy);
    fclose(copy);
    if (!status)
        fprintf(out, format, text);
    free(text);
    return status;
}

/* Converts as a cast does, if possible. */
static int64_t whole_of(double value)
{
    return value >= 0x1p63 ? INT64_MAX : value > -0x1p63 ? (int64_t)value : INT64_MIN;
}

/* A value as a number; an array or a function is its address. */
static enum wt_status read_number(const struct wt_values *v, char kind, struct wt_number *n,
                                  struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(v->type);
    const bool is_place = plain->kind == WT_TYPE_ARRAY || plain->kind == WT_TYPE_FUNCTION;
    *n = (struct wt_number){0};
    if (wt_number_of(plain, v->bit_offset, v->bit_size, v->bytes, n) ||
        (kind == 's' && plain->kind == WT_TYPE_ARRAY))
        return WT_OK;
    if (wt_type_is_scalar(plain))
        return wt_fail(err, WT_UNSUPPORTED,
                       "printf takes numbers of 8 bytes at most; print has more");
    if (strchr("feEgGaA", kind))
        return wt_fail(err, WT_INVALID, "Invalid cast.");
    if (!is_place || !v->in_memory)
        return wt_fail(err, WT_INVALID, "Value can't be converted to integer.");
    n->integer = v->address[0];
    return WT_OK;
}

/* print tells beside a value what printf has no room for. */
static enum wt_status check_notes(const struct wt_values *v, struct wt_error *err)
{
    char guess[WT_VALUE_REASON];
    if (v->as_of)
        return wt_fail(err, WT_INVALID,
                       "a parameter is known as it was %s only; print says so, printf cannot",
                       v->as_of);
    if (wt_values_guess(v, guess) && !wt_type_is_scalar(wt_type_plain(v->guess_type)))
        return wt_fail(err, WT_INVALID,
                       "the type of %s is not known; print says so, printf cannot: %s", v->guess,
                       guess);
    return WT_OK;
}

static enum wt_status print_conversion(struct wt_program *g, FILE *out, const char *conversion,
                                       size_t length, const char **arguments, struct wt_error *err)
{
    const char kind = conversion[length - 1];
    char format[64], *text;
    const struct wt_view view = wt_program_view(g);
    struct wt_values v;
    if (**arguments != ',')
        return wt_fail(err, WT_INVALID, "Wrong number of arguments for specified format-string");
    const char *first = wt_skip_blanks(*arguments + 1), *end = wt_message_argument_end(first, ",");
    text = strndup(first, (size_t)(end - first));
    if (!text)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    *arguments = end;
    enum wt_status status = wt_source_evaluate(&view, text, &v, err);
    free(text);
    if (status)
        return status;
    status = wt_values_check(&v, err);
    if (!status)
        status = check_notes(&v, err);
    struct wt_number n;
    if (!status)
        status = read_number(&v, kind, &n, err);
    if (status) {
        wt_values_free(&v);
        return status;
    }
    /* The conversion with the length modifier that this program's own printf needs. */
    size_t digits = length - 1;
    while (digits && strchr("hlzjtLq", conversion[digits - 1]))
        digits--;
    if (digits > 20) {
        wt_values_free(&v);
        return wt_fail(err, WT_INVALID, "Bad format string");
    }
    if (strchr("diouxXc", kind)) {
        int64_t number = n.is_float ? whole_of(n.real) : (int64_t)n.integer;
        /* Arguments of printf have at least the size of an int. */
        if (v.size <= 4 && kind != 'c' && !memchr(conversion, 'l', length))
            number = strchr("di", kind) ? (int32_t)number : (int64_t)(uint32_t)number;
        snprintf(format, sizeof format, "%.*s%s%c", (int)digits, conversion,
                 kind == 'c' ? "" : "ll", kind);
        /* A character 0 is nothing in a text. */
        if (kind == 'c' && (char)number)
            fprintf(out, format, (int)number);
        else if (kind != 'c')
            fprintf(out, format, (long long)number);
    } else if (strchr("feEgGaA", kind)) {
        const double whole = n.is_signed ? (double)(int64_t)n.integer : (double)n.integer;
        snprintf(format, sizeof format, "%.*s%c", (int)digits, conversion, kind);
        fprintf(out, format, n.is_float ? n.real : whole);
    } else if (kind == 's') {
        snprintf(format, sizeof format, "%.*ss", (int)digits, conversion);
        status = print_string(out, format, &view, &v, err);
    } else if (kind == 'p') {
        fprintf(out, "0x%" PRIx64, n.integer);
    } else {
        status = wt_fail(err, WT_INVALID, "Unrecognized format specifier '%c' in printf", kind);
    }
    wt_values_free(&v);
    return status;
}

/* Splits the text between the quotes from the rest. */
static enum wt_status split_format(const char *text, const char **end, const char **arguments,
                                   struct wt_error *err)
{
    if (*text != '"')
        return wt_fail(err, WT_INVALID, "Bad format string");
    const char *at = text + 1;
    while (*at && *at != '"')
        at += *at == '\\' && at[1] ? 2 : 1;
    if (!*at)
        return wt_fail(err, WT_INVALID, "Bad format string, non-terminated '\"'");
    *end = at;
    *arguments = wt_skip_blanks(at + 1);
    return WT_OK;
}

/* The length of a conversion that begins with '%'. */
static enum wt_status conversion_length(const char *at, const char *end, size_t *length,
                                        struct wt_error *err)
{
    unsigned digits = 0, most = 0;
    *length = 1;
    while (at + *length < end && strchr("-+ #0123456789.hlzjtLq", at[*length])) {
        digits = isdigit((unsigned char)at[(*length)++]) ? digits + 1 : 0;
        most = digits > most ? digits : most;
    }
    if (most > 3)
        return wt_fail(err, WT_INVALID, "a field of more than 999 characters is not printed");
    if (at + *length >= end)
        return wt_fail(err, WT_INVALID, "Incomplete format specifier at end of format string");
    ++*length;
    return WT_OK;
}

enum wt_status wt_program_message(struct wt_program *g, FILE *out, const char *text,
                                  struct wt_error *err)
{
    const char *end = text, *arguments = text;
    enum wt_status status = split_format(text, &end, &arguments, err);
    for (const char *at = text + 1; !status && at < end;) {
        size_t length;
        if (*at != '%') {
            fputc(wt_message_unescape(&at), out);
        } else if (at[1] == '%') {
            fputc('%', out);
            at += 2;
        } else if ((status = conversion_length(at, end, &length, err)) == WT_OK) {
            status = print_conversion(g, out, at, length, &arguments, err);
            at += length;
        }
    }
    if (!status && *arguments)
        return wt_fail(err, WT_INVALID, "Wrong number of arguments for specified format-string");
    return status;
}

/* Whether a format has as many conversions, of known kinds, as there are arguments. */
enum wt_status wt_message_check(const char *text, struct wt_error *err)
{
    const char *end = text, *arguments = text;
    enum wt_status status = split_format(text, &end, &arguments, err);
    for (const char *at = text + 1; !status && at < end;) {
        size_t length;
        if (*at != '%') {
            wt_message_unescape(&at);
        } else if (at[1] == '%') {
            at += 2;
        } else if ((status = conversion_length(at, end, &length, err)) == WT_OK) {
            if (!strchr("diouxXcfeEgGaAsp", at[length - 1]))
                return wt_fail(err, WT_INVALID, "Unrecognized format specifier '%c' in printf",
                               at[length - 1]);
            if (*arguments != ',')
                return wt_fail(err, WT_INVALID,
                               "Wrong number of arguments for specified format-string");
            arguments = wt_message_argument_end(wt_skip_blanks(arguments + 1), ",");
            at += length;
        }
    }
    if (!status && *arguments)
        return wt_fail(err, WT_INVALID, "Wrong number of arguments for specified format-string");
    return status;
}

static enum wt_status known_names(struct wt_program *g, const struct wt_point *p, uint64_t addr,
                                  const char *text, struct wt_error *err)
{
    static const char *const never[] = {"No symbol ", "there is no register ",
                                        "This device has no $"};
    struct wt_error wrong;
    struct wt_expr *compiled = NULL;
    bool unknown = false;
    struct wt_frames *frames = wt_program_frames_at(g, p, addr);
    const struct wt_view view = {
        .source = g->source, .frames = frames, .frame = frames ? wt_frames_get(frames, 0) : NULL};
    const bool fails = wt_source_compile(&view, text, &compiled, NULL, &wrong) != WT_OK;
    for (size_t i = 0; fails && i < sizeof never / sizeof *never; i++)
        unknown |= strncmp(wrong.text, never[i], strlen(never[i])) == 0;
    wt_expr_free(compiled);
    wt_frames_free(frames);
    return unknown ? wt_fail(err, WT_INVALID, "%s", wrong.text) : WT_OK;
}

/* Whether all places have the names that the expression uses. Other errors are reported when the
 * place is reached. */
enum wt_status pg_check_names(struct wt_program *g, const struct wt_point *p, struct wt_error *err)
{
    const char *end = p->format, *at = p->format;
    enum wt_status status = split_format(p->format, &end, &at, err);
    while (!status && *at == ',') {
        const char *first = wt_skip_blanks(at + 1);
        at = wt_message_argument_end(first, ",");
        char *text = strndup(first, (size_t)(at - first));
        for (size_t k = 0; text && k < p->addr_count && !status; k++)
            status = known_names(g, p, p->addr[k], text, err);
        free(text);
    }
    return status;
}

/* ---- messages without a stop ---- */

/* A message as its compiler takes it. */
struct message_parts {
    char *plain; /* the texts between the values, one behind the other, each with its 0 */
    struct wt_message_value *value;
    size_t count, capacity;
};

static bool add_part(struct message_parts *parts, size_t before, const char *conversion,
                     size_t length, const char **arguments)
{
    struct wt_message_value *grown =
        wt_array_grow(parts->value, &parts->capacity, parts->count + 1, sizeof *grown);
    if (!grown)
        return false;
    parts->value = grown;
    const char *first = wt_skip_blanks(*arguments + 1), *end = wt_message_argument_end(first, ",");
    char *text = strndup(first, (size_t)(end - first));
    *arguments = end;
    if (text)
        grown[parts->count++] = (struct wt_message_value){.before = parts->plain + before,
                                                          .conversion = conversion,
                                                          .length = length,
                                                          .text = text};
    return text != NULL;
}

/* Takes a checked format apart; false without host memory. *behind: the text behind the values. */
static bool take_apart(const char *format, struct message_parts *parts, const char **behind)
{
    const char *end = format, *arguments = format;
    struct wt_error checked;
    size_t used = 0, begin = 0, length;
    parts->plain = malloc(strlen(format) + 1);
    if (!parts->plain || split_format(format, &end, &arguments, &checked) != WT_OK)
        return false;
    for (const char *at = format + 1; at < end;) {
        if (*at != '%') {
            parts->plain[used++] = wt_message_unescape(&at);
        } else if (at[1] == '%') {
            parts->plain[used++] = '%';
            at += 2;
        } else if (conversion_length(at, end, &length, &checked) == WT_OK) {
            parts->plain[used++] = 0;
            if (!add_part(parts, begin, at, length, &arguments))
                return false;
            begin = used;
            at += length;
        }
    }
    parts->plain[used] = 0;
    *behind = parts->plain + begin;
    return true;
}

struct wt_expr *pg_compile_log(struct wt_program *g, const struct wt_point *p, uint64_t addr)
{
    struct message_parts parts = {0};
    struct wt_expr *message = NULL;
    const char *behind = "";
    struct wt_error why;
    struct wt_frames *frames = wt_program_frames_at(g, p, addr);
    const struct wt_view view = {
        .source = g->source, .frames = frames, .frame = frames ? wt_frames_get(frames, 0) : NULL};
    if (take_apart(p->format, &parts, &behind))
        wt_source_compile_message(&view, parts.value, parts.count, behind, &message, &why);
    for (size_t i = 0; i < parts.count; i++)
        free((char *)(uintptr_t)parts.value[i].text);
    free(parts.value);
    free(parts.plain);
    wt_frames_free(frames);
    return message;
}

/* The message of the selected lane. */
static enum wt_status log_lane(struct wt_program *g, const struct wt_point *p, struct wt_error *err)
{
    char *said;
    size_t length;
    FILE *out = open_memstream(&said, &length);
    if (!out)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    const enum wt_status status = wt_program_message(g, out, p->format, err);
    fclose(out);
    if (!status)
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_LOGGED, .point = p, .text = said});
    free(said);
    return status;
}

void pg_log_lanes(struct wt_program *g, const struct wt_point *p, uint64_t pc)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    struct wt_error err;
    const wt_thread before = g->thread;
    enum wt_status status = wt_program_wave(g, before, &wave, &place, &err);
    const wt_lanes lanes = place.active ? place.active : wt_lane_bit(place.lane);
    for (wt_lanes rest = lanes; !status && rest; rest &= rest - 1) {
        if ((status = wt_program_select_lane_of(g, wave.id, wt_lanes_lowest(rest), &err)) ==
                WT_OK &&
            pg_condition_holds(g, p, pc, g->thread))
            status = log_lane(g, p, &err);
    }
    if (status)
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_LOG_FAILED, .point = p, .text = err.text});
    wt_program_select(g, before);
}
