/*
 * The word that stands in memory for an instruction of PTX: debuggers see it, and may put
 * BPT.TRAP 1 in its place. No instruction of sm_50 has these upper bits.
 */
#ifndef WT_OBJECT_PTX_WORD_H
#define WT_OBJECT_PTX_WORD_H

#include <stdint.h>

#define PTX_WORD UINT64_C(0x5054580000000000)
#define PTX_WORD_MASK UINT64_C(0xffffff0000000000)
#define PTX_WORD_KIND 32 /**< bits 39:32 say what it does to the pc; bits 31:0 are its number */

enum ptx_word_kind {
    PTX_WORD_PLAIN,
    PTX_WORD_BRANCH,
    PTX_WORD_CALL,
    PTX_WORD_RETURN,
    PTX_WORD_BARRIER,
    PTX_WORD_TRAP,
    PTX_WORD_END, /**< without a predicate; with one it is PTX_WORD_BRANCH */
};

#endif
