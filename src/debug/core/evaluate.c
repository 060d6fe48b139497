/* Expressions on the lanes of a stopped wave, for clients. */
#include "debug/core/state.h"

#include <stdlib.h>

#include "debug/core/known.h"
#include "debug/core/lanes.h"
#include "debug/core/rows.h"
#include "debug/core/waves.h"

static enum wt_status evaluate(struct wt_debugger *d, uint32_t wave, wt_lanes set,
                               const struct wt_expr *expr, size_t size,
                               struct wt_lane_value *result, uint8_t *bytes, struct wt_error *err)
{
    size_t count;
    const unsigned *index = wt_expr_registers(expr, &count);
    for (size_t i = 0; i < count; i++)
        if (wt_expr_named_register(index[i]) >= d->topology->register_count)
            return wt_fail(err, WT_INVALID, "there is no register %u",
                           wt_expr_named_register(index[i]));
    struct dbg_lanes lanes;
    dbg_list_lanes(d, wave, set, &lanes);
    enum wt_expr_failure failure[WT_MAX_LANES] = {0};
    uint64_t *cell = calloc(count * lanes.count + 1, sizeof *cell), value[WT_MAX_LANES] = {0};
    const uint64_t **row = calloc(count + 1, sizeof *row);
    enum wt_status status = WT_OK;
    if (!cell || !row)
        status =
            wt_fail(err, WT_NO_MEMORY, "out of memory for the registers of %u lanes", lanes.count);
    if (!status)
        status = dbg_read_cells(d, wave, set, index, count, cell, err);
    for (size_t i = 0; i < count && !status; i++)
        row[i] = cell + i * lanes.count;
    const struct wt_expr_world world = {
        .context = &lanes, .read = dbg_read_for_lanes, .failure = failure};
    const wt_lanes known = status ? 0 : wt_expr_run(expr, row, lanes.count, &world, value);
    for (unsigned k = 0; k < lanes.count && !status; k++, result++) {
        result->known = wt_has_lane(known, k);
        result->failure = failure[k];
        result->value = value[k];
        result->read =
            result->known && size && dbg_read_one(&lanes, k, result->value, bytes + k * size, size);
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
    if (!dbg_stands(d, wave))
        return dbg_refuse_running(d, w, err);
    if (!lanes || lanes & ~wt_lanes_first(w->self.lanes))
        return wt_fail(err, WT_INVALID, "a %s has %ss 0 to %u", d->topology->wave_word,
                       d->topology->lane_word, w->self.lanes - 1);
    return evaluate(d, wave, lanes, expr, size, result, bytes, err);
}
