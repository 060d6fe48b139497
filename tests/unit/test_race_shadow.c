/* The shadow memory of the check of races against a model: what each byte's slots refer to stays,
 * whatever records go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/race_shadow.h"

enum { PAGES = 3, ROUNDS = 12, STEPS = 300 };

static uint64_t model[PAGES][RACE_CELLS][RACE_SLOTS][4]; /* times of the records; 0: none */

/* A row of cells refers to one record, or a part of a cell does. */
static void note(struct race_shadow *s, struct race_space *space, uint64_t time)
{
    const unsigned p = (unsigned)random() % PAGES, slot = (unsigned)random() % RACE_SLOTS,
                   first = (unsigned)random() % RACE_CELLS;
    const unsigned room = RACE_CELLS - first,
                   count = 1 + (unsigned)random() % (room < 64 ? room : 64);
    struct race_page *page = race_page(space, (uint64_t)p * RACE_PAGE, true);
    const uint32_t number = race_add_record(s, &(struct race_record){.time = time, .wave = 1});
    const bool splits = p && random() % 8 == 0;
    struct race_cell list[4];
    assert_true(page && number && race_own(page, slot));
    for (unsigned cell = first; cell < first + (splits ? 1 : count); cell++) {
        const unsigned cells = race_cells(s, page, cell, splits, list);
        const unsigned byte = (unsigned)random() % 4;
        assert_int_equal(splits && cells != 4, 0);
        for (unsigned i = 0; i < cells; i++)
            if (!splits || i == byte)
                *list[i].slot[slot] = number;
        for (unsigned i = 0; i < 4; i++)
            if (!splits || i == byte)
                model[p][cell][slot][i] = time;
    }
}

static void check_all(struct race_shadow *s, struct race_space *space)
{
    struct race_cell list[4];
    for (unsigned p = 0; p < PAGES; p++)
        for (unsigned cell = 0; cell < RACE_CELLS; cell++) {
            struct race_page *page = race_page(space, (uint64_t)p * RACE_PAGE, true);
            const unsigned cells = race_cells(s, page, cell, false, list);
            for (unsigned i = 0; i < 4 * RACE_SLOTS; i++) {
                const uint32_t number = *list[cells == 4 ? i % 4 : 0].slot[i / 4];
                const struct race_record *o = race_record(s, number);
                assert_int_equal(o ? o->time : 0, model[p][cell][i / 4][i % 4]);
            }
        }
}

static void slots_refer_to_the_same_records(void **state)
{
    struct race_shadow s = {.first = 1};
    struct race_space space = {.pages = {0}}, *spaces[] = {&space};
    uint64_t time = 0;
    (void)state;
    srandom(11);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < STEPS; i++)
            note(&s, &space, ++time);
        const size_t before = s.count;
        assert_true(race_collect(&s, spaces, 1));
        assert_true(s.count && s.count <= before && (s.count < before || !round));
        check_all(&s, &space);
    }
    race_space_free(&s, &space);
    race_shadow_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slots_refer_to_the_same_records)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
