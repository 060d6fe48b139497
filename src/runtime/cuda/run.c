/* Launches on the emulated SM behind libcuda: prepares, runs and counts them, and
 * reports faults. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/called_place.h"
#include "base/report.h"
#include "base/bits.h"
#include "base/demangle.h"
#include "base/foreign.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/trail.h"
#include "object/cubin.h"
#include "object/sm_wire.h"
#include "runtime/common/catch.h"
#include "runtime/common/counted.h"
#include "runtime/common/guard.h"
#include "runtime/common/interrupt.h"
#include "runtime/common/places.h"
#include "runtime/common/policy.h"
#include "runtime/common/serve.h"
#include "runtime/common/tally.h"
#include "runtime/cuda/call.h"
#include "runtime/cuda/debug.h"
#include "runtime/cuda/final_memory.h"
#include "runtime/cuda/gpu_internal.h"

/* Issues at a time: a few milliseconds, until a debugger that comes is heard. */
#define RUN 100000

/* The file that a line's .loc names; NULL: there is none. */
static char *file_of(const struct gpu_module *m, const struct sm_ptx_line *line)
{
    const struct ptx_module *text = m->text[line->module].text;
    for (size_t k = 0; line->file && k < text->file_count; k++)
        if (text->file[k].number == line->file)
            return strndup(text->file[k].name.at, text->file[k].name.length);
    return NULL;
}

/* The PTX function that holds an address. */
static const char *function_of(const struct gpu_module *m, uint64_t pc)
{
    size_t count;
    const struct sm_ptx_kernel *list = sm_ptx_kernels(m->image, &count);
    const char *name = "?";
    for (size_t i = 0; i < count; i++)
        if (pc >= list[i].entry && pc < list[i].end)
            name = list[i].name;
    return name;
}

/* " at FILE:LINE" of an instruction of PTX. One in a header of compilers was inlined: the caller's
 * line comes behind the one before it in its function. False: none is in the user's code. */
static bool put_line(const struct gpu_module *m, uint64_t pc, FILE *out)
{
    enum { MOST = 16 }; /* bytes of an instruction, with the head of a bundle */
    struct sm_ptx_line own = {0}, line;
    size_t i = SIZE_MAX;
    for (size_t k = 0; sm_ptx_line(m->image, k, &line); k++)
        if (pc - line.address < MOST && line.address >= own.address) {
            own = line;
            i = k;
        }
    if (i == SIZE_MAX)
        return false;
    /* A label has no place of its own: it is the next instruction's. */
    for (size_t k = i;
         !own.file && sm_ptx_line(m->image, k, &line) && !(k > i && line.begins_function); k++)
        if (line.file) {
            own = line;
            i = k;
        }
    char *file = file_of(m, &own), *caller = NULL;
    const bool foreign = wt_is_foreign(NULL, file);
    line = own;
    while (wt_is_foreign(NULL, caller ? caller : file) && !line.begins_function && i > 0) {
        sm_ptx_line(m->image, --i, &line);
        free(caller);
        caller = file_of(m, &line);
    }
    const bool inlined = caller && !wt_is_foreign(NULL, caller);
    if (inlined)
        fprintf(out, " in %s, after line %u", caller, line.line);
    else
        fprintf(out, " at %s:%u", file ? file : m->text[own.module].name,
                file ? own.line : own.text_line);
    free(caller);
    free(file);
    return inlined || !foreign;
}

/* The location of an address of code: "ADDRESS <NAME> at FILE:LINE" in PTX, with the calls that it
 * is in, from the innermost on in the user's code; "ADDRESS <NAME+OFFSET>" in a cubin. */
static void describe(const struct gpu_module *m, const struct wt_called_place *place, char *text,
                     size_t size)
{
    char plain[300], *lines = NULL;
    size_t length;
    snprintf(text, size, "0x%" PRIx64, place->pc);
    for (size_t i = 0; i < m->cubin.function_count; i++) {
        const struct cubin_function *f = &m->cubin.function[i];
        if (place->pc - m->code - f->code < f->size)
            snprintf(text, size, "0x%" PRIx64 " <%s+0x%" PRIx64 ">", place->pc, f->name,
                     place->pc - m->code - f->code);
    }
    FILE *out = m->image ? open_memstream(&lines, &length) : NULL;
    if (!out)
        return;
    bool known = false;
    for (unsigned i = 0; i <= place->depth; i++) {
        const uint64_t pc = i ? place->back[i - 1] - 1 : place->pc;
        if (known) {
            wt_demangle_source(function_of(m, pc), plain, sizeof plain);
            fprintf(out, ", in %s", plain);
        } else {
            rewind(out);
        }
        known |= put_line(m, pc, out);
    }
    fputc(0, out);
    if (fclose(out) == 0) {
        wt_demangle(function_of(m, place->pc), plain, sizeof plain);
        snprintf(text, size, "0x%" PRIx64 " <%s>%s", place->pc, plain, lines);
    }
    free(lines);
}

/* The result that NVIDIA's documentation has for a mistake of a kernel. */
static CUresult result_of(const struct wt_fault *f)
{
    static const struct {
        const char *name;
        CUresult result;
    } results[] = {
        {"ASSERT", CUDA_ERROR_ASSERT},
        {"STACK_ERROR", CUDA_ERROR_HARDWARE_STACK_ERROR},
        {"API_STACK_ERROR", CUDA_ERROR_HARDWARE_STACK_ERROR},
        {"RET_EMPTY_STACK_ERROR", CUDA_ERROR_HARDWARE_STACK_ERROR},
        {"ILLEGAL_INSTR_ENCODING", CUDA_ERROR_ILLEGAL_INSTRUCTION},
        {"MISALIGNED_REG", CUDA_ERROR_ILLEGAL_INSTRUCTION},
        {"MISALIGNED_ADDR", CUDA_ERROR_MISALIGNED_ADDRESS},
        {"PC_WRAP", CUDA_ERROR_INVALID_PC},
        {"MISALIGNED_PC", CUDA_ERROR_INVALID_PC},
        {"PC_OVERFLOW", CUDA_ERROR_INVALID_PC},
        {"L1_ERROR", CUDA_ERROR_ILLEGAL_ADDRESS},
        {"OOR_ADDR", CUDA_ERROR_ILLEGAL_ADDRESS},
        {"INVALID_CONST_ADDR", CUDA_ERROR_ILLEGAL_ADDRESS},
        {"INVALID_CONST_ADDR_LDC", CUDA_ERROR_ILLEGAL_ADDRESS},
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        if (strcmp(f->name, results[i].name) == 0)
            return results[i].result;
    return f->kind == WT_FAULT_STACK_OVERFLOW ? CUDA_ERROR_HARDWARE_STACK_ERROR
                                              : CUDA_ERROR_LAUNCH_FAILED;
}

/* A program that does not look at the results of its allocations uses the address 0. */
static void tell_refused(const struct gpu *g, const struct wt_fault *f)
{
    if (g->refused && f->addr <= WT_PAGE_MASK && result_of(f) == CUDA_ERROR_ILLEGAL_ADDRESS)
        fprintf(stderr,
                "  an allocation of %" PRIu64 " bytes has failed before: the GPU has %" PRIu64
                " MiB of memory; -g sm:memory=SIZE gives it more\n",
                g->refused, g->config.memory >> 20);
}

static CUresult report(struct gpu *g, const struct gpu_launch *l)
{
    struct wt_machine *m = sm_machine(g->device);
    struct wt_fault *f = &m->fault;
    char wave[WT_WAVE_NAME], place[1000], instruction[300] = "", kernel[600];
    uint64_t back[WT_TRAIL];
    const struct wt_called_place at = wt_trail_place(m, f->wave, f->lanes, f->pc, back);
    describe(l->module, &at, place, sizeof place);
    sm_device_instruction(g->device, f->pc, instruction, sizeof instruction);
    wt_machine_name_wave(m, f->wave, wave, sizeof wave);
    gpu_note_fault_memory(g, f);
    const struct wt_fault_words words = {wave,        "lane", place,
                                         instruction, kernel, getenv(WT_REPORT_VARIABLE)};
    wt_demangle(l->kernel->name, kernel, sizeof kernel);
    fputs("wavetrap: ", stderr);
    wt_fault_print(stderr, f, &words);
    fprintf(stderr, "  of the kernel %s\n", kernel);
    tell_refused(g, f);
    wt_core_on_fault_write(&g->core_on_fault, &g->hosted, "", f->wave, (uint64_t)f->lanes, stderr);
    return result_of(f);
}

/* The part of a launch that needs no memory. */
static void describe_launch(const struct gpu *g, const struct gpu_launch *l,
                            struct sm_launch *launch)
{
    *launch = l->kernel->launch;
    launch->number = debug_launch().number + 1;
    launch->bank[0] = g->space + BANK;
    launch->bank_size[0] = CUBIN_PARAMETERS + l->kernel->parameter_bytes;
    launch->local_base = g->space + LOCAL;
    memcpy(launch->grid, l->grid, sizeof launch->grid);
    memcpy(launch->block, l->block, sizeof launch->block);
    const bool ptx = launch->rows;
    launch->heap = ptx ? g->space + HEAP : 0;
    launch->heap_size = ptx ? g->heap : 0;
    if (l->shared)
        launch->shared = (ptx ? launch->dynamic : launch->shared) + l->shared;
    if (launch->local < g->stack)
        launch->local = (uint32_t)g->stack;
    launch->together = l->together ? g->space + TOGETHER : 0;
}

unsigned gpu_resident(const struct gpu *g, const struct gpu_launch *l)
{
    struct sm_launch launch;
    describe_launch(g, l, &launch);
    return sm_launch_resident(g->device, &launch);
}

/* A barrier of all CTAs begins with zeros. */
static bool clear_together(struct gpu *g)
{
    static const uint8_t zeros[TOGETHER_BYTES];
    return sm_device_write(g->device, g->space + TOGETHER, zeros, sizeof zeros);
}

static enum wt_status prepare(struct gpu *g, const struct gpu_launch *l, struct sm_launch *launch,
                              struct wt_error *err)
{
    enum wt_status status;
    uint64_t state;
    size_t count;
    uint8_t bank[CUBIN_PARAMETERS] = {0};
    describe_launch(g, l, launch);
    const uint64_t local = sm_device_local_size(g->device, launch->local);
    if (local > g->local) {
        const uint64_t whole = (local + GAP - 1) / GAP * GAP;
        if ((status = gpu_map(g, g->space + LOCAL + g->local, whole - g->local, true, err)) !=
            WT_OK)
            return status;
        g->local = whole;
    }
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(bank + 0x8 + 4 * i, l->block[i], 4);
        wt_store_le(bank + 0x14 + 4 * i, l->grid[i], 4);
    }
    wt_store_le(bank + 0x20, launch->local, 4); /* where the stack of a thread begins */
    if ((l->together && !clear_together(g)) ||
        !sm_device_write(g->device, g->space + BANK, bank, sizeof bank) ||
        !sm_device_write(g->device, g->space + BANK + CUBIN_PARAMETERS, l->parameters,
                         l->kernel->parameter_bytes))
        return wt_fail(err, WT_NO_MEMORY, "no memory for parameters");
    debug_modules(&count, &state);
    wt_counted_before_kernel(&g->hosted, state, NULL);
    wt_counted_set_variables(&g->hosted, gpu_frame_variable, NULL);
    wt_recording_before_kernel(g->recording);
    status = sm_device_launch(g->device, launch, err);
    wt_recording_after_kernel(g->recording);
    return status;
}

/* ---- running ---- */

static void show_progress(struct gpu *g, const struct gpu_launch *l)
{
    struct wt_progress_of what = {.kernel = l->kernel->name};
    sm_device_progress(g->device, &what.done, &what.total);
    wt_progress_show(&g->progress, &what, sm_machine(g->device)->time);
}

static void describe_place(void *context, const struct wt_called_place *place, char *text,
                           size_t size)
{
    describe(context, place, text, size);
}

static _Noreturn void end_interrupted(struct gpu *g, const struct gpu_launch *l)
{
    struct wt_machine *m = sm_machine(g->device);
    struct gpu_module module = *l->module;
    const struct wt_places places = {.machine = m,
                                     .wave_word = "warp",
                                     .lane_word = "lane",
                                     .describe = describe_place,
                                     .context = &module};
    uint64_t done, total;
    sm_device_progress(g->device, &done, &total);
    wt_progress_clear(&g->progress);
    wt_server_forget();
    fprintf(stderr,
            "wavetrap: interrupted: sm, issue time %" PRIu64 ": kernel %s runs, %" PRIu64
            " of %" PRIu64 " blocks have ended\n",
            m->time, l->kernel->name, done, total);
    wt_places_tell(stderr, &places);
    wt_interrupt_end();
}

/* A part of a run. */
struct cuda_slice {
    struct gpu *gpu;
    enum wt_run result;
};

static void run_slice(void *context)
{
    struct cuda_slice *s = context;
    s->result = wt_hosted_run(&s->gpu->hosted, debug_budget(s->gpu, RUN), !debug_follows());
}

/* Other threads of the program may unmap memory that is registered. A recording cannot go on where
 * memory that it has a copy of is gone: the kernel is over, also for a debugger. */
static bool run_guarded(struct cuda_slice *s)
{
    struct gpu *g = s->gpu;
    uint64_t addr;
    if (wt_guarded(run_slice, s, &addr))
        return true;
    if (!gpu_maps(g, addr)) {
        fprintf(stderr, "wavetrap: libcuda: a mistake of the emulator: it accessed 0x%" PRIx64 "\n",
                addr);
        abort();
    }
    sm_device_lost_memory(g->device, addr);
    gpu_forget_lost(g, addr);
    s->result = WT_RUN_FAULT;
    return false;
}

static enum wt_run run(struct gpu *g, const struct gpu_launch *l)
{
    struct wt_machine *m = sm_machine(g->device);
    struct cuda_slice s = {.gpu = g};
    enum wt_run result;
    bool there;
    struct wt_fault fault = {.kind = WT_FAULT_NONE};
    wt_interrupt_attend(true);
    wt_progress_begin(&g->progress, m->time);
    do {
        const uint64_t before = m->time;
        there = run_guarded(&s);
        wt_tally_add(SM_WIRE_FAMILY, 0, m->time > before ? m->time - before : 0);
        wt_policy_report(m);
        result = s.result;
        if (!there)
            fault = m->fault;
        if (wt_interrupt_take())
            end_interrupted(g, l);
        if (wt_progress_due(&g->progress))
            show_progress(g, l);
    } while (debug_turn(g, &result) && there);
    if (!there) { /* wherever a debugger has been meanwhile */
        m->fault = fault;
        result = WT_RUN_FAULT;
    }
    gpu_count_code(&g->hosted);
    wt_progress_clear(&g->progress);
    wt_interrupt_attend(false);
    m->ops->flush_console(m);
    if (g->printed)
        fflush(stdout); /* what is written to stderr from now on comes behind it */
    g->printed = false;
    return result;
}

static CUresult failed(struct gpu *g, const struct gpu_launch *l)
{
    const CUresult result = report(g, l);
    wt_tally_fault(SM_WIRE_FAMILY);
    wt_recording_end(g->recording, WT_RECORDING_NOT_YET); /* a core file had it */
    if (!wt_catch_ends(result == CUDA_ERROR_ILLEGAL_ADDRESS ||
                       result == CUDA_ERROR_MISALIGNED_ADDRESS))
        return result;
    wt_catch_end();
}

CUresult gpu_run(struct gpu *g, const struct gpu_launch *l)
{
    const struct wt_machine *m = sm_machine(g->device);
    struct sm_launch launch;
    struct wt_error err;
    const uint64_t before = m->time;
    debug_launch_wait();
    wt_final_kernel(cuda_final_memory());
    const enum wt_status status = prepare(g, l, &launch, &err);
    if (status) {
        fprintf(stderr, "wavetrap: kernel %s: %s\n", l->kernel->name, err.text);
        return status == WT_NO_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY
                                      : CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    }
    debug_launch_began(g, &launch);
    wt_tally_add(SM_WIRE_FAMILY, 1, 0);
    const enum wt_run result = run(g, l);
    debug_launch_ended();
    if (call_logged())
        call_note("  kernel %s on device %u: grid %u x %u x %u, block %u x %u x %u: %" PRIu64
                  " instructions of warps",
                  l->kernel->name, g->number, l->grid[0], l->grid[1], l->grid[2], l->block[0],
                  l->block[1], l->block[2], m->time - before);
    if (result == WT_RUN_ENDED)
        return CUDA_SUCCESS;
    const CUresult failure = failed(g, l);
    sm_device_abandon(g->device); /* other contexts of the GPU go on */
    return failure;
}
