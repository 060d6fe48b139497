/* Files that belong to this wavetrap: in the build tree, or as installed. */
#ifndef WT_TARGET_OWN_FILES_H
#define WT_TARGET_OWN_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "target/family.h"

/**
 * Finds the first of the folders @p places (NULL ends them) that has the file @p name, readable:
 * absolute paths, or paths from the folder of the command. Writes the folder's own path to
 * @p folder; false if none has it.
 */
bool wt_own_folder(const char *const *places, const char *name, char *folder, size_t size);

/** The folder of the library by which host programs reach a family's driver; false if this build
 * left it out, or the family has none. */
bool wt_own_driver(const struct wt_family *family, char *folder, size_t size);

#endif
