/* Instructions as rows, for translated code. */
#ifndef WT_EMULATOR_GEN_BLOCK_H
#define WT_EMULATOR_GEN_BLOCK_H

#include "emulator/gen/internal.h"
#include "emulator/translate/rows.h"

/**
 * The effect of a decoded instruction, for the code's table: its handler may be called, or the code
 * is left before it, if the code does not execute it itself. *jumps becomes the bytes from it to
 * where a WT_ROWS_BRANCH leads.
 */
void gen_block_insn(const struct gen_uop *u, struct wt_rows_insn *to, int32_t *jumps);

/** Which channels execute an instruction, by their own bits of a predicate; false: otherwise. */
bool gen_block_predicate(const struct gen_insn *insn, struct wt_rows_insn *to);

/** A message that the code itself executes, or a function of block_message.c. */
struct gen_block_message {
    uint8_t lanes; /**< 8 or 16: it loads or stores dwords for each; 0: it does neither */
    uint8_t bytes; /**< size in memory of a dword: 4; 1, 2: the rest is loaded as zeros */
    uint8_t dwords, offset[4]; /**< how many of a lane; bytes behind its address */
    bool stores, wide_addresses;
    bool windowed; /**< a surface, or stateless memory, in a window of the state */
    bool barrier;  /**< it is the barrier's, for all channels */
    bool reads;    /**< it changes no memory */
    uint8_t bti, window;
    uint16_t addresses, data; /**< bytes in the registers */
};

/** The surfaces that were read last, each with the bytes of memory that described it. */
struct gen_known_surfaces {
    struct gen_known_surface {
        uint64_t at, state; /**< addresses of the binding table's entry, and of what it names */
        uint8_t bytes[64];  /**< there */
        uint64_t base, size;
        bool known;
    } surface[8];
    bool open; /**< a window may be */
};

/** The message of a send or sends. */
void gen_block_message(const struct gen_uop *u, struct gen_block_message *to);
/** Likewise as rows; false: the code does not execute it itself. */
bool gen_block_access(const struct gen_uop *u, const struct gen_block_message *x,
                      struct wt_rows_insn *to);
/** Opens window @p i of the state for a surface, so that code accesses it, if that is so simple. */
void gen_open_window(struct gen_thread *t, const struct gen_uop *u, unsigned bti, unsigned i,
                     struct gen_known_surfaces *known, struct wt_rows_state *s);
/** Closes all of them: nothing is known of surfaces. */
void gen_close_windows(struct wt_rows_state *s);
/** Does it; false: it is not so simple, and nothing was done. Nobody watches memory. */
bool gen_access_dwords(struct gen_thread *t, const struct gen_uop *u,
                       const struct gen_block_message *x, struct gen_known_surfaces *known,
                       struct wt_rows_state *s);
/** Likewise while somebody judges accesses, or observes all of them, whom it tells: a dword of
 * each lane, in one page. */
bool gen_tell_dwords(struct gen_thread *t, const struct gen_uop *u,
                     const struct gen_block_message *x, struct gen_known_surfaces *known,
                     struct wt_rows_state *s);

#endif
