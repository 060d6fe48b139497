/* Functions behind those of the preloaded library. See interposed.h. */
#include "runtime/i915/interposed.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/common/next_function.h"

static atomic_bool asked; /* the program has called one of the functions */

void *drm_next_function(const char *library, const char *name)
{
    atomic_store(&asked, true);
    return wt_next_function(library, name);
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
