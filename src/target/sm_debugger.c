/*
 * The driver's services for a debugger, on the device of a standalone kernel, as the probe's link.
 * Changes to the device are recorded as inputs. See sm_debugger.h.
 */
#include "target/sm_debugger.h"

#include <string.h>

#include "emulator/sm/host.h"
#include "target/history.h"

static_assert((int)WT_SM_LOCAL == (int)SM_REGISTER_LOCAL && (int)WT_SM_P0 == (int)SM_REGISTER_P0 &&
                  (int)WT_SM_PC == (int)SM_REGISTER_PC,
              "the driver's numbers of registers are the emulator's");

static struct wt_machine *machine_of(void *context)
{
    return ((struct wt_emulated *)context)->machine;
}

static struct sm_device *device_of(void *context)
{
    return (struct sm_device *)machine_of(context);
}

static enum wt_status link_launch(void *context, struct wt_sm_launch *out, struct wt_error *err)
{
    const struct sm_launch *latest = sm_device_latest_launch(device_of(context));
    *out = (struct wt_sm_launch){
        .number = latest->grid[0] ? wt_machine_launch(machine_of(context), latest->number) : 0,
        .runs = sm_device_runs(device_of(context))};
    memcpy(out->block, latest->block, sizeof out->block);
    memcpy(out->grid, latest->grid, sizeof out->grid);
    return WT_OK;
}

static enum wt_status link_warp(void *context, uint32_t warp, struct wt_sm_warp *out,
                                struct wt_error *err)
{
    struct sm_warp_state state;
    if (!sm_warp_state(device_of(context), warp, &state))
        return wt_fail(err, WT_STATE, "there is no warp %u now", warp);
    *out = (struct wt_sm_warp){.id = wt_machine_wave_id(machine_of(context), warp),
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
    struct wt_machine *m = machine_of(context);
    return m->ops->read_row(m, warp, number, row)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "warp %u has no register %u", warp, number);
}

static enum wt_status link_write_row(void *context, uint32_t warp, unsigned number, uint32_t lanes,
                                     const void *row, struct wt_error *err)
{
    struct sm_row_write w = {.warp = warp, .number = number, .lanes = lanes};
    memcpy(w.row, row, number < WT_SM_P0 ? sizeof w.row : 8);
    const struct wt_input input = {
        .kind = WT_INPUT_OPERATION, .bytes = &w, .size = sizeof w, .operation = sm_do_write_row};
    return wt_emulated_input(context, &input)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "register %u of warp %u cannot be written so", number,
                         warp);
}

static enum wt_status link_read_file(void *context, uint32_t warp, uint64_t offset, void *out,
                                     size_t size, struct wt_error *err)
{
    return sm_read_file(device_of(context), warp, offset, out, size)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "the register file of warp %u has no byte 0x%llx", warp,
                         (unsigned long long)offset);
}

/* ---- memory ---- */

static enum wt_status link_bank(void *context, unsigned bank, uint64_t *addr, uint32_t *size,
                                struct wt_error *err)
{
    const struct sm_launch *l = sm_device_latest_launch(device_of(context));
    *addr = bank < SM_BANKS ? l->bank[bank] : 0;
    *size = bank < SM_BANKS ? l->bank_size[bank] : 0;
    return WT_OK;
}

static enum wt_status link_local(void *context, uint32_t warp, unsigned lane, uint64_t *addr,
                                 uint32_t *size, struct wt_error *err)
{
    return sm_warp_local(device_of(context), warp, lane, addr, size)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "there is no warp %u now", warp);
}

enum wt_status sm_debugger_launch(struct wt_emulated *e, const struct sm_launch *of,
                                  struct wt_error *err)
{
    const struct wt_input launch = {
        .kind = WT_INPUT_OPERATION, .bytes = of, .size = sizeof *of, .operation = sm_do_launch};
    return wt_emulated_input(e, &launch)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "the kernel cannot be launched again");
}

const struct wt_sm_link_ops sm_debugger_link = {
    .launch = link_launch,
    .warp = link_warp,
    .read_row = link_read_row,
    .write_row = link_write_row,
    .read_file = link_read_file,
    .bank = link_bank,
    .local = link_local,
};
