/* Values as text, in GDB's notation. */
#include <dwarf.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/demangle.h"
#include "base/text.h"
#include "debug/core/print.h"
#include "debug/source/source_internal.h"

#define ELEMENTS 200  /* of an array or a string */
#define REPEATS 10    /* more equal elements than that are printed as a count */
#define MOST_DEPTH 40 /* of structures in structures */

#define MOST_BASE 65536 /* bytes of a virtual base */
#define MOST_BASES 16

struct printer {
    FILE *out;
    const struct wt_view *scope;
    struct wt_format format;
    unsigned left;  /* elements that may still be printed */
    bool in_static; /* of a static member */
    bool fortran;   /* GDB's notation of that language */
    /* Where the bytes that are printed come from: for parts that lie elsewhere. */
    const uint8_t *start; /* NULL: nowhere */
    uint32_t space;
    uint64_t address;
    unsigned bases;                         /* virtual ones, one in the other */
    const struct wt_type *seen[MOST_BASES]; /* … of the object, which has each once */
    unsigned seen_count;
};

static void print_value(struct printer *p, const struct wt_type *type, const uint8_t *bytes,
                        unsigned depth);

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

/* Runs of equal characters are printed as a count, as GDB does. */
static void put_fortran_string(FILE *out, const uint8_t *bytes, uint64_t length)
{
    fputc('\'', out);
    for (uint64_t i = 0; i < length; i++) {
        if (bytes[i] == '\'')
            fputc('\'', out);
        put_char(out, bytes[i], '"');
    }
    fputc('\'', out);
}

static void put_string(FILE *out, const uint8_t *text, size_t length, bool more)
{
    bool open = false, first = true;
    if (length == 0) {
        fputs(more ? "\"\"..." : "\"\"", out);
        return;
    }
    for (size_t i = 0; i < length;) {
        size_t run = 1;
        while (i + run < length && text[i + run] == text[i])
            run++;
        if (run > REPEATS) {
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

static bool is_textual(const struct wt_type *type)
{
    return wt_type_plain(type)->kind == WT_TYPE_CHAR;
}

static void put_c_string(struct printer *p, uint64_t address, uint32_t space)
{
    uint8_t text[ELEMENTS + 1];
    const unsigned most = p->format.elements ? p->format.elements : ELEMENTS;
    unsigned length = 0;
    while (length < most && length < ELEMENTS) {
        if (!wt_source_read(p->scope, space, address + length, &text[length], 1)) {
            if (length)
                put_string(p->out, text, length, false);
            fprintf(p->out, "%s<error: Cannot access memory at address 0x%" PRIx64 ">",
                    length ? "" : "", address + length);
            return;
        }
        if (!text[length])
            break;
        length++;
    }
    put_string(p->out, text, length, length == most || length == ELEMENTS);
}

/* ---- scalars ---- */

static void put_float(FILE *out, uint64_t bits, unsigned size)
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

static void put_address(struct printer *p, uint64_t address, bool data_too)
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
static void put_by_letter(struct printer *p, const struct wt_type *plain, const struct wt_number *n)
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
        put_address(p, low, false);
        break;
    case 'f':
        if (size == 2 || size == 4 || size == 8)
            put_float(p->out, low, size);
        else
            fprintf(p->out, "%" PRId64, with_sign);
        break;
    default:
        fprintf(p->out, "%" PRId64, with_sign);
        break;
    }
}

static void put_pointer(struct printer *p, const struct wt_type *type, uint64_t address, bool top)
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
        put_address(p, address, false);
        return;
    }
    const struct wt_topology *t = wt_debugger_topology(wt_source_debugger(p->scope->source));
    for (uint32_t i = 0; type->address_class && i < t->space_count; i++)
        if ((unsigned)t->spaces[i].clang == type->address_class) {
            fprintf(p->out, "%s#0x%" PRIx64, t->spaces[i].name, address);
            return;
        }
    put_address(p, address, true);
    if (is_textual(target) && address) {
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

static void put_wide(struct printer *p, bool is_signed, const uint8_t *bytes)
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

static void put_scalar(struct printer *p, const struct wt_type *type, uint32_t bit_offset,
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
    if (p->format.letter && p->format.letter != 's') {
        put_by_letter(p, plain, &n);
        return;
    }
    switch (plain->kind) {
    case WT_TYPE_FLOAT:
        put_float(p->out, n.integer, (unsigned)wt_type_size(plain));
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
        if (n.is_signed)
            fprintf(p->out, "%" PRId64, (int64_t)n.integer);
        else
            fprintf(p->out, "%" PRIu64, n.integer);
        if (wide_prefix(plain) && n.integer < 128) {
            fprintf(p->out, " %c'", wide_prefix(plain));
            put_char(p->out, (unsigned)n.integer, '\'');
            fputc('\'', p->out);
        }
        break;
    }
}

/* ---- arrays and structures ---- */

static void put_array(struct printer *p, const struct wt_type *plain, const uint8_t *bytes,
                      unsigned depth)
{
    const struct wt_type *element = wt_type_target(plain);
    const uint64_t size = wt_type_size(element), count = plain->has_count ? plain->count : 0;
    const unsigned most = p->format.elements ? p->format.elements : ELEMENTS;
    const bool letter = p->format.letter && p->format.letter != 's';
    if (is_textual(element) && !letter && !plain->is_vector && count && !plain->stride) {
        uint64_t length = count;
        if (length > most)
            length = most;
        else if (bytes[length - 1] == 0)
            length--;
        if (p->fortran)
            put_fortran_string(p->out, bytes, count < most ? count : most);
        else
            put_string(p->out, bytes, length, count > most);
        return;
    }
    const bool rows = wt_type_plain(element)->kind == WT_TYPE_ARRAY &&
                      !is_textual(wt_type_target(wt_type_plain(element)));
    fputc(p->fortran ? '(' : '{', p->out);
    for (uint64_t i = 0; i < count && size;) {
        uint64_t run = 1;
        if (i)
            fputs(p->fortran && rows ? " " : ", ", p->out);
        if (p->left == 0) {
            fputs("...", p->out);
            break;
        }
        while (i + run < count && memcmp(bytes + wt_type_element_at(plain, i),
                                         bytes + wt_type_element_at(plain, i + run), size) == 0)
            run++;
        const bool nested = !wt_type_is_scalar(wt_type_plain(element));
        if (run > REPEATS) {
            print_value(p, element, bytes + wt_type_element_at(plain, i), depth + 1);
            fprintf(p->out, " <repeats %" PRIu64 " times>", run);
            i += run;
            if (!nested)
                p->left -= p->left < REPEATS ? p->left : REPEATS;
        } else {
            print_value(p, element, bytes + wt_type_element_at(plain, i), depth + 1);
            i++;
            if (!nested)
                p->left--;
        }
    }
    fputc(p->fortran ? ')' : '}', p->out);
}

/* A virtual base, which lies where the object says. */
static void put_virtual_base(struct printer *p, const struct wt_member *m, const uint8_t *object,
                             unsigned depth)
{
    const uint64_t size = wt_type_size(wt_type_plain(m->type));
    uint64_t at;
    uint8_t *bytes = size && size <= MOST_BASE && p->bases < MOST_BASES ? malloc(size) : NULL;
    if (!bytes || !p->start ||
        !wt_source_virtual_base(p->scope, m, p->space, p->address + (uint64_t)(object - p->start),
                                &at) ||
        !wt_source_read(p->scope, p->space, at, bytes, size)) {
        fputs("<invalid address>", p->out);
    } else {
        const struct printer before = *p;
        p->start = bytes;
        p->address = at;
        p->bases++;
        print_value(p, m->type, bytes, depth + 1);
        p->start = before.start;
        p->address = before.address;
        p->bases--;
    }
    free(bytes);
}

/* Another object than the one that it is in: its virtual bases are others. */
static void put_other(struct printer *p, const struct wt_type *type, const uint8_t *bytes,
                      unsigned depth)
{
    const unsigned seen = p->seen_count;
    p->seen_count = 0;
    print_value(p, type, bytes, depth);
    p->seen_count = seen;
}

static void put_member(struct printer *p, const struct wt_member *m, const uint8_t *bytes,
                       uint64_t size, unsigned depth)
{
    const struct wt_type *plain = wt_type_plain(m->type);
    const uint64_t need = m->bit_size ? (m->bit_offset + m->bit_size + 7) / 8 : wt_type_size(plain);
    if (m->is_base) {
        fputc('<', p->out);
        wt_type_print(p->out, m->type);
        fputs("> = ", p->out);
    } else if (m->name) {
        fprintf(p->out, "%s = ", m->name);
    }
    if (m->is_virtual) {
        put_virtual_base(p, m, bytes, depth);
        return;
    }
    if (m->offset > size || need > size - m->offset) {
        fputs("<damaged debug information>", p->out);
        return;
    }
    if (m->bit_size)
        put_scalar(p, m->type, m->bit_offset, m->bit_size, bytes + m->offset, false);
    else if (m->is_base)
        print_value(p, m->type, bytes + m->offset, depth + 1);
    else
        put_other(p, m->type, bytes + m->offset, depth + 1);
}

static void put_static(struct printer *p, const struct wt_type *record, const struct wt_member *m,
                       unsigned depth)
{
    struct wt_values values;
    char *whole;
    fprintf(p->out, "static %s = ", m->name ? m->name : "?");
    if (!record->name || !m->name || asprintf(&whole, "%s::%s", record->name, m->name) < 0) {
        fputs("<optimized out>", p->out);
        return;
    }
    if (wt_source_evaluate(p->scope, whole, &values, WT_IGNORED) != WT_OK) {
        fputs("<optimized out>", p->out);
    } else {
        const uint8_t *start = p->start;
        p->in_static = true;
        p->start = NULL;
        if (values.state[0] == WT_VALUE_GOOD)
            print_value(p, values.type, values.bytes, depth + 1);
        else
            fputs("<optimized out>", p->out);
        p->in_static = false;
        p->start = start;
        wt_values_free(&values);
    }
    free(whole);
}

/* Whether a virtual base has been printed already; from now on it has. */
static bool was_seen(struct printer *p, const struct wt_type *type)
{
    for (unsigned i = 0; i < p->seen_count; i++)
        if (p->seen[i] == type)
            return true;
    if (p->seen_count < MOST_BASES)
        p->seen[p->seen_count++] = type;
    return false;
}

static void put_record(struct printer *p, const struct wt_type *plain, const uint8_t *bytes,
                       unsigned depth)
{
    size_t count, shown = 0;
    const struct wt_member *m = wt_type_members(plain, &count);
    if (plain->is_incomplete) {
        fputs("<incomplete type>", p->out);
        return;
    }
    fputs(p->fortran ? "( " : "{", p->out);
    for (size_t i = 0; i < count; i++) {
        if (m[i].is_static && p->in_static)
            continue; /* a class may have a static member of its own type */
        if (m[i].is_virtual && was_seen(p, wt_type_plain(m[i].type)))
            continue;
        if (shown++)
            fputs(", ", p->out);
        if (m[i].is_static) {
            put_static(p, plain, &m[i], depth);
            continue;
        }
        put_member(p, &m[i], bytes, wt_type_size(plain), depth);
    }
    if (!count)
        fputs("<No data fields>", p->out);
    fputs(p->fortran ? " )" : "}", p->out);
}

/* Classes that are looked through: in damaged debug information they may be bases of each other. */
#define MOST_CLASSES 64

/* The member that begins at an offset of a class, in it or in a base class; NULL: none. *owner is
 * the class that has it. */
static const struct wt_member *member_at(const struct wt_type *class, uint64_t offset,
                                         const struct wt_type **owner, unsigned *left)
{
    size_t count;
    if (!*left || !--*left)
        return NULL;
    const struct wt_member *m = wt_type_members(class, &count);
    for (size_t i = 0; i < count; i++)
        if (!m[i].is_static && !m[i].is_base && m[i].name && !m[i].bit_size &&
            m[i].offset == offset) {
            *owner = class;
            return &m[i];
        }
    for (size_t i = 0; i < count; i++) {
        const struct wt_type *plain = wt_type_plain(m[i].type);
        const struct wt_member *found =
            m[i].is_base && !m[i].is_virtual && offset >= m[i].offset && wt_type_is_record(plain)
                ? member_at(plain, offset - m[i].offset, owner, left)
                : NULL;
        if (found)
            return found;
    }
    return NULL;
}

/* A virtual method by its place in the table. */
static void put_virtual(struct printer *p, const struct wt_type *class, uint64_t place)
{
    Dwarf_Die die = class->die, child;
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    for (int more = die.addr ? dwarf_child(&die, &child) : 1; more == 0;
         more = dwarf_siblingof(&child, &child)) {
        char name[300];
        if (dwarf_tag(&child) != DW_TAG_subprogram ||
            !dwarf_attr(&child, DW_AT_vtable_elem_location, &attribute) ||
            dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1 ||
            ops[0].atom != DW_OP_constu || ops[0].number != place ||
            !dwarf_attr(&child, DW_AT_linkage_name, &attribute))
            continue;
        const char *linkage = dwarf_formstring(&attribute);
        wt_demangle(linkage ? linkage : "?", name, sizeof name);
        fprintf(p->out, "&virtual %s", name);
        return;
    }
    fprintf(p->out, "&virtual table[%" PRIu64 "]", place);
}

/* Pointers to members have the form of the Itanium C++ ABI (section 2.3). A pointer to a variable
 * is its offset, or -1. A pointer to a method has two words: the method's address, or its offset in
 * the table of virtual functions plus 1; and the number that is added to `this`. */
static void put_member_pointer(struct printer *p, const struct wt_type *type,
                               const struct wt_type *plain, const uint8_t *bytes)
{
    const bool method = wt_type_plain(wt_type_target(plain))->kind == WT_TYPE_FUNCTION;
    const unsigned size = (unsigned)wt_type_size(plain) / (method ? 2 : 1);
    if (!size || size > 8) {
        fputs("<pointer to a member of unknown size>", p->out);
        return;
    }
    const uint64_t value = wt_load_le(bytes, size),
                   none = size == 8 ? UINT64_MAX : (1ull << 8 * size) - 1;
    if (value == (method ? 0 : none)) {
        fputs("NULL", p->out);
        return;
    }
    if (method && value & 1) {
        put_virtual(p, wt_type_plain(plain->owner), (value - 1) / size);
        return;
    }
    if (method) {
        fputc('(', p->out);
        wt_type_print(p->out, type);
        fputs(") ", p->out);
        put_address(p, value, false);
        return;
    }
    const struct wt_type *owner;
    unsigned left = MOST_CLASSES;
    const struct wt_member *m = member_at(wt_type_plain(plain->owner), value, &owner, &left);
    if (m)
        fprintf(p->out, "&%s::%s", owner->name ? owner->name : "{...}", m->name);
    else
        fprintf(p->out, "%" PRIu64, value);
}

static void print_value(struct printer *p, const struct wt_type *type, const uint8_t *bytes,
                        unsigned depth)
{
    const struct wt_type *plain = wt_type_plain(type);
    const bool top = depth == 0 && p->format.top;
    if (depth > MOST_DEPTH) {
        fputs("{...}", p->out);
        return;
    }
    switch (plain->kind) {
    case WT_TYPE_ARRAY:
        put_array(p, plain, bytes, depth);
        break;
    case WT_TYPE_STRUCT:
    case WT_TYPE_CLASS:
    case WT_TYPE_UNION:
        put_record(p, plain, bytes, depth);
        break;
    case WT_TYPE_COMPLEX: {
        const unsigned half = (unsigned)wt_type_size(plain) / 2;
        if (half != 4 && half != 8) {
            fputs("<complex number of unknown size>", p->out);
            break;
        }
        if (p->fortran)
            fputc('(', p->out);
        put_float(p->out, wt_load_le(bytes, half), half);
        fputs(p->fortran ? "," : " + ", p->out);
        put_float(p->out, wt_load_le(bytes + half, half), half);
        fputc(p->fortran ? ')' : 'i', p->out);
        break;
    }
    case WT_TYPE_REFERENCE: {
        /* Of a structure: as in GDB, what it refers to is not printed. */
        const uint64_t size = wt_type_size(plain);
        fprintf(p->out, "@0x%" PRIx64, wt_load_le(bytes, size < 8 ? size : 8));
        break;
    }
    case WT_TYPE_MEMBER:
        put_member_pointer(p, type, plain, bytes);
        break;
    case WT_TYPE_VOID:
        fputs("void", p->out);
        break;
    case WT_TYPE_FUNCTION:
        fputs("<function>", p->out);
        break;
    default:
        put_scalar(p, type, 0, 0, bytes, top);
        break;
    }
}

void wt_value_print_bytes(FILE *out, const struct wt_view *scope, const struct wt_type *type,
                          const uint8_t *bytes, const struct wt_format *format)
{
    struct printer p = {.out = out,
                        .scope = scope,
                        .format = *format,
                        .fortran = wt_source_is_fortran(scope),
                        .left = format->elements ? format->elements : ELEMENTS};
    print_value(&p, type, bytes, 0);
}

static void put_function(FILE *out, const struct wt_view *scope, const struct wt_type *type,
                         uint64_t address)
{
    char symbol[300];
    fputc('{', out);
    wt_type_print(out, type);
    fprintf(out, "} 0x%" PRIx64, address);
    wt_source_symbol_at(scope, address, false, symbol, sizeof symbol);
    if (symbol[0])
        fprintf(out, " %s", symbol);
}

static void put_time(FILE *out, const struct wt_values *v)
{
    if (v->as_of)
        fprintf(out, v->in_memory ? " (by a parameter as it was %s)" : " (%s)", v->as_of);
}

void wt_values_print(FILE *out, const struct wt_view *scope, const struct wt_values *v, unsigned k,
                     const struct wt_format *format)
{
    const struct wt_type *plain = wt_type_plain(v->type);
    struct printer p = {.out = out,
                        .scope = scope,
                        .format = *format,
                        .fortran = wt_source_is_fortran(scope),
                        .left = format->elements ? format->elements : ELEMENTS};
    if (plain->kind == WT_TYPE_FUNCTION && v->in_memory) {
        put_function(out, scope, v->type, v->address[k]);
        return;
    }
    char why[WT_VALUE_REASON];
    switch ((enum wt_value_state)v->state[k]) {
    case WT_VALUE_LOST:
        fputs("<optimized out>", out);
        return;
    case WT_VALUE_ELSEWHERE: {
        char lanes[WT_LANES_TEXT];
        wt_lanes_text(v->there, lanes, sizeof lanes);
        fprintf(out, v->there ? "<only in %ss %s>" : "<in no %s>",
                scope->source->topology->lane_word, lanes);
        return;
    }
    case WT_VALUE_NOT_YET:
        fputs("<not available yet>", out);
        return;
    case WT_VALUE_NOT_HERE:
        fputs("<not available here>", out);
        return;
    case WT_VALUE_UNREADABLE:
    case WT_VALUE_UNKNOWN:
    case WT_VALUE_DIVIDED:
    case WT_VALUE_UNFIT:
    case WT_VALUE_UNREACHED:
        fprintf(out, "<error: %s>", wt_values_reason(v, k, why));
        return;
    case WT_VALUE_GOOD:
        break;
    }
    const uint8_t *bytes = v->bytes + k * v->size;
    struct wt_view lane = *scope;
    if (v->in_memory) {
        wt_lanes rest = v->lanes;
        for (unsigned i = 0; i < k; i++)
            rest &= rest - 1;
        const wt_thread thread =
            rest ? wt_debugger_thread_of_lane(wt_source_debugger(scope->source), scope->thread,
                                              wt_lanes_lowest(rest))
                 : 0;
        lane.thread = thread ? thread : scope->thread;
        p.scope = &lane;
        p.start = bytes;
        p.space = v->space;
        p.address = v->address[k];
    }
    if (v->reference) {
        if (format->top) {
            fputc('(', out);
            wt_type_print(out, v->reference);
            fputs(") ", out);
        }
        fprintf(out, "@0x%" PRIx64 ": ", v->address[k]);
        p.format.top = false;
    }
    if (v->bit_size) {
        put_scalar(&p, v->type, v->bit_offset, v->bit_size, bytes, format->top);
        put_time(out, v);
        return;
    }
    if (plain->kind != WT_TYPE_VOID && v->size < wt_type_size(plain)) {
        fputs("<optimized out>", out);
        return;
    }
    print_value(&p, v->type, bytes, 0);
    put_time(out, v);
}
