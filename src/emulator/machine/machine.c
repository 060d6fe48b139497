/* Making and ending a machine. See machine.h. */
#include "emulator/machine/machine.h"

#include <assert.h>
#include <string.h>

#include "emulator/machine/engine.h"

/* Both tables consist of pointers only, so they can be looked through. */
typedef void (*operation)(void);
static_assert(sizeof(struct wt_machine_ops) % sizeof(operation) == 0, "pointers only");
static_assert(sizeof(struct wt_engine_ops) % sizeof(operation) == 0, "pointers only");

static bool is_total(const void *table, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(operation)) {
        operation op;
        memcpy(&op, (const uint8_t *)table + at, sizeof op);
        if (!op)
            return false;
    }
    return true;
}

bool wt_machine_init(struct wt_machine *m, const struct wt_machine_ops *ops,
                     const struct wt_engine_ops *engine, uint32_t waves, unsigned lanes,
                     const struct wt_schedule *schedule)
{
    assert(is_total(ops, sizeof *ops) && is_total(engine, sizeof *engine));
    assert(waves > 0 && lanes > 0 && lanes <= WT_MAX_LANES);
    m->ops = ops;
    m->engine = engine;
    m->waves = waves;
    m->lanes = lanes;
    return wt_turns_init(&m->turns, schedule, waves);
}

void wt_machine_name_wave(struct wt_machine *m, uint32_t wave, char *text, size_t size)
{
    assert(wave < m->waves);
    struct wt_wave_name name = {.device = m->device};
    m->ops->name(m, wave, &name);
    name.core += m->first_core;
    wt_wave_name(&name, text, size);
}

void wt_machine_begin_run(struct wt_machine *m)
{
    wt_turns_reset(&m->turns);
    wt_watch_set_forget(m);
    m->fault.kind = WT_FAULT_NONE;
    m->active = 0;
    m->event = false;
    m->runs += m->time > 0;
    m->resets++;
    m->time = 0;
}

void wt_machine_end(struct wt_machine *m)
{
    wt_watch_set_free(m);
    wt_turns_free(&m->turns);
}
