/*
 * The process's side of object/process_wire.h: an endpoint that answers the requests of one
 * debugger at a time. What all families share is served here, through a driver; requests of a
 * family's own range go to that driver as they are.
 */
#ifndef WT_RUNTIME_COMMON_SERVE_H
#define WT_RUNTIME_COMMON_SERVE_H

#include "base/fault.h"
#include "emulator/machine/timeline.h"
#include "object/process_wire.h"
#include "runtime/common/endpoint.h"
#include "runtime/common/gate.h"
#include "runtime/common/host_core.h"

struct wt_wave_view;

/** A family's driver. Called in the endpoint's thread. */
struct wt_server_driver {
    const char *kind; /**< kind of the socket (base/private_dir.h) */
    uint32_t family;  /**< WT_WIRE_FAMILY() */
    /** As in struct wt_endpoint_ops. With a gate (wt_server_start) these are NULL, as are `locked`,
     * `attach`, `event` and `code_known`: but for let_go, which then is called entered, where the
     * debugger has changed something, and without recordings, breakpoints and watches. */
    void (*let_go)(void *context);
    void (*begin)(void *context);
    bool (*is_held)(void *context);
    void (*release)(void *context);
    /** In a child of fork(), which has neither the threads nor the debugger of its parent. NULL:
     * there is nothing to do. */
    void (*forked)(void);
    /** Calls serve(serving) with the locks that the verb needs, and no others. */
    void (*locked)(void *context, const struct wt_wire_request *request, void (*serve)(void *),
                   void *serving);
    /** Fills in units and places; *code becomes the state of the list of code. */
    void (*hello)(void *context, struct wt_wire_hello *hello, uint64_t *code);
    /** NULL: there is nothing to do. */
    void (*attach)(void *context);
    /** Waits up to @p ms milliseconds; a set of enum wt_wire_happened. */
    int (*event)(void *context, uint64_t ms, uint64_t *code);
    /** NULL: code does not come and go. */
    void (*code_known)(void *context, uint64_t state);
    /** Copies memory to @p bytes (@p out), or from there. False: there is none. NULL: that which
     * the request's wave sees (wt_hosted_copy). */
    bool (*copy)(void *context, const struct wt_wire_request *request, uint8_t *bytes, size_t size,
                 bool out);
    /** The bits of up to WT_PLANTED_BYTES bytes, that are about to be written over @p original, in
     * which they are a breakpoint; 0: they are none. */
    uint64_t (*breakpoint)(void *context, const struct wt_wire_request *request, uint64_t bytes,
                           uint64_t original);
    /** Reads or writes a debug register (WT_INPUT_DEBUG_READ, WT_INPUT_DEBUG_WRITE); returns the
     * value read. NULL: wt_hosted_input() does all. */
    uint32_t (*input)(void *context, uint32_t device, const struct wt_input *input);
    bool changes;         /**< watched writes that change nothing do not count */
    bool goes_on_request; /**< debug registers do not make a kernel go on that stands: a request of
                               the family's does, by wt_gate_poke() */
    /** Whether a debugger may have a GPU watch memory. NULL: it may. */
    bool (*may_watch)(const struct wt_hosted *gpu);
    bool tells_waiters; /**< the view of a wave is followed by struct wt_wire_waiters */
    /** The fault of the wave of a request; NULL: it has none. NULL: the machine tells all. */
    const struct wt_fault *(*fault)(void *context, const struct wt_wire_request *request);
    /** Writes lines about the program's queues, and who waits for what, or (@p launches) launches
     * that have not begun. NULL: the family queues nothing. */
    void (*queues)(void *context, bool launches, FILE *out);
    /** Writes a core file. NULL: wt_host_core_write() does all. */
    enum wt_status (*core)(void *context, uint32_t device, const struct wt_host_core *core,
                           struct wt_error *err);
    /** Gives the memory that kernels leave (final_memory.h). NULL: it is that of all machines'
     * regions, which `final_read` copies; NULL, too: that is wt_hosted_read_plain() of the GPU. */
    size_t (*final_next)(void *context, uint32_t device, uint64_t from, uint8_t *bytes,
                         size_t room);
    wt_final_read_fn *final_read;
    /**
     * A request of the family's range. Its bytes are at @p bytes, where those of the answer go:
     * answer->size of them, at most WT_WIRE_MOST. Returns the result; -ENOSYS: `serve` knows it.
     * NULL: that knows all.
     */
    int32_t (*own)(void *context, const struct wt_wire_request *request,
                   struct wt_wire_answer *answer, uint8_t *bytes);
    /** Those that a device answers by itself; what changes it goes through @p input. NULL: there
     * are none. */
    int32_t (*serve)(struct wt_machine *machine, wt_input_fn *input, void *context,
                     const struct wt_wire_request *request, struct wt_wire_answer *answer,
                     uint8_t *bytes);
};

/** Copies memory as the wave and the lane of a request see it. */
bool wt_hosted_copy(struct wt_hosted *gpu, const struct wt_wire_request *request, uint8_t *bytes,
                    size_t size, bool out);
/** Whether the wave that a request names, by its slot and its id, is there. */
bool wt_hosted_has(const struct wt_hosted *gpu, const struct wt_wire_request *request);

/**
 * Listens for debuggers of @p devices GPUs, up to WT_WIRE_DEVICES, as wt_endpoint_start() does,
 * until wt_server_stop(), the process's end, of which the debugger is told, or a child of fork().
 * A process has one server.
 * @p gate: whose turn it is to use them, where kernels wait for a debugger if the environment says
 * so, and @p holder is not used; NULL: the driver has locks of its own. False if that is not
 * possible: the program runs all the same.
 */
bool wt_server_start(const struct wt_server_driver *driver, void *context, struct wt_gate *gate,
                     struct wt_hosted *const *gpus, unsigned devices, pid_t holder);
/** Releases the debugger that is connected, if any. Nothing happens where there is no server. */
void wt_server_stop(void);
/** Tells the debugger that the process ends with @p status, and does not serve it any more. */
void wt_server_tell_exit(int status);
/** Removes the socket of a process that ends without exit(). */
void wt_server_forget(void);

#endif
