/* See waits.h. */
#include "runtime/i915/waits.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/called_place.h"
#include "base/map.h"
#include "runtime/common/interrupt.h"
#include "runtime/i915/order.h"
#include "runtime/symbols/symbols.h"

enum { MOST_WAITERS = 8, LOOK_MS = 20, IDLE_LOOKS = 50 };

/* An event of the program's; the commands that wait for it, a call each. */
struct waits_event {
    struct waits_event *next;
    const void *handle; /* NULL: it is gone */
    bool signalled;
    struct drm_waits_call made, signals; /* signals.by NULL: no command does */
    struct drm_waits_call waiter[MOST_WAITERS];
    unsigned waiters;             /* may be more than are kept */
    unsigned times[MOST_WAITERS]; /* how many commands of that call wait */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct wt_map events;           /* handle: struct waits_event */
static struct waits_event *event_list; /* all that were ever there */
static struct drm_wait *threads;
static unsigned batches, kernels; /* GPUs whose batches wait; kernels that run */
static bool asleep;               /* the thread that looks after signals */
static void (*report_by)(void *context);
static void *report_context;

/* ---- what waits ---- */

static struct waits_event *event_of(const void *handle)
{
    uint64_t *const there = handle ? wt_map_find(&events, (uintptr_t)handle) : NULL;
    return there ? (struct waits_event *)(uintptr_t)*there : NULL;
}

void drm_waits_made(const void *handle, struct drm_waits_call by)
{
    pthread_mutex_lock(&lock);
    struct waits_event *e = event_of(handle);
    uint64_t *const to = !e && handle ? wt_map_add(&events, (uintptr_t)handle) : NULL;
    if (to && (e = calloc(1, sizeof *e))) { /* without memory it is not reported */
        e->next = event_list;
        event_list = e;
        *to = (uintptr_t)e;
    }
    if (e) {
        struct waits_event *const next = e->next;
        *e = (struct waits_event){.next = next, .handle = handle, .made = by};
    }
    pthread_mutex_unlock(&lock);
}

void drm_waits_set(const void *handle, bool signalled)
{
    pthread_mutex_lock(&lock);
    struct waits_event *e = event_of(handle);
    if (e)
        e->signalled = signalled;
    pthread_mutex_unlock(&lock);
}

void drm_waits_drop(const void *handle)
{
    pthread_mutex_lock(&lock);
    struct waits_event *e = event_of(handle);
    if (e)
        e->handle = NULL;
    pthread_mutex_unlock(&lock);
}

static unsigned waiter_of(const struct waits_event *e, const void *from)
{
    unsigned i = 0;
    while (i < e->waiters && i < MOST_WAITERS && e->waiter[i].from != from)
        i++;
    return i;
}

static void add_waiter(struct waits_event *e, struct drm_waits_call by)
{
    const unsigned i = waiter_of(e, by.from);
    if (i == e->waiters && i < MOST_WAITERS) {
        e->waiter[i] = by;
        e->times[i] = 0;
    }
    if (i < MOST_WAITERS)
        e->times[i]++;
    e->waiters += i == e->waiters || i == MOST_WAITERS;
}

static void drop_waiter(struct waits_event *e, const void *from)
{
    const unsigned i = waiter_of(e, from),
                   kept = e->waiters < MOST_WAITERS ? e->waiters : MOST_WAITERS;
    if (i < kept && --e->times[i])
        return;
    e->waiters -= e->waiters > 0;
    for (unsigned k = i; k + 1 < kept; k++) {
        e->waiter[k] = e->waiter[k + 1];
        e->times[k] = e->times[k + 1];
    }
}

/* A command is enqueued, or was not. */
static void note(const struct drm_order_command *c, const void *from, bool is)
{
    const struct drm_waits_call by = {c->by, from};
    const void *const *list = c->events;
    if (!(list && c->count) && !c->signals)
        return;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; list && i < c->count; i++) {
        struct waits_event *e = event_of(list[i]);
        if (e && !e->signalled && is)
            add_waiter(e, by);
        else if (e && !e->signalled)
            drop_waiter(e, from);
    }
    struct waits_event *e = event_of(c->signals);
    if (e && (is || e->signals.from == from))
        e->signals = is ? by : (struct drm_waits_call){NULL, NULL};
    pthread_mutex_unlock(&lock);
}

void drm_waits_command(const struct drm_order_command *c, const void *from)
{
    note(c, from, true);
}

void drm_waits_failed(const struct drm_order_command *c, const void *from)
{
    note(c, from, false);
}

/* ---- interrupts while nothing runs ---- */

static bool is_waiting(void)
{
    return threads || batches;
}

/* Waits that come one after the other do not wake it each time. */
static void *watch(void *context)
{
    const struct timespec moment = {.tv_nsec = LOOK_MS * 1000000};
    for (unsigned idle = 0;;) {
        pthread_mutex_lock(&lock);
        idle = is_waiting() ? 0 : idle + 1;
        while ((asleep = idle > IDLE_LOOKS && !is_waiting()))
            pthread_cond_wait(&changed, &lock);
        void (*const report)(void *context) = kernels ? NULL : report_by;
        pthread_mutex_unlock(&lock);
        if (report && wt_interrupt_take())
            report(report_context);
        nanosleep(&moment, NULL);
    }
    return NULL;
}

static pid_t watched; /* the process that has the thread */

void drm_waits_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

void drm_waits_after_fork(bool child)
{
    if (child) {
        threads = NULL;
        asleep = false;
        pthread_cond_init(&changed, NULL);
    }
    pthread_mutex_unlock(&lock);
}

/* Locked. The first wait begins, or the last one ends. */
static void turn(bool waits)
{
    if (waits && watched != getpid()) {
        sigset_t all, before;
        pthread_t thread;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        if (!pthread_create(&thread, NULL, watch, NULL) && !pthread_detach(thread))
            watched = getpid();
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    wt_interrupt_attend(waits);
    if (asleep)
        pthread_cond_signal(&changed);
}

void drm_wait_begin(struct drm_wait *wait, struct drm_waits_call by, const void *on)
{
    *wait = (struct drm_wait){.by = by, .on = on};
    if (!by.by)
        return;
    wait->thread = syscall(SYS_gettid);
    pthread_mutex_lock(&lock);
    if (!is_waiting())
        turn(true);
    wait->next = threads;
    if (threads)
        threads->before = wait;
    threads = wait;
    pthread_mutex_unlock(&lock);
}

void drm_wait_end(struct drm_wait *wait)
{
    if (!wait->by.by)
        return;
    pthread_mutex_lock(&lock);
    *(wait->before ? &wait->before->next : &threads) = wait->next;
    if (wait->next)
        wait->next->before = wait->before;
    if (!is_waiting())
        turn(false);
    pthread_mutex_unlock(&lock);
}

void drm_waits_batches(bool wait)
{
    pthread_mutex_lock(&lock);
    const bool before = is_waiting();
    batches += wait ? 1u : -1u;
    if (before != is_waiting())
        turn(!before);
    pthread_mutex_unlock(&lock);
}

void drm_waits_kernel(bool runs)
{
    pthread_mutex_lock(&lock);
    kernels += runs ? 1u : -1u;
    pthread_mutex_unlock(&lock);
}

void drm_waits_report_by(void (*report)(void *context), void *context)
{
    pthread_mutex_lock(&lock);
    report_by = report;
    report_context = context;
    pthread_mutex_unlock(&lock);
}

/* ---- words ---- */

/* "clFinish at main.c:12", with the function of the program that has called it. */
static void tell_call(FILE *out, struct drm_waits_call call)
{
    const struct symbols *symbols = symbols_of();
    struct wt_modules *modules = symbols ? symbols->list() : NULL;
    const struct wt_called_place place = {.pc = (uintptr_t)call.from - 1};
    char text[600] = "";
    struct link_map *map = NULL;
    wt_module_id id;
    Dl_info info;
    fputs(call.by, out);
    if (!dladdr1(call.from, &info, (void **)&map, RTLD_DL_LINKMAP))
        info.dli_fname = NULL;
    if (modules && info.dli_fname) {
        const char *name = *map->l_name ? map->l_name : "/proc/self/exe";
        if (symbols->add_file(modules, name, map->l_addr, 0, &id, WT_IGNORED) != WT_OK ||
            !symbols->describe(modules, &place, text, sizeof text))
            *text = 0;
    }
    const char *line = strstr(text, " at ");
    if (line)
        fputs(line, out);
    else if (info.dli_fname)
        fprintf(out, " (%s+0x%zx)", info.dli_fname,
                (size_t)((uintptr_t)call.from - (uintptr_t)info.dli_fbase));
    if (modules)
        symbols->free(modules);
}

static bool is_waited_for(const struct waits_event *e)
{
    for (const struct drm_wait *w = threads; w; w = w->next)
        if (w->on == e->handle)
            return true;
    return e->waiters && !e->signals.by;
}

static void tell_event(FILE *out, const struct waits_event *e)
{
    fprintf(out, "  event %p, made by ", e->handle);
    tell_call(out, e->made);
    fputs(": nobody has signalled it", out);
    if (e->signals.by) {
        fputs(" yet; it is for ", out);
        tell_call(out, e->signals);
    }
    fputc('\n', out);
    for (unsigned i = 0; i < e->waiters && i < MOST_WAITERS; i++) {
        fputs("    waits for it: ", out);
        tell_call(out, e->waiter[i]);
        fputc('\n', out);
    }
    if (e->waiters > MOST_WAITERS)
        fprintf(out, "    and %u more\n", e->waiters - MOST_WAITERS);
}

void drm_waits_tell(FILE *out)
{
    pthread_mutex_lock(&lock);
    for (const struct waits_event *e = event_list; e; e = e->next)
        if (e->handle && !e->signalled && is_waited_for(e))
            tell_event(out, e);
    for (const struct drm_wait *w = threads; w; w = w->next) {
        fprintf(out, "  thread %ld waits in ", w->thread);
        tell_call(out, w->by);
        if (w->on)
            fprintf(out, " (%p)", w->on);
        fputc('\n', out);
    }
    pthread_mutex_unlock(&lock);
}
