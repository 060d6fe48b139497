/*
 * Breakpoints in memory: patches, which are bytes under a mask. The probe chooses the
 * patch and decodes the instruction, from the bytes around an address.
 */
#include "debug/core/patches.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/core/memory.h"

/* ---- bytes under a mask ---- */

static bool is_whole(const struct wt_patch *p)
{
    for (size_t i = 0; i < p->size; i++)
        if (p->mask[i] != 0xff)
            return false;
    return true;
}

void dbg_apply(const struct wt_patch *p, uint64_t addr, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < p->size; i++) {
        const uint64_t at = p->addr + i - addr;
        if (at < size)
            bytes[at] = (uint8_t)((bytes[at] & ~p->mask[i]) | (p->bytes[i] & p->mask[i]));
    }
}

/* Whether the patch is present in bytes that begin at @p addr; only the bytes given are compared.
 * False if they contain none of it. */
static bool is_in(const struct wt_patch *p, uint64_t addr, const uint8_t *bytes, size_t size)
{
    bool some = false;
    for (size_t i = 0; i < p->size; i++) {
        const uint64_t at = p->addr + i - addr;
        if (at >= size)
            continue;
        if ((bytes[at] ^ p->bytes[i]) & p->mask[i])
            return false;
        some = true;
    }
    return some;
}

bool dbg_lies_in(const struct wt_patch *p, const struct wt_window *window)
{
    return p->size && p->size <= WT_PATCH_BYTES && p->addr >= window->addr &&
           p->addr - window->addr <= window->size &&
           p->size <= window->size - (p->addr - window->addr);
}

bool dbg_is_planted(const struct wt_patch *p, const struct wt_window *window)
{
    return is_in(p, window->addr, window->bytes, window->size);
}

struct wt_patch dbg_undoing(const struct wt_patch *trap, const struct wt_window *window)
{
    struct wt_patch original = *trap;
    assert(dbg_lies_in(trap, window));
    memcpy(original.bytes, window->bytes + (trap->addr - window->addr), trap->size);
    return original;
}

enum wt_status dbg_write_patch(struct wt_debugger *d, uint32_t wave, const struct wt_patch *patch,
                               struct wt_error *err)
{
    uint8_t bytes[WT_PATCH_BYTES];
    assert(patch->size && patch->size <= sizeof bytes);
    if (is_whole(patch))
        return dbg_raw_write(d, wave, 0, wt_address_of(patch->addr), patch->bytes, patch->size,
                             err);
    enum wt_status status =
        dbg_raw_read(d, wave, 0, wt_address_of(patch->addr), bytes, patch->size, err);
    if (status)
        return status;
    dbg_apply(patch, patch->addr, bytes, patch->size);
    return dbg_raw_write(d, wave, 0, wt_address_of(patch->addr), bytes, patch->size, err);
}

/* Writes @p original only where @p trap is in memory: the program may have written other code
 * there, or freed the memory. */
static enum wt_status undo(struct wt_debugger *d, uint32_t wave, const struct wt_patch *trap,
                           const struct wt_patch *original, struct wt_error *err)
{
    uint8_t now[WT_PATCH_BYTES];
    enum wt_status status =
        dbg_raw_read(d, wave, 0, wt_address_of(trap->addr), now, trap->size, err);
    if (status == WT_INVALID)
        return WT_OK;
    if (status || !is_in(trap, trap->addr, now, trap->size))
        return status;
    dbg_apply(original, trap->addr, now, trap->size);
    return dbg_raw_write(d, wave, 0, wt_address_of(trap->addr), now, trap->size, err);
}

/* ---- instructions ---- */

enum wt_status dbg_read_window(struct wt_debugger *d, uint32_t wave, uint64_t addr,
                               struct wt_window *window, struct wt_error *err)
{
    enum wt_status status = d->ops->window(d->probe, addr, window, err);
    if (status)
        return status;
    assert(window->size && window->size <= WT_WINDOW_BYTES && window->least <= window->size);
    struct wt_error first;
    status =
        dbg_raw_read(d, wave, 0, wt_address_of(window->addr), window->bytes, window->size, &first);
    if (status == WT_INVALID && window->least < window->size) {
        /* The end of a memory may hold an instruction shorter than the window. (Where the device
         * did not answer, a second try would hide that.) */
        window->size = window->least;
        return dbg_raw_read(d, wave, 0, wt_address_of(window->addr), window->bytes, window->size,
                            err);
    }
    if (status)
        *err = first;
    return status;
}

/* Decodes the instruction at addr of memory, breakpoints included. */
static enum wt_status decode(struct wt_debugger *d, uint32_t wave, uint64_t addr,
                             struct wt_instruction *instruction, struct wt_error *err)
{
    struct wt_window window;
    enum wt_status status = dbg_read_window(d, wave, addr, &window, err);
    if (!status)
        d->ops->decode(d->probe, addr, &window, instruction);
    return status;
}

unsigned dbg_trap_length(struct wt_debugger *d, uint32_t wave, uint64_t addr)
{
    struct wt_instruction instruction;
    struct wt_error ignored;
    if (decode(d, wave, addr, &instruction, &ignored))
        return 0;
    return instruction.kind == WT_INSTRUCTION_TRAP ? instruction.length : 0;
}

unsigned dbg_skipped_length(struct wt_debugger *d, uint32_t wave, uint64_t addr)
{
    struct wt_instruction in;
    const bool known = decode(d, wave, addr, &in, WT_IGNORED) == WT_OK;
    return known && in.kind == WT_INSTRUCTION_TRAP && !in.in_place ? in.length : 0;
}

bool dbg_covers_trap(const struct breakpoint *bp)
{
    return bp->covered.kind == WT_INSTRUCTION_TRAP && !bp->covered.in_place;
}

/* ---- the recorded run ---- */

/* Whether it is the trace of its address that counts at this issue time. */
static bool trace_counts(const struct wt_debugger *d, const struct trace *t)
{
    const uint64_t now = d->target->services->time(d->target->context);
    for (const struct trace *later = t + 1; later < d->history.trace + d->history.trace_count;
         later++)
        if (later->addr == t->addr && later->time <= now)
            return false;
    return t->time <= now;
}

bool dbg_has_trace(const struct wt_debugger *d, uint64_t addr)
{
    size_t i = 0;
    while (i < d->history.trace_count && d->history.trace[i].addr != addr)
        i++;
    return i < d->history.trace_count;
}

enum wt_status dbg_trace_is_planted(struct wt_debugger *d, uint32_t wave, uint64_t addr,
                                    bool *planted, struct wt_error *err)
{
    *planted = false;
    for (size_t i = 0; i < d->history.trace_count; i++) {
        const struct trace *t = &d->history.trace[i];
        uint8_t now[WT_PATCH_BYTES];
        if (t->addr != addr || !trace_counts(d, t) ||
            is_in(&t->original, t->trap.addr, t->trap.bytes, t->trap.size)) /* its own trap */
            continue;
        enum wt_status status =
            dbg_raw_read(d, wave, 0, wt_address_of(t->trap.addr), now, t->trap.size, err);
        if (status)
            return status == WT_INVALID ? WT_OK : status;
        *planted = is_in(&t->trap, t->trap.addr, now, t->trap.size);
    }
    return WT_OK;
}

void dbg_drop_later_traces(struct wt_debugger *d)
{
    const uint64_t now = d->target->services->time(d->target->context);
    size_t kept = 0;
    for (size_t i = 0; i < d->history.trace_count; i++)
        if (d->history.trace[i].time <= now)
            d->history.trace[kept++] = d->history.trace[i];
    d->history.trace_count = kept;
}

void dbg_show_original(struct wt_debugger *d, struct wt_address at, void *out, size_t size)
{
    const uint64_t addr = at.offset;
    if (at.space != 0)
        return; /* code lies in space 0 */
    /* In the past, memory holds the breakpoints of that time, not today's. */
    for (size_t i = 0; d->history.in_past && i < d->history.trace_count; i++)
        if (is_in(&d->history.trace[i].trap, addr, out, size) &&
            trace_counts(d, &d->history.trace[i]))
            dbg_apply(&d->history.trace[i].original, addr, out, size);
    for (size_t i = 0; !d->history.in_past && i < d->breakpoints.count; i++)
        if (d->breakpoints.list[i].planted)
            dbg_apply(&d->breakpoints.list[i].original, addr, out, size);
}

/* Records a planted patch, so that it is in memory again when the run is replayed. */
static enum wt_status leave_trace(struct wt_debugger *d, const struct breakpoint *bp,
                                  struct wt_error *err)
{
    if (!d->target->services->history)
        return WT_OK;
    for (size_t i = d->history.trace_count; i-- > 0;) {
        const struct trace *t = &d->history.trace[i];
        if (t->addr != bp->addr)
            continue;
        if (t->original.size == bp->original.size &&
            is_in(&t->original, bp->original.addr, bp->original.bytes, bp->original.size))
            return WT_OK;
        break;
    }
    struct trace *more = wt_array_grow(d->history.trace, &d->history.trace_capacity,
                                       d->history.trace_count + 1, sizeof *d->history.trace);
    if (!more)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    d->history.trace = more;
    d->history.trace[d->history.trace_count++] =
        (struct trace){.addr = bp->addr,
                       .time = d->target->services->time(d->target->context),
                       .original = bp->original,
                       .trap = bp->trap};
    return WT_OK;
}

enum wt_status dbg_lift_traces(struct wt_debugger *d, struct wt_error *err)
{
    uint32_t wave = dbg_memory_wave(d);
    for (size_t i = 0; i < d->history.trace_count; i++) {
        const struct trace *t = &d->history.trace[i];
        if (!trace_counts(d, t))
            continue;
        enum wt_status status = undo(d, wave, &t->trap, &t->original, err);
        if (status)
            return status;
    }
    return WT_OK;
}

size_t dbg_list_patches(struct wt_debugger *d, struct wt_patch *list, size_t most)
{
    const uint32_t wave = dbg_memory_wave(d);
    size_t count = 0;
    for (size_t i = 0; i < d->history.trace_count && count < most; i++) {
        const struct trace *t = &d->history.trace[i];
        uint8_t now[WT_PATCH_BYTES];
        struct wt_error ignored;
        if (trace_counts(d, t) &&
            dbg_raw_read(d, wave, 0, wt_address_of(t->trap.addr), now, t->trap.size, &ignored) ==
                WT_OK &&
            is_in(&t->trap, t->trap.addr, now, t->trap.size))
            list[count++] = t->original;
    }
    return count;
}

/* ---- planting ---- */

enum wt_status dbg_plant(struct wt_debugger *d, struct breakpoint *bp, uint32_t wave,
                         struct wt_error *err)
{
    struct wt_window window;
    assert(!bp->planted);
    enum wt_status status = dbg_read_window(d, wave, bp->addr, &window, err);
    if (!status && !(bp->doubtful && dbg_is_planted(&bp->trap, &window))) {
        struct wt_patch trap = {.size = 0};
        d->ops->patch(d->probe, bp->addr, &window, &trap);
        bp->trap = trap;
        bp->original = dbg_undoing(&trap, &window);
        d->ops->decode(d->probe, bp->addr, &window, &bp->covered);
        if ((status = leave_trace(d, bp, err)))
            return status;
        /* The bits outside the mask are those just read. */
        struct wt_patch bytes = bp->original;
        dbg_apply(&trap, bytes.addr, bytes.bytes, bytes.size);
        status = dbg_raw_write(d, wave, 0, wt_address_of(bytes.addr), bytes.bytes, bytes.size, err);
        bp->doubtful = true;
    }
    bp->planted = !status;
    bp->doubtful = bp->doubtful && status;
    if (status)
        wt_fail_in(err, "breakpoint at 0x%" PRIx64, bp->addr);
    return status;
}

enum wt_status dbg_lift(struct wt_debugger *d, struct breakpoint *bp, uint32_t wave,
                        struct wt_error *err)
{
    assert(bp->trap.size && bp->trap.size == bp->original.size);
    enum wt_status status = undo(d, wave, &bp->trap, &bp->original, err);
    if (!status)
        bp->planted = bp->doubtful = false;
    return status;
}

enum wt_status dbg_verify_breakpoints(struct wt_debugger *d, struct wt_error *err)
{
    uint32_t wave = dbg_memory_wave(d);
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        struct breakpoint *bp = &d->breakpoints.list[i];
        uint8_t now[WT_PATCH_BYTES];
        if (!bp->planted && !bp->doubtful)
            continue;
        enum wt_status status =
            dbg_raw_read(d, wave, 0, wt_address_of(bp->trap.addr), now, bp->trap.size, err);
        if (status && status != WT_INVALID)
            return status;
        bp->planted = !status && is_in(&bp->trap, bp->trap.addr, now, bp->trap.size);
        bp->doubtful = false;
    }
    return WT_OK;
}
