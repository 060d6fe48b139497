/* The recorded run of a GPU, as it goes into a core file. See recording.h. */
#include "runtime/hsakmt/recording.h"

#include "runtime/hsakmt/debugger_memory.h"

/* Memory as the GPU has it at the timeline's time. Pages that it has not come to in the recorded
 * run are the process's; the run does not depend on them. */
static bool read_pages(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    struct host_gpu *gpu = context;
    struct wt_machine *m = gcn_machine(gpu->device);
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < HOST_PAGE ? size - done : HOST_PAGE;
        const bool has = wt_recording_has_page(gpu->recording, addr + done);
        if (has ? !m->ops->read_memory(m, 0, 0, addr + done, bytes + done, part)
                : !host_gpu_copy(gpu, addr + done, bytes + done, part))
            return false;
    }
    return true;
}

void host_recording_archive(struct wt_machine *m, struct wt_archive *a)
{
    struct gcn_device *device = (struct gcn_device *)m;
    struct host_gpu *gpu = wt_recording_gpu_of(gcn_machine(device)->process.copy);
    struct wt_host_archive in_host = {.read = read_pages, .context = gpu};
    if (!wt_recording_shared_pages(gpu->recording, &in_host.shared) ||
        !gcn_archive_in_host(device, a, &in_host))
        wt_archive_fail(a, "the program has no host memory for that");
    wt_shared_pages_free(&in_host.shared);
}
