/*
 * The code of breakpoints that a debugger sends to the process of a program: it says there what it
 * says in the debugger, and bytes that make no sense are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "condition_rig.h"

struct world {
    struct wt_machine *m;
    struct wt_condition_counts counts;
    struct wt_condition *c;
    struct wt_buffer told;
    uint64_t time;
};

static void open_example(struct world *w, unsigned which)
{
    struct wt_buffer bytes = condition_example(which);
    *w = (struct world){.m = condition_machine()};
    w->counts.print = condition_told;
    w->counts.context = &w->told;
    assert_int_equal(
        wt_condition_new(w->m, bytes.bytes, bytes.length, &w->counts, &w->c, WT_IGNORED), WT_OK);
    free(bytes.bytes);
}

static void close_example(struct world *w)
{
    wt_condition_free(w->c);
    free(w->counts.list);
    free(w->told.bytes);
    sm_device_free((struct sm_device *)w->m);
}

static bool judge(struct world *w, uint32_t wave, wt_lanes mask, wt_lanes *stop)
{
    return wt_condition_judge(w->c, w->m, wave, CONDITION_CODE + 8, mask, w->time++, stop);
}

/* Wave 1 has the work-items 32 to 47 of its group. */
static void test_conditions_hold_for_the_lanes_that_they_name(void **state)
{
    static const uint32_t first[] = {[0] = 1 << 5, [1] = 0, [2] = 0xffff, [4] = 0xffff};
    static const uint32_t second[] = {[0] = 1 << 5, [1] = 1 << 8, [2] = 0xffff, [4] = 0xffff};
    for (unsigned which = 0; which <= 4; which++) {
        struct world w;
        wt_lanes stop;
        if (which == 3)
            continue;
        open_example(&w, which);
        assert_true(judge(&w, 0, 0xffff, &stop));
        assert_int_equal((uint32_t)stop, first[which]);
        assert_true(judge(&w, 1, 0xffff, &stop));
        assert_int_equal((uint32_t)stop, second[which]);
        assert_int_equal(w.counts.list[0].times, 0);
        close_example(&w);
    }
}

static void test_messages_are_printed_for_the_lanes_that_count(void **state)
{
    struct world w;
    wt_lanes stop;
    open_example(&w, 3);
    assert_true(judge(&w, 0, 0xfffe, &stop));
    assert_int_equal((uint32_t)stop, 0);
    assert_int_equal(w.told.length, 10);
    assert_memory_equal(w.told.bytes, "lane 1 \"\"\n", 10);
    assert_true(judge(&w, 0, 0xfff0, &stop));
    assert_int_equal(w.told.length, 10);
    assert_int_equal(w.counts.list[0].times, 1);
    close_example(&w);
}

static void test_the_first_times_are_only_counted(void **state)
{
    for (unsigned which = 5; which <= 6; which++) {
        struct world w;
        wt_lanes stop;
        open_example(&w, which);
        for (unsigned i = 0; i < 5; i++) {
            assert_true(judge(&w, i % 2, 3, &stop));
            assert_int_equal((uint32_t)stop, i < 3 ? 0 : 3);
        }
        assert_int_equal(w.counts.list[0].times, 3);
        assert_int_equal(w.counts.list[0].ignored, 0);
        close_example(&w);
    }
}

/* As a machine asks where it stops, or where an instruction was undone. */
static void test_the_same_arrival_prints_and_counts_once(void **state)
{
    struct world w;
    wt_lanes stop;
    open_example(&w, 3);
    for (unsigned i = 0; i < 3; i++) {
        w.time = 4;
        assert_true(judge(&w, 0, 1, &stop));
    }
    assert_int_equal(w.told.length, 10);
    assert_int_equal(w.counts.list[0].times, 1);
    wt_condition_moved(w.c);
    w.time = 4;
    assert_true(judge(&w, 0, 1, &stop));
    assert_int_equal(w.counts.list[0].times, 2);
    close_example(&w);
}

/* Memory that is not there, and code that does not end. */
static void test_what_cannot_be_evaluated_stops_and_counts_nothing(void **state)
{
    for (unsigned which = 7; which <= 8; which++) {
        struct world w;
        wt_lanes stop;
        open_example(&w, which);
        assert_false(judge(&w, 0, 0xf0, &stop));
        assert_int_equal((uint32_t)stop, 0xf0);
        assert_int_equal(w.counts.list[0].times, 0);
        close_example(&w);
    }
}

static void test_bytes_that_break_off_or_go_on_are_refused(void **state)
{
    struct wt_machine *m = condition_machine();
    for (unsigned which = 0; which < CONDITION_EXAMPLES; which++) {
        struct wt_buffer bytes = condition_example(which);
        assert_true(condition_any(m, bytes.bytes, bytes.length));
        for (size_t size = 0; size < bytes.length; size++)
            assert_false(condition_any(m, bytes.bytes, size));
        wt_buffer_append(&bytes, "", 1);
        assert_false(condition_any(m, bytes.bytes, bytes.length));
        free(bytes.bytes);
    }
    sm_device_free((struct sm_device *)m);
}

/* Each byte in turn, and its values at the borders: what is accepted ends, and names what is there.
 */
static void test_bytes_that_are_changed_do_no_harm(void **state)
{
    static const uint8_t values[] = {0, 1, 2, 0x7f, 0x80, 0xff};
    struct wt_machine *m = condition_machine();
    size_t refused = 0, accepted = 0;
    for (unsigned which = 0; which < CONDITION_EXAMPLES; which++) {
        struct wt_buffer bytes = condition_example(which);
        for (size_t at = 0; at < bytes.length; at++) {
            const uint8_t old = bytes.bytes[at];
            for (size_t i = 0; i < sizeof values; i++) {
                bytes.bytes[at] = values[i];
                const bool sense = condition_any(m, bytes.bytes, bytes.length);
                accepted += sense;
                refused += !sense;
            }
            bytes.bytes[at] = old;
        }
        free(bytes.bytes);
    }
    assert_true(refused > 500 && accepted > 500);
    sm_device_free((struct sm_device *)m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions_hold_for_the_lanes_that_they_name),
        cmocka_unit_test(test_messages_are_printed_for_the_lanes_that_count),
        cmocka_unit_test(test_the_first_times_are_only_counted),
        cmocka_unit_test(test_the_same_arrival_prints_and_counts_once),
        cmocka_unit_test(test_what_cannot_be_evaluated_stops_and_counts_nothing),
        cmocka_unit_test(test_bytes_that_break_off_or_go_on_are_refused),
        cmocka_unit_test(test_bytes_that_are_changed_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
