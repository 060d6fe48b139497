/*
 * Breakpoint locations: what a person names (a function, a line, an address), and the loaded
 * addresses that it means now. Locations are resolved anew when modules come and go, so that a
 * breakpoint may be set before its code is loaded and survives that code's next load.
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

/** Locations that follow a list of modules. */
struct wt_locations;

/**
 * Tells that location @p id has gained or lost a loaded address. A lost address belonged to a
 * module that is gone: nothing of it is in memory any more.
 */
typedef void (*wt_location_fn)(void *context, unsigned id, uint64_t addr, bool gained);

/**
 * A set of locations on @p device that is resolved anew at each change of @p modules, which must
 * outlive it. @p told is called within that change, and within add and remove.
 */
enum wt_status wt_locations_new(struct wt_modules *modules, unsigned device, wt_location_fn told,
                                void *context, struct wt_locations **locations,
                                struct wt_error *err);
/** Frees without telling. @p locations may be NULL. */
void wt_locations_free(struct wt_locations *locations);

/** Adds the location that @p text names; it may mean no address yet. *id is never given again. */
enum wt_status wt_locations_add(struct wt_locations *locations, const char *text, unsigned *id,
                                struct wt_error *err);
/** Removes a location; its addresses are told as lost. False if there is none of that id. */
bool wt_locations_remove(struct wt_locations *locations, unsigned id);

/** The addresses of a location now; *count is 0 while it is pending or if there is none. */
const uint64_t *wt_locations_addresses(const struct wt_locations *locations, unsigned id,
                                       size_t *count);

/**
 * The error of the last resolving within a change of modules (host memory); WT_OK if there was
 * none. A location that failed keeps the addresses that it had.
 */
enum wt_status wt_locations_error(struct wt_locations *locations, struct wt_error *err);

#endif
