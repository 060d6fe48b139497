/*
 * Breakpoints that a debugger left in memory when it crashed. They are found by comparing the code
 * in memory with the program's file; no other record of them exists.
 */
#include "debug/core/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "debug/core/patches.h"

#define CHUNK 4096

void wt_debugger_set_code(struct wt_debugger *d, const struct wt_code *list, size_t count)
{
    d->leftovers.code = list;
    d->leftovers.code_count = count;
}

/* A piece of code: what memory has, and what the program's file has. */
struct leftover_piece {
    uint64_t addr;
    const uint8_t *memory, *file;
    size_t size;
};

static enum wt_status add(struct wt_debugger *d, uint64_t addr, const struct wt_patch *original,
                          struct wt_error *err)
{
    if (d->leftovers.count && d->leftovers.list[d->leftovers.count - 1].addr >= addr)
        return WT_OK; /* seen at the end of the last piece */
    struct wt_leftover *more = wt_array_grow(d->leftovers.list, &d->leftovers.capacity,
                                             d->leftovers.count + 1, sizeof *d->leftovers.list);
    if (!more)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for what was found");
    d->leftovers.list = more;
    d->leftovers.list[d->leftovers.count++] =
        (struct wt_leftover){.addr = addr, .original = *original};
    return WT_OK;
}

/* The bytes of an instruction, taken from a piece; false if the piece does not contain
 * all of them. */
static bool window_in(struct wt_debugger *d, const struct leftover_piece *piece,
                      const uint8_t *bytes, uint64_t addr, struct wt_window *window)
{
    struct wt_error ignored;
    if (d->ops->window(d->probe, addr, window, &ignored) || window->addr < piece->addr)
        return false;
    const uint64_t at = window->addr - piece->addr;
    if (at >= piece->size || piece->size - at < window->least)
        return false;
    if (piece->size - at < window->size)
        window->size = window->least;
    memcpy(window->bytes, bytes + at, window->size);
    return true;
}

/* Whether the instruction at @p addr is a breakpoint in memory but not in the file. */
static bool is_leftover(struct wt_debugger *d, const struct leftover_piece *piece, uint64_t addr,
                        struct wt_patch *original)
{
    struct wt_window memory, file;
    struct wt_patch of_memory = {.size = 0}, of_file = {.size = 0};
    if (!window_in(d, piece, piece->memory, addr, &memory) ||
        !window_in(d, piece, piece->file, addr, &file) || memory.size != file.size ||
        memcmp(memory.bytes, file.bytes, memory.size) == 0)
        return false;
    d->ops->patch(d->probe, addr, &memory, &of_memory);
    d->ops->patch(d->probe, addr, &file, &of_file);
    if (!dbg_lies_in(&of_memory, &memory) || !dbg_lies_in(&of_file, &file) ||
        !dbg_is_planted(&of_memory, &memory) || dbg_is_planted(&of_file, &file))
        return false;
    *original = dbg_undoing(&of_memory, &file);
    return true;
}

/* Notes the leftovers of a piece. */
static enum wt_status compare(struct wt_debugger *d, const struct leftover_piece *piece,
                              struct wt_error *err)
{
    const unsigned granule = d->topology->code_granule;
    assert(granule);
    const uint64_t end = piece->addr + piece->size;
    uint64_t addr = (piece->addr + granule - 1) / granule * granule;
    while (addr < end) {
        struct wt_patch original;
        if (!is_leftover(d, piece, addr, &original)) {
            addr += granule;
            continue;
        }
        enum wt_status status = add(d, addr, &original, err);
        if (status)
            return status;
        addr += granule > original.size ? granule : original.size;
    }
    return WT_OK;
}

enum wt_status wt_debugger_find_leftovers(struct wt_debugger *d, unsigned limit_ms,
                                          uint64_t *compared, uint64_t *total, struct wt_error *err)
{
    uint8_t memory[CHUNK];
    const int64_t end = wt_clock_ms() + limit_ms;
    *compared = *total = 0;
    d->leftovers.count = 0;
    for (size_t i = 0; i < d->leftovers.code_count; i++)
        *total += d->leftovers.code[i].size;
    for (size_t i = 0; i < d->leftovers.code_count; i++) {
        const struct wt_code *code = &d->leftovers.code[i];
        for (size_t at = 0, next; at < code->size; at = next) {
            if (limit_ms && wt_clock_ms() >= end)
                return WT_OK;
            /* Pieces overlap, so that an instruction across their border lies whole in
             * one of them. */
            bool last = code->size - at <= CHUNK;
            size_t size = last ? code->size - at : CHUNK;
            next = at + size - (last ? 0 : WT_WINDOW_BYTES);
            enum wt_status status =
                wt_debugger_read_memory(d, 0, wt_address_of(code->addr + at), memory, size, err);
            if (status)
                return status;
            const struct leftover_piece piece = {code->addr + at, memory, code->bytes + at, size};
            if ((status = compare(d, &piece, err)))
                return status;
            *compared += next - at;
        }
    }
    return WT_OK;
}

const struct wt_leftover *wt_debugger_leftovers(struct wt_debugger *d, size_t *count)
{
    *count = d->leftovers.count;
    return d->leftovers.list;
}

/* Restores the file's bits, and leaves the neighbouring bits as they are. */
static enum wt_status lift(struct wt_debugger *d, const struct wt_patch *original,
                           struct wt_error *err)
{
    uint8_t bytes[WT_PATCH_BYTES];
    enum wt_status status =
        wt_debugger_read_memory(d, 0, wt_address_of(original->addr), bytes, original->size, err);
    if (status)
        return status;
    dbg_apply(original, original->addr, bytes, original->size);
    return wt_debugger_write_memory(d, 0, wt_address_of(original->addr), bytes, original->size,
                                    err);
}

enum wt_status wt_debugger_lift_leftovers(struct wt_debugger *d, struct wt_error *err)
{
    for (; d->leftovers.count; d->leftovers.count--) {
        enum wt_status status = lift(d, &d->leftovers.list[d->leftovers.count - 1].original, err);
        if (status)
            return status;
    }
    return WT_OK;
}
