/* Functions behind those of a preloaded library, which stand before them by the same names. */
#ifndef WT_RUNTIME_COMMON_NEXT_FUNCTION_H
#define WT_RUNTIME_COMMON_NEXT_FUNCTION_H

#include <dlfcn.h>
#include <stddef.h>

/**
 * The function @p name behind that of the calling library; NULL if the program has not loaded
 * @p library, which is a file name such as "libOpenCL.so.1".
 */
static inline void *wt_next_function(const char *library, const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function)
        return function;
    /* A library that was loaded for itself alone, as a module of Python's, may have brought the
     * other along: then it is not behind this one. */
    void *there = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    function = there ? dlsym(there, name) : NULL;
    if (there)
        dlclose(there); /* it stays with those who use it */
    return function;
}

#endif
