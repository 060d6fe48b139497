/* Whether conditions hold where a thread stands. */
#include "debug/program/internal.h"

bool pg_condition_holds(struct wt_program *g, const struct wt_point *p, uint64_t pc,
                        wt_thread thread)
{
    if (p->thread && p->thread != thread)
        return false;
    for (size_t k = 0; k < p->addr_count; k++) {
        if (p->addr[k] != pc)
            continue;
        if (!p->compiled || !p->compiled[k])
            return true;
        struct wt_wave wave;
        struct wt_thread_position place;
        struct wt_lane_value value[WT_MAX_LANES];
        if (wt_program_wave(g, thread, &wave, &place, WT_IGNORED) != WT_OK)
            return true;
        /* All enabled lanes are evaluated, since a condition may use reductions over lanes. */
        const wt_lanes own = wt_lane_bit(place.lane);
        const wt_lanes lanes = place.active & own ? place.active : own;
        if (wt_debugger_evaluate(g->debugger, wave.id, lanes, p->compiled[k], 0, value, NULL,
                                 WT_IGNORED) != WT_OK)
            return true;
        const struct wt_lane_value *mine = &value[wt_lanes_count(lanes & (own - 1))];
        return !mine->known || mine->value != 0;
    }
    return false;
}

bool pg_user_breakpoint_at(struct wt_program *g, uint64_t pc, wt_thread thread, bool logs)
{
    for (size_t i = 0; i < g->point_count; i++)
        if (wt_point_has_addresses(g->point[i]) && g->point[i]->enabled &&
            (logs || !g->point[i]->own_owner || !g->point[i]->format) &&
            pg_condition_holds(g, g->point[i], pc, thread))
            return true;
    return false;
}

/* Whether an expression holds for the thread that stands at @p pc. */
bool pg_holds_for(struct wt_program *g, const struct wt_expr *expr, wt_thread thread)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    struct wt_lane_value value = {0};
    return wt_program_wave(g, thread, &wave, &place, WT_IGNORED) == WT_OK &&
           wt_debugger_evaluate(g->debugger, wave.id, wt_lane_bit(place.lane), expr, 0, &value,
                                NULL, WT_IGNORED) == WT_OK &&
           value.known && value.value != 0;
}
