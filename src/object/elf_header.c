/* The first bytes of ELF files. See elf_header.h. */
#include "object/elf_header.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bits.h"

bool wt_elf_header_read(const char *path, struct wt_elf_header *header)
{
    struct stat info;
    uint8_t bytes[20];
    if (stat(path, &info) || !S_ISREG(info.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    const bool read = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes;
    if (file)
        fclose(file);
    if (!read || memcmp(bytes, ELFMAG, SELFMAG) != 0 || bytes[EI_DATA] != ELFDATA2LSB)
        return false;
    header->type = (unsigned)wt_load_le(bytes + offsetof(Elf64_Ehdr, e_type), 2);
    header->machine = (unsigned)wt_load_le(bytes + offsetof(Elf64_Ehdr, e_machine), 2);
    return true;
}

bool wt_elf_machine_is_host(unsigned machine)
{
#if defined __x86_64__
    return machine == EM_X86_64;
#elif defined __aarch64__
    return machine == EM_AARCH64;
#else
    (void)machine;
    return false;
#endif
}
