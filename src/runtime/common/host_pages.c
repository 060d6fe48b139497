/* See host_pages.h. A signal's handler reads the list, which is changed while no page of it is
 * protected. */
#include "runtime/common/host_pages.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "runtime/common/guard.h"
#include "runtime/common/host_edges.h"

enum { PAGE = 4096, MOST = 64 };

static struct wt_host_page *pages; /* by address */
static size_t page_room;
static _Atomic size_t page_count;
static bool are_protected;
/* The address whose access this thread has repeated: its page was accessible, or left the list,
 * between the access and the signal. */
static _Thread_local uint64_t repeated __attribute__((tls_model("initial-exec")));
static struct wt_host_access noted[MOST];
static _Atomic unsigned claimed; /* claimed of `noted` */
static _Atomic bool is_noted[MOST];
static unsigned next; /* that wt_host_pages_next() takes */

static struct wt_host_page *find(uint64_t addr)
{
    WT_BISECT(low, atomic_load(&page_count), pages[middle].addr + PAGE <= addr);
    return low < atomic_load(&page_count) && addr - pages[low].addr < PAGE ? &pages[low] : NULL;
}

static void set(uint64_t addr, size_t count, int protection)
{
    mprotect((void *)(uintptr_t)addr, count * PAGE, protection);
}

/* The calls of a thread that a signal has interrupted at @p pc: those of the handler are left
 * out. */
static void take_calls(struct wt_call_stack *calls, const void *pc)
{
    struct wt_call_stack all;
    unsigned from = 0;
    wt_call_stack_take(&all);
    while (from < all.depth && all.address[from] != pc)
        from++;
    from = from < all.depth ? from : 0;
    calls->depth = all.depth - from;
    memcpy(calls->address, all.address + from, calls->depth * sizeof *calls->address);
    if (calls->depth && calls->address[0] == pc)
        calls->address[0] = (char *)calls->address[0] + 1; /* others are behind their calls */
}

static bool take(uint64_t addr, const void *pc, bool known, bool store)
{
    const struct wt_host_page *page = find(addr);
    if (!page) {
        const bool again = repeated == addr;
        repeated = again ? 0 : addr;
        return !again;
    }
    const unsigned number = atomic_fetch_add(&claimed, 1);
    if (number < MOST) {
        noted[number] = (struct wt_host_access){
            .addr = addr, .thread = wt_host_thread(), .store = known ? store : page->loads};
        take_calls(&noted[number].calls, pc);
        atomic_store(&is_noted[number], true);
    }
    set(page->addr, 1, PROT_READ | PROT_WRITE);
    return true;
}

/* Sets the protection of all pages, neighbours together. */
static void set_all(bool protects)
{
    const size_t count = atomic_load(&page_count);
    if (protects == are_protected)
        return; /* what is there now may be something else */
    are_protected = protects;
    for (size_t i = 0, k; i < count; i = k) {
        for (k = i + 1; k < count && pages[k].addr == pages[k - 1].addr + PAGE &&
                        pages[k].loads == pages[i].loads;
             k++)
            continue;
        set(pages[i].addr, k - i,
            !protects        ? PROT_READ | PROT_WRITE
            : pages[i].loads ? PROT_READ
                             : PROT_NONE);
    }
}

/* A handler may still read the old list: it stays. */
static bool make_room(size_t count)
{
    const size_t room = count > 2 * page_room ? count : 2 * page_room;
    struct wt_host_page *grown = count > page_room ? malloc(room * sizeof *grown) : pages;
    if (!grown)
        return false;
    page_room = grown == pages ? page_room : room;
    pages = grown;
    return true;
}

void wt_host_pages_protect(const struct wt_host_page *list, size_t count)
{
    wt_host_pages_release();
    atomic_store(&page_count, 0);
    if (!count || !make_room(count))
        return;
    memcpy(pages, list, count * sizeof *list);
    atomic_store(&page_count, count);
    wt_guard_pages(take);
    set_all(true);
}

void wt_host_pages_protect_again(void)
{
    set_all(true);
}

void wt_host_pages_release(void)
{
    set_all(false);
}

bool wt_host_pages_next(struct wt_host_access *access)
{
    const unsigned count = atomic_load(&claimed);
    if (next >= MOST || next >= count || !atomic_load(&is_noted[next])) {
        if (next && next >= (count < MOST ? count : MOST)) { /* all are taken */
            for (unsigned i = 0; i < next; i++)
                atomic_store(&is_noted[i], false);
            next = 0;
            atomic_store(&claimed, 0);
        }
        return false;
    }
    *access = noted[next++];
    return true;
}
