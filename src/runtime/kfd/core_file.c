/* Core files of a GPU in a host process: written here, read by target/core_file.c. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator/gcn/kfd.h"
#include "emulator/machine/core_format.h"
#include "runtime/kfd/debugger_memory.h"

/* The program's threads may be loading code now: then its list is not complete. */
static void write_modules(void *context, struct wt_core_writer *w, struct wt_archive *a)
{
    struct host_code code;
    if (!host_code_begin(((const struct host_gpu *)context)->host, &code))
        return;
    while (host_code_next(&code)) {
        struct stat info;
        const int fd = host_code_object(code.uri);
        if (fd < 0)
            continue;
        const bool known = !fstat(fd, &info) && info.st_size > 0;
        const size_t length = known ? (size_t)info.st_size : 0;
        void *map = known ? mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
        close(fd);
        if (map == MAP_FAILED)
            continue;
        wt_host_core_module(w, a, code.uri, code.bias, map, length);
        munmap(map, length);
    }
}

static bool read_process(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    return host_gpu_copy(context, addr, bytes, size);
}

static const char *model_name(const struct wt_hosted *gpu)
{
    return ((const struct host_gpu *)((const char *)gpu - offsetof(struct host_gpu, hosted)))
        ->config.model->target.name;
}

const struct wt_host_core_ops host_core_ops = {.family = "gfx900",
                                               .model = model_name,
                                               .profile = GCN_PROFILE,
                                               .table = &gcn_config_table,
                                               .modules = write_modules,
                                               .read = host_gpu_read_plain,
                                               .read_process = read_process,
                                               .operations = gcn_kfd_operations};

void host_core_on_fault(struct host_gpu *gpu, const char *reason, uint32_t wave, uint64_t lanes)
{
    wt_core_on_fault_write(&gpu->host->core_on_fault, &gpu->hosted, reason, wave, lanes, stderr);
}
