/*
 * The code of a breakpoint: conditions and what is printed, of those who want it, evaluated on the
 * machine itself for all lanes of a wave at once. It comes as bytes from a debugger in another
 * process.
 */
#ifndef WT_EMULATOR_MACHINE_CONDITION_H
#define WT_EMULATOR_MACHINE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lanes.h"
#include "base/error.h"

struct wt_machine;

/** The code for one machine. */
struct wt_condition;

/** Counts of the parts of an owner, wherever they are. */
struct wt_condition_tally {
    uint32_t owner;
    uint64_t ignored; /**< so many times of holding for a wave are only counted yet */
    uint64_t times;   /**< it held for a wave, and was ignored or printed */
};

/** Counts of conditions, all together, and where they print. */
struct wt_condition_counts {
    struct wt_condition_tally *list; /**< NULL at first */
    size_t count, room;
    void (*print)(void *context, const char *text, size_t length);
    void *context;
};

/**
 * Makes the code of bytes that have come; the caller frees it. Its owners are counted in @p counts,
 * which lives as long. WT_INVALID: they make no sense for this machine: it lacks a register that
 * they name, or does not know the work of its waves.
 */
enum wt_status wt_condition_new(struct wt_machine *m, const uint8_t *bytes, size_t size,
                                struct wt_condition_counts *counts, struct wt_condition **condition,
                                struct wt_error *err);
/** NULL is allowed. */
void wt_condition_free(struct wt_condition *condition);
/** The machine has come to another time. */
void wt_condition_moved(struct wt_condition *condition);

/**
 * Evaluates and prints for a wave that is about to issue the instruction at @p pc at issue time
 * @p time with the lanes @p mask enabled, as wt_watch_holds_fn has it, and counts. *stop: the lanes
 * for which some client wants to stop. False: something cannot be evaluated here; nothing is
 * counted, the caller discards printed text, and *stop is @p mask. A second call for the same wave
 * at the same time has the same answer, and counts nothing.
 */
bool wt_condition_judge(struct wt_condition *condition, struct wt_machine *m, uint32_t wave,
                        uint64_t pc, wt_lanes mask, uint64_t time, wt_lanes *stop);

#endif
