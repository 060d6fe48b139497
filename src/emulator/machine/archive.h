/*
 * A machine's state as bytes: for core files, and for the snapshots of time travel (state.h). One
 * function of a family lists the state's parts and serves both directions: it writes them, or reads
 * them back into a machine of the same shape (wt_machine_ops.state).
 *
 * The bytes of a file come from outside: each number is checked against its largest value, and what
 * follows from other parts (the ready set, counts) is not written but recomputed. A snapshot is of
 * the machine itself: structures are in it as they are (wt_archive_whole), memory is not.
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

/** A copy of bytes that snapshots share. */
struct wt_kept_copy;

/** Part of a state that changes seldom. Snapshots share its copy. */
struct wt_kept {
    struct wt_kept_copy
        *copy;    /**< the snapshot's that was last taken or restored; NULL: there is none */
    bool changed; /**< the part may have changed since that snapshot */
};

struct wt_archive {
    FILE *out;                    /**< writing a file; NULL: not */
    bool snapshot;                /**< it is the machine's own snapshot, not a file */
    bool saves;                   /**< writing a snapshot; else, without `out`, reading */
    uint8_t *bytes;               /**< then: what was written, of the caller, who frees it */
    size_t size, room;            /**< bytes that are written; that there is memory for */
    const uint8_t *in;            /**< reading: the next byte */
    size_t left;                  /**< reading: bytes from there on */
    struct wt_kept_copy **kept;   /**< the copies that a snapshot shares, in their order */
    size_t kept_count, kept_room; /**< writing: how many; there is memory for; reading: the next */
    uint64_t *kept_bytes;         /**< host memory of all copies is counted there */
    uint32_t version;             /**< reading: of the file's format (core_format.h) */
    bool failed;   /**< reading: from now on everything reads as 0; saving: no host memory */
    char why[200]; /**< then: the first failure, a sentence without a period */
};

/** Whether the archive is being read; else it is being written. */
static inline bool wt_archive_reads(const struct wt_archive *a)
{
    return !a->out && !a->saves;
}

/** Whether a core file is being read. */
static inline bool wt_archive_reads_file(const struct wt_archive *a)
{
    return !a->out && !a->snapshot;
}

/**
 * Makes reading fail, for a reason as of printf, which goes to a->why. Only the first failure is
 * kept.
 */
void wt_archive_fail(struct wt_archive *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/**
 * Writes or reads @p size bytes as they are. Where reading has failed, or too few are left, they
 * become 0. A write error shows in ferror(a->out).
 */
void wt_archive_bytes(struct wt_archive *a, void *bytes, size_t size);

/**
 * Of a snapshot: writes or reads the whole of a structure, and returns true. Of a core file: false,
 * its members follow one by one.
 */
static inline bool wt_archive_whole(struct wt_archive *a, void *bytes, size_t size)
{
    if (a->snapshot)
        wt_archive_bytes(a, bytes, size);
    return a->snapshot;
}

/**
 * As wt_archive_whole, of a slot for a wave or a group that is in use; one member, the pointer at
 * @p own, stays as the machine has it: a buffer of its own. False of a free slot, too: of most
 * slots of a device a snapshot has what a file has, which is little.
 */
bool wt_archive_slot(struct wt_archive *a, void *bytes, size_t size, void *own, bool used);

/** Of a snapshot: as wt_archive_bytes, but bytes that have not changed are not copied. */
void wt_archive_kept(struct wt_archive *a, struct wt_kept *kept, void *bytes, size_t size);

/** A snapshot, or the machine, has the copy no more; NULL is allowed. */
void wt_kept_drop(struct wt_kept_copy *copy);

/** As wt_archive_bytes, for bytes that are often all zero: these take one byte, a flag. */
void wt_archive_sparse(struct wt_archive *a, void *bytes, size_t size);

/*
 * Numbers. One that is read and is above `most` fails, with @p what, its name, in the reason, and
 * becomes 0; one that is written must not be above it.
 */

/** Writes or reads 8 bytes. */
void wt_archive_u64(struct wt_archive *a, uint64_t *value, uint64_t most, const char *what);
/** Writes or reads 4 bytes. */
void wt_archive_u32(struct wt_archive *a, uint32_t *value, uint32_t most, const char *what);
/** Writes or reads a number of 16 bits, in 4 bytes. */
void wt_archive_u16(struct wt_archive *a, uint16_t *value, uint16_t most, const char *what);
/** Writes or reads a number of 8 bits, in 4 bytes. */
void wt_archive_u8(struct wt_archive *a, uint8_t *value, uint8_t most, const char *what);
/** Writes or reads a flag: one byte, 0 or 1. Another value fails. */
void wt_archive_bool(struct wt_archive *a, bool *value);
/**
 * Writes or reads a set of lanes: 16 bytes. A lane that is not in @p all fails, and the set becomes
 * empty.
 */
void wt_archive_lanes(struct wt_archive *a, wt_lanes *lanes, wt_lanes all);

/** Writes or reads an unsigned int, or through a copy an enum, as wt_archive_u32 does. */
static inline void wt_archive_unsigned(struct wt_archive *a, unsigned *value, unsigned most,
                                       const char *what)
{
    uint32_t copy = *value;
    wt_archive_u32(a, &copy, most, what);
    *value = copy;
}

/**
 * Writes or reads a text in an array of @p size bytes: its length, 4 bytes, then its characters.
 * Control characters that are read become '?'.
 */
void wt_archive_text(struct wt_archive *a, char *text, size_t size);

/**
 * Writes all pages of a memory that are not all zero, in the order of their addresses; or reads
 * them into a memory, which then has no others. The memory's limit holds. A snapshot has no pages:
 * it has forks of memories (state.c).
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
 * Writes or reads what every machine has: issue time, fault, schedule, the wave whose turn it is.
 * After reading a file no wave is ready: the family says which ones are.
 */
void wt_archive_machine(struct wt_archive *a, struct wt_machine *m);

/**
 * Writes a whole machine, or reads it, memory included, for core files. After a failure to read it
 * the machine can only be freed.
 */
void wt_archive_whole_machine(struct wt_machine *m, struct wt_archive *a);

#endif
