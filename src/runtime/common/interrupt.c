/* Ctrl-C in host programs. See interrupt.h. */
#include "runtime/common/interrupt.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* A signal handler has no context: these are the process's. */
static atomic_int attending;
static atomic_bool interrupted, taken;

static void end_by_default(void)
{
    sigset_t one;
    signal(SIGINT, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(SIGINT);
}

static void on_interrupt(int number)
{
    (void)number;
    if (atomic_exchange(&interrupted, true) || !atomic_load(&attending))
        end_by_default();
}

static void listen_once(void)
{
    struct sigaction old, own = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&own.sa_mask);
    if (!sigaction(SIGINT, NULL, &old) && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
        sigaction(SIGINT, &own, NULL);
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
    (void)before;
}

void wt_interrupt_forget(void)
{
    atomic_store(&attending, 0);
}

bool wt_interrupt_take(void)
{
    return atomic_load_explicit(&interrupted, memory_order_relaxed) &&
           !atomic_exchange(&taken, true);
}

bool wt_interrupt_pending(void)
{
    return atomic_load(&interrupted) && !atomic_load(&taken);
}

_Noreturn void wt_interrupt_end(void)
{
    if (!ftrylockfile(stdout)) {
        fflush(stdout);
        funlockfile(stdout);
    }
    end_by_default();
    _Exit(128 + SIGINT); /* SIGINT was blocked for the process itself */
}
