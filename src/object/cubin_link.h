/* Variables and relocations of cubins: for cubin.c. */
#ifndef WT_OBJECT_CUBIN_LINK_H
#define WT_OBJECT_CUBIN_LINK_H

#include <libelf.h>

#include "object/cubin.h"

/**
 * Reads the variables and relocations of an ELF file whose functions and banks are in @p cubin;
 * @p names is the section of section names. On failure cubin_free frees what is there.
 */
enum wt_status cubin_read_variables(Elf *elf, size_t names, const char *name, struct cubin *cubin,
                                    struct wt_error *err);

#endif
