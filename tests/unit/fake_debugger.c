/* A test double of the debugger. */
#include "fake_debugger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "debug/core/touches.h"

static struct wt_register registers[FAKE_REGISTERS];
static char names[32][4];

static void describe_registers(void)
{
    for (unsigned i = 0; i < 32; i++) {
        snprintf(names[i], sizeof names[i], "x%u", i);
        registers[i] = (struct wt_register){.name = names[i],
                                            .set = "cpu",
                                            .bits = 32,
                                            .number = i,
                                            .code = i,
                                            .read_only = i == 0};
    }
    registers[1].role = WT_ROLE_RA;
    registers[2].role = WT_ROLE_SP;
    registers[8].role = WT_ROLE_FP;
    registers[32] = (struct wt_register){.name = "pc",
                                         .set = "cpu",
                                         .type = WT_REG_CODE_PTR,
                                         .role = WT_ROLE_PC,
                                         .bits = 32,
                                         .number = 32,
                                         .code = 32};
    registers[33] = (struct wt_register){.name = "vx_warp_id",
                                         .set = "vortex",
                                         .scope = WT_SCOPE_WAVE,
                                         .bits = 32,
                                         .number = 65 + 0xcc1,
                                         .code = 0xcc1,
                                         .read_only = true};
    registers[34] = (struct wt_register){
        .name = "mscratch", .set = "csr", .bits = 32, .number = 65 + 0x340, .code = 0x340};
    registers[35] = (struct wt_register){.name = "vx_thread_id",
                                         .set = "vortex",
                                         .bits = 32,
                                         .number = 65 + 0xcc0,
                                         .code = 0xcc0,
                                         .read_only = true};
}

struct wt_debugger *fake_debugger_new(void)
{
    static const struct wt_target_services none;
    describe_registers();
    struct wt_debugger *d = calloc(1, sizeof *d);
    d->topology = (struct wt_topology){.family = "vortex",
                                       .arch = "riscv:rv32",
                                       .triple = "riscv32-unknown-unknown-elf",
                                       .clusters = 1,
                                       .cores = 2,
                                       .waves_per_core = 2,
                                       .waves = FAKE_WAVES,
                                       .lanes = FAKE_LANES,
                                       .address_bits = 32,
                                       .wave_word = "warp",
                                       .lane_word = "thread",
                                       .registers = registers,
                                       .register_count = FAKE_REGISTERS,
                                       .pc_index = 32};
    d->target.services = &none;
    d->waves = 1;
    d->current = 1;
    d->mode = WT_THREADS_LANES;
    for (unsigned t = 1; t <= FAKE_THREADS; t++) {
        for (unsigned r = 0; r < 32; r++)
            d->registers[t][r] = r ? t << 8 | r : 0;
        d->registers[t][32] = FAKE_MEMORY;
        d->registers[t][35] = (t - 1) % FAKE_LANES;
    }
    return d;
}

void wt_debugger_close(struct wt_debugger *d)
{
    free(d);
}

void fake_debugger_event(struct wt_debugger *d, struct wt_event event)
{
    if (d->taken == d->queued)
        d->taken = d->queued = 0;
    d->queue[d->queued++] = event;
}

struct fake_breakpoint *fake_breakpoint_at(struct wt_debugger *d, uint64_t addr)
{
    for (unsigned i = 0; i < FAKE_BREAKPOINTS; i++)
        if (d->breakpoint[i].used && d->breakpoint[i].addr == addr)
            return &d->breakpoint[i];
    return NULL;
}

const struct wt_topology *wt_debugger_topology(struct wt_debugger *d)
{
    return &d->topology;
}

const struct wt_target *wt_debugger_target(struct wt_debugger *d)
{
    return &d->target;
}

enum wt_status wt_debugger_reset(struct wt_debugger *d, struct wt_error *err)
{
    d->resets++;
    d->ended = false;
    d->waves = 1;
    d->current = 1;
    memset(d->running, 0, sizeof d->running);
    for (unsigned t = 1; t <= FAKE_THREADS; t++)
        d->registers[t][32] = FAKE_MEMORY;
    return WT_OK;
}

enum wt_status wt_debugger_restart(struct wt_debugger *d, struct wt_error *err)
{
    d->restarts++;
    wt_debugger_reset(d, err);
    d->resets--;
    return WT_OK;
}

enum wt_status wt_debugger_find_leftovers(struct wt_debugger *d, unsigned limit_ms,
                                          uint64_t *looked, uint64_t *total, struct wt_error *err)
{
    *looked = *total = d->code_size;
    return WT_OK;
}

const struct wt_leftover *wt_debugger_leftovers(struct wt_debugger *d, size_t *count)
{
    static const struct wt_leftover one = {.addr = FAKE_MEMORY + 8};
    *count = d->leftovers;
    return &one;
}

enum wt_status wt_debugger_lift_leftovers(struct wt_debugger *d, struct wt_error *err)
{
    d->leftovers = 0;
    return WT_OK;
}

enum wt_status wt_debugger_reattach(struct wt_debugger *d, struct wt_error *err)
{
    d->reattaches++;
    return d->gone ? wt_fail(err, WT_IO, "nobody is there") : WT_OK;
}

bool wt_debugger_ended(struct wt_debugger *d, uint32_t *status)
{
    if (d->ended && status)
        *status = d->status;
    return d->ended;
}

enum wt_thread_mode wt_debugger_thread_mode(struct wt_debugger *d)
{
    return d->mode;
}

void wt_debugger_set_thread_mode(struct wt_debugger *d, enum wt_thread_mode mode)
{
    d->mode = mode == WT_THREADS_AUTO ? WT_THREADS_LANES : mode;
}

enum wt_status wt_debugger_choose_lane(struct wt_debugger *d, unsigned lane, struct wt_error *err)
{
    if (lane >= FAKE_LANES)
        return wt_fail(err, WT_INVALID, "there is no lane %u", lane);
    d->lane = lane;
    return WT_OK;
}

unsigned wt_debugger_chosen_lane(struct wt_debugger *d)
{
    return d->lane;
}

enum wt_status wt_debugger_threads(struct wt_debugger *d, const struct wt_thread_info **list,
                                   size_t *count, struct wt_error *err)
{
    static struct wt_thread_info threads[FAKE_THREADS];
    size_t n = 0;
    for (unsigned wave = 0; wave < d->waves && !d->ended; wave++) {
        for (unsigned lane = 0; lane < FAKE_LANES; lane++) {
            wt_thread id = 1 + wave * FAKE_LANES + lane;
            if (d->mode == WT_THREADS_WAVES && lane)
                continue;
            threads[n++] = (struct wt_thread_info){
                id,   1 + wave,       wave / 2,       wave % 2,
                lane, !d->masked[id], d->running[id], d->running[id] ? 0 : d->registers[id][32]};
        }
    }
    *list = threads;
    *count = n;
    return WT_OK;
}

bool wt_debugger_thread_alive(struct wt_debugger *d, wt_thread thread)
{
    return !d->ended && thread >= 1 && thread <= d->waves * FAKE_LANES;
}

void wt_debugger_thread_name(struct wt_debugger *d, wt_thread thread, char *text, size_t size)
{
    unsigned wave = (thread - 1) / FAKE_LANES;
    snprintf(text, size, "device 0, core %u, warp %u, thread %u%s", wave / 2, wave % 2,
             (thread - 1) % FAKE_LANES, d->masked[thread] ? " (masked off)" : "");
}

wt_thread wt_debugger_current_thread(struct wt_debugger *d)
{
    return d->ended ? 0 : d->current;
}

static enum wt_status check(struct wt_debugger *d, wt_thread thread, struct wt_error *err)
{
    if (!wt_debugger_thread_alive(d, thread))
        return wt_fail(err, WT_INVALID, "no thread %u", thread);
    if (d->running[thread] || d->going_to)
        return wt_fail(err, WT_STATE, "thread %u is running", thread);
    return WT_OK;
}

enum wt_status wt_debugger_read_numbers(struct wt_debugger *d, wt_thread thread,
                                        const unsigned *index, size_t count, uint64_t *value,
                                        struct wt_error *err)
{
    enum wt_status status = check(d, thread, err);
    for (size_t i = 0; i < count && !status; i++)
        value[i] = d->registers[thread][index[i]];
    return status;
}

enum wt_status wt_debugger_read_registers(struct wt_debugger *d, wt_thread thread,
                                          const unsigned *index, size_t count, void *out,
                                          struct wt_error *err)
{
    enum wt_status status = check(d, thread, err);
    uint8_t *to = out;
    for (size_t i = 0; i < count && !status; i++, to += 4)
        wt_store_le(to, d->registers[thread][index[i]], 4);
    return status;
}

enum wt_status wt_debugger_write_number(struct wt_debugger *d, wt_thread thread, unsigned index,
                                        uint64_t value, struct wt_error *err)
{
    enum wt_status status = check(d, thread, err);
    if (!status && registers[index].read_only)
        return wt_fail(err, WT_UNSUPPORTED, "%s cannot be written", registers[index].name);
    if (!status)
        d->registers[thread][index] = value;
    return status;
}

enum wt_status wt_debugger_write_register(struct wt_debugger *d, wt_thread thread, unsigned index,
                                          const void *value, struct wt_error *err)
{
    return wt_debugger_write_number(d, thread, index, wt_load_le(value, 4), err);
}

static enum wt_status check_memory(uint64_t addr, size_t size, struct wt_error *err)
{
    if (addr < FAKE_MEMORY || addr + size > FAKE_MEMORY + FAKE_MEMORY_SIZE || addr + size < addr)
        return wt_fail(err, WT_IO, "no memory at 0x%llx", (unsigned long long)addr);
    return WT_OK;
}

struct wt_address wt_debugger_address(struct wt_debugger *d, uint64_t number)
{
    return wt_address_of((uint32_t)number);
}

enum wt_status wt_debugger_read_memory(struct wt_debugger *d, wt_thread thread,
                                       struct wt_address at, void *out, size_t size,
                                       struct wt_error *err)
{
    const uint64_t addr = at.offset;
    enum wt_status status = check_memory(addr, size, err);
    if (!status)
        memcpy(out, d->memory + (addr - FAKE_MEMORY), size);
    return status;
}

enum wt_status wt_debugger_write_memory(struct wt_debugger *d, wt_thread thread,
                                        struct wt_address at, const void *bytes, size_t size,
                                        struct wt_error *err)
{
    const uint64_t addr = at.offset;
    enum wt_status status = check_memory(addr, size, err);
    if (!status)
        memcpy(d->memory + (addr - FAKE_MEMORY), bytes, size);
    return status;
}

enum wt_status wt_debugger_thread_position(struct wt_debugger *d, wt_thread thread,
                                           struct wt_thread_position *place, struct wt_error *err)
{
    enum wt_status status = check(d, thread, err);
    if (status)
        return status;
    const wt_thread first = thread - (thread - 1) % FAKE_LANES;
    *place = (struct wt_thread_position){.lane = (thread - 1) % FAKE_LANES,
                                         .pc = d->registers[thread][32]};
    for (unsigned lane = 0; lane < FAKE_LANES; lane++)
        if (!d->masked[first + lane])
            place->active |= wt_lane_bit(lane);
    return WT_OK;
}

wt_thread wt_debugger_thread_of_lane(struct wt_debugger *d, wt_thread thread, unsigned lane)
{
    return thread - (thread - 1) % FAKE_LANES + lane;
}

enum wt_status wt_debugger_instruction(struct wt_debugger *d, wt_thread thread, uint64_t addr,
                                       struct wt_instruction *instruction, struct wt_error *err)
{
    *instruction = (struct wt_instruction){.length = 4, .written = 5};
    return WT_OK;
}

enum wt_status wt_debugger_read_rows(struct wt_debugger *d, wt_thread thread, wt_lanes lanes,
                                     const unsigned *index, size_t count, void *out,
                                     struct wt_error *err)
{
    uint8_t *to = out;
    for (size_t i = 0; i < count; i++) {
        const size_t size = wt_register_size(&d->topology.registers[index[i]]);
        for (wt_lanes rest = lanes; rest; rest &= rest - 1, to += size)
            wt_store_le(to,
                        d->registers[wt_debugger_thread_of_lane(d, thread, wt_lanes_lowest(rest))]
                                    [index[i]],
                        size);
    }
    return WT_OK;
}

enum wt_status wt_debugger_check_call(struct wt_debugger *d, wt_thread thread, struct wt_error *err)
{
    const wt_thread first = thread - (thread - 1) % FAKE_LANES;
    for (wt_thread t = first; t < first + FAKE_LANES; t++)
        if (t != thread && !d->masked[t])
            return wt_fail(err, WT_STATE, "thread %u would run it, too", (unsigned)t);
    return WT_OK;
}

static uint64_t value_of(struct wt_expr *const *expr, size_t count)
{
    const struct wt_expr_world nothing = {.context = NULL};
    uint64_t value = 0;
    if (count)
        wt_expr_run(expr[0], NULL, 1, &nothing, &value);
    return value;
}

enum wt_status wt_debugger_insert_breakpoint_of(struct wt_debugger *d, uint32_t owner,
                                                uint64_t addr, struct wt_expr *const *conditions,
                                                size_t condition_count,
                                                struct wt_expr *const *commands,
                                                size_t command_count, struct wt_error *err)
{
    if (check_memory(addr, 4, err))
        return WT_IO;
    struct fake_breakpoint *b = fake_breakpoint_at(d, addr);
    for (unsigned i = 0; !b && i < FAKE_BREAKPOINTS; i++)
        if (!d->breakpoint[i].used)
            b = &d->breakpoint[i];
    if (!b)
        return wt_fail(err, WT_NO_MEMORY, "too many breakpoints");
    *b = (struct fake_breakpoint){.used = true,
                                  .addr = addr,
                                  .owner = owner,
                                  .conditions = condition_count,
                                  .commands = command_count};
    b->first_condition = value_of(conditions, condition_count);
    b->first_command = value_of(commands, command_count);
    return WT_OK;
}

enum wt_status wt_debugger_remove_breakpoint_of(struct wt_debugger *d, uint32_t owner,
                                                uint64_t addr, struct wt_error *err)
{
    struct fake_breakpoint *b = fake_breakpoint_at(d, addr);
    if (!b || b->owner != owner)
        return wt_fail(err, WT_INVALID, "no breakpoint there");
    b->used = false;
    return WT_OK;
}

void wt_debugger_remove_all_breakpoints(struct wt_debugger *d)
{
    memset(d->breakpoint, 0, sizeof d->breakpoint);
}

enum wt_status wt_debugger_insert_watchpoint(struct wt_debugger *d,
                                             const struct wt_watchpoint_request *request,
                                             struct wt_error *err)
{
    if (d->cannot_watch)
        return wt_fail(err, WT_UNSUPPORTED, "no watchpoints");
    if (request->size == 0)
        return wt_fail(err, WT_INVALID, "a watchpoint of no bytes");
    if (d->watchpoints == FAKE_BREAKPOINTS)
        return wt_fail(err, WT_NO_MEMORY, "too many watchpoints");
    d->watchpoint[d->watchpoints++] = *request;
    return WT_OK;
}

enum wt_status wt_debugger_remove_watchpoint(struct wt_debugger *d,
                                             const struct wt_watchpoint_request *request,
                                             struct wt_error *err)
{
    size_t i = 0;
    while (i < d->watchpoints &&
           (d->watchpoint[i].kind != request->kind ||
            !wt_address_equal(d->watchpoint[i].addr, request->addr) ||
            d->watchpoint[i].size != request->size || d->watchpoint[i].thread != request->thread ||
            d->watchpoint[i].changes != request->changes))
        i++;
    if (i == d->watchpoints)
        return wt_fail(err, WT_INVALID, "no watchpoint there");
    d->watchpoint[i] = d->watchpoint[--d->watchpoints];
    return WT_OK;
}

void wt_debugger_remove_all_watchpoints(struct wt_debugger *d)
{
    d->watchpoints = 0;
}

bool wt_debugger_is_nonstop(const struct wt_debugger *d)
{
    return d->nonstop;
}

void wt_debugger_set_nonstop(struct wt_debugger *d, bool nonstop)
{
    d->nonstop = nonstop;
}

/* The lanes of a wave stop together: an event for each, @p thread first. */
static void stop_wave(struct wt_debugger *d, wt_thread thread)
{
    wt_thread first = (thread - 1) / FAKE_LANES * FAKE_LANES + 1;
    struct wt_event event = {
        .kind = WT_EVENT_STOPPED, .thread = thread, .reason = WT_STOP_REQUESTED};
    fake_debugger_event(d, event);
    for (event.thread = first; event.thread < first + FAKE_LANES; event.thread++) {
        d->running[event.thread] = false;
        if (event.thread != thread)
            fake_debugger_event(d, event);
    }
}

enum wt_status wt_debugger_run_to_launch(struct wt_debugger *d, struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED, "nothing here waits for launches");
}

enum wt_status wt_debugger_run(struct wt_debugger *d, enum wt_direction direction,
                               const struct wt_resume *list, size_t count, struct wt_error *err)
{
    if (direction == WT_BACKWARDS)
        return wt_fail(err, WT_UNSUPPORTED, "the run is not recorded");
    d->resume_calls++;
    d->resumes = 0;
    for (size_t i = 0; i < count; i++) {
        if (d->resumes < sizeof d->resume / sizeof *d->resume)
            d->resume[d->resumes++] = list[i];
        for (wt_thread t = 1; t <= d->waves * FAKE_LANES; t++) {
            if (list[i].thread && list[i].thread != t)
                continue;
            if (list[i].kind != WT_RESUME_STOP)
                d->running[t] = true;
            else if (d->running[t])
                stop_wave(d, t);
        }
    }
    return WT_OK;
}

void wt_debugger_focus(struct wt_debugger *d, wt_thread thread)
{
    (void)d, (void)thread;
}

enum wt_status wt_debugger_interrupt(struct wt_debugger *d, struct wt_error *err)
{
    d->interrupted = true;
    return WT_OK;
}

bool wt_debugger_running(struct wt_debugger *d)
{
    if (d->going_to)
        return true;
    for (unsigned t = 1; t <= FAKE_THREADS; t++)
        if (d->running[t])
            return true;
    return false;
}

static void stop_all(struct wt_debugger *d)
{
    memset(d->running, 0, sizeof d->running);
}

static void stopped(struct wt_debugger *d, wt_thread thread, enum wt_stop_reason reason)
{
    d->current = thread;
    stop_all(d);
    fake_debugger_event(
        d, (struct wt_event){.kind = WT_EVENT_STOPPED, .thread = thread, .reason = reason});
}

bool wt_debugger_pump(struct wt_debugger *d, uint64_t budget)
{
    d->pumps++;
    if (!wt_debugger_running(d))
        return false;
    if (d->going_to) {
        if (d->endless && !d->interrupted)
            return true;
        d->now = d->interrupted ? d->aim / 2 : d->aim;
        d->going_to = false;
        fake_debugger_event(
            d, (struct wt_event){.kind = WT_EVENT_ARRIVED,
                                 .reason = d->interrupted ? WT_STOP_INTERRUPTED : WT_STOP_STEP});
        d->interrupted = false;
        return false;
    }
    if (d->interrupted) {
        d->interrupted = false;
        stopped(d, d->current, WT_STOP_INTERRUPTED);
        return false;
    }
    const struct wt_resume *r = &d->resume[0];
    wt_thread thread = r->thread ? r->thread : d->current;
    if (r->kind == WT_RESUME_STEP || r->kind == WT_RESUME_RANGE) {
        uint64_t *pc = &d->registers[thread][32];
        *pc = r->kind == WT_RESUME_STEP ? *pc + 4 : r->end;
        stopped(d, thread, WT_STOP_STEP);
        return false;
    }
    for (unsigned i = 0; i < FAKE_BREAKPOINTS; i++) {
        if (!d->breakpoint[i].used || d->breakpoint[i].addr == d->registers[thread][32])
            continue;
        d->registers[thread][32] = d->breakpoint[i].addr;
        stopped(d, thread, WT_STOP_BREAKPOINT);
        return false;
    }
    if (d->fault.kind) {
        stop_all(d);
        fake_debugger_event(d, d->fault);
        return false;
    }
    if (d->endless)
        return true;
    stop_all(d);
    d->ended = true;
    fake_debugger_event(d, (struct wt_event){.kind = WT_EVENT_EXITED, .status = d->status});
    return false;
}

struct wt_event wt_debugger_next_event(struct wt_debugger *d)
{
    if (d->taken == d->queued)
        return (struct wt_event){.kind = WT_EVENT_NONE};
    return d->queue[d->taken++];
}

/* There is no history. */

bool wt_debugger_has_history(struct wt_debugger *d)
{
    return false;
}

enum wt_status wt_debugger_time(struct wt_debugger *d, struct wt_debugger_time *time,
                                struct wt_error *err)
{
    if (d->recorded) {
        *time = (struct wt_debugger_time){.now = d->now, .end = 100, .in_past = d->now != 100};
        return WT_OK;
    }
    return wt_fail(err, WT_UNSUPPORTED, "the run is not recorded");
}

enum wt_status wt_debugger_begin_goto(struct wt_debugger *d, uint64_t time, struct wt_error *err)
{
    if (d->recorded) {
        d->going_to = true;
        d->aim = time;
        return WT_OK;
    }
    return wt_fail(err, WT_UNSUPPORTED, "the run is not recorded");
}

enum wt_status wt_debugger_begin_touches(struct wt_debugger *d,
                                         const struct wt_watchpoint_request *where,
                                         const uint8_t *mask, size_t most,
                                         const struct wt_callers *callers, struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED, "the run is not recorded");
}

void wt_debugger_take_touches(struct wt_debugger *d, struct wt_touch **list, size_t *count,
                              bool *more)
{
    *list = NULL;
    *count = 0;
}

bool wt_debugger_next_news(struct wt_debugger *d, struct wt_probe_event *event)
{
    return false;
}

enum wt_status wt_debugger_tell_waves(struct wt_debugger *d, bool tell, struct wt_error *err)
{
    return WT_OK;
}

bool wt_debugger_progress(struct wt_debugger *d, uint64_t *now, uint64_t *to)
{
    return false;
}

enum wt_status wt_debugger_goto(struct wt_debugger *d, uint64_t time, struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED, "the run is not recorded");
}

enum wt_status wt_debugger_hash(struct wt_debugger *d, uint64_t *hash, struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED, "the run is not recorded");
}

enum wt_status wt_debugger_save_core_file(struct wt_debugger *d, const char *path, uint64_t issues,
                                          wt_thread thread, const char *text, struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED, "this target cannot be written to a core file");
}

void wt_debugger_set_stop_at_end(struct wt_debugger *d, bool stop)
{
}

bool wt_debugger_stops_at_end(struct wt_debugger *d)
{
    return false;
}

static struct wt_wave wave_at(unsigned wave)
{
    return (struct wt_wave){
        .id = 1 + wave, .lanes = FAKE_LANES, .core = wave / 2, .slot = wave % 2};
}

bool wt_debugger_thread_wave(struct wt_debugger *d, wt_thread thread, struct wt_wave *wave)
{
    if (thread < 1 || thread > FAKE_THREADS)
        return false;
    *wave = wave_at((thread - 1) / FAKE_LANES);
    return true;
}

wt_wave_id wt_debugger_wave_in(struct wt_debugger *d, unsigned core, unsigned slot)
{
    const unsigned wave = 2 * core + slot;
    return wave < d->waves && !d->ended ? 1 + wave : WT_NO_WAVE;
}

enum wt_status wt_debugger_wave(struct wt_debugger *d, wt_wave_id id, struct wt_wave_info *info,
                                struct wt_error *err)
{
    const unsigned wave = (unsigned)id - 1;
    if (d->broken)
        return wt_fail(err, WT_TIMEOUT, "the device does not answer");
    if (id == WT_NO_WAVE || wave >= d->waves || d->ended)
        return wt_fail(err, WT_INVALID, "the warp has ended");
    *info = (struct wt_wave_info){.wave = wave_at(wave)};
    const wt_thread first = 1 + wave * FAKE_LANES;
    info->running = d->running[first];
    if (info->running)
        return WT_OK;
    info->pc = d->registers[first][32];
    for (unsigned lane = 0; lane < FAKE_LANES; lane++)
        if (!d->masked[first + lane])
            info->mask |= wt_lane_bit(lane);
    info->has_detail = d->detail[wave].view.mask != 0;
    info->has_wait = info->has_detail;
    info->detail = d->detail[wave];
    return WT_OK;
}

enum wt_status wt_debugger_work(struct wt_debugger *d, struct wt_work *work, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    *work = (struct wt_work){.wave = calloc(FAKE_WAVES, sizeof *work->wave)};
    for (unsigned i = 0; i < d->waves && !d->ended && !status; i++)
        status = wt_debugger_wave(d, 1 + i, &work->wave[work->wave_count++], err);
    return status;
}

void wt_work_free(struct wt_work *work)
{
    free(work->wave);
}

/* With size, the memory of lane 3 cannot be read. */
enum wt_status wt_debugger_evaluate(struct wt_debugger *d, wt_wave_id wave, wt_lanes lanes,
                                    const struct wt_expr *expr, size_t size,
                                    struct wt_lane_value *result, void *bytes, struct wt_error *err)
{
    const struct wt_expr_world nothing = {.context = NULL};
    size_t count;
    const unsigned *index = wt_expr_registers(expr, &count);
    if (wave > d->waves || !lanes || lanes >> FAKE_LANES)
        return wt_fail(err, WT_INVALID, "there is no such lane");
    uint8_t *to = bytes;
    for (; lanes; lanes &= lanes - 1, result++, to += size) {
        const unsigned lane = wt_lanes_lowest(lanes);
        const uint64_t *row[FAKE_REGISTERS];
        for (size_t i = 0; i < count; i++)
            row[i] = &d->registers[1 + wave * FAKE_LANES + lane][index[i]];
        result->known = wt_expr_run(expr, row, 1, &nothing, &result->value) != 0;
        result->read =
            size && lane != 3 &&
            wt_debugger_read_memory(d, 0, wt_address_of(result->value), to, size, err) == WT_OK;
    }
    return WT_OK;
}

enum wt_status wt_debugger_find_caller(struct wt_debugger *d, const struct wt_callee *callee,
                                       struct wt_caller *caller, struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED, "no caller");
}

enum wt_status wt_debugger_find_kept(struct wt_debugger *d, const struct wt_kept_address *asked,
                                     struct wt_kept_answer *answer, struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED, "no address");
}

void wt_debugger_find_cfa(struct wt_debugger *d, const struct wt_kept_address *asked,
                          struct wt_cfa_answer *answer)
{
}

enum wt_status wt_debugger_read_lane(struct wt_debugger *d, wt_wave_id wave, unsigned lane,
                                     struct wt_address addr, void *out, size_t size,
                                     struct wt_error *err)
{
    return wt_debugger_read_memory(d, 0, addr, out, size, err);
}

enum wt_status wt_debugger_write_lane(struct wt_debugger *d, wt_wave_id wave, unsigned lane,
                                      struct wt_address addr, const void *bytes, size_t size,
                                      struct wt_error *err)
{
    return wt_debugger_write_memory(d, 0, addr, bytes, size, err);
}

bool wt_debugger_take_notice(struct wt_debugger *d, char *text, size_t size)
{
    return false;
}

bool wt_debugger_fault(struct wt_debugger *d, wt_thread thread, struct wt_event *event)
{
    return false;
}

void wt_debugger_name_wave(const struct wt_debugger *d, const struct wt_wave *wave, char *text,
                           size_t size)
{
    snprintf(text, size, "a wave");
}

enum wt_status wt_debugger_objects(struct wt_debugger *d, wt_thread thread, struct wt_address addr,
                                   struct wt_object_view *list, size_t *count, struct wt_error *err)
{
    *count = 0;
    return wt_fail(err, WT_UNSUPPORTED, "this target does not report allocations");
}
