/* printf of OpenCL C kernels: formatting the records. See printf.h. */
#include "runtime/gcn/printf.h"

#include "base/bits.h"
#include "runtime/common/conversion.h"

/* An argument of `size` bytes. */
static void print_argument(const struct wt_conversion *c, const uint8_t *bytes, size_t size,
                           FILE *out)
{
    /* A vector of three has room for four. */
    const size_t each = size / (c->elements == 3 ? 4 : c->elements);
    if (c->kind == 's') {
        wt_conversion_print_text(c, (const char *)bytes, size, out);
        return;
    }
    for (unsigned i = 0; i < c->elements; i++) {
        if (i)
            fputc(',', out);
        if (each == 1 || each == 2 || each == 4 || each == 8)
            wt_conversion_print(c, bytes + i * each, each, out);
    }
}

/* ---- texts as arguments ----
 * A text takes its characters and a zero, filled up to whole dwords, say the metadata. But where
 * its length is a multiple of 4, LLVM 19 leaves out the dword with the zero, and the arguments
 * behind it come that much earlier; what is left over at the record's end keeps its fill. */

static bool may_be_shorter(const struct wt_conversion *c, uint32_t size)
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

/* How many texts of the record are shorter than the metadata say, of how many that may be. */
static size_t shorter_texts(const struct gcn_format *f, const uint8_t *end, size_t *texts)
{
    struct wt_conversion c;
    size_t n = 0, i = 0;
    *texts = 0;
    for (const char *at = f->text; i < f->sizes && (at = wt_conversion_next(at, &c, NULL)); i++)
        *texts += may_be_shorter(&c, f->size[i]);
    while (n < *texts && wt_load_le(end - 4 * (n + 1), 4) == GCN_PRINTF_FILL * 0x01010101u)
        n++;
    return n;
}

/* A record of `size` bytes. */
static void print_record(const struct gcn_format *f, const uint8_t *bytes, size_t size, FILE *out)
{
    struct wt_conversion c;
    size_t texts, i = 0, shorter = shorter_texts(f, bytes + size, &texts);
    for (const char *at = f->text; (at = wt_conversion_next(at, &c, out)); i++) {
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
