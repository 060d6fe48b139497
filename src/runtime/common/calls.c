/* See calls.h. */
#include "runtime/common/calls.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "runtime/common/exits.h"
#include "runtime/common/next_function.h"

_Thread_local unsigned calls_depth;

const struct wt_host_checks *calls_checks(void)
{
    static const struct wt_host_checks *_Atomic checks;
    if (calls_depth)
        return NULL;
    if (!checks)
        *(void *_Atomic *)&checks = wt_loaded_function(CALLS_DRIVER, WT_HOST_CHECKS_NAME);
    return checks;
}

bool calls_look_up(void *_Atomic *function, const char *name, const char *library)
{
    if (!*function)
        *function = wt_next_function(library, name);
    return *function;
}

size_t calls_judged(const void *p, size_t size, enum wt_access access, const char *by)
{
    const struct wt_host_checks *c = size ? calls_checks() : NULL;
    return c && c->wants(WT_CHECK_MEMORY) && c->is_of_gpus(calls_address(p))
               ? c->access(NULL, calls_address(p), size, access, by)
               : size;
}

size_t calls_copied(const void *to, const void *from, size_t size, const char *by)
{
    const size_t read = calls_judged(from, size, WT_ACCESS_LOAD, by),
                 written = calls_judged(to, size, WT_ACCESS_STORE, by);
    const size_t most = read < written ? read : written;
    const struct wt_host_checks *c = most ? calls_checks() : NULL;
    if (c)
        c->copied(calls_address(to), calls_address(from), most);
    return most;
}

static void exits_count(void)
{
    const struct wt_host_checks *c = calls_checks();
    if (c)
        c->results_end();
}
