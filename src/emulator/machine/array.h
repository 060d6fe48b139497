/* The addresses from which accesses count elements, for judges: what the family has found out about
 * an instruction, which the judge keeps. */
#ifndef WT_EMULATOR_MACHINE_ARRAY_H
#define WT_EMULATOR_MACHINE_ARRAY_H

#include <stdint.h>

enum wt_array_how {
    WT_ARRAY_UNKNOWN, /**< it has not been looked at */
    WT_ARRAY_NONE,    /**< nothing is known */
    WT_ARRAY_BASE,    /**< a register has the address */
    WT_ARRAY_INDEX,   /**< a register has what was added to it */
};

struct wt_array_access {
    uint8_t how;  /**< enum wt_array_how */
    uint16_t reg; /**< the family's number */
};

#endif
