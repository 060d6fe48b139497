/*
 * A target: a link to a device, and the optional services that the device may offer beside it. Real
 * hardware offers the link alone. A debugger must work without every service (each may be NULL).
 */
#ifndef WT_DEBUG_CORE_TARGET_H
#define WT_DEBUG_CORE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"
#include "base/lanes.h"
#include "base/defined_view.h"
#include "base/object_view.h"
#include "base/slice_view.h"
#include "base/wave_view.h"
#include "base/error.h"
#include "debug/core/address.h"

/**
 * Names a wave: never another one's name in a session. A wave of a future that was dropped and the
 * one that comes in its place in the new future may have the same.
 */
typedef uint64_t wt_wave_id;
#define WT_NO_WAVE ((wt_wave_id)0)

/**
 * A row of the probe's table of waves: bound to one wave at a time. The services of a target name
 * waves by it, too, since only the probe and the debugger's core see both.
 */
typedef uint32_t wt_wave_handle;
#define WT_NO_HANDLE UINT32_MAX

/** The outcome of pumping a target. */
enum wt_pump {
    WT_PUMP_RAN,   /**< the device advanced: pump again soon */
    WT_PUMP_EVENT, /**< something happened that the debug registers show (a wave halted, the program
                        ended, a fault): scan now */
    WT_PUMP_IDLE,  /**< the device cannot advance until a debug register is written */
};

/** Lanes that wait in a wave's divergence stack. */
struct wt_wave_waiters {
    wt_lanes lanes;
    uint64_t pc; /**< where they wake up */
};

/** The details of a wave that debug registers do not have. */
struct wt_wave_detail {
    struct wt_wave_view view;
    unsigned waiter_count; /**< entries used below, innermost first */
    struct wt_wave_waiters waiter[WT_MAX_LANES];
};

/** The kinds of accesses that a watchpoint watches. */
enum wt_watchpoint_kind {
    WT_WATCHPOINT_WRITE,
    WT_WATCHPOINT_READ,
    WT_WATCHPOINT_ACCESS,
    WT_WATCHPOINT_EXECUTE, /**< not memory: a wave is about to issue the instruction at `addr` */
    WT_WATCHPOINT_MISTAKE, /**< not memory: a check has refused lanes an access; `addr` has a bit
                              for each kind of mistake (check/finding.h) that counts, `size` is 1 */
};

/**
 * The condition of a watchpoint: the lanes of @p mask, in a wave that is about to issue the
 * instruction at @p pc at issue time @p time, for which it holds. It is called within pump(),
 * search_on() and accesses of debug registers that step, and changes nothing. EXECUTE: the lanes
 * are the enabled ones, and the instruction is the watched one. Memory: they are the enabled ones
 * and those that have made the access, and the instruction is the one after it.
 */
typedef wt_lanes wt_watchpoint_condition(void *context, uint32_t wave, uint64_t pc, wt_lanes mask,
                                         uint64_t time);

/**
 * A watch that the debugger asks of a target or of debug hardware: a range of memory as a lane of a
 * wave sees it, so that local memory is that of its core; or (EXECUTE) an instruction.
 */
struct wt_watchpoint {
    enum wt_watchpoint_kind kind;
    struct wt_address addr;
    uint64_t size; /**< bytes, 1 or more */
    uint32_t wave;
    unsigned lane; /**< 0 where the lanes of a wave see the same */
    uint64_t home; /**< what the service `home` has answered; 0: as the wave sees it when the target
                        gets the list */
    wt_wave_id owner; /**< the wave whose accesses count; WT_NO_WAVE: those of all */
    /* The next three spare returns from the target. It may report more hits, and debug hardware
     * does: the caller judges them. */
    bool changes; /**< WRITE: writes that leave the bytes as they are do not count */
    wt_watchpoint_condition *holds; /**< NULL: every lane counts; memory: where it holds for no lane
                                         that has made the access, that is no hit */
    void *context;                  /**< for holds; it lives until the target watches others */
    uint64_t rule; /**< the condition as struct wt_judged has it; 0: there is none. Where the target
                        has no code for a place, the access is a hit */
};

/** Whether an access counts for a watchpoint, by the memory of a group that it was in (@p home) and
 * by the wave that made it (@p id); address and kind are not looked at. */
static inline bool wt_watchpoint_is_of(const struct wt_watchpoint *w, uint64_t home, wt_wave_id id)
{
    return (!w->home || w->home == home) && (!w->owner || w->owner == id);
}

/** The knowledge about the watched bytes at a stop for an access to them. */
enum wt_watched_known {
    WT_WATCHED_NOW,   /**< nothing is told: memory is as the access has left it */
    WT_WATCHED_TOLD,  /**< what they were before the access and after it */
    WT_WATCHED_MIXED, /**< other waves have written them, too, before all were stopped */
};

#define WT_WATCHED_BYTES 256

/** The watched bytes before an access and after it. */
struct wt_watched_values {
    uint64_t order; /**< the place of the access among those of all waves */
    size_t size;    /**< from the beginning of the watched range, so many are known */
    uint8_t before[WT_WATCHED_BYTES], after[WT_WATCHED_BYTES];
};

/**
 * An access to watched memory, which has been done. An emulated device tells what one lane has
 * accessed. Debug hardware tells which lanes of a wave may have accessed what a watchpoint watches:
 * kind and range are the watchpoint's, and it tells no time and no bytes. Or (`execute`) a wave has
 * come to a watched instruction, which it issues when the device goes on.
 */
struct wt_watchpoint_hit {
    bool execute;     /**< only time, wave, pc and lanes are told */
    bool read, write; /**< an atomic does both */
    bool mistake;     /**< a check has refused the access to `lanes`; `addr` is that of `lane` */
    unsigned mistake_kind;
    wt_lanes mask;  /**< execute: enabled lanes */
    wt_lanes lanes; /**< execute: of these, the ones that count; mistake; debug hardware: see
                       above */
    uint64_t time;  /**< issue time before the instruction */
    uint32_t wave;
    wt_wave_id
        id; /**< of that wave; WT_NO_WAVE: not told. It is in the slot now, unless it has ended */
    unsigned lane;
    uint64_t home;          /**< the memory of a group that it was in; 0: none */
    uint64_t pc;            /**< the instruction's */
    struct wt_address addr; /**< the access's, which overlaps the range but may be wider */
    uint64_t size;
    uint8_t before[16], after[16];
    enum wt_watched_known known;      /**< debug hardware */
    struct wt_watched_values *values; /**< known: WT_WATCHED_TOLD */
};

/** Whether an access that a check has refused counts for a watchpoint. */
static inline bool wt_watchpoint_is_mistake(const struct wt_watchpoint *w,
                                            const struct wt_watchpoint_hit *hit)
{
    return w->kind == WT_WATCHPOINT_MISTAKE && hit->mistake && hit->mistake_kind < 64 &&
           w->addr.offset >> hit->mistake_kind & 1;
}

/** A search of the recorded run, for places at which any of these happens. */
struct wt_history_query {
    bool backwards;                   /**< before now, the nearest first; else from now on */
    const struct wt_watchpoint *code; /**< a wave is about to issue one of these (EXECUTE) */
    size_t code_count;
    wt_wave_handle wave; /**< the wave bound to it is about to issue; WT_NO_HANDLE: none */
    const struct wt_watchpoint *watchpoint; /**< a lane has accessed one of these */
    size_t watchpoints;
};

enum wt_history_step {
    WT_HISTORY_ON,    /**< nothing yet: call again */
    WT_HISTORY_MATCH, /**< the device stands at a match: accept it or not, and call again */
    WT_HISTORY_FOUND, /**< backwards: it stands before the nearest of those that were accepted;
                           forwards: behind the one that was passed */
    WT_HISTORY_EDGE,  /**< there was none: it stands at the first or last recorded issue time */
    WT_HISTORY_FAILED,
};

enum wt_history_kind {
    WT_HISTORY_PC,    /**< a wave is about to issue the instruction at a pc that was asked for */
    WT_HISTORY_ISSUE, /**< the wave that was asked for is about to issue */
    WT_HISTORY_WATCH, /**< memory was accessed: the device's watchpoint_hits() tell */
};

struct wt_history_match {
    enum wt_history_kind kind;
    bool issue;    /**< WT_HISTORY_PC: it is WT_HISTORY_ISSUE, too */
    uint64_t time; /**< issue time of the instruction: before it */
    uint32_t wave;
    wt_wave_id id; /**< that wave's, always */
    wt_lanes mask; /**< its enabled lanes */
    uint64_t pc;
};

#define WT_PATCH_BYTES 16

/** A change of memory: bytes under a mask. */
struct wt_patch {
    uint64_t addr;
    size_t size; /**< 1 to WT_PATCH_BYTES */
    uint8_t bytes[WT_PATCH_BYTES];
    uint8_t mask[WT_PATCH_BYTES]; /**< bits that change */
};

/** A breakpoint that the target judges; or the condition of a watch, where a wave goes on at @p pc
 * after an access. */
struct wt_judged {
    uint64_t pc;
    uint64_t rule; /**< struct wt_watchpoint; 0: a breakpoint */
    struct wt_patch trap, original;
    const uint8_t *code; /**< struct wt_condition_head (expr/wire.h), and what follows it */
    size_t size;
};

/** Who takes what breakpoints have done. */
struct wt_judged_news {
    void *context;
    void (*print)(void *context, const char *text, size_t length);
    void (*count)(void *context, uint32_t owner, uint64_t times); /**< it held for a wave */
};

struct wt_history_stats {
    uint64_t saved;      /**< states */
    uint64_t bytes;      /**< host memory */
    uint64_t budget;     /**< bytes */
    uint64_t log;        /**< bytes: of these, what came from outside */
    uint64_t lost;       /**< issue time before which the run was forgotten; 0: none of it */
    uint64_t widest_gap; /**< issues: from a saved state to the next */
    uint64_t branches;   /**< how often a future was dropped */
};

/**
 * Time travel: the run since the last reset is recorded, and the device can be put back to any
 * issue time of it. There it has the state that it had when the run went on. A debugger may halt it
 * and read the debug registers there; the recorded run does not change until branch() is called.
 * A reset, or a program that is loaded, begins a new recorded run.
 */
struct wt_history_services {
    /** First and last issue time of the recorded run; the last is the present. */
    void (*extent)(void *context, uint64_t *start, uint64_t *end);
    /** Whether the device has been put back to before the present. */
    bool (*in_past)(void *context);
    /** Goes there; WT_INVALID beyond the extent. In the present all is as it was left. */
    enum wt_status (*go)(void *context, uint64_t time, struct wt_error *err);
    /** Issue time of the last saved state before @p time, which is reached at once. NULL: not told.
     */
    uint64_t (*saved_before)(void *context, uint64_t time);
    /** Accesses since the device was put here count, and the recorded run after it is dropped.
     */
    enum wt_status (*branch)(void *context, struct wt_error *err);
    /**
     * Begins a search from where the device is. The query may be freed after; the contexts of its
     * conditions are used until the search has ended.
     */
    enum wt_status (*search)(void *context, const struct wt_history_query *query,
                             struct wt_error *err);
    /** Searches on for about @p budget issues. */
    enum wt_history_step (*search_on)(void *context, uint64_t budget,
                                      struct wt_history_match *match, struct wt_error *err);
    /**
     * The match just found counts. Forwards, the search has ended with this; with @p pass (a match
     * of code) it has ended behind the instruction (WT_HISTORY_FOUND), whose accesses to memory
     * that is watched are places before that.
     */
    void (*accept)(void *context, bool pass);
    /**
     * From now on, in the past, the debugger's accesses do not count: needed after go(), after a
     * match was found, and when a search has ended, before anything is inspected.
     */
    enum wt_status (*inspect)(void *context, struct wt_error *err);
    /**
     * A hash of the whole state of the program at this issue time, with @p patch in memory, which
     * undoes the breakpoints of a debugger. In the past, inspecting ends with this.
     */
    enum wt_status (*hash)(void *context, const struct wt_patch *patch, size_t patches,
                           uint64_t *value, struct wt_error *err);
    /**
     * Begins a search for what a value before now was made of (emulator/machine/slice.h); the
     * device is somewhere in the past afterwards. NULL: there is none.
     */
    enum wt_status (*slice)(void *context, const struct wt_slice_seed *seed, size_t seeds,
                            const struct wt_slice_limits *limits, struct wt_error *err);
    /** Searches on for about @p budget issues: WT_HISTORY_ON, FAILED, or FOUND: it has ended. */
    enum wt_history_step (*slice_on)(void *context, uint64_t budget, struct wt_error *err);
    /** Ends the search, and hands over the result, which the caller frees (wt_slice_found_free). */
    enum wt_status (*slice_end)(void *context, struct wt_slice_found *found, struct wt_error *err);
    /** The recording in figures. */
    void (*stats)(void *context, struct wt_history_stats *stats);
    /** Why nothing is recorded at the moment, for people; NULL: it is. NULL: it always is. Without
     * a recording first and last issue time are now. */
    const char *(*missing)(void *context);
};

/** A breakpoint that was planted in the recorded run: in the past it may be found in memory. */
struct wt_planted {
    uint64_t addr; /**< the instruction's */
    uint64_t time; /**< issue time since which it counts */
    struct wt_patch trap, original;
};

/** The contents of a core file that the device does not know. */
struct wt_core_file_request {
    const char *path;
    uint64_t issues; /**< how much of the recorded run before now; 0: nothing */
    uint32_t wave;   /**< whose thread is selected; WT_NO_HANDLE: none */
    unsigned lane;
    const char *text; /**< why it has stopped, for people; "" */
    const struct wt_planted *planted;
    size_t planted_count;
};

struct wt_target_services {
    /** Lets the device advance by about @p budget issues. NULL: it runs by itself (hardware). */
    enum wt_pump (*pump)(void *context, uint64_t budget);
    /** Memory port: memory as a lane of a wave sees it, past the debug registers. */
    bool (*read_memory)(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                        void *out, size_t size);
    bool (*write_memory)(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                         const void *bytes, size_t size);
    /**
     * Register port: a register of a wave as it is now, past the debug registers, by its number in
     * the family's register table. To @p row come @p size bytes for each lane of the wave, active
     * or not, or (not @p per_lane) @p size bytes in all. False if there is no such register. May be
     * called by the condition of a watched instruction.
     */
    bool (*read_row)(void *context, uint32_t wave, unsigned number, bool per_lane, unsigned size,
                     void *row);
    /** Reads the details of wave @p id that debug registers do not have. False, and an empty
     * detail: it has left the slot of @p wave, or nothing can be told. */
    bool (*wave_detail)(void *context, wt_wave_handle wave, wt_wave_id id,
                        struct wt_wave_detail *detail);
    /**
     * Sets `waiting` of the view, and the fields that depend on it: the reason for which a stopped
     * wave waits once it is resumed. A target that has wave_detail NULL implements this one. False:
     * the reason is not known, or wave @p id has left the slot.
     */
    bool (*wave_waits)(void *context, wt_wave_handle wave, wt_wave_id id,
                       struct wt_wave_view *view);
    /** A hash of all that the next instructions of a wave depend on but memory and clocks; 0: it is
     * not known. NULL: it never is. */
    uint64_t (*wave_state)(void *context, wt_wave_handle wave, wt_wave_id id);
    /** The mistake of the program that has stopped the device; NULL: none. Valid until pump(). */
    const struct wt_fault *(*fault)(void *context);
    /**
     * The record of the mistake for which a wave has stopped or has stopped the device, with what
     * is at its address; false: there is none, or wave @p id has left the slot. NULL: nothing is
     * recorded, and the probe reports what registers say.
     */
    bool (*wave_fault)(void *context, wt_wave_handle wave, wt_wave_id id, struct wt_fault *out);
    /** Lists writes of the host's to memory of a wave's device at [addr, addr + size) that were
     * made up to issue time @p until, the latest first, @p most at most; returns how many there are
     * of them, or one more where others are not listed. NULL: they are not known. */
    size_t (*host_writes)(void *context, wt_wave_handle wave, uint64_t addr, uint64_t size,
                          uint64_t until, struct wt_host_write *list, size_t most);
    /** Tells of the host program's queues as they are now, in lines of text: commands in order,
     * what they wait for, and which threads wait; or (@p launches) only of launches that have not
     * begun. False: there is nothing to tell. NULL: queues are not known. */
    bool (*host_queues)(void *context, bool launches, FILE *out);
    /** The program's memory objects at an address as a wave's device has it, as they are now, at
     * most WT_OBJECT_VIEWS; returns how many. NULL: it is not told. */
    size_t (*objects)(void *context, wt_wave_handle wave, uint64_t addr,
                      struct wt_object_view *list);
    /** What the check of uninitialised values knows of a value of the wave in a handle's slot, as
     * it is now. False: it cannot be asked. NULL: there is no such check. */
    bool (*defined)(void *context, wt_wave_handle wave, const struct wt_defined_request *request,
                    struct wt_defined_view *view);
    /** Lets a faulted device try the instruction again when its wave is resumed. */
    void (*clear_fault)(void *context);
    /** Loads the program afresh (memory and all); the debugger resets and halts the waves. */
    enum wt_status (*reload)(void *context, struct wt_error *err);
    /**
     * The wave that is in a handle's slot now, or was there last: its id, by which the probe and
     * all hits and matches name it. In the past it is the wave of that time. NULL: the probe names
     * waves, as hits, matches and faults do that have ids.
     */
    wt_wave_id (*wave_id)(void *context, wt_wave_handle wave);
    /**
     * A number of the memory to which @p addr leads wave @p id, in the slot of that handle: the
     * local memory of its group, which no other group has. 0: memory that is the same for all
     * waves. NULL: groups have none.
     */
    uint64_t (*home)(void *context, wt_wave_handle wave, wt_wave_id id, struct wt_address addr);
    /** Issue time. */
    uint64_t (*time)(void *context);
    /**
     * Replaces the list of watchpoints; count 0: none. pump() returns WT_PUMP_EVENT after an
     * instruction that has accessed a watched range, and before a watched instruction, if their
     * conditions hold. The list is copied.
     */
    enum wt_status (*set_watchpoints)(void *context, const struct wt_watchpoint *list, size_t count,
                                      struct wt_error *err);
    /**
     * The hits of the last pump() or of the last step by the debug registers, by lane, each
     * reported once; 0: none. *list is valid until the next pump().
     */
    size_t (*watchpoint_hits)(void *context, const struct wt_watchpoint_hit **list);
    /**
     * Writes the state of the device, as it is now, to a core file. In the past, inspecting ends
     * with this. NULL: it cannot.
     */
    enum wt_status (*save_core_file)(void *context, const struct wt_core_file_request *request,
                                     struct wt_error *err);
    /**
     * Lists breakpoints, which are planted, that the target judges by their code from now on, and
     * no others: a wave passes one that does not want to stop, as if nothing were there. A wave
     * halts at one whose code the target cannot evaluate. NULL: the target judges none.
     */
    enum wt_status (*judge)(void *context, const struct wt_judged *list, size_t count,
                            struct wt_error *err);
    /** Whether it judges any at all. */
    bool (*judges)(void *context);
    /** Of wave @p id, in the slot of that handle, which has halted at the breakpoint at @p pc: the
     * lanes for which its code wants to stop. It is told once. False: the code was not evaluated,
     * or cannot be there. */
    bool (*arrived)(void *context, wt_wave_handle wave, wt_wave_id id, uint64_t pc, wt_lanes *stop);
    /** Hands over what breakpoints have printed and counted since the last call, if the target has
     * told that there is something, or (@p ask) in any case. */
    void (*judged)(void *context, bool ask, const struct wt_judged_news *to);
    const struct wt_history_services *history; /**< NULL: the run is not recorded */
};

struct wt_target {
    const void *link; /**< how its probe reaches it; the probe's header has its type */
    const struct wt_target_services *services; /**< never NULL; members may be */
    void *context;                             /**< for the services */
    /** A core file is of one device of its program: names of waves have the device's number there,
     * and count the cores of those before it. */
    uint32_t first_device, first_core;
};

#endif
