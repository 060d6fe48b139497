/* A map against a model: an array with the value of each key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/map.h"

enum { KEYS = 300, ROUNDS = 100000 };

static void a_map_is_as_its_model(void **state)
{
    struct wt_map m = {.count = 0};
    uint64_t model[KEYS] = {0}; /* 0: the key is not there */
    size_t count = 0;
    srandom(7);
    assert_null(wt_map_find(&m, 1));
    for (unsigned n = 1; n <= ROUNDS; n++) {
        const unsigned i = (unsigned)random() % KEYS;
        const uint64_t key = i < KEYS / 2 ? i + 1 : (uint64_t)i << 52 | 8; /* some meet */
        if (model[i] && random() % 2) {
            wt_map_remove(&m, key);
            model[i] = 0;
            count--;
        } else {
            uint64_t *value = wt_map_add(&m, key);
            assert_int_equal(*value, model[i]);
            count += !model[i];
            *value = model[i] = n;
        }
        assert_int_equal(m.count, count);
        for (unsigned k = n % 100 ? i : 0; k < (n % 100 ? i + 1 : KEYS); k++) {
            uint64_t *value = wt_map_find(&m, k < KEYS / 2 ? k + 1 : (uint64_t)k << 52 | 8);
            assert_int_equal(value ? *value : 0, model[k]);
        }
    }
    assert_true(m.room <= 4 * KEYS);
    wt_map_free(&m);
    assert_null(wt_map_find(&m, 1));
}

static void different_numbers_are_counted_in_bounded_memory(void **state)
{
    enum { NUMBERS = 20 * WT_DIFFERENT };
    struct wt_different d = {.count = 0};
    for (uint64_t n = 1; n <= NUMBERS; n++)
        for (uint64_t again = n > WT_DIFFERENT / 2 ? n - WT_DIFFERENT / 2 : 1; again <= n;
             again += WT_DIFFERENT / 8)
            wt_different_add(&d, again);
    assert_int_equal(d.count, NUMBERS);
    assert_true(d.latest.room + d.before.room <= 4 * WT_DIFFERENT);
    wt_map_free(&d.latest);
    wt_map_free(&d.before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_is_as_its_model),
        cmocka_unit_test(different_numbers_are_counted_in_bounded_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
