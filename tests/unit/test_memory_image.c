/* Pieces of memory that are kept (target/memory_image.h). */
#include "target/memory_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint8_t *bytes_of(const char *text)
{
    uint8_t *bytes = malloc(strlen(text));
    assert_non_null(bytes);
    return memcpy(bytes, text, strlen(text));
}

static void pieces_are_read(void **state)
{
    struct wt_memory_image image = {0};
    char out[8];
    (void)state;
    assert_false(wt_memory_image_read(&image, 0x1000, out, 1));
    assert_true(wt_memory_image_add(&image, 0x1000, bytes_of("abcd"), 4));
    assert_true(wt_memory_image_add(&image, 0x1004, NULL, UINT64_C(1) << 40));
    assert_true(wt_memory_image_add(&image, (UINT64_C(1) << 40) + 0x2000, bytes_of("xy"), 2));
    assert_true(wt_memory_image_read(&image, 0x1002, out, 4));
    assert_memory_equal(out, "cd\0\0", 4);
    assert_true(wt_memory_image_read(&image, (UINT64_C(1) << 40) + 0x1003, out, 1));
    assert_int_equal(out[0], 0);
    assert_true(wt_memory_image_read(&image, (UINT64_C(1) << 40) + 0x2001, out, 1));
    assert_int_equal(out[0], 'y');
    wt_memory_image_free(&image);
    assert_int_equal(image.piece_count, 0);
}

static void what_is_not_kept_is_not_read(void **state)
{
    struct wt_memory_image image = {0};
    char out[8];
    (void)state;
    assert_true(wt_memory_image_add(&image, 0x1000, bytes_of("abcd"), 4));
    assert_true(wt_memory_image_add(&image, 0x1008, bytes_of("efgh"), 4));
    assert_false(wt_memory_image_read(&image, 0xfff, out, 1));
    assert_false(wt_memory_image_read(&image, 0x1002, out, 8)); /* there is a gap */
    assert_false(wt_memory_image_read(&image, 0x100a, out, 4));
    assert_true(wt_memory_image_read(&image, 0x100a, out, 2));
    wt_memory_image_free(&image);
}

static void pieces_come_in_order(void **state)
{
    struct wt_memory_image image = {0};
    (void)state;
    assert_true(wt_memory_image_add(&image, 0x1000, bytes_of("abcd"), 4));
    assert_false(wt_memory_image_add(&image, 0x1003, bytes_of("e"), 1));
    assert_false(wt_memory_image_add(&image, 0x800, bytes_of("e"), 1));
    assert_false(wt_memory_image_add(&image, UINT64_MAX, bytes_of("ef"), 2));
    assert_int_equal(image.piece_count, 1);
    wt_memory_image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_read),
        cmocka_unit_test(what_is_not_kept_is_not_read),
        cmocka_unit_test(pieces_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
