/*
 * The probe of the SM: halts warps by the stop trigger, resumes them by the run trigger, and steps
 * them in single step mode. Between two operations, SMs are locked down only if none of their warps
 * is to run. See sm.h.
 */
#include "debug/sm/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static enum wt_status describe(struct wt_probe *p, struct wt_error *err)
{
    unsigned sms = 0;
    for (unsigned i = 0; i < p->common.link->gpus; i++)
        sms += p->common.link->units[i];
    if (!sms || sms > SMP_MOST_SMS)
        return wt_fail(err, WT_UNSUPPORTED, "the driver reports %u SMs; a debugger takes 1 to %u",
                       sms, SMP_MOST_SMS);
    p->common.topology = (struct wt_topology){.family = "sm",
                                              .arch = "nvptx64",
                                              .triple = "nvptx64-nvidia-cuda",
                                              .waves_per_core = SMP_WARPS,
                                              .lanes = SMP_LANES,
                                              .wave_word = "warp",
                                              .lane_word = "lane",
                                              .lanes_end = true,
                                              .exceptions = smp_exceptions,
                                              .exception_count = smp_exception_count,
                                              .code_granule = 8,
                                              .code_longest = 8};
    p->watches.ops = &smp_watch_ops;
    p->common.watches = &p->watches;
    smp_describe_spaces(p);
    p->has_handler = p->common.link->place[WT_SM_HANDLER];
    p->warps = calloc((size_t)sms * SMP_WARPS, sizeof *p->warps);
    return p->warps ? smp_describe_registers(p, err)
                    : wt_fail(err, WT_NO_MEMORY, "out of memory for the probe");
}

static void free_own(struct wt_probe *p)
{
    free(p->watches.list);
    free(p->warps);
}

static const struct wt_standstill_kind kind = {
    .ops = &smp_standstill,
    .probe_size = sizeof(struct wt_probe),
    .row_size = sizeof(struct smp_row),
    .describe = describe,
    .begin = smp_arm,
    .end = smp_let_go,
    .free = free_own,
};

/* ---- warps ---- */

/* BPT.TRAP 1 is a breakpoint. If the program executes one of its own, the kernel of a host program
 * ends. The other traps have no effect if there is no trap handler. */
static bool gives_up(struct wt_probe *p, uint32_t wave, char *text, size_t size)
{
    struct smp_row *row = smp_row(p, wave);
    if (p->common.link->host_launches && row->trap == 1) {
        row->aborts = true;
        snprintf(text, size, "a trap of the program's own, which ends the kernel");
        return true;
    }
    if (row->trap == 1 || p->has_handler)
        return false;
    snprintf(text, size, "BPT.TRAP 0x%x, and there is no trap handler", row->trap);
    return true;
}

const struct wt_probe_ops wt_probe_sm = {
    .family = "sm",
    .standstill = &kind,
    .set_watchpoints = wt_driver_watches_set,
    .gives_up = gives_up,
    .read_memory = smp_read_memory,
    .write_memory = smp_write_memory,
    .window = smp_window,
    .patch = smp_patch,
    .decode = smp_decode,
    .find_home = smp_find_home,
    .find_caller = smp_find_caller,
    .replaced = wt_standstill_replaced,
    WT_STANDSTILL_OPERATIONS,
};
