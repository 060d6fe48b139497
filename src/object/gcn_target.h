/* The AMD GPU that a file's code is for (LLVM, "User Guide for AMDGPU Backend"). */
#ifndef WT_OBJECT_GCN_TARGET_H
#define WT_OBJECT_GCN_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether a GPU's instructions may be repeated after page faults (XNACK). */
enum gcn_xnack {
    GCN_XNACK_OFF,
    GCN_XNACK_ON,
    GCN_XNACK_EITHER, /**< as each process chooses */
};

/** A GPU by what code objects and bundles call it. */
struct gcn_target {
    const char *name; /**< the processor: "gfx900" */
    uint8_t machine;  /**< EF_AMDGPU_MACH: e_flags[7:0] */
    uint8_t generic;  /**< that of generic code which it runs, too; 0: none */
    uint8_t lanes;    /**< lanes of a wave */
    uint8_t xnack;    /**< enum gcn_xnack */
    bool sramecc;     /**< its memories correct errors; a GPU without says nothing of that */
};

/**
 * Whether code of these features, as ":sramecc+:xnack-", runs on the GPU. A feature that is not
 * named may be either.
 */
bool gcn_target_takes(const struct gcn_target *target, const char *features, size_t length);

/** The processor of a number of EF_AMDGPU_MACH; NULL: it is not known. */
const char *gcn_machine_name(unsigned machine);

#endif
