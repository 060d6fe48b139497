/* Signals that end host programs. See interrupt.h. */
#include "runtime/common/interrupt.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/common/tally.h"

/* A signal handler has no context: these are the process's. */
static atomic_int attending;
static atomic_int interrupted; /* the signal that came; 0: none */
static atomic_bool taken;

static void end_by_default(int number)
{
    sigset_t one;
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
}

static void on_signal(int number)
{
    int none = 0;
    if (!atomic_compare_exchange_strong(&interrupted, &none, number) || !atomic_load(&attending))
        end_by_default(number);
}

static void listen_once(void)
{
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction old, own = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        sigemptyset(&own.sa_mask);
        if (!sigaction(signals[i], NULL, &old) && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            sigaction(signals[i], &own, NULL);
    }
}

void wt_interrupt_listen(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, listen_once);
}

void wt_interrupt_attend(bool begins)
{
    const int before = atomic_fetch_add(&attending, begins ? 1 : -1);
    assert(begins || before > 0);
}

void wt_interrupt_forget(void)
{
    atomic_store(&attending, 0);
}

static bool has_come(void)
{
    return atomic_load_explicit(&interrupted, memory_order_relaxed) || wt_tally_over();
}

bool wt_interrupt_take(void)
{
    return has_come() && !atomic_exchange(&taken, true);
}

bool wt_interrupt_pending(void)
{
    return has_come() && !atomic_load(&taken);
}

_Noreturn void wt_interrupt_end(void)
{
    const int came = atomic_load(&interrupted), number = came ? came : SIGTERM;
    if (!ftrylockfile(stdout)) {
        fflush(stdout);
        funlockfile(stdout);
    }
    end_by_default(number);
    _Exit(128 + number); /* the signal was blocked for the process itself */
}
