/*
 * Fuzz target: the MessagePack of a code object's metadata note, alone. What is read keeps the
 * promises of code_object.h; how much memory it takes is bounded by its length, whatever it claims.
 */
#include <sanitizer/allocator_interface.h>
#include <stdbool.h>
#include <stdlib.h>

#include "object/code_object.h"
#include "object/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Parses the note; whether its memory is bounded. */
static bool parse(const uint8_t *data, size_t size, struct gcn_object *object, struct wt_error *err)
{
    *object = (struct gcn_object){.version = 5};
    *err = (struct wt_error){0};
    const size_t before = __sanitizer_get_current_allocated_bytes();
    if (gcn_metadata_parse("note", data, size, object, err) && !err->text[0])
        abort();
    const size_t after = __sanitizer_get_current_allocated_bytes();
    return after <= before || after - before <= 100 * size + 4096;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { TRIES = 3 }; /* the count is the process's, and libFuzzer's threads use memory, too */
    struct gcn_object object;
    struct wt_error err;
    for (unsigned i = 1; !parse(data, size, &object, &err); i++) {
        if (i == TRIES)
            abort();
        gcn_object_free(&object);
    }
    for (size_t i = 0; i < object.kernels; i++) {
        const struct gcn_kernel *k = &object.kernel[i];
        if (!k->name || k->explicit_arguments > k->arguments)
            abort();
        for (size_t j = 0; j < k->arguments; j++)
            if (!err.status &&
                (!k->argument[j].name ||
                 (uint64_t)k->argument[j].offset + k->argument[j].size > k->kernarg_size))
                abort();
    }
    for (size_t i = 0; i < object.formats; i++)
        if (!object.format[i].text)
            abort();
    gcn_object_free(&object);
    return 0;
}
