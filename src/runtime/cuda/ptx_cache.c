/*
 * The cache of parsed PTX. Whatever goes wrong with it, the text is parsed: a file that is damaged
 * or of another build does not fit (ptx_restore), one that cannot be written is not there.
 */
#include "runtime/cuda/ptx_cache.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "object/ptx_store.h"
#include "runtime/common/ptx_folder.h"

enum { LEAST_TEXT = 4096 }; /* a shorter one is parsed faster than a file is opened */

/* Writes a file as a whole: whoever reads it meanwhile finds the old one, or none. */
static void write_entry(const char *folder, const char *path, const struct ptx_module *module)
{
    uint8_t *bytes;
    size_t length;
    char draft[PATH_MAX];
    if (!ptx_store(module, &bytes, &length))
        return;
    if (length <= (size_t)PTX_FOLDER_BYTES / 4 &&
        snprintf(draft, sizeof draft, "%s/draft-XXXXXX", folder) < PATH_MAX) {
        ptx_folder_make_room(folder, (int64_t)length);
        const int fd = mkstemp(draft);
        const bool whole = fd >= 0 && write(fd, bytes, length) == (ssize_t)length;
        if (fd >= 0 && (close(fd) != 0 || !whole || rename(draft, path) != 0))
            unlink(draft);
    }
    free(bytes);
}

/* The build that this library is of: its build id, so that no build reads what another one wrote.
 */
static int add_build(struct dl_phdr_info *info, size_t size, void *context)
{
    uint64_t *hash = context;
    const uintptr_t here = (uintptr_t)&ptx_cache_parse;
    bool own = false;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        own |= info->dlpi_phdr[i].p_type == PT_LOAD &&
               here - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) < info->dlpi_phdr[i].p_memsz;
    for (unsigned i = 0; own && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            *hash =
                XXH3_64bits_withSeed((const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                                     info->dlpi_phdr[i].p_filesz, *hash);
    return own;
}

static uint64_t build_hash(void)
{
    uint64_t hash = ptx_store_format();
    dl_iterate_phdr(add_build, &hash);
    return hash;
}

/* Files are replaced and removed, never changed in place: what is mapped stays as it is. */
static bool read_entry(const char *path, const char *text, size_t length, struct ptx_module *module)
{
    struct stat s;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool whole = fstat(fd, &s) == 0 && s.st_size > 0 && s.st_size <= PTX_FOLDER_BYTES;
    uint8_t *bytes =
        whole ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0)
              : MAP_FAILED;
    close(fd);
    if (bytes == MAP_FAILED)
        return false;
    const bool good = ptx_restore(bytes, (size_t)s.st_size, text, length, module);
    munmap(bytes, (size_t)s.st_size);
    if (good)
        utimensat(AT_FDCWD, path, NULL, 0); /* used now */
    else
        unlink(path);
    return good;
}

enum wt_status ptx_cache_parse(const char *name, const char *text, size_t length,
                               struct ptx_module *module, struct wt_error *err)
{
    enum wt_status status;
    char folder[PATH_MAX], path[PATH_MAX];
    const char *end = memchr(text, 0, length);
    const size_t whole = end ? (size_t)(end - text) : length;
    if (whole < LEAST_TEXT || !ptx_folder_find(folder))
        return ptx_parse(name, text, whole, module, err);
    const XXH128_hash_t key = XXH3_128bits_withSeed(text, whole, build_hash());
    if (snprintf(path, sizeof path, "%s/%016" PRIx64 "%016" PRIx64, folder, (uint64_t)key.high64,
                 (uint64_t)key.low64) >= PATH_MAX)
        return ptx_parse(name, text, whole, module, err);
    if (read_entry(path, text, whole, module))
        return WT_OK;
    if ((status = ptx_parse(name, text, whole, module, err)) == WT_OK)
        write_entry(folder, path, module);
    return status;
}
