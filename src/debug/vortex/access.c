/*
 * Registers of a halted warp, by injected instructions (VxDebug specification, "Features":
 * registers, CSRs and memory are "emulated using instruction injection"). DSCRATCH0, CSR 0x7b2,
 * carries 32 bits at a time. It is the only scratch register used, since not every device has the
 * other three.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/bits.h"
#include "debug/vortex/loan.h"

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

/* Adds the instructions that read one register other than a GPR through t0. */
static void add_read(struct wt_probe *p, const struct dm_places *places, unsigned code,
                     unsigned bits)
{
    bool wide = p->xlen == 64 && bits > 32;
    dm_inject_at(p, places,
                 CODE_CLASS(code) == CODE_CSR ? rv_csrr(X_T0, CODE_NUMBER(code))
                                              : rv_fmv_x(wide, X_T0, CODE_NUMBER(code)));
    dm_fetch_at(p, places, X_T0);
    if (wide) {
        dm_inject_at(p, places, rv_srli(X_T0, X_T0, 32));
        dm_fetch_at(p, places, X_T0);
    }
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
    enum wt_status status = passage_find(p, wave, lane, err);
    if (status)
        return status;
    if (!p->scratch) {
        /* There is no memory to pass the value through: the upper half is what compiled single
         * precision code leaves there. */
        for (size_t i = 0; i < count; i++)
            if (needs_passage(p, index[i]))
                value[i] |= 0xffffffff00000000;
        return WT_OK;
    }
    struct dm_passage pass;
    if ((status = passage_open(p, &pass, wave, lane, err)))
        return status;
    dm_begin(p);
    dm_select_lane(p, wave, lane);
    dm_inject_constant(p, X_T0, p->scratch);
    for (size_t i = 0; i < count; i++) {
        if (!needs_passage(p, index[i]))
            continue;
        dm_inject(p, rv_s(0x27, 3, X_T0, CODE_NUMBER(code_of(p, index[i])), 0));
        dm_inject(p, rv_i(0x03, X_T1, 2, X_T0, 4));
        dm_fetch(p, X_T1);
    }
    passage_add_close(p, &pass);
    if ((status = passage_close(p, &pass, err)))
        return status;
    size_t cursor = 0;
    for (size_t i = 0; i < count; i++)
        if (needs_passage(p, index[i]))
            value[i] |= (uint64_t)dm_next_value(p, &cursor) << 32;
    return WT_OK;
}

/* Read from the Debug Module, not through t0. DSCRATCH0 has what the last injection, or a client,
 * has left there: every injection of this probe goes through it. */
static bool is_direct(unsigned code)
{
    return CODE_CLASS(code) == CODE_PC || CODE_CLASS(code) == CODE_SCRATCH;
}

/* The second half of reading: everything that has to go through t0. */
static enum wt_status read_through_t0(struct wt_probe *p, struct dm_loan *loan,
                                      const unsigned *index, size_t count, uint64_t *value,
                                      struct wt_error *err)
{
    const struct dm_places *places = &loan->places;
    loan_begin(p, loan);
    for (size_t i = 0; i < count; i++) {
        unsigned code = code_of(p, index[i]), reg = CODE_NUMBER(code);
        bool gpr = CODE_CLASS(code) == CODE_GPR;
        if (is_direct(code) || (gpr && (p->xlen == 32 || reg == 0 || reg == X_T0)))
            continue;
        if (gpr) {
            dm_inject_at(p, places, rv_srli(X_T0, reg, 32));
            dm_fetch_at(p, places, X_T0);
        } else {
            add_read(p, places, code, p->registers[index[i]].bits);
        }
    }
    enum wt_status status = loan_run(p, loan, err);
    if (status)
        return status;
    size_t cursor = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned code = code_of(p, index[i]), reg = CODE_NUMBER(code), k;
        bool gpr = CODE_CLASS(code) == CODE_GPR;
        bool wide = p->xlen == 64 && p->registers[index[i]].bits > 32;
        if (is_direct(code) || (gpr && (p->xlen == 32 || reg == 0)))
            continue; /* has its value already */
        if (gpr && reg == X_T0) {
            for (k = 0; k < places->count; k++)
                value[i + k * count] = loan->t0[k];
            continue;
        }
        for (k = 0; k < places->count && !gpr; k++)
            value[i + k * count] = dm_next_value(p, &cursor);
        for (k = 0; k < places->count && wide; k++)
            value[i + k * count] |= (uint64_t)dm_next_value(p, &cursor) << 32;
    }
    return WT_OK;
}

static bool has_scratch(struct wt_probe *p, const unsigned *index, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (CODE_CLASS(code_of(p, index[i])) == CODE_SCRATCH)
            return true;
    return false;
}

static enum wt_status read_values(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                                  const unsigned *index, size_t count, uint64_t *value,
                                  struct wt_error *err)
{
    bool through_t0 = false, passage = false, pc = false;
    struct dm_loan loan = {.t1_too = false};
    struct dm_places *places = &loan.places;
    enum wt_status status = vortex_repay(p, err);
    if (status)
        return status;
    dm_lanes_of(places, wave, lanes);
    dm_begin(p);
    const bool reads_scratch = has_scratch(p, index, count);
    for (unsigned k = 0; reads_scratch && k < places->count; k++) {
        dm_select_lane(p, places->at[k].wave, places->at[k].lane);
        dm_get(p, DM_DSCRATCH0);
    }
    for (size_t i = 0; i < count; i++) {
        unsigned code = code_of(p, index[i]);
        if (CODE_CLASS(code) != CODE_GPR) {
            pc |= CODE_CLASS(code) == CODE_PC;
            through_t0 |= !is_direct(code);
            passage |= needs_passage(p, index[i]);
            continue;
        }
        if (CODE_NUMBER(code) == 0)
            continue;
        through_t0 |= p->xlen == 64;
        dm_fetch_at(p, places, CODE_NUMBER(code));
    }
    /* The value of t0 must be known first, so that it can be restored: it is read in the same
     * batch. */
    if (through_t0)
        dm_fetch_at(p, places, X_T0);
    if ((status = dm_run(p, err)))
        return status;
    size_t cursor = 0;
    uint32_t scratch[WT_MAX_LANES] = {0};
    for (unsigned k = 0; reads_scratch && k < places->count; k++)
        scratch[k] = dm_next_value(p, &cursor);
    for (size_t i = 0; i < count; i++) {
        unsigned code = code_of(p, index[i]);
        bool fetched = CODE_CLASS(code) == CODE_GPR && CODE_NUMBER(code) != 0;
        for (unsigned k = 0; k < places->count; k++)
            value[i + k * count] = fetched                            ? dm_next_value(p, &cursor)
                                   : CODE_CLASS(code) == CODE_SCRATCH ? scratch[k]
                                                                      : 0;
    }
    for (unsigned k = 0; k < places->count && through_t0; k++)
        loan.t0[k] = dm_next_value(p, &cursor);
    if (pc) {
        enum wt_halt_cause cause;
        uint64_t address;
        if ((status = vortex_halt_cause(p, wave, &cause, &address, err)))
            return status;
        address = vortex_code_of(p, wave, address);
        for (size_t i = 0; i < count; i++)
            for (unsigned k = 0; k < places->count; k++)
                if (CODE_CLASS(code_of(p, index[i])) == CODE_PC)
                    value[i + k * count] = address;
    }
    if (through_t0 && ((status = loan_finish(p, &loan, err)) ||
                       (status = read_through_t0(p, &loan, index, count, value, err))))
        return status;
    for (unsigned k = 0; k < places->count && passage; k++)
        if ((status = read_upper_fprs(p, wave, places->at[k].lane, index, count, value + k * count,
                                      err)))
            return status;
    return WT_OK;
}

/* A row of general or floating-point registers through the target's port, like memory. */
static bool read_through_port(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned index,
                              uint8_t *out)
{
    const struct wt_target_services *services = p->target->services;
    const struct wt_register *r = &p->registers[index];
    const unsigned kind = CODE_CLASS(code_of(p, index)), size = (unsigned)wt_register_size(r);
    uint8_t row[WT_MAX_LANES * 8];
    if (!p->port || !services->read_row || (kind != CODE_GPR && kind != CODE_FPR) ||
        !services->read_row(p->target->context, wave, r->number, true, size, row))
        return false;
    for (; lanes; lanes &= lanes - 1, out += size)
        memcpy(out, row + (size_t)wt_lanes_lowest(lanes) * size, size);
    return true;
}

/* Reads the registers by injection, and stores each row at its place in @p out. */
static enum wt_status read_by_injection(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                                        const unsigned *index, size_t count, uint8_t *const *out,
                                        struct wt_error *err)
{
    const unsigned values = wt_lanes_count(lanes);
    uint64_t *value = malloc((count * values + 1) * sizeof *value);
    if (!value)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %zu registers of %u threads", count,
                       values);
    const enum wt_status status = read_values(p, wave, lanes, index, count, value, err);
    for (size_t i = 0; i < count && !status; i++) {
        const struct wt_register *r = &p->registers[index[i]];
        const size_t size = wt_register_size(r);
        for (unsigned k = 0; k < (r->scope == WT_SCOPE_LANE ? values : 1); k++)
            wt_store_le(out[i] + k * size, value[k * count + i], size);
    }
    free(value);
    return status;
}

enum wt_status vortex_read_rows(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                                const unsigned *index, size_t count, uint8_t *out,
                                struct wt_error *err)
{
    assert(lanes && !(lanes & ~wt_lanes_first(p->topology.lanes)));
    /* Until they are given back, t0 and t1 hold values of the probe. */
    enum wt_status status = vortex_repay(p, err);
    if (status)
        return status;
    unsigned *rest = malloc((count + 1) * sizeof *rest);
    uint8_t **to = malloc((count + 1) * sizeof *to);
    size_t left = 0;
    if (!rest || !to)
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for %zu registers", count);
    for (size_t i = 0; i < count && !status; i++) {
        if (!read_through_port(p, wave, lanes, index[i], out)) {
            rest[left] = index[i];
            to[left++] = out;
        }
        out += wt_register_row(&p->registers[index[i]], lanes);
    }
    if (!status && left)
        status = read_by_injection(p, wave, lanes, rest, left, to, err);
    free(rest);
    free(to);
    return status;
}

static enum wt_status write_gpr(struct wt_probe *p, uint32_t wave, unsigned lane, unsigned reg,
                                uint64_t value, struct wt_error *err)
{
    enum wt_status status = vortex_repay(p, err);
    if (status)
        return status;
    p->saved.valid = false;
    dm_begin(p);
    dm_select_lane(p, wave, lane);
    dm_inject_constant(p, reg, value);
    return dm_run(p, err);
}

/* A double on RV32 that is not a boxed single is passed through memory. */
static enum wt_status write_wide_fpr(struct wt_probe *p, uint32_t wave, unsigned lane, unsigned reg,
                                     uint64_t value, struct wt_error *err)
{
    enum wt_status status = passage_find(p, wave, lane, err);
    if (status)
        return status;
    if (!p->scratch)
        return wt_fail(err, WT_UNSUPPORTED,
                       "a 64-bit value of f%u can be set only through local memory, and this "
                       "device has none (CSR 0xfc3 reads 0)",
                       reg);
    struct dm_passage pass;
    if ((status = passage_open(p, &pass, wave, lane, err)))
        return status;
    dm_begin(p);
    dm_select_lane(p, wave, lane);
    dm_inject_constant(p, X_T0, p->scratch);
    for (int i = 0; i < 2; i++) {
        dm_inject_constant(p, X_T1, value >> (32 * i) & 0xffffffff);
        dm_inject(p, rv_s(0x23, 2, X_T0, X_T1, 4 * i));
    }
    dm_inject(p, rv_i(0x07, reg, 3, X_T0, 0));
    passage_add_close(p, &pass);
    return passage_close(p, &pass, err);
}

/* RV64: a write of DPC keeps the upper half of the PC. An injected jump sets all of it (and DPC
 * then names its low half; see vortex_whole_pc). */
static enum wt_status write_far_pc(struct wt_probe *p, uint32_t wave, unsigned lane, uint64_t value,
                                   struct wt_error *err)
{
    struct dm_loan loan;
    enum wt_status status;
    if ((status = loan_borrow_one(p, &loan, wave, lane, false, err)) != WT_OK)
        return status;
    loan_begin(p, &loan);
    dm_inject_constant(p, X_T0, value & ~(uint64_t)1);
    dm_inject(p, rv_i(0x67, 0, 0, X_T0, 0));
    if ((status = loan_run(p, &loan, err)) != WT_OK)
        return status;
    vortex_remember_far(p, value);
    return WT_OK;
}

static enum wt_status write_value(struct wt_probe *p, uint32_t wave, unsigned lane, unsigned index,
                                  uint64_t value, struct wt_error *err)
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
    case CODE_SCRATCH:
        dm_begin(p);
        dm_select_lane(p, wave, lane);
        dm_put(p, DM_DSCRATCH0, (uint32_t)value);
        return dm_run(p, err);
    case CODE_PC:
        value &= p->link->gpu_count ? ~WT_VORTEX_GPU_BITS : UINT64_MAX;
        if (value >> 32 || p->far_code || p->fars)
            return write_far_pc(p, wave, lane, value, err);
        dm_begin(p);
        dm_select(p, wave / 32, wave, 0);
        dm_put(p, DM_DPC, (uint32_t)value);
        return dm_run(p, err);
    }
    bool fpr = CODE_CLASS(r->code) == CODE_FPR;
    bool mask = r->code == (CODE_CSR | CSR_ACTIVE_THREADS);
    if (mask && (value == 0 || (p->topology.lanes < 64 && value >> p->topology.lanes)))
        return wt_fail(err, WT_INVALID,
                       value ? "%s has a bit for each of %u threads, and no more"
                             : "%s must have a bit set: a warp without active threads has ended",
                       r->name, p->topology.lanes);
    if (fpr && r->bits == 64 && p->xlen == 32 && value >> 32 != 0xffffffff)
        return write_wide_fpr(p, wave, lane, number, value, err);
    struct dm_loan loan;
    enum wt_status status = loan_borrow_one(p, &loan, wave, lane, false, err);
    if (status)
        return status;
    loan_begin(p, &loan);
    dm_inject_constant(p, X_T0, p->xlen == 32 ? (uint32_t)value : value);
    if (fpr)
        dm_inject(p, rv_fmv_f(r->bits == 64 && p->xlen == 64, number, X_T0));
    else if (mask)
        dm_inject(p, rv_tmc(X_T0));
    else
        dm_inject(p, rv_csrw(number, X_T0));
    return loan_run(p, &loan, err);
}

enum wt_status vortex_write_row(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned index,
                                const uint8_t *row, struct wt_error *err)
{
    const struct wt_register *r = &p->registers[index];
    const size_t size = wt_register_size(r);
    assert(lanes && !(lanes & ~wt_lanes_first(p->topology.lanes)));
    if (r->scope != WT_SCOPE_LANE)
        lanes &= -lanes; /* through the lowest of them */
    enum wt_status status = WT_OK;
    for (; lanes && !status; lanes &= lanes - 1, row += size)
        status = write_value(p, wave, wt_lanes_lowest(lanes), index, wt_load_le(row, size), err);
    return status;
}

#define SLOT_BITS 15
static_assert(WT_MAX_WAVES <= 1 << SLOT_BITS, "an id has room for every slot");

wt_wave_id vortex_wave_id(struct wt_probe *p, wt_wave_handle wave)
{
    const struct wt_target_services *services = p->target->services;
    if (services->wave_id)
        return services->wave_id(p->target->context, wave);
    if (p->incarnation[wave] == 0)
        return WT_NO_WAVE;
    return (uint64_t)p->epoch << 48 | (uint64_t)p->incarnation[wave] << SLOT_BITS | wave;
}

enum wt_status vortex_mask(struct wt_probe *p, uint32_t wave, wt_lanes *mask, struct wt_error *err)
{
    const struct wt_target *target = p->target;
    unsigned lanes = p->topology.lanes;
    if (target->services->wave_detail && (p->port || lanes > p->xlen)) {
        struct wt_wave_detail detail;
        target->services->wave_detail(target->context, wave, vortex_wave_id(p, wave), &detail);
        *mask = detail.view.mask & wt_lanes_first(lanes);
        return WT_OK;
    }
    unsigned index = 0;
    while (p->registers[index].code != (CODE_CSR | CSR_ACTIVE_THREADS))
        index++;
    uint64_t value[2] = {0};
    bool ask_two = p->mask_csr == MASK_UNKNOWN && lanes > 1;
    enum wt_status status = WT_OK;
    if (p->mask_csr != MASK_OF_INJECTION)
        status = read_values(p, wave, ask_two ? 3 : 1, &index, 1, value, err);
    if (status)
        return status;
    /* A device may report the mask of the injection itself, one lane, in place of the warp's. */
    if (ask_two)
        p->mask_csr = value[0] == 1 && value[1] == 2 ? MASK_OF_INJECTION : MASK_OF_WARP;
    if (p->mask_csr == MASK_OF_INJECTION) {
        *mask = wt_lanes_first(lanes);
        return WT_OK;
    }
    *mask = value[0];
    /* Lanes beyond the register's bits cannot be read: they are taken as enabled. */
    if (lanes > p->xlen)
        *mask |= wt_lanes_first(lanes) & ~wt_lanes_first(p->xlen);
    *mask &= wt_lanes_first(lanes);
    return WT_OK;
}

/* ---- what the device is ---- */

enum wt_status vortex_discover_xlen(struct wt_probe *p, uint32_t wave, struct wt_error *err)
{
    /*
     * Shifts by less than 32 are legal in both widths. The low half of t0 is read first, then two
     * shifts bring the upper half down (0 on RV32). So the whole of t0 is known before its width
     * is. The shifts of t0 are done one at a time since they cannot be repeated.
     */
    bool brisk = p->brisk;
    p->brisk = false;
    size_t cursor = 0;
    dm_begin(p);
    dm_select(p, wave / 32, wave, 0);
    dm_fetch(p, X_T0);
    dm_inject(p, rv_srli(X_T0, X_T0, 31));
    dm_inject(p, rv_srli(X_T0, X_T0, 1));
    dm_fetch(p, X_T0);
    dm_inject(p, rv_addi(X_T0, 0, -1));
    dm_inject(p, rv_srli(X_T0, X_T0, 31));
    dm_inject(p, rv_srli(X_T0, X_T0, 1));
    dm_fetch(p, X_T0);
    enum wt_status status = dm_run(p, err);
    if (!status) {
        uint64_t t0 = dm_next_value(p, &cursor);
        t0 |= (uint64_t)dm_next_value(p, &cursor) << 32;
        uint32_t ones = dm_next_value(p, &cursor);
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
