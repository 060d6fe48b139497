/* The recorded run of a GPU, as it goes into a core file. See recording.h. */
#include "runtime/hsakmt/recording_state.h"

#include <stdlib.h>

#include "emulator/gcn/kfd.h"
#include "runtime/hsakmt/debugger_memory.h"

/* Memory as the GPU has it at the timeline's time. Pages that it has not come to in the recorded
 * run are the process's; the run does not depend on them. */
static bool read_pages(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    struct host_gpu *gpu = context;
    struct wt_machine *m = gcn_machine(gpu->device);
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < HOST_PAGE ? size - done : HOST_PAGE;
        const bool copied = recording_find(gpu->recording, addr + done);
        if (copied ? !m->ops->read_memory(m, 0, 0, addr + done, bytes + done, part)
                   : !host_gpu_copy(gpu, addr + done, bytes + done, part))
            return false;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The addresses of the shared pages of the copy, in order; NULL without host memory. */
static uint64_t *shared_pages(const struct host_recording *r, size_t *count)
{
    uint64_t *list = calloc(r->page_count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < r->page_count; i++)
        if (r->page[i].shared)
            list[(*count)++] = r->page[i].addr;
    if (list)
        qsort(list, *count, sizeof *list, compare);
    return list;
}

static void state(struct wt_machine *m, struct wt_archive *a)
{
    struct gcn_device *device = (struct gcn_device *)m;
    struct host_gpu *gpu = gcn_device_copy(device)->context;
    struct gcn_host_archive in_host = {.read = read_pages, .context = gpu};
    uint64_t *shared = shared_pages(gpu->recording, &in_host.shared_count);
    in_host.shared = shared;
    if (!shared || !gcn_archive_in_host(device, a, &in_host))
        wt_archive_fail(a, "the program has no host memory for that");
    free(shared);
}

enum wt_status host_recording_archive(struct host_gpu *gpu, uint64_t issues, struct wt_archive *a,
                                      struct wt_error *err)
{
    struct host_recording *r = gpu->recording;
    const struct wt_timeline_file file = {.machine = gcn_machine(gpu->device),
                                          .timeline = r->timeline,
                                          .state = state,
                                          .operation = gcn_kfd_operations,
                                          .issues = issues};
    enum wt_status status;
    if ((status = wt_timeline_look(r->timeline, false, err)) != WT_OK ||
        (status = wt_timeline_write(&file, a, err)) != WT_OK)
        return status;
    return a->failed ? wt_fail(err, WT_NO_MEMORY, "%s", a->why) : WT_OK;
}
