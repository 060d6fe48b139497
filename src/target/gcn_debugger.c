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

static struct gcn_device *device_of(void *context)
{
    return (struct gcn_device *)((struct wt_emulated *)context)->machine;
}

static enum wt_status link_call(void *context, struct kfd_debug_call *call, struct wt_error *err)
{
    struct wt_emulated *e = context;
    const size_t size = offsetof(struct kfd_debug_call, queue) + 4 * call->queue_count;
    const struct wt_input input = {
        .kind = WT_INPUT_OPERATION, .bytes = call, .size = size, .operation = gcn_kfd_do_call};
    wt_emulated_input(e, &input);
    *call = *gcn_kfd_answer(device_of(e));
    return WT_OK;
}

static enum wt_status link_queues(void *context, struct kfd_queue_entry *list, uint32_t room,
                                  uint32_t *count, struct wt_error *err)
{
    *count = (uint32_t)gcn_kfd_queue_snapshot(device_of(context), 0, list, room);
    return WT_OK;
}

static enum wt_status link_devices(void *context, struct kfd_device_entry *list, uint32_t room,
                                   uint32_t *count, struct wt_error *err)
{
    gcn_kfd_device_snapshot(device_of(context), 0, list);
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

static enum wt_status link_read(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                                void *out, size_t size, struct wt_error *err)
{
    if (is_global(addr, size) &&
        wt_local_read(context, wave, lane, addr, out, size, WT_IGNORED) == WT_OK)
        return WT_OK;
    if (!is_of_queue(addr, size))
        return wt_fail(err, WT_INVALID, "no memory can be read at 0x%llx",
                       (unsigned long long)addr);
    memset(out, 0, size);
    return WT_OK;
}

static enum wt_status link_write(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                                 const void *bytes, size_t size, struct wt_error *err)
{
    return is_global(addr, size) ? wt_local_write(context, wave, lane, addr, bytes, size, err)
                                 : wt_fail(err, WT_INVALID, "no memory can be written at 0x%llx",
                                           (unsigned long long)addr);
}

const struct wt_link_ops gcn_debugger_link = {.read = link_read,
                                              .write = link_write,
                                              .registers = wt_local_registers,
                                              .event = wt_local_event,
                                              .ended = wt_local_ended,
                                              .reset = wt_local_reset};

/* ---- the launch ---- */

bool gcn_debugger_attention(struct wt_emulated *e)
{
    return gcn_kfd_has_event(device_of(e));
}

static uint32_t launch_again(struct wt_machine *m, const void *bytes, size_t size)
{
    struct wt_error err;
    return gcn_launch_again((struct gcn_device *)m, &err) == WT_OK;
}

enum wt_status gcn_debugger_launch_again(struct wt_emulated *e, struct wt_error *err)
{
    const struct wt_input launch = {.kind = WT_INPUT_OPERATION, .operation = launch_again};
    if (wt_emulated_input(e, &launch))
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

const struct wt_gcn_link_ops gcn_debugger_driver = {
    .call = link_call,
    .queues = link_queues,
    .devices = link_devices,
};
