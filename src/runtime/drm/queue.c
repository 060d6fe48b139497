/*
 * Batches that were submitted: a thread of the device runs them one after the other, as the one
 * render engine does. See internal.h.
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "runtime/common/guard.h"
#include "runtime/drm/internal.h"

struct streaming {
    struct drm_batch *batch;
    uint64_t start;
    enum wt_status status;
    struct wt_error *err;
};

static void stream(void *context)
{
    struct streaming *s = context;
    s->status = drm_stream(s->batch, s->start, s->err);
}

/* The program's threads run meanwhile, and may unmap the memory that commands are in or lead to. */
static enum wt_status stream_guarded(struct drm_batch *batch, uint64_t start, struct wt_error *err)
{
    struct streaming s = {.batch = batch, .start = start, .err = err};
    uint64_t addr;
    if (wt_guarded(stream, &s, &addr))
        return s.status;
    return wt_fail(err, WT_INVALID,
                   "batch: the program has given back the memory at 0x%llx, which the batch uses",
                   (unsigned long long)addr);
}

/* Runs a batch. The lock is given up meanwhile, so that the program's ioctls go on, and is held
 * again at the end. */
static enum wt_status run(struct wt_i915 *device, const struct drm_submission *s,
                          struct wt_error *err)
{
    struct drm_context *context = s->context;
    enum wt_status status = drm_tables_bind(&context->tables, s->mappings, s->mapping_count, err);
    if (status != WT_OK)
        return status;
    for (size_t i = 0; i < s->mapping_count; i++)
        s->file->objects[s->mappings[i].handle - 1].page_sizes =
            context->tables.bound[i].page_sizes;
    drm_record(device);
    struct drm_batch batch = {.device = device,
                              .gpu = &context->gpu,
                              .mappings = s->mappings,
                              .mapping_count = s->mapping_count,
                              .root = context->tables.root};
    device->running = true;
    pthread_mutex_unlock(&device->lock);
    status = stream_guarded(&batch, s->start, err);
    pthread_mutex_lock(&device->lock);
    device->running = false;
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

static void *work(void *argument)
{
    struct wt_i915 *device = argument;
    struct wt_error err;
    pthread_mutex_lock(&device->lock);
    for (;;) {
        while (!device->first && !device->ends)
            pthread_cond_wait(&device->submitted, &device->lock);
        if (!device->first)
            break;
        struct drm_submission *s = take_first(device);
        /* The batch before it may have lost the context. */
        if (!s->context->lost && run(device, s, &err) != WT_OK) {
            /* As after a hang: this batch was accepted, and the context takes no other one. */
            device->ops->say(device->context, err.text, true);
            s->context->lost = true;
            s->context->resets++;
        }
        finish(device, s);
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

void drm_queue_drop(struct wt_i915_file *file)
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
    for (size_t i = 0; i < file->context_count; i++)
        while (file->contexts[i]->active)
            pthread_cond_wait(&device->idle, &device->lock);
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
