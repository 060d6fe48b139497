/* Queues, and the one thread that runs their commands: each queue's in order, of those that could
 * run the one of the highest priority, then the one that was enqueued first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "runtime/common/endpoint.h"
#include "runtime/vortex/queue.h"

static struct {
    struct queue *queue;
    uint64_t commands; /* so far */
    bool runs;         /* the thread is there */
} all;                 /* locked */

/* ---- commands ---- */

static void end_launch(struct launch *l)
{
    if (l && l->kernel)
        kernel_unuse(l->kernel);
    if (l)
        free(l->args);
    free(l);
}

void command_end(struct command *c)
{
    for (uint32_t i = 0; i < c->steps; i++)
        end_launch(c->step[i].launch);
    free(c->step);
    free(c->pattern);
    if (c->to)
        buffer_unuse(c->to, c->name);
    if (c->from)
        buffer_unuse(c->from, c->name);
    state_lock();
    for (uint32_t i = 0; i < c->waits; i++) {
        c->wait[i]->uses--;
        event_drop(c->wait[i]);
    }
    if (c->event) {
        c->event->uses--;
        event_drop(c->event);
    }
    if (c->done) {
        c->done->uses--;
        event_drop(c->done);
    }
    state_unlock();
    free(c->wait);
}

/* The event that a command waits for, with the value it is to reach; NULL: it may run. */
static struct event *awaited(const struct command *c, uint64_t *value)
{
    *value = 1;
    for (uint32_t i = 0; i < c->waits; i++)
        if (c->wait[i]->value < *value && !c->wait[i]->failed)
            return c->wait[i];
    *value = c->value;
    return c->awaits && c->event->value < *value && !c->event->failed ? c->event : NULL;
}

/* Why it is not to run: an event has failed. */
static enum vx_result failure(const struct command *c)
{
    for (uint32_t i = 0; i < c->waits; i++)
        if (c->wait[i]->failed)
            return c->wait[i]->failed;
    return c->awaits ? c->event->failed : VX_SUCCESS;
}

static struct command *next_command(void)
{
    struct command *best = NULL;
    uint64_t value;
    for (const struct queue *q = all.queue; q; q = q->next) {
        struct command *c = q->running ? NULL : q->first;
        if (c && !awaited(c, &value) &&
            (!best || q->priority > best->queue->priority ||
             (q->priority == best->queue->priority && c->number < best->number)))
            best = c;
    }
    return best;
}

bool queues_move(void)
{
    bool move = next_command();
    for (const struct queue *q = all.queue; q; q = q->next)
        move |= q->running != NULL;
    return move;
}

/* ---- what debuggers and reports tell ---- */

/* A command, with the kernels that it launches, and the call that has enqueued it. */
static void tell_command(FILE *out, const struct command *c)
{
    fputs(c->name, out);
    for (uint32_t i = 0; i < c->steps; i++)
        if (c->step[i].launch)
            fprintf(out, " %s",
                    c->step[i].launch->kernel ? c->step[i].launch->kernel->name : "by registers");
    fprintf(out, " (call %" PRIu64 ")", c->call.number);
}

/* Its dependencies, and the end of the line. */
static void tell_wait(FILE *out, const struct command *c)
{
    uint64_t value;
    const struct event *e = awaited(c, &value);
    if (e) {
        fputs(" waits for ", out);
        event_tell(out, e, value);
    } else {
        fputc('\n', out);
    }
}

void queues_tell(FILE *out, const char *indent)
{
    enum { MOST = 32 };
    for (const struct queue *q = all.queue; q; q = q->next) {
        fprintf(out, "%squeue %p of device %u: %" PRIu64 " of %" PRIu64 " commands have ended\n",
                indent, q->handle, q->gpu->number, q->ended, q->enqueued);
        if (q->running) {
            fprintf(out, "%s  runs: ", indent);
            tell_command(out, q->running);
            fputc('\n', out);
        }
        unsigned told = 0;
        for (const struct command *c = q->first; c && told < MOST; c = c->next, told++) {
            fprintf(out, "%s  then: ", indent);
            tell_command(out, c);
            tell_wait(out, c);
        }
        const uint64_t left = q->enqueued - q->ended - told - (q->running != NULL);
        if (left)
            fprintf(out, "%s  and %" PRIu64 " more\n", indent, left);
    }
}

void launches_tell(FILE *out)
{
    for (const struct queue *q = all.queue; q; q = q->next)
        for (const struct command *c = q->first; c; c = c->next) {
            bool is = false;
            for (uint32_t i = 0; i < c->steps; i++)
                is |= c->step[i].launch != NULL;
            if (!is)
                continue;
            fprintf(out, "  not begun, queue %p: ", q->handle);
            tell_command(out, c);
            tell_wait(out, c);
        }
}

/* ---- the thread ---- */

static void run_command(struct command *c)
{
    struct wt_error err = {.text = ""};
    const uint64_t start = wt_clock_ns();
    state_lock();
    enum vx_result result = failure(c);
    order_begins(c);
    struct event *e = c->done;
    const void *handle = e->handle;
    call_resume(&c->call);
    state_unlock();
    if (result)
        call_fail(&err, result, "not done: an event that it waited for has failed");
    else if (c->work)
        result = c->work(c, &err);
    if (result)
        call_done(c->name, result, &err, "..., *%p", handle);
    state_lock();
    if (e->value < 1) {
        e->value = 1;
        order_signalled(e, 1, c->queue);
    }
    e->failed = result;
    e->ended = true;
    e->times = (vx_profile_info_t){c->queued_ns, c->submit_ns, start, wt_clock_ns()};
    c->queue->running = NULL;
    c->queue->ended++;
    state_changed();
    state_unlock();
}

static void *run_queues(void *context)
{
    for (;;) {
        struct command *c;
        state_lock();
        while (!(c = next_command()))
            state_wait(UINT64_MAX);
        c->submit_ns = wt_clock_ns();
        c->queue->first = c->next;
        c->queue->running = c;
        state_unlock();
        run_command(c);
        command_end(c);
        free(c);
    }
    return NULL;
}

static bool start_thread(void)
{
    pthread_t thread;
    if (!all.runs && !pthread_create(&thread, NULL, run_queues, NULL)) {
        pthread_setname_np(thread, WT_OWN_THREAD);
        pthread_detach(thread);
        all.runs = true;
    }
    return all.runs;
}

enum vx_result queue_append(const struct command *command, vx_event_h *done, struct wt_error *err)
{
    struct queue *q = command->queue;
    struct command *c = malloc(sizeof *c);
    struct event *e = c ? event_new(q->gpu, command->name, done != NULL) : NULL;
    if (!e) {
        free(c);
        return call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
    }
    *c = *command;
    c->next = NULL;
    c->done = e;
    c->number = ++all.commands;
    call_take(&c->call);
    order_enqueued(c);
    c->queued_ns = wt_clock_ns();
    e->uses = 1;
    e->timed = q->flags & VX_QUEUE_PROFILING_ENABLE;
    if (done)
        *done = e->handle;
    q->enqueued++;
    if (q->first)
        q->last->next = c;
    else
        q->first = c;
    q->last = c;
    state_changed();
    return VX_SUCCESS;
}

enum vx_result queue_new(struct gpu *g, const vx_queue_info_t *info, vx_queue_h *queue,
                         struct wt_error *err)
{
    struct queue *q = calloc(1, sizeof *q);
    if (!q || !start_thread() || !(q->handle = handle_new(HANDLE_QUEUE, q))) {
        free(q);
        return call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory, or no thread");
    }
    q->gpu = g;
    q->refs = 1;
    q->priority = info ? info->priority : VX_QUEUE_PRIORITY_NORMAL;
    q->flags = info ? info->flags : 0;
    struct queue **last = &all.queue;
    while (*last)
        last = &(*last)->next;
    *last = q;
    *queue = q->handle;
    return VX_SUCCESS;
}

void queue_free(struct queue *q)
{
    struct queue **link = &all.queue;
    while (*link != q)
        link = &(*link)->next;
    *link = q->next;
    wt_order_drop(&q->order.point);
    free(q);
}
