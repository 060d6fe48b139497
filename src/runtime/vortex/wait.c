/* Waits of the program's threads; and its end, where nobody is left who could end them. */
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "runtime/common/interrupt.h"
#include "runtime/common/serve.h"
#include "runtime/vortex/queue.h"

/* The exit status of a program whose threads wait for each other, as `run` has it. */
enum { DEADLOCK_STATUS = 121 };

/* ---- who waits ---- */

struct waiter {
    struct waiter *next;
    pid_t thread;
    bool forever;
    const char *by;
    uint32_t count; /* events; 0: for a queue */
    struct event *const *event;
    const uint64_t *value;
    struct queue *queue;
    uint64_t target;
};

static struct waiter *waiters; /* locked */

static const struct waiter *waiter_of(pid_t thread)
{
    const struct waiter *w = waiters;
    while (w && w->thread != thread)
        w = w->next;
    return w;
}

static void tell_waits(FILE *out, const char *indent)
{
    for (const struct waiter *w = waiters; w; w = w->next) {
        for (uint32_t i = 0; i < w->count; i++)
            if (w->event[i]->value < w->value[i]) {
                fprintf(out, "%sthread %d: %s waits for ", indent, (int)w->thread, w->by);
                event_tell(out, w->event[i], w->value[i]);
            }
        if (!w->count)
            fprintf(out, "%sthread %d: %s waits for queue %p\n", indent, (int)w->thread, w->by,
                    w->queue->handle);
    }
}

void waits_tell_debugger(bool launches, FILE *out)
{
    state_lock();
    if (launches) {
        launches_tell(out);
    } else {
        queues_tell(out, "");
        tell_waits(out, "");
    }
    state_unlock();
}

/* ---- whether somebody may still signal ---- */

static bool read_task(pid_t thread, const char *name, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)thread, name);
    FILE *f = fopen(path, "re");
    const size_t length = f ? fread(text, 1, size - 1, f) : 0;
    text[length] = 0;
    if (f)
        fclose(f);
    return length;
}

/* Whether a thread sleeps until another one wakes it: in a futex without a time. */
static bool is_asleep(pid_t thread)
{
    char text[256];
    long number = -1;
    unsigned long long a, op, b, timeout = 1;
    return read_task(thread, "syscall", text, sizeof text) &&
           sscanf(text, "%ld %llx %llx %llx %llx", &number, &a, &op, &b, &timeout) == 5 &&
           number == SYS_futex && !timeout;
}

/* How often the thread has slept so far. */
static uint64_t sleeps_of(pid_t thread)
{
    char text[4096];
    if (!read_task(thread, "status", text, sizeof text))
        return 0;
    const char *at = strstr(text, "\nvoluntary_ctxt_switches:");
    return at ? strtoull(strchr(at, ':') + 1, NULL, 10) : 0;
}

/* Whether all threads of the program sleep that wait for none of our events; *mark tells whether
 * one has been awake since another look. */
static bool others_sleep(uint64_t *mark, unsigned *others)
{
    DIR *tasks = opendir("/proc/self/task");
    bool all = tasks;
    *mark = 0;
    *others = 0;
    for (const struct dirent *d; all && (d = readdir(tasks)) != NULL;) {
        const pid_t thread = atoi(d->d_name);
        char name[32];
        state_lock();
        const struct waiter *w = thread ? waiter_of(thread) : NULL;
        state_unlock();
        if (!thread || w ||
            (read_task(thread, "comm", name, sizeof name) && !strcmp(name, WT_OWN_THREAD "\n")))
            continue;
        all = is_asleep(thread);
        *mark = *mark * 31 + (uint64_t)thread + sleeps_of(thread);
        ++*others;
    }
    if (tasks)
        closedir(tasks);
    return all;
}

static bool kernels_wait(void)
{
    bool wait = false;
    for (unsigned i = 0; i < gpu_count(); i++)
        wait |= gpu_at(i)->started;
    return wait;
}

/* Whether none of our functions will come back by itself. Locked. */
static bool is_still(void)
{
    bool forever = true;
    for (const struct waiter *w = waiters; w; w = w->next)
        forever &= w->forever;
    return forever && !queues_move() && !kernels_wait();
}

static _Noreturn void end_still(unsigned others)
{
    wt_server_forget();
    fprintf(stderr, "wavetrap: nobody will signal what the program waits for\n");
    tell_waits(stderr, "  ");
    queues_tell(stderr, "  ");
    if (others)
        fprintf(stderr, "  %u other thread%s of the program sleep%s\n", others,
                others == 1 ? "" : "s", others == 1 ? "s" : "");
    if (!ftrylockfile(stdout))
        fflush(stdout);
    _exit(DEADLOCK_STATUS);
}

/* The state that a waiting thread has seen: at three looks nothing has moved. */
struct vx_look {
    unsigned still;
    uint64_t mark;
};

static void look_around(struct vx_look *look)
{
    enum { LOOKS = 3 };
    uint64_t mark;
    unsigned others;
    state_unlock();
    const bool sleep = others_sleep(&mark, &others);
    state_lock();
    look->still = !sleep || !is_still() ? 0 : mark == look->mark ? look->still + 1 : 1;
    look->mark = mark;
    if (look->still >= LOOKS)
        end_still(others);
}

/* ---- waits ---- */

/* Whether a wait is over, with *result. */
static bool is_over(const struct waiter *w, enum vx_result *result)
{
    bool all = true;
    *result = VX_SUCCESS;
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->event[i]->failed && !*result)
            *result = w->event[i]->failed;
        all &= w->event[i]->value >= w->value[i];
    }
    return *result || (w->count ? all : w->queue->ended >= w->target);
}

/* For the check of races: what a wait that is over has waited for. */
static void note_waited(const struct waiter *w)
{
    for (uint32_t i = 0; i < w->count; i++)
        order_host_waited(w->event[i], w->value[i]);
    if (!w->count)
        order_host_waited_for(w->queue);
}

/* The report of Ctrl-C while no kernel runs; the process ends. Locked. */
static _Noreturn void end_interrupted(void)
{
    wt_server_forget();
    fputs("wavetrap: interrupted: vortex: no kernel runs\n", stderr);
    queues_tell(stderr, "  ");
    tell_waits(stderr, "  ");
    wt_interrupt_end();
}

static enum vx_result wait_until_over(struct waiter *w, uint64_t timeout_ns, struct wt_error *err)
{
    enum { SLICE_NS = 100000000 };
    const uint64_t now = wt_clock_ns();
    const uint64_t until = timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
    struct vx_look look = {0};
    enum vx_result result;
    w->thread = (pid_t)syscall(SYS_gettid);
    w->forever = until == UINT64_MAX;
    w->next = waiters;
    waiters = w;
    wt_interrupt_attend(true);
    while (!is_over(w, &result) && !result) {
        const uint64_t at = wt_clock_ns(), end = until - at < SLICE_NS ? until : at + SLICE_NS;
        if (at >= until)
            result = VX_ERR_TIMEOUT;
        else if (state_wait(end))
            look.still = 0;
        else if (w->forever)
            look_around(&look);
        if (!kernels_wait() && wt_interrupt_take())
            end_interrupted();
        if (result)
            break;
    }
    wt_interrupt_attend(false);
    struct waiter **link = &waiters;
    while (*link != w)
        link = &(*link)->next;
    *link = w->next;
    if (result != VX_ERR_TIMEOUT)
        note_waited(w);
    if (result)
        call_fail(err, result,
                  result == VX_ERR_TIMEOUT ? "not within %" PRIu64 " nanoseconds"
                                           : "a command has failed",
                  timeout_ns);
    return result;
}

enum vx_result wait_queue(struct queue *queue, uint64_t target, uint64_t timeout_ns, const char *by,
                          struct wt_error *err)
{
    struct waiter w = {.by = by, .queue = queue, .target = target};
    return wait_until_over(&w, timeout_ns, err);
}

static enum vx_result wait_events(const char *by, uint32_t count, const vx_event_h *handles,
                                  const uint64_t *values, uint64_t timeout_ns, struct wt_error *err)
{
    enum vx_result result = VX_SUCCESS;
    if (count && (!handles || !values))
        return call_fail(err, VX_ERR_INVALID_VALUE, "no list of %u events and values", count);
    struct event **event = calloc(count + 1, sizeof *event);
    if (!event)
        return call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
    uint32_t got = 0;
    state_lock();
    for (; got < count && !result; got += !result)
        if (!(event[got] = handle_need(HANDLE_EVENT, handles[got], err)))
            result = VX_ERR_INVALID_HANDLE;
        else
            event[got]->uses++;
    struct waiter w = {.by = by, .count = count, .event = event, .value = values};
    if (!result && count)
        result = wait_until_over(&w, timeout_ns, err);
    for (uint32_t i = 0; i < got; i++) {
        event[i]->uses--;
        event_drop(event[i]);
    }
    state_unlock();
    free(event);
    return result;
}

/* ---- functions ---- */

API3(vx_event_wait_value, "%p, %" PRIu64 ", %" PRIu64, (vx_event_h, event), (uint64_t, value),
     (uint64_t, timeout_ns))
{
    return wait_events("vx_event_wait_value", 1, &event, &value, timeout_ns, err);
}

API3(vx_event_wait_values, "%u, %p, %p, %" PRIu64, (uint32_t, number), (const vx_event_h *, events),
     (const uint64_t *, values), (uint64_t, timeout_ns))
{
    return wait_events("vx_event_wait_values", number, events, values, timeout_ns, err);
}
