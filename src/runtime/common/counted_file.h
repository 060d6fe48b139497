/* What counted.c and checked.c share: the file that the command has made, as a driver writes it. */
#ifndef WT_RUNTIME_COMMON_COUNTED_FILE_H
#define WT_RUNTIME_COMMON_COUNTED_FILE_H

#include <sys/types.h>

#include "check/memory.h"
#include "emulator/machine/core_format.h"
#include "runtime/common/checked.h"
#include "runtime/common/counted.h"

struct wt_counted_section {
    uint64_t hash, length, place;
};

/** Of a GPU. */
struct wt_counted {
    struct wt_hosted *gpu;
    struct wt_machine *machine;
    pid_t process;
    struct wt_profile *profile;     /**< NULL: nobody counts */
    struct wt_check_memory *memory; /**< NULL: memory is not checked */
    uint64_t state;                 /**< of the code that is listed */
    bool listed;
    uint64_t list;                      /**< the place of the LIST */
    struct wt_counted_section *section; /**< that the file has */
    size_t sections, section_room;
    struct wt_counted_block **numbers; /**< mapped */
    size_t blocks, block_room;
};

/** A block with room for @p length bytes, all of them 0; NULL: it is told why. The caller completes
 * and unmaps it. */
struct wt_counted_block *wt_counted_add_block(enum wt_counted_kind kind, uint64_t length,
                                              uint64_t *place);
/** It is about a GPU. */
void wt_counted_of_gpu(struct wt_counted_block *b, const struct wt_hosted *gpu);
/** From now on who reads the file finds it. */
void wt_counted_complete(struct wt_counted_block *b);
/** Adds a block of these bytes, about a GPU or none (NULL); its place, or 0. */
uint64_t wt_counted_add_bytes(enum wt_counted_kind kind, const struct wt_hosted *gpu,
                              const void *bytes, uint64_t length);
/** Maps the first page; NULL: there is no file. */
struct wt_counted_head *wt_counted_open_head(void);

#endif
