/* Fuzz target: fat binaries. The walk over the bundles ends, and each has a verdict in words. */
#include <stdlib.h>
#include <string.h>

#include "object/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gcn_fatbin fatbin = {.bytes = data, .size = size};
    struct gcn_fatbin_bundle b;
    while (gcn_fatbin_next(&fatbin, &b))
        if (fatbin.at > size || !memchr(b.targets, 0, sizeof b.targets) ||
            (!*b.targets && b.verdict != GCN_FATBIN_COMPRESSED))
            abort();
    return 0;
}
