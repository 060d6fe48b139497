/* Registers and memory that injections borrow: for the files that inject. */
#ifndef WT_DEBUG_VORTEX_LOAN_H
#define WT_DEBUG_VORTEX_LOAN_H

#include "debug/vortex/dm.h"

/** The lanes of a set, the lowest first. */
void dm_lanes_of(struct dm_places *places, uint32_t wave, wt_lanes lanes);

/** The next DSCRATCH0 read of the batch that has been run. */
uint32_t dm_next_value(const struct wt_probe *p, size_t *cursor);
/** Selects a lane of a wave for the injections that follow. */
void dm_select_lane(struct wt_probe *p, uint32_t wave, unsigned lane);
/** GPR @p reg to DSCRATCH0, and its low 32 bits to the batch's results. */
void dm_fetch(struct wt_probe *p, unsigned reg);
/** Likewise for many lanes: instruction by instruction, so that each word is sent only once. */
void dm_inject_at(struct wt_probe *p, const struct dm_places *places, uint32_t instruction);
/** dm_fetch() for many lanes, likewise. */
void dm_fetch_at(struct wt_probe *p, const struct dm_places *places, unsigned reg);

/*
 * How registers are borrowed: loan_borrow(), then for each batch loan_begin(), the injections, and
 * loan_run(), which gives t0 and t1 back. dm_next_value() has the results.
 */

/** Borrows t0 (and t1). On failure nothing is owed. */
enum wt_status loan_borrow(struct wt_probe *p, struct dm_loan *loan, const struct dm_places *places,
                           bool t1_too, struct wt_error *err);
/** Likewise of one lane. */
enum wt_status loan_borrow_one(struct wt_probe *p, struct dm_loan *loan, uint32_t wave,
                               unsigned lane, bool t1_too, struct wt_error *err);
/** The second half of borrowing, when the low halves are known: RV64's upper halves. */
enum wt_status loan_finish(struct wt_probe *p, struct dm_loan *loan, struct wt_error *err);
/** Begins a batch; with a loan of one lane, that lane is selected. */
void loan_begin(struct wt_probe *p, struct dm_loan *loan);
/**
 * Adds instructions that give the registers back, and runs the batch. If it fails, they are given
 * back by a batch of their own, or as soon as the device answers again. WT_INVALID: the device
 * refused an injected access, which is no mistake of the program's; the fault is cleared.
 */
enum wt_status loan_run(struct wt_probe *p, const struct dm_loan *loan, struct wt_error *err);

/** A loan of t0, t1 and eight bytes of memory, which doubles pass through on RV32. */
struct dm_passage {
    struct dm_loan loan;
    uint32_t word[2];
};

/** Finds eight bytes (p->scratch; 0: there are none): local memory of the core. */
enum wt_status passage_find(struct wt_probe *p, uint32_t wave, unsigned lane, struct wt_error *err);
/** Borrows t0, t1 and the eight bytes of passage_find(), whose contents it keeps. */
enum wt_status passage_open(struct wt_probe *p, struct dm_passage *pass, uint32_t wave,
                            unsigned lane, struct wt_error *err);
/** Adds the instructions that put the eight bytes back. */
void passage_add_close(struct wt_probe *p, const struct dm_passage *pass);
/** Runs a batch that ends with passage_add_close(). */
enum wt_status passage_close(struct wt_probe *p, const struct dm_passage *pass,
                             struct wt_error *err);

#endif
