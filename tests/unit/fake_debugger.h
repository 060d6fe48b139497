/*
 * A test double of the debugger, for tests of front ends: two cores of two warps of four lanes,
 * 64 KiB of memory, and a program that does what the test says.
 */
#ifndef FAKE_DEBUGGER_H
#define FAKE_DEBUGGER_H

#include "debug/core/going.h"
#include "debug/core/debugger.h"

#define FAKE_MEMORY 0x80000000u
#define FAKE_MEMORY_SIZE 0x10000u
#define FAKE_LANES 4
#define FAKE_WAVES 4
#define FAKE_THREADS (FAKE_LANES * FAKE_WAVES)
#define FAKE_REGISTERS (33 + 1 + 2)
#define FAKE_BREAKPOINTS 16

struct fake_breakpoint {
    bool used;
    uint64_t addr;
    uint32_t owner;
    size_t conditions, commands;
    uint64_t first_condition, first_command; /* what they evaluate to without registers */
};

struct wt_debugger {
    struct wt_topology topology;
    struct wt_debugger_options options;
    struct wt_target target;
    uint8_t memory[FAKE_MEMORY_SIZE];
    uint64_t registers[FAKE_THREADS + 1][FAKE_REGISTERS];
    unsigned waves; /**< active now: waves 0 .. waves-1 */
    bool masked[FAKE_THREADS + 1];
    struct wt_wave_detail detail[FAKE_WAVES]; /**< mask 0: the target does not tell */
    bool broken;                              /**< the device does not answer */
    bool running[FAKE_THREADS + 1];
    enum wt_thread_mode mode;
    unsigned lane;
    bool nonstop, interrupted, ended;
    uint32_t status;
    wt_thread current;
    struct fake_breakpoint breakpoint[FAKE_BREAKPOINTS];
    struct wt_watchpoint_request watchpoint[FAKE_BREAKPOINTS];
    size_t watchpoints;
    bool cannot_watch;
    struct wt_resume resume[32];
    size_t resumes; /**< entries of the last resume */
    unsigned resume_calls, restarts, resets, reattaches, pumps;
    uint64_t code_size; /* of the program's file */
    size_t leftovers;
    bool recorded; /* there is a history of 100 issues: it can be gone to, and not more */
    bool going_to; /* a goto is under way */
    uint64_t now, aim;
    bool gone;    /* nobody answers a call */
    bool endless; /**< a continued program never ends */
    struct wt_event queue[64];
    size_t queued, taken;
    struct wt_event fault; /**< what a continue ends with, if its kind is not NONE */
};

/** A halted program at FAKE_MEMORY with one warp. */
struct wt_debugger *fake_debugger_new(void);
void fake_debugger_event(struct wt_debugger *d, struct wt_event event);
struct fake_breakpoint *fake_breakpoint_at(struct wt_debugger *d, uint64_t addr);

#endif
