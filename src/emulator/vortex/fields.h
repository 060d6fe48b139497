/* The members of a Vortex machine that are saved, hashed and checked, as lists
 * (emulator/machine/fields.h). */
#ifndef WT_EMULATOR_VORTEX_FIELDS_H
#define WT_EMULATOR_VORTEX_FIELDS_H

#include "emulator/machine/fields.h"

/* Where the numbers of a warp's hash begin that debuggers change. */
#define VX_HASH_DEBUG 11
extern const struct wt_field vx_warp_fields[], vx_warp_end[];
/* Those of profiles with traps and a launch unit, and how many numbers of the hash they are. */
extern const struct wt_field vx_warp_later[], vx_dispatch_fields[], vx_kmu_fields[],
    vx_launch_fields[];
enum {
    VX_LATER_NUMBERS = 18,
    VX_DISPATCH_NUMBERS = 11,
    VX_KMU_NUMBERS = 9,
    VX_LAUNCH_NUMBERS = 17
};

#endif
