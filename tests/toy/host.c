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
    struct wt_core_on_fault on_fault;
    uint64_t number, next;
    struct wt_gate gate;
    struct wt_planted_list breakpoints;
} toy = {.gate = WT_GATE_OPEN, .next = TOY_BUFFERS, .breakpoints = WT_PLANTED_NONE};

/* ---- recordings and core files ---- */

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

static const struct wt_recording_ops recording_ops = {
    .has_kernels = has_kernels, .has_exception = has_exception, .name = name};

static const struct wt_host_core_ops core_ops = {.family = "toy",
                                                 .profile = TOY_PROFILE,
                                                 .table = &toy_config_table,
                                                 .operations = toy_operations};

/* ---- the debugger ---- */

static void hello(void *context, struct wt_wire_hello *hello, uint64_t *code)
{
    hello->units[0] = toy.device->config.cores;
}

static uint64_t breakpoint(void *context, const struct wt_wire_request *r, uint64_t bytes,
                           uint64_t original)
{
    return r->follows == 1 && bytes == TOY_BREAK ? 0xff : 0;
}

static void let_go(void *context)
{
    wt_hosted_input(&toy.hosted, &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE});
}

static const struct wt_server_driver driver = {.kind = TOY_SOCKET,
                                               .family = TOY_WIRE_FAMILY,
                                               .let_go = let_go,
                                               .hello = hello,
                                               .breakpoint = breakpoint};

/* ---- the program ---- */

static bool open_toy(void)
{
    const char *gpus = getenv("WAVETRAP_TOY_GPUS"), *keys = gpus ? strchr(gpus, ':') : NULL;
    struct toy_config config;
    struct wt_error err;
    if (toy.device)
        return true;
    toy_config_table.set_default(&config);
    if (wt_policy_of_environment(&config.device, &err) ||
        (keys && wt_config_parse(&toy_config_table, &config, keys + 1, &err)) ||
        mmap((void *)(uintptr_t)TOY_MEMORY, TOY_MEMORY_BYTES, PROT_READ | PROT_WRITE, // NOLINT
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED ||
        !(toy.device = toy_new(&config, true, &err)))
        return false;
    wt_core_on_fault_begin(&toy.on_fault);
    toy.hosted = (struct wt_hosted){.machine = &toy.device->machine,
                                    .core = &core_ops,
                                    .recorded = &recording_ops,
                                    .records = toy.on_fault.history,
                                    .planted = &toy.breakpoints};
    wt_hosted_record(&toy.hosted, 0);
    wt_server_start(&driver, NULL, &toy.gate, (struct wt_hosted *[]){&toy.hosted}, 1, 0);
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

static int report(const struct wt_fault *f)
{
    char wave[WT_WAVE_NAME], place[32];
    wt_machine_name_wave(toy.machine, f->wave, wave, sizeof wave);
    snprintf(place, sizeof place, "0x%llx", (unsigned long long)f->pc);
    fputs("wavetrap: ", stderr);
    wt_fault_print(
        stderr, f,
        &(struct wt_fault_words){wave, "lane", place, "", NULL, getenv(WT_REPORT_VARIABLE)});
    wt_core_on_fault_write(&toy.on_fault, &toy.hosted, "", f->wave, (uint64_t)f->lanes, stderr);
    wt_tally_fault(TOY_WIRE_FAMILY);
    wt_recording_end(toy.recording, WT_RECORDING_NOT_YET);
    return -1;
}

/* Runs the kernel that has begun to its end. */
static int run(void)
{
    enum wt_run why;
    wt_gate_began(&toy.gate, &toy.hosted);
    do {
        const uint64_t before = toy.machine->time;
        why = wt_hosted_run(&toy.hosted, wt_gate_budget(&toy.gate, 100000), false);
        wt_tally_add(TOY_WIRE_FAMILY, 0,
                     toy.machine->time > before ? toy.machine->time - before : 0);
    } while (wt_gate_turn(&toy.gate, &why, why != WT_RUN_BUDGET));
    wt_gate_ended(&toy.gate);
    return why == WT_RUN_ENDED ? 0 : report(&toy.machine->fault);
}

int toy_launch(const void *file, size_t bytes, uint32_t groups, uint32_t waves,
               const uint64_t *argument)
{
    struct toy_launch launch = {.groups = groups, .waves = waves};
    struct wt_error err;
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
    const int result = run();
    toy.machine->fault.kind = WT_FAULT_NONE;
    wt_gate_leave(&toy.gate);
    return result;
}
