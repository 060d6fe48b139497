/*
 * What the debugger tells of whole waves, and of one expression in all lanes of one, in front of
 * the emulator: with the memory port and without, in both widths, and without the emulator's
 * services.
 */

#include "debug/core/going.h"
#include "agent_code.h"
#include "base/bits.h"
#include "steered.h"

static const struct rig_options variants[] = {
    {.xlen = 32},
    {.xlen = 64},
    {.xlen = 64, .dm_only = true, .dm_clock = 1},
    {.xlen = 32, .dm_only = true, .bare = true},
};

/* Odd lanes take one way, even lanes the other; a1 is the lane's number, a4 the address of its
 * word. */
static const uint32_t divergent[] = {
    /* 00 */ ADDI(T0, X0, 15),
    /* 04 */ TMC(T0),
    /* 08 */ CSRR(A1, 0xcc0),
    /* 0c */ AUIPC(A4, 0),
    /* 10 */ ADDI(A5, A1, 0),
    /* 14 */ R(0x33, A5, 0, A5, A5),
    /* 18 */ R(0x33, A5, 0, A5, A5),
    /* 1c */ R(0x33, A4, 0, A4, A5), /* 0x0c + 4 * lane */
    /* 20 */ ANDI(A2, A1, 1),
    /* 24 */ SPLIT(A3, A2),
    /* 28 */ BEQZ(A2, 12),
    /* 2c */ ADDI(A6, X0, 1), /* odd */
    /* 30 */ J(X0, 8),
    /* 34 */ ADDI(A6, X0, 2), /* even */
    /* 38 */ JOIN(A3),
    /* 3c */ TMC(X0),
};

/* Two warps; the second one waits at barrier 1 for three. */
static const uint32_t waiting[] = {
    /* 00 */ ADDI(T0, X0, 2),
    /* 04 */ AUIPC(T1, 0),
    /* 08 */ ADDI(T1, T1, 16),
    /* 0c */ WSPAWN(T0, T1),
    /* 10 */ J(X0, 0),
    /* 14 */ ADDI(A0, X0, 1),
    /* 18 */ ADDI(A1, X0, 3),
    /* 1c */ BAR(A0, A1),
    /* 20 */ TMC(X0),
};

/* A device that has run to a breakpoint. */
static struct rig *stopped_at(const struct rig_options *v, const uint32_t *code, size_t words,
                              uint64_t addr)
{
    struct rig *r = rig_new(v, code, words);
    OK(agent_insert_breakpoint(r->d, addr, NULL, 0, NULL, 0, &err));
    resume_thread(r, 0, WT_RESUME_CONTINUE);
    assert_int_equal(wait_event(r).reason, WT_STOP_BREAKPOINT);
    return r;
}

/* The active wave in a slot of core 0. */
static wt_wave_id in_slot(struct rig *r, unsigned slot)
{
    return wt_debugger_wave_in(r->d, 0, slot);
}

static unsigned index_of(struct rig *r, const char *name)
{
    const struct wt_topology *t = wt_debugger_topology(r->d);
    for (unsigned i = 0; i < t->register_count; i++)
        if (strcmp(t->registers[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

static uint64_t value_of(struct rig *r, wt_thread thread, const char *name)
{
    uint64_t value = 0;
    const unsigned index = index_of(r, name);
    assert_int_not_equal(index, UINT32_MAX);
    OK(wt_debugger_read_numbers(r->d, thread, &index, 1, &value, &err));
    return value;
}

/* ---- registers that say where a lane is ---- */

static void a_lane_knows_its_place(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = stopped_at(v, divergent, 16, CODE + 0x2c);
        for (unsigned lane = 0; lane < 4; lane++) {
            assert_int_equal(value_of(r, 1 + lane, "_lane"), lane);
            assert_int_equal(value_of(r, 1 + lane, "_warp"), 0);
            assert_int_equal(value_of(r, 1 + lane, "_core"), 0);
            assert_int_equal(value_of(r, 1 + lane, "_mask"), 0xa);
        }
        assert_int_equal(index_of(r, "_mask_high"), UINT32_MAX);
        if (v->bare)
            assert_int_equal(index_of(r, "_time"), UINT32_MAX);
        else
            assert_int_equal(value_of(r, 1, "_time"), r->machine->time);
        rig_free(r);
    }
}

static void places_are_read_together_with_other_registers(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = stopped_at(v, divergent, 16, CODE + 0x2c);
        const unsigned index[] = {index_of(r, "_lane"), index_of(r, "a1"), index_of(r, "_mask"),
                                  index_of(r, "pc"), index_of(r, "_warp")};
        uint64_t value[5];
        OK(wt_debugger_read_numbers(r->d, 4, index, 5, value, &err));
        assert_int_equal(value[0], 3);
        assert_int_equal(value[1], 3);
        assert_int_equal(value[2], 0xa);
        assert_int_equal(value[3], CODE + 0x2c);
        assert_int_equal(value[4], 0);
        rig_free(r);
    }
}

static void a_place_cannot_be_set(void **state)
{
    struct rig *r = stopped_at(&variants[0], divergent, 16, CODE + 0x2c);
    struct wt_error err;
    assert_int_equal(wt_debugger_write_number(r->d, 1, index_of(r, "_lane"), 2, &err), WT_INVALID);
    assert_int_equal(value_of(r, 1, "_lane"), 0);
    rig_free(r);
}

static void masks_of_wide_waves_have_two_halves(void **state)
{
    const struct rig_options wide = {.xlen = 64, .threads = 128};
    struct rig *r = rig_new(&wide, divergent, 16);
    assert_int_equal(value_of(r, 1, "_mask"), 1);
    assert_int_equal(value_of(r, 1, "_mask_high"), 0);
    /* li t0, -1 instead: all lanes */
    const uint32_t all = ADDI(T0, X0, 0xfff);
    OK(wt_debugger_write_memory(r->d, 1, wt_address_of(CODE), &all, sizeof all, &err));
    for (int i = 0; i < 2; i++) {
        resume_thread(r, 0, WT_RESUME_STEP);
        assert_int_equal(wait_event(r).reason, WT_STOP_STEP);
    }
    assert_true(value_of(r, 1, "_mask") == UINT64_MAX);
    assert_true(value_of(r, 1, "_mask_high") == UINT64_MAX); /* tmc extends the sign */
    assert_int_equal(value_of(r, 128, "_lane"), 127);
    rig_free(r);
}

static void conditions_name_places(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, divergent, 16);
        const unsigned number = wt_debugger_topology(r->d)->registers[index_of(r, "_lane")].number;
        /* reg N, const8 3, equal, end */
        const uint8_t code[] = {0x26, (uint8_t)(number >> 8), (uint8_t)number, 0x22, 3, 0x13, 0x27};
        const struct agent_code condition = {code, sizeof code};
        OK(agent_insert_breakpoint(r->d, CODE + 0x2c, &condition, 1, NULL, 0, &err));
        resume_thread(r, 0, WT_RESUME_CONTINUE);
        const struct wt_event e = wait_event(r);
        assert_int_equal(e.reason, WT_STOP_BREAKPOINT);
        assert_int_equal(e.thread, 4);
        rig_free(r);
    }
}

/* ---- waves ---- */

static void a_wave_tells_which_lanes_wait_where(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = stopped_at(v, divergent, 16, CODE + 0x2c);
        struct wt_wave_info info;
        OK(wt_debugger_wave(r->d, in_slot(r, 0), &info, &err));
        assert_true(!info.running);
        assert_int_equal(info.pc, CODE + 0x2c);
        assert_int_equal((unsigned)info.mask, 0xa);
        assert_int_equal(info.has_detail, !v->bare);
        if (info.has_detail) {
            assert_int_equal(info.detail.waiter_count, 1);
            assert_int_equal((unsigned)info.detail.waiter[0].lanes, 0x5);
        }
        rig_free(r);
    }
}

static void a_wave_at_a_barrier_tells_who_has_come(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, waiting, 9);
        resume_thread(r, 0, WT_RESUME_CONTINUE);
        for (int i = 0; i < 20; i++)
            wt_debugger_pump(r->d, 100);
        struct wt_wave_info info;
        OK(wt_debugger_wave(r->d, in_slot(r, 1), &info, &err));
        assert_true(info.running);
        OK(wt_debugger_interrupt(r->d, &err));
        assert_int_equal(wait_event(r).reason, WT_STOP_INTERRUPTED);
        OK(wt_debugger_wave(r->d, in_slot(r, 0), &info, &err));
        assert_true(!info.running);
        assert_false(info.has_detail && info.detail.view.at_barrier);
        OK(wt_debugger_wave(r->d, in_slot(r, 1), &info, &err));
        assert_true(!info.running);
        if (!v->bare) {
            assert_true(info.detail.view.at_barrier && !info.detail.view.between_cores);
            assert_int_equal(info.detail.view.barrier, 1);
            assert_int_equal(info.detail.view.arrived, 1);
            assert_int_equal(info.detail.view.expected, 3);
            assert_int_equal(info.detail.view.wait_pc, CODE + 0x1c);
        }
        assert_int_equal(in_slot(r, 2), WT_NO_WAVE);
        struct wt_work work;
        OK(wt_debugger_work(r->d, &work, &err));
        struct wt_error ended;
        assert_int_equal(wt_debugger_wave(r->d, WT_NO_WAVE, &info, &ended), WT_INVALID);
        assert_int_equal(work.wave_count, 2);
        assert_true(work.wave[0].wave.id == in_slot(r, 0) && work.wave[1].wave.id == in_slot(r, 1));
        /* Vortex does not tell what its warps work on. */
        assert_int_equal(work.dispatch_count + work.group_count + work.worker_count, 0);
        wt_work_free(&work);
        rig_free(r);
    }
}

/* ---- an expression for all lanes ---- */

static enum wt_status evaluate(struct rig *r, wt_lanes lanes, const uint8_t *code, size_t length,
                               size_t size, struct wt_lane_value *result, void *bytes,
                               struct wt_error *err)
{
    const struct agent_code agent = {code, length};
    return agent_evaluate(r->d, in_slot(r, 0), lanes, &agent, size, result, bytes, err);
}

static void an_expression_of_registers(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = stopped_at(v, divergent, 16, CODE + 0x2c);
        struct wt_lane_value result[4];
        /* a1 * 3 + 1 */
        const uint8_t code[] = {0x26, 0, A1, 0x22, 3, 0x04, 0x22, 1, 0x02, 0x27};
        OK(evaluate(r, 0xf, code, sizeof code, 0, result, NULL, &err));
        for (unsigned lane = 0; lane < 4; lane++) {
            assert_true(result[lane].known && !result[lane].read);
            assert_int_equal(result[lane].value, 3 * lane + 1);
        }
        /* Of lanes 1 and 3 alone. */
        OK(evaluate(r, 0xa, code, sizeof code, 0, result, NULL, &err));
        assert_int_equal(result[0].value, 4);
        assert_int_equal(result[1].value, 10);
        rig_free(r);
    }
}

static void the_pc_is_each_lanes_own(void **state)
{
    struct rig *r = stopped_at(&variants[0], divergent, 16, CODE + 0x2c);
    struct wt_lane_value result[4];
    const uint8_t pc[] = {0x26, 0, 32, 0x27};
    OK(evaluate(r, 0xf, pc, sizeof pc, 0, result, NULL, &err));
    for (unsigned lane = 0; lane < 4; lane++) {
        const unsigned index = (unsigned)wt_debugger_topology(r->d)->pc_index;
        uint64_t want;
        OK(wt_debugger_read_numbers(r->d, 1 + lane, &index, 1, &want, &err));
        assert_int_equal(result[lane].value, want);
    }
    assert_int_equal(result[1].value, CODE + 0x2c);
    assert_int_not_equal(result[0].value, result[1].value);
    rig_free(r);
}

static void bytes_at_an_address(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = stopped_at(v, divergent, 16, CODE + 0x2c);
        struct wt_lane_value result[4];
        uint8_t bytes[4][4];
        const uint8_t a4[] = {0x26, 0, A4, 0x27};
        OK(evaluate(r, 0xf, a4, sizeof a4, 4, result, bytes, &err));
        for (unsigned lane = 0; lane < 4; lane++) {
            assert_true(result[lane].known && result[lane].read);
            assert_int_equal(wt_load_le(bytes[lane], 4), divergent[3 + lane]);
        }
        /* The breakpoint at 0x2c does not show. */
        const uint8_t at_it[] = {0x26, 0, A4, 0x22, 0x20, 0x02, 0x27};
        OK(evaluate(r, 1, at_it, sizeof at_it, 4, result, bytes, &err));
        assert_int_equal(wt_load_le(bytes[0], 4), divergent[11]);
        rig_free(r);
    }
}

static void what_cannot_be_evaluated_is_said_of_each_lane(void **state)
{
    struct rig *r = stopped_at(&variants[1], divergent, 16, CODE + 0x2c);
    struct wt_lane_value result[4];
    uint8_t bytes[4 * 8];
    /* 1 / a1: lane 0 cannot */
    const uint8_t divide[] = {0x22, 1, 0x26, 0, A1, 0x05, 0x27};
    OK(evaluate(r, 0xf, divide, sizeof divide, 0, result, NULL, &err));
    assert_false(result[0].known);
    assert_true(result[1].known && result[2].known && result[3].known);
    /* An address at the very end: 8 bytes of it are not there. */
    const uint8_t end[] = {0x25, 255, 255, 255, 255, 255, 255, 255, 252, 0x27};
    OK(evaluate(r, 0xf, end, sizeof end, 8, result, bytes, &err));
    assert_true(result[3].known && !result[3].read);
    assert_true(result[3].value == UINT64_MAX - 3);
    rig_free(r);
}

static void bad_questions_are_refused(void **state)
{
    struct rig *r = stopped_at(&variants[0], divergent, 16, CODE + 0x2c);
    struct wt_lane_value result[4];
    struct wt_error err;
    const uint8_t good[] = {0x22, 1, 0x27}, bad[] = {0x0c, 0x27}, none[] = {0x26, 0x7f, 0xff, 0x27};
    assert_int_equal(evaluate(r, 0, good, sizeof good, 0, result, NULL, &err), WT_INVALID);
    assert_int_equal(evaluate(r, 0x10, good, sizeof good, 0, result, NULL, &err), WT_INVALID);
    assert_int_equal(evaluate(r, 1, bad, sizeof bad, 0, result, NULL, &err), WT_INVALID);
    assert_int_equal(evaluate(r, 1, none, sizeof none, 0, result, NULL, &err), WT_INVALID);
    const struct agent_code agent = {good, sizeof good};
    assert_int_equal(agent_evaluate(r->d, WT_NO_WAVE, 1, &agent, 0, result, NULL, &err),
                     WT_INVALID);
    assert_int_equal(agent_evaluate(r->d, in_slot(r, 0) + 1, 1, &agent, 0, result, NULL, &err),
                     WT_INVALID);
    rig_free(r);

    r = rig_new(&variants[0], waiting, 9);
    resume_thread(r, 0, WT_RESUME_CONTINUE);
    wt_debugger_pump(r->d, 100);
    assert_int_equal(agent_evaluate(r->d, in_slot(r, 0), 1, &agent, 0, result, NULL, &err),
                     WT_STATE);
    rig_free(r);
}

static void all_lanes_cost_few_round_trips(void **state)
{
    const struct rig_options wide = {.xlen = 32, .threads = 32, .dm_only = true};
    struct rig *r = stopped_at(&wide, divergent, 16, CODE + 0x0c);
    struct wt_lane_value result[32];
    const uint8_t code[] = {0x26, 0, A1, 0x27};
    const uint64_t before = r->bus.round_trips;
    OK(evaluate(r, wt_lanes_first(32), code, sizeof code, 0, result, NULL, &err));
    assert_true(r->bus.round_trips - before <= 8);
    assert_int_equal(result[3].value, 3);
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_knows_its_place),
        cmocka_unit_test(places_are_read_together_with_other_registers),
        cmocka_unit_test(a_place_cannot_be_set),
        cmocka_unit_test(masks_of_wide_waves_have_two_halves),
        cmocka_unit_test(conditions_name_places),
        cmocka_unit_test(a_wave_tells_which_lanes_wait_where),
        cmocka_unit_test(a_wave_at_a_barrier_tells_who_has_come),
        cmocka_unit_test(an_expression_of_registers),
        cmocka_unit_test(the_pc_is_each_lanes_own),
        cmocka_unit_test(bytes_at_an_address),
        cmocka_unit_test(what_cannot_be_evaluated_is_said_of_each_lane),
        cmocka_unit_test(bad_questions_are_refused),
        cmocka_unit_test(all_lanes_cost_few_round_trips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
