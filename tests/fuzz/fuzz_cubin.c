/* Fuzz target: cubins. What is read can be written again, and reads back the same. */
#include <stdlib.h>
#include <string.h>

#include "object/cubin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cubin cubin, again;
    struct wt_error err;
    uint8_t *bytes;
    size_t length;
    if (cubin_parse("fuzz", data, size, &cubin, &err) != WT_OK)
        return 0;
    if (cubin.function_count <= 100) {
        if (cubin_write(&cubin, &bytes, &length, &err) != WT_OK)
            abort();
        if (cubin_parse("again", bytes, length, &again, &err) != WT_OK ||
            again.function_count != cubin.function_count)
            abort();
        for (size_t i = 0; i < cubin.function_count; i++) {
            const struct cubin_function *a = &cubin.function[i], *b = &again.function[i];
            if (a->size != b->size || a->is_kernel != b->is_kernel ||
                memcmp(cubin.code + a->code, again.code + b->code, a->size) != 0)
                abort();
        }
        cubin_free(&again);
        free(bytes);
    }
    cubin_free(&cubin);
    return 0;
}
