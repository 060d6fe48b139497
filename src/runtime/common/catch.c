/* See catch.h. */
#include "runtime/common/catch.h"

#include <stdlib.h>

uint16_t wt_catch_of_environment(void)
{
    const char *caught = getenv(WT_CATCH_VARIABLE); /* exec has checked it */
    return caught ? (uint16_t)(strtoul(caught, NULL, 0) & WT_CATCH_ALL) : 0;
}
