/*
 * Breakpoints of a debugger that the process judges itself: what their code says of waves that
 * arrive, and what of that the debugger has yet to hear. Their traps in memory are armed.h's.
 *
 * The device is taken for all of it, but for live_has_news() and live_last().
 */
#ifndef WT_RUNTIME_COMMON_LIVE_H
#define WT_RUNTIME_COMMON_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "emulator/machine/condition.h"
#include "object/live_wire.h"

struct wt_watch;
struct wt_watch_hit;
struct live_points;

/** A breakpoint, or code of a condition of watched memory, of which wire.addr is the number. */
struct live_place {
    struct wt_wire_live wire;
    struct wt_condition *condition;
    struct live_points *live; /**< where what it prints goes */
    bool armed;
    bool decided;  /**< the last arrival was evaluated here */
    wt_lanes stop; /**< … and the lanes for which it wants to stop */
};

/** A condition of watched memory, for the machine's judging. */
struct live_rule {
    struct live_points *live;
    uint64_t number;
};

/** A wave that the trap was written for. */
struct live_arrival {
    uint64_t id, pc;
    struct wt_wire_arrived told;
};

/** Zeros: there are none. */
struct live_points {
    struct live_place *place;
    size_t places; /**< breakpoints … */
    size_t all;    /**< … and conditions, after them */
    struct live_arrival *arrival;
    size_t arrivals, arrival_room;
    struct wt_condition_counts *counts; /**< … of all of them */
    struct wt_buffer counted;           /**< struct wt_condition_count, of those before */
    struct wt_buffer text;              /**< that was printed */
    _Atomic bool has_news;
    _Atomic bool locked; /**< while what the debugger has yet to hear changes */
};

/** Answers WT_WIRE_ARRIVED: what is known of wave @p id at @p pc, which is forgotten. */
bool live_arrived(struct live_points *live, uint64_t id, uint64_t pc, struct wt_wire_arrived *told);
/** Whether live_news() has something; any thread may ask. */
bool live_has_news(struct live_points *live);
/** Answers WT_WIRE_LIVE_NEWS in at most @p room bytes; *more: there is more. Returns the bytes. */
size_t live_news(struct live_points *live, uint8_t *bytes, size_t room, bool *more);

/** All of that, as the process ends; NULL: there is nothing. The caller frees it. */
uint8_t *live_last(struct live_points *live, size_t *size);
/** Takes printed text; @p context is the structure. */
void live_print(void *context, const char *text, size_t length);
/** Notes that a wave has arrived at a breakpoint that wants to stop it. Where that was not decided,
 * or host memory is short, the debugger evaluates. */
void live_note(struct live_points *live, const struct live_place *place,
               const struct wt_watch_hit *hit);
/** The device has come to another time. */
void live_moved(struct live_points *live);
/** Frees the breakpoints, conditions and counters of @p live, and moves those of @p new, which are
 * in host memory, to @p live. */
void live_replace(struct live_points *live, const struct live_points *new);
/** Appends a watch for each that is armed to @p to, which has room for live->places. */
size_t live_watches(const struct live_points *live, struct wt_watch *to);
/** The condition of a watch (wt_watch_holds_fn); @p context is a struct live_rule. Without code for
 * @p pc all lanes count: the debugger evaluates. */
wt_lanes live_rule_holds(void *context, struct wt_machine *m, uint32_t wave, uint64_t pc,
                         wt_lanes mask, uint64_t time);
/** Frees what it has, without a word to the machine. */
void live_forget(struct live_points *live);

#endif
