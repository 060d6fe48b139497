/*
 * Handles of OpenCL and Level Zero, for checks: what a program must release until it ends, and
 * memory that it has by address (SVM, USM).
 */
#ifndef WT_RUNTIME_OPENCL_HANDLES_H
#define WT_RUNTIME_OPENCL_HANDLES_H

#include "runtime/common/checked.h"
#include "runtime/i915/order.h"

enum drm_handle_kind {
    DRM_OBJECT, /**< the program must release it until it ends */
    DRM_QUEUE,  /**< this, too; runtimes look into it without a check */
    DRM_KERNEL, /**< they look into it, too; its program goes with it */
    DRM_SHARED, /**< others may hold it when the program has no reference left: a context, a sampler
                 */
    DRM_ANY,
};

/** The program has a handle, or memory at an address, of @p size bytes (0: it is no memory), by
 * function @p by, which tells its kind, with one reference. */
void drm_handle_made(const void *handle, uint64_t size, const char *by);
/** It has one more reference to it. */
void drm_handle_retained(const void *handle);
/** It is about to have one less; @p by: the function. */
void drm_handle_released(const void *handle, const char *by);
/** Whether a handle of this kind was made and released, and is no other one's since. */
bool drm_handle_gone(const void *handle, enum drm_handle_kind kind);
/** Finds a handle of memory that was made and not released; its address in *object is the handle's.
 */
bool drm_handle_find(const void *handle, struct wt_object *object);

/** How many bytes of memory a runtime is asked for, for a program that wants @p size: whole pages
 * where init is to know of each what the host has written (@p of_host: the program accesses it). */
uint64_t drm_memory_asked(uint64_t size, bool of_host);
/** The program has @p size bytes of memory that GPUs access at @p memory, which the runtime has
 * just given it; @p of_host: the program accesses it, too. */
void drm_memory_made(const void *memory, uint64_t size, const char *by, bool of_host);
enum drm_freed {
    DRM_MISTAKE, /**< it was reported, and nothing may be freed */
    DRM_FREE,    /**< memory is not checked: it is freed now */
    DRM_KEEP,    /**< it is kept for a while: drm_memory_keep() */
};
/** The program frees such memory, or NULL, by function @p by. */
enum drm_freed drm_memory_freed(const void *memory, const char *by);
/** The program's pointer to memory, from the address that `release` gets. */
static inline void *drm_memory_at(uint64_t address)
{
    return (void *)(intptr_t)((int64_t)(address << 16) >> 16); /* canonical */
}
/** Keeps it, and frees it by @p release then (wt_object_keep()). */
void drm_memory_keep(const void *memory, wt_object_release_fn *release, void *context);
/** How many of @p size bytes at @p memory a copy or fill of the host may access, if they are memory
 * of this kind; else all. Mistakes are reported. */
uint64_t drm_memory_access(const void *memory, uint64_t size, enum wt_access access,
                           const char *by);

/** @p size bytes at @p memory, as a command accesses them; none, if they are no memory of this
 * kind.
 */
struct drm_part drm_memory_part(const void *memory, uint64_t size);

/** The size of a local argument of a kernel, by its handle; 0: the argument is none. */
void drm_local_argument(const void *kernel, unsigned index, size_t size);
/** The kernel is new: its handle may have been another one's. */
void drm_local_forget(const void *kernel);
/** How many bytes of shared local memory a launch of the kernel asks for at most, whose variables
 * have @p size. */
uint64_t drm_local_bytes(const void *kernel, uint64_t size);

/** Reports a call that has failed, if that is checked. @p status: its name; NULL: it has none. */
void drm_call_failed(const char *by, const char *status, int number);

#endif
