/*
 * Time travel within the kernels of a host process: the target's history service, which sends every
 * request to the process (object/travel_wire.h). The same for all families.
 */
#ifndef WT_DEBUG_PROCESS_HISTORY_H
#define WT_DEBUG_PROCESS_HISTORY_H

#include "debug/core/target.h"
#include "object/travel_wire.h"

struct wt_process_link;

/**
 * What the debugger knows of the recorded run. It is the first member of a link, which is the
 * context of the target's services.
 */
struct wt_process_history {
    unsigned lanes;                /**< of the family's waves; set before it begins */
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

/**
 * Has the process of a link record its kernels, which takes one GPU, and adds the history service
 * to @p services. @p lanes: of the family's waves, at most. wt_process_history_end() frees what is
 * allocated. WT_NO_MEMORY, here or in the process; WT_IO.
 */
enum wt_status wt_process_history_begin(struct wt_process_link *link, unsigned lanes,
                                        uint64_t budget, struct wt_target_services *services,
                                        struct wt_error *err);
/** Frees what the history has allocated. */
void wt_process_history_end(struct wt_process_history *history);

#endif
