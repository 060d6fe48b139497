/* A memory object of a program as debuggers see it, also of another process: plain data. */
#ifndef WT_BASE_OBJECT_VIEW_H
#define WT_BASE_OBJECT_VIEW_H

#include <stdint.h>

enum { WT_OBJECT_STACK = 24 }; /* calls of a stack */

/** Where an address is: in an object, behind the nearest one below it, before the one above it. */
enum wt_object_place { WT_IN_OBJECT, WT_BEHIND_OBJECT, WT_BEFORE_OBJECT };

struct wt_object_view {
    uint64_t addr, size;
    uint32_t place; /**< enum wt_object_place, of the address that was asked about */
    uint8_t freed, read_only;
    uint16_t reserved;
    char by[40];   /**< the function that made it */
    char name[48]; /**< name of a variable; "" */
    /** Addresses of return of the host's calls that made and freed it, the innermost first, in the
     * program's process; depth 0: they were not kept. */
    uint64_t made[WT_OBJECT_STACK], freed_by[WT_OBJECT_STACK];
    uint32_t made_depth, freed_depth;
};

/** A write of the host's to a device's memory. */
struct wt_host_write {
    uint64_t time;       /**< issue time: before the instruction of that time */
    uint64_t addr, size; /**< what it wrote */
    uint64_t call;       /**< the number of the program's call, from 1 */
    char by[40];         /**< its function */
    /** Addresses of return of the host's calls, as of struct wt_object_view. */
    uint64_t calls[WT_OBJECT_STACK];
    uint32_t depth, reserved;
};

#define WT_OBJECT_VIEWS 2 /**< at most, for an address */

#endif
