/* The recording of an AMD GPU, as this driver does it. See recording.h. */
#include "runtime/kfd/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/gcn/kfd.h"

/* ---- the operations ---- */

static struct gcn_device *device_of(void *context)
{
    return ((struct host_gpu *)context)->device;
}

static bool is_shared(void *context, uint64_t addr)
{
    struct host_gpu *gpu = context;
    return gpu->host->is_shared(gpu->host, addr);
}

static bool has_kernels(void *gpu)
{
    return ((struct host_gpu *)gpu)->kernels;
}

/* The save areas of suspended queues lie in the process's memory. */
static bool is_kept_from(void *gpu)
{
    return ((struct host_gpu *)gpu)->watch || gcn_kfd_any_suspended(device_of(gpu));
}

static bool has_exception(void *gpu)
{
    return gcn_kfd_has_event(device_of(gpu));
}

/* The program is told of interrupts. */
static void shown(void *context)
{
    struct host_gpu *gpu = context;
    for (size_t i = 0; i < gpu->interrupt_count; i++) {
        const struct host_interrupt *t = &gpu->interrupt[i];
        if (!t->handler) {
            host_event_interrupt(gpu->host, t->data);
            continue;
        }
        gpu->trapped |= (uint32_t)1 << t->dispatch;
        gpu->dispatch[t->dispatch].told |= t->data & HOST_TOLD;
    }
    gpu->interrupt_count = 0;
}

static void take_back(void *gpu)
{
    ((struct host_gpu *)gpu)->interrupt_count = 0;
}

/* Kernels whose last work-group has ended are in gpu->ended. */
static bool find_ended(void *context)
{
    struct host_gpu *gpu = context;
    struct gcn_progress progress;
    for (unsigned i = 0; i < GCN_DISPATCHES; i++) {
        if (!gpu->dispatch[i].queue)
            continue;
        gcn_device_progress(gpu->device, i, &progress);
        if (progress.done == progress.total)
            gpu->ended |= (uint32_t)1 << i;
    }
    return gpu->ended;
}

static void name(void *gpu, char *text, size_t size)
{
    snprintf(text, size, HOST_GPU, HOST_GPU_IS((struct host_gpu *)gpu));
}

static void freed(void *context)
{
    struct host_gpu *gpu = context;
    free(gpu->interrupt);
    gpu->interrupt = NULL;
    gpu->interrupt_count = gpu->interrupt_capacity = 0;
}

const struct wt_recording_ops host_recording_ops = {
    .within_kernels = true,
    .is_shared = is_shared,
    .has_kernels = has_kernels,
    .is_kept_from = is_kept_from,
    .has_exception = has_exception,
    .shown = shown,
    .take_back = take_back,
    .find_ended = find_ended,
    .name = name,
    .freed = freed,
};

void host_recording_interrupt(struct host_gpu *gpu, uint32_t wave, uint32_t data)
{
    uint32_t status = 0;
    uint64_t entry;
    unsigned dispatch = 0;
    gcn_device_come_back(gpu->device);
    gcn_wave_hwreg(gpu->device, wave, 2, &status);
    const bool handler = status >> 5 & 1; /* PRIV */
    if (!wt_recording_is_live(gpu->recording) ||
        (handler && !gcn_wave_dispatch(gpu->device, wave, &dispatch, &entry)))
        return;
    struct host_interrupt *more = wt_array_grow(gpu->interrupt, &gpu->interrupt_capacity,
                                                gpu->interrupt_count + 1, sizeof *more);
    if (!more) {
        wt_recording_fail(gpu->recording);
        return;
    }
    gpu->interrupt = more;
    more[gpu->interrupt_count++] = (struct host_interrupt){data, handler, dispatch};
}

/* ---- a debugger's operations ---- */

void host_recording_call(struct host_gpu *gpu, struct kfd_debug_call *call)
{
    if (!wt_recording_on(gpu->recording)) {
        gcn_kfd_call(gpu->device, call);
        return;
    }
    const struct wt_input input = {.kind = WT_INPUT_OPERATION,
                                   .bytes = call,
                                   .size = offsetof(struct kfd_debug_call, queue) +
                                           sizeof *call->queue * call->queue_count,
                                   .operation = gcn_kfd_do_call};
    wt_recording_input(gpu->recording, &input);
    *call = *gcn_kfd_answer(gpu->device);
}

/* Whether the recorded GPU saves waves there; *size becomes the part in one page. */
static bool saves_at(struct host_gpu *gpu, uint64_t addr, size_t *size)
{
    if (!wt_recording_on(gpu->recording) || !gcn_device_saves_at(gpu->device, addr))
        return false;
    const uint64_t room = HOST_PAGE - addr % HOST_PAGE;
    *size = *size < room ? *size : (size_t)room;
    return true;
}

bool host_recording_read(struct host_gpu *gpu, uint64_t addr, void *out, size_t *size)
{
    return saves_at(gpu, addr, size) ? wt_hosted_read(&gpu->hosted, 0, 0, addr, out, *size)
                                     : wt_recording_read(gpu->recording, addr, out, size);
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
    return wt_recording_input(gpu->recording, &input);
}

bool host_recording_write(struct host_gpu *gpu, uint64_t addr, const void *bytes, size_t *size)
{
    return saves_at(gpu, addr, size) ? write_area(gpu, addr, bytes, *size)
                                     : wt_recording_write(gpu->recording, addr, bytes, size);
}
