/*
 * Which warps are active and halted, and how sets of them are halted and resumed, through the Debug
 * Module of the VxDebug specification. DCTRL is only ever written as dmactive plus request bits:
 * reading it gives status bits, which must not be written back.
 */
#include "debug/vortex/dm.h"

#include <assert.h>
#include <string.h>

static void window_range(const struct wt_probe *p, const struct wt_wave_set *set, unsigned window,
                         uint32_t *bits)
{
    uint32_t last = p->topology.waves - 32 * window;
    *bits = set->word[window] & (last >= 32 ? ~(uint32_t)0 : ((uint32_t)1 << last) - 1);
}

void vortex_select(struct wt_probe *p, const struct wt_wave_set *waves)
{
    for (unsigned i = 0; i < p->windows; i++) {
        uint32_t bits;
        window_range(p, waves, i, &bits);
        if (p->wmask_known && p->wmask[i] == bits)
            continue;
        dm_select(p, i, 0, 0);
        dm_put(p, DM_WMASK, bits);
        p->wmask[i] = bits;
    }
}

enum wt_status vortex_run_selection(struct wt_probe *p, struct wt_error *err)
{
    enum wt_status status = dm_run(p, err);
    p->wmask_known = !status;
    return status;
}

/* Adds the reads that vortex_scan makes to the batch; returns where the first of them is. */
static size_t add_scan(struct wt_probe *p)
{
    size_t first = 0;
    for (unsigned i = 0; i < p->windows; i++) {
        dm_select(p, i, 0, 0);
        size_t at = dm_get(p, DM_WACTIVE);
        dm_get(p, DM_WSTATUS);
        if (i == 0)
            first = at;
    }
    return first;
}

/* Takes their results, once the batch has run. */
static void take_scan(struct wt_probe *p, size_t at, struct wt_wave_set *active,
                      struct wt_wave_set *halted)
{
    for (unsigned i = 0; i < p->windows; i++, at += 2) {
        if (p->batch.op[at].write) /* of DSELECT */
            at++;
        active->word[i] = dm_got(p, at);
        halted->word[i] = dm_got(p, at + 1);
        window_range(p, active, i, &active->word[i]);
        window_range(p, halted, i, &halted->word[i]);
        for (uint32_t new = active->word[i] & ~p->active.word[i]; new; new &= new - 1)
            p->incarnation[32 * i + (uint32_t)__builtin_ctz(new)]++;
        p->active.word[i] = active->word[i];
        p->end_reported &= active->word[i] == 0;
    }
}

enum wt_status vortex_scan(struct wt_probe *p, struct wt_wave_set *active,
                           struct wt_wave_set *halted, struct wt_error *err)
{
    /* A halt has looked just now, and no request was made since. */
    if (p->scanned) {
        p->scanned = false;
        memcpy(active->word, p->scan[0].word, p->windows * sizeof active->word[0]);
        memcpy(halted->word, p->scan[1].word, p->windows * sizeof halted->word[0]);
        return WT_OK;
    }
    dm_begin(p);
    size_t at = add_scan(p);
    enum wt_status status = dm_run(p, err);
    if (!status)
        take_scan(p, at, active, halted);
    return status;
}

enum wt_status vortex_summary(struct wt_probe *p, struct wt_probe_summary *summary,
                              struct wt_error *err)
{
    dm_begin(p);
    size_t dctrl_at = dm_get(p, DM_DCTRL);
    enum wt_status status = dm_run(p, err);
    if (status)
        return status;
    uint32_t dctrl = dm_got(p, dctrl_at);
    if (!(dctrl & DCTRL_DMACTIVE))
        return wt_fail(err, WT_IO,
                       "the Debug Module is not active any more (DCTRL reads 0x%08x): "
                       "attach again",
                       (unsigned)dctrl);
    const bool one = !p->link->gpu_count; /* else DCTRL is that of one of them */
    summary->any_halted = one && dctrl & DCTRL_ANYHALTED;
    summary->any_running = one && dctrl & DCTRL_ANYRUNNING;
    summary->all_unavailable = one && dctrl & DCTRL_ALLUNAVAIL;
    if (summary->all_unavailable)
        return WT_OK;
    /* Halted warps may all be inactive, and not every device implements allunavail: look at
     * WACTIVE. */
    struct wt_wave_set active, halted;
    if ((status = vortex_scan(p, &active, &halted, err)))
        return status;
    summary->all_unavailable = true;
    for (unsigned i = 0; i < p->windows; i++)
        if (active.word[i])
            summary->all_unavailable = false;
    return WT_OK;
}

/*
 * A halt does not cancel a step that waits: its request stays, and keeps others from being
 * accepted. Putting the Debug Module to sleep resets its registers, step state included, and leaves
 * the halted bits alone.
 */
static enum wt_status take_step_back(struct wt_probe *p, struct wt_error *err)
{
    dm_begin(p);
    dm_select(p, p->step_wave / 32, p->step_wave, 0);
    size_t at = dm_get(p, DM_DCTRL);
    enum wt_status status = dm_run(p, err);
    if (status)
        return status;
    p->step_under_way = false;
    if (!(dm_got(p, at) & DCTRL_STEPSTATE))
        return WT_OK;
    p->wmask_known = false;
    dm_begin(p);
    dm_put(p, DM_DCTRL, 0);
    dm_put(p, DM_DCTRL, DCTRL_DMACTIVE);
    dm_put(p, DM_DCONFIG, p->dconfig | DCONFIG_EH);
    at = dm_get(p, DM_DCTRL);
    if ((status = dm_run(p, err)))
        return status;
    if (!(dm_got(p, at) & DCTRL_DMACTIVE))
        return wt_fail(err, WT_IO, "the Debug Module does not wake up again after dmactive was 0");
    return WT_OK;
}

/*
 * If DPC of an EBREAK halt has to be corrected, warps that executed an ebreak unseen keep their
 * halt cause: a halt request would replace it. They are halted already.
 */
static enum wt_status leave_unexamined(struct wt_probe *p, struct wt_wave_set *waves,
                                       struct wt_error *err)
{
    struct wt_wave_set active, halted;
    enum wt_status status = vortex_scan(p, &active, &halted, err);
    for (unsigned i = 0; i < p->windows && !status; i++)
        waves->word[i] &= ~(active.word[i] & halted.word[i] & (p->went.word[i] | p->found.word[i]) &
                            ~p->examined.word[i]);
    return status;
}

/* Adds a look at WSTATUS to the batch, right before the halt request. */
static size_t add_last_look(struct wt_probe *p)
{
    size_t first = 0;
    dm_guard(p);
    for (unsigned i = 0; i < p->windows; i++) {
        dm_select(p, i, 0, 0);
        const size_t at = dm_get(p, DM_WSTATUS);
        if (i == 0)
            first = at;
    }
    return first;
}

/*
 * Warps that were halted by then have executed an ebreak since leave_unexamined() looked. The
 * request has replaced their cause, so it is noted here. (A warp that executes an ebreak between
 * these two accesses is taken for one that the request halted, and continues behind the ebreak.)
 */
static void take_last_look(struct wt_probe *p, size_t at, const struct wt_wave_set *waves)
{
    for (unsigned i = 0; i < p->windows; i++, at++) {
        if (p->batch.op[at].write) /* of DSELECT */
            at++;
        p->overtaken.word[i] |= dm_got(p, at) & waves->word[i] & p->active.word[i] &
                                p->went.word[i] & ~p->examined.word[i];
    }
    if (p->step_under_way) /* halted by the end of its step */
        wt_wave_set_remove(&p->overtaken, p->step_wave);
}

enum wt_status vortex_halt_set(struct wt_probe *p, const struct wt_wave_set *asked,
                               struct wt_error *err)
{
    struct wt_wave_set chosen;
    const struct wt_wave_set *waves = asked;
    const bool keep_causes = p->ebreak_dpc != EBREAK_DPC_AT;
    size_t last_look = 0;
    enum wt_status status;
    if (keep_causes) {
        memcpy(chosen.word, asked->word, p->windows * sizeof chosen.word[0]);
        if ((status = leave_unexamined(p, &chosen, err)))
            return status;
        waves = &chosen;
    }
    dm_begin(p);
    vortex_select(p, waves);
    if (keep_causes)
        last_look = add_last_look(p);
    dm_request(p, DCTRL_HALTREQ);
    size_t at = add_scan(p);
    status = vortex_run_selection(p, err);
    if (status)
        return status;
    struct wt_wave_set *active = &p->scan[0], *halted = &p->scan[1];
    if (keep_causes)
        take_last_look(p, last_look, waves);
    take_scan(p, at, active, halted);
    if (p->step_under_way && wt_wave_set_has(asked, p->step_wave) &&
        ((status = take_step_back(p, err)) || (status = vortex_scan(p, active, halted, err))))
        return status;
    struct dm_wait wait;
    dm_wait_begin(p, &wait);
    for (;;) {
        uint32_t late = UINT32_MAX;
        for (unsigned i = 0; i < p->windows && late == UINT32_MAX; i++) {
            /* An inactive warp need not be able to halt. */
            uint32_t bits;
            window_range(p, waves, i, &bits);
            bits &= active->word[i] & ~halted->word[i];
            if (bits)
                late = 32 * i + (uint32_t)__builtin_ctz(bits);
        }
        if (late == UINT32_MAX) {
            p->stuck = false;
            p->scanned = true;
            return WT_OK;
        }
        if (!dm_wait_more(&wait)) {
            p->stuck = true;
            return wt_fail(err, WT_TIMEOUT,
                           "warp %u did not halt in time: waited for its bit of WSTATUS after "
                           "DCTRL.haltreq",
                           (unsigned)late);
        }
        if ((status = vortex_scan(p, active, halted, err)))
            return status;
    }
}

void vortex_forget(struct wt_probe *p, uint32_t wave)
{
    wt_wave_set_add(&p->went, wave);
    wt_wave_set_remove(&p->examined, wave);
    wt_wave_set_remove(&p->overtaken, wave);
    p->saved.valid = false;
}

enum wt_status vortex_resume_set(struct wt_probe *p, const struct wt_wave_set *asked,
                                 struct wt_error *err)
{
    struct wt_wave_set chosen;
    const struct wt_wave_set *waves = asked;
    enum wt_status status = vortex_repay(p, err);
    if (status)
        return status;
    if (p->ebreak_dpc != EBREAK_DPC_AT) {
        /* Warps that have not been examined may be behind an ebreak that they must
         * execute again. */
        struct wt_wave_set active, halted;
        if ((status = vortex_scan(p, &active, &halted, err)))
            return status;
        for (unsigned i = 0; i < p->windows; i++) {
            uint32_t bits = asked->word[i] & active.word[i] & halted.word[i] &
                            ~p->examined.word[i] & (p->went.word[i] | p->found.word[i]);
            for (; bits && !status; bits &= bits - 1) {
                enum wt_halt_cause cause;
                uint64_t pc;
                status =
                    vortex_halt_cause(p, 32 * i + (uint32_t)__builtin_ctz(bits), &cause, &pc, err);
            }
            /* A running warp may have executed an ebreak by now: it would be resumed behind it. */
            chosen.word[i] = asked->word[i] & ~(active.word[i] & ~halted.word[i]);
        }
        waves = &chosen;
        if (status)
            return status;
    }
    p->saved.valid = false;
    for (unsigned i = 0; i < p->windows; i++) {
        p->went.word[i] |= waves->word[i];
        p->found.word[i] &= ~waves->word[i];
        p->examined.word[i] &= ~waves->word[i];
        p->overtaken.word[i] &= ~waves->word[i];
    }
    dm_begin(p);
    vortex_select(p, waves);
    dm_request(p, DCTRL_RESUMEREQ);
    return vortex_run_selection(p, err);
}
