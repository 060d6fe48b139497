/* How the toy's debugger reaches a device: in this process, or a host program's. */
#ifndef TOY_PROBE_H
#define TOY_PROBE_H

#include "debug/core/probe.h"
#include "debug/standstill/link.h"

struct toy_link {
    struct wt_link common; /* first */
    uint32_t waves;
};

extern const struct wt_probe_ops toy_probe;

#endif
