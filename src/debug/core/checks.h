/*
 * The checks of the program that is debugged, as its starter offers them to front ends: the
 * mistakes that were found, and the program's memory objects. The debugger stops before mistakes by
 * watchpoints of kind WT_WATCHPOINT_MISTAKE.
 */
#ifndef WT_DEBUG_CORE_CHECKS_H
#define WT_DEBUG_CORE_CHECKS_H

#include <limits.h>
#include <stdio.h>

#include "debug/core/debugger.h"

/** Where a finding is; wave WT_NO_WAVE: no kernel made it. */
struct wt_check_place {
    uint64_t time; /**< issue time before the access */
    wt_wave_id wave;
    unsigned lane;       /**< the lowest of */
    wt_lanes lanes;      /**< those that make the access */
    const char *access;  /**< "store", "load", "atomic"; NULL: it is about none */
    unsigned line;       /**< 0: not known */
    char function[256];  /**< "": not known */
    char file[PATH_MAX]; /**< likewise */
};

/** The operations take the context. */
struct wt_checks {
    /** The name of a kind of mistakes of kernels, from 0 on; "": it is not looked for, or nothing
     * can stop at it; NULL: there are no more. */
    const char *(*kind)(void *context, unsigned kind);
    /** Writes what the mistake of a stop is. False: nobody wants to hear of it. */
    bool (*describe)(void *context, const struct wt_event *event, char *text, size_t size);
    /**
     * Prints the findings so far, a line each, or only @p races; or the one of number @p number,
     * from 1, whole;
     * @p place, which has two, becomes its place, and that of the other access of a race (time 0
     * and wave WT_NO_WAVE: there is none). @p out NULL: nothing is printed. WT_INVALID: there is
     * none of that number.
     */
    enum wt_status (*print)(void *context, FILE *out, uint64_t number, bool races,
                            struct wt_check_place *place, struct wt_error *err);
    /** The number of findings so far. */
    uint64_t (*count)(void *context);
    /** Prints calls of the host, a line each, the innermost first. */
    void (*print_calls)(void *context, FILE *out, const uint64_t *calls, unsigned depth);
    void *context;
};

/** The questions of a front end about an allocation. */
enum wt_allocation_of { WT_ALLOCATION, WT_WHO_ALLOCATED, WT_WHO_FREED };

/**
 * Prints the program's memory object at an address that @p thread sees, or the nearest ones: its
 * size and who made and freed it, as far as @p what asks for that. @p checks: who knows the calls;
 * NULL: nobody does.
 */
enum wt_status wt_checks_print_object(struct wt_debugger *d, const struct wt_checks *checks,
                                      wt_thread thread, struct wt_address addr,
                                      enum wt_allocation_of what, FILE *out, struct wt_error *err);

/**
 * What the check of uninitialised values knows of a value of a stopped thread's wave, as it is now,
 * or was then: @p request has all but the wave and, for memory, which is at @p addr, the address.
 * WT_STATE: the check has no answer; *err says the reason and what the user can do.
 */
enum wt_status wt_debugger_defined(struct wt_debugger *d, wt_thread thread, struct wt_address addr,
                                   const struct wt_defined_request *request,
                                   struct wt_defined_view *view, struct wt_error *err);

/** Prints who made a memory object, which may have been freed since. */
void wt_checks_print_made(FILE *out, const struct wt_checks *checks,
                          const struct wt_object_view *object);

/** The error of commands that are about checks where @p checks is NULL: nothing is checked. */
enum wt_status wt_checks_need(const struct wt_checks *checks, struct wt_error *err);
/** The kinds of mistakes that a name means, as bits; "": all. WT_INVALID, WT_STATE: no accesses are
 * checked. */
enum wt_status wt_checks_kinds(const struct wt_checks *checks, const char *name, uint64_t *kinds,
                               struct wt_error *err);

/** Whether there are more findings than @p told, which becomes their number; @p text is the line
 * that says so at a stop. @p checks may be NULL. */
bool wt_checks_news(const struct wt_checks *checks, uint64_t *told, char *text, size_t size);
/** Of the findings of kernels before issue time @p time the last one's number; 0: there is none.
 * @p checks may be NULL. */
uint64_t wt_checks_before(const struct wt_checks *checks, uint64_t time);
/** The error of a way to issue time @p to, which is not recorded; @p finding: it is that of one. */
enum wt_status wt_checks_not_recorded(const struct wt_debugger_time *time, uint64_t to,
                                      bool finding, struct wt_error *err);

#endif
