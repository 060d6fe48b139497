/*
 * Time travel: the recorded run of a machine since its reset, any point of which can be returned
 * to. Machines are deterministic, so a point is reached by restoring a state saved before it and
 * running on, with what came from outside (memory that a debugger wrote, accesses to the debug
 * hardware) done again where it was done. A position is an issue time; where something came from
 * outside or happened without an issue (a breakpoint halted a wave, a fault) at that time, it is
 * the last state at that time, from which the run went on.
 *
 * While a timeline exists, its machine is run and changed through it alone. A machine without one
 * does not know of it.
 */
#ifndef WT_EMULATOR_MACHINE_TIMELINE_H
#define WT_EMULATOR_MACHINE_TIMELINE_H

#include "emulator/machine/archive.h"
#include "emulator/machine/run.h"
#include "base/error.h"

struct wt_machine;

#define WT_TIMELINE_BUDGET_DEFAULT ((uint64_t)512 << 20)

struct wt_timeline;

/** Kinds of inputs: what comes from outside. */
enum wt_input_kind {
    WT_INPUT_MEMORY,        /**< memory is written as a lane sees it: wave, lane, addr, bytes,
                                 size */
    WT_INPUT_DEBUG_READ,    /**< a register of the debug hardware is read: addr */
    WT_INPUT_DEBUG_WRITE,   /**< and written: addr, value */
    WT_INPUT_CLEAR_FAULT,   /**< wt_machine_clear_fault */
    WT_INPUT_FLUSH_CONSOLE, /**< incomplete lines are handed on */
    WT_INPUT_OPERATION,     /**< something of the family's own: operation, with bytes and size */
    WT_INPUT_RESET,         /**< the machine is reset: a new timeline begins */
};

struct wt_input {
    enum wt_input_kind kind;
    uint32_t wave;
    unsigned lane;
    uint32_t value;
    uint64_t addr;
    const void *bytes;
    size_t size;
    /** WT_INPUT_OPERATION: the operation. It must be deterministic, and let no issue pass. */
    uint32_t (*operation)(struct wt_machine *m, const void *bytes, size_t size);
};

/** Applies an input to a device that may be recorded; returns as wt_timeline_input() does. */
typedef uint32_t wt_input_fn(void *context, const struct wt_input *input);

/**
 * Applies an input to a machine; for a recorded machine only its timeline may call this. Returns as
 * wt_timeline_input does.
 */
uint32_t wt_input_apply(struct wt_machine *m, const struct wt_input *input);

/**
 * Makes a timeline that begins with the machine's present state. Saved states (those of the
 * beginning excepted) and the log of inputs take at most about @p budget bytes. When the states
 * need more than the log leaves them, but at least a quarter, the densest and most distant ones are
 * dropped, which makes some points slower to reach. A log of more than three quarters (and 64 MiB)
 * loses its beginning, and the run begins later: wt_timeline_start() and the statistics tell.
 * WT_NO_MEMORY is the only failure.
 */
enum wt_status wt_timeline_new(struct wt_machine *machine, uint64_t budget,
                               struct wt_timeline **timeline, struct wt_error *err);
/** Frees the recording; the machine stays as it is. NULL is allowed. */
void wt_timeline_free(struct wt_timeline *t);

/** Forgets the recording and begins anew with the present state (a program was loaded). */
enum wt_status wt_timeline_restart(struct wt_timeline *t, struct wt_error *err);

/**
 * Runs on for at most @p issues. In the past this repeats the recorded run, inputs included,
 * without printing its console lines again; from its end on it records a new one. Returns
 * earlier at a watch's hit (WT_RUN_WATCH), in the past, too.
 */
enum wt_run wt_timeline_run(struct wt_timeline *t, uint64_t issues);

/**
 * Applies an input and records it. In the past this drops the recorded future. Returns the value of
 * a register that was read; for memory, whether it could be written; else 1.
 */
uint32_t wt_timeline_input(struct wt_timeline *t, const struct wt_input *input);

/**
 * Goes to @p time, forwards or backwards; WT_INVALID if the recorded run does not reach it. Where
 * one input let several issues pass, the nearest point before is taken. Nothing is printed.
 */
enum wt_status wt_timeline_goto(struct wt_timeline *t, uint64_t time, struct wt_error *err);

/**
 * Begins or ends looking; a call that changes nothing succeeds. While looking, a debugger may
 * change the state (it halts waves, and reads registers by injected instructions) and nothing is
 * recorded; the end of looking restores the state from its beginning. WT_NO_MEMORY is the only
 * failure.
 */
enum wt_status wt_timeline_look(struct wt_timeline *t, bool looking, struct wt_error *err);
/** Whether a debugger is looking: its changes are not recorded yet. */
bool wt_timeline_is_looking(const struct wt_timeline *t);

/**
 * Ends looking and keeps the changes: they are recorded at the current issue time. In the past this
 * drops the future. Without looking it does nothing. WT_STATE: issues have passed by
 * wt_timeline_run while looking.
 */
enum wt_status wt_timeline_commit(struct wt_timeline *t, struct wt_error *err);

/** A family's function that lists its state for an archive. */
typedef void (*wt_archive_fn)(struct wt_machine *m, struct wt_archive *a);

/** An operation that WT_INPUT_OPERATION may name. */
typedef uint32_t (*wt_input_operation)(struct wt_machine *m, const void *bytes, size_t size);

/** A machine and its recorded run as they go into a core file and come out of one. */
struct wt_timeline_file {
    struct wt_machine *machine;
    struct wt_timeline *timeline; /**< writing: NULL: the run is not recorded. Reading: is set */
    uint64_t budget;              /**< reading: of the timeline that is made */
    wt_archive_fn state;
    const wt_input_operation *operation; /**< the family's; NULL ends the list, and may be it */
    uint64_t issues; /**< writing: how much of the recorded run before now; 0: nothing */
};

/**
 * Writes the present state of the machine, and what was recorded before it: the state that many
 * issues ago, or at the beginning, and the inputs since. Looking must have ended. Afterwards the
 * machine is as it was.
 */
enum wt_status wt_timeline_write(const struct wt_timeline_file *file, struct wt_archive *a,
                                 struct wt_error *err);

/**
 * Reads what wt_timeline_write has written into a machine without a timeline. On failure the
 * machine can only be freed.
 */
enum wt_status wt_timeline_read(struct wt_timeline_file *file, struct wt_archive *a,
                                struct wt_error *err);

/**
 * Saves the state here, beside the states that are saved anyway, as far as the budget allows.
 * Nothing while looking.
 */
void wt_timeline_keep(struct wt_timeline *t);

/** The issue time of the latest saved state that is not after @p time. */
uint64_t wt_timeline_saved_before(const struct wt_timeline *t, uint64_t time);

/** Issue time at which the recorded run begins. */
uint64_t wt_timeline_start(const struct wt_timeline *t);
/** Issue time at which the recorded run ends. */
uint64_t wt_timeline_end(const struct wt_timeline *t);

/** Whether the machine is at the end of the recording, so that running on records something new. */
bool wt_timeline_at_end(const struct wt_timeline *t);

struct wt_timeline_stats {
    size_t snapshots;
    uint64_t bytes;      /**< host memory of snapshots (pages that the machine sees now, too, are
                              not counted) and of the log of inputs */
    uint64_t log;        /**< log of these, the log */
    uint64_t lost;       /**< issue time before which the past was dropped; 0: none of it */
    uint64_t branches;   /**< how often a future was dropped */
    uint64_t restarts;   /**< how often a new timeline began */
    uint64_t widest_gap; /**< most issues between two snapshots, or from the last to the end */
};

/** Fills in the statistics of the recording. */
void wt_timeline_stats(const struct wt_timeline *t, struct wt_timeline_stats *stats);

/**
 * Fixes the least number of issues between two snapshots, for tests and benchmarks. 0, as at first:
 * as many as it takes for a snapshot to cost little of the run.
 */
void wt_timeline_set_interval(struct wt_timeline *t, uint64_t issues);

#endif
