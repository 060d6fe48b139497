/* See host_edges.h. */
#include "runtime/common/host_edges.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "check/order.h"
#include "runtime/common/counted_file.h"

static struct wt_order *order;
static _Atomic(wt_host_thread_fn *) which;

static void leave_at(const void *object)
{
    wt_order_leave_at(order, object);
}

static void take_from(const void *object)
{
    wt_order_take_from(order, object);
}

static void forget_at(const void *object)
{
    wt_order_forget_at(order, object);
}

static void thread_ends(void)
{
    wt_order_thread_ends(order);
}

static void unjudged_pair(void)
{
    struct wt_counted_head *head = wt_counted_open_head();
    if (!head)
        return;
    atomic_fetch_add(&head->unjudged, 1);
    munmap(head, WT_COUNTED_PAGE);
}

void wt_host_edges_follow(struct wt_order *o)
{
    static const struct wt_host_edges edges = {leave_at, take_from, forget_at, thread_ends};
    wt_host_threads_fn *threads;
    if (order)
        return;
    *(void **)&threads = dlsym(RTLD_DEFAULT, WT_HOST_THREADS_NAME);
    order = o;
    o->unjudged_pair = unjudged_pair;
    o->which = wt_host_thread;
    if (threads)
        atomic_store(&which, threads(&edges));
}

uint32_t wt_host_thread(void)
{
    wt_host_thread_fn *w = atomic_load(&which);
    return w ? w() : 0;
}
