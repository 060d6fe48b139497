/* Programs of PTX in core files of SMs: texts, which are linked again to the same addresses. */
#ifndef WT_TARGET_SM_CORE_H
#define WT_TARGET_SM_CORE_H

#include "debug/source/modules.h"
#include "emulator/machine/core_format.h"
#include "target/sm_ptx.h"

/** Writes a linked program, whose code and variables are at these addresses, as a section. */
void wt_sm_core_write(const struct wt_sm_ptx *program, uint64_t code, uint64_t data,
                      struct wt_core_writer *w, struct wt_archive *a);

/**
 * Reads the content of such a section: links the program, lets the device (NULL: none) execute it,
 * and adds it to a list of modules. *program must be freed after the device. WT_INVALID: the
 * section is damaged.
 */
enum wt_status wt_sm_core_take(struct wt_archive *a, struct sm_device *device,
                               struct wt_modules *modules, struct wt_sm_ptx *program,
                               struct wt_error *err);
/** See code_text of family.h. */
void wt_sm_core_text(void **kept, struct wt_archive *a, uint64_t pc, uint64_t word, char *text,
                     size_t size);
/** See code_text_end of family.h. */
void wt_sm_core_text_end(void *kept);

#endif
