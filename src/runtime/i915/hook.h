/*
 * Intel's OpenCL runtime looks for a debugger's library, libigfxdbgxchg64.so, by its plain name.
 * Where that reports a debugger, the runtime compiles programs for debugging and gives the library
 * each program's source text, and each kernel's instructions and DWARF. hook.c is such a library;
 * it passes them on.
 */
#ifndef WT_RUNTIME_I915_HOOK_H
#define WT_RUNTIME_I915_HOOK_H

#include <stdbool.h>
#include <stddef.h>

#define WT_DRM_HOOK_LIBRARY "libigfxdbgxchg64.so"
#define WT_DRM_HOOK_TAKE "wt_drm_hook_take"

/** The receiver of what the runtime reports: code.h. */
struct drm_hook_ops {
    void (*built)(const char *name, const void *code, size_t size, const void *elf,
                  size_t elf_size);
    bool (*source)(const char *text, size_t size, char *name, size_t room);
};

/** The library's own function: before it was called, no debugger is there. */
typedef void drm_hook_take(const struct drm_hook_ops *ops);

#endif
