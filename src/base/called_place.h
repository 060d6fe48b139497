/* A place of code with the calls that it is in. */
#ifndef WT_BASE_CALLED_PLACE_H
#define WT_BASE_CALLED_PLACE_H

#include <stdint.h>

/** A loaded address of code, and where the calls come back to that it is in, the innermost first; a
 * return address of 0 ends them. */
struct wt_called_place {
    uint64_t pc;
    const uint64_t *back;
    unsigned depth;  /**< entries of `back` */
    unsigned device; /**< on which the code is loaded, from 0 */
};

#endif
