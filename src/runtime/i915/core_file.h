/* Core files of an emulated GPU in its program's process. */
#ifndef WT_RUNTIME_I915_CORE_FILE_H
#define WT_RUNTIME_I915_CORE_FILE_H

#include "emulator/gen/gen.h"
#include "runtime/common/host_core.h"

/** How a GPU's state and its program's kernels are written; the context is a struct drm_debugged,
 * which has a walk under way. */
extern const struct wt_host_core_ops drm_core_ops;

struct drm_debugged;
struct gen_wire_kernel;

/** The whole of a kernel's ELF file, or one that is made, which the caller frees; NULL without host
 * memory. */
uint8_t *drm_kernel_elf(const struct drm_debugged *debugged, const struct gen_wire_kernel *kernel,
                        size_t *length);

#endif
