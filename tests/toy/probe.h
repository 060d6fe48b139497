/* How the toy's debugger reaches a device: in this process, or a host program's. */
#ifndef TOY_PROBE_H
#define TOY_PROBE_H

#include "debug/core/probe.h"
#include "object/process_wire.h"

struct toy_event {
    bool happened, code;
    uint64_t state; /**< of the code */
};

struct toy_link {
    void *context;
    bool host_launches;
    uint32_t waves;
    /** Requests of the family's, WT_WIRE_READ, WT_WIRE_WRITE, WT_WIRE_REGISTERS (one). */
    enum wt_status (*ask)(void *context, const struct wt_wire_request *request, const void *more,
                          struct wt_wire_answer *answer, void *out, size_t room,
                          struct wt_error *err);
    /** Whether something has happened; with @p wait the device goes on for a moment before. */
    enum wt_status (*event)(void *context, bool wait, struct toy_event *event,
                            struct wt_error *err);
    /** The debugger knows the code in this state. NULL: it stays. */
    enum wt_status (*code_known)(void *context, uint64_t state, struct wt_error *err);
    bool (*ended)(void *context, uint32_t *status, char *text, size_t size);
    enum wt_status (*reset)(void *context, struct wt_error *err); /**< NULL: it cannot be */
};

extern const struct wt_probe_ops toy_probe;

#endif
