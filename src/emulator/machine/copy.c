/* The memory of a device in a host process. See copy.h. */
#include "base/array.h"
#include "emulator/machine/copy.h"

#include <assert.h>
#include <stdlib.h>

/* Whether the page of addr is one of them. */
static bool shared_pages_have(const struct wt_shared_pages *pages, uint64_t addr)
{
    WT_BISECT(low, pages->count, pages->page[middle] <= addr);
    return low && addr - pages->page[low - 1] < WT_PAGE_SIZE;
}

void wt_shared_pages_free(struct wt_shared_pages *pages)
{
    free(pages->page);
    *pages = (struct wt_shared_pages){.page = NULL};
}

bool wt_in_process_shares(const struct wt_in_process *p, uint64_t addr)
{
    return p->copy ? p->copy->shared(p->copy->context, addr & ~WT_PAGE_MASK)
                   : shared_pages_have(&p->shared, addr);
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
                   : shared_pages_have(&p->shared, addr);
}
