/*
 * The reason and the address of a warp's halt: HACAUSE of DCTRL, and DPC after an ebreak and above
 * 4 GiB.
 */
#include "debug/vortex/loan.h"

#include "base/bits.h"

static enum wt_status read_code(struct wt_probe *p, uint32_t wave, uint64_t addr, size_t size,
                                uint8_t *bytes)
{
    return vortex_read_memory(p, wave, 0, wt_address_of(addr), bytes, size, WT_IGNORED);
}

static bool is_ebreak(const uint8_t *bytes)
{
    return wt_load_le(bytes, 4) == EBREAK;
}

static bool is_c_ebreak(const uint8_t *bytes)
{
    return wt_load_le(bytes, 2) == C_EBREAK;
}

enum wt_halt_cause vortex_cause_of(const struct wt_probe *p, uint32_t wave, uint32_t dctrl)
{
    if (wt_wave_set_has(&p->overtaken, wave))
        return WT_HALT_BREAKPOINT;
    switch (DCTRL_HACAUSE(dctrl)) {
    case 1:
        return WT_HALT_BREAKPOINT;
    case 2:
        return WT_HALT_REQUEST;
    case 3:
        return WT_HALT_STEP;
    case 4:
        return WT_HALT_RESET;
    default:
        return WT_HALT_NONE;
    }
}

void vortex_remember_far(struct wt_probe *p, uint64_t addr)
{
    size_t count = sizeof p->far / sizeof p->far[0];
    bool known = addr >> 32 == 0;
    for (size_t i = 0; i < count; i++)
        known |= p->far[i] == addr;
    if (!known)
        p->far[p->fars++ % count] = addr;
}

/*
 * The full program counter for a DPC, which on RV64 has the low half. Mostly code lies below 4 GiB.
 * But a debugger that calls a function makes it return to a breakpoint on the stack, which is above
 * 4 GiB. So a DPC at, or right behind, the low half of such a breakpoint's address is taken to mean
 * that breakpoint. Where code lies above 4 GiB, upper halves are read (vortex_upper_pcs).
 */
uint64_t vortex_whole_pc(const struct wt_probe *p, uint32_t dpc)
{
    for (size_t i = 0; i < sizeof p->far / sizeof p->far[0]; i++)
        if (p->far[i] && dpc - (uint32_t)p->far[i] <= 4)
            return p->far[i] + (dpc - (uint32_t)p->far[i]);
    return dpc;
}

/* The whole PC through the target's port, like memory. */
static bool port_pc(struct wt_probe *p, uint32_t wave, uint64_t *pc)
{
    enum { NUMBER = 32, BYTES = 8 };
    const struct wt_target_services *services = p->target->services;
    uint8_t bytes[BYTES];
    if (!p->port || !services->read_row ||
        !services->read_row(p->target->context, wave, NUMBER, false, BYTES, bytes))
        return false;
    *pc = wt_load_le(bytes, BYTES);
    return true;
}

/* The upper halves of up to WT_MAX_LANES warps' PCs: auipc, injected into their first lanes. */
static enum wt_status inject_upper(struct wt_probe *p, const uint32_t *wave, unsigned count,
                                   uint32_t *upper, struct wt_error *err)
{
    enum { AUIPC = 0x17 };
    struct dm_loan loan;
    const struct dm_places places = dm_first_lanes(wave, count);
    size_t cursor = 0;
    enum wt_status status = loan_borrow(p, &loan, &places, false, err);
    if (status)
        return status;
    loan_begin(p, &loan);
    dm_inject_at(p, &places, X_T0 << 7 | AUIPC);
    dm_inject_at(p, &places, rv_srli(X_T0, X_T0, 32));
    dm_fetch_at(p, &places, X_T0);
    if ((status = loan_run(p, &loan, err)) != WT_OK)
        return status;
    for (unsigned i = 0; i < count; i++)
        upper[i] = dm_next_value(p, &cursor);
    return WT_OK;
}

enum wt_status vortex_upper_pcs(struct wt_probe *p, const uint32_t *wave, size_t count,
                                uint64_t *pc, size_t step, struct wt_error *err)
{
    uint32_t upper[WT_MAX_LANES];
    enum wt_status status = WT_OK;
    if (p->xlen != 64 || !p->far_code)
        return WT_OK;
    for (size_t done = 0, part; done < count && !status; done += part) {
        uint64_t whole;
        uint64_t *at = (uint64_t *)((char *)pc + done * step);
        if (port_pc(p, wave[done], &whole)) {
            *at = (whole & ~(uint64_t)UINT32_MAX) | (uint32_t)*at;
            part = 1;
            continue;
        }
        part = count - done < WT_MAX_LANES ? count - done : WT_MAX_LANES;
        if ((status = inject_upper(p, wave + done, (unsigned)part, upper, err)) != WT_OK)
            return status;
        for (size_t i = 0; i < part; i++, at = (uint64_t *)((char *)at + step))
            *at = (uint64_t)upper[i] << 32 | (uint32_t)*at;
    }
    return status;
}

enum wt_status vortex_find_code(struct wt_probe *p, uint32_t wave, struct wt_error *err)
{
    uint64_t pc = 0;
    const bool known = p->far_code;
    p->far_code = true;
    const enum wt_status status = vortex_upper_pcs(p, &wave, 1, &pc, sizeof pc, err);
    p->far_code = known || (!status && pc >> 32);
    return status;
}

/*
 * An ebreak is at DPC and another one before it, so that memory does not tell which of them caused
 * the halt. Stepping the one at DPC only halts again, and shows what DPC is then.
 */
static enum wt_status try_ebreak(struct wt_probe *p, uint32_t wave, uint64_t pc,
                                 struct wt_error *err)
{
    wt_wave_set_remove(&p->overtaken, wave); /* the device sets the cause after this */
    dm_begin(p);
    dm_select(p, wave / 32, wave, 0);
    dm_request(p, DCTRL_STEPREQ);
    for (int i = 0; i < 32; i++)
        dm_get(p, DM_DCTRL);
    size_t dctrl = dm_get(p, DM_DCTRL), dpc = dm_get(p, DM_DPC);
    enum wt_status status = dm_run(p, err);
    if (status || dm_got(p, dctrl) & DCTRL_STEPSTATE ||
        vortex_cause_of(p, wave, dm_got(p, dctrl)) != WT_HALT_BREAKPOINT)
        return status;
    p->ebreak_dpc = dm_got(p, dpc) == (uint32_t)pc ? EBREAK_DPC_AT : EBREAK_DPC_AFTER;
    return wt_bus_write(p->bus, DM_DPC, (uint32_t)pc, err);
}

/*
 * The specification does not say whether DPC of an EBREAK halt is the address of the ebreak or of
 * the next instruction. Debuggers expect the former. The device's behaviour is learned at its first
 * ebreak whose surroundings are unambiguous; if it is the latter, DPC is moved back.
 */
enum wt_status vortex_settle_dpc(struct wt_probe *p, uint32_t wave, uint64_t *pc,
                                 struct wt_error *err)
{
    bool went = wt_wave_set_has(&p->went, wave), found = wt_wave_set_has(&p->found, wave);
    if (p->ebreak_dpc == EBREAK_DPC_AT || (!went && !found) || wt_wave_set_has(&p->examined, wave))
        return WT_OK;
    enum wt_status status;
    uint8_t code[8] = {0}, *before = code, *at = code + 4;
    bool have_before = *pc >= 4, have_at = true;
    if (!have_before || read_code(p, wave, *pc - 4, 8, code)) {
        have_before = have_before && !read_code(p, wave, *pc - 4, 4, before);
        have_at = !read_code(p, wave, *pc, 2, at) && !read_code(p, wave, *pc, 4, at);
    }
    bool is_at = have_at && (is_ebreak(at) || is_c_ebreak(at));
    unsigned back = 0;
    if (have_before && is_ebreak(before))
        back = 4;
    else if (have_before && is_c_ebreak(before + 2))
        back = 2;
    /*
     * A debugger that halted the warp earlier may already have corrected DPC. So a DPC at an ebreak
     * tells nothing about the device. A DPC behind an ebreak has not been corrected.
     */
    if (p->ebreak_dpc == EBREAK_DPC_UNKNOWN && (went || !is_at)) {
        if (is_at && !back)
            p->ebreak_dpc = EBREAK_DPC_AT;
        else if (back && !is_at)
            p->ebreak_dpc = EBREAK_DPC_AFTER;
        else if (back && (status = try_ebreak(p, wave, *pc, err)))
            return status;
    }
    if (found && is_at)
        return WT_OK;
    if (p->ebreak_dpc != EBREAK_DPC_AFTER || !back)
        return WT_OK;
    *pc -= back;
    dm_begin(p);
    dm_select(p, wave / 32, wave, 0);
    dm_put(p, DM_DPC, (uint32_t)*pc);
    return dm_run(p, err);
}

enum wt_status vortex_halt_cause(struct wt_probe *p, uint32_t wave, enum wt_halt_cause *cause,
                                 uint64_t *pc, struct wt_error *err)
{
    dm_begin(p);
    dm_select(p, wave / 32, wave, 0);
    size_t dctrl = dm_get(p, DM_DCTRL), dpc = dm_get(p, DM_DPC);
    enum wt_status status = dm_run(p, err);
    if (status)
        return status;
    *cause = vortex_cause_of(p, wave, dm_got(p, dctrl));
    *pc = vortex_whole_pc(p, dm_got(p, dpc));
    if ((status = vortex_upper_pcs(p, &wave, 1, pc, sizeof *pc, err)) != WT_OK)
        return status;
    if (*cause == WT_HALT_BREAKPOINT)
        status = vortex_settle_dpc(p, wave, pc, err);
    if (!status)
        wt_wave_set_add(&p->examined, wave);
    return status;
}
