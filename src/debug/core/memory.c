/* Memory with its planted breakpoints, read and written through a wave that is stopped, or halted
 * for a moment. */
#include "debug/core/memory.h"

#include <assert.h>
#include <string.h>

#include "debug/core/halt.h"
#include "debug/core/known.h"

struct wt_address wt_debugger_address(struct wt_debugger *d, uint64_t number)
{
    const unsigned bits = d->topology->address_bits;
    return wt_address_of(bits < 64 ? number & ((((uint64_t)1 << bits) - 1) | d->topology->gpu_bits)
                                   : number);
}

uint32_t dbg_memory_wave(struct wt_debugger *d)
{
    uint32_t idle = UINT32_MAX;
    for (uint32_t w = 0; w < d->topology->waves; w++) {
        if (d->wave[w].go != GO_STOPPED && !wt_wave_set_has(&d->sets.held, w))
            continue;
        if (dbg_is_active(d, w))
            return w;
        if (idle == UINT32_MAX)
            idle = w;
    }
    if (idle != UINT32_MAX)
        return idle;
    for (unsigned i = 0; i < d->sets.words; i++)
        if (d->sets.active.word[i])
            return 32 * i + (uint32_t)__builtin_ctz(d->sets.active.word[i]);
    return 0;
}

bool dbg_has_memory_port(struct wt_debugger *d)
{
    return !d->options.dm_only && d->target->services->read_memory &&
           d->target->services->write_memory;
}

/* Injection needs a halted wave: if this wave runs, it is halted for the access. */
static enum wt_status borrow_wave(struct wt_debugger *d, uint32_t wave, struct wt_wave_set *one,
                                  bool *borrowed, struct wt_error *err)
{
    *borrowed = false;
    if (dbg_has_memory_port(d) || d->wave[wave].go != GO_FREE ||
        wt_wave_set_has(&d->sets.held, wave))
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

/* Reads to @p out or, if that is NULL, writes @p bytes. */
static enum wt_status raw_access(struct wt_debugger *d, uint32_t wave, unsigned lane,
                                 struct wt_address addr, void *out, const void *bytes, size_t size,
                                 struct wt_error *err)
{
    struct wt_wave_set one;
    bool borrowed;
    assert(size && wave < d->topology->waves && lane < d->topology->lanes);
    enum wt_status status = borrow_wave(d, wave, &one, &borrowed, err);
    if (status)
        return status;
    status = out ? d->ops->read_memory(d->probe, wave, lane, addr, out, size, err)
                 : d->ops->write_memory(d->probe, wave, lane, addr, bytes, size, err);
    enum wt_status after = give_wave_back(d, &one, borrowed, status ? WT_IGNORED : err);
    return status ? status : after;
}

enum wt_status dbg_raw_read(struct wt_debugger *d, uint32_t wave, unsigned lane,
                            struct wt_address addr, void *out, size_t size, struct wt_error *err)
{
    return raw_access(d, wave, lane, addr, out, NULL, size, err);
}

enum wt_status dbg_raw_write(struct wt_debugger *d, uint32_t wave, unsigned lane,
                             struct wt_address addr, const void *bytes, size_t size,
                             struct wt_error *err)
{
    return raw_access(d, wave, lane, addr, NULL, bytes, size, err);
}
