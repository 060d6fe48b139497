/* See calls.h. */
#include "runtime/common/calls.h"

#include <dlfcn.h>
#include <stdatomic.h>

_Thread_local unsigned calls_depth;

const struct wt_host_checks *calls_checks(void)
{
    static const struct wt_host_checks *_Atomic checks;
    if (calls_depth)
        return NULL;
    if (!checks) {
        void *driver = dlopen(CALLS_DRIVER, RTLD_LAZY | RTLD_NOLOAD);
        if (!driver)
            return NULL;
        *(void *_Atomic *)&checks = dlsym(driver, WT_HOST_CHECKS_NAME);
        dlclose(driver); /* it is never unloaded */
    }
    return checks;
}

/* A library that was loaded for itself alone, as a module of Python's, may have brought the other
 * along: then it is not behind this one. */
void *calls_next(const char *name, const char *library)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function)
        return function;
    void *there = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    function = there ? dlsym(there, name) : NULL;
    if (there)
        dlclose(there); /* it stays with those who use it */
    return function;
}
