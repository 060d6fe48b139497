/* Records of cp.async.bulk (exec/bulk.c). */
#ifndef WT_EMULATOR_SM_PTX_EXEC_BULK_H
#define WT_EMULATOR_SM_PTX_EXEC_BULK_H

#include "emulator/sm/ptx/image.h"

enum { PIECE = 16 }; /* bytes that are copied at once */

/* `how` of a record. */
enum destination { TO_SHARED, TO_GLOBAL, OWN_SHARED };

#endif
