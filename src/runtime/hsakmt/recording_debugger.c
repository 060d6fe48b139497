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
                                   .operation = gcn_kfd_do_call};
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

/* Save areas lie elsewhere when a core file repeats the recording. */
static bool write_area(struct host_gpu *gpu, uint64_t addr, const void *bytes, size_t size)
{
    uint8_t buffer[sizeof(struct gcn_kfd_area_write) + HOST_PAGE];
    struct gcn_kfd_area_write where;
    if (!gcn_kfd_find_area(gpu->device, addr, &where))
        return false;
    memcpy(buffer, &where, sizeof where);
    memcpy(buffer + sizeof where, bytes, size);
    const struct wt_input input = {.kind = WT_INPUT_OPERATION,
                                   .bytes = buffer,
                                   .size = sizeof where + size,
                                   .operation = gcn_kfd_write_area};
    return host_recording_input(gpu, &input);
}

bool host_recording_write(struct host_gpu *gpu, uint64_t addr, const void *bytes, size_t *size)
{
    if (!has(gpu, addr, size))
        return false;
    if (gcn_device_saves_at(gpu->device, addr))
        return write_area(gpu, addr, bytes, *size);
    const struct wt_input input = {
        .kind = WT_INPUT_MEMORY, .addr = addr, .bytes = bytes, .size = *size};
    if (!host_recording_input(gpu, &input))
        return false;
    const uint64_t at = addr & ~(uint64_t)(HOST_PAGE - 1);
    struct page *page = recording_page(gpu, at, gcn_device_page(gpu->device, at));
    if (page && !host_recording_is_away(gpu))
        recording_publish(gpu, page);
    return true;
}
