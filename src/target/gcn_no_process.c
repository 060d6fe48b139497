/* The debugger of a gfx900 that no program uses: what a front end looks at before a host program is
 * started and after its end. See process.h. */

#include "debug/gcn/gcn.h"
#include "runtime/gcn/launch.h"
#include "target/gcn_process.h"

static enum wt_status no_call(void *context, struct kfd_debug_call *call, struct wt_error *err)
{
    (void)context, (void)err;
    call->result = 0;
    return WT_OK;
}

static enum wt_status no_queues(void *context, struct kfd_queue_entry *list, uint32_t room,
                                uint32_t *count, struct wt_error *err)
{
    (void)context, (void)list, (void)room, (void)err;
    *count = 0;
    return WT_OK;
}

/* A Vega 10, of 64 compute units. */
static enum wt_status vega(void *context, struct kfd_device_entry *list, uint32_t room,
                           uint32_t *count, struct wt_error *err)
{
    (void)context, (void)room, (void)err;
    *count = 1;
    *list = (struct kfd_device_entry){.lds_base = GCN_SHARED_APERTURE,
                                      .lds_limit = GCN_SHARED_APERTURE + UINT32_MAX,
                                      .scratch_base = GCN_PRIVATE_APERTURE,
                                      .scratch_limit = GCN_PRIVATE_APERTURE + UINT32_MAX,
                                      .gfx_target_version = 90000,
                                      .simd_count = 256,
                                      .max_waves_per_simd = 10};
    return WT_OK;
}

static enum wt_status no_memory(uint64_t addr, struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "no memory is at 0x%llx: the program is not being run",
                   (unsigned long long)addr);
}

static enum wt_status no_read(void *context, uint64_t addr, void *out, size_t size,
                              struct wt_error *err)
{
    (void)context, (void)out, (void)size;
    return no_memory(addr, err);
}

static enum wt_status no_write(void *context, uint64_t addr, const void *bytes, size_t size,
                               struct wt_error *err)
{
    (void)context, (void)bytes, (void)size;
    return no_memory(addr, err);
}

static enum wt_status no_event(void *context, bool wait, struct wt_gcn_event *event,
                               struct wt_error *err)
{
    (void)context, (void)wait, (void)err;
    *event = (struct wt_gcn_event){.exception = false};
    return WT_OK;
}

static bool never_ended(void *context, uint32_t *status, char *text, size_t size)
{
    (void)context, (void)status, (void)text, (void)size;
    return false;
}

static const struct wt_gcn_link_ops no_link_ops = {.call = no_call,
                                                   .queues = no_queues,
                                                   .devices = vega,
                                                   .read = no_read,
                                                   .write = no_write,
                                                   .event = no_event,
                                                   .ended = never_ended};
static const struct wt_gcn_link no_link = {.ops = &no_link_ops};

void wt_gcn_connect_none(struct wt_process *p)
{
    p->target.link = &no_link;
}
