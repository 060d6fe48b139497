/*
 * Registers that the debugger adds to the GPU's: the coordinates of a lane, its active lanes, the
 * time, and the id of its wave. They follow the probe's registers in the topology, so that every
 * client can read them, and conditions of breakpoints can name them, like any other register.
 */
#include "debug/core/added_registers.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "debug/core/known.h"
#include "expr/wire.h"

/* From ADDED_ITEM on: three of each, for x, y and z. */
enum added_code {
    ADDED_CORE,
    ADDED_WAVE,
    ADDED_LANE,
    ADDED_MASK,
    ADDED_MASK_HIGH,
    ADDED_TIME,
    ADDED_WAVE_ID,
    ADDED_ITEM,
    ADDED_GROUP = ADDED_ITEM + 3,
    ADDED_BLOCK = ADDED_GROUP + 3,
    ADDED_GRID = ADDED_BLOCK + 3,
    ADDED_CODES = ADDED_GRID + 3
};

enum wt_status dbg_add_registers(struct wt_debugger *d, const struct wt_topology *of_probe,
                                 struct wt_error *err)
{
    const char *const name[ADDED_CODES] = {"_core",      d->added.wave_register,
                                           "_lane",      "_mask",
                                           "_mask_high", "_time",
                                           "_wave_id",   "_item_x",
                                           "_item_y",    "_item_z",
                                           "_group_x",   "_group_y",
                                           "_group_z",   "_block_x",
                                           "_block_y",   "_block_z",
                                           "_grid_x",    "_grid_y",
                                           "_grid_z"};
    const size_t codes = of_probe->has_grid ? ADDED_CODES : ADDED_ITEM;
    const size_t given = of_probe->register_count;
    d->shape = *of_probe;
    d->topology = &d->shape;
    snprintf(d->added.wave_register, sizeof d->added.wave_register, "_%s", of_probe->wave_word);
    d->added.probe_count = given;
    d->added.registers = calloc(given + codes, sizeof *d->added.registers);
    if (!d->added.registers)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the table of registers");
    memcpy(d->added.registers, of_probe->registers, given * sizeof *d->added.registers);
    /* In hardware the lanes of a wave share one register; users expect one for each lane. */
    d->added.registers[of_probe->pc_index].scope = WT_SCOPE_LANE;
    /* Numbers are consecutive: GDB 13 does not compile expressions for registers whose number is
     * greater than its own count of registers. */
    unsigned number = 0;
    for (size_t i = 0; i < given; i++)
        if (d->added.registers[i].number >= number)
            number = d->added.registers[i].number + 1;
    size_t count = given;
    for (unsigned code = 0; code < codes; code++) {
        if ((code == ADDED_MASK_HIGH && of_probe->lanes <= 64) ||
            (code == ADDED_TIME && !d->target->services->time))
            continue;
        d->added.registers[count++] = (struct wt_register){
            .name = name[code],
            .set = WT_ADDED_SET,
            .type = WT_REG_UINT,
            .bits = code < ADDED_MASK || code >= ADDED_ITEM ? 32 : 64,
            .scope = code == ADDED_LANE || (code >= ADDED_ITEM && code < ADDED_GROUP)
                         ? WT_SCOPE_LANE
                         : WT_SCOPE_WAVE,
            .number = number + code,
            .dwarf = -1,
            .code = code,
            .read_only = true,
        };
    }
    d->shape.registers = d->added.registers;
    d->shape.register_count = count;
    return WT_OK;
}

bool dbg_is_time(const struct wt_debugger *d, unsigned index)
{
    return dbg_is_added(d, index) && d->added.registers[index].code == ADDED_TIME;
}

bool dbg_is_of_work(const struct wt_debugger *d, unsigned index)
{
    return dbg_is_added(d, index) && d->added.registers[index].code >= ADDED_ITEM;
}

static uint64_t value_of_work(const struct wt_wave *w, unsigned code, unsigned lane)
{
    const unsigned axis = (code - ADDED_ITEM) % 3;
    if (code < ADDED_GROUP)
        return wt_wave_item(w, lane, axis);
    return code < ADDED_BLOCK ? w->group[axis] : code < ADDED_GRID ? w->block[axis] : w->grid[axis];
}

bool dbg_added_source(const struct wt_debugger *d, unsigned index, struct wt_expr_source *source)
{
    static const uint8_t values[] = {
        [ADDED_LANE] = WT_EXPR_LANE,       [ADDED_MASK] = WT_EXPR_MASK,
        [ADDED_MASK_HIGH] = WT_EXPR_MASK,  [ADDED_TIME] = WT_EXPR_TIME,
        [ADDED_WAVE_ID] = WT_EXPR_WAVE_ID, [ADDED_ITEM] = WT_EXPR_ITEM,
        [ADDED_GROUP] = WT_EXPR_GROUP,     [ADDED_BLOCK] = WT_EXPR_BLOCK,
        [ADDED_GRID] = WT_EXPR_GRID};
    const unsigned code = d->added.registers[index].code;
    const unsigned axis = code >= ADDED_ITEM ? (code - ADDED_ITEM) % 3 : 0;
    assert(dbg_is_added(d, index));
    *source = (struct wt_expr_source){
        .value = values[code - axis],
        .part = (uint8_t)(code >= ADDED_ITEM ? axis : code == ADDED_MASK_HIGH)};
    return code != ADDED_CORE && code != ADDED_WAVE;
}

uint64_t dbg_added_value(const struct wt_debugger *d, unsigned index, uint32_t wave, unsigned lane,
                         wt_lanes mask)
{
    struct wt_wave self;
    assert(dbg_is_added(d, index));
    const unsigned code = d->added.registers[index].code;
    if (code >= ADDED_ITEM) {
        dbg_describe(d, wave, &self);
        return value_of_work(&self, code, lane);
    }
    switch ((enum added_code)code) {
    case ADDED_CORE:
        dbg_describe(d, wave, &self);
        return self.core;
    case ADDED_WAVE:
        dbg_describe(d, wave, &self);
        return self.slot;
    case ADDED_WAVE_ID: /* of the wave that is there now, which the probe may have yet to see */
        return d->target->services->wave_id ? d->target->services->wave_id(d->target->context, wave)
                                            : d->ops->wave_id(d->probe, wave);
    case ADDED_LANE:
        return lane;
    case ADDED_MASK:
        return (uint64_t)mask;
    case ADDED_MASK_HIGH:
        return (uint64_t)(mask >> 64);
    default:
        break;
    }
    return d->target->services->time(d->target->context);
}

enum wt_status dbg_read_added(struct wt_debugger *d, uint32_t wave, wt_lanes lanes, unsigned index,
                              uint8_t *row, struct wt_error *err)
{
    const struct wt_register *r = &d->added.registers[index];
    const size_t size = wt_register_size(r);
    enum wt_status status;
    if ((r->code == ADDED_MASK || r->code == ADDED_MASK_HIGH) &&
        (status = dbg_need_mask(d, wave, err)))
        return status;
    if (r->scope != WT_SCOPE_LANE)
        lanes &= -lanes; /* one value for all */
    for (; lanes; lanes &= lanes - 1, row += size)
        wt_store_le(
            row, dbg_added_value(d, index, wave, wt_lanes_lowest(lanes), d->wave[wave].mask), size);
    return WT_OK;
}
