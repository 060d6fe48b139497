/*
 * The table of objects against a model: an array in which everything is looked for one by one; what
 * the check of memory keeps of it; and what it keeps of its decisions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "check/decisions.h"
#include "check/heap.h"
#include "check/memory.h"
#include "check/start.h"
#include "emulator/machine/heads.h"
#include "emulator/machine/judge.h"
#include "emulator/machine/machine.h"

enum { PLACES = 64, PLACE = 1024, ROUNDS = 40000 };
#ifdef WT_CHECK_INVARIANTS /* with sanitizers, which take ten times as long */
enum { MANY = 100000 };
#else
enum { MANY = 1000000 }; /* allocations */
#endif

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

static bool check_have(unsigned space, uint64_t addr, uint64_t size)
{
    bool any = false;
    for (unsigned i = 0; i < PLACES; i++) {
        const uint64_t at = (uint64_t)(i + 1) * PLACE, bytes = model[space][i];
        any |= bytes && at < addr + size && addr < at + bytes;
    }
    for (size_t i = gone_count > WT_OBJECTS_FREED ? gone_count - WT_OBJECTS_FREED : 0;
         i < gone_count; i++)
        any |= gone[i].space == space && gone[i].addr < addr + size &&
               addr < gone[i].addr + gone[i].size;
    assert_int_equal(wt_objects_have(space_of(space), addr, addr + size - 1), any);
    return any;
}

static void check_judge(unsigned space, uint64_t addr, uint64_t size)
{
    struct wt_object object;
    struct wt_good good;
    enum wt_object_verdict wanted = WT_OUTSIDE;
    const uint64_t place = addr / PLACE - 1;
    const bool taken = place < PLACES && model[space][place]; /* what was freed there */
    bool freed = false, inside = false;
    for (size_t i = gone_count > WT_OBJECTS_FREED ? gone_count - WT_OBJECTS_FREED : 0;
         i < gone_count; i++)
        freed |= gone[i].space == space && addr - gone[i].addr < gone[i].size;
    for (unsigned i = 0; i < PLACES; i++) {
        const uint64_t at = (uint64_t)(i + 1) * PLACE, bytes = model[space][i];
        inside |= addr - at < bytes;
        if (addr - at < bytes)
            wanted = size <= bytes - (addr - at) ? WT_GOOD : WT_PARTLY;
        else if (bytes && at - addr < size && wanted == WT_OUTSIDE)
            wanted = WT_PARTLY;
    }
    if (freed && !inside && !taken)
        wanted = WT_FREED;
    assert_int_equal(wt_objects_judge(space_of(space), addr, size, random() % 2, &object, &good),
                     wanted);
    assert_int_equal(good.state, wt_objects_state());
    if (wanted == WT_GOOD)
        assert_true(good.writable && good.first <= addr && addr + size - 1 <= good.last);
}

static void objects_are_those_of_a_model(void **state)
{
    unsigned have = 0;
    srandom(7);
    for (unsigned space = 0; space < 2; space++)
        wt_block_made(space_of(space), PLACE, (uint64_t)PLACES / 2 * PLACE);
    wt_object_made(NULL, PLACE, 1, "maker"); /* they are carved before the model begins */
    wt_object_made(&model, PLACE, 1, "maker");
    model[0][0] = model[1][0] = 1;
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
        check_judge(space, PLACE + (uint64_t)random() % (PLACES * PLACE),
                    1 + (uint64_t)random() % 128);
        have += check_have(space, (uint64_t)random() % ((PLACES + 3) * PLACE),
                           1 + (uint64_t)random() % 128);
        /* An address inside of an object is none that can be freed. */
        if (*size > 1)
            assert_false(wt_object_freed(space_of(space), at + 1, "freer"));
    }
    assert_true(gone_count > WT_OBJECTS_FREED);
    assert_true(have > ROUNDS / 2 && have < ROUNDS - 1000);
}

static bool add_up(void *context, const struct wt_object *object)
{
    uint64_t *sum = context;
    *sum += object->size;
    return *sum < 3;
}

static void a_listener_has_the_news_and_who_called(void **state)
{
    struct wt_object found;
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
    assert_true(wt_object_find(&told, at, &found, NULL, NULL));
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
    struct wt_object found;
    const uint64_t base = (uint64_t)1 << 41;
    for (uint64_t i = 0; i < 2 * WT_OBJECTS_FREED; i++) {
        wt_object_made(NULL, base + 16 * i, 8, "maker");
        assert_true(wt_object_freed(NULL, base + 16 * i, "freer"));
    }
    assert_false(wt_object_find(NULL, base, &found, NULL, NULL));
    assert_true(wt_object_find(NULL, base + 16 * WT_OBJECTS_FREED + 7, &found, NULL, NULL));
    assert_int_equal(found.addr, base + 16 * WT_OBJECTS_FREED);
}

static void an_address_is_meant_for_the_object_that_has_taken_freed_memory(void **state)
{
    const uint64_t base = (uint64_t)1 << 43;
    struct wt_object object;
    struct wt_good good;
    wt_object_made(NULL, base, 1024, "maker");
    assert_true(wt_object_freed(NULL, base, "freer"));
    assert_int_equal(wt_objects_judge(NULL, base + 300, 4, true, &object, &good), WT_FREED);
    wt_object_made(NULL, base, 256, "maker");
    assert_int_equal(wt_objects_judge(NULL, base + 300, 4, true, &object, &good), WT_OUTSIDE);
    assert_int_equal(object.size, 256);
    assert_true(wt_object_freed(NULL, base, "freer"));
    assert_int_equal(wt_objects_judge(NULL, base + 300, 4, true, &object, &good), WT_FREED);
}

static void blocks_are_good_until_objects_are_cut_from_them(void **state)
{
    const uint64_t base = (uint64_t)1 << 42;
    struct wt_object object;
    struct wt_good good;
    wt_block_made(NULL, base, 4096);
    assert_int_equal(wt_objects_judge(NULL, base, 4096, true, &object, &good), WT_GOOD);
    assert_int_equal(wt_objects_judge(NULL, base + 1, 4096, true, &object, &good), WT_OUTSIDE);
    assert_int_equal(wt_objects_judge(&told, base, 1, false, &object, &good), WT_OUTSIDE);
    const uint64_t before = wt_objects_state();
    wt_object_made(NULL, base + 256, 100, "maker");
    assert_true(wt_objects_state() != before);
    assert_int_equal(wt_objects_judge(NULL, base, 1, false, &object, &good), WT_OUTSIDE);
    assert_int_equal(wt_objects_judge(NULL, base + 355, 1, true, &object, &good), WT_GOOD);
    assert_int_equal(wt_objects_judge(NULL, base + 356, 1, true, &object, &good), WT_OUTSIDE);
    assert_int_equal(object.addr, base + 256);
    wt_object_set_read_only(NULL, base + 256, true);
    assert_int_equal(wt_objects_judge(NULL, base + 256, 4, true, &object, &good), WT_READ_ONLY);
    assert_int_equal(wt_objects_judge(NULL, base + 256, 4, false, &object, &good), WT_GOOD);
    assert_false(good.writable);
    wt_block_gone(NULL, base); /* with its objects */
    assert_int_equal(wt_objects_judge(NULL, base + 256, 1, false, &object, &good), WT_FREED);
}

static unsigned released;

static void release(void *context, uint64_t addr)
{
    assert_int_equal(addr, *(uint64_t *)context + 16 * released);
    released++;
}

static enum wt_object_verdict load_of(uint64_t addr)
{
    struct wt_object object;
    struct wt_good good;
    return wt_objects_judge(NULL, addr, 4, false, &object, &good);
}

static void arguments_take_the_place_of_earlier_ones(void **state)
{
    const uint64_t base = UINT64_C(0x800000);
    struct wt_object found;
    wt_block_made(NULL, base, 4096);
    assert_true(wt_block_holds(NULL, base + 4095) && !wt_block_holds(NULL, base + 4096));
    wt_object_arguments(NULL, base, 0); /* not known */
    assert_int_equal(load_of(base + 64), WT_GOOD);
    wt_object_arguments(NULL, base, 32);
    wt_object_arguments(NULL, base + 32, 32);
    assert_int_equal(load_of(base + 60), WT_GOOD);
    assert_int_equal(load_of(base + 64), WT_OUTSIDE);
    wt_object_arguments(NULL, base + 16, 24);
    assert_int_equal(load_of(base + 36), WT_GOOD);
    assert_int_equal(load_of(base), WT_OUTSIDE); /* and not freed */
    assert_int_equal(load_of(base + 40), WT_OUTSIDE);
    wt_object_made(NULL, base + 256, 64, "maker");
    wt_object_arguments(NULL, base + 260, 32);
    assert_true(wt_object_find(NULL, base + 260, &found, NULL, NULL));
    assert_string_equal(found.by, "maker");
    wt_object_arguments(NULL, base + 8192, 32); /* in no block */
    assert_false(wt_object_find(NULL, base + 8192, &found, NULL, NULL));
    wt_block_gone(NULL, base);
    assert_false(wt_block_holds(NULL, base));
}

static void memory_of_freed_objects_is_kept(void **state)
{
    uint64_t base = 1000;
    wt_object_keep(base, 16, release, &base); /* at once */
    assert_int_equal(released, 1);
    wt_objects_set_quarantine(100 << 14); /* of small ones, so that they are not too many */
    for (uint64_t i = 1; i <= 100; i++)
        wt_object_keep(base + 16 * i, 16, release, &base);
    assert_int_equal(released, 1);
    for (uint64_t i = 101; i <= MANY; i++) { /* the oldest first */
        wt_object_keep(base + 16 * i, 16, release, &base);
        assert_int_equal(released, i - 99);
    }
    assert_true(wt_objects_release_kept());
    assert_int_equal(released, MANY + 1);
    assert_false(wt_objects_release_kept());
    wt_objects_set_quarantine(0);
}

static void free_memory(void *context, uint64_t addr)
{
    --*(uint64_t *)context;
}

static void a_million_allocations_take_bounded_memory(void **state)
{
    enum { ALL = MANY, AT_ONCE = 1000 };
    const uint64_t base = (uint64_t)1 << 44, most = (uint64_t)256 << 20;
    size_t before = 0;
    uint64_t kept = 0;
    wt_objects_set_quarantine(most);
    for (uint64_t i = 0; i < ALL; i++) {
        const uint64_t size = 1 + i % 10000, old = base + (i - AT_ONCE) * 65536;
        wt_object_made(NULL, base + i * 65536, size, "maker");
        if (i < AT_ONCE)
            continue;
        kept++;
        assert_true(wt_object_freed(NULL, old, "freer"));
        wt_object_keep(old, 1 + (i - AT_ONCE) % 10000, free_memory, &kept);
        assert_true(kept <= most >> 14);
        if (i == ALL / 10)
            before = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks <= before + (1 << 16));
    for (uint64_t i = ALL - AT_ONCE; i < ALL; i++)
        wt_object_freed(NULL, base + i * 65536, "freer");
    wt_objects_release_kept();
    assert_int_equal(kept, 0);
    wt_objects_set_quarantine(0);
}

static void a_range_that_wraps_is_not_known_to_be_good(void **state)
{
    static struct wt_machine m;
    struct wt_check_memory *c =
        wt_check_memory_begin(&(struct wt_check_start){.machine = &m, .space = &m});
    wt_object_made(&m, 4096, 64, "maker");
    assert_true(m.judge->holds(c, 4096, 64, true));
    assert_true(m.judge->holds(c, 4100, 4, false));
    assert_false(m.judge->holds(c, 4100, 64, false));
    assert_false(m.judge->holds(c, UINT64_MAX - 1, 4, false));
    wt_object_freed(&m, 4096, "freer");
    assert_false(m.judge->holds(c, 4096, 64, true));
    wt_check_memory_end(c);
    assert_null(m.judge);
}

static void what_a_dropped_future_allocates_is_not_known_to_be_good(void **state)
{
    static struct wt_machine m = {.recorded = true, .time = 10};
    const struct wt_wave_head w = {.left = 0};
    struct wt_check_memory *c =
        wt_check_memory_begin(&(struct wt_check_start){.machine = &m, .space = &m});
    m.judge->taken(c, &w, &(struct wt_lane_access){.pc = 8}, 4096, 64);
    m.time = m.known = 11;
    assert_true(m.judge->holds(c, 4096, 64, true));
    m.time = 5; /* the debugger went back */
    assert_false(m.judge->holds(c, 4096, 64, true));
    m.known = 5; /* and takes another way */
    assert_false(m.judge->holds(c, 4096, 64, true));
    wt_object_freed(&m, 4096, "freer");
    wt_check_memory_end(c);
}

static bool is_live(const void *space, uint64_t addr)
{
    struct wt_object found;
    return wt_object_find(space, addr, &found, NULL, NULL) && !found.freed;
}

static void a_call_of_the_allocator_returns_in_another_future(void **state)
{
    static struct wt_machine m = {.recorded = true};
    const struct wt_wave_head w = {.left = 0};
    struct wt_check_memory *c =
        wt_check_memory_begin(&(struct wt_check_start){.machine = &m, .space = &m});
    const uint64_t size = 16, first = 4096, second = 8192;
    wt_allocator_at(&m, 100, 10, WT_ALLOCATES);
    for (m.time = 1; m.time <= 3; m.time += 2) {
        m.judge->allocator(c, &m, &w, 100, 200, 1, &size);
        m.time++;
        m.judge->allocator(c, &m, &w, 200, 0, 1, &first);
    }
    assert_true(is_live(&m, first));
    m.known = m.time;
    m.time = 3; /* the debugger goes back to before the last call, and repeats it */
    m.judge->allocator(c, &m, &w, 100, 200, 1, &size);
    m.time = m.known = 4; /* another way */
    m.judge->allocator(c, &m, &w, 200, 0, 1, &second);
    assert_true(is_live(&m, second));
    m.judge->allocator(c, &m, &w, 200, 0, 1, &(uint64_t){4096 * 3}); /* nobody has called it */
    assert_false(is_live(&m, 4096 * 3));
    wt_object_freed(&m, first, "freer");
    wt_object_freed(&m, second, "freer");
    wt_check_memory_end(c);
}

static unsigned dropped;

static void drop(void *context, const struct wt_decision *one)
{
    assert_int_equal(one->time, *(uint64_t *)context - ++dropped);
}

static void decisions_of_dropped_futures_are_known(void **state)
{
    struct wt_decisions all = {.count = 0};
    struct wt_decision one = {.key = 7};
    uint64_t end = 10;
    for (one.time = 0; one.time < end; one.time++)
        wt_decisions_add(&all, &one);
    wt_decisions_drop(&all, 2, drop, &end);
    assert_int_equal(dropped, 8);
    assert_int_equal(wt_decisions_at(&all, 1), 1);
    assert_int_equal(wt_decisions_at(&all, 2), 2);
    for (one.time = 2; one.time < 5; one.time++) { /* the same future, a part of the way */
        assert_true(wt_decisions_has(&all, &one));
        wt_decisions_add(&all, &one);
    }
    dropped = 0;
    end = 5;
    wt_decisions_drop(&all, 3, drop, &end);
    for (one.time = 0; one.time < 10; one.time++)
        assert_true(wt_decisions_has(&all, &one));
    assert_false(wt_decisions_has(&all, &one));
    one.time = 4;
    one.key = 8;
    assert_false(wt_decisions_has(&all, &one));
    wt_decisions_free(&all);
}

/* The last one: they are taken from then on. */
static void calls_are_taken_without_a_listener(void **state)
{
    struct wt_object found;
    wt_object_made(&told, 4096, 8, "maker");
    assert_true(wt_object_find(&told, 4096, &found, NULL, NULL) && !found.made.depth);
    wt_objects_take_calls();
    wt_object_freed(&told, 4096, "freer");
    wt_object_made(&told, 8192, 8, "maker");
    assert_true(wt_object_find(&told, 8192, &found, NULL, NULL) && found.made.depth);
    assert_true(wt_object_find(&told, 4096, &found, NULL, NULL) && found.ended.depth);
    wt_object_freed(&told, 8192, "freer");
}

/* What another thread does with a list while the process forks. */
static void use_objects(void)
{
    struct wt_object found;
    wt_object_find(&model, PLACE, &found, NULL, NULL);
}

static void use_variables(void)
{
    struct wt_known_variable v;
    wt_variable_of(&model, PLACE, &v);
}

static void use_allocators(void)
{
    bool begins;
    wt_allocator_of(&model, PLACE, &begins);
}

static atomic_bool forked_enough;
static void (*volatile use)(void);

static void *use_always(void *unused)
{
    while (!forked_enough)
        use();
    return NULL;
}

static void a_child_can_use_the_lists(void **state)
{
    enum { FORKS = 200, SECONDS = 5 };
    static void (*const lists[])(void) = {use_objects, use_variables, use_allocators};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        pthread_t thread;
        int status;
        use = lists[k];
        forked_enough = false;
        pthread_create(&thread, NULL, use_always, NULL);
        for (unsigned i = 0; i < FORKS; i++) {
            const pid_t child = fork();
            if (!child) {
                alarm(SECONDS);
                use();
                _exit(0);
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_int_equal(status, 0);
        }
        forked_enough = true;
        pthread_join(thread, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_those_of_a_model),
        cmocka_unit_test(a_listener_has_the_news_and_who_called),
        cmocka_unit_test(the_newest_freed_objects_are_remembered),
        cmocka_unit_test(an_address_is_meant_for_the_object_that_has_taken_freed_memory),
        cmocka_unit_test(blocks_are_good_until_objects_are_cut_from_them),
        cmocka_unit_test(arguments_take_the_place_of_earlier_ones),
        cmocka_unit_test(memory_of_freed_objects_is_kept),
        cmocka_unit_test(a_million_allocations_take_bounded_memory),
        cmocka_unit_test(a_range_that_wraps_is_not_known_to_be_good),
        cmocka_unit_test(what_a_dropped_future_allocates_is_not_known_to_be_good),
        cmocka_unit_test(a_call_of_the_allocator_returns_in_another_future),
        cmocka_unit_test(decisions_of_dropped_futures_are_known),
        cmocka_unit_test(calls_are_taken_without_a_listener),
        cmocka_unit_test(a_child_can_use_the_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
