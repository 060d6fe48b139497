/* The states in which checks begin: how a device is brought there, and how it is left. See
 * internal.h. */
#include "debug/conformance/internal.h"

/* The program of a warp of the checks: see AT_COUNT and so on. */
static const uint32_t program[PLACED_WORDS] = {
    [AT_COUNT / 4] = 0x00128293,     /* addi t0, t0, 1 */
    [AT_COUNT / 4 + 1] = 0xffdff06f, /* j .-4 */
    [AT_SPAWN / 4] = 0x0073100b,     /* wspawn t1, t2 */
    [AT_SPAWN / 4 + 1] = 0xff5ff06f, /* j .-12 */
    [AT_EBREAK / 4] = 0x00100073,    /* ebreak */
    [AT_AFTER / 4] = 0x00128293,     /* addi t0, t0, 1 */
    [AT_AFTER / 4 + 1] = 0xffdff06f, /* j .-4 */
    [AT_EXIT / 4] = 0x0000000b,      /* tmc x0 */
    [AT_EXIT / 4 + 1] = 0x0000006f,  /* j . */
    [AT_BARRIER / 4] = 0x0073400b,   /* bar t1, t2 */
    [AT_WAIT / 4] = 0x0000006f,      /* j . */
    [AT_JUMP / 4] = 0xfd5ff06f,      /* j .-44 */
    [AT_LINE / 4] = 0x00128293,      /* addi t0, t0, 1 */
    [AT_LINE / 4 + 1] = 0x00128293,
    [AT_LINE / 4 + 2] = 0x00128293,
    [AT_LINE / 4 + 3] = 0xfedff06f, /* j .-20 */
    [AT_DATA / 4] = 0,
};

bool awake(struct conformance *c)
{
    wr(c, DM_DCTRL, DCTRL_DMACTIVE);
    if (!(rd(c, DM_DCTRL) & DCTRL_DMACTIVE))
        return cannot_yet(c, WOULD_TIME,
                          "the module does not wake: DCTRL.dmactive reads 0 after writing 1");
    return !c->broken;
}

bool reset_ends(struct conformance *c)
{
    if (!wait_for(c, DM_DCTRL, DCTRL_NDMRESET, 0))
        return cannot_yet(c, WOULD_TIME, "DCTRL.ndmreset does not return to 0");
    /* resethaltreq stays asserted for some cycles, and this cannot be observed. */
    struct wt_bus_op ops[140];
    size_t cycles = ((size_t)1 << wt_field(rd(c, DM_DCONFIG), 28, 26)) + 4;
    for (size_t i = 0; i < cycles; i++)
        ops[i] = (struct wt_bus_op){.addr = DM_DCTRL};
    accesses(c, ops, cycles);
    return !c->broken;
}

static bool is_halted(struct conformance *c, uint32_t warp)
{
    return warp_bit(c, DM_WSTATUS, warp);
}

/* Which warps are active after a reset; all are halted now. */
static void explore(struct conformance *c)
{
    read_windows(c, DM_WACTIVE, c->active);
    for (uint32_t w = 0; w < c->waves; w++) {
        if (!(c->active[w / 32] >> (w % 32) & 1))
            continue;
        if (!c->has_active) {
            c->has_active = true;
            c->warp = w;
        } else {
            c->has_other = true;
            c->other = w;
            break;
        }
    }
    c->explored = !c->broken;
    select_warp(c, c->warp);
    if (!c->base_known && c->has_active)
        c->base = rd(c, DM_DPC);
    c->base_known |= c->has_active;
}

bool at_reset(struct conformance *c)
{
    if (!awake(c))
        return false;
    wr(c, DM_DCONFIG, c->dconfig);
    wmask_all(c);
    request(c, DCTRL_RESETHALTREQ | DCTRL_NDMRESET);
    if (!reset_ends(c))
        return false;
    /* If resethaltreq does not halt the warp, haltreq may. */
    bool second = c->has_other;
    if (!is_halted(c, c->warp) || (second && !is_halted(c, c->other))) {
        c->wmask_known = false; /* a reset may have changed it, wrongly */
        wmask_all(c);
        request(c, DCTRL_HALTREQ);
        select_warp(c, c->warp);
        const uint32_t bit = (uint32_t)1 << (c->warp % 32);
        if (!wait_for(c, DM_WSTATUS, bit, bit))
            return cannot_yet(c, WOULD_TIME,
                              "warp %u does not halt, neither by resethaltreq nor by haltreq",
                              (unsigned)c->warp);
    }
    if (!c->explored)
        explore(c);
    return !c->broken;
}

/* slli by 31 and 1 loses the bit on RV32 and keeps it on RV64. */
static bool discover_xlen(struct conformance *c)
{
    uint32_t bit;
    select_warp(c, c->warp);
    if (!inject(c, rv_addi(X_T0, 0, 1)) || !inject(c, rv_slli(X_T0, X_T0, 31)) ||
        !inject(c, rv_slli(X_T0, X_T0, 1)) || !inject(c, rv_srli(X_T0, X_T0, 31)) ||
        !inject(c, rv_srli(X_T0, X_T0, 1)) || !get_x(c, c->warp, 0, X_T0, &bit))
        return false;
    c->device.xlen = bit == 1 ? 64 : 32;
    return true;
}

bool injectable(struct conformance *c)
{
    return at_reset(c) && (c->device.xlen || discover_xlen(c));
}

static bool place(struct conformance *c)
{
    for (unsigned i = 0; i < PLACED_WORDS; i++)
        if (!load_word(c, c->base + 4 * i, &c->saved[i]))
            return false;
    c->placed = true; /* from here on there is something to restore */
    for (unsigned i = 0; i < PLACED_WORDS; i++)
        if (!store_word(c, c->base + 4 * i, program[i]))
            return false;
    return true;
}

/* RV64: a write of DPC keeps the upper half of a PC, and the instructions are placed below 4 GiB.
 * Warps that begin above jump down, to the addresses that their DPCs read. */
static bool lower_pcs(struct conformance *c)
{
    enum { AUIPC = 0x17, JALR = 0x67 };
    uint32_t upper;
    if (c->device.xlen != 64 || !c->has_active)
        return true;
    select_warp(c, c->warp);
    if (!inject(c, X_T0 << 7 | AUIPC) || !inject(c, rv_srli(X_T0, X_T0, 32)) ||
        !get_x(c, c->warp, 0, X_T0, &upper))
        return false;
    for (uint32_t w = 0; w < c->waves && upper; w++) {
        if (!(c->active[w / 32] >> (w % 32) & 1))
            continue;
        select_warp(c, w);
        if (!set_x(c, w, 0, X_T0, rd(c, DM_DPC)) || !inject(c, rv_i(JALR, 0, 0, X_T0, 0)))
            return false;
    }
    return true;
}

/* The checks give operands to thread 0, and instructions of the whole warp take those of the last
 * active thread: a warp that begins with more threads than the first (Vortex 3.0) goes on with that
 * one. */
static bool one_thread(struct conformance *c)
{
    uint32_t mask;
    if (!c->has_active || !get_csr(c, c->warp, CSR_ACTIVE_THREADS, &mask))
        return !c->has_active;
    for (uint32_t w = 0; w < c->waves && mask != 1; w++) {
        if (!(c->active[w / 32] >> (w % 32) & 1))
            continue;
        if (!set_x(c, w, 0, X_T0, 1) || !inject(c, rv_tmc(X_T0)))
            return false;
    }
    return true;
}

bool placed(struct conformance *c)
{
    if (!injectable(c) || !lower_pcs(c) || !one_thread(c))
        return false;
    if (!c->has_active)
        return cannot(c, "no warp is active after a reset (WACTIVE is 0): it needs a device that "
                         "starts one");
    if (!c->placed && !place(c))
        return false;
    uint32_t first, last;
    if (!load_word(c, c->base, &first) || !load_word(c, c->base + AT_LINE + 12, &last))
        return false;
    if (first != program[0] || last != program[AT_LINE / 4 + 3])
        return cannot(c,
                      "instructions cannot be placed at 0x%x by injected stores (it reads 0x%x); "
                      "--at names another place",
                      (unsigned)c->base, (unsigned)first);
    return true;
}

void send_all(struct conformance *c, unsigned where)
{
    for (uint32_t w = 0; w < c->waves; w++) {
        if (!(c->active[w / 32] >> (w % 32) & 1))
            continue;
        struct wt_bus_op ops[] = {{true, DM_DSELECT, w / 32 << 22 | w << 7},
                                  {true, DM_DPC, c->base + where}};
        accesses(c, ops, 2);
    }
}

uint32_t last_active(const struct conformance *c)
{
    uint32_t last = c->waves - 1;
    while (last > c->warp && !(c->active[last / 32] >> (last % 32) & 1))
        last--;
    return last;
}

bool counting(struct conformance *c)
{
    if (!placed(c))
        return false;
    send_all(c, AT_COUNT);
    return !c->broken;
}

bool go_to(struct conformance *c, uint32_t warp, unsigned where)
{
    const uint32_t pc = c->base + where;
    select_warp(c, warp);
    wr(c, DM_DPC, pc);
    uint32_t came = rd(c, DM_DPC);
    if (came != pc)
        return cannot(c, "warp %u cannot be sent to 0x%x: DPC reads 0x%x", (unsigned)warp,
                      (unsigned)pc, (unsigned)came);
    return !c->broken;
}

bool halt_warp(struct conformance *c, uint32_t warp)
{
    const uint32_t bit = (uint32_t)1 << (warp % 32);
    wmask_only(c, warp);
    select_warp(c, warp);
    request(c, DCTRL_HALTREQ);
    if (!wait_for(c, DM_WSTATUS, bit, bit))
        return cannot_yet(c, WOULD_TIME, "warp %u does not halt on haltreq", (unsigned)warp);
    return true;
}

void release_warp(struct conformance *c, uint32_t warp)
{
    wmask_only(c, warp);
    select_warp(c, warp);
    request(c, DCTRL_RESUMEREQ);
}

bool resume_warp(struct conformance *c, uint32_t warp)
{
    const uint32_t bit = (uint32_t)1 << (warp % 32);
    release_warp(c, warp);
    if (!wait_for(c, DM_WSTATUS, bit, 0))
        return cannot_yet(c, WOULD_TIME, "warp %u does not resume on resumereq", (unsigned)warp);
    return true;
}

bool run_to_ebreak(struct conformance *c)
{
    const uint32_t bit = (uint32_t)1 << (c->warp % 32);
    if (!placed(c) || !go_to(c, c->warp, AT_EBREAK))
        return false;
    wr(c, DM_DCONFIG, c->dconfig | DCONFIG_EH);
    release_warp(c, c->warp);
    if (!wait_for(c, DM_WSTATUS, bit, bit))
        return cannot_yet(c, WOULD_TIME, "warp %u does not halt at an ebreak with ebreakh=1",
                          (unsigned)c->warp);
    return true;
}

bool step_warp(struct conformance *c, uint32_t warp)
{
    const uint32_t bit = (uint32_t)1 << (warp % 32);
    select_warp(c, warp);
    request(c, DCTRL_STEPREQ);
    if (!wait_for(c, DM_DCTRL, DCTRL_STEPSTATE, 0))
        return cannot_yet(c, WOULD_TIME, "DCTRL.stepstate does not return to NONE after a step");
    if (!wait_for(c, DM_WSTATUS, bit, bit))
        return cannot_yet(c, WOULD_TIME, "warp %u is not halted after a step", (unsigned)warp);
    return true;
}

unsigned hacause(struct conformance *c, uint32_t warp)
{
    select_warp(c, warp);
    return DCTRL_HACAUSE(rd(c, DM_DCTRL));
}

bool two_warps(struct conformance *c, uint32_t *other)
{
    if (!placed(c))
        return false;
    if (c->has_other) {
        *other = c->other;
        return go_to(c, c->warp, AT_COUNT) && go_to(c, c->other, AT_COUNT);
    }
    if (c->device.warps < 2)
        return cannot_yet(c, WOULD_WARPS, "it needs two warps, and the device has one");
    *other = c->warp + 1;
    if (!set_x(c, c->warp, 0, 6 /* t1 */, 2) || !set_x(c, c->warp, 0, 7 /* t2 */, c->base) ||
        !go_to(c, c->warp, AT_SPAWN))
        return false;
    release_warp(c, c->warp);
    const uint32_t bit = (uint32_t)1 << (*other % 32);
    select_warp(c, *other);
    if (!wait_for(c, DM_WACTIVE, bit, bit))
        return cannot_yet(c, WOULD_TIME,
                          "warp %u does not become active when warp %u spawns it (WSPAWN)",
                          (unsigned)*other, (unsigned)c->warp);
    return halt_warp(c, c->warp) && halt_warp(c, *other) && go_to(c, c->warp, AT_COUNT) &&
           go_to(c, *other, AT_COUNT);
}

bool read_counter(struct conformance *c, uint32_t warp, uint32_t *value)
{
    return halt_warp(c, warp) && get_x(c, warp, 0, X_T0, value);
}

void leave(struct conformance *c)
{
    c->decided = true; /* a failure here is not a check's */
    if (c->placed && at_reset(c))
        for (unsigned i = 0; i < PLACED_WORDS; i++)
            store_word(c, c->base + 4 * i, c->saved[i]);
    wr(c, DM_DCTRL, DCTRL_DMACTIVE);
    wr(c, DM_DCONFIG, c->dconfig);
    wmask_all(c);
    request(c, DCTRL_NDMRESET);
    reset_ends(c);
    request(c, DCTRL_RESUMEREQ);
    wmask_none(c);
    dselect(c, 0, 0, 0);
}
