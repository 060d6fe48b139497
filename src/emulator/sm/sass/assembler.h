/*
 * The assembler of whole files of SASS, and its other direction. A file is a sequence of kernels:
 *
 *   .kernel NAME        a kernel begins; .handler NAME: a trap handler
 *   .param SIZE [NAME]  its next parameter; NAME then stands for its offset in c[0x0]
 *   .reg N  .shared BYTES  .local BYTES  .bar N  .const BANK,OFFSET 0x…, 0x…
 *   .equ NAME NUMBER    NAME stands for the number
 *   label:
 *   [B------:R-:W-:-:S01] @P0 IADD R0, R1, c[0x0][n];   // a comment
 *
 * Brackets hold the instruction's part of the control word: barriers to wait for,
 * read barrier, write barrier, yield, stall. Without it the instruction gets one that is safe.
 */
#ifndef WT_EMULATOR_SM_SASS_ASSEMBLER_H
#define WT_EMULATOR_SM_SASS_ASSEMBLER_H

#include <stdio.h>

#include "object/cubin.h"

/** Names of symbols have fewer characters. */
#define SM_NAME_BYTES 128

/**
 * Assembles @p text, which a NUL ends, for sm_50. Mistakes give WT_INVALID with
 * "NAME:line:column:". The caller frees *cubin by cubin_free(); on failure there is nothing to
 * free.
 */
enum wt_status sm_assemble_file(const char *name, const char *text, struct cubin *cubin,
                                struct wt_error *err);

/** Prints a cubin as a file that sm_assemble_file takes. */
void sm_disassemble_file(const struct cubin *cubin, FILE *out);

#endif
