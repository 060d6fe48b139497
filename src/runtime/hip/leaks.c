/* The memory that the program has not freed at its end. In the library of calls
 * (runtime/common/calls.h). */
#include <string.h>

#include "runtime/common/at_end.h"
#include "runtime/common/calls.h"

/* Whether the program itself has made the object: by these functions, not by the HSA runtime's
 * users. */
static bool is_leak(const struct wt_object *o)
{
    return (strncmp(o->by, "hip", 3) == 0 && strcmp(o->by, "hipHostRegister") != 0) ||
           strcmp(o->by, "omp_target_alloc") == 0 || strcmp(o->by, "acc_malloc") == 0;
}

static void report_leaks(void *argument)
{
    const struct wt_host_checks *c = calls_checks();
    if (c)
        c->leaks(is_leak);
}

static __attribute__((constructor)) void attend_end(void)
{
    wt_at_end(report_leaks);
}
