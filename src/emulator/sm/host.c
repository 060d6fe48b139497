/* A device inside a host process, and a debugger's operations. See host.h. */
#include "emulator/sm/host.h"

#include <string.h>

#include "emulator/sm/internal.h"

enum wt_status sm_device_new_in_host(const struct sm_config *config, struct sm_device **device,
                                     struct wt_error *err)
{
    const enum wt_status status = sm_device_new(config, device, err);
    return status ? status : wt_in_process_begin(&(*device)->machine, err);
}

uint32_t sm_device_interrupts(const struct sm_device *d)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < d->config.sms; i++)
        sum += d->unit[i].interrupts;
    return sum;
}

/* ---- memory that the program has taken back ---- */

void sm_device_lost_memory(struct sm_device *d, uint64_t addr)
{
    struct wt_machine *m = &d->machine;
    struct sm_warp *w = &d->warp[m->turns.current];
    sm_blocks_lost(w);
    if (m->in_turn && d->executing)
        w->pc = sm_pc_of(w, d->executing);
    m->fault = (struct wt_fault){.kind = WT_FAULT_ACCESS,
                                 .wave = w->id,
                                 .lanes = w->mask,
                                 .pc = w->pc,
                                 .addr = addr,
                                 .time = m->time,
                                 .name = "L1_ERROR"};
    snprintf(m->fault.text, sizeof m->fault.text, WT_LOST_MEMORY, (unsigned long long)addr);
    if (m->in_turn)
        m->turns.left -= (uint32_t)wt_finish_turn(m, w->left);
}

/* ---- a debugger's operations ---- */

uint32_t sm_do_launch(struct wt_machine *m, const void *bytes, size_t size)
{
    struct sm_launch launch;
    if (size != sizeof launch)
        return 0;
    memcpy(&launch, bytes, sizeof launch);
    return sm_device_launch((struct sm_device *)m, &launch, WT_IGNORED) == WT_OK;
}

uint32_t sm_do_write_row(struct wt_machine *m, const void *bytes, size_t size)
{
    struct sm_row_write w;
    if (size != sizeof w)
        return 0;
    memcpy(&w, bytes, sizeof w);
    return sm_write_row((struct sm_device *)m, w.warp, w.number, w.lanes, w.row);
}

uint32_t sm_do_stop(struct wt_machine *m, const void *bytes, size_t size)
{
    uint32_t sm;
    if (size != sizeof sm)
        return 0;
    memcpy(&sm, bytes, sizeof sm);
    if (sm >= ((struct sm_device *)m)->config.sms)
        return 0;
    sm_device_stop((struct sm_device *)m, sm);
    return 1;
}

const wt_input_operation sm_operations[] = {sm_do_launch, sm_do_write_row, sm_do_stop, NULL};
