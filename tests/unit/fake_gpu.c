/* A probe of a GPU that there is not. */
#include "fake_gpu.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

struct wt_probe {
    struct fake_gpu *gpu;
    struct wt_topology topology;
    struct wt_register registers[GPU_REGISTERS];
    char names[GPU_REGISTERS][8];
    struct wt_space spaces[3];
};

unsigned fake_gpu_lanes(unsigned wave)
{
    return wave < 2 ? 8 : 32;
}

static unsigned group_of(unsigned wave)
{
    return wave % GPU_GROUPS;
}

void fake_gpu_put(struct fake_gpu *gpu, unsigned n, enum gpu_op op, uint8_t a, uint8_t b)
{
    uint8_t *at = gpu->memory + n * GPU_INSTRUCTION;
    assert((n + 1) * GPU_INSTRUCTION <= GPU_CODE);
    at[0] = (uint8_t)op;
    at[1] = a;
    at[2] = b;
    at[GPU_BREAK_BYTE] = 0x81; /* bits that belong to nobody, and must stay */
}

/* ---- running ---- */

static void end_wave(struct fake_gpu *gpu, struct gpu_wave *w);

/* To private memory; whoever watches it is told. */
static void store(struct fake_gpu *gpu, unsigned wave, unsigned lane, unsigned at, uint32_t value)
{
    uint8_t *to = &gpu->wave[wave].private[lane][at];
    const uint32_t before = (uint32_t)wt_load_le(to, 4);
    const struct wt_address addr = {GPU_SPACE_PRIVATE, at};
    wt_store_le(to, value, 4);
    for (size_t i = 0; i < gpu->watches && gpu->hits < 64; i++) {
        const struct wt_watchpoint *w = &gpu->watch[i];
        if (w->wave != wave || w->lane != lane || !wt_ranges_meet(w->addr, w->size, addr, 4))
            continue;
        struct wt_watchpoint_hit *hit = &gpu->hit[gpu->hits++];
        *hit = (struct wt_watchpoint_hit){.write = true,
                                          .time = gpu->counter,
                                          .wave = wave,
                                          .id = gpu->wave[wave].id,
                                          .lane = lane,
                                          .pc = gpu->wave[wave].pc,
                                          .addr = addr,
                                          .size = 4};
        wt_store_le(hit->before, before, 4);
        wt_store_le(hit->after, value, 4);
        return;
    }
}

static void record_issue(struct fake_gpu *gpu, unsigned wave);

static void issue(struct fake_gpu *gpu, unsigned n)
{
    record_issue(gpu, n);
    struct gpu_wave *w = &gpu->wave[n];
    const uint8_t *in = gpu->memory + w->pc;
    uint32_t next = w->pc + GPU_INSTRUCTION;
    for (unsigned lane = 0; lane < fake_gpu_lanes(n); lane++) {
        if (!(w->exec >> lane & 1))
            continue;
        if (in[0] == GPU_ADD)
            w->r[in[1]][lane] += in[2];
        else if (in[0] == GPU_STORE)
            store(gpu, n, lane, in[1], w->r[in[2]][lane]);
    }
    if (in[0] == GPU_LOOP && --w->s[0])
        next = in[1] * GPU_INSTRUCTION;
    else if (in[0] == GPU_CALL)
        next = in[1] * GPU_INSTRUCTION;
    w->pc = next;
    gpu->counter++;
    if (in[0] == GPU_END)
        end_wave(gpu, w);
}

static bool breaks(const struct fake_gpu *gpu, const struct gpu_wave *w)
{
    return gpu->memory[w->pc + GPU_BREAK_BYTE] & GPU_BREAK_BIT;
}

static void tell(struct fake_gpu *gpu, struct wt_probe_event event)
{
    assert(gpu->told < sizeof gpu->event / sizeof *gpu->event);
    gpu->event[gpu->told++] = event;
}

static void end_wave(struct fake_gpu *gpu, struct gpu_wave *w)
{
    w->active = false;
    if (!gpu->relaunch)
        return;
    gpu->relaunch = false;
    fake_gpu_launch(gpu, (unsigned)(w - gpu->wave), 10);
}

void fake_gpu_launch(struct fake_gpu *gpu, unsigned slot, unsigned pc)
{
    assert(slot < GPU_MOST_WAVES);
    struct gpu_wave *w = &gpu->wave[slot];
    assert(!w->active);
    if (slot >= gpu->slots)
        gpu->slots = slot + 1;
    *w = (struct gpu_wave){.active = true,
                           .halted = gpu->hold,
                           .id = 2000 + gpu->launches++,
                           .dispatch = gpu->launches,
                           .pc = pc * GPU_INSTRUCTION,
                           .exec = (uint64_t)wt_lanes_first(fake_gpu_lanes(slot))};
}

void fake_gpu_end(struct fake_gpu *gpu, uint32_t status)
{
    tell(gpu, (struct wt_probe_event){.kind = WT_PROBE_ENDED, .status = status});
}

static void stop(struct gpu_wave *w, enum wt_halt_cause cause)
{
    w->stops_in = 0;
    w->halted = true;
    w->cause = cause;
}

/* The instruction of a step. */
static void step_now(struct fake_gpu *gpu, unsigned n)
{
    struct gpu_wave *w = &gpu->wave[n];
    if (breaks(gpu, w)) {
        stop(w, WT_HALT_BREAKPOINT);
        return;
    }
    issue(gpu, n);
    stop(w, WT_HALT_STEP);
}

/* One instruction of each wave that runs; true if something ran, *event if one halted or ended. */
static bool run_round(struct fake_gpu *gpu, bool *event)
{
    bool any = false;
    for (unsigned i = 0; i < gpu->slots; i++) {
        struct gpu_wave *w = &gpu->wave[i];
        if (w->steps_in) {
            any = true;
            if (--w->steps_in == 0)
                step_now(gpu, i);
            *event |= !w->steps_in;
            continue;
        }
        if (!w->active || w->halted)
            continue;
        any = true;
        if (w->stops_in && --w->stops_in == 0)
            stop(w, WT_HALT_REQUEST);
        else if (breaks(gpu, w))
            stop(w, WT_HALT_BREAKPOINT);
        else
            issue(gpu, i);
        *event |= w->halted || !w->active || gpu->hits;
    }
    return any;
}

static enum wt_pump pump(void *context, uint64_t budget)
{
    bool event = false, any = true;
    for (uint64_t i = 0; i < budget && any && !event; i++)
        any = run_round(context, &event);
    return event ? WT_PUMP_EVENT : any ? WT_PUMP_RAN : WT_PUMP_IDLE;
}

struct fake_gpu *fake_gpu_new(void)
{
    struct fake_gpu *gpu = calloc(1, sizeof *gpu);
    gpu->slots = GPU_WAVES;
    for (unsigned n = 0; n < GPU_CODE / GPU_INSTRUCTION; n++)
        fake_gpu_put(gpu, n, GPU_NOP, 0, 0);
    for (unsigned i = 0; i < GPU_WAVES; i++) {
        gpu->wave[i].active = gpu->wave[i].halted = true;
        gpu->wave[i].id = 1000 + i;
        gpu->wave[i].exec = (uint64_t)wt_lanes_first(fake_gpu_lanes(i));
    }
    gpu->services = (struct wt_target_services){.pump = pump};
    gpu->target = (struct wt_target){.services = &gpu->services, .context = gpu};
    return gpu;
}

/* ---- a recorded run: the state before each issue ---- */

#define WAVES_STATE (GPU_WAVES * sizeof(struct gpu_wave))
#define REST_STATE (offsetof(struct fake_gpu, latency) - offsetof(struct fake_gpu, memory))
#define MOST_ISSUES 512

struct fake_history {
    uint8_t *state[MOST_ISSUES]; /* before each issue */
    struct gpu_issue issue[MOST_ISSUES];
    uint64_t end;
    uint8_t *present; /* while the device is in the past */
    /* The search. */
    bool backwards, accepted, pass, told_code;
    uint64_t at;
    struct wt_watchpoint code[16], watch[8];
    size_t codes, watches;
    wt_wave_handle wave;
};

static uint8_t *copy_state(const struct fake_gpu *gpu)
{
    uint8_t *copy = malloc(WAVES_STATE + REST_STATE);
    assert(gpu->slots == GPU_WAVES); /* a device that is recorded has the slots of its beginning */
    memcpy(copy, gpu->wave, WAVES_STATE);
    memcpy(copy + WAVES_STATE, gpu->memory, REST_STATE);
    return copy;
}

static void restore_state(struct fake_gpu *gpu, const uint8_t *copy)
{
    memcpy(gpu->wave, copy, WAVES_STATE);
    memcpy(gpu->memory, copy + WAVES_STATE, REST_STATE);
}

static void record_issue(struct fake_gpu *gpu, unsigned wave)
{
    struct fake_history *h = gpu->history;
    if (!h || gpu->counter != h->end)
        return; /* it is replayed */
    assert(h->end < MOST_ISSUES);
    h->state[h->end] = copy_state(gpu);
    h->issue[h->end++] =
        (struct gpu_issue){wave, gpu->wave[wave].id, gpu->wave[wave].pc, gpu->wave[wave].exec};
}

static void history_extent(void *context, uint64_t *start, uint64_t *end)
{
    *start = 0;
    *end = ((struct fake_gpu *)context)->history->end;
}

static bool history_in_past(void *context)
{
    const struct fake_gpu *gpu = context;
    return gpu->counter < gpu->history->end;
}

static enum wt_status history_go(void *context, uint64_t time, struct wt_error *err)
{
    struct fake_gpu *gpu = context;
    struct fake_history *h = gpu->history;
    if (gpu->counter == h->end && !h->present)
        h->present = copy_state(gpu);
    restore_state(gpu, time == h->end ? h->present : h->state[time]);
    if (time == h->end) {
        free(h->present);
        h->present = NULL;
    }
    gpu->hits = 0;
    return WT_OK;
}

static enum wt_status history_search(void *context, const struct wt_history_query *query,
                                     struct wt_error *err)
{
    struct fake_gpu *gpu = context;
    struct fake_history *h = gpu->history;
    assert(query->code_count <= 16 && query->watchpoints <= 8);
    h->backwards = query->backwards;
    h->accepted = h->pass = h->told_code = false;
    h->at = gpu->counter;
    h->codes = query->code_count;
    h->watches = query->watchpoints;
    h->wave = query->wave;
    if (h->codes)
        memcpy(h->code, query->code, h->codes * sizeof *h->code);
    if (h->watches)
        memcpy(h->watch, query->watchpoint, h->watches * sizeof *h->watch);
    return WT_OK;
}

/* Whether an issue is a place of code that is searched for. */
static bool is_code_place(const struct fake_history *h, uint64_t time,
                          struct wt_history_match *place)
{
    const struct gpu_issue *i = &h->issue[time];
    bool code = false;
    for (size_t k = 0; k < h->codes; k++)
        code |= h->code[k].addr.offset == i->pc;
    *place = (struct wt_history_match){.kind = code ? WT_HISTORY_PC : WT_HISTORY_ISSUE,
                                       .issue = i->wave == h->wave,
                                       .time = time,
                                       .wave = i->wave,
                                       .id = i->id,
                                       .mask = i->exec,
                                       .pc = i->pc};
    return code || i->wave == h->wave;
}

/* Issues it again: does it get at memory that is searched for? The hits stay. */
static bool is_watch_place(struct fake_gpu *gpu, uint64_t time, struct wt_history_match *place)
{
    struct fake_history *h = gpu->history;
    struct wt_watchpoint watch[8];
    const size_t watches = gpu->watches;
    memcpy(watch, gpu->watch, sizeof watch);
    memcpy(gpu->watch, h->watch, sizeof watch);
    gpu->watches = h->watches;
    gpu->hits = 0;
    issue(gpu, h->issue[time].wave);
    memcpy(gpu->watch, watch, sizeof watch);
    gpu->watches = watches;
    *place = (struct wt_history_match){.kind = WT_HISTORY_WATCH,
                                       .time = time,
                                       .wave = h->issue[time].wave,
                                       .id = h->issue[time].id};
    return gpu->hits != 0;
}

static enum wt_history_step history_search_on(void *context, uint64_t budget,
                                              struct wt_history_match *place, struct wt_error *err)
{
    struct fake_gpu *gpu = context;
    struct fake_history *h = gpu->history;
    if (h->accepted) {
        history_go(gpu, h->at + h->pass, err);
        return WT_HISTORY_FOUND;
    }
    /* Backwards an instruction's access comes before its own place; forwards it is the other way
     * round. Each state is looked at twice: for the one, and then for the other. */
    for (;;) {
        if (!h->told_code) {
            if (h->backwards ? h->at == 0 : h->at >= h->end)
                break;
            h->at -= h->backwards;
        }
        const bool code_now = h->backwards == h->told_code;
        h->told_code = !h->told_code;
        const uint64_t at = h->at;
        if (!h->told_code && !h->backwards)
            h->at++;
        history_go(gpu, at, err);
        if (code_now ? is_code_place(h, at, place) : is_watch_place(gpu, at, place))
            return WT_HISTORY_MATCH;
    }
    history_go(gpu, h->backwards ? 0 : h->end, err);
    return WT_HISTORY_EDGE;
}

static void history_accept(void *context, bool pass)
{
    struct fake_history *h = ((struct fake_gpu *)context)->history;
    h->accepted = h->backwards || pass;
    h->pass = pass;
}

static enum wt_status history_branch(void *context, struct wt_error *err)
{
    struct fake_gpu *gpu = context;
    struct fake_history *h = gpu->history;
    while (h->end > gpu->counter)
        free(h->state[--h->end]);
    free(h->present);
    h->present = NULL;
    return WT_OK;
}

static enum wt_status history_inspect(void *context, struct wt_error *err)
{
    return WT_OK;
}

static void history_stats(void *context, struct wt_history_stats *stats)
{
    *stats = (struct wt_history_stats){.saved = ((struct fake_gpu *)context)->history->end};
}

static const struct wt_history_services history_services = {
    .extent = history_extent,
    .in_past = history_in_past,
    .go = history_go,
    .branch = history_branch,
    .search = history_search,
    .search_on = history_search_on,
    .accept = history_accept,
    .inspect = history_inspect,
    .stats = history_stats,
};

static uint64_t issue_time(void *context)
{
    return ((struct fake_gpu *)context)->counter;
}

static enum wt_status watch(void *context, const struct wt_watchpoint *list, size_t count,
                            struct wt_error *err)
{
    struct fake_gpu *gpu = context;
    assert(count <= 8);
    if (count)
        memcpy(gpu->watch, list, count * sizeof *list);
    gpu->watches = count;
    return WT_OK;
}

static size_t watchpoint_hits(void *context, const struct wt_watchpoint_hit **list)
{
    struct fake_gpu *gpu = context;
    const size_t count = gpu->hits;
    *list = gpu->hit;
    gpu->hits = 0;
    return count;
}

void fake_gpu_record(struct fake_gpu *gpu)
{
    gpu->counter = 0;
    gpu->history = calloc(1, sizeof *gpu->history);
    gpu->services.history = &history_services;
    gpu->services.time = issue_time;
    gpu->services.set_watchpoints = watch;
    gpu->services.watchpoint_hits = watchpoint_hits;
}

void fake_gpu_free(struct fake_gpu *gpu)
{
    for (uint64_t i = 0; gpu->history && i < gpu->history->end; i++)
        free(gpu->history->state[i]);
    if (gpu->history)
        free(gpu->history->present);
    free(gpu->history);
    free(gpu);
}

/* ---- the probe ---- */

static void describe(struct wt_probe *p)
{
    for (unsigned i = 0; i < GPU_REGISTERS; i++) {
        struct wt_register *r = &p->registers[i];
        *r = (struct wt_register){
            .name = p->names[i], .set = "cpu", .bits = 32, .number = i, .dwarf = (int)i, .code = i};
        const bool wide = i >= GPU_WIDE && i < GPU_SCALAR, lane = i < GPU_WIDE;
        snprintf(p->names[i], sizeof p->names[i], "%c%u",
                 lane   ? 'r'
                 : wide ? 'w'
                        : 's',
                 lane   ? i
                 : wide ? i - GPU_WIDE
                        : i - GPU_SCALAR);
        if (!lane) {
            r->scope = WT_SCOPE_WAVE;
            r->bits = wide ? 2048 : 64;
        }
    }
    p->registers[1].role = WT_ROLE_SP;
    p->registers[GPU_PC].role = WT_ROLE_PC;
    p->registers[GPU_PC].bits = 32;
    p->registers[GPU_EXEC].role = WT_ROLE_EXEC_MASK;
    p->registers[GPU_GROUP_REGISTER].scope = WT_SCOPE_GROUP;
    p->registers[GPU_GROUP_REGISTER].bits = 48;
    p->registers[GPU_CORE_REGISTER].scope = WT_SCOPE_CORE;
    p->registers[GPU_COUNTER].scope = WT_SCOPE_DEVICE;
    p->registers[GPU_COUNTER].unsteady = true;
    p->registers[GPU_COUNTER].read_only = true;
}

static enum wt_status gpu_open(const struct wt_probe_ops *ops, const struct wt_target *target,
                               bool use_memory_port, struct wt_probe **probe, struct wt_error *err)
{
    struct wt_probe *p = calloc(1, sizeof *p);
    p->gpu = target->context;
    describe(p);
    p->spaces[GPU_SPACE_MEMORY] = (struct wt_space){
        .name = "memory", .dwarf = 0, .scope = WT_SCOPE_DEVICE, .address_bits = 64};
    p->spaces[GPU_SPACE_LOCAL] =
        (struct wt_space){.name = "local", .dwarf = 3, .scope = WT_SCOPE_GROUP, .address_bits = 16};
    p->spaces[GPU_SPACE_PRIVATE] = (struct wt_space){
        .name = "private", .dwarf = 5, .scope = WT_SCOPE_LANE, .address_bits = 32};
    p->topology = (struct wt_topology){.family = "fake",
                                       .arch = "fake",
                                       .triple = "fake-unknown-unknown-elf",
                                       .clusters = 1,
                                       .cores = GPU_MOST_WAVES / 2,
                                       .waves_per_core = 2,
                                       .waves = p->gpu->slots,
                                       .most_waves = GPU_MOST_WAVES,
                                       .late_stops = true,
                                       .host_launches = true,
                                       .lanes = GPU_LANES,
                                       .spaces = p->spaces,
                                       .space_count = 3,
                                       .address_bits = 64,
                                       .wave_word = "thread",
                                       .lane_word = "channel",
                                       .code_granule = GPU_INSTRUCTION,
                                       .registers = p->registers,
                                       .register_count = GPU_REGISTERS,
                                       .pc_index = GPU_PC};
    *probe = p;
    return WT_OK;
}

static void gpu_close(struct wt_probe *p)
{
    free(p);
}

static const struct wt_topology *gpu_topology(struct wt_probe *p)
{
    return &p->topology;
}

static enum wt_status gpu_scan(struct wt_probe *p, struct wt_wave_set *active,
                               struct wt_wave_set *halted, struct wt_error *err)
{
    const size_t bytes = (GPU_MOST_WAVES + 31) / 32 * sizeof active->word[0];
    memset(active->word, 0, bytes);
    memset(halted->word, 0, bytes);
    p->topology.waves = p->gpu->slots;
    for (unsigned i = 0; i < p->gpu->slots; i++) {
        if (p->gpu->wave[i].active)
            wt_wave_set_add(active, i);
        if (p->gpu->wave[i].halted)
            wt_wave_set_add(halted, i);
    }
    return WT_OK;
}

static enum wt_status gpu_summary(struct wt_probe *p, struct wt_probe_summary *summary,
                                  struct wt_error *err)
{
    *summary = (struct wt_probe_summary){.all_unavailable = true};
    for (unsigned i = 0; i < p->gpu->slots; i++) {
        const struct gpu_wave *w = &p->gpu->wave[i];
        summary->any_halted |= w->active && w->halted;
        summary->any_running |= w->active && !w->halted;
        summary->all_unavailable &= !w->active;
    }
    return WT_OK;
}

static wt_wave_id gpu_wave_id(struct wt_probe *p, wt_wave_handle handle)
{
    return p->gpu->wave[handle].id;
}

static void gpu_describe_wave(struct wt_probe *p, wt_wave_handle handle, struct wt_wave *wave)
{
    *wave = (struct wt_wave){.id = p->gpu->wave[handle].id,
                             .lanes = fake_gpu_lanes(handle),
                             .core = handle / 2,
                             .slot = handle % 2,
                             .has_work = true,
                             .dispatch = p->gpu->wave[handle].dispatch,
                             .group = {group_of(handle)},
                             .index = handle / GPU_GROUPS};
}

static enum wt_status gpu_next_event(struct wt_probe *p, struct wt_probe_event *event,
                                     struct wt_error *err)
{
    struct fake_gpu *gpu = p->gpu;
    event->kind = WT_PROBE_NOTHING;
    if (gpu->taken < gpu->told)
        *event = gpu->event[gpu->taken++];
    return WT_OK;
}

static void gpu_hold_launches(struct wt_probe *p, bool hold)
{
    p->gpu->hold = hold;
}

static enum wt_status gpu_halt(struct wt_probe *p, const struct wt_wave_set *waves,
                               struct wt_error *err)
{
    for (unsigned i = 0; i < p->gpu->slots; i++) {
        struct gpu_wave *w = &p->gpu->wave[i];
        if (!wt_wave_set_has(waves, i))
            continue;
        w->steps_in = 0; /* a step that has not issued is taken back */
        if (w->halted)
            continue;
        if (p->gpu->latency && w->active)
            w->stops_in = p->gpu->latency;
        else
            stop(w, WT_HALT_REQUEST);
    }
    return WT_OK;
}

static enum wt_status gpu_resume(struct wt_probe *p, const struct wt_wave_set *waves,
                                 struct wt_error *err)
{
    for (unsigned i = 0; i < p->gpu->slots; i++) {
        struct gpu_wave *w = &p->gpu->wave[i];
        if (!wt_wave_set_has(waves, i) && (p->gpu->hold || w->active))
            continue;
        w->halted = false;
        w->stops_in = 0;
    }
    return WT_OK;
}

static enum wt_status gpu_step_poll(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                                    struct wt_error *err)
{
    const struct gpu_wave *w = &p->gpu->wave[wave];
    *step = (struct wt_probe_step){
        .done = !w->steps_in, .active = w->active, .cause = w->cause, .pc = w->pc};
    return WT_OK;
}

static enum wt_status gpu_step(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                               struct wt_error *err)
{
    struct gpu_wave *w = &p->gpu->wave[wave];
    assert(!w->steps_in);
    w->steps_in = p->gpu->latency;
    if (!w->steps_in)
        step_now(p->gpu, wave);
    return gpu_step_poll(p, wave, step, err);
}

static enum wt_status gpu_halt_cause(struct wt_probe *p, uint32_t wave, enum wt_halt_cause *cause,
                                     uint64_t *pc, struct wt_error *err)
{
    if (p->gpu->takes[wave] && p->gpu->wave[wave].cause == WT_HALT_BREAKPOINT) {
        p->gpu->wave[wave].active = p->gpu->takes[wave] = false;
        return wt_fail(err, WT_STATE, "thread %u is not active", (unsigned)wave);
    }
    *cause = p->gpu->wave[wave].cause;
    *pc = p->gpu->wave[wave].pc;
    return WT_OK;
}

static enum wt_status gpu_mask(struct wt_probe *p, uint32_t wave, wt_lanes *mask,
                               struct wt_error *err)
{
    *mask = p->gpu->wave[wave].exec;
    return WT_OK;
}

static enum wt_status gpu_reset_halted(struct wt_probe *p, struct wt_error *err)
{
    for (unsigned i = 0; i < p->gpu->slots; i++) {
        p->gpu->wave[i].pc = 0;
        p->gpu->wave[i].active = true;
        stop(&p->gpu->wave[i], WT_HALT_RESET);
    }
    return WT_OK;
}

/* ---- registers and memory ---- */

/* Where the value of a register of a lane is, and how many bytes it has. */
static uint8_t *value_at(struct fake_gpu *gpu, uint32_t wave, unsigned lane, unsigned index,
                         size_t *size)
{
    struct gpu_wave *w = &gpu->wave[wave];
    *size = 8;
    if (index < GPU_WIDE) {
        *size = 4;
        return (uint8_t *)&w->r[index][lane];
    }
    if (index < GPU_SCALAR) {
        *size = 256;
        return w->wide[index - GPU_WIDE];
    }
    switch (index) {
    case GPU_PC:
        *size = 4;
        return (uint8_t *)&w->pc;
    case GPU_EXEC:
        return (uint8_t *)&w->exec;
    case GPU_GROUP_REGISTER:
        *size = 6;
        return (uint8_t *)&gpu->group_register[group_of(wave)];
    case GPU_CORE_REGISTER:
        return (uint8_t *)&gpu->core_register;
    case GPU_COUNTER:
        return (uint8_t *)&gpu->counter;
    default:
        return (uint8_t *)&w->s[index - GPU_SCALAR];
    }
}

static void move_row(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned index,
                     uint8_t *row, bool write)
{
    assert(!(lanes & ~wt_lanes_first(fake_gpu_lanes(wave))));
    if (p->registers[index].scope != WT_SCOPE_LANE)
        lanes &= -lanes;
    for (; lanes; lanes &= lanes - 1) {
        size_t size;
        uint8_t *at = value_at(p->gpu, wave, wt_lanes_lowest(lanes), index, &size);
        assert(size == wt_register_size(&p->registers[index]));
        memcpy(write ? at : row, write ? row : at, size);
        row += size;
    }
}

static enum wt_status gpu_read_rows(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                                    const unsigned *index, size_t count, uint8_t *out,
                                    struct wt_error *err)
{
    assert(p->gpu->wave[wave].halted);
    p->gpu->row_reads++;
    p->gpu->registers_read += (unsigned)count;
    p->gpu->counter++;
    for (size_t i = 0; i < count; i++) {
        move_row(p, wave, lanes, index[i], out, false);
        out += wt_register_row(&p->registers[index[i]], lanes);
    }
    return WT_OK;
}

static enum wt_status gpu_write_row(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                                    unsigned index, const uint8_t *row, struct wt_error *err)
{
    assert(p->gpu->wave[wave].halted);
    if (p->registers[index].read_only)
        return wt_fail(err, WT_INVALID, "register %s cannot be written", p->registers[index].name);
    move_row(p, wave, lanes, index, (uint8_t *)(uintptr_t)row, true);
    return WT_OK;
}

static uint8_t *memory_at(struct wt_probe *p, uint32_t wave, unsigned lane, struct wt_address addr,
                          size_t size, struct wt_error *err)
{
    struct fake_gpu *gpu = p->gpu;
    const struct {
        uint8_t *bytes;
        size_t size;
    } space[] = {{gpu->memory, sizeof gpu->memory},
                 {gpu->local[group_of(wave)], GPU_LOCAL},
                 {gpu->wave[wave].private[lane], GPU_PRIVATE}};
    if (addr.space < 3 && addr.offset < space[addr.space].size &&
        size <= space[addr.space].size - addr.offset)
        return space[addr.space].bytes + addr.offset;
    wt_fail(err, WT_INVALID, "no memory at %u:0x%llx", (unsigned)addr.space,
            (unsigned long long)addr.offset);
    return NULL;
}

static enum wt_status gpu_read_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                      struct wt_address addr, void *out, size_t size,
                                      struct wt_error *err)
{
    const uint8_t *at = memory_at(p, wave, lane, addr, size, err);
    if (!at)
        return err->status;
    memcpy(out, at, size);
    return WT_OK;
}

static enum wt_status gpu_write_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                       struct wt_address addr, const void *bytes, size_t size,
                                       struct wt_error *err)
{
    uint8_t *at = memory_at(p, wave, lane, addr, size, err);
    if (!at)
        return err->status;
    memcpy(at, bytes, size);
    return WT_OK;
}

static void gpu_replaced(struct wt_probe *p)
{
}

/* ---- instructions ---- */

/* Two of them are seen at a time. */
static enum wt_status gpu_window(struct wt_probe *p, uint64_t addr, struct wt_window *window,
                                 struct wt_error *err)
{
    if (addr % GPU_INSTRUCTION)
        return wt_fail(err, WT_INVALID, "instructions begin at multiples of 16");
    window->addr = addr & ~(uint64_t)31;
    window->size = window->least = 32;
    return WT_OK;
}

static void gpu_patch(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                      struct wt_patch *patch)
{
    *patch = (struct wt_patch){.addr = addr + GPU_BREAK_BYTE,
                               .size = 1,
                               .bytes = {GPU_BREAK_BIT},
                               .mask = {GPU_BREAK_BIT}};
}

static void gpu_decode(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                       struct wt_instruction *instruction)
{
    const uint8_t *in = window->bytes + (addr - window->addr);
    *instruction = (struct wt_instruction){
        .length = GPU_INSTRUCTION,
        .kind = in[0] == GPU_LOOP     ? WT_INSTRUCTION_BRANCH
                : in[0] == GPU_CALL   ? WT_INSTRUCTION_CALL
                : in[0] == GPU_RETURN ? WT_INSTRUCTION_RETURN
                : in[0] == GPU_WAIT   ? WT_INSTRUCTION_BARRIER
                : in[0] == GPU_END    ? WT_INSTRUCTION_END
                                      : WT_INSTRUCTION_PLAIN,
        .written = in[0] == GPU_ADD ? in[1] : -1,
    };
}

const struct wt_probe_ops fake_gpu_probe = {
    .family = "fake",
    .open = gpu_open,
    .close = gpu_close,
    .topology = gpu_topology,
    .summary = gpu_summary,
    .scan = gpu_scan,
    .wave_id = gpu_wave_id,
    .describe_wave = gpu_describe_wave,
    .next_event = gpu_next_event,
    .hold_launches = gpu_hold_launches,
    .halt = gpu_halt,
    .resume = gpu_resume,
    .step = gpu_step,
    .step_poll = gpu_step_poll,
    .halt_cause = gpu_halt_cause,
    .mask = gpu_mask,
    .reset_halted = gpu_reset_halted,
    .read_rows = gpu_read_rows,
    .write_row = gpu_write_row,
    .read_memory = gpu_read_memory,
    .write_memory = gpu_write_memory,
    .replaced = gpu_replaced,
    .window = gpu_window,
    .patch = gpu_patch,
    .decode = gpu_decode,
};
