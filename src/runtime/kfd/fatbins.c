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

#include "base/file.h"
#include "object/contained.h"
#include "object/fatbin.h"
#include "object/unpack.h"
#include "runtime/common/own_memory.h"
#include "runtime/kfd/modules.h"

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

/* The preferred model that runs what all bundles hold, or NULL. */
static const struct gcn_model *model_of_bundles(const uint8_t *bytes, size_t size)
{
    for (const struct gcn_model *m = NULL; (m = gcn_model_preferred(m));) {
        struct gcn_fatbin fatbin = {.bytes = bytes, .size = size, .target = &m->target};
        struct gcn_fatbin_bundle b;
        bool good = true;
        while (good && gcn_fatbin_next(&fatbin, &b))
            good = b.verdict == GCN_FATBIN_GOOD;
        if (good)
            return m;
    }
    return NULL;
}

static void tell_unfit(const char *path, const char *held, const struct gcn_target *target,
                       const struct gcn_model *other)
{
    char text[400];
    gcn_model_tell_unfit(held, target, other, text, sizeof text);
    fprintf(stderr, "wavetrap: %s: %s\n", path, text);
}

/* Whether the runtime knows code objects of that version, which is said if it does not. */
static bool is_known(const char *path, unsigned version, unsigned newest)
{
    if (!newest || version <= newest)
        return true;
    fprintf(stderr,
            "wavetrap: %s: its code objects are of version %u, which this runtime skips: it will "
            "not find the kernels. Compile with -mcode-object-version=%u\n",
            path, version, newest);
    return false;
}

/* Whether the file's bundles have code that runs on that GPU. */
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
        if (b.verdict == GCN_FATBIN_GOOD && is_known(path, b.version, newest))
            continue;
        if (b.verdict == GCN_FATBIN_OTHER || b.verdict == GCN_FATBIN_XNACK)
            tell_unfit(path, b.targets, target, model_of_bundles(bytes, size));
        else if (b.verdict == GCN_FATBIN_COMPRESSED)
            fprintf(stderr, "wavetrap: %s: %s\n", path, err.text);
        return false; /* once a file */
    }
    return true;
}

/* False: the file has code objects without a bundle, and none that runs on that GPU. */
static bool check_contained(const char *path, const uint8_t *bytes, size_t size,
                            const struct gcn_target *target)
{
    char held[200], all[80];
    if (!gcn_contained_list(bytes, size, target, held, sizeof held))
        return true;
    tell_unfit(path, held, target, gcn_model_of_code(bytes, size, all, sizeof all));
    return false;
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
    size_t size;
    const uint8_t *bytes = host_program_map(&size);
    for (uint32_t i = 0; bytes && i < host->gpus; i++)
        if (!check_contained(path, bytes, size, &host->gpu[i].target))
            break;
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

/* Whether those bytes, which begin with a bundle or with a code object, run on each GPU. */
static void check_module(const char *name, const uint8_t *bytes, size_t size, bool bundle)
{
    enum { ABI_VERSION = 8 };
    const struct host *host = host_get();
    unsigned newest = 0;
    bool good = true;
    dl_iterate_phdr(find_newest, &newest);
    for (uint32_t i = 0; i < host->gpus && good; i++) {
        const struct gcn_target *target = &host->gpu[i].target;
        struct gcn_fatbin fatbin = {.bytes = bytes, .size = size, .target = target};
        struct gcn_fatbin_bundle b;
        struct gcn_contained found;
        size_t at = 0;
        if (bundle)
            good = !gcn_fatbin_next(&fatbin, &b) || check(name, bytes, fatbin.at, target, newest);
        else if (gcn_contained_next(bytes, size, target, &at, &found))
            good = check_contained(name, found.bytes, found.size, target) &&
                   is_known(name, found.bytes[ABI_VERSION] + 2u, newest);
    }
}

void wavetrap_module(const char *by, const char *path, const void *image, bool refused)
{
    enum { MOST_BYTES = 64 << 20 };
    char name[PATH_MAX + 40], first[GCN_FATBIN_MAGIC] = "";
    uint8_t *bytes = NULL;
    size_t size = 0;
    snprintf(name, sizeof name, "%s%s%s", by, path ? ": " : "", path ? path : "");
    if (path)
        wt_file_begin(path, first, sizeof first);
    else
        wt_own_memory_read((uint64_t)(uintptr_t)image, (uint8_t *)first, sizeof first);
    const bool bundle = gcn_fatbin_begins(first);
    if (bundle == refused || (!bundle && memcmp(first, "\177ELF", 4) != 0))
        return;
    if (path && wt_file_read(path, &bytes, &size, WT_IGNORED) != WT_OK)
        return;
    if (path || bundle) /* HIP reads a bundle where it is */
        check_module(name, path ? bytes : image, path ? size : SIZE_MAX / 2, bundle);
    else if ((bytes = malloc(MOST_BYTES))) {
        size = wt_own_memory_copy((uint64_t)(uintptr_t)image, bytes, MOST_BYTES, true);
        check_module(name, bytes, size, false);
    }
    free(bytes);
}

void host_check_fatbins(void)
{
    unsigned newest = 0;
    dl_iterate_phdr(find_newest, &newest);
    dl_iterate_phdr(look, &newest);
}
