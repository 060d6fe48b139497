#include "debug/core/session.h"

#include <assert.h>
#include <stdlib.h>

/* Issues between two looks at the descriptors: well under a millisecond of the emulator's time. */
#define SLICE 100000
/* How long the session waits between two looks at a device that runs by itself. */
#define HARDWARE_WAIT_MS 2
/* How often clients are asked in a row before the descriptors are looked at. */
#define IN_A_ROW 256

struct wt_client {
    struct wt_session *session;
    struct wt_client *next;
    const struct wt_client_ops *ops;
    void *context;
    uint32_t number;
    bool used;
};

struct wt_session {
    struct wt_debugger *debugger;
    struct wt_loop *loop;
    struct wt_client *clients; /* in the order in which they joined */
    struct wt_client *runner;  /* the client whose run is under way, or was the last; NULL: none */
    uint32_t last_number;
    bool end_when_idle;
};

static int work(void *context);

void wt_client_no_input(void *context)
{
}

bool wt_client_no_output(void *context)
{
    return false;
}

bool wt_client_always_idle(void *context)
{
    return true;
}

struct wt_session *wt_session_new(struct wt_debugger *debugger)
{
    struct wt_session *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->debugger = debugger;
    s->loop = wt_loop_new();
    if (!s->loop) {
        free(s);
        return NULL;
    }
    wt_loop_set_work(s->loop, work, s);
    return s;
}

void wt_session_free(struct wt_session *s)
{
    if (!s)
        return;
    assert(!s->clients);
    wt_loop_free(s->loop);
    free(s);
}

struct wt_debugger *wt_session_debugger(struct wt_session *s)
{
    return s->debugger;
}

struct wt_loop *wt_session_loop(struct wt_session *s)
{
    return s->loop;
}

/* ---- clients ---- */

struct wt_client *wt_session_join(struct wt_session *s, const struct wt_client_ops *ops,
                                  void *context)
{
    assert(ops->handle && ops->event && ops->answer && ops->is_full && ops->is_idle);
    assert(!ops->waves || ops->news);
    struct wt_client *client = calloc(1, sizeof *client), **last = &s->clients;
    if (!client)
        return NULL;
    if (ops->waves && wt_debugger_tell_waves(s->debugger, true, WT_IGNORED)) {
        free(client);
        return NULL;
    }
    *client = (struct wt_client){
        .session = s, .ops = ops, .context = context, .number = ++s->last_number};
    while (*last)
        last = &(*last)->next;
    *last = client;
    return client;
}

static bool any_wants_waves(const struct wt_session *s)
{
    for (const struct wt_client *c = s->clients; c; c = c->next)
        if (c->ops->waves)
            return true;
    return false;
}

void wt_client_leave(struct wt_client *client)
{
    if (!client)
        return;
    struct wt_session *s = client->session;
    struct wt_client **at = &s->clients;
    while (*at != client)
        at = &(*at)->next;
    *at = client->next;
    if (s->runner == client)
        s->runner = NULL;
    free(client);
    if (!any_wants_waves(s))
        wt_debugger_tell_waves(s->debugger, false, WT_IGNORED);
}

uint32_t wt_client_new_owner(struct wt_client *client)
{
    return ++client->session->last_number;
}

uint32_t wt_client_number(const struct wt_client *client)
{
    return client->number;
}

void wt_client_set_used(struct wt_client *client, bool used)
{
    client->used = used;
    if (!used && client->session->runner == client)
        client->session->runner = NULL;
}

bool wt_client_is_alone(const struct wt_client *client)
{
    for (const struct wt_client *c = client->session->clients; c; c = c->next)
        if (c != client && c->used)
            return false;
    return true;
}

bool wt_client_is_waiting(const struct wt_client *client)
{
    const struct wt_session *s = client->session;
    return s->runner && s->runner != client && wt_debugger_running(s->debugger);
}

enum wt_status wt_client_begin_run(struct wt_client *client, struct wt_error *err)
{
    if (wt_client_is_waiting(client))
        return wt_fail(err, WT_STATE, "another client has set the program going");
    client->session->runner = client;
    return WT_OK;
}

enum wt_status wt_client_run(struct wt_client *client, enum wt_direction direction,
                             const struct wt_resume *list, size_t count, struct wt_error *err)
{
    enum wt_status status = wt_client_begin_run(client, err);
    return status ? status
                  : wt_debugger_run(client->session->debugger, direction, list, count, err);
}

/* ---- the loop ---- */

static bool is_of_wave(const struct wt_probe_event *news)
{
    return news->kind >= WT_PROBE_GROUP_BEGAN;
}

bool wt_session_pump(struct wt_session *s, uint64_t budget)
{
    bool again = false;
    if (budget && wt_debugger_running(s->debugger))
        again = wt_debugger_pump(s->debugger, budget);
    struct wt_event event;
    while ((event = wt_debugger_next_event(s->debugger)).kind != WT_EVENT_NONE)
        for (struct wt_client *c = s->clients; c; c = c->next)
            c->ops->event(c->context, &event);
    struct wt_probe_event news;
    while (wt_debugger_next_news(s->debugger, &news))
        for (struct wt_client *c = s->clients; c; c = c->next)
            if (c->ops->news && (!is_of_wave(&news) || c->ops->waves))
                c->ops->news(c->context, &news);
    return again;
}

static bool any_is_full(const struct wt_session *s)
{
    for (const struct wt_client *c = s->clients; c; c = c->next)
        if (c->ops->is_full(c->context))
            return true;
    return false;
}

static bool all_are_idle(const struct wt_session *s)
{
    for (const struct wt_client *c = s->clients; c; c = c->next)
        if (!c->ops->is_idle(c->context))
            return false;
    return true;
}

/* See wt_loop_work. */
static int work(void *context)
{
    struct wt_session *s = context;
    bool again = false, more = true;
    for (unsigned row = 0; more && row < IN_A_ROW; row++) {
        more = false;
        for (struct wt_client *c = s->clients; c; c = c->next)
            c->ops->handle(c->context);
        again = wt_session_pump(s, any_is_full(s) ? 0 : SLICE);
        for (struct wt_client *c = s->clients; c; c = c->next)
            more |= c->ops->answer(c->context);
    }
    const bool running = wt_debugger_running(s->debugger);
    if (s->end_when_idle && !running && all_are_idle(s))
        wt_loop_end(s->loop);
    if (more)
        return 0;
    return !running || any_is_full(s) ? -1 : again ? 0 : HARDWARE_WAIT_MS;
}

enum wt_status wt_session_run(struct wt_session *s, struct wt_error *err)
{
    return wt_loop_run(s->loop, err);
}

void wt_session_end(struct wt_session *s)
{
    wt_loop_end(s->loop);
}

void wt_session_end_when_idle(struct wt_session *s)
{
    s->end_when_idle = true;
}
