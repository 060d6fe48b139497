/* See llvm.h. */
#include "base/llvm.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

void wt_llvm_text(char *to, size_t size, const char *text, unsigned version)
{
    size_t used = 0;
    assert(size);
    for (to[0] = 0; *text && used + 1 < size; text++)
        used += (size_t)(*text == '#' ? snprintf(to + used, size - used, "%u", version)
                                      : snprintf(to + used, size - used, "%c", *text));
}

/* Whether a file of this name (@p length bytes) is there: a command, or one with a path. */
static bool is_there(const char *name, size_t length)
{
    char own[PATH_MAX], path[PATH_MAX];
    if (snprintf(own, sizeof own, "%.*s", (int)length, name) >= (int)sizeof own)
        return false;
    return strchr(own, '/') ? access(own, R_OK) == 0
                            : wt_file_in_folders(getenv("PATH"), own, X_OK, path, sizeof path);
}

static bool has_all(const char *files)
{
    for (size_t length; *files; files += length + (files[length] != 0)) {
        length = strcspn(files, " ,");
        if (length && !is_there(files, length))
            return false;
    }
    return true;
}

unsigned wt_llvm_newest(const char *files)
{
    char names[1024];
    for (unsigned version = WT_LLVM_LAST; version >= WT_LLVM_OLDEST; version--) {
        wt_llvm_text(names, sizeof names, files, version);
        if (has_all(names))
            return version;
    }
    return 0;
}
