/* Watchpoints of host programs: the emulated driver watches memory, and makes the thread that
 * accesses it enter the system routine. See debug/process/watches.h. */
#include "debug/gen/internal.h"

/* Whether an address is the same memory for all threads of all GPUs: the program's own. */
static bool is_common(const struct wt_probe *p, uint64_t addr)
{
    return !(p->common.link->gpus > 1 && addr >> GEN_WIRE_GPU_BIT) &&
           addr < p->common.link->place[GEN_WIRE_SLM];
}

static enum wt_status find(struct wt_probe *p, struct wt_driver_watch *w, struct wt_error *err)
{
    w->addr = genp_linear(p, w->asked.addr);
    w->wave = is_common(p, w->addr) ? WT_NO_HANDLE : w->asked.wave;
    if (w->wave != WT_NO_HANDLE)
        genp_unmark(p, &w->wave, &w->addr);
    return WT_OK;
}

static void place(struct wt_probe *p, struct wt_wire_hit *hit)
{
    hit->pc += wt_gen_mark(p->common.link, genp_device_of(p, hit->wave));
}

static bool concerns(struct wt_probe *p, const struct wt_driver_watch *w,
                     const struct wt_wire_hit *hit)
{
    return w->wave == WT_NO_HANDLE || genp_device_of(p, w->wave) == genp_device_of(p, hit->wave);
}

/* A thread that steps has done its instruction, whether the access is wanted or not. */
static void halt(struct wt_probe *p, uint32_t thread)
{
    struct wt_standstill_row *row = wt_standstill_row(p, thread);
    const bool wanted = wt_standstill_has_hit(p, thread);
    if (wanted && (row->run || row->cause == WT_HALT_STEP))
        row->cause = WT_HALT_WATCH;
    else if (row->run && row->step)
        row->cause = WT_HALT_STEP;
    else
        return;
    row->run = row->step = false;
}

const struct wt_driver_watch_ops genp_watch_ops = {find, place, concerns, halt};
