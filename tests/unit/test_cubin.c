/* Variables and relocations of cubins: what is written reads back, and addresses get their places.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "object/cubin.h"

enum { RELOCATIONS = 7 };

/* Two functions, a variable with a value, one without, a constant, and a bank with addresses. */
static void make(struct cubin *c)
{
    static const struct cubin_relocation list[RELOCATIONS] = {
        {.part = CUBIN_CODE, .offset = 8, .field = CUBIN_LOW_20, .target = 0},
        {.part = CUBIN_CODE, .offset = 16, .field = CUBIN_HIGH_20, .target = 0, .addend = 4},
        {.part = CUBIN_CODE,
         .offset = 24,
         .field = CUBIN_WHOLE_20,
         .to_function = true,
         .target = 1},
        {.part = CUBIN_DATA, .offset = 8, .field = CUBIN_ADDRESS_64, .target = 1},
        {.part = CUBIN_BANK, .bank = 4, .field = CUBIN_ADDRESS_64, .target = 2},
        {.part = CUBIN_BANK,
         .bank = 4,
         .offset = 8,
         .field = CUBIN_ADDRESS_32,
         .target = 0,
         .addend = 8},
        {.part = CUBIN_BANK3,
         .offset = 8,
         .field = CUBIN_ADDRESS_64,
         .to_function = true,
         .target = 0},
    };
    *c = (struct cubin){.sm = 50,
                        .function_count = 2,
                        .variable_count = 3,
                        .relocation_count = RELOCATIONS,
                        .initialized = 16,
                        .data_size = 0x200,
                        .bank3_size = 16};
    c->function = calloc(2, sizeof *c->function);
    for (unsigned i = 0; i < 2; i++) {
        struct cubin_function *f = &c->function[i];
        f->name = strdup(i ? "callee" : "kernel");
        f->is_kernel = !i;
        f->size = 32;
        memset(cubin_append_code(c, 32, &f->code), 0xff, 32);
    }
    c->function[0].bank[4] = calloc(1, 16);
    c->function[0].bank_size[4] = 16;
    c->data = calloc(1, c->data_size);
    c->bank3 = calloc(1, 16);
    c->variable = calloc(3, sizeof *c->variable);
    c->variable[0] = (struct cubin_variable){.name = strdup("value"), .size = 16};
    c->variable[1] =
        (struct cubin_variable){.name = strdup("zeros"), .offset = 0x100, .size = 0x100};
    c->variable[2] =
        (struct cubin_variable){.name = strdup("constant"), .is_constant = true, .size = 8};
    c->relocation = malloc(sizeof list);
    memcpy(c->relocation, list, sizeof list);
}

static void check_addresses(const struct cubin *c, uint64_t code, uint64_t data, uint64_t bank3)
{
    const uint8_t *k = c->code + c->function[0].code, *bank = c->function[0].bank[4];
    const uint64_t rest = 0xfff00000000fffff; /* bits of an instruction that stay */
    assert_true(wt_load_le(k, 8) == UINT64_MAX);
    assert_true(wt_load_le(k + 8, 8) == (rest | (data & UINT32_MAX) << 20));
    assert_true(wt_load_le(k + 16, 8) == (rest | (data + 4) >> 32 << 20));
    assert_true(wt_load_le(k + 24, 8) == (rest | (code + c->function[1].code) << 20));
    assert_true(wt_load_le(c->data + 8, 8) == data + 0x100);
    assert_true(wt_load_le(bank, 8) == bank3);
    assert_true(wt_load_le(bank + 8, 4) == ((data + 8) & UINT32_MAX));
    assert_true(wt_load_le(c->bank3 + 8, 8) == code + c->function[0].code);
}

static void test_written_read_and_relocated(void **state)
{
    struct cubin c, again;
    struct wt_error err;
    uint8_t *bytes;
    size_t length;
    make(&c);
    assert_int_equal(cubin_write(&c, &bytes, &length, &err), WT_OK);
    if (cubin_parse("test", bytes, length, &again, &err) != WT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(again.data_size, c.data_size);
    assert_int_equal(again.initialized, 16);
    assert_int_equal(again.relocation_count, RELOCATIONS);
    for (size_t i = 0; i < 3; i++) {
        const struct cubin_variable *v = cubin_find_variable(&again, c.variable[i].name);
        assert_non_null(v);
        assert_int_equal(v->offset, c.variable[i].offset);
        assert_int_equal(v->size, c.variable[i].size);
        assert_int_equal(v->is_constant, c.variable[i].is_constant);
    }
    cubin_relocate(&again, 0x10000000, 0x1fffffffc, 0x30030000);
    check_addresses(&again, 0x10000000, 0x1fffffffc, 0x30030000);
    cubin_relocate(&again, 0x20000000, 0x700000001000, 0x40000);
    check_addresses(&again, 0x20000000, 0x700000001000, 0x40000);
    cubin_free(&again);
    cubin_free(&c);
    free(bytes);
}

static void expect_refused(struct cubin_relocation change, enum wt_status status, const char *why)
{
    struct cubin c, again;
    struct wt_error err;
    uint8_t *bytes;
    size_t length;
    make(&c);
    c.relocation[0] = change;
    assert_int_equal(cubin_write(&c, &bytes, &length, &err), WT_OK);
    assert_int_equal(cubin_parse("test", bytes, length, &again, &err), status);
    if (!strstr(err.text, why))
        fail_msg("'%s', not '%s'", err.text, why);
    cubin_free(&c);
    free(bytes);
}

static void test_what_is_refused(void **state)
{
    const struct cubin_relocation good = {.part = CUBIN_CODE, .offset = 8, .field = CUBIN_LOW_20};
    struct cubin_relocation r = good;
    r.field = (enum cubin_field)99;
    expect_refused(r, WT_UNSUPPORTED, "relocations of type 99 are not supported");
    r = good;
    r.offset = 32;
    expect_refused(r, WT_INVALID, "a relocation is at 0x20, where it cannot be");
    r.offset = 0; /* the control word */
    expect_refused(r, WT_INVALID, "a relocation is at 0x0, where it cannot be");
    r = good;
    r.part = CUBIN_DATA;
    expect_refused(r, WT_INVALID, "a relocation is at 0x8, where it cannot be");
    r = good;
    r.target = 1000;
    expect_refused(r, WT_INVALID, "a relocation has no symbol");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_read_and_relocated),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
