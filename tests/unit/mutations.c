/* Every way in which a Debug Module is wrong in one point, as a table. See mutant.h. */
#include "mutant.h"

#include "base/bits.h"
#include "emulator/machine/machine.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* DCTRL's bits. */
#define DMACTIVE (1u << 31)
#define NDMRESET (1u << 30)
#define INJECTREQ (1u << 6)
#define STEPREQ (1u << 3)
#define RESETHALTREQ (1u << 2)
#define RESUMEREQ (1u << 1)
#define HALTREQ (1u << 0)
#define HACAUSE (7u << 9)
#define INJECTSTATE (3u << 7)
#define STEPSTATE (3u << 4)

static uint32_t good_read(struct mutant *m, unsigned addr)
{
    return vx_dm_read(m->device, addr);
}

static void good_write(struct mutant *m, unsigned addr, uint32_t value)
{
    vx_dm_write(m->device, addr, value);
}

/* ---- what mutations are made of ---- */

/* Does something with another DSELECT than the client's. */
static uint32_t dselect_begin(struct mutant *m, uint32_t clear)
{
    const uint32_t old = good_read(m, VX_DM_DSELECT);
    good_write(m, VX_DM_DSELECT, old & ~clear);
    return old;
}

static void dselect_end(struct mutant *m, uint32_t old)
{
    good_write(m, VX_DM_DSELECT, old);
}

#define WINSEL 0xffc00000u
#define WARPSEL 0x003fff80u
#define THREADSEL 0x0000007fu

static unsigned warp_count(struct mutant *m)
{
    return vx_machine(m->device)->waves;
}

static unsigned window_count(struct mutant *m)
{
    return (warp_count(m) + 31) / 32;
}

/* A request as if WMASK were masks[] (NULL: all ones) in each window. */
static void request_for(struct mutant *m, uint32_t dctrl, const uint32_t *masks)
{
    uint32_t saved[1024];
    const uint32_t select = good_read(m, VX_DM_DSELECT);
    for (unsigned i = 0; i < window_count(m); i++) {
        good_write(m, VX_DM_DSELECT, i << 22);
        saved[i] = good_read(m, VX_DM_WMASK);
        good_write(m, VX_DM_WMASK, masks ? masks[i] : 0xffffffff);
    }
    good_write(m, VX_DM_DSELECT, select);
    good_write(m, VX_DM_DCTRL, dctrl);
    for (unsigned i = 0; i < window_count(m); i++) {
        good_write(m, VX_DM_DSELECT, i << 22);
        good_write(m, VX_DM_WMASK, saved[i]);
    }
    good_write(m, VX_DM_DSELECT, select);
}

static void request_for_selected(struct mutant *m, uint32_t bits)
{
    uint32_t masks[1024] = {0};
    const uint32_t warp = wt_field(good_read(m, VX_DM_DSELECT), 21, 7);
    masks[warp / 32] = 1u << warp % 32;
    request_for(m, DMACTIVE | bits, masks);
}

/* ---- registers that are writable, or are not there ---- */

static uint32_t shadow_read(struct mutant *m, unsigned addr)
{
    return addr < 16 && m->shadowed[addr] ? m->shadow[addr] : good_read(m, addr);
}

static void shadow_write(struct mutant *m, unsigned addr, uint32_t value, unsigned which)
{
    if (addr == which) {
        m->shadowed[addr] = true;
        m->shadow[addr] = value;
    }
    good_write(m, addr, value);
}

static void writable_platform(struct mutant *m, unsigned addr, uint32_t value)
{
    shadow_write(m, addr, value, VX_DM_PLATFORM);
}

static void writable_wactive(struct mutant *m, unsigned addr, uint32_t value)
{
    shadow_write(m, addr, value, VX_DM_WACTIVE);
}

static void writable_wstatus(struct mutant *m, unsigned addr, uint32_t value)
{
    shadow_write(m, addr, value, VX_DM_WSTATUS);
}

static void remember_dconfig(struct mutant *m, unsigned addr, uint32_t value)
{
    shadow_write(m, addr, value, VX_DM_DCONFIG);
}

static uint32_t stores_reserved_dconfig(struct mutant *m, unsigned addr)
{
    return good_read(m, addr) | (addr == VX_DM_DCONFIG ? m->shadow[addr] & 0x03fffffe : 0);
}

/* DCONFIG holds what is written, but the device has another mind. */
static void forced_dconfig(struct mutant *m, unsigned addr, uint32_t value, uint32_t clear,
                           uint32_t set)
{
    if (addr == VX_DM_DCONFIG) {
        m->shadowed[addr] = true;
        m->shadow[addr] = value & 0xfc000001;
        value = (value & ~clear) | set;
    }
    good_write(m, addr, value);
}

static void nrc_is_4(struct mutant *m, unsigned addr, uint32_t value)
{
    forced_dconfig(m, addr, value, 7u << 29, 4u << 29);
}

static void rhc_is_7(struct mutant *m, unsigned addr, uint32_t value)
{
    forced_dconfig(m, addr, value, 0, 7u << 26);
}

static void eh_is_off(struct mutant *m, unsigned addr, uint32_t value)
{
    forced_dconfig(m, addr, value, 1, 0);
}

static void eh_is_on(struct mutant *m, unsigned addr, uint32_t value)
{
    forced_dconfig(m, addr, value, 0, 1);
}

/* ---- selecting is broken ---- */

static bool is_window(unsigned addr)
{
    return addr >= VX_DM_WMASK && addr <= VX_DM_WSTATUS;
}

static uint32_t read_selected(struct mutant *m, unsigned addr, bool wrong, uint32_t clear)
{
    if (!wrong)
        return good_read(m, addr);
    const uint32_t old = dselect_begin(m, clear);
    const uint32_t value = good_read(m, addr);
    dselect_end(m, old);
    return value;
}

static void write_selected(struct mutant *m, unsigned addr, uint32_t value, bool wrong,
                           uint32_t clear)
{
    const uint32_t old = wrong ? dselect_begin(m, clear) : 0;
    good_write(m, addr, value);
    if (wrong)
        dselect_end(m, old);
}

static uint32_t one_window_r(struct mutant *m, unsigned addr)
{
    return read_selected(m, addr, is_window(addr), WINSEL);
}

static void one_window_w(struct mutant *m, unsigned addr, uint32_t value)
{
    write_selected(m, addr, value, is_window(addr), WINSEL);
}

static uint32_t wstatus_window_0(struct mutant *m, unsigned addr)
{
    return read_selected(m, addr, addr == VX_DM_WSTATUS, WINSEL);
}

static uint32_t hacause_of_0(struct mutant *m, unsigned addr)
{
    return read_selected(m, addr, addr == VX_DM_DCTRL, WARPSEL);
}

static uint32_t dpc_of_0_r(struct mutant *m, unsigned addr)
{
    return read_selected(m, addr, addr == VX_DM_DPC, WARPSEL);
}

static void dpc_of_0_w(struct mutant *m, unsigned addr, uint32_t value)
{
    write_selected(m, addr, value, addr == VX_DM_DPC, WARPSEL);
}

static bool is_scratch(unsigned addr)
{
    return addr >= VX_DM_DSCRATCH0 && addr <= VX_DM_DSCRATCH3;
}

static uint32_t scratch_of_thread_0_r(struct mutant *m, unsigned addr)
{
    return read_selected(m, addr, is_scratch(addr), THREADSEL);
}

static void scratch_of_thread_0_w(struct mutant *m, unsigned addr, uint32_t value)
{
    write_selected(m, addr, value, is_scratch(addr), THREADSEL);
}

static uint32_t scratch_of_warp_0_r(struct mutant *m, unsigned addr)
{
    return read_selected(m, addr, is_scratch(addr), WARPSEL);
}

static void scratch_of_warp_0_w(struct mutant *m, unsigned addr, uint32_t value)
{
    write_selected(m, addr, value, is_scratch(addr), WARPSEL);
}

static bool asks(unsigned addr, uint32_t value, uint32_t bits)
{
    return addr == VX_DM_DCTRL && value & DMACTIVE && value & bits;
}

static void injects_thread_0(struct mutant *m, unsigned addr, uint32_t value)
{
    write_selected(m, addr, value, asks(addr, value, INJECTREQ), THREADSEL);
}

static void injects_warp_0(struct mutant *m, unsigned addr, uint32_t value)
{
    write_selected(m, addr, value, asks(addr, value, INJECTREQ), WARPSEL);
}

static void steps_warp_0(struct mutant *m, unsigned addr, uint32_t value)
{
    write_selected(m, addr, value, asks(addr, value, STEPREQ), WARPSEL);
}

/* ---- requests are broken ---- */

static void wmask_halts(struct mutant *m, unsigned addr, uint32_t value)
{
    good_write(m, addr, value);
    if (addr == VX_DM_WMASK && good_read(m, VX_DM_DCTRL) & DMACTIVE)
        good_write(m, VX_DM_DCTRL, DMACTIVE | HALTREQ);
}

/* The request means all warps (or none, or the selected window's alone). */
static void halts_all(struct mutant *m, unsigned addr, uint32_t value)
{
    if (asks(addr, value, HALTREQ))
        request_for(m, value, NULL);
    else
        good_write(m, addr, value);
}

static void resumes_all(struct mutant *m, unsigned addr, uint32_t value)
{
    if (asks(addr, value, RESUMEREQ))
        request_for(m, value, NULL);
    else
        good_write(m, addr, value);
}

static void reset_halts_all(struct mutant *m, unsigned addr, uint32_t value)
{
    if (asks(addr, value, RESETHALTREQ) && value & NDMRESET)
        request_for(m, value, NULL);
    else
        good_write(m, addr, value);
}

static void request_in_one_window(struct mutant *m, unsigned addr, uint32_t value, uint32_t bit)
{
    if (!asks(addr, value, bit)) {
        good_write(m, addr, value);
        return;
    }
    uint32_t masks[1024] = {0};
    masks[wt_field(good_read(m, VX_DM_DSELECT), 31, 22) % 1024] = good_read(m, VX_DM_WMASK);
    request_for(m, value, masks);
}

static void halts_one_window(struct mutant *m, unsigned addr, uint32_t value)
{
    request_in_one_window(m, addr, value, HALTREQ);
}

static void resumes_one_window(struct mutant *m, unsigned addr, uint32_t value)
{
    request_in_one_window(m, addr, value, RESUMEREQ);
}

static void drop(struct mutant *m, unsigned addr, uint32_t value, uint32_t bits)
{
    good_write(m, addr, addr == VX_DM_DCTRL ? value & ~bits : value);
}

static void no_haltreq(struct mutant *m, unsigned addr, uint32_t value)
{
    drop(m, addr, value, HALTREQ);
}

static void no_resumereq(struct mutant *m, unsigned addr, uint32_t value)
{
    drop(m, addr, value, RESUMEREQ);
}

static void no_stepreq(struct mutant *m, unsigned addr, uint32_t value)
{
    drop(m, addr, value, STEPREQ);
}

static void no_injectreq(struct mutant *m, unsigned addr, uint32_t value)
{
    drop(m, addr, value, INJECTREQ);
}

static void no_resethaltreq(struct mutant *m, unsigned addr, uint32_t value)
{
    drop(m, addr, value, value & NDMRESET ? RESETHALTREQ : 0);
}

static void no_latch(struct mutant *m, unsigned addr, uint32_t value)
{
    drop(m, addr, value, value & NDMRESET ? 0 : RESETHALTREQ);
}

static void sticky_resethaltreq(struct mutant *m, unsigned addr, uint32_t value)
{
    m->count |= asks(addr, value, RESETHALTREQ);
    good_write(m, addr, asks(addr, value, NDMRESET) && m->count ? value | RESETHALTREQ : value);
}

static void step_jumps_not(struct mutant *m, unsigned addr, uint32_t value)
{
    const uint32_t pc = good_read(m, VX_DM_DPC);
    good_write(m, addr, value);
    if (asks(addr, value, STEPREQ))
        good_write(m, VX_DM_DPC, pc + 4);
}

static void steps_twice(struct mutant *m, unsigned addr, uint32_t value)
{
    good_write(m, addr, value);
    if (asks(addr, value, STEPREQ))
        good_write(m, addr, value);
}

static void steps_all(struct mutant *m, unsigned addr, uint32_t value)
{
    good_write(m, addr, value);
    if (!asks(addr, value, STEPREQ))
        return;
    const uint32_t select = good_read(m, VX_DM_DSELECT);
    for (uint32_t w = 0; w < warp_count(m); w++) {
        if (w == wt_field(select, 21, 7))
            continue;
        good_write(m, VX_DM_DSELECT, w / 32 << 22 | w << 7);
        if (good_read(m, VX_DM_WACTIVE) >> (w % 32) & 1)
            good_write(m, addr, value);
    }
    good_write(m, VX_DM_DSELECT, select);
}

static void step_resumes(struct mutant *m, unsigned addr, uint32_t value)
{
    good_write(m, addr, value);
    if (asks(addr, value, STEPREQ))
        request_for_selected(m, RESUMEREQ);
}

static void injects_at_once(struct mutant *m, unsigned addr, uint32_t value)
{
    good_write(m, addr, value);
    if (addr == VX_DM_INJECT)
        good_write(m, VX_DM_DCTRL, DMACTIVE | INJECTREQ);
}

static void injects_twice(struct mutant *m, unsigned addr, uint32_t value)
{
    good_write(m, addr, value);
    if (asks(addr, value, INJECTREQ))
        good_write(m, addr, value);
}

static void inject_moves_pc(struct mutant *m, unsigned addr, uint32_t value)
{
    good_write(m, addr, value);
    if (asks(addr, value, INJECTREQ))
        good_write(m, VX_DM_DPC, good_read(m, VX_DM_DPC) + 4);
}

static void inject_resumes(struct mutant *m, unsigned addr, uint32_t value)
{
    good_write(m, addr, value);
    if (asks(addr, value, INJECTREQ))
        request_for_selected(m, RESUMEREQ);
}

static void inject_is_used_up(struct mutant *m, unsigned addr, uint32_t value)
{
    good_write(m, addr, value);
    if (asks(addr, value, INJECTREQ))
        good_write(m, VX_DM_INJECT, 0);
}

static void inject_stores_not(struct mutant *m, unsigned addr, uint32_t value)
{
    if (!asks(addr, value, INJECTREQ) || (good_read(m, VX_DM_INJECT) & 0x7f) != 0x23)
        good_write(m, addr, value);
}

/* A warp that haltreq halted crawls on. */
static uint32_t dpc_creeps(struct mutant *m, unsigned addr)
{
    return good_read(m, addr) + (addr == VX_DM_DPC && m->count ? 4 * m->count++ : 0);
}

static void creeps_after_haltreq(struct mutant *m, unsigned addr, uint32_t value)
{
    if (asks(addr, value, HALTREQ))
        m->count = 1;
    else if (asks(addr, value, RESUMEREQ | NDMRESET) || addr == VX_DM_DPC)
        m->count = 0;
    good_write(m, addr, value);
}

/* ---- dmactive and ndmreset are broken ---- */

/* A register keeps its value while the module sleeps. */
static void sleeps_with(struct mutant *m, unsigned addr, uint32_t value, unsigned kept)
{
    if (addr == VX_DM_DCTRL && !(value & DMACTIVE) && good_read(m, addr) & DMACTIVE) {
        m->shadow[0] = good_read(m, VX_DM_DSELECT);
        m->shadow[1] = good_read(m, kept);
        m->shadowed[1] = true;
    }
    good_write(m, addr, value);
    if (addr == VX_DM_DCTRL && value & DMACTIVE && m->shadowed[1]) {
        const bool selected = kept == VX_DM_WMASK || kept >= VX_DM_DSCRATCH0;
        m->shadowed[1] = false;
        if (selected)
            good_write(m, VX_DM_DSELECT, m->shadow[0]);
        good_write(m, kept, m->shadow[1]);
        if (selected)
            good_write(m, VX_DM_DSELECT, 0);
    }
}

static void keeps_dconfig(struct mutant *m, unsigned addr, uint32_t value)
{
    sleeps_with(m, addr, value, VX_DM_DCONFIG);
}

static void keeps_dselect(struct mutant *m, unsigned addr, uint32_t value)
{
    sleeps_with(m, addr, value, VX_DM_DSELECT);
}

static void keeps_wmask(struct mutant *m, unsigned addr, uint32_t value)
{
    sleeps_with(m, addr, value, VX_DM_WMASK);
}

static void keeps_inject(struct mutant *m, unsigned addr, uint32_t value)
{
    sleeps_with(m, addr, value, VX_DM_INJECT);
}

static void keeps_dscratch0(struct mutant *m, unsigned addr, uint32_t value)
{
    sleeps_with(m, addr, value, VX_DM_DSCRATCH0);
}

static void keeps_dscratch3(struct mutant *m, unsigned addr, uint32_t value)
{
    sleeps_with(m, addr, value, VX_DM_DSCRATCH0 + 3);
}

/* Of all threads but thread 0. */
static void keeps_other_dscratch(struct mutant *m, unsigned addr, uint32_t value)
{
    if (good_read(m, VX_DM_DSELECT) & 0x7f || m->shadowed[1])
        sleeps_with(m, addr, value, VX_DM_DSCRATCH0);
    else
        good_write(m, addr, value);
}

static void awake_when_asleep(struct mutant *m, unsigned addr, uint32_t value)
{
    const bool asleep = !(good_read(m, VX_DM_DCTRL) & DMACTIVE);
    if (addr == VX_DM_INJECT && asleep) {
        m->shadowed[1] = true;
        m->shadow[1] = value;
    }
    good_write(m, addr, value);
    if (addr == VX_DM_DCTRL && value & DMACTIVE && m->shadowed[1]) {
        m->shadowed[1] = false;
        good_write(m, VX_DM_INJECT, m->shadow[1]);
    }
}

static void reset_keeps_pc(struct mutant *m, unsigned addr, uint32_t value)
{
    const uint32_t pc = good_read(m, VX_DM_DPC);
    good_write(m, addr, value);
    if (asks(addr, value, NDMRESET))
        good_write(m, VX_DM_DPC, pc);
}

static void counts_resets(struct mutant *m, unsigned addr, uint32_t value)
{
    m->count += asks(addr, value, NDMRESET);
    good_write(m, addr, value);
}

static uint32_t reset_leaves_warp_1(struct mutant *m, unsigned addr)
{
    return good_read(m, addr) | (addr == VX_DM_WACTIVE && m->count > 1 ? 2 : 0);
}

static void reset_halts(struct mutant *m, unsigned addr, uint32_t value)
{
    good_write(m, addr, value);
    if (asks(addr, value, NDMRESET))
        good_write(m, addr, DMACTIVE | HALTREQ);
}

static void reset_clears(struct mutant *m, unsigned addr, uint32_t value, unsigned reg)
{
    good_write(m, addr, value);
    if (asks(addr, value, NDMRESET))
        good_write(m, reg, 0);
}

static void reset_clears_dselect(struct mutant *m, unsigned addr, uint32_t value)
{
    reset_clears(m, addr, value, VX_DM_DSELECT);
}

static void reset_clears_dconfig(struct mutant *m, unsigned addr, uint32_t value)
{
    reset_clears(m, addr, value, VX_DM_DCONFIG);
}

static void reset_clears_inject(struct mutant *m, unsigned addr, uint32_t value)
{
    reset_clears(m, addr, value, VX_DM_INJECT);
}

static void reset_clears_wmask(struct mutant *m, unsigned addr, uint32_t value)
{
    reset_clears(m, addr, value, VX_DM_WMASK);
}

static void pending_at_reset(struct mutant *m, unsigned addr, uint32_t value)
{
    if (asks(addr, value, NDMRESET))
        m->count = good_read(m, VX_DM_DCTRL) & STEPSTATE;
    good_write(m, addr, value);
}

static uint32_t step_survives_reset(struct mutant *m, unsigned addr)
{
    return good_read(m, addr) | (addr == VX_DM_DCTRL ? m->count : 0);
}

/* ---- DCTRL's bits are broken ---- */

static void last_dctrl(struct mutant *m, unsigned addr, uint32_t value)
{
    if (addr < 16)
        m->shadow[addr] = value;
    good_write(m, addr, value);
}

static uint32_t requests_stick(struct mutant *m, unsigned addr)
{
    return good_read(m, addr) | (addr == VX_DM_DCTRL ? m->shadow[addr] & 0x4b : 0);
}

static uint32_t reserved_sticks(struct mutant *m, unsigned addr)
{
    return good_read(m, addr) | (addr == VX_DM_DCTRL ? m->shadow[addr] & 0x00fff000 : 0);
}

static uint32_t hacause_is_writable(struct mutant *m, unsigned addr)
{
    const uint32_t value = good_read(m, addr);
    return addr == VX_DM_DCTRL && m->shadow[addr] & HACAUSE
               ? (value & ~HACAUSE) | (m->shadow[addr] & HACAUSE)
               : value;
}

static uint32_t hacause_is_2(struct mutant *m, unsigned addr)
{
    const uint32_t value = good_read(m, addr);
    return addr == VX_DM_DCTRL ? (value & ~HACAUSE) | 2u << 9 : value;
}

/* REQ and INFLIGHT are mistaken for each other. */
static uint32_t states_swapped(struct mutant *m, unsigned addr)
{
    const uint32_t value = good_read(m, addr);
    if (addr != VX_DM_DCTRL)
        return value;
    return (value & ~(INJECTSTATE | STEPSTATE)) | (value & 1u << 8) >> 1 | (value & 1u << 7) << 1 |
           (value & 1u << 5) >> 1 | (value & 1u << 4) << 1;
}

/* ---- the map, DPC, DSCRATCH ---- */

static uint32_t aliased_r(struct mutant *m, unsigned addr)
{
    return good_read(m, addr & 0xf);
}

static void aliased_w(struct mutant *m, unsigned addr, uint32_t value)
{
    good_write(m, addr & 0xf, value);
}

/* DPC shows what was written, and the warp goes on where it was. */
static void dpc_in_vain(struct mutant *m, unsigned addr, uint32_t value)
{
    if (addr == VX_DM_DPC) {
        m->shadowed[addr] = true;
        m->shadow[addr] = value;
        return;
    }
    if (asks(addr, value, RESUMEREQ | STEPREQ | NDMRESET) || addr == VX_DM_DSELECT)
        m->shadowed[VX_DM_DPC] = false;
    good_write(m, addr, value);
}

static uint32_t dpc_beyond_ebreak(struct mutant *m, unsigned addr)
{
    const uint32_t value = good_read(m, addr);
    return addr == VX_DM_DPC && wt_field(good_read(m, VX_DM_DCTRL), 11, 9) == 1 ? value + 8 : value;
}

static uint32_t one_scratch_r(struct mutant *m, unsigned addr)
{
    return good_read(m, is_scratch(addr) ? VX_DM_DSCRATCH0 : addr);
}

static void one_scratch_w(struct mutant *m, unsigned addr, uint32_t value)
{
    good_write(m, is_scratch(addr) ? VX_DM_DSCRATCH0 : addr, value);
}

/* The debugger's side and the thread's side of DSCRATCH0 are two registers. */
static void scratch_apart(struct mutant *m, unsigned addr, uint32_t value)
{
    if (addr == VX_DM_DSCRATCH0) {
        m->shadowed[addr] = true;
        m->shadow[addr] = value;
    } else {
        good_write(m, addr, value);
    }
}

/* The debugger's writes reach the thread, but what it reads is what it wrote. */
static void scratch_one_way(struct mutant *m, unsigned addr, uint32_t value)
{
    shadow_write(m, addr, value, VX_DM_DSCRATCH0);
}

/* The debugger's writes get lost; what the thread writes arrives. */
static void scratch_other_way(struct mutant *m, unsigned addr, uint32_t value)
{
    if (addr != VX_DM_DSCRATCH0)
        good_write(m, addr, value);
}

/* ---- the table ---- */

#define WIDE "cores=40,warps=4"
#define CLOCKED "dm-clock=1"

const struct mutation mutations[] = {
    {"PLATFORM can be written",
     {"platform.read-only"},
     .read = shadow_read,
     .write = writable_platform},
    {"PLATFORM.platformid is 3", {"platform.id"}, .reg = VX_DM_PLATFORM, .ones = 2u << 28},
    {"PLATFORM.numclusters is 0",
     {"platform.counts", "platform.numcores"},
     .reg = VX_DM_PLATFORM,
     .zeros = 0x7fu << 21},
    {"PLATFORM tells too many warps",
     {"platform.counts"},
     .reg = VX_DM_PLATFORM,
     .ones = 0x1ffu << 12 | 0x1ffu << 3},
    {"PLATFORM.numthreads is 0", {"platform.numthreads"}, .reg = VX_DM_PLATFORM, .zeros = 7},
    {"PLATFORM.numwarps is one more",
     {"platform.numwarps"},
     .reg = VX_DM_PLATFORM,
     .ones = 1u << 3},
    {"PLATFORM.numcores is wrong", {"platform.numcores"}, .reg = VX_DM_PLATFORM, .ones = 2u << 12},
    {"DCONFIG.NRC bit 30 takes no writes",
     {"dconfig.ndmresetcyc"},
     .reg = VX_DM_DCONFIG,
     .ignored = 1u << 30},
    {"DCONFIG.RHC reads 0", {"dconfig.resethaltreqcyc"}, .reg = VX_DM_DCONFIG, .zeros = 7u << 26},
    {"DCONFIG.EH takes no writes",
     {"dconfig.ebreakh", "dconfig.ebreakh-on"},
     .reg = VX_DM_DCONFIG,
     .ignored = 1},
    {"DCONFIG.EH takes NRC along", {"dconfig.ebreakh"}, .reg = VX_DM_DCONFIG, .zeros = 1u << 31},
    {"DCONFIG's reserved bits are kept",
     {"dconfig.reserved"},
     .read = stores_reserved_dconfig,
     .write = remember_dconfig},
    {"ndmreset lasts 16 cycles always",
     {"dconfig.ndmreset-length"},
     CLOCKED,
     .read = shadow_read,
     .write = nrc_is_4},
    {"resethaltreq lasts 128 cycles always",
     {"dconfig.resethaltreq-length"},
     CLOCKED,
     .read = shadow_read,
     .write = rhc_is_7},
    {"ebreaks never halt", {"dconfig.ebreakh-on"}, .read = shadow_read, .write = eh_is_off},
    {"ebreaks always halt", {"dconfig.ebreakh-off"}, .read = shadow_read, .write = eh_is_on},
    {"DSELECT.winsel bit 23 takes no writes",
     {"dselect.winsel"},
     WIDE,
     .reg = VX_DM_DSELECT,
     .ignored = 1u << 23},
    {"DSELECT.warpsel bit 8 takes no writes",
     {"dselect.warpsel"},
     .reg = VX_DM_DSELECT,
     .ignored = 1u << 8},
    {"DSELECT.threadsel bit 1 reads 0", {"dselect.threadsel"}, .reg = VX_DM_DSELECT, .zeros = 2},
    {"DSELECT.threadsel writes warpsel, too",
     {"dselect.threadsel"},
     .reg = VX_DM_DSELECT,
     .ones = 1u << 7},
    {"WMASK bit 2 takes no writes", {"wmask.holds"}, .reg = VX_DM_WMASK, .ignored = 4},
    {"WMASK bit 0 reads 1", {"wmask.holds"}, .reg = VX_DM_WMASK, .ones = 1},
    {"there is one window",
     {"wmask.windows", "wstatus.windows"},
     WIDE,
     .read = one_window_r,
     .write = one_window_w},
    {"to select is to halt", {"wmask.inert"}, .write = wmask_halts},
    {"WACTIVE can be written",
     {"wactive.read-only"},
     .read = shadow_read,
     .write = writable_wactive},
    {"WACTIVE bit 1 reads 1", {"wactive.csr"}, .reg = VX_DM_WACTIVE, .ones = 2},
    {"WACTIVE reads 0", {"wactive.csr"}, .reg = VX_DM_WACTIVE, .zeros = 0xffffffff},
    {"WACTIVE bit 0 reads 1", {"wactive.exit"}, .reg = VX_DM_WACTIVE, .ones = 1},
    {"WACTIVE bit 1 reads 0", {"wactive.spawn"}, .reg = VX_DM_WACTIVE, .zeros = 2},
    {"WACTIVE bit 31 reads 1", {"wactive.beyond"}, .reg = VX_DM_WACTIVE, .ones = 1u << 31},
    {"WSTATUS can be written",
     {"wstatus.read-only"},
     .read = shadow_read,
     .write = writable_wstatus},
    {"WSTATUS bit 0 reads 1",
     {"wstatus.halted", "resumereq.runs"},
     .reg = VX_DM_WSTATUS,
     .ones = 1},
    {"WSTATUS bit 0 reads 0", {"wstatus.halted"}, .reg = VX_DM_WSTATUS, .zeros = 1},
    {"WSTATUS bit 30 reads 1", {"wstatus.beyond"}, .reg = VX_DM_WSTATUS, .ones = 1u << 30},
    {"WSTATUS shows window 0 always", {"wstatus.windows"}, WIDE, .read = wstatus_window_0},
    {"haltreq means winsel's window", {"haltreq.all-windows"}, WIDE, .write = halts_one_window},
    {"resumereq means winsel's window",
     {"resumereq.all-windows"},
     WIDE,
     .write = resumes_one_window},
    {"dmactive reads 1", {"dmactive.holds"}, .reg = VX_DM_DCTRL, .ones = DMACTIVE},
    {"dmactive reads 0", {"dmactive.holds"}, .reg = VX_DM_DCTRL, .zeros = DMACTIVE},
    {"DCONFIG outlives dmactive", {"dmactive.resets-dconfig"}, .write = keeps_dconfig},
    {"DSELECT outlives dmactive", {"dmactive.resets-dselect"}, .write = keeps_dselect},
    {"WMASK outlives dmactive", {"dmactive.resets-wmask"}, .write = keeps_wmask},
    {"INJECT outlives dmactive", {"dmactive.resets-inject"}, .write = keeps_inject},
    {"DSCRATCH0 outlives dmactive", {"dmactive.resets-dscratch"}, .write = keeps_dscratch0},
    {"DSCRATCH3 outlives dmactive", {"dmactive.resets-dscratch"}, .write = keeps_dscratch3},
    {"DSCRATCH0 of thread 1 outlives dmactive",
     {"dmactive.resets-dscratch"},
     .write = keeps_other_dscratch},
    {"a sleeping INJECT takes writes", {"dmactive.keeps-asleep"}, .write = awake_when_asleep},
    {"ndmreset lasts for ever", {"ndmreset.ends"}, .reg = VX_DM_DCTRL, .ones = NDMRESET},
    {"ndmreset leaves the PC", {"ndmreset.pc"}, .write = reset_keeps_pc},
    {"ndmreset leaves a warp active",
     {"ndmreset.active"},
     .read = reset_leaves_warp_1,
     .write = counts_resets},
    {"ndmreset halts", {"ndmreset.unhalts", "resethaltreq.once"}, .write = reset_halts},
    {"ndmreset clears DSELECT", {"ndmreset.keeps-module"}, .write = reset_clears_dselect},
    {"ndmreset clears DCONFIG", {"ndmreset.keeps-module"}, .write = reset_clears_dconfig},
    {"ndmreset clears INJECT", {"ndmreset.keeps-module"}, .write = reset_clears_inject},
    {"ndmreset clears WMASK", {"ndmreset.keeps-module"}, .write = reset_clears_wmask},
    {"allhalted reads 0", {"dctrl.allhalted"}, .reg = VX_DM_DCTRL, .zeros = 1u << 29},
    {"allhalted reads 1", {"dctrl.allhalted"}, .reg = VX_DM_DCTRL, .ones = 1u << 29},
    {"anyhalted reads 0", {"dctrl.anyhalted"}, .reg = VX_DM_DCTRL, .zeros = 1u << 28},
    {"anyhalted reads 1", {"dctrl.anyhalted"}, .reg = VX_DM_DCTRL, .ones = 1u << 28},
    {"allrunning reads 0", {"dctrl.allrunning"}, .reg = VX_DM_DCTRL, .zeros = 1u << 27},
    {"allrunning reads 1", {"dctrl.allrunning"}, .reg = VX_DM_DCTRL, .ones = 1u << 27},
    {"anyrunning reads 0", {"dctrl.anyrunning"}, .reg = VX_DM_DCTRL, .zeros = 1u << 26},
    {"anyrunning reads 1", {"dctrl.anyrunning"}, .reg = VX_DM_DCTRL, .ones = 1u << 26},
    {"allunavail reads 0", {"dctrl.allunavail"}, .reg = VX_DM_DCTRL, .zeros = 1u << 25},
    {"allunavail reads 1", {"dctrl.allunavail"}, .reg = VX_DM_DCTRL, .ones = 1u << 25},
    {"anyunavail reads 0", {"dctrl.anyunavail"}, .reg = VX_DM_DCTRL, .zeros = 1u << 24},
    {"anyunavail reads 1", {"dctrl.anyunavail"}, "warps=1", .reg = VX_DM_DCTRL, .ones = 1u << 24},
    {"DCTRL bit 12 reads 1", {"dctrl.reserved"}, .reg = VX_DM_DCTRL, .ones = 1u << 12},
    {"DCTRL's reserved bits are kept",
     {"dctrl.reserved"},
     .read = reserved_sticks,
     .write = last_dctrl},
    {"hacause can be written",
     {"dctrl.read-only"},
     .read = hacause_is_writable,
     .write = last_dctrl},
    {"requests read 1", {"dctrl.requests-read-0"}, .read = requests_stick, .write = last_dctrl},
    {"registers repeat every 16 words", {"map.ends"}, .read = aliased_r, .write = aliased_w},
    {"haltreq does nothing", {"haltreq.stops"}, .write = no_haltreq},
    {"a halted warp's DPC moves",
     {"haltreq.stops"},
     .read = dpc_creeps,
     .write = creeps_after_haltreq},
    {"haltreq halts all", {"haltreq.only-selected", "haltreq.none-selected"}, .write = halts_all},
    {"resumereq does nothing", {"resumereq.runs", "wstatus.halted"}, .write = no_resumereq},
    {"resumereq resumes all", {"resumereq.only-selected"}, .write = resumes_all},
    {"resethaltreq does nothing", {"resethaltreq.halts"}, .write = no_resethaltreq},
    {"resethaltreq is not latched", {"resethaltreq.latched"}, .write = no_latch},
    {"resethaltreq halts all", {"resethaltreq.only-selected"}, .write = reset_halts_all},
    {"resethaltreq stays", {"resethaltreq.once"}, .write = sticky_resethaltreq},
    {"hacause is HALTREQ always",
     {"hacause.none", "hacause.step", "hacause.ebreak"},
     .read = hacause_is_2},
    {"hacause is NONE always",
     {"hacause.haltreq", "hacause.step", "hacause.ebreak", "hacause.resethaltreq"},
     .reg = VX_DM_DCTRL,
     .zeros = HACAUSE},
    {"hacause is warp 0's", {"hacause.of-selected"}, .read = hacause_of_0},
    {"a step is two", {"stepreq.one"}, .write = steps_twice},
    {"a step does nothing", {"stepreq.one"}, .write = no_stepreq},
    {"a step ends running", {"stepreq.halts"}, .write = step_resumes},
    {"stepstate never ends",
     {"stepreq.halts", "stepstate.order"},
     .reg = VX_DM_DCTRL,
     .ones = 1u << 4},
    {"a step does not jump", {"stepreq.jump"}, .write = step_jumps_not},
    {"a step steps all", {"stepreq.only-selected"}, .write = steps_all},
    {"a step is warp 0's", {"stepreq.only-selected"}, .write = steps_warp_0},
    {"stepstate reads 3", {"stepstate.order"}, .reg = VX_DM_DCTRL, .ones = STEPSTATE},
    {"stepstate reads 0", {"stepstate.pending"}, .reg = VX_DM_DCTRL, .zeros = STEPSTATE},
    {"a pending step survives ndmreset",
     {"ndmreset.ends-step"},
     .read = step_survives_reset,
     .write = pending_at_reset},
    {"INFLIGHT comes before REQ",
     {"stepstate.order", "injectstate.order"},
     CLOCKED,
     .read = states_swapped},
    {"injectstate never ends", {"injectstate.order"}, .reg = VX_DM_DCTRL, .ones = 1u << 7},
    {"DPC bit 31 takes no writes", {"dpc.holds"}, .reg = VX_DM_DPC, .ignored = 1u << 31},
    {"DPC is warp 0's", {"dpc.of-selected"}, .read = dpc_of_0_r, .write = dpc_of_0_w},
    {"DPC only shows what is written",
     {"dpc.runs-there", "dpc.steps-there"},
     .read = shadow_read,
     .write = dpc_in_vain},
    {"DPC is 8 beyond an ebreak", {"dpc.ebreak"}, .read = dpc_beyond_ebreak},
    {"INJECT bit 4 takes no writes", {"inject.holds"}, .reg = VX_DM_INJECT, .ignored = 1u << 4},
    {"an injection clears INJECT", {"inject.stays"}, .write = inject_is_used_up},
    {"injectreq does nothing", {"injectreq.executes"}, .write = no_injectreq},
    {"an injected store does nothing", {"injectreq.memory"}, .write = inject_stores_not},
    {"writing INJECT injects", {"injectreq.when-asked"}, .write = injects_at_once},
    {"an injection is done twice", {"injectreq.once"}, .write = injects_twice},
    {"an injection is in thread 0", {"injectreq.thread"}, .write = injects_thread_0},
    {"an injection is in warp 0", {"injectreq.warp"}, .write = injects_warp_0},
    {"an injection moves the PC", {"injectreq.pc"}, .write = inject_moves_pc},
    {"an injection resumes", {"injectreq.halted"}, .write = inject_resumes},
    {"DSCRATCH0 bit 9 reads 0", {"dscratch0.holds"}, .reg = VX_DM_DSCRATCH0, .zeros = 1u << 9},
    {"DSCRATCH0 reads 0", {"dscratch0.holds"}, .reg = VX_DM_DSCRATCH0, .zeros = 0xffffffff},
    {"DSCRATCH1 bit 1 reads 1", {"dscratch1.holds"}, .reg = VX_DM_DSCRATCH0 + 1, .ones = 2},
    {"DSCRATCH2 bit 31 takes no writes",
     {"dscratch2.holds"},
     .reg = VX_DM_DSCRATCH0 + 2,
     .ignored = 1u << 31},
    {"DSCRATCH3 has 31 bits", {"dscratch3.holds"}, .reg = VX_DM_DSCRATCH3, .zeros = 1u << 31},
    {"DSCRATCH0 to 3 are one",
     {"dscratch.distinct"},
     .read = one_scratch_r,
     .write = one_scratch_w},
    {"DSCRATCH0 is not the thread's CSR",
     {"dscratch.to-thread", "dscratch.from-thread"},
     .read = shadow_read,
     .write = scratch_apart},
    {"DSCRATCH0 gets nothing from the thread",
     {"dscratch.from-thread"},
     .read = shadow_read,
     .write = scratch_one_way},
    {"DSCRATCH0 gives nothing to the thread",
     {"dscratch.to-thread", "dscratch0.holds"},
     .write = scratch_other_way},
    {"DSCRATCH0 is thread 0's",
     {"dscratch.of-thread"},
     .read = scratch_of_thread_0_r,
     .write = scratch_of_thread_0_w},
    {"DSCRATCH0 is warp 0's",
     {"dscratch.of-warp"},
     .read = scratch_of_warp_0_r,
     .write = scratch_of_warp_0_w},
};
const size_t mutation_count = COUNT(mutations);
