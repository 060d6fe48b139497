/* Bits of the entries of gen8's and gen9's tables (linux i915_gem_gtt.h). */
#ifndef WT_GEN_ENTRIES_H
#define WT_GEN_ENTRIES_H

#include <stdint.h>

enum {
    GEN8_PRESENT = 1 << 0,
    GEN8_WRITABLE = 1 << 1,
    GEN8_PWT = 1 << 3,
    GEN8_PCD = 1 << 4,
    GEN8_PAT = 1 << 7,        /* in a page table's entry */
    GEN8_PS = 1 << 7,         /* in a directory's entry: it maps a page itself */
    GEN8_PDE_IPS = 1 << 11,   /* its table holds pages of 64 KiB */
    GEN8_LARGE_PAT = 1 << 12, /* in a directory's entry that maps a page */
};

/* Bits 47:12: the page, or the table. */
#define GEN8_ADDRESS UINT64_C(0x0000fffffffff000)

#endif
