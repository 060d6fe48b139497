/* Special registers of PTX (manual 10). */
#ifndef WT_EMULATOR_SM_PTX_SPECIAL_H
#define WT_EMULATOR_SM_PTX_SPECIAL_H

enum ptx_special {
#define S(name, bytes) PTX_SR_##name,
#include "emulator/sm/ptx/special.def"
#undef S
    PTX_SR_COUNT
};

#endif
