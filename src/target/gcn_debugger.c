/*
 * The driver's debug operations on the device of a standalone kernel, as the probe's link. Changes
 * to the device are recorded as inputs. See gcn_debugger.h.
 */
#include "target/gcn_debugger.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "emulator/gcn/debug.h"
#include "emulator/gcn/kfd.h"
#include "object/aql.h"
#include "runtime/gcn/launch.h"
#include "target/gcn.h"
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

int32_t gcn_debugger_serve(struct wt_machine *m, wt_input_fn *input, void *context,
                           const struct wt_wire_request *request, struct wt_wire_answer *answer,
                           uint8_t *bytes)
{
    struct gcn_device *d = (struct gcn_device *)m;
    const struct kfd_debug_call *call = (void *)bytes;
    struct kfd_queue_entry *queues = (void *)bytes;
    switch ((enum kfd_wire_verb)request->verb) {
    case KFD_WIRE_CALL:
        input(context, &(struct wt_input){.kind = WT_INPUT_OPERATION,
                                          .bytes = bytes,
                                          .size = offsetof(struct kfd_debug_call, queue) +
                                                  4 * call->queue_count,
                                          .operation = gcn_kfd_do_call});
        answer->size = sizeof *call;
        memcpy(bytes, gcn_kfd_answer(d), sizeof *call);
        return 0;
    case KFD_WIRE_QUEUES:
        answer->size = (uint32_t)sizeof *queues *
                       (uint32_t)gcn_kfd_queue_snapshot(d, 0, queues, KFD_DEBUG_QUEUES);
        return 0;
    case KFD_WIRE_DEVICES:
        answer->size = sizeof(struct kfd_device_entry);
        gcn_kfd_device_snapshot(d, 0, (void *)bytes);
        return 0;
    default:
        return -ENOSYS;
    }
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
                                              .reset = wt_local_reset,
                                              .ask = wt_local_ask};

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
    if (wt_emulated_operation(e, launch_again, NULL, 0))
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
    wt_emulated_operation(e, gcn_kfd_do_call, &call, offsetof(struct kfd_debug_call, queue));
}

const struct wt_hw_table *wt_gcn_registers(uint32_t version)
{
    const struct gcn_model *model = gcn_model_of_version(version);
    return model ? gcn_register_table_of(model) : NULL;
}
