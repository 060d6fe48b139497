/*
 * Registers and memory of a halted warp by injected instructions (VxDebug specification, "Features":
 * registers, CSRs and memory are "emulated using instruction injection"). DSCRATCH0, CSR 0x7b2,
 * carries 32 bits a time; only that one is used, since not every device has the other three.
 *
 * t0 and t1 of the lane are borrowed, and given back whatever happens. Each batch can be run again
 * from its beginning; the one instruction that could not (the shift that frees the upper half of t0
 * on RV64) has a function of its own.
 */
#include "debugger/probe/vortex_dm.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"

#define FOR_LANES(lane, lanes)                                                                     \
    for (wt_lanes rest_ = (lanes); rest_; rest_ &= rest_ - 1)                                      \
        for (unsigned lane = wt_lanes_lowest(rest_), once_ = 1; once_; once_ = 0)

/* The next DSCRATCH0 read of the batch that has been run. */
static uint32_t next_value(const struct wt_probe *p, size_t *cursor)
{
    const struct wt_bus_op *op = p->batch.op;
    while (op[*cursor].write || op[*cursor].addr != DM_DSCRATCH0)
        ++*cursor;
    return op[(*cursor)++].value;
}

static unsigned window_of(uint32_t wave)
{
    return wave / 32;
}

static void select_lane(struct wt_probe *p, uint32_t wave, unsigned lane)
{
    dm_select(p, window_of(wave), wave, lane);
}

/* GPR @p reg to DSCRATCH0, and its low 32 bits to the batch's results. */
static void fetch(struct wt_probe *p, unsigned reg)
{
    dm_inject(p, rv_csrw(CSR_DSCRATCH0, reg));
    dm_get(p, DM_DSCRATCH0);
}

/* The same for many lanes: instruction by instruction, so that each word is sent only once. */
static void inject_lanes(struct wt_probe *p, uint32_t wave, wt_lanes lanes, uint32_t instruction)
{
    FOR_LANES(lane, lanes) {
        select_lane(p, wave, lane);
        dm_inject(p, instruction);
    }
}

static void fetch_lanes(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned reg)
{
    FOR_LANES(lane, lanes) {
        select_lane(p, wave, lane);
        fetch(p, reg);
    }
}

/* Puts the loan's registers back, by instructions added to the batch. */
static void add_return(struct wt_probe *p, const struct dm_loan *loan)
{
    FOR_LANES(lane, loan->lanes) {
        select_lane(p, loan->wave, lane);
        if (loan->t1_too)
            dm_inject_constant(p, X_T1, loan->t1[lane]);
        dm_inject_constant(p, X_T0, loan->t0[lane]);
    }
}

/* After a failure: give back in a batch of its own, or as soon as the device answers again. */
static void return_now(struct wt_probe *p, const struct dm_loan *loan)
{
    dm_begin(p);
    add_return(p, loan);
    if (dm_run(p, NULL) == WT_OK)
        return;
    p->owed = *loan;
    p->owes = true;
    p->saved.valid = false;
}

/*
 * Shifts t0 of each lane right by 32, which leaves its upper half to be read and can be done only
 * once: where a batch came out late, the lanes are looked at one by one.
 */
static enum wt_status shift_t0(struct wt_probe *p, struct dm_loan *loan, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    if (p->brisk) {
        dm_begin(p);
        inject_lanes(p, loan->wave, loan->lanes, rv_srli(X_T0, X_T0, 32));
        fetch_lanes(p, loan->wave, loan->lanes, X_T0);
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
            FOR_LANES(lane, loan->lanes)
                loan->t0[lane] |= (uint64_t)next_value(p, &cursor) << 32;
            return WT_OK;
        }
        p->brisk = false;
        status = dm_wait_clear(p, DCTRL_INJECTSTATE, "an injected shift (DCTRL.injectstate)", err);
        if (status)
            return status;
    }
    FOR_LANES(lane, loan->lanes) {
        size_t cursor = 0;
        dm_begin(p);
        select_lane(p, loan->wave, lane);
        fetch(p, X_T0);
        if ((status = dm_run(p, err)))
            return status;
        uint32_t now = next_value(p, &cursor);
        if (now == (uint32_t)loan->t0[lane]) {
            dm_begin(p);
            select_lane(p, loan->wave, lane);
            dm_inject(p, rv_srli(X_T0, X_T0, 32));
            fetch(p, X_T0);
            if ((status = dm_run(p, err)))
                return status;
            cursor = 0;
            now = next_value(p, &cursor);
        }
        loan->t0[lane] |= (uint64_t)now << 32;
    }
    return WT_OK;
}

/* Borrows t0 (and t1). On failure nothing is owed. */
static enum wt_status borrow(struct wt_probe *p, struct dm_loan *loan, uint32_t wave, wt_lanes lanes,
                             bool t1_too, struct wt_error *err)
{
    enum wt_status status = vortex_repay(p, err);
    if (status)
        return status;
    loan->wave = wave;
    loan->lanes = lanes;
    loan->t1_too = t1_too;
    if (p->saved.valid && p->saved.wave == wave && lanes == wt_lane_bit(p->saved.lane)) {
        loan->t0[p->saved.lane] = p->saved.t0;
        loan->t1[p->saved.lane] = p->saved.t1;
        return WT_OK;
    }
    dm_begin(p);
    fetch_lanes(p, wave, lanes, X_T0);
    if (t1_too)
        fetch_lanes(p, wave, lanes, X_T1);
    if ((status = dm_run(p, err)))
        return status;
    size_t cursor = 0;
    FOR_LANES(lane, lanes)
        loan->t0[lane] = next_value(p, &cursor);
    if (t1_too)
        FOR_LANES(lane, lanes)
            loan->t1[lane] = next_value(p, &cursor);
    if (p->xlen == 64) {
        if ((status = shift_t0(p, loan, err))) {
            p->owed = *loan;
            p->owed.t1_too = false;
            p->owes = p->owes_shift = true;
            return status;
        }
        if (t1_too) {
            dm_begin(p);
            inject_lanes(p, wave, lanes, rv_srli(X_T0, X_T1, 32));
            fetch_lanes(p, wave, lanes, X_T0);
            if ((status = dm_run(p, err))) {
                loan->t1_too = false;
                return_now(p, loan);
                return status;
            }
            cursor = 0;
            FOR_LANES(lane, lanes)
                loan->t1[lane] |= (uint64_t)next_value(p, &cursor) << 32;
        }
    }
    if (t1_too && wt_lanes_count(lanes) == 1) {
        unsigned lane = wt_lanes_lowest(lanes);
        p->saved = (struct dm_saved){true, wave, lane, loan->t0[lane], loan->t1[lane]};
    }
    return WT_OK;
}

/* Runs a batch that ends with add_return(); if it fails, the loan is given back separately. */
static enum wt_status run_and_return(struct wt_probe *p, const struct dm_loan *loan,
                                     struct wt_error *err)
{
    enum wt_status status = dm_run(p, err);
    if (status)
        return_now(p, loan);
    return status;
}

static bool fault_present(struct wt_probe *p)
{
    struct wt_target_fault fault = {0};
    if (p->target->services->fault)
        p->target->services->fault(p->target->context, &fault);
    return fault.present;
}

/*
 * An injected access that the device refuses is our mistake, not the program's: take the fault
 * back, and say what it was.
 */
static enum wt_status check_fault(struct wt_probe *p, bool before, const struct dm_loan *loan,
                                  struct wt_error *err)
{
    struct wt_target_fault fault = {0};
    if (before || !p->target->services->fault)
        return WT_OK;
    p->target->services->fault(p->target->context, &fault);
    if (!fault.present)
        return WT_OK;
    if (p->target->services->clear_fault)
        p->target->services->clear_fault(p->target->context);
    return_now(p, loan);
    return wt_fail(err, WT_INVALID, "the device refused an injected access: %s", fault.text);
}

/* ---- registers ---- */

static unsigned code_of(struct wt_probe *p, unsigned index)
{
    return p->registers[index].code;
}

/* fmv.x.w or fmv.x.d t0, f */
static uint32_t rv_fmv_x(bool wide, unsigned rd, unsigned f)
{
    return (wide ? 0x71u : 0x70u) << 25 | f << 15 | rd << 7 | 0x53;
}

static uint32_t rv_fmv_f(bool wide, unsigned f, unsigned rs1)
{
    return (wide ? 0x79u : 0x78u) << 25 | rs1 << 15 | f << 7 | 0x53;
}

/* Adds what reads one register other than a GPR through t0. */
static void add_read(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned code,
                     unsigned bits)
{
    bool wide = p->xlen == 64 && bits > 32;
    inject_lanes(p, wave, lanes,
                 CODE_CLASS(code) == CODE_CSR ? rv_csrr(X_T0, CODE_NUMBER(code))
                                              : rv_fmv_x(wide, X_T0, CODE_NUMBER(code)));
    fetch_lanes(p, wave, lanes, X_T0);
    if (wide) {
        inject_lanes(p, wave, lanes, rv_srli(X_T0, X_T0, 32));
        fetch_lanes(p, wave, lanes, X_T0);
    }
}

enum wt_status vortex_read_csr(struct wt_probe *p, uint32_t wave, unsigned lane, unsigned csr,
                               uint32_t *value, struct wt_error *err)
{
    struct dm_loan loan;
    enum wt_status status = borrow(p, &loan, wave, wt_lane_bit(lane), false, err);
    if (status)
        return status;
    bool before = fault_present(p);
    dm_begin(p);
    select_lane(p, wave, lane);
    dm_inject(p, rv_csrr(X_T0, csr));
    fetch(p, X_T0);
    add_return(p, &loan);
    status = run_and_return(p, &loan, err);
    if (!status)
        status = check_fault(p, before, &loan, err);
    if (!status) {
        size_t cursor = 0;
        *value = next_value(p, &cursor);
    }
    return status;
}

/* Eight bytes of memory that doubles may pass through on RV32: local memory of the core. */
static enum wt_status find_scratch(struct wt_probe *p, uint32_t wave, unsigned lane,
                                   struct wt_error *err)
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

/* A loan of t0, t1 and eight bytes of memory. */
struct passage {
    struct dm_loan loan;
    uint32_t word[2];
};

static enum wt_status open_passage(struct wt_probe *p, struct passage *pass, uint32_t wave,
                                   unsigned lane, struct wt_error *err)
{
    enum wt_status status = borrow(p, &pass->loan, wave, wt_lane_bit(lane), true, err);
    if (status)
        return status;
    dm_begin(p);
    select_lane(p, wave, lane);
    dm_inject_constant(p, X_T0, p->scratch);
    for (int i = 0; i < 2; i++) {
        dm_inject(p, rv_i(0x03, X_T1, 2, X_T0, 4 * i));
        fetch(p, X_T1);
    }
    if ((status = dm_run(p, err))) {
        return_now(p, &pass->loan);
        return status;
    }
    size_t cursor = 0;
    for (int i = 0; i < 2; i++)
        pass->word[i] = next_value(p, &cursor);
    return WT_OK;
}

static void add_close_passage(struct wt_probe *p, const struct passage *pass)
{
    select_lane(p, pass->loan.wave, wt_lanes_lowest(pass->loan.lanes));
    dm_inject_constant(p, X_T0, p->scratch);
    for (int i = 0; i < 2; i++) {
        dm_inject_constant(p, X_T1, pass->word[i]);
        dm_inject(p, rv_s(0x23, 2, X_T0, X_T1, 4 * i));
    }
    add_return(p, &pass->loan);
}

static enum wt_status close_passage(struct wt_probe *p, const struct passage *pass,
                                    struct wt_error *err)
{
    enum wt_status status = dm_run(p, err);
    if (!status)
        return WT_OK;
    dm_begin(p);
    add_close_passage(p, pass);
    if (dm_run(p, NULL)) {
        p->owed = pass->loan;
        p->owes = p->owes_memory = true;
        memcpy(p->owed_word, pass->word, sizeof pass->word);
        p->saved.valid = false;
    }
    return status;
}

/*
 * A shift of t0 that nobody saw the end of has been done where t0 does not hold its old low half
 * any more; what it holds then is its old upper half.
 */
static enum wt_status settle_shift(struct wt_probe *p, struct wt_error *err)
{
    struct dm_loan *loan = &p->owed;
    dm_begin(p);
    fetch_lanes(p, loan->wave, loan->lanes, X_T0);
    enum wt_status status = dm_run(p, err);
    if (status)
        return status;
    size_t cursor = 0;
    wt_lanes shifted = 0;
    FOR_LANES(lane, loan->lanes) {
        uint32_t now = next_value(p, &cursor);
        if (now == (uint32_t)loan->t0[lane])
            continue;
        loan->t0[lane] = (uint32_t)loan->t0[lane] | (uint64_t)now << 32;
        shifted |= wt_lane_bit(lane);
    }
    loan->lanes = shifted;
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
        struct passage pass = {.loan = p->owed};
        memcpy(pass.word, p->owed_word, sizeof pass.word);
        add_close_passage(p, &pass);
    } else {
        add_return(p, &p->owed);
    }
    if ((status = dm_run(p, err)))
        return status;
    p->owes = p->owes_memory = false;
    return WT_OK;
}

static bool needs_passage(struct wt_probe *p, unsigned index)
{
    return p->xlen == 32 && CODE_CLASS(code_of(p, index)) == CODE_FPR &&
           p->registers[index].bits == 64;
}

/* Upper halves of 64-bit FPRs on RV32: only a store can reach them. */
static enum wt_status read_upper_fprs(struct wt_probe *p, uint32_t wave, unsigned lane,
                                      const unsigned *index, size_t count, uint64_t *value,
                                      struct wt_error *err)
{
    enum wt_status status = find_scratch(p, wave, lane, err);
    if (status)
        return status;
    if (!p->scratch) {
        /* No memory to pass through: what compiled code for single precision leaves there. */
        for (size_t i = 0; i < count; i++)
            if (needs_passage(p, index[i]))
                value[i] |= 0xffffffff00000000;
        return WT_OK;
    }
    struct passage pass;
    if ((status = open_passage(p, &pass, wave, lane, err)))
        return status;
    dm_begin(p);
    select_lane(p, wave, lane);
    dm_inject_constant(p, X_T0, p->scratch);
    for (size_t i = 0; i < count; i++) {
        if (!needs_passage(p, index[i]))
            continue;
        dm_inject(p, rv_s(0x27, 3, X_T0, CODE_NUMBER(code_of(p, index[i])), 0));
        dm_inject(p, rv_i(0x03, X_T1, 2, X_T0, 4));
        fetch(p, X_T1);
    }
    add_close_passage(p, &pass);
    if ((status = close_passage(p, &pass, err)))
        return status;
    size_t cursor = 0;
    for (size_t i = 0; i < count; i++)
        if (needs_passage(p, index[i]))
            value[i] |= (uint64_t)next_value(p, &cursor) << 32;
    return WT_OK;
}

/* The second half of reading: everything that has to go through t0. */
static enum wt_status read_through_t0(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                                      const unsigned *index, size_t count, uint64_t *value,
                                      struct wt_error *err)
{
    struct dm_loan loan;
    unsigned lane_count = wt_lanes_count(lanes);
    enum wt_status status = borrow(p, &loan, wave, lanes, false, err);
    if (status)
        return status;
    bool before = fault_present(p);
    dm_begin(p);
    for (size_t i = 0; i < count; i++) {
        unsigned code = code_of(p, index[i]), reg = CODE_NUMBER(code);
        bool gpr = CODE_CLASS(code) == CODE_GPR;
        if (CODE_CLASS(code) == CODE_PC || (gpr && (p->xlen == 32 || reg == 0 || reg == X_T0)))
            continue;
        if (gpr) {
            inject_lanes(p, wave, lanes, rv_srli(X_T0, reg, 32));
            fetch_lanes(p, wave, lanes, X_T0);
        } else {
            add_read(p, wave, lanes, code, p->registers[index[i]].bits);
        }
    }
    add_return(p, &loan);
    status = run_and_return(p, &loan, err);
    if (!status)
        status = check_fault(p, before, &loan, err);
    if (status)
        return status;
    size_t cursor = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned code = code_of(p, index[i]), reg = CODE_NUMBER(code), k = 0;
        bool gpr = CODE_CLASS(code) == CODE_GPR;
        bool wide = p->xlen == 64 && p->registers[index[i]].bits > 32;
        if (CODE_CLASS(code) == CODE_PC || (gpr && (p->xlen == 32 || reg == 0)))
            continue; /* has its value already */
        if (gpr && reg == X_T0) {
            FOR_LANES(lane, lanes)
                value[i + k++ * count] = loan.t0[lane];
            continue;
        }
        for (k = 0; k < lane_count && !gpr; k++)
            value[i + k * count] = next_value(p, &cursor);
        for (k = 0; k < lane_count && wide; k++)
            value[i + k * count] |= (uint64_t)next_value(p, &cursor) << 32;
    }
    return WT_OK;
}

enum wt_status vortex_read_registers(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                                     const unsigned *index, size_t count, uint64_t *value,
                                     struct wt_error *err)
{
    bool through_t0 = false, passage = false, pc = false;
    enum wt_status status = vortex_repay(p, err);
    if (status)
        return status;
    dm_begin(p);
    for (size_t i = 0; i < count; i++) {
        unsigned code = code_of(p, index[i]);
        if (CODE_CLASS(code) != CODE_GPR) {
            pc |= CODE_CLASS(code) == CODE_PC;
            through_t0 |= CODE_CLASS(code) != CODE_PC;
            passage |= needs_passage(p, index[i]);
            continue;
        }
        if (CODE_NUMBER(code) == 0)
            continue;
        through_t0 |= p->xlen == 64;
        fetch_lanes(p, wave, lanes, CODE_NUMBER(code));
    }
    if ((status = dm_run(p, err)))
        return status;
    unsigned lane_count = wt_lanes_count(lanes);
    size_t cursor = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned code = code_of(p, index[i]);
        bool fetched = CODE_CLASS(code) == CODE_GPR && CODE_NUMBER(code) != 0;
        for (unsigned k = 0; k < lane_count; k++)
            value[i + k * count] = fetched ? next_value(p, &cursor) : 0;
    }
    if (pc) {
        enum wt_halt_cause cause;
        uint64_t address;
        if ((status = wt_probe_vortex.halt_cause(p, wave, &cause, &address, err)))
            return status;
        for (size_t i = 0; i < count; i++)
            for (unsigned k = 0; k < lane_count; k++)
                if (CODE_CLASS(code_of(p, index[i])) == CODE_PC)
                    value[i + k * count] = address;
    }
    if (through_t0 && (status = read_through_t0(p, wave, lanes, index, count, value, err)))
        return status;
    if (passage) {
        FOR_LANES(lane, lanes) {
            if ((status = read_upper_fprs(p, wave, lane, index, count, value, err)))
                return status;
            value += count;
        }
    }
    return WT_OK;
}

static enum wt_status write_gpr(struct wt_probe *p, uint32_t wave, unsigned lane, unsigned reg,
                                uint64_t value, struct wt_error *err)
{
    enum wt_status status = vortex_repay(p, err);
    if (status)
        return status;
    p->saved.valid = false;
    dm_begin(p);
    select_lane(p, wave, lane);
    dm_inject_constant(p, reg, value);
    return dm_run(p, err);
}

/* A double on RV32 that is not a boxed single: through memory. */
static enum wt_status write_wide_fpr(struct wt_probe *p, uint32_t wave, unsigned lane, unsigned reg,
                                     uint64_t value, struct wt_error *err)
{
    enum wt_status status = find_scratch(p, wave, lane, err);
    if (status)
        return status;
    if (!p->scratch)
        return wt_fail(err, WT_UNSUPPORTED,
                       "a 64-bit value of f%u can be set only through local memory, and this "
                       "device has none (CSR 0xfc3 reads 0)",
                       reg);
    struct passage pass;
    if ((status = open_passage(p, &pass, wave, lane, err)))
        return status;
    dm_begin(p);
    select_lane(p, wave, lane);
    dm_inject_constant(p, X_T0, p->scratch);
    for (int i = 0; i < 2; i++) {
        dm_inject_constant(p, X_T1, value >> (32 * i) & 0xffffffff);
        dm_inject(p, rv_s(0x23, 2, X_T0, X_T1, 4 * i));
    }
    dm_inject(p, rv_i(0x07, reg, 3, X_T0, 0));
    add_close_passage(p, &pass);
    return close_passage(p, &pass, err);
}

/* RV64: DPC cannot name this address, but an injected jump goes there (and DPC then names its low
 * half; see vortex_remember_far). */
static enum wt_status write_far_pc(struct wt_probe *p, uint32_t wave, unsigned lane, uint64_t value,
                                   struct wt_error *err)
{
    struct dm_loan loan;
    enum wt_status status = borrow(p, &loan, wave, wt_lane_bit(lane), false, err);
    if (status)
        return status;
    bool before = fault_present(p);
    dm_begin(p);
    select_lane(p, wave, lane);
    dm_inject_constant(p, X_T0, value & ~(uint64_t)1);
    dm_inject(p, rv_i(0x67, 0, 0, X_T0, 0));
    add_return(p, &loan);
    status = run_and_return(p, &loan, err);
    if (!status)
        status = check_fault(p, before, &loan, err);
    if (!status)
        vortex_remember_far(p, value);
    return status;
}

enum wt_status vortex_write_register(struct wt_probe *p, uint32_t wave, unsigned lane,
                                     unsigned index, uint64_t value, struct wt_error *err)
{
    const struct wt_register *r = &p->registers[index];
    unsigned number = CODE_NUMBER(r->code);
    if (r->read_only)
        return wt_fail(err, WT_INVALID, "register %s cannot be written", r->name);
    if (r->bits < 64)
        value &= ((uint64_t)1 << r->bits) - 1;
    switch (CODE_CLASS(r->code)) {
    case CODE_GPR:
        return number == 0 ? WT_OK : write_gpr(p, wave, lane, number, value, err);
    case CODE_PC:
        if (value >> 32)
            return write_far_pc(p, wave, lane, value, err);
        dm_begin(p);
        dm_select(p, window_of(wave), wave, 0);
        dm_put(p, DM_DPC, (uint32_t)value);
        return dm_run(p, err);
    }
    bool fpr = CODE_CLASS(r->code) == CODE_FPR;
    if (fpr && r->bits == 64 && p->xlen == 32 && value >> 32 != 0xffffffff)
        return write_wide_fpr(p, wave, lane, number, value, err);
    struct dm_loan loan;
    enum wt_status status = borrow(p, &loan, wave, wt_lane_bit(lane), false, err);
    if (status)
        return status;
    bool before = fault_present(p);
    dm_begin(p);
    select_lane(p, wave, lane);
    dm_inject_constant(p, X_T0, p->xlen == 32 ? (uint32_t)value : value);
    if (fpr)
        dm_inject(p, rv_fmv_f(r->bits == 64 && p->xlen == 64, number, X_T0));
    else
        dm_inject(p, rv_csrw(number, X_T0));
    add_return(p, &loan);
    status = run_and_return(p, &loan, err);
    return status ? status : check_fault(p, before, &loan, err);
}

/* ---- memory ---- */

#define CHUNK 2048 /* what the offsets 0..2047 of loads and stores reach */
#define BATCH_BYTES (8 * CHUNK)

static enum wt_status check_range(struct wt_probe *p, uint64_t addr, size_t size,
                                  struct wt_error *err)
{
    uint64_t last = addr + size - 1;
    if (last < addr || (p->xlen == 32 && last >> 32))
        return wt_fail(err, WT_INVALID, "0x%" PRIx64 " and %zu bytes from there is past the end of "
                       "the address space", addr, size);
    return WT_OK;
}

/* Bytes until the next word where it is unaligned or the end is near, else a word. */
static unsigned piece_size(uint64_t addr, size_t left)
{
    return addr % 4 == 0 && left >= 4 ? 4 : 1;
}

enum wt_status vortex_read_memory(struct wt_probe *p, uint32_t wave, unsigned lane, uint64_t addr,
                                  void *out, size_t size, struct wt_error *err)
{
    if (size == 0)
        return WT_OK;
    enum wt_status status = check_range(p, addr, size, err);
    if (status)
        return status;
    const struct wt_target_services *services = p->target->services;
    if (p->port && services->read_memory) {
        if (services->read_memory(p->target->context, wave, addr, out, size))
            return WT_OK;
        return wt_fail(err, WT_INVALID, "no memory at 0x%" PRIx64 " (%zu bytes)", addr, size);
    }
    struct dm_loan loan;
    if ((status = borrow(p, &loan, wave, wt_lane_bit(lane), true, err)))
        return status;
    bool before = fault_present(p);
    uint8_t *bytes = out;
    for (size_t done = 0; done < size;) {
        size_t part = size - done < BATCH_BYTES ? size - done : BATCH_BYTES;
        dm_begin(p);
        select_lane(p, wave, lane);
        for (size_t at = 0, n; at < part; at += n) {
            uint64_t here = addr + done + at;
            if (at == 0 || here % CHUNK == 0)
                dm_inject_constant(p, X_T0, here & ~(uint64_t)(CHUNK - 1));
            n = piece_size(here, part - at);
            dm_inject(p, rv_i(0x03, X_T1, n == 4 ? 2 : 4, X_T0, (int32_t)(here % CHUNK)));
            fetch(p, X_T1);
        }
        add_return(p, &loan);
        status = run_and_return(p, &loan, err);
        if (!status)
            status = check_fault(p, before, &loan, err);
        if (status)
            return status;
        size_t cursor = 0;
        for (size_t at = 0, n; at < part; at += n) {
            n = piece_size(addr + done + at, part - at);
            wt_store_le(bytes + done + at, next_value(p, &cursor), n);
        }
        done += part;
    }
    return WT_OK;
}

enum wt_status vortex_write_memory(struct wt_probe *p, uint32_t wave, unsigned lane, uint64_t addr,
                                   const void *bytes, size_t size, struct wt_error *err)
{
    if (size == 0)
        return WT_OK;
    enum wt_status status = check_range(p, addr, size, err);
    if (status)
        return status;
    const struct wt_target_services *services = p->target->services;
    if (p->port && services->write_memory) {
        if (services->write_memory(p->target->context, wave, addr, bytes, size))
            return WT_OK;
        return wt_fail(err, WT_INVALID, "cannot write %zu bytes at 0x%" PRIx64, size, addr);
    }
    struct dm_loan loan;
    if ((status = borrow(p, &loan, wave, wt_lane_bit(lane), true, err)))
        return status;
    bool before = fault_present(p);
    const uint8_t *from = bytes;
    for (size_t done = 0; done < size;) {
        size_t part = size - done < BATCH_BYTES ? size - done : BATCH_BYTES;
        dm_begin(p);
        select_lane(p, wave, lane);
        for (size_t at = 0, n; at < part; at += n) {
            uint64_t here = addr + done + at;
            if (at == 0 || here % CHUNK == 0)
                dm_inject_constant(p, X_T0, here & ~(uint64_t)(CHUNK - 1));
            n = piece_size(here, part - at);
            dm_put(p, DM_DSCRATCH0, (uint32_t)wt_load_le(from + done + at, n));
            dm_inject(p, rv_csrr(X_T1, CSR_DSCRATCH0));
            dm_inject(p, rv_s(0x23, n == 4 ? 2 : 0, X_T0, X_T1, (int32_t)(here % CHUNK)));
        }
        add_return(p, &loan);
        status = run_and_return(p, &loan, err);
        if (!status)
            status = check_fault(p, before, &loan, err);
        if (status)
            return status;
        done += part;
    }
    return WT_OK;
}

/* ---- what the device is ---- */

enum wt_status vortex_discover_xlen(struct wt_probe *p, uint32_t wave, struct wt_error *err)
{
    /*
     * Shifts by less than 32 are legal in both widths. The low half of t0 is read first, then two
     * shifts bring the upper half down (0 on RV32): so t0 is known whole before it is known how
     * wide it is. The shifts of t0 are done one at a time since they cannot be repeated.
     */
    bool brisk = p->brisk;
    p->brisk = false;
    size_t cursor = 0;
    dm_begin(p);
    dm_select(p, window_of(wave), wave, 0);
    fetch(p, X_T0);
    dm_inject(p, rv_srli(X_T0, X_T0, 31));
    dm_inject(p, rv_srli(X_T0, X_T0, 1));
    fetch(p, X_T0);
    dm_inject(p, rv_addi(X_T0, 0, -1));
    dm_inject(p, rv_srli(X_T0, X_T0, 31));
    dm_inject(p, rv_srli(X_T0, X_T0, 1));
    fetch(p, X_T0);
    enum wt_status status = dm_run(p, err);
    if (!status) {
        uint64_t t0 = next_value(p, &cursor);
        t0 |= (uint64_t)next_value(p, &cursor) << 32;
        uint32_t ones = next_value(p, &cursor);
        if (ones != 0 && ones != 0xffffffff) {
            status = wt_fail(err, WT_IO,
                             "injected instructions do not do what they say (-1 >> 32 gave "
                             "0x%08x): cannot tell RV32 from RV64",
                             (unsigned)ones);
        } else {
            p->xlen = ones ? 64 : 32;
            status = write_gpr(p, wave, 0, X_T0, t0, err);
        }
    }
    p->brisk = brisk;
    return status;
}
