/*
 * A session: one debugger, and the clients that look at it at the same time. The session owns the
 * event loop and lets the target advance; a front end puts its file descriptors into the loop and
 * is told what happens.
 *
 * Clients are equal. A client that sets threads going owns that run until it stops; other clients
 * see the threads running, and what needs a stopped target fails with WT_STATE. Every client is
 * told of every stop. Breakpoints and watchpoints belong to the client that inserted them.
 */
#ifndef WT_DEBUG_CORE_SESSION_H
#define WT_DEBUG_CORE_SESSION_H

#include "base/loop.h"
#include "debug/core/debugger.h"

struct wt_session;
struct wt_client;

/** Operations of a front end in a session. */
struct wt_client_ops {
    /** Handles input, as far as that is possible now. */
    void (*handle)(void *context);
    /** A thread has stopped, or the program has ended. The event is valid during the call. */
    void (*event)(void *context, const struct wt_event *event);
    /**
     * A dispatch has begun or ended, or modules have changed; nothing has stopped for it. The event
     * is valid during the call. NULL: the client does not care. All other functions must be there.
     */
    void (*news)(void *context, const struct wt_probe_event *event);
    bool waves; /**< `news` is called for waves, too: see wt_debugger_tell_waves() */
    /**
     * Called after handle() and the events. Sends pending output; true: there is more to do
     * before the session may wait.
     */
    bool (*answer)(void *context);
    /** True while the client cannot take more output: the program is not let advance. */
    bool (*is_full)(void *context);
    /** True when the client is not in use, so that the session need not go on for it. */
    bool (*is_idle)(void *context);
};

/** `handle` of a client that has no input. */
void wt_client_no_input(void *context);
/** `answer` and `is_full` of a client that has no output. */
bool wt_client_no_output(void *context);
/** `is_idle` of a client for which the session need not go on. */
bool wt_client_always_idle(void *context);
/* The operations of a client that only looks. */
#define WT_CLIENT_LOOKS                                                                            \
    .handle = wt_client_no_input, .answer = wt_client_no_output, .is_full = wt_client_no_output,   \
    .is_idle = wt_client_always_idle

/** A session without clients. NULL without host memory. The debugger must outlive it. */
struct wt_session *wt_session_new(struct wt_debugger *debugger);
/** Frees it; all clients must have left. */
void wt_session_free(struct wt_session *session);

/** The debugger of the session, which the session does not own. */
struct wt_debugger *wt_session_debugger(struct wt_session *session);
/** The session's event loop, for descriptors of front ends. The session owns it. */
struct wt_loop *wt_session_loop(struct wt_session *session);

/** Serves its clients until one of them ends it, or it ends as wt_session_end_when_idle() says. */
enum wt_status wt_session_run(struct wt_session *session, struct wt_error *err);
/** Makes wt_session_run() return soon. */
void wt_session_end(struct wt_session *session);
/** Likewise once nothing runs and every client is idle. */
void wt_session_end_when_idle(struct wt_session *session);

/**
 * Lets the target advance by about @p budget issues if something runs, and tells the clients what
 * has happened. Returns as wt_debugger_pump(). For callers without a loop.
 */
bool wt_session_pump(struct wt_session *session, uint64_t budget);

/** Adds a client. NULL without host memory. @p ops must outlive it. */
struct wt_client *wt_session_join(struct wt_session *session, const struct wt_client_ops *ops,
                                  void *context);
/** Removes and frees it. Its breakpoints must have been removed, or stay without an owner. */
void wt_client_leave(struct wt_client *client);

/** The owner of the client's breakpoints and watchpoints: 1 or more, no other client's. */
uint32_t wt_client_number(const struct wt_client *client);

/** Another owner of breakpoints for the client, at addresses where it has one already. */
uint32_t wt_client_new_owner(struct wt_client *client);

/** Says whether the client is in use. At first it is not. */
void wt_client_set_used(struct wt_client *client, bool used);
/** Whether no other client is used. */
bool wt_client_is_alone(const struct wt_client *client);
/** Whether something runs that another client has set going. */
bool wt_client_is_waiting(const struct wt_client *client);

/** As wt_debugger_run(); WT_STATE while another client's run is under way. */
enum wt_status wt_client_run(struct wt_client *client, enum wt_direction direction,
                             const struct wt_resume *list, size_t count, struct wt_error *err);
/** The client is about to set something going that has no function here; likewise. */
enum wt_status wt_client_begin_run(struct wt_client *client, struct wt_error *err);

#endif
