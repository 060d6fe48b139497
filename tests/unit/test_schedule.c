/* Unit tests of whose turn it is: the policies, waves that stop in their turn, copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "emulator/machine/schedule.h"

#define WAVES 130 /* three words, the last one not full */

static struct wt_turns turns_of(const char *policy, const uint32_t *ready, size_t count)
{
    struct wt_schedule schedule;
    struct wt_turns turns;
    assert_int_equal(wt_schedule_parse(policy, &schedule, WT_IGNORED), WT_OK);
    assert_true(wt_turns_init(&turns, &schedule, WAVES));
    assert_false(wt_turns_next(&turns, 0));
    for (size_t i = 0; i < count; i++)
        wt_turns_set_ready(&turns, ready[i], true);
    return turns;
}

/* Gives n issues, one by one, and checks whose they are. */
static void assert_issues(struct wt_turns *turns, const uint32_t *wave, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_true(wt_turns_next(turns, i));
        assert_int_equal(turns->current, wave[i]);
        turns->left--;
    }
}

static const uint32_t some[] = {0, 63, 64, 129};

static void round_robin_goes_round_from_the_first_wave(void **state)
{
    struct wt_turns turns = turns_of("rr:2", some, 4);
    assert_issues(&turns, (uint32_t[]){0, 0, 63, 63, 64, 64, 129, 129, 0, 0}, 10);
    wt_turns_free(&turns);
}

static void a_wave_that_stops_loses_the_rest_of_its_turn(void **state)
{
    struct wt_turns turns = turns_of("rr:64", some, 4);
    assert_issues(&turns, (uint32_t[]){0, 0}, 2);
    wt_turns_set_ready(&turns, 0, false);
    wt_turns_set_ready(&turns, 0, false); /* said twice: counted once */
    assert_int_equal(turns.ready_count, 3);
    assert_issues(&turns, (uint32_t[]){63, 63}, 2);
    for (size_t i = 1; i < 4; i++)
        wt_turns_set_ready(&turns, some[i], false);
    assert_false(wt_turns_next(&turns, 0));
    wt_turns_free(&turns);
}

static void in_lockstep_each_wave_has_one_turn_a_round(void **state)
{
    struct wt_turns turns = turns_of("lockstep", some, 4);
    assert_issues(&turns, (uint32_t[]){0, 63}, 2);
    /* What can issue only now waits for the next round. */
    wt_turns_set_ready(&turns, 70, true);
    wt_turns_set_ready(&turns, 64, false);
    assert_issues(&turns, (uint32_t[]){129, 0, 63, 70, 129}, 5);
    wt_turns_free(&turns);
}

static void a_copy_goes_on_as_its_original(void **state)
{
    static const char *const policies[] = {"rr:3", "lockstep", "random:5"};
    for (size_t p = 0; p < 3; p++) {
        struct wt_turns turns = turns_of(policies[p], some, 4), copy = turns_of("rr:1", NULL, 0);
        uint32_t wave[200];
        for (size_t i = 0; i < 150; i++) {
            if (i == 50)
                wt_turns_copy(&copy, &turns);
            assert_true(wt_turns_next(&turns, 0));
            wave[i] = turns.current;
            turns.left--;
        }
        assert_issues(&copy, wave + 50, 100);
        assert_int_equal(copy.policy.state, turns.policy.state);
        /* After a reset all is as in the beginning. */
        wt_turns_reset(&copy);
        assert_false(wt_turns_next(&copy, 0));
        for (size_t i = 0; i < 4; i++)
            wt_turns_set_ready(&copy, some[i], true);
        assert_issues(&copy, wave, 150);
        wt_turns_free(&turns);
        wt_turns_free(&copy);
    }
}

/* Kernels of a runtime may run side by side before, as the host's time has it. */
static void a_launch_that_is_alone_does_not_depend_on_what_ran_before(void **state)
{
    static const char *const policies[] = {"lockstep", "random:5"};
    for (size_t p = 0; p < 2; p++) {
        struct wt_turns turns = turns_of(policies[p], NULL, 0);
        uint32_t wave[3][60];
        for (size_t run = 0; run < 4; run++) {
            const size_t before = run == 3 ? 0 : 1 + 3 * run; /* issues of what ran before */
            for (size_t i = 0; i < 4; i++)
                wt_turns_set_ready(&turns, some[i], true);
            for (size_t i = 0; i < before; i++) {
                assert_true(wt_turns_next(&turns, i));
                turns.left--;
            }
            for (size_t i = 0; i < 4; i++)
                wt_turns_set_ready(&turns, some[i], false);
            wt_turns_begin(&turns, run == 2 ? 8 : 7);
            for (size_t i = 0; i < 4; i++)
                wt_turns_set_ready(&turns, some[i], true);
            if (run == 3)
                assert_issues(&turns, wave[0], 60);
            for (size_t i = 0; i < 60 && run < 3; i++) {
                assert_true(wt_turns_next(&turns, i));
                wave[run][i] = turns.current;
                turns.left--;
            }
            for (size_t i = 0; i < 4; i++)
                wt_turns_set_ready(&turns, some[i], false);
        }
        assert_memory_equal(wave[0], wave[1], sizeof wave[0]);
        /* Each launch has an order of its own. */
        assert_int_equal(memcmp(wave[0], wave[2], sizeof wave[0]) != 0, p == 1);
        wt_turns_free(&turns);
    }
}

static void a_list_of_choices_is_followed(void **state)
{
    struct wt_choices choices = {0};
    assert_int_equal(wt_choices_parse(&choices, "list",
                                      "wavetrap choices 1\n0 129\n2 0 # again\n4 63\n6 7\n",
                                      WT_IGNORED),
                     WT_OK);
    const struct wt_schedule schedule = {.kind = WT_SCHEDULE_FILE, .turn = 1, .choices = &choices};
    struct wt_turns turns;
    assert_true(wt_turns_init(&turns, &schedule, WAVES));
    for (size_t i = 0; i < 4; i++)
        wt_turns_set_ready(&turns, some[i], true);
    assert_issues(&turns, (uint32_t[]){129, 129, 0, 0, 63}, 5);
    /* A wave that stops hands over to the next one, until the next choice. */
    wt_turns_set_ready(&turns, 63, false);
    assert_true(wt_turns_next(&turns, 5));
    assert_int_equal(turns.current, 64);
    assert_int_equal(turns.left, 1);
    turns.left--;
    assert_false(turns.missed);
    /* A wave that cannot issue is missed; behind the last choice turns are 64 issues long. */
    assert_true(wt_turns_next(&turns, 6));
    assert_int_equal(turns.current, 129);
    assert_int_equal(turns.left, 64);
    assert_true(turns.missed);
    assert_int_equal(turns.first_missed.time, 6);
    assert_int_equal(turns.first_missed.wave, 7);
    wt_turns_free(&turns);
    wt_choices_free(&choices);
}

static void what_is_no_list_of_choices_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "list:1: 'wavetrap choices 1'"},
        {"\n0 1\n", "list:2: '0 1' is not 'wavetrap choices 1'"},
        {"wavetrap choices 1\n5 1\n5 2\n", "list:3: time 5 is not later"},
        {"wavetrap choices 1\n5\n", "list:2: '5' is not TIME WAVE"},
        {"wavetrap choices 1\n5 1 2\n", "list:2: '5 1 2' is not TIME WAVE"},
        {"wavetrap choices 1\n-5 1\n", "list:2: '-5 1' is not TIME WAVE"},
        {"wavetrap choices 1\n0 4294967296\n", "list:2: '0 4294967296' is not TIME WAVE"},
        {"wavetrap choices 1\n99999999999999999999 0\n", "list:2: '99999999999999999999 0' is"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wt_choices choices = {0};
        struct wt_error err;
        assert_int_equal(wt_choices_parse(&choices, "list", bad[i].text, &err), WT_INVALID);
        if (strncmp(err.text, bad[i].message, strlen(bad[i].message)))
            fail_msg("%s", err.text);
        wt_choices_free(&choices);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_robin_goes_round_from_the_first_wave),
        cmocka_unit_test(a_wave_that_stops_loses_the_rest_of_its_turn),
        cmocka_unit_test(in_lockstep_each_wave_has_one_turn_a_round),
        cmocka_unit_test(a_copy_goes_on_as_its_original),
        cmocka_unit_test(a_launch_that_is_alone_does_not_depend_on_what_ran_before),
        cmocka_unit_test(a_list_of_choices_is_followed),
        cmocka_unit_test(what_is_no_list_of_choices_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
