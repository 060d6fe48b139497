/*
 * What a program must do between two instructions, since the hardware does not: wait for results
 * that are under way, which counters count, and leave wait states. Emulators execute each
 * instruction as a whole, so that programs which do not wait have right results here, and wrong
 * ones on hardware.
 */
#ifndef WT_EMULATOR_MACHINE_PACE_H
#define WT_EMULATOR_MACHINE_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum { WT_PACE_COUNTERS = 7, WT_PACE_USES = 12, WT_PACE_LAST = 2 };

/** Of wt_insn_pace.most: it does not wait for that counter. */
#define WT_PACE_ANY 0xff
/** A file of registers (wt_pace_use.file) that are no operands: numbers that the family gives. */
#define WT_PACE_OTHERS 0xff

/** Registers [first, end) of a file in which rules about wait states see an instruction. */
struct wt_pace_use {
    uint64_t rules; /**< bits: of wt_pace_table.rule */
    uint8_t file;   /**< as wt_insn_operand.file, or WT_PACE_OTHERS */
    uint32_t first, end;
    uint16_t kind; /**< rules about different instructions compare it */
};

/** Counters that an instruction changes or waits for. */
struct wt_insn_pace {
    uint8_t counts;        /**< bits: counters that count it */
    uint8_t results;       /**< counters whose decrement means that its results are written */
    uint8_t group_results; /**< likewise, of results from a group's memory */
    uint8_t sources; /**< counters whose decrement means that its sources in lanes have been read */
    bool to_group;   /**< `results` are what it stores to a group's memory, too */
    uint8_t kind;    /**< those of one kind are done in the order of issue; 0: in any order */
    uint8_t most[WT_PACE_COUNTERS]; /**< it waits until no more are counted, or WT_PACE_ANY */
    uint8_t states;                 /**< wait states that it takes, from 1 on */
    uint8_t earlier_count, later_count;
    struct wt_pace_use earlier[WT_PACE_USES]; /**< as the first one of two instructions */
    struct wt_pace_use later[WT_PACE_USES];   /**< as the second one */
};

struct wt_machine;

/** The rules of a family. */
struct wt_pace_table {
    /** Those of a machine's own model; NULL: these. */
    const struct wt_pace_table *(*of)(struct wt_machine *m);
    const char *counter[WT_PACE_COUNTERS]; /**< how a program waits: "s_waitcnt vmcnt" */
    uint8_t limit[WT_PACE_COUNTERS];       /**< the hardware waits before it counts more */
    bool rows;                             /**< registers of lanes are rows of a file of warps */
    const char *unpaced; /**< why code has no pace (the operation `pace`): "PTX …"; NULL: all has */
    unsigned rules;      /**< at most 64 */
    /** Bits, groups of rules: of their first halves only the last one that has some of the
     * registers counts. */
    uint64_t last[WT_PACE_LAST];
    const struct wt_pace_rule {
        uint8_t states; /**< so many wait states must be between the two */
        const char *text;
        bool unlike;     /**< unless both have all of the same registers */
        bool alike;      /**< only where both have all of the same registers */
        bool differ;     /**< unless both are of one kind */
        uint8_t between; /**< only behind the first half of this rule, too; 0: of none */
    } * rule;
};

#endif
