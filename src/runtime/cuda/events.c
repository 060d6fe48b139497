/* libcuda: events ("CUDA Driver API": 6.19). They are complete when they are recorded. */
#include <stdlib.h>
#include <time.h>

#include "runtime/cuda/checks.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/order.h"

struct CUevent_st {
    unsigned flags;
    bool recorded;
    uint64_t owner; /* id of its context */
    struct timespec at;
    struct capture_point point; /* where it was recorded, in a stream that is captured */
    struct wt_order_point order;
    struct CUevent_st *next;
};

static struct CUevent_st *events; /* all there are; under the lock */

static struct CUevent_st **find(CUevent event)
{
    struct CUevent_st **at = &events;
    while (*at && *at != event)
        at = &(*at)->next;
    return at;
}

void events_drop(uint64_t owner)
{
    for (struct CUevent_st **at = &events, *e; (e = *at);) {
        if (e->owner != owner) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        free(e->point.node);
        wt_order_drop(&e->order);
        checks_handle_lost(e);
        checks_handle_gone(e, "the end of its context");
    }
}

/* A call names an event that there is not. */
static CUresult miss(CUevent event)
{
    checks_handle_missed(event, "event");
    return CUDA_ERROR_INVALID_HANDLE;
}

/* Takes the lock for a call about an event, in the event's context. */
static CUresult enter(CUevent event)
{
    struct gpu *g;
    const CUresult result = state_lock();
    if (result)
        return result;
    return event && *find(event) ? state_enter_owner(event->owner, &g) : state_leave(miss(event));
}

/*
 * Takes the lock for a call about an event in a stream, in the stream's context. The default stream
 * is of the thread's context; where the thread has none, of the event's.
 */
static CUresult enter_in_stream(CUevent event, CUstream stream)
{
    struct gpu *g;
    const bool named = stream && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD;
    const CUresult result = named ? state_enter_stream(stream, &g) : state_lock();
    if (result)
        return result;
    if (!event || !*find(event)) {
        const CUresult context = named ? CUDA_SUCCESS : state_enter_owner(0, &g);
        return context ? context : state_leave(miss(event));
    }
    return named ? CUDA_SUCCESS : state_enter_owner(state_context() ? 0 : event->owner, &g);
}

static CUresult check(CUevent event)
{
    const CUresult result = enter(event);
    if (result)
        return result;
    const CUresult captured = capture_asked(&event->point);
    if (captured)
        return state_leave(captured);
    order_waits_for(&event->order);
    return state_leave(CUDA_SUCCESS);
}

API_IN(state_enter(&g), cuEventCreate, "*%p, %u", (CUevent *, event, HANDLE(event)),
       (unsigned, flags))
{
    const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (!event || flags & ~known ||
        (flags & CU_EVENT_INTERPROCESS && !(flags & CU_EVENT_DISABLE_TIMING)))
        return CUDA_ERROR_INVALID_VALUE;
    struct CUevent_st *e = calloc(1, sizeof *e);
    if (!e)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *e = (struct CUevent_st){.flags = flags, .owner = state_entered_id(), .next = events};
    *event = events = e;
    checks_handle_made(e, sizeof *e, "cuEventCreate");
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuEventDestroy_v2, "%p", (CUevent, event))
{
    struct CUevent_st **at = find(event), *e = *at;
    if (!event || !e)
        return miss(event);
    const CUresult failed = state_context_of(e->owner)->failed;
    *at = e->next;
    free(e->point.node);
    wt_order_drop(&e->order);
    checks_handle_gone(e, "cuEventDestroy");
    return failed;
}

/* An event is recorded in streams of its own context only. */
API_IN(enter_in_stream(event, stream), cuEventRecord, "%p, %p", (CUevent, event),
       (CUstream, stream))
{
    CUresult result;
    if (event->owner != state_entered_id())
        return CUDA_ERROR_INVALID_HANDLE;
    if (capture_record(stream, &event->point, &result))
        return result;
    event->recorded = true;
    order_record(&event->order, stream);
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return CUDA_SUCCESS;
}

bool event_is(CUevent event)
{
    return event && *find(event);
}

CUresult event_node(CUevent event, CUstream stream)
{
    return do_cuEventRecord(event, stream);
}

/* The event is recorded, or waited for, by a node of the graph that the stream's work becomes:
 * outside of a capture there is none. */
static CUresult external(CUevent event, CUstream stream, CUgraphNodeType type)
{
    const struct graph_work work = {.type = type, .event = event};
    CUresult result = enter_in_stream(event, stream);
    if (result)
        return result;
    state_leave(CUDA_SUCCESS);
    return capture_takes(stream, &work, &result) || result ? result : CUDA_ERROR_ILLEGAL_STATE;
}

API(cuEventRecordWithFlags, "%p, %p, %u", (CUevent, event), (CUstream, stream), (unsigned, flags))
{
    if (flags > CU_EVENT_RECORD_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    return flags ? external(event, stream, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
                 : do_cuEventRecord(event, stream);
}

/* The event may be of another context, and of another device. */
static CUresult wait_for(CUevent event, CUstream stream)
{
    CUresult result = enter_in_stream(event, stream);
    if (result)
        return result;
    if (!capture_wait(stream, &event->point, &result))
        order_after(stream, &event->order);
    return state_leave(result);
}

API(cuStreamWaitEvent, "%p, %p, %u", (CUstream, stream), (CUevent, event), (unsigned, flags))
{
    if (flags > CU_EVENT_WAIT_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    return flags ? external(event, stream, CU_GRAPH_NODE_TYPE_WAIT_EVENT) : wait_for(event, stream);
}

API(cuEventQuery, "%p", (CUevent, event))
{
    return check(event);
}

API(cuEventSynchronize, "%p", (CUevent, event))
{
    return check(event);
}

static bool is_timed(CUevent event)
{
    if (event && !*find(event))
        miss(event);
    return event && *find(event) && event->recorded && !(event->flags & CU_EVENT_DISABLE_TIMING);
}

API_IN(state_lock(), cuEventElapsedTime, "%p, %p, %p", (float *, milliseconds), (CUevent, from),
       (CUevent, to))
{
    if (!is_timed(from) || !is_timed(to) ||
        state_context_of(from->owner)->device != state_context_of(to->owner)->device)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!milliseconds)
        return CUDA_ERROR_INVALID_VALUE;
    order_waits_for(&from->order); /* the time says that both are done */
    order_waits_for(&to->order);
    *milliseconds = (float)(to->at.tv_sec - from->at.tv_sec) * 1e3f +
                    (float)(to->at.tv_nsec - from->at.tv_nsec) / 1e6f;
    return CUDA_SUCCESS;
}
