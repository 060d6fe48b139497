/* What files say of the AMD GPU that their code is for (LLVM, "User Guide for AMDGPU Backend"). */
#ifndef WT_OBJECT_GCN_TARGET_H
#define WT_OBJECT_GCN_TARGET_H

#include <stdbool.h>
#include <stdint.h>

/** A GPU by what code objects and bundles call it. */
struct gcn_target {
    const char *name; /**< the processor: "gfx900" */
    uint8_t machine;  /**< EF_AMDGPU_MACH: e_flags[7:0] */
    uint8_t generic;  /**< that of generic code which it runs, too; 0: none */
    uint8_t lanes;    /**< of a wave */
    bool sramecc;     /**< its memories correct errors; a GPU without says nothing of that */
};

#endif
