/* A debugger's operations on a recorded GPU: inputs, operations, memory. See recording.h. */
#include "runtime/hsakmt/recording_state.h"

#include "emulator/gcn/kfd.h"

uint32_t host_recording_input(struct host_gpu *gpu, const struct wt_input *input)
{
    struct host_recording *r = gpu->recording;
    if (!host_recording_on(gpu))
        return wt_input_apply(gcn_machine(gpu->device), input);
    /* What it does in the past is undone, or done again in a new future. */
    r->live = wt_timeline_at_end(r->timeline);
    const uint32_t result = wt_timeline_input(r->timeline, input);
    if (r->live) {
        recording_show_stores(gpu); /* waves do no atomics here */
        recording_show(gpu);
        recording_find_ended(gpu);
    }
    r->live = false;
    return result;
}

static uint32_t do_call(struct wt_machine *m, const void *bytes, size_t size)
{
    struct kfd_debug_call call = {0};
    memcpy(&call, bytes, size);
    gcn_kfd_call((struct gcn_device *)m, &call);
    return (uint32_t)call.result;
}

void host_recording_call(struct host_gpu *gpu, struct kfd_debug_call *call)
{
    if (!host_recording_on(gpu)) {
        gcn_kfd_call(gpu->device, call);
        return;
    }
    const struct wt_input input = {.kind = WT_INPUT_OPERATION,
                                   .bytes = call,
                                   .size = offsetof(struct kfd_debug_call, queue) +
                                           sizeof *call->queue * call->queue_count,
                                   .operation = do_call};
    host_recording_input(gpu, &input);
    *call = *gcn_kfd_answer(gpu->device);
}

/* Whether the copy has that memory; *size becomes the part in one page. */
static bool has(struct host_gpu *gpu, uint64_t addr, size_t *size)
{
    const uint64_t page = addr & ~(uint64_t)(HOST_PAGE - 1);
    const uint64_t room = page + HOST_PAGE - addr;
    if (*size > room)
        *size = (size_t)room;
    return host_recording_on(gpu) &&
           (gcn_device_saves_at(gpu->device, addr) || gcn_device_maps(gpu->device, addr));
}

bool host_recording_read(struct host_gpu *gpu, uint64_t addr, void *out, size_t *size)
{
    struct wt_machine *m = gcn_machine(gpu->device);
    return has(gpu, addr, size) && m->ops->read_memory(m, 0, 0, addr, out, *size);
}

bool host_recording_write(struct host_gpu *gpu, uint64_t addr, const void *bytes, size_t *size)
{
    if (!has(gpu, addr, size))
        return false;
    const struct wt_input input = {
        .kind = WT_INPUT_MEMORY, .addr = addr, .bytes = bytes, .size = *size};
    if (!host_recording_input(gpu, &input))
        return false;
    const uint64_t at = addr & ~(uint64_t)(HOST_PAGE - 1);
    struct page *page = gcn_device_saves_at(gpu->device, addr)
                            ? NULL
                            : recording_page(gpu, at, gcn_device_page(gpu->device, at));
    if (page && !host_recording_is_away(gpu))
        recording_publish(gpu, page);
    return true;
}
