/*
 * Several kernels at once on one gfx900: they share its compute units, wait for each other, end one
 * by one, and all of it is a part of what is saved, restored and hashed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "emulator/gcn/host.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/state.h"

/* A page each: code in pieces of 256 bytes; descriptors, packets and signals of 64 bytes; words. */
#define CODE UINT64_C(0x10000)
#define DESCRIPTOR UINT64_C(0x20000)
#define PACKET UINT64_C(0x30000)
#define SIGNAL UINT64_C(0x40000)
#define WORD UINT64_C(0x50000)

enum { ENDS, SPINS, SETS, LOOPS, HALTS, KERNELS };

/* Kernels have the address of a word in s[0:1]. */
static const uint32_t code[KERNELS][8] = {
    [ENDS] = {0xbf810000},                /* s_endpgm */
    [SPINS] = {0xc0020100, 0, 0xbf8cc07f, /* s_load_dword s4, s[0:1], 0; s_waitcnt lgkmcnt(0) */
               0xbf068004, 0xbf85fffb,    /* s_cmp_eq_u32 s4, 0; s_cbranch_scc1 back to the load */
               0xbf810000},
    [SETS] = {0xbe840081, 0xc0420100, 0, /* s_mov_b32 s4, 1; s_store_dword s4, s[0:1], 0 */
              0xbf810000},
    [LOOPS] = {0xbf82ffff},             /* s_branch to itself */
    [HALTS] = {0xbf8d0001, 0xbf810000}, /* s_sethalt 1 */
};

struct rig {
    struct gcn_device *device;
    struct wt_machine *m;
    struct wt_error err;
};

static struct rig rig(unsigned cu)
{
    struct rig r = {0};
    struct gcn_config config;
    gcn_config_default(&config);
    config.cu = cu;
    assert_int_equal(gcn_device_new(&config, &r.device, &r.err), WT_OK);
    r.m = gcn_machine(r.device);
    for (uint64_t page = CODE; page <= WORD; page += 0x10000)
        assert_int_equal(gcn_device_map(r.device, page, 4096, true, &r.err), WT_OK);
    for (unsigned i = 0; i < KERNELS; i++) {
        uint8_t descriptor[64] = {0}, bytes[sizeof code[i]];
        for (unsigned k = 0; k < 8; k++)
            wt_store_le(bytes + 4 * k, code[i][k], 4);
        assert_true(gcn_device_write(r.device, CODE + 256 * i, bytes, sizeof bytes));
        wt_store_le(descriptor + 16, CODE + 256 * i - (DESCRIPTOR + 64 * i), 8);
        wt_store_le(descriptor + 48, 1 | 1 << 6, 4); /* 8 vector registers */
        wt_store_le(descriptor + 52, 2 << 1 | 1, 4); /* 2 user SGPRs and the offset in scratch: */
        wt_store_le(descriptor + 56, 1 << 3, 2);     /* the arguments' address */
        assert_true(gcn_device_write(r.device, DESCRIPTOR + 64 * i, descriptor, 64));
    }
    return r;
}

static void set_number(struct rig *r, uint64_t addr, uint64_t value, unsigned size)
{
    uint8_t bytes[8];
    wt_store_le(bytes, value, size);
    assert_true(gcn_device_write(r->device, addr, bytes, size));
}

static uint64_t number(struct rig *r, uint64_t addr)
{
    uint8_t bytes[8];
    assert_true(gcn_device_read(r->device, addr, bytes, 8));
    return wt_load_le(bytes, 8);
}

/* What a dispatch needs beside its kernel. */
struct need {
    unsigned groups, items; /* of a group */
    unsigned lds;
    int priority;
    unsigned scratch; /* waves that the queue has scratch memory for; 0: no queue */
    unsigned
        private_size; /* of a work-item, of a queue that has memory for all waves; 0: as above */
};

/* Dispatches a kernel as the i-th packet, with the i-th word and signal; returns its number. */
static unsigned begin(struct rig *r, unsigned i, unsigned kernel, const struct need *need)
{
    uint8_t p[64] = {2};
    unsigned dispatch = GCN_DISPATCHES;
    for (unsigned k = 0; k < 3; k++) {
        wt_store_le(p + 4 + 2 * k, k ? 1 : need->items, 2);
        wt_store_le(p + 12 + 4 * k, k ? 1 : need->items * need->groups, 4);
    }
    wt_store_le(p + 28, need->lds, 4);
    wt_store_le(p + 24, need->scratch ? 16 : need->private_size, 4);
    wt_store_le(p + 32, DESCRIPTOR + 64 * kernel, 8);
    wt_store_le(p + 40, WORD, 8);
    wt_store_le(p + 56, SIGNAL + 64 * i, 8);
    set_number(r, SIGNAL + 64 * i + 8, 1, 8);
    assert_true(gcn_device_write(r->device, PACKET + 64 * i, p, 64));
    /* Queues lie behind the words, with scratch memory for waves of 1 KiB. */
    const uint64_t queue = need->scratch ? WORD + 256 * (1 + i) : 0;
    if (queue) {
        set_number(r, queue + 140, need->scratch | 1 << 12, 4);
        set_number(r, queue + 160, 0x1000000 * (1 + i), 8);
        set_number(r, queue + 168, need->scratch * 1024, 8);
    }
    const struct gcn_origin origin = {.priority = need->priority};
    const struct gcn_aql_dispatch asked = gcn_aql_dispatch(p);
    if (gcn_device_begin(r->device, &asked, PACKET + 64 * i, queue, &origin, &dispatch, &r->err))
        assert_int_equal(r->err.status, WT_STATE);
    return dispatch;
}

static const struct need wave = {.groups = 1, .items = 64};

/* How many waves run a kernel. */
static unsigned waves_of(const struct rig *r, unsigned kernel)
{
    unsigned count = 0, dispatch;
    uint64_t entry;
    for (uint32_t i = 0; i < r->m->waves; i++)
        count += gcn_wave_dispatch(r->device, i, &dispatch, &entry) && entry == CODE + 256 * kernel;
    return count;
}

static bool done(struct rig *r, unsigned i)
{
    return number(r, SIGNAL + 64 * i + 8) == 0;
}

static void one_kernel_waits_for_another(void **state)
{
    struct rig r = rig(1);
    assert_int_equal(begin(&r, 0, SPINS, &wave), 0);
    assert_int_equal(r.m->ops->run(r.m, 10000), WT_RUN_BUDGET);
    assert_int_equal(begin(&r, 1, SETS, &wave), 1);
    assert_int_equal(r.m->ops->run(r.m, 10000), WT_RUN_ENDED);
    assert_true(done(&r, 0) && done(&r, 1));
    gcn_device_free(r.device);
}

/* As on hardware the first work-group is ahead, whatever ran before. Behind the wave of the kernel
 * before, in slot 0, its turn would be the last one. */
static void the_first_wave_begins(void **state)
{
    struct rig r = rig(1);
    begin(&r, 0, ENDS, &wave);
    assert_int_equal(r.m->ops->run(r.m, 100), WT_RUN_ENDED);
    begin(&r, 1, LOOPS, &(struct need){.groups = 4, .items = 64});
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(r.m->ops->run(r.m, 64), WT_RUN_BUDGET);
        assert_int_equal(r.m->turns.current, i);
    }
    /* A kernel that joins it does not change whose turn it is. */
    assert_int_equal(r.m->ops->run(r.m, 64), WT_RUN_BUDGET);
    begin(&r, 2, LOOPS, &wave);
    assert_int_equal(r.m->ops->run(r.m, 64), WT_RUN_BUDGET);
    assert_int_equal(r.m->turns.current, 1);
    gcn_device_free(r.device);
}

static void each_ends_by_itself(void **state)
{
    struct rig r = rig(1);
    begin(&r, 0, LOOPS, &wave);
    for (unsigned i = 1; i < 20; i++) {
        /* The place of the one that has ended is free. */
        assert_int_equal(begin(&r, i, ENDS, &wave), 1);
        assert_int_equal(r.m->ops->run(r.m, 200), WT_RUN_BUDGET);
        assert_true(done(&r, i));
    }
    assert_false(done(&r, 0));
    gcn_device_abandon(r.device, 0);
    assert_int_equal(r.m->ops->run(r.m, 1), WT_RUN_ENDED);
    assert_false(done(&r, 0));
    gcn_device_free(r.device);
}

static void lds_and_waves_that_one_frees_are_anothers(void **state)
{
    static const struct need all_lds = {.groups = 1, .items = 64, .lds = 65536},
                             half_lds = {.groups = 1, .items = 64, .lds = 32768};
    static const struct need most_waves = {.groups = 2, .items = 1024},
                             all_waves = {.groups = 40, .items = 64};
    static const struct {
        const struct need *first, *second;
        unsigned waves; /* of the second one, beside the first one and without it */
        unsigned after;
    } row[] = {
        {&all_lds, &half_lds, 0, 1},       {&half_lds, &all_lds, 0, 1},
        {&half_lds, &half_lds, 1, 1},      {&all_waves, &wave, 0, 1},
        {&most_waves, &most_waves, 0, 32}, {&most_waves, &all_waves, 8, 40},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct rig r = rig(1);
        const unsigned first = begin(&r, 0, LOOPS, row[i].first);
        begin(&r, 1, SPINS, row[i].second);
        assert_int_equal(waves_of(&r, SPINS), row[i].waves);
        gcn_device_abandon(r.device, first);
        assert_int_equal(waves_of(&r, LOOPS), 0);
        assert_int_equal(waves_of(&r, SPINS), row[i].after);
        set_number(&r, WORD, 1, 4);
        assert_int_equal(r.m->ops->run(r.m, 100000), WT_RUN_ENDED);
        assert_true(done(&r, 1));
        gcn_device_free(r.device);
    }
}

/* 10 waves a SIMD, or as many as 256 rows of vector registers and 800 scalar registers are enough
 * for. */
static void registers_are_room_too(void **state)
{
    static const struct {
        unsigned vgprs, sgprs, waves; /* in units of 4 and 16 */
    } row[] = {{1, 1, 40}, {6, 5, 40}, {7, 5, 36},  {32, 1, 8}, {33, 1, 4},
               {1, 6, 32}, {1, 7, 28}, {16, 7, 16}, {8, 8, 24}};
    static const struct need many = {.groups = 100, .items = 64};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct rig r = rig(1);
        set_number(&r, DESCRIPTOR + 64 * LOOPS + 48,
                   (row[i].vgprs - 1) | (2 * row[i].sgprs - 1) << 6, 4);
        begin(&r, 0, LOOPS, &many);
        assert_int_equal(waves_of(&r, LOOPS), row[i].waves);
        gcn_device_free(r.device);
    }
}

/* Each queue has its own; which slots its waves have does not matter. Each of its places is one
 * wave's, also after some have ended. */
static void scratch_memory_is_room_too(void **state)
{
    static const struct need some = {.groups = 100, .items = 128, .scratch = 10},
                             other = {.groups = 100, .items = 128, .scratch = 7};
    struct rig r = rig(2);
    int most = 0;
    begin(&r, 0, SPINS, &some);
    begin(&r, 1, LOOPS, &other); /* groups of two waves: one place is left over */
    for (unsigned step = 0; step < 50; step++) {
        uint64_t used[2] = {0};
        for (uint32_t i = 0; i < r.m->waves; i++) {
            uint32_t offset;
            uint64_t entry;
            unsigned dispatch;
            if (!gcn_wave_dispatch(r.device, i, &dispatch, &entry))
                continue;
            assert_true(gcn_wave_scalar(r.device, i, 2, &offset));
            assert_int_equal(offset % 1024, 0);
            assert_true(offset / 1024 < (dispatch ? 7 : 10));
            assert_false(used[dispatch] >> (offset / 1024) & 1);
            used[dispatch] |= (uint64_t)1 << (offset / 1024);
        }
        /* Where one wave of a group has ended, the next group has no room yet. */
        const int waves = __builtin_popcountll(used[0]);
        assert_true(step ? waves >= 5 && waves <= 10 : waves == 10);
        most = step > 25 && waves > most ? waves : most;
        assert_int_equal(__builtin_popcountll(used[1]), 6);
        set_number(&r, WORD, step % 2, 4); /* lets some of them end, and others come */
        r.m->ops->run(r.m, 37);
    }
    assert_int_equal(most, 10);
    gcn_device_free(r.device);
}

/* Room that becomes free goes to the kernels in turn, or to the one of the higher priority. */
static void room_is_shared_out_in_turn_or_by_priority(void **state)
{
    static const struct need first = {.groups = 9, .items = 1024},
                             same = {.groups = 400, .items = 1024};
    static const struct need higher = {.groups = 400, .items = 1024, .priority = 1};
    for (unsigned k = 0; k < 2; k++) {
        struct rig r = rig(4); /* each compute unit has room for two of these groups */
        begin(&r, 0, ENDS, &first);
        begin(&r, 1, SPINS, k ? &higher : &same);
        assert_int_equal(waves_of(&r, ENDS), 8 * 16);
        assert_int_equal(waves_of(&r, SPINS), 0);
        /* In the end those that spin have it all; has the ninth group come before? */
        assert_int_equal(r.m->ops->run(r.m, 100000), WT_RUN_BUDGET);
        assert_int_equal(waves_of(&r, SPINS), 8 * 16);
        assert_int_equal(done(&r, 0), !k);
        set_number(&r, WORD, 1, 4);
        assert_int_equal(r.m->ops->run(r.m, 1000000), WT_RUN_ENDED);
        assert_true(done(&r, 0) && done(&r, 1));
        gcn_device_free(r.device);
    }
}

/* The offset of a wave in scratch memory has 32 bits: waves that it could not name do not run. */
static void scratch_memory_ends_below_4_gib(void **state)
{
    static const struct {
        unsigned private_size, waves;
    } row[] = {{65536, 1023}, {32768, 2047}, {16384, 2560}, {131056, 512}};
    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
        const struct need many = {.groups = 3000, .items = 64, .private_size = row[i].private_size};
        const uint64_t size = (uint64_t)row[i].private_size * 64;
        static bool taken[2560];
        struct rig r = rig(64);
        unsigned waves = 0;
        memset(taken, 0, sizeof taken);
        assert_true(gcn_device_scratch_size(r.device, row[i].private_size) == row[i].waves * size);
        begin(&r, 0, LOOPS, &many);
        for (uint32_t w = 0; w < r.m->waves; w++) {
            uint32_t offset;
            if (!gcn_wave_scalar(r.device, w, 2, &offset))
                continue;
            waves++;
            assert_true(offset % size == 0 && offset + size <= (uint64_t)1 << 32);
            assert_false(taken[offset / size]);
            taken[offset / size] = true;
        }
        assert_int_equal(waves, row[i].waves);
        gcn_device_free(r.device);
    }
}

static void so_many_run_at_once_and_no_more(void **state)
{
    struct rig r = rig(1);
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        assert_int_equal(begin(&r, i, SPINS, &wave), i);
    assert_int_equal(begin(&r, GCN_DISPATCHES, SETS, &wave), GCN_DISPATCHES);
    assert_non_null(strstr(r.err.text, "32 kernels are running already"));
    assert_int_equal(waves_of(&r, SPINS), GCN_DISPATCHES);
    gcn_device_abandon(r.device, 7);
    assert_int_equal(begin(&r, GCN_DISPATCHES, SETS, &wave), 7);
    assert_int_equal(r.m->ops->run(r.m, 100000), WT_RUN_ENDED);
    for (unsigned i = 0; i <= GCN_DISPATCHES; i++)
        assert_int_equal(done(&r, i), i != 7);
    gcn_device_free(r.device);
}

static void a_wave_that_is_halted_stops_no_other_kernel(void **state)
{
    struct rig r = rig(1);
    begin(&r, 0, HALTS, &wave);
    begin(&r, 1, SPINS, &wave);
    assert_int_equal(r.m->ops->run(r.m, 10000), WT_RUN_BUDGET);
    begin(&r, 2, SETS, &wave);
    assert_int_equal(r.m->ops->run(r.m, 10000), WT_RUN_HALTED);
    assert_true(done(&r, 1) && done(&r, 2) && !done(&r, 0));
    gcn_device_free(r.device);
}

/* From any point on all goes as it went before, whatever ran meanwhile. */
static void all_of_them_are_saved_and_restored(void **state)
{
    static const struct need some = {.groups = 18, .items = 256, .lds = 1024},
                             many = {.groups = 100, .items = 256, .lds = 1024};
    struct rig r = rig(2); /* with room for 20 of these groups */
    unsigned points = 0;
    begin(&r, 0, SPINS, &some);
    begin(&r, 1, ENDS, &many);
    begin(&r, 2, SETS, &wave);
    do {
        struct wt_state *saved = wt_state_save(r.m);
        const uint64_t before = r.m->ops->hash(r.m);
        uint64_t after[2], time[2];
        for (unsigned i = 0; i < 2; i++) {
            r.m->ops->run(r.m, 1000000);
            time[i] = r.m->time;
            after[i] = r.m->ops->hash(r.m);
            assert_true(done(&r, 0) && done(&r, 1) && done(&r, 2));
            wt_state_restore(r.m, saved);
            assert_int_equal(r.m->ops->hash(r.m), before);
        }
        assert_int_equal(time[0], time[1]);
        assert_int_equal(after[0], after[1]);
        wt_state_free(saved);
        points++;
    } while (r.m->ops->run(r.m, 300) == WT_RUN_BUDGET);
    assert_true(points > 10);
    gcn_device_free(r.device);
}

/* The same waves of the same kernel are another state where they belong to other dispatches. */
static void whose_a_wave_is_counts_in_the_hash(void **state)
{
    uint64_t hash[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig r = rig(1);
        begin(&r, 0, LOOPS, &(struct need){.groups = 1 + i, .items = 64});
        begin(&r, 1, LOOPS, &(struct need){.groups = 2 - i, .items = 64});
        for (uint64_t at = PACKET; at < PACKET + 128; at += 8) /* memory is the same then */
            set_number(&r, at, 0, 8);
        hash[i] = r.m->ops->hash(r.m);
        gcn_device_free(r.device);
    }
    assert_int_not_equal(hash[0], hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_kernel_waits_for_another),
        cmocka_unit_test(the_first_wave_begins),
        cmocka_unit_test(each_ends_by_itself),
        cmocka_unit_test(lds_and_waves_that_one_frees_are_anothers),
        cmocka_unit_test(registers_are_room_too),
        cmocka_unit_test(scratch_memory_is_room_too),
        cmocka_unit_test(scratch_memory_ends_below_4_gib),
        cmocka_unit_test(room_is_shared_out_in_turn_or_by_priority),
        cmocka_unit_test(so_many_run_at_once_and_no_more),
        cmocka_unit_test(a_wave_that_is_halted_stops_no_other_kernel),
        cmocka_unit_test(all_of_them_are_saved_and_restored),
        cmocka_unit_test(whose_a_wave_is_counts_in_the_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
