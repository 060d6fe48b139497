/* Sizes of the arguments of SPIR-V's kernels (runtime/opencl/spirv.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/opencl/spirv.h"

#define OP(opcode, length) ((uint32_t)(length) << 16 | (opcode))

/* kernel k(int, double, short4, int3, global int *), and a function g of an int. */
static const uint32_t module[] = {
    0x07230203, 0x00010000, 0,  20,  0,                             /* the header: 20 ids */
    OP(15, 4),  6,          10, 'k',                                /* OpEntryPoint Kernel */
    OP(19, 2),  1,                                                  /* OpTypeVoid */
    OP(21, 4),  2,          32, 0,                                  /* OpTypeInt */
    OP(22, 3),  3,          64,                                     /* OpTypeFloat */
    OP(21, 4),  4,          16, 0,   OP(23, 4), 5, 4,         4,    /* OpTypeVector */
    OP(23, 4),  6,          2,  3,   OP(32, 4), 7, 5,         2,    /* OpTypePointer */
    OP(33, 8),  8,          1,  2,   3,         5, 6,         7,    /* OpTypeFunction */
    OP(33, 4),  9,          1,  2,   OP(54, 5), 1, 11,        0, 9, /* OpFunction */
    OP(56, 1),  OP(54, 5),  1,  10,  0,         8, OP(56, 1),
};
enum { WORDS = sizeof module / sizeof *module, ROOM = 8 };

static void sizes_are_those_of_numbers_and_their_vectors(void **state)
{
    uint32_t size[ROOM];
    assert_int_equal(drm_spirv_arguments(module, WORDS, "k", size, ROOM), 5);
    assert_memory_equal(size, ((uint32_t[]){4, 8, 8, 0, 0}), 5 * sizeof *size);
    assert_int_equal(drm_spirv_arguments(module, WORDS, "k", size, 2), 2);
    assert_int_equal(drm_spirv_arguments(module, WORDS, "g", size, ROOM), 0);
    assert_int_equal(drm_spirv_arguments(module, WORDS, "kk", size, ROOM), 0);
}

/* In memory of its own size, so that sanitizers see what is read beyond. */
static void damaged_modules_are_read_within_their_bounds(void **state)
{
    uint32_t size[ROOM];
    for (size_t count = 0; count <= WORDS; count++) {
        uint32_t *part = malloc(count * sizeof *part + 1);
        assert_non_null(part);
        memcpy(part, module, count * sizeof *part);
        assert_true(drm_spirv_arguments(part, count, "k", size, ROOM) <= 5);
        for (size_t i = 0; i < count; i++) {
            const uint32_t values[] = {0, 7, UINT32_MAX, part[i] ^ 0x10000, part[i] + 1};
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                part[i] = values[v];
                assert_true(drm_spirv_arguments(part, count, "k", size, ROOM) <= ROOM);
            }
            part[i] = module[i];
        }
        free(part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_numbers_and_their_vectors),
        cmocka_unit_test(damaged_modules_are_read_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
