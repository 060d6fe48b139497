/*
 * Preloaded before a sanitizer's library, for Intel's OpenCL runtime: it opens its parts with
 * RTLD_DEEPBIND, with which they would have libc's malloc() beside the sanitizer's, and which
 * sanitizers refuse.
 */
#include <dlfcn.h>
#include <stddef.h>

__attribute__((no_sanitize("thread"))) void *dlopen(const char *name, int flags)
{
    static void *(*next)(const char *, int);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    return next(name, flags & ~RTLD_DEEPBIND);
}
