/* Memory of which regions are mapped (machine/mapped.h): the TLB's misses, accesses from outside,
 * pieces. */
#include "emulator/machine/mapped.h"
#include "emulator/machine/regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BASE UINT64_C(0x10000)
#define READ_ONLY UINT64_C(0x40000)

static void undecoded(void)
{
}
static void decoded(void)
{
}

struct record {
    wt_code_handler run;
};

static const struct wt_code_format format = {.granule = 4,
                                             .bundle = 4,
                                             .longest = 4,
                                             .first = sizeof(struct wt_code_page),
                                             .record = sizeof(struct record),
                                             .tail = 1,
                                             .undecoded = undecoded,
                                             .next_page = undecoded};

struct rig {
    struct wt_machine m;
};

static int set_up(void **state)
{
    struct rig *r = calloc(1, sizeof *r);
    struct wt_error err;
    assert_non_null(r);
    assert_non_null(r->m.memory = wt_memory_new());
    wt_tlb_clear(&r->m.tlb);
    wt_code_init(&r->m.code, &format, &r->m.tlb);
    assert_int_equal(wt_regions_add(&r->m.regions, BASE, 4 * WT_PAGE_SIZE, true, &err), WT_OK);
    assert_int_equal(wt_regions_add(&r->m.regions, READ_ONLY, WT_PAGE_SIZE, false, &err), WT_OK);
    *state = r;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *r = *state;
    wt_code_clear(&r->m.code);
    wt_regions_free(&r->m.regions);
    wt_memory_free(r->m.memory);
    free(r);
    return 0;
}

static void what_is_not_mapped_is_not_in_the_tlb(void **state)
{
    struct rig *r = *state;
    assert_null(wt_mapped_fill_read(&r->m, BASE - 1));
    assert_null(wt_mapped_fill_write(&r->m, BASE + 4 * WT_PAGE_SIZE, true));
    assert_non_null(wt_mapped_fill_read(&r->m, READ_ONLY));
    assert_null(wt_mapped_fill_write(&r->m, READ_ONLY, true));
    uint8_t *at = wt_mapped_fill_write(&r->m, BASE + 8, true);
    assert_non_null(at);
    *at = 7;
    const struct wt_tlb_entry *e = wt_tlb_entry_of(&r->m.tlb, BASE);
    assert_int_equal(e->write_page, BASE);
    assert_int_equal(e->read_page, BASE);
    uint8_t byte = 0;
    assert_true(wt_mapped_read(&r->m, BASE + 8, &byte, 1));
    assert_int_equal(byte, 7);
    /* Not for reading: a page whose reads are watched. */
    assert_non_null(wt_mapped_fill_write(&r->m, BASE, false));
    assert_int_equal(e->read_page, WT_TLB_NONE);
}

static struct record *decode(struct rig *r, uint64_t addr)
{
    struct wt_code_page *page = wt_code_page_of(&r->m.code, addr);
    assert_non_null(page);
    struct record *record =
        (struct record *)((char *)page + format.first) + (addr & WT_PAGE_MASK) / format.granule;
    record->run = decoded;
    return record;
}

static void a_write_from_outside_reaches_the_tlb_and_decoded_code(void **state)
{
    struct rig *r = *state;
    const uint64_t end = BASE + WT_PAGE_SIZE;
    uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got[8];
    assert_non_null(wt_mapped_fill_read(&r->m, end - 1)); /* the page of zeros */
    assert_non_null(wt_mapped_fill_read(&r->m, end));
    const struct record *first = decode(r, end - 4), *second = decode(r, end);
    assert_null(wt_mapped_fill_write(&r->m, end, true)); /* stores to code take the slow way */
    assert_true(wt_mapped_write(&r->m, end - 4, bytes, sizeof bytes));
    assert_int_equal(wt_tlb_entry_of(&r->m.tlb, end - 1)->read_page, WT_TLB_NONE);
    assert_int_equal(wt_tlb_entry_of(&r->m.tlb, end)->read_page, WT_TLB_NONE);
    assert_ptr_equal(first->run, undecoded);
    assert_ptr_equal(second->run, undecoded);
    assert_true(wt_mapped_read(&r->m, end - 4, got, sizeof got));
    assert_memory_equal(got, bytes, sizeof bytes);
}

static void zeros_make_no_page_but_overwrite(void **state)
{
    struct rig *r = *state;
    static const uint8_t zeros[3 * WT_PAGE_SIZE];
    const uint64_t before = wt_memory_held(r->m.memory);
    uint8_t byte = 9;
    assert_true(wt_mapped_write(&r->m, BASE, zeros, sizeof zeros));
    assert_int_equal(wt_memory_held(r->m.memory), before);
    assert_true(wt_mapped_write(&r->m, BASE + WT_PAGE_SIZE, &byte, 1));
    const uint64_t with_one = wt_memory_held(r->m.memory);
    assert_true(with_one > before);
    assert_true(wt_mapped_write(&r->m, BASE, zeros, sizeof zeros));
    assert_int_equal(wt_memory_held(r->m.memory), with_one);
    assert_true(wt_mapped_read(&r->m, BASE + WT_PAGE_SIZE, &byte, 1));
    assert_int_equal(byte, 0);
}

static void the_end_of_the_address_space_is_the_end(void **state)
{
    struct rig *r = *state;
    const uint64_t end = (uint64_t)1 << WT_MEMORY_ADDRESS_BITS;
    uint8_t bytes[4] = {1};
    assert_true(wt_mapped_write(&r->m, end - 4, bytes, 4));
    assert_true(wt_mapped_read(&r->m, end - 4, bytes, 4));
    assert_false(wt_mapped_write(&r->m, end - 3, bytes, 4));
    assert_false(wt_mapped_read(&r->m, end - 3, bytes, 4));
    assert_false(wt_mapped_read(&r->m, UINT64_MAX, bytes, 4));
}

static void without_memory_an_error_says_why(void **state)
{
    struct rig *r = *state;
    struct wt_error err;
    uint8_t bytes[4] = {1};
    wt_memory_set_limit(r->m.memory, 0);
    assert_int_equal(wt_mapped_put(&r->m, BASE, bytes, 4, &err), WT_NO_MEMORY);
    assert_non_null(strstr(err.text, "4 bytes at 0x10000: "));
    assert_false(wt_mapped_write(&r->m, BASE, bytes, 4));
}

/* A lane's view: 16 bytes of a group at 0, then memory from BASE on, 4 bytes of each page. */
static uint8_t group[16];

static bool find(struct wt_machine *machine, uint32_t wave, unsigned lane, uint64_t addr,
                 struct wt_mapped_piece *piece)
{
    (void)machine;
    uint64_t room = sizeof group - addr;
    assert_int_equal(wave, 3);
    if (addr < sizeof group) {
        piece->host = group + addr;
    } else {
        const uint64_t offset = addr - sizeof group;
        if (lane != 5 || offset >= 8)
            return false;
        piece->addr = BASE + offset / 4 * WT_PAGE_SIZE + offset % 4;
        room = 4 - offset % 4;
    }
    if (piece->size > room)
        piece->size = (size_t)room;
    return true;
}

static void a_lane_sees_its_pieces_as_one_range(void **state)
{
    struct rig *r = *state;
    uint8_t bytes[12], got[12], memory[4];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i + 1);
    r->m.ops = &(const struct wt_machine_ops){.map = &(const struct wt_address_map){.piece = find}};
    assert_true(wt_pieces_write(&r->m, 3, 5, 12, bytes, sizeof bytes));
    assert_memory_equal(group + 12, bytes, 4);
    assert_true(wt_mapped_read(&r->m, BASE, memory, 4));
    assert_memory_equal(memory, bytes + 4, 4);
    assert_true(wt_mapped_read(&r->m, BASE + WT_PAGE_SIZE, memory, 4));
    assert_memory_equal(memory, bytes + 8, 4);
    assert_true(wt_pieces_read(&r->m, 3, 5, 12, got, sizeof got));
    assert_memory_equal(got, bytes, sizeof got);
    /* Another lane has nothing behind the group; nor has this one behind its end. */
    assert_true(wt_pieces_read(&r->m, 3, 4, 12, got, 4));
    assert_false(wt_pieces_read(&r->m, 3, 4, 12, got, 5));
    assert_false(wt_pieces_write(&r->m, 3, 5, 20, bytes, 5));
}

static void a_part_of_a_region_has_a_grain_of_its_own(void **state)
{
    struct rig *r = *state;
    struct wt_error err;
    struct wt_regions *all = &r->m.regions;
    assert_true(wt_regions_set_grain(all, BASE + WT_PAGE_SIZE + 8, 16, WT_GRAIN_FINE_HOST));
    wt_regions_check(all);
    for (unsigned page = 0; page < 4; page++)
        assert_int_equal(wt_regions_at(all, BASE + page * WT_PAGE_SIZE)->grain,
                         page == 1 ? WT_GRAIN_FINE_HOST : WT_GRAIN_COARSE);
    assert_true(wt_regions_hold(all, BASE, 4 * WT_PAGE_SIZE, true));
    assert_int_equal(wt_regions_at(all, READ_ONLY)->grain, WT_GRAIN_COARSE);
    /* What is left of it keeps it; what comes to its place does not have it. */
    assert_true(wt_regions_set_grain(all, BASE, 4 * WT_PAGE_SIZE, WT_GRAIN_FINE));
    assert_int_equal(wt_regions_remove(all, BASE + WT_PAGE_SIZE, WT_PAGE_SIZE, &err), WT_OK);
    assert_int_equal(wt_regions_add(all, BASE + WT_PAGE_SIZE, WT_PAGE_SIZE, true, &err), WT_OK);
    for (unsigned page = 0; page < 4; page++)
        assert_int_equal(wt_regions_at(all, BASE + page * WT_PAGE_SIZE)->grain,
                         page == 1 ? WT_GRAIN_COARSE : WT_GRAIN_FINE);
    wt_regions_check(all);
}

/* Memory that lies around: pages 1 to 9 behind the first region, and what is between. */
static bool lends(void *context, uint64_t addr)
{
    struct rig *r = context;
    const uint64_t first = BASE + WT_PAGE_SIZE, end = BASE + 10 * WT_PAGE_SIZE;
    return addr >= first && addr < end && wt_regions_lend(&r->m.regions, first, end, addr, true);
}

static void what_is_lent_lies_between_regions_and_gives_way(void **state)
{
    struct rig *r = *state;
    struct wt_error err;
    struct wt_regions *all = &r->m.regions;
    const uint64_t at = BASE + 6 * WT_PAGE_SIZE;
    assert_int_equal(wt_regions_add(all, at + 2 * WT_PAGE_SIZE, WT_PAGE_SIZE, false, &err), WT_OK);
    assert_false(wt_regions_hold(all, at, 4, false));
    all->lends = lends;
    all->context = r;
    const struct wt_region *region = wt_regions_at(all, at + 8);
    assert_non_null(region);
    assert_true(region->lent && region->writable && region->grain == WT_GRAIN_FINE_HOST);
    assert_int_equal(region->addr, BASE + 4 * WT_PAGE_SIZE);
    assert_int_equal(region->size, 4 * WT_PAGE_SIZE);
    assert_null(wt_regions_at(all, BASE + 10 * WT_PAGE_SIZE));
    assert_null(wt_regions_at(all, BASE - 1));
    assert_true(wt_regions_at(all, BASE + 9 * WT_PAGE_SIZE)->lent);
    assert_false(wt_regions_at(all, BASE)->lent);
    wt_regions_check(all);
    /* A region that is added there is a region as any: what is left of the lent one stays lent. */
    assert_int_equal(wt_regions_add(all, at, WT_PAGE_SIZE, false, &err), WT_OK);
    assert_false(wt_regions_at(all, at)->lent || wt_regions_at(all, at)->writable);
    assert_true(wt_regions_at(all, at - 1)->lent && wt_regions_at(all, at + WT_PAGE_SIZE)->lent);
    wt_regions_check(all);
    all->lends = NULL;
    assert_true(wt_regions_take_back(all));
    assert_false(wt_regions_take_back(all));
    assert_null(wt_regions_at(all, at - 1));
    assert_null(wt_regions_at(all, BASE + 9 * WT_PAGE_SIZE));
    assert_true(wt_regions_hold(all, at, WT_PAGE_SIZE, false));
    assert_true(wt_regions_hold(all, BASE, 4 * WT_PAGE_SIZE, true));
    wt_regions_check(all);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_is_not_mapped_is_not_in_the_tlb),
        TEST(a_part_of_a_region_has_a_grain_of_its_own),
        TEST(a_write_from_outside_reaches_the_tlb_and_decoded_code),
        TEST(zeros_make_no_page_but_overwrite),
        TEST(the_end_of_the_address_space_is_the_end),
        TEST(without_memory_an_error_says_why),
        TEST(a_lane_sees_its_pieces_as_one_range),
        TEST(what_is_lent_lies_between_regions_and_gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
