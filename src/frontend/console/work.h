/* Waves by what they work on: dispatches and work-groups. */
#ifndef WT_CONSOLE_WORK_H
#define WT_CONSOLE_WORK_H

#include "frontend/console/internal.h"

/** A wave, and the threads of its lanes. */
struct warp {
    struct wt_wave_info info;
    uint32_t volume;  /**< threads of its block; 0: unknown */
    uint32_t first;   /**< of these, that of its lane 0 */
    unsigned threads; /**< lanes that are threads */
    bool is_selected;
};

struct warps {
    struct warp *list;
    size_t count;
    unsigned lane; /**< the selected one */
};

/**
 * All waves with work, by dispatch, group and number in it. The caller frees warps->list.
 * WT_STATE: nothing has been started; WT_NO_MEMORY.
 */
enum wt_status work_waves(struct wt_shell *c, struct warps *warps, struct wt_error *err);
/** Whether waves are of the same dispatch. */
bool work_is_same_dispatch(const struct wt_wave *a, const struct wt_wave *b);
/** Whether waves are of the same work-group. */
bool work_is_same_group(const struct wt_wave *a, const struct wt_wave *b);
/** How many groups the dispatch of a wave has in each dimension; 0 where that is not known. */
void work_grid(const struct wt_wave *v, uint32_t grid[3]);
/**
 * The kernel of a wave's dispatch, its name as C++ has it; "?" if no wave is in the kernel itself,
 * and a wave's frames do not lead to one. Returns @p text.
 */
const char *work_kernel(struct wt_shell *c, const struct warps *warps, const struct wt_wave *v,
                        char *text, size_t size);

#endif
