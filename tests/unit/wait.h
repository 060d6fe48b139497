/*
 * Waiting in tests. Each wait has a bound, after which the test fails and says what it waited for:
 * a test that hangs would be ended by its runner, without a word, together with those behind it.
 */
#ifndef TESTS_WAIT_H
#define TESTS_WAIT_H

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <cmocka.h>

#include "base/clock.h"

/* Much longer than any load makes a wait, and shorter than the runner's limit (900 s). */
enum { WAIT_S = 300 };

static inline void wait_no_longer_than(uint64_t since_ns, const char *what)
{
    if (wt_clock_ns() - since_ns > WAIT_S * UINT64_C(1000000000))
        fail_msg("waited %d s for: %s", WAIT_S, what);
}

/* Takes STEP until CONDITION holds. */
#define UNTIL(condition, step)                                                                     \
    do {                                                                                           \
        const uint64_t since_ = wt_clock_ns();                                                     \
        while (!(condition)) {                                                                     \
            wait_no_longer_than(since_, #condition);                                               \
            step;                                                                                  \
        }                                                                                          \
    } while (0)

/* Waits for the end of a thread. */
static inline void join_thread(pthread_t thread)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += WAIT_S;
    const int error = pthread_timedjoin_np(thread, NULL, &end);
    if (error == ETIMEDOUT)
        fail_msg("waited %d s for the end of a thread", WAIT_S);
    assert_int_equal(error, 0);
}

/* Waits for the end of a child, and returns its status; one that does not end is killed. */
static inline int wait_for_child(pid_t child)
{
    int status = 0;
    const uint64_t since = wt_clock_ns();
    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            return status;
        assert_int_equal(ended, 0);
        if (wt_clock_ns() - since > WAIT_S * UINT64_C(1000000000)) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            fail_msg("waited %d s for the end of a child", WAIT_S);
        }
        poll(NULL, 0, 1);
    }
}

#endif
