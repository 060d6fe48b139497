/* The streams that there are, for streams.c and capture.c. All is under the lock of state.h. */
#ifndef WT_RUNTIME_CUDA_STREAM_LIST_H
#define WT_RUNTIME_CUDA_STREAM_LIST_H

#include "check/order.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/graph.h"

struct CUstream_st {
    unsigned flags;
    int priority;      /* STATE_GREATEST_PRIORITY to 0 */
    CUcontext context; /* it was made in */
    uint64_t id;
    struct capture_point point;
    struct wt_order_stream order; /* order.h */
    struct CUstream_st *next;
};

/** Whether it is one of the streams that the program need not make; they are not in the list. */
bool stream_always_exists(CUstream stream);
/** The place in the list that has a stream; NULL is there where there is no such stream. */
struct CUstream_st **stream_find(CUstream stream);
/** The stream behind another one of the list; the first one for NULL. */
CUstream stream_after(CUstream stream);
/** Puts a stream into the list, whose `next` is the first one. */
void stream_put_first(CUstream stream);
/** Where a stream is in a capture; NULL: it cannot be captured, or is not there. */
struct capture_point *stream_point(CUstream stream);

#endif
