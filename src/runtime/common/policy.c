/* See policy.h. */
#include "runtime/common/policy.h"

#include <stdlib.h>

#include "runtime/common/environment.h"

enum wt_status wt_policy_of_environment(struct wt_device_config *config, struct wt_error *err)
{
    wt_environment_check(false);
    const char *text = getenv(WT_SCHEDULE_VARIABLE), *filled = getenv(WT_FILL_VARIABLE);
    if (filled && wt_fill_parse(filled, &config->fill, err))
        return wt_fail_in(err, WT_FILL_VARIABLE);
    return wt_schedule_parse(text ? text : WT_SCHEDULE_DEFAULT, &config->schedule, err)
               ? wt_fail_in(err, WT_SCHEDULE_VARIABLE)
               : WT_OK;
}
