/* Fuzz target: translation through tables of any content. The first bytes choose the table and the
 * address, the rest is physical memory. */
#include <stdlib.h>
#include <string.h>

#include "emulator/gen/gtt/gtt.h"
#include "emulator/gen/gtt/tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct memory {
    const uint8_t *bytes;
    size_t length;
};

/* Small memory repeats, so that entries which point anywhere find something. */
static bool read_memory(void *context, uint64_t physical, void *bytes, size_t size)
{
    const struct memory *m = context;
    if (m->length < 8 || physical % 7 == 6)
        return false;
    memcpy(bytes, m->bytes + physical % (m->length - 7), size);
    return true;
}

/* The walk of a TLB's miss reads whole entries, of memory that is there. */
static uint64_t read_entry(void *context, uint64_t physical)
{
    uint64_t entry = 0;
    read_memory(context, physical, &entry, sizeof entry);
    return entry;
}

/* Both walks come to the same, except where an entry lies nowhere. */
static void compare(const struct wt_gtt *gtt, struct memory *memory, uint64_t address,
                    const struct wt_gtt_walk *walk)
{
    struct wt_ppgtt_page page;
    if (gtt->gen < 8 || gtt->kind != WT_GTT_PROCESS48 || !gtt->enabled)
        return;
    const bool mapped = wt_ppgtt_translate(read_entry, memory, gtt->root[0], address, &page);
    if (mapped != walk->mapped || (mapped && page.physical != walk->physical))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wt_gtt gtt = {0};
    struct wt_error err = {0};
    struct wt_gtt_walk walk;
    uint64_t address;
    if (size < 16)
        return 0;
    memcpy(&address, data, 8);
    gtt.gen = data[8] % 12;
    gtt.variant = data[9] % 3;
    gtt.kind = data[10] % 3;
    gtt.enabled = data[11] % 8;
    gtt.root_count = data[12] % 5;
    for (unsigned i = 0; i < gtt.root_count; i++)
        gtt.root[i] = (uint64_t)(data[13] + i) << data[14] % 52;
    gtt.bytes = (uint64_t)data[15] << 16;
    if (wt_gtt_check(&gtt, &err) != WT_OK) {
        if (!err.text[0])
            abort();
        return 0;
    }
    struct memory memory = {data + 16, size - 16};
    wt_gtt_walk(&gtt, read_memory, &memory, address, &walk);
    compare(&gtt, &memory, address, &walk);
    if (walk.mapped == !!walk.fault[0] || walk.level_count > 4)
        abort();
    if (walk.mapped && (walk.physical ^ address) % walk.page_bytes)
        abort();
    return 0;
}
