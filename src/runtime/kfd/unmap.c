/* Memory that is taken from a GPU: who must know of that. See host.h. */
#include "runtime/kfd/debugger_memory.h"

enum wt_status host_unmap(struct host_gpu *gpu, uint64_t addr, uint64_t size, struct wt_error *err)
{
    wt_recording_unmap(gpu->recording, addr, size);
    wt_final_unmap(&gpu->host->final, addr, size, host_gpu_read_plain, gpu);
    return gcn_device_unmap(gpu->device, addr, size, err);
}
