/*
 * Functions of the preloaded library that stand before a runtime's: those about which nothing else
 * is said than what they return. Each argument is an integer or a pointer, which the ABIs of 64
 * bits pass alike: as a word.
 */
#ifndef WT_RUNTIME_OPENCL_WORDS_H
#define WT_RUNTIME_OPENCL_WORDS_H

#include <stdint.h>

#include "runtime/i915/order.h"

typedef uintptr_t word;

#define WORDS1 word a
#define WORDS2 WORDS1, word b
#define WORDS3 WORDS2, word c
#define WORDS4 WORDS3, word d
#define WORDS5 WORDS4, word e
#define WORDS6 WORDS5, word f
#define WORDS7 WORDS6, word g
#define WORDS8 WORDS7, word h
#define WORDS9 WORDS8, word i
#define WORDS10 WORDS9, word j
#define WORDS11 WORDS10, word k
#define WORDS12 WORDS11, word l
#define WORDS13 WORDS12, word m
#define WORDS14 WORDS13, word n
#define NAMES1 a
#define NAMES2 NAMES1, b
#define NAMES3 NAMES2, c
#define NAMES4 NAMES3, d
#define NAMES5 NAMES4, e
#define NAMES6 NAMES5, f
#define NAMES7 NAMES6, g
#define NAMES8 NAMES7, h
#define NAMES9 NAMES8, i
#define NAMES10 NAMES9, j
#define NAMES11 NAMES10, k
#define NAMES12 NAMES11, l
#define NAMES13 NAMES12, m
#define NAMES14 NAMES13, n

/** The rest of the block is a call of the API, for --check=race. */
#define IS_CALL                                                                                    \
    const bool entered __attribute__((cleanup(drm_order_leave), unused)) = drm_order_enter();

/** Defines `own`, the runtime's function of @p count words; NULL: it has none. */
#define OWN(type, count, name)                                                                     \
    IS_CALL                                                                                        \
    static type (*_Atomic own)(WORDS##count);                                                      \
    if (!own)                                                                                      \
        *(void *_Atomic *)&own = next(#name);

#endif
