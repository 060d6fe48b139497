/* The driver of host programs: runs their kernels, and serves their debugger. */
#include "base/report.h"
#include "toy_host.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "emulator/machine/archive_parts.h"
#include "runtime/common/counted.h"
#include "runtime/common/planted.h"
#include "runtime/common/policy.h"
#include "runtime/common/recording.h"
#include "runtime/common/serve.h"
#include "runtime/common/tally.h"
#include "toy.h"

static struct {
    WT_HOSTED;
    pthread_mutex_t gate;    /* whoever uses the device */
    pthread_cond_t let;      /* something has changed */
    _Atomic unsigned wanted; /* requests of the debugger, which come first */
    struct toy_device *device;
    struct wt_server *server;
    struct wt_core_on_fault on_fault;
    uint64_t number, pokes, next;
    uint64_t code, known; /* states of the code */
    bool held, followed, stopped;
    struct wt_planted_list planted;
} toy = {.gate = PTHREAD_MUTEX_INITIALIZER,
         .let = PTHREAD_COND_INITIALIZER,
         .next = TOY_BUFFERS,
         .planted = WT_PLANTED_NONE};

/* ---- recordings and core files ---- */

static bool maps(void *gpu, uint64_t addr)
{
    return wt_regions_at(&toy.device->regions, addr);
}

static bool is_shared(void *gpu, uint64_t addr)
{
    return false; /* the program waits for its kernels */
}

static bool has_kernels(void *gpu)
{
    return toy.device->grid.active;
}

static bool has_exception(void *gpu)
{
    return toy.followed && toy.stopped;
}

static void name(void *gpu, char *text, size_t size)
{
    snprintf(text, size, "toy");
}

static const struct wt_recording_ops recording_ops = {.maps = maps,
                                                      .is_shared = is_shared,
                                                      .has_kernels = has_kernels,
                                                      .has_exception = has_exception,
                                                      .name = name};

static void config(void *context, char *text, size_t size)
{
    snprintf(text, size, "cores=%u", toy.device->cores);
}

static void modules(void *context, struct wt_core_writer *w, struct wt_archive *a)
{
}

static bool read_own(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    if (!wt_regions_hold(&toy.device->regions, addr, size, false))
        return false;
    memcpy(bytes, (const void *)(uintptr_t)addr, size); // NOLINT
    wt_planted_lift(&toy.planted, addr, bytes, size);
    return true;
}

static bool archive(struct wt_machine *m, struct wt_archive *a, const struct wt_host_archive *host)
{
    return wt_archive_in_host(a, m, host, toy.device->regions.region, toy.device->regions.count);
}

static const struct wt_host_core_ops core_ops = {.family = "toy",
                                                 .profile = TOY_PROFILE,
                                                 .config = config,
                                                 .modules = modules,
                                                 .read = read_own,
                                                 .read_process = read_own,
                                                 .archive = archive,
                                                 .operations = toy_operations};

/* ---- the debugger ---- */

static void wait_a_moment(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&toy.let, &toy.gate, &until);
}

static void enter(void)
{
    toy.wanted++;
    pthread_mutex_lock(&toy.gate);
}

static void leave(void)
{
    toy.wanted--;
    pthread_cond_broadcast(&toy.let);
    pthread_mutex_unlock(&toy.gate);
}

static void locked(void *context, const struct wt_wire_request *request, void (*serve)(void *),
                   void *serving)
{
    enter();
    serve(serving);
    leave();
}

static uint32_t apply(void *context, const struct wt_input *in)
{
    toy.pokes++;
    return toy.recording ? wt_recording_input(toy.recording, in)
                         : wt_input_apply(&toy.device->machine, in);
}

static uint32_t input(void *context, uint32_t device, const struct wt_input *in)
{
    return apply(context, in);
}

static void hello(void *context, struct wt_wire_hello *hello, uint64_t *code)
{
    hello->units[0] = toy.device->cores;
    *code = toy.code;
}

static void attach(void *context)
{
    toy.followed = toy.stopped = true;
    toy.held = false;
}

static int event(void *context, uint64_t ms, uint64_t *code)
{
    wt_recording_asked(toy.recording);
    for (; ms && !toy.stopped && toy.code == toy.known && toy.device->grid.active;
         ms -= ms < 20 ? ms : 20) {
        toy.wanted--;
        wait_a_moment();
        toy.wanted++;
    }
    *code = toy.code;
    const int happened =
        (toy.stopped ? WT_WIRE_STOPPED : 0) | (toy.code != toy.known ? WT_WIRE_CODE : 0);
    toy.stopped = false;
    return happened;
}

static void code_known(void *context, uint64_t state)
{
    toy.known = state;
}

static bool copy(void *context, const struct wt_wire_request *r, uint8_t *bytes, size_t size,
                 bool out)
{
    struct wt_machine *m = &toy.device->machine;
    return out ? m->ops->read_memory(m, r->wave, r->lane, r->addr, bytes, size)
               : apply(context, &(struct wt_input){.kind = WT_INPUT_MEMORY,
                                                   .wave = r->wave,
                                                   .lane = r->lane,
                                                   .addr = r->addr,
                                                   .bytes = bytes,
                                                   .size = size});
}

static void note_breakpoint(void *context, const struct wt_wire_request *r, const uint8_t *bytes,
                            size_t size)
{
    struct wt_planted_one one = {.addr = r->addr, .size = 1, .mask = {0xff}, .trap = {TOY_BREAK}};
    wt_planted_written(&toy.planted, r->addr, bytes, size);
    if (size == 1 && bytes[0] == TOY_BREAK && copy(context, r, one.original, 1, true))
        wt_planted_add(&toy.planted, &one);
}

static bool plant(void *context, uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    return copy(context, &(struct wt_wire_request){.addr = addr}, bytes, size, out);
}

static void let_go(void *context)
{
    enter();
    wt_recording_free(&toy.recording);
    wt_planted_set(&toy.planted, false, plant, context);
    wt_planted_forget(&toy.planted);
    for (uint32_t i = 0; i <= toy.device->machine.waves && toy.followed; i++)
        apply(context, &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE, .addr = i});
    toy.followed = toy.held = false;
    leave();
}

static bool is_held(void *context)
{
    return toy.held;
}

static void release(void *context)
{
    toy.held = false;
}

static struct wt_hosted *hosted(void *context, uint32_t device)
{
    return &toy.hosted;
}

static bool fault(void *context, const struct wt_wire_request *r, struct wt_fault *out)
{
    const bool there =
        wt_hosted_has(&toy.hosted, r) && toy.device->wave[r->wave].cause == TOY_FAILED;
    if (there)
        *out = toy.device->wave[r->wave].error;
    return there;
}

static int record(void *context, uint32_t device, uint64_t budget)
{
    if (budget)
        return wt_recording_want(&toy.hosted, &recording_ops, budget, WT_IGNORED) ? -ENOMEM : 0;
    wt_recording_free(&toy.recording);
    return 0;
}

static const struct wt_server_driver driver = {.kind = TOY_SOCKET,
                                               .family = TOY_WIRE_FAMILY,
                                               .let_go = let_go,
                                               .is_held = is_held,
                                               .release = release,
                                               .locked = locked,
                                               .hello = hello,
                                               .attach = attach,
                                               .event = event,
                                               .code_known = code_known,
                                               .copy = copy,
                                               .note_breakpoint = note_breakpoint,
                                               .input = input,
                                               .gpu = hosted,
                                               .fault = fault,
                                               .record = record,
                                               .serve = toy_serve};

/* ---- the program ---- */

static void tell_exit(int status, void *context)
{
    wt_server_tell_exit(toy.server, status, false);
    wt_server_stop(toy.server);
}

static bool open_toy(void)
{
    const char *gpus = getenv("WAVETRAP_TOY_GPUS"), *cores = gpus ? strstr(gpus, "cores=") : NULL;
    struct wt_schedule schedule;
    struct wt_fill fill = {WT_FILL_ZERO, 0};
    struct wt_error err;
    pid_t holder;
    if (toy.device)
        return true;
    if (wt_policy_of_environment(&schedule, &fill, &err) ||
        mmap((void *)(uintptr_t)TOY_MEMORY, TOY_MEMORY_BYTES, PROT_READ | PROT_WRITE, // NOLINT
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED ||
        !(toy.device = toy_new(cores ? (unsigned)(cores[6] - '0') : 2, true, &schedule, &err)))
        return false;
    toy.machine = &toy.device->machine;
    toy.machine->fill = fill;
    toy.core = &core_ops;
    wt_core_on_fault_begin(&toy.on_fault);
    if (toy.on_fault.history)
        record(NULL, 0, WT_TIMELINE_BUDGET_DEFAULT);
    toy.held = wt_endpoint_held(&holder);
    toy.server = wt_server_start(&driver, &toy, 1, holder);
    on_exit(tell_exit, NULL);
    return true;
}

void *toy_allocate(size_t bytes)
{
    const uint64_t at = toy.next;
    if (!open_toy() || bytes > TOY_MEMORY + TOY_MEMORY_BYTES - at)
        return NULL;
    toy.next += (bytes + 255) / 256 * 256;
    return (void *)(uintptr_t)at; // NOLINT
}

static void tally(uint64_t launches, uint64_t issues)
{
    struct wt_tally_gpu *t = wt_tally_of(TOY_WIRE_FAMILY);
    if (!t)
        return;
    atomic_fetch_add(&t->launches, launches);
    atomic_fetch_add(&t->issues, issues);
}

/* Runs a slice, then lets the debugger in; false: the kernel has ended. */
static bool run_slice(enum wt_run *run)
{
    struct wt_machine *m = &toy.device->machine;
    const uint64_t before = m->time, pokes = toy.pokes;
    *run = wt_recording_on(toy.recording) ? wt_recording_run(toy.recording, 20000)
                                          : m->ops->run(m, 20000);
    tally(0, m->time > before ? m->time - before : 0);
    if (*run == WT_RUN_ENDED)
        wt_recording_after_end(toy.recording);
    toy.stopped |= *run != WT_RUN_BUDGET;
    pthread_cond_broadcast(&toy.let);
    while (toy.wanted || wt_recording_waits(toy.recording) ||
           (toy.followed && *run == WT_RUN_HALTED && toy.pokes == pokes))
        wait_a_moment();
    return *run != WT_RUN_ENDED && *run != WT_RUN_FAULT;
}

static int report(void)
{
    struct wt_fault *f = &toy.device->machine.fault;
    char wave[WT_WAVE_NAME], place[32];
    wt_machine_name_wave(&toy.device->machine, f->wave, wave, sizeof wave);
    snprintf(place, sizeof place, "0x%llx", (unsigned long long)f->pc);
    fputs("wavetrap: ", stderr);
    const struct wt_fault_words words = {.wave = wave,
                                         .lane_word = "lane",
                                         .place = place,
                                         .instruction = "",
                                         .report = getenv(WT_REPORT_VARIABLE)};
    wt_fault_print(stderr, f, &words);
    wt_core_on_fault_write(&toy.on_fault, &toy.hosted, "", f->wave, (uint64_t)f->lanes, stderr);
    wt_tally_fault(TOY_WIRE_FAMILY);
    wt_recording_end(toy.recording, WT_RECORDING_NOT_YET);
    return -1;
}

int toy_launch(const void *file, size_t bytes, uint32_t groups, uint32_t waves,
               const uint64_t *argument)
{
    struct toy_launch launch = {.groups = groups, .waves = waves};
    struct wt_error err;
    enum wt_run run = WT_RUN_FAULT;
    if (!open_toy())
        return -1;
    pthread_mutex_lock(&toy.gate);
    while (toy.held)
        wait_a_moment();
    if (toy_load(toy.device, file, bytes, argument, &launch, &err)) {
        wt_tally_refused(TOY_WIRE_FAMILY, err.text);
        pthread_mutex_unlock(&toy.gate);
        return -1;
    }
    for (toy.code++; toy.followed && toy.known != toy.code;)
        wait_a_moment();
    launch.number = ++toy.number;
    wt_counted_before_kernel(&toy.hosted, 0, NULL);
    wt_recording_before_kernel(toy.recording);
    toy_do_launch(&toy.device->machine, &launch, sizeof launch);
    wt_recording_after_kernel(toy.recording);
    tally(1, 0);
    toy.stopped = true;
    while (run_slice(&run))
        continue;
    const int result = run == WT_RUN_ENDED ? 0 : report();
    toy.device->machine.fault.kind = WT_FAULT_NONE;
    pthread_mutex_unlock(&toy.gate);
    return result;
}
