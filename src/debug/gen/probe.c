/*
 * The probe of Gen9: halts, resumes and steps threads through TD_CTL, TD_ATT and TD_CLR and through
 * their state as saved by the system routine. Between two operations, threads wait in the routine
 * only if none of them is to run. See gen.h.
 */
#include "debug/gen/internal.h"

#include <stdlib.h>

/* ---- opening ---- */

static enum wt_status describe(struct wt_probe *p, struct wt_error *err)
{
    const struct wt_link *link = p->common.link;
    if (!link->gpus || link->gpus > GEN_WIRE_GPUS)
        return wt_fail(err, WT_UNSUPPORTED, "the driver reports %u GPUs; a debugger takes 1 to %u",
                       (unsigned)link->gpus, GEN_WIRE_GPUS);
    for (uint32_t i = 0; i < link->gpus; i++)
        if (!link->units[i] || link->units[i] > GENP_SUBSLICES)
            return wt_fail(err, WT_UNSUPPORTED,
                           "the driver reports %u subslices; Gen9 has 1 to 9 of them",
                           (unsigned)link->units[i]);
    p->common.topology = (struct wt_topology){.family = "gen9",
                                              .arch = "intelgt",
                                              .triple = "spir64-unknown-unknown",
                                              .waves_per_core = GENP_SUBSLICE_THREADS,
                                              .lanes = GENP_LANES,
                                              .wave_word = "thread",
                                              .lines_need = " (with ocloc, one kernel a file)",
                                              .lane_word = "channel",
                                              .exceptions = genp_exceptions,
                                              .exception_count = GENP_EXCEPTIONS,
                                              .code_granule = 8,
                                              .code_longest = 16};
    p->watches.ops = &genp_watch_ops;
    p->common.watches = &p->watches;
    genp_describe_spaces(p);
    return genp_describe_registers(p, err);
}

static void free_own(struct wt_probe *p)
{
    free(p->watches.list);
    genp_forget_functions(&p->functions);
}

static const struct wt_standstill_kind kind = {
    .ops = &genp_standstill,
    .probe_size = sizeof(struct wt_probe),
    .row_size = sizeof(struct genp_row),
    .describe = describe,
    .free = free_own,
};

const struct wt_probe_ops wt_probe_gen = {
    .family = "gen9",
    .standstill = &kind,
    .read_memory = genp_read_memory,
    .write_memory = genp_write_memory,
    .find_home = genp_find_home,
    .set_watchpoints = wt_driver_watches_set,
    .find_caller = genp_find_caller,
    .find_kept = genp_find_kept,
    .window = wt_standstill_window,
    .patch = genp_patch,
    .decode = genp_decode,
    .replaced = wt_standstill_replaced,
    WT_STANDSTILL_OPERATIONS,
};
