/* Expressions on the lanes of a stopped wave: what they can reach, and a value of each lane. */
#include "debug/core/internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bits.h"

void dbg_list_lanes(struct wt_debugger *d, uint32_t wave, wt_lanes set, struct dbg_lanes *lanes)
{
    assert(set);
    lanes->d = d;
    lanes->wave = wave;
    lanes->count = 0;
    if (!(set & (set + 1))) { /* the first lanes, one after the other */
        lanes->count = wt_lanes_count(set);
        for (unsigned k = 0; k < lanes->count; k++)
            lanes->lane[k] = (uint8_t)k;
        return;
    }
    for (; set; set &= set - 1)
        lanes->lane[lanes->count++] = (uint8_t)wt_lanes_lowest(set);
}

/* Memory as one lane sees it, with the program's own instructions in place of breakpoints. */
static bool read_one(const struct dbg_lanes *at, unsigned k, uint64_t addr, void *out, size_t size)
{
    struct wt_error ignored;
    assert(k < at->count);
    const struct wt_address address = wt_debugger_address(at->d, addr);
    if (dbg_raw_read(at->d, at->wave, at->lane[k], address, out, size, &ignored))
        return false;
    dbg_show_original(at->d, address, out, size);
    return true;
}

wt_lanes dbg_read_for_lanes(void *context, wt_lanes which, const uint64_t *addr, unsigned size,
                            uint64_t *out)
{
    wt_lanes got = 0;
    for (wt_lanes rest = which; rest; rest &= rest - 1) {
        const unsigned k = wt_lanes_lowest(rest);
        uint8_t bytes[8];
        assert(size && size <= sizeof bytes);
        if (!read_one(context, k, addr[k], bytes, size))
            continue;
        out[k] = wt_load_le(bytes, size);
        got |= wt_lane_bit(k);
    }
    return got;
}

void dbg_print_for_lanes(void *context, const char *text, size_t length)
{
    const struct wt_debugger *d = ((const struct dbg_lanes *)context)->d;
    if (d->options.output)
        d->options.output(d->options.context, text, length);
}

/* ---- an expression for each lane ---- */

static enum wt_status evaluate(struct wt_debugger *d, uint32_t wave, wt_lanes set,
                               const struct wt_expr *expr, size_t size,
                               struct wt_lane_value *result, uint8_t *bytes, struct wt_error *err)
{
    size_t count;
    const unsigned *index = wt_expr_registers(expr, &count);
    for (size_t i = 0; i < count; i++)
        if (index[i] >= d->topology->register_count)
            return wt_fail(err, WT_INVALID, "there is no register %u", index[i]);
    struct dbg_lanes lanes;
    dbg_list_lanes(d, wave, set, &lanes);
    uint64_t *cell = calloc(count * lanes.count + 1, sizeof *cell), value[WT_MAX_LANES];
    const uint64_t **row = calloc(count + 1, sizeof *row);
    enum wt_status status = WT_OK;
    if (!cell || !row)
        status =
            wt_fail(err, WT_NO_MEMORY, "out of memory for the registers of %u lanes", lanes.count);
    if (!status)
        status = dbg_read_cells(d, wave, set, index, count, cell, err);
    for (size_t i = 0; i < count && !status; i++)
        row[i] = cell + i * lanes.count;
    const struct wt_expr_world world = {&lanes, dbg_read_for_lanes, NULL};
    const wt_lanes known = status ? 0 : wt_expr_run(expr, row, lanes.count, &world, value);
    for (unsigned k = 0; k < lanes.count && !status; k++, result++) {
        result->known = wt_has_lane(known, k);
        result->value = result->known ? value[k] : 0;
        result->read =
            result->known && size && read_one(&lanes, k, result->value, bytes + k * size, size);
    }
    free(cell);
    free(row);
    return status;
}

enum wt_status wt_debugger_evaluate(struct wt_debugger *d, wt_wave_id id, wt_lanes lanes,
                                    const struct wt_expr *expr, size_t size,
                                    struct wt_lane_value *result, void *bytes, struct wt_error *err)
{
    uint32_t wave = 0;
    enum wt_status status = dbg_find_wave(d, id, &wave, err);
    if (status)
        return status;
    const struct wave *w = &d->wave[wave];
    if (w->go != GO_STOPPED)
        return wt_fail(err, WT_STATE, "%s %u of core %u is running; stop it first",
                       d->topology->wave_word, w->self.slot, w->self.core);
    if (!lanes || lanes & ~wt_lanes_first(w->self.lanes))
        return wt_fail(err, WT_INVALID, "a %s has %ss 0 to %u", d->topology->wave_word,
                       d->topology->lane_word, w->self.lanes - 1);
    return evaluate(d, wave, lanes, expr, size, result, bytes, err);
}
