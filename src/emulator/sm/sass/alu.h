/* Helpers of the ALU executors: alu_int.c, alu_bit.c, alu_fp.c, alu_cvt.c, alu_video.c. */
#ifndef WT_EMULATOR_SM_SASS_ALU_H
#define WT_EMULATOR_SM_SASS_ALU_H

#include "emulator/machine/softfloat.h"
#include "emulator/sm/internal.h"

#define FOR_LANES(i) for (unsigned i = 0; i < SM_LANES; i++)

/* Puts a mask of lanes into a place under the lanes that count. */
static inline void sm_merge(const struct sm_exec *x, uint32_t *to, uint32_t value)
{
    *to = (*to & ~x->exec) | (value & x->exec);
}

/* Sets the predicate at a bit of the word under the lanes that count; PT stays true. */
static inline void sm_set_predicate(const struct sm_exec *x, unsigned pos, uint32_t value)
{
    const unsigned p = (unsigned)sm_bits(x->u->word, pos, 3);
    if (p != 7)
        sm_merge(x, &x->w->p[p], value);
}

/* The predicate at a bit, whose inversion is at another. */
static inline uint32_t sm_source_predicate(const struct sm_exec *x, unsigned pos, unsigned not )
{
    const uint64_t word = x->u->word;
    return sm_predicate(x->w, (unsigned)sm_bits(word, pos, 3) | (sm_bit(word, not ) ? 8 : 0));
}

/* All ones if the instruction has a modifier (enum sm_mod), else 0. */
static inline uint32_t sm_all_if(const struct sm_exec *x, unsigned mod)
{
    return x->u->mods & mod ? ~0u : 0;
}

/* Field rnd. */
static inline enum wt_round sm_round(unsigned field)
{
    static const enum wt_round modes[4] = {WT_RNE, WT_RDN, WT_RUP, WT_RTZ};
    return modes[field & 3];
}

/* Operand B of a lane as 64 bits. */
static inline uint64_t sm_pair(const uint32_t *row, unsigned i)
{
    return row[i] | (uint64_t)row[i + SM_LANES] << 32;
}

/* A result of 64 bits. */
static inline void sm_put_pair(struct sm_exec *x, unsigned i, uint64_t value)
{
    x->d[0][i] = (uint32_t)value;
    x->d[1][i] = (uint32_t)(value >> 32);
}

/* AND, OR, XOR of fields bool45, bool24. */
static inline uint32_t sm_combine(unsigned how, uint32_t a, uint32_t b)
{
    return how == 0 ? a & b : how == 1 ? a | b : a ^ b;
}

/* ---- exec.c ---- */

/* The condition code from masks, if the instruction sets it. */
void sm_set_cc(const struct sm_exec *x, uint32_t z, uint32_t s, uint32_t c, uint32_t o);
/* Z and S of the first result row; C and O are cleared. */
void sm_set_logic_cc(const struct sm_exec *x);
/* The result of a comparison, combined with a third predicate: two predicates, of which the second
 * has the inverse. Returns that there are no rows. */
unsigned sm_set_predicates(struct sm_exec *x, uint32_t mask);
/* A row of 0 and all ones, or (.BF) of 0 and 1.0, from such a combination. */
unsigned sm_set_row(struct sm_exec *x, uint32_t mask);

#endif
