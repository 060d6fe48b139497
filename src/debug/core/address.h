/* Addresses as a lane of a wave sees them: an address space, and an offset in it. */
#ifndef WT_DEBUG_CORE_ADDRESS_H
#define WT_DEBUG_CORE_ADDRESS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/** Who has something of their own: a register, an address space. */
enum wt_scope {
    WT_SCOPE_LANE,   /**< each lane of a wave */
    WT_SCOPE_WAVE,   /**< each wave */
    WT_SCOPE_GROUP,  /**< the waves of a group share one */
    WT_SCOPE_CORE,   /**< the waves of a core share one */
    WT_SCOPE_DEVICE, /**< there is one */
};

/** An address space, as a probe lists it. Space 0 is that of code and of pointers. */
struct wt_space {
    const char *name;      /**< "memory", "local", "private", … */
    int dwarf;             /**< its DWARF number; -1: none */
    enum wt_scope scope;   /**< which unit has contents of its own, at some addresses at least */
    unsigned address_bits; /**< 1 to 64 */
    uint64_t aperture;     /**< where space 0 has its offset 0; 0: space 0 does not reach it */
    int clang; /**< the number that LLVM 19 gives it in DW_OP_xderef and DW_AT_address_class, which
                    is none of the numbers that it documents; 0: none */
};

struct wt_address {
    uint32_t space; /**< its number in the probe's list */
    uint64_t offset;
};

/** An address of space 0. */
static inline struct wt_address wt_address_of(uint64_t offset)
{
    return (struct wt_address){0, offset};
}

/** The address so many bytes on. */
static inline struct wt_address wt_address_plus(struct wt_address address, uint64_t bytes)
{
    address.offset += bytes;
    return address;
}

/** Whether both are the same offset of the same space. */
static inline bool wt_address_equal(struct wt_address a, struct wt_address b)
{
    return a.space == b.space && a.offset == b.offset;
}

/** Whether two ranges of at least one byte, which do not wrap, have a byte in common. */
static inline bool wt_ranges_meet(struct wt_address a, uint64_t a_size, struct wt_address b,
                                  uint64_t b_size)
{
    assert(a_size && b_size);
    return a.space == b.space && a.offset <= b.offset + (b_size - 1) &&
           b.offset <= a.offset + (a_size - 1);
}

#endif
