/*
 * A turn of a loop: the instructions that a wave executes from one of them on till it comes there
 * again, as code alone shows them. A family gives how each instruction goes on, and says itself
 * which values decide.
 */
#ifndef WT_EMULATOR_MACHINE_TURN_H
#define WT_EMULATOR_MACHINE_TURN_H

#include <stdbool.h>
#include <stdint.h>

struct wt_machine;

/** How an instruction goes on. */
struct wt_next {
    uint64_t behind; /**< the address of the instruction behind it */
    uint64_t to;     /**< where it jumps; 0: it does not */
    bool always;     /**< it jumps in any case */
};

/** How the instruction at @p pc goes on; false: code does not say, or a turn must not have it. */
typedef bool wt_next_fn(struct wt_machine *m, uint32_t wave, uint64_t pc, struct wt_next *next);

enum { WT_TURN_MOST = 384 };

struct wt_turn {
    struct wt_machine *m;
    uint32_t wave;
    wt_next_fn *next;
    uint64_t at[WT_TURN_MOST]; /**< addresses of the instructions, in the order of the turn */
    unsigned count;            /**< 0: no turn is known */
    uint64_t joined; /**< where both ways of the last branch that decided meet; 0: behind that */
};

/** Follows the turn of the instruction at @p first, by the branches that go back, through other
 * loops once. @p turn has its first three members set. */
void wt_turn_find(struct wt_turn *turn, uint64_t first);

/** To be called for each instruction in order: whether a branch has decided that it is executed,
 * and not its other way. */
bool wt_turn_is_decided(struct wt_turn *turn, unsigned index);

/** The branch at @p index decides; whether it ends the loop, which it does where its other way does
 * not come back to the turn. */
bool wt_turn_ends(struct wt_turn *turn, unsigned index);

#endif
