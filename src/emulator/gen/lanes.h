/* Accesses of all lanes of a message of the data port at once. */
#ifndef WT_EMULATOR_GEN_LANES_H
#define WT_EMULATOR_GEN_LANES_H

#include "emulator/gen/message.h"

/** The access of one message. */
struct gen_transfer {
    struct gen_surface surface;
    unsigned lanes;      /* lanes of the message: 8 or 16; of a block 1 */
    bool wide_addresses; /* addresses have 64 bits */
    unsigned size;       /* bytes of an element: 1, 2, 4, 8 */
    unsigned slot;       /* bytes that an element takes in registers: 4 or 8 */
    unsigned unit;       /* bytes that an address counts; 0: 1 */
    unsigned align;      /* that the machine demands of an address; 0: none */
    unsigned elements;   /* elements of a lane */
    uint8_t offset[8];   /* offset of each, in memory */
    uint64_t addr[GEN_CHANNELS];
    uint32_t on;
    uint32_t outside; /* lanes with bytes outside the surface, which are not accessed */
    uint32_t refused; /* lanes that access nothing, by the machine's judge */
};

/** Intel's compiler marks pointers to shared local memory by bit 28, which the memory ignores. */
#define GEN_SLM_OFFSET UINT64_C(0x0fffffff)

/** Bytes from a lane's first to behind its last element. */
static inline unsigned gen_extent(const struct gen_transfer *x)
{
    return x->offset[x->elements - 1] + x->size;
}

/** Where a message's addresses lie in the registers: behind its header. */
static inline const uint8_t *gen_addresses(const struct gen_message *m)
{
    return gen_registers(m) + m->payload[0] + (m->header ? GEN_GRF_BYTES : 0);
}

/**
 * Loads the elements of all lanes, each of which takes @p padded bytes of the response. False where
 * that is not so simple, and then nothing was done: an access is a mistake, or crosses pages, or
 * memory is watched.
 */
bool gen_load_lanes(const struct gen_message *m, const struct gen_transfer *x, unsigned padded);
/** Stores likewise: the elements lie at byte @p data of the registers. */
bool gen_store_lanes(const struct gen_message *m, const struct gen_transfer *x, unsigned data,
                     unsigned padded);

/* ---- judging.c: for a machine with a judge ---- */

/** Asks the judge about the lanes' accesses, before their addresses are resolved: sets
 * x->refused. */
void gen_judge_lanes(const struct gen_message *m, struct gen_transfer *x, enum wt_watch_kind kind);
/** Asks about a block, which all channels of the message access; false: it is not accessed. */
bool gen_judge_block(const struct gen_message *m, const struct gen_transfer *x, bool write,
                     unsigned size);

#endif
