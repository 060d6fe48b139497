/* Opening and closing, and the life of the program. */
#include "debug/core/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- opening and closing ---- */

static void free_debugger(struct wt_debugger *d)
{
    if (!d)
        return;
    dbg_free_breakpoints(d);
    dbg_release_code(d);
    if (d->probe)
        d->ops->close(d->probe);
    free(d->registers);
    free(d->wave);
    free(d->present.wave);
    free(d->trace);
    free(d->generation);
    free(d->stepper);
    free(d->thread);
    free(d->wave_list);
    wt_debugger_drop_writes(d);
    wt_writes_free(&d->errand.writes);
    free(d->errand.waves);
    dbg_thread_table_free(&d->numbers);
    dbg_close_registers(d);
    dbg_free_watchpoints(d);
    free(d->event);
    free(d->leftover);
    free(d);
}

enum wt_status wt_debugger_open(const struct wt_target *target, const struct wt_probe_ops *probe,
                                const struct wt_debugger_options *options,
                                struct wt_debugger **debugger, struct wt_error *err)
{
    static const struct wt_debugger_options defaults;
    *debugger = NULL;
    struct wt_debugger *d = calloc(1, sizeof *d);
    if (!d)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the debugger");
    d->target = target;
    d->ops = probe;
    d->options = options ? *options : defaults;
    d->wanted_mode = d->options.threads;
    enum wt_status status = probe->open(target, !d->options.dm_only, &d->probe, err);
    if (status) {
        free_debugger(d);
        return status;
    }
    if ((status = dbg_add_registers(d, probe->topology(d->probe), err)) ||
        (status = dbg_open_registers(d, err))) {
        free_debugger(d);
        return status;
    }
    uint32_t waves = d->topology->waves;
    d->words = (waves + 31) / 32;
    d->wave = calloc(waves, sizeof *d->wave);
    d->generation = calloc(waves, sizeof *d->generation);
    d->stepper = calloc(waves, sizeof *d->stepper);
    if (!dbg_reserve_events(d, 1) || !d->wave || !d->generation || !d->stepper) {
        free_debugger(d);
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the state of %u waves",
                       (unsigned)waves);
    }
    if ((status = dbg_thread_table_init(&d->numbers, d->topology->fixed_slots, d->topology->lanes,
                                        err))) {
        free_debugger(d);
        return status;
    }
    struct wt_wave_set halted;
    if ((status = dbg_look(d, &halted, err))) {
        free_debugger(d);
        return status;
    }
    /* Whatever is not halted runs, or will when it is spawned. */
    for (uint32_t w = 0; w < waves; w++) {
        if (wt_wave_set_has(&halted, w))
            continue;
        d->wave[w].go = GO_FREE;
        wt_wave_set_add(&d->free, w);
    }
    d->going = d->launches_run = dbg_any_free_active(d);
    dbg_choose_mode(d);
    *debugger = d;
    return WT_OK;
}

void wt_debugger_close(struct wt_debugger *d)
{
    if (!d)
        return;
    dbg_to_present(d, WT_IGNORED);
    wt_debugger_remove_all_breakpoints(d);
    dbg_sync_breakpoints(d, WT_IGNORED);
    wt_debugger_remove_all_watchpoints(d);
    dbg_sync_watchpoints(d, WT_IGNORED);
    free_debugger(d);
}

const struct wt_topology *wt_debugger_topology(struct wt_debugger *d)
{
    return d->topology;
}

const struct wt_target *wt_debugger_target(struct wt_debugger *d)
{
    return d->target;
}

/* ---- the program ---- */

enum wt_status wt_debugger_reset(struct wt_debugger *d, struct wt_error *err)
{
    if (!d->ops->reset_halted)
        return wt_fail(err, WT_UNSUPPORTED, "this device cannot be reset by its debug hardware");
    /* What is in memory stays, and becomes the beginning of a new run. */
    enum wt_status status = dbg_change_past(d, err);
    if (status)
        return status;
    dbg_forget_past(d);
    dbg_stop_everything(d);
    for (size_t i = 0; i < d->traces; i++)
        d->trace[i].time = 0; /* what is planted now is there from the beginning */
    status = d->ops->reset_halted(d->probe, err);
    if (!status && d->target->services->clear_fault)
        d->target->services->clear_fault(d->target->context);
    if (!status)
        status = dbg_look(d, NULL, err);
    dbg_choose_mode(d);
    return status;
}

enum wt_status wt_debugger_restart(struct wt_debugger *d, struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    enum wt_status status;
    if (services->reload) {
        if ((status = services->reload(d->target->context, err)))
            return status;
        dbg_forget_past(d);
        d->traces = 0;
        /* What was planted went with the old contents. */
        for (size_t i = 0; i < d->bps; i++)
            d->bp[i].planted = d->bp[i].doubtful = false;
    }
    return wt_debugger_reset(d, err);
}

bool wt_debugger_ended(struct wt_debugger *d, uint32_t *status)
{
    if (!d->ended)
        return false;
    if (status)
        *status = d->exit_status;
    return true;
}
