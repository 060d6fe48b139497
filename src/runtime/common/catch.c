/* See catch.h. */
#include "runtime/common/catch.h"

#include <stdio.h>
#include <unistd.h>

#include "runtime/common/environment.h"

uint16_t wt_catch_of_environment(void)
{
    return (uint16_t)wt_environment_number(WT_CATCH_VARIABLE, WT_CATCH_ALL);
}

bool wt_catch_ends(bool access)
{
    const uint16_t caught = wt_catch_of_environment();
    return caught == WT_CATCH_ALL || (access && caught & WT_CATCH_MEM_VIOL);
}

void wt_catch_end(void)
{
    /* Another thread may be printing, and wait for its reader. */
    if (!ftrylockfile(stdout))
        fflush(stdout);
    _exit(WT_CAUGHT_STATUS);
}
