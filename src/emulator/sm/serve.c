/* The requests of the SM's probe (object/sm_wire.h) as far as a device answers them by itself. */
#include "emulator/sm/host.h"

#include <errno.h>
#include <string.h>

#include "emulator/sm/internal.h"

static void tell_launch(struct sm_device *d, struct wt_wire_answer *answer, uint8_t *bytes)
{
    const struct sm_launch *latest = sm_device_latest_launch(d);
    struct sm_wire_launch launch = {
        .number = latest->grid[0] ? wt_machine_launch(&d->machine, latest->number) : 0,
        .runs = sm_device_runs(d)};
    memcpy(launch.block, latest->block, sizeof launch.block);
    memcpy(launch.grid, latest->grid, sizeof launch.grid);
    answer->size = sizeof launch;
    memcpy(bytes, &launch, sizeof launch);
}

static void list_warps(struct sm_device *d, struct wt_wire_answer *answer, uint8_t *bytes)
{
    const uint32_t count = d->machine.waves;
    for (uint32_t i = 0; i < count; i++) {
        struct sm_wire_warp warp = {.present = false};
        struct sm_warp_state state;
        if (sm_warp_state(d, i, &state)) {
            warp = (struct sm_wire_warp){.id = wt_machine_wave_id(&d->machine, i),
                                         .pc = state.pc,
                                         .present = true,
                                         .steps = state.steps,
                                         .active = state.active,
                                         .index = state.index,
                                         .lanes = (uint32_t)state.error.lanes,
                                         .kind = state.error.kind,
                                         .error_pc = state.error.pc};
            memcpy(warp.block, state.cta, sizeof warp.block);
        }
        memcpy(bytes + i * sizeof warp, &warp, sizeof warp);
    }
    answer->size = count * (uint32_t)sizeof(struct sm_wire_warp);
}

static bool write_row(const struct wt_wire_request *r, const uint8_t *bytes, wt_input_fn *input,
                      void *context)
{
    struct sm_row_write w = {.warp = r->wave, .number = r->number, .lanes = r->lanes};
    static_assert(sizeof w.row == SM_WIRE_ROW, "a row of 32 dwords");
    memcpy(w.row, bytes, sizeof w.row);
    return r->follows == sizeof w.row &&
           input(context, &(struct wt_input){.kind = WT_INPUT_OPERATION,
                                             .bytes = &w,
                                             .size = sizeof w,
                                             .operation = sm_do_write_row});
}

int32_t sm_serve(struct wt_machine *m, wt_input_fn *input, void *context,
                 const struct wt_wire_request *r, struct wt_wire_answer *answer, uint8_t *bytes)
{
    struct sm_device *d = (struct sm_device *)m;
    const struct sm_launch *launch = sm_device_latest_launch(d);
    uint32_t size = 0;
    bool done = true;
    switch ((enum sm_wire_verb)r->verb) {
    case SM_WIRE_LAUNCH:
        tell_launch(d, answer, bytes);
        break;
    case SM_WIRE_WARPS:
        list_warps(d, answer, bytes);
        break;
    case SM_WIRE_READ_ROW:
        answer->size = SM_WIRE_ROW;
        memset(bytes, 0, SM_WIRE_ROW);
        done = r->number != SM_REGISTER_RETURN && m->ops->read_row(m, r->wave, r->number, bytes);
        break;
    case SM_WIRE_WRITE_ROW:
        done = write_row(r, bytes, input, context);
        break;
    case SM_WIRE_READ_FILE:
        answer->size = r->size;
        done = sm_read_file(d, r->wave, r->value, bytes, r->size);
        break;
    case SM_WIRE_BANK:
        answer->value[0] = r->number < SM_BANKS ? launch->bank[r->number] : 0;
        answer->value[1] = r->number < SM_BANKS ? launch->bank_size[r->number] : 0;
        break;
    case SM_WIRE_LOCAL:
        done = sm_warp_local(d, r->wave, r->lane, &answer->value[0], &size);
        answer->value[1] = size;
        break;
    default:
        return -ENOSYS;
    }
    answer->size = done ? answer->size : 0;
    return done ? 0 : -EINVAL;
}
