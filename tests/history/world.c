/* The recorded device behind a log, and the model that is run from it. See world.h. */
#include "emulator/machine/machine.h"
#include "emulator/machine/trace.h"
#include "world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define STEP_REQUEST (1u << 3)

void world_fail(struct world *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "issue time %" PRIu64 " of %" PRIu64 "-%" PRIu64 ", reset %" PRIu64 ": ",
            w->session.machine->time, wt_timeline_start(w->session.timeline),
            wt_timeline_end(w->session.timeline), w->epoch);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

/* ---- the log ---- */

static void add(struct happenings *list, const struct happening *one)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 256;
        list->at = realloc(list->at, list->room * sizeof *list->at);
        if (!list->at)
            abort();
    }
    list->at[list->count++] = *one;
}

/* What happened after this point of the present run is no more. */
static void drop_future(struct world *w, uint64_t time)
{
    struct happenings *log = &w->log;
    while (log->count && log->at[log->count - 1].epoch == w->epoch &&
           log->at[log->count - 1].after > time)
        log->count--;
    struct model *models[] = {&w->here, &w->whole};
    for (size_t i = 0; i < 2; i++) {
        struct model *m = models[i];
        if (m->session.machine &&
            (m->next > log->count || (m->epoch == w->epoch && m->session.machine->time > time)))
            wt_emulated_close(&m->session);
    }
}

static void note(struct world *w, struct happening one)
{
    const struct wt_machine *m = w->session.machine;
    one.epoch = w->epoch;
    one.after = m->time;
    if (one.size > sizeof one.bytes)
        abort();
    if (m->resets != w->resets) {
        if (w->looking) {
            drop_future(w, w->look_time);
            for (size_t i = 0; i < w->pending.count; i++)
                add(&w->log, &w->pending.at[i]);
            w->pending.count = 0;
            w->looking = false;
        }
        one.after = one.time;
        add(&w->log, &one);
        w->resets = m->resets;
        w->epoch++;
    } else if (w->looking) {
        add(&w->pending, &one);
    } else {
        add(&w->log, &one);
    }
}

bool world_happened(const struct world *w, uint64_t time)
{
    for (size_t i = 0; i < w->log.count; i++)
        if (w->log.at[i].epoch == w->epoch && w->log.at[i].time == time)
            return true;
    return false;
}

bool world_faulted(const struct world *w, uint64_t time)
{
    for (size_t i = 0; i < w->log.count; i++)
        if (w->log.at[i].epoch == w->epoch && w->log.at[i].time == time && w->log.at[i].fault)
            return true;
    return false;
}

/* ---- the target, with a log ---- */

/* In the past what is done without looking first begins a new future. */
static uint64_t before(struct world *w)
{
    const uint64_t now = w->session.machine->time;
    if (!w->looking && !wt_timeline_at_end(w->session.timeline))
        drop_future(w, now);
    return now;
}

static enum wt_status transact(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                               struct wt_error *err)
{
    struct world *w = (struct world *)((char *)bus - offsetof(struct world, bus));
    bus->round_trips++;
    for (size_t i = 0; i < count; i++) {
        const uint64_t time = ops[i].write ? before(w) : 0;
        const enum wt_status status = wt_bus_transact(w->session.bus, &ops[i], 1, err);
        if (status)
            return status;
        if (ops[i].write)
            note(w, (struct happening){.kind = HAPPENED_DEBUG,
                                       .time = time,
                                       .addr = ops[i].addr,
                                       .value = ops[i].value});
    }
    return WT_OK;
}

static void close_bus(struct wt_bus *bus)
{
}

static const struct wt_bus_ops bus_ops = {
    .name = "logged", .transact = transact, .close = close_bus};

static struct wt_emulated *session_of(void *context)
{
    return &((struct world *)context)->session;
}

/* As the session's own, which does not tell what a run came back for. */
static enum wt_pump pump(void *context, uint64_t budget)
{
    struct world *w = context;
    struct wt_emulated *s = &w->session;
    const uint64_t time = before(w);
    const bool faulted = s->machine->fault.kind;
    const enum wt_run run = wt_emulated_run(s, budget);
    const bool new_fault = run == WT_RUN_FAULT && !s->fault_reported;
    s->fault_reported = run == WT_RUN_FAULT;
    if (run == WT_RUN_EVENT || (run == WT_RUN_FAULT && !faulted))
        note(w, (struct happening){.kind = HAPPENED_RUN,
                                   .time = s->machine->time,
                                   .until = time + budget,
                                   .fault = run == WT_RUN_FAULT});
    if (run == WT_RUN_ENDED) {
        wt_emulated_input(s, &(struct wt_input){.kind = WT_INPUT_FLUSH_CONSOLE});
        note(w, (struct happening){.kind = HAPPENED_FLUSH, .time = s->machine->time});
    }
    if (run == WT_RUN_BUDGET)
        return WT_PUMP_RAN;
    return run == WT_RUN_EVENT || run == WT_RUN_WATCH || s->machine->time != time || new_fault
               ? WT_PUMP_EVENT
               : WT_PUMP_IDLE;
}

static bool read_memory(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                        void *out, size_t size)
{
    return session_of(context)->services.read_memory(session_of(context), wave, lane, addr, out,
                                                     size);
}

static bool write_memory(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                         const void *bytes, size_t size)
{
    struct world *w = context;
    struct happening one = {.kind = HAPPENED_MEMORY,
                            .time = before(w),
                            .wave = wave,
                            .addr = addr.offset,
                            .size = size};
    memcpy(one.bytes, bytes, size < sizeof one.bytes ? size : sizeof one.bytes);
    const bool done = w->session.services.write_memory(&w->session, wave, lane, addr, bytes, size);
    note(w, one);
    return done;
}

static bool wave_detail(void *context, uint32_t wave, wt_wave_id id, struct wt_wave_detail *detail)
{
    return session_of(context)->services.wave_detail(session_of(context), wave, id, detail);
}

static const struct wt_fault *fault(void *context)
{
    return session_of(context)->services.fault(session_of(context));
}

static void clear_fault(void *context)
{
    struct world *w = context;
    const bool faulted = w->session.machine->fault.kind;
    const uint64_t time = faulted ? before(w) : 0;
    w->session.services.clear_fault(&w->session);
    if (faulted)
        note(w, (struct happening){.kind = HAPPENED_CLEAR, .time = time});
}

static enum wt_status reload(void *context, struct wt_error *err)
{
    struct world *w = context;
    const uint64_t time = before(w);
    const enum wt_status status = w->session.services.reload(&w->session, err);
    note(w, (struct happening){.kind = HAPPENED_RELOAD, .time = time});
    return status;
}

static wt_wave_id wave_id(void *context, wt_wave_handle wave)
{
    struct world *w = context;
    return w->session.services.wave_id(w->session.target.context, wave);
}

static uint64_t issue_time(void *context)
{
    return session_of(context)->machine->time;
}

static enum wt_status watch(void *context, const struct wt_watchpoint *list, size_t count,
                            struct wt_error *err)
{
    return session_of(context)->services.set_watchpoints(session_of(context), list, count, err);
}

static bool read_row(void *context, uint32_t wave, unsigned number, bool per_lane, unsigned size,
                     void *row)
{
    return session_of(context)->services.read_row(session_of(context), wave, number, per_lane, size,
                                                  row);
}

static size_t watchpoint_hits(void *context, const struct wt_watchpoint_hit **list)
{
    return session_of(context)->services.watchpoint_hits(session_of(context), list);
}

/* ---- its history ---- */

static void end_looking(struct world *w)
{
    w->looking = false;
    w->pending.count = 0;
}

static void extent(void *context, uint64_t *start, uint64_t *end)
{
    wt_emulated_history.extent(session_of(context), start, end);
}

static bool in_past(void *context)
{
    return wt_emulated_history.in_past(session_of(context));
}

static enum wt_status go(void *context, uint64_t time, struct wt_error *err)
{
    end_looking(context);
    return wt_emulated_history.go(session_of(context), time, err);
}

static enum wt_status branch(void *context, struct wt_error *err)
{
    struct world *w = context;
    if (w->looking) {
        drop_future(w, w->look_time);
        for (size_t i = 0; i < w->pending.count; i++)
            add(&w->log, &w->pending.at[i]);
    }
    end_looking(w);
    return wt_emulated_history.branch(&w->session, err);
}

static enum wt_status search(void *context, const struct wt_history_query *query,
                             struct wt_error *err)
{
    end_looking(context);
    return wt_emulated_history.search(session_of(context), query, err);
}

static enum wt_history_step search_on(void *context, uint64_t budget,
                                      struct wt_history_match *place, struct wt_error *err)
{
    end_looking(context);
    return wt_emulated_history.search_on(session_of(context), budget, place, err);
}

static void accept(void *context, bool pass)
{
    wt_emulated_history.accept(session_of(context), pass);
}

static enum wt_status inspect(void *context, struct wt_error *err)
{
    struct world *w = context;
    if (!w->looking && !wt_timeline_at_end(w->session.timeline)) {
        w->looking = true;
        w->look_time = w->session.machine->time;
    }
    return wt_emulated_history.inspect(&w->session, err);
}

static enum wt_status hash(void *context, const struct wt_patch *patch, size_t patches,
                           uint64_t *value, struct wt_error *err)
{
    end_looking(context);
    return wt_emulated_history.hash(session_of(context), patch, patches, value, err);
}

static void stats(void *context, struct wt_history_stats *out)
{
    wt_emulated_history.stats(session_of(context), out);
}

static const struct wt_history_services history = {
    .extent = extent,
    .in_past = in_past,
    .go = go,
    .branch = branch,
    .search = search,
    .search_on = search_on,
    .accept = accept,
    .inspect = inspect,
    .hash = hash,
    .stats = stats,
};

static const struct wt_target_services services = {
    .pump = pump,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .read_row = read_row,
    .wave_detail = wave_detail,
    .fault = fault,
    .clear_fault = clear_fault,
    .reload = reload,
    .wave_id = wave_id,
    .time = issue_time,
    .set_watchpoints = watch,
    .watchpoint_hits = watchpoint_hits,
    .history = &history,
};

/* ---- the model ---- */

static void open_session(struct world *w, struct wt_emulated *s, bool recorded)
{
    struct wt_error err = {0};
    if (wt_emulated_open(s, &w->how.options, w->how.program, &err) || wt_emulated_attach(s, &err) ||
        (recorded && wt_emulated_history_start(s, &err))) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    s->console = NULL;
}

/* Looks at the window; bits for the words that have changed. */
static uint32_t look_at_window(const struct world *w, struct model *m)
{
    uint8_t window[WORLD_WINDOW];
    uint32_t changed = 0;
    const struct wt_machine_ops *ops = m->session.machine->ops;
    ops->read_memory(m->session.machine, 0, 0, w->how.window, window, sizeof window);
    for (unsigned i = 0; i < WORLD_WINDOW / 4; i++)
        changed |= (uint32_t)(memcmp(window + 4 * i, m->window + 4 * i, 4) != 0) << i;
    memcpy(m->window, window, sizeof window);
    return changed;
}

static void add_issue(struct model *m, uint64_t time, uint32_t wave, wt_lanes mask, uint64_t pc)
{
    if (time >= m->room) {
        m->room = 2 * time + 1024;
        m->issue = realloc(m->issue, m->room * sizeof *m->issue);
        if (!m->issue)
            abort();
    }
    struct wt_machine *machine = m->session.machine;
    m->issue[time] = (struct issue){.wave = wave,
                                    .mask = mask,
                                    .pc = pc,
                                    .incarnation = wt_machine_wave(machine, wave)->incarnation};
}

static void issued(void *context, const struct wt_trace *t)
{
    add_issue(context, t->time, t->wave, t->mask, t->pc);
}

/* Issue by issue. */
static void run_to(struct world *w, struct model *m, uint64_t time)
{
    struct wt_machine *machine = m->session.machine;
    while (machine->time < time) {
        const uint64_t was = machine->time;
        m->last = machine->ops->run_traced(machine, 1, issued, m);
        if (machine->time == was && m->last != WT_RUN_EVENT)
            world_fail(w, "the model comes to an end (%d) at %" PRIu64 ", before %" PRIu64,
                       (int)m->last, was, time);
        if (machine->time != was)
            m->issue[was].changed = look_at_window(w, m);
    }
}

static void apply(struct world *w, struct model *m, const struct happening *h)
{
    struct wt_emulated *s = &m->session;
    struct wt_machine *machine = s->machine;
    const uint64_t was = machine->time, resets = machine->resets;
    struct wt_wave_view view;
    uint32_t wave = 0;
    bool steps;
    switch (h->kind) {
    case HAPPENED_MEMORY:
        machine->ops->write_memory(machine, h->wave, 0, h->addr, h->bytes, h->size);
        break;
    case HAPPENED_DEBUG:
        steps = h->addr == VX_DM_DCTRL && h->value & STEP_REQUEST;
        if (steps) {
            wave = vx_dm_read(wt_vortex_device(s), VX_DM_DSELECT) >> 7 & 0x7fff;
            if (wave < machine->waves)
                machine->ops->view(machine, wave, &view);
        }
        vx_dm_write(wt_vortex_device(s), (uint32_t)h->addr, h->value);
        if (machine->time == was + 1 && steps)
            add_issue(m, was, wave, view.mask, view.pc);
        break;
    case HAPPENED_CLEAR:
        wt_machine_clear_fault(machine);
        break;
    case HAPPENED_FLUSH:
        vx_device_flush_console(wt_vortex_device(s));
        break;
    case HAPPENED_RELOAD:
        s->services.reload(s, WT_IGNORED);
        break;
    case HAPPENED_RUN:
        if (m->last != WT_RUN_EVENT && m->last != WT_RUN_FAULT)
            machine->ops->run(machine, h->until - machine->time);
        break;
    }
    m->last = WT_RUN_BUDGET;
    const uint32_t changed = look_at_window(w, m);
    if (machine->time == was + 1)
        m->issue[was].changed = changed;
    if (machine->resets != resets)
        m->epoch++;
    else if (machine->time != h->after)
        world_fail(w, "what happened from %" PRIu64 " to %" PRIu64 " takes the model to %" PRIu64,
                   h->time, h->after, machine->time);
}

static void bring(struct world *w, struct model *m, uint64_t time)
{
    const struct wt_machine *machine = m->session.machine;
    if (!machine || m->epoch > w->epoch || (m->epoch == w->epoch && machine->time > time)) {
        if (machine)
            wt_emulated_close(&m->session);
        open_session(w, &m->session, false);
        m->next = m->epoch = 0;
        look_at_window(w, m);
    }
    while (m->next < w->log.count) {
        const struct happening *h = &w->log.at[m->next];
        if (h->epoch == w->epoch && h->after > time)
            break;
        run_to(w, m, h->time);
        apply(w, m, h);
        m->next++;
    }
    run_to(w, m, time);
}

struct wt_machine *world_model(struct world *w, uint64_t time)
{
    bring(w, &w->here, time);
    return w->here.session.machine;
}

const struct issue *world_issues(struct world *w, uint64_t *end)
{
    *end = wt_timeline_end(w->session.timeline);
    bring(w, &w->whole, *end);
    return w->whole.issue;
}

/* ---- beginning and end ---- */

struct world *world_open(const struct world_options *how)
{
    struct wt_error err = {0};
    struct world *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    w->how = *how;
    w->how.options.gpu = (struct wt_gpu){.family = &wt_family_vortex, .config = &w->how.config};
    open_session(w, &w->pristine, false);
    open_session(w, &w->session, true);
    if (how->interval)
        wt_timeline_set_interval(w->session.timeline, how->interval);
    w->resets = w->session.machine->resets;
    w->bus.ops = &bus_ops;
    w->services = services;
    w->target = w->session.target;
    w->link = *(const struct wt_vortex_link *)w->session.target.link;
    w->link.bus = &w->bus;
    w->target.link = &w->link;
    w->target.services = &w->services;
    w->target.context = w;
    const struct wt_debugger_options options = {.dm_only = how->options.dm_only,
                                                .threads = how->options.threads};
    if (wt_debugger_open(&w->target, &wt_probe_vortex, &options, &w->debugger, &err) ||
        wt_debugger_reset(w->debugger, &err))
        world_fail(w, "no debugger: %s", err.text);
    return w;
}

void world_close(struct world *w)
{
    wt_debugger_close(w->debugger);
    wt_emulated_close(&w->session);
    wt_emulated_close(&w->pristine);
    struct model *models[] = {&w->here, &w->whole};
    for (size_t i = 0; i < 2; i++) {
        if (models[i]->session.machine)
            wt_emulated_close(&models[i]->session);
        free(models[i]->issue);
    }
    free(w->log.at);
    free(w->pending.at);
    free(w);
}
