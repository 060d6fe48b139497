/* Code objects by the URIs that the runtime gives them (LLVM, "User Guide for AMDGPU Backend",
 * section "Loaded Code Object Path URI"). */
#include "runtime/kfd/host.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* "%41" is 'A'; the rest stands for itself. Ends at a '#'. */
static bool decode_path(const char *uri, char *path, size_t size)
{
    size_t n = 0;
    for (; *uri && *uri != '#' && n + 1 < size; uri++) {
        unsigned code;
        if (*uri == '%' && sscanf(uri + 1, "%2x", &code) == 1 && uri[1] && uri[2]) {
            path[n++] = (char)code;
            uri += 2;
        } else {
            path[n++] = *uri;
        }
    }
    path[n] = 0;
    return n + 1 < size;
}

uint64_t host_code_mapped(const char *path, uint64_t offset)
{
    char line[4400], file[4096];
    uint64_t found = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !found && fgets(line, sizeof line, maps)) {
        uint64_t start, end, from;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %4095[^\n]", &start, &end,
                   &from, file) == 4 &&
            strcmp(file, path) == 0 && offset >= from && offset - from < end - start)
            found = start + (offset - from);
    }
    if (maps)
        fclose(maps);
    return found;
}

/* The runtime reports code in memory to which a file is mapped as a part of the file, even if the
 * program has written to that memory. */
static bool is_elf(int file, unsigned long long offset)
{
    char magic[4];
    return pread(file, magic, sizeof magic, (off_t)offset) == sizeof magic &&
           memcmp(magic, "\177ELF", sizeof magic) == 0;
}

int host_code_object(const char *uri)
{
    unsigned long long offset = 0, size = 0;
    char path[4096] = "";
    const char *part = strchr(uri, '#');
    for (; part && *part; part = strpbrk(part + 1, "&")) {
        if (strncmp(part + 1, "offset=", 7) == 0)
            offset = strtoull(part + 8, NULL, 0);
        else if (strncmp(part + 1, "size=", 5) == 0)
            size = strtoull(part + 6, NULL, 0);
    }
    bool file = strncmp(uri, "file://", 7) == 0;
    if (!file && strncmp(uri, "memory://", 9) != 0)
        return -1;
    if (file ? !decode_path(uri + 7, path, sizeof path) : !offset || !size)
        return -1;
    const int from = file ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file && from < 0)
        return -1;
    const uint64_t mapped =
        file && size && !is_elf(from, offset) ? host_code_mapped(path, offset) : 0;
    if (mapped) {
        file = false;
        offset = mapped;
    }
    if (file && !size)
        size = (unsigned long long)lseek(from, 0, SEEK_END) - offset;
    const int to = memfd_create("code object", MFD_CLOEXEC);
    bool good = to >= 0;
    for (unsigned long long done = 0; good && done < size;) {
        uint8_t bytes[65536];
        const uint8_t *source = bytes;
        size_t part_size = size - done < sizeof bytes ? size - done : sizeof bytes;
        if (file) {
            const ssize_t got = pread(from, bytes, part_size, (off_t)(offset + done));
            good = got > 0;
            part_size = good ? (size_t)got : 0;
        } else {
            source = (const uint8_t *)(uintptr_t)(offset + done);
        }
        good = good && write(to, source, part_size) == (ssize_t)part_size;
        done += part_size;
    }
    if (from >= 0)
        close(from);
    if (!good && to >= 0)
        close(to);
    return good ? to : -1;
}
