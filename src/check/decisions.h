/*
 * A judge's decisions in a run that is recorded. Objects come and go with the program, and stay
 * as they are when a debugger goes back in time: where the run is repeated, the judge answers as
 * it did then.
 */
#ifndef WT_CHECK_DECISIONS_H
#define WT_CHECK_DECISIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lanes.h"
#include "emulator/machine/archive.h"

/** The kind of a refusal that is no mistake of its own: of further lanes of the same question. */
enum { WT_DECISION_MORE = 0xff };

/** A refusal, or what has happened to the heap of kernels. */
struct wt_decision {
    uint64_t time;     /**< time of the issue */
    uint64_t key;      /**< key of the question */
    wt_lanes lanes;    /**< that were refused */
    uint64_t address;  /**< address of the lowest lane; of an object of the heap */
    uint64_t size;     /**< size of the access; of the object */
    uint32_t kind;     /**< enum wt_finding_kind, WT_DECISION_MORE, or: */
    bool takes, frees; /**< an object of the heap was made, or freed */
};

/** Zeros: there are none. */
struct wt_decisions {
    struct wt_decision *list; /**< by time */
    size_t count, capacity;
    size_t stale; /**< those behind `count`, up to here, are of futures that were dropped */
};

/** Adds one, which is not before the last one. Without host memory it is lost. */
void wt_decisions_add(struct wt_decisions *all, const struct wt_decision *one);
/** The first one at @p time or later: an index, `count` if there is none. */
size_t wt_decisions_at(const struct wt_decisions *all, uint64_t time);
/** Drops those at @p time and later, the last one first, and hands each to @p dropped,
 * unless that is NULL. */
void wt_decisions_drop(struct wt_decisions *all, uint64_t time,
                       void (*dropped)(void *context, const struct wt_decision *one),
                       void *context);
/** Whether the same refusal is there, or was dropped. */
bool wt_decisions_has(const struct wt_decisions *all, const struct wt_decision *one);
/** Writes the refusals to a core file, or reads them. */
void wt_decisions_archive(struct wt_decisions *all, struct wt_archive *a);
/** Frees them. */
void wt_decisions_free(struct wt_decisions *all);

#endif
