/*
 * Breakpoint locations: what a person names (a function, a line, an address), and the loaded
 * addresses that it means now.
 */
#ifndef WT_DEBUG_SOURCE_LOCATIONS_H
#define WT_DEBUG_SOURCE_LOCATIONS_H

#include "debug/source/modules.h"

enum wt_location_kind {
    WT_LOCATION_ADDRESS,  /**< "*0x80000010": this address, whatever is loaded */
    WT_LOCATION_FUNCTION, /**< "draw": behind the prologue of each function of that name */
    WT_LOCATION_LINE,     /**< "kernel.c:12": where the statement of that line begins */
};

/** A location as a person names it. */
struct wt_location {
    enum wt_location_kind kind;
    uint64_t addr;      /**< WT_LOCATION_ADDRESS */
    char *name;         /**< WT_LOCATION_FUNCTION; else NULL */
    char *file;         /**< WT_LOCATION_LINE: the path, or its last parts */
    unsigned line;      /**< WT_LOCATION_LINE: from 1 */
    char *module;       /**< only modules whose name ends so; NULL: all */
    bool past_prologue; /**< WT_LOCATION_FUNCTION: behind the prologue, else at its first address */
};

/**
 * Reads "FUNCTION", "FILE:LINE", "*ADDRESS", or one of these behind "MODULE`". A malformed one
 * gives WT_INVALID. The caller frees it by wt_location_free().
 */
enum wt_status wt_location_parse(const char *text, struct wt_location *location,
                                 struct wt_error *err);
/** Frees what wt_location_parse() has filled in. */
void wt_location_free(struct wt_location *location);

/**
 * The loaded addresses that @p location means on @p device now, each once, in ascending order.
 * There may be none. The caller frees *list.
 */
enum wt_status wt_location_resolve(const struct wt_location *location,
                                   const struct wt_modules *modules, unsigned device,
                                   uint64_t **list, size_t *count, struct wt_error *err);

#endif
