/*
 * The debug hardware of gfx900, and of gfx1030 where it differs, outside its waves, sentence by
 * sentence: the five wave operations in each mode, the driver's errors, address watch, single step,
 * the registers on the bus, how waves start; and that a run disturbed by all of them computes what
 * an undisturbed one does.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gcn_rig.h"
#include "emulator/machine/state.h"

#define HANDLER_AT UINT64_C(0x30000) /* a multiple of 256 */
#define AREA UINT64_C(0x1000000)
#define AREA_SIZE UINT64_C(0x800000)
#define OTHER_VMID 9
#define EXCP_WATCH (1u << 13) /* in rsrc2: MODE[19] */

/* Notes TTMP0, TTMP1 and TRAPSTS in s8, s9, s10, counts in s11, clears TRAPSTS, goes back. */
static const uint32_t noting[] = {
    0xbe88006c,             /* s_mov_b32 s8, ttmp0 */
    0xbe89006d,             /* s_mov_b32 s9, ttmp1 */
    0xb88af803,             /* s_getreg_b32 s10, hwreg(TRAPSTS) */
    0x800b810b,             /* s_add_u32 s11, s11, 1 */
    0xba007003, 0x00000000, /* s_setreg_imm32_b32 hwreg(TRAPSTS, 0, 15), 0 */
    0x866dff6d, 0x0000ffff, /* s_and_b32 ttmp1, ttmp1, 0xffff */
    0xbe801f6c,             /* s_rfe_b64 ttmp[0:1] */
};
enum { NOTING_WORDS = sizeof noting / sizeof noting[0], NOTING_ISSUES = 7 };

/* s11 counts how often it goes round. */
static const uint32_t endless[] = {0x800b810b, 0xbf82fffe}; /* s_add_u32 s11, s11, 1; s_branch -2 */

struct setup {
    const char *config;
    unsigned groups, items;
    const uint32_t *code;
    size_t words;
    const uint32_t *handler; /* NULL: none */
    size_t handler_words;
    uint32_t rsrc2; /* further bits */
};

static void begin(struct rig *r, unsigned vmid)
{
    struct wt_error err;
    uint8_t packet[64];
    unsigned dispatch;
    assert_true(gcn_device_read(r->d, PACKET, packet, sizeof packet));
    const struct gcn_aql_dispatch asked = gcn_aql_dispatch(packet);
    const struct gcn_origin origin = {.vmid = (uint8_t)vmid};
    assert_int_equal(gcn_device_begin(r->d, &asked, PACKET, 0, &origin, &dispatch, &err), WT_OK);
}

/* A device whose memory holds the setup's kernel; nothing runs yet. */
static struct rig prepare(const struct setup *s)
{
    struct rig r;
    struct gcn_config config;
    struct wt_error err;
    uint8_t descriptor[64] = {0}, packet[64] = {0};
    gcn_config_default(&config);
    assert_int_equal(wt_config_parse(&gcn_config_table, &config, s->config, &err), WT_OK);
    assert_int_equal(gcn_device_new(&config, &r.d, &err), WT_OK);
    r.m = gcn_machine(r.d);
    assert_int_equal(gcn_device_map(r.d, BASE, HANDLER_AT + 0x1000 - BASE, true, &err), WT_OK);
    put(r.d, CODE, s->code, 4 * s->words);
    if (s->handler) {
        put(r.d, HANDLER_AT, s->handler, 4 * s->handler_words);
        gcn_device_set_trap_handler(r.d, HANDLER_AT, 0);
    }
    wt_store_le(descriptor + 16, CODE - DESCRIPTOR, 8);
    wt_store_le(descriptor + 48, 3 | 2 << 6, 4);        /* 16 VGPRs, 32 SGPRs */
    wt_store_le(descriptor + 52, 1 << 7 | s->rsrc2, 4); /* s0: the group */
    put(r.d, DESCRIPTOR, descriptor, sizeof descriptor);
    wt_store_le(packet, 2, 2);
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(packet + 4 + 2 * i, i ? 1 : s->items, 2);
        wt_store_le(packet + 12 + 4 * i, i ? 1 : s->groups * s->items, 4);
    }
    wt_store_le(packet + 32, DESCRIPTOR, 8);
    put(r.d, PACKET, packet, sizeof packet);
    return r;
}

static struct rig start(const struct setup *s)
{
    struct rig r = prepare(s);
    begin(&r, GCN_KFD_VMID);
    return r;
}

static uint32_t scalar(struct rig *r, uint32_t wave, unsigned n)
{
    uint32_t value = 0;
    assert_true(gcn_wave_scalar(r->d, wave, n, &value));
    return value;
}

static bool halted(const struct rig *r, uint32_t wave)
{
    return r->d->wave[wave].status & GCN_STATUS_HALT;
}

static uint32_t message_of(const struct gcn_location *at)
{
    return at->sh << 8 | at->wave << 14 | at->simd << 18 | at->cu << 20 | at->se << 24;
}

static int control(struct rig *r, uint32_t op, uint32_t mode, uint32_t trap, uint32_t message)
{
    const struct gcn_wave_control c = {op, mode, trap, message};
    return gcn_driver_wave_control(r->d, GCN_KFD_VMID, &c);
}

/* ---- addressing ---- */

/* 15 compute units in 2 engines of 2 arrays; 5 waves each; beside them one wave of another process
 * a compute unit. */
static const struct setup spread = {"cu=15,se=2,sh=2", 15, 5 * 64, endless, 2, NULL, 0, 0};

static struct rig two_processes(void)
{
    struct rig r = start(&spread);
    uint8_t bytes[4];
    wt_store_le(bytes, 64, 2);
    put(r.d, PACKET + 4, bytes, 2);
    wt_store_le(bytes, 15 * 64, 4);
    put(r.d, PACKET + 12, bytes, 4);
    begin(&r, OTHER_VMID);
    assert_int_equal(r.m->active, 15 * 6);
    return r;
}

/* "HW_ID, GRBM_GFX_INDEX and the message agree" */
static void places_agree(void **state)
{
    struct rig r = two_processes();
    unsigned seen[2][2] = {{0}};
    for (uint32_t i = 0; i < r.m->waves; i++) {
        const struct gcn_location at = gcn_wave_location(r.d, i);
        uint32_t hw_id = 0;
        assert_int_equal(gcn_wave_at(r.d, &at), i);
        assert_true(at.se < 2 && at.sh < 2 && at.cu < 4 && at.simd < 4 && at.wave < 10);
        if (i % GCN_MOST_CU_WAVES == 0)
            seen[at.se][at.sh]++;
        if (!r.d->wave[i].active)
            continue;
        assert_true(gcn_wave_hwreg(r.d, i, 4, &hw_id));
        assert_int_equal(wt_field(hw_id, 3, 0), at.wave);
        assert_int_equal(wt_field(hw_id, 5, 4), at.simd);
        assert_int_equal(wt_field(hw_id, 11, 8), at.cu);
        assert_int_equal(wt_field(hw_id, 12, 12), at.sh);
        assert_int_equal(wt_field(hw_id, 14, 13), at.se);
        assert_int_equal(wt_field(hw_id, 23, 20), gcn_dispatch_of(&r.d->wave[i])->origin.vmid);
        /* the same register through the bus, at the place that GRBM_GFX_INDEX names */
        gcn_debug_write(r.d, GCN_GRBM_GFX_INDEX, at.cu | at.sh << 8 | at.se << 16);
        gcn_debug_write(r.d, GCN_SQ_IND_INDEX, at.wave | at.simd << 4 | 0x14u << 16);
        assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), hw_id);
    }
    assert_true(seen[0][0] == 4 && seen[0][1] == 4 && seen[1][0] == 4 && seen[1][1] == 3);
    const struct gcn_location beyond = {.se = 1, .sh = 1, .cu = 3};
    assert_int_equal(gcn_wave_at(r.d, &beyond), UINT32_MAX);
    rig_free(&r);
}

/* "send command to a single wave": that wave, and no other. */
static void single_mode_means_one_wave(void **state)
{
    struct rig r = two_processes();
    for (uint32_t i = 0; i < r.m->waves; i++) {
        if (!r.d->wave[i].active)
            continue;
        const struct gcn_location at = gcn_wave_location(r.d, i);
        const bool own = gcn_dispatch_of(&r.d->wave[i])->origin.vmid == GCN_KFD_VMID;
        /* reserved bits, user data, privilege and type are ignored */
        const uint32_t rest = GCN_WAVE_MESSAGE_RESERVED | 0xa5 | 1 << 9 | 2u << 26;
        assert_int_equal(
            control(&r, GCN_WAVEOP_HALT, GCN_WAVEMODE_SINGLE, 0, message_of(&at) | rest), 0);
        for (uint32_t k = 0; k < r.m->waves; k++)
            assert_int_equal(halted(&r, k), own && k == i);
        assert_int_equal(control(&r, GCN_WAVEOP_RESUME, GCN_WAVEMODE_SINGLE, 0, message_of(&at)),
                         0);
        assert_false(halted(&r, i));
        assert_int_equal(gcn_debug_read(r.d, GCN_GRBM_GFX_INDEX), 0xe0000000);
    }
    rig_free(&r);
}

/* "send to waves within current process", "... on CU" */
static void broadcasts_mean_the_process(void **state)
{
    struct rig r = two_processes();
    const struct gcn_location at = {.se = 1, .sh = 0, .cu = 2};
    const uint32_t unit = gcn_wave_at(r.d, &at) / GCN_MOST_CU_WAVES;
    for (unsigned mode = GCN_WAVEMODE_BROADCAST_PROCESS; mode <= GCN_WAVEMODE_BROADCAST_PROCESS_CU;
         mode++) {
        unsigned count = 0;
        assert_int_equal(control(&r, GCN_WAVEOP_HALT, mode, 0, message_of(&at)), 0);
        for (uint32_t i = 0; i < r.m->waves; i++) {
            const struct gcn_wave *w = &r.d->wave[i];
            const bool own = w->active && gcn_dispatch_of(w)->origin.vmid == GCN_KFD_VMID;
            const bool here =
                mode == GCN_WAVEMODE_BROADCAST_PROCESS || i / GCN_MOST_CU_WAVES == unit;
            assert_int_equal(w->active && halted(&r, i), own && here);
            count += own && here;
        }
        assert_int_equal(count, mode == GCN_WAVEMODE_BROADCAST_PROCESS ? 75 : 5);
        assert_int_equal(control(&r, GCN_WAVEOP_RESUME, mode, 0, message_of(&at)), 0);
    }
    rig_free(&r);
}

/* "Broadcast to all wavefronts of all processes is not supported for HSA user mode", and the
 * driver's other errors. */
static void the_driver_refuses(void **state)
{
    const uint64_t addr[5] = {DATA, DATA, DATA, DATA, DATA};
    const uint32_t mode[5] = {0};
    const char *const chips[] = {"cu=2", "cu=2,debug=none"};
    for (unsigned chip = 0; chip < 2; chip++) {
        struct setup s = spread;
        s.config = chips[chip];
        struct rig r = start(&s);
        const int well = chip ? -EINVAL : 0;
        uint32_t id = 0, previous;
        assert_int_equal(control(&r, GCN_WAVEOP_HALT, 0, 0, 0), well);
        assert_int_equal(control(&r, GCN_WAVEOP_HALT, 1, 0, 0), -EINVAL);
        assert_int_equal(control(&r, GCN_WAVEOP_HALT, 4, 0, 0), -EINVAL);
        assert_int_equal(control(&r, 0, 0, 0, 0), -EINVAL);
        assert_int_equal(control(&r, 6, 0, 0, 0), -EINVAL);
        assert_int_equal(control(&r, GCN_WAVEOP_TRAP, 0, 7, 0), well);
        assert_int_equal(control(&r, GCN_WAVEOP_TRAP, 0, 8, 0), -EINVAL);
        /* a place without a wave, or that the chip has not, is none */
        assert_int_equal(control(&r, GCN_WAVEOP_KILL, 0, 0, 9u << 14 | 3 << 24), well);
        struct gcn_watch_request w = {1, mode, addr, NULL};
        assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &w), well);
        w.count = 4;
        assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &w), well);
        w.count = 5;
        assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &w), -EINVAL);
        w.count = 0;
        assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &w), -EINVAL);
        w = (struct gcn_watch_request){1, NULL, addr, NULL};
        assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &w), -EINVAL);
        w = (struct gcn_watch_request){1, mode, NULL, NULL};
        assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &w), -EINVAL);
        /* all four are set now */
        assert_int_equal(gcn_driver_set_watch(r.d, GCN_KFD_VMID, DATA, UINT32_MAX, 3, &id),
                         chip ? -EINVAL : -ENOMEM);
        assert_int_equal(gcn_driver_clear_watch(r.d, OTHER_VMID, 2), -EINVAL);
        assert_int_equal(gcn_driver_clear_watch(r.d, GCN_KFD_VMID, 4), -EINVAL);
        assert_int_equal(gcn_driver_clear_watch(r.d, GCN_KFD_VMID, 2), well);
        assert_int_equal(gcn_driver_clear_watch(r.d, GCN_KFD_VMID, 2), -EINVAL);
        assert_int_equal(gcn_driver_set_watch(r.d, GCN_KFD_VMID, DATA, UINT32_MAX, 4, &id),
                         -EINVAL);
        assert_int_equal(gcn_driver_set_watch(r.d, GCN_KFD_VMID, DATA, UINT32_MAX, 3, &id), well);
        assert_int_equal(id, chip ? 0 : 2);
        assert_int_equal(gcn_driver_launch_mode(r.d, GCN_KFD_VMID, 2), -EINVAL);
        assert_int_equal(gcn_driver_launch_mode(r.d, GCN_KFD_VMID, 4), -EINVAL);
        assert_int_equal(gcn_driver_launch_override(r.d, true, 0x200, 0x1ff, &previous), -EINVAL);
        rig_free(&r);
    }
}

/* ---- the five operations ---- */

/* "Halts a wavefront", "Resumes a wavefront" */
static void halt_stops_and_resume_goes_on(void **state)
{
    const struct setup s = {"cu=1", 1, 128, endless, 2, NULL, 0, 0};
    struct rig r = start(&s);
    assert_int_equal(run(&r, 100), WT_RUN_BUDGET);
    const uint32_t before = scalar(&r, 0, 11);
    assert_int_equal(control(&r, GCN_WAVEOP_HALT, GCN_WAVEMODE_SINGLE, 0, 0), 0);
    assert_int_equal(run(&r, 1000), WT_RUN_BUDGET);
    assert_int_equal(scalar(&r, 0, 11), before);
    assert_true(scalar(&r, 1, 11) > 400);
    assert_int_equal(control(&r, GCN_WAVEOP_HALT, GCN_WAVEMODE_BROADCAST_PROCESS, 0, 0), 0);
    /* waves that are all halted are no error */
    assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
    assert_int_equal(control(&r, GCN_WAVEOP_RESUME, GCN_WAVEMODE_BROADCAST_PROCESS, 0, 0), 0);
    assert_int_equal(run(&r, 1000), WT_RUN_BUDGET);
    assert_true(scalar(&r, 0, 11) > before + 200);
    rig_free(&r);
}

/* "Kills a wavefront": it counts as ended at the barrier where others wait, and the next group of
 * the grid has its slot. */
static void kill_ends_a_wave(void **state)
{
    /* Wave 0 goes round for ever, wave 1 waits for it. */
    static const uint32_t waits[] = {
        0xbe8b0080, /* s_mov_b32 s11, 0 */
        0xbf00807f, /* s_cmp_eq_i32 exec_hi, 0: the second wave has 32 lanes */
        0xbf850001, /* s_cbranch_scc1 +1 */
        0xbf82ffff, /* s_branch -1: the first wave stays here */
        0xbf8a0000, /* s_barrier */
        0xbe8b0085, /* s_mov_b32 s11, 5 */
        0xbf82ffff, /* s_branch -1 */
    };
    const struct setup s = {"cu=1", 1, 96, waits, sizeof waits / 4, NULL, 0, 0};
    struct rig r = start(&s);
    assert_int_equal(run(&r, 200), WT_RUN_BUDGET);
    assert_true(r.d->wave[1].at_barrier && !r.d->wave[0].at_barrier);
    const struct gcn_location first = gcn_wave_location(r.d, 0), second = gcn_wave_location(r.d, 1);
    assert_int_equal(control(&r, GCN_WAVEOP_KILL, 0, 0, message_of(&first)), 0);
    assert_true(!r.d->wave[0].active && r.d->wave[1].active && r.m->active == 1);
    assert_int_equal(run(&r, 200), WT_RUN_BUDGET);
    assert_int_equal(scalar(&r, 1, 11), 5);
    assert_int_equal(control(&r, GCN_WAVEOP_KILL, 0, 0, message_of(&second)), 0);
    assert_int_equal(run(&r, 1), WT_RUN_ENDED);
    rig_free(&r);
    /* One that waits at the barrier itself; and all of a full device, whose other groups start. */
    r = start(&s);
    assert_int_equal(run(&r, 200), WT_RUN_BUDGET);
    assert_int_equal(control(&r, GCN_WAVEOP_KILL, 0, 0, message_of(&second)), 0);
    assert_int_equal(r.d->group[0].waiting, 0);
    assert_int_equal(run(&r, 10), WT_RUN_BUDGET);
    rig_free(&r);
    const struct setup many = {"cu=1", 100, 64, endless, 2, NULL, 0, 0};
    r = start(&many);
    assert_int_equal(r.m->active, 40);
    assert_int_equal(run(&r, 5), WT_RUN_BUDGET);
    assert_int_equal(control(&r, GCN_WAVEOP_KILL, 2, 0, 0), 0);
    assert_int_equal(r.m->active, 40);
    for (uint32_t i = 0; i < 40; i++)
        assert_true(scalar(&r, i, 0) >= 40 && scalar(&r, i, 11) == 0);
    assert_int_equal(control(&r, GCN_WAVEOP_KILL, 2, 0, 0), 0);
    assert_int_equal(r.m->active, 20);
    rig_free(&r);
}

/* "Causes wavefront to enter dbg mode": a trap after each instruction, until the handler or the
 * debugger's end clears MODE.DEBUG_EN. PCRewind is 0. */
static void debug_single_steps(void **state)
{
    static const uint32_t code[] = {
        0xbe8b0080,                                     /* s_mov_b32 s11, 0 */
        S_NOP,      S_NOP,      0xbe8c00ff, 0x12345678, /* s_mov_b32 s12, 0x12345678 */
        0xbf820001,                                     /* s_branch +1 */
        0xbf810000, 0xbf8a0000,                         /* s_barrier */
        S_ENDPGM,
    };
    const uint32_t next[] = {8, 12, 20, 28, 32}; /* where each step comes to */
    const struct setup s = {"cu=1", 1, 64, code, sizeof code / 4, noting, NOTING_WORDS, 0};
    struct rig r = start(&s);
    assert_int_equal(run(&r, 1), WT_RUN_BUDGET);
    assert_int_equal(control(&r, GCN_WAVEOP_DEBUG, GCN_WAVEMODE_SINGLE, 0, 0), 0);
    for (unsigned i = 0; i < sizeof next / sizeof next[0]; i++) {
        assert_int_equal(run(&r, 1 + NOTING_ISSUES), WT_RUN_BUDGET);
        assert_int_equal(scalar(&r, 0, 11), i + 1);
        assert_int_equal(scalar(&r, 0, 8), CODE + next[i]);
        assert_int_equal(scalar(&r, 0, 9), 0);  /* no number, no HT, PCRewind 0 */
        assert_int_equal(scalar(&r, 0, 10), 0); /* and no bit of TRAPSTS */
        assert_int_equal(r.d->wave[0].pc, CODE + next[i]);
    }
    assert_int_equal(run(&r, 10), WT_RUN_ENDED); /* not after s_endpgm */
    assert_int_equal(r.m->time, 1 + 5 * (1 + NOTING_ISSUES) + 1);
    rig_free(&r);
    /* the debugger is gone */
    r = start(&s);
    assert_int_equal(run(&r, 1), WT_RUN_BUDGET);
    assert_int_equal(control(&r, GCN_WAVEOP_DEBUG, GCN_WAVEMODE_SINGLE, 0, 0), 0);
    assert_int_equal(run(&r, 1 + NOTING_ISSUES), WT_RUN_BUDGET);
    gcn_driver_debugger_gone(r.d, GCN_KFD_VMID);
    assert_int_equal(run(&r, 4), WT_RUN_BUDGET);
    assert_int_equal(scalar(&r, 0, 11), 1);
    assert_int_equal(r.d->wave[0].pc, CODE + 32);
    rig_free(&r);
    /* without a trap handler there is nothing to step with */
    struct setup none = s;
    none.handler = NULL;
    r = start(&none);
    assert_int_equal(control(&r, GCN_WAVEOP_DEBUG, GCN_WAVEMODE_SINGLE, 0, 0), 0);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    rig_free(&r);
}

/* A step over s_barrier ends when the barrier opens; a host's trap meanwhile lets the wave come to
 * the barrier again. */
static void a_step_waits_at_the_barrier(void **state)
{
    static const uint32_t code[] = {
        0xbe8b0080, /* s_mov_b32 s11, 0 */
        0xbf8a0000, /* s_barrier */
        S_NOP,
        S_ENDPGM,
    };
    const struct setup s = {"cu=1", 1, 128, code, 4, noting, NOTING_WORDS, 0};
    struct rig r = start(&s);
    const struct gcn_wave *w = &r.d->wave[0];
    /* wave 1 is held back, so that wave 0 waits */
    const struct gcn_location other = gcn_wave_location(r.d, 1);
    assert_int_equal(control(&r, GCN_WAVEOP_HALT, 0, 0, message_of(&other)), 0);
    assert_int_equal(run(&r, 1), WT_RUN_BUDGET);
    assert_int_equal(control(&r, GCN_WAVEOP_DEBUG, 0, 0, 0), 0);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_true(w->at_barrier && scalar(&r, 0, 11) == 0);
    assert_int_equal(control(&r, GCN_WAVEOP_TRAP, 0, 3, 0), 0);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(scalar(&r, 0, 8), CODE + 4); /* at the barrier again */
    assert_int_equal(scalar(&r, 0, 9), 3 << 16 | 1 << 24);
    assert_true(w->at_barrier && scalar(&r, 0, 11) == 1);
    assert_int_equal(control(&r, GCN_WAVEOP_RESUME, 0, 0, message_of(&other)), 0);
    while (scalar(&r, 0, 11) < 2)
        assert_int_equal(run(&r, 1), WT_RUN_BUDGET);
    assert_int_equal(scalar(&r, 0, 8), CODE + 8);
    assert_int_equal(scalar(&r, 0, 9), 0);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    rig_free(&r);
}

/* "Causes wavefront to take a trap": HT is set, trapId is TTMP1[23:16], PC the next instruction's;
 * number 0 as well. A wave in its handler takes none. */
static void trap_is_the_hosts(void **state)
{
    const struct setup s = {"cu=1", 1, 64, endless, 2, noting, NOTING_WORDS, 0};
    for (uint32_t id = 0; id < 8; id++) {
        struct rig r = start(&s);
        assert_int_equal(run(&r, 7), WT_RUN_BUDGET);
        const uint32_t pc = (uint32_t)r.d->wave[0].pc;
        r.d->wave[0].vm_cnt = 3;
        r.d->wave[0].lgkm_cnt = 2;
        assert_int_equal(control(&r, GCN_WAVEOP_TRAP, GCN_WAVEMODE_SINGLE, id, 0), 0);
        uint32_t ib_sts = 1, status = 0;
        assert_true(gcn_wave_hwreg(r.d, 0, 7, &ib_sts) && gcn_wave_hwreg(r.d, 0, 2, &status));
        assert_int_equal(ib_sts, 0); /* "Wait for all instructions to complete" */
        assert_true(status & GCN_STATUS_PRIV);
        assert_int_equal(r.d->wave[0].pc, HANDLER_AT); /* "PC = TBA" */
        assert_int_equal(scalar(&r, 0, GCN_TTMP), pc);
        assert_int_equal(scalar(&r, 0, GCN_TTMP + 1), id << 16 | 1 << 24);
        assert_int_equal(control(&r, GCN_WAVEOP_TRAP, GCN_WAVEMODE_SINGLE, 5, 0), 0);
        assert_int_equal(scalar(&r, 0, GCN_TTMP + 1), id << 16 | 1 << 24);
        /* "0 is the hardware's own": taken and told, once */
        const char *notice = gcn_device_take_notice(r.d);
        assert_int_equal(notice != NULL, id == 0);
        assert_true(!notice || strstr(notice, "the host's trap 0 at 0x"));
        assert_null(gcn_device_take_notice(r.d));
        assert_int_equal(run(&r, NOTING_ISSUES), WT_RUN_BUDGET);
        assert_int_equal(r.d->wave[0].pc, pc);
        rig_free(&r);
    }
}

/* s_trap 0 is taken as any other, and told. */
static void trap_zero_of_a_program(void **state)
{
    static const uint32_t code[] = {0xbe8b0080, 0xbf920000, S_ENDPGM};
    const struct setup s = {"cu=1", 1, 64, code, 3, noting, NOTING_WORDS, 0};
    struct rig r = start(&s);
    assert_int_equal(run(&r, 2), WT_RUN_BUDGET);
    assert_int_equal(r.d->wave[0].pc, HANDLER_AT);
    assert_int_equal(scalar(&r, 0, GCN_TTMP), CODE + 4); /* the PC is that of s_trap */
    assert_int_equal(scalar(&r, 0, GCN_TTMP + 1), 0);
    assert_non_null(strstr(gcn_device_take_notice(r.d), "s_trap 0 at 0x12004: trap number 0"));
    rig_free(&r);
}

/* HALT of a wave in its handler counts from s_rfe_b64 on. */
static void halt_in_the_handler_counts_behind_it(void **state)
{
    const struct setup s = {"cu=1", 1, 64, endless, 2, noting, NOTING_WORDS, 0};
    struct rig r = start(&s);
    assert_int_equal(run(&r, 7), WT_RUN_BUDGET);
    assert_int_equal(control(&r, GCN_WAVEOP_TRAP, 0, 1, 0), 0);
    assert_int_equal(run(&r, 2), WT_RUN_BUDGET);
    assert_int_equal(control(&r, GCN_WAVEOP_HALT, 0, 0, 0), 0);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(r.m->time, 7 + NOTING_ISSUES);
    assert_false(r.d->wave[0].status & GCN_STATUS_PRIV);
    rig_free(&r);
}

/* ---- address watch ---- */

/* s[2:3] = DATA; v1 = 4 * lane; a load, a store, an atomic, a scalar load, each after s_nop. */
static const uint32_t accesses[] = {
    0xbe8b0080,             /* 0: s_mov_b32 s11, 0 */
    0xbe8200ff, 0x00014000, /* s_mov_b32 s2, DATA */
    0xbe830080,             /* s_mov_b32 s3, 0 */
    0x24020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc508000, 0x03020001, /* 20: global_load_dword v3, v1, s[2:3] */
    0xdc708400, 0x00020301, /* 28: global_store_dword v1, v3, s[2:3] offset:1024 */
    0xdd088800, 0x00020301, /* 36: global_atomic_add v1, v3, s[2:3] offset:2048 */
    0xc0020101, 0x00000000, /* 44: s_load_dword s4, s[2:3], 0 */
    S_ENDPGM,
};
enum { LOAD_AT = 20, STORE_AT = 28, ATOMIC_AT = 36 };

static const struct setup watched = {
    "cu=1", 1, 64, accesses, sizeof accesses / 4, noting, NOTING_WORDS, EXCP_WATCH};

/* Runs it, and notes how many exceptions there were, and the last one's PC, TTMP1 and TRAPSTS. */
static unsigned traps(struct rig *r, uint32_t *pc, uint32_t *ttmp1, uint32_t *trapsts)
{
    while (r->d->wave[0].active && r->d->wave[0].pc != CODE + 4 * (watched.words - 1))
        assert_int_equal(run(r, 1), WT_RUN_BUDGET);
    *pc = scalar(r, 0, 8);
    *ttmp1 = scalar(r, 0, 9);
    *trapsts = scalar(r, 0, 10);
    return scalar(r, 0, 11);
}

/* Read, write and atomic, atomic, all; each of the four watches reports in its bit; scalar memory
 * does not pass the TCP. */
static void a_watch_has_a_mode(void **state)
{
    static const struct {
        uint32_t mode;
        uint64_t addr;
        unsigned hits, last; /* offset of the instruction */
    } cases[] = {
        {GCN_WATCH_READ, DATA, 1, LOAD_AT},
        {GCN_WATCH_READ, DATA + 1024, 0, 0},
        {GCN_WATCH_READ, DATA + 2048, 0, 0},
        {GCN_WATCH_NONREAD, DATA, 0, 0},
        {GCN_WATCH_NONREAD, DATA + 1024, 1, STORE_AT},
        {GCN_WATCH_NONREAD, DATA + 2048, 1, ATOMIC_AT},
        {GCN_WATCH_ATOMIC, DATA + 1024, 0, 0},
        {GCN_WATCH_ATOMIC, DATA + 2048, 1, ATOMIC_AT},
        {GCN_WATCH_ALL, DATA, 1, LOAD_AT},
        {GCN_WATCH_ALL, DATA + 1024, 1, STORE_AT},
        {GCN_WATCH_ALL, DATA + 2048, 1, ATOMIC_AT},
        {GCN_WATCH_ALL, DATA + 256, 0, 0}, /* behind what the load reads */
    };
    static const uint32_t bits[] = {1 << 7, 1 << 12, 1 << 13, 1 << 14};
    for (unsigned n = 0; n < GCN_WATCHES; n++) {
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            struct rig r = start(&watched);
            uint32_t mode[GCN_WATCHES] = {0}, pc, ttmp1, trapsts;
            uint64_t addr[GCN_WATCHES] = {0};
            put(r.d, DATA, &(uint32_t){12345}, 4);
            mode[n] = cases[i].mode;
            addr[n] = cases[i].addr;
            const struct gcn_watch_request request = {n + 1, mode, addr, NULL};
            assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &request), 0);
            assert_int_equal(traps(&r, &pc, &ttmp1, &trapsts), cases[i].hits);
            if (cases[i].hits) {
                assert_int_equal(pc, CODE + cases[i].last + 8);
                assert_int_equal(ttmp1, 2u << 25); /* PCRewind: PC - 2 * 4 is the access */
                assert_int_equal(trapsts, bits[n]);
                assert_int_equal(wt_load_le(r.d->wave[0].v[3], 4), 12345);
            }
            rig_free(&r);
        }
    }
}

/* "64-byte granularity; the driver writes mask & 0xffffff into the register, bit 0 is address bit
 * 6"; VMID; MODE[19] gates all four; the report names lane and address. */
static void a_watch_has_a_mask_and_a_process(void **state)
{
    static const struct {
        uint64_t addr, mask;
        unsigned hits, lane;
        uint64_t at;
    } cases[] = {
        {DATA + 68, 0xffffff, 1, 16, DATA + 64}, /* the block of 64 bytes: lanes 16 to 31 */
        {DATA + 127, 0xffffff, 1, 16, DATA + 64},
        {DATA + 128, 0xffffff, 1, 32, DATA + 128},
        {DATA + 64, 0xfffffe, 1, 0, DATA},    /* bit 6 does not count: a block of 128 */
        {DATA + 128, 0xfffffd, 1, 0, DATA},   /* bit 7 does not count: lanes 0-15, 32-47 */
        {DATA + 0x200, 0xfffff0, 1, 0, DATA}, /* 1 KiB */
        {DATA + 0x200, 0xffffff, 0, 0, 0},
        {DATA + 64, 0xff00000000fffffe, 1, 0, DATA},      /* higher bits of the mask are dropped */
        {UINT64_C(1) << 30 | DATA, 0, 0, 0, 0},           /* bits above 29 always count */
        {0x3fff0000, 0, 1, 0, DATA},                      /* and nothing else does */
        {UINT64_C(1) << 48 | DATA, 0xffffff, 1, 0, DATA}, /* addresses have 48 bits */
    };
    uint32_t pc, ttmp1, trapsts;
    const uint32_t read = GCN_WATCH_READ;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig r = start(&watched);
        const struct gcn_watch_request request = {1, &read, &cases[i].addr, &cases[i].mask};
        assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &request), 0);
        while (r.d->wave[0].pc != CODE + STORE_AT && r.d->wave[0].pc != HANDLER_AT)
            assert_int_equal(run(&r, 1), WT_RUN_BUDGET);
        const struct wt_fault *fault = gcn_wave_exception(r.d, 0);
        assert_int_equal(fault != NULL, cases[i].hits);
        if (fault) {
            char text[64];
            assert_int_equal(fault->addr, cases[i].at);
            assert_int_equal(__builtin_ctzll(fault->lanes), cases[i].lane);
            assert_int_equal(fault->pc, CODE + LOAD_AT);
            snprintf(text, sizeof text, "load of 4 bytes at 0x%llx by lane %u hits address watch 0",
                     (unsigned long long)cases[i].at, cases[i].lane);
            assert_non_null(strstr(fault->text, text));
        }
        assert_int_equal(traps(&r, &pc, &ttmp1, &trapsts), cases[i].hits);
        rig_free(&r);
    }
    /* lanes 0-15 and 32-47 */
    struct rig r = start(&watched);
    uint64_t addr = DATA + 128, mask = 0xfffffd;
    struct gcn_watch_request request = {1, &read, &addr, &mask};
    assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &request), 0);
    while (r.d->wave[0].pc != HANDLER_AT)
        assert_int_equal(run(&r, 1), WT_RUN_BUDGET);
    assert_true(gcn_wave_exception(r.d, 0)->lanes == 0x0000ffff0000ffff);
    rig_free(&r);
    /* another process's watch */
    r = start(&watched);
    addr = DATA;
    request.mask = NULL;
    assert_int_equal(gcn_driver_address_watch(r.d, OTHER_VMID, &request), 0);
    assert_int_equal(traps(&r, &pc, &ttmp1, &trapsts), 0);
    rig_free(&r);
    /* MODE[19] is clear: the bit is set, nothing traps */
    struct setup s = watched;
    s.rsrc2 = 0;
    r = start(&s);
    assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &request), 0);
    assert_int_equal(traps(&r, &pc, &ttmp1, &trapsts), 0);
    assert_int_equal(r.d->wave[0].trapsts, GCN_TRAPSTS_ADDR_WATCH0);
    rig_free(&r);
    /* no handler: a fault that says so */
    s = watched;
    s.handler = NULL;
    r = start(&s);
    assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &request), 0);
    assert_int_equal(run(&r, 100), WT_RUN_FAULT);
    assert_non_null(strstr(r.m->fault.text, "hits address watch 0, and there is no trap handler"));
    assert_int_equal(r.m->fault.pc, CODE + LOAD_AT);
    rig_free(&r);
}

/* A watch changes nothing but the traps: the same memory in the end, at an issue time that is later
 * by the handler's issues. */
static void a_watch_disturbs_nothing(void **state)
{
    struct rig plain = start(&watched), r = start(&watched);
    const uint32_t mode = GCN_WATCH_ALL;
    const uint64_t addr = DATA, mask = 0;
    const struct gcn_watch_request request = {1, &mode, &addr, &mask};
    assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &request), 0);
    assert_int_equal(run(&plain, 1000), WT_RUN_ENDED);
    assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
    assert_int_equal(r.m->time, plain.m->time + 3 * NOTING_ISSUES);
    uint8_t a[0x1000], b[0x1000];
    assert_true(gcn_device_read(plain.d, DATA, a, sizeof a) &&
                gcn_device_read(r.d, DATA, b, sizeof b));
    assert_memory_equal(a, b, sizeof a);
    rig_free(&plain);
    rig_free(&r);
}

/* ---- registers on the bus ---- */

/* "SQ_IND_INDEX/DATA with auto increment (every indirect register; SGPRs, TTMPs; VGPRs per lane)"
 */
static void indirect_registers(void **state)
{
    const struct setup s = {"cu=2", 2, 64, accesses, sizeof accesses / 4, noting, NOTING_WORDS, 0};
    struct rig r = start(&s);
    assert_int_equal(run(&r, 12), WT_RUN_BUDGET);
    const uint32_t slot = GCN_MOST_CU_WAVES; /* in the second compute unit */
    struct gcn_wave *w = &r.d->wave[slot];
    gcn_debug_write(r.d, GCN_GRBM_GFX_INDEX, 1);
    gcn_debug_write(r.d, GCN_SQ_IND_INDEX, 1 << 12 | 0x200u << 16);
    for (unsigned i = 0; i < GCN_SCALARS; i++) {
        assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_INDEX) >> 16, 0x200 + i);
        assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), w->s[i]);
    }
    for (unsigned lane = 0; lane < 64; lane++) {
        gcn_debug_write(r.d, GCN_SQ_IND_INDEX, lane << 6 | 0x401u << 16);
        assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), w->v[1][lane]);
        assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), w->v[1][lane]);
    }
    for (unsigned i = 0x11; i <= 0x17; i++) {
        uint32_t value = 0;
        gcn_debug_write(r.d, GCN_SQ_IND_INDEX, i << 16);
        assert_true(gcn_wave_hwreg(r.d, slot, i - 0x10, &value));
        assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), value);
    }
    gcn_debug_write(r.d, GCN_SQ_IND_INDEX, 0x18u << 16 | 1 << 12);
    assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), w->pc);
    assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), w->pc >> 32);
    uint8_t code[8];
    assert_true(gcn_device_read(r.d, w->pc, code, 8));
    assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), wt_load_le(code, 4));
    assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), wt_load_le(code + 4, 4));
    /* writes */
    gcn_debug_write(r.d, GCN_SQ_IND_INDEX, 0x205u << 16 | 1 << 12);
    gcn_debug_write(r.d, GCN_SQ_IND_DATA, 0x1111);
    gcn_debug_write(r.d, GCN_SQ_IND_DATA, 0x2222);
    gcn_debug_write(r.d, GCN_SQ_IND_INDEX, 7 << 6 | 0x402u << 16);
    gcn_debug_write(r.d, GCN_SQ_IND_DATA, 0x3333);
    assert_true(w->s[5] == 0x1111 && w->s[6] == 0x2222 && w->v[2][7] == 0x3333 && !w->v[2][6]);
    /* no wave there: STATUS.VALID is clear, the rest has no value; a register that is none; beyond
     * the wave's vector registers */
    gcn_debug_write(r.d, GCN_SQ_IND_INDEX, 5 | 0x12u << 16);
    assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), 0);
    gcn_debug_write(r.d, GCN_SQ_IND_INDEX, 5 | 0x18u << 16);
    assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), 0xbebebeef);
    gcn_debug_write(r.d, GCN_SQ_IND_DATA, 1);
    gcn_debug_write(r.d, GCN_SQ_IND_INDEX, 0x100u << 16);
    assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), 0xbebebeef);
    gcn_debug_write(r.d, GCN_SQ_IND_INDEX, (0x400u + w->vgprs) << 16);
    assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), 0xbebebeef);
    rig_free(&r);
}

/* The host writes STATUS and TRAPSTS: HALT halts, an enabled exception and SAVECTX trap. */
static void the_host_writes_wave_registers(void **state)
{
    struct setup s = {"cu=1", 1, 64, endless, 2, noting, NOTING_WORDS, 1 << 26};
    struct rig r = start(&s);
    assert_int_equal(run(&r, 5), WT_RUN_BUDGET);
    gcn_debug_write(r.d, GCN_SQ_IND_INDEX, 0x12u << 16);
    const uint32_t status = gcn_debug_read(r.d, GCN_SQ_IND_DATA);
    gcn_debug_write(r.d, GCN_SQ_IND_DATA, status | GCN_STATUS_HALT);
    assert_int_equal(run(&r, 5), WT_RUN_HALTED);
    gcn_debug_write(r.d, GCN_SQ_IND_DATA, status);
    assert_int_equal(run(&r, 5), WT_RUN_BUDGET);
    for (unsigned i = 0; i < 3; i++) {
        static const uint32_t bits[] = {1 << 2, GCN_TRAPSTS_SAVECTX, 1 << 3 /* not enabled */};
        const uint32_t count = scalar(&r, 0, 11), pc = (uint32_t)r.d->wave[0].pc;
        gcn_debug_write(r.d, GCN_SQ_IND_INDEX, 0x13u << 16);
        gcn_debug_write(r.d, GCN_SQ_IND_DATA, bits[i]);
        assert_int_equal(r.d->wave[0].pc == HANDLER_AT, i < 2);
        if (i == 2)
            break;
        assert_int_equal(run(&r, NOTING_ISSUES), WT_RUN_BUDGET);
        assert_int_equal(scalar(&r, 0, 11), count + 1);
        assert_int_equal(scalar(&r, 0, 8), pc);
        assert_int_equal(scalar(&r, 0, 9), 0);
        assert_int_equal(scalar(&r, 0, 10), bits[i]);
    }
    rig_free(&r);
}

/* TRAP_EN tells of a trap handler: a wave that has none stays without it, and runs on. */
static void the_host_sets_trap_en_without_a_handler(void **state)
{
    const struct setup s = {"cu=1", 1, 64, endless, 2, NULL, 0, 0};
    struct rig r = start(&s);
    assert_int_equal(run(&r, 5), WT_RUN_BUDGET);
    gcn_debug_write(r.d, GCN_SQ_IND_INDEX, 0x12u << 16);
    const uint32_t status = gcn_debug_read(r.d, GCN_SQ_IND_DATA);
    assert_false(status & GCN_STATUS_TRAP_EN);
    gcn_debug_write(r.d, GCN_SQ_IND_DATA, status | GCN_STATUS_TRAP_EN);
    assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), status);
    assert_int_equal(run(&r, 5), WT_RUN_BUDGET);
    rig_free(&r);
}

/* SQ_CMD by itself: modes that the driver does not use. */
static void commands_on_the_bus(void **state)
{
    const struct setup s = {"cu=2", 2, 64, endless, 2, NULL, 0, 0};
    struct rig r = start(&s);
    r.d->dispatch[0].origin.slot = 3;
    r.d->dispatch[0].origin.pipe = 2;
    const uint32_t broadcast = 1 << 4, queue = 2 << 4, pipe = 3 << 4, me = 4 << 4, halt = 1;
    const struct {
        uint32_t command, cntl;
        bool obeyed;
    } cases[] = {
        {broadcast | halt, 0, true},
        {broadcast | halt | 1 << 7 | 8u << 28, 0, true},
        {broadcast | halt | 1 << 7 | 9u << 28, 0, false},
        {broadcast | halt | 9u << 28, 0, true}, /* VM_ID without CHECK_VMID */
        {queue | halt | 3 << 24, 0, true},
        {queue | halt | 2 << 24, 0, false},
        {pipe | halt, 2 | 1 << 2, true},
        {pipe | halt, 1 | 1 << 2, false},
        {pipe | halt, 2 | 2 << 2, false},
        {me | halt, 1 << 2, true},
        {me | halt, 2 << 2, false},
        {5 << 4 | halt, 1 << 2, false}, /* there is no such mode */
        {broadcast, 0, false},          /* NULL */
        {broadcast | 7, 0, false},      /* there is no such command */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gcn_debug_write(r.d, GCN_GRBM_GFX_CNTL, cases[i].cntl);
        gcn_debug_write(r.d, GCN_SQ_CMD, cases[i].command);
        assert_int_equal(halted(&r, 0), cases[i].obeyed);
        assert_int_equal(halted(&r, GCN_MOST_CU_WAVES), cases[i].obeyed);
        gcn_debug_write(r.d, GCN_SQ_CMD, broadcast | 2);
        assert_false(halted(&r, 0));
    }
    assert_int_equal(gcn_debug_read(r.d, GCN_SQ_CMD), 0);
    gcn_debug_write(r.d, GCN_GRBM_GFX_INDEX, 1); /* the second compute unit */
    gcn_debug_write(r.d, GCN_SQ_CMD, broadcast | halt);
    assert_true(!halted(&r, 0) && halted(&r, GCN_MOST_CU_WAVES));
    assert_int_equal(gcn_debug_read(r.d, GCN_SQ_DEBUG_STS_GLOBAL), 1 | 1 << 4);
    rig_free(&r);
}

/* The table is what the registers are: each of its bus registers keeps what its fields can hold,
 * fields do not overlap, and names are unique. */
static void compare_table(const struct wt_hw_table *t, const char *config)
{
    struct setup s = spread;
    s.groups = 1;
    s.config = config;
    struct rig r = prepare(&s);
    assert_ptr_equal(gcn_register_table_of(gcn_model_of(r.d)), t);
    assert_string_equal(t->index->name, "SQ_IND_INDEX");
    assert_string_equal(t->index_field->name, "INDEX");
    for (size_t i = 0; i < t->count; i++) {
        const struct wt_hw_register *reg = &t->registers[i];
        uint32_t bits = 0;
        assert_ptr_equal(wt_hw_find(t, reg->name, strlen(reg->name)), reg);
        for (size_t k = 0; k < reg->field_count; k++) {
            const struct wt_hw_field *f = &reg->fields[k];
            const uint32_t mask = wt_with_field(0, f->msb, f->lsb, UINT32_MAX);
            assert_true(f->msb >= f->lsb && f->msb < 32 && !(bits & mask) && *f->about);
            bits |= mask;
            assert_ptr_equal(wt_hw_find_field(reg, f->name, strlen(f->name)), f);
        }
        if (reg->memory || reg->indirect || reg->addr == GCN_SQ_CMD ||
            reg->addr == GCN_SQ_IND_DATA || reg->addr == GCN_SQ_DEBUG_STS_GLOBAL)
            continue;
        assert_ptr_equal(wt_hw_at(t, reg->addr), reg);
        gcn_debug_write(r.d, reg->addr, UINT32_MAX);
        if (gcn_debug_read(r.d, reg->addr) != bits)
            fail_msg("%s keeps 0x%x, its fields are 0x%x", reg->name,
                     gcn_debug_read(r.d, reg->addr), bits);
        gcn_debug_write(r.d, reg->addr, 0);
        assert_int_equal(gcn_debug_read(r.d, reg->addr), 0);
    }
    rig_free(&r);
}

static void the_table_is_the_hardware(void **state)
{
    compare_table(&gcn_register_table, spread.config);
    compare_table(&gcn_register_table_gfx10, "model=gfx1030,cu=8");
}

/* ---- gfx10 ---- */

static const struct setup navi = {"model=gfx1030,cu=8,se=2", 16, 3 * 64, endless, 2, NULL, 0, 0};

static uint32_t indirect(struct rig *r, uint32_t index)
{
    gcn_debug_write(r->d, GCN_SQ_IND_INDEX, index);
    return gcn_debug_read(r->d, GCN_SQ_IND_DATA);
}

/* GRBM_GFX_INDEX has the SIMD, SQ_IND_INDEX the wave; HW_ID1 and HW_ID2 tell of the same place. */
static void places_of_gfx10(void **state)
{
    struct rig r = start(&navi);
    for (uint32_t i = 0; i < r.m->waves; i++) {
        const struct gcn_location at = gcn_wave_location(r.d, i);
        const uint32_t simd = at.simd + at.cu % 2 * 2, wgp = at.cu / 2;
        uint32_t slots = 0;
        for (uint32_t k = 0; k < r.m->waves; k++) {
            const struct gcn_location other = gcn_wave_location(r.d, k);
            if (other.se == at.se && other.sh == at.sh && other.cu == at.cu &&
                other.simd == at.simd && r.d->wave[k].active)
                slots |= 1u << other.wave;
        }
        gcn_debug_write(r.d, GCN_GRBM_GFX_INDEX, simd | wgp << 2 | at.sh << 8 | at.se << 16);
        assert_int_equal(indirect(&r, at.wave | 0x0au << 16), slots);
        if (!r.d->wave[i].active) {
            assert_int_equal(indirect(&r, at.wave | 0x102u << 16), 0);
            assert_int_equal(indirect(&r, at.wave | 0x117u << 16), 0xbebebeef);
            continue;
        }
        assert_int_equal(indirect(&r, at.wave | 0x117u << 16),
                         at.wave | simd << 8 | wgp << 10 | at.sh << 16 | at.se << 18);
        const uint32_t id2 = indirect(&r, at.wave | 0x118u << 16);
        assert_true(wt_field(id2, 27, 24) == GCN_KFD_VMID && wt_field(id2, 9, 8) == 1);
    }
    rig_free(&r);
}

/* The driver's commands to one wave, and to a compute unit, which has two SIMDs. */
static void commands_of_gfx10(void **state)
{
    struct rig r = start(&navi);
    for (uint32_t i = 0; i < r.m->waves; i++) {
        const struct gcn_location at = gcn_wave_location(r.d, i);
        if (!r.d->wave[i].active)
            continue;
        for (unsigned mode = GCN_WAVEMODE_SINGLE; mode <= GCN_WAVEMODE_BROADCAST_PROCESS_CU;
             mode += GCN_WAVEMODE_BROADCAST_PROCESS_CU) {
            assert_int_equal(control(&r, GCN_WAVEOP_HALT, mode, 0, message_of(&at)), 0);
            for (uint32_t k = 0; k < r.m->waves; k++)
                assert_int_equal(r.d->wave[k].active && halted(&r, k),
                                 mode == GCN_WAVEMODE_SINGLE
                                     ? k == i
                                     : r.d->wave[k].active &&
                                           k / gcn_cu_waves(r.d) == i / gcn_cu_waves(r.d));
            assert_int_equal(control(&r, GCN_WAVEOP_RESUME, mode, 0, message_of(&at)), 0);
        }
    }
    rig_free(&r);
}

static void indirect_registers_of_gfx10(void **state)
{
    static const unsigned none[] = {0x11, 0x18, 0x100, 0x104, 0x116, 0x11e, 0x1ff};
    for (unsigned lanes = 32; lanes <= 64; lanes *= 2) {
        const struct setup s = {"model=gfx1030,cu=2", 1, lanes, endless, 2, NULL, 0, 0};
        struct rig r = prepare(&s);
        put(r.d, DESCRIPTOR + 57, &(uint8_t){lanes == 32 ? 1 << 2 : 0}, 1);
        begin(&r, GCN_KFD_VMID);
        struct gcn_wave *w = &r.d->wave[0];
        assert_true(w->active && gcn_lanes_of(w) == lanes);
        assert_int_equal(run(&r, 11), WT_RUN_BUDGET);
        gcn_debug_write(r.d, GCN_SQ_IND_INDEX, 1 << 11 | 0x200u << 16);
        for (unsigned i = 0; i < GCN_SCALARS; i++)
            assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), w->s[i]);
        for (unsigned lane = 0; lane < 64; lane++)
            assert_int_equal(indirect(&r, lane << 5 | 0x400u << 16),
                             lane < lanes ? w->v[0][lane] : 0xbebebeef);
        for (unsigned i = 1; i <= 0x1d; i++) {
            uint32_t value = 0;
            if ((i > 7 && i < 20) || i == 22 || i == 4 || i == 26 || i == 27)
                continue;
            assert_true(gcn_wave_hwreg(r.d, 0, i, &value));
            assert_int_equal(indirect(&r, (0x100u + i) << 16), value);
        }
        for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
            assert_int_equal(indirect(&r, none[i] << 16), 0xbebebeef);
        assert_int_equal(indirect(&r, 0x108u << 16 | 1 << 11), w->pc);
        assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), w->pc >> 32);
        assert_int_equal(gcn_debug_read(r.d, GCN_SQ_IND_DATA), endless[(w->pc - CODE) / 4]);
        assert_int_equal(wt_field(indirect(&r, 0x11cu << 16), 11, 11), lanes == 64);
        /* counters of six bits, in three places */
        w->lgkm_cnt = 0x25, w->vm_cnt = 0x39, w->vs_cnt = 0x2a;
        assert_int_equal(indirect(&r, 0x107u << 16),
                         9 | 5 << 8 | 3u << 22 | 1u << 24 | 0x2au << 26);
        w->lgkm_cnt = 0x10, w->vm_cnt = w->vs_cnt = 0;
        assert_int_equal(indirect(&r, 0x107u << 16), 1 << 7);
        w->lgkm_cnt = 0;
        /* MODE has none of gfx9's indexing and skipping, by which vector instructions would change
         */
        indirect(&r, 0x101u << 16);
        gcn_debug_write(r.d, GCN_SQ_IND_DATA, UINT32_MAX);
        assert_int_equal(w->mode, 0x03ffffff);
        rig_free(&r);
    }
}

/* A watch is of 128 bytes, its mask begins at address bit 7. */
static void a_watch_of_gfx10(void **state)
{
    static const uint32_t code[] = {
        0xbe8203ff, 0x00014000, /* s_mov_b32 s2, DATA */
        0xbe830380,             /* s_mov_b32 s3, 0 */
        0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
        0xdc308000, 0x03020001, /* global_load_dword v3, v1, s[2:3] */
        S_ENDPGM,
    };
    static const struct {
        uint64_t addr;
        uint32_t mask; /* of address bits, as the newer ioctl has it */
        bool hit;
    } cases[] = {
        {DATA, UINT32_MAX, true},        {DATA + 64, UINT32_MAX, true}, /* in the block of the one
                                                                           lane's four bytes */
        {DATA + 128, UINT32_MAX, false}, {DATA + 128, ~128u, true},     {DATA + 256, ~128u, false},
    };
    const struct setup s = {"model=gfx1030,cu=2", 1, 1, code, sizeof code / 4, NULL, 0, EXCP_WATCH};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const bool older = i % 2;
        const uint32_t mode = GCN_WATCH_READ, mask = cases[i / 2].mask >> 6;
        const struct gcn_watch_request request = {1, &mode, &cases[i / 2].addr, &(uint64_t){mask}};
        struct rig r = start(&s);
        uint32_t id = 9;
        if (older)
            assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &request), 0);
        else
            assert_int_equal(gcn_driver_set_watch(r.d, GCN_KFD_VMID, cases[i / 2].addr,
                                                  cases[i / 2].mask, mode, &id),
                             0);
        assert_int_equal(gcn_debug_read(r.d, GCN_TCP_WATCH0_CNTL) & 0xffffff,
                         cases[i / 2].mask >> 7 & 0x7fffff);
        assert_int_equal(run(&r, 100), cases[i / 2].hit ? WT_RUN_FAULT : WT_RUN_ENDED);
        assert_true(!cases[i / 2].hit || strstr(r.m->fault.text, "hits address watch 0"));
        rig_free(&r);
    }
}

/* Where the first exception was, of 32 lanes at once. */
static void cycles_of_gfx10(void **state)
{
    static const struct {
        uint32_t code;
        uint64_t exec;
        uint32_t cycle;
    } cases[] = {
        {0x7e045f04, (uint64_t)1 << 37, 1 << 24 | 1 << 20 | 2 << 16 | 4u << 29}, /* v_rcp_f64 */
        {0x7e045f04, (uint64_t)1 << 31, 8 << 20 | 15 << 16 | 4u << 29},
        {0x7e045504, (uint64_t)1 << 37 | (uint64_t)1 << 63, 1 << 24 | 9 << 20}, /* v_rcp_f32 */
        {0x7e045504, (uint64_t)1 << 9 | (uint64_t)1 << 63, 2 << 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t code[] = {0x7e080280 /* v_mov_b32 v4, 0 */, 0x7e0a0280, cases[i].code,
                                 S_ENDPGM};
        const struct setup s = {"model=gfx1030,cu=2", 1, 64, code, 4, NULL, 0, 1 << 26};
        struct rig r = start(&s);
        gcn_set_pair(&r.d->wave[0].s[GCN_EXEC], cases[i].exec);
        assert_int_equal(run(&r, 10), WT_RUN_FAULT);
        assert_int_equal(r.d->wave[0].trapsts, 1 << 2 | cases[i].cycle);
        rig_free(&r);
    }
}

/* The message is in one word, with 23 bits; an error's type is in the upper four of them. */
static void interrupts_of_gfx10(void **state)
{
    static const uint32_t code[] = {
        0xbefc03ff, 0x00d23456, /* s_mov_b32 m0 */
        0xbf900001,             /* s_sendmsg(MSG_INTERRUPT) */
        0xbeff7fff,             /* no instruction */
    };
    const struct setup s = {"model=gfx1030,cu=8,se=2", 12, 64, code, 4, NULL, 0, 0};
    struct rig r = start(&s);
    struct gcn_interrupt in;
    assert_int_equal(run(&r, 1000), WT_RUN_FAULT);
    assert_true(gcn_debug_interrupt_count(r.d) >= 2);
    unsigned errors = 0;
    for (unsigned i = 0; gcn_debug_interrupt(r.d, i, &in); i++) {
        const struct gcn_location at = gcn_wave_location(r.d, in.wave);
        const bool error = wt_field(in.context1, 7, 6) == GCN_INTERRUPT_ERROR;
        errors += error;
        assert_true(error || wt_field(in.context1, 7, 6) == GCN_INTERRUPT_INST);
        assert_int_equal(wt_field(in.context0, 22, 0), error ? 1 << 19 : 0x523456);
        assert_int_equal(wt_field(in.context0, 23, 23), at.sh);
        assert_int_equal(wt_field(in.context0, 29, 25), at.wave);
        assert_int_equal(wt_field(in.context0, 31, 30), at.simd + at.cu % 2 * 2);
        assert_int_equal(wt_field(in.context1, 3, 0), at.cu / 2);
        assert_int_equal(wt_field(in.context1, 5, 4), at.se);
    }
    assert_int_equal(errors, 1);
    rig_free(&r);
}

/* SQ_SHADER_TBA_HI.TRAP_EN */
static void a_handler_of_gfx10(void **state)
{
    const struct setup s = {"model=gfx1030,cu=2", 1, 64, endless, 2, NULL, 0, 0};
    struct rig r = prepare(&s);
    gcn_debug_write(r.d, GCN_SQ_SHADER_TBA_LO_GFX10, HANDLER_AT >> 8);
    gcn_debug_write(r.d, GCN_SQ_SHADER_TBA_LO_GFX10 + 1, 1u << 31);
    gcn_debug_write(r.d, GCN_SQ_SHADER_TBA_LO_GFX10 + 2, 0x1234);
    gcn_debug_write(r.d, GCN_SQ_SHADER_TBA_LO, 0x55); /* none of its registers */
    assert_int_equal(gcn_debug_read(r.d, GCN_SQ_SHADER_TBA_LO_GFX10 + 1), 1u << 31);
    begin(&r, GCN_KFD_VMID);
    assert_true(r.d->wave[0].tba == HANDLER_AT && r.d->wave[0].tma == 0x123400);
    gcn_debug_write(r.d, GCN_SQ_SHADER_TBA_LO_GFX10 + 1, 0);
    begin(&r, GCN_KFD_VMID);
    assert_true(r.d->wave[1].active && !r.d->wave[1].tba);
    rig_free(&r);
}

/* ---- how waves start ---- */

/* SPI_GDBG: stalled, halted, killed, stepping; exceptions beside or instead of the kernel's. */
static void launches(void **state)
{
    const struct setup s = {"cu=1",       3,      64, accesses, sizeof accesses / 4, noting,
                            NOTING_WORDS, 1 << 25};
    for (unsigned by = 0; by < 2; by++) { /* STALL_RA, STALL_VMID */
        struct rig r = prepare(&s);
        gcn_debug_write(r.d, GCN_SPI_GDBG_WAVE_CNTL, by ? 1u << (1 + GCN_KFD_VMID) : 1);
        begin(&r, GCN_KFD_VMID);
        assert_int_equal(r.m->active, 0);
        assert_int_equal(run(&r, 10), WT_RUN_HALTED);
        gcn_debug_write(r.d, GCN_SPI_GDBG_WAVE_CNTL, 1u << (1 + OTHER_VMID));
        assert_int_equal(r.m->active, 3);
        assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
        rig_free(&r);
    }
    struct rig r = prepare(&s);
    assert_int_equal(gcn_driver_launch_mode(r.d, GCN_KFD_VMID, 1), 0);
    begin(&r, GCN_KFD_VMID);
    assert_int_equal(run(&r, 10), WT_RUN_HALTED);
    assert_true(r.m->time == 0 && r.m->active == 3);
    assert_int_equal(gcn_driver_launch_mode(r.d, GCN_KFD_VMID, 0), 0);
    assert_int_equal(control(&r, GCN_WAVEOP_RESUME, 2, 0, 0), 0);
    assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
    rig_free(&r);
    r = prepare(&s); /* KILL is of the hardware, the driver does not use it */
    gcn_debug_write(r.d, GCN_SPI_GDBG_WAVE_CNTL2, 1u << GCN_KFD_VMID | 2 << 16);
    begin(&r, GCN_KFD_VMID);
    assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
    assert_true(r.m->time == 0 && !r.d->dispatch[0].active);
    rig_free(&r);
    r = prepare(&s);
    assert_int_equal(gcn_driver_launch_mode(r.d, GCN_KFD_VMID, 3), 0);
    begin(&r, GCN_KFD_VMID);
    begin(&r, OTHER_VMID);
    assert_true(r.d->wave[0].mode & GCN_MODE_DEBUG_EN);
    assert_false(r.d->wave[3].mode & GCN_MODE_DEBUG_EN);
    assert_int_equal(run(&r, 1 + NOTING_ISSUES), WT_RUN_BUDGET);
    assert_int_equal(scalar(&r, 0, 8), CODE + 4);
    rig_free(&r);
    /* exceptions: the kernel has denormal (bit 1) */
    r = prepare(&s);
    uint32_t previous = 1;
    assert_int_equal(gcn_driver_launch_override(r.d, false, 0x81, 0x1ff, &previous), 0);
    assert_int_equal(previous, 0);
    begin(&r, GCN_KFD_VMID);
    assert_int_equal(wt_field(r.d->wave[0].mode, 20, 12), 0x83);
    assert_int_equal(gcn_driver_launch_override(r.d, true, 0x100, 0x101, &previous), 0);
    assert_int_equal(previous, 0x81);
    begin(&r, GCN_KFD_VMID);
    assert_int_equal(wt_field(r.d->wave[3].mode, 20, 12), 0x180); /* bit 7 was not asked for */
    /* TRAP_CONFIG selects another process */
    gcn_debug_write(r.d, GCN_SPI_GDBG_TRAP_CONFIG, 1 << 15 | 1u << (16 + OTHER_VMID));
    begin(&r, GCN_KFD_VMID);
    assert_int_equal(wt_field(r.d->wave[6].mode, 20, 12), 2);
    begin(&r, OTHER_VMID);
    assert_int_equal(wt_field(r.d->wave[9].mode, 20, 12), 0x180);
    rig_free(&r);
}

/* "A handler set while waves run holds for new waves at once and for running ones from their next
 * context restore" */
static void a_handler_holds_for_new_waves(void **state)
{
    const struct setup s = {"cu=1", 1, 64, endless, 2, noting, NOTING_WORDS, 0};
    struct rig r = start(&s);
    assert_int_equal(run(&r, 2), WT_RUN_BUDGET);
    put(r.d, HANDLER_AT + 0x200, noting, sizeof noting);
    /* by the registers, as the driver's program_trap_handler_settings does */
    gcn_debug_write(r.d, GCN_SQ_SHADER_TBA_LO, (HANDLER_AT + 0x200) >> 8);
    gcn_debug_write(r.d, GCN_SQ_SHADER_TBA_HI, 0);
    begin(&r, GCN_KFD_VMID);
    assert_true(gcn_wave_trap(r.d, 0, 1) && gcn_wave_trap(r.d, 1, 1));
    assert_int_equal(r.d->wave[0].pc, HANDLER_AT);
    assert_int_equal(r.d->wave[1].pc, HANDLER_AT + 0x200);
    uint32_t value = 0;
    assert_true(gcn_wave_hwreg(r.d, 0, 16, &value) && value == HANDLER_AT >> 8);
    assert_true(gcn_wave_hwreg(r.d, 1, 16, &value) && value == (HANDLER_AT + 0x200) >> 8);
    rig_free(&r);
}

/* ---- in the wave ---- */

/* A kernel's own write of SAVECTX traps; one that the handler leaves set is reported. */
static void savectx_must_be_cleared(void **state)
{
    static const uint32_t code[] = {0xbe8b0080, 0xba000283, 0x00000001, S_ENDPGM};
    static const uint32_t careless[] = {0x800b810b, 0xbe801f6c}; /* s_add_u32 s11, s11, 1; s_rfe */
    struct setup s = {"cu=1", 1, 64, code, 4, noting, NOTING_WORDS, 0};
    struct rig r = start(&s);
    assert_int_equal(run(&r, 2 + NOTING_ISSUES), WT_RUN_BUDGET);
    assert_int_equal(scalar(&r, 0, 8), CODE + 12);
    assert_int_equal(scalar(&r, 0, 9), 0);
    assert_int_equal(scalar(&r, 0, 10), GCN_TRAPSTS_SAVECTX);
    assert_int_equal(run(&r, 10), WT_RUN_ENDED);
    rig_free(&r);
    s.handler = careless;
    s.handler_words = 2;
    r = start(&s);
    assert_int_equal(run(&r, 100000), WT_RUN_FAULT);
    assert_non_null(strstr(r.m->fault.text, "1000 times in a row with TRAPSTS.SAVECTX set"));
    assert_int_equal(scalar(&r, 0, 11), 1001);
    rig_free(&r);
}

/* An illegal instruction without a handler: FATAL_HALT, which RESUME does not end; KILL does. */
static void fatal_halt(void **state)
{
    static const uint32_t code[] = {0xbeff7fff};
    const struct setup s = {"cu=1", 1, 64, code, 1, NULL, 0, 0};
    struct rig r = start(&s);
    struct gcn_interrupt word;
    assert_int_equal(run(&r, 10), WT_RUN_FAULT);
    assert_true(r.d->wave[0].status & GCN_STATUS_FATAL_HALT);
    assert_true(r.d->wave[0].trapsts & GCN_TRAPSTS_ILLEGAL);
    wt_machine_clear_fault(r.m);
    assert_int_equal(control(&r, GCN_WAVEOP_RESUME, 2, 0, 0), 0);
    assert_int_equal(run(&r, 10), WT_RUN_HALTED);
    assert_int_equal(control(&r, GCN_WAVEOP_KILL, 2, 0, 0), 0);
    assert_int_equal(run(&r, 10), WT_RUN_ENDED);
    /* the SQ has told the host */
    assert_true(gcn_debug_interrupt(r.d, 0, &word) && gcn_debug_interrupt_count(r.d) == 1);
    assert_int_equal(wt_field(word.context0, 27, 26), GCN_INTERRUPT_ERROR);
    assert_int_equal(word.context1 >> 4, 1); /* ILLEGAL_INST */
    rig_free(&r);
}

/* s_sendmsg: the interrupt word says who sends what; HALT_WAVES halts the process's waves. */
static void messages(void **state)
{
    static const uint32_t code[] = {
        0xbefc00ff, 0x00abcdef, /* s_mov_b32 m0, 0xabcdef */
        0xbf900001,             /* s_sendmsg MSG_INTERRUPT */
        0xbf900006,             /* s_sendmsg MSG_HALT_WAVES */
        S_ENDPGM,
    };
    const struct setup s = {"cu=4,se=2,sh=1", 4, 64, code, 5, NULL, 0, 0};
    struct rig r = start(&s);
    struct gcn_interrupt word;
    assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
    for (uint32_t i = 0; i < r.m->waves; i++)
        assert_true(!r.d->wave[i].active || halted(&r, i));
    assert_true(gcn_debug_interrupt_count(r.d) >= 1);
    for (unsigned i = 0; i < gcn_debug_interrupt_count(r.d); i++) {
        assert_true(gcn_debug_interrupt(r.d, i, &word));
        const struct gcn_location at = {.se = wt_field(word.context0, 25, 24),
                                        .sh = wt_field(word.context0, 12, 12),
                                        .cu = wt_field(word.context0, 23, 20),
                                        .simd = wt_field(word.context0, 19, 18),
                                        .wave = wt_field(word.context0, 17, 14)};
        assert_int_equal(gcn_wave_at(r.d, &at), word.wave);
        assert_int_equal(wt_field(word.context0, 27, 26), GCN_INTERRUPT_INST);
        assert_int_equal((word.context0 & 0xfff) | (word.context0 >> 16 & 0xf000) |
                             word.context1 << 16,
                         0xabcdef);
        assert_int_equal(word.vmid, GCN_KFD_VMID);
    }
    rig_free(&r);
}

/* Doubles: EXCP_CYCLE counts passes, DP_RATE says so. */
static void cycles_of_doubles(void **state)
{
    static const uint32_t code[] = {
        0x7e040280, /* v_mov_b32 v2, 0 */
        0x7e060280, /* v_mov_b32 v3, 0 */
        0x7e084b02, /* v_rcp_f64 v[4:5], v[2:3] */
        S_ENDPGM,
    };
    const struct setup s = {"cu=1", 1, 64, code, 4, noting, NOTING_WORDS, 1 << 26};
    struct rig r = start(&s);
    /* only lane 37 */
    gcn_set_pair(&r.d->wave[0].s[GCN_EXEC], (uint64_t)1 << 37);
    assert_int_equal(run(&r, 3 + NOTING_ISSUES), WT_RUN_BUDGET);
    assert_int_equal(scalar(&r, 0, 9), 1 << 25);
    /* phase 2, then lane 5 of 16: pass 1, lane 1 */
    assert_int_equal(scalar(&r, 0, 10), 1 << 2 | (2 | 1 << 2 | 1 << 4) << 16 | 4u << 29);
    rig_free(&r);
}

/* The registers are a part of what is saved, restored and hashed. */
static void debug_registers_are_state(void **state)
{
    struct rig r = start(&watched);
    const uint32_t mode = GCN_WATCH_ALL;
    const uint64_t addr = DATA;
    const struct gcn_watch_request request = {1, &mode, &addr, NULL};
    const uint64_t before = hash(&r), program = r.m->ops->program_hash(r.m);
    struct wt_state *saved = wt_state_save(r.m);
    uint32_t pc, ttmp1, trapsts;
    assert_int_equal(gcn_driver_address_watch(r.d, GCN_KFD_VMID, &request), 0);
    assert_true(hash(&r) != before && r.m->ops->program_hash(r.m) == program);
    struct wt_state *with = wt_state_save(r.m);
    assert_int_equal(traps(&r, &pc, &ttmp1, &trapsts), 1);
    wt_state_restore(r.m, saved);
    assert_int_equal(hash(&r), before);
    assert_int_equal(traps(&r, &pc, &ttmp1, &trapsts), 0);
    wt_state_restore(r.m, with);
    assert_int_equal(traps(&r, &pc, &ttmp1, &trapsts), 1);
    wt_state_free(saved);
    wt_state_free(with);
    rig_free(&r);
}

/* ---- all of it at random points ---- */

/* Each wave computes a number from its group and lanes with barriers on the way, and stores it. */
static const uint32_t computing[] = {
    0xbe8200ff, 0x00014000, /* s_mov_b32 s2, DATA */
    0xbe830080,             /* s_mov_b32 s3, 0 */
    0x8e048900,             /* s_lshl_b32 s4, s0, 9 */
    0x80020402,             /* s_add_u32 s2, s2, s4: each group has its own part of DATA */
    0x24020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xbe850094,             /* s_mov_b32 s5, 20 */
    0x7e0602ff, 0x00000123, /* v_mov_b32 v3, 0x123 */
    0x68060103,             /* loop: v_add_u32 v3, v3, v0 */
    0xbf8a0000,             /* s_barrier */
    0x68060600,             /* v_add_u32 v3, s0, v3 */
    0xdc708000, 0x00020301, /* global_store_dword v1, v3, s[2:3] */
    0xdc508000, 0x03020001, /* global_load_dword v3, v1, s[2:3] */
    0x80858105,             /* s_sub_u32 s5, s5, 1 */
    0xbf078005,             /* s_cmp_lg_u32 s5, 0 */
    0xbf85fff6,             /* s_cbranch_scc1 loop */
    S_ENDPGM,
};
enum { COMPUTING_WORDS = sizeof computing / sizeof computing[0], COMPUTED_GROUPS = 12 };

/* A handler that leaves SCC as it is. */
static const uint32_t quiet[] = {
    0xbe88006c,             /* s_mov_b32 s8, ttmp0 */
    0xbe89006d,             /* s_mov_b32 s9, ttmp1 */
    0xba007003, 0x00000000, /* s_setreg_imm32_b32 hwreg(TRAPSTS, 0, 15), 0 */
    0xbe801f6c,             /* s_rfe_b64 ttmp[0:1] */
};

static const struct setup computation = {"cu=2,se=2",      COMPUTED_GROUPS, 128,
                                         computing,        COMPUTING_WORDS, quiet,
                                         sizeof quiet / 4, EXCP_WATCH};

/* One operation on a wave, or on all; never one that changes what is computed. */
static void disturb(struct rig *r)
{
    const struct gcn_location at = gcn_wave_location(r->d, (uint32_t)any(r->m->waves));
    const uint32_t modes[] = {GCN_WAVEMODE_SINGLE, GCN_WAVEMODE_BROADCAST_PROCESS,
                              GCN_WAVEMODE_BROADCAST_PROCESS_CU};
    const uint32_t mode = modes[any(3)], message = message_of(&at);
    const uint64_t addr = DATA + any(0x1800), mask = any(2) ? any(1 << 24) : 0xffffff;
    const uint32_t kind = (uint32_t)any(4);
    const struct gcn_watch_request request = {1 + (uint32_t)any(2), (uint32_t[]){kind, 3 - kind},
                                              (uint64_t[]){addr, addr + 640},
                                              (uint64_t[]){mask, mask}};
    switch (any(10)) {
    case 0:
        control(r, GCN_WAVEOP_HALT, mode, 0, message);
        break;
    case 1:
    case 2:
        control(r, GCN_WAVEOP_RESUME, mode, 0, message);
        break;
    case 3:
        control(r, GCN_WAVEOP_DEBUG, mode, 0, message);
        break;
    case 4:
    case 5:
        control(r, GCN_WAVEOP_TRAP, mode, (uint32_t)any(8), message);
        break;
    case 6:
        gcn_driver_address_watch(r->d, GCN_KFD_VMID, &request);
        break;
    case 7:
        gcn_driver_debugger_gone(r->d, GCN_KFD_VMID);
        break;
    case 8:
        gcn_wave_raise(r->d, (uint32_t)any(r->m->waves), GCN_TRAPSTS_SAVECTX);
        break;
    default: /* time travel: away and back */
    {
        struct wt_state *s = wt_state_save(r->m);
        run(r, any(50));
        wt_machine_clear_fault(r->m);
        wt_state_restore(r->m, s);
        wt_state_free(s);
    }
    }
}

static void disturbed_runs_compute_the_same(void **state)
{
    static uint8_t right[0x2000], bytes[0x2000];
    struct rig r = start(&computation);
    assert_int_equal(run(&r, 1000000), WT_RUN_ENDED);
    assert_true(gcn_device_read(r.d, DATA, right, sizeof right));
    assert_true(wt_load_le(right, 4) != 0 && wt_load_le(right + 0x200 * 11 + 0x1fc, 4) != 0);
    rig_free(&r);
    for (unsigned round = 0; round < 40; round++) {
        random_state = round;
        r = start(&computation);
        const bool kills = round % 4 == 3;
        bool killed[COMPUTED_GROUPS] = {false};
        enum wt_run why = WT_RUN_BUDGET;
        for (unsigned i = 0; why != WT_RUN_ENDED; i++) {
            assert_true(i < 100000);
            why = run(&r, 1 + any(60));
            if (why == WT_RUN_FAULT)
                fail_msg("round %u: %s", round, r.m->fault.text);
            if (i < 300) {
                disturb(&r);
            } else { /* now to the end */
                gcn_driver_debugger_gone(r.d, GCN_KFD_VMID);
                control(&r, GCN_WAVEOP_RESUME, GCN_WAVEMODE_BROADCAST_PROCESS, 0, 0);
            }
            const uint32_t victim = (uint32_t)any(r.m->waves);
            if (kills && !any(30) && r.d->wave[victim].active) {
                const struct gcn_location at = gcn_wave_location(r.d, victim);
                killed[r.d->wave[victim].group->coordinate[0]] = true;
                control(&r, GCN_WAVEOP_KILL, GCN_WAVEMODE_SINGLE, 0, message_of(&at));
            }
        }
        assert_true(gcn_device_read(r.d, DATA, bytes, sizeof bytes));
        for (unsigned g = 0; g < COMPUTED_GROUPS; g++)
            if (!killed[g] && memcmp(bytes + 0x200 * g, right + 0x200 * g, 0x200) != 0)
                fail_msg("round %u: group %u has other results", round, g);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_agree),
        cmocka_unit_test(single_mode_means_one_wave),
        cmocka_unit_test(broadcasts_mean_the_process),
        cmocka_unit_test(the_driver_refuses),
        cmocka_unit_test(halt_stops_and_resume_goes_on),
        cmocka_unit_test(kill_ends_a_wave),
        cmocka_unit_test(debug_single_steps),
        cmocka_unit_test(a_step_waits_at_the_barrier),
        cmocka_unit_test(trap_is_the_hosts),
        cmocka_unit_test(trap_zero_of_a_program),
        cmocka_unit_test(halt_in_the_handler_counts_behind_it),
        cmocka_unit_test(a_watch_has_a_mode),
        cmocka_unit_test(a_watch_has_a_mask_and_a_process),
        cmocka_unit_test(a_watch_disturbs_nothing),
        cmocka_unit_test(indirect_registers),
        cmocka_unit_test(the_host_writes_wave_registers),
        cmocka_unit_test(the_host_sets_trap_en_without_a_handler),
        cmocka_unit_test(commands_on_the_bus),
        cmocka_unit_test(the_table_is_the_hardware),
        cmocka_unit_test(places_of_gfx10),
        cmocka_unit_test(commands_of_gfx10),
        cmocka_unit_test(indirect_registers_of_gfx10),
        cmocka_unit_test(a_watch_of_gfx10),
        cmocka_unit_test(cycles_of_gfx10),
        cmocka_unit_test(interrupts_of_gfx10),
        cmocka_unit_test(a_handler_of_gfx10),
        cmocka_unit_test(launches),
        cmocka_unit_test(a_handler_holds_for_new_waves),
        cmocka_unit_test(savectx_must_be_cleared),
        cmocka_unit_test(fatal_halt),
        cmocka_unit_test(messages),
        cmocka_unit_test(cycles_of_doubles),
        cmocka_unit_test(debug_registers_are_state),
        cmocka_unit_test(disturbed_runs_compute_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
