/*
 * The writes to a range of memory, or the reads of it, in a target's recorded run, found by
 * searching it backwards. The search needs the history service and the watchpoint_hits service, and
 * no probe.
 */
#ifndef WT_DEBUG_CORE_TOUCHES_H
#define WT_DEBUG_CORE_TOUCHES_H

#include "base/fault.h"
#include "debug/core/debugger.h"

#define WT_TOUCH_LANES 8

/** An instruction that wrote to a range of memory, or read from it. */
struct wt_touch {
    uint64_t time; /**< issue time: going there, it is about to issue */
    wt_wave_handle wave;
    struct wt_wave by; /**< the wave, as it was then; the search fills it in */
    bool has_item;
    uint64_t item[3]; /**< has_item: the work-item of the first lane, in the group */
    uint64_t pc;
    wt_lanes lanes;                                /**< that made the access */
    unsigned shown;                                /**< how many of these are shown, in order: */
    struct wt_watchpoint_hit lane[WT_TOUCH_LANES]; /**< the first ones */
    struct wt_watchpoint_hit
        last;              /**< the last one: of lanes that wrote the same bytes, it stays */
    uint8_t before[16];    /**< what the bytes of `last` were before the instruction */
    struct wt_calls calls; /**< that it is in, if the search had struct wt_callers */
};

/** Who knows the calls of waves (wt_callers_by_frames): searches of the recorded run ask at the
 * time of each instruction that is found and wanted. */
struct wt_callers {
    /** Whether a place needs its calls: its code is not the user's. */
    bool (*wanted)(const void *context, uint64_t pc);
    /** The calls that a lane, which is about to issue at @p pc, is in. */
    void (*find)(const void *context, struct wt_debugger *debugger, wt_thread thread, uint64_t pc,
                 struct wt_calls *calls);
    const void *context;
};

/** A search. The caller may read the first group of members at any time. */
struct wt_touches {
    struct wt_touch *list; /**< the latest one first */
    size_t count;          /**< count of list, at most `most` */
    bool more;             /**< once the search has ended: there are, or may be, more than the list
                                has */

    const struct wt_target *target;
    struct wt_watchpoint range;
    uint8_t *mask; /**< the bits of each byte of the range; NULL: all */
    size_t most;
    bool searching;        /**< a window is being searched */
    struct wt_touch *ring; /**< the newest ones of the window */
    size_t ring_count, next;
    bool dropped;    /**< the ring has lost one */
    bool any;        /**< the window has one */
    uint64_t oldest; /**< issue time of the window's first one */
};

/**
 * Begins a search from where the device is for the last @p most (1 or more) accesses to @p range,
 * whose kind is WT_WATCHPOINT_WRITE or WT_WATCHPOINT_READ; `changes`: writes that leave it as it is
 * do not count. @p mask (NULL: all): the bits of each byte of the range that are looked for. The
 * target must outlive the search. On failure nothing is left to free.
 */
enum wt_status wt_touches_begin(struct wt_touches *s, const struct wt_target *target,
                                const struct wt_watchpoint *range, const uint8_t *mask, size_t most,
                                struct wt_error *err);

/**
 * Searches on for about @p budget issues. WT_HISTORY_ON: call again. WT_HISTORY_FOUND: the search
 * has ended, the list may be empty, and the device stands somewhere in the past. WT_HISTORY_FAILED:
 * *err says why.
 */
enum wt_history_step wt_touches_on(struct wt_touches *s, uint64_t budget, struct wt_error *err);

/**
 * Lists the instructions that wrote the bytes from @p addr on last, but for those whose @p mask
 * (NULL: none) is 0: seeds of what they are made of. @p list has the writes, the latest first;
 * @p seed has room for @p count. *unwritten: how many of the bytes none of them wrote. @p stored
 * (NULL: nobody asks) becomes what they stored; bytes that none of them wrote stay. WT_NO_MEMORY.
 */
enum wt_status wt_touch_seeds(const struct wt_touch *list, size_t count, struct wt_address addr,
                              uint64_t size, const uint8_t *mask, struct wt_slice_seed *seed,
                              size_t *seeds, uint64_t *unwritten, uint8_t *stored,
                              struct wt_error *err);

/** Frees the list and the rest. */
void wt_touches_free(struct wt_touches *s);

/**
 * Lists writes of the host's to [addr, addr + size) of memory that @p thread sees, which the
 * recorded run has had up to now, the latest first, @p most (1 or more) at most; *more: there may
 * be others before. None where the target does not tell.
 */
size_t wt_debugger_host_writes(struct wt_debugger *d, wt_thread thread, struct wt_address addr,
                               uint64_t size, struct wt_host_write *list, size_t most, bool *more);

/**
 * Prints the queues of the host program, one line for each command, and what commands and threads
 * wait for. With @p launches it prints only the launches that have not begun. The queues are those
 * of the present, also while the debugger is in the past. False: there was nothing to print.
 */
bool wt_debugger_host_queues(struct wt_debugger *d, bool launches, FILE *out);

#endif
