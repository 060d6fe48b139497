/* The first bytes of ELF files: which machine a file is for. */
#ifndef WT_OBJECT_ELF_HEADER_H
#define WT_OBJECT_ELF_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_elf_header {
    unsigned machine; /**< e_machine */
    unsigned type;    /**< e_type */
};

/**
 * Reads the header of a little-endian ELF file. False for other files, and for anything that is not
 * a regular file, since a pipe can be read only once.
 */
bool wt_elf_header_read(const char *path, struct wt_elf_header *header);

/** The first section of a type in a 64-bit ELF file of @p size bytes; NULL: there is none, or it is
 * not within the file. */
const uint8_t *wt_elf_section(const uint8_t *file, size_t size, uint32_t type, size_t *length);

/** Whether programs of this e_machine run on the host that wavetrap runs on. */
bool wt_elf_machine_is_host(unsigned machine);

#endif
