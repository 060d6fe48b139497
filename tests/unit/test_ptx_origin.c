/* Variables from which addresses of PTX come: the truth stands in the operand that an access has
 * beside the address, a number of `names`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/sm/ptx/image.h"
#include "object/ptx.h"

static const char *const names[] = {NULL, "table", "other", "inner", "", "k_param_1", "pair"};

#define HEAD                                                                                       \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                                              \
    ".global .b8 table[64];\n.const .b8 other[32];\n"                                              \
    ".extern .shared .b8 any[];\n"
#define KERNEL(body)                                                                               \
    ".visible .entry k(.param .u64 k_param_0, .param .b8 k_param_1[16])\n{\n"                      \
    ".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.shared .b8 inner[16];\n"             \
    ".local .b8 __local_depot0[8];\nld.param.u64 %rd8, [k_param_0];\nmov.u32 %r8, %tid.x;\n" body  \
    "ret;\n}\n"

static const char *const programs[] = {
    /* Sums, copies, widths, spaces: a number may be added on either side. */
    KERNEL("mov.u64 %rd1, table; mul.wide.u32 %rd2, %r8, 4; add.s64 %rd3, %rd2, %rd1;"
           "st.global.u32 [%rd3+4], 1; st.global.u32 [table+400], 1; sub.s64 %rd4, %rd3, %rd8;"
           "st.u32 [%rd4], 1; sub.s64 %rd4, %rd2, %rd1; st.u32 [%rd4], 0;"
           "mov.u32 %r1, inner; add.s32 %r1, %r1, %r8; st.shared.u32 [%r1], 3;"
           "cvt.u64.u32 %rd5, %r1; st.shared.u32 [%rd5], 3; add.u64 %rd6, %rd5, %rd1;"
           "st.u32 [%rd6], 0; mov.u64 %rd1, any; st.shared.u32 [%rd1], 0; st.u32 [%rd8], 0;"
           "mov.u64 %rd1, __local_depot0; cvta.local.u64 %rd1, %rd1; st.u32 [%rd1], 4;"
           "mov.b64 %rd1, k_param_1; cvta.param.u64 %rd1, %rd1; st.u32 [%rd1+8], 5;"
           "mov.u64 %rd1, other; st.u32 [%rd1], 2; shl.b64 %rd1, %rd1, 1; st.u32 [%rd1], 0;"
           "ld.u64 %rd1, [%rd1]; st.u32 [%rd1], 0;"),
    /* A register that is used again, and one that has two addresses by the way; a loop. */
    KERNEL("mov.u64 %rd1, table; st.u32 [%rd1], 1; mov.u64 %rd1, other; st.u32 [%rd1], 2;"
           "setp.eq.u32 %p1, %r8, 0; @%p1 bra A; mov.u64 %rd1, table; A: st.u32 [%rd1], 0;"
           "mov.u64 %rd2, table; mov.u32 %r1, 0; B: st.u32 [%rd2], 1; add.s64 %rd2, %rd2, 4;"
           "add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra B;"
           "selp.b64 %rd3, %rd2, %rd1, %p1; st.u32 [%rd3], 0;"),
    /* Of a guard: the other value stays, unless nobody has written one. */
    KERNEL("setp.eq.u32 %p1, %r8, 0; @%p1 mov.u64 %rd1, table; st.u32 [%rd1], 1;"
           "@!%p1 mov.u64 %rd1, table; st.u32 [%rd1], 1; @%p1 mov.u64 %rd1, other;"
           "st.u32 [%rd1], 0; @%p1 bra A; st.u32 [table], 1; A: st.u32 [other], 2;"),
    /* One of several places, of which two have different values. */
    KERNEL("mov.u64 %rd1, table; mov.u64 %rd2, table; ts: .branchtargets A, B, C;"
           "brx.idx %r8, ts; A: mov.u64 %rd2, other; B: st.u32 [%rd1], 1; st.u32 [%rd2], 0;"
           "bra C; C: st.u32 [%rd1], 1;"),
    /* A parameter of a function is no kernel's; two functions have variables of one name. */
    ".func f(.param .b8 pair[8])\n{\n.reg .b64 %rd<3>;\n.shared .b8 inner[16];\n"
    "mov.b64 %rd1, pair; st.u32 [%rd1], 6; mov.u64 %rd2, inner; st.shared.u32 [%rd2], 3; "
    "ret;\n}\n" KERNEL(".param .b8 p[8]; mov.u64 %rd1, table; call f, (p); mov.u64 %rd2, inner;"
                       "st.shared.u32 [%rd2], 3; st.u32 [%rd1], 1;"),
};

static void origins_are_found(void **state)
{
    char text[8192];
    struct wt_error err;
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct ptx_module module;
        struct sm_ptx *image;
        unsigned stores = 0;
        snprintf(text, sizeof text, HEAD "%s", programs[i]);
        const struct sm_ptx_module one = {"test", &module};
        if (ptx_parse("test", text, strlen(text), &module, &err) != WT_OK ||
            sm_ptx_link(&one, 1, 0x10000, 0x80000, &image, &err) != WT_OK)
            fail_msg("%s", err.text);
        sm_ptx_find_origins(image, NULL, 0);
        for (size_t k = 0; k < image->op_count; k++) {
            const struct ptx_op *o = &image->op[k];
            if (o->run != ptx_op_store || !o->vector_constant[0])
                continue; /* a call stores, too */
            const char *right = names[ptx_get(o->vector_constant[0], 4, 0)],
                       *name = o->origin ? o->origin->variable.name : NULL;
            if (right ? !name || strcmp(name, right) != 0 : name != NULL)
                fail_msg("program %zu, store %u: %s, not %s", i, stores, name ? name : "none",
                         right ? right : "none");
            stores++;
        }
        assert_true(stores > 2);
        sm_ptx_free(image);
        ptx_free(&module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(origins_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
