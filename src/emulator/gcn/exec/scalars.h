/* Scalar operands of a wave: by their numbers, as values and as masks of lanes (operand.c). */
#ifndef WT_EMULATOR_GCN_EXEC_SCALARS_H
#define WT_EMULATOR_GCN_EXEC_SCALARS_H

#include "emulator/gcn/wave.h"

/*
 * Reads a scalar source of 32 bits that is no plain register: TTMP, M0, EXEC, inline constants,
 * apertures, flags, a literal (section 12.1).
 */
uint32_t gcn_other_scalar32(struct gcn_wave *w, const struct gcn_uop *u, unsigned n);
/*
 * As gcn_other_scalar32, of 64 bits. floating: the operation's type, for which a literal is the
 * high half.
 */
uint64_t gcn_other_scalar64(struct gcn_wave *w, const struct gcn_uop *u, unsigned n, bool floating);

/* Reads a scalar source of 32 bits by its operand number. Plain registers need no call. */
static inline uint32_t gcn_scalar32(struct gcn_wave *w, const struct gcn_uop *u, unsigned n)
{
    return n < GCN_TTMP ? w->s[n] : gcn_other_scalar32(w, u, n);
}

/* Reads a scalar source of 64 bits by its operand number; floating: see gcn_other_scalar64. */
static inline uint64_t gcn_scalar64(struct gcn_wave *w, const struct gcn_uop *u, unsigned n,
                                    bool floating)
{
    return n < GCN_TTMP ? gcn_pair(&w->s[n]) : gcn_other_scalar64(w, u, n, floating);
}

/*
 * A scalar source of 16 bits by its operand number: for a floating-point operation the inline
 * constants of binary16 (section 3.4), else the low half of `whole`, the source of 32 bits.
 */
uint16_t gcn_inline16(unsigned n, bool floating, uint32_t whole);

/*
 * Whether operand n is a trap temporary that the wave cannot access: outside privileged mode they
 * read 0 and writes are dropped.
 */
static inline bool gcn_hidden(const struct gcn_wave *w, unsigned n)
{
    return n >= GCN_TTMP && n < GCN_M0 && !(w->status & GCN_STATUS_PRIV);
}

/* Whether operand n keeps what is written to it: not the null register, nor EXEC_HI in a wave of 32
 * lanes. */
static inline bool gcn_keeps(const struct gcn_wave *w, unsigned n)
{
    return n < GCN_TTMP ||
           (!gcn_hidden(w, n) && n != GCN_NULL && !(w->narrow && n == GCN_EXEC + 1));
}

/* Writes a scalar destination by its operand number; EXEC, VCC and M0 are among them. */
static inline void gcn_write_scalar(struct gcn_wave *w, unsigned n, uint32_t value)
{
    if (gcn_keeps(w, n))
        w->s[n] = value;
}

/* Writes a scalar destination of 64 bits by its operand number. */
static inline void gcn_write_pair(struct gcn_wave *w, unsigned n, uint64_t value)
{
    if (gcn_keeps(w, n))
        gcn_set_pair(&w->s[n], n == GCN_EXEC && w->narrow ? (uint32_t)value : value);
}

/* Writes a mask of lanes to scalar registers. */
static inline void gcn_write_mask(struct gcn_wave *w, const struct gcn_uop *u, unsigned n,
                                  uint64_t mask)
{
    if (u->narrow)
        gcn_write_scalar(w, n, (uint32_t)mask);
    else
        gcn_write_pair(w, n, mask);
}

/* The highest bit of each lane's number, as a mask of lanes. */
uint64_t gcn_pack(const uint32_t *row);
/*
 * All ones in the lanes of the mask, zeros in the others; valid until the next call for the wave
 * (w->on).
 */
const uint32_t *gcn_lanes_on(struct gcn_wave *w, uint64_t mask);

#endif
