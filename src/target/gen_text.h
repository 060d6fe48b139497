/* The text of Gen9 instructions for people who look at code. */
#ifndef WT_TARGET_GEN_TEXT_H
#define WT_TARGET_GEN_TEXT_H

#include <stddef.h>

struct gen_word; /**< emulator/gen/isa.h */

/**
 * Writes the instruction as gen_disassemble() does. Where this machine has Intel's disassembler,
 * the library libiga64, and that prints the same instruction, its comment follows, which says what
 * the message of a send is: "… 0x04025EFE  // wr:2+2, rd:0; hdc.dc1; untyped surface write with x".
 * The library is loaded by the first call for a send. Returns the instruction's length in bytes.
 */
unsigned wt_gen_text(const struct gen_word *word, char *text, size_t size);

#endif
