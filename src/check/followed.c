/* See followed.h. */
#include "check/followed.h"

void wt_finding_of_wave(struct wt_finding *f, struct wt_machine *m, uint32_t slot, wt_lanes lanes)
{
    const struct wt_wave_head *w = wt_machine_wave(m, slot);
    f->lanes[0] = (uint64_t)lanes;
    f->lanes[1] = (uint64_t)(lanes >> 64);
    f->lanes_of = wt_lanes_count(lanes);
    f->wave_id = wt_machine_wave_id(m, slot);
    f->launch = wt_machine_launch_of(m, w);
    f->entry = w->group ? m->groups.ops->entry(m, w->group) : 0;
    f->groups = w->group ? m->groups.ops->home(m, w->group) : 0;
    f->device = m->device;
    wt_machine_name_wave(m, slot, f->wave, sizeof f->wave);
}
