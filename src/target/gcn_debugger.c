/*
 * The driver's debug operations on the device of a standalone kernel, as the probe's link. Changes
 * to the device are recorded as inputs. See gcn_debugger.h.
 */
#include "target/gcn_debugger.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "emulator/gcn/kfd.h"
#include "object/aql.h"
#include "runtime/gcn/launch.h"
#include "target/history.h"

#define QUEUE_TYPE_AQL 2u
/* Of amd_queue_t: the read index, which stays 0 here. */
#define QUEUE_READ_INDEX 128u
#define QUEUE_BYTES 256u
/* Issues of a wait: the wave that steps is the only one that can issue. */
#define WAIT_ISSUES 4096u

void gcn_debugger_add_queue(struct gcn_device *device)
{
    const struct kfd_queue_entry entry = {
        .ring_base_address = GCN_LAUNCH_PACKET,
        .read_pointer_address = GCN_LAUNCH_ARGUMENTS + QUEUE_READ_INDEX,
        .queue_id = 0,
        .ring_size = GCN_AQL_BYTES,
        .queue_type = QUEUE_TYPE_AQL,
    };
    gcn_kfd_add_queue(device, &entry);
}

/* ---- operations ---- */

static enum wt_status link_call(void *context, struct kfd_debug_call *call, struct wt_error *err)
{
    struct gcn_way_in *way = context;
    const size_t size = offsetof(struct kfd_debug_call, queue) + 4 * call->queue_count;
    const struct wt_input input = {
        .kind = WT_INPUT_OPERATION, .bytes = call, .size = size, .operation = gcn_kfd_do_call};
    (void)err;
    wt_emulated_input(way->e, &input);
    *call = *gcn_kfd_answer(way->device);
    return WT_OK;
}

static enum wt_status link_queues(void *context, struct kfd_queue_entry *list, uint32_t room,
                                  uint32_t *count, struct wt_error *err)
{
    (void)err;
    *count =
        (uint32_t)gcn_kfd_queue_snapshot(((struct gcn_way_in *)context)->device, 0, list, room);
    return WT_OK;
}

static enum wt_status link_devices(void *context, struct kfd_device_entry *list, uint32_t room,
                                   uint32_t *count, struct wt_error *err)
{
    (void)room, (void)err;
    gcn_kfd_device_snapshot(((struct gcn_way_in *)context)->device, 0, list);
    *count = 1;
    return WT_OK;
}

/* ---- memory ---- */

/* Apertures do not work without a wave. */
static bool is_global(uint64_t addr, size_t size)
{
    return addr < GCN_SHARED_APERTURE && size <= GCN_SHARED_APERTURE - addr;
}

/* The queue of gcn_debugger_add_queue(), which a core file of a host program does not have: it is
 * empty. */
static bool is_of_queue(uint64_t addr, size_t size)
{
    return (addr >= GCN_LAUNCH_PACKET && addr + size <= GCN_LAUNCH_PACKET + GCN_AQL_BYTES) ||
           (addr >= GCN_LAUNCH_ARGUMENTS && addr + size <= GCN_LAUNCH_ARGUMENTS + QUEUE_BYTES);
}

static enum wt_status link_read(void *context, uint64_t addr, void *out, size_t size,
                                struct wt_error *err)
{
    struct wt_machine *m = ((struct gcn_way_in *)context)->e->machine;
    if (is_global(addr, size) && m->ops->read_memory(m, 0, 0, addr, out, size))
        return WT_OK;
    if (is_of_queue(addr, size)) {
        memset(out, 0, size);
        return WT_OK;
    }
    return wt_fail(err, WT_INVALID, "no memory can be read at 0x%llx", (unsigned long long)addr);
}

static enum wt_status link_write(void *context, uint64_t addr, const void *bytes, size_t size,
                                 struct wt_error *err)
{
    struct gcn_way_in *way = context;
    const struct wt_input input = {
        .kind = WT_INPUT_MEMORY, .addr = addr, .bytes = bytes, .size = size};
    if (is_global(addr, size) && wt_emulated_input(way->e, &input))
        return WT_OK;
    return wt_fail(err, WT_INVALID, "no memory can be written at 0x%llx", (unsigned long long)addr);
}

/* ---- time ---- */

static enum wt_status link_event(void *context, bool wait, struct wt_gcn_event *event,
                                 struct wt_error *err)
{
    struct gcn_way_in *way = context;
    struct wt_machine *m = way->e->machine;
    (void)err;
    *event = (struct wt_gcn_event){.exception = gcn_kfd_has_event(way->device)};
    while (wait && !event->exception) {
        const uint64_t before = m->time;
        const enum wt_run run = wt_emulated_run(way->e, WAIT_ISSUES);
        event->exception = gcn_kfd_has_event(way->device);
        /* A watched instruction is reported before it issues; the step is meant to issue it. */
        const bool told_before = run == WT_RUN_WATCH && m->time == before;
        if (told_before)
            m->hits = 0;
        if (!told_before && run != WT_RUN_EVENT)
            break;
        if (run == WT_RUN_EVENT && m->time == before && !event->exception)
            break;
    }
    return WT_OK;
}

static bool link_ended(void *context, uint32_t *status, char *text, size_t size)
{
    const struct gcn_way_in *way = context;
    (void)text, (void)size;
    *status = 0; /* kernels have none */
    return !way->e->machine->active && !way->e->machine->fault.kind;
}

static uint32_t launch_again(struct wt_machine *m, const void *bytes, size_t size)
{
    struct wt_error err;
    (void)bytes, (void)size;
    return gcn_launch_again((struct gcn_device *)m, &err) == WT_OK;
}

static enum wt_status link_reset(void *context, struct wt_error *err)
{
    struct gcn_way_in *way = context;
    wt_emulated_input(way->e, &(struct wt_input){.kind = WT_INPUT_RESET});
    const struct wt_input launch = {.kind = WT_INPUT_OPERATION, .operation = launch_again};
    if (wt_emulated_input(way->e, &launch))
        return WT_OK;
    return wt_fail(err, WT_INVALID, "the kernel cannot be launched again: its packet has changed");
}

/* The order is part of the format of core files; it begins as gcn_kfd_operations, with which host
 * programs write theirs. */
uint32_t (*const gcn_debugger_operations[])(struct wt_machine *, const void *, size_t) = {
    gcn_kfd_do_call, gcn_kfd_write_area, launch_again, NULL};

void gcn_debugger_detach(struct wt_emulated *e)
{
    struct kfd_debug_call call = {.op = KFD_DEBUG_DISABLE};
    const struct wt_input input = {.kind = WT_INPUT_OPERATION,
                                   .bytes = &call,
                                   .size = offsetof(struct kfd_debug_call, queue),
                                   .operation = gcn_kfd_do_call};
    wt_emulated_input(e, &input);
}

const struct wt_gcn_link_ops gcn_debugger_link = {
    .call = link_call,
    .queues = link_queues,
    .devices = link_devices,
    .read = link_read,
    .write = link_write,
    .event = link_event,
    .ended = link_ended,
    .reset = link_reset,
};
