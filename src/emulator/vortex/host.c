/* A device whose kernels a host program launches, one behind the other. */
#include "emulator/vortex/host.h"

#include <string.h>

#include "emulator/vortex/internal.h"

uint32_t vx_do_abandon(struct wt_machine *m, const void *bytes, size_t size)
{
    struct vx_device *d = (struct vx_device *)m;
    vx_device_stop(d);
    for (uint32_t i = 0; i < m->waves; i++)
        d->warp[i].stepping = false;
    m->fault.kind = WT_FAULT_NONE;
    return 1;
}

uint32_t vx_do_launch(struct wt_machine *m, const void *bytes, size_t size)
{
    uint64_t number;
    if (size != sizeof number)
        return 0;
    vx_do_abandon(m, NULL, 0);
    wt_turns_reset(&m->turns);
    memcpy(&number, bytes, sizeof number);
    m->runs = number - 1;
    return vx_device_start((struct vx_device *)m, WT_IGNORED) == WT_OK;
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
