/* The table of waves, and the queue of events. */
#include "debug/standstill/standstill.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- the table ---- */

enum wt_status wt_standstill_open(struct wt_probe *p, const struct wt_standstill_ops *ops,
                                  const struct wt_standstill_program *program, size_t row_size,
                                  struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    assert(row_size >= sizeof(struct wt_standstill_row) && s->topology.waves);
    s->ops = ops;
    s->program = *program;
    s->row_size = row_size;
    s->rows = calloc(s->topology.waves, row_size);
    if (!s->rows)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the state of %u %ss",
                       (unsigned)s->topology.waves, s->topology.wave_word);
    return WT_OK;
}

void wt_standstill_close(struct wt_probe *p)
{
    free(wt_standstill_of(p)->rows);
    free(wt_standstill_of(p)->event);
}

const struct wt_topology *wt_standstill_topology(struct wt_probe *p)
{
    return &wt_standstill_of(p)->topology;
}

wt_wave_id wt_standstill_wave_id(struct wt_probe *p, wt_wave_handle wave)
{
    return wt_standstill_row(p, wave)->id;
}

enum wt_status wt_standstill_summary(struct wt_probe *p, struct wt_probe_summary *summary,
                                     struct wt_error *err)
{
    (void)err;
    *summary = (struct wt_probe_summary){.all_unavailable = true};
    for (uint32_t i = 0; i < wt_standstill_of(p)->topology.waves; i++) {
        const struct wt_standstill_row *row = wt_standstill_row(p, i);
        if (!row->present)
            continue;
        summary->all_unavailable = false;
        summary->any_running |= row->run;
        summary->any_halted |= !row->run;
    }
    return WT_OK;
}

void wt_standstill_list(const struct wt_probe *p, struct wt_wave_set *active,
                        struct wt_wave_set *halted)
{
    const uint32_t waves = ((const struct wt_standstill *)p)->topology.waves;
    const size_t words = (waves + 31) / 32;
    memset(active->word, 0, words * sizeof *active->word);
    memset(halted->word, 0, words * sizeof *halted->word);
    for (uint32_t i = 0; i < waves; i++) {
        const struct wt_standstill_row *row = wt_standstill_row(p, i);
        if (!row->present)
            continue;
        wt_wave_set_add(active, i);
        if (!row->run)
            wt_wave_set_add(halted, i);
    }
}

void wt_standstill_replaced(struct wt_probe *p)
{
    struct wt_standstill *s = wt_standstill_of(p);
    for (uint32_t i = 0; i < s->topology.waves; i++) {
        struct wt_standstill_row *row = wt_standstill_row(p, i);
        row->present = row->run = row->step = row->held = false;
        row->cause = WT_HALT_REQUEST;
    }
    s->still = s->stays = s->told_end = false;
}

/* ---- events ---- */

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

bool wt_standstill_has_ended(struct wt_probe *p)
{
    struct wt_standstill *s = wt_standstill_of(p);
    uint32_t status;
    char text[8];
    if (!s->program.host_launches ||
        !s->program.ended(s->program.context, &status, text, sizeof text))
        return false;
    for (uint32_t i = 0; i < s->topology.waves; i++)
        wt_standstill_row(p, i)->present = wt_standstill_row(p, i)->run = false;
    s->still = true;
    return true;
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
    (void)err;
    if (s->first_event < s->event_count) {
        *event = s->event[s->first_event++];
        return WT_OK;
    }
    *event = (struct wt_probe_event){.kind = WT_PROBE_NOTHING};
    wt_standstill_has_ended(p);
    if (s->told_end || any_present(p) ||
        !s->program.ended(s->program.context, &event->status, event->text, sizeof event->text))
        return WT_OK;
    s->told_end = true;
    event->kind = WT_PROBE_ENDED;
    return WT_OK;
}
