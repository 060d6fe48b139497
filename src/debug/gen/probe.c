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
    unsigned subslices = 0;
    if (!p->info.gpus || p->info.gpus > GEN_WIRE_GPUS)
        return wt_fail(err, WT_UNSUPPORTED, "the driver tells of %u GPUs; a debugger takes 1 to %u",
                       (unsigned)p->info.gpus, GEN_WIRE_GPUS);
    for (uint32_t i = 0; i < p->info.gpus; i++) {
        if (!p->info.subslices[i] || p->info.subslices[i] > GENP_SUBSLICES)
            return wt_fail(err, WT_UNSUPPORTED,
                           "the driver tells of %u subslices; Gen9 has 1 to 9 of them",
                           (unsigned)p->info.subslices[i]);
        subslices += p->cores[i] = p->info.subslices[i];
    }
    p->common.topology = (struct wt_topology){.family = "gen9",
                                              .arch = "intelgt",
                                              .triple = "spir64-unknown-unknown",
                                              .clusters = 1,
                                              .devices = p->info.gpus,
                                              .device_cores = p->cores,
                                              .cores = subslices,
                                              .waves_per_core = GENP_SUBSLICE_THREADS,
                                              .waves = subslices * GENP_SUBSLICE_THREADS,
                                              .host_launches = p->link->common.host_launches,
                                              .lanes = GENP_LANES,
                                              .wave_word = "thread",
                                              .lane_word = "channel",
                                              .has_grid = true,
                                              .exceptions = genp_exceptions,
                                              .exception_count = GENP_EXCEPTIONS,
                                              .code_granule = 8};
    genp_describe_spaces(p);
    return genp_describe_registers(p)
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "out of memory for the list of registers");
}

static void probe_close(struct wt_probe *p)
{
    wt_standstill_close(p);
    free(p->registers);
    free(p->watches.list);
    free(p);
}

static enum wt_status probe_open(const struct wt_target *target, bool use_memory_port,
                                 struct wt_probe **probe, struct wt_error *err)
{
    struct wt_probe *p = calloc(1, sizeof *p);
    enum wt_status status;
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the probe");
    p->link = target->link;
    p->target = target;
    p->info = p->link->info;
    if ((status = describe(p, err)) != WT_OK ||
        (status = wt_standstill_open(p, &genp_standstill, &p->link->common, sizeof(struct genp_row),
                                     err)) != WT_OK) {
        probe_close(p);
        return status;
    }
    *probe = p;
    return WT_OK;
}

/* ---- threads ---- */

const struct wt_probe_ops wt_probe_gen = {
    .family = "gen9",
    .open = probe_open,
    .close = probe_close,
    .resume = wt_standstill_resume,
    .step = wt_standstill_step,
    .read_memory = genp_read_memory,
    .write_memory = genp_write_memory,
    .find_home = genp_find_home,
    .replaced = wt_standstill_replaced,
    .set_watchpoints = genp_set_watches,
    .find_caller = genp_find_caller,
    .find_kept = genp_find_kept,
    .window = genp_window,
    .patch = genp_patch,
    .decode = genp_decode,
    WT_STANDSTILL_OPERATIONS,
};
