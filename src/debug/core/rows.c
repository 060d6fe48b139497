/*
 * Registers of stopped waves: rows of bytes (probe.h), read in few round trips and cached for as
 * long as they are valid. A register of a lane or a wave is valid until its wave moves; a register
 * that waves share is valid until any of them moves; an unsteady register is read each time.
 */
#include "debug/core/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "debug/core/added_registers.h"
#include "debug/core/known.h"

#define CACHE_BYTES ((size_t)8 << 20)

/* ---- the cache ---- */

struct wave_rows {
    bool used;
    uint32_t wave;
    uint64_t generation; /* generation of the wave, and of what waves share */
    uint64_t shared_generation;
    wt_lanes *valid; /* by register: the lanes whose values are known; no lane scope: bit 0 */
    uint8_t *bytes;  /* rows of all lanes, at d->cache.row_at[register] */
};

enum wt_status dbg_open_registers(struct wt_debugger *d, struct wt_error *err)
{
    const size_t count = d->topology->register_count;
    size_t bytes = 0;
    d->cache.row_at = calloc(count, sizeof *d->cache.row_at);
    d->cache.fetched = calloc(count, sizeof *d->cache.fetched);
    if (!d->cache.row_at || !d->cache.fetched)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %zu registers", count);
    for (size_t i = 0; i < count; i++) {
        const struct wt_register *r = &d->topology->registers[i];
        if (r->bits == 0 || r->bits > WT_REGISTER_BITS)
            return wt_fail(err, WT_UNSUPPORTED, "register %s has %u bits; 1 to %d work", r->name,
                           r->bits, WT_REGISTER_BITS);
        d->cache.row_at[i] = bytes;
        bytes += wt_register_row(r, wt_lanes_first(d->topology->lanes));
    }
    d->cache.row_bytes = bytes;
    d->cache.slots = CACHE_BYTES / (bytes + count * sizeof(wt_lanes));
    if (d->cache.slots > d->topology->most_waves)
        d->cache.slots = d->topology->most_waves;
    if (d->cache.slots == 0)
        d->cache.slots = 1;
    d->cache.rows = calloc(d->cache.slots, sizeof *d->cache.rows);
    return d->cache.rows ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for registers");
}

void dbg_close_registers(struct wt_debugger *d)
{
    for (size_t i = 0; d->cache.rows && i < d->cache.slots; i++) {
        free(d->cache.rows[i].valid);
        free(d->cache.rows[i].bytes);
    }
    free(d->cache.rows);
    free(d->cache.row_at);
    free(d->cache.fetched);
    free(d->cache.buffer);
}

/* The rows kept of a wave; rows that are out of date are marked so. */
static enum wt_status rows_of(struct wt_debugger *d, uint32_t wave, struct wave_rows **rows,
                              struct wt_error *err)
{
    const size_t count = d->topology->register_count;
    assert(wave < d->topology->waves);
    struct wave_rows *c = *rows = &d->cache.rows[wave % d->cache.slots];
    if (!c->bytes) {
        if (!c->valid)
            c->valid = calloc(count, sizeof *c->valid);
        c->bytes = c->valid ? malloc(d->cache.row_bytes) : NULL;
        if (!c->bytes)
            return wt_fail(err, WT_NO_MEMORY, "out of memory for registers");
    }
    if (!c->used || c->wave != wave || c->generation != d->cache.generation[wave]) {
        memset(c->valid, 0, count * sizeof *c->valid);
    } else if (c->shared_generation != d->cache.shared_generation) {
        for (size_t i = 0; i < count; i++)
            if (d->topology->registers[i].scope > WT_SCOPE_WAVE)
                c->valid[i] = 0;
    }
    c->used = true;
    c->wave = wave;
    c->generation = d->cache.generation[wave];
    c->shared_generation = d->cache.shared_generation;
    return WT_OK;
}

/* ---- moving rows ---- */

/* Copies from a row of `lanes` to the row of all lanes or, with gather, the other way round. */
static void scatter(uint8_t *all, const uint8_t *row, size_t size, wt_lanes lanes)
{
    for (; lanes; lanes &= lanes - 1, row += size)
        memcpy(all + size * wt_lanes_lowest(lanes), row, size);
}

static void gather(uint8_t *row, const uint8_t *all, size_t size, wt_lanes lanes)
{
    if (!(lanes & (lanes - 1))) { /* one lane */
        memcpy(row, all + size * wt_lanes_lowest(lanes), size);
        return;
    }
    if (!(lanes & (lanes + 1))) { /* the first lanes, one after the other */
        memcpy(row, all, size * wt_lanes_count(lanes));
        return;
    }
    for (; lanes; lanes &= lanes - 1, row += size)
        memcpy(row, all + size * wt_lanes_lowest(lanes), size);
}

static bool reserve_buffer(struct wt_debugger *d, size_t size)
{
    uint8_t *more = wt_array_grow(d->cache.buffer, &d->cache.buffer_size, size, 1);
    if (!more)
        return false;
    d->cache.buffer = more;
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
        const struct wt_register *r = dbg_register(d, index[i]);
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
        size += wt_register_row(dbg_register(d, index[i]), lanes);
    if (!reserve_buffer(d, size))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %zu registers", count);
    enum wt_status status =
        dbg_has_register_port(d)
            ? fetch_through_port(d, c->wave, lanes, index, count, d->cache.buffer, err)
            : dbg_note(d, d->ops->read_rows(d->probe, c->wave, lanes, index, count, d->cache.buffer,
                                            err));
    const uint8_t *row = d->cache.buffer;
    for (size_t i = 0; i < count; i++) {
        const struct wt_register *r = dbg_register(d, index[i]);
        const wt_lanes known = r->scope == WT_SCOPE_LANE ? lanes : 1;
        if (status) {
            c->valid[index[i]] = 0;
            continue;
        }
        scatter(c->bytes + d->cache.row_at[index[i]], row, wt_register_size(r), known);
        row += wt_register_row(r, lanes);
    }
    return status;
}

/* The program counters of lanes; for a disabled lane, the address at which it will wake up. */
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
    size_t missing = 0;
    for (size_t i = 0; i < count; i++) {
        const struct wt_register *r = dbg_register(d, index[i]);
        const wt_lanes wanted = r->scope == WT_SCOPE_LANE ? lanes : 1;
        if (index[i] == d->topology->pc_index || dbg_is_added(d, index[i]) ||
            (!r->unsteady && (c->valid[index[i]] & wanted) == wanted))
            continue;
        c->valid[index[i]] |= wanted; /* so that it is not asked for twice */
        d->cache.fetched[missing++] = index[i];
    }
    if (missing && (status = fetch(d, c, lanes, d->cache.fetched, missing, err)))
        return status;
    for (size_t i = 0; i < count && !status; i++) {
        const struct wt_register *r = dbg_register(d, index[i]);
        const size_t size = wt_register_size(r);
        if (index[i] == d->topology->pc_index)
            status = put_pcs(d, wave, lanes, out, size, err);
        else if (dbg_is_added(d, index[i]))
            status = dbg_read_added(d, wave, lanes, index[i], out, err);
        else
            gather(out, c->bytes + d->cache.row_at[index[i]], size,
                   r->scope == WT_SCOPE_LANE ? lanes : 1);
        out += wt_register_row(r, lanes);
    }
    return status;
}

enum wt_status dbg_read_cells(struct wt_debugger *d, uint32_t wave, wt_lanes lanes,
                              const unsigned *named, size_t count, uint64_t *cell,
                              struct wt_error *err)
{
    const unsigned lane_count = wt_lanes_count(lanes);
    size_t size = 0;
    unsigned *index = malloc((count + 1) * sizeof *index);
    for (size_t i = 0; i < count && index; i++) {
        index[i] = wt_expr_named_register(named[i]);
        size += wt_register_row(dbg_register(d, index[i]), lanes);
    }
    uint8_t *rows = index ? malloc(size + 1) : NULL, *row = rows;
    if (!rows) {
        free(index);
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %zu registers", count);
    }
    const enum wt_status status = dbg_read_rows(d, wave, lanes, index, count, rows, err);
    for (size_t i = 0; i < count && !status; i++, cell += lane_count) {
        const struct wt_register *r = dbg_register(d, index[i]);
        const size_t one = wt_register_size(r), step = r->scope == WT_SCOPE_LANE ? one : 0;
        const size_t from = 8 * (size_t)wt_expr_named_part(named[i]), rest = one - from;
        assert(from < one);
        for (unsigned k = 0; k < lane_count; k++)
            cell[k] = wt_load_le(row + k * step + from, rest < 8 ? rest : 8);
        row += wt_register_row(r, lanes);
    }
    free(rows);
    free(index);
    return status;
}

/* ---- writing ---- */

enum wt_status dbg_write_row(struct wt_debugger *d, uint32_t wave, wt_lanes lanes, unsigned index,
                             const uint8_t *row, struct wt_error *err)
{
    const struct wt_register *r = dbg_register(d, index);
    struct wave_rows *c;
    assert(lanes && !dbg_is_added(d, index));
    enum wt_status status = rows_of(d, wave, &c, err);
    if (status)
        return status;
    c->valid[index] = 0;
    if (r->scope > WT_SCOPE_WAVE)
        d->cache.shared_generation++;
    if (r->scope != WT_SCOPE_LANE && index != d->topology->pc_index)
        d->wave[wave].have_mask = false; /* the mask may depend on it, or be it */
    return dbg_note(d, d->ops->write_row(d->probe, wave, lanes, index, row, err));
}

enum wt_status dbg_write_pc(struct wt_debugger *d, uint32_t wave, uint64_t pc, struct wt_error *err)
{
    const unsigned index = (unsigned)d->topology->pc_index;
    uint8_t bytes[8];
    assert(wt_register_size(dbg_register(d, index)) <= sizeof bytes);
    wt_store_le(bytes, pc, wt_register_size(dbg_register(d, index)));
    return d->ops->write_row(d->probe, wave, wt_lane_bit(0), index, bytes, err);
}
