/* Kernel launches, and the queue of events. */
#include "debug/standstill/standstill.h"

#include "base/array.h"

enum wt_status wt_standstill_push(struct wt_probe *p, struct wt_probe_event event,
                                  struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    if (s->first_event == s->event_count)
        s->first_event = s->event_count = 0;
    struct wt_probe_event *more =
        wt_array_grow(s->event, &s->event_capacity, s->event_count + 1, sizeof *more);
    if (!more)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for an event");
    s->event = more;
    s->event[s->event_count++] = event;
    return WT_OK;
}

static bool any_present(const struct wt_probe *p)
{
    for (uint32_t i = 0; i < ((const struct wt_standstill *)p)->topology.waves; i++)
        if (wt_standstill_row(p, i)->present)
            return true;
    return false;
}

enum wt_status wt_standstill_next_event(struct wt_probe *p, struct wt_probe_event *event,
                                        struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    if (s->first_event < s->event_count) {
        *event = s->event[s->first_event++];
        if (event->kind == WT_PROBE_MODULES_CHANGED)
            s->code_given = s->code_state;
        return WT_OK;
    }
    *event = (struct wt_probe_event){.kind = WT_PROBE_NOTHING};
    wt_standstill_has_ended(p);
    if (s->told_end || any_present(p) ||
        !s->link->ops->ended(s->link->context, &event->status, event->text, sizeof event->text))
        return WT_OK;
    s->told_end = true;
    event->kind = WT_PROBE_ENDED;
    return WT_OK;
}

/* ---- launches ---- */

void wt_standstill_begin_list(struct wt_probe *p)
{
    struct wt_standstill *s = wt_standstill_of(p);
    for (uint32_t i = 0; i < s->topology.waves; i++)
        wt_standstill_row(p, i)->present = false;
}

static struct wt_standstill_launch *known_launch(struct wt_standstill *s, uint64_t number,
                                                 const uint64_t key[2])
{
    for (size_t i = s->launch_count; i-- > 0;) {
        struct wt_standstill_launch *l = &s->launch[i];
        if (l->run == s->run &&
            (number ? l->number == number : l->key[0] == key[0] && l->key[1] == key[1]))
            return l;
    }
    return NULL;
}

enum wt_status wt_standstill_find_launch(struct wt_probe *p, uint64_t number, const uint64_t key[2],
                                         struct wt_standstill_launch **launch, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    *launch = known_launch(s, number, key);
    if (!*launch) {
        struct wt_standstill_launch *more =
            wt_array_grow(s->launch, &s->launch_capacity, s->launch_count + 1, sizeof *more);
        if (!more)
            return wt_fail(err, WT_NO_MEMORY, "out of memory for the list of kernel launches");
        s->launch = more;
        if (!number)
            number = s->launch_count + 1;
        *launch = &s->launch[s->launch_count++];
        **launch =
            (struct wt_standstill_launch){.number = number, .key = {key[0], key[1]}, .run = s->run};
    }
    return WT_OK;
}

void wt_standstill_forget(struct wt_probe *p)
{
    struct wt_standstill *s = wt_standstill_of(p);
    s->launch_count = s->event_count = s->first_event = 0;
}

enum wt_status wt_standstill_reset_program(struct wt_probe *p, struct wt_error *err)
{
    const struct wt_standstill *s = wt_standstill_of(p);
    const enum wt_status status = s->link->ops->reset(s->link->context, err);
    if (!status && !s->went)
        wt_standstill_forget(p);
    return status;
}
