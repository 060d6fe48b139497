/* Keeps the sets of waves that were told to run, and halts them. */
#include "debug/core/halt.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "debug/core/known.h"
#include "debug/core/numbering.h"

/* ---- which waves run ---- */

static void leave_steppers(struct wt_debugger *d, uint32_t wave)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->run.stepper_count; i++)
        if (d->run.stepper[i] != wave)
            d->run.stepper[kept++] = d->run.stepper[i];
    d->run.stepper_count = kept;
}

void dbg_set_go(struct wt_debugger *d, uint32_t wave, enum wave_go go)
{
    struct wave *w = &d->wave[wave];
    assert(wave < d->topology->waves && d->run.stepper_count <= d->topology->waves);
    bool was = dbg_is_stepping(w);
    w->go = (uint8_t)go;
    if (was && !dbg_is_stepping(w))
        leave_steppers(d, wave);
    if (!was && dbg_is_stepping(w))
        d->run.stepper[d->run.stepper_count++] = wave;
    if (!dbg_is_stepping(w))
        w->pending = w->lifted = w->told = false;
    if (go == GO_FREE)
        wt_wave_set_add(&d->sets.free, wave);
    else
        wt_wave_set_remove(&d->sets.free, wave);
}

/* Whether a wave that was resumed may still stop. */
void dbg_update_going(struct wt_debugger *d)
{
    d->run.going = d->run.stepper_count > 0 || dbg_any_free_active(d) ||
                   (d->run.launches_run && d->topology->host_launches);
}

void dbg_all_stopped(struct wt_debugger *d)
{
    for (uint32_t i = 0; i < d->topology->waves; i++) {
        struct wave *w = &d->wave[i];
        if (w->go == GO_STOPPED)
            continue;
        w->go = GO_STOPPED;
        w->pending = w->lifted = w->told = false;
        dbg_forget(d, i);
    }
    dbg_fill_set(d, &d->sets.free, 0);
    d->run.stepper_count = 0;
    d->run.going = d->run.launches_run = d->run.to_launch = false;
}

/* ---- halting ---- */

/* Whether all waves of a set that are active have halted. */
enum wt_status dbg_have_halted(struct wt_debugger *d, const struct wt_wave_set *waves, bool *halted,
                               struct wt_error *err)
{
    struct wt_wave_set stands;
    enum wt_status status;
    if ((status = dbg_scan(d, &stands, err)) != WT_OK)
        return status;
    *halted = true;
    for (unsigned i = 0; i < d->sets.words; i++)
        *halted &= !(waves->word[i] & d->sets.active.word[i] & ~stands.word[i]);
    return WT_OK;
}

void dbg_let_advance(struct wt_debugger *d, uint64_t budget)
{
    if (d->target->services->pump)
        d->target->services->pump(d->target->context, budget);
}

enum wt_status dbg_halt(struct wt_debugger *d, const struct wt_wave_set *waves,
                        struct wt_error *err)
{
    const uint64_t until = wt_clock_ns() + DBG_STOP_MS * 1000000ull;
    enum wt_status status = d->ops->halt(d->probe, waves, err);
    bool halted = !d->topology->late_stops;
    while (!status && !halted) {
        if ((status = dbg_have_halted(d, waves, &halted, err)) != WT_OK || halted)
            break;
        dbg_let_advance(d, 1);
        if (wt_clock_ns() > until)
            status = wt_fail(err, WT_TIMEOUT, "the device does not stop");
    }
    return status;
}

enum wt_status dbg_keep_still(struct wt_debugger *d, bool keep, struct wt_error *err)
{
    return d->ops->keep_still ? d->ops->keep_still(d->probe, keep, err) : WT_OK;
}

enum wt_status dbg_end_still(struct wt_debugger *d, enum wt_status status, struct wt_error *err)
{
    const enum wt_status after = dbg_keep_still(d, false, status ? WT_IGNORED : err);
    return status ? status : after;
}

/* Requests a halt of every wave, and holds waves that begin: they must not start running unseen. */
enum wt_status dbg_ask_everything(struct wt_debugger *d, struct wt_error *err)
{
    struct wt_wave_set all;
    dbg_fill_set(d, &all, 0xff);
    d->ops->hold_launches(d->probe, true);
    enum wt_status status = d->ops->halt(d->probe, &all, err);
    dbg_all_stopped(d);
    return status;
}

enum wt_status dbg_halt_everything(struct wt_debugger *d, struct wt_error *err)
{
    struct wt_wave_set all;
    dbg_fill_set(d, &all, 0xff);
    d->run.stopping.on = false;
    d->ops->hold_launches(d->probe, true);
    enum wt_status status = dbg_halt(d, &all, err);
    dbg_all_stopped(d);
    if (!status)
        status = dbg_scan(d, NULL, err);
    dbg_choose_mode(d);
    return status;
}
