/* Global wave sync: waves of different work-groups meet at a counter, or take turns at it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/gcn/gcn.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/state.h"

#define CODE UINT64_C(0x10000)
#define DESCRIPTOR UINT64_C(0x20000)
#define PACKET UINT64_C(0x30000)
#define WORDS UINT64_C(0x40000) /* how many were there, how many went on too early, a number */

enum { INIT, MEETS, TAKES, GIVES, GIVES_3, FREES, KERNELS };

/* The words' address is in s[0:1]; resource 7, once told as 5 and an offset of 2. */
static const uint32_t code[KERNELS][32] = {
    [INIT] = {0xc0020100, 8, 0xbefc00ff, 0x50000, /* s_load_dword s4, s[0:1], 8; s_mov_b32 m0 */
              0xbf8cc07f, 0x7e000204,             /* s_waitcnt; v_mov_b32 v0, s4 */
              0xd9330002, 0,                      /* ds_gws_init v0 offset:2 gds */
              0xbf810000},
    [MEETS] = {0xbefe0181, 0x7e020200, 0x7e040201, 0x7e060281, /* EXEC 1; v[1:2] the words; v3 1 */
               0xdd088000, 0x007f0301,                         /* global_atomic_add word 0 */
               0xc0020100, 8,          0xbefc00ff, 0x70000,
               0xbf8cc07f, 0x7e000204, 0xd93b0000, 0, /* ds_gws_barrier v0 gds */
               0xc0020140, 0,          0xbf8cc07f,    /* s_load_dword s5, word 0 */
               0xbf080405, 0xbf850002,                /* s5 > s4: all were there */
               0xdd088004, 0x007f0301,                /* else: global_atomic_add word 1 */
               0xbf810000},
    [TAKES] = {0xbefe0181, 0x7e020200, 0x7e040201, 0x7e060281, 0xbefc00ff, 0x70000, 0xd9390000,
               0,                      /* ds_gws_sema_p gds */
               0xdd088000, 0x007f0301, /* global_atomic_add word 0 */
               0xbf810000},
    [GIVES] = {0xbefc00ff, 0x70000, 0xd9350000, 0, 0xbf810000}, /* ds_gws_sema_v gds */
    [GIVES_3] = {0xbefc00ff, 0x70000, 0x7e000283, 0xd9370000, 0,
                 0xbf810000},                                   /* ds_gws_sema_br v0 */
    [FREES] = {0xbefc00ff, 0x70000, 0xd9310000, 0, 0xbf810000}, /* ds_gws_sema_release_all gds */
};

struct rig {
    struct gcn_device *device;
    struct wt_machine *m;
    struct wt_error err;
};

static void put(struct rig *r, uint64_t addr, uint64_t value, unsigned size)
{
    uint8_t bytes[8];
    wt_store_le(bytes, value, size);
    assert_true(gcn_device_write(r->device, addr, bytes, size));
}

static uint32_t word(struct rig *r, unsigned i)
{
    uint8_t bytes[4];
    assert_true(gcn_device_read(r->device, WORDS + 4 * i, bytes, 4));
    return (uint32_t)wt_load_le(bytes, 4);
}

static struct rig rig(void)
{
    struct rig r = {0};
    struct gcn_config config;
    gcn_config_default(&config);
    config.cu = 2;
    assert_int_equal(gcn_device_new(&config, &r.device, &r.err), WT_OK);
    r.m = gcn_machine(r.device);
    for (uint64_t page = CODE; page <= WORDS; page += 0x10000)
        assert_int_equal(gcn_device_map(r.device, page, 4096, true, &r.err), WT_OK);
    for (unsigned i = 0; i < KERNELS; i++) {
        for (unsigned k = 0; k < 32; k++)
            put(&r, CODE + 256 * i + 4 * k, code[i][k], 4);
        put(&r, DESCRIPTOR + 64 * i + 16, CODE + 256 * i - (DESCRIPTOR + 64 * i), 8);
        put(&r, DESCRIPTOR + 64 * i + 48, 1 | 1 << 6, 4); /* 8 vector registers */
        put(&r, DESCRIPTOR + 64 * i + 52, 2 << 1, 4);     /* 2 user SGPRs: */
        put(&r, DESCRIPTOR + 64 * i + 56, 1 << 3, 2);     /* the arguments' address */
    }
    return r;
}

static void begin(struct rig *r, unsigned kernel, unsigned groups)
{
    put(r, PACKET, 2, 2);
    for (unsigned k = 0; k < 3; k++) {
        put(r, PACKET + 4 + 2 * k, k ? 1 : 64, 2);
        put(r, PACKET + 12 + 4 * k, k ? 1 : 64 * groups, 4);
    }
    put(r, PACKET + 32, DESCRIPTOR + 64 * kernel, 8);
    put(r, PACKET + 40, WORDS, 8);
    assert_int_equal(gcn_device_dispatch(r->device, PACKET, 0, &r->err), WT_OK);
}

static void init(struct rig *r, uint32_t number)
{
    put(r, WORDS + 8, number, 4);
    begin(r, INIT, 1);
    assert_int_equal(r->m->ops->run(r->m, 100), WT_RUN_ENDED);
}

/* Nobody goes on before all are there; the last one sets the counter for the next time. */
static void waves_of_all_groups_meet(void **state)
{
    (void)state;
    struct rig r = rig();
    init(&r, 59);
    for (unsigned round = 1; round <= 3; round++) {
        put(&r, WORDS, 0, 4);
        begin(&r, MEETS, 60);
        assert_int_equal(r.m->ops->run(r.m, 100000), WT_RUN_ENDED);
        assert_int_equal(word(&r, 0), 60);
        assert_int_equal(word(&r, 1), 0);
    }
    gcn_device_free(r.device);
}

/* Where a run was while waves waited is a state like any other. */
static void waiting_is_saved_and_restored(void **state)
{
    (void)state;
    struct rig r = rig();
    init(&r, 9);
    begin(&r, MEETS, 10);
    while (word(&r, 0) < 7)
        assert_int_equal(r.m->ops->run(r.m, 1), WT_RUN_BUDGET);
    struct wt_state *saved = wt_state_save(r.m);
    const uint64_t there = r.m->ops->hash(r.m);
    uint64_t end[2];
    assert_non_null(saved);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(r.m->ops->run(r.m, 100000), WT_RUN_ENDED);
        assert_int_equal(word(&r, 0), 10);
        assert_int_equal(word(&r, 1), 0);
        end[i] = r.m->ops->hash(r.m);
        wt_state_restore(r.m, saved);
        assert_true(r.m->ops->hash(r.m) == there && there != end[i]);
    }
    assert_true(end[0] == end[1]);
    wt_state_free(saved);
    gcn_device_free(r.device);
}

/* Too few waves for the barrier: a deadlock, which says what is waited for. */
static void a_barrier_that_is_never_full(void **state)
{
    (void)state;
    struct rig r = rig();
    struct wt_wave_view view;
    init(&r, 5);
    begin(&r, MEETS, 4);
    assert_int_equal(r.m->ops->run(r.m, 100000), WT_RUN_FAULT);
    assert_int_equal(r.m->fault.kind, WT_FAULT_DEADLOCK);
    assert_int_equal(r.m->fault.pc, CODE + 256 * MEETS + 48);
    r.m->ops->view(r.m, r.m->fault.wave, &view);
    assert_true(view.waiting);
    assert_string_equal(view.wait, "ds_gws_barrier 7: for 2 more waves");
    gcn_device_free(r.device);
}

static void a_semaphore_lets_as_many_through_as_it_has(void **state)
{
    static const struct {
        unsigned kernel, through;
    } row[] = {{GIVES, 3}, {GIVES_3, 6}, {FREES, 10}};
    (void)state;
    struct rig r = rig();
    struct wt_wave_view view;
    init(&r, 2);
    begin(&r, TAKES, 10);
    assert_int_equal(r.m->ops->run(r.m, 100000), WT_RUN_FAULT);
    assert_int_equal(word(&r, 0), 2);
    r.m->ops->view(r.m, r.m->fault.wave, &view);
    assert_string_equal(view.wait, "ds_gws_sema_p 7");
    for (unsigned i = 0; i < 3; i++) {
        r.m->fault.kind = WT_FAULT_NONE; /* somebody helps: another kernel */
        begin(&r, row[i].kernel, 1);
        assert_int_equal(r.m->ops->run(r.m, 100000), i < 2 ? WT_RUN_FAULT : WT_RUN_ENDED);
        assert_int_equal(word(&r, 0), row[i].through);
    }
    /* Nobody waits: nothing is freed. */
    begin(&r, FREES, 1);
    assert_int_equal(r.m->ops->run(r.m, 100000), WT_RUN_ENDED);
    begin(&r, TAKES, 1);
    assert_int_equal(r.m->ops->run(r.m, 100000), WT_RUN_FAULT);
    gcn_device_free(r.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_of_all_groups_meet),
        cmocka_unit_test(waiting_is_saved_and_restored),
        cmocka_unit_test(a_barrier_that_is_never_full),
        cmocka_unit_test(a_semaphore_lets_as_many_through_as_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
