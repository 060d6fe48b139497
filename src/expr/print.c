/* Formats in the style of printf(3), rebuilt from checked parts. */
#include "expr/print.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"

struct printer {
    const struct wt_expr_world *world;
    unsigned lane;
    char buffer[1024];
    size_t used;
};

static void flush(struct printer *out)
{
    if (out->used && out->world->print)
        out->world->print(out->world->context, out->buffer, out->used);
    out->used = 0;
}

static void put(struct printer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (out->used == sizeof out->buffer)
            flush(out);
        out->buffer[out->used++] = text[i];
    }
}

/* Reads a byte as the lane sees it. */
static bool read_byte(const struct printer *out, uint64_t addr, char *c)
{
    uint64_t address[WT_MAX_LANES], byte[WT_MAX_LANES];
    const wt_lanes which = wt_lane_bit(out->lane);
    address[out->lane] = addr;
    if (!out->world->read ||
        out->world->read(out->world->context, which, address, 1, byte) != which)
        return false;
    *c = (char)byte[out->lane];
    return true;
}

/* One conversion, rebuilt from checked parts so that the host's printf sees nothing else. */
struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    char length;          /* 'h', 'H' for hh, 'l', 'L', or 0 */
    char what;
};

static const char *parse_conversion(const char *s, struct conversion *c)
{
    size_t flags = 0;
    *c = (struct conversion){.width = -1, .precision = -1};
    for (; *s && strchr("-+ #0", *s); s++)
        if (flags < sizeof c->flags - 1 && !memchr(c->flags, *s, flags))
            c->flags[flags++] = *s;
    for (; *s >= '0' && *s <= '9'; s++)
        c->width = (c->width < 0 ? 0 : c->width > 100 ? 100 : c->width) * 10 + (*s - '0');
    if (*s == '.') {
        c->precision = 0;
        for (s++; *s >= '0' && *s <= '9'; s++)
            c->precision = (c->precision > 100 ? 100 : c->precision) * 10 + (*s - '0');
    }
    for (; *s && strchr("hlLqjzt", *s); s++)
        c->length = *s == 'h' ? (c->length == 'h' ? 'H' : 'h') : *s == 'L' ? 'L' : 'l';
    c->what = *s;
    return *s ? s + 1 : s;
}

/* Blanks where a text of some length does not fill the width. */
static void pad(struct printer *out, const struct conversion *c, int length, bool left)
{
    if (left != (strchr(c->flags, '-') != NULL))
        return;
    for (; length < c->width; length++)
        put(out, " ", 1);
}

/* A string of the program: at most 1,000 bytes, fewer if the rest cannot be read. */
static void put_string(struct printer *out, const struct conversion *c, uint64_t addr)
{
    const int limit = c->precision >= 0 && c->precision < 1000 ? c->precision : 1000;
    char text[1000 + 12];
    int length = 0;
    for (; length < limit; length++) {
        if (!read_byte(out, addr + (unsigned)length, &text[length])) {
            memcpy(text + length, "<unreadable>", 12);
            length += 12;
            break;
        }
        if (!text[length])
            break;
    }
    pad(out, c, length, false);
    put(out, text, (size_t)length);
    pad(out, c, length, true);
}

static void put_number(struct printer *out, const struct conversion *c, uint64_t value)
{
    char format[32], text[320];
    snprintf(format, sizeof format, "%%%s*.*%s", c->flags,
             c->what == 'd' || c->what == 'i' ? PRId64
             : c->what == 'u'                 ? PRIu64
             : c->what == 'o'                 ? PRIo64
             : c->what == 'X'                 ? PRIX64
                                              : PRIx64);
    unsigned bits = c->length == 'l' || c->length == 'L' ? 64
                    : c->length == 'h'                   ? 16
                    : c->length == 'H'                   ? 8
                                                         : 32;
    if (c->what == 'd' || c->what == 'i')
        value = (uint64_t)wt_sign_extend(value, bits);
    else if (bits < 64)
        value &= ((uint64_t)1 << bits) - 1;
    int width = c->width < 0 ? 0 : c->width > 255 ? 255 : c->width;
    int precision = c->precision > 40 ? 40 : c->precision;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int n = snprintf(text, sizeof text, format, width, precision, value);
#pragma GCC diagnostic pop
    if (n > 0)
        put(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

double wt_print_double(uint64_t cell, unsigned bits)
{
    double wide;
    if (bits == 16) {
        const int exponent = cell >> 10 & 31;
        const double fraction = (double)(cell & 0x3ff);
        const double size = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                            : exponent == 0 ? ldexp(fraction, -24)
                                            : ldexp(1024 + fraction, exponent - 25);
        return cell & 0x8000 ? -size : size;
    }
    if (bits == 32) {
        const uint32_t low = (uint32_t)cell;
        float narrow;
        memcpy(&narrow, &low, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, &cell, sizeof wide);
    return wide;
}

/* Padding, and the digits of the largest number before and after the point. */
#define FLOAT_TEXT 768

static void put_float(struct printer *out, const struct conversion *c, double value)
{
    char format[16], text[FLOAT_TEXT];
    snprintf(format, sizeof format, "%%%s*.*%c", c->flags, c->what);
    const int width = c->width < 0 ? 0 : c->width > 255 ? 255 : c->width;
    const int precision = c->precision > 255 ? 255 : c->precision;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int n = snprintf(text, sizeof text, format, width, precision, value);
#pragma GCC diagnostic pop
    if (n > 0)
        put(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* One conversion; false if there is no such conversion. */
static bool convert(struct printer *out, struct conversion c,
                    const struct wt_print_argument *argument)
{
    const char character = (char)argument->value;
    switch (c.what) {
    case 's':
        put_string(out, &c, argument->value);
        return true;
    case 'c':
        pad(out, &c, 1, false);
        put(out, &character, character != 0); /* 0 is nothing in a text */
        pad(out, &c, 1, true);
        return true;
    case 'p':
        c = (struct conversion){
            .flags = "#", .width = -1, .precision = -1, .length = 'l', .what = 'x'};
        put_number(out, &c, argument->value);
        return true;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        put_number(out, &c, argument->value);
        return true;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        if (c.length == 'L')
            return false; /* wider than a cell */
        put_float(out, &c, wt_print_double(argument->value, argument->bits));
        return true;
    default:
        return false;
    }
}

bool wt_print(const struct wt_expr_world *world, unsigned lane, const char *format, size_t length,
              const struct wt_print_argument *argument, size_t count)
{
    assert(world && lane < WT_MAX_LANES && count <= WT_PRINT_ARGUMENTS);
    struct printer out = {.world = world, .lane = lane};
    const char *end = format + length;
    size_t used = 0;
    bool fine = true;
    for (const char *s = format; s < end && fine;) {
        struct conversion c;
        if (*s != '%') {
            put(&out, s++, 1);
        } else if (s[1] == '%') {
            put(&out, "%", 1);
            s += 2;
        } else {
            s = parse_conversion(s + 1, &c);
            fine = used < count && convert(&out, c, &argument[used++]);
        }
    }
    flush(&out);
    return fine;
}
