/* The table of waves. */
#include "debug/standstill/standstill.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

enum wt_status wt_standstill_open(struct wt_probe *p, const struct wt_standstill_ops *ops,
                                  const struct wt_link *link, size_t row_size, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    assert(row_size >= sizeof(struct wt_standstill_row) && s->topology.waves);
    s->ops = ops;
    s->link = link;
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
    wt_standstill_drop_hits(wt_standstill_of(p));
    free(wt_standstill_of(p)->values_given);
    free(wt_standstill_of(p)->hit);
    free(wt_standstill_of(p)->launch);
}

const struct wt_topology *wt_standstill_topology(struct wt_probe *p)
{
    return &wt_standstill_of(p)->topology;
}

wt_wave_id wt_standstill_wave_id(struct wt_probe *p, wt_wave_handle wave)
{
    return wt_standstill_row(p, wave)->wave.id;
}

void wt_standstill_describe_wave(struct wt_probe *p, wt_wave_handle handle, struct wt_wave *wave)
{
    const uint32_t per_core = wt_standstill_of(p)->topology.waves_per_core;
    *wave = wt_standstill_row(p, handle)->wave;
    wave->core = handle / per_core;
    wave->slot = handle % per_core;
    wave->has_work = true;
}

/* Groups have at most 64 waves, and 2^34 groups take longer than any session lasts. */
wt_wave_id wt_standstill_name(const struct wt_wave *wave, const uint32_t groups[3])
{
    const uint64_t line = (uint64_t)wave->group[2] * groups[1] + wave->group[1];
    const uint64_t group = line * groups[0] + wave->group[0];
    const wt_wave_id id = wave->dispatch << 40 | (group & 0x3ffffffff) << 6 | wave->index;
    return id != WT_NO_WAVE ? id : UINT64_MAX; /* of a dispatch 0, of which only damage can tell */
}

enum wt_status wt_standstill_summary(struct wt_probe *p, struct wt_probe_summary *summary,
                                     struct wt_error *err)
{
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
    wt_standstill_drop_hits(s);
}

bool wt_standstill_has_ended(struct wt_probe *p)
{
    struct wt_standstill *s = wt_standstill_of(p);
    uint32_t status;
    char text[8];
    if (!s->link->host_launches ||
        !s->link->ops->ended(s->link->context, &status, text, sizeof text))
        return false;
    for (uint32_t i = 0; i < s->topology.waves; i++)
        wt_standstill_row(p, i)->present = wt_standstill_row(p, i)->run = false;
    s->still = true;
    return true;
}
