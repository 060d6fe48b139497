/*
 * Code objects for AMD GPUs in other files: programs and libraries of the host (HIP's fat binaries,
 * the images of OpenMP and OpenACC by clang and GCC), bundles of clang's. In every
 * container each is a whole ELF file, so that it is found by its header.
 */
#ifndef WT_OBJECT_CONTAINED_H
#define WT_OBJECT_CONTAINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/gcn_target.h"

/** A code object in a file's bytes. */
struct gcn_contained {
    const uint8_t *bytes;
    size_t size;
    char target[40]; /**< "gfx900", "gfx906:xnack-", by its flags */
    bool usable;     /**< the target runs it */
};

/**
 * Finds the next code object at or after *at, which moves to its end; begin with 0. @p target: the
 * GPU that is asked about. False when there is none. A file that is a code object itself contains
 * one.
 */
bool gcn_contained_next(const uint8_t *bytes, size_t length, const struct gcn_target *target,
                        size_t *at, struct gcn_contained *found);
/** Lists the targets of the code objects that there are, "gfx906, gfx1030", each once. False: there
 * are none, or @p target runs one of them. */
bool gcn_contained_list(const uint8_t *bytes, size_t length, const struct gcn_target *target,
                        char *held, size_t size);

#endif
