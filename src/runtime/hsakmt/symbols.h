/*
 * Names and source lines for reports: what debug/source/modules.h offers, in a library of its own
 * that is loaded when the first report is made. Programs that make no mistake never load libdw and
 * its dependencies.
 */
#ifndef WT_RUNTIME_HSAKMT_SYMBOLS_H
#define WT_RUNTIME_HSAKMT_SYMBOLS_H

#include "debug/source/frame_memory.h"
#include "debug/source/modules.h"

/** Functions of debug/source; the library exports one of these. `variables` lists those that the
 * function at a loaded address has in the memory of its group, or in its lanes' private memory. */
struct host_symbols {
    struct wt_modules *(*list)(void);
    void (*free)(struct wt_modules *modules);
    enum wt_status (*add_file)(struct wt_modules *modules, const char *path, uint64_t bias,
                               unsigned device, wt_module_id *id, struct wt_error *err);
    bool (*function)(const struct wt_modules *modules, unsigned device, uint64_t addr,
                     const char **name, uint64_t *offset);
    bool (*line)(const struct wt_modules *modules, unsigned device, uint64_t addr,
                 const char **file, unsigned *line);
    bool (*address)(const struct wt_modules *modules, unsigned device, const char *name,
                    uint64_t *addr);
    size_t (*variables)(const struct wt_modules *modules, uint64_t pc, bool group,
                        struct wt_memory_variable *list, size_t most);
    bool (*holds)(const struct wt_memory_variable *list, size_t count, uint64_t offset,
                  struct wt_memory_variable *v);
};

/** The library's file, beside the driver's library, and the name of its struct host_symbols. */
#define HOST_SYMBOLS_FILE "libwavetrap-symbols.so"
#define HOST_SYMBOLS_NAME "wavetrap_symbols"

#endif
