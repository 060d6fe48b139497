/* Memory of stopped threads, and which thread is stopped. */
#include "debug/core/internal.h"

#include <assert.h>
#include <string.h>

enum wt_status dbg_stopped_thread(struct wt_debugger *d, wt_thread thread, uint32_t *wave,
                                  unsigned *lane, struct wt_error *err)
{
    enum wt_status status = dbg_regain(d, err);
    if (!status && (d->travel.going || d->stopping.on))
        return wt_fail(err, WT_STATE, "the program is running; stop it first");
    if (!status && thread == 0)
        thread = wt_debugger_current_thread(d);
    if (!status)
        status = dbg_locate(d, thread, wave, lane, err);
    if (!status && (!d->active_known || d->going))
        status = dbg_look(d, NULL, err);
    if (status)
        return status;
    if (!dbg_is_there(d, thread))
        return wt_fail(err, WT_INVALID, "thread %u has ended", (unsigned)thread);
    if (d->wave[*wave].go != GO_STOPPED)
        return wt_fail(err, WT_STATE, "thread %u is running; stop it first", (unsigned)thread);
    return WT_OK;
}

/* ---- memory ---- */

uint32_t dbg_memory_wave(struct wt_debugger *d)
{
    uint32_t idle = UINT32_MAX;
    for (uint32_t w = 0; w < d->topology->waves; w++) {
        if (d->wave[w].go != GO_STOPPED && !wt_wave_set_has(&d->held, w))
            continue;
        if (dbg_is_active(d, w))
            return w;
        if (idle == UINT32_MAX)
            idle = w;
    }
    if (idle != UINT32_MAX)
        return idle;
    for (unsigned i = 0; i < d->words; i++)
        if (d->active.word[i])
            return 32 * i + (uint32_t)__builtin_ctz(d->active.word[i]);
    return 0;
}

static bool has_port(struct wt_debugger *d)
{
    return !d->options.dm_only && d->target->services->read_memory &&
           d->target->services->write_memory;
}

/* Injection wants a halted wave: where this one runs, it is halted for the access. */
static enum wt_status borrow_wave(struct wt_debugger *d, uint32_t wave, struct wt_wave_set *one,
                                  bool *borrowed, struct wt_error *err)
{
    *borrowed = false;
    if (has_port(d) || d->wave[wave].go != GO_FREE || wt_wave_set_has(&d->held, wave))
        return WT_OK;
    memset(one, 0, sizeof *one);
    wt_wave_set_add(one, wave);
    enum wt_status status = dbg_halt(d, one, err);
    *borrowed = !status;
    return status;
}

static enum wt_status give_wave_back(struct wt_debugger *d, const struct wt_wave_set *one,
                                     bool borrowed, struct wt_error *err)
{
    return borrowed ? d->ops->resume(d->probe, one, err) : WT_OK;
}

enum wt_status dbg_raw_read(struct wt_debugger *d, uint32_t wave, unsigned lane,
                            struct wt_address addr, void *out, size_t size, struct wt_error *err)
{
    struct wt_wave_set one;
    bool borrowed;
    assert(size && wave < d->topology->waves && lane < d->topology->lanes);
    enum wt_status status = borrow_wave(d, wave, &one, &borrowed, err);
    if (status)
        return status;
    status = d->ops->read_memory(d->probe, wave, lane, addr, out, size, err);
    enum wt_status after = give_wave_back(d, &one, borrowed, status ? WT_IGNORED : err);
    return status ? status : after;
}

enum wt_status dbg_raw_write(struct wt_debugger *d, uint32_t wave, unsigned lane,
                             struct wt_address addr, const void *bytes, size_t size,
                             struct wt_error *err)
{
    struct wt_wave_set one;
    bool borrowed;
    assert(size && wave < d->topology->waves && lane < d->topology->lanes);
    enum wt_status status = borrow_wave(d, wave, &one, &borrowed, err);
    if (status)
        return status;
    status = d->ops->write_memory(d->probe, wave, lane, addr, bytes, size, err);
    enum wt_status after = give_wave_back(d, &one, borrowed, status ? WT_IGNORED : err);
    return status ? status : after;
}

/* The wave that an access by @p thread goes through. */
static enum wt_status access_through(struct wt_debugger *d, wt_thread thread, uint32_t *wave,
                                     unsigned *lane, struct wt_error *err)
{
    enum wt_status status = dbg_stopped_thread(d, thread, wave, lane, WT_IGNORED);
    if (!status)
        return WT_OK;
    /* Memory outlives threads: after the program's end, or while all run, any wave will do. But
     * during a search of the past, memory is that of a time that the user has not chosen. */
    if (!d->travel.going && (thread == 0 || d->ended || status == WT_STATE)) {
        *lane = 0;
        *wave = dbg_memory_wave(d);
        if (d->nonstop || !d->going || has_port(d) || d->wave[*wave].go == GO_STOPPED)
            return WT_OK;
    }
    return dbg_stopped_thread(d, thread, wave, lane, err);
}

struct wt_address wt_debugger_address(struct wt_debugger *d, uint64_t number)
{
    const unsigned bits = d->topology->address_bits;
    return wt_address_of(bits < 64 ? number & (((uint64_t)1 << bits) - 1) : number);
}

enum wt_status wt_debugger_read_memory(struct wt_debugger *d, wt_thread thread,
                                       struct wt_address addr, void *out, size_t size,
                                       struct wt_error *err)
{
    uint32_t wave;
    unsigned lane;
    if (size == 0)
        return WT_OK;
    enum wt_status status = access_through(d, thread, &wave, &lane, err);
    if (!status)
        status = dbg_note(d, dbg_raw_read(d, wave, lane, addr, out, size, err));
    if (status)
        return status;
    dbg_show_original(d, addr, out, size);
    return WT_OK;
}

/* Writes through a wave's lane; what is planted there stays planted. */
static enum wt_status write_through(struct wt_debugger *d, uint32_t wave, unsigned lane,
                                    struct wt_address addr, const void *bytes, size_t size,
                                    struct wt_error *err)
{
    enum wt_status status = dbg_change_past(d, err);
    if (status)
        return status;
    /* What is planted there is lifted first, since the new instruction may have another length. */
    bool lifted = false;
    for (size_t i = 0; i < d->bps && !status; i++) {
        if (d->bp[i].planted &&
            wt_ranges_meet(addr, size, wt_address_of(d->bp[i].trap.addr), d->bp[i].trap.size)) {
            status = dbg_lift(d, &d->bp[i], wave, err);
            lifted = true;
        }
    }
    if (!status)
        status = dbg_note(d, dbg_raw_write(d, wave, lane, addr, bytes, size, err));
    if (lifted && d->going) {
        struct wt_error ignored;
        enum wt_status planted = dbg_sync_breakpoints(d, status ? &ignored : err);
        status = status ? status : planted;
    }
    return status;
}

enum wt_status wt_debugger_write_memory(struct wt_debugger *d, wt_thread thread,
                                        struct wt_address addr, const void *bytes, size_t size,
                                        struct wt_error *err)
{
    uint32_t wave;
    unsigned lane;
    if (size == 0)
        return WT_OK;
    enum wt_status status = access_through(d, thread, &wave, &lane, err);
    return status ? status : write_through(d, wave, lane, addr, bytes, size, err);
}

/* A lane of a wave that is stopped. */
static enum wt_status stopped_lane(struct wt_debugger *d, wt_wave_id id, unsigned lane,
                                   uint32_t *wave, struct wt_error *err)
{
    enum wt_status status = dbg_find_wave(d, id, wave, err);
    if (status)
        return status;
    if (d->wave[*wave].go != GO_STOPPED)
        return wt_fail(err, WT_STATE, "the %s is running; stop it first", d->topology->wave_word);
    if (lane >= d->wave[*wave].self.lanes)
        return wt_fail(err, WT_INVALID, "a %s has %ss 0 to %u", d->topology->wave_word,
                       d->topology->lane_word, d->wave[*wave].self.lanes - 1);
    return WT_OK;
}

enum wt_status wt_debugger_read_lane(struct wt_debugger *d, wt_wave_id id, unsigned lane,
                                     struct wt_address addr, void *out, size_t size,
                                     struct wt_error *err)
{
    uint32_t wave = 0;
    enum wt_status status = stopped_lane(d, id, lane, &wave, err);
    if (status || size == 0)
        return status;
    if ((status = dbg_note(d, dbg_raw_read(d, wave, lane, addr, out, size, err))) != WT_OK)
        return status;
    dbg_show_original(d, addr, out, size);
    return WT_OK;
}

enum wt_status wt_debugger_write_lane(struct wt_debugger *d, wt_wave_id id, unsigned lane,
                                      struct wt_address addr, const void *bytes, size_t size,
                                      struct wt_error *err)
{
    uint32_t wave = 0;
    enum wt_status status = stopped_lane(d, id, lane, &wave, err);
    return status || size == 0 ? status : write_through(d, wave, lane, addr, bytes, size, err);
}
