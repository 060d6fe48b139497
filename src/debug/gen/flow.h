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

/** The owner frees `insn`. */
struct genp_code {
    struct genp_instruction *insn;
    size_t count, capacity;
    unsigned lanes; /**< 8 or 16: code for 32 channels has two registers of 16 each */
};

/** Reads the function's instructions; false if they cannot be read, or jump to addresses that they
 * do not say. What was read is in @p code. */
bool genp_read_code(const struct wt_kept_address *asked, struct genp_code *code);
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
enum wt_status genp_find_value(const struct wt_kept_address *place, struct wt_kept_answer *answer,
                               struct wt_error *err);
/** Likewise, of the base of a called function's frame (base.c). */
enum wt_status genp_find_base(const struct wt_kept_address *asked, struct wt_kept_answer *answer,
                              struct wt_error *err);

#endif
