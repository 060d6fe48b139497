/* Fuzz target: line numbers of an ELF file. The first two bytes are the address. Whatever comes, a
 * line is one that people count, and a name ends. */
#include <stdlib.h>
#include <string.h>

#include "object/line_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct line_place place;
    if (size < 2)
        return 0;
    if (line_table_find(data + 2, size - 2, (uint64_t)(data[0] | data[1] << 8), &place) &&
        (!place.line || strnlen(place.file, sizeof place.file) == sizeof place.file))
        abort();
    return 0;
}
