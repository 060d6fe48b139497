/* The table of Debug Module registers, against the figures of the VxDebug specification. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "debug/vortex/vxdebug.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The figures list fields from bit 0 up, by width; a name of NULL is reserved. */
static void fields_lie_as_in_the_figures(void **state)
{
    static const struct {
        const char *reg;
        struct {
            unsigned width;
            const char *name;
        } fields[17];
    } figures[] = {
        {"PLATFORM",
         {{3, "numthreads"},
          {9, "numwarps"},
          {9, "numcores"},
          {7, "numclusters"},
          {4, "platformid"}}},
        {"DCONFIG", {{1, "EH"}, {25, NULL}, {3, "RHC"}, {3, "NRC"}}},
        {"DSELECT", {{7, "threadsel"}, {15, "warpsel"}, {10, "winsel"}}},
        {"WMASK", {{32, "mask"}}},
        {"WACTIVE", {{32, "astatus"}}},
        {"WSTATUS", {{32, "status"}}},
        {"DCTRL",
         {{1, "HR"},
          {1, "RR"},
          {1, "RHR"},
          {1, "SR"},
          {2, "SST"},
          {1, "IR"},
          {2, "IST"},
          {3, "HC"},
          {12, NULL},
          {1, "NU"},
          {1, "AU"},
          {1, "NR"},
          {1, "AR"},
          {1, "NH"},
          {1, "AH"},
          {1, "NT"},
          {1, "DA"}}},
        {"DPC", {{32, "pc"}}},
        {"INJECT", {{32, "instr"}}},
        {"DSCRATCH0", {{32, "data"}}},
    };
    for (size_t i = 0; i < COUNT(figures); i++) {
        const struct wt_hw_register *reg =
            wt_hw_find(&wt_vxdebug_table, figures[i].reg, strlen(figures[i].reg));
        assert_non_null(reg);
        assert_int_equal(reg->addr, i);
        unsigned lsb = 0;
        size_t named = 0;
        for (size_t j = 0; j < COUNT(figures[i].fields) && figures[i].fields[j].width; j++) {
            const char *name = figures[i].fields[j].name;
            unsigned width = figures[i].fields[j].width;
            if (name) {
                const struct wt_hw_field *field = wt_hw_find_field(reg, name, strlen(name));
                if (!field)
                    fail_msg("%s has no field %s", reg->name, name);
                assert_int_equal(field->lsb, lsb);
                assert_int_equal(field->msb, lsb + width - 1);
                named++;
            }
            lsb += width;
        }
        assert_int_equal(lsb, 32);
        assert_int_equal(named, reg->field_count);
    }
    assert_int_equal(wt_vxdebug_table.count, 13);
    for (size_t i = 0; i < wt_vxdebug_table.count; i++)
        assert_int_equal(wt_vxdebug_table.registers[i].addr, i);
}

static void names_are_found_in_any_case_and_whole(void **state)
{
    const struct wt_hw_register *dctrl = wt_hw_find(&wt_vxdebug_table, "dctrl", 5);
    assert_non_null(dctrl);
    assert_null(wt_hw_find(&wt_vxdebug_table, "DCTR", 4));
    assert_null(wt_hw_find(&wt_vxdebug_table, "DCTRLX", 6));
    assert_ptr_equal(wt_hw_find_field(dctrl, "HACAUSE", 7), wt_hw_find_field(dctrl, "hc", 2));
    assert_null(wt_hw_find_field(dctrl, "hacaus", 6));
    assert_null(wt_hw_find_field(dctrl, "", 0));
}

/* "Shows halt cause of currently selected warp (3b000: NONE, … 3b100: RESETHALTREQ)" */
static void values_have_the_names_of_the_specification(void **state)
{
    const struct wt_hw_register *dctrl = wt_hw_find(&wt_vxdebug_table, "DCTRL", 5);
    const struct wt_hw_field *cause = wt_hw_find_field(dctrl, "hacause", 7);
    const struct wt_hw_field *step = wt_hw_find_field(dctrl, "stepstate", 9);
    assert_string_equal(wt_hw_value_name(cause, 1), "EBREAK");
    assert_string_equal(wt_hw_value_name(cause, 4), "RESETHALTREQ");
    assert_null(wt_hw_value_name(cause, 5));
    assert_string_equal(wt_hw_value_name(step, 2), "INFLIGHT");
    assert_null(wt_hw_value_name(wt_hw_find_field(dctrl, "haltreq", 7), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_lie_as_in_the_figures),
        cmocka_unit_test(names_are_found_in_any_case_and_whole),
        cmocka_unit_test(values_have_the_names_of_the_specification),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
