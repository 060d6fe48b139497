/* Files and folders of a test, in its temporary folder: TMPDIR, or /tmp. */
#ifndef WT_TESTS_UNIT_TEMPORARY_H
#define WT_TESTS_UNIT_TEMPORARY_H

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEMPORARY_PATH = 64 }; /* bytes that a path has room for; sockets have 108 */

static inline void temporary_name(char path[TEMPORARY_PATH])
{
    const char *folder = getenv("TMPDIR");
    const int length = snprintf(path, TEMPORARY_PATH, "%s/wt-XXXXXX", folder ? folder : "/tmp");
    assert(length > 0 && length < TEMPORARY_PATH);
}

/** Makes an empty file; its descriptor. */
static inline int temporary_file(char path[TEMPORARY_PATH])
{
    temporary_name(path);
    return mkstemp(path);
}

/** Makes a folder; false: it could not be made. */
static inline bool temporary_folder(char path[TEMPORARY_PATH])
{
    temporary_name(path);
    return mkdtemp(path);
}

#endif
