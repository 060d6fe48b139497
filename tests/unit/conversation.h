/* An RSP conversation as a client of a debugger's session, without a server: for tests that put the
 * bytes in and take them out themselves. */
#ifndef TESTS_CONVERSATION_H
#define TESTS_CONVERSATION_H

#include "frontend/rsp/session.h"

struct conversation {
    struct wt_session *shared;
    bool own; /* the session */
    struct wt_client *client;
    struct wt_rsp_session *s;
};

static void conversation_nothing(void *context)
{
    (void)context;
}

static bool conversation_false(void *context)
{
    (void)context;
    return false;
}

static void conversation_event(void *context, const struct wt_event *event)
{
    struct conversation *c = context;
    wt_rsp_session_event(c->s, event);
}

static const struct wt_client_ops conversation_ops = {.handle = conversation_nothing,
                                                      .event = conversation_event,
                                                      .answer = conversation_false,
                                                      .is_full = conversation_false,
                                                      .is_idle = conversation_false};

/* Joins a session, or begins one (NULL). False without memory; *c stays where it is. */
static bool conversation_open(struct conversation *c, struct wt_session *shared,
                              struct wt_debugger *d, const struct wt_rsp_options *options)
{
    c->own = !shared;
    c->shared = shared ? shared : wt_session_new(d);
    c->client = c->shared ? wt_session_join(c->shared, &conversation_ops, c) : NULL;
    c->s = c->client ? wt_rsp_session_new(d, c->client, options) : NULL;
    return c->s != NULL;
}

/* A connection on which a debugger's first packet, qSupported, has come. */
static void conversation_begin(struct wt_rsp_session *s)
{
    wt_rsp_session_begin(s, true);
    s->in.strict = false;
}

static void conversation_close(struct conversation *c)
{
    wt_rsp_session_free(c->s);
    wt_client_leave(c->client);
    if (c->own)
        wt_session_free(c->shared);
}

#endif
