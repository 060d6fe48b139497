/* The table of waves. */
#include "debug/standstill/standstill.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static void free_probe(struct wt_probe *p)
{
    struct wt_standstill *s = wt_standstill_of(p);
    if (s->kind->free)
        s->kind->free(p);
    wt_standstill_drop_hits(s);
    free(s->registers);
    free(s->names);
    free(s->rows);
    free(s->event);
    free(s->values_given);
    free(s->hit);
    free(s->launch);
    free(p);
}

/* All but what only the family knows. */
static enum wt_status make_table(struct wt_standstill *s, struct wt_error *err)
{
    struct wt_topology *t = &s->topology;
    t->clusters = 1;
    t->devices = s->link->gpus;
    t->device_cores = s->device_cores;
    t->cores = 0;
    for (uint32_t i = 0; i < s->link->gpus; i++)
        t->cores += s->device_cores[i];
    const uint64_t waves = (uint64_t)t->cores * t->waves_per_core;
    if (!waves || waves > WT_MAX_WAVES)
        return wt_fail(err, WT_UNSUPPORTED, "the driver reports room for %llu waves",
                       (unsigned long long)waves);
    t->waves = (uint32_t)waves;
    t->host_launches = s->link->host_launches;
    t->has_grid = t->begins_at_kernel = true;
    t->registers = s->registers;
    s->rows = calloc(t->waves, s->kind->row_size);
    return s->rows ? WT_OK
                   : wt_fail(err, WT_NO_MEMORY, "out of memory for the state of %u %ss",
                             (unsigned)t->waves, t->wave_word);
}

enum wt_status wt_standstill_open(const struct wt_probe_ops *ops, const struct wt_target *target,
                                  bool use_memory_port, struct wt_probe **probe,
                                  struct wt_error *err)
{
    const struct wt_standstill_kind *kind = ops->standstill;
    struct wt_probe *p = calloc(1, kind->probe_size);
    struct wt_standstill *s = wt_standstill_of(p);
    enum wt_status status;
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the probe");
    s->kind = kind;
    s->ops = kind->ops;
    s->link = target->link;
    s->target = target;
    s->port = use_memory_port && target->services->read_memory && target->services->write_memory;
    for (uint32_t i = 0; i < s->link->gpus; i++)
        s->device_cores[i] = s->link->units[i];
    if ((status = kind->describe(p, err)) == WT_OK && (status = make_table(s, err)) == WT_OK &&
        kind->begin)
        status = kind->begin(p, err);
    if (status)
        free_probe(p);
    else
        *probe = p;
    return status;
}

void wt_standstill_close(struct wt_probe *p)
{
    const struct wt_standstill_kind *kind = wt_standstill_of(p)->kind;
    if (kind->end)
        kind->end(p);
    free_probe(p);
}

enum wt_status wt_standstill_describe_registers(struct wt_probe *p, const struct wt_register *named,
                                                size_t count, const struct wt_register_range *range,
                                                struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    size_t all = count, n = count;
    for (const struct wt_register_range *r = range; r->prefix; r++)
        all += r->count;
    s->registers = calloc(all, sizeof *s->registers);
    s->names = calloc(all, sizeof *s->names);
    s->topology.register_count = all;
    if (!s->registers || !s->names)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the list of registers");
    memcpy(s->registers, named, count * sizeof *named);
    for (; range->prefix; range++)
        for (unsigned i = 0; i < range->count; i++, n++) {
            struct wt_register *r = &s->registers[n];
            snprintf(s->names[n], sizeof *s->names, "%s%u", range->prefix, range->from + i);
            *r = range->first;
            r->name = s->names[n];
            r->number += i;
            r->dwarf += r->dwarf < 0 ? 0 : (int)i;
            r->dwarf_narrow += r->dwarf_narrow ? (int)i : 0;
            r->code += range->step * i;
        }
    return WT_OK;
}

uint32_t wt_standstill_gpu_of(const struct wt_probe *p, uint32_t core, uint32_t *first)
{
    const struct wt_standstill *s = (const struct wt_standstill *)p;
    uint32_t gpu = 0;
    *first = 0;
    while (core >= *first + s->device_cores[gpu])
        *first += s->device_cores[gpu++];
    return gpu;
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
enum wt_status wt_standstill_window(struct wt_probe *p, uint64_t addr, struct wt_window *window,
                                    struct wt_error *err)
{
    const struct wt_topology *t = &wt_standstill_of(p)->topology;
    if (addr % t->code_granule)
        return wt_fail(err, WT_INVALID,
                       "no instruction begins at 0x%llx, which is not a multiple of %u",
                       (unsigned long long)addr, t->code_granule);
    *window = (struct wt_window){.addr = addr, .size = t->code_longest, .least = t->code_granule};
    return WT_OK;
}

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
