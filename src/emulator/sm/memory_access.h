/* Accesses of a warp's lanes to memory (access.c), for machine code and PTX. */
#ifndef WT_EMULATOR_SM_MEMORY_ACCESS_H
#define WT_EMULATOR_SM_MEMORY_ACCESS_H

#include "emulator/machine/judge.h"
#include "emulator/sm/internal.h"

struct ptx_origin;

/** The mistake in the access of a lane. */
enum sm_stray_kind {
    SM_STRAY_MISALIGNED, /**< in global memory */
    SM_STRAY_MISALIGNED_SHARED,
    SM_STRAY_MISALIGNED_LOCAL,
    SM_STRAY_MISALIGNED_CONSTANT,
    SM_STRAY_SHARED, /**< beyond what the CTA has */
    SM_STRAY_LOCAL,  /**< beyond what the thread has */
    SM_STRAY_READ_ONLY,
    SM_STRAY_UNMAPPED,
};

/** Where the lanes of one access go. */
struct sm_access {
    uint64_t addr[SM_LANES]; /**< in global memory, or the offset into shared memory */
    uint32_t lanes;          /**< that access at all */
    uint32_t shared;         /**< those of them that access shared memory */
    unsigned size;           /**< bytes of a lane, 1 to 32 */
    bool store;              /**< or an atomic */
    bool atomic;
    bool told;                     /**< who observes the machine knows of it: no lane need tell */
    uint32_t refused;              /**< lanes that a judge has taken out of `lanes` */
    uint32_t stray;                /**< lanes that must not: those like the first of them */
    enum sm_stray_kind stray_kind; /**< what is wrong with these */
    uint64_t stray_at;             /**< where the first of them goes */
};

/** An access that no lane is part of yet; an atomic is WT_WATCH_ACCESS. */
static inline void sm_access_begin(struct sm_access *a, uint32_t lanes, unsigned size,
                                   enum wt_watch_kind kind)
{
    a->lanes = lanes;
    a->shared = a->stray = a->refused = 0;
    a->size = size;
    a->store = kind != WT_WATCH_READ;
    a->atomic = kind == WT_WATCH_ACCESS;
    a->told = false;
}

/** Where addresses lead that a judge is asked about. */
enum sm_judged {
    SM_JUDGED_GLOBAL,
    SM_JUDGED_GENERIC,
    SM_JUDGED_SHARED,
    SM_JUDGED_LOCAL,
    SM_JUDGED_CONSTANT,
};
/** Asks the machine's judge, which is there, about accesses of @p lanes, 1 or more; at[lane] is the
 * address, or the offset in shared or local memory. Returns the lanes that must not make them. */
uint32_t sm_judge(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                  enum sm_judged where, uint32_t lanes, const uint64_t *at, unsigned size);
/** Asks about all lanes of an access: those that must not are moved to a->refused. */
void sm_access_judge(struct sm_warp *w, const struct sm_uop *u, enum sm_judged where,
                     struct sm_access *a, const uint64_t *at);
/** Whether a machine has a judge. */
static inline bool sm_has_judge(const struct sm_warp *w)
{
    return __builtin_expect(w->device->machine.judge != NULL, false);
}

/** Adds a lane to those that must not make an access, if it is wrong as the first of them is. */
void sm_add_stray(struct sm_access *a, unsigned lane, enum sm_stray_kind kind, uint64_t at);
/**
 * Checks the access of one lane and adds its address, or the lane to those that must not
 * (a->stray). Of @p at the lower 32 bits count, the width of an address in shared and in local
 * memory (PTX ISA 6.4.1, "Addresses as Operands").
 */
void sm_reach_shared(struct sm_warp *w, unsigned lane, uint64_t at, struct sm_access *a);
/* Likewise for local memory. */
void sm_reach_local(struct sm_warp *w, unsigned lane, uint64_t at, struct sm_access *a);
/* Likewise for global memory, and for generic addresses, which may lead to shared or local memory.
 */
void sm_reach_global(struct sm_warp *w, unsigned lane, uint64_t at, bool generic,
                     struct sm_access *a);
/** Raises the error of an access with stray lanes; what the executor must return. */
const struct sm_uop *sm_stray(struct sm_warp *w, const struct sm_uop *u, const struct sm_access *a);
/** Tells who observes all of an access without stray lanes. */
void sm_access_tell(struct sm_warp *w, const struct sm_uop *u, struct sm_access *a);
/** Whether no lane is stray. False: the access is refused (machine/engine.h). */
static inline bool sm_access_good(struct sm_warp *w, const struct sm_uop *u, struct sm_access *a,
                                  const struct sm_uop **next)
{
    if (!a->stray && wt_observes_rows(&w->device->machine))
        sm_access_tell(w, u, a);
    if (!a->stray)
        return true;
    *next = sm_stray(w, u, a);
    return false;
}

/** Bytes of local memory of each lane; those of a warp's lanes follow each other. */
static inline uint64_t sm_local_bytes(const struct sm_warp *w)
{
    return ((uint64_t)w->device->grid.launch.local + 7) / 8 * 8;
}

/** Reads a->size bytes of a lane whose access was checked. */
void sm_load_bytes(struct sm_warp *w, const struct sm_uop *u, const struct sm_access *a,
                   unsigned lane, uint8_t *bytes);
/** Writes them; false: the host has no memory, and sm_no_memory is to be returned. */
bool sm_store_bytes(struct sm_warp *w, const struct sm_uop *u, const struct sm_access *a,
                    unsigned lane, enum wt_watch_kind kind, const uint8_t *bytes);
/* Ends the launch: a store found no memory on the host. What the executor returns. */
const struct sm_uop *sm_no_memory(struct sm_warp *w, const struct sm_uop *u, uint64_t addr);

/** The value that an atomic operation on integers of @p size bytes stores. */
uint64_t sm_atomic_whole(enum sm_atomic how, bool is_signed, unsigned size, uint64_t old,
                         uint64_t data);

#endif
