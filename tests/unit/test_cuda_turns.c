/* Whose turn it is: the program's or its debugger's (runtime/common/gate.h, runtime/cuda/debug.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "runtime/cuda/debug.h"
#include "runtime/cuda/gpu_internal.h"

#include "wait.h"

enum { HOUR_MS = 3600000 };

static struct gpu gpu;

/* A kernel that halts in its first run, and stands for its debugger. */
static void *kernel(void *context)
{
    const struct sm_launch launch = {.number = 1};
    enum wt_run result = WT_RUN_HALTED;
    (void)context;
    wt_gate_enter(cuda_gate());
    debug_launch_began(&gpu, &launch);
    debug_turn(&gpu, &result);
    debug_launch_ended();
    wt_gate_leave(cuda_gate());
    return NULL;
}

/* A debugger's request that comes when the kernel stands. */
static void *wait_late(void *context)
{
    (void)context;
    bool stands = false;
    while (!stands) {
        wt_gate_enter_as_debugger(cuda_gate());
        stands = debug_launch().runs; /* the kernel gives the gate up behind its run only */
        if (stands)
            wt_gate_wait(cuda_gate(), HOUR_MS);
        wt_gate_leave_as_debugger(cuda_gate());
    }
    return NULL;
}

static void test_a_wait_for_a_run_that_has_come_back_ends_at_once(void **state)
{
    pthread_t program, debugger;
    (void)state;
    wt_gate_enter_as_debugger(cuda_gate());
    wt_gate_follow(cuda_gate(), true);
    wt_gate_leave_as_debugger(cuda_gate());
    assert_int_equal(pthread_create(&program, NULL, kernel, NULL), 0);
    assert_int_equal(pthread_create(&debugger, NULL, wait_late, NULL), 0);
    join_thread(debugger);
    wt_gate_enter_as_debugger(cuda_gate());
    wt_gate_follow(cuda_gate(), false);
    wt_gate_poke(cuda_gate());
    wt_gate_leave_as_debugger(cuda_gate());
    join_thread(program);
}

enum { CHANGES = 200 };

/* What the debugger has changed, and what the kernel's last run has seen of it: within the gate. */
static unsigned changed, seen;

/* A kernel that halts in each run, and goes on when the debugger changes something. */
static void *halting_kernel(void *context)
{
    const struct sm_launch launch = {.number = 2};
    enum wt_run result = WT_RUN_HALTED;
    (void)context;
    wt_gate_enter(cuda_gate());
    debug_launch_began(&gpu, &launch);
    do {
        seen = changed;
        result = WT_RUN_HALTED;
    } while (debug_turn(&gpu, &result) && seen < CHANGES);
    debug_launch_ended();
    wt_gate_leave(cuda_gate());
    return NULL;
}

/* Else a debugger that stops the GPU behind each wait may take back each step before it was done.
 */
static void test_a_wait_is_for_a_run_that_has_seen_the_change_before_it(void **state)
{
    pthread_t program;
    (void)state;
    bool runs = false;
    wt_gate_enter_as_debugger(cuda_gate());
    wt_gate_follow(cuda_gate(), true);
    wt_gate_leave_as_debugger(cuda_gate());
    assert_int_equal(pthread_create(&program, NULL, halting_kernel, NULL), 0);
    while (!runs) {
        wt_gate_enter_as_debugger(cuda_gate());
        runs = debug_launch().runs;
        wt_gate_leave_as_debugger(cuda_gate());
    }
    for (unsigned i = 1; i <= CHANGES; i++) {
        wt_gate_enter_as_debugger(cuda_gate());
        changed = i;
        wt_gate_poke(cuda_gate());
        wt_gate_leave_as_debugger(cuda_gate());
        wt_gate_enter_as_debugger(cuda_gate());
        wt_gate_wait(cuda_gate(), HOUR_MS);
        assert_int_equal(seen, i);
        wt_gate_leave_as_debugger(cuda_gate());
    }
    wt_gate_enter_as_debugger(cuda_gate());
    wt_gate_follow(cuda_gate(), false);
    wt_gate_poke(cuda_gate());
    wt_gate_leave_as_debugger(cuda_gate());
    join_thread(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_wait_for_a_run_that_has_come_back_ends_at_once),
        cmocka_unit_test(test_a_wait_is_for_a_run_that_has_seen_the_change_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
