/* Functions behind those of a preloaded library, which stand before them by the same names. */
#ifndef WT_RUNTIME_COMMON_NEXT_FUNCTION_H
#define WT_RUNTIME_COMMON_NEXT_FUNCTION_H

#include <dlfcn.h>
#include <stddef.h>

/** The function @p name of a library that is never unloaded; NULL if the program has not loaded @p
 * library. */
static inline void *wt_loaded_function(const char *library, const char *name)
{
    void *there = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    void *function = there ? dlsym(there, name) : NULL;
    if (there)
        dlclose(there);
    return function;
}

/**
 * The function @p name behind that of the calling library; NULL if the program has not loaded
 * @p library, which is a file name such as "libOpenCL.so.1".
 */
static inline void *wt_next_function(const char *library, const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    /* A library that was loaded for itself alone, as a module of Python's, may have brought the
     * other along: then it is not behind this one. */
    return function ? function : wt_loaded_function(library, name);
}

#endif
