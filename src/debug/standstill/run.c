/* Makes standstills, and halts, resumes and steps waves by them. */
#include "debug/standstill/standstill.h"

#include <string.h>

/* ---- standing still, going on ---- */

/* A link that breaks because the host program has ended is no error. */
static enum wt_status forgive_end(struct wt_probe *p, enum wt_status status)
{
    return status == WT_IO && wt_standstill_has_ended(p) ? WT_OK : status;
}

enum wt_status wt_standstill_hold(struct wt_probe *p, struct wt_error *err)
{
    const struct wt_standstill *s = wt_standstill_of(p);
    return s->still ? WT_OK : forgive_end(p, s->ops->stop(p, err));
}

static bool anything_goes(const struct wt_probe *p, const struct wt_standstill *s)
{
    if (!s->hold)
        return true;
    for (uint32_t i = 0; i < s->topology.waves; i++)
        if (wt_standstill_row(p, i)->present && wt_standstill_row(p, i)->run)
            return true;
    return false;
}

/* Lets those go on that are to run, if there are any; only: that wave alone, or WT_NO_HANDLE. */
static enum wt_status go(struct wt_probe *p, uint32_t only, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    if (!s->still || s->stays || (s->kept && only == WT_NO_HANDLE) || wt_standstill_has_ended(p) ||
        !anything_goes(p, s))
        return WT_OK;
    const enum wt_status status = s->ops->go(p, only, err);
    s->still = status != WT_OK;
    return forgive_end(p, status);
}

enum wt_status wt_standstill_look(struct wt_probe *p, wt_wave_handle wave, struct wt_error *err)
{
    const struct wt_standstill *s = wt_standstill_of(p);
    assert(wave < s->topology.waves);
    enum wt_status status = wt_standstill_hold(p, err);
    if (status != WT_OK)
        return status;
    if (!wt_standstill_row(p, wave)->present)
        return wt_fail(err, WT_STATE, "%s %u is not active", s->topology.wave_word, (unsigned)wave);
    return WT_OK;
}

enum wt_status wt_standstill_end_look(struct wt_probe *p, enum wt_status status,
                                      struct wt_error *err)
{
    enum wt_status after = go(p, WT_NO_HANDLE, status ? WT_IGNORED : err);
    return status ? status : after;
}

static enum wt_status ask(struct wt_probe *p, bool wait, struct wt_link_event *event,
                          struct wt_error *err)
{
    const struct wt_standstill *s = wt_standstill_of(p);
    return s->ops->event ? s->ops->event(p, wait, event, err)
                         : s->link->ops->event(s->link->context, wait, event, err);
}

/* Modules were loaded or unloaded: clients are told, and modules_known() follows. */
static enum wt_status take_code(struct wt_probe *p, const struct wt_link_event *event,
                                struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    enum wt_status status;
    if (!event->code || (s->code_told && event->code_state == s->code_state))
        return WT_OK;
    if ((status = wt_standstill_push(p, (struct wt_probe_event){.kind = WT_PROBE_MODULES_CHANGED},
                                     err)) != WT_OK)
        return status;
    s->code_told = true;
    s->code_state = event->code_state;
    return WT_OK;
}

/* Clients know the list as it was when they were told, not what has changed since. */
enum wt_status wt_standstill_modules_known(struct wt_probe *p, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    if (!s->code_told)
        return WT_OK;
    s->code_told = s->code_given != s->code_state;
    return forgive_end(p, s->link->ops->code_known(s->link->context, s->code_given, err));
}

enum wt_status wt_standstill_keep(struct wt_probe *p, bool keep, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    assert(keep || s->kept);
    s->kept += keep ? 1 : -1u;
    if (s->kept)
        return WT_OK;
    if (s->ops->settles && s->still && !s->stays && !anything_goes(p, s) &&
        !wt_standstill_has_ended(p)) {
        const enum wt_status status = s->ops->go(p, WT_NO_HANDLE, err);
        s->still = status != WT_OK;
        return status ? forgive_end(p, status) : wt_standstill_hold(p, err);
    }
    return go(p, WT_NO_HANDLE, err);
}

/* Brings the rows up to date. A standstill is expensive: for a program that runs by itself it is
 * made only if there is news. A wave that is held at its beginning may cause no event. */
static enum wt_status take_news(struct wt_probe *p, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    struct wt_link_event event = {.attention = true};
    const bool reads = s->ops->event_reads_rows;
    enum wt_status status = WT_OK;
    if (!s->still && (reads || (s->link->host_launches && s->scanned)))
        status = forgive_end(p, ask(p, false, &event, err));
    if (status == WT_OK && (status = take_code(p, &event, err)) == WT_OK &&
        (event.attention || (s->hold && !reads)))
        status = wt_standstill_hold(p, err);
    return status;
}

enum wt_status wt_standstill_scan(struct wt_probe *p, struct wt_wave_set *active,
                                  struct wt_wave_set *halted, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    enum wt_status status = take_news(p, err);
    if (status != WT_OK)
        return status;
    s->scanned = true;
    s->stays = false;
    wt_standstill_list(p, active, halted);
    return go(p, WT_NO_HANDLE, err);
}

/* ---- run control ---- */

void wt_standstill_hold_launches(struct wt_probe *p, bool hold)
{
    wt_standstill_of(p)->hold = hold;
}

enum wt_status wt_standstill_halt(struct wt_probe *p, const struct wt_wave_set *waves,
                                  struct wt_error *err)
{
    enum wt_status status = wt_standstill_hold(p, err);
    if (status != WT_OK)
        return status;
    for (uint32_t i = 0; i < wt_standstill_of(p)->topology.waves; i++) {
        struct wt_standstill_row *row = wt_standstill_row(p, i);
        if (!row->present || !row->run || !wt_wave_set_has(waves, i))
            continue;
        row->run = row->step = row->held = false;
        row->cause = WT_HALT_REQUEST;
    }
    return go(p, WT_NO_HANDLE, err);
}

/* A wave that has news stays where it is: its exception is told first, then its accesses. */
static void keep_for_news(const struct wt_probe *p, wt_wave_handle wave)
{
    struct wt_standstill_row *row = wt_standstill_row(p, wave);
    if (row->cause != WT_HALT_EXCEPTION || row->told)
        row->cause = WT_HALT_WATCH;
}

enum wt_status wt_standstill_resume(struct wt_probe *p, const struct wt_wave_set *waves,
                                    struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    enum wt_status status = wt_standstill_hold(p, err);
    if (status != WT_OK)
        return status;
    for (uint32_t i = 0; i < s->topology.waves; i++) {
        struct wt_standstill_row *row = wt_standstill_row(p, i);
        if (!row->present || !wt_wave_set_has(waves, i))
            continue;
        if (s->ops->give_up && (status = s->ops->give_up(p, i, false, err)) != WT_OK)
            return status;
        if (wt_standstill_has_news(p, i)) {
            keep_for_news(p, i);
            continue;
        }
        row->run = true;
        row->step = row->told = false;
        row->cause = WT_HALT_NONE;
    }
    s->stays = false;
    s->went = true;
    return go(p, WT_NO_HANDLE, err);
}

/* How far a step had come when the rows were read; @p id is the stepping wave. */
static void judge_step(const struct wt_probe *p, const struct wt_standstill *s, uint32_t wave,
                       wt_wave_id id, struct wt_probe_step *step)
{
    const struct wt_standstill_row *row = wt_standstill_row(p, wave);
    wt_lanes mask;
    *step = (struct wt_probe_step){.done = true};
    if (!row->present || row->wave.id != id)
        return;
    step->active = true;
    step->done = !row->run;
    step->cause = row->cause;
    s->ops->view(row, &step->pc, &mask);
}

enum wt_status wt_standstill_step(struct wt_probe *p, wt_wave_handle wave,
                                  struct wt_probe_step *step, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    struct wt_link_event event;
    enum wt_status status = wt_standstill_look(p, wave, err);
    if (!status && s->ops->give_up)
        status = s->ops->give_up(p, wave, true, err);
    if (status != WT_OK)
        return status;
    struct wt_standstill_row *row = wt_standstill_row(p, wave);
    const wt_wave_id id = row->wave.id;
    if (wt_standstill_has_news(p, wave)) {
        keep_for_news(p, wave);
        judge_step(p, s, wave, id, step);
        s->stays = true;
        return WT_OK;
    }
    row->run = row->step = s->went = true;
    row->told = false;
    row->cause = WT_HALT_NONE;
    s->stays = false;
    /* No other wave issues meanwhile: a breakpoint may have been lifted for this instruction. */
    if ((status = go(p, wave, err)) != WT_OK || (status = ask(p, true, &event, err)) != WT_OK ||
        (status = wt_standstill_hold(p, err)) != WT_OK)
        return status;
    judge_step(p, s, wave, id, step);
    s->stays = true; /* a wave that began meanwhile would miss the breakpoint, too */
    return WT_OK;
}

enum wt_status wt_standstill_step_poll(struct wt_probe *p, wt_wave_handle wave,
                                       struct wt_probe_step *step, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    const wt_wave_id id = wt_standstill_row(p, wave)->wave.id;
    enum wt_status status =
        s->ops->event_reads_rows ? take_news(p, err) : wt_standstill_hold(p, err);
    if (status != WT_OK)
        return status;
    judge_step(p, s, wave, id, step);
    s->stays = s->still && step->done;
    return go(p, WT_NO_HANDLE, err);
}

enum wt_status wt_standstill_reset_halted(struct wt_probe *p, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    if (!s->link->ops->reset)
        return wt_fail(err, WT_UNSUPPORTED, "the program alone can run its kernels again");
    const enum wt_status status =
        s->ops->reset ? s->ops->reset(p, err) : s->link->ops->reset(s->link->context, err);
    if (status != WT_OK)
        return status;
    s->hold = true;
    s->still = s->stays = s->told_end = false;
    s->run++;
    s->hit_count = 0;
    memset(s->rows, 0, s->topology.waves * s->kind->row_size);
    return wt_standstill_hold(p, err);
}

/* ---- a wave that has halted ---- */

static enum wt_status view(struct wt_probe *p, wt_wave_handle wave, enum wt_halt_cause *cause,
                           uint64_t *pc, wt_lanes *mask, struct wt_error *err)
{
    enum wt_status status = wt_standstill_look(p, wave, err);
    if (status != WT_OK)
        return status;
    const struct wt_standstill_row *row = wt_standstill_row(p, wave);
    *cause = row->cause;
    wt_standstill_of(p)->ops->view(row, pc, mask);
    return go(p, WT_NO_HANDLE, err);
}

enum wt_status wt_standstill_halt_cause(struct wt_probe *p, wt_wave_handle wave,
                                        enum wt_halt_cause *cause, uint64_t *pc,
                                        struct wt_error *err)
{
    wt_lanes mask;
    return view(p, wave, cause, pc, &mask, err);
}

enum wt_status wt_standstill_mask(struct wt_probe *p, wt_wave_handle wave, wt_lanes *mask,
                                  struct wt_error *err)
{
    enum wt_halt_cause cause;
    uint64_t pc;
    return view(p, wave, &cause, &pc, mask, err);
}

enum wt_status wt_standstill_exception(struct wt_probe *p, wt_wave_handle wave,
                                       struct wt_probe_exception *exception, struct wt_error *err)
{
    enum wt_status status = wt_standstill_look(p, wave, err);
    if (status != WT_OK)
        return status;
    wt_standstill_of(p)->ops->exception(wt_standstill_row(p, wave), exception);
    wt_standstill_row(p, wave)->told = true;
    return WT_OK;
}

enum wt_status wt_standstill_read_rows(struct wt_probe *p, wt_wave_handle wave, wt_lanes lanes,
                                       const unsigned *index, size_t count, uint8_t *out,
                                       struct wt_error *err)
{
    enum wt_status status = wt_standstill_look(p, wave, err);
    if (status == WT_OK)
        status = wt_standstill_of(p)->ops->read_rows(p, wave, lanes, index, count, out, err);
    return wt_standstill_end_look(p, status, err);
}

enum wt_status wt_standstill_write_row(struct wt_probe *p, wt_wave_handle wave, wt_lanes lanes,
                                       unsigned index, const uint8_t *bytes, struct wt_error *err)
{
    enum wt_status status = wt_standstill_look(p, wave, err);
    if (status == WT_OK)
        status = wt_standstill_of(p)->ops->write_row(p, wave, lanes, index, bytes, err);
    return wt_standstill_end_look(p, status, err);
}
