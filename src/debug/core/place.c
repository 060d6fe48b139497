/*
 * Registers that no GPU has: where a lane is, which lanes go with it, and when. They follow the
 * probe's registers in the topology, so that every client can read them, and conditions of
 * breakpoints can name them, like any other register.
 */
#include "debug/core/internal.h"

#include <stdio.h>
#include <stdlib.h>

enum place_code { PLACE_CORE, PLACE_WAVE, PLACE_LANE, PLACE_MASK, PLACE_MASK_HIGH, PLACE_TIME };

enum wt_status dbg_add_place_registers(struct wt_debugger *d, const struct wt_topology *of_probe,
                                       struct wt_error *err)
{
    const char *const name[] = {"_core", d->wave_register, "_lane", "_mask", "_mask_high", "_time"};
    const size_t codes = sizeof name / sizeof *name, given = of_probe->register_count;
    d->shape = *of_probe;
    d->topology = &d->shape;
    snprintf(d->wave_register, sizeof d->wave_register, "_%s", of_probe->wave_word);
    d->probe_registers = given;
    if (given + codes > MAX_REGISTERS)
        return wt_fail(err, WT_UNSUPPORTED, "a device with %zu registers a lane; at most %zu work",
                       given, MAX_REGISTERS - codes);
    d->registers = calloc(given + codes, sizeof *d->registers);
    if (!d->registers)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the table of registers");
    memcpy(d->registers, of_probe->registers, given * sizeof *d->registers);
    /* Numbers follow on, too: GDB 13 compiles no expression for registers whose number is beyond
     * its own count of registers. */
    unsigned number = 0;
    for (size_t i = 0; i < given; i++)
        if (d->registers[i].number >= number)
            number = d->registers[i].number + 1;
    size_t count = given;
    for (unsigned code = 0; code < codes; code++) {
        if ((code == PLACE_MASK_HIGH && of_probe->lanes <= 64) ||
            (code == PLACE_TIME && !d->target->services->time))
            continue;
        d->registers[count++] = (struct wt_register){
            .name = name[code],
            .set = WT_PLACE_SET,
            .type = WT_REG_INT,
            .bits = code < PLACE_MASK ? 32 : 64,
            .number = number + code,
            .code = code,
            .per_lane = code == PLACE_LANE,
            .read_only = true,
        };
    }
    d->shape.registers = d->registers;
    d->shape.register_count = count;
    return WT_OK;
}

enum wt_status dbg_place_register(struct wt_debugger *d, uint32_t wave, unsigned lane,
                                  unsigned index, uint64_t *value, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    switch ((enum place_code)d->registers[index].code) {
    case PLACE_CORE:
        *value = d->wave[wave].self.core;
        break;
    case PLACE_WAVE:
        *value = d->wave[wave].self.slot;
        break;
    case PLACE_LANE:
        *value = lane;
        break;
    case PLACE_MASK:
    case PLACE_MASK_HIGH:
        if (!(status = dbg_need_mask(d, wave, err)))
            *value = (uint64_t)(d->registers[index].code == PLACE_MASK ? d->wave[wave].mask
                                                                       : d->wave[wave].mask >> 64);
        break;
    case PLACE_TIME:
        *value = d->target->services->time(d->target->context);
        break;
    }
    return status;
}

enum wt_status dbg_read_lanes(struct wt_debugger *d, uint32_t wave, wt_lanes lanes,
                              const unsigned *index, size_t count, uint64_t *value,
                              struct wt_error *err)
{
    unsigned wanted[MAX_REGISTERS];
    size_t wanted_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!dbg_is_place(d, index[i]))
            wanted[wanted_count++] = index[i];
    enum wt_status status = WT_OK;
    if (wanted_count)
        status = dbg_fetch_registers(d, wave, lanes, wanted, wanted_count, value, err);
    if (wanted_count == count)
        return status;
    /* The device's values lie close together: spread them, from the end, and fill the gaps. */
    size_t from = wanted_count * wt_lanes_count(lanes), to = count * wt_lanes_count(lanes);
    while (!status && to) {
        const unsigned lane = wt_lanes_highest(lanes);
        for (size_t i = count; i-- > 0 && !status;) {
            to--;
            if (dbg_is_place(d, index[i]))
                status = dbg_place_register(d, wave, lane, index[i], &value[to], err);
            else
                value[to] = value[--from];
        }
        lanes &= ~wt_lane_bit(lane);
    }
    return status;
}
