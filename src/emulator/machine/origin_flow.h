/* The values and symbols of one analysis: shared by origin_values.c and origin.c. */
#ifndef WT_EMULATOR_MACHINE_ORIGIN_FLOW_H
#define WT_EMULATOR_MACHINE_ORIGIN_FLOW_H

#include "emulator/machine/origin.h"

enum {
    WT_FLOW_MOST_VISITS = 4096, /* while one value is resolved */
    WT_FLOW_TERMS = 2,
    WT_FLOW_MOST_CHOICES = 1 << 13,
    WT_FLOW_NOTHING = 0, /* the first value: nothing is known */
};

/* Flags of a sum: what may be in it beside its terms and its constant. */
enum {
    WT_FLOW_UNKNOWN = 1 << 0,
    WT_FLOW_INDEX = 1 << 1, /* a number */
    WT_FLOW_LOOSE = 1 << 2, /* … that may be an address */
    WT_FLOW_DEEP =
        1 << 3, /* … which other operations have hidden: a factor does not say that it is none */
};

/* A symbol: registers at the begin, from 1 on, then values that ways or choices make differently.
 */
struct wt_flow_term {
    uint32_t symbol; /* 0: none */
    int32_t factor;
};

struct wt_flow_sum {
    int64_t constant;
    uint64_t step;  /* what numbers add at most, where they are 0 or 1 */
    uint64_t apart; /* how much the constants differ of which one is added */
    struct wt_flow_term term[WT_FLOW_TERMS]; /* by symbol */
    uint32_t flags;
    uint32_t unused;
};

/* The values that a symbol may stand for. */
struct wt_flow_symbol {
    wt_origin_value *input;
    size_t inputs, room;
    unsigned resolving;        /* how many are, and it is the last one of them; 0: it is not */
    struct wt_flow_sum around; /* while it is: what comes back to it through others */
    int32_t resolved;          /* 1 + index of its value; 0: not yet */
};

struct wt_flow_block {
    uint64_t pc;
    bool waits;
};

struct wt_flow {
    const struct wt_flow_family *family;
    void *context;
    uint64_t first, end;
    bool failed;
    struct wt_flow_sum *value;
    size_t values, value_room;
    uint32_t *slot; /* a hash table of values: 1 + index */
    size_t slots;
    struct wt_flow_symbol *symbol; /* those behind the registers */
    size_t symbols, symbol_room;
    struct wt_flow_choice {
        wt_origin_value a, b;
        uint32_t symbol;
    } * choice; /* a hash table of 2 * WT_FLOW_MOST_CHOICES places */
    size_t choices;
    uint32_t *leader; /* leader of each two bytes: 1 + its block; 0: none begins there */
    bool *walked;     /* for each two bytes: an instruction begins there */
    bool *begins;     /* for each two bytes: a block begins there, in this try or a former one */
    struct wt_flow_block *block;
    size_t blocks, block_room;
    wt_origin_value *state; /* state of each block: its registers at its begin */
    size_t state_room;
    bool split;                 /* a block begins within another one */
    unsigned visits, resolving; /* how many symbols are being resolved, */
    unsigned through;           /* and the first one of them that the last result depends on */
    struct wt_origin *found;
    size_t count, room;
};

/** The value of a sum. */
wt_origin_value wt_flow_value_of(struct wt_flow *f, struct wt_flow_sum s);
/** A symbol without values. */
uint32_t wt_flow_new_symbol(struct wt_flow *f);
/** The sum that is a symbol alone. */
wt_origin_value wt_flow_value_of_symbol(struct wt_flow *f, uint32_t symbol);
/** Adds one of the values that a symbol may stand for. */
void wt_flow_add_input(struct wt_flow *f, uint32_t symbol, wt_origin_value input);
/** A sum without the symbols that ways and choices have made. */
struct wt_flow_sum wt_flow_resolved(struct wt_flow *f, const struct wt_flow_sum *s);

#endif
