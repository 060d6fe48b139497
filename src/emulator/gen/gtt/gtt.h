/* The graphics translation tables of Intel's GPUs, gen4 to gen9: which physical address stands
 * behind a graphics address, and through which entries. Sources: G965 PRM, volume 1 (PGTBL_CTL);
 * the table formats of linux drivers/gpu/drm/i915/i915_gem_gtt.h and drivers/char/agp/intel-agp.h.
 */
#ifndef WT_GEN_GTT_H
#define WT_GEN_GTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/** Platforms of gen7 whose entries have a layout of their own. */
enum wt_gtt_variant {
    WT_GTT_PLAIN,
    WT_GTT_HASWELL,
    WT_GTT_BAYTRAIL,
};

/** Which table translates. */
enum wt_gtt_kind {
    WT_GTT_GLOBAL,    /**< GGTT: one flat table for everybody */
    WT_GTT_PROCESS32, /**< PPGTT of 32-bit addresses; on gen4 and gen5 a second flat table */
    WT_GTT_PROCESS48, /**< PPGTT of 48-bit addresses: gen8 and later */
};

/** A table, as registers and options describe it. */
struct wt_gtt {
    unsigned gen; /**< 4 to 9 */
    enum wt_gtt_variant variant;
    enum wt_gtt_kind kind;
    bool enabled; /**< on gen4 and gen5: bit 0 of PGTBL_CTL; true elsewhere */
    /** Physical addresses. Flat tables: the first byte. gen6 and gen7 PPGTT: the page directory.
     * gen8 and later: PDP0 to PDP3 with 32 bits, the PML4 with 48. */
    uint64_t root[4];
    unsigned root_count; /**< how many of them are known */
    uint64_t bytes;      /**< length of a flat table */
};

/** One entry that a walk read. */
struct wt_gtt_level {
    const char *name; /**< "PML4E", "PDPE", "PDP", "PDE" or "PTE" */
    uint32_t index;   /**< which entry of its table; PDP: which register */
    bool in_register; /**< PDP: nothing was read from memory */
    uint64_t at;      /**< physical address of the entry, unless in_register */
    unsigned bytes;   /**< its size: 4 or 8 */
    uint64_t entry;   /**< its value */
    uint64_t address; /**< the address that it holds */
    char flags[128];  /**< its other fields, in words */
};

/** How one address was translated. */
struct wt_gtt_walk {
    struct wt_gtt_level level[4];
    unsigned level_count; /**< how many entries were read */
    bool mapped;
    uint64_t physical;    /**< where mapped */
    uint64_t page_bytes;  /**< where mapped: 4 KiB, 64 KiB, 2 MiB or 1 GiB */
    char attributes[128]; /**< where mapped: page size, access, cacheability */
    char fault[256];      /**< else: which entry of which level is why */
};

/** Reads @p size bytes at a physical address; false if there is no memory. */
typedef bool wt_gtt_read(void *context, uint64_t physical, void *bytes, size_t size);

/**
 * Checks that such a table exists: generation, variant and kind fit, the roots are there and
 * aligned. WT_INVALID says what does not fit.
 */
enum wt_status wt_gtt_check(const struct wt_gtt *gtt, struct wt_error *err);

/** Translates @p address through a table that wt_gtt_check accepts. */
void wt_gtt_walk(const struct wt_gtt *gtt, wt_gtt_read *read, void *context, uint64_t address,
                 struct wt_gtt_walk *walk);

/** Prints a walk, each line behind @p indent: the entries, then what @p address became. */
void wt_gtt_print(FILE *out, const char *indent, const struct wt_gtt_walk *walk, uint64_t address);

/* ---- registers ---- */

/** PGTBL_CTL (MMIO 0x2020) and PGTBL_CTL2 (0x20c4) of gen4 and gen5. */
struct wt_pgtbl_ctl {
    bool enabled;       /**< bit 0 */
    unsigned size_code; /**< bits 3:1 */
    uint64_t bytes;     /**< what the code means: 128 KiB to 2 MiB */
    bool unknown_size;  /**< codes 6 and 7: 512 KiB is assumed, as linux does */
    uint64_t base;      /**< bits 31:12, and 7:4 as bits 35:32 */
};

/** Decodes the register; any value is valid. */
struct wt_pgtbl_ctl wt_pgtbl_ctl(uint32_t value);

/** GMCH_CTRL, from which gen5 and later take the size of the GGTT. */
struct wt_gmch_ctrl {
    uint64_t gtt_bytes; /**< length of the GGTT; 0: none, or on gen5 what PGTBL_CTL says */
    uint64_t
        stolen_bytes; /**< memory that the firmware set aside; 0 on gen5, where it is elsewhere */
};

/** Decodes the register for gen5 to gen9. */
struct wt_gmch_ctrl wt_gmch_ctrl(unsigned gen, uint16_t value);

/** The function of linux that finds the GGTT of this generation: i915_ggtt_probe_hw's choice. */
const char *wt_gtt_probe_function(unsigned gen);

/** Bytes of address space that a flat table maps: 4 KiB for each of its entries. */
uint64_t wt_gtt_reach(unsigned gen, uint64_t table_bytes);

#endif
