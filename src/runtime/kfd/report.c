/*
 * Reports of faults on stderr. Names and lines come from the code objects that the runtime has
 * loaded; it lists them for debuggers, as the dynamic linker lists libraries, with a URI for each
 * (LLVM, "User Guide for AMDGPU Backend", section "Loaded Code Object Path URI").
 */
#include "base/called_place.h"
#include "runtime/kfd/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/report.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/origin.h"
#include "emulator/machine/trail.h"
#include "runtime/symbols/symbols.h"

/* ---- code objects ---- */

/* The program's code objects from a place in the list on; NULL without host memory. */
static struct wt_modules *modules_now(struct host_code *code)
{
    struct wt_modules *modules = symbols_of()->list();
    while (modules && host_code_next(code)) {
        const int fd = host_code_object(code->uri);
        char path[64];
        if (fd < 0)
            continue;
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        symbols_of()->add_file(modules, path, code->bias, 0, NULL, WT_IGNORED);
        close(fd);
    }
    return modules;
}

static struct {
    pthread_mutex_t lock;
    struct wt_modules *modules; /* the code of this state */
    uint64_t state;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A child of fork() has code of its own; another thread may have been reading. */
static void forget_code(void)
{
    pthread_mutex_init(&known.lock, NULL);
    known.modules = NULL;
}

static __attribute__((constructor)) void follow_forks(void)
{
    pthread_atfork(NULL, NULL, forget_code);
}

bool host_variable(void *context, enum wt_observed_space space, uint64_t pc,
                   const struct wt_origin *o, struct wt_known_variable *v)
{
    struct host *host = context;
    struct wt_memory_variable found;
    struct host_code code;
    uint64_t state;
    const bool in_frame = o->base == WT_ORIGIN_FRAME, group = space == WT_OBSERVED_GROUP;
    const struct wt_own_place place = {.of = in_frame ? WT_PLACE_IN_FRAME
                                             : group  ? WT_PLACE_OF_GROUP
                                                      : WT_PLACE_OF_KERNEL,
                                       .at = (uint64_t)o->constant,
                                       .frame = (uint64_t)o->moved};
    if ((!group && space != WT_OBSERVED_PRIVATE) || (o->base != WT_ORIGIN_NO_BASE && !in_frame) ||
        !o->scaled || !symbols_of() || !host_code_state(host, &state))
        return false;
    pthread_mutex_lock(&known.lock);
    if (state != known.state || !known.modules) {
        symbols_of()->free(known.modules);
        known.modules = host_code_begin(host, &code) ? modules_now(&code) : NULL;
        known.state = state;
    }
    const bool is = known.modules && symbols_of()->variable(known.modules, pc, &place, &found);
    if (is) {
        *v = (struct wt_known_variable){.first = found.offset, .size = found.size};
        snprintf(v->name, sizeof v->name, "%s", found.name);
    }
    pthread_mutex_unlock(&known.lock);
    return is;
}

/*
 * Calls `look` with the program's code objects until it says that it has found what it wants. The
 * program's threads may be loading one right now, whose entry in the list is then not complete.
 */
static bool look_in_modules(struct host *host,
                            bool (*look)(const struct wt_modules *modules, void *context),
                            void *context)
{
    enum { TRIES = 20 };
    const struct timespec pause = {.tv_nsec = 1000000};
    struct host_code code;
    bool found = false;
    for (unsigned i = 0; host->debug && symbols_of() && !found && i < TRIES; i++) {
        if (i)
            nanosleep(&pause, NULL);
        if (!host_code_begin(host, &code))
            continue;
        struct wt_modules *modules = modules_now(&code);
        found = modules && look(modules, context);
        symbols_of()->free(modules);
    }
    return found;
}

struct description {
    const struct wt_called_place *place;
    char *text;
    size_t size;
};

static bool describe(const struct wt_modules *modules, void *context)
{
    const struct description *d = context;
    return symbols_of()->describe(modules, d->place, d->text, d->size);
}

bool host_describe_place(struct host *host, const struct wt_called_place *place, char *text,
                         size_t size)
{
    struct description d = {place, text, size};
    const bool found = look_in_modules(host, describe, &d);
    if (!found)
        snprintf(text, size, "0x%" PRIx64 " (in none of the program's code objects)", place->pc);
    return found;
}

bool host_describe(struct host *host, uint64_t pc, char *text, size_t size)
{
    return host_describe_place(host, &(struct wt_called_place){.pc = pc}, text, size);
}

struct report_search {
    const char *name;
    uint64_t addr;
};

static bool look_up(const struct wt_modules *modules, void *context)
{
    struct report_search *s = context;
    return symbols_of()->address(modules, 0, s->name, &s->addr);
}

bool host_symbol(struct host *host, const char *name, uint64_t *addr)
{
    struct report_search s = {.name = name};
    const bool found = look_in_modules(host, look_up, &s);
    *addr = s.addr;
    return found;
}

/* ---- reports ---- */

/* The memory at the address of a fault. */
static void note_memory(struct host_gpu *gpu, struct wt_fault *f)
{
    unsigned lane;
    uint64_t byte;
    uint32_t size;
    char text[1400];
    if (f->kind != WT_FAULT_ACCESS || *f->memory)
        return;
    if (gcn_explain_private_fault(gpu->device, f, &lane, &byte, &size)) {
        snprintf(f->memory, sizeof f->memory, GCN_PRIVATE_TEXT, lane, byte, size);
        return;
    }
    host_explain_fault(gpu->host, gpu->index, f->addr, text, sizeof text);
    snprintf(f->memory, sizeof f->memory, "%.*s", (int)sizeof f->memory - 1, text);
}

const struct wt_fault *host_wave_fault(struct host_gpu *gpu, uint32_t wave)
{
    struct wt_fault *f = gcn_wave_fault(gpu->machine, wave);
    if (f)
        note_memory(gpu, f);
    return f;
}

/* @taken: by the program's trap handler. */
static void report(struct host_gpu *gpu, const struct wt_fault *f, bool taken)
{
    struct wt_machine *m = gcn_machine(gpu->device);
    char place[WT_WAVE_NAME], where[1000], kernel[600] = "", instruction[256] = "";
    uint8_t bytes[8];
    uint64_t entry;
    unsigned dispatch;
    wt_machine_name_wave(m, f->wave, place, sizeof place);
    uint64_t back[WT_TRAIL];
    const struct wt_called_place at = wt_trail_place(m, f->wave, f->lanes, f->pc, back);
    host_describe_place(gpu->host, &at, where, sizeof where);
    if (gcn_wave_dispatch(gpu->device, f->wave, &dispatch, &entry))
        host_describe(gpu->host, entry, kernel, sizeof kernel);
    if (f->kind != WT_FAULT_TRAP && /* whose PC is behind it */
        gcn_device_read(gpu->device, f->pc, bytes, sizeof bytes)) {
        struct gcn_disassembler *d =
            gcn_disassembler_new(gpu->config.model, gpu->config.model->target.lanes);
        if (d)
            gcn_disassemble(d, bytes, sizeof bytes, f->pc, instruction, sizeof instruction);
        gcn_disassembler_free(d);
    }
    const struct wt_fault_words words = {place,       "lane", where,
                                         instruction, kernel, getenv(WT_REPORT_VARIABLE)};
    fprintf(stderr, "wavetrap: " HOST_GPU ": ", HOST_GPU_IS(gpu));
    wt_fault_print(stderr, f, &words);
    if (f->kind == WT_FAULT_EXCEPTION)
        gcn_explain_exception(stderr, gpu->device, f, taken);
    fprintf(stderr, "  of the kernel at %s\n", kernel);
    host_files_remove(); /* the runtime will abort, which runs no destructors */
}

void host_report_fault(struct host_gpu *gpu)
{
    struct wt_fault *f = &gcn_machine(gpu->device)->fault;
    note_memory(gpu, f);
    report(gpu, f, false);
}

/*
 * The runtime's trap handler keeps what it has found: the number of the trap in bits 28:25 of
 * TTMP6, which is 0 for exceptions, and the PC in TTMP7 and in bits 22:7 of TTMP11, since the wave
 * waits in the handler. The wave of a gfx942 or a gfx1030 halts where it was: TTMP0 and TTMP1 have
 * the PC still.
 */
void host_report_trap(struct host_gpu *gpu, uint32_t wave, struct host_trap *t)
{
    enum { TTMP = 108 };
    static const char *const meaning[] = {"", " (a breakpoint)",
                                          " (the program gave up: assert, abort or __builtin_trap)",
                                          " (a debug trap)"};
    uint32_t low = 0, high = 0, what = 0, exec[2] = {0, 0};
    const bool in_place = gpu->config.model->halts_in_place;
    gcn_wave_scalar(gpu->device, wave, TTMP + (in_place ? 0 : 7), &low);
    gcn_wave_scalar(gpu->device, wave, TTMP + (in_place ? 1 : 11), &high);
    gcn_wave_scalar(gpu->device, wave, TTMP + 6, &what);
    gcn_wave_scalar(gpu->device, wave, 126, &exec[0]);
    gcn_wave_scalar(gpu->device, wave, 127, &exec[1]);
    const unsigned trap = what >> 25 & 15;
    struct wt_fault *exception = trap ? NULL : gcn_wave_exception(gpu->device, wave);
    struct wt_fault taken = {.kind = WT_FAULT_TRAP,
                             .wave = wave,
                             .lanes = exec[0] | (uint64_t)exec[1] << 32,
                             .pc = low | (uint64_t)(high >> (in_place ? 0 : 7) & 0xffff) << 32,
                             .time = gcn_machine(gpu->device)->time};
    snprintf(taken.text, sizeof taken.text, "s_trap %u%s", trap, trap < 4 ? meaning[trap] : "");
    if (exception)
        note_memory(gpu, exception);
    const struct wt_fault *f = exception ? exception : &taken;
    snprintf(t->text, sizeof t->text, "%s", f->text);
    t->lanes = (uint64_t)f->lanes;
    t->pc = f->pc;
    report(gpu, f, true);
}
