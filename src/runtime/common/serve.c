/* See serve.h. */
#include "runtime/common/serve.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/wave_view.h"
#include "check/init.h"
#include "check/objects.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/regions.h"
#include "emulator/machine/wave_state.h"
#include "object/final_wire.h"
#include "object/travel_wire.h"
#include "runtime/common/armed.h"
#include "runtime/common/observed.h"
#include "runtime/common/recording.h"

static_assert(WT_TRAVEL_BYTES <= WT_WIRE_MOST && WT_TRAVEL_REQUEST_BYTES <= WT_WIRE_MOST &&
                  WT_FINAL_WIRE_MOST <= WT_WIRE_MOST,
              "requests about the past and the end fit");

struct wt_server {
    const struct wt_server_driver *driver;
    void *context;
    struct wt_gate *gate; /* NULL: the driver has locks of its own */
    struct wt_hosted *gpu[WT_WIRE_DEVICES];
    unsigned devices;
    struct wt_endpoint_ops ops;
    struct wt_endpoint *endpoint;
    pid_t process; /* that it serves */
    _Alignas(8) uint8_t bytes[WT_WIRE_MOST];
};

/* ---- requests that all families have ---- */

static int32_t greet(struct wt_server *s, struct wt_wire_answer *answer)
{
    struct wt_wire_hello hello = {.devices = s->devices};
    if (s->gate)
        answer->value[0] = s->gate->code;
    s->driver->hello(s->context, &hello, &answer->value[0]);
    answer->size = sizeof hello;
    memcpy(s->bytes, &hello, sizeof hello);
    return 0;
}

static struct wt_hosted *gpu_of(const struct wt_server *s, const struct wt_wire_request *r)
{
    return s->gpu[r->device];
}

bool wt_hosted_copy(struct wt_hosted *gpu, const struct wt_wire_request *r, uint8_t *bytes,
                    size_t size, bool out)
{
    return out ? wt_hosted_read(gpu, r->wave, r->lane, r->addr, bytes, size)
               : wt_hosted_input(gpu, &(struct wt_input){.kind = WT_INPUT_MEMORY,
                                                         .wave = r->wave,
                                                         .lane = r->lane,
                                                         .addr = r->addr,
                                                         .bytes = bytes,
                                                         .size = size});
}

static bool copy(struct wt_server *s, const struct wt_wire_request *r, uint8_t *bytes, size_t size,
                 bool out)
{
    return s->driver->copy ? s->driver->copy(s->context, r, bytes, size, out)
                           : wt_hosted_copy(gpu_of(s, r), r, bytes, size, out);
}

/* Whether breakpoints that are judged here are the debugger's view of code now. */
static bool shows_live(const struct wt_server *s, const struct wt_wire_request *r)
{
    return !wt_recording_is_away(gpu_of(s, r)->recording);
}

static bool read_memory(struct wt_server *s, const struct wt_wire_request *r, uint8_t *bytes,
                        size_t size)
{
    if (!copy(s, r, bytes, size, true))
        return false;
    if (shows_live(s, r))
        armed_show(gpu_of(s, r), r->addr, bytes, size);
    return true;
}

static int32_t give_memory(struct wt_server *s, const struct wt_wire_request *r,
                           struct wt_wire_answer *answer)
{
    if (!read_memory(s, r, s->bytes, r->size))
        return -EFAULT;
    answer->size = r->size;
    return 0;
}

/* Breakpoints are remembered, for when the debugger goes without lifting them. */
static void note_breakpoint(struct wt_server *s, const struct wt_wire_request *r,
                            const uint8_t *bytes)
{
    struct wt_planted_one one = {.addr = r->addr, .size = r->follows};
    wt_planted_written(gpu_of(s, r)->planted, r->addr, bytes, r->follows);
    if (!one.size || one.size > WT_PLANTED_BYTES || !copy(s, r, one.original, one.size, true))
        return;
    memcpy(one.trap, bytes, one.size);
    wt_store_le(one.mask,
                s->driver->breakpoint(s->context, r, wt_load_le(one.trap, one.size),
                                      wt_load_le(one.original, one.size)),
                one.size);
    if (wt_load_le(one.mask, one.size))
        wt_planted_add(gpu_of(s, r)->planted, &one);
}

static bool write_memory(struct wt_server *s, const struct wt_wire_request *r, uint8_t *bytes)
{
    armed_written(gpu_of(s, r), r->addr, bytes, r->follows);
    note_breakpoint(s, r, bytes);
    return copy(s, r, bytes, r->follows, false);
}

/* Reads or writes some pieces; the answer lies where the request does. */
static int32_t transfer(struct wt_server *s, const struct wt_wire_request *r,
                        struct wt_wire_answer *answer)
{
    const bool write = r->verb == WT_WIRE_SCATTER;
    struct wt_wire_piece *list = (void *)s->bytes;
    const uint64_t listed = (uint64_t)r->number * sizeof *list;
    uint64_t end = listed;
    for (uint32_t i = 0; listed <= r->follows && i < r->number; i++)
        end += list[i].size;
    if (r->follows != (write ? end : listed) || end > WT_WIRE_MOST)
        return -EINVAL;
    uint8_t *bytes = s->bytes + listed;
    for (uint32_t i = 0; i < r->number; i++) {
        const uint32_t size = list[i].size;
        const struct wt_wire_request one = {.device = r->device,
                                            .wave = list[i].wave,
                                            .addr = list[i].addr,
                                            .size = size,
                                            .follows = write ? size : 0};
        if (!(write ? write_memory(s, &one, bytes) : read_memory(s, &one, bytes, size)))
            list[i].size = 0;
        bytes += size;
    }
    answer->size = (uint32_t)(write ? listed : end);
    return 0;
}

static uint32_t input(struct wt_server *s, uint32_t device, const struct wt_input *in)
{
    const struct wt_server_driver *d = s->driver;
    const uint32_t value =
        d->input ? d->input(s->context, device, in) : wt_hosted_input(s->gpu[device], in);
    if (s->gate && in->kind == WT_INPUT_DEBUG_WRITE && !d->goes_on_request)
        wt_gate_poke(s->gate);
    return value;
}

static int32_t access_registers(struct wt_server *s, const struct wt_wire_request *r,
                                struct wt_wire_answer *answer)
{
    const size_t count = r->follows / sizeof(struct wt_wire_register);
    struct wt_wire_register *list = (void *)s->bytes;
    for (size_t i = 0; i < count; i++) {
        const struct wt_input in = {.kind =
                                        list[i].write ? WT_INPUT_DEBUG_WRITE : WT_INPUT_DEBUG_READ,
                                    .addr = list[i].addr,
                                    .value = list[i].value};
        const uint32_t value = input(s, r->device, &in);
        list[i].value = list[i].write ? list[i].value : value;
    }
    answer->size = (uint32_t)(count * sizeof(struct wt_wire_register));
    return 0;
}

static int32_t watch(struct wt_server *s, const struct wt_wire_request *r)
{
    struct wt_hosted *gpu = gpu_of(s, r);
    const size_t count = r->follows / sizeof(struct wt_wire_watch);
    if (s->driver->may_watch && !s->driver->may_watch(gpu))
        return count ? -EBUSY : 0;
    return watched_set(&gpu->watched, gpu->machine, (const void *)s->bytes, count,
                       s->driver->changes);
}

struct code {
    struct wt_server *server;
    unsigned device;
};

static bool copy_code(void *context, uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    const struct code *code = context;
    const struct wt_wire_request of = {.device = code->device, .wave = UINT32_MAX, .addr = addr};
    return copy(code->server, &of, bytes, size, out);
}

/* A device that watches for its own program judges no breakpoints. */
static int32_t judge(struct wt_server *s, const struct wt_wire_request *r)
{
    struct wt_hosted *gpu = gpu_of(s, r);
    if (s->driver->may_watch && !s->driver->may_watch(gpu))
        return r->follows ? -EBUSY : 0;
    return armed_set(gpu, s->bytes, r->follows, copy_code, &(struct code){s, r->device});
}

static int32_t tell_arrived(struct wt_server *s, const struct wt_wire_request *r,
                            struct wt_wire_answer *answer)
{
    struct wt_wire_arrived told;
    if (!live_arrived(&gpu_of(s, r)->watched.live, r->value, r->addr, &told))
        return -ENOENT;
    answer->size = sizeof told;
    memcpy(s->bytes, &told, sizeof told);
    return 0;
}

static int32_t tell_news(struct wt_server *s, const struct wt_wire_request *r,
                         struct wt_wire_answer *answer)
{
    bool more;
    answer->size =
        (uint32_t)live_news(&gpu_of(s, r)->watched.live, s->bytes, sizeof s->bytes, &more);
    answer->value[0] = more;
    return 0;
}

static int32_t give_hits(struct wt_server *s, const struct wt_wire_request *r,
                         struct wt_wire_answer *answer)
{
    const size_t each = sizeof(struct wt_wire_hit);
    answer->size =
        (uint32_t)(each * watched_give(&gpu_of(s, r)->watched, (void *)s->bytes, r->size / each));
    return 0;
}

/* Watched memory, and breakpoints that are judged here. */
static int32_t serve_places(struct wt_server *s, const struct wt_wire_request *r,
                            struct wt_wire_answer *answer)
{
    return r->verb == WT_WIRE_WATCH     ? watch(s, r)
           : r->verb == WT_WIRE_HITS    ? give_hits(s, r, answer)
           : r->verb == WT_WIRE_LIVE    ? judge(s, r)
           : r->verb == WT_WIRE_ARRIVED ? tell_arrived(s, r, answer)
                                        : tell_news(s, r, answer);
}

bool wt_hosted_has(const struct wt_hosted *gpu, const struct wt_wire_request *r)
{
    return r->wave < gpu->machine->waves && wt_machine_wave_id(gpu->machine, r->wave) == r->value;
}

/* Lanes that wait in a wave's divergence stack. */
static uint32_t list_waiters(struct wt_server *s, struct wt_machine *m, uint32_t wave,
                             unsigned depth, uint32_t size)
{
    struct wt_divergence entry;
    for (unsigned i = depth, count = 0; i-- > 0 && count < WT_MAX_LANES;) {
        if (!m->ops->divergence(m, wave, i, &entry) || !entry.other)
            continue;
        const struct wt_wire_waiters one = {entry.pc,
                                            {(uint64_t)entry.other, (uint64_t)(entry.other >> 64)}};
        memcpy(s->bytes + size, &one, sizeof one);
        size += (uint32_t)sizeof one;
        count++;
    }
    return size;
}

static int32_t tell_wait(struct wt_server *s, const struct wt_wire_request *r,
                         struct wt_wire_answer *answer)
{
    struct wt_wave_view view;
    struct wt_machine *m = gpu_of(s, r)->machine;
    if (!wt_hosted_has(gpu_of(s, r), r))
        return -ENOENT;
    m->ops->view(m, r->wave, &view);
    memcpy(s->bytes, &view, sizeof view);
    answer->size = sizeof view;
    if (s->driver->tells_waiters)
        answer->size = list_waiters(s, m, r->wave, view.depth, answer->size);
    return 0;
}

static int32_t tell_state(struct wt_server *s, const struct wt_wire_request *r,
                          struct wt_wire_answer *answer)
{
    if (!wt_hosted_has(gpu_of(s, r), r))
        return -ENOENT;
    answer->value[0] = wt_wave_state_now(gpu_of(s, r)->machine, r->wave);
    return 0;
}

static int32_t tell_home(struct wt_server *s, const struct wt_wire_request *r,
                         struct wt_wire_answer *answer)
{
    struct wt_machine *m = gpu_of(s, r)->machine;
    if (!wt_hosted_has(gpu_of(s, r), r))
        return -ENOENT;
    answer->value[0] = m->ops->home(m, r->wave, r->addr);
    return 0;
}

static int32_t tell_fault(struct wt_server *s, const struct wt_wire_request *r,
                          struct wt_wire_answer *answer)
{
    struct wt_hosted *gpu = gpu_of(s, r);
    const struct wt_fault *fault = s->driver->fault ? s->driver->fault(s->context, r)
                                   : wt_hosted_has(gpu, r)
                                       ? gpu->machine->ops->wave_fault(gpu->machine, r->wave)
                                       : NULL;
    if (!fault)
        return -ENOENT;
    answer->size = sizeof *fault;
    memcpy(s->bytes, fault, sizeof *fault);
    return 0;
}

static int32_t tell_objects(struct wt_server *s, const struct wt_wire_request *r,
                            struct wt_wire_answer *answer)
{
    struct wt_object_view list[WT_OBJECT_VIEWS];
    const size_t count = wt_object_views(gpu_of(s, r)->object_space, r->addr, list);
    answer->size = (uint32_t)(count * sizeof *list);
    memcpy(s->bytes, list, answer->size);
    return 0;
}

static int32_t tell_queues(struct wt_server *s, const struct wt_wire_request *r,
                           struct wt_wire_answer *answer)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = s->driver->queues ? open_memstream(&text, &size) : NULL;
    if (!out)
        return s->driver->queues ? -ENOMEM : -ENOSYS;
    s->driver->queues(s->context, r->value, out);
    if (fclose(out)) {
        free(text);
        return -ENOMEM;
    }
    const uint32_t most = r->size < WT_WIRE_MOST ? r->size : WT_WIRE_MOST;
    answer->size = size < most ? (uint32_t)size : most;
    memcpy(s->bytes, text, answer->size);
    free(text);
    return 0;
}

static int32_t tell_defined(struct wt_server *s, const struct wt_wire_request *r,
                            struct wt_wire_answer *answer)
{
    struct wt_defined_request asked;
    struct wt_defined_view view;
    if (r->follows != sizeof asked)
        return -EINVAL;
    memcpy(&asked, s->bytes, sizeof asked);
    if (!memchr(asked.name, 0, sizeof asked.name))
        return -EINVAL;
    wt_check_init_tell(gpu_of(s, r)->machine, r->wave, &asked, &view);
    answer->size = sizeof view;
    memcpy(s->bytes, &view, sizeof view);
    return 0;
}

/* The program's objects, values and queues. */
static int32_t tell_of_program(struct wt_server *s, const struct wt_wire_request *r,
                               struct wt_wire_answer *answer)
{
    return r->verb == WT_WIRE_OBJECTS   ? tell_objects(s, r, answer)
           : r->verb == WT_WIRE_DEFINED ? tell_defined(s, r, answer)
                                        : tell_queues(s, r, answer);
}

static int32_t travel(struct wt_server *s, const struct wt_wire_request *r,
                      struct wt_wire_answer *answer)
{
    const struct wt_travel_request asked = {
        .what = r->number, .argument = r->value, .size = r->follows};
    struct wt_travel_answer told;
    wt_recording_serve(gpu_of(s, r)->recording, &asked, &told, s->bytes);
    answer->size = told.size;
    answer->value[0] = told.argument;
    return told.result;
}

static int32_t write_core(struct wt_server *s, const struct wt_wire_request *r,
                          struct wt_wire_answer *answer)
{
    struct wt_host_core_request asked;
    struct wt_error err = {0};
    int32_t result = -EINVAL;
    if (wt_host_core_take(&asked, s->bytes, r->follows)) {
        result =
            -(int32_t)(s->driver->core ? s->driver->core(s->context, r->device, &asked.core, &err)
                                       : wt_host_core_write(gpu_of(s, r), &asked.core, &err));
        if (result)
            answer->size =
                (uint32_t)snprintf((char *)s->bytes, sizeof s->bytes, "%s", err.text) + 1;
    }
    wt_host_core_forget(&asked);
    return result;
}

static uint32_t gpu_input(void *gpu, const struct wt_input *input)
{
    return wt_hosted_input(gpu, input);
}

static int32_t serve_own(struct wt_server *s, const struct wt_wire_request *r,
                         struct wt_wire_answer *answer)
{
    const struct wt_server_driver *d = s->driver;
    struct wt_hosted *gpu = gpu_of(s, r);
    const int32_t result = d->own ? d->own(s->context, r, answer, s->bytes) : -ENOSYS;
    return result != -ENOSYS || !d->serve
               ? result
               : d->serve(gpu->machine, gpu_input, gpu, r, answer, s->bytes);
}

static void attach(struct wt_server *s)
{
    if (s->gate)
        wt_gate_follow(s->gate, true);
    else if (s->driver->attach)
        s->driver->attach(s->context);
}

static int tell_events(struct wt_server *s, uint64_t ms, uint64_t *code)
{
    struct wt_gate *gate = s->gate;
    ms = ms < WT_WIRE_WAIT_MS ? ms : WT_WIRE_WAIT_MS;
    if (!gate)
        return s->driver->event(s->context, ms, code);
    if (ms)
        wt_gate_wait(gate, (unsigned)ms);
    return wt_gate_event(gate, code);
}

static bool has_news(struct wt_server *s)
{
    bool any = false;
    for (unsigned i = 0; i < s->devices; i++)
        any |= live_has_news(&s->gpu[i]->watched.live);
    return any;
}

static void know_code(struct wt_server *s, uint64_t state)
{
    if (s->gate)
        wt_gate_code_known(s->gate, state);
    else if (s->driver->code_known)
        s->driver->code_known(s->context, state);
}

/* Memory is to be there after the end. */
static void want_final(struct wt_server *s)
{
    for (unsigned i = 0; i < s->devices; i++)
        if (s->gpu[i]->final)
            wt_final_want(s->gpu[i]->final, true);
}

static bool next_mapped(void *context, unsigned gpu, uint64_t from, uint64_t *addr, uint64_t *size)
{
    const struct wt_server *s = context;
    return wt_regions_next(&s->gpu[gpu]->machine->regions, from, addr, size);
}

static bool read_final(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    const struct wt_server *s = context;
    return s->driver->final_read ? s->driver->final_read(s->context, addr, bytes, size)
                                 : wt_hosted_read_plain(s->gpu[0], addr, bytes, size);
}

static uint32_t next_final(struct wt_server *s, const struct wt_wire_request *r)
{
    const struct wt_final_ops memory = {s->devices, next_mapped, read_final};
    struct wt_final_memory *final = gpu_of(s, r)->final;
    if (s->driver->final_next)
        return (uint32_t)s->driver->final_next(s->context, r->device, r->addr, s->bytes,
                                               sizeof s->bytes);
    return final ? (uint32_t)wt_final_next(final, &memory, s, r->addr, s->bytes, sizeof s->bytes)
                 : 0;
}

/* Executes a request. Its bytes, then those of the answer, are s->bytes. */
static int32_t serve(struct wt_server *s, const struct wt_wire_request *r,
                     struct wt_wire_answer *answer)
{
    const struct wt_server_driver *d = s->driver;
    if (r->device >= s->devices && r->verb != WT_WIRE_HELLO)
        return -ENODEV;
    switch ((enum wt_wire_verb)r->verb) {
    case WT_WIRE_HELLO:
        return greet(s, answer);
    case WT_WIRE_ATTACH:
        attach(s);
        return 0;
    case WT_WIRE_EVENT:
        return tell_events(s, r->value, &answer->value[0]) | (has_news(s) ? WT_WIRE_NEWS : 0);
    case WT_WIRE_CODE_KNOWN:
        know_code(s, r->value);
        return 0;
    case WT_WIRE_READ:
        return give_memory(s, r, answer);
    case WT_WIRE_WRITE:
        return write_memory(s, r, s->bytes) ? 0 : -EFAULT;
    case WT_WIRE_GATHER:
    case WT_WIRE_SCATTER:
        return transfer(s, r, answer);
    case WT_WIRE_REGISTERS:
        return access_registers(s, r, answer);
    case WT_WIRE_WATCH:
    case WT_WIRE_HITS:
    case WT_WIRE_LIVE:
    case WT_WIRE_ARRIVED:
    case WT_WIRE_LIVE_NEWS:
        return serve_places(s, r, answer);
    case WT_WIRE_HOME:
        return tell_home(s, r, answer);
    case WT_WIRE_WAITS:
        return tell_wait(s, r, answer);
    case WT_WIRE_STATE:
        return tell_state(s, r, answer);
    case WT_WIRE_FAULT:
        return tell_fault(s, r, answer);
    case WT_WIRE_OBJECTS:
    case WT_WIRE_DEFINED:
    case WT_WIRE_STANDING:
        return tell_of_program(s, r, answer);
    case WT_WIRE_RECORD:
        return wt_hosted_record(gpu_of(s, r), r->value) ? 0 : -ENOMEM;
    case WT_WIRE_TIME:
        answer->value[0] = wt_recording_time(gpu_of(s, r)->recording);
        return 0;
    case WT_WIRE_HISTORY:
        return travel(s, r, answer);
    case WT_WIRE_CORE:
        return write_core(s, r, answer);
    case WT_WIRE_FINAL:
        want_final(s);
        return 0;
    case WT_WIRE_FINAL_NEXT:
        answer->size = next_final(s, r);
        return WT_FINAL_WIRE_MEMORY;
    default:
        return r->verb < d->family ? -ENOSYS : serve_own(s, r, answer);
    }
}

/* ---- the conversation ---- */

struct serving {
    struct wt_server *server;
    const struct wt_wire_request *request;
    struct wt_wire_answer answer;
    bool done;
};

static void serve_it(void *context)
{
    struct serving *s = context;
    const struct wt_wire_request *r = s->request;
    if (r->device < s->server->devices && r->verb != WT_WIRE_HELLO && r->verb != WT_WIRE_EVENT)
        wt_observed_by_debugger(gpu_of(s->server, r));
    s->answer.result = serve(s->server, s->request, &s->answer);
    s->done = true;
}

static void locked(struct wt_server *s, const struct wt_wire_request *request,
                   struct serving *serving)
{
    if (!s->gate) {
        s->driver->locked(s->context, request, serve_it, serving);
        return;
    }
    wt_gate_enter_as_debugger(s->gate);
    serve_it(serving);
    wt_gate_leave_as_debugger(s->gate);
}

/* A driver may break off serving: the program has unmapped memory that is accessed. */
static bool converse(void *context, struct wt_endpoint *endpoint, int fd)
{
    struct wt_server *s = context;
    struct wt_wire_request request;
    struct serving serving = {.server = s, .request = &request, .answer = {.result = 0}};
    if (!wt_endpoint_receive(fd, &request, sizeof request) || !wt_wire_sound(&request) ||
        !wt_endpoint_receive(fd, s->bytes, request.follows))
        return false;
    locked(s, &request, &serving);
    if (!serving.done)
        serving.answer = (struct wt_wire_answer){.result = -EFAULT};
    return wt_endpoint_answer(endpoint, &serving.answer, sizeof serving.answer, s->bytes,
                              serving.answer.size);
}

static void begin(void *context)
{
    const struct wt_server *s = context;
    if (s->driver->begin)
        s->driver->begin(s->context);
}

/* Who has only looked has changed nothing but the recordings. */
static void undo_all(struct wt_server *s)
{
    for (unsigned i = 0; i < s->devices; i++) {
        struct wt_hosted *gpu = s->gpu[i];
        if (gpu->final)
            wt_final_want(gpu->final, false);
        wt_hosted_record(gpu, 0);
        if (!s->gate->followed)
            continue;
        wt_planted_set(gpu->planted, false, copy_code, &(struct code){s, i});
        wt_planted_forget(gpu->planted);
        watched_set(&gpu->watched, gpu->machine, NULL, 0, s->driver->changes);
    }
    if (!s->gate->followed)
        return;
    s->driver->let_go(s->context);
    wt_gate_follow(s->gate, false);
    wt_gate_poke(s->gate);
}

static void let_go(void *context)
{
    struct wt_server *s = context;
    wt_observed_let_go();
    if (!s->gate) {
        s->driver->let_go(s->context);
        return;
    }
    wt_gate_enter_as_debugger(s->gate);
    undo_all(s);
    wt_gate_leave_as_debugger(s->gate);
}

static bool is_held(void *context)
{
    const struct wt_server *s = context;
    struct wt_gate *gate = s->gate;
    if (!gate)
        return s->driver->is_held(s->context);
    wt_gate_enter_as_debugger(gate);
    const bool held = gate->held;
    wt_gate_leave_as_debugger(gate);
    return held;
}

static void release(void *context)
{
    const struct wt_server *s = context;
    struct wt_gate *gate = s->gate;
    if (!gate) {
        s->driver->release(s->context);
        return;
    }
    wt_gate_enter_as_debugger(gate);
    wt_gate_hold(gate, false);
    wt_gate_leave_as_debugger(gate);
}

static uint8_t *last(void *context, size_t *size)
{
    const struct wt_server *s = context;
    return live_last(&s->gpu[0]->watched.live, size);
}

/* ---- beginning and end ---- */

static struct wt_server *server; /* NULL: debuggers cannot come */

/* A child does not have its parent's server. */
static void after_fork(void)
{
    if (!server || server->process == getpid())
        return;
    wt_endpoint_after_fork(server->endpoint);
    if (server->driver->forked)
        server->driver->forked();
    server = NULL;
}

/* The server of this process. A fork that another thread had begun before follow_process() has not
 * called after_fork(). */
static struct wt_server *own_server(void)
{
    after_fork();
    return server;
}

/* A debugger that wants memory after the end is served for some seconds more. */
static void tell_exit(int status, void *context)
{
    const struct wt_server *s = own_server();
    if (s && s->gpu[0]->final && wt_final_wanted(s->gpu[0]->final))
        wt_endpoint_tell_exit_and_wait(s->endpoint, status);
    else
        wt_server_tell_exit(status);
}

static void follow_process(void)
{
    pthread_atfork(NULL, NULL, after_fork);
    on_exit(tell_exit, NULL);
}

bool wt_server_start(const struct wt_server_driver *driver, void *context, struct wt_gate *gate,
                     struct wt_hosted *const *gpus, unsigned devices, pid_t holder)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct wt_server *there = own_server();
    struct wt_server *s = calloc(1, sizeof *s);
    assert(devices <= WT_WIRE_DEVICES && !there);
    pthread_once(&once, follow_process);
    if (!s)
        return false;
    s->driver = driver;
    s->context = context;
    s->gate = gate;
    s->devices = devices;
    s->process = getpid();
    memcpy(s->gpu, gpus, devices * sizeof *gpus);
    s->ops = (struct wt_endpoint_ops){.kind = driver->kind,
                                      .family = driver->family,
                                      .begin = begin,
                                      .converse = converse,
                                      .let_go = let_go,
                                      .is_held = is_held,
                                      .release = release,
                                      .last = last};
    if (gate)
        wt_gate_hold(gate, wt_endpoint_held(&holder));
    server = s;
    s->endpoint = wt_endpoint_start(&s->ops, s, holder);
    if (s->endpoint)
        return true;
    if (gate && gate->held) {
        fputs("wavetrap: debuggers cannot attach: kernels are not held\n", stderr);
        wt_gate_hold(gate, false);
    }
    server = NULL;
    free(s);
    return false;
}

void wt_server_stop(void)
{
    struct wt_server *s = own_server();
    if (s)
        wt_endpoint_stop(s->endpoint);
    free(s);
    server = NULL;
}

void wt_server_tell_exit(int status)
{
    const struct wt_server *s = own_server();
    if (s)
        wt_endpoint_tell_exit(s->endpoint, status);
}

__attribute__((destructor)) void wt_server_forget(void)
{
    const struct wt_server *s = own_server();
    if (s)
        wt_endpoint_forget(s->endpoint);
}
