/* Source that is not the user's: headers of systems, compilers and runtimes, and wavetrap's own. */
#ifndef WT_BASE_FOREIGN_H
#define WT_BASE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/** Folders of such source that the user has added. {0}: none. */
struct wt_foreign {
    char **folder;
    size_t count, capacity;
};

/** Whether a file is in one of the folders that are known, or of @p more (NULL: none). A path of
 * NULL is in none. */
bool wt_is_foreign(const struct wt_foreign *more, const char *path);
/** Folder number @p i, from 0 on: those that are known, then those of @p more; NULL: there are no
 * more. One that does not begin with "/" is a part of a path. */
const char *wt_foreign_folder(const struct wt_foreign *more, size_t i);
/** Adds a folder, a path of the debug information; WT_NO_MEMORY is the only failure. */
enum wt_status wt_foreign_add(struct wt_foreign *more, const char *folder, struct wt_error *err);
/** Frees the folders that were added. */
void wt_foreign_free(struct wt_foreign *more);

#endif
