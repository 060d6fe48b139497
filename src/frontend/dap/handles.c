/* The client's numbers and references: threads, frames, holders of variables, memory. Those of a
 * stop are void after it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/dap/internal.h"

/* ---- variables ---- */

/* Frees a holder. */
static void holder_free(struct dap_holder *h)
{
    wt_values_free(&h->values);
    free(h->expression);
    free(h);
}

int64_t dap_hold(struct wt_dap *d, enum dap_holder_kind kind, struct dap_frame frame, int lane,
                 struct wt_values *values, char *expression)
{
    struct dap_holder **grown =
        wt_array_grow(d->holder, &d->holder_capacity, d->holder_count + 1, sizeof *grown);
    struct dap_holder *h = grown ? malloc(sizeof *h) : NULL;
    if (grown)
        d->holder = grown;
    if (!h) {
        if (values)
            wt_values_free(values);
        free(expression);
        return 0;
    }
    *h = (struct dap_holder){.kind = kind, .frame = frame, .lane = lane, .expression = expression};
    if (values)
        h->values = *values;
    grown[d->holder_count++] = h;
    return d->holder_base + (int64_t)d->holder_count - 1;
}

enum wt_status dap_holder_of(struct wt_dap *d, int64_t reference, struct dap_holder **holder,
                             struct wt_error *err)
{
    if (reference < d->holder_base || reference >= d->holder_base + (int64_t)d->holder_count)
        return wt_fail(err, WT_INVALID, "variablesReference %" PRId64 " is not of this stop",
                       reference);
    *holder = d->holder[reference - d->holder_base];
    return WT_OK;
}

/* ---- stops ---- */

void dap_forget(struct wt_dap *d)
{
    dap_forget_view(d);
    for (size_t i = 0; i < d->holder_count; i++)
        holder_free(d->holder[i]);
    d->holder_base += (int64_t)d->holder_count;
    d->frame_base += (int64_t)d->frame_count;
    d->target_base += (int64_t)d->target_count;
    d->holder_count = d->frame_count = d->target_count = 0;
}

/* ---- selection ---- */

const struct wt_view *dap_view(struct wt_dap *d)
{
    if (!d->has_view)
        d->view = wt_program_view(d->g);
    d->has_view = true;
    return &d->view;
}

void dap_forget_view(struct wt_dap *d)
{
    d->has_view = false;
}

enum wt_status dap_enter(struct wt_dap *d, struct dap_frame frame, struct wt_error *err)
{
    if (!wt_debugger_thread_alive(d->g->debugger, frame.thread))
        return wt_fail(err, WT_STATE, "thread %u is not there any more", (unsigned)frame.thread);
    if (d->g->thread != frame.thread)
        wt_program_select(d->g, frame.thread);
    d->g->level = frame.level;
    dap_forget_view(d);
    return WT_OK;
}

enum wt_status dap_enter_id(struct wt_dap *d, int64_t id, struct wt_error *err)
{
    if (id < d->frame_base || id >= d->frame_base + (int64_t)d->frame_count)
        return wt_fail(err, WT_INVALID, "frame %" PRId64 " is not of this stop", id);
    return dap_enter(d, d->frame[id - d->frame_base], err);
}

enum wt_status dap_need_frame(struct wt_dap *d, struct json_object *arguments, int64_t *id,
                              const struct wt_frame **frame, struct wt_error *err)
{
    enum wt_status status = dap_need_number(arguments, "frameId", id, err);
    if (!status)
        status = dap_enter_id(d, *id, err);
    return status ? status : wt_program_need_frame(d->g, frame, err);
}

enum wt_status dap_enter_thread(struct wt_dap *d, struct json_object *arguments,
                                struct wt_error *err)
{
    int64_t thread;
    const enum wt_status status = dap_need_number(arguments, "threadId", &thread, err);
    if (status)
        return status;
    if (thread == DAP_NO_KERNEL)
        return wt_fail(err, WT_STATE, "no kernel runs: there is no thread");
    if (thread > UINT32_MAX || !wt_debugger_thread_alive(d->g->debugger, (wt_thread)thread))
        return wt_fail(err, WT_INVALID, "there is no thread %" PRId64, thread);
    return dap_enter(d, (struct dap_frame){(wt_thread)thread, 0}, err);
}

int64_t dap_thread_id(struct wt_dap *d)
{
    return d->g->thread && wt_debugger_thread_alive(d->g->debugger, d->g->thread)
               ? (int64_t)d->g->thread
               : DAP_NO_KERNEL;
}

void dap_invalidate(struct wt_dap *d, const char *area)
{
    if (!d->client.invalidated)
        return;
    struct json_object *body = json_object_new_object();
    json_object_array_add(dap_put_list(body, "areas"), json_object_new_string(area));
    dap_event(d, "invalidated", body);
}

void dap_changed(struct wt_dap *d)
{
    wt_program_refresh_frames(d->g);
    dap_forget_view(d);
    dap_invalidate(d, "variables");
}

/* ---- memory ---- */

/*
 * "0x80000000"; of another space "local#0x40". What waves, groups or lanes have for themselves has
 * the thread that sees it behind a slash, since requests for memory name none: "local#0x40/17".
 */
void dap_reference(struct wt_dap *d, struct wt_address at, char *text, size_t size)
{
    const struct wt_space *space = &d->g->topology->spaces[at.space];
    char whose[24] = "";
    if (at.space && space->scope != WT_SCOPE_DEVICE)
        snprintf(whose, sizeof whose, "/%u", (unsigned)d->g->thread);
    snprintf(text, size, "%s%s0x%" PRIx64 "%s", at.space ? space->name : "", at.space ? "#" : "",
             at.offset, whose);
}

enum wt_status dap_from_reference(struct wt_dap *d, const char *text, struct wt_address *at,
                                  wt_thread *thread, struct wt_error *err)
{
    const char *hash = strchr(text, '#'), *number = hash ? hash + 1 : text;
    const struct wt_topology *t = d->g->topology;
    char *end;
    *at = (struct wt_address){0};
    *thread = d->g->thread;
    while (hash && at->space < t->space_count &&
           (strlen(t->spaces[at->space].name) != (size_t)(hash - text) ||
            strncmp(t->spaces[at->space].name, text, (size_t)(hash - text)) != 0))
        at->space++;
    if (at->space == t->space_count)
        return wt_fail(err, WT_INVALID, "the device has no space of memory called %.*s",
                       (int)(hash - text), text);
    at->offset = strtoull(number, &end, 0);
    bool good = end != number && (*number >= '0' && *number <= '9');
    if (good && *end == '/') {
        number = end + 1;
        *thread = (wt_thread)strtoul(number, &end, 10);
        good = end != number;
    }
    return good && !*end ? WT_OK
                         : wt_fail(err, WT_INVALID, "%.100s is not a reference of memory", text);
}
