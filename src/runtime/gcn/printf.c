/* printf of OpenCL C kernels: formatting the records. See printf.h. */
#include "runtime/gcn/printf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/softfloat.h"

/* A conversion specification: "%-8.3v4hlx". */
struct conversion {
    char flags[8];
    unsigned width, precision;
    bool has_precision;
    unsigned elements; /* of a vector; 1 without v */
    char length[3];    /* "", hh, h, hl, l, ll */
    char kind;         /* 0: it is none */
};

static unsigned digits(const char **at)
{
    unsigned value = 0;
    while (isdigit((unsigned char)**at) && value < 10000)
        value = value * 10 + (unsigned)(*(*at)++ - '0');
    return value;
}

/* Reads what stands behind a '%'. */
static struct conversion conversion_of(const char **at)
{
    struct conversion c = {.elements = 1};
    size_t n = 0;
    while (**at && strchr("-+ #0", **at) && n + 1 < sizeof c.flags)
        c.flags[n++] = *(*at)++;
    c.width = digits(at);
    if (**at == '.') {
        ++*at;
        c.has_precision = true;
        c.precision = digits(at);
    }
    if (**at == 'v') {
        ++*at;
        c.elements = digits(at);
    }
    for (n = 0; **at && strchr("hl", **at) && n + 1 < sizeof c.length;)
        c.length[n++] = *(*at)++;
    const bool sound = c.elements == 1 || c.elements == 2 || c.elements == 3 || c.elements == 4 ||
                       c.elements == 8 || c.elements == 16;
    /* Those that the compiler knows: of others it leaves no argument. */
    if (**at && strchr("diouxXfeEgGacsp", **at) && sound)
        c.kind = *(*at)++;
    return c;
}

/* The specification for the host's printf, of which `length` says how wide the value is. */
static const char *host_format(const struct conversion *c, const char *length, char *text,
                               size_t size)
{
    char width[16] = "", precision[16] = "";
    if (c->width)
        snprintf(width, sizeof width, "%u", c->width);
    if (c->has_precision)
        snprintf(precision, sizeof precision, ".%u", c->precision);
    snprintf(text, size, "%%%s%s%s%s%c", c->flags, width, precision, length, c->kind);
    return text;
}

static double real(const uint8_t *bytes, size_t size)
{
    struct wt_fp fp = {.propagate_nan = true};
    uint64_t bits = wt_load_le(bytes, size);
    double value;
    if (size == 4)
        bits = wt_f32_to_f64((uint32_t)bits, &fp);
    else if (size == 2)
        bits = wt_f16_to_f64((uint16_t)bits, &fp);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The formats come from the code object and are checked by conversion_of. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* One value of 1 to 8 bytes. */
static void print_value(const struct conversion *c, const uint8_t *bytes, size_t size, FILE *out)
{
    char format[48];
    const uint64_t value = wt_load_le(bytes, size);
    /* What hh, h, hl and l say, where the record has more than that. */
    const unsigned named = strcmp(c->length, "hh") == 0  ? 8
                           : strcmp(c->length, "h") == 0 ? 16
                           : *c->length == 'l'           ? 64
                                                         : 32;
    const unsigned bits = named < size * 8 ? named : (unsigned)size * 8;
    switch (c->kind) {
    case 'd':
    case 'i':
        fprintf(out, host_format(c, "ll", format, sizeof format),
                (long long)wt_sign_extend(value, bits));
        break;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        fprintf(out, host_format(c, "ll", format, sizeof format),
                (unsigned long long)(bits == 64 ? value : value & (((uint64_t)1 << bits) - 1)));
        break;
    case 'c':
        fprintf(out, host_format(c, "", format, sizeof format), (int)(value & 0xff));
        break;
    case 'p':
        fprintf(out, host_format(c, "", format, sizeof format), (void *)(uintptr_t)value);
        break;
    default:
        fprintf(out, host_format(c, "", format, sizeof format), real(bytes, size));
        break;
    }
}

static void print_text(const struct conversion *c, const uint8_t *bytes, size_t size, FILE *out)
{
    const int most = c->has_precision && c->precision < size ? (int)c->precision : (int)size;
    const int width = strchr(c->flags, '-') ? -(int)c->width : (int)c->width;
    fprintf(out, "%*.*s", width, most, (const char *)bytes);
}

/* An argument of `size` bytes. */
static void print_argument(const struct conversion *c, const uint8_t *bytes, size_t size, FILE *out)
{
    /* A vector of three has room for four. */
    const size_t each = size / (c->elements == 3 ? 4 : c->elements);
    if (c->kind == 's') {
        print_text(c, bytes, size, out);
        return;
    }
    for (unsigned i = 0; i < c->elements; i++) {
        if (i)
            fputc(',', out);
        if (each == 1 || each == 2 || each == 4 || each == 8)
            print_value(c, bytes + i * each, each, out);
    }
}

/* ---- texts as arguments ----
 * A text takes its characters and a zero, filled up to whole dwords, say the metadata. But where
 * its length is a multiple of 4, LLVM 19 leaves out the dword with the zero, and the arguments
 * behind it come that much earlier; what is left over at the record's end keeps its fill. */

static bool may_be_shorter(const struct conversion *c, uint32_t size)
{
    return c->kind == 's' && size > 4;
}

/* Whether the dword is the end of a text: characters, then zeros. */
static bool ends_text(const uint8_t *dword)
{
    unsigned n = 0;
    while (n < 4 && dword[n])
        n++;
    for (unsigned i = n; i < 4; i++)
        if (dword[i])
            return false;
    return n > 0 && n < 4;
}

/* The next conversion that takes an argument: what stands behind it; NULL at the end of the text.
 * Prints what comes before it if `out` is not NULL. */
static const char *next_conversion(const char *at, struct conversion *c, FILE *out)
{
    while (*at) {
        const char *from = at++;
        if (*from == '%' && *at != '%') {
            *c = conversion_of(&at);
            if (c->kind)
                return at;
        } else if (*from == '%') {
            at++;
            from++;
        }
        if (out)
            fwrite(from, 1, (size_t)(at - from), out);
    }
    return NULL;
}

/* How many texts of the record are shorter than the metadata say, of how many that may be. */
static size_t shorter_texts(const struct gcn_format *f, const uint8_t *end, size_t *texts)
{
    struct conversion c;
    size_t n = 0, i = 0;
    *texts = 0;
    for (const char *at = f->text; i < f->sizes && (at = next_conversion(at, &c, NULL)); i++)
        *texts += may_be_shorter(&c, f->size[i]);
    while (n < *texts && wt_load_le(end - 4 * (n + 1), 4) == GCN_PRINTF_FILL * 0x01010101u)
        n++;
    return n;
}

/* A record of `size` bytes. */
static void print_record(const struct gcn_format *f, const uint8_t *bytes, size_t size, FILE *out)
{
    struct conversion c;
    size_t texts, i = 0, shorter = shorter_texts(f, bytes + size, &texts);
    for (const char *at = f->text; (at = next_conversion(at, &c, out)); i++) {
        if (i >= f->sizes)
            continue;
        uint32_t here = f->size[i];
        if (may_be_shorter(&c, here)) {
            if (shorter && (shorter == texts || !ends_text(bytes + here - 4))) {
                here -= 4;
                shorter--;
            }
            texts--;
        }
        print_argument(&c, bytes, here, out);
        bytes += here;
    }
}

size_t gcn_printf_print(const struct gcn_object *object, const uint8_t *bytes, size_t length,
                        FILE *out)
{
    for (size_t at = 0;;) {
        const struct gcn_format *f = NULL;
        size_t size = 4;
        if (length - at < size)
            return at;
        const uint32_t id = (uint32_t)wt_load_le(bytes + at, 4);
        for (size_t i = 0; i < object->formats && !f; i++)
            if (object->format[i].id == id)
                f = &object->format[i];
        for (size_t i = 0; f && i < f->sizes; i++)
            size += f->size[i];
        if (!f || size > length - at)
            return at;
        print_record(f, bytes + at + 4, size - 4, out);
        at += size;
    }
}
