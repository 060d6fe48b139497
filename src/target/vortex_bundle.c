/*
 * See vortex_bundle.h. What names a warp goes to the warp's GPU, what names a window of warps to
 * the window's, and requests to all of them (VxDebug specification, "Debug Module Registers").
 */
#include "target/vortex_bundle.h"

#include "emulator/vortex/vortex.h"
#include "object/vortex_wire.h"

enum { LANE_BITS = 7, WARP_BITS = 15, WINDOW = LANE_BITS + WARP_BITS };

/* Requests of DCTRL for the selected warp, which come alone: injectreq, stepreq. */
#define OF_WARP (UINT32_C(1) << 6 | UINT32_C(1) << 3)

enum wt_status vortex_bundle_open(struct vortex_bundle *b, struct wt_process_link *link,
                                  struct wt_error *err)
{
    const struct wt_wire_request request = {.verb = VORTEX_WIRE_SHAPES};
    struct vortex_wire_shape shape[WT_WIRE_DEVICES];
    struct wt_wire_answer answer;
    const enum wt_status status =
        wt_process_link_ask(link, &request, NULL, &answer, shape, sizeof shape, err);
    if (status)
        return status;
    if (answer.result < 0 || answer.size != link->hello.devices * sizeof *shape)
        return wt_connection_lost(&link->connection, "it does not say how its GPUs are", err);
    for (uint32_t i = 0; i < link->hello.devices; i++) {
        if (shape[i].xlen != shape->xlen || shape[i].ctas != shape->ctas)
            return wt_fail(
                err, WT_UNSUPPORTED,
                "the program's GPUs 0 and %u are of two kinds (RV32 and RV64, or Vortex 2 "
                "and 3): a debugger follows GPUs of one",
                (unsigned)i);
        b->gpu[i] = (struct wt_vortex_gpu){shape[i].cores, shape[i].warps, shape[i].threads};
        link->waves[i] = wt_vortex_gpu_warps(&b->gpu[i]);
    }
    b->count = link->hello.devices;
    return WT_OK;
}

/* Accesses to one GPU that are sent together. */
struct flight {
    struct vortex_bundle *bundle;
    struct wt_process_link *link;
    struct wt_error *err;
    enum wt_status status;
    uint32_t gpu;
    size_t count;
    struct wt_wire_register list[256];
    struct wt_bus_op *to[256]; /* who gets the value; NULL: nobody */
};

static void send(struct flight *f)
{
    if (f->count && !f->status)
        f->status = wt_process_link_ops.registers(f->link, f->gpu, f->list, f->count, f->err);
    for (size_t i = 0; i < f->count && !f->status; i++)
        if (f->to[i])
            f->to[i]->value = f->list[i].value;
    f->count = 0;
}

static void add(struct flight *f, uint32_t gpu, uint32_t addr, bool write, uint32_t value,
                struct wt_bus_op *to)
{
    if (f->gpu != gpu || f->count == sizeof f->list / sizeof *f->list)
        send(f);
    f->gpu = gpu;
    f->to[f->count] = to;
    f->list[f->count++] = (struct wt_wire_register){addr, write, value};
}

/* The GPU of warp @p warp, which becomes its number there. */
static uint32_t gpu_of(const struct vortex_bundle *b, uint32_t *warp)
{
    uint32_t gpu = 0;
    for (; gpu + 1 < b->count && *warp >= wt_vortex_gpu_warps(&b->gpu[gpu]); gpu++)
        *warp -= wt_vortex_gpu_warps(&b->gpu[gpu]);
    return gpu;
}

/* Has the GPU of the selected warp, or window, select it. */
static uint32_t choose(struct flight *f, bool window)
{
    struct vortex_bundle *b = f->bundle;
    const uint32_t lane = b->dselect & ((1u << LANE_BITS) - 1);
    uint32_t first = b->dselect >> WINDOW, warp = b->dselect >> LANE_BITS & ((1u << WARP_BITS) - 1);
    uint32_t of_window = first * 32;
    const uint32_t gpu = gpu_of(b, window ? &of_window : &warp);
    const uint32_t value = window ? of_window / 32 << WINDOW : warp << LANE_BITS | lane;
    if (!b->known[gpu] || b->own[gpu] != value)
        add(f, gpu, VX_DM_DSELECT, true, value, NULL);
    b->known[gpu] = true;
    b->own[gpu] = value;
    return gpu;
}

static void access(struct flight *f, struct wt_bus_op *op)
{
    struct vortex_bundle *b = f->bundle;
    const bool of_warp = op->addr == VX_DM_DCTRL && op->value & OF_WARP;
    uint32_t gpu = 0;
    if (op->addr == VX_DM_DSELECT || op->addr == VX_DM_INJECT) {
        uint32_t *kept = op->addr == VX_DM_DSELECT ? &b->dselect : &b->inject;
        *kept = op->write ? op->value : *kept;
        op->value = *kept;
    } else if (op->write && of_warp) {
        gpu = choose(f, false);
        if (!b->injects[gpu] || b->instruction[gpu] != b->inject)
            add(f, gpu, VX_DM_INJECT, true, b->inject, NULL);
        b->injects[gpu] = true;
        b->instruction[gpu] = b->inject;
        add(f, gpu, op->addr, true, op->value, NULL);
    } else if (op->write && (op->addr == VX_DM_DCTRL || op->addr == VX_DM_DCONFIG)) {
        for (uint32_t i = 0; i < b->count; i++)
            add(f, i, op->addr, true, op->value, NULL);
    } else {
        if (op->addr == VX_DM_WMASK || op->addr == VX_DM_WACTIVE || op->addr == VX_DM_WSTATUS)
            gpu = choose(f, true);
        else if (op->addr != VX_DM_PLATFORM && op->addr != VX_DM_DCONFIG)
            gpu = choose(f, false);
        add(f, gpu, op->addr, op->write, op->value, op);
    }
}

enum wt_status vortex_bundle_ask(struct vortex_bundle *b, struct wt_process_link *link,
                                 struct wt_bus_op *ops, size_t count, struct wt_error *err)
{
    struct flight f = {.bundle = b, .link = link, .err = err};
    for (size_t i = 0; i < count && !f.status; i++)
        access(&f, &ops[i]);
    send(&f);
    return f.status;
}
