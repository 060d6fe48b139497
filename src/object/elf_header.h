/* The first bytes of ELF files: which machine a file is for. */
#ifndef WT_OBJECT_ELF_HEADER_H
#define WT_OBJECT_ELF_HEADER_H

#include <stdbool.h>

struct wt_elf_header {
    unsigned machine; /**< e_machine */
    unsigned type;    /**< e_type */
};

/**
 * Reads the header of a little-endian ELF file. False for other files, and for anything that is not
 * a regular file, since a pipe can be read only once.
 */
bool wt_elf_header_read(const char *path, struct wt_elf_header *header);

/** Whether programs of this e_machine run on the host that wavetrap runs on. */
bool wt_elf_machine_is_host(unsigned machine);

#endif
