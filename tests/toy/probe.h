/* The toy's debugger. */
#ifndef TOY_PROBE_H
#define TOY_PROBE_H

#include "debug/core/probe.h"

extern const struct wt_probe_ops toy_probe;

#endif
