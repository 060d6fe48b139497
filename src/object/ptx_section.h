/* Sections of debug information in PTX ("PTX ISA", 11.5.4: .section): from their text to bytes. */
#ifndef WT_OBJECT_PTX_SECTION_H
#define WT_OBJECT_PTX_SECTION_H

#include "base/buffer.h"
#include "object/ptx.h"

/** DWARF's number, of ours, for the register that says where a frame's part of local memory begins:
 * debug information of PTX is made to name it. */
#define PTX_DWARF_LOCAL 256

/**
 * Appends the @p size bytes that a name stands for, a label, variable or section; what was appended
 * before may be changed. False: the name is not known, and zeros are appended.
 */
typedef bool (*ptx_section_name_fn)(void *context, struct ptx_name name, unsigned size,
                                    struct wt_buffer *out);

/**
 * Appends the bytes of a section. WT_INVALID: its text is no list of data. Without host memory
 * @p out has failed.
 */
enum wt_status ptx_section_bytes(const struct ptx_section *section, ptx_section_name_fn value,
                                 void *context, struct wt_buffer *out, struct wt_error *err);

/**
 * Finds a label of a section, as LLVM 22 writes them for lists of locations: the number of bytes
 * before it. False: the section has no such label.
 */
bool ptx_section_label(const struct ptx_section *section, struct ptx_name label, uint64_t *offset);

#endif
