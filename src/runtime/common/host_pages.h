/*
 * Pages that the program must not access now, since operations use them that it has not waited for:
 * the first access of each page is noted, and the page is accessible from then on. The program's
 * results do not change, but that system calls with such pages fail (EFAULT). A process has one
 * list; the caller has a lock.
 */
#ifndef WT_RUNTIME_COMMON_HOST_PAGES_H
#define WT_RUNTIME_COMMON_HOST_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/race.h"

struct wt_host_page {
    uint64_t addr;
    bool loads; /**< it may be loaded from */
};

/** These @p count pages, by their addresses, are protected from now on, and no others. Those that
 * cannot be are left out. */
void wt_host_pages_protect(const struct wt_host_page *list, size_t count);
/** Those of the last list are protected again. */
void wt_host_pages_protect_again(void);
/** All pages are accessible. */
void wt_host_pages_release(void);
/** Takes an access that was noted; false: there is none. */
bool wt_host_pages_next(struct wt_host_access *access);

#endif
