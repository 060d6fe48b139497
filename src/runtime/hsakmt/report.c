/*
 * Reports of faults on stderr. Names and lines come from the code objects that the runtime has
 * loaded; it lists them for debuggers, as the dynamic linker lists libraries, with a URI for each
 * (LLVM, "User Guide for AMDGPU Backend", section "Loaded Code Object Path URI").
 */
#include "runtime/hsakmt/host.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/text.h"
#include "emulator/machine/machine.h"
#include "runtime/hsakmt/symbols.h"

/* ---- names and lines ---- */

static const struct host_symbols *loaded_symbols;

/* Loads the module that lies beside this library. */
static void load_symbols(void)
{
    Dl_info self;
    char path[4096];
    if (!dladdr((void *)(uintptr_t)load_symbols, &self) || !self.dli_fname)
        return;
    const char *slash = strrchr(self.dli_fname, '/');
    const int folder = slash ? (int)(slash - self.dli_fname) + 1 : 0;
    if (snprintf(path, sizeof path, "%.*s" HOST_SYMBOLS_FILE, folder, self.dli_fname) >=
        (int)sizeof path)
        return;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module)
        loaded_symbols = dlsym(module, HOST_SYMBOLS_NAME);
    else
        fprintf(stderr, "wavetrap: no names and lines: %s\n", dlerror());
}

/* The functions that read symbols; NULL without the module. */
static const struct host_symbols *symbols_of(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_symbols);
    return loaded_symbols;
}

/* ---- code objects ---- */

/* The program's code objects, as they are loaded now; NULL without host memory. */
static struct wt_modules *modules_now(const struct r_debug *debug)
{
    struct wt_modules *modules = loaded_symbols->list();
    for (const struct link_map *m = debug->r_map; m && modules; m = m->l_next) {
        const int fd = m->l_name ? host_code_object(m->l_name) : -1;
        char path[64];
        if (fd < 0)
            continue;
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        loaded_symbols->add_file(modules, path, m->l_addr, 0, NULL, WT_IGNORED);
        close(fd);
    }
    return modules;
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
    const struct r_debug *debug = host->debug;
    bool found = false;
    for (unsigned i = 0; debug && symbols_of() && !found && i < TRIES; i++) {
        if (i)
            nanosleep(&pause, NULL);
        if (__atomic_load_n(&debug->r_state, __ATOMIC_ACQUIRE) != RT_CONSISTENT)
            continue;
        struct wt_modules *modules = modules_now(debug);
        found = modules && look(modules, context);
        loaded_symbols->free(modules);
    }
    return found;
}

struct description {
    uint64_t pc;
    char *text;
    size_t size;
};

static bool describe(const struct wt_modules *modules, void *context)
{
    const struct description *d = context;
    const char *name, *file;
    char plain[256];
    uint64_t offset;
    unsigned line;
    if (!loaded_symbols->function(modules, 0, d->pc, &name, &offset))
        return false;
    wt_demangle(name, plain, sizeof plain);
    int n = snprintf(d->text, d->size, "0x%" PRIx64 " <%s+%" PRIu64 ">", d->pc, plain, offset);
    if (n > 0 && (size_t)n < d->size && loaded_symbols->line(modules, 0, d->pc, &file, &line))
        snprintf(d->text + n, d->size - (size_t)n, " at %s:%u", file, line);
    return true;
}

void host_describe(struct host *host, uint64_t pc, char *text, size_t size)
{
    struct description d = {pc, text, size};
    if (!look_in_modules(host, describe, &d))
        snprintf(text, size, "0x%" PRIx64 " (in none of the program's code objects)", pc);
}

struct search {
    const char *name;
    uint64_t addr;
};

static bool look_up(const struct wt_modules *modules, void *context)
{
    struct search *s = context;
    return loaded_symbols->address(modules, 0, s->name, &s->addr);
}

bool host_symbol(struct host *host, const char *name, uint64_t *addr)
{
    struct search s = {.name = name};
    const bool found = look_in_modules(host, look_up, &s);
    *addr = s.addr;
    return found;
}

/* ---- reports ---- */

static void report(struct host_gpu *gpu, const char *what, uint32_t wave, uint64_t lanes,
                   uint64_t pc)
{
    struct wt_machine *m = gcn_machine(gpu->device);
    char place[128], list[256], where[600], kernel[600] = "";
    uint64_t entry;
    unsigned dispatch;
    m->ops->place(m, wave, place, sizeof place);
    wt_lanes_text(lanes, list, sizeof list);
    host_describe(gpu->host, pc, where, sizeof where);
    if (gcn_wave_dispatch(gpu->device, wave, &dispatch, &entry))
        host_describe(gpu->host, entry, kernel, sizeof kernel);
    fprintf(stderr,
            "wavetrap: gfx900 (node %u): %s\n  at %s\n  %s, lanes %s, issue time %" PRIu64 "\n"
            "  of the kernel at %s\n",
            gpu->node, what, where, place, *list ? list : "none", m->time, kernel);
}

/* The instruction, and the registers of the trap in words. */
static void report_exception(struct host_gpu *gpu, const struct wt_fault *f, bool taken)
{
    uint8_t bytes[8];
    char text[256];
    if (gcn_device_read(gpu->device, f->pc, bytes, sizeof bytes)) {
        struct gcn_disassembler *d = gcn_disassembler_new();
        gcn_disassemble(d, bytes, sizeof bytes, f->pc, text, sizeof text);
        gcn_disassembler_free(d);
        fprintf(stderr, "  %s\n", text);
    }
    gcn_explain_exception(stderr, gpu->device, f, taken);
}

void host_report_fault(struct host_gpu *gpu)
{
    const struct wt_fault *f = &gcn_machine(gpu->device)->fault;
    char text[1400] = "";
    unsigned lane;
    uint64_t byte;
    uint32_t size;
    report(gpu, f->text, f->wave, (uint64_t)f->lanes, f->pc);
    if (f->kind == WT_FAULT_EXCEPTION)
        report_exception(gpu, f, false);
    if (f->kind == WT_FAULT_ACCESS &&
        gcn_explain_private_fault(gpu->device, f, &lane, &byte, &size))
        snprintf(text, sizeof text, "private memory of lane %u, byte %" PRIu64 " of %u", lane, byte,
                 size);
    else if (f->kind == WT_FAULT_ACCESS)
        host_explain_fault(gpu->host, gpu->index, f->addr, text, sizeof text);
    if (*text)
        fprintf(stderr, "  0x%" PRIx64 ": %s\n", f->addr, text);
}

/*
 * The runtime's trap handler keeps what it has found: the PC in TTMP7 and in bits 22:7 of TTMP11,
 * the number of the trap in bits 28:25 of TTMP6, which is 0 for exceptions.
 */
void host_report_trap(struct host_gpu *gpu, uint32_t wave, struct host_trap *t)
{
    enum { TTMP = 108 };
    static const char *const meaning[] = {"", " (a breakpoint)",
                                          " (the program gave up: assert, abort or __builtin_trap)",
                                          " (a debug trap)"};
    uint32_t low = 0, high = 0, what = 0, exec[2] = {0, 0};
    gcn_wave_scalar(gpu->device, wave, TTMP + 7, &low);
    gcn_wave_scalar(gpu->device, wave, TTMP + 11, &high);
    gcn_wave_scalar(gpu->device, wave, TTMP + 6, &what);
    gcn_wave_scalar(gpu->device, wave, 126, &exec[0]);
    gcn_wave_scalar(gpu->device, wave, 127, &exec[1]);
    const unsigned trap = what >> 25 & 15;
    const struct wt_fault *exception = gcn_wave_exception(gpu->device, wave);
    if (!trap && exception) {
        snprintf(t->text, sizeof t->text, "%s", exception->text);
        t->lanes = (uint64_t)exception->lanes;
        t->pc = exception->pc;
    } else {
        snprintf(t->text, sizeof t->text, "s_trap %u%s", trap, trap < 4 ? meaning[trap] : "");
        t->lanes = exec[0] | (uint64_t)exec[1] << 32;
        t->pc = low | (uint64_t)(high >> 7 & 0xffff) << 32;
    }
    report(gpu, t->text, wave, t->lanes, t->pc);
    if (!trap && exception && exception->kind == WT_FAULT_EXCEPTION)
        report_exception(gpu, exception, true);
}
