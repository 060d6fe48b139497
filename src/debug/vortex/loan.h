/* Registers and memory that injections borrow: for the files that inject. */
#ifndef WT_DEBUG_VORTEX_LOAN_H
#define WT_DEBUG_VORTEX_LOAN_H

#include "debug/vortex/dm.h"

void dm_one_place(struct dm_places *places, uint32_t wave, unsigned lane);
/** The lanes of a set, the lowest first. */
void dm_lanes_of(struct dm_places *places, uint32_t wave, wt_lanes lanes);

/** The next DSCRATCH0 read of the batch that has been run. */
uint32_t dm_next_value(const struct wt_probe *p, size_t *cursor);
void dm_select_lane(struct wt_probe *p, uint32_t wave, unsigned lane);
/** GPR @p reg to DSCRATCH0, and its low 32 bits to the batch's results. */
void dm_fetch(struct wt_probe *p, unsigned reg);
/** The same for many lanes: instruction by instruction, so that each word is sent only once. */
void dm_inject_at(struct wt_probe *p, const struct dm_places *places, uint32_t instruction);
void dm_fetch_at(struct wt_probe *p, const struct dm_places *places, unsigned reg);

/** Borrows t0 (and t1). On failure nothing is owed. */
enum wt_status loan_borrow(struct wt_probe *p, struct dm_loan *loan, const struct dm_places *places,
                           bool t1_too, struct wt_error *err);
/** The second half of borrowing, when the low halves are known: RV64's upper halves. */
enum wt_status loan_finish(struct wt_probe *p, struct dm_loan *loan, struct wt_error *err);
/** Puts the loan's registers back, by instructions added to the batch. */
void loan_add_return(struct wt_probe *p, const struct dm_loan *loan);
/** After a failure: gives back in a batch of its own, or as soon as the device answers again. */
void loan_return_now(struct wt_probe *p, const struct dm_loan *loan);
/** Runs a batch that ends with loan_add_return(); if it fails, the loan is given back separately.
 */
enum wt_status loan_run(struct wt_probe *p, const struct dm_loan *loan, struct wt_error *err);

bool dm_fault_present(struct wt_probe *p);
/**
 * An injected access that the device refuses is our mistake, not the program's: takes the fault
 * back, and says what it was.
 */
enum wt_status loan_check_fault(struct wt_probe *p, bool before, const struct dm_loan *loan,
                                struct wt_error *err);

/** A loan of t0, t1 and eight bytes of memory, which doubles pass through on RV32. */
struct dm_passage {
    struct dm_loan loan;
    uint32_t word[2];
};

/** Finds eight bytes (p->scratch; 0: there are none): local memory of the core. */
enum wt_status passage_find(struct wt_probe *p, uint32_t wave, unsigned lane, struct wt_error *err);
enum wt_status passage_open(struct wt_probe *p, struct dm_passage *pass, uint32_t wave,
                            unsigned lane, struct wt_error *err);
void passage_add_close(struct wt_probe *p, const struct dm_passage *pass);
/** Runs a batch that ends with passage_add_close(). */
enum wt_status passage_close(struct wt_probe *p, const struct dm_passage *pass,
                             struct wt_error *err);

#endif
