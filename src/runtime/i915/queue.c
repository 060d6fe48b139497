/*
 * Batches that were submitted: a thread of the device runs them one after the other, as the one
 * render engine does. See internal.h.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/common/guard.h"
#include "runtime/i915/i915.h"
#include "runtime/i915/internal.h"
#include "runtime/i915/waits.h"

struct streaming {
    struct drm_batch *batch;
    uint64_t *address;
    enum wt_status status;
    struct wt_error *err;
};

static void stream(void *context)
{
    struct streaming *s = context;
    s->status = drm_stream(s->batch, s->address, s->err);
}

/* The program's threads run meanwhile, and may unmap the memory that commands are in or lead to. */
static enum wt_status stream_guarded(struct drm_batch *batch, uint64_t *address,
                                     struct wt_error *err)
{
    struct streaming s = {.batch = batch, .address = address, .err = err};
    uint64_t addr;
    if (wt_guarded(stream, &s, &addr))
        return s.status;
    return wt_fail(err, WT_INVALID,
                   "batch: the program has given back the memory at 0x%llx, which the batch uses",
                   (unsigned long long)addr);
}

/* Runs a batch to its end, or until it waits. The lock is given up meanwhile, so that the program's
 * ioctls go on, and is held again at the end. */
static enum wt_status run(struct wt_i915 *device, struct drm_submission *s, struct wt_error *err)
{
    struct drm_context *context = s->context;
    enum wt_status status = drm_tables_bind(&context->tables, s->mappings, s->mapping_count, err);
    if (status != WT_OK)
        return status;
    for (size_t i = 0; i < s->mapping_count; i++)
        s->file->objects[s->mappings[i].handle - 1].page_sizes =
            context->tables.bound[i].page_sizes;
    if (!s->begun)
        drm_record(device);
    s->begun = true;
    struct drm_batch batch = {.device = device,
                              .file = s->file,
                              .first_level = s->first_level,
                              .second_level = s->second_level,
                              .gpu = &context->gpu,
                              .mappings = s->mappings,
                              .mapping_count = s->mapping_count,
                              .root = context->tables.root};
    device->running = true;
    pthread_mutex_unlock(&device->lock);
    status = stream_guarded(&batch, &s->start, err);
    pthread_mutex_lock(&device->lock);
    device->running = false;
    s->first_level = batch.first_level;
    s->second_level = batch.second_level;
    s->waits = status == WT_OK && batch.waits;
    s->semaphore = batch.semaphore;
    return status;
}

/* The batch has left its objects, whose handles may be closed already, and its context. */
static void finish(struct wt_i915 *device, struct drm_submission *s)
{
    for (size_t i = 0; i < s->mapping_count; i++) {
        struct drm_object *object = &s->file->objects[s->mappings[i].handle - 1];
        if (--object->active == 0 && object->closed)
            drm_object_free(s->file, object);
    }
    if (--s->context->active == 0 && !s->context->used)
        drm_tables_free(&s->context->tables);
    pthread_cond_broadcast(&device->idle);
    free(s->mappings);
    free(s);
}

static struct drm_submission *take_first(struct wt_i915 *device)
{
    struct drm_submission *s = device->first;
    device->first = s->next;
    if (!device->first)
        device->last = NULL;
    return s;
}

static bool precedes_in_context(const struct drm_submission *from, const struct drm_submission *to)
{
    for (; from != to; from = from->next)
        if (from->context == to->context)
            return true;
    return false;
}

/* The first batch that does not wait, nor stands behind one of its context; NULL: there is none. */
static struct drm_submission *take_ready(struct wt_i915 *device)
{
    struct drm_submission *before = NULL, *s = device->first;
    while (s && (s->waits || precedes_in_context(device->first, s))) {
        before = s;
        s = s->next;
    }
    if (!s)
        return NULL;
    *(before ? &before->next : &device->first) = s->next;
    if (device->last == s)
        device->last = before;
    return s;
}

static void put_first(struct wt_i915 *device, struct drm_submission *s)
{
    s->next = device->first;
    device->first = s;
    if (!device->last)
        device->last = s;
}

/* Looks at what submissions wait for: the batch that has just run, or the program, may have stored
 * it. */
static void look_again(struct wt_i915 *device)
{
    for (struct drm_submission *s = device->first; s; s = s->next)
        s->waits = false;
}

/* All batches wait: for the program, which stores something or submits a batch. */
static void wait_for_program(struct wt_i915 *device)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until); /* as the conditions have it */
    until.tv_nsec += 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&device->submitted, &device->lock, &until);
    look_again(device);
}

static void set_stands(struct wt_i915 *device, bool stands)
{
    if (device->stands != stands)
        drm_waits_batches(stands);
    device->stands = stands;
}

void wt_i915_tell_waiting(struct wt_i915 *device, FILE *out)
{
    static const char *const words[] = {">", ">=", "<", "<=", "==", "!="};
    unsigned behind = 0;
    pthread_mutex_lock(&device->lock);
    for (const struct drm_submission *s = device->first; s; s = s->next) {
        const struct drm_semaphore *w = &s->semaphore;
        if (w->address && !precedes_in_context(device->first, s))
            fprintf(out,
                    "  a batch waits at MI_SEMAPHORE_WAIT: the dword at 0x%" PRIx64 " is %" PRIu32
                    ", and is to be %s %" PRIu32 "\n",
                    w->address, w->now, words[w->how], w->value);
        else
            behind++;
    }
    pthread_mutex_unlock(&device->lock);
    if (behind)
        fprintf(out, "  %u batch%s not begun\n", behind, behind > 1 ? "es have" : " has");
}

static void *work(void *argument)
{
    struct wt_i915 *device = argument;
    struct wt_error err;
    pthread_mutex_lock(&device->lock);
    for (;;) {
        if (!device->first)
            set_stands(device, false);
        while (!device->first && !device->ends)
            pthread_cond_wait(&device->submitted, &device->lock);
        if (!device->first)
            break;
        struct drm_submission *s = take_ready(device);
        if (!s) {
            set_stands(device, true);
            wait_for_program(device);
            continue;
        }
        /* The batch before it may have lost the context. */
        if (!s->context->lost && run(device, s, &err) != WT_OK) {
            /* As after a hang: this batch was accepted, and the context takes no other one. */
            device->ops->say(device->context, err.text, true);
            s->context->lost = true;
            s->context->resets++;
        }
        if (s->waits) {
            put_first(device, s);
            pthread_cond_broadcast(&device->idle);
            continue;
        }
        finish(device, s);
        set_stands(device, false);
        look_again(device);
    }
    pthread_mutex_unlock(&device->lock);
    return NULL;
}

static bool start_thread(struct wt_i915 *device)
{
    sigset_t all, before;
    /* The program's signals are for its own threads; guard.c takes those of this thread's own
     * accesses. */
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    device->has_thread = !pthread_create(&device->thread, NULL, work, device);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return device->has_thread;
}

int drm_queue_submit(struct wt_i915 *device, struct drm_submission *submission)
{
    if (!device->has_thread && !start_thread(device))
        return -ENOMEM;
    submission->next = NULL;
    *(device->last ? &device->last->next : &device->first) = submission;
    device->last = submission;
    submission->context->active++;
    pthread_cond_signal(&device->submitted);
    return 0;
}

static void drop_waiting(struct wt_i915_file *file)
{
    struct wt_i915 *device = file->device;
    struct drm_submission *s = device->first, *next;
    device->first = device->last = NULL;
    for (; s; s = next) {
        next = s->next;
        s->next = NULL;
        if (s->file == file) {
            finish(device, s);
            continue;
        }
        *(device->last ? &device->last->next : &device->first) = s;
        device->last = s;
    }
}

static bool is_active(const struct wt_i915_file *file)
{
    bool active = false;
    for (size_t i = 0; i < file->context_count; i++)
        active |= file->contexts[i]->active != 0;
    return active;
}

void drm_queue_drop(struct wt_i915_file *file)
{
    drop_waiting(file);
    while (is_active(file)) {
        pthread_cond_wait(&file->device->idle, &file->device->lock);
        drop_waiting(file); /* the one that ran may wait for a semaphore now */
    }
}

void drm_queue_end(struct wt_i915 *device)
{
    pthread_mutex_lock(&device->lock);
    assert(!device->first);
    device->ends = true;
    pthread_cond_signal(&device->submitted);
    pthread_mutex_unlock(&device->lock);
    if (device->has_thread)
        pthread_join(device->thread, NULL);
}

void drm_queue_forget(struct wt_i915 *device)
{
    while (device->first) {
        struct drm_submission *s = take_first(device);
        free(s->mappings);
        free(s);
    }
    device->has_thread = device->running = false;
}
