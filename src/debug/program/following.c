/*
 * Runs that follow one wave. It runs alone, and others run only as far as it needs: those of its
 * group where it waits at a barrier, all where it waits for something else, or spins.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/program/internal.h"
#include "debug/source/inlined.h"

/* Free running is looked at after so long, then after twice that, and so on, for whether a wave
 * spins: it does if it comes back to a state within so many instructions. */
enum { FIRST_MS = 200, MOST_MS = 1 << 20, RECURS = 4096 };

/* Whether the selected thread's wave runs alone when it is to go on now. In the past all waves do
 * what they did. */
static bool runs_alone(const struct wt_program *g)
{
    struct wt_debugger_time time;
    return g->locking == WT_LOCKING_WAVE && wt_debugger_tells_waits(g->debugger) &&
           !(wt_debugger_time(g->debugger, &time, WT_IGNORED) == WT_OK && time.in_past);
}

/* ---- the waves of a group ---- */

/* Whether a barrier of `own` can wait for `other`. */
static bool is_mate(const struct wt_wave *own, const struct wt_wave *other)
{
    if (own->id == other->id || own->device != other->device || own->has_work != other->has_work)
        return false;
    return own->has_work ? own->dispatch == other->dispatch &&
                               memcmp(own->group, other->group, sizeof own->group) == 0
                         : own->core == other->core;
}

/* The other waves of a thread's group, those behind *count of them too; the caller frees the
 * list. */
static enum wt_status list_mates(struct wt_program *g, wt_thread thread, struct wt_wave_info **list,
                                 size_t *count, struct wt_error *err)
{
    struct wt_work work;
    struct wt_wave own;
    *list = NULL;
    *count = 0;
    const enum wt_status status = wt_program_work(g, &work, err);
    if (status)
        return status;
    if (wt_debugger_thread_wave(g->debugger, thread, &own) &&
        (*list = malloc((work.wave_count + 1) * sizeof **list)) != NULL)
        for (size_t i = 0; i < work.wave_count; i++)
            if (is_mate(&own, &work.wave[i].wave))
                (*list)[(*count)++] = work.wave[i];
    wt_work_free(&work);
    return WT_OK;
}

/* ---- who runs ---- */

/* The list for `wanted` and for who goes along with it; *count entries, which the caller frees. */
static struct wt_resume *list_for(struct wt_program *g, const struct wt_follow *f,
                                  const struct wt_resume *wanted, size_t *count)
{
    struct wt_wave_info *mate = NULL;
    size_t mates = 0;
    if (f->company == WT_COMPANY_GROUP)
        list_mates(g, wanted->thread, &mate, &mates, WT_IGNORED);
    struct wt_resume *list = malloc((mates + 2) * sizeof *list);
    *count = 0;
    if (list)
        list[(*count)++] = *wanted;
    for (size_t i = 0; list && i < mates; i++) {
        wt_thread thread;
        if (wt_program_thread_of_wave(g, mate[i].wave.id, &thread))
            list[(*count)++] = (struct wt_resume){.thread = thread, .kind = WT_RESUME_CONTINUE};
    }
    if (list && f->company == WT_COMPANY_ALL && wanted->kind == WT_RESUME_CONTINUE)
        list[0].thread = 0;
    else if (list && f->company == WT_COMPANY_ALL)
        list[(*count)++] = (struct wt_resume){.kind = WT_RESUME_CONTINUE};
    free(mate);
    return list;
}

static enum wt_stuck stuck_by(const struct wt_program *g)
{
    const struct wt_event *e = &g->event;
    return e->kind == WT_EVENT_STOPPED && e->reason == WT_STOP_STEP ? e->stuck : WT_STUCK_NOT;
}

/* A run takes long: whether one of the waves that ran freely spins, by steps of each. Another event
 * may come meanwhile. */
static enum wt_status look_for_spins(struct wt_program *g, const struct wt_follow *f,
                                     wt_thread thread, enum wt_stuck *stuck, struct wt_error *err)
{
    struct wt_wave_info *mate = NULL;
    size_t mates = 0;
    enum wt_status status = WT_OK;
    *stuck = WT_STUCK_LONG;
    if (f->company == WT_COMPANY_GROUP)
        status = list_mates(g, thread, &mate, &mates, err);
    for (size_t i = 0; i <= mates && !status && *stuck == WT_STUCK_LONG; i++) {
        struct wt_resume look = {.thread = thread,
                                 .kind = WT_RESUME_RANGE,
                                 .end = UINT64_MAX,
                                 .patience = FIRST_MS,
                                 .most = RECURS};
        if (i && !wt_program_thread_of_wave(g, mate[i - 1].wave.id, &look.thread))
            continue;
        status = pg_resume_and_wait(g, &look, 1, false, err);
        *stuck = status ? WT_STUCK_NOT : stuck_by(g);
        /* Others of the group may end what this one waits for. */
        if (mates && (*stuck == WT_STUCK_BARRIER || *stuck == WT_STUCK_WAITS))
            *stuck = WT_STUCK_LONG;
    }
    free(mate);
    return status;
}

/* ---- words ---- */

/* For which waves one waits that are held: "warp 1 and 3 others". */
static void name_held(struct wt_program *g, wt_thread thread, enum wt_stuck stuck, FILE *out)
{
    struct wt_wave_info *mate;
    size_t count, held = 0;
    char first[WT_WAVE_NAME];
    if (list_mates(g, thread, &mate, &count, WT_IGNORED))
        return;
    for (size_t i = 0; i < count; i++) {
        if (mate[i].has_wait && mate[i].detail.view.at_barrier)
            continue;
        if (!held++)
            wt_debugger_name_wave(g->debugger, &mate[i].wave, first, sizeof first);
    }
    if (held && stuck == WT_STUCK_BARRIER)
        fprintf(out, " for %s", first);
    if (held > 1 && stuck == WT_STUCK_BARRIER)
        fprintf(out, " and %zu other %ss of its group", held - 1, g->topology->wave_word);
    free(mate);
}

/* Fails where nobody else may run. */
static enum wt_status fail_held(struct wt_program *g, wt_thread thread, enum wt_stuck stuck,
                                struct wt_error *err)
{
    char *text = NULL, name[WT_WAVE_NAME] = "the wave";
    size_t size = 0;
    struct wt_wave own;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (wt_debugger_thread_wave(g->debugger, thread, &own))
        wt_debugger_name_wave(g->debugger, &own, name, sizeof name);
    if (stuck == WT_STUCK_SPINS)
        fprintf(out,
                "%s spins: it has returned to the same state %u times, and waits for one that "
                "is held",
                name, WT_SPINS);
    else {
        fprintf(out, "%s waits", name);
        name_held(g, thread, stuck, out);
        fprintf(out, stuck == WT_STUCK_BARRIER ? ", held" : " for what only others can do, held");
        if (g->event.text[0])
            fprintf(out, " (%s)", g->event.text);
    }
    fputs("; 'set scheduler-locking wave' lets others run as far as it needs", out);
    fclose(out);
    const enum wt_status status = wt_fail(err, WT_STATE, "%s", text ? text : "it waits");
    free(text);
    return status;
}

static void tell_all_run(struct wt_program *g, wt_thread thread, enum wt_stuck stuck)
{
    char text[sizeof g->event.text + 160];
    struct wt_wave own = {.id = WT_NO_WAVE};
    wt_debugger_thread_wave(g->debugger, thread, &own);
    if (stuck == WT_STUCK_SPINS && own.id == g->told_spinning) /* a command may be many runs */
        return;
    g->told_spinning = stuck == WT_STUCK_SPINS ? own.id : WT_NO_WAVE;
    if (stuck == WT_STUCK_SPINS)
        snprintf(text, sizeof text, "has returned to the same state %u times", WT_SPINS);
    else
        snprintf(text, sizeof text, "waits for others%s%s%s", g->event.text[0] ? " (" : "",
                 g->event.text, g->event.text[0] ? ")" : "");
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_ALL_RUN, .text = text});
}

/* ---- breakpoints that are left out ---- */

/* Whether two addresses belong to the same line, in the same inlined calls. */
static bool is_same_line(struct wt_program *g, uint64_t a, uint64_t b)
{
    const struct wt_module *m = wt_modules_at(g->modules, 0, a);
    Dwarf_Die scope[WT_SCOPES];
    struct wt_inlined list[2][WT_SCOPES + 1];
    if (a == b || !m || m != wt_modules_at(g->modules, 0, b))
        return a == b;
    const unsigned count = wt_inlined_at(m->symbols, a - m->bias, scope, list[0]);
    bool same = wt_inlined_at(m->symbols, b - m->bias, scope, list[1]) == count;
    for (unsigned i = 0; i < count && same; i++)
        same = list[0][i].line && list[0][i].line == list[1][i].line && list[0][i].path &&
               list[1][i].path && strcmp(list[0][i].path, list[1][i].path) == 0;
    return same;
}

void pg_list_left_out(struct wt_program *g, wt_thread thread, uint64_t own)
{
    struct wt_wave wave = {.id = WT_NO_WAVE};
    g->left_out_count = 0;
    if (g->locking != WT_LOCKING_WAVE)
        return;
    wt_debugger_thread_wave(g->debugger, thread, &wave);
    for (size_t i = 0; i < g->point_count; i++) {
        const struct wt_point *p = g->point[i];
        const bool is_last = p->number == g->hit_number && wave.id == g->hit_wave;
        if (p->kind != WT_POINT_BREAK || !p->enabled || p->format || p->temporary || p->ignore)
            continue;
        for (size_t k = 0; k < p->addr_count; k++)
            if ((is_last || is_same_line(g, own, p->addr[k])) &&
                pg_add_address(&g->left_out, &g->left_out_count, &g->left_out_capacity, p->addr[k]))
                g->passed_number = p->number;
    }
    /* Another breakpoint at the place stops. */
    for (size_t i = 0; i < g->point_count; i++) {
        const struct wt_point *p = g->point[i];
        for (size_t k = 0; k < p->addr_count && p->enabled && p->number != g->passed_number; k++)
            for (size_t n = g->left_out_count; n-- > 0;)
                if (g->left_out[n] == p->addr[k])
                    g->left_out[n] = g->left_out[--g->left_out_count];
    }
}

void pg_tell_passed(struct wt_program *g)
{
    struct wt_point *point = g->passed ? wt_program_point(g, g->passed_number) : NULL;
    if (point) {
        point->hits += (unsigned)g->passed;
        pg_tell(g, &(struct wt_news){
                       .kind = WT_NEWS_PASSED, .point = point, .code = (int64_t)g->passed});
    }
    g->passed = 0;
}

/* ---- following ---- */

static enum wt_status follow(struct wt_program *g, struct wt_follow *f,
                             const struct wt_resume *wanted, struct wt_error *err)
{
    struct wt_resume what = *wanted;
    enum wt_status status = WT_OK;
    unsigned ms = FIRST_MS;
    while (!status) {
        size_t count;
        what.patience = f->company == WT_COMPANY_ALL && !f->widened ? 0 : ms;
        what.goes_on |= ms != FIRST_MS;
        struct wt_resume *list = list_for(g, f, &what, &count);
        status = list ? pg_resume_and_wait(g, list, count, false, err)
                      : wt_fail(err, WT_NO_MEMORY, "no host memory");
        free(list);
        enum wt_stuck stuck = status ? WT_STUCK_NOT : stuck_by(g);
        if (stuck == WT_STUCK_LONG)
            status = look_for_spins(g, f, wanted->thread, &stuck, err);
        if (status || stuck == WT_STUCK_NOT)
            return status;
        if (stuck == WT_STUCK_LONG) {
            ms = ms < MOST_MS ? 2 * ms : ms;
            continue;
        }
        wt_program_select(g, wanted->thread);
        if (f->held)
            return fail_held(g, wanted->thread, stuck, err);
        if (stuck == WT_STUCK_BARRIER && f->company == WT_COMPANY_NONE) {
            f->company = WT_COMPANY_GROUP;
        } else {
            f->company = WT_COMPANY_ALL;
            f->widened = true;
            tell_all_run(g, wanted->thread, stuck);
        }
    }
    return status;
}

enum wt_status pg_follow(struct wt_program *g, struct wt_follow *f, const struct wt_resume *wanted,
                         struct wt_error *err)
{
    struct wt_wave wave = {.id = WT_NO_WAVE};
    if (!f->held && !runs_alone(g))
        f->company = WT_COMPANY_ALL;
    wt_debugger_thread_wave(g->debugger, wanted->thread, &wave);
    wt_debugger_leave_out(g->debugger, wave.id, g->left_out, g->left_out_count);
    const enum wt_status status = follow(g, f, wanted, err);
    g->passed += wt_debugger_left_out(g->debugger);
    wt_debugger_leave_out(g->debugger, WT_NO_WAVE, NULL, 0);
    return status;
}

enum wt_status wt_program_continue(struct wt_program *g, bool backwards, struct wt_stepped *end,
                                   struct wt_error *err)
{
    bool again = true;
    *end = (struct wt_stepped){.show = false};
    enum wt_status status = WT_OK;
    while (again && !status) {
        if (g->faulted && g->fault_is_past && !backwards && !g->options.host) {
            pg_end_by_fault(g);
            return WT_OK;
        }
        struct wt_follow alone = {.held = true};
        g->left_out_count = 0;
        const struct wt_resume all = {.thread = backwards || g->alone ? g->thread : 0,
                                      .kind = WT_RESUME_CONTINUE};
        status = g->alone && !backwards && g->thread
                     ? pg_follow(g, &alone, &all, err)
                     : pg_resume_and_wait(g, &all, 1, backwards, err);
        if (!status)
            status = wt_program_report(g, &again, err);
        again |= g->opened_again;
    }
    if (!status)
        pg_show_stop(g, end);
    return status;
}
