/* Files that belong to this wavetrap: in the build tree, or as installed. */
#ifndef WT_CLI_OWN_FILES_H
#define WT_CLI_OWN_FILES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Finds the first of the folders @p places (NULL ends them) that has the file @p name, readable:
 * absolute paths, or paths from the folder of the command. Writes the folder's own path to
 * @p folder; false if none has it.
 */
bool cli_own_folder(const char *const *places, const char *name, char *folder, size_t size);

#endif
