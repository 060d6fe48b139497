/* What files say of the AMD GPU that their code is for (LLVM, "User Guide for AMDGPU Backend"). */
#ifndef WT_OBJECT_GCN_TARGET_H
#define WT_OBJECT_GCN_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A GPU by what code objects and bundles call it. */
struct gcn_target {
    const char *name; /**< the processor: "gfx900" */
    uint8_t machine;  /**< EF_AMDGPU_MACH: e_flags[7:0] */
    uint8_t generic;  /**< that of generic code which it runs, too; 0: none */
    uint8_t lanes;    /**< of a wave */
    bool sramecc;     /**< its memories correct errors; a GPU without says nothing of that */
};

/**
 * Whether code of these features, as ":sramecc+:xnack-", runs on the GPU. A feature that is not
 * named may be either; XNACK is off.
 */
bool gcn_target_takes(const struct gcn_target *target, const char *features, size_t length);

/** The processor of a number of EF_AMDGPU_MACH; NULL: it is not known. */
const char *gcn_machine_name(unsigned machine);

#endif
