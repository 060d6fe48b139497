/* Memory that is taken from a GPU: who must know of that. See host.h. */
#include "runtime/hsakmt/debugger_memory.h"
#include "runtime/hsakmt/recording.h"

static bool read_gpu(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    struct host_gpu *gpu = context;
    if (!host_gpu_copy(gpu, addr, bytes, size))
        return false;
    wt_planted_lift(&gpu->host->planted, addr, bytes, size);
    return true;
}

enum wt_status host_unmap(struct host_gpu *gpu, uint64_t addr, uint64_t size, struct wt_error *err)
{
    wt_recording_unmap(gpu->recording, addr, size);
    wt_final_unmap(&gpu->host->final, addr, size, read_gpu, gpu);
    return gcn_device_unmap(gpu->device, addr, size, err);
}
