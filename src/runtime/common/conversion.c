/* Conversions of OpenCL C's printf. See conversion.h. */
#include "runtime/common/conversion.h"

#include <ctype.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/softfloat.h"

static unsigned digits(const char **at)
{
    unsigned value = 0;
    while (isdigit((unsigned char)**at) && value < 10000)
        value = value * 10 + (unsigned)(*(*at)++ - '0');
    return value;
}

/* Parses the conversion after a '%'. */
static struct wt_conversion conversion_of(const char **at)
{
    struct wt_conversion c = {.elements = 1};
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
static const char *host_format(const struct wt_conversion *c, const char *length, char *text,
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

void wt_conversion_print(const struct wt_conversion *c, const uint8_t *bytes, size_t size,
                         FILE *out)
{
    char format[48];
    const uint64_t value = wt_load_le(bytes, size);
    /* The bits that hh, h, hl and l say, where the record has more. */
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

void wt_conversion_print_text(const struct wt_conversion *c, const char *text, size_t size,
                              FILE *out)
{
    const int most = c->has_precision && c->precision < size ? (int)c->precision : (int)size;
    const int width = strchr(c->flags, '-') ? -(int)c->width : (int)c->width;
    fprintf(out, "%*.*s", width, most, text);
}

const char *wt_conversion_next(const char *at, struct wt_conversion *c, FILE *out)
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
