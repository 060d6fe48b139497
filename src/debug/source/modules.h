/*
 * Modules: the loaded pieces of code of a device, with their symbols. One service answers which
 * module, function and line an address belongs to, and which addresses a name or a line has.
 * Modules come and go while a program runs; observers are told.
 */
#ifndef WT_DEBUG_SOURCE_MODULES_H
#define WT_DEBUG_SOURCE_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct wt_foreign;
struct wt_modules;

/** Never given to another module; 0 is none. */
typedef uint64_t wt_module_id;

struct wt_loading;

/** One loaded piece of code. */
struct wt_module {
    wt_module_id id;
    const char *name;           /**< its file, or what the runtime calls it; for people */
    unsigned device;            /**< the device that it is loaded on, from 0 */
    uint64_t bias;              /**< load address minus the address that its symbols have */
    uint64_t start, end;        /**< loaded addresses [start, end) of its segments */
    struct wt_symbols *symbols; /**< the module's; NULL if the file has none that can be read */
};

enum wt_module_change { WT_MODULE_ADDED, WT_MODULE_REMOVED };

/**
 * Takes notice of a change. A module that is removed is still valid during the call. Observers must
 * not add or remove modules or observers.
 */
typedef void (*wt_module_fn)(void *context, enum wt_module_change change,
                             const struct wt_module *module);

/** An empty list; NULL without host memory. */
struct wt_modules *wt_modules_new(void);

/** Removes all modules without telling observers, and frees. @p modules may be NULL. */
void wt_modules_free(struct wt_modules *modules);

/**
 * Adds the ELF file at @p path, loaded with @p bias on device @p device. The file may have no
 * symbols; one that is not ELF gives WT_INVALID. *id (may be NULL) is set on success.
 */
enum wt_status wt_modules_add_file(struct wt_modules *modules, const char *path, uint64_t bias,
                                   unsigned device, wt_module_id *id, struct wt_error *err);

/** The same for an ELF image in memory, which is copied; @p name is for people. */
enum wt_status wt_modules_add_bytes(struct wt_modules *modules, const char *name,
                                    const uint8_t *bytes, size_t length, uint64_t bias,
                                    unsigned device, wt_module_id *id, struct wt_error *err);

/**
 * Says that code of all modules is in bundles of so many bytes (a power of two), and that the first
 * @p head bytes of one are no instruction: what begins there begins behind them.
 */
void wt_modules_set_bundles(struct wt_modules *modules, unsigned bundle, unsigned head);

/** The address of the first instruction at @p addr, which is @p addr unless a bundle begins there.
 */
uint64_t wt_modules_first_instruction(const struct wt_modules *modules, uint64_t addr);

/**
 * Adds a source file that is no file: @p text, of @p length bytes, is what debug information calls
 * @p path. One of the same path takes its place. The text is copied.
 */
enum wt_status wt_modules_add_text(struct wt_modules *modules, const char *path, const char *text,
                                   size_t length, struct wt_error *err);
/** The text of such a file, and its length; NULL: there is none. Valid until the next addition. */
const char *wt_modules_text(const struct wt_modules *modules, const char *path, size_t *length);

/**
 * Whether text @p n, from 0 on, holds all that a file of the host has, from the beginning of a line
 * on: *path is what debug information calls the text, *lines is how many lines are before the
 * file's. *more: there is such a text number.
 */
bool wt_modules_text_holds(const struct wt_modules *modules, size_t n, const char *file,
                           const char **path, unsigned *lines, bool *more);

/** Says who waits for the debug information of modules, those to come, too; NULL: nobody. */
void wt_modules_set_loading(struct wt_modules *modules, const struct wt_loading *loading);

/** Removes a module; false if there is none of that id. */
bool wt_modules_remove(struct wt_modules *modules, wt_module_id id);

/** Modules in the order in which they came. The pointer is valid until the list changes. */
const struct wt_module *wt_modules_list(const struct wt_modules *modules, size_t *count);

/** Calls @p told at each change from now on. WT_NO_MEMORY is the only failure. */
enum wt_status wt_modules_observe(struct wt_modules *modules, wt_module_fn told, void *context,
                                  struct wt_error *err);
/** Takes that observer away; nothing happens if it was not there. */
void wt_modules_ignore(struct wt_modules *modules, wt_module_fn told, void *context);

/** The module that covers @p addr on @p device, the latest of several; NULL if there is none. */
const struct wt_module *wt_modules_at(const struct wt_modules *modules, unsigned device,
                                      uint64_t addr);

/** The function that holds a loaded address, and the offset into it; false if it is unknown. */
bool wt_modules_function(const struct wt_modules *modules, unsigned device, uint64_t addr,
                         const char **name, uint64_t *offset);

/** The module, the function and the module's file (@p length bytes of image) at a loaded address of
 * device 0; NULL where one of them is unknown. */
const uint8_t *wt_modules_image(const struct wt_modules *modules, uint64_t addr,
                                const struct wt_module **module, const char **function,
                                size_t *length);

/** The source line of a loaded address; false if it is unknown. */
bool wt_modules_line(const struct wt_modules *modules, unsigned device, uint64_t addr,
                     const char **file, unsigned *line);

/** Says which folders have source that is not the user's, beside those that are known (foreign.h);
 * NULL: none. They must outlive the modules. */
void wt_modules_set_foreign(struct wt_modules *modules, const struct wt_foreign *foreign);
/** These folders; @p modules may be NULL. */
const struct wt_foreign *wt_modules_foreign(const struct wt_modules *modules);

/**
 * "0x80000010 <main+16> at kernel.c:12, in g at kernel.c:20", as much of it as is known: the place
 * of a report (wt_user_calls_at). @p modules may be NULL.
 */
void wt_modules_describe(const struct wt_modules *modules, unsigned device, uint64_t addr,
                         char *text, size_t size);
/** The first line of that; false if it is unknown. */
bool wt_modules_user_line(const struct wt_modules *modules, unsigned device, uint64_t addr,
                          const char **file, unsigned *line);

/** The loaded address of a symbol in the first module of @p device that has it. */
bool wt_modules_address(const struct wt_modules *modules, unsigned device, const char *name,
                        uint64_t *addr);

#endif
