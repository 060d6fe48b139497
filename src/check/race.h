/*
 * The check of races: two accesses to one byte by lanes that nothing orders, one of which is a
 * store, and which are not both atomic. It follows what orders accesses (machine/observe.h) by
 * vector clocks of waves; docs/check-races.md has the rules of each family.
 */
#ifndef WT_CHECK_RACE_H
#define WT_CHECK_RACE_H

#include "check/memory.h"

struct wt_check_race;
struct wt_check_start;

/** Whether lanes of one wave are ordered by their instructions. */
enum wt_check_lanes {
    WT_LANES_BY_FAMILY,
    WT_LANES_LOCKSTEP,
    WT_LANES_INDEPENDENT,
    WT_LANES_AS_ONE /**< in lockstep, and a wave is one thread of the program: what its lanes do in
                         one instruction is one access */
};

/** Whether races of OpenMP's target regions can be told, whichever compiler they are of. On an SM
 * lanes of GCC's code are WT_LANES_AS_ONE, and LLVM's are threads. */
bool wt_check_race_knows_openmp(const struct wt_machine *m);

/** Looks for races between the accesses of the machine's waves from now on. */
struct wt_check_race *wt_check_race_begin(const struct wt_check_start *start);
/** Other addresses are valid from now on. */
void wt_check_race_set_space(struct wt_check_race *r, const void *space);
/** The order of what the program gives to the GPU (order.h), which stays and whose newest operation
 * is the launch that begins: races are looked for between launches, copies and the host, too. */
struct wt_order;
void wt_check_race_set_order(struct wt_check_race *r, struct wt_order *order);
/** Launch @p number is about to begin, and is of operation @p of; its waves may begin later. One
 * that nobody tells of is of the newest operation when its first wave begins. */
struct wt_order_operation;
void wt_check_race_launch(struct wt_check_race *r, uint64_t number,
                          const struct wt_order_operation *of);
/** The newest operation loads or stores [addr, addr + size): a copy, a fill. NULL is allowed. */
void wt_check_race_copied(struct wt_check_race *r, uint64_t addr, uint64_t size,
                          enum wt_access access);
/** The object at [addr, addr + size) is another one from now on. NULL is allowed. */
void wt_check_race_renewed(struct wt_check_race *r, uint64_t addr, uint64_t size);
/** Whether kernels seem to wait for somebody: waves load from where they have loaded last, 2^20
 * times, and meanwhile none ends or stores to memory of all groups; or they have executed 2^32
 * instructions since the newest kernel began. What they execute says so and not the time. NULL is
 * allowed. */
bool wt_check_race_idles(const struct wt_check_race *r);
/** Issue time of its GPU; 0 of NULL. */
uint64_t wt_check_race_time(const struct wt_check_race *r);
/** How operations that the host has not waited for use a range of memory. */
enum wt_race_use {
    WT_RACE_PARTS,  /**< not all of its bytes */
    WT_RACE_LOADED, /**< all of them, and load some only */
    WT_RACE_STORED, /**< they store to all of them */
    WT_RACE_ATOMIC, /**< its page has atomic or volatile accesses, by which they may tell the host
                         what they have done */
};
/** Of a range within 4096 aligned bytes. */
enum wt_race_use wt_check_race_use(struct wt_check_race *r, uint64_t addr, uint64_t size);
/** An access of the host to one byte. */
struct wt_host_access {
    uint64_t addr;
    uint32_t thread; /**< order.h */
    bool store;
    struct wt_call_stack calls; /**< the innermost one is the access's own function */
};
/** The host has accessed a byte that GPUs have at @p addr. NULL is allowed. */
void wt_check_race_host(struct wt_check_race *r, uint64_t addr,
                        const struct wt_host_access *access);
/** Nothing is looked at any more; frees the check. NULL is allowed. */
void wt_check_race_end(struct wt_check_race *r);
/** Frees the check of a machine that has ended. NULL is allowed. */
void wt_check_race_free(struct wt_check_race *r);

#endif
