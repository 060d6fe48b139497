/*
 * Time travel within the kernels of a host process: the target's history service, which sends every
 * request to the process (object/travel_wire.h). The same for all families.
 */
#ifndef WT_DEBUG_PROCESS_HISTORY_H
#define WT_DEBUG_PROCESS_HISTORY_H

#include "debug/core/target.h"
#include "object/travel_wire.h"

/**
 * What the debugger knows of the recorded run. It is the first member of a family's connection, and
 * that is the context of the target's services.
 */
struct wt_process_history {
    /** The family's: sends a request and the request->size bytes at @p more that follow it; up to
     * @p room bytes that follow the answer come to @p out. WT_IO: the process has ended, or its end
     * of the connection makes no sense. */
    enum wt_status (*ask)(struct wt_process_history *history,
                          const struct wt_travel_request *request, const void *more,
                          struct wt_travel_answer *answer, void *out, size_t room,
                          struct wt_error *err);
    /** The family's: asks for the issue time. */
    enum wt_status (*ask_time)(struct wt_process_history *history, uint64_t *time,
                               struct wt_error *err);
    unsigned lanes;                /**< of the family's waves */
    uint8_t *answer;               /**< WT_TRAVEL_BYTES; NULL: nothing is to be recorded */
    struct wt_watchpoint_hit *hit; /**< of the last match, until they are taken */
    size_t hits, hit_room;
    struct wt_travel_extent extent; /**< as last told */
    uint64_t now;                   /**< as last told */
    uint64_t saved;                 /**< as last told */
    uint64_t budget;
    const char *refused; /**< why nothing is recorded, ever; NULL: it is */
    char missing[256];   /**< why nothing is recorded now */
};

/** Why nothing is recorded of a program with several GPUs. */
#define WT_PROCESS_HISTORY_SEVERAL                                                                 \
    "nothing is recorded of a program with several GPUs: what they do has no common order"

/**
 * Adds the history service to @p services. The caller has set `ask`, `ask_time` and `lanes`, and
 * has asked the process to record with @p budget bytes, unless it is @p refused (NULL: it is not).
 * wt_process_history_end() frees what is allocated. WT_NO_MEMORY.
 */
enum wt_status wt_process_history_begin(struct wt_process_history *history, uint64_t budget,
                                        const char *refused, struct wt_target_services *services,
                                        struct wt_error *err);
/** Frees what the history has allocated. */
void wt_process_history_end(struct wt_process_history *history);

#endif
