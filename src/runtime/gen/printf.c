/* printf of OpenCL C kernels: formatting the records. See printf.h. */
#include "runtime/gen/printf.h"

#include <string.h>

#include "base/bits.h"
#include "runtime/common/conversion.h"

enum { MOST_TEXT = 16384, MOST_ELEMENTS = 16 };

/* Kinds of values, as the records number them. */
enum printf_kind {
    BYTE = 1,
    SHORT,
    INT,
    FLOAT,
    STRING,
    LONG,
    POINTER,
    DOUBLE,
    VECTOR_BYTE,
    VECTOR_SHORT,
    VECTOR_INT,
    VECTOR_LONG,
    VECTOR_FLOAT,
    VECTOR_DOUBLE
};

struct printf_reader {
    struct gen_device *device;
    const struct gen_kernel *kernel;
    const uint8_t *bytes;
    size_t length, at;
};

static bool take(struct printf_reader *r, void *to, size_t size)
{
    if (size > r->length - r->at)
        return false;
    memcpy(to, r->bytes + r->at, size);
    r->at += size;
    return true;
}

static bool take_number(struct printf_reader *r, unsigned size, uint64_t *value)
{
    uint8_t bytes[8];
    if (!take(r, bytes, size))
        return false;
    *value = wt_load_le(bytes, size);
    return true;
}

/* The text that a record names: one of the kernel's, or one in the device's memory, with its zero.
 * False if there is none. */
static bool take_text(struct printf_reader *r, char text[MOST_TEXT])
{
    struct gen_device *const device = r->device;
    const bool by_index = r->kernel->text_count > 0;
    uint64_t addr;
    if (!take_number(r, by_index ? 4 : 8, &addr))
        return false;
    if (by_index && (addr >= r->kernel->text_count || !r->kernel->text[addr]))
        return false;
    if (by_index)
        return snprintf(text, MOST_TEXT, "%s", r->kernel->text[addr]) < MOST_TEXT;
    for (size_t i = 0; i < MOST_TEXT; i++)
        if (!gen_device_read(device, addr + i, text + i, 1))
            return false;
        else if (!text[i])
            return true;
    return false;
}

/* Bytes of an element; 0 if the kind of value is unknown. */
static unsigned bytes_of(uint64_t kind)
{
    static const uint8_t bytes[] = {
        [BYTE] = 1,         [SHORT] = 2,      [INT] = 4,         [FLOAT] = 4,
        [LONG] = 8,         [POINTER] = 8,    [DOUBLE] = 8,      [VECTOR_BYTE] = 1,
        [VECTOR_SHORT] = 2, [VECTOR_INT] = 4, [VECTOR_LONG] = 8, [VECTOR_FLOAT] = 4,
        [VECTOR_DOUBLE] = 8};
    return kind < sizeof bytes ? bytes[kind] : 0;
}

static bool print_values(struct printf_reader *r, const struct wt_conversion *c, uint64_t kind,
                         unsigned size, FILE *out)
{
    uint64_t count = 1;
    uint8_t bytes[MOST_ELEMENTS][8];
    if (kind >= VECTOR_BYTE && (!take_number(r, 4, &count) || count > MOST_ELEMENTS))
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!take(r, bytes[i], size))
            return false;
    /* Smaller elements leave room, as if each were a dword. */
    if (size < 4) {
        const size_t padding = (4 - size) * count;
        if (padding > r->length - r->at)
            return false;
        r->at += padding;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (i)
            fputc(',', out);
        wt_conversion_print(c, bytes[i], size, out);
    }
    return true;
}

/* The argument of one conversion. */
static bool print_argument(struct printf_reader *r, const struct wt_conversion *c, FILE *out)
{
    char text[MOST_TEXT];
    uint64_t kind;
    if (!take_number(r, 4, &kind))
        return false;
    if (kind == STRING) {
        if (!take_text(r, text))
            return false;
        wt_conversion_print_text(c, text, strlen(text), out);
        return true;
    }
    const unsigned size = bytes_of(kind);
    return size && c->kind != 's' && print_values(r, c, kind, size, out);
}

size_t gen_printf_print(struct gen_device *device, const struct gen_kernel *kernel,
                        const uint8_t *bytes, size_t length, FILE *out)
{
    struct printf_reader r = {.device = device, .kernel = kernel, .bytes = bytes, .length = length};
    char format[MOST_TEXT];
    for (;;) {
        const size_t begins = r.at;
        struct wt_conversion c;
        if (!take_text(&r, format))
            return begins;
        for (const char *at = format; (at = wt_conversion_next(at, &c, out));)
            if (!print_argument(&r, &c, out))
                return begins;
    }
}
