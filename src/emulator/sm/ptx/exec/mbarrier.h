/* Records of barriers in shared memory (exec/mbarrier.c). */
#ifndef WT_EMULATOR_SM_PTX_EXEC_MBARRIER_H
#define WT_EMULATOR_SM_PTX_EXEC_MBARRIER_H

#include "emulator/sm/ptx/image.h"

/* `how` of a record. */
enum mbarrier_operation { INIT, INVALIDATE, ARRIVE, DROP, EXPECT, COMPLETE, TEST, TEST_PARITY };

PTX_EXECUTOR(ptx_op_pending_count);

#endif
