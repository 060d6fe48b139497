/* Core files of a GPU in a host process: written here, read by target/core_file.c. */
#include <assert.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator/machine/core_format.h"
#include "emulator/machine/machine.h"
#include "runtime/hsakmt/debugger_memory.h"
#include "runtime/hsakmt/recording.h"

#define MOST_OBJECTS 4096

struct pages {
    struct host_gpu *gpu;
    const struct host_core_request *request;
};

static bool read_pages(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    const struct pages *p = context;
    if (!host_gpu_copy(p->gpu, addr, bytes, size))
        return false;
    if (p->request->unplant)
        p->request->unplant(p->request->context, addr, bytes, size);
    return true;
}

/* The program's threads may be loading code now: then its list is not complete. */
static void write_modules(struct host *host, struct wt_core_writer *w, struct wt_archive *a)
{
    const struct r_debug *debug = host->debug;
    const struct link_map *m =
        debug && __atomic_load_n(&debug->r_state, __ATOMIC_ACQUIRE) == RT_CONSISTENT ? debug->r_map
                                                                                     : NULL;
    for (unsigned n = 0; m && n < MOST_OBJECTS; n++, m = m->l_next) {
        struct wt_core_module module = {.bias = m->l_addr};
        struct stat info;
        const int fd = m->l_name ? host_code_object(m->l_name) : -1;
        if (fd < 0)
            continue;
        snprintf(module.name, sizeof module.name, "%s", m->l_name);
        const bool known = !fstat(fd, &info) && info.st_size > 0;
        module.length = known ? (uint64_t)info.st_size : 0;
        void *map = known ? mmap(NULL, module.length, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
        close(fd);
        if (map == MAP_FAILED)
            continue;
        module.bytes = map;
        wt_core_begin_section(w, "MODL");
        wt_core_module(a, &module);
        wt_core_end_section(w);
        munmap(map, module.length);
    }
}

static void describe(const struct host_gpu *gpu, const struct host_core_request *request,
                     struct wt_core_device *d)
{
    const ssize_t length = readlink("/proc/self/exe", d->program, sizeof d->program - 1);
    d->program[length > 0 ? length : 0] = 0;
    snprintf(d->family, sizeof d->family, "gfx900");
    gcn_config_print(gcn_device_config(gpu->device), d->config, sizeof d->config);
    snprintf(d->reason, sizeof d->reason, "%s", request->reason);
    d->wave = request->wave;
    d->lane = request->lane;
}

/* The section STAT of a GPU that is not recorded. */
static enum wt_status write_state(struct pages *pages, struct wt_archive *a, struct wt_error *err)
{
    const struct gcn_host_archive in_host = {.read = read_pages, .context = pages};
    bool past = false;
    wt_archive_bool(a, &past);
    return gcn_archive_in_host(pages->gpu->device, a, &in_host)
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "the program has no host memory for that");
}

enum wt_status host_core_write(struct host_gpu *gpu, const struct host_core_request *request,
                               struct wt_error *err)
{
    struct wt_core_device device = {.wave = 0};
    struct pages pages = {gpu, request};
    struct wt_core_writer w;
    struct wt_core_breakpoints breakpoints = {NULL};
    const bool recorded = host_recording_on(gpu);
    enum wt_status status = wt_core_begin(&w, request->path, err);
    if (status)
        return status;
    struct wt_archive a = {.out = w.out};
    describe(gpu, request, &device);
    wt_core_begin_section(&w, "DEVC");
    wt_core_device(&a, &device);
    wt_core_end_section(&w);
    write_modules(gpu->host, &w, &a);
    wt_core_begin_section(&w, "PLNT");
    if (recorded)
        breakpoints = request->breakpoints;
    wt_core_breakpoints(&a, &breakpoints);
    wt_core_end_section(&w);
    wt_core_begin_section(&w, "STAT");
    status = recorded ? host_recording_archive(gpu, request->issues, &a, err)
                      : write_state(&pages, &a, err);
    wt_core_end_section(&w);
    if (status == WT_OK)
        return wt_core_finish(&w, err);
    wt_core_give_up(&w);
    return wt_fail_in(err, "%s", request->path);
}

void host_core_on_fault(struct host_gpu *gpu, const char *reason, uint32_t wave, uint64_t lanes)
{
    const char *path = gpu->host->core_on_fault;
    struct wt_error err;
    /* Later faults follow from the first one. */
    if (!atomic_exchange(&gpu->host->core_due, false))
        return;
    const struct host_core_request request = {.path = path,
                                              .reason = reason,
                                              .wave = wave,
                                              .issues = gpu->host->core_history,
                                              .lane = lanes ? (uint32_t)__builtin_ctzll(lanes) : 0};
    if (host_core_write(gpu, &request, &err) != WT_OK)
        fprintf(stderr, "wavetrap: --core-on-fault: %s\n", err.text);
    else
        fprintf(stderr, "  The state is in %s: 'wavetrap debug --core %s' opens it.\n", path, path);
}
