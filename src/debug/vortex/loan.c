/*
 * Borrows t0 and t1 of lanes for injections, and gives them back in every case; eight bytes of
 * memory likewise. Each batch can be run again from its beginning; the one instruction that could
 * not (the shift that frees the upper half of t0 on RV64) has a function of its own.
 */
#include <assert.h>
#include <stdio.h>

#include "debug/vortex/loan.h"

#include <string.h>

static void one_place(struct dm_places *places, uint32_t wave, unsigned lane)
{
    places->count = 1;
    places->at[0].wave = wave;
    places->at[0].lane = (uint8_t)lane;
}

void dm_lanes_of(struct dm_places *places, uint32_t wave, wt_lanes lanes)
{
    places->count = 0;
    for (; lanes; lanes &= lanes - 1) {
        places->at[places->count].wave = wave;
        places->at[places->count++].lane = (uint8_t)wt_lanes_lowest(lanes);
    }
}

uint32_t dm_next_value(const struct wt_probe *p, size_t *cursor)
{
    const struct wt_bus_op *op = p->batch.op;
    while (op[*cursor].write || op[*cursor].addr != DM_DSCRATCH0)
        ++*cursor;
    return op[(*cursor)++].value;
}

void dm_select_lane(struct wt_probe *p, uint32_t wave, unsigned lane)
{
    dm_select(p, wave / 32, wave, lane);
}

void dm_fetch(struct wt_probe *p, unsigned reg)
{
    dm_inject(p, rv_csrw(CSR_DSCRATCH0, reg));
    dm_get(p, DM_DSCRATCH0);
}

static void select_place(struct wt_probe *p, const struct dm_places *places, unsigned i)
{
    dm_select_lane(p, places->at[i].wave, places->at[i].lane);
}

void dm_inject_at(struct wt_probe *p, const struct dm_places *places, uint32_t instruction)
{
    for (unsigned i = 0; i < places->count; i++) {
        select_place(p, places, i);
        dm_inject(p, instruction);
    }
}

void dm_fetch_at(struct wt_probe *p, const struct dm_places *places, unsigned reg)
{
    for (unsigned i = 0; i < places->count; i++) {
        select_place(p, places, i);
        dm_fetch(p, reg);
    }
}

static void add_return(struct wt_probe *p, const struct dm_loan *loan)
{
    for (unsigned i = 0; i < loan->places.count; i++) {
        select_place(p, &loan->places, i);
        if (loan->t1_too)
            dm_inject_constant(p, X_T1, loan->t1[i]);
        dm_inject_constant(p, X_T0, loan->t0[i]);
    }
}

static void return_now(struct wt_probe *p, const struct dm_loan *loan)
{
    dm_begin(p);
    add_return(p, loan);
    if (dm_run(p, WT_IGNORED) == WT_OK)
        return;
    p->owed = *loan;
    p->owes = true;
    p->saved.valid = false;
}

/*
 * Shifts t0 of each lane right by 32, so that its upper half can be read. The shift can be done
 * only once: if a batch finished late, the lanes are examined one by one.
 */
static enum wt_status shift_t0(struct wt_probe *p, struct dm_loan *loan, struct wt_error *err)
{
    const struct dm_places *places = &loan->places;
    enum wt_status status = WT_OK;
    if (p->brisk) {
        dm_begin(p);
        dm_inject_at(p, places, rv_srli(X_T0, X_T0, 32));
        dm_fetch_at(p, places, X_T0);
        if (p->batch.no_memory)
            return wt_fail(err, WT_NO_MEMORY, "out of memory for a batch of register accesses");
        status = wt_bus_transact(p->bus, p->batch.op, p->batch.count, err);
        if (status)
            return status;
        bool late = false;
        for (size_t i = 0; i < p->batch.injections; i++)
            late |= (dm_got(p, p->batch.injection[i]) & DCTRL_INJECTSTATE) != 0;
        if (!late) {
            size_t cursor = 0;
            for (unsigned i = 0; i < places->count; i++)
                loan->t0[i] |= (uint64_t)dm_next_value(p, &cursor) << 32;
            return WT_OK;
        }
        p->brisk = false;
        status = dm_wait_clear(p, DCTRL_INJECTSTATE, "an injected shift (DCTRL.injectstate)", err);
        if (status)
            return status;
    }
    for (unsigned i = 0; i < places->count; i++) {
        size_t cursor = 0;
        dm_begin(p);
        select_place(p, places, i);
        dm_fetch(p, X_T0);
        if ((status = dm_run(p, err)))
            return status;
        uint32_t now = dm_next_value(p, &cursor);
        if (now == (uint32_t)loan->t0[i]) {
            dm_begin(p);
            select_place(p, places, i);
            dm_inject(p, rv_srli(X_T0, X_T0, 32));
            dm_fetch(p, X_T0);
            if ((status = dm_run(p, err)))
                return status;
            cursor = 0;
            now = dm_next_value(p, &cursor);
        }
        loan->t0[i] |= (uint64_t)now << 32;
    }
    return WT_OK;
}

enum wt_status loan_finish(struct wt_probe *p, struct dm_loan *loan, struct wt_error *err)
{
    if (p->xlen != 64)
        return WT_OK;
    enum wt_status status = shift_t0(p, loan, err);
    if (status) {
        p->owed = *loan;
        p->owed.t1_too = false;
        p->owes = p->owes_shift = true;
        return status;
    }
    if (!loan->t1_too)
        return WT_OK;
    dm_begin(p);
    dm_inject_at(p, &loan->places, rv_srli(X_T0, X_T1, 32));
    dm_fetch_at(p, &loan->places, X_T0);
    if ((status = dm_run(p, err))) {
        loan->t1_too = false;
        return_now(p, loan);
        return status;
    }
    size_t cursor = 0;
    for (unsigned i = 0; i < loan->places.count; i++)
        loan->t1[i] |= (uint64_t)dm_next_value(p, &cursor) << 32;
    return WT_OK;
}

enum wt_status loan_borrow(struct wt_probe *p, struct dm_loan *loan, const struct dm_places *places,
                           bool t1_too, struct wt_error *err)
{
    enum wt_status status = vortex_repay(p, err);
    if (status)
        return status;
    loan->places = *places;
    loan->t1_too = t1_too;
    bool one = places->count == 1;
    if (p->saved.valid && one && p->saved.wave == places->at[0].wave &&
        p->saved.lane == places->at[0].lane) {
        loan->t0[0] = p->saved.t0;
        loan->t1[0] = p->saved.t1;
        return WT_OK;
    }
    dm_begin(p);
    dm_fetch_at(p, places, X_T0);
    if (t1_too)
        dm_fetch_at(p, places, X_T1);
    if ((status = dm_run(p, err)))
        return status;
    size_t cursor = 0;
    for (unsigned i = 0; i < places->count; i++)
        loan->t0[i] = dm_next_value(p, &cursor);
    for (unsigned i = 0; i < places->count && t1_too; i++)
        loan->t1[i] = dm_next_value(p, &cursor);
    if ((status = loan_finish(p, loan, err)))
        return status;
    if (t1_too && one)
        p->saved = (struct dm_saved){true, places->at[0].wave, places->at[0].lane, loan->t0[0],
                                     loan->t1[0]};
    return WT_OK;
}

enum wt_status loan_borrow_one(struct wt_probe *p, struct dm_loan *loan, uint32_t wave,
                               unsigned lane, bool t1_too, struct wt_error *err)
{
    struct dm_places place;
    one_place(&place, wave, lane);
    return loan_borrow(p, loan, &place, t1_too, err);
}

static const struct wt_fault *fault_of(const struct wt_probe *p)
{
    const struct wt_target_services *services = p->target->services;
    return services->fault ? services->fault(p->target->context) : NULL;
}

/* An injected access that the device refuses is an error of the probe: it is taken back. */
static enum wt_status check_fault(struct wt_probe *p, const struct dm_loan *loan,
                                  struct wt_error *err)
{
    const struct wt_fault *fault = loan->faulted ? NULL : fault_of(p);
    char text[sizeof fault->text];
    if (!fault)
        return WT_OK;
    snprintf(text, sizeof text, "%s", fault->text);
    if (p->target->services->clear_fault)
        p->target->services->clear_fault(p->target->context);
    return_now(p, loan);
    return wt_fail(err, WT_INVALID, "the device refused an injected access: %s", text);
}

void loan_begin(struct wt_probe *p, struct dm_loan *loan)
{
    assert(loan->places.count > 0 && loan->places.count <= WT_MAX_LANES);
    loan->faulted = fault_of(p) != NULL;
    dm_begin(p);
    if (loan->places.count == 1)
        select_place(p, &loan->places, 0);
}

enum wt_status loan_run(struct wt_probe *p, const struct dm_loan *loan, struct wt_error *err)
{
    add_return(p, loan);
    enum wt_status status = dm_run(p, err);
    if (status) {
        return_now(p, loan);
        return status;
    }
    return check_fault(p, loan, err);
}

enum wt_status vortex_read_csr(struct wt_probe *p, uint32_t wave, unsigned lane, unsigned csr,
                               uint32_t *value, struct wt_error *err)
{
    struct dm_loan loan;
    size_t cursor = 0;
    enum wt_status status;
    if ((status = loan_borrow_one(p, &loan, wave, lane, false, err)) != WT_OK)
        return status;
    loan_begin(p, &loan);
    dm_inject(p, rv_csrr(X_T0, csr));
    dm_fetch(p, X_T0);
    if ((status = loan_run(p, &loan, err)) != WT_OK)
        return status;
    *value = dm_next_value(p, &cursor);
    return WT_OK;
}

/* ---- a passage: memory that doubles go through on RV32 ---- */

enum wt_status passage_find(struct wt_probe *p, uint32_t wave, unsigned lane, struct wt_error *err)
{
    if (p->scratch_known)
        return WT_OK;
    uint32_t base;
    enum wt_status status = vortex_read_csr(p, wave, lane, CSR_LOCAL_MEM_BASE, &base, err);
    if (status)
        return status;
    p->scratch = base & ~(uint32_t)7;
    p->scratch_known = true;
    return WT_OK;
}

enum wt_status passage_open(struct wt_probe *p, struct dm_passage *pass, uint32_t wave,
                            unsigned lane, struct wt_error *err)
{
    enum wt_status status = loan_borrow_one(p, &pass->loan, wave, lane, true, err);
    if (status)
        return status;
    dm_begin(p);
    dm_select_lane(p, wave, lane);
    dm_inject_constant(p, X_T0, p->scratch);
    for (int i = 0; i < 2; i++) {
        dm_inject(p, rv_i(0x03, X_T1, 2, X_T0, 4 * i));
        dm_fetch(p, X_T1);
    }
    if ((status = dm_run(p, err))) {
        return_now(p, &pass->loan);
        return status;
    }
    size_t cursor = 0;
    for (int i = 0; i < 2; i++)
        pass->word[i] = dm_next_value(p, &cursor);
    return WT_OK;
}

void passage_add_close(struct wt_probe *p, const struct dm_passage *pass)
{
    select_place(p, &pass->loan.places, 0);
    dm_inject_constant(p, X_T0, p->scratch);
    for (int i = 0; i < 2; i++) {
        dm_inject_constant(p, X_T1, pass->word[i]);
        dm_inject(p, rv_s(0x23, 2, X_T0, X_T1, 4 * i));
    }
    add_return(p, &pass->loan);
}

enum wt_status passage_close(struct wt_probe *p, const struct dm_passage *pass,
                             struct wt_error *err)
{
    enum wt_status status = dm_run(p, err);
    if (!status)
        return WT_OK;
    dm_begin(p);
    passage_add_close(p, pass);
    if (dm_run(p, WT_IGNORED)) {
        p->owed = pass->loan;
        p->owes = p->owes_memory = true;
        memcpy(p->owed_word, pass->word, sizeof pass->word);
        p->saved.valid = false;
    }
    return status;
}

/* ---- debts ---- */

/*
 * A shift of t0 whose end was not seen has been done if t0 does not hold its old low half any more;
 * t0 then holds its old upper half.
 */
static enum wt_status settle_shift(struct wt_probe *p, struct wt_error *err)
{
    struct dm_loan *loan = &p->owed;
    dm_begin(p);
    dm_fetch_at(p, &loan->places, X_T0);
    enum wt_status status = dm_run(p, err);
    if (status)
        return status;
    size_t cursor = 0;
    unsigned kept = 0;
    for (unsigned i = 0; i < loan->places.count; i++) {
        uint32_t now = dm_next_value(p, &cursor);
        if (now == (uint32_t)loan->t0[i])
            continue;
        loan->places.at[kept] = loan->places.at[i];
        loan->t0[kept++] = (uint32_t)loan->t0[i] | (uint64_t)now << 32;
    }
    loan->places.count = kept;
    p->owes_shift = false;
    return WT_OK;
}

enum wt_status vortex_repay(struct wt_probe *p, struct wt_error *err)
{
    if (!p->owes)
        return WT_OK;
    enum wt_status status = p->owes_shift ? settle_shift(p, err) : WT_OK;
    if (status)
        return status;
    dm_begin(p);
    if (p->owes_memory) {
        struct dm_passage pass = {.loan = p->owed};
        memcpy(pass.word, p->owed_word, sizeof pass.word);
        passage_add_close(p, &pass);
    } else {
        add_return(p, &p->owed);
    }
    if ((status = dm_run(p, err)))
        return status;
    p->owes = p->owes_memory = false;
    return WT_OK;
}
