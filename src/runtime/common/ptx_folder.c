/* The folder of the cache of parsed PTX. See ptx_folder.h. */
#include "runtime/common/ptx_folder.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/private_dir.h"
#include "runtime/common/environment.h"

/* Whoever may write to the folder decides what kernels do. */
static bool is_own(const char *folder)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    struct wt_error err;
    if (wt_private_check(folder, 022, &err) == WT_OK)
        return true;
    if (!atomic_flag_test_and_set(&told))
        fprintf(stderr, "wavetrap: the cache of PTX: %s\n", err.text);
    return false;
}

bool ptx_folder_find(char folder[PATH_MAX])
{
    const char *said = getenv(PTX_FOLDER_VARIABLE);
    if (said && strcmp(said, "off") == 0)
        return false;
    if (said && *said && strcmp(said, "on") != 0)
        wt_say_once(PTX_FOLDER_NONSENSE, said);
    return wt_private_cache(folder, PATH_MAX, "ptx", WT_IGNORED) == WT_OK &&
           access(folder, W_OK | X_OK) == 0 && is_own(folder);
}

void ptx_folder_make_room(const char *folder, int64_t size)
{
    for (;;) {
        char path[PATH_MAX], oldest[PATH_MAX] = "";
        struct stat s;
        time_t when = 0;
        int64_t all = size;
        const struct dirent *entry;
        DIR *d = opendir(folder);
        while (d && (entry = readdir(d))) {
            if (entry->d_name[0] == '.' ||
                snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= PATH_MAX ||
                stat(path, &s) != 0 || !S_ISREG(s.st_mode))
                continue;
            all += s.st_size;
            if (*oldest && s.st_mtime >= when)
                continue;
            when = s.st_mtime;
            memcpy(oldest, path, sizeof path);
        }
        if (d)
            closedir(d);
        if (all <= PTX_FOLDER_BYTES || !*oldest || unlink(oldest) != 0)
            return;
    }
}

void ptx_folder_clear(void)
{
    char folder[PATH_MAX];
    if (ptx_folder_find(folder))
        ptx_folder_make_room(folder, INT64_MAX / 2);
}
