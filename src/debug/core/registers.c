/* Registers of stopped threads, for clients. */
#include "debug/core/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "debug/core/added_registers.h"
#include "debug/core/known.h"
#include "debug/core/past.h"
#include "debug/core/rows.h"
#include "debug/core/threads.h"

static enum wt_status check_index(const struct wt_debugger *d, const unsigned *index, size_t count,
                                  struct wt_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (index[i] >= d->topology->register_count)
            return wt_fail(err, WT_INVALID, "there is no register %u", index[i]);
    return WT_OK;
}

/* The wave and lane of a stopped thread, of which registers with these indices are to be read. */
static enum wt_status find_row(struct wt_debugger *d, wt_thread thread, const unsigned *index,
                               size_t count, uint32_t *wave, unsigned *lane, struct wt_error *err)
{
    enum wt_status status = dbg_stopped_thread(d, thread, wave, lane, err);
    return status ? status : check_index(d, index, count, err);
}

enum wt_status wt_debugger_read_registers(struct wt_debugger *d, wt_thread thread,
                                          const unsigned *index, size_t count, void *out,
                                          struct wt_error *err)
{
    uint32_t wave;
    unsigned lane;
    enum wt_status status = find_row(d, thread, index, count, &wave, &lane, err);
    if (status)
        return status;
    return dbg_read_rows(d, wave, wt_lane_bit(lane), index, count, out, err);
}

enum wt_status wt_debugger_read_rows(struct wt_debugger *d, wt_thread thread, wt_lanes lanes,
                                     const unsigned *index, size_t count, void *out,
                                     struct wt_error *err)
{
    uint32_t wave;
    unsigned lane;
    enum wt_status status = find_row(d, thread, index, count, &wave, &lane, err);
    if (status)
        return status;
    const unsigned lane_count = d->wave[wave].self.lanes;
    if (!lanes || lanes & ~wt_lanes_first(lane_count))
        return wt_fail(err, WT_INVALID, "this %s has %ss 0 to %u", d->topology->wave_word,
                       d->topology->lane_word, lane_count - 1);
    return dbg_read_rows(d, wave, lanes, index, count, out, err);
}

enum wt_status wt_debugger_read_numbers(struct wt_debugger *d, wt_thread thread,
                                        const unsigned *index, size_t count, uint64_t *value,
                                        struct wt_error *err)
{
    enum wt_status status = WT_OK;
    size_t size = 0;
    if ((status = check_index(d, index, count, err)))
        return status;
    for (size_t i = 0; i < count; i++) {
        const struct wt_register *r = dbg_register(d, index[i]);
        if (r->bits > 64)
            return wt_fail(err, WT_INVALID, "%s has %u bits: it is not a number of 64", r->name,
                           r->bits);
        size += wt_register_size(r);
    }
    uint8_t *bytes = malloc(size + 1), *at = bytes;
    if (!bytes)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %zu registers", count);
    status = wt_debugger_read_registers(d, thread, index, count, bytes, err);
    for (size_t i = 0; i < count && !status; i++) {
        const size_t one = wt_register_size(dbg_register(d, index[i]));
        value[i] = wt_load_le(at, one);
        at += one;
    }
    free(bytes);
    return status;
}

/* ---- writing ---- */

/* Only active lanes are at the wave's pc. */
static enum wt_status check_pc_of(struct wt_debugger *d, uint32_t wave, unsigned lane,
                                  struct wt_error *err)
{
    const char *lane_word = d->topology->lane_word, *wave_word = d->topology->wave_word;
    enum wt_status status = dbg_need_mask(d, wave, err);
    if (status || wt_has_lane(d->wave[wave].mask, lane))
        return status;
    if (dbg_lane_waits(d, wave, lane))
        return wt_fail(err, WT_STATE,
                       "%s %u is masked off: its pc is where the divergence stack will wake it, "
                       "and cannot be set",
                       lane_word, lane);
    return wt_fail(err, WT_STATE,
                   "%s %u is masked off and has no pc that could be set: a %s has one, that of its "
                   "active %ss",
                   lane_word, lane, wave_word, lane_word);
}

/* An address at which no instruction can begin is no PC. */
static enum wt_status check_pc(struct wt_debugger *d, uint64_t pc, struct wt_error *err)
{
    struct wt_window window;
    return d->ops->window(d->probe, pc, &window, err);
}

/* Clients write back values that they have just read. Such a write must not drop a
 * recorded future. */
static bool holds_already(struct wt_debugger *d, uint32_t wave, unsigned lane, unsigned index,
                          const void *value)
{
    uint8_t now[WT_REGISTER_BITS / 8];
    struct wt_error err = {0};
    return dbg_read_rows(d, wave, wt_lane_bit(lane), &index, 1, now, &err) == WT_OK &&
           memcmp(now, value, wt_register_size(dbg_register(d, index))) == 0;
}

enum wt_status wt_debugger_write_register(struct wt_debugger *d, wt_thread thread, unsigned index,
                                          const void *value, struct wt_error *err)
{
    uint32_t wave;
    unsigned lane;
    enum wt_status status;
    if ((status = dbg_stopped_thread(d, thread, &wave, &lane, err)) ||
        (status = check_index(d, &index, 1, err)))
        return status;
    if (dbg_is_added(d, index))
        return wt_fail(err, WT_INVALID, "$%s says where a thread is: it cannot be set",
                       d->topology->registers[index].name);
    const bool is_pc = index == d->topology->pc_index;
    if (is_pc &&
        ((status = check_pc_of(d, wave, lane, err)) ||
         (status = check_pc(d, wt_load_le(value, wt_register_size(dbg_register(d, index))), err))))
        return status;
    if (!is_pc && d->history.in_past && holds_already(d, wave, lane, index, value))
        return WT_OK;
    if ((status = dbg_change_past(d, err)))
        return status;
    if ((status = dbg_write_row(d, wave, wt_lane_bit(lane), index, value, err)) || !is_pc)
        return status;
    d->wave[wave].have_pc = false;
    d->wave[wave].has_reported = false;
    return WT_OK;
}

enum wt_status wt_debugger_write_number(struct wt_debugger *d, wt_thread thread, unsigned index,
                                        uint64_t value, struct wt_error *err)
{
    uint8_t bytes[WT_REGISTER_BITS / 8] = {0};
    enum wt_status status = check_index(d, &index, 1, err);
    if (status)
        return status;
    const size_t size = wt_register_size(dbg_register(d, index));
    wt_store_le(bytes, value, size < sizeof value ? size : sizeof value);
    return wt_debugger_write_register(d, thread, index, bytes, err);
}
