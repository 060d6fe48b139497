/* Conditions and commands of breakpoints. See conditions.c. */
#ifndef WT_DEBUG_CORE_CONDITIONS_H
#define WT_DEBUG_CORE_CONDITIONS_H

#include "debug/core/state.h"

/**
 * The code of all claims together; expressions are shared, and counts are those of @p old (NULL:
 * none). One owner: the caller.
 */
enum wt_status dbg_new_code(struct wt_debugger *d, const struct claim *const *claim,
                            size_t claim_count, const struct bp_code *old, struct bp_code **code,
                            struct wt_error *err);
/** The part of an owner; NULL: it has none. */
struct clause *dbg_find_clause(const struct bp_code *code, uint32_t owner);
/** Counts for the breakpoints of an owner that they were ignored @p times more. */
void dbg_count_ignored(struct wt_debugger *d, uint32_t owner, uint64_t times);
/** One owner more, or less. NULL is allowed. */
struct bp_code *dbg_share_code(struct bp_code *code);
/** One owner less; with the last one it is freed. NULL is allowed. */
void dbg_free_code(struct bp_code *code);

/** Whether the target has watches, and ports for all that their conditions may read. */
bool dbg_has_engine(const struct wt_debugger *d);

/** Whether some client's breakpoint has a condition. */
bool dbg_has_conditions(const struct bp_code *code);
/** Whether it evaluates anything: conditions or commands. */
bool dbg_needs_registers(const struct bp_code *code);
/** The lane to stop for among @p lanes: the one that the user watches, else the lowest. */
unsigned dbg_lane_to_stop(const struct wt_debugger *d, uint32_t wave, wt_lanes lanes);

/**
 * Runs conditions and, with @p print, commands of a halted wave. *stops: some client wants to stop,
 * for the lanes *stop, which are none where no lane is enabled.
 */
enum wt_status dbg_evaluate(struct wt_debugger *d, const struct breakpoint *bp, uint32_t wave,
                            bool print, bool *stops, wt_lanes *stop, struct wt_error *err);
/** Runs conditions and, with @p print, commands for the lanes @p mask, which is not empty, of a
 * halted wave; *stop becomes those for which some client wants to stop. */
enum wt_status dbg_evaluate_halted(struct wt_debugger *d, struct bp_code *code, uint32_t wave,
                                   wt_lanes mask, bool print, wt_lanes *stop, struct wt_error *err);
/** The condition of a watched instruction (target.h); @p context is a struct bp_code. */
wt_lanes dbg_holds_in_engine(void *context, uint32_t wave, uint64_t pc, wt_lanes mask,
                             uint64_t time);
/** Likewise as dbg_evaluate() for @p lanes of a wave that stands before a watched instruction. */
wt_lanes dbg_evaluate_in_engine(struct bp_code *code, uint32_t wave, uint64_t pc, wt_lanes lanes,
                                uint64_t time, bool print);

#endif
