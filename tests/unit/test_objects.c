/* The table of objects against a model: an array in which everything is looked for one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/objects.h"

enum { PLACES = 64, PLACE = 1024, ROUNDS = 40000 };

static uint64_t model[2][PLACES]; /* bytes of the object in each place; 0: there is none */
static struct {
    unsigned space;
    uint64_t addr, size;
} gone[ROUNDS]; /* the oldest first */
static size_t gone_count;

static struct wt_object_news last;
static unsigned told;

static void note(void *context, const struct wt_object_news *news)
{
    assert_ptr_equal(context, &told);
    last = *news;
    told++;
}

static const void *space_of(unsigned i)
{
    return i ? &model : NULL;
}

static void check_find(unsigned space, uint64_t addr)
{
    struct wt_object found, before, behind;
    const bool holds = wt_object_find(space_of(space), addr, &found, &before, &behind);
    uint64_t below = 0, above = UINT64_MAX;
    bool live = false, freed = false;
    for (unsigned i = 0; i < PLACES; i++) {
        const uint64_t at = (uint64_t)(i + 1) * PLACE, size = model[space][i];
        live |= addr - at < size;
        if (size && at + size <= addr && at + size > below)
            below = at + size;
        if (size && at > addr && at < above)
            above = at;
    }
    for (size_t i = gone_count > WT_OBJECTS_FREED ? gone_count - WT_OBJECTS_FREED : 0;
         i < gone_count; i++)
        freed |= gone[i].space == space && addr - gone[i].addr < gone[i].size;
    assert_int_equal(holds, live || freed);
    if (holds) {
        assert_true(addr - found.addr < found.size);
        assert_int_equal(found.freed, !live);
        assert_string_equal(found.by, "maker");
        return;
    }
    assert_int_equal(before.size ? before.addr + before.size : 0, below);
    assert_int_equal(behind.size ? behind.addr : UINT64_MAX, above);
}

static void objects_are_those_of_a_model(void **state)
{
    srandom(7);
    for (unsigned n = 0; n < ROUNDS; n++) {
        const unsigned space = (unsigned)random() % 2, i = (unsigned)random() % PLACES;
        const uint64_t at = (uint64_t)(i + 1) * PLACE;
        uint64_t *size = &model[space][i];
        if (random() % 2) {
            assert_int_equal(wt_object_freed(space_of(space), at, "freer"), *size != 0);
            if (*size) {
                gone[gone_count].space = space;
                gone[gone_count].addr = at;
                gone[gone_count++].size = *size;
            }
            *size = 0;
        } else if (!*size) {
            *size = (uint64_t)(1 + random() % PLACE);
            wt_object_made(space_of(space), at, *size, "maker");
        }
        check_find(space, (uint64_t)random() % ((PLACES + 3) * PLACE));
        /* An address inside of an object is none that can be freed. */
        if (*size > 1)
            assert_false(wt_object_freed(space_of(space), at + 1, "freer"));
    }
    assert_true(gone_count > WT_OBJECTS_FREED);
}

static bool add_up(void *context, const struct wt_object *object)
{
    uint64_t *sum = context;
    *sum += object->size;
    return *sum < 3;
}

static void a_listener_has_the_news_and_who_called(void **state)
{
    struct wt_object found, before, behind;
    const uint64_t at = (uint64_t)1 << 40;
    uint64_t sum = 0;
    wt_objects_listen(note, &told);
    told = 0;
    wt_object_made(&told, at, 2, "maker");
    assert_int_equal(last.event, WT_OBJECT_MADE);
    assert_int_equal(last.size, 2);
    assert_true(last.calls.depth > 0);
    wt_object_copied(at, 5, 3, "copier");
    assert_int_equal(last.event, WT_OBJECT_COPIED);
    assert_int_equal(last.from, 5);
    wt_object_filled(at, 4, "filler");
    assert_string_equal(last.by, "filler");
    assert_true(wt_object_freed(&told, at, "freer"));
    assert_int_equal(last.event, WT_OBJECT_FREED);
    assert_int_equal(last.size, 2);
    /* What no object is, is told, too: with no bytes. */
    assert_false(wt_object_freed(&told, at, "freer"));
    assert_int_equal(last.size, 0);
    assert_int_equal(told, 5);
    assert_true(wt_object_find(&told, at, &found, &before, &behind));
    assert_true(found.freed && found.made.depth > 0 && found.ended.depth > 0);
    wt_objects_listen(NULL, NULL);
    wt_object_made(&told, at, 2, "maker");
    wt_object_made(&told, at + 16, 2, "maker");
    wt_object_made(&told, at + 32, 2, "maker");
    assert_int_equal(told, 5);
    wt_objects_each(add_up, &sum);
    assert_true(sum >= 3); /* it stops where it is told to */
    for (unsigned i = 0; i < 3; i++)
        assert_true(wt_object_freed(&told, at + 16 * i, "freer"));
}

static void the_newest_freed_objects_are_remembered(void **state)
{
    struct wt_object found, before, behind;
    const uint64_t base = (uint64_t)1 << 41;
    for (uint64_t i = 0; i < 2 * WT_OBJECTS_FREED; i++) {
        wt_object_made(NULL, base + 16 * i, 8, "maker");
        assert_true(wt_object_freed(NULL, base + 16 * i, "freer"));
    }
    assert_false(wt_object_find(NULL, base, &found, &before, &behind));
    assert_true(wt_object_find(NULL, base + 16 * WT_OBJECTS_FREED + 7, &found, &before, &behind));
    assert_int_equal(found.addr, base + 16 * WT_OBJECTS_FREED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_those_of_a_model),
        cmocka_unit_test(a_listener_has_the_news_and_who_called),
        cmocka_unit_test(the_newest_freed_objects_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
