/* See guard.h. Handlers of signals belong to the process, and so does what this file has of them.
 */
#include "runtime/common/guard.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

enum { SIGNALS = 2 };
static const int signals[SIGNALS] = {SIGSEGV, SIGBUS};

/* The program's own handlers of these signals, when this file's was installed last. */
static struct sigaction others[SIGNALS];
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;

struct guard {
    sigjmp_buf end;
    uint64_t addr;
    struct guard *outer;
};

/* Of this thread, the innermost one; NULL: none. The handler reads it: no memory may be allocated
 * for that. */
static _Thread_local struct guard *guard __attribute__((tls_model("initial-exec")));

static _Atomic(wt_guard_take_fn *) take_page;

/* Whether it is an access to a protected page that somebody takes. */
static bool is_taken(const siginfo_t *info, const ucontext_t *context)
{
    wt_guard_take_fn *take = atomic_load(&take_page);
    if (!take || info->si_code != SEGV_ACCERR)
        return false;
#ifdef __x86_64__
    enum { STORE = 1 << 1 }; /* "Intel 64 and IA-32 SDM", volume 3, 4.7: the error code's W/R */
    const greg_t *registers = context->uc_mcontext.gregs;
    return take((uint64_t)(uintptr_t)info->si_addr, (const void *)registers[REG_RIP], true,
                registers[REG_ERR] & STORE);
#else
    return take((uint64_t)(uintptr_t)info->si_addr, NULL, false, false);
#endif
}

/* The program's turn. By default the access is repeated without a handler. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction *other = &others[number == signals[0] ? 0 : 1];
    if (other->sa_flags & SA_SIGINFO)
        other->sa_sigaction(number, info, context);
    else if (other->sa_handler != SIG_DFL && other->sa_handler != SIG_IGN)
        other->sa_handler(number);
    else
        sigaction(number, other, NULL);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    struct guard *g = guard;
    if (!g && is_taken(info, context))
        return;
    if (!g || info->si_code <= 0) { /* another thread's, or sent by kill() */
        pass_on(number, info, context);
        return;
    }
    g->addr = (uint64_t)(uintptr_t)info->si_addr;
    siglongjmp(g->end, 1);
}

/* The program may have installed a handler of its own since. */
static void install(void)
{
    struct sigaction now, own = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&own.sa_mask);
    pthread_mutex_lock(&installing);
    for (unsigned i = 0; i < SIGNALS; i++) {
        if (sigaction(signals[i], NULL, &now) ||
            (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_signal))
            continue;
        others[i] = now;
        sigaction(signals[i], &own, NULL);
    }
    pthread_mutex_unlock(&installing);
}

bool wt_guarded(void (*run)(void *context), void *context, uint64_t *addr)
{
    struct guard here;
    here.outer = guard;
    if (!here.outer)
        install();
    if (sigsetjmp(here.end, 1)) {
        guard = here.outer;
        *addr = here.addr;
        return false;
    }
    guard = &here;
    run(context);
    guard = here.outer;
    return true;
}

void wt_guard_pages(wt_guard_take_fn *take)
{
    atomic_store(&take_page, take);
    install();
}
