/* Explains, step by step, how one lane's address is translated. */
#ifndef WT_EMULATOR_MACHINE_EXPLAIN_H
#define WT_EMULATOR_MACHINE_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WT_EXPLAIN_TERMS 12

/** One number of the translation and its name: "lane * 4". */
struct wt_explain_term {
    char name[80];
    uint64_t value;
};

/** The answer. The terms that are marked as summands add up to `landing`. */
struct wt_explanation {
    const char *space; /**< the address space, in the family's words */
    bool has_aperture;
    uint64_t first, last; /**< the aperture that the address lies in */
    struct wt_explain_term term[WT_EXPLAIN_TERMS];
    bool summand[WT_EXPLAIN_TERMS];
    unsigned terms;
    const char *where; /**< the kind of memory that it reaches: "memory", "LDS of the work-group" */
    uint64_t landing;  /**< address or offset there */
    bool usable;       /**< the lane may read there */
    uint64_t contents; /**< the four bytes there, if so */
};

/** Adds a term, of which there are WT_EXPLAIN_TERMS at most; @p name is copied. */
void wt_explanation_add(struct wt_explanation *e, bool summand, const char *name, uint64_t value);

/** Prints the explanation of @p addr, a line a term. */
void wt_explanation_print(FILE *out, uint64_t addr, const struct wt_explanation *e);

#endif
