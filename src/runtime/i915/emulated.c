/* The driver's interface to the emulator: walks that run to their end, time, and reports. */
#include "emulator/machine/trail.h"
#include "runtime/i915/emulated.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/called_place.h"
#include "base/report.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "emulator/gen/host.h"
#include "emulator/gen/isa.h"
#include "emulator/machine/fill.h"
#include "emulator/machine/groups.h"
#include "emulator/translate/rows.h"
#include "object/gen_steps.h"
#include "object/gen_wire.h"
#include "runtime/common/catch.h"
#include "runtime/common/counted.h"
#include "runtime/common/guard.h"
#include "runtime/common/interrupt.h"
#include "runtime/common/places.h"
#include "runtime/common/progress.h"
#include "runtime/common/policy.h"
#include "runtime/common/tally.h"
#include "runtime/i915/order.h"
#include "runtime/i915/core_file.h"
#include "runtime/i915/interposed.h"
#include "runtime/i915/kernels.h"
#include "runtime/i915/variables.h"
#include "runtime/i915/waits.h"

struct wt_drm_emulated {
    struct gen_config config;
    struct gen_device *device;
    struct wt_i915 *driver;
    struct wt_drm_emulated *before, *after; /* the GPUs that were made before and after it */
    struct drm_debugged debugged;
    struct drm_order_gpu order;
    struct wt_progress progress;
    struct wt_core_on_fault core_on_fault;
    struct wt_rows_totals translated; /* as it was last counted */
    FILE *record;                     /* file of the buffer objects; NULL: none */
    bool caught;                      /* the batch's failure ends the program (exec --catch) */
    char *details; /* lines that follow the message of the batch's failure; NULL: none */
    size_t details_length;
};

/* ---- where the threads of a walk are ---- */

static uint64_t kernel_of(const struct gen_walk *walk)
{
    return walk->instructions + walk->kernel;
}

/* Walks run one after the other: the one that is under way. */
static struct gen_progress progress_of(const struct wt_drm_emulated *gpu)
{
    struct gen_progress p = {0};
    unsigned i = 0;
    while (i < GEN_WALKS && !gen_device_progress(gpu->device, i, &p))
        i++;
    return p;
}

static void describe(void *context, const struct wt_called_place *place, char *text, size_t size)
{
    wt_drm_kernel_describe(kernel_of(context), place, text, size);
}

static void tell_walk(FILE *out, struct wt_drm_emulated *gpu, const struct gen_walk *walk)
{
    const struct gen_progress p = progress_of(gpu);
    char kernel[300];
    struct gen_walk copy = *walk;
    const struct wt_places places = {.machine = gen_machine(gpu->device),
                                     .wave_word = "thread",
                                     .lane_word = "channel",
                                     .describe = describe,
                                     .context = &copy};
    describe(&copy, &(struct wt_called_place){.pc = kernel_of(walk)}, kernel, sizeof kernel);
    fprintf(out,
            "  the kernel at %s: %" PRIu64 " of %" PRIu64 " groups have ended, %" PRIu64
            " have begun\n",
            kernel, p.done, p.total, p.begun);
    wt_places_tell(out, &places);
}

void wt_drm_emulated_tell_waiting(struct wt_drm_emulated *gpu, FILE *out)
{
    while (gpu->after)
        gpu = gpu->after;
    for (struct wt_drm_emulated *g = gpu; g; g = g->before)
        wt_i915_tell_waiting(g->driver, out);
    drm_waits_tell(out);
}

/* The report of Ctrl-C; the process ends. */
static _Noreturn void end_interrupted(struct wt_drm_emulated *gpu, const struct gen_walk *walk)
{
    wt_progress_clear(&gpu->progress);
    fprintf(stderr, "wavetrap: interrupted: gen9, issue time %" PRIu64 ": %s\n",
            gen_machine(gpu->device)->time, walk ? "1 kernel runs" : "no kernel runs");
    if (walk)
        tell_walk(stderr, gpu, walk);
    wt_drm_emulated_tell_waiting(gpu, stderr);
    wt_interrupt_end();
}

static void end_standing(void *gpu)
{
    end_interrupted(gpu, NULL);
}

static void show_progress(struct wt_drm_emulated *gpu, const struct gen_walk *walk)
{
    const struct gen_progress p = progress_of(gpu);
    char kernel[200];
    wt_drm_kernel_name(kernel_of(walk), kernel, sizeof kernel);
    const struct wt_progress_of what = {.kernel = kernel, .done = p.done, .total = p.total};
    wt_progress_show(&gpu->progress, &what, gen_machine(gpu->device)->time);
}

/* ---- faults ---- */

/* Opens the details; NULL without host memory, and then there are none. */
static FILE *open_details(struct wt_drm_emulated *gpu)
{
    free(gpu->details);
    gpu->details = NULL;
    return open_memstream(&gpu->details, &gpu->details_length);
}

static void instruction_text(const struct wt_i915_mapping *mappings, size_t count, uint64_t pc,
                             char *text, size_t size)
{
    char whole[256];
    *text = 0;
    for (size_t i = 0; i < count; i++) {
        const struct wt_i915_mapping *m = &mappings[i];
        if (pc < m->address || pc - m->address > m->size - 16)
            continue;
        const uint8_t *bytes = m->host + (pc - m->address);
        const struct gen_word word = {wt_load_le(bytes, 8), wt_load_le(bytes + 8, 8)};
        gen_disassemble(&word, whole, sizeof whole);
        snprintf(text, size, "%s", whole + strspn(whole, " "));
    }
}

/* Prints the details of a fault, for which the message has no room. */
static void tell_fault(struct wt_drm_emulated *gpu, const struct wt_i915_mapping *mappings,
                       size_t count, const struct gen_walk *walk)
{
    struct wt_machine *m = gen_machine(gpu->device);
    const struct wt_fault *fault = &m->fault;
    const struct gen_progress p = progress_of(gpu);
    char place[WT_WAVE_NAME], where[300], kernel[300], line[300], instruction[256];
    FILE *out = open_details(gpu);
    if (!out)
        return;
    wt_machine_name_wave(m, fault->wave, place, sizeof place);
    uint64_t back[WT_TRAIL];
    const struct wt_called_place at = wt_trail_place(m, fault->wave, fault->lanes, fault->pc, back),
                                 entry = {.pc = kernel_of(walk)};
    wt_drm_kernel_describe(entry.pc, &at, where, sizeof where);
    wt_drm_kernel_describe(entry.pc, &entry, kernel, sizeof kernel);
    instruction_text(mappings, count, fault->pc, instruction, sizeof instruction);
    const struct wt_fault_words words = {place,       "channel", where,
                                         instruction, kernel,    getenv(WT_REPORT_VARIABLE)};
    wt_fault_print_details(out, fault, &words);
    fprintf(out, "  of the kernel at %s: SIMD%u, %u thread%s a group, %" PRIu64 " group%s\n",
            kernel, walk->simd, walk->threads, walk->threads > 1 ? "s" : "", p.total,
            p.total > 1 ? "s" : "");
    wt_drm_kernel_line(kernel_of(walk), fault->pc, line, sizeof line);
    if (strncmp(line, "line ", 5) != 0) /* it is in `where` */
        fprintf(out, "  %s\n", line);
    if (fault->kind == WT_FAULT_ACCESS && fault->addr < GEN_SLM_APERTURE)
        gen_device_tell_walk(out, "  ", gpu->device, fault->addr);
    wt_core_on_fault_write(&gpu->core_on_fault, &gpu->debugged.hosted, "", fault->wave,
                           (uint64_t)fault->lanes, out);
    fclose(out);
}

/* The fault of a walk, as the driver's message. */
static enum wt_status report(struct wt_drm_emulated *gpu, const struct wt_i915_mapping *mappings,
                             size_t count, const struct gen_walk *walk, struct wt_error *err)
{
    struct wt_fault *fault = &gen_machine(gpu->device)->fault;
    uint32_t group[3] = {0}, index = 0;
    char channels[WT_LANES_TEXT];
    drm_debugged_note_memory(&gpu->debugged, fault);
    wt_wave_group(gen_machine(gpu->device), fault->wave, group, &index);
    tell_fault(gpu, mappings, count, walk);
    wt_lanes_text(fault->lanes, channels, sizeof channels);
    return wt_fail(err, WT_INVALID,
                   "group (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") thread %" PRIu32
                   " channels %s, instruction 0x%" PRIx64 " of the kernel: %s",
                   group[0], group[1], group[2], index, channels,
                   fault->pc - walk->instructions - walk->kernel, fault->text);
}

/* ---- the driver's operations ---- */

/* A slice of a run. */
struct slice {
    struct wt_drm_emulated *gpu;
    enum wt_run why;
    bool lost;             /* the run cannot go on: memory of the program has gone */
    struct wt_fault fault; /* where that was; a debugger may go back in time from there */
};

static void run_slice(void *context)
{
    struct slice *s = context;
    s->why = drm_debugged_run(&s->gpu->debugged);
}

/* The program's threads run meanwhile, and may unmap memory of the batch. */
static void run_guarded(struct slice *s)
{
    struct drm_debugged *g = &s->gpu->debugged;
    uint64_t addr = g->lost_addr; /* if the debugger has come upon it */
    if (!g->lost_memory && wt_guarded(run_slice, s, &addr))
        return;
    s->lost = !gen_device_lost_memory(s->gpu->device, addr);
    drm_debugged_lost_memory(g, addr);
    s->why = WT_RUN_FAULT;
    s->fault = gen_machine(s->gpu->device)->fault;
}

/* The runtime's own kernels (copies, fills) have no name where the program's calls, which give
 * names to its kernels, are seen. */
static bool is_own(const struct gen_walk *walk)
{
    return drm_calls_are_seen() && drm_has_one_gpu() && !wt_drm_kernel_has_name(kernel_of(walk));
}

static void count_launch(const struct gen_walk *walk)
{
    struct wt_tally_gpu *tally = wt_tally_of(GEN_WIRE_FAMILY);
    if (tally)
        atomic_fetch_add(is_own(walk) ? &tally->own : &tally->launches, 1);
}

static void count_code(struct wt_hosted *hosted)
{
    struct wt_drm_emulated *gpu =
        (struct wt_drm_emulated *)((char *)hosted -
                                   offsetof(struct wt_drm_emulated, debugged.hosted));
    wt_tally_near(GEN_WIRE_FAMILY, gen_device_near(gpu->device));
    wt_tally_translated(GEN_WIRE_FAMILY, gen_device_translated(gpu->device), &gpu->translated);
}

static enum wt_run run_walk(struct wt_drm_emulated *gpu, const struct gen_walk *walk)
{
    struct wt_machine *m = gen_machine(gpu->device);
    struct slice s = {.gpu = gpu};
    count_launch(walk);
    wt_interrupt_attend(true);
    drm_waits_kernel(true);
    wt_progress_begin(&gpu->progress, m->time);
    do {
        const uint64_t before = m->time;
        run_guarded(&s);
        wt_tally_add(GEN_WIRE_FAMILY, 0, m->time > before ? m->time - before : 0);
        count_code(&gpu->debugged.hosted);
        wt_policy_report(m);
        if (wt_interrupt_take())
            end_interrupted(gpu, walk);
        if (wt_progress_due(&gpu->progress))
            show_progress(gpu, walk);
    } while (drm_debugged_continue(&gpu->debugged, s.why) && !s.lost);
    if (s.lost)
        drm_debugged_walked(&gpu->debugged);
    if (s.lost || (s.why == WT_RUN_FAULT && !m->fault.kind))
        m->fault = s.fault;
    wt_progress_clear(&gpu->progress);
    drm_waits_kernel(false);
    wt_interrupt_attend(false);
    if (s.why == WT_RUN_FAULT)
        wt_tally_fault(GEN_WIRE_FAMILY);
    return s.why;
}

static struct wt_check_race *race_of(struct drm_debugged *g)
{
    return wt_counted_race(&g->hosted, g->object_space);
}

static struct wt_check_race *take_races(void *context)
{
    struct wt_drm_emulated *gpu = context;
    drm_debugged_enter(&gpu->debugged);
    return race_of(&gpu->debugged);
}

static void give_races_back(void *context)
{
    struct wt_drm_emulated *gpu = context;
    drm_debugged_leave(&gpu->debugged);
}

static bool walks(void *context)
{
    const struct wt_drm_emulated *gpu = context;
    return gpu->debugged.walking;
}

static bool await_rest(void *context, uint64_t ns)
{
    const struct wt_drm_emulated *gpu = context;
    return wt_i915_await_rest(gpu->driver, ns);
}

/* The address in this process of a GPU address, and the number of bytes of the buffer object from
 * there on. */
static uint8_t *find_host(const struct wt_i915_mapping *mappings, size_t count, uint64_t address,
                          size_t *room)
{
    for (size_t i = 0; i < count; i++) {
        *room = (size_t)(mappings[i].size - (address - mappings[i].address));
        if (address - mappings[i].address < mappings[i].size)
            return mappings[i].host + (address - mappings[i].address);
    }
    *room = 0;
    return NULL;
}

/* Where the first surfaces of a walk's binding table begin (Skylake PRM volume 2d,
 * BINDING_TABLE_STATE, RENDER_SURFACE_STATE); 0: nowhere. */
static void find_surfaces(const struct wt_i915_mapping *mappings, size_t count,
                          const struct gen_walk *walk, uint64_t base[DRM_ORDER_SURFACES])
{
    enum { BASE = 32, BYTES = 64 };
    size_t room;
    const uint8_t *table = find_host(mappings, count, walk->surfaces + walk->binding_table, &room);
    for (unsigned i = 0; table && i < DRM_ORDER_SURFACES && room >= 4 * (i + 1); i++) {
        uint32_t offset;
        size_t left;
        memcpy(&offset, table + 4 * (size_t)i, sizeof offset);
        const uint8_t *state =
            find_host(mappings, count, walk->surfaces + (offset & ~UINT32_C(63)), &left);
        if (state && left >= BYTES)
            memcpy(&base[i], state + BASE, sizeof base[i]);
        base[i] &= (UINT64_C(1) << WT_MEMORY_ADDRESS_BITS) - 1;
    }
}

/* The device has been taken for it. */
static enum wt_status run_to_end(struct wt_drm_emulated *gpu, uint64_t root,
                                 const struct wt_i915_mapping *mappings, size_t count,
                                 const struct gen_walk *walk, struct wt_error *err)
{
    struct wt_machine *m = gen_machine(gpu->device);
    enum wt_status status;
    struct drm_order_walk of = {
        .kernel = kernel_of(walk), .number = walk->launch, .own = !gpu->debugged.judged};
    if (of.own)
        find_surfaces(mappings, count, walk, of.surface);
    drm_order_walk(&gpu->order, race_of(&gpu->debugged), &of);
    drm_names_list(&gpu->debugged, kernel_of(walk), mappings, count);
    if ((status = drm_debugged_walk(&gpu->debugged, root, mappings, count, walk, err)) != WT_OK)
        return status;
    wt_counted_set_variables(&gpu->debugged.hosted, drm_variable, &gpu->debugged);
    const enum wt_run why = run_walk(gpu, walk);
    if (why == WT_RUN_ENDED) {
        drm_debugged_walked(&gpu->debugged);
        return WT_OK;
    }
    status = why == WT_RUN_FAULT
                 ? report(gpu, mappings, count, walk, err)
                 : wt_fail(err, WT_INVALID, "all threads wait, and nothing will wake them");
    drm_debugged_walked(&gpu->debugged); /* a core file had what was recorded */
    gpu->caught = wt_catch_ends(why == WT_RUN_FAULT && m->fault.kind == WT_FAULT_ACCESS);
    drm_debugged_reset(&gpu->debugged);
    return status;
}

/* The arguments of `run`. */
struct emulated_command {
    struct wt_drm_emulated *gpu;
    const void *file;
    uint64_t root;
    const struct wt_i915_mapping *mappings;
    size_t count;
    const struct gen_walk *walk;
    enum wt_status status;
    struct wt_error *err;
};

static void run_command(void *context)
{
    struct emulated_command *c = context;
    struct wt_drm_emulated *gpu = c->gpu;
    struct gen_walk numbered = *c->walk;
    size_t room;
    uint8_t *code = find_host(c->mappings, c->count, kernel_of(c->walk), &room);
    drm_debugged_begin(&gpu->debugged, kernel_of(c->walk), code, room);
    wt_final_kernel(wt_i915_final_memory(gpu->driver));
    numbered.launch = gpu->debugged.launch;
    if (gpu->debugged.attached) /* the driver's routine takes the place of the runtime's */
        numbered.sip = 0;
    gpu->debugged.object_space = c->file;
    gpu->debugged.judged = !is_own(c->walk);
    numbered.slm_asked = wt_drm_kernel_local_asked(kernel_of(c->walk), c->walk->slm_bytes);
    numbered.private_bytes = wt_drm_kernel_private(kernel_of(c->walk), &numbered.private_at);
    numbered.in_step = c->walk->threads == 1 && !c->walk->barrier &&
                       wt_drm_kernel_has_fixed_group(kernel_of(c->walk));
    drm_walk_sizes(c->walk, find_host(c->mappings, c->count, c->walk->payload, &room), room,
                   &numbered);
    struct gen_steps *steps = wt_drm_kernel_steps(kernel_of(c->walk));
    gen_device_set_steps(gpu->device, steps);
    c->status = run_to_end(gpu, c->root, c->mappings, c->count, &numbered, c->err);
    gen_device_set_steps(gpu->device, NULL);
    gen_steps_free(steps);
}

/* Whether a host address is one of the walk's payload; else it is of its code. */
static bool is_payload(const struct emulated_command *c, uint64_t addr)
{
    size_t room;
    const uint8_t *payload = find_host(c->mappings, c->count, c->walk->payload, &room);
    return payload && addr - (uintptr_t)payload < room;
}

static enum wt_status run(void *context, const void *file, uint64_t root,
                          const struct wt_i915_mapping *mappings, size_t count,
                          const struct gen_walk *walk, struct wt_error *err)
{
    struct wt_drm_emulated *gpu = context;
    struct emulated_command c = {.gpu = gpu,
                                 .file = file,
                                 .root = root,
                                 .mappings = mappings,
                                 .count = count,
                                 .walk = walk,
                                 .err = err};
    uint64_t addr;
    if (!wt_guarded(run_command, &c, &addr)) { /* code or payload: the device is taken */
        drm_debugged_reset(&gpu->debugged);
        c.status = wt_fail(err, WT_INVALID,
                           "the program has given back the memory at 0x%llx, which has %s",
                           (unsigned long long)addr,
                           is_payload(&c, addr) ? "the kernel's arguments" : "the kernel");
    }
    drm_debugged_end(&gpu->debugged);
    return c.status;
}

static uint64_t ticks(void *context)
{
    /* 12 MHz; the product of nanoseconds and frequency would overflow after half an hour. */
    return wt_clock_ns() / 1000 * (WT_I915_CLOCK_HZ / 1000000);
}

static void say(void *context, const char *text, bool failed)
{
    struct wt_drm_emulated *gpu = context;
    flockfile(stderr);
    fprintf(stderr, "wavetrap: %s\n%s", text, failed && gpu->details ? gpu->details : "");
    funlockfile(stderr);
    if (!failed)
        return;
    if (gpu->caught)
        wt_catch_end();
    free(gpu->details);
    gpu->details = NULL;
}

static uint32_t read_register(void *context, uint32_t number)
{
    struct wt_drm_emulated *gpu = context;
    return drm_debugged_batch_reads(&gpu->debugged, number);
}

static void write_register(void *context, uint32_t number, uint32_t value)
{
    struct wt_drm_emulated *gpu = context;
    drm_debugged_batch_writes(&gpu->debugged, number, value);
}

/* Makes memory zero, and writes no page that is: the host need not provide that one. */
static void clear(uint8_t *bytes, uint64_t size)
{
    for (uint64_t part; size; bytes += part, size -= part) {
        part = size < WT_PAGE_SIZE ? size : WT_PAGE_SIZE;
        if (*bytes || memcmp(bytes, bytes + 1, part - 1) != 0)
            memset(bytes, 0, part);
    }
}

static void fill(void *context, uint64_t place, uint8_t *bytes, uint64_t size, bool is_zero)
{
    const struct wt_drm_emulated *gpu = context;
    if (gpu->config.fill.kind != WT_FILL_ZERO)
        wt_fill_bytes(&gpu->config.fill, place, bytes, size);
    else if (!is_zero)
        clear(bytes, size);
}

static const struct wt_i915_ops ops = {run, ticks, read_register, write_register, say, fill};

/* exec --gem=FILE; the GPUs of a program share the file. */
static void record_gem(struct wt_drm_emulated *gpu)
{
    const char *pattern = getenv(WT_GEM_VARIABLE);
    char path[PATH_MAX];
    struct wt_error err;
    if (!pattern || !*pattern)
        return;
    if (wt_file_name(pattern, 1, path, sizeof path, &err) != WT_OK) {
        fprintf(stderr, "wavetrap: --gem: %s\n", err.text);
        return;
    }
    gpu->record = fopen(path, "ae");
    if (gpu->record)
        wt_i915_record_gem(gpu->driver, gpu->record);
    else
        fprintf(stderr, "wavetrap: %s: cannot be written: %s\n", path, strerror(errno));
}

void wt_drm_emulated_free(struct wt_drm_emulated *gpu)
{
    if (!gpu)
        return;
    wt_i915_free(gpu->driver);
    drm_debugged_free(&gpu->debugged);
    gen_device_free(gpu->device);
    if (gpu->record)
        fclose(gpu->record);
    free(gpu->details);
    free(gpu);
}

enum wt_status wt_drm_emulated_new(const struct gen_config *config,
                                   const struct wt_drm_emulated *before,
                                   struct wt_drm_emulated **gpu, struct wt_error *err)
{
    enum wt_status status;
    struct wt_drm_emulated *g = calloc(1, sizeof *g);
    if (!g)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a GPU");
    g->config = *config;
    if ((status = gen_device_new_in_host(config, &g->device, err)) != WT_OK ||
        (status = wt_i915_new(&ops, g, config->subslices, &g->driver, err)) != WT_OK) {
        wt_drm_emulated_free(g);
        return status;
    }
    drm_debugged_init(&g->debugged, before ? before->debugged.number + 1 : 0, g->device,
                      &drm_core_ops);
    g->debugged.apart.count_code = count_code;
    g->debugged.apart.family = GEN_WIRE_FAMILY;
    if (before)
        gen_machine(g->device)->first_core =
            gen_machine(before->device)->first_core + before->config.subslices;
    record_gem(g);
    wt_core_on_fault_begin(&g->core_on_fault);
    wt_catch_of_environment(); /* names what has no sense */
    g->debugged.records = g->core_on_fault.history != 0;
    g->debugged.planted = wt_i915_planted(g->driver);
    g->debugged.final = wt_i915_final_memory(g->driver);
    g->order = (struct drm_order_gpu){g, take_races, give_races_back, walks, await_rest};
    drm_order_gpu_made(&g->order);
    wt_hosted_record(&g->debugged.hosted, 0);
    wt_progress_start(&g->progress, getenv(WT_PROGRESS_VARIABLE), stderr);
    wt_interrupt_listen();
    if ((g->before = (struct wt_drm_emulated *)before))
        g->before->after = g;
    drm_waits_report_by(end_standing, g);
    *gpu = g;
    return WT_OK;
}

void wt_drm_emulated_after_fork(struct wt_drm_emulated *gpu, bool child)
{
    struct wt_error ignored;
    struct gen_device *fresh;
    /* Structures that the parent's thread was changing at that moment are in no defined state. */
    if (wt_i915_after_fork(gpu->driver, child) &&
        gen_device_new_in_host(&gpu->config, &fresh, &ignored) == WT_OK) {
        gen_machine(fresh)->first_core = gen_machine(gpu->device)->first_core;
        gpu->device = fresh;
        gpu->translated = (struct wt_rows_totals){0};
    }
    if (!child)
        return;
    if (gpu->debugged.attached)
        gen_device_debug(gpu->device, false);
    drm_debugged_after_fork(&gpu->debugged, gpu->device);
}

struct drm_debugged *wt_drm_emulated_debugged(struct wt_drm_emulated *gpu)
{
    return &gpu->debugged;
}

struct wt_i915 *wt_drm_emulated_driver(struct wt_drm_emulated *gpu)
{
    return gpu->driver;
}
