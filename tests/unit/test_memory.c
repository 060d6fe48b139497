/* Sparse copy-on-write memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "emulator/machine/memory.h"

static void reads_zero_until_written(void **state)
{
    struct wt_memory *m = wt_memory_new();
    uint8_t bytes[8] = {1, 2, 3};
    wt_memory_read(m, 0xfffffffc, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0);
    assert_int_equal(wt_memory_resident(m), 0);
    wt_memory_free(m);
}

static void write_crosses_pages(void **state)
{
    struct wt_memory *m = wt_memory_new();
    uint8_t in[10000], out[10000];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 7);
    assert_true(wt_memory_write(m, 0x7ffffff3, in, sizeof in));
    wt_memory_read(m, 0x7ffffff3, out, sizeof out);
    assert_memory_equal(in, out, sizeof in);
    assert_int_equal(wt_memory_resident(m), 4 * WT_PAGE_SIZE);
    wt_memory_free(m);
}

static void a_fork_shares_until_written(void **state)
{
    struct wt_memory *m = wt_memory_new();
    uint32_t a = 1, b = 2, got;
    wt_memory_write(m, 0x1000, &a, 4);
    struct wt_memory *fork = wt_memory_fork(m);
    assert_ptr_equal(wt_memory_page(m, 0x1000), wt_memory_page(fork, 0x1000));
    wt_memory_write(m, 0x1000, &b, 4);
    wt_memory_read(fork, 0x1000, &got, 4);
    assert_int_equal(got, 1);
    wt_memory_read(m, 0x1000, &got, 4);
    assert_int_equal(got, 2);
    wt_memory_become(m, fork);
    wt_memory_read(m, 0x1000, &got, 4);
    assert_int_equal(got, 1);
    wt_memory_free(m);
    wt_memory_read(fork, 0x1000, &got, 4);
    assert_int_equal(got, 1);
    wt_memory_free(fork);
}

/* What forks share is counted once, and given back with the last one. */
static void what_forks_hold_is_counted_once(void **state)
{
    struct wt_memory *m = wt_memory_new();
    assert_true(wt_memory_held(m) == 0);
    assert_true(wt_memory_write(m, 0x1000, "a", 1) && wt_memory_write(m, 0x5000, "b", 1));
    const uint64_t alone = wt_memory_held(m);
    assert_true(alone >= 2 * WT_PAGE_SIZE);
    struct wt_memory *fork = wt_memory_fork(m);
    assert_true(wt_memory_held(m) == alone && wt_memory_held(fork) == alone);
    assert_true(wt_memory_write(m, 0x1000, "c", 1));
    assert_true(wt_memory_held(fork) >= alone + WT_PAGE_SIZE);
    struct wt_memory *other = wt_memory_new();
    assert_true(wt_memory_write(other, 0x1000, "d", 1));
    wt_memory_become(other, m);
    assert_true(wt_memory_held(other) == wt_memory_held(m));
    wt_memory_free(m);
    wt_memory_free(other);
    assert_true(wt_memory_held(fork) == alone);
    wt_memory_clear(fork);
    assert_true(wt_memory_held(fork) == 0);
    wt_memory_free(fork);
}

static void hash_depends_on_contents_only(void **state)
{
    struct wt_memory *a = wt_memory_new(), *b = wt_memory_new();
    uint32_t one = 1, zero = 0;
    assert_int_equal(wt_memory_hash(a), wt_memory_hash(b));
    wt_memory_write(a, 0x5000, &zero, 4);
    assert_int_equal(wt_memory_hash(a), wt_memory_hash(b));
    wt_memory_write(a, 0x5000, &one, 4);
    assert_int_not_equal(wt_memory_hash(a), wt_memory_hash(b));
    wt_memory_write(b, 0x6000, &one, 4);
    assert_int_not_equal(wt_memory_hash(a), wt_memory_hash(b));
    wt_memory_write(b, 0x6000, &zero, 4);
    wt_memory_write(b, 0x5000, &one, 4);
    assert_int_equal(wt_memory_hash(a), wt_memory_hash(b));
    wt_memory_free(a);
    wt_memory_free(b);
}

/* Random writes, forks and restores against flat arrays. */
static void agrees_with_a_flat_model(void **state)
{
    enum { SIZE = 16 * 4096, FORKS = 4 };
    static uint8_t flat[FORKS][SIZE];
    memset(flat, 0, sizeof flat);
    struct wt_memory *m[FORKS];
    for (int i = 0; i < FORKS; i++)
        m[i] = wt_memory_new();
    srand(1);
    for (int i = 0; i < 20000; i++) {
        int k = rand() % FORKS;
        if (rand() % 16 == 0) {
            int from = rand() % FORKS;
            if (from != k) {
                wt_memory_become(m[k], m[from]);
                memcpy(flat[k], flat[from], SIZE);
            }
            continue;
        }
        uint8_t bytes[300];
        size_t size = 1 + (size_t)rand() % sizeof bytes, at = (size_t)rand() % (SIZE - size);
        for (size_t j = 0; j < size; j++)
            bytes[j] = (uint8_t)rand();
        assert_true(wt_memory_write(m[k], 0x80000000 + at, bytes, size));
        memcpy(flat[k] + at, bytes, size);
        if (i % 100 == 0) {
            static uint8_t out[SIZE];
            wt_memory_read(m[k], 0x80000000, out, SIZE);
            assert_memory_equal(out, flat[k], SIZE);
        }
    }
    for (int i = 0; i < FORKS; i++)
        wt_memory_free(m[i]);
}

/* Aliases of a process's own memory: whole pages, and only these. */
static void pages_of_the_host_have_aliases(void **state)
{
    (void)state;
    enum { PAGES = 20 };
    static _Alignas(WT_PAGE_SIZE) uint8_t real[PAGES * WT_PAGE_SIZE];
    struct wt_memory *m = wt_memory_new_host();
    uint8_t byte;
    /* Each page has an alias, two pages apart, made in another order. */
    for (uint64_t i = 0; i < PAGES; i++) {
        const uint64_t k = i * 7 % PAGES;
        assert_true(wt_memory_alias(m, 0x1000000 + 2 * k * WT_PAGE_SIZE, WT_PAGE_SIZE,
                                    real + k * WT_PAGE_SIZE));
    }
    for (uint64_t k = 0; k < PAGES; k++) {
        byte = (uint8_t)(k + 1);
        assert_true(wt_memory_write(m, 0x1000000 + 2 * k * WT_PAGE_SIZE + 5, &byte, 1));
        assert_int_equal(real[k * WT_PAGE_SIZE + 5], k + 1);
    }
    assert_ptr_equal(wt_memory_page(m, 0x1000000 + 3 * WT_PAGE_SIZE), 0x1000000 + 3 * WT_PAGE_SIZE);
    wt_memory_read(m, (uintptr_t)real + 5, &byte, 1);
    assert_int_equal(byte, 1);
    wt_memory_unalias(m, 0x1000000 + 4 * WT_PAGE_SIZE);
    assert_ptr_equal(wt_memory_page(m, 0x1000000 + 4 * WT_PAGE_SIZE), 0x1000000 + 4 * WT_PAGE_SIZE);
    assert_ptr_equal(wt_memory_page(m, 0x1000000 + 6 * WT_PAGE_SIZE), real + 3 * WT_PAGE_SIZE);
    wt_memory_free(m);
}

/* A page of a source: each byte is its page's number, plus what the source says. */
struct source {
    uint8_t pages[4][WT_PAGE_SIZE];
    unsigned asked;
};

static const uint8_t *source_page(void *context, uint64_t addr)
{
    struct source *source = context;
    source->asked++;
    return source->pages[addr / WT_PAGE_SIZE % 4];
}

static void pages_come_from_a_source_until_written(void **state)
{
    static struct source source;
    const uint32_t written = 0x04030201;
    uint32_t got;
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        memset(source.pages[i], (int)i + 1, WT_PAGE_SIZE);
    struct wt_memory *m = wt_memory_new_over(source_page, &source);
    wt_memory_read(m, 2 * WT_PAGE_SIZE - 2, &got, 4); /* across pages */
    assert_int_equal(got, 0x03030202);
    assert_ptr_equal(wt_memory_page(m, 0), source.pages[0]);
    assert_int_equal(wt_memory_resident(m), 0);
    /* Zeros change a page that is not zero. */
    const uint32_t zero = 0;
    assert_false(wt_memory_is_zero(m, 16, &zero, 4));
    /* A write takes the rest of its page from the source, which stays as it is. */
    assert_true(wt_memory_write(m, WT_PAGE_SIZE + 8, &written, 4));
    wt_memory_read(m, WT_PAGE_SIZE + 6, &got, 4);
    assert_int_equal(got, 0x02010202);
    assert_int_equal(source.pages[1][8], 2);
    assert_int_equal(wt_memory_resident(m), WT_PAGE_SIZE);
    assert_true(source.asked > 0);
    wt_memory_free(m);
}

static void forks_over_a_source_have_their_own_history(void **state)
{
    static struct source source;
    const uint32_t one = 1, two = 2;
    uint32_t got;
    (void)state;
    memset(source.pages[0], 9, WT_PAGE_SIZE);
    struct wt_memory *m = wt_memory_new_over(source_page, &source);
    struct wt_memory *before = wt_memory_fork(m);
    assert_int_equal(wt_memory_hash(m), wt_memory_hash(before));
    assert_true(wt_memory_write(m, 0, &one, 4));
    assert_true(wt_memory_hash(m) != wt_memory_hash(before));
    struct wt_memory *after = wt_memory_fork(m);
    assert_true(wt_memory_write(m, 0, &two, 4));
    wt_memory_become(m, after);
    wt_memory_read(m, 0, &got, 4);
    assert_int_equal(got, 1);
    wt_memory_become(m, before); /* the page is the source's again */
    wt_memory_read(m, 0, &got, 4);
    assert_int_equal(got, 0x09090909);
    assert_ptr_equal(wt_memory_page(m, 0), source.pages[0]);
    assert_int_equal(wt_memory_hash(m), wt_memory_hash(before));
    assert_int_equal(wt_memory_resident(m), 0);
    wt_memory_free(m);
    wt_memory_free(before);
    wt_memory_read(after, 0, &got, 4); /* it outlives where it came from */
    assert_int_equal(got, 1);
    wt_memory_free(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_zero_until_written),
        cmocka_unit_test(write_crosses_pages),
        cmocka_unit_test(a_fork_shares_until_written),
        cmocka_unit_test(what_forks_hold_is_counted_once),
        cmocka_unit_test(hash_depends_on_contents_only),
        cmocka_unit_test(agrees_with_a_flat_model),
        cmocka_unit_test(pages_of_the_host_have_aliases),
        cmocka_unit_test(pages_come_from_a_source_until_written),
        cmocka_unit_test(forks_over_a_source_have_their_own_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
