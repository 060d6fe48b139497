/* The driver of host programs: runs their kernels, and serves their debugger. */
#include "base/report.h"
#include "toy_host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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
    struct toy_device *device;
    struct wt_server *server;
    struct wt_core_on_fault on_fault;
    uint64_t number, next;
    struct wt_gate gate;
    struct wt_planted_list breakpoints;
} toy = {.gate = WT_GATE_OPEN, .next = TOY_BUFFERS, .breakpoints = WT_PLANTED_NONE};

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
    return wt_gate_has_news(&toy.gate);
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
    wt_planted_lift(&toy.breakpoints, addr, bytes, size);
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

static void hello(void *context, struct wt_wire_hello *hello, uint64_t *code)
{
    hello->units[0] = toy.device->cores;
}

static bool copy(void *context, const struct wt_wire_request *r, uint8_t *bytes, size_t size,
                 bool out)
{
    struct wt_machine *m = &toy.device->machine;
    return out ? m->ops->read_memory(m, r->wave, r->lane, r->addr, bytes, size)
               : wt_hosted_input(&toy.hosted, &(struct wt_input){.kind = WT_INPUT_MEMORY,
                                                                 .wave = r->wave,
                                                                 .lane = r->lane,
                                                                 .addr = r->addr,
                                                                 .bytes = bytes,
                                                                 .size = size});
}

static uint64_t breakpoint(void *context, const struct wt_wire_request *r, uint64_t bytes,
                           uint64_t original)
{
    return r->follows == 1 && bytes == TOY_BREAK ? 0xff : 0;
}

static bool plant(void *context, uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    return copy(context, &(struct wt_wire_request){.addr = addr}, bytes, size, out);
}

static void let_go(void *context)
{
    wt_hosted_record(&toy.hosted, 0);
    wt_planted_set(&toy.breakpoints, false, plant, context);
    wt_planted_forget(&toy.breakpoints);
    for (uint32_t i = 0; i <= toy.machine->waves && toy.gate.followed; i++)
        wt_hosted_input(&toy.hosted, &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE, .addr = i});
    wt_gate_follow(&toy.gate, false);
    wt_gate_poke(&toy.gate);
}

static bool fault(void *context, const struct wt_wire_request *r, struct wt_fault *out)
{
    const bool there =
        wt_hosted_has(&toy.hosted, r) && toy.device->wave[r->wave].cause == TOY_FAILED;
    if (there)
        *out = toy.device->wave[r->wave].error;
    return there;
}

static const struct wt_server_driver driver = {.kind = TOY_SOCKET,
                                               .family = TOY_WIRE_FAMILY,
                                               .let_go = let_go,
                                               .hello = hello,
                                               .copy = copy,
                                               .breakpoint = breakpoint,
                                               .fault = fault,
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
    wt_core_on_fault_begin(&toy.on_fault);
    toy.hosted = (struct wt_hosted){.machine = &toy.device->machine,
                                    .core = &core_ops,
                                    .recorded = &recording_ops,
                                    .records = toy.on_fault.history,
                                    .planted = &toy.breakpoints};
    toy.machine->fill = fill;
    wt_hosted_record(&toy.hosted, 0);
    wt_gate_hold(&toy.gate, wt_endpoint_held(&holder));
    toy.server =
        wt_server_start(&driver, &toy, &toy.gate, (struct wt_hosted *[]){&toy.hosted}, 1, holder);
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

/* Runs a slice, then lets the debugger in; false: the kernel has ended. */
static bool run_slice(enum wt_run *run)
{
    const uint64_t before = toy.machine->time;
    *run = wt_hosted_run(&toy.hosted, wt_gate_budget(&toy.gate, 100000));
    wt_tally_add(TOY_WIRE_FAMILY, 0, toy.machine->time > before ? toy.machine->time - before : 0);
    return wt_gate_turn(&toy.gate, run, *run != WT_RUN_BUDGET);
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
    wt_gate_enter(&toy.gate);
    if (toy_load(toy.device, file, bytes, argument, &launch, &err)) {
        wt_tally_refused(TOY_WIRE_FAMILY, err.text);
        wt_gate_leave(&toy.gate);
        return -1;
    }
    toy.gate.code++;
    wt_gate_await(&toy.gate);
    launch.number = ++toy.number;
    wt_counted_before_kernel(&toy.hosted, 0, NULL);
    wt_recording_before_kernel(toy.recording);
    toy_do_launch(toy.machine, &launch, sizeof launch);
    wt_recording_after_kernel(toy.recording);
    wt_tally_add(TOY_WIRE_FAMILY, 1, 0);
    wt_gate_began(&toy.gate, &toy.hosted);
    while (run_slice(&run))
        continue;
    wt_gate_ended(&toy.gate);
    const int result = run == WT_RUN_ENDED ? 0 : report();
    toy.machine->fault.kind = WT_FAULT_NONE;
    wt_gate_leave(&toy.gate);
    return result;
}
