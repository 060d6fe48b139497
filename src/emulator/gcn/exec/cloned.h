/* How loops over lanes are compiled. */
#ifndef WT_EMULATOR_GCN_EXEC_CLONED_H
#define WT_EMULATOR_GCN_EXEC_CLONED_H

#include "emulator/gcn/isa.h"

/* A function that on x86-64 is compiled twice, for hosts with and without AVX2 and FMA; the results
 * are the same. (Sanitizers start too late for what chooses between them.) */
#ifdef GCN_CLONES
#define CLONED __attribute__((target_clones("arch=x86-64-v3", "default"))) void
#else
#define CLONED void
#endif

/* Each lane depends on itself alone; a result may lie where a source was. */
#define LANES _Pragma("GCC ivdep") for (unsigned i = 0; i < GCN_LANES; i++)

#endif
