/* Functions behind those of the preloaded library. See interposed.h. */
#include "runtime/drm/interposed.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool asked; /* the program has called one of the functions */

void *drm_next_function(const char *library, const char *name)
{
    atomic_store(&asked, true);
    void *function = dlsym(RTLD_NEXT, name);
    if (function)
        return function;
    /* A library that was loaded for itself alone, as a module of Python's, may have brought the
     * runtime along: then it is not behind this one. */
    void *runtime = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    function = runtime ? dlsym(runtime, name) : NULL;
    if (runtime)
        dlclose(runtime); /* it stays with those who use it */
    return function;
}

bool drm_calls_are_seen(void)
{
    return atomic_load(&asked);
}

bool drm_has_one_gpu(void)
{
    const char *gpus = getenv("WAVETRAP_GEN_GPUS");
    return gpus && !strchr(gpus, ' ');
}
