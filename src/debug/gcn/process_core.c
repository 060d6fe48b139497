/* Core files of a host process, which writes them itself (object/kfd_wire.h). */
#include "debug/gcn/process_ask.h"
#include "debug/process/core_request.h"

/* Finds the GPU of a wave, and replaces the wave's number by its number within that GPU. */
static enum wt_status find_gpu(struct wt_gcn_process *p, uint32_t *wave, uint32_t *gpu,
                               struct wt_error *err)
{
    const struct wt_gcn_link *l = wt_gcn_process_link(p);
    struct kfd_device_entry device[KFD_DEBUG_DEVICES];
    uint32_t count;
    const enum wt_status status =
        l->ops->devices(l->context, device, KFD_DEBUG_DEVICES, &count, err);
    *gpu = 0;
    if (status || *wave == WT_NO_HANDLE)
        return status;
    for (; *gpu + 1 < count; (*gpu)++) {
        const uint32_t waves = device[*gpu].simd_count * device[*gpu].max_waves_per_simd;
        if (*wave < waves)
            break;
        *wave -= waves;
    }
    return WT_OK;
}

struct ask {
    struct wt_gcn_process *process;
    uint32_t gpu;
};

static enum wt_status ask_for_core(void *context, const void *bytes, uint32_t size, int32_t *result,
                                   char *why, size_t room, struct wt_error *err)
{
    const struct ask *a = context;
    struct kfd_wire_request request = {.kind = KFD_WIRE_CORE, .gpu = a->gpu, .size = size};
    struct kfd_wire_answer answer;
    const enum wt_status status = gcnp_ask(a->process, &request, bytes, &answer, why, room, err);
    *result = status ? 0 : answer.result;
    return status;
}

static enum wt_status save(void *context, const struct wt_core_file_request *request,
                           struct wt_error *err)
{
    struct ask ask = {.process = context};
    uint32_t wave = request->wave;
    const enum wt_status status = find_gpu(ask.process, &wave, &ask.gpu, err);
    return status ? status : wt_core_request(request, wave, KFD_WIRE_MOST, ask_for_core, &ask, err);
}

void wt_gcn_process_offer_core_files(struct wt_target_services *services)
{
    services->save_core_file = save;
}
