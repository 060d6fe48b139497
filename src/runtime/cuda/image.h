/* Images of modules in their forms: PTX, what our linker made, objects, cubins, fat binaries. */
#ifndef WT_RUNTIME_CUDA_IMAGE_H
#define WT_RUNTIME_CUDA_IMAGE_H

#include "runtime/cuda/gpu.h"

/** The beginning of the images that cuLinkComplete makes; "LENGTH\n" and that many bytes of PTX
 * follow, until the end or a length of 0. A program has no size for it. */
#define IMAGE_BLOB "wavetrap PTX 1\n"

typedef enum wt_status (*image_text_fn)(void *context, const char *name, const char *text,
                                        size_t length, struct wt_error *err);

/** Whether an image is a fat binary, or the structure that points to one. */
bool image_is_fat(const void *image);

/**
 * Adds an image of @p available bytes (SIZE_MAX: it says its own size, as CUDA's functions have
 * it) to an empty module. Other results than CUDA_SUCCESS come with a message: 200 for what is
 * damaged or no image, 209 where it is for other GPUs, 218 for mistakes in PTX, 222 for
 * a newer one than CUDA 13.0's, 2.
 */
CUresult image_add(const struct gpu *g, struct gpu_module *m, const void *image, size_t available,
                   struct wt_error *err);

/** Whether PTX is of a later version than the driver says that it takes; with a message. */
bool image_is_too_new(const char *name, const char *text, size_t length, struct wt_error *err);

/** Calls @p add for each text of an image for the linker; machine code gives WT_UNSUPPORTED. */
enum wt_status image_each_text(const struct gpu *g, const void *image, size_t available,
                               const char *name, image_text_fn add, void *context,
                               struct wt_error *err);

/**
 * The parsed texts of an image that a linker's state has made (linker.c); NULL: no state that
 * exists has made it. The caller holds the lock.
 */
const struct gpu_module *linker_module(const void *image);

/** Variables of a module whose addresses the program says. */
struct image_symbols {
    const char *const *name;
    void *const *address;
    unsigned count;
};

/** Finds the variables with addresses among the options of a call. */
void image_find_symbols(unsigned count, const CUjit_option *options, void **values,
                        struct image_symbols *symbols);
/**
 * Adds a text that says where the variables are to a module with its images; names of none of its
 * variables are left out by the linker. WT_INVALID: a name that is none; WT_UNSUPPORTED: a variable
 * of machine code.
 */
enum wt_status image_add_symbols(struct gpu_module *m, const struct image_symbols *symbols,
                                 struct wt_error *err);

#endif
