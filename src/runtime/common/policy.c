/* See policy.h. */
#include "runtime/common/policy.h"

#include <inttypes.h>
#include <stdlib.h>

#include "emulator/machine/fill.h"
#include "emulator/machine/machine.h"
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

void wt_policy_report(const struct wt_machine *m)
{
    if (m->turns.missed)
        wt_say_once(WT_CHOICE_MISSED, m->turns.first_missed.time, m->turns.first_missed.wave);
}
