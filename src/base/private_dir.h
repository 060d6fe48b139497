/* The folder of the user's own in which host programs leave the sockets by which they are debugged.
 */
#ifndef WT_BASE_PRIVATE_DIR_H
#define WT_BASE_PRIVATE_DIR_H

#include <stddef.h>

#include "wavetrap/error.h"

/**
 * The folder's path: $WAVETRAP_SOCKETS, or "wavetrap" in $XDG_RUNTIME_DIR, or /tmp/wavetrap-UID. It
 * is made if it is not there. WT_IO if it is not the user's own alone: others could listen in.
 */
enum wt_status wt_private_dir(char *path, size_t size, struct wt_error *err);

/**
 * The path of the socket of process @p pid in it: "PID.KIND". The kind says which debuggers
 * understand what is said there: "gpu" of gfx900, "sm".
 */
enum wt_status wt_private_socket(char *path, size_t size, int pid, const char *kind,
                                 struct wt_error *err);

#endif
