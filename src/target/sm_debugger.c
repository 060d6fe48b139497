/*
 * The driver's services for a debugger, on the device of a standalone kernel, as the probe's link.
 * Changes to the device are recorded as inputs. See sm_debugger.h.
 */
#include "target/sm_debugger.h"

#include <string.h>

#include "emulator/sm/host.h"
#include "target/history.h"

/* Issues of a moment: the warp that steps is the only one that can issue. */
#define WAIT_ISSUES 4096u

static_assert((int)WT_SM_LOCAL == (int)SM_REGISTER_LOCAL && (int)WT_SM_P0 == (int)SM_REGISTER_P0 &&
                  (int)WT_SM_PC == (int)SM_REGISTER_PC,
              "the driver's numbers of registers are the emulator's");

static enum wt_status link_launch(void *context, struct wt_sm_launch *out, struct wt_error *err)
{
    const struct sm_way_in *way = context;
    (void)err;
    const struct sm_launch *latest = sm_device_latest_launch(way->device);
    *out = (struct wt_sm_launch){
        .number = latest->grid[0] ? wt_machine_launch(way->e->machine, latest->number) : 0,
        .runs = sm_device_runs(way->device)};
    memcpy(out->block, way->launch->block, sizeof out->block);
    memcpy(out->grid, way->launch->grid, sizeof out->grid);
    return WT_OK;
}

static enum wt_status link_warp(void *context, uint32_t warp, struct wt_sm_warp *out,
                                struct wt_error *err)
{
    const struct sm_way_in *way = context;
    struct sm_warp_state state;
    if (!sm_warp_state(way->device, warp, &state))
        return wt_fail(err, WT_STATE, "there is no warp %u now", warp);
    *out = (struct wt_sm_warp){.id = wt_machine_wave_id(way->e->machine, warp),
                               .index = state.index,
                               .pc = state.pc,
                               .active = state.active,
                               .steps = state.steps,
                               .error = state.error};
    memcpy(out->block, state.cta, sizeof out->block);
    return WT_OK;
}

/* ---- registers ---- */

static enum wt_status link_read_row(void *context, uint32_t warp, unsigned number, void *row,
                                    struct wt_error *err)
{
    struct wt_machine *m = sm_machine(((struct sm_way_in *)context)->device);
    return m->ops->read_row(m, warp, number, row)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "warp %u has no register %u", warp, number);
}

static enum wt_status link_write_row(void *context, uint32_t warp, unsigned number, uint32_t lanes,
                                     const void *row, struct wt_error *err)
{
    struct sm_way_in *way = context;
    struct sm_row_write w = {.warp = warp, .number = number, .lanes = lanes};
    memcpy(w.row, row, number < WT_SM_P0 ? sizeof w.row : 8);
    const struct wt_input input = {
        .kind = WT_INPUT_OPERATION, .bytes = &w, .size = sizeof w, .operation = sm_do_write_row};
    return wt_emulated_input(way->e, &input)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "register %u of warp %u cannot be written so", number,
                         warp);
}

static enum wt_status link_read_file(void *context, uint32_t warp, uint64_t offset, void *out,
                                     size_t size, struct wt_error *err)
{
    struct sm_way_in *way = context;
    return sm_read_file(way->device, warp, offset, out, size)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "the register file of warp %u has no byte 0x%llx", warp,
                         (unsigned long long)offset);
}

/* ---- memory ---- */

static enum wt_status link_read(void *context, uint32_t warp, unsigned lane, uint64_t addr,
                                void *out, size_t size, struct wt_error *err)
{
    struct wt_machine *m = sm_machine(((struct sm_way_in *)context)->device);
    return m->ops->read_memory(m, warp, lane, addr, out, size)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "no memory can be read at 0x%llx",
                         (unsigned long long)addr);
}

static enum wt_status link_write(void *context, uint32_t warp, unsigned lane, uint64_t addr,
                                 const void *bytes, size_t size, struct wt_error *err)
{
    struct sm_way_in *way = context;
    const struct wt_input input = {.kind = WT_INPUT_MEMORY,
                                   .wave = warp,
                                   .lane = lane,
                                   .addr = addr,
                                   .bytes = bytes,
                                   .size = size};
    return wt_emulated_input(way->e, &input)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "no memory can be written at 0x%llx",
                         (unsigned long long)addr);
}

static enum wt_status link_bank(void *context, unsigned bank, uint64_t *addr, uint32_t *size,
                                struct wt_error *err)
{
    const struct sm_launch *l = ((struct sm_way_in *)context)->launch;
    (void)err;
    *addr = bank < SM_BANKS ? l->bank[bank] : 0;
    *size = bank < SM_BANKS ? l->bank_size[bank] : 0;
    return WT_OK;
}

static enum wt_status link_local(void *context, uint32_t warp, unsigned lane, uint64_t *addr,
                                 uint32_t *size, struct wt_error *err)
{
    struct sm_way_in *way = context;
    return sm_warp_local(way->device, warp, lane, addr, size)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "there is no warp %u now", warp);
}

/* ---- time ---- */

static enum wt_status link_wait(void *context, struct wt_error *err)
{
    struct sm_way_in *way = context;
    struct wt_machine *m = way->e->machine;
    enum wt_run run;
    uint64_t before;
    (void)err;
    do { /* an event may be an earlier one, from the lock-down itself */
        before = m->time;
        run = wt_emulated_run(way->e, WAIT_ISSUES);
        /* A watched instruction is reported before it issues; the step is meant to issue it. */
        if (run == WT_RUN_WATCH && m->time == before)
            m->hits = 0;
    } while ((run == WT_RUN_WATCH || run == WT_RUN_EVENT) && m->time == before);
    return WT_OK;
}

static bool link_ended(void *context, uint32_t *status, char *text, size_t size)
{
    const struct sm_way_in *way = context;
    (void)text, (void)size;
    *status = 0; /* kernels have none */
    return !sm_device_runs(way->device) && !way->e->machine->fault.kind;
}

static enum wt_status link_reset(void *context, struct wt_error *err)
{
    struct sm_way_in *way = context;
    wt_emulated_input(way->e, &(struct wt_input){.kind = WT_INPUT_RESET});
    const struct wt_input launch = {.kind = WT_INPUT_OPERATION,
                                    .bytes = way->launch,
                                    .size = sizeof *way->launch,
                                    .operation = sm_do_launch};
    if (!wt_emulated_input(way->e, &launch))
        return wt_fail(err, WT_INVALID, "the kernel cannot be launched again");
    return WT_OK;
}

const struct wt_sm_link_ops sm_debugger_link = {
    .launch = link_launch,
    .warp = link_warp,
    .read_row = link_read_row,
    .write_row = link_write_row,
    .read_file = link_read_file,
    .read = link_read,
    .write = link_write,
    .bank = link_bank,
    .local = link_local,
    .wait = link_wait,
    .ended = link_ended,
    .reset = link_reset,
};
