/* Characters, strings, numbers and pointers as text. See format.h. */
#include "debug/source/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "expr/print.h"

/* ---- characters and strings ---- */

static void put_char(FILE *out, unsigned c, char quote)
{
    static const char escapes[] = "\a\b\t\n\v\f\r", letters[] = "abtnvfr";
    const char *e = c && c < 128 ? strchr(escapes, (int)c) : NULL;
    if (e)
        fprintf(out, "\\%c", letters[e - escapes]);
    else if (c == (unsigned char)quote || c == '\\')
        fprintf(out, "\\%c", (int)c);
    else if (c >= 0x20 && c < 0x7f)
        fputc((int)c, out);
    else
        fprintf(out, "\\%03o", c & 0xff);
}

void wt_format_fortran_string(FILE *out, const uint8_t *bytes, uint64_t length)
{
    fputc('\'', out);
    for (uint64_t i = 0; i < length; i++) {
        if (bytes[i] == '\'')
            fputc('\'', out);
        put_char(out, bytes[i], '"');
    }
    fputc('\'', out);
}

void wt_format_string(struct wt_printer *p, const uint8_t *text, size_t length, bool more)
{
    FILE *out = p->out;
    bool open = false, first = true;
    if (length == 0) {
        fputs(more ? "\"\"..." : "\"\"", out);
        return;
    }
    for (size_t i = 0; i < length;) {
        size_t run = 1;
        while (i + run < length && text[i + run] == text[i])
            run++;
        if (run > wt_format_repeats(p)) {
            if (open)
                fputc('"', out);
            if (!first)
                fputs(", ", out);
            fputc('\'', out);
            put_char(out, text[i], '\'');
            fprintf(out, "' <repeats %zu times>", run);
            open = false;
            i += run;
        } else {
            if (!open) {
                fputs(first ? "\"" : ", \"", out);
                open = true;
            }
            put_char(out, text[i], '"');
            i++;
        }
        first = false;
    }
    if (open)
        fputc('"', out);
    if (more)
        fputs("...", out);
}

bool wt_format_is_textual(const struct wt_type *type)
{
    return wt_type_plain(type)->kind == WT_TYPE_CHAR;
}

static void put_c_string(struct wt_printer *p, uint64_t address, uint32_t space)
{
    uint8_t text[WT_FORMAT_ELEMENTS + 1];
    const unsigned most = p->format.elements ? p->format.elements : WT_FORMAT_ELEMENTS;
    unsigned length = 0;
    while (length < most && length < WT_FORMAT_ELEMENTS) {
        if (!wt_source_read(p->scope, space, address + length, &text[length], 1)) {
            if (length)
                wt_format_string(p, text, length, false);
            fprintf(p->out, "%s<error: Cannot access memory at address 0x%" PRIx64 ">",
                    length ? "" : "", address + length);
            return;
        }
        if (!text[length])
            break;
        length++;
    }
    wt_format_string(p, text, length, length == most || length == WT_FORMAT_ELEMENTS);
}

/* ---- scalars ---- */

void wt_format_float(FILE *out, uint64_t bits, unsigned size)
{
    const double value = wt_print_double(bits, size * 8);
    if (isnan(value)) {
        const uint64_t mantissa = bits & (size == 2   ? 0x3ffu
                                          : size == 4 ? 0x7fffffu
                                                      : (((uint64_t)1 << 52) - 1));
        fprintf(out, "%snan(0x%" PRIx64 ")", bits >> (size * 8 - 1) & 1 ? "-" : "", mantissa);
    } else if (isinf(value)) {
        fputs(value < 0 ? "-inf" : "inf", out);
    } else {
        fprintf(out, "%.*g", size == 2 ? 5 : size == 4 ? 9 : 17, value);
    }
}

/* The C library has the function for all compilers; its headers show clang neither that nor the
 * type. */
#if defined __clang__ && defined __x86_64__
typedef __float128 _Float128;
int strfromf128(char *text, size_t size, const char *format, _Float128 value);
#endif

/* A binary128, as GDB writes it. */
static void put_quad(FILE *out, const uint8_t *bytes)
{
    const uint64_t low = wt_load_le(bytes, 8), high = wt_load_le(bytes + 8, 8);
    const uint64_t fraction = high & (((uint64_t)1 << 48) - 1);
    const bool negative = high >> 63, special = (high >> 48 & 0x7fff) == 0x7fff;
    char text[64];
    _Float128 value;
    if (special && (fraction || low)) {
        fprintf(out, "%snan(0x%" PRIx64 "%016" PRIx64 ")", negative ? "-" : "", fraction, low);
    } else if (special) {
        fputs(negative ? "-inf" : "inf", out);
    } else {
        memcpy(&value, (const uint64_t[]){low, high}, sizeof value);
        strfromf128(text, sizeof text, "%.36g", value);
        fputs(text, out);
    }
}

static void put_binary(FILE *out, uint64_t value)
{
    unsigned bits = 64;
    while (bits > 1 && !(value >> (bits - 1) & 1))
        bits--;
    while (bits)
        fputc(value >> --bits & 1 ? '1' : '0', out);
}

void wt_format_address(struct wt_printer *p, uint64_t address, bool data_too)
{
    char symbol[300];
    fprintf(p->out, "0x%" PRIx64, address);
    wt_source_symbol_at(p->scope, address, data_too, symbol, sizeof symbol);
    if (symbol[0])
        fprintf(p->out, " %s", symbol);
}

static void put_enumerator(FILE *out, const struct wt_type *type, const char *name)
{
    const size_t scope = wt_type_enumerator_scope(type);
    if (scope)
        fprintf(out, "%.*s::", (int)scope, type->name);
    fputs(name, out);
}

static void put_enumeration(FILE *out, const struct wt_type *type, const struct wt_number *n)
{
    size_t count;
    const struct wt_member *m = wt_type_members(type, &count);
    uint64_t known = 0, rest = n->integer;
    bool flags = count > 0;
    for (size_t i = 0; i < count; i++) {
        if (m[i].value == (int64_t)n->integer && m[i].name) {
            put_enumerator(out, type, m[i].name);
            return;
        }
        const uint64_t value = (uint64_t)m[i].value;
        /* Enumerators that share no bit are flags. */
        if (m[i].value < 0 || (value && known & value))
            flags = false;
        known |= value;
    }
    if (!flags || rest == 0) {
        fprintf(out, "%" PRId64, (int64_t)n->integer);
        return;
    }
    bool any = false;
    fputc('(', out);
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = (uint64_t)m[i].value;
        if (!value || (rest & value) != value || !m[i].name)
            continue;
        fputs(any ? " | " : "", out);
        put_enumerator(out, type, m[i].name);
        any = true;
        rest &= ~value;
    }
    if (rest)
        fprintf(out, "%sunknown: 0x%" PRIx64, any ? " | " : "", rest);
    fputc(')', out);
}

static void put_character(FILE *out, int64_t number, unsigned c)
{
    fprintf(out, "%" PRId64 " '", number);
    put_char(out, c, '\'');
    fputc('\'', out);
}

/* The prefix of a character constant of a wide type; 0: it is none. */
static char wide_prefix(const struct wt_type *plain)
{
    static const struct {
        const char *name;
        char prefix;
    } names[] = {{"wchar_t", 'L'}, {"char16_t", 'u'}, {"char32_t", 'U'}};
    for (size_t i = 0; plain->name && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, plain->name) == 0)
            return names[i].prefix;
    return 0;
}

/* A scalar by a format's letter. */
static void put_by_letter(struct wt_printer *p, const struct wt_type *plain,
                          const struct wt_number *n)
{
    const unsigned size = (unsigned)wt_type_size(plain);
    const unsigned bits = size * 8;
    const uint64_t value = n->integer;
    const uint64_t low = bits < 64 ? value & (((uint64_t)1 << bits) - 1) : value;
    const int64_t with_sign =
        bits < 64 ? (int64_t)(value << (64 - bits)) >> (64 - bits) : (int64_t)value;
    switch (p->format.letter) {
    case 'x':
        fprintf(p->out, "0x%" PRIx64, low);
        break;
    case 'z':
        fprintf(p->out, "0x%0*" PRIx64, (int)(bits + 3) / 4, low);
        break;
    case 'd':
        fprintf(p->out, "%" PRId64, with_sign);
        break;
    case 'u':
        fprintf(p->out, "%" PRIu64, low);
        break;
    case 'o':
        fprintf(p->out, low ? "0%" PRIo64 : "%" PRIo64, low);
        break;
    case 't':
        put_binary(p->out, low);
        break;
    case 'c': {
        const bool is_unsigned = plain->kind != WT_TYPE_FLOAT && !wt_type_is_signed(plain);
        put_character(p->out, is_unsigned ? (int64_t)(uint8_t)low : (int64_t)(int8_t)low,
                      (unsigned)(low & 0xff));
        break;
    }
    case 'a':
        wt_format_address(p, low, false);
        break;
    case 'f':
        if (size == 2 || size == 4 || size == 8)
            wt_format_float(p->out, low, size);
        else
            fprintf(p->out, "%" PRId64, with_sign);
        break;
    default:
        fprintf(p->out, "%" PRId64, with_sign);
        break;
    }
}

static void put_pointer(struct wt_printer *p, const struct wt_type *type, uint64_t address,
                        bool top)
{
    const struct wt_type *target = wt_type_target(type), *plain = wt_type_plain(target);
    /* The type of a string is not printed. */
    const bool is_string = plain->kind == WT_TYPE_CHAR && plain->name &&
                           strcmp(plain->name, "char") == 0 && target->kind != WT_TYPE_TYPEDEF &&
                           type->kind == WT_TYPE_POINTER;
    if (top && !is_string) {
        fputc('(', p->out);
        wt_type_print(p->out, type);
        fputs(") ", p->out);
    }
    if (plain->kind == WT_TYPE_FUNCTION) {
        wt_format_address(p, address, false);
        return;
    }
    const struct wt_topology *t = wt_debugger_topology(wt_source_debugger(p->scope->source));
    for (uint32_t i = 0; type->address_class && i < t->space_count; i++)
        if ((unsigned)t->spaces[i].clang == type->address_class) {
            fprintf(p->out, "%s#0x%" PRIx64, t->spaces[i].name, address);
            return;
        }
    wt_format_address(p, address, true);
    if (wt_format_is_textual(target) && address) {
        fputc(' ', p->out);
        put_c_string(p, address, 0);
    }
}

/* An integer of 128 bits in digits of a base. */
static void put_wide_digits(FILE *out, uint64_t low, uint64_t high, unsigned base)
{
    char digits[129];
    size_t at = sizeof digits;
    /* Divides 32 bits at a time, the highest first. */
    uint32_t part[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high,
                        (uint32_t)(high >> 32)};
    do {
        uint64_t rest = 0;
        for (unsigned i = 4; i-- > 0;) {
            rest = rest << 32 | part[i];
            part[i] = (uint32_t)(rest / base);
            rest %= base;
        }
        digits[--at] = "0123456789abcdef"[rest];
    } while (part[0] || part[1] || part[2] || part[3]);
    fwrite(digits + at, 1, sizeof digits - at, out);
}

static void put_wide(struct wt_printer *p, bool is_signed, const uint8_t *bytes)
{
    uint64_t low = wt_load_le(bytes, 8), high = wt_load_le(bytes + 8, 8);
    const char letter = p->format.letter;
    const unsigned base = letter == 'x' || letter == 'z' ? 16
                          : letter == 'o'                ? 8
                          : letter == 't'                ? 2
                                                         : 10;
    if (base == 16)
        fputs("0x", p->out);
    else if (base == 8 && (low || high))
        fputc('0', p->out);
    for (unsigned digit = 31; letter == 'z' && digit > 0; digit--) {
        if ((digit < 16 ? low >> (4 * digit) : high >> (4 * (digit - 16))) || (digit < 16 && high))
            break;
        fputc('0', p->out);
    }
    if (base == 10 && (letter == 'd' || (letter != 'u' && is_signed)) && high >> 63) {
        fputc('-', p->out);
        low = -low;
        high = ~high + (low == 0);
    }
    put_wide_digits(p->out, low, high, base);
}

static void put_integer(FILE *out, const struct wt_type *plain, const struct wt_number *n)
{
    if (n->is_signed)
        fprintf(out, "%" PRId64, (int64_t)n->integer);
    else
        fprintf(out, "%" PRIu64, n->integer);
    if (!wide_prefix(plain) || n->integer >= 128)
        return;
    fprintf(out, " %c'", wide_prefix(plain));
    put_char(out, (unsigned)n->integer, '\'');
    fputc('\'', out);
}

void wt_format_scalar(struct wt_printer *p, const struct wt_type *type, uint32_t bit_offset,
                      uint32_t bit_size, const uint8_t *bytes, bool top)
{
    const struct wt_type *plain = wt_type_plain(type);
    struct wt_number n;
    if (wt_type_is_wide(plain) && !bit_size) {
        put_wide(p, wt_type_is_signed(plain), bytes);
        return;
    }
    if (plain->kind == WT_TYPE_FLOAT && wt_type_size(plain) == 16 &&
        (!p->format.letter || strchr("fs", p->format.letter))) {
        put_quad(p->out, bytes);
        return;
    }
    if (!wt_number_of(type, bit_offset, bit_size, bytes, &n)) {
        /* More than 64 bits: printed in hexadecimal, as GDB does for values that it cannot compute
         * with. */
        fputs("0x", p->out);
        bool started = false;
        for (uint64_t i = wt_type_size(plain); i-- > 0;)
            if (bytes[i] || started || i == 0) {
                fprintf(p->out, started ? "%02x" : "%x", bytes[i]);
                started = true;
            }
        return;
    }
    const enum wt_type_half half = wt_type_half(plain);
    if (p->format.letter && p->format.letter != 's') {
        put_by_letter(p, plain, &n);
        return;
    }
    if (half) {
        wt_format_float(p->out, half == WT_HALF ? n.integer : n.integer << 16,
                        half == WT_HALF ? 2 : 4);
        return;
    }
    switch (plain->kind) {
    case WT_TYPE_FLOAT:
        wt_format_float(p->out, n.integer, (unsigned)wt_type_size(plain));
        break;
    case WT_TYPE_BOOL:
        if (n.integer <= 1 && p->fortran)
            fputs(n.integer ? ".TRUE." : ".FALSE.", p->out);
        else if (n.integer <= 1)
            fputs(n.integer ? "true" : "false", p->out);
        else
            fprintf(p->out, "%" PRIu64, n.integer);
        break;
    case WT_TYPE_CHAR:
        put_character(p->out, (int64_t)n.integer, (unsigned)(n.integer & 0xff));
        break;
    case WT_TYPE_ENUM:
        put_enumeration(p->out, plain, &n);
        break;
    case WT_TYPE_POINTER:
        put_pointer(p, top ? type : plain, n.integer, top);
        break;
    default:
        put_integer(p->out, plain, &n);
        break;
    }
}
