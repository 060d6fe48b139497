/* Texts that are put together from pieces, sets of lanes and bytes as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "base/text.h"

static void test_pieces_follow_each_other(void **state)
{
    char room[12];
    struct wt_text text = {room, sizeof room};
    wt_text_add(&text, "%s=%u", "r1", 7u);
    wt_text_add(&text, " %c", 'x');
    assert_string_equal(room, "r1=7 x");
    assert_ptr_equal(text.at, room + 6);
    assert_int_equal(text.left, 6);
}

static void test_a_piece_that_does_not_fit_is_left_out(void **state)
{
    char room[8];
    struct wt_text text = {room, sizeof room};
    wt_text_add(&text, "12345");
    wt_text_add(&text, "678"); /* the NUL has no room */
    assert_string_equal(room, "12345");
    wt_text_add(&text, "67");
    assert_string_equal(room, "1234567");
    wt_text_add(&text, "8");
    assert_string_equal(room, "1234567");
    struct wt_text none = {room, 0};
    wt_text_add(&none, "9");
    assert_string_equal(room, "1234567");
}

static void test_sets_of_lanes(void **state)
{
    char text[40];
    wt_mask_text(wt_lanes_first(5), text, sizeof text);
    assert_string_equal(text, "0x1f");
    wt_mask_text(wt_lane_bit(127) | 1, text, sizeof text);
    assert_string_equal(text, "0x80000000000000000000000000000001");
}

static void test_values_of_some_lanes(void **state)
{
    const uint8_t all[] = {0, 1, 10, 11, 20, 21, 30, 31};
    uint8_t out[5] = {0};
    assert_ptr_equal(wt_lanes_gather(wt_lane_bit(1) | wt_lane_bit(3), all, 2, out), out + 4);
    assert_memory_equal(out, ((uint8_t[]){10, 11, 30, 31, 0}), 5);
    assert_ptr_equal(wt_lanes_gather(0, all, 2, out), out);
}

static void test_bytes(void **state)
{
    struct wt_error err;
    uint8_t *bytes;
    size_t length;
    assert_int_equal(wt_parse_bytes("00fFa1", &bytes, &length, &err), WT_OK);
    assert_int_equal(length, 3);
    assert_memory_equal(bytes, ((uint8_t[]){0, 0xff, 0xa1}), 3);
    free(bytes);
    assert_int_equal(wt_parse_bytes("", &bytes, &length, &err), WT_INVALID);
    assert_int_equal(wt_parse_bytes("123", &bytes, &length, &err), WT_INVALID);
    assert_int_equal(wt_parse_bytes("0x12", &bytes, &length, &err), WT_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_follow_each_other),
        cmocka_unit_test(test_a_piece_that_does_not_fit_is_left_out),
        cmocka_unit_test(test_sets_of_lanes),
        cmocka_unit_test(test_values_of_some_lanes),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
