/* Fat binaries of HIP programs: bundles, their targets, and what is malformed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "object/fatbin.h"

enum { PAGE = 4096, ROOM = 4 * PAGE };

static const struct gcn_target the_gpu = {.name = "gfx900", .machine = 0x2c, .lanes = 64};

/* A bundle with an entry of a page for each target; the ELF header of version 4. Returns its size.
 */
static size_t put_bundle(uint8_t *at, const char *const *targets, size_t count)
{
    memcpy(at, "__CLANG_OFFLOAD_BUNDLE__", 24);
    wt_store_le(at + 24, count, 8);
    uint8_t *p = at + 32;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(targets[i]), code = (i + 1) * 1024;
        wt_store_le(p, code, 8);
        wt_store_le(p + 8, 64, 8);
        wt_store_le(p + 16, length, 8);
        memcpy(p + 24, targets[i], length);
        p += 24 + length;
        memcpy(at + code, "\177ELF", 4);
        at[code + 8] = 2;
    }
    return (count + 1) * 1024;
}

static struct gcn_fatbin_bundle first(const uint8_t *bytes, size_t size)
{
    struct gcn_fatbin fatbin = {bytes, size, 0, &the_gpu};
    struct gcn_fatbin_bundle b;
    assert_true(gcn_fatbin_next(&fatbin, &b));
    return b;
}

static void targets_are_told_apart(void **state)
{
    static const struct {
        const char *target;
        enum gcn_fatbin_verdict verdict;
        const char *named;
    } cases[] = {
        {"hipv4-amdgcn-amd-amdhsa--gfx900", GCN_FATBIN_GOOD, "gfx900"},
        {"hip-amdgcn-amd-amdhsa-gfx900", GCN_FATBIN_GOOD, "gfx900"},
        {"hipv4-amdgcn-amd-amdhsa--gfx900:xnack-", GCN_FATBIN_GOOD, "gfx900:xnack-"},
        {"hipv4-amdgcn-amd-amdhsa--gfx900:xnack+", GCN_FATBIN_XNACK, "gfx900:xnack+"},
        {"hipv4-amdgcn-amd-amdhsa--gfx906", GCN_FATBIN_OTHER, "gfx906"},
        {"hipv4-amdgcn-amd-amdhsa--gfx9", GCN_FATBIN_OTHER, "gfx9"},
        {"host-x86_64-unknown-linux--", GCN_FATBIN_OTHER, "nothing"},
        {"hip", GCN_FATBIN_OTHER, "nothing"},
        {"", GCN_FATBIN_OTHER, "nothing"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[ROOM] = {0};
        const struct gcn_fatbin_bundle b = first(bytes, put_bundle(bytes, &cases[i].target, 1));
        assert_int_equal(b.verdict, cases[i].verdict);
        assert_string_equal(b.targets, cases[i].named);
        assert_int_equal(b.version, cases[i].verdict == GCN_FATBIN_GOOD ? 4 : 0);
    }
}

/* A GPU that has XNACK on, off, or as each process chooses; its memory has error correction. */
static void features_are_compared(void **state)
{
    static const struct {
        const char *features;
        bool off, on, either;
    } cases[] = {
        {"", true, true, true},
        {":xnack-", true, false, true},
        {":xnack+", false, true, true},
        {":sramecc+", true, true, true},
        {":sramecc-", false, false, false},
        {":sramecc+:xnack-", true, false, true},
        {":sramecc-:xnack+", false, false, false},
        {":xnack", false, false, false},
        {":xnack+:xnack-", false, false, true},
        {":tgsplit+", false, false, false},
    };
    static const char *const other[] = {"hip-amdgcn-amd-amdhsa-gfx90a:xnack-"};
    uint8_t bytes[ROOM] = {0};
    const size_t size = put_bundle(bytes, other, 1);
    struct gcn_target gpu = {.name = "gfx90a", .machine = 0x3f, .lanes = 64, .sramecc = true};
    struct gcn_fatbin fatbin = {bytes, size, 0, &gpu};
    struct gcn_fatbin_bundle b;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (gpu.xnack = GCN_XNACK_OFF; gpu.xnack <= GCN_XNACK_EITHER; gpu.xnack++)
            assert_int_equal(gcn_target_takes(&gpu, cases[i].features, strlen(cases[i].features)),
                             gpu.xnack == GCN_XNACK_OFF  ? cases[i].off
                             : gpu.xnack == GCN_XNACK_ON ? cases[i].on
                                                         : cases[i].either);
    gpu.xnack = GCN_XNACK_ON;
    assert_true(gcn_fatbin_next(&fatbin, &b));
    assert_int_equal(b.verdict, GCN_FATBIN_XNACK);
}

static void one_target_of_many_will_do(void **state)
{
    static const char *const targets[] = {"host-x86_64-unknown-linux--",
                                          "hipv4-amdgcn-amd-amdhsa--gfx803",
                                          "hipv4-amdgcn-amd-amdhsa--gfx900"};
    uint8_t bytes[ROOM] = {0};
    (void)state;
    struct gcn_fatbin_bundle b = first(bytes, put_bundle(bytes, targets, 3));
    assert_int_equal(b.verdict, GCN_FATBIN_GOOD);
    assert_string_equal(b.targets, "gfx803, gfx900");
    b = first(bytes, put_bundle(bytes, targets, 2));
    assert_int_equal(b.verdict, GCN_FATBIN_OTHER);
    assert_string_equal(b.targets, "gfx803");
}

/* One for each source file, each at a page. */
static void there_are_several_bundles(void **state)
{
    static const char *const good = "hipv4-amdgcn-amd-amdhsa--gfx900",
                             *const other = "hip-amdgcn-amd-amdhsa-gfx90a";
    uint8_t bytes[ROOM] = {0};
    struct gcn_fatbin fatbin = {bytes, ROOM, 0, &the_gpu};
    struct gcn_fatbin_bundle b;
    (void)state;
    put_bundle(bytes, &good, 1);
    put_bundle(bytes + PAGE, &other, 1);
    memcpy(bytes + 3 * PAGE, "CCOB", 4);
    assert_true(gcn_fatbin_next(&fatbin, &b));
    assert_int_equal(b.verdict, GCN_FATBIN_GOOD);
    assert_true(gcn_fatbin_next(&fatbin, &b));
    assert_int_equal(b.verdict, GCN_FATBIN_OTHER);
    assert_string_equal(b.targets, "gfx90a");
    assert_true(gcn_fatbin_next(&fatbin, &b));
    assert_int_equal(b.verdict, GCN_FATBIN_COMPRESSED);
    assert_false(gcn_fatbin_next(&fatbin, &b));
}

static void more_targets_than_can_be_named(void **state)
{
    enum { COUNT = 21 };
    char text[COUNT][48];
    const char *targets[COUNT];
    uint8_t *bytes = calloc(COUNT + 2, 1024);
    (void)state;
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(text[i], sizeof text[i], "hip-amdgcn-amd-amdhsa-gfx1%04u", i);
        targets[i] = text[i];
    }
    /* So many entries need more than the page that put_bundle leaves them: their code is further
     * on. */
    const size_t size = put_bundle(bytes, targets, COUNT);
    memset(bytes, 0, 1024);
    memcpy(bytes, "__CLANG_OFFLOAD_BUNDLE__", 24);
    wt_store_le(bytes + 24, COUNT, 8);
    uint8_t *p = bytes + 32;
    for (unsigned i = 0; i < COUNT; i++, p += 24 + strlen(targets[0])) {
        wt_store_le(p, 2048, 8);
        wt_store_le(p + 8, 64, 8);
        wt_store_le(p + 16, strlen(targets[i]), 8);
        memcpy(p + 24, targets[i], strlen(targets[i]));
    }
    const struct gcn_fatbin_bundle b = first(bytes, size);
    assert_true(strlen(b.targets) < sizeof b.targets);
    assert_non_null(strstr(b.targets, "gfx10000, gfx10001, "));
    assert_string_equal(b.targets + strlen(b.targets) - strlen(", …"), ", …");
    free(bytes);
}

/* Cut off anywhere, or with any byte of the header changed: a verdict or none, and an end. */
static void what_is_malformed_ends(void **state)
{
    static const char *const target = "hipv4-amdgcn-amd-amdhsa--gfx900";
    uint8_t bytes[2048] = {0};
    (void)state;
    const size_t size = put_bundle(bytes, &target, 1);
    for (size_t i = 0; i <= size; i++) {
        uint8_t *copy = malloc(i ? i : 1);
        memcpy(copy, bytes, i);
        struct gcn_fatbin fatbin = {copy, i, 0, &the_gpu};
        struct gcn_fatbin_bundle b;
        const bool whole = gcn_fatbin_next(&fatbin, &b);
        assert_int_equal(whole, i >= 1024 + 64);
        assert_false(whole && gcn_fatbin_next(&fatbin, &b));
        free(copy);
    }
    for (size_t i = 0; i < 32 + 24 + strlen(target); i++) {
        const uint8_t was = bytes[i];
        bytes[i] ^= 0x80;
        struct gcn_fatbin fatbin = {bytes, size, 0, &the_gpu};
        struct gcn_fatbin_bundle b;
        while (gcn_fatbin_next(&fatbin, &b))
            assert_true(*b.targets);
        bytes[i] = was;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_told_apart),
        cmocka_unit_test(features_are_compared),
        cmocka_unit_test(one_target_of_many_will_do),
        cmocka_unit_test(there_are_several_bundles),
        cmocka_unit_test(more_targets_than_can_be_named),
        cmocka_unit_test(what_is_malformed_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
