/* See calls.h. */
#include "runtime/hsakmt/calls.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

_Thread_local unsigned calls_depth;

const struct host_checks *calls_checks(void)
{
    static const struct host_checks *_Atomic checks;
    if (calls_depth)
        return NULL;
    if (!checks) {
        void *driver = dlopen("libhsakmt.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (!driver)
            return NULL;
        *(void *_Atomic *)&checks = dlsym(driver, HOST_CHECKS_NAME);
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

/* ---- at the end ---- */

/* What the program itself has made: by these functions, not by the HSA runtime's users. */
static bool is_leak(const struct wt_object *o)
{
    return (strncmp(o->by, "hip", 3) == 0 && strcmp(o->by, "hipHostRegister") != 0) ||
           strcmp(o->by, "omp_target_alloc") == 0;
}

/* Of the C++ ABI, which no header of libc declares. */
int __cxa_atexit(void (*function)(void *), void *argument, void *library);

static void report_leaks(void *argument)
{
    const struct host_checks *c = calls_checks();
    if (c)
        c->leaks(is_leak);
}

/* Leaks are reported after the destructors of all libraries, which may free memory. Those run at
 * the loader's end, and a function that is registered before the program begins runs after that. */
static __attribute__((constructor)) void attend_end(void)
{
    __cxa_atexit(report_leaks, NULL, NULL);
}
