/* A place of code with the calls that it is in. */
#ifndef WT_BASE_CALLED_PLACE_H
#define WT_BASE_CALLED_PLACE_H

#include <stdint.h>

#include "base/fault.h"

/** A loaded address of code, and where the calls come back to that it is in, the innermost first; a
 * return address of 0 ends them. */
struct wt_called_place {
    uint64_t pc;
    const uint64_t *back;
    unsigned depth;  /**< entries of `back` */
    unsigned device; /**< on which the code is loaded, from 0 */
};

/** An address of code in these calls, which must live as long. */
static inline struct wt_called_place wt_place_in_calls(uint64_t pc, const struct wt_calls *calls)
{
    return (struct wt_called_place){.pc = pc, .back = calls->back, .depth = calls->count};
}

#endif
