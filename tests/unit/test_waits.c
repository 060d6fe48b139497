/* How threads wait, as the library does it as a tool of the HSA runtime (runtime/kfd/waits.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/common/host_checks.h"
#include "runtime/kfd/tool.h"
#include "wait.h"

/* Nobody is told of stores. */
const struct wt_host_calls *wt_host_listener(void)
{
    return NULL;
}

enum { ALMOST_A_SECOND = 999999999 };

static int64_t stored;
static atomic_bool has_ended;
static unsigned loads, waits;

static int64_t runtime_load(uint64_t signal)
{
    loads++;
    return (int64_t)signal;
}

static void runtime_store(uint64_t signal, int64_t value)
{
    stored = (int64_t)signal * 10 + value;
}

static int64_t runtime_wait(uint64_t signal, int condition, int64_t value, uint64_t timeout,
                            int how)
{
    waits++;
    return 0;
}

static struct core_table table(void)
{
    struct core_table core = {.load_relaxed = runtime_load,
                              .load_scacquire = runtime_load,
                              .store_relaxed = runtime_store,
                              .store_screlease = runtime_store,
                              .wait_relaxed = runtime_wait,
                              .wait_scacquire = runtime_wait};
    host_tool_wait(&core);
    return core;
}

/* Sleeps for longer than any wait of a test, unless it is woken. */
static void *sleep_often(void *context)
{
    for (unsigned i = 0; i < 2 * WAIT_S; i++)
        host_sleep(host_doorbells(), ALMOST_A_SECOND);
    atomic_store(&has_ended, true);
    return context;
}

static void a_doorbell_ends_a_sleep(void **state)
{
    struct core_table core = table();
    pthread_t sleeper;
    assert_int_equal(pthread_create(&sleeper, NULL, sleep_often, NULL), 0);
    UNTIL(atomic_load(&has_ended), core.store_screlease(3, 4));
    join_thread(sleeper);
}

/* A packet that comes between the look for packets and the sleep is not slept over. */
static void a_doorbell_before_the_sleep_counts(void **state)
{
    struct core_table core = table();
    const uint64_t begin = wt_clock_ns();
    for (unsigned i = 0; i < 2 * WAIT_S; i++) {
        const uint32_t seen = host_doorbells();
        core.store_relaxed(3, 4);
        host_sleep(seen, ALMOST_A_SECOND);
        wait_no_longer_than(begin, "sleeps that end at once");
    }
}

static void stores_are_the_runtimes(void **state)
{
    struct core_table core = table();
    core.store_relaxed(3, 4);
    assert_int_equal(stored, 34);
    core.store_screlease(5, 6);
    assert_int_equal(stored, 56);
}

enum { CONDITION_EQ, HOW = 0, MS = 1000000, WAITS = 1000 };

/* Of so many waits for a value that does not come: those at which the signal was read again and
 * again. */
static unsigned waits_that_spin(const struct core_table *core, unsigned count)
{
    unsigned spins = 0;
    for (unsigned i = 0; i < count; i++) {
        loads = 0;
        core->wait_scacquire(3, CONDITION_EQ, 4, MS, HOW);
        spins += loads > 2;
    }
    return spins;
}

static void a_waiter_that_looks_in_vain_looks_ever_less(void **state)
{
    struct core_table core = table();
    waits = 0;
    assert_true(waits_that_spin(&core, WAITS) < WAITS / 20);
    assert_int_equal(waits, WAITS); /* the runtime's own waits */
    /* What has come is found without them, and so is what comes then. */
    const uint64_t begin = wt_clock_ns();
    do {
        wait_no_longer_than(begin, "a wait that looks for longer again");
        assert_int_equal(core.wait_relaxed(4, CONDITION_EQ, 4, MS, HOW), 4);
    } while (!waits_that_spin(&core, 1));
}

/* libgomp's waits are of a millisecond each: none of them is the runtime's, which spins. */
static void waits_under_a_debugger_are_sleep(void **state)
{
    struct core_table core = table();
    waits_that_spin(&core, 10);
    host_waits_under_debugger(true);
    waits = 0;
    assert_true(waits_that_spin(&core, 10) <= 1);
    assert_true(waits <= 1);
    host_waits_under_debugger(false);
    waits_that_spin(&core, 10);
    assert_true(waits >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_doorbell_ends_a_sleep),
        cmocka_unit_test(a_doorbell_before_the_sleep_counts),
        cmocka_unit_test(stores_are_the_runtimes),
        cmocka_unit_test(a_waiter_that_looks_in_vain_looks_ever_less),
        cmocka_unit_test(waits_under_a_debugger_are_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
