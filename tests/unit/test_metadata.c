/* What a code object's metadata may not say about a kernel's arguments and about printf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <msgpack.h>

#include "object/code_object.h"
#include "object/metadata.h"

struct argument {
    uint32_t offset, size;
    const char *kind;
};

static void text(msgpack_packer *p, const char *text)
{
    msgpack_pack_str_with_body(p, text, strlen(text));
}

/* Adds metadata of one kernel with 64 bytes of arguments, and one text of printf. */
static enum wt_status add(const struct argument *a, size_t arguments, const char *format,
                          struct gcn_object *object, struct wt_error *err)
{
    msgpack_sbuffer buffer;
    msgpack_packer p;
    msgpack_sbuffer_init(&buffer);
    msgpack_packer_init(&p, &buffer, msgpack_sbuffer_write);
    msgpack_pack_map(&p, format ? 2 : 1);
    if (format) {
        text(&p, "amdhsa.printf");
        msgpack_pack_array(&p, 1);
        text(&p, format);
    }
    text(&p, "amdhsa.kernels");
    msgpack_pack_array(&p, 1);
    msgpack_pack_map(&p, 3);
    text(&p, ".name");
    text(&p, "k");
    text(&p, ".kernarg_segment_size");
    msgpack_pack_uint32(&p, 64);
    text(&p, ".args");
    msgpack_pack_array(&p, arguments);
    for (size_t i = 0; i < arguments; i++) {
        msgpack_pack_map(&p, 3);
        text(&p, ".offset");
        msgpack_pack_uint32(&p, a[i].offset);
        text(&p, ".size");
        msgpack_pack_uint32(&p, a[i].size);
        text(&p, ".value_kind");
        text(&p, a[i].kind);
    }
    const enum wt_status status =
        gcn_metadata_parse("k.co", (const uint8_t *)buffer.data, buffer.size, object, err);
    msgpack_sbuffer_destroy(&buffer);
    return status;
}

static enum wt_status parse(const struct argument *a, size_t arguments, const char *format,
                            struct gcn_object *object, struct wt_error *err)
{
    *object = (struct gcn_object){0};
    return add(a, arguments, format, object, err);
}

/* GCC makes a note for each kernel. */
static void test_notes_add_up(void **state)
{
    static const struct argument a[] = {{0, 8, "global_buffer"}, {8, 4, "by_value"}};
    struct gcn_object object = {0};
    struct wt_error err;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(add(a, i, i ? "1:0:text" : NULL, &object, &err), WT_OK);
    assert_int_equal(object.kernels, 3);
    assert_int_equal(object.formats, 2);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(object.kernel[i].name, "k");
        assert_int_equal(object.kernel[i].arguments, i);
    }
    gcn_object_free(&object);
}

static void test_arguments_that_are_sound(void **state)
{
    static const struct argument a[] = {
        {0, 8, "global_buffer"},           {8, 3, "by_value"},
        {12, 4, "dynamic_shared_pointer"}, {16, 8, "image"},
        {24, 4, "hidden_block_count_x"},   {28, 2, "hidden_group_size_x"},
        {32, 8, "hidden_queue_ptr"},       {40, 8, "hidden_of_tomorrow"},
        {48, 8, "hidden_printf_buffer"}};
    struct gcn_object object;
    struct wt_error err;
    (void)state;
    assert_int_equal(parse(a, 9, NULL, &object, &err), WT_OK);
    assert_int_equal(object.kernels, 1);
    assert_int_equal(object.kernel[0].arguments, 9);
    assert_int_equal(object.kernel[0].explicit_arguments, 4);
    assert_int_equal(object.kernel[0].argument[7].kind, GCN_ARG_HIDDEN_ZERO);
    assert_int_equal(object.kernel[0].argument[8].kind, GCN_ARG_PRINTF_BUFFER);
    gcn_object_free(&object);
}

static void test_arguments_that_are_not(void **state)
{
    static const struct {
        struct argument a[2];
        const char *words;
    } bad[] = {
        {{{0, 8, "by_value"}, {4, 8, "by_value"}}, "argument 1 of kernel k overlaps one before it"},
        {{{4, 8, "by_value"}, {0, 8, "by_value"}}, "argument 1 of kernel k overlaps one before it"},
        {{{0, 64, "by_value"}, {63, 1, "hidden_none"}}, "overlaps one before it"},
        {{{0, 8, "by_value"}, {60, 8, "by_value"}}, "argument 1 of kernel k lies outside its 64"},
        {{{0, 8, "by_value"}, {UINT32_MAX, 8, "by_value"}}, "lies outside its 64"},
        {{{0, 65, "by_value"}, {0, 0, "by_value"}}, "argument 0 of kernel k lies outside its 64"},
        {{{0, 8, "by_value"}, {8, 4, "global_buffer"}}, "(global_buffer) cannot have 4 bytes"},
        {{{0, 8, "dynamic_shared_pointer"}, {8, 4, "by_value"}}, "cannot have 8 bytes"},
        {{{0, 8, "by_value"}, {8, 4, "hidden_queue_ptr"}}, "(hidden_queue_ptr) cannot have 4"},
        {{{0, 8, "by_value"}, {8, 12, "hidden_none"}}, "(hidden_none) cannot have 12 bytes"},
        {{{0, 8, "hidden_none"}, {8, 8, "by_value"}}, "comes after hidden ones"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct gcn_object object;
        struct wt_error err;
        assert_int_equal(parse(bad[i].a, 2, NULL, &object, &err), WT_INVALID);
        if (!strstr(err.text, bad[i].words))
            fail_msg("'%s' does not say '%s'", err.text, bad[i].words);
        gcn_object_free(&object);
    }
}

static void test_texts_of_printf(void **state)
{
    static const char *const bad[] = {"",
                                      "1",
                                      "1:",
                                      "x:1:4:%d",
                                      "1:2:3:%d",
                                      "1:1:0:%d",

                                      "1:99999:4:%d",
                                      "4294967296:0:text"};
    struct gcn_object object;
    struct wt_error err;
    (void)state;
    assert_int_equal(parse(NULL, 0, "7:2:4:8:at\\72 %d\\n%ld: 1:2", &object, &err), WT_OK);
    assert_int_equal(object.formats, 1);
    assert_int_equal(object.format[0].id, 7);
    assert_int_equal(object.format[0].sizes, 2);
    assert_int_equal(object.format[0].size[0], 4);
    assert_int_equal(object.format[0].size[1], 8);
    assert_string_equal(object.format[0].text, "at: %d\n%ld: 1:2");
    gcn_object_free(&object);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(parse(NULL, 0, bad[i], &object, &err), WT_INVALID);
        assert_non_null(strstr(err.text, "amdhsa.printf"));
        gcn_object_free(&object);
    }
}

/* What is claimed is not made room for before it is there. */
static void test_counts_that_cannot_be(void **state)
{
    static const struct {
        uint8_t bytes[8];
        size_t length;
    } bad[] = {
        {{0xdd, 0x7f, 0xff, 0xff, 0xff}, 5},
        {{0xdf, 0xff, 0xff, 0xff, 0xff}, 5},
        {{0xdc, 0, 2, 0xc0}, 4},
        {{0x92, 0x92, 0xc0, 0xc0}, 4},
        {{0x81, 0xa4, 'a'}, 3},
        {{0x91}, 1},
        {{0}, 0},
    };
    struct gcn_object object = {0};
    struct wt_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(gcn_metadata_parse("k.co", bad[i].bytes, bad[i].length, &object, &err),
                         WT_INVALID);
        assert_non_null(strstr(err.text, "cut off"));
        gcn_object_free(&object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notes_add_up),
        cmocka_unit_test(test_arguments_that_are_sound),
        cmocka_unit_test(test_arguments_that_are_not),
        cmocka_unit_test(test_texts_of_printf),
        cmocka_unit_test(test_counts_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
