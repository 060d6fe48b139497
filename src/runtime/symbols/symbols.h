/*
 * Names, source lines and variables for the runtimes' drivers: what debug/source offers, in a
 * library of its own that is loaded when it is asked first. Programs that make no mistake never
 * load libdw and its dependencies.
 */
#ifndef WT_RUNTIME_SYMBOLS_SYMBOLS_H
#define WT_RUNTIME_SYMBOLS_SYMBOLS_H

#include "debug/source/described.h"
#include "debug/source/frame_memory.h"
#include "debug/source/modules.h"

/** Functions of debug/source; the library exports one of these. */
struct symbols {
    struct wt_modules *(*list)(void);
    void (*free)(struct wt_modules *modules);
    enum wt_status (*add_file)(struct wt_modules *modules, const char *path, uint64_t bias,
                               unsigned device, wt_module_id *id, struct wt_error *err);
    enum wt_status (*add_bytes)(struct wt_modules *modules, const char *name, const uint8_t *bytes,
                                size_t length, uint64_t bias, unsigned device, wt_module_id *id,
                                struct wt_error *err);
    /** Describes a place (wt_described_place); false: it is in no function. */
    bool (*describe)(const struct wt_modules *modules, const struct wt_called_place *place,
                     char *text, size_t size);
    bool (*address)(const struct wt_modules *modules, unsigned device, const char *name,
                    uint64_t *addr);
    /** Finds the variable at a place that the function at a loaded address has (frame_memory.h). */
    bool (*variable)(const struct wt_modules *modules, uint64_t pc,
                     const struct wt_own_place *place, struct wt_memory_variable *v);
    /** Lists the constants that the function at a loaded address uses (frame_memory.h). */
    size_t (*constants)(const struct wt_modules *modules, uint64_t pc,
                        struct wt_constant_variable *list, size_t most);
};

/** The functions. NULL: the library cannot be loaded, which is said on stderr. Any thread may call
 * it. */
const struct symbols *symbols_of(void);

#endif
