/* Core files of a GPU in a host process: written here, read by target/core_file.c. */
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator/gcn/kfd.h"
#include "emulator/machine/core_format.h"
#include "emulator/machine/machine.h"
#include "runtime/hsakmt/debugger_memory.h"
#include "runtime/hsakmt/recording.h"

#define MOST_OBJECTS 4096

/* The program's threads may be loading code now: then its list is not complete. */
static void write_modules(void *context, struct wt_core_writer *w, struct wt_archive *a)
{
    const struct r_debug *debug = ((const struct host_gpu *)context)->host->debug;
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

static void print_config(void *context, char *text, size_t size)
{
    gcn_config_print(gcn_device_config(((const struct host_gpu *)context)->device), text, size);
}

static struct wt_recording *recording(void *context)
{
    return ((struct host_gpu *)context)->recording;
}

static bool write_state(void *context, struct wt_archive *a)
{
    const struct wt_host_archive in_host = {.read = host_gpu_read_plain, .context = context};
    return gcn_archive_in_host(((struct host_gpu *)context)->device, a, &in_host);
}

static const struct wt_host_core_ops ops = {.family = "gfx900",
                                            .config = print_config,
                                            .modules = write_modules,
                                            .recording = recording,
                                            .state = write_state,
                                            .recorded = host_recording_archive,
                                            .operations = gcn_kfd_operations};

enum wt_status host_core_write(struct host_gpu *gpu, const struct wt_host_core *core,
                               struct wt_error *err)
{
    return wt_host_core_write(&ops, gpu, core, err);
}

void host_core_on_fault(struct host_gpu *gpu, const char *reason, uint32_t wave, uint64_t lanes)
{
    wt_core_on_fault_write(&gpu->host->core_on_fault, &ops, gpu, reason, wave, lanes, stderr);
}
