/*
 * The Vortex probe: run control and status through the Debug Module of the VxDebug specification.
 * DCTRL is only ever written as dmactive plus request bits: reading it gives status bits, which
 * must not be written back.
 */
#include "debug/vortex/dm.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static void window_range(const struct wt_probe *p, const struct wt_wave_set *set, unsigned window,
                         uint32_t *bits)
{
    uint32_t last = p->topology.waves - 32 * window;
    *bits = set->word[window] & (last >= 32 ? ~(uint32_t)0 : ((uint32_t)1 << last) - 1);
}

/* Adds the writes that make WMASK select exactly @p waves. */
static void select_waves(struct wt_probe *p, const struct wt_wave_set *waves)
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

/* Runs a batch that may have changed WMASK. */
static enum wt_status run_selection(struct wt_probe *p, struct wt_error *err)
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

static enum wt_status vortex_scan(struct wt_probe *p, struct wt_wave_set *active,
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

static enum wt_status vortex_summary(struct wt_probe *p, struct wt_probe_summary *summary,
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
    summary->any_halted = dctrl & DCTRL_ANYHALTED;
    summary->any_running = dctrl & DCTRL_ANYRUNNING;
    summary->all_unavailable = dctrl & DCTRL_ALLUNAVAIL;
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

static enum wt_status halt_set(struct wt_probe *p, const struct wt_wave_set *asked,
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
    select_waves(p, waves);
    if (keep_causes)
        last_look = add_last_look(p);
    dm_request(p, DCTRL_HALTREQ);
    size_t at = add_scan(p);
    status = run_selection(p, err);
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

static void forget(struct wt_probe *p, uint32_t wave)
{
    wt_wave_set_add(&p->went, wave);
    wt_wave_set_remove(&p->examined, wave);
    wt_wave_set_remove(&p->overtaken, wave);
    p->saved.valid = false;
}

static enum wt_status resume_set(struct wt_probe *p, const struct wt_wave_set *asked,
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
    select_waves(p, waves);
    dm_request(p, DCTRL_RESUMEREQ);
    return run_selection(p, err);
}

/* ---- what waves that begin do ---- */

static void vortex_hold_launches(struct wt_probe *p, bool hold)
{
    p->hold = hold;
}

/* A set of warps, plus the warps that are not active: those stay halted when another warp starts
 * them. */
static const struct wt_wave_set *with_inactive(struct wt_probe *p, const struct wt_wave_set *set,
                                               struct wt_wave_set *all)
{
    for (unsigned i = 0; i < p->windows; i++)
        all->word[i] = set->word[i] | ~p->active.word[i];
    return all;
}

static enum wt_status vortex_halt(struct wt_probe *p, const struct wt_wave_set *asked,
                                  struct wt_error *err)
{
    struct wt_wave_set all;
    const bool hold = p->hold && !p->held;
    enum wt_status status;
    if ((status = halt_set(p, hold ? with_inactive(p, asked, &all) : asked, err)) != WT_OK)
        return status;
    p->held |= hold;
    return WT_OK;
}

static enum wt_status vortex_resume(struct wt_probe *p, const struct wt_wave_set *asked,
                                    struct wt_error *err)
{
    struct wt_wave_set all;
    const bool release = !p->hold && p->held;
    enum wt_status status;
    if ((status = resume_set(p, release ? with_inactive(p, asked, &all) : asked, err)) != WT_OK)
        return status;
    p->held &= !release;
    return WT_OK;
}

/* A warp's step has ended the warp, and left it halted: it must not still be halted when it starts
 * again. */
static enum wt_status release_ended(struct wt_probe *p, uint32_t wave, struct wt_error *err)
{
    struct wt_wave_set one;
    if (p->hold)
        return WT_OK;
    memset(&one, 0, sizeof one);
    wt_wave_set_add(&one, wave);
    return resume_set(p, &one, err);
}

/* ---- steps ---- */

/* Adds the reads that examine the selected warp's step, and after the run evaluates them. */
static void add_step_look(struct wt_probe *p)
{
    dm_get(p, DM_DCTRL);
    dm_get(p, DM_DPC);
    dm_get(p, DM_WACTIVE);
    dm_get(p, DM_WSTATUS);
}

static enum wt_status finish_step(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                                  struct wt_error *err)
{
    size_t n = p->batch.count;
    uint32_t dctrl = dm_got(p, n - 4), bit = wave % 32;
    bool halted = dm_got(p, n - 1) >> bit & 1;
    step->active = dm_got(p, n - 2) >> bit & 1;
    step->done = !(dctrl & DCTRL_STEPSTATE) && (halted || !step->active);
    step->cause = vortex_cause_of(p, wave, dctrl);
    step->pc = vortex_whole_pc(p, dm_got(p, n - 3));
    p->step_under_way = !step->done;
    p->step_wave = wave;
    if (!step->active)
        wt_wave_set_remove(&p->active, wave);
    if (step->done && step->cause == WT_HALT_BREAKPOINT)
        return vortex_halt_cause(p, wave, &step->cause, &step->pc, err);
    if (step->done)
        wt_wave_set_add(&p->examined, wave);
    return step->done && !step->active ? release_ended(p, wave, err) : WT_OK;
}

static enum wt_status vortex_step(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                                  struct wt_error *err)
{
    if (p->step_under_way)
        return wt_fail(err, WT_STATE, "a step of warp %u is under way", (unsigned)p->step_wave);
    enum wt_status status = vortex_repay(p, err);
    if (status)
        return status;
    forget(p, wave);
    dm_begin(p);
    dm_select(p, wave / 32, wave, 0);
    dm_request(p, DCTRL_STEPREQ);
    /* A slow device is not the same as a warp that waits: make some more accesses in
     * the same trip. */
    for (int i = 0; i < 32 && !(p->brisk && p->polls == 1); i++)
        dm_get(p, DM_DCTRL);
    add_step_look(p);
    status = dm_run(p, err);
    return status ? status : finish_step(p, wave, step, err);
}

static enum wt_status vortex_step_poll(struct wt_probe *p, uint32_t wave,
                                       struct wt_probe_step *step, struct wt_error *err)
{
    dm_begin(p);
    dm_select(p, wave / 32, wave, 0);
    add_step_look(p);
    enum wt_status status = dm_run(p, err);
    return status ? status : finish_step(p, wave, step, err);
}

/* ---- who is in a slot ---- */

static void vortex_describe_wave(struct wt_probe *p, wt_wave_handle handle, struct wt_wave *wave)
{
    *wave = (struct wt_wave){.id = vortex_wave_id(p, handle),
                             .lanes = p->topology.lanes,
                             .core = handle / p->topology.waves_per_core,
                             .slot = handle % p->topology.waves_per_core};
}

/* The device was reset: no warp is the one that was in its slot before. */
static void begin_epoch(struct wt_probe *p)
{
    p->epoch++;
    memset(&p->active, 0, sizeof p->active);
}

static void vortex_replaced(struct wt_probe *p)
{
    p->saved.valid = p->wmask_known = p->scanned = false;
    memset(&p->went, 0, sizeof p->went);
    memset(&p->examined, 0, sizeof p->examined);
    memset(&p->overtaken, 0, sizeof p->overtaken);
    p->step_under_way = p->owes = p->owes_shift = p->owes_memory = false;
    p->end_reported = false;
}

static enum wt_status vortex_reset_halted(struct wt_probe *p, struct wt_error *err)
{
    struct wt_wave_set all;
    memset(&all, 0xff, sizeof all);
    const bool wmask_known = p->wmask_known; /* WMASK survives a reset */
    vortex_replaced(p);
    begin_epoch(p);
    p->hold = p->held = true;
    p->wmask_known = wmask_known;
    dm_begin(p);
    select_waves(p, &all);
    dm_request(p, DCTRL_RESETHALTREQ);
    dm_request(p, DCTRL_NDMRESET);
    enum wt_status status = run_selection(p, err);
    if (!status)
        status = dm_wait_clear(p, DCTRL_NDMRESET, "the end of the reset (DCTRL.ndmreset)", err);
    if (status)
        return status;
    struct dm_wait wait;
    dm_wait_begin(p, &wait);
    for (;;) {
        struct wt_wave_set active, halted;
        if ((status = vortex_scan(p, &active, &halted, err)))
            return status;
        bool any = false, late = false;
        for (unsigned i = 0; i < p->windows; i++) {
            any |= active.word[i] != 0;
            late |= (active.word[i] & ~halted.word[i]) != 0;
        }
        if (any && !late)
            return WT_OK;
        if (!dm_wait_more(&wait))
            return wt_fail(err, WT_TIMEOUT,
                           any ? "warps are still running after the reset: waited for WSTATUS to "
                                 "show them halted (DCTRL.resethaltreq)"
                               : "no warp became active after the reset: waited for WACTIVE");
    }
}

/* ---- the program's end ---- */

/* No warp is active: the program has ended. Its exit word is read through warp 0. */
static enum wt_status vortex_next_event(struct wt_probe *p, struct wt_probe_event *event,
                                        struct wt_error *err)
{
    bool any = false;
    for (unsigned i = 0; i < p->windows; i++)
        any |= p->active.word[i] != 0;
    event->kind = WT_PROBE_NOTHING;
    if (any || p->end_reported)
        return WT_OK;
    struct wt_wave_set one;
    uint8_t word[4] = {0};
    struct wt_error why;
    memset(&one, 0, sizeof one);
    wt_wave_set_add(&one, 0);
    enum wt_status status;
    if ((status = halt_set(p, &one, err)) != WT_OK)
        return status;
    event->text[0] = 0;
    if (vortex_read_memory(p, 0, 0, wt_address_of(p->link->exit_addr), word, sizeof word, &why))
        snprintf(event->text, sizeof event->text, "the exit word cannot be read: %.180s", why.text);
    if ((status = resume_set(p, &one, err)) != WT_OK)
        return status;
    event->kind = WT_PROBE_ENDED;
    event->status = (uint32_t)wt_load_le(word, 4);
    p->end_reported = true;
    return WT_OK;
}

static const struct wt_topology *vortex_topology(struct wt_probe *p)
{
    return &p->topology;
}

/* ---- opening ---- */

/* *slept (may be NULL): the module was asleep, or was reset. */
static enum wt_status wake(struct wt_probe *p, bool *slept, struct wt_error *err)
{
    uint32_t dctrl;
    enum wt_status status = wt_bus_read(p->bus, DM_DCTRL, &dctrl, err);
    if (status)
        return status;
    if (slept)
        *slept = !(dctrl & DCTRL_DMACTIVE);
    if (dctrl & DCTRL_NDMRESET &&
        (status = dm_wait_clear(p, DCTRL_NDMRESET, "the end of a reset (DCTRL.ndmreset)", err)))
        return status;
    struct dm_wait wait;
    dm_wait_begin(p, &wait);
    while (!(dctrl & DCTRL_DMACTIVE)) {
        dm_begin(p);
        dm_put(p, DM_DCTRL, DCTRL_DMACTIVE);
        size_t at = dm_get(p, DM_DCTRL);
        if ((status = dm_run(p, err)))
            return status;
        dctrl = dm_got(p, at);
        if (!(dctrl & DCTRL_DMACTIVE) && !dm_wait_more(&wait))
            return wt_fail(err, WT_TIMEOUT,
                           "the Debug Module does not wake up: DCTRL.dmactive stays 0 (reads "
                           "0x%08x)",
                           (unsigned)dctrl);
    }
    return WT_OK;
}

static enum wt_status read_platform(struct wt_probe *p, struct wt_error *err)
{
    uint32_t platform;
    dm_begin(p);
    size_t platform_at = dm_get(p, DM_PLATFORM), dconfig_at = dm_get(p, DM_DCONFIG);
    enum wt_status status = dm_run(p, err);
    if (status)
        return status;
    p->platform = platform = dm_got(p, platform_at);
    p->dconfig = dm_got(p, dconfig_at);
    if (wt_field(platform, 31, 28) != 1)
        return wt_fail(err, WT_INVALID,
                       "this is no Vortex Debug Module: PLATFORM reads 0x%08x, its platformid is "
                       "%u, not 1",
                       (unsigned)platform, (unsigned)wt_field(platform, 31, 28));
    struct wt_topology *t = &p->topology;
    t->clusters = wt_field(platform, 27, 21);
    unsigned cores = wt_field(platform, 20, 12);
    t->waves_per_core = wt_field(platform, 11, 3);
    t->lanes = 1u << wt_field(platform, 2, 0);
    uint64_t cores_in_all = (uint64_t)t->clusters * cores;
    uint64_t waves = cores_in_all * t->waves_per_core;
    if (waves == 0 || waves > WT_MAX_WAVES)
        return wt_fail(err, WT_INVALID,
                       "PLATFORM reads 0x%08x: %u clusters of %u cores of %u warps make %llu "
                       "warps; the Debug Module can name 1 to %d",
                       (unsigned)platform, t->clusters, cores, t->waves_per_core,
                       (unsigned long long)waves, WT_MAX_WAVES);
    t->cores = (unsigned)cores_in_all;
    t->waves = (uint32_t)waves;
    t->fixed_slots = t->waves;
    t->one_step = true;
    p->windows = (t->waves + 31) / 32;
    p->incarnation = calloc(t->waves, sizeof *p->incarnation);
    if (!p->incarnation)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %u warps", (unsigned)t->waves);
    return wt_bus_write(p->bus, DM_DCONFIG, p->dconfig | DCONFIG_EH, err);
}

/* The warp that answers questions about the device: an active one, else warp 0. */
static enum wt_status choose_witness(struct wt_probe *p, uint32_t *wave, bool *was_halted,
                                     bool *active, struct wt_error *err)
{
    struct wt_wave_set a, h;
    enum wt_status status = vortex_scan(p, &a, &h, err);
    if (status)
        return status;
    for (unsigned i = 0; i < p->windows; i++)
        p->found.word[i] = a.word[i] & h.word[i];
    *wave = UINT32_MAX;
    *active = false;
    for (unsigned i = 0; i < p->windows; i++) {
        uint32_t halted_active = a.word[i] & h.word[i];
        if (halted_active || (a.word[i] && *wave == UINT32_MAX)) {
            *wave = 32 * i + (uint32_t)__builtin_ctz(halted_active ? halted_active : a.word[i]);
            *active = true;
            if (halted_active)
                break;
        }
    }
    if (*wave == UINT32_MAX)
        *wave = 0;
    *was_halted = wt_wave_set_has(&h, *wave);
    return WT_OK;
}

/* The number of reads after an injection that always suffices to see it done: 32 nops in one batch,
 * for 1 to 8 reads. */
static enum wt_status try_pace(struct wt_probe *p, uint32_t wave, struct wt_error *err)
{
    for (p->polls = 1;; p->polls *= 2) {
        dm_begin(p);
        dm_select(p, wave / 32, wave, 0);
        for (int i = 0; i < 32; i++)
            dm_inject(p, rv_addi(0, 0, 0));
        p->brisk = true;
        enum wt_status status = dm_run(p, err); /* clears brisk if one came late */
        if (status || p->brisk)
            return status;
        if (p->polls == 8) {
            p->polls = 1;
            return WT_OK;
        }
    }
}

static enum wt_status ask_witness(struct wt_probe *p, uint32_t wave, struct wt_error *err)
{
    enum wt_status status = try_pace(p, wave, err);
    if (!status) {
        p->xlen = p->link->xlen;
        if (!p->xlen)
            status = vortex_discover_xlen(p, wave, err);
    }
    uint32_t misa = 0, lanes = 0;
    if (!status)
        status = vortex_read_csr(p, wave, 0, CSR_MISA, &misa, err);
    if (!status)
        status = vortex_read_csr(p, wave, 0, CSR_NUM_THREADS, &lanes, err);
    if (status)
        return status;
    /* misa may read 0 ("not implemented"); such devices have both. */
    p->has_f = !misa || misa >> ('F' - 'A') & 1;
    p->has_d = !misa || misa >> ('D' - 'A') & 1;
    /* Devices that use LOG2UP describe one thread per warp as 2^1. */
    if (lanes == 1 && p->topology.lanes == 2)
        p->topology.lanes = 1;
    return WT_OK;
}

static enum wt_status describe(struct wt_probe *p, struct wt_error *err)
{
    uint32_t wave;
    bool was_halted, active;
    enum wt_status status = choose_witness(p, &wave, &was_halted, &active, err);
    if (status)
        return status;
    struct wt_wave_set one;
    memset(&one, 0, sizeof one);
    wt_wave_set_add(&one, wave);
    if (active && !was_halted && (status = halt_set(p, &one, err)))
        return status;
    status = ask_witness(p, wave, err);
    if (active && !was_halted) {
        enum wt_status resumed = resume_set(p, &one, status ? WT_IGNORED : err);
        status = status ? status : resumed;
    }
    if (status && !active) {
        /* There is no warp to ask: describe what every Vortex has. */
        p->brisk = false;
        p->xlen = p->link->xlen ? p->link->xlen : 32;
        p->has_f = true;
        p->has_d = p->xlen == 64;
        status = WT_OK;
    }
    return status;
}

static enum wt_status vortex_reattach(struct wt_probe *p, bool *was_reset, struct wt_error *err)
{
    bool slept;
    *was_reset = false;
    enum wt_status status = wake(p, &slept, err);
    if (status)
        return status;
    dm_begin(p);
    size_t at = dm_get(p, DM_PLATFORM);
    dm_put(p, DM_DCONFIG, p->dconfig | DCONFIG_EH);
    if ((status = dm_run(p, err)))
        return status;
    if (dm_got(p, at) != p->platform)
        return wt_fail(err, WT_STATE,
                       "this is another device than before: PLATFORM reads 0x%08x, it was 0x%08x; "
                       "end this session and attach to it",
                       (unsigned)dm_got(p, at), (unsigned)p->platform);
    p->wmask_known = p->saved.valid = p->stuck = false;
    if (slept) {
        /* The device was reset: steps under way and borrowed registers are gone. */
        memset(&p->went, 0, sizeof p->went);
        memset(&p->examined, 0, sizeof p->examined);
        memset(&p->overtaken, 0, sizeof p->overtaken);
        memset(&p->found, 0, sizeof p->found);
        begin_epoch(p);
        *was_reset = true;
        p->step_under_way = p->owes = p->owes_shift = p->owes_memory = false;
    }
    return WT_OK;
}

static enum wt_status vortex_reconnect(struct wt_probe *p, struct wt_error *err)
{
    return wt_bus_reconnect(p->bus, err);
}

static enum wt_status vortex_start(struct wt_probe *p, struct wt_error *err)
{
    return wt_bus_start(p->bus, err);
}

static void vortex_close(struct wt_probe *p)
{
    if (!p)
        return;
    if (p->windows)
        wt_bus_write(p->bus, DM_DCONFIG, p->dconfig, WT_IGNORED);
    free(p->batch.op);
    free(p->batch.injection);
    free(p->registers);
    free(p->incarnation);
    free(p);
}

/* Vortex has no exceptions: these are the faults at which the emulator stops. */
static const struct wt_exception exceptions[] = {
    {"illegal", WT_FAULT_ILLEGAL},
    {"divergence", WT_FAULT_DIVERGENCE},
    {"stack_overflow", WT_FAULT_STACK_OVERFLOW},
    {"stack_underflow", WT_FAULT_STACK_UNDERFLOW},
    {"misaligned", WT_FAULT_MISALIGNED},
    {"access", WT_FAULT_ACCESS},
    {"deadlock", WT_FAULT_DEADLOCK},
};

static enum wt_status vortex_open(const struct wt_target *target, bool use_memory_port,
                                  struct wt_probe **probe, struct wt_error *err)
{
    *probe = NULL;
    const struct wt_vortex_link *link = target->link;
    if (link->xlen != 0 && link->xlen != 32 && link->xlen != 64)
        return wt_fail(err, WT_INVALID, "xlen is 32 or 64, not %u", link->xlen);
    struct wt_probe *p = calloc(1, sizeof *p);
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the probe");
    p->target = target;
    p->link = link;
    p->bus = link->bus;
    p->port = use_memory_port;
    p->polls = 1;
    enum wt_status status = wake(p, NULL, err);
    if (!status)
        status = read_platform(p, err);
    if (!status)
        status = describe(p, err);
    if (!status)
        status = vortex_make_registers(p, err);
    if (status) {
        vortex_close(p);
        wt_fail_in(err, "attaching to the Debug Module");
        return status;
    }
    struct wt_topology *t = &p->topology;
    t->family = "vortex";
    t->arch = p->xlen == 64 ? "riscv:rv64" : "riscv:rv32";
    t->triple = p->xlen == 64 ? "riscv64-unknown-unknown-elf" : "riscv32-unknown-unknown-elf";
    t->address_bits = p->xlen;
    t->result_registers = 2; /* RISC-V calling conventions: a0, a1 */
    /* Local memory lies in this range: at its addresses each core has its own. */
    p->space = (struct wt_space){
        .name = "memory", .dwarf = 0, .scope = WT_SCOPE_CORE, .address_bits = p->xlen};
    t->spaces = &p->space;
    t->space_count = 1;
    t->wave_word = "warp";
    t->lane_word = "thread";
    t->exceptions = exceptions;
    t->exception_count = sizeof exceptions / sizeof *exceptions;
    t->code_granule = 2;
    *probe = p;
    return WT_OK;
}

const struct wt_probe_ops wt_probe_vortex = {
    .family = "vortex",
    .open = vortex_open,
    .close = vortex_close,
    .reattach = vortex_reattach,
    .reconnect = vortex_reconnect,
    .start = vortex_start,
    .topology = vortex_topology,
    .summary = vortex_summary,
    .scan = vortex_scan,
    .wave_id = vortex_wave_id,
    .describe_wave = vortex_describe_wave,
    .next_event = vortex_next_event,
    .hold_launches = vortex_hold_launches,
    .halt = vortex_halt,
    .resume = vortex_resume,
    .step = vortex_step,
    .step_poll = vortex_step_poll,
    .halt_cause = vortex_halt_cause,
    .mask = vortex_mask,
    .survey = vortex_survey,
    .reset_halted = vortex_reset_halted,
    .replaced = vortex_replaced,
    .read_rows = vortex_read_rows,
    .write_row = vortex_write_row,
    .read_memory = vortex_read_memory,
    .write_memory = vortex_write_memory,
    .window = vortex_window,
    .patch = vortex_patch,
    .decode = vortex_decode,
};
