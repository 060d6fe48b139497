/* Accesses of a warp's lanes to memory, for machine code (mem.c) and PTX (ptx_mem.c). */
#ifndef WT_EMULATOR_SM_MEMORY_ACCESS_H
#define WT_EMULATOR_SM_MEMORY_ACCESS_H

#include "emulator/sm/internal.h"

/** Where the lanes of one access go. */
struct sm_access {
    uint64_t addr[SM_LANES]; /**< in global memory, or the offset into shared memory */
    uint32_t lanes;          /**< that access at all */
    uint32_t shared;         /**< of them, those that access shared memory */
    unsigned size;           /**< bytes of a lane, 1 to 16 */
};

/**
 * Checks the access of one lane and adds its address to *a. False: it raised an error, and *next is
 * what the executor must return.
 */
bool sm_reach_shared(struct sm_warp *w, const struct sm_uop *u, unsigned lane, uint64_t at,
                     unsigned size, struct sm_access *a, const struct sm_uop **next);
/* The same for local memory. */
bool sm_reach_local(struct sm_warp *w, const struct sm_uop *u, unsigned lane, uint64_t at,
                    unsigned size, struct sm_access *a, const struct sm_uop **next);
/* The same for global memory, and for generic addresses, which may lead to shared or local memory.
 */
bool sm_reach_global(struct sm_warp *w, const struct sm_uop *u, unsigned lane, uint64_t at,
                     unsigned size, bool store, bool generic, struct sm_access *a,
                     const struct sm_uop **next);

/** The address in global memory of a lane's local memory at @p offset; false: it has less. */
bool sm_local_address(const struct sm_warp *w, unsigned lane, uint64_t offset, unsigned size,
                      uint64_t *addr);

/** Reads a->size bytes of a lane whose access was checked. */
void sm_load_bytes(struct sm_warp *w, const struct sm_uop *u, const struct sm_access *a,
                   unsigned lane, uint8_t *bytes);
/** Writes them; false: the host has no memory, and sm_no_memory is to be returned. */
bool sm_store_bytes(struct sm_warp *w, const struct sm_uop *u, const struct sm_access *a,
                    unsigned lane, enum wt_watch_kind kind, const uint8_t *bytes);
/* Ends the launch: a store found no memory on the host. What the executor returns. */
const struct sm_uop *sm_no_memory(struct sm_warp *w, const struct sm_uop *u, uint64_t addr);

/** As field atom52 numbers them; CAS and SAFEADD are ours. */
enum sm_atomic {
    SM_ATOMIC_ADD,
    SM_ATOMIC_MIN,
    SM_ATOMIC_MAX,
    SM_ATOMIC_INC,
    SM_ATOMIC_DEC,
    SM_ATOMIC_AND,
    SM_ATOMIC_OR,
    SM_ATOMIC_XOR,
    SM_ATOMIC_EXCH,
    SM_ATOMIC_CAS,
    SM_ATOMIC_SAFEADD,
};

/** What an atomic operation on integers of @p size bytes stores. */
uint64_t sm_atomic_whole(enum sm_atomic how, bool is_signed, unsigned size, uint64_t old,
                         uint64_t data);

#endif
