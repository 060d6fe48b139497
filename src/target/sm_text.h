/* NVIDIA's instructions as text: what the family offers in `isa` (target/family.h). */
#ifndef WT_TARGET_SM_TEXT_H
#define WT_TARGET_SM_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "target/support.h"
#include "base/error.h"

/** Writes each instruction of machine code with its forms and opcodes, then PTX's. */
void wt_sm_list_isa(FILE *out, const void *config);
/** list_support() of the family: SASS and PTX. */
void wt_sm_list_support(wt_support_fn *tell, void *context);
/** Disassembles an instruction of machine code, and lists its operands. @p text has its 64 bits in
 * hexadecimal. WT_INVALID: it is no instruction of sm_50. */
enum wt_status wt_sm_explain_word(FILE *out, const char *text, const void *config,
                                  struct wt_error *err);
/** Assembles @p text into a cubin of *length bytes, which the caller frees; @p name is for errors.
 */
enum wt_status wt_sm_assemble(const char *name, const char *text, uint8_t **bytes, size_t *length,
                              struct wt_error *err);
/** Writes the instructions of a cubin. */
enum wt_status wt_sm_disassemble(const char *name, const uint8_t *bytes, size_t length, FILE *out,
                                 struct wt_error *err);

#endif
