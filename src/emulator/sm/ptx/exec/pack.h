/* Records of conversions to and from numbers of less than 16 bits (exec/pack.c). */
#ifndef WT_EMULATOR_SM_PTX_EXEC_PACK_H
#define WT_EMULATOR_SM_PTX_EXEC_PACK_H

#include "emulator/sm/ptx/image.h"

/* `how` of a record. */
enum how { TO_E4M3, TO_E5M2, FROM_E4M3, FROM_E5M2, TO_TF32, PACK };

PTX_EXECUTOR(ptx_op_pack_numbers);

#endif
