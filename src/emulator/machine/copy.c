/* The memory of a device in a host process. See copy.h. */
#include "emulator/machine/copy.h"

#include <assert.h>
#include <stdlib.h>

static const uint8_t *copied_page(void *context, uint64_t addr)
{
    const struct wt_copy *copy = context;
    const uint64_t page = addr & ~WT_PAGE_MASK;
    return copy->page(copy->context, page, wt_memory_page(copy->process, page));
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

enum wt_status wt_in_process_begin(struct wt_in_process *p, struct wt_memory **memory,
                                   struct wt_error *err)
{
    struct wt_memory *process = wt_memory_new_host();
    if (!process)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    wt_memory_free(*memory);
    *memory = process;
    *p = (struct wt_in_process){.hosted = true, .memory = process};
    return WT_OK;
}

void wt_in_process_end(struct wt_in_process *p, struct wt_memory *memory)
{
    if (p->memory != memory)
        wt_memory_free(p->memory);
    wt_memory_free(memory);
    wt_shared_pages_free(&p->shared);
}

enum wt_status wt_in_process_copy(struct wt_in_process *p, struct wt_memory **memory,
                                  struct wt_copy *copy, struct wt_error *err)
{
    assert(p->memory && *memory == p->memory && !p->copy);
    assert(copy->page && copy->shared && copy->stored && copy->was_atomic);
    copy->process = p->memory;
    struct wt_memory *made = wt_memory_new_over(copied_page, copy);
    if (!made)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    *memory = made;
    p->copy = copy;
    return WT_OK;
}

void wt_in_process_rejoin(struct wt_in_process *p, struct wt_memory **memory)
{
    assert(p->copy && *memory != p->memory);
    wt_memory_free(*memory);
    *memory = p->memory;
    p->copy = NULL;
}

bool wt_in_process_shares(const struct wt_in_process *p, uint64_t addr)
{
    return p->copy ? p->copy->shared(p->copy->context, addr & ~WT_PAGE_MASK)
                   : wt_shared_pages_have(&p->shared, addr);
}

void wt_in_process_stored(const struct wt_in_process *p, uint64_t addr, const void *bytes,
                          size_t size)
{
    if (p->copy)
        p->copy->stored(p->copy->context, addr, bytes, size);
}

bool wt_in_process_atomic(const struct wt_in_process *p, uint64_t addr)
{
    return p->copy ? p->copy->was_atomic(p->copy->context, addr)
                   : wt_shared_pages_have(&p->shared, addr);
}
