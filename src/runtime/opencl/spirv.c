/* See spirv.h. */
#include "runtime/opencl/spirv.h"

#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0x07230203, HEADER = 5, BOUND = 3, MOST_IDS = 1 << 22, KERNEL = 6 };
/* Opcodes; of their words the first one has the length, too. */
enum { ENTRY_POINT = 15, INT = 21, FLOAT = 22, VECTOR = 23, FUNCTION_TYPE = 33, FUNCTION = 54 };

/* Of an id: the bytes of a type, or the place of a type of functions. */
struct id {
    uint32_t bytes;
    size_t function_type;
};

/* Notes the size of the type that an instruction declares. */
static void note_type(struct id *ids, uint32_t bound, const uint32_t *words, size_t at,
                      uint32_t length)
{
    const uint32_t *w = words + at;
    struct id *id = &ids[w[1]];
    switch (w[0] & 0xffff) {
    case INT:
    case FLOAT:
        id->bytes = length > 2 ? w[2] / 8 : 0;
        break;
    case VECTOR:
        id->bytes =
            length > 3 && w[2] < bound && w[3] <= 16 && w[3] != 3 ? ids[w[2]].bytes * w[3] : 0;
        break;
    case FUNCTION_TYPE:
        id->function_type = at;
        break;
    default:
        break;
    }
}

static bool is_named(const uint32_t *name, uint32_t words, const char *kernel)
{
    const size_t length = strlen(kernel) + 1;
    return length <= words * sizeof *name && memcmp(name, kernel, length) == 0;
}

size_t drm_spirv_arguments(const uint32_t *words, size_t count, const char *kernel, uint32_t *size,
                           size_t room)
{
    const uint32_t bound = count > HEADER && words[0] == MAGIC ? words[BOUND] : 0;
    uint32_t entry = 0, length;
    size_t arguments = 0;
    struct id *ids = bound && bound <= MOST_IDS ? calloc(bound, sizeof *ids) : NULL;
    for (size_t at = HEADER; ids && at < count; at += length) {
        const uint32_t *w = words + at, opcode = w[0] & 0xffff;
        length = w[0] >> 16;
        if (!length || length > count - at)
            break;
        if (opcode == ENTRY_POINT && length > 3 && w[1] == KERNEL &&
            is_named(w + 3, length - 3, kernel))
            entry = w[2];
        else if (opcode == FUNCTION && length > 4 && entry && w[2] == entry && w[4] < bound) {
            const size_t type = ids[w[4]].function_type;
            for (uint32_t i = 3; type && i < words[type] >> 16 && arguments < room; i++) {
                const uint32_t one = words[type + i];
                size[arguments++] = one < bound ? ids[one].bytes : 0;
            }
            break;
        } else if (length > 1 && w[1] < bound)
            note_type(ids, bound, words, at, length);
    }
    free(ids);
    return arguments;
}
