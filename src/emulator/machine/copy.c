/* The memory of a device that works on a copy of its process's. See copy.h. */
#include "emulator/machine/copy.h"

#include <assert.h>
#include <stdlib.h>

static const uint8_t *copied_page(void *context, uint64_t addr)
{
    const struct wt_copy *copy = context;
    const uint64_t page = addr & ~WT_PAGE_MASK;
    return copy->page(copy->context, page, wt_memory_page(copy->process, page));
}

enum wt_status wt_memory_new_copy(struct wt_copy *copy, struct wt_memory *process,
                                  struct wt_memory **memory, struct wt_error *err)
{
    assert(process && copy->page && copy->shared && copy->stored && copy->was_atomic);
    copy->process = process;
    struct wt_memory *made = wt_memory_new_over(copied_page, copy);
    if (!made)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    *memory = made;
    return WT_OK;
}

bool wt_shared_pages_have(const struct wt_shared_pages *pages, uint64_t addr)
{
    size_t low = 0, high = pages->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pages->page[middle] <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low && addr - pages->page[low - 1] < WT_PAGE_SIZE;
}

void wt_shared_pages_free(struct wt_shared_pages *pages)
{
    free(pages->page);
    *pages = (struct wt_shared_pages){.page = NULL};
}
