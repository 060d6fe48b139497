/*
 * Checks whether the code objects in the program and its libraries can run here. The runtime
 * reports some of those that cannot as missing, and is silent about others.
 */
#include "runtime/kfd/host.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object/contained.h"
#include "object/fatbin.h"
#include "object/unpack.h"

/* HIP 5.7 knows code objects up to version 5, HIP 5.2 up to 4; between them is no Debian's. */
#define OLD_RUNTIME "libamdhip64.so.5"

/* The bytes of section .hip_fatbin, as they are in memory; NULL if there is none. */
static const uint8_t *fatbin_of(const struct dl_phdr_info *info, const char *path, size_t *size)
{
    const uint8_t *found = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    size_t names;
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    if (elf && !elf_getshdrstrndx(elf, &names))
        while (!found && (section = elf_nextscn(elf, section))) {
            const char *name =
                gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
            if (!name || strcmp(name, ".hip_fatbin") != 0)
                continue;
            /* The file need not be what is loaded: only what is loaded is looked at. */
            for (unsigned i = 0; i < info->dlpi_phnum && !found; i++) {
                const ElfW(Phdr) *p = &info->dlpi_phdr[i];
                if (p->p_type == PT_LOAD && p->p_flags & PF_R && header.sh_addr >= p->p_vaddr &&
                    header.sh_addr - p->p_vaddr <= p->p_filesz &&
                    header.sh_size <= p->p_filesz - (header.sh_addr - p->p_vaddr))
                    found = (const uint8_t *)(uintptr_t)(info->dlpi_addr + header.sh_addr);
            }
            *size = header.sh_size;
        }
    elf_end(elf);
    close(fd);
    return found;
}

/* The newest model that runs what all bundles hold, or NULL. */
static const struct gcn_model *model_of_bundles(const uint8_t *bytes, size_t size)
{
    const struct gcn_model *other = NULL;
    for (const struct gcn_model *m = gcn_models; m->target.name; m++) {
        struct gcn_fatbin fatbin = {.bytes = bytes, .size = size, .target = &m->target};
        struct gcn_fatbin_bundle b;
        bool good = true;
        while (good && gcn_fatbin_next(&fatbin, &b))
            good = b.verdict == GCN_FATBIN_GOOD;
        other = good ? m : other;
    }
    return other;
}

/* Whether the file's code runs on that GPU. */
static bool check(const char *path, const uint8_t *bytes, size_t size,
                  const struct gcn_target *target, unsigned newest)
{
    struct gcn_fatbin fatbin = {.bytes = bytes, .size = size, .target = target};
    struct gcn_fatbin_bundle b;
    while (gcn_fatbin_next(&fatbin, &b)) {
        struct wt_packed_bundle packed;
        struct wt_error err = {.text = "its code for GPUs is compressed, and damaged"};
        if (b.verdict == GCN_FATBIN_COMPRESSED &&
            wt_packed_bundle_at(b.object, b.object_size, &packed)) {
            uint8_t *unpacked = wt_packed_bundle_unpack(&packed, &err);
            const bool good = unpacked && check(path, unpacked, packed.whole, target, newest);
            free(unpacked);
            if (good)
                continue;
            if (unpacked)
                return false; /* it has said why */
        }
        const bool too_new = newest && b.version > newest;
        if (b.verdict == GCN_FATBIN_GOOD && !too_new)
            continue;
        fprintf(stderr, "wavetrap: %s: ", path);
        if (b.verdict == GCN_FATBIN_OTHER || b.verdict == GCN_FATBIN_XNACK) {
            char text[400];
            gcn_model_tell_unfit(b.targets, target, model_of_bundles(bytes, size), text,
                                 sizeof text);
            fprintf(stderr, "%s\n", text);
        } else if (b.verdict == GCN_FATBIN_COMPRESSED)
            fprintf(stderr, "%s\n", err.text);
        else if (b.verdict == GCN_FATBIN_GOOD)
            fprintf(
                stderr,
                "its code objects are of version %u, which this runtime skips: it will not find "
                "the kernels. Compile with -mcode-object-version=%u\n",
                b.version, newest);
        return false; /* once a file */
    }
    return true;
}

const uint8_t *host_program_map(size_t *size)
{
    struct stat file;
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    void *bytes = fd >= 0 && !fstat(fd, &file)
                      ? mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                      : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    *size = bytes != MAP_FAILED ? (size_t)file.st_size : 0;
    return bytes != MAP_FAILED ? bytes : NULL;
}

/* The program's images of OpenMP and OpenACC: LLVM's runtime leaves regions to the host where no
 * image is for the GPU, and is silent about that. */
static void check_images(const struct host *host, const char *path)
{
    char held[200], all[80], text[400];
    size_t size;
    const uint8_t *bytes = host_program_map(&size);
    for (uint32_t i = 0; bytes && i < host->gpus; i++)
        if (gcn_contained_list(bytes, size, &host->gpu[i].target, held, sizeof held)) {
            gcn_model_tell_unfit(held, &host->gpu[i].target,
                                 gcn_model_of_code(bytes, size, all, sizeof all), text,
                                 sizeof text);
            fprintf(stderr, "wavetrap: %s: %s\n", path, text);
            break;
        }
    if (bytes)
        munmap((void *)(uintptr_t)bytes, size);
}

/* The newest version that the program's runtime knows; 0: any. Its file has its version in its
 * name. */
static int find_newest(struct dl_phdr_info *info, size_t size, void *newest)
{
    char file[PATH_MAX];
    unsigned minor;
    const char *name = strrchr(info->dlpi_name, '/');
    if (strncmp(name ? name + 1 : info->dlpi_name, OLD_RUNTIME, strlen(OLD_RUNTIME)))
        return 0;
    *(unsigned *)newest = 4;
    if (realpath(info->dlpi_name, file) && (name = strstr(file, OLD_RUNTIME)) &&
        sscanf(name, OLD_RUNTIME ".%u", &minor) == 1 && minor >= 7)
        *(unsigned *)newest = 5;
    return 0;
}

static int look(struct dl_phdr_info *info, size_t size, void *newest)
{
    char self[PATH_MAX];
    const char *path = info->dlpi_name;
    if (!*path) {
        const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
        if (length <= 0)
            return 0;
        self[length] = 0;
        path = self;
    }
    size_t length = 0;
    const uint8_t *bytes = fatbin_of(info, path, &length);
    const struct host *host = host_get();
    if (!bytes && path == self)
        check_images(host, path);
    for (uint32_t i = 0; bytes && i < host->gpus; i++)
        if (!check(path, bytes, length, &host->gpu[i].target, *(const unsigned *)newest))
            break;
    return 0;
}

void host_check_fatbins(void)
{
    unsigned newest = 0;
    dl_iterate_phdr(find_newest, &newest);
    dl_iterate_phdr(look, &newest);
}
