/* The folder of the user's own in which host programs leave the sockets by which they are debugged.
 */
#ifndef WT_BASE_PRIVATE_DIR_H
#define WT_BASE_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

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

/**
 * WT_IO, and a sentence, if the folder at @p path is another user's, a link, or has one of the
 * permissions @p others (of S_IRWXG | S_IRWXO): others could change what is in it.
 */
enum wt_status wt_private_check(const char *path, unsigned others, struct wt_error *err);

/** WT_INVALID: somebody else could have written the file, or put another one in its place. */
enum wt_status wt_private_file(const char *path, struct wt_error *err);

/**
 * The folder @p name of wavetrap's in the user's cache: $XDG_CACHE_HOME/wavetrap/NAME, or
 * ~/.cache/wavetrap/NAME. It is made if it is not there. WT_UNSUPPORTED: neither variable names a
 * folder, or the path is too long; WT_IO: it cannot be made. See wt_private_check() for its owner.
 */
enum wt_status wt_private_cache(char *path, size_t size, const char *name, struct wt_error *err);

/** $TMPDIR, unless wt_temporary_check() has something against it, or /tmp. */
const char *wt_temporary_folder(void);
/** WT_IO, and a sentence, if users other than this one, root and the owner of "/" (as whom a user
 * namespace without root shows root) could put another file in place of one in @p folder: a folder
 * on the way to it is theirs, or theirs to write to without the sticky bit, or a link on it is
 * theirs. As sshd judges the way to authorized_keys. */
enum wt_status wt_temporary_check(const char *folder, struct wt_error *err);

/** A template for mkdtemp() in $TMPDIR, or /tmp, that wt_private_sweep() knows: the folder's owner
 * is this process. False: it does not fit. */
bool wt_private_temporary(char *path, size_t size);

/**
 * Removes what processes of this user that have ended have left behind: sockets in the folder of
 * sockets that nobody listens at, and folders of wt_private_temporary().
 */
void wt_private_sweep(void);

/** Removes a folder and all that is in it. */
void wt_private_remove(const char *path);

#endif
