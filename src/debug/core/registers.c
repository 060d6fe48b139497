/*
 * Registers of stopped waves: rows of bytes (probe.h), read in few round trips and kept for as long
 * as they are certain to hold. A register of a lane or a wave holds until its wave moves; one that
 * waves share, until any wave does; one that is unsteady is read each time.
 */
#include "debug/core/internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bits.h"

#define CACHE_BYTES ((size_t)8 << 20)

/* ---- what is kept ---- */

struct wave_rows {
    bool used;
    uint32_t wave;
    uint64_t generation; /* of the wave, and of what waves share */
    uint64_t shared_generation;
    wt_lanes *valid; /* by register: the lanes whose values are known; no lane scope: bit 0 */
    uint8_t *bytes;  /* rows of all lanes, at d->row_at[register] */
};

static const struct wt_register *register_at(const struct wt_debugger *d, unsigned index)
{
    assert(index < d->topology->register_count);
    return &d->topology->registers[index];
}

enum wt_status dbg_open_registers(struct wt_debugger *d, struct wt_error *err)
{
    const size_t count = d->topology->register_count;
    size_t bytes = 0;
    d->row_at = calloc(count, sizeof *d->row_at);
    d->fetched = calloc(count, sizeof *d->fetched);
    if (!d->row_at || !d->fetched)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %zu registers", count);
    for (size_t i = 0; i < count; i++) {
        const struct wt_register *r = &d->topology->registers[i];
        if (r->bits == 0 || r->bits > WT_REGISTER_BITS)
            return wt_fail(err, WT_UNSUPPORTED, "register %s has %u bits; 1 to %d work", r->name,
                           r->bits, WT_REGISTER_BITS);
        d->row_at[i] = bytes;
        bytes += wt_register_row(r, wt_lanes_first(d->topology->lanes));
    }
    d->row_bytes = bytes;
    d->row_slots = CACHE_BYTES / (bytes + count * sizeof(wt_lanes));
    if (d->row_slots > d->topology->waves)
        d->row_slots = d->topology->waves;
    if (d->row_slots == 0)
        d->row_slots = 1;
    d->rows = calloc(d->row_slots, sizeof *d->rows);
    return d->rows ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for registers");
}

void dbg_close_registers(struct wt_debugger *d)
{
    for (size_t i = 0; d->rows && i < d->row_slots; i++) {
        free(d->rows[i].valid);
        free(d->rows[i].bytes);
    }
    free(d->rows);
    free(d->row_at);
    free(d->fetched);
    free(d->row_buffer);
}

/* The rows kept of a wave; what does not hold any more is marked so. */
static enum wt_status rows_of(struct wt_debugger *d, uint32_t wave, struct wave_rows **rows,
                              struct wt_error *err)
{
    const size_t count = d->topology->register_count;
    assert(wave < d->topology->waves);
    struct wave_rows *c = *rows = &d->rows[wave % d->row_slots];
    if (!c->bytes) {
        if (!c->valid)
            c->valid = calloc(count, sizeof *c->valid);
        c->bytes = c->valid ? malloc(d->row_bytes) : NULL;
        if (!c->bytes)
            return wt_fail(err, WT_NO_MEMORY, "out of memory for registers");
    }
    if (!c->used || c->wave != wave || c->generation != d->generation[wave]) {
        memset(c->valid, 0, count * sizeof *c->valid);
    } else if (c->shared_generation != d->shared_generation) {
        for (size_t i = 0; i < count; i++)
            if (d->topology->registers[i].scope > WT_SCOPE_WAVE)
                c->valid[i] = 0;
    }
    c->used = true;
    c->wave = wave;
    c->generation = d->generation[wave];
    c->shared_generation = d->shared_generation;
    return WT_OK;
}

/* ---- moving rows ---- */

/* From a row of `lanes` to that of all lanes, or (gather) the other way round. */
static void scatter(uint8_t *all, const uint8_t *row, size_t size, wt_lanes lanes)
{
    for (; lanes; lanes &= lanes - 1, row += size)
        memcpy(all + size * wt_lanes_lowest(lanes), row, size);
}

static void gather(uint8_t *row, const uint8_t *all, size_t size, wt_lanes lanes)
{
    if (!(lanes & (lanes + 1))) { /* the first lanes, one after the other */
        memcpy(row, all, size * wt_lanes_count(lanes));
        return;
    }
    for (; lanes; lanes &= lanes - 1, row += size)
        memcpy(row, all + size * wt_lanes_lowest(lanes), size);
}

static bool reserve_buffer(struct wt_debugger *d, size_t size)
{
    if (size <= d->row_buffer_size)
        return true;
    uint8_t *more = realloc(d->row_buffer, size);
    if (!more)
        return false;
    d->row_buffer = more;
    d->row_buffer_size = size;
    return true;
}

/* ---- reading ---- */

bool dbg_has_register_port(const struct wt_debugger *d)
{
    return d->travel.going && !d->options.dm_only && d->target->services->read_memory &&
           d->target->services->read_row;
}

/* Through the target's port. */
static enum wt_status fetch_through_port(struct wt_debugger *d, uint32_t wave, wt_lanes lanes,
                                         const unsigned *index, size_t count, uint8_t *out,
                                         struct wt_error *err)
{
    uint8_t *all = malloc(WT_MAX_LANES * WT_REGISTER_BITS / 8);
    enum wt_status status = all ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for registers");
    for (size_t i = 0; i < count && !status; i++) {
        const struct wt_register *r = register_at(d, index[i]);
        const size_t size = wt_register_size(r);
        const bool per_lane = r->scope == WT_SCOPE_LANE;
        if (!d->target->services->read_row(d->target->context, wave, r->number, per_lane,
                                           (unsigned)size, all))
            status = wt_fail(err, WT_UNSUPPORTED, "%s cannot be read in the past", r->name);
        else
            gather(out, all, size, per_lane ? lanes : 1);
        out += wt_register_row(r, lanes);
    }
    free(all);
    return status;
}

/* Reads rows from the device, and keeps them. */
static enum wt_status fetch(struct wt_debugger *d, struct wave_rows *c, wt_lanes lanes,
                            const unsigned *index, size_t count, struct wt_error *err)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += wt_register_row(register_at(d, index[i]), lanes);
    if (!reserve_buffer(d, size))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %zu registers", count);
    enum wt_status status =
        dbg_has_register_port(d)
            ? fetch_through_port(d, c->wave, lanes, index, count, d->row_buffer, err)
            : dbg_note(
                  d, d->ops->read_rows(d->probe, c->wave, lanes, index, count, d->row_buffer, err));
    const uint8_t *row = d->row_buffer;
    for (size_t i = 0; i < count; i++) {
        const struct wt_register *r = register_at(d, index[i]);
        const wt_lanes known = r->scope == WT_SCOPE_LANE ? lanes : 1;
        if (status) {
            c->valid[index[i]] = 0;
            continue;
        }
        scatter(c->bytes + d->row_at[index[i]], row, wt_register_size(r), known);
        row += wt_register_row(r, lanes);
    }
    return status;
}

/* The program counters of lanes; that of one that is masked off is where it will wake up. */
static enum wt_status put_pcs(struct wt_debugger *d, uint32_t wave, wt_lanes lanes, uint8_t *row,
                              size_t size, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (; lanes && !status; lanes &= lanes - 1, row += size) {
        uint64_t pc = 0;
        status = dbg_lane_pc(d, wave, wt_lanes_lowest(lanes), &pc, err);
        wt_store_le(row, pc, size);
    }
    return status;
}

enum wt_status dbg_read_rows(struct wt_debugger *d, uint32_t wave, wt_lanes lanes,
                             const unsigned *index, size_t count, uint8_t *out,
                             struct wt_error *err)
{
    assert(lanes);
    struct wave_rows *c;
    enum wt_status status = rows_of(d, wave, &c, err);
    if (status)
        return status;
    for (size_t i = 0; i < count; i++)
        if (register_at(d, index[i])->unsteady)
            c->valid[index[i]] = 0;
    size_t missing = 0;
    for (size_t i = 0; i < count; i++) {
        const wt_lanes wanted = register_at(d, index[i])->scope == WT_SCOPE_LANE ? lanes : 1;
        if (index[i] == d->topology->pc_index || dbg_is_added(d, index[i]) ||
            (c->valid[index[i]] & wanted) == wanted)
            continue;
        c->valid[index[i]] |= wanted; /* so that it is not asked for twice */
        d->fetched[missing++] = index[i];
    }
    if (missing && (status = fetch(d, c, lanes, d->fetched, missing, err)))
        return status;
    for (size_t i = 0; i < count && !status; i++) {
        const struct wt_register *r = register_at(d, index[i]);
        const size_t size = wt_register_size(r);
        if (index[i] == d->topology->pc_index)
            status = put_pcs(d, wave, lanes, out, size, err);
        else if (dbg_is_added(d, index[i]))
            status = dbg_read_added(d, wave, lanes, index[i], out, err);
        else
            gather(out, c->bytes + d->row_at[index[i]], size,
                   r->scope == WT_SCOPE_LANE ? lanes : 1);
        out += wt_register_row(r, lanes);
    }
    return status;
}

enum wt_status dbg_read_cells(struct wt_debugger *d, uint32_t wave, wt_lanes lanes,
                              const unsigned *index, size_t count, uint64_t *cell,
                              struct wt_error *err)
{
    const unsigned lane_count = wt_lanes_count(lanes);
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += wt_register_row(register_at(d, index[i]), lanes);
    uint8_t *rows = malloc(size + 1), *row = rows;
    if (!rows)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %zu registers", count);
    const enum wt_status status = dbg_read_rows(d, wave, lanes, index, count, rows, err);
    for (size_t i = 0; i < count && !status; i++, cell += lane_count) {
        const struct wt_register *r = register_at(d, index[i]);
        const size_t one = wt_register_size(r), step = r->scope == WT_SCOPE_LANE ? one : 0;
        for (unsigned k = 0; k < lane_count; k++)
            cell[k] = wt_load_le(row + k * step, one < 8 ? one : 8);
        row += wt_register_row(r, lanes);
    }
    free(rows);
    return status;
}

static enum wt_status check_index(const struct wt_debugger *d, const unsigned *index, size_t count,
                                  struct wt_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (index[i] >= d->topology->register_count)
            return wt_fail(err, WT_INVALID, "there is no register %u", index[i]);
    return WT_OK;
}

enum wt_status wt_debugger_read_registers(struct wt_debugger *d, wt_thread thread,
                                          const unsigned *index, size_t count, void *out,
                                          struct wt_error *err)
{
    uint32_t wave;
    unsigned lane;
    enum wt_status status;
    if ((status = dbg_stopped_thread(d, thread, &wave, &lane, err)) ||
        (status = check_index(d, index, count, err)))
        return status;
    return dbg_read_rows(d, wave, wt_lane_bit(lane), index, count, out, err);
}

enum wt_status wt_debugger_read_rows(struct wt_debugger *d, wt_thread thread, wt_lanes lanes,
                                     const unsigned *index, size_t count, void *out,
                                     struct wt_error *err)
{
    uint32_t wave;
    unsigned lane;
    enum wt_status status;
    if ((status = dbg_stopped_thread(d, thread, &wave, &lane, err)) ||
        (status = check_index(d, index, count, err)))
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
        const struct wt_register *r = register_at(d, index[i]);
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
        const size_t one = wt_register_size(register_at(d, index[i]));
        value[i] = wt_load_le(at, one);
        at += one;
    }
    free(bytes);
    return status;
}

/* ---- writing ---- */

enum wt_status dbg_write_row(struct wt_debugger *d, uint32_t wave, wt_lanes lanes, unsigned index,
                             const uint8_t *row, struct wt_error *err)
{
    const struct wt_register *r = register_at(d, index);
    struct wave_rows *c;
    assert(lanes && !dbg_is_added(d, index));
    enum wt_status status = rows_of(d, wave, &c, err);
    if (status)
        return status;
    c->valid[index] = 0;
    if (r->scope > WT_SCOPE_WAVE)
        d->shared_generation++;
    if (r->scope != WT_SCOPE_LANE && index != d->topology->pc_index)
        d->wave[wave].have_mask = false; /* the mask may depend on it, or be it */
    return dbg_note(d, d->ops->write_row(d->probe, wave, lanes, index, row, err));
}

enum wt_status dbg_write_pc(struct wt_debugger *d, uint32_t wave, uint64_t pc, struct wt_error *err)
{
    const unsigned index = (unsigned)d->topology->pc_index;
    uint8_t bytes[8];
    assert(wt_register_size(register_at(d, index)) <= sizeof bytes);
    wt_store_le(bytes, pc, wt_register_size(register_at(d, index)));
    return d->ops->write_row(d->probe, wave, wt_lane_bit(0), index, bytes, err);
}

/* Only the lanes that are active have the wave's pc. */
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

/* Clients write back what they have read, which must not drop a recorded future. */
static bool holds_already(struct wt_debugger *d, uint32_t wave, unsigned lane, unsigned index,
                          const void *value)
{
    uint8_t now[WT_REGISTER_BITS / 8];
    struct wt_error err = {0};
    return dbg_read_rows(d, wave, wt_lane_bit(lane), &index, 1, now, &err) == WT_OK &&
           memcmp(now, value, wt_register_size(register_at(d, index))) == 0;
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
    if (is_pc && (status = check_pc_of(d, wave, lane, err)))
        return status;
    if (!is_pc && d->in_past && holds_already(d, wave, lane, index, value))
        return WT_OK;
    if ((status = dbg_change_past(d, err)))
        return status;
    if ((status = dbg_write_row(d, wave, wt_lane_bit(lane), index, value, err)) || !is_pc)
        return status;
    d->wave[wave].have_pc = false;
    d->wave[wave].has_met = false;
    return WT_OK;
}

enum wt_status wt_debugger_write_number(struct wt_debugger *d, wt_thread thread, unsigned index,
                                        uint64_t value, struct wt_error *err)
{
    uint8_t bytes[WT_REGISTER_BITS / 8] = {0};
    enum wt_status status = check_index(d, &index, 1, err);
    if (status)
        return status;
    const size_t size = wt_register_size(register_at(d, index));
    wt_store_le(bytes, value, size < sizeof value ? size : sizeof value);
    return wt_debugger_write_register(d, thread, index, bytes, err);
}
