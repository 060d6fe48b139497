/*
 * Graphs of work, and streams whose work becomes one ("CUDA Driver API": 6.24, 6.18). A graph holds
 * nodes, which name the ones that come before them. An executable holds a copy of a graph and the
 * order in which a launch does its nodes, one after the other. All is under the lock of state.h;
 * work itself takes the lock, and is done without it.
 */
#ifndef WT_RUNTIME_CUDA_GRAPH_H
#define WT_RUNTIME_CUDA_GRAPH_H

#include "runtime/cuda/state.h"

/** The work of a node. Graphs own what it points to but for events and functions. */
struct graph_work {
    CUgraphNodeType type;
    union {
        struct {
            CUDA_KERNEL_NODE_PARAMS is;
            bool together;  /* all blocks run at once */
            uint8_t *bytes; /* bytes of the parameters, to which is.kernelParams points */
            size_t length;  /* length of the bytes */
        } kernel;
        CUDA_MEMCPY3D copy;
        CUDA_MEMSET_NODE_PARAMS fill;
        CUDA_HOST_NODE_PARAMS host;
        CUevent event; /* waited for, or recorded */
        CUgraph child;
        struct graph_memory *memory; /* a node that allocates it; graphs share it */
        CUdeviceptr freed;
    };
};

struct CUgraphNode_st {
    CUgraph graph;
    size_t number; /* in its graph */
    struct graph_work work;
    CUgraphNode *after; /* those that come before this one */
    size_t after_count, after_room;
    bool disabled;    /* an executable's node does nothing */
    CUgraphNode from; /* a copy's original node; it may be gone */
};

struct CUgraph_st {
    CUgraphNode *node;
    size_t count, room;
    CUgraphNode *order; /* order of an executable: in which its nodes are done */
    bool inner;         /* a child, or an executable's: it is not destroyed by itself */
    CUgraph next;       /* next of all there are */
};

/* ---- graph.c ---- */

/** Whether there is such a graph. */
bool graph_is(const struct CUgraph_st *graph);
/** Whether a node is of a graph. */
bool graph_has(const struct CUgraph_st *graph, const struct CUgraphNode_st *node);
/** Whether there is such a node, in any graph. */
bool graph_is_node(const struct CUgraphNode_st *node);
/** A new graph; NULL without host memory. */
CUgraph graph_new(bool inner);
/** Frees a graph with its nodes and children. */
void graph_free(CUgraph graph);
/** A copy with copies of its children, each node with `from`; NULL without host memory. */
CUgraph graph_copy(const struct CUgraph_st *graph, bool inner);
/**
 * Adds a node behind the @p count nodes @p after, which are of the graph. The node takes what @p
 * work owns, also on failure. CUDA_ERROR_INVALID_VALUE: one of them is not of the graph, or there
 * twice.
 */
CUresult graph_add(CUgraph graph, const CUgraphNode *after, size_t count, struct graph_work *work,
                   CUgraphNode *node);
/** Frees what @p work owns. */
void graph_free_work(struct graph_work *work);
/** Gives @p work copies of all that it points to and a node owns. False, with nothing owned:
 * without host memory. */
bool graph_own_work(struct graph_work *work);
/**
 * Replaces the work of a node, which takes what @p work owns, also on failure.
 * CUDA_ERROR_INVALID_VALUE: @p node is NULL, or of another type.
 */
CUresult graph_replace(CUgraphNode node, struct graph_work *work);
/** Adds a node to a list, if it is not there. False without host memory. */
bool graph_list(CUgraphNode **list, size_t *count, size_t *room, CUgraphNode node);

/* ---- graph_nodes.c ---- */

/** The context of a node: CUDA_SUCCESS, also for NULL, or as state_check_context(). */
CUresult graph_check_context(CUcontext context);
/** Makes the work of a kernel from a program's structure, whose first form (@p second is false)
 * lacks the last two members. The parameters' values are copied. It takes the lock. */
CUresult graph_kernel_work(const CUDA_KERNEL_NODE_PARAMS *what, bool second,
                           struct graph_work *work);

/* ---- graph_memory.c ---- */

/** Makes the work of a node that allocates: @p what gets the address, which nobody else has. The
 * caller holds the lock. CUDA_ERROR_INVALID_VALUE: no bytes, or another kind of memory. */
CUresult graph_memory_work(CUDA_MEM_ALLOC_NODE_PARAMS *what, struct graph_work *work);
/** A node more has the memory; it is left by graph_memory_leave(). */
void graph_memory_use(struct graph_memory *memory);
/* A node less. */
void graph_memory_leave(struct graph_memory *memory);
/** Whether a graph has nodes of memory; @p instantiated: and an executable has them. */
bool graph_owns_memory(const struct CUgraph_st *graph, bool instantiated);
/** Before a launch: memory that an earlier one has left is freed, or (@p frees is false) the launch
 * is CUDA_ERROR_INVALID_VALUE. The caller holds the lock. */
CUresult graph_memory_ready(const struct CUgraph_st *graph, bool frees);
/** Allocates or frees. It takes the lock. */
CUresult memory_node(const struct graph_work *work, CUstream stream);
/** Whether a node's memory has the address. The caller holds the lock. */
bool graph_memory_is(CUdeviceptr address);
/** The parameters of a node, and its address. */
const CUDA_MEM_ALLOC_NODE_PARAMS *graph_memory_parameters(const struct graph_memory *memory);

/* ---- launch.c, copy.c, fill.c, streams.c, events.c: what nodes do ---- */

/** Makes the work of a launch; the parameters' values are copied. It takes the lock. */
CUresult launch_work(const CUDA_KERNEL_NODE_PARAMS *what, bool together, CUstream stream,
                     struct graph_work *work);
/** Launches a kernel. */
CUresult launch_node(const struct graph_work *work, CUstream stream);
/** Fills memory. */
CUresult fill_node(const CUDA_MEMSET_NODE_PARAMS *what, CUstream stream);
/** Calls a function of the host. */
CUresult host_node(const CUDA_HOST_NODE_PARAMS *what, CUstream stream);
/** Whether there is such an event. The caller holds the lock. */
bool event_is(CUevent event);
/** Records an event; the stream is not captured. */
CUresult event_node(CUevent event, CUstream stream);

/* ---- capture.c ---- */

/** The capture that a stream, or an event that was recorded in one, belongs to, and the nodes that
 * its next work comes behind. All zero: none. */
struct capture_point {
    uint64_t capture; /* its id; it may be over */
    CUgraphNode *node;
    size_t count, room;
};

/** Whether a stream is captured. It takes the lock. */
bool capture_is(CUstream stream);
/**
 * Takes work that is given to a stream which is captured: a node has a copy of it, and *result is
 * what the call returns. False, with *result CUDA_SUCCESS: it is not captured. It takes the lock.
 */
bool capture_takes(CUstream stream, const struct graph_work *work, CUresult *result);
/** Whether a stream is captured, in which a call is not allowed then: the capture becomes invalid,
 * and the call returns 900. The caller holds the lock. */
bool capture_forbids(CUstream stream);
/** Likewise for a call of this thread that may not be made while it captures a stream in another
 * mode than "relaxed", or any thread does in mode "global". The caller holds the lock. */
bool capture_forbids_here(void);
/** An event is recorded in a stream: notes where the capture is. True: it is captured, and nothing
 * else is to be done. The caller holds the lock. */
bool capture_record(CUstream stream, struct capture_point *event, CUresult *result);
/** A stream waits for an event, and with it becomes part of its capture. As capture_record. */
bool capture_wait(CUstream stream, const struct capture_point *event, CUresult *result);
/** Somebody asks how far an event is, or waits for it. Of one that a stream has recorded while it
 * is captured nobody can say: 907, and the capture becomes invalid; 1 where it is already; 0: of no
 * capture. The caller holds the lock. */
CUresult capture_asked(const struct capture_point *event);
/** A call waits for all work of the context that is entered: its captures become invalid. False:
 * there are none. The caller holds the lock. */
bool capture_forbids_context(void);
/** A stream goes. The caller holds the lock. */
void capture_drop(CUstream stream);

/** Whether edges stand for the end of their nodes, which all do here; if not, that was said. */
bool graph_edges_are_plain(const CUgraphEdgeData *edges, size_t count);

#endif
