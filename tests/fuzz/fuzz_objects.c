/*
 * Sequences of allocations, frees, blocks, judgements and of memory that is kept, five bytes each,
 * for the table of objects. An access that is judged good lies in the range that the table reports
 * as good. Verdicts agree with the object that stands at the address. Kept memory is released at
 * most once.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "check/objects.h"

enum { STEP = 5, PLACES = 4096, KEPT = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

static uint64_t released, kept;

static void release(void *context, uint64_t addr)
{
    (void)context;
    (void)addr;
    released++;
}

static bool free_one(void *context, const struct wt_object *object)
{
    *(struct wt_object *)context = *object;
    return false;
}

static void judge(const void *space, uint64_t addr, uint64_t size, bool write)
{
    struct wt_object object, found, before, behind;
    struct wt_good good;
    const enum wt_object_verdict verdict =
        wt_objects_judge(space, addr, size, write, &object, &good);
    const bool holds = wt_object_find(space, addr, &found, &before, &behind);
    assert(good.state == wt_objects_state());
    if (verdict == WT_GOOD) {
        assert(good.first <= addr && addr + size - 1 <= good.last);
        assert(good.writable || !write);
    }
    if (verdict == WT_FREED)
        assert(holds && found.freed);
    if (verdict == WT_READ_ONLY)
        assert(holds && found.read_only && write);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct wt_object last = {.size = 0};
    for (; length >= STEP; data += STEP, length -= STEP) {
        const void *space = data[0] & 0x80 ? &released : NULL;
        const uint64_t addr = 1 + (data[1] | (uint64_t)(data[2] & 0xf) << 8) * 16;
        const uint64_t size = 1 + (data[3] | (uint64_t)(data[4] & 3) << 8);
        switch (data[0] & 0xf) {
        case 0:
        case 1:
            wt_object_made(space, addr, size, "fuzz");
            break;
        case 2:
            wt_object_freed(space, addr, "fuzz");
            break;
        case 3:
            wt_object_variable(space, addr, size, "variable", data[4] & 0x10);
            break;
        case 4:
            wt_block_made(space, addr & ~UINT64_C(0xfff), 4096);
            break;
        case 5:
            wt_block_gone(space, addr & ~UINT64_C(0xfff));
            break;
        case 6:
            wt_object_set_read_only(space, addr, data[4] & 1);
            break;
        case 7:
            wt_objects_set_quarantine(data[3] * UINT64_C(4096));
            break;
        case 8:
            kept++;
            wt_object_keep(addr, size, release, NULL);
            break;
        default:
            judge(space, addr + (data[4] >> 4), size, data[4] & 8);
        }
        assert(released <= kept);
    }
    /* The next sequence begins with an empty table. */
    wt_objects_set_quarantine(0);
    kept++;
    wt_object_keep(1, 1, release, NULL);
    for (uint64_t addr = 0; addr <= PLACES * 16; addr += 4096) {
        wt_block_gone(NULL, addr);
        wt_block_gone(&released, addr);
    }
    for (;;) {
        last.size = 0;
        wt_objects_each(free_one, &last);
        if (!last.size)
            break;
        wt_object_freed(last.space, last.addr, "fuzz");
    }
    return 0;
}
