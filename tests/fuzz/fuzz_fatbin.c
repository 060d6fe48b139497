/* Fuzz target: fat binaries and code objects in other files. The walks end; each bundle has a
 * verdict in words; code objects lie in the file, one behind the other. */
#include <stdlib.h>
#include <string.h>

#include "object/contained.h"
#include "object/fatbin.h"
#include "object/unpack.h"

enum { MOST_UNPACKED = 1 << 20 };

static const struct gcn_target target = {.name = "gfx900", .machine = 0x2c, .lanes = 64};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gcn_fatbin fatbin = {.bytes = data, .size = size, .target = &target};
    struct gcn_fatbin_bundle b;
    while (gcn_fatbin_next(&fatbin, &b))
        if (fatbin.at > size || !memchr(b.targets, 0, sizeof b.targets) ||
            (!*b.targets && b.verdict != GCN_FATBIN_COMPRESSED))
            abort();
    /* What is compressed lies in the file, and becomes what its header says, or nothing. */
    for (size_t at = 0; at < size; at++) {
        struct wt_packed_bundle packed;
        struct wt_error err;
        if (!wt_packed_bundle_at(data + at, size - at, &packed))
            continue;
        if (packed.bytes < data + at || packed.size > size - (size_t)(packed.bytes - data))
            abort();
        if (packed.whole <= MOST_UNPACKED)
            free(wt_packed_bundle_unpack(&packed, &err));
    }
    struct gcn_contained found;
    for (size_t at = 0, before = 0; gcn_contained_next(data, size, &target, &at, &found);
         before = at)
        if (at > size || at <= before || found.bytes < data || found.size > size ||
            found.bytes + found.size != data + at || !memchr(found.target, 0, sizeof found.target))
            abort();
    return 0;
}
