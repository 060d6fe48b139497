/* A cache on disk of parsed PTX and of results of AMD's compiler. See code_cache.h. */
#include "runtime/common/code_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
        fprintf(stderr, "wavetrap: the cache of code: %s\n", err.text);
    return false;
}

bool code_cache_is_value(const char *value)
{
    return !*value || *value == '/' || strcmp(value, "on") == 0 || strcmp(value, "off") == 0;
}

static bool find_folder(char folder[PATH_MAX])
{
    const char *said = getenv(CODE_CACHE_VARIABLE);
    if (said && strcmp(said, "off") == 0)
        return false;
    if (said && !code_cache_is_value(said))
        wt_say_once(CODE_CACHE_NONSENSE, said);
    if (said && *said == '/') {
        if (snprintf(folder, PATH_MAX, "%s", said) >= PATH_MAX)
            return false;
        mkdir(folder, 0700);
    } else if (wt_private_cache(folder, PATH_MAX, "code", WT_IGNORED) != WT_OK) {
        return false;
    }
    return access(folder, W_OK | X_OK) == 0 && is_own(folder);
}

bool code_cache_path(char path[PATH_MAX], XXH128_hash_t key)
{
    if (!find_folder(path))
        return false;
    const size_t length = strlen(path);
    return snprintf(path + length, PATH_MAX - length, "/%016" PRIx64 "%016" PRIx64,
                    (uint64_t)key.high64, (uint64_t)key.low64) < (int)(PATH_MAX - length);
}

/* Removes the files that were not used for the longest time until those left and another one of
 * `size` bytes are within CODE_CACHE_BYTES. */
static void make_room(const char *folder, int64_t size)
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
        if (all <= CODE_CACHE_BYTES || !*oldest || unlink(oldest) != 0)
            return;
    }
}

void code_cache_clear(void)
{
    char folder[PATH_MAX];
    if (find_folder(folder))
        make_room(folder, INT64_MAX / 2);
}

const uint8_t *code_cache_map(const char *path, size_t *length)
{
    struct stat s;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    const bool whole = fstat(fd, &s) == 0 && s.st_size > 0 && s.st_size <= CODE_CACHE_BYTES;
    const void *bytes =
        whole ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0)
              : MAP_FAILED;
    close(fd);
    *length = whole ? (size_t)s.st_size : 0;
    return bytes == MAP_FAILED ? NULL : bytes;
}

void code_cache_used(const char *path, bool good)
{
    if (good)
        utimensat(AT_FDCWD, path, NULL, 0);
    else
        unlink(path);
}

void code_cache_write(const char *path, const uint8_t *bytes, size_t length)
{
    char draft[PATH_MAX], folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (length > (size_t)CODE_CACHE_BYTES / 4 ||
        snprintf(draft, sizeof draft, "%s/draft-XXXXXX", folder) >= PATH_MAX)
        return;
    make_room(folder, (int64_t)length);
    const int fd = mkstemp(draft);
    const bool whole = fd >= 0 && write(fd, bytes, length) == (ssize_t)length;
    if (fd >= 0 && (close(fd) != 0 || !whole || rename(draft, path) != 0))
        unlink(draft);
}

struct build {
    uintptr_t address;
    uint64_t hash;
};

static int add_build(struct dl_phdr_info *info, size_t size, void *context)
{
    struct build *b = context;
    bool is_it = false;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        is_it |= info->dlpi_phdr[i].p_type == PT_LOAD &&
                 b->address - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) <
                     info->dlpi_phdr[i].p_memsz;
    for (unsigned i = 0; is_it && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            b->hash =
                XXH3_64bits_withSeed((const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                                     info->dlpi_phdr[i].p_filesz, b->hash);
    return is_it;
}

uint64_t code_cache_build(const void *address, uint64_t seed)
{
    struct build b = {(uintptr_t)address, seed};
    dl_iterate_phdr(add_build, &b);
    return b.hash;
}
