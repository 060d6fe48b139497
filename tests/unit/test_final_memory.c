/*
 * Memory that kernels leave, kept for a debugger (runtime/common/final_memory.h): its bytes, and
 * which are not kept; and how often it is read, which is what a debugger waits for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "object/final_wire.h"
#include "runtime/common/final_memory.h"

#define PAGE ((uint64_t)4096)
#define BASE ((uint64_t)0x7e0000000000)
#define PAGES 4096

static uint8_t memory[PAGES * PAGE];
static bool refused[PAGES];
static bool used; /* the GPU may still use the memory */
static uint64_t read_bytes;
static struct wt_final_memory final;
static uint8_t answer[WT_FINAL_WIRE_MOST];

static bool read_memory(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    for (uint64_t at = addr - BASE; at < addr - BASE + size; at += PAGE)
        if (refused[at / PAGE])
            return false;
    read_bytes += size;
    memcpy(bytes, memory + (addr - BASE), size);
    return true;
}

static bool next_used(void *context, unsigned gpu, uint64_t from, uint64_t *addr, uint64_t *size)
{
    *addr = from < BASE ? BASE : from;
    *size = BASE + sizeof memory - *addr;
    return used && from < BASE + sizeof memory;
}

static const struct wt_final_ops ops = {1, next_used, read_memory};

static int set_up(void **state)
{
    (void)state;
    final = (struct wt_final_memory)WT_FINAL_MEMORY_NONE;
    memset(memory, 0, sizeof memory);
    memset(refused, 0, sizeof refused);
    used = false;
    read_bytes = 0;
    wt_final_want(&final, true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wt_final_want(&final, false);
    assert_int_equal(final.kept, 0);
    return 0;
}

/* Every second page has something. */
static void fill(void)
{
    for (uint64_t page = 0; page < PAGES; page += 2)
        memory[page * PAGE + page % PAGE] = (uint8_t)(page / 2 % 255 + 1);
}

static void unmap(uint64_t first, uint64_t pages)
{
    wt_final_unmap(&final, BASE + first * PAGE, pages * PAGE, read_memory, NULL);
}

/* Asks for all pieces: each page of them has memory's bytes. Sets the pages that there are. */
static size_t take(bool *there)
{
    size_t pieces = 0;
    memset(there, 0, PAGES);
    for (uint64_t from = 0;; pieces++) {
        struct wt_final_wire_piece piece;
        const size_t size = wt_final_next(&final, &ops, NULL, from, answer, sizeof answer);
        memcpy(&piece, answer, sizeof piece);
        if (!piece.length)
            return pieces;
        assert_true(piece.addr >= from && piece.length % PAGE == 0);
        assert_true(size == sizeof piece || size == sizeof piece + piece.length);
        for (uint64_t at = 0; at < piece.length; at += PAGE) {
            const uint64_t place = piece.addr - BASE + at;
            static const uint8_t zeros[4096];
            const uint8_t *bytes = size == sizeof piece ? zeros : answer + sizeof piece + at;
            assert_memory_equal(bytes, memory + place, PAGE);
            there[place / PAGE] = true;
        }
        from = piece.addr + piece.length;
    }
}

static void test_a_freed_range_is_read_once_and_kept_whole(void **state)
{
    bool there[PAGES];
    (void)state;
    fill();
    unmap(0, PAGES);
    assert_int_equal(read_bytes, sizeof memory);
    assert_int_equal(final.freed_count, 1);
    assert_int_equal(final.kept, sizeof memory / 2);
    assert_int_equal(take(there), PAGES);
    for (size_t page = 0; page < PAGES; page++)
        assert_true(there[page]);
    wt_final_kernel(&final);
    assert_int_equal(take(there), 0);
}

static void test_a_part_that_is_in_use_again_is_not_kept(void **state)
{
    bool there[PAGES];
    (void)state;
    fill();
    for (uint64_t i = PAGES / 16; i-- > 0;) /* freed from the end on */
        unmap(i * 16, 16);
    assert_int_equal(final.freed_count, PAGES / 16);
    memory[100 * PAGE] = 77; /* the next who has it */
    unmap(100, 50);
    assert_int_equal(final.kept, sizeof memory / 2);
    take(there);
    used = true;
    take(there); /* the GPU uses all of it again */
    assert_int_equal(final.kept, 0);
    assert_int_equal(final.freed_count, 0);
}

static void test_pages_that_the_program_has_taken_away_are_not_kept(void **state)
{
    bool there[PAGES];
    (void)state;
    fill();
    refused[0] = refused[70] = refused[PAGES - 1] = true;
    unmap(0, PAGES);
    take(there);
    for (size_t page = 0; page < PAGES; page++)
        assert_int_equal(there[page], !refused[page]);
}

/* Of memory that is still used, too, a short run of pages is not looked for in a long one. */
static void test_memory_in_use_is_not_read_for_each_page_of_it(void **state)
{
    bool there[PAGES];
    (void)state;
    fill();
    refused[70] = true;
    used = true;
    take(there);
    for (size_t page = 0; page < PAGES; page++)
        assert_int_equal(there[page], !refused[page]);
    assert_true(read_bytes <= 17 * sizeof memory);
    memset(memory, 1, sizeof memory);
    read_bytes = 0;
    assert_true(take(there) < 40);
    assert_true(read_bytes <= sizeof memory);
}

static void test_without_a_debugger_nothing_is_read(void **state)
{
    (void)state;
    wt_final_want(&final, false);
    unmap(0, PAGES);
    assert_int_equal(read_bytes, 0);
    assert_int_equal(final.freed_count, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_freed_range_is_read_once_and_kept_whole),
        TEST(a_part_that_is_in_use_again_is_not_kept),
        TEST(pages_that_the_program_has_taken_away_are_not_kept),
        TEST(memory_in_use_is_not_read_for_each_page_of_it),
        TEST(without_a_debugger_nothing_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
