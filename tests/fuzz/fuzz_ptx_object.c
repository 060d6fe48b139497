/*
 * Fuzz target: objects of PTX texts. Each text lies in the object; what is read is written again,
 * if it is PTX, and read once more: the same texts.
 */
#include <stdlib.h>
#include <string.h>

#include "object/ptx_object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 8 };

struct texts {
    const uint8_t *bytes;
    size_t size, count;
    struct ptx_object_text text[MOST];
};

static enum wt_status take(void *context, const char *name, const char *text, size_t length,
                           struct wt_error *err)
{
    struct texts *t = context;
    if ((const uint8_t *)text < t->bytes || length > t->size ||
        (const uint8_t *)text > t->bytes + (t->size - length))
        abort();
    if (t->count == MOST)
        return wt_fail(err, WT_INVALID, "enough");
    struct ptx_object_text *one = &t->text[t->count++];
    *one = (struct ptx_object_text){strdup(name), malloc(length + 1), length};
    if (!one->name || !one->text)
        abort();
    memcpy(one->text, text, length);
    one->text[length] = 0;
    return WT_OK;
}

/* Variables may be as large as they like, but not here. */
static bool is_small(const struct ptx_object_text *text)
{
    struct ptx_module m;
    struct wt_error err;
    uint64_t bytes = 0;
    if (ptx_parse(text->name, text->text, text->length, &m, &err) != WT_OK)
        return true;
    for (size_t i = 0; i < m.variable_count; i++)
        if (m.variable[i].bytes > 1 << 20 || (bytes += m.variable[i].bytes) > 1 << 20)
            bytes = UINT64_C(1) << 32;
    ptx_free(&m);
    return bytes <= 1 << 20;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct texts first = {.bytes = data, .size = size}, again = {0};
    struct wt_buffer out = {0};
    struct wt_error err;
    bool small = true;
    size_t whole;
    const enum wt_status status = ptx_object_each(data, size, take, &first, &err);
    for (size_t i = 0; i < first.count; i++)
        small &= is_small(&first.text[i]);
    if (!status && small &&
        ptx_object_write(first.text, first.count, 50, true, &out, &err) == WT_OK) {
        again.bytes = out.bytes;
        again.size = out.length;
        if (!ptx_object_is(out.bytes, out.length, &whole) || whole != out.length ||
            ptx_object_each(out.bytes, out.length, take, &again, &err) != WT_OK ||
            again.count != first.count)
            abort();
    }
    for (size_t i = 0; i < MOST; i++) {
        free(first.text[i].name);
        free(first.text[i].text);
        free(again.text[i].name);
        free(again.text[i].text);
    }
    free(out.bytes);
    return 0;
}
