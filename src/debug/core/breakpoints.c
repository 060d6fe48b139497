/*
 * Breakpoints: a table of what the client wants and of what is in memory. The two are brought
 * together when waves are set going, so that clients that lift and insert all breakpoints around
 * every stop cost no memory traffic.
 */
#include "debug/core/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { SLOT_PC = 0xfe, SLOT_NONE = 0xff };

static void free_codes(struct code_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        wt_agent_free(list->agent[i]);
    free(list->agent);
    *list = (struct code_list){0};
}

static void free_codes_of(struct breakpoint *bp)
{
    for (size_t i = 0; bp->slot && i < bp->conditions.count + bp->commands.count; i++)
        free(bp->slot[i]);
    free(bp->slot);
    free(bp->index);
    bp->slot = NULL;
    bp->index = NULL;
    bp->indices = 0;
    free_codes(&bp->conditions);
    free_codes(&bp->commands);
}

void dbg_free_breakpoints(struct wt_debugger *d)
{
    for (size_t i = 0; i < d->bps; i++)
        free_codes_of(&d->bp[i]);
    free(d->bp);
    d->bp = NULL;
    d->bps = 0;
}

/* Where @p addr is in the table, or belongs. */
static size_t position(struct wt_debugger *d, uint64_t addr)
{
    size_t low = 0, high = d->bps;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (d->bp[middle].addr < addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct breakpoint *dbg_find_breakpoint(struct wt_debugger *d, uint64_t addr)
{
    size_t at = position(d, addr);
    return at < d->bps && d->bp[at].addr == addr ? &d->bp[at] : NULL;
}

static void drop_unused(struct wt_debugger *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->bps; i++) {
        if (d->bp[i].inserted || d->bp[i].planted || d->bp[i].doubtful)
            d->bp[kept++] = d->bp[i];
        else
            free_codes_of(&d->bp[i]);
    }
    d->bps = kept;
}

/* ---- planting ---- */

enum wt_status dbg_sync_breakpoints(struct wt_debugger *d, struct wt_error *err)
{
    uint32_t wave = UINT32_MAX;
    enum wt_status status = WT_OK;
    bool lifted = false;
    /* Lift first: two that overlap may trade places. */
    for (int plant = 0; plant < 2; plant++) {
        for (size_t i = 0; i < d->bps; i++) {
            struct breakpoint *bp = &d->bp[i];
            if (plant ? !bp->inserted || bp->planted
                      : bp->inserted || (!bp->planted && !bp->doubtful))
                continue;
            if (wave == UINT32_MAX)
                wave = dbg_memory_wave(d);
            enum wt_status one = plant ? dbg_plant(d, bp, wave, status ? NULL : err)
                                       : dbg_lift(d, bp, wave, status ? NULL : err);
            status = status ? status : one;
            lifted |= !plant;
        }
    }
    if (lifted)
        drop_unused(d);
    return status;
}

/* ---- what clients ask for ---- */

static enum wt_status compile_list(const struct wt_agent_code *code, size_t count,
                                   struct code_list *list, struct wt_error *err)
{
    list->count = 0;
    list->agent = calloc(count ? count : 1, sizeof *list->agent);
    if (!list->agent)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    for (size_t i = 0; i < count; i++) {
        enum wt_status status =
            wt_agent_compile(code[i].bytes, code[i].length, &list->agent[i], err);
        if (status)
            return status;
        list->count++;
    }
    return WT_OK;
}

static struct wt_agent *code_at(const struct breakpoint *bp, size_t i)
{
    return i < bp->conditions.count ? bp->conditions.agent[i]
                                    : bp->commands.agent[i - bp->conditions.count];
}

static uint8_t slot_for(struct wt_debugger *d, struct breakpoint *bp, unsigned number)
{
    for (size_t i = 0; i < d->topology->register_count; i++) {
        if (d->topology->registers[i].number != number)
            continue;
        if (i == d->topology->pc_index)
            return SLOT_PC;
        for (size_t k = 0; k < bp->indices; k++)
            if (bp->index[k] == i)
                return (uint8_t)k;
        bp->index[bp->indices] = (unsigned)i;
        return (uint8_t)bp->indices++;
    }
    return SLOT_NONE;
}

/* Finds out which registers to fetch when the breakpoint is hit: those that the codes name. */
static enum wt_status link_registers(struct wt_debugger *d, struct breakpoint *bp,
                                     struct wt_error *err)
{
    size_t codes = bp->conditions.count + bp->commands.count;
    bp->index = calloc(d->topology->register_count, sizeof *bp->index);
    bp->slot = calloc(codes ? codes : 1, sizeof *bp->slot);
    if (!bp->index || !bp->slot)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    for (size_t i = 0; i < codes; i++) {
        size_t count;
        const unsigned *number = wt_agent_registers(code_at(bp, i), &count);
        bp->slot[i] = malloc(count ? count : 1);
        if (!bp->slot[i])
            return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
        for (size_t k = 0; k < count; k++)
            bp->slot[i][k] = slot_for(d, bp, number[k]);
    }
    return WT_OK;
}

/* Makes room for a new entry at @p addr. */
static struct breakpoint *add_breakpoint(struct wt_debugger *d, uint64_t addr)
{
    if (d->bps == d->bp_capacity) {
        size_t capacity = d->bp_capacity ? 2 * d->bp_capacity : 16;
        struct breakpoint *more = realloc(d->bp, capacity * sizeof *more);
        if (!more)
            return NULL;
        d->bp = more;
        d->bp_capacity = capacity;
    }
    size_t at = position(d, addr);
    memmove(&d->bp[at + 1], &d->bp[at], (d->bps - at) * sizeof *d->bp);
    d->bps++;
    d->bp[at] = (struct breakpoint){.addr = addr};
    return &d->bp[at];
}

/* An instruction must be there to be replaced; better told now than when the program is resumed. */
static enum wt_status check_place(struct wt_debugger *d, uint64_t addr, struct wt_error *err)
{
    struct wt_window window;
    if (d->topology->address_bits < 64 && addr >> d->topology->address_bits)
        return wt_fail(err, WT_INVALID, "0x%" PRIx64 " is past the end of the address space", addr);
    enum wt_status status = d->ops->window(d->probe, addr, &window, err);
    if (status)
        return status;
    if ((status = dbg_read_window(d, dbg_memory_wave(d), addr, &window, err)))
        wt_fail_in(err, "no breakpoint can be set at 0x%" PRIx64, addr);
    return status;
}

enum wt_status wt_debugger_insert_breakpoint(struct wt_debugger *d, uint64_t addr,
                                             const struct wt_agent_code *conditions,
                                             size_t condition_count,
                                             const struct wt_agent_code *commands,
                                             size_t command_count, struct wt_error *err)
{
    struct breakpoint *bp = dbg_find_breakpoint(d, addr);
    struct breakpoint new = {.addr = addr};
    enum wt_status status = bp ? WT_OK : check_place(d, addr, err);
    if (!status)
        status = compile_list(conditions, condition_count, &new.conditions, err);
    if (!status)
        status = compile_list(commands, command_count, &new.commands, err);
    if (!status)
        status = link_registers(d, &new, err);
    if (!status && !bp && !(bp = add_breakpoint(d, addr)))
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    if (status) {
        free_codes_of(&new);
        return status;
    }
    free_codes_of(bp);
    bp->conditions = new.conditions;
    bp->commands = new.commands;
    bp->index = new.index;
    bp->indices = new.indices;
    bp->slot = new.slot;
    bp->inserted = true;
    for (uint32_t w = 0; d->any_followed && w < d->topology->waves; w++)
        if (d->wave[w].followed && d->wave[w].left == addr)
            d->wave[w].came_back = true;
    if (d->going && (status = dbg_sync_breakpoints(d, err))) {
        bp = dbg_find_breakpoint(d, addr);
        if (bp && !bp->planted) {
            bp->inserted = false;
            drop_unused(d);
        }
    }
    return status;
}

enum wt_status wt_debugger_remove_breakpoint(struct wt_debugger *d, uint64_t addr,
                                             struct wt_error *err)
{
    struct breakpoint *bp = dbg_find_breakpoint(d, addr);
    if (!bp || !bp->inserted)
        return wt_fail(err, WT_INVALID, "there is no breakpoint at 0x%" PRIx64, addr);
    bp->inserted = false;
    drop_unused(d);
    return d->going ? dbg_sync_breakpoints(d, err) : WT_OK;
}

void wt_debugger_remove_all_breakpoints(struct wt_debugger *d)
{
    for (size_t i = 0; i < d->bps; i++)
        d->bp[i].inserted = false;
    drop_unused(d);
    if (d->going)
        dbg_sync_breakpoints(d, NULL);
}

/* ---- conditions and commands ---- */

bool dbg_agent_read(void *context, uint64_t addr, void *out, size_t size)
{
    struct place *at = context;
    if (at->d->topology->address_bits == 32)
        addr = (uint32_t)addr;
    if (dbg_raw_read(at->d, at->wave, at->lane, addr, out, size, NULL))
        return false;
    dbg_show_original(at->d, addr, out, size);
    return true;
}

static void agent_print(void *context, const char *text, size_t length)
{
    struct place *at = context;
    if (at->d->options.output)
        at->d->options.output(at->d->options.context, text, length);
}

/* One code for one lane. A failed evaluation gives false. */
static bool run_code(struct place *at, const struct breakpoint *bp, size_t code,
                     const uint64_t *fetched, uint64_t *result)
{
    const struct wt_agent_world world = {at, dbg_agent_read, agent_print};
    uint64_t value[MOST_REGISTERS];
    size_t count;
    wt_agent_registers(code_at(bp, code), &count);
    if (count > MOST_REGISTERS)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint8_t slot = bp->slot[code][i];
        if (slot == SLOT_NONE)
            return false;
        value[i] = slot == SLOT_PC ? at->d->wave[at->wave].pc : fetched[slot];
    }
    return wt_agent_run(code_at(bp, code), value, &world, result);
}

/* Whether one of the conditions holds for a lane, or there is none. */
static bool condition_holds(struct place *at, const struct breakpoint *bp, const uint64_t *fetched)
{
    bool holds = bp->conditions.count == 0;
    for (size_t i = 0; i < bp->conditions.count && !holds; i++) {
        uint64_t value;
        /* What cannot be evaluated stops: the user had better look. */
        holds = !run_code(at, bp, i, fetched, &value) || value != 0;
    }
    return holds;
}

enum wt_status dbg_evaluate(struct wt_debugger *d, struct breakpoint *bp, uint32_t wave,
                            bool *stops, unsigned *lane, struct wt_error *err)
{
    enum wt_status status = dbg_need_mask(d, wave, err);
    if (status)
        return status;
    wt_lanes mask = d->wave[wave].mask;
    const unsigned focus = d->wave[wave].focus;
    const bool focused = focus && wt_has_lane(mask, focus - 1);
    *stops = true;
    *lane = focused ? focus - 1 : mask ? wt_lanes_lowest(mask) : 0;
    if (!mask || (bp->conditions.count == 0 && bp->commands.count == 0))
        return WT_OK;
    size_t needed = wt_lanes_count(mask) * bp->indices + 1; /* never none: it is pointed into */
    if (needed > d->scratch_size) {
        uint64_t *more = realloc(d->scratch, needed * sizeof *more);
        if (!more)
            return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint's condition");
        d->scratch = more;
        d->scratch_size = needed;
    }
    if (bp->indices &&
        (status = dbg_read_lanes(d, wave, mask, bp->index, bp->indices, d->scratch, err)))
        return status;
    const uint64_t *fetched = d->scratch;
    if (focused && bp->commands.count == 0) {
        struct place at = {d, wave, focus - 1};
        const unsigned before = wt_lanes_count(mask & (wt_lane_bit(at.lane) - 1));
        if (condition_holds(&at, bp, fetched + (size_t)before * bp->indices))
            return WT_OK;
    }
    for (wt_lanes rest = mask; rest; rest &= rest - 1, fetched += bp->indices) {
        struct place at = {d, wave, wt_lanes_lowest(rest)};
        if (!condition_holds(&at, bp, fetched))
            continue;
        if (bp->commands.count == 0) {
            *lane = at.lane;
            return WT_OK;
        }
        for (size_t i = 0; i < bp->commands.count; i++)
            run_code(&at, bp, bp->conditions.count + i, fetched, NULL);
    }
    *stops = false;
    return WT_OK;
}
