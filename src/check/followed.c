/* See followed.h. */
#include "check/followed.h"

#include "emulator/machine/trail.h"
#include "emulator/machine/watch_set.h"

void wt_finding_of_wave(struct wt_finding *f, struct wt_machine *m, uint32_t slot, wt_lanes lanes)
{
    const struct wt_wave_head *w = wt_machine_wave(m, slot);
    f->lanes[0] = (uint64_t)lanes;
    f->lanes[1] = (uint64_t)(lanes >> 64);
    f->lanes_of = wt_lanes_count(lanes);
    f->wave_id = wt_machine_wave_id(m, slot);
    f->launch = wt_machine_launch_of(m, w);
    f->entry = w->group ? m->groups.ops->entry(m, w->group) : 0;
    f->groups = w->group ? w->group->home : 0;
    f->device = m->device;
    wt_machine_name_wave(m, slot, f->wave, sizeof f->wave);
    if (lanes && w->active)
        wt_trail_of(m, slot, wt_lanes_lowest(lanes), f->back);
}

void wt_mistake_note(struct wt_decisions *all, const struct wt_machine *m,
                     const struct wt_finding *f)
{
    if (m->recorded || (m->watch && m->watch->mistakes))
        wt_decisions_add(all, &(struct wt_decision){
                                  .time = f->time, .lanes = wt_finding_lanes(f), .kind = f->kind});
}

void wt_mistakes_tell(const struct wt_decisions *all, struct wt_machine *m,
                      const struct wt_issue *i)
{
    if (!all->count || !m->watch || !m->watch->mistakes)
        return;
    for (size_t n = wt_decisions_at(all, i->time); n < all->count && all->list[n].time == i->time;
         n++)
        if (m->watch->mistakes >> all->list[n].kind & 1)
            wt_watch_set_mistake(m, i, all->list[n].kind, all->list[n].lanes, 0, 1);
}
