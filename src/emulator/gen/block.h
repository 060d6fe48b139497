/* Instructions as rows, for translated code. */
#ifndef WT_EMULATOR_GEN_BLOCK_H
#define WT_EMULATOR_GEN_BLOCK_H

#include "emulator/gen/internal.h"
#include "emulator/translate/rows.h"

/**
 * What a decoded instruction does, for the code's table: its handler may be called, or the code is
 * left before it, if the code does not execute it itself. *jumps becomes the bytes from it to where
 * a WT_ROWS_BRANCH leads.
 */
void gen_block_insn(const struct gen_uop *u, struct wt_rows_insn *to, int32_t *jumps);

/** A message that loads or stores a dword for each lane. lanes 0: it is another one. */
struct gen_dwords {
    uint8_t lanes; /**< 8 or 16 */
    bool stores, wide_addresses;
    uint8_t bti;
    uint16_t addresses, data; /**< bytes in the registers */
};

/** What surfaces say, as long as nothing else is executed. */
struct gen_known_surfaces {
    unsigned count;
    struct gen_known_surface {
        uint8_t bti;
        uint64_t base, size;
        uint64_t page[2];       /**< that say it */
        const uint8_t *host[2]; /**< their memory */
    } surface[4];
};

/** The message of a send or sends. */
void gen_block_message(const struct gen_uop *u, struct gen_dwords *to);
/** Does it; false: it is not so simple, and nothing was done. Nobody watches memory. */
bool gen_access_dwords(struct gen_thread *t, const struct gen_uop *u, const struct gen_dwords *x,
                       struct gen_known_surfaces *known);

#endif
