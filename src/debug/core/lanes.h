/* See lanes.c. */
#ifndef WT_DEBUG_CORE_LANES_H
#define WT_DEBUG_CORE_LANES_H

#include "debug/core/state.h"

/** Lanes of a wave for which an expression is evaluated, by their numbers in the expression. */
struct dbg_lanes {
    struct wt_debugger *d;
    uint32_t wave;
    unsigned count;
    uint8_t lane[WT_MAX_LANES];
};

/** Lists the lanes of @p set, which is not empty, the lowest first. */
void dbg_list_lanes(struct wt_debugger *d, uint32_t wave, wt_lanes set, struct dbg_lanes *lanes);
/** Members of a struct wt_expr_world whose context is a struct dbg_lanes. */
wt_lanes dbg_read_for_lanes(void *context, wt_lanes which, const uint64_t *addr, unsigned size,
                            uint64_t *out);
/** Likewise: `print`, which hands text to the output of the debugger's options. */
void dbg_print_for_lanes(void *context, const char *text, size_t length);
/** Memory as lane number @p k sees it, with the program's own instructions; false: unreadable. */
bool dbg_read_one(const struct dbg_lanes *at, unsigned k, uint64_t addr, void *out, size_t size);

#endif
