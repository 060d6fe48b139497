/*
 * Work-groups of a machine: the slots of the cores, the memory that each group has, where the next
 * group of a kernel starts, and what follows from the end of a wave. A family says which kernel a
 * core serves, how a wave starts, and what a barrier is.
 *
 * A group starts whole: all its waves have slots of one core. Groups start on each core in turn,
 * one at a time, as long as a core has room.
 */
#ifndef WT_EMULATOR_MACHINE_GROUPS_H
#define WT_EMULATOR_MACHINE_GROUPS_H

#include "emulator/machine/engine.h"

/** Makes the places of a machine's groups, whose shape is there. False without host memory;
 * wt_groups_free must be called then, too. */
bool wt_groups_init(struct wt_machine *m);
/** Frees what wt_groups_init has made, and the groups' memory. */
void wt_groups_free(struct wt_machine *m);

/** The group in place @p n, 0 .. cores * groups_per_core - 1. */
static inline struct wt_group_head *wt_group_at(const struct wt_groups *groups, uint32_t n)
{
    return (struct wt_group_head *)((char *)groups->group + n * groups->group_bytes);
}

/** Forgets all groups; their memory stays for later ones. No wave may be active. */
void wt_groups_reset(struct wt_machine *m);
/**
 * Writes or reads all places of groups, with their memory. @p members does a group's members but
 * place, core and memory, which includes `used` and local_size; of one that is read all the others
 * are 0.
 */
void wt_groups_archive(struct wt_machine *m, struct wt_archive *a,
                       void (*members)(struct wt_archive *a, struct wt_machine *m,
                                       struct wt_group_head *g));
/** Counts anew what is taken, from the waves and groups, whose homes are known then. */
void wt_groups_count(struct wt_machine *m);
/** Asserts that what is taken, and the groups' numbers of waves, are as the waves say. */
void wt_groups_check(const struct wt_machine *m);

/** The operation `asked` of a family whose groups have just what the launch has asked for. */
uint64_t wt_group_local_size(const struct wt_machine *m, const struct wt_group_head *g);

/** Starts groups where cores have room. Without host memory that is the machine's fault. */
void wt_groups_pump(struct wt_machine *m);

/** Gives a group its place and its memory, which must be there, and marks it used. */
void wt_group_take(struct wt_machine *m, struct wt_group_head *g);

/** The groups of launch @p number, as the family counts them, end unfinished, and so does it. */
void wt_groups_abandon(struct wt_machine *m, uint32_t number);

/** The group of wave @p wave, and the wave's place in it; false: there is no such wave now. */
bool wt_wave_group(const struct wt_machine *m, uint32_t wave, uint32_t coordinate[3],
                   uint32_t *index);

/** Group @p g of a launch has ended. True: it was the last one, and the launch is not active. */
bool wt_launch_done(struct wt_machine *m, struct wt_launch_head *launch,
                    const struct wt_group_head *g);

/** Tells who observes the machine that a group, or its launch, begins or ends. @p g NULL: the
 * family has no groups. */
void wt_group_tell(struct wt_machine *m, const struct wt_group_head *g,
                   enum wt_observed_event_kind kind);
/** Hands events to @p fn from now on, with the observer's context, first those of the launches,
 * groups and waves that are there, which begin now. There must be an observer. */
void wt_groups_observe(struct wt_machine *m, wt_observe_event_fn *fn);
/** Tells who observes the machine of an event of a wave. The wave, its group and launch are filled
 * in here. */
void wt_wave_tell(struct wt_machine *m, const struct wt_wave_head *w,
                  struct wt_observed_event *event);
/** Tells who observes the machine that a wave begins; it has its lanes. */
void wt_wave_tell_begin(struct wt_machine *m, const struct wt_wave_head *w);

/** Tells who observes the machine that a wave ends. */
void wt_wave_tell_end(struct wt_machine *m, const struct wt_wave_head *w);

/* The following functions are inline, and call another one only where somebody observes events:
 * kernels execute many barriers, and mostly nobody observes them. */

/** wt_wave_tell_fence() where somebody observes events. */
void wt_wave_tell_observed_fence(struct wt_machine *m, const struct wt_wave_head *w, uint64_t pc,
                                 wt_lanes lanes, enum wt_observed_order order,
                                 enum wt_observed_scope scope);
/** wt_wave_tell_arrival() and wt_wave_tell_release() where somebody observes events. */
void wt_wave_tell_observed_barrier(struct wt_machine *m, const struct wt_wave_head *w,
                                   enum wt_observed_event_kind kind, uint64_t pc, wt_lanes lanes,
                                   uint32_t number);

/** Tells who observes the machine that lanes of a wave execute a fence. */
static inline void wt_wave_tell_fence(struct wt_machine *m, const struct wt_wave_head *w,
                                      uint64_t pc, wt_lanes lanes, enum wt_observed_order order,
                                      enum wt_observed_scope scope)
{
    if (scope > WT_AMONG_GROUP)
        wt_met(m);
    if (wt_observes_events(m))
        wt_wave_tell_observed_fence(m, w, pc, lanes, order, scope);
}

/** Tells who observes the machine that lanes of a wave arrive at a barrier of its group. */
static inline void wt_wave_tell_arrival(struct wt_machine *m, const struct wt_wave_head *w,
                                        uint64_t pc, wt_lanes lanes, uint32_t number)
{
    if (wt_observes_events(m))
        wt_wave_tell_observed_barrier(m, w, WT_SEEN_ARRIVE, pc, lanes, number);
}

/** … or go on from it. */
static inline void wt_wave_tell_release(struct wt_machine *m, const struct wt_wave_head *w,
                                        wt_lanes lanes, uint32_t number)
{
    if (wt_observes_events(m))
        wt_wave_tell_observed_barrier(m, w, WT_SEEN_RELEASE, 0, lanes, number);
}

/** Notes CALL or RETURN (trail.h), and tells who observes the machine. */
void wt_wave_tell_call(struct wt_machine *m, const struct wt_wave_head *w,
                       enum wt_observed_event_kind kind, uint64_t pc, wt_lanes lanes, uint64_t to);

/* ---- waves of groups: kernels have many short ones ---- */

/** The bit of a wave's slot in its core. */
static inline uint64_t wt_group_slot_bit(const struct wt_groups *groups,
                                         const struct wt_wave_head *w, uint32_t core)
{
    return (uint64_t)1 << (w->id - core * groups->waves_per_core);
}

/** A wave has taken slot @p bit of its core, as a set: it becomes active, and is one of the
 * group's. */
static inline void wt_group_slot_begins(struct wt_machine *m, struct wt_wave_head *w,
                                        struct wt_group_head *g, uint64_t bit)
{
    struct wt_core_room *room = &m->groups.room[g->core];
    WT_CHECK(g->used && bit == wt_group_slot_bit(&m->groups, w, g->core) && !(room->waves & bit));
    w->active = true;
    w->group = g;
    room->waves |= bit;
    room->wave_count++;
    m->active++;
    g->waves++;
}

/** The same of the slot that the wave has. */
static inline void wt_group_wave_begins(struct wt_machine *m, struct wt_wave_head *w,
                                        struct wt_group_head *g)
{
    wt_group_slot_begins(m, w, g, wt_group_slot_bit(&m->groups, w, g->core));
}

/** Slot @p bit of a wave's core is free: it is not active any more. Its group still counts it. */
static inline void wt_group_slot_leaves(struct wt_machine *m, struct wt_wave_head *w, uint64_t bit)
{
    struct wt_core_room *room = &m->groups.room[w->group->core];
    WT_CHECK(w->active && m->active > 0 && bit == wt_group_slot_bit(&m->groups, w, w->group->core));
    if (wt_observes_events(m))
        wt_wave_tell_end(m, w);
    room->waves &= ~bit;
    room->wave_count--;
    w->active = false;
    w->group = NULL;
    m->active--;
}

/** The same of the slot that the wave has. */
static inline void wt_group_wave_leaves(struct wt_machine *m, struct wt_wave_head *w)
{
    wt_group_slot_leaves(m, w, wt_group_slot_bit(&m->groups, w, w->group->core));
}

/** The last wave of a group has left it: its place is free. */
void wt_group_release(struct wt_machine *m, struct wt_group_head *g);

/**
 * A wave has left its group by its end. True: it was the last one, and the group's place is free;
 * the caller counts the group (wt_launch_done).
 */
static inline bool wt_group_wave_ended(struct wt_machine *m, struct wt_group_head *g)
{
    WT_CHECK(g->used && g->waves > 0);
    if (--g->waves)
        return false;
    wt_group_release(m, g);
    return true;
}

#endif
