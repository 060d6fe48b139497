/*
 * Searching a recorded run (timeline.h) for watched places (watch.h), backwards from where the
 * machine is, or forwards.
 *
 * A machine only runs forwards, so the past is searched in windows, the latest first: each is run
 * through, and the last accepted place in it is the nearest one. The windows grow, since most
 * searches end near; beyond the first saved state a window is a whole interval between saved
 * states, so that a search of the whole run costs about as much as that run.
 */
#ifndef WT_EMULATOR_MACHINE_SEARCH_H
#define WT_EMULATOR_MACHINE_SEARCH_H

#include "emulator/machine/timeline.h"
#include "emulator/machine/watch.h"

enum wt_search_step {
    WT_SEARCH_ON,    /**< nothing yet: call again */
    WT_SEARCH_PLACE, /**< the machine stands at a place (`place`): accept it or not, call again */
    WT_SEARCH_FOUND, /**< backwards: the machine stands before the nearest place that was accepted;
                          forwards: behind the one that was passed */
    WT_SEARCH_EDGE,  /**< there is none: the machine stands where the recorded run begins or ends */
    WT_SEARCH_FAILED, /**< the host has no memory; the machine stands somewhere in the past */
};

struct wt_search {
    struct wt_timeline *timeline;
    struct wt_machine *machine;
    struct wt_watch *watch; /**< the caller's, until the search has ended */
    size_t watches;
    size_t code; /**< how many of them, the first ones, are EXECUTE or ISSUE */
    bool backwards;
    bool scanning; /**< in a window; else on the way to one */
    bool have_best;
    uint64_t best;             /**< issue time of the last place in this window that was accepted */
    struct wt_watch_hit place; /**< the one reported last: its first hit */
    unsigned kinds;            /**< 1 << WT_WATCH_… of all its hits */
    uint64_t low, high;        /**< the window: [low, high) */
    uint64_t from;             /**< where in it the scan goes on */
    uint64_t behind;           /**< not 0: up to this time only memory is watched, then all */
    bool restored;  /**< the caller has looked around: the place may be reported once more */
    bool pass;      /**< the search has ended there */
    uint64_t width; /**< width of the window */
};

/**
 * Begins a search from where the machine is. Backwards it is for places before now; forwards for
 * places from now on, the one that the machine may stand at included. Watches of memory come last
 * in the list. They are pinned (wt_watch_pin): what a wave sees where the search begins is what is
 * looked for.
 */
void wt_search_begin(struct wt_search *s, struct wt_timeline *timeline, struct wt_machine *machine,
                     bool backwards, struct wt_watch *watch, size_t watches);

/**
 * Searches on for about @p budget issues. After WT_SEARCH_PLACE the caller may look around
 * (wt_timeline_look). The watches of the machine are the search's meanwhile: the caller sets those
 * that it wants when the search has ended.
 */
enum wt_search_step wt_search_on(struct wt_search *s, uint64_t budget, struct wt_error *err);

/** Accepts the place that was reported last. A forward search ends with this, at that place. */
void wt_search_accept(struct wt_search *s);

/**
 * Forwards, at a place of code: accepts it, but the search ends only behind the instruction
 * (WT_SEARCH_FOUND). Its watched memory accesses are still reported first.
 */
void wt_search_pass(struct wt_search *s);

#endif
