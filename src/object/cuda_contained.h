/*
 * Code for NVIDIA's GPUs in other files, that is programs and libraries of the host: fat binaries
 * of CUDA C++, ELF files of OpenMP by clang, and texts of PTX, as GCC's offloading and many
 * programs have them among their data.
 */
#ifndef WT_OBJECT_CUDA_CONTAINED_H
#define WT_OBJECT_CUDA_CONTAINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cuda_contained_kind {
    CUDA_CONTAINED_TEXT,   /**< PTX; a NUL or the file's end follows it */
    CUDA_CONTAINED_ELF,    /**< a cubin, or an object of PTX (ptx_object.h) */
    CUDA_CONTAINED_FATBIN, /**< cuda_fatbin.h */
};

/** An image in a file's bytes. */
struct cuda_contained {
    enum cuda_contained_kind kind;
    const uint8_t *bytes;
    size_t size;
};

/**
 * Finds the next image at or behind *at, which moves behind it; begin with 0. False when there is
 * none. What a fat binary contains is not told again.
 */
bool cuda_contained_next(const uint8_t *bytes, size_t length, size_t *at,
                         struct cuda_contained *found);

#endif
