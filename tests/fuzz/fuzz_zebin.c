/* Fuzz target: zebins, and (where the first byte is a space) the text of .ze_info alone. */
#include <stdlib.h>

#include "object/zebin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gen_object object = {0};
    struct wt_error err;
    if (size && *data == ' ') {
        if (gen_ze_info_parse("fuzz", (const char *)data + 1, size - 1, &object, &err) != WT_OK &&
            !err.text[0])
            __builtin_trap();
        gen_object_free(&object);
        return 0;
    }
    if (gen_object_parse("fuzz", data, size, &object, &err) != WT_OK) {
        if (!err.text[0])
            __builtin_trap();
        return 0;
    }
    for (size_t i = 0; i < object.kernel_count; i++)
        if (gen_object_kernel(&object, object.kernel[i].name) == NULL ||
            object.kernel[i].code + object.kernel[i].code_size > object.size)
            __builtin_trap();
    uint8_t *linked;
    size_t length;
    if (gen_object_link("fuzz", data, size, &object, 0x100000000, &linked, &length, &err) == WT_OK)
        free(linked);
    else if (!err.text[0])
        __builtin_trap();
    gen_object_free(&object);
    return 0;
}
