/* Parsed PTX as bytes: what comes back is the same tree, and nothing else does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "object/ptx_store.h"

static const char text[] =
    ".version 8.0\n.target sm_50\n.address_size 64\n.file 1 \"k.cu\"\n"
    ".visible .global .align 4 .u32 table[3] = {1, 2, 3};\n.visible .global .u64 link = table;\n"
    ".visible .entry k(.param .u64 out)\n{\n .reg .b32 %r<4>;\n .reg .b64 %a;\n .reg .pred %p;\n"
    " .loc 1 7 3\n ld.param.u64 %a, [out];\n mov.u32 %r1, %tid.x;\n setp.eq.u32 %p, %r1, 0;\n"
    "L: @%p st.global.v2.u32 [%a+8], {%r1, %r2};\n ret;\n}\n.alias other, k;\n"
    ".section .debug_abbrev\n{\n.b8 1\n}\n";

static void same_name(struct ptx_name a, struct ptx_name b)
{
    assert_int_equal(a.at != NULL, b.at != NULL);
    assert_true(ptx_names_equal(a, b));
}

static void parse(struct ptx_module *m)
{
    struct wt_error err;
    if (ptx_parse("test", text, sizeof text, m, &err) != WT_OK)
        fail_msg("%s", err.text);
}

static void test_the_same_tree(void **state)
{
    struct ptx_module a, b;
    uint8_t *bytes;
    size_t length;
    parse(&a);
    assert_true(ptx_store(&a, &bytes, &length));
    assert_true(ptx_restore(bytes, length, text, strlen(text), &b));
    free(bytes);
    assert_string_equal(a.text, b.text);
    assert_ptr_not_equal(a.text, b.text);
    same_name(a.target, b.target);
    assert_int_equal(a.version, b.version);
    assert_int_equal(a.address_size, b.address_size);
    assert_int_equal(a.statement_count, b.statement_count);
    for (size_t i = 0; i < a.statement_count; i++) {
        const struct ptx_statement *x = &a.statement[i], *y = &b.statement[i];
        same_name(x->name, y->name);
        same_name(x->guard, y->guard);
        same_name(x->text, y->text);
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->operand, y->operand);
        assert_int_equal(x->operand_count, y->operand_count);
        assert_int_equal(x->line, y->line);
    }
    assert_int_equal(a.item_count, b.item_count);
    for (size_t i = 0; i < a.item_count; i++) {
        same_name(a.item[i].name, b.item[i].name);
        same_name(a.item[i].component, b.item[i].component);
        assert_int_equal(a.item[i].kind, b.item[i].kind);
        assert_int_equal(a.item[i].offset, b.item[i].offset);
    }
    assert_int_equal(a.variable_count, b.variable_count);
    for (size_t i = 0; i < a.variable_count; i++) {
        same_name(a.variable[i].name, b.variable[i].name);
        assert_int_equal(a.variable[i].bytes, b.variable[i].bytes);
    }
    assert_int_equal(a.initial_count, 4);
    assert_int_equal(b.initial_count, 4);
    same_name(a.initial[3].symbol, b.initial[3].symbol);
    assert_true(ptx_name_is(b.function[0].name, "k"));
    assert_true(ptx_name_is(b.alias[0].target, "k"));
    same_name(a.file[0].name, b.file[0].name);
    same_name(a.section[0].body, b.section[0].body);
    assert_memory_equal(a.global, b.global, a.global_count * sizeof *a.global);
    ptx_free(&a);
    ptx_free(&b);
}

/* What the heap and the stack held before is in no byte: equal texts make equal files. */
static uint8_t *bytes_over(int fill, size_t *length)
{
    volatile uint8_t below[1 << 14];
    void *block[1 << 12];
    struct ptx_module m;
    uint8_t *bytes;
    for (size_t i = 0; i < sizeof below; i++)
        below[i] = (uint8_t)fill;
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) {
        block[i] = malloc(i + 1);
        assert_non_null(block[i]);
        memset(block[i], fill, i + 1);
    }
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        free(block[i]);
    parse(&m);
    assert_true(ptx_store(&m, &bytes, length));
    ptx_free(&m);
    return bytes;
}

static void test_equal_texts_make_equal_bytes(void **state)
{
    size_t length, other_length;
    uint8_t *bytes = bytes_over(0x5a, &length), *other = bytes_over(0xa5, &other_length);
    assert_int_equal(length, other_length);
    assert_memory_equal(bytes, other, length);
    free(bytes);
    free(other);
}

/* Each bit that is flipped, each length that is missing, another text: nothing comes back. */
static void test_what_is_damaged(void **state)
{
    struct ptx_module a, b;
    uint8_t *bytes;
    size_t length;
    char other[sizeof text];
    parse(&a);
    assert_true(ptx_store(&a, &bytes, &length));
    for (size_t i = 0; i < length; i++) {
        bytes[i] ^= (uint8_t)(1 << i % 8);
        if (ptx_restore(bytes, length, text, strlen(text), &b))
            fail_msg("byte %zu is not the one that was stored", i);
        assert_null(b.text);
        bytes[i] ^= (uint8_t)(1 << i % 8);
    }
    for (size_t i = 0; i < length; i++) {
        uint8_t *part = malloc(i ? i : 1); /* so that a read beyond it is seen */
        memcpy(part, bytes, i);
        assert_false(ptx_restore(part, i, text, strlen(text), &b));
        free(part);
    }
    memcpy(other, text, sizeof text);
    other[sizeof text / 2]++;
    assert_false(ptx_restore(bytes, length, other, strlen(other), &b));
    assert_false(ptx_restore(bytes, length, text, strlen(text) - 1, &b));
    assert_true(ptx_restore(bytes, length, text, strlen(text), &b));
    ptx_free(&b);
    ptx_free(&a);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_tree),
        cmocka_unit_test(test_equal_texts_make_equal_bytes),
        cmocka_unit_test(test_what_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
