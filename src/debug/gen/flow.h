/* The code of a function as the probe follows it: instructions, and blocks of them. */
#ifndef WT_DEBUG_GEN_FLOW_H
#define WT_DEBUG_GEN_FLOW_H

#include "debug/core/probe.h"
#include "debug/gen/effects.h"

/** From r60 on a called function restores registers (the convention of Intel's compiler). */
enum { GENP_CALLER_SAVES = 60 };

struct genp_instruction {
    uint64_t addr;
    struct genp_effects e;
    bool begins_block;
    bool is_partial; /**< some of the thread's channels may not execute it */
};

struct genp_code {
    struct genp_instruction *insn;
    size_t count, capacity;
    unsigned lanes; /**< 8 or 16: code for 32 channels has two registers of 16 each */
};

/** A function of which something was asked. */
struct genp_function {
    uint64_t start;
    uint8_t *bytes; /**< its code; NULL: this place is free */
    uint64_t size;
    struct genp_code code;    /**< the same, as instructions */
    struct genp_flow *states; /**< what is known at its blocks (addresses.c); NULL: not asked yet */
    void (*free_states)(struct genp_flow *states); /**< set with @p states */
};

/** The functions that were asked about last: a stop asks for many variables of a few of them. */
struct genp_functions {
    struct genp_function list[8];
    unsigned oldest;
};

/** The function's instructions, as @p functions has them if the code is the same. NULL: it cannot
 * be read, or jumps to addresses that it does not say. It stays valid until the next call. */
struct genp_function *genp_read_function(struct genp_functions *functions,
                                         const struct wt_kept_address *asked);
/** Frees what was read. */
void genp_forget_functions(struct genp_functions *functions);
/** The instruction at an address; SIZE_MAX: none. */
size_t genp_find_instruction(const struct genp_code *code, uint64_t addr);
/** Behind the last instruction of the block that begins at @p block. */
size_t genp_end_of_block(const struct genp_code *code, size_t block);
/** The block of an instruction: its first one. */
size_t genp_block_of(const struct genp_code *code, size_t i);
/** Calls @p visit for each block to which one goes on whose last instruction is @p last; whether
 * one of the calls said true. */
bool genp_go_on(const struct genp_code *code, size_t last,
                bool (*visit)(size_t block, void *context), void *context);

/** The probe's operation find_kept, of a variable's value (values.c). */
enum wt_status genp_find_value(struct genp_functions *functions,
                               const struct wt_kept_address *place, struct wt_kept_answer *answer,
                               struct wt_error *err);
/** Likewise, of the base of a called function's frame (base.c). */
enum wt_status genp_find_base(struct genp_functions *functions, const struct wt_kept_address *asked,
                              struct wt_kept_answer *answer, struct wt_error *err);

#endif
