/*
 * Looks at many halted warps together: where each stands, why, and which of its lanes are enabled.
 * A debugger asks for this of every warp at every stop, so it takes a few round trips in all, not a
 * few for each warp.
 */
#include "debug/vortex/loan.h"

#include <string.h>

/* Reads causes and program counters in one round trip; warps that need a closer look
 * are left out. */
static enum wt_status survey_causes(struct wt_probe *p, const uint32_t *wave, size_t count,
                                    struct wt_probe_view *view, struct wt_error *err)
{
    dm_begin(p);
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        dm_select(p, wave[i] / 32, wave[i], 0);
        size_t at = dm_get(p, DM_DCTRL);
        dm_get(p, DM_DPC);
        if (i == 0)
            first = at;
    }
    enum wt_status status = dm_run(p, err);
    if (status)
        return status;
    size_t at = first;
    for (size_t i = 0; i < count; i++, at += 2) {
        while (p->batch.op[at].write)
            at++;
        view[i].cause = vortex_cause_of(p, wave[i], dm_got(p, at));
        view[i].pc = vortex_whole_pc(p, dm_got(p, at + 1));
    }
    /* The batch is over: what follows needs more accesses. */
    if ((status = vortex_upper_pcs(p, wave, count, &view->pc, sizeof *view, err)) != WT_OK)
        return status;
    for (size_t i = 0; i < count && !status; i++) {
        if (view[i].cause == WT_HALT_BREAKPOINT)
            status = vortex_settle_dpc(p, wave[i], &view[i].pc, err);
        if (!status)
            wt_wave_set_add(&p->examined, wave[i]);
    }
    return status;
}

/* Masks of up to WT_MAX_LANES warps: CSR ACTIVE_THREADS of their first lanes. */
static enum wt_status survey_masks(struct wt_probe *p, const uint32_t *wave, unsigned count,
                                   struct wt_probe_view *view, struct wt_error *err)
{
    struct dm_loan loan;
    const struct dm_places places = dm_first_lanes(wave, count);
    unsigned lanes = p->topology.lanes;
    bool wide = p->xlen == 64 && lanes > 32;
    enum wt_status status = loan_borrow(p, &loan, &places, false, err);
    if (status)
        return status;
    loan_begin(p, &loan);
    dm_inject_at(p, &places, rv_csrr(X_T0, CSR_ACTIVE_THREADS));
    dm_fetch_at(p, &places, X_T0);
    if (wide) {
        dm_inject_at(p, &places, rv_srli(X_T0, X_T0, 32));
        dm_fetch_at(p, &places, X_T0);
    }
    if ((status = loan_run(p, &loan, err)) != WT_OK)
        return status;
    size_t cursor = 0;
    for (unsigned i = 0; i < count; i++)
        view[i].mask = dm_next_value(p, &cursor);
    for (unsigned i = 0; i < count && wide; i++)
        view[i].mask |= (wt_lanes)dm_next_value(p, &cursor) << 32;
    for (unsigned i = 0; i < count; i++) {
        /* Lanes beyond the register's bits cannot be read: they are taken as enabled. */
        if (lanes > p->xlen)
            view[i].mask |= wt_lanes_first(lanes) & ~wt_lanes_first(p->xlen);
        view[i].mask &= wt_lanes_first(lanes);
    }
    return WT_OK;
}

enum wt_status vortex_survey(struct wt_probe *p, const uint32_t *wave, size_t count,
                             struct wt_probe_view *view, struct wt_error *err)
{
    const struct wt_target_services *services = p->target->services;
    bool port = services->wave_detail && (p->port || p->topology.lanes > p->xlen);
    enum wt_status status = vortex_repay(p, err);
    if (!status && count)
        status = survey_causes(p, wave, count, view, err);
    /* The first mask shows what the register means on this device, if that is not known yet. */
    size_t done = 0;
    while (!status && done < count && (port || p->mask_csr != MASK_OF_WARP)) {
        status = vortex_mask(p, wave[done], &view[done].mask, err);
        done++;
    }
    for (size_t part; !status && done < count; done += part) {
        part = count - done < WT_MAX_LANES ? count - done : WT_MAX_LANES;
        status = survey_masks(p, wave + done, (unsigned)part, view + done, err);
    }
    return status;
}
