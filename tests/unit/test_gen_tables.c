/* Page tables that are made as memory is mapped (gtt/tables.h): the walk that is told in words,
 * which has tests of its own against linux's formats, says what each address is mapped to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "emulator/gen/gtt/gtt.h"
#include "emulator/gen/gtt/tables.h"

enum { TABLES = 64, PAGE = 4096, LARGE = 2 << 20 };
#define ROOT UINT64_C(0x10000)

/* Physical memory from ROOT on, all of it tables. */
struct world {
    uint64_t entry[TABLES][WT_PPGTT_ENTRIES];
    unsigned tables, limit;
    uint64_t page_sizes;
};

static uint64_t *entry_at(struct world *w, uint64_t physical)
{
    assert_true(physical >= ROOT && physical < ROOT + TABLES * PAGE && physical % 8 == 0);
    return &w->entry[(physical - ROOT) / PAGE][physical % PAGE / 8];
}

static uint64_t read_entry(void *context, uint64_t physical)
{
    return *entry_at(context, physical);
}

static bool write_entry(void *context, uint64_t physical, uint64_t entry)
{
    *entry_at(context, physical) = entry;
    return true;
}

static uint64_t new_table(void *context)
{
    struct world *w = context;
    return w->tables == w->limit ? 0 : ROOT + (uint64_t)w->tables++ * PAGE;
}

static bool read_bytes(void *context, uint64_t physical, void *bytes, size_t size)
{
    const uint64_t entry = read_entry(context, physical);
    memcpy(bytes, &entry, size);
    return true;
}

static struct world *begin(void)
{
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->limit = TABLES;
    assert_int_equal(new_table(w), ROOT);
    return w;
}

static enum wt_status map(struct world *w, uint64_t address, uint64_t physical, uint64_t size,
                          bool writable, struct wt_error *err)
{
    const struct wt_ppgtt_memory memory = {w, read_entry, write_entry, new_table};
    return wt_ppgtt_map(&memory, ROOT, address, physical, size, writable, &w->page_sizes, err);
}

/* Both walks agree about an address; what it is mapped to, or UINT64_MAX. */
static uint64_t look(struct world *w, uint64_t address, bool *writable)
{
    const struct wt_gtt table = {
        .gen = 9, .kind = WT_GTT_PROCESS48, .enabled = true, .root = {ROOT}, .root_count = 1};
    struct wt_gtt_walk walk;
    struct wt_ppgtt_page page;
    wt_gtt_walk(&table, read_bytes, w, address, &walk);
    const bool mapped = wt_ppgtt_translate(read_entry, w, ROOT, address, &page);
    assert_int_equal(mapped, walk.mapped);
    if (!mapped)
        return UINT64_MAX;
    assert_int_equal(page.physical, walk.physical);
    assert_int_equal(page.writable, strstr(walk.attributes, "writable") != NULL);
    *writable = page.writable;
    return page.physical;
}

static void test_small_pages_with_different_frames(void **state)
{
    struct world *w = begin();
    struct wt_error err;
    bool writable;
    const uint64_t at = UINT64_C(0x8001401fe000), to = UINT64_C(0x7f1234567000);
    assert_int_equal(map(w, at, to, 3 * PAGE, true, &err), WT_OK);
    assert_int_equal(w->page_sizes, PAGE);
    assert_int_equal(w->tables, 4 + 1); /* it crosses a limit of 2 MiB */
    assert_int_equal(look(w, at - 1, &writable), UINT64_MAX);
    for (unsigned i = 0; i < 3 * PAGE; i += 0x123)
        assert_int_equal(look(w, at + i, &writable), to + i);
    assert_true(writable);
    assert_int_equal(look(w, at + 3 * PAGE, &writable), UINT64_MAX);
    free(w);
}

static void test_large_pages_where_they_fit(void **state)
{
    struct world *w = begin();
    struct wt_error err;
    bool writable;
    const uint64_t at = 3 * (uint64_t)LARGE - PAGE;
    assert_int_equal(map(w, at, at, 2 * (uint64_t)LARGE + 2 * PAGE, false, &err), WT_OK);
    assert_int_equal(w->page_sizes, PAGE | LARGE);
    assert_int_equal(w->tables, 3 + 2); /* a table before, and one behind the large pages */
    for (uint64_t i = 0; i < 2 * (uint64_t)LARGE + 2 * PAGE; i += PAGE - 8)
        assert_int_equal(look(w, at + i, &writable), at + i);
    assert_false(writable);
    assert_int_equal(map(w, (uint64_t)LARGE << 10, LARGE + PAGE, LARGE, true, &err), WT_OK);
    assert_int_equal(w->page_sizes, PAGE); /* the frames are not aligned */
    free(w);
}

static void test_what_is_refused(void **state)
{
    struct world *w = begin();
    struct wt_error err;
    assert_int_equal(map(w, 4 * PAGE, 0, PAGE, true, &err), WT_OK);
    assert_int_equal(map(w, 3 * PAGE, 0, 2 * PAGE, true, &err), WT_INVALID);
    assert_string_equal(err.text, "0x4000 is mapped already");
    assert_int_equal(map(w, LARGE, LARGE, LARGE, true, &err), WT_OK);
    assert_int_equal(map(w, LARGE + PAGE, 0, PAGE, true, &err), WT_INVALID);
    assert_int_equal(map(w, 0, 0, LARGE, true, &err), WT_INVALID); /* a table is there */
    assert_int_equal(map(w, (UINT64_C(1) << 48) - PAGE, 0, 2 * PAGE, true, &err), WT_INVALID);
    assert_non_null(strstr(err.text, "48 bits"));
    w->limit = w->tables;
    assert_int_equal(map(w, UINT64_C(1) << 40, 0, PAGE, true, &err), WT_NO_MEMORY);
    free(w);
}

/* Random entries: what the quick walk finds is what the walk in words finds, pages of 64 KiB and
 * 1 GiB included. */
static void test_any_tables(void **state)
{
    struct world *w = begin();
    uint64_t seed = 7, mapped = 0;
    for (unsigned round = 0; round < 200; round++) {
        for (unsigned t = 0; t < TABLES; t++)
            for (unsigned i = 0; i < 4; i++) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                const uint64_t bits = seed >> 20;
                w->entry[t][i] =
                    (ROOT + (bits >> 12) % TABLES * PAGE) | (bits & 0x882) | (bits % 8 ? 1 : 0);
            }
        for (unsigned i = 0; i < 256; i++) {
            bool writable;
            const uint64_t at = (uint64_t)(i & 3) << 39 | (uint64_t)(i >> 2 & 3) << 30 |
                                (uint64_t)(i >> 4 & 3) << 21 | (uint64_t)(i >> 6) << 12 | 0x123;
            mapped += look(w, at, &writable) != UINT64_MAX;
        }
    }
    assert_in_range(mapped, 1000, 200 * 256 - 1000);
    free(w);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_pages_with_different_frames),
        cmocka_unit_test(test_large_pages_where_they_fit),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_any_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
