/*
 * A machine's state as bytes, for core files. One function of a family lists the state's parts and
 * serves both directions: it writes them, or reads them back into a machine of the same shape. What
 * is read comes from outside: each number has a largest value, and what follows from other parts
 * (which waves can issue, how many there are) is not written but made again.
 *
 * Numbers are little-endian, of the size that their function's name says.
 */
#ifndef WT_EMULATOR_MACHINE_ARCHIVE_H
#define WT_EMULATOR_MACHINE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/lanes.h"

struct wt_machine;
struct wt_memory;
struct wt_region;

struct wt_archive {
    FILE *out;         /**< writing; NULL: reading */
    const uint8_t *in; /**< reading: the next byte */
    size_t left;       /**< reading: bytes from there on */
    bool failed;       /**< reading: from now on everything reads as 0 */
    char why[200];     /**< then: what was wrong first, a sentence without a period */
};

static inline bool wt_archive_reads(const struct wt_archive *a)
{
    return !a->out;
}

/** Reading has failed, unless it had before. */
void wt_archive_fail(struct wt_archive *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Bytes as they are. */
void wt_archive_bytes(struct wt_archive *a, void *bytes, size_t size);

/** The same of bytes that are often all zero, which are written as a flag then. */
void wt_archive_sparse(struct wt_archive *a, void *bytes, size_t size);

/* Numbers; one above `most` fails with the name of what it is. */
void wt_archive_u64(struct wt_archive *a, uint64_t *value, uint64_t most, const char *what);
void wt_archive_u32(struct wt_archive *a, uint32_t *value, uint32_t most, const char *what);
void wt_archive_u16(struct wt_archive *a, uint16_t *value, uint16_t most, const char *what);
void wt_archive_u8(struct wt_archive *a, uint8_t *value, uint8_t most, const char *what);
void wt_archive_bool(struct wt_archive *a, bool *value);
void wt_archive_lanes(struct wt_archive *a, wt_lanes *lanes, wt_lanes all);

/** An unsigned int, or an enum through a copy: as u32. */
static inline void wt_archive_unsigned(struct wt_archive *a, unsigned *value, unsigned most,
                                       const char *what)
{
    uint32_t copy = *value;
    wt_archive_u32(a, &copy, most, what);
    *value = copy;
}

/** Text in an array of @p size bytes; what cannot be printed reads as '?'. */
void wt_archive_text(struct wt_archive *a, char *text, size_t size);

/**
 * All pages of a memory that are not all zero, by address. Read, they are all that it has; its
 * limit holds.
 */
void wt_archive_memory(struct wt_archive *a, struct wt_memory *memory);

/**
 * Writes all pages of these ranges that are not all zero, as wt_archive_memory() reads them. @p
 * read copies memory, which may change meanwhile; pages that it refuses are left out. False without
 * host memory.
 */
bool wt_archive_ranges(struct wt_archive *a, const struct wt_region *region, size_t count,
                       bool (*read)(void *context, uint64_t addr, uint8_t *bytes, size_t size),
                       void *context);

/**
 * What every machine has: issue time, fault, schedule, whose turn it is. Read, no wave can issue:
 * the family says which ones can.
 */
void wt_archive_machine(struct wt_archive *a, struct wt_machine *m);

#endif
