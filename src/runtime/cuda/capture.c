/* libcuda: streams whose work becomes a graph. See graph.h. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cuda/stream_list.h"

struct capture {
    uint64_t id;
    CUgraph graph;
    CUstream origin; /* it began in, and ends in */
    CUstreamCaptureMode mode;
    pthread_t thread;
    bool invalid;
    struct capture *next;
};

static struct capture *captures; /* those that are under way */
static uint64_t latest;
static _Thread_local CUstreamCaptureMode
    own_mode; /* mode for this thread's calls that are not safe */

static struct capture *find(uint64_t id)
{
    struct capture *c = captures;
    while (c && c->id != id)
        c = c->next;
    return id ? c : NULL;
}

/* The capture that a stream is in; NULL: none. */
static struct capture *capture_of(CUstream stream)
{
    struct capture_point *p = captures ? stream_point(stream) : NULL;
    return p ? find(p->capture) : NULL;
}

static void forget(struct capture_point *point)
{
    free(point->node);
    *point = (struct capture_point){0};
}

static CUresult point_at(struct capture_point *point, CUgraphNode node)
{
    point->count = 0;
    return graph_list(&point->node, &point->count, &point->room, node) ? CUDA_SUCCESS
                                                                       : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Adds what @p from has to @p to, of the same capture. */
static CUresult join(struct capture_point *to, const struct capture_point *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!graph_list(&to->node, &to->count, &to->room, from->node[i]))
            return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}

CUresult capture_asked(const struct capture_point *event)
{
    struct capture *c = find(event->capture);
    if (!c)
        return CUDA_SUCCESS;
    const bool was = c->invalid;
    c->invalid = true;
    return was ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_CAPTURED_EVENT;
}

bool capture_is(CUstream stream)
{
    if (state_lock())
        return false;
    const bool is = capture_of(stream) != NULL;
    state_leave(CUDA_SUCCESS);
    return is;
}

bool capture_takes(CUstream stream, const struct graph_work *work, CUresult *result)
{
    CUgraphNode node;
    struct graph_work own = *work;
    if ((*result = state_lock()) != CUDA_SUCCESS)
        return false;
    struct capture *c = capture_of(stream);
    if (!c) {
        state_leave(CUDA_SUCCESS);
        return false;
    }
    struct capture_point *p = stream_point(stream);
    if (c->invalid)
        *result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (!graph_own_work(&own))
        *result = CUDA_ERROR_OUT_OF_MEMORY;
    else
        *result = graph_add(c->graph, p->node, p->count, &own, &node);
    if (!*result)
        *result = point_at(p, node);
    state_leave(CUDA_SUCCESS);
    return true;
}

bool capture_forbids(CUstream stream)
{
    struct capture *c = capture_of(stream);
    if (c)
        c->invalid = true;
    return c != NULL;
}

bool capture_forbids_context(void)
{
    bool found = false;
    for (struct capture *c = captures; c; c = c->next)
        if (c->origin->context->id == state_entered_id())
            found = c->invalid = true;
    return found;
}

bool capture_forbids_here(void)
{
    bool found = false;
    for (struct capture *c = captures; c; c = c->next) {
        const bool own = pthread_equal(c->thread, pthread_self());
        if (own_mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
            c->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
            (own || (c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                     own_mode == CU_STREAM_CAPTURE_MODE_GLOBAL)))
            found = c->invalid = true;
    }
    return found;
}

bool capture_record(CUstream stream, struct capture_point *event, CUresult *result)
{
    struct capture *c = capture_of(stream);
    const struct capture_point *p = c ? stream_point(stream) : NULL;
    forget(event);
    *result = CUDA_SUCCESS;
    if (!c)
        return false;
    event->capture = c->id;
    *result = c->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : join(event, p);
    return true;
}

bool capture_wait(CUstream stream, const struct capture_point *event, CUresult *result)
{
    struct capture *c = capture_of(stream), *of = find(event->capture);
    *result = CUDA_SUCCESS;
    if (!c && !of)
        return false;
    struct capture_point *p = stream_point(stream);
    if (c && !of) {
        c->invalid = true;
        *result = CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    } else if (!p) { /* the default stream is in no capture */
        of->invalid = true;
        *result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    } else if (c && c != of) {
        c->invalid = of->invalid = true;
        *result = CUDA_ERROR_STREAM_CAPTURE_MERGE;
    } else if (of->invalid) {
        *result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    } else {
        if (!c)
            forget(p);
        p->capture = of->id;
        *result = join(p, event);
    }
    return true;
}

/* Ends a capture: its streams are free. */
static void finish(struct capture *capture)
{
    struct capture **at = &captures;
    for (CUstream s = stream_after(NULL); s; s = stream_after(s))
        if (stream_point(s)->capture == capture->id)
            forget(stream_point(s));
    while (*at != capture)
        at = &(*at)->next;
    *at = capture->next;
    free(capture);
}

void capture_drop(CUstream stream)
{
    struct capture *c = capture_of(stream);
    if (c && c->origin == stream) {
        graph_free(c->graph);
        finish(c);
    } else if (c) {
        c->invalid = true;
    }
    if (stream_point(stream))
        forget(stream_point(stream));
}

/* Marks a node and all that it comes behind. False without host memory. */
static bool mark(CUgraphNode node, CUgraphNode **list, size_t *count, size_t *room)
{
    size_t next = *count;
    if (!graph_list(list, count, room, node))
        return false;
    for (; next < *count; next++)
        for (size_t i = 0; i < (*list)[next]->after_count; i++)
            if (!graph_list(list, count, room, (*list)[next]->after[i]))
                return false;
    return true;
}

/* Whether the last work of all streams of a capture comes before that of its origin. */
static bool is_joined(const struct capture *c)
{
    CUgraphNode *before = NULL;
    size_t count = 0, room = 0;
    const struct capture_point *last = stream_point(c->origin);
    bool good = true;
    for (size_t i = 0; i < last->count && good; i++)
        good = mark(last->node[i], &before, &count, &room);
    for (CUstream s = stream_after(NULL); s && good; s = stream_after(s)) {
        const struct capture_point *p = stream_point(s);
        for (size_t i = 0; p->capture == c->id && i < p->count && good; i++) {
            size_t k = 0;
            while (k < count && before[k] != p->node[i])
                k++;
            good = k < count;
        }
    }
    free(before);
    return good;
}

/* ---- the interface ---- */

API_IN(state_enter_stream(stream, &g), cuStreamBeginCapture_v2, "%p, %d", (CUstream, stream),
       (CUstreamCaptureMode, mode))
{
    struct capture_point *p = stream_point(stream);
    if (mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    if (!p) {
        call_refused("cuStreamBeginCapture: work of the default stream is not captured: make a "
                     "stream");
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (capture_of(stream))
        return CUDA_ERROR_ILLEGAL_STATE;
    struct capture *c = calloc(1, sizeof *c);
    CUgraph graph = c ? graph_new(false) : NULL;
    if (!graph) {
        free(c);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *c = (struct capture){.id = ++latest,
                          .graph = graph,
                          .origin = stream,
                          .mode = mode,
                          .thread = pthread_self(),
                          .next = captures};
    captures = c;
    forget(p);
    p->capture = c->id;
    return CUDA_SUCCESS;
}

API_IN(state_enter_stream(stream, &g), cuStreamEndCapture, "%p, *%p", (CUstream, stream),
       (CUgraph *, graph, HANDLE(graph)))
{
    struct capture *c = capture_of(stream);
    if (graph)
        *graph = NULL;
    if (!c)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (c->origin != stream) {
        c->invalid = true;
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !pthread_equal(c->thread, pthread_self()))
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    const CUresult result = c->invalid      ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                            : !is_joined(c) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                            : CUDA_SUCCESS;
    if (result || !graph)
        graph_free(c->graph);
    else
        *graph = c->graph;
    finish(c);
    return result;
}

static CUstreamCaptureStatus status_of(const struct capture *c)
{
    return !c           ? CU_STREAM_CAPTURE_STATUS_NONE
           : c->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                        : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

API_IN(state_enter_stream(stream, &g), cuStreamIsCapturing, "%p, *%llu", (CUstream, stream),
       (CUstreamCaptureStatus *, status, RESULT(status)))
{
    if (status)
        *status = status_of(capture_of(stream));
    return status ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(state_enter_stream(stream, &g), cuStreamGetCaptureInfo_v2, "%p, *%llu", (CUstream, stream),
       (CUstreamCaptureStatus *, status, RESULT(status)), (cuuint64_t *, id, ),
       (CUgraph *, graph, ), (const CUgraphNode **, after, ), (size_t *, count, ))
{
    const struct capture *c = capture_of(stream);
    const bool active = status_of(c) == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (!status)
        return CUDA_ERROR_INVALID_VALUE;
    *status = status_of(c);
    if (id)
        *id = active ? c->id : 0;
    if (graph)
        *graph = active ? c->graph : NULL;
    if (after)
        *after = active ? stream_point(stream)->node : NULL;
    if (count)
        *count = active ? stream_point(stream)->count : 0;
    return CUDA_SUCCESS;
}

/* Edges have no data: NULL says so. */
API(cuStreamGetCaptureInfo_v3, "%p, *%llu", (CUstream, stream),
    (CUstreamCaptureStatus *, status, RESULT(status)), (cuuint64_t *, id, ), (CUgraph *, graph, ),
    (const CUgraphNode **, after, ), (const CUgraphEdgeData **, edges, ), (size_t *, count, ))
{
    if (edges)
        *edges = NULL;
    return do_cuStreamGetCaptureInfo_v2(stream, status, id, graph, after, count);
}

API(cuStreamGetCaptureInfo, "%p, *%llu, *%llu", (CUstream, stream),
    (CUstreamCaptureStatus *, status, RESULT(status)), (cuuint64_t *, id, RESULT(id)))
{
    return do_cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

API_IN(state_enter_stream(stream, &g), cuStreamUpdateCaptureDependencies, "%p, %p, %zu, %u",
       (CUstream, stream), (CUgraphNode *, after), (size_t, count), (unsigned, flags))
{
    enum { REPLACE = 1 };
    struct capture *c = capture_of(stream);
    struct capture_point *p = c ? stream_point(stream) : NULL;
    if (flags > REPLACE || (count && !after))
        return CUDA_ERROR_INVALID_VALUE;
    if (!c)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (c->invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    for (size_t i = 0; i < count; i++)
        if (!graph_has(c->graph, after[i]))
            return CUDA_ERROR_INVALID_VALUE;
    const struct capture_point more = {.node = after, .count = count};
    if (flags == REPLACE)
        p->count = 0;
    return join(p, &more);
}

API(cuStreamUpdateCaptureDependencies_v2, "%p, %p, %p, %zu, %u", (CUstream, stream),
    (CUgraphNode *, after), (const CUgraphEdgeData *, edges), (size_t, count), (unsigned, flags))
{
    return graph_edges_are_plain(edges, count)
               ? do_cuStreamUpdateCaptureDependencies(stream, after, count, flags)
               : CUDA_ERROR_NOT_SUPPORTED;
}

API(cuThreadExchangeStreamCaptureMode, "*%llu", (CUstreamCaptureMode *, mode, RESULT(mode)))
{
    if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    const CUstreamCaptureMode was = own_mode;
    own_mode = *mode;
    *mode = was;
    return CUDA_SUCCESS;
}
