/*
 * Breakpoints that a debugger left in memory when it ended badly: found by comparing the code in
 * memory with the program's file. There is nothing else to go by, since the one who knew is gone.
 */
#include "debug/core/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define CHUNK 4096
#define TRAPS 2

/* The breakpoint instructions that there are, the longest first. */
struct traps {
    uint8_t bytes[TRAPS][4];
    size_t length[TRAPS];
};

static void list_traps(struct wt_debugger *d, struct traps *t)
{
    /* What takes the place of a long and of a short instruction. */
    static const uint8_t original[TRAPS][4] = {{0x13, 0, 0, 0}, {0x01, 0, 0x01, 0}};
    for (int i = 0; i < TRAPS; i++)
        t->length[i] = d->ops->breakpoint(d->probe, 0, original[i], t->bytes[i]);
}

void wt_debugger_set_code(struct wt_debugger *d, const struct wt_code *list, size_t count)
{
    d->code = list;
    d->codes = count;
}

static bool add(struct wt_debugger *d, uint64_t addr, const uint8_t *original, size_t length)
{
    if (d->leftovers && d->leftover[d->leftovers - 1].addr >= addr)
        return true; /* seen at the end of the last chunk */
    struct wt_leftover *more = realloc(d->leftover, (d->leftovers + 1) * sizeof *more);
    if (!more)
        return false;
    d->leftover = more;
    d->leftover[d->leftovers] = (struct wt_leftover){.addr = addr, .length = length};
    memcpy(d->leftover[d->leftovers++].original, original, length);
    return true;
}

/* Compares @p size bytes of memory with those of the file. Code begins at even addresses. */
static bool compare(struct wt_debugger *d, const struct traps *traps, uint64_t addr,
                    const uint8_t *memory, const uint8_t *file, size_t size)
{
    for (size_t at = addr & 1; at + 1 < size; at += 2) {
        for (int i = 0; i < TRAPS; i++) {
            size_t length = traps->length[i];
            if (at + length > size || memcmp(memory + at, traps->bytes[i], length) != 0 ||
                memcmp(file + at, traps->bytes[i], length) == 0)
                continue;
            if (!add(d, addr + at, file + at, length))
                return false;
            at += length - 2;
            break;
        }
    }
    return true;
}

enum wt_status wt_debugger_find_leftovers(struct wt_debugger *d, unsigned limit_ms,
                                          uint64_t *looked, uint64_t *total, struct wt_error *err)
{
    uint8_t memory[CHUNK];
    struct traps traps;
    const int64_t end = wt_clock_ms() + limit_ms;
    *looked = *total = 0;
    d->leftovers = 0;
    list_traps(d, &traps);
    for (size_t i = 0; i < d->codes; i++)
        *total += d->code[i].size;
    for (size_t i = 0; i < d->codes; i++) {
        const struct wt_code *code = &d->code[i];
        for (size_t at = 0, next; at < code->size; at = next) {
            if (limit_ms && wt_clock_ms() >= end)
                return WT_OK;
            /* Chunks overlap by two bytes: an instruction across their border is seen whole. */
            bool last = code->size - at <= CHUNK;
            size_t size = last ? code->size - at : CHUNK;
            next = at + size - (last ? 0 : 2);
            enum wt_status status =
                wt_debugger_read_memory(d, 0, code->addr + at, memory, size, err);
            if (status)
                return status;
            if (!compare(d, &traps, code->addr + at, memory, code->bytes + at, size))
                return wt_fail(err, WT_NO_MEMORY, "out of memory for what was found");
            *looked += next - at;
        }
    }
    return WT_OK;
}

const struct wt_leftover *wt_debugger_leftovers(struct wt_debugger *d, size_t *count)
{
    *count = d->leftovers;
    return d->leftover;
}

enum wt_status wt_debugger_lift_leftovers(struct wt_debugger *d, struct wt_error *err)
{
    for (; d->leftovers; d->leftovers--) {
        const struct wt_leftover *l = &d->leftover[d->leftovers - 1];
        enum wt_status status =
            wt_debugger_write_memory(d, 0, l->addr, l->original, l->length, err);
        if (status)
            return status;
    }
    return WT_OK;
}
