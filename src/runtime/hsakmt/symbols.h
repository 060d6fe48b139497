/*
 * Names and source lines for reports: what debug/source/symbols.h offers, in a module of its own
 * that is loaded when the first report is made. Programs that make no mistake never load libdw and
 * what it needs.
 */
#ifndef WT_RUNTIME_HSAKMT_SYMBOLS_H
#define WT_RUNTIME_HSAKMT_SYMBOLS_H

#include "debug/source/symbols.h"

/** The functions of debug/source/symbols.h; the module exports one of these. */
struct host_symbols {
    enum wt_status (*open)(const char *path, struct wt_symbols **symbols, struct wt_error *err);
    void (*close)(struct wt_symbols *symbols);
    bool (*function)(struct wt_symbols *symbols, uint64_t addr, const char **name,
                     uint64_t *offset);
    bool (*line)(struct wt_symbols *symbols, uint64_t addr, const char **file, unsigned *line);
    bool (*address)(struct wt_symbols *symbols, const char *name, uint64_t *addr);
};

/** The module's file, beside the driver's library, and the name of its struct host_symbols. */
#define HOST_SYMBOLS_FILE "libwavetrap-symbols.so"
#define HOST_SYMBOLS_NAME "wavetrap_symbols"

#endif
