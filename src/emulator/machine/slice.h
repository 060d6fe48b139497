/*
 * Where a value comes from: a search of a recorded run (timeline.h), backwards, for the
 * instructions that made it. A machine only runs forwards, so each window of the past is run
 * through with its issues and accesses noted (observe.h), and the notes are then read from the last
 * one to the first. What an instruction reads and writes its family says (operands.h).
 *
 * A value is followed lane by lane, through registers and all kinds of memory. Not followed are:
 * - Addresses, and other operands that say where a value is (wt_insn_operand.aside), unless asked.
 * - Branches: which instructions a lane executes.
 */
#ifndef WT_EMULATOR_MACHINE_SLICE_H
#define WT_EMULATOR_MACHINE_SLICE_H

#include "base/slice_view.h"
#include "emulator/machine/observe.h"
#include "emulator/machine/operands.h"
#include "emulator/machine/timeline.h"

struct wt_slice;

/**
 * Begins a slice from where the machine is. Seeds are copied. WT_UNSUPPORTED: the family does not
 * say what its instructions read and write. WT_INVALID: a seed is no register or no time before
 * now. WT_NO_MEMORY. *s is set on success only.
 */
enum wt_status wt_slice_begin(struct wt_timeline *timeline, struct wt_machine *machine,
                              const struct wt_slice_seed *seed, size_t seeds,
                              const struct wt_slice_limits *limits, struct wt_slice **s,
                              struct wt_error *err);
/** Frees it, in any state. NULL is allowed. */
void wt_slice_free(struct wt_slice *s);

enum wt_slice_state {
    WT_SLICE_ON,     /**< call again */
    WT_SLICE_DONE,   /**< steps and inputs are complete, or `more` says that they are not */
    WT_SLICE_FAILED, /**< *err says why */
};

/**
 * Goes on for about @p budget issues. The machine has no watches meanwhile, and stands somewhere in
 * the past; the caller puts it back where it was.
 */
enum wt_slice_state wt_slice_on(struct wt_slice *s, uint64_t budget, struct wt_error *err);

/** The result, which the slice owns. */
const struct wt_slice_found *wt_slice_found(const struct wt_slice *s);
/** Likewise; *out takes its lists over. */
void wt_slice_take(struct wt_slice *s, struct wt_slice_found *out);

#endif
