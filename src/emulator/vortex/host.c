/* A device whose kernels a host program launches, one behind the other. */
#include "emulator/vortex/host.h"

#include <string.h>

#include "emulator/vortex/internal.h"

/* Ends all warps; what a debugger has asked of their slots stays. */
static void end_warps(struct vx_device *d)
{
    struct wt_machine *m = &d->machine;
    for (uint32_t i = 0; i < d->core_count; i++) {
        struct vx_core *core = &d->core[i];
        vx_stop_core(d, core);
        core->issues = 0;
    }
    for (uint32_t i = 0; i < m->waves; i++) {
        d->warp[i].stepping = false;
        d->warp[i].frm = d->warp[i].fflags = 0;
    }
    m->fault.kind = WT_FAULT_NONE;
}

uint32_t vx_do_abandon(struct wt_machine *m, const void *bytes, size_t size)
{
    end_warps((struct vx_device *)m);
    return 1;
}

uint32_t vx_do_launch(struct wt_machine *m, const void *bytes, size_t size)
{
    struct vx_device *d = (struct vx_device *)m;
    uint64_t number;
    if (size != sizeof number)
        return 0;
    end_warps(d);
    wt_turns_reset(&m->turns);
    memcpy(&number, bytes, sizeof number);
    m->runs = number - 1;
    for (uint32_t i = 0; i < d->core_count; i++)
        d->core[i].mscratch = vx_truncate(d, d->config.argument);
    d->profile->launch(d);
    return 1;
}

uint32_t vx_do_write_dcr(struct wt_machine *m, const void *bytes, size_t size)
{
    struct vx_dcr_write write;
    if (size != sizeof write)
        return 0;
    memcpy(&write, bytes, sizeof write);
    return vx_device_dcr_write((struct vx_device *)m, write.addr, write.value);
}

const wt_input_operation vx_operations[] = {vx_do_launch, vx_do_abandon, vx_do_write_dcr, NULL};

uint64_t vx_device_core_issues(const struct vx_device *d, uint32_t core)
{
    return core < d->core_count ? d->core[core].issues : 0;
}
