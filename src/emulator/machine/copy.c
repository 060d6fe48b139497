/* The memory of a device that works on a copy of its process's. See copy.h. */
#include "emulator/machine/copy.h"

#include <assert.h>

static const uint8_t *copied_page(void *context, uint64_t addr)
{
    const struct wt_copy *copy = context;
    const uint64_t page = addr & ~WT_PAGE_MASK;
    return copy->page(copy->context, page, wt_memory_page(copy->process, page));
}

struct wt_memory *wt_memory_new_copy(const struct wt_copy *copy)
{
    assert(copy->process && copy->page && copy->shared && copy->stored && copy->was_atomic);
    return wt_memory_new_over(copied_page, (void *)copy);
}
