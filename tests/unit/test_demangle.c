/* Names of functions as people read them and call them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <string.h>

#include "base/demangle.h"

#define TEMPLATE "_ZN2ns5scaleIfEEvPT_S1_" /* void ns::scale<float>(float*, float) */
#define CLONE "_Z4fillPii._omp_fn.0"       /* a region of GCC's in fill(int*, int) */
#define REGION "__omp_offloading_fe00_53a511__Z4fillPii_l20"
#define HIDDEN "_ZN12_GLOBAL__N_14fillEPi" /* (anonymous namespace)::fill(int*) */

static void names_are_written_as_in_the_source(void **state)
{
    static const char *const names[][2] = {
        {"_Z4fillPii", "fill(int*, int)"},
        {TEMPLATE, "void ns::scale<float>(float*, float)"},
        {CLONE, "fill(int*, int) [clone ._omp_fn.0]"},
        {REGION, "fill(int*, int):20"},
        {"__omp_offloading_fe00_53a511_main_l12", "main:12"},
        {"__omp_offloading_fe00_53a511_all_long_l3", "all_long:3"},
        {"main._omp_fn.0", "main._omp_fn.0"},
        {"vadd", "vadd"},
        {"_Z", "_Z"},
        {"", ""},
        {"__omp_offloading_", "__omp_offloading_"},
        {"__omp_offloading_fe00_53a511_l12", "__omp_offloading_fe00_53a511_l12"},
        {"__omp_offloading_fe00_53a511__l12", "__omp_offloading_fe00_53a511__l12"},
        {"__omp_offloading_fe00_53a511_main_l", "__omp_offloading_fe00_53a511_main_l"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[100];
        wt_demangle(names[i][0], text, sizeof text);
        assert_string_equal(text, names[i][1]);
    }
}

static void the_code_of_a_region_is_of_its_function(void **state)
{
    static const char *const names[][2] = {
        {CLONE, "fill(int*, int)"},      {"main._omp_fn.0", "main"},
        {"main$_omp_fn$0$impl", "main"}, {"_Z4fillPii$_omp_fn$1", "fill(int*, int)"},
        {REGION, "fill(int*, int):20"},  {"_omp_fn", "_omp_fn"},
        {"an_omp_fn", "an_omp_fn"},      {"._omp_fn.0", "._omp_fn.0"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[100];
        wt_demangle_source(names[i][0], text, sizeof text);
        assert_string_equal(text, names[i][1]);
    }
}

static void a_long_name_is_cut_off(void **state)
{
    char text[8];
    wt_demangle("_Z4fillPii", text, sizeof text);
    assert_string_equal(text, "fill(in");
}

static void people_leave_out_what_is_clear(void **state)
{
    static const char *const good[][2] = {
        {"vadd", "vadd"},
        {"_Z4fillPii", "_Z4fillPii"},
        {"_Z4fillPii", "fill(int*, int)"},
        {"_Z4fillPii", "fill"},
        {TEMPLATE, "void ns::scale<float>(float*, float)"},
        {TEMPLATE, "ns::scale<float>(float*, float)"},
        {TEMPLATE, "ns::scale<float>"},
        {TEMPLATE, "ns::scale"},
        {TEMPLATE, "scale<float>"},
        {TEMPLATE, "scale"},
        {CLONE, "fill"},
        {CLONE, "fill(int*, int)"},
        {CLONE, "fill(int*, int) [clone ._omp_fn.0]"},
        {REGION, "fill"},
        {REGION, "fill:20"},
        {REGION, "fill(int*, int):20"},
        {"__omp_offloading_fe00_53a511_main_l12", "main"},
        {"main._omp_fn.0", "main"},
        {HIDDEN, "fill"},
        {HIDDEN, "(anonymous namespace)::fill"},
    };
    static const char *const bad[][2] = {
        {"vadd", "vad"},
        {"vadd", "vadd2"},
        {"vadd", ""},
        {"_Z4fillPii", "fill("},
        {"_Z4fillPii", "fil"},
        {"_Z4fillPii", "fill(int*)"},
        {"_Z4fillPii", ""},
        {TEMPLATE, "ns"},
        {TEMPLATE, "void"},
        {TEMPLATE, "scale<int>"},
        {TEMPLATE, "float"},
        {REGION, "fill:2"},
        {REGION, "20"},
        {"main._omp_fn.0", "main._omp_fn.1"},
        {"main._omp_fn.0", "0"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(wt_name_matches(good[i][0], good[i][1]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(wt_name_matches(bad[i][0], bad[i][1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_written_as_in_the_source),
        cmocka_unit_test(the_code_of_a_region_is_of_its_function),
        cmocka_unit_test(a_long_name_is_cut_off),
        cmocka_unit_test(people_leave_out_what_is_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
