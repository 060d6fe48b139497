/* The first bytes of ELF files. See elf_header.h. */
#include "object/elf_header.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"

bool wt_elf_header_read(const char *path, struct wt_elf_header *header)
{
    uint8_t bytes[20];
    if (wt_file_begin(path, bytes, sizeof bytes) != sizeof bytes ||
        memcmp(bytes, ELFMAG, SELFMAG) != 0 || bytes[EI_DATA] != ELFDATA2LSB)
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
    return false;
#endif
}

const uint8_t *wt_elf_section(const uint8_t *file, size_t size, uint32_t type, size_t *length)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    if (size < sizeof header || memcmp(file, ELFMAG, SELFMAG) != 0)
        return NULL;
    memcpy(&header, file, sizeof header);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        const uint64_t at = header.e_shoff + (uint64_t)i * sizeof section;
        if (at > size || size - at < sizeof section)
            return NULL;
        memcpy(&section, file + at, sizeof section);
        *length = section.sh_size;
        if (section.sh_type == type && section.sh_offset <= size &&
            section.sh_size <= size - section.sh_offset)
            return file + section.sh_offset;
    }
    return NULL;
}
