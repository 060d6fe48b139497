/*
 * A debugger's request for a core file of a host process: the bytes that follow a request
 * WT_WIRE_CORE (object/process_wire.h).
 */
#ifndef WT_OBJECT_CORE_WIRE_H
#define WT_OBJECT_CORE_WIRE_H

#include <stdint.h>

struct wt_core_wire {
    uint32_t wave, lane; /**< that are selected; wave UINT32_MAX: none */
    uint64_t issues;     /**< issues of the recorded run before now; 0: none of it */
    char path[4096];     /**< whole */
    char reason[512];
    uint32_t planted, reserved; /**< struct wt_core_wire_planted that follow */
};

struct wt_core_wire_patch {
    uint64_t addr;
    uint32_t size, reserved;
    uint8_t bytes[16], mask[16];
};

/** A breakpoint that was planted in the recorded run. */
struct wt_core_wire_planted {
    uint64_t addr, time;
    struct wt_core_wire_patch trap, original;
};

#endif
