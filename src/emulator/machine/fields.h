/*
 * The members of a structure of a state, as a table: one list of them for core files (archive.h),
 * for the hashes (hash.h), and for the checks of sanitizer builds. Snapshots have structures as a
 * whole.
 *
 * A table ends with an entry of zeros. Members whose limit depends on the device are in no table.
 */
#ifndef WT_EMULATOR_MACHINE_FIELDS_H
#define WT_EMULATOR_MACHINE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/machine/archive.h"

struct wt_field {
    const char *what; /**< its name in the reason why a file cannot be read */
    uint64_t most;    /**< its largest value */
    uint32_t offset;
    int16_t hash;   /**< the byte of the hashed numbers where it begins; WT_UNHASHED */
    uint16_t count; /**< count of an array's elements; else 1 */
    uint8_t size;   /**< bytes of an element */
    uint8_t since;  /**< version of the first file that has it; 0: each one has it */
    bool flag;
};

/** Of the hash it is the number @p n, which has 8 bytes; of an array, the numbers from @p n on. */
#define WT_AT(n) ((n)*8)
/** … the upper half of the number. */
#define WT_UPPER(n) (WT_AT(n) + 4)
#define WT_UNHASHED (-1)

#define WT_FIELD_SIZE(member)                                                                      \
    _Generic((member), bool : 1, uint8_t : 1, uint16_t : 2, uint32_t : 4, int32_t : 4,             \
             uint64_t : 8, uint32_t * : 4)
#define WT_FIELD_SINCE(version, type, member, limit, name, at)                                     \
    {                                                                                              \
        .what = (name), .most = (limit), .offset = offsetof(type, member), .hash = (at),           \
        .count = sizeof(((type *)0)->member) / WT_FIELD_SIZE(((type *)0)->member),                 \
        .size = WT_FIELD_SIZE(((type *)0)->member), .since = (version),                            \
        .flag = _Generic(((type *)0)->member, bool                                                 \
                         : true, default                                                           \
                         : false)                                                                  \
    }
/** An entry of a table. */
#define WT_FIELD(type, member, limit, name, at) WT_FIELD_SINCE(0, type, member, limit, name, at)

/** Writes the members of @p object to a core file, or reads them, in the order of the table. */
void wt_archive_fields(struct wt_archive *a, void *object, const struct wt_field *table);
/** Copies the members that are hashed to where they are among the hash's numbers, which are 0. */
void wt_hash_fields(void *numbers, const void *object, const struct wt_field *table);
/** Asserts that no member is above its largest value. */
void wt_check_fields(const void *object, const struct wt_field *table);

#endif
