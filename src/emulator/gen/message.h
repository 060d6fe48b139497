/* Messages to shared functions: what send and sends say, decoded. */
#ifndef WT_EMULATOR_GEN_MESSAGE_H
#define WT_EMULATOR_GEN_MESSAGE_H

#include "emulator/gen/internal.h"

/** Shared functions (Skylake PRM volume 7, "Shared Functions"). */
enum gen_sfid {
    GEN_SFID_NULL = 0,
    GEN_SFID_SAMPLER = 2,
    GEN_SFID_GATEWAY = 3,
    GEN_SFID_SPAWNER = 7,
    GEN_SFID_CONSTANT = 9, /**< constant cache data port: block reads */
    GEN_SFID_DC0 = 10,
    GEN_SFID_DC1 = 12,
};

/** Binding table indices that are no entries of the table. */
enum { GEN_BTI_STATELESS_NC = 0xfd, GEN_BTI_SLM = 0xfe, GEN_BTI_STATELESS = 0xff };

/** A message. */
struct gen_message {
    struct gen_thread *t;
    const struct gen_uop *u;
    uint32_t desc, exdesc;
    unsigned sfid, type; /* of data ports: desc[18:14] */
    unsigned bti;
    unsigned lengths[2]; /* of the payloads in registers */
    unsigned response;   /* registers */
    bool header;
    uint32_t on;         /* channels, from bit 0 on */
    unsigned payload[2]; /* byte offsets in the register file */
    unsigned dst;        /* likewise; valid if response > 0 */
};

/** A surface: where a binding table index leads. */
struct gen_surface {
    bool is_slm;
    uint64_t base, size;
    uint8_t kind; /* SURFTYPE: 4 is a buffer, 7 null */
    uint16_t format;
    uint32_t width, height, depth, pitch;
    uint8_t tiling; /* 0 linear, 2 X, 3 Y */
};

/** A mistake in a message: gen_fault with its name in front. */
const struct gen_uop *gen_message_fault(const struct gen_message *m, enum wt_fault_kind kind,
                                        uint32_t lanes, uint64_t addr, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/** This emulator does not have the message. */
const struct gen_uop *gen_message_unknown(const struct gen_message *m);

/** Data ports 0 and 1 and the constant cache's (dataport.c). */
const struct gen_uop *gen_dataport(struct gen_message *m);
/** Finds a surface; NULL, or what the caller must return. */
const struct gen_uop *gen_find_surface(const struct gen_message *m, struct gen_surface *s,
                                       bool *good);

#endif
