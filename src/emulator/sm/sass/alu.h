/* Helpers of the ALU executors: alu_int.c, alu_bit.c, alu_fp.c, alu_cvt.c, alu_misc.c. */
#ifndef WT_EMULATOR_SM_SASS_ALU_H
#define WT_EMULATOR_SM_SASS_ALU_H

#include "emulator/sm/internal.h"

#define FOR_LANES(i) for (unsigned i = 0; i < SM_LANES; i++)

/* Puts a mask of lanes into a place under the lanes that count. */
static inline void sm_merge(const struct sm_exec *x, uint32_t *to, uint32_t value)
{
    *to = (*to & ~x->exec) | (value & x->exec);
}

/* Sets a predicate under the lanes that count; PT stays true. */
static inline void sm_set_predicate(const struct sm_exec *x, unsigned p, uint32_t value)
{
    if (p != 7)
        sm_merge(x, &x->w->p[p], value);
}

/* The predicate at a bit, whose inversion is at another. */
static inline uint32_t sm_source_predicate(const struct sm_exec *x, unsigned pos, unsigned not )
{
    return sm_predicate(x->w, (unsigned)sm_bits(x->word, pos, 3) | (sm_bit(x->word, not ) ? 8 : 0));
}

/* The condition code from masks, if bit cc of the word asks for it. */
static inline void sm_set_cc(const struct sm_exec *x, unsigned cc, uint32_t z, uint32_t s,
                             uint32_t c, uint32_t o)
{
    if (!sm_bit(x->word, cc))
        return;
    sm_merge(x, &x->w->z, z);
    sm_merge(x, &x->w->s, s);
    sm_merge(x, &x->w->carry, c);
    sm_merge(x, &x->w->o, o);
}

/* Z and S of the first result row; C and O are cleared. */
static inline void sm_set_logic_cc(const struct sm_exec *x, unsigned cc)
{
    if (!sm_bit(x->word, cc))
        return;
    uint32_t z = 0, s = 0;
    FOR_LANES (i) {
        z |= (uint32_t)!x->d[0][i] << i;
        s |= x->d[0][i] >> 31 << i;
    }
    sm_set_cc(x, cc, z, s, 0, 0);
}

/* AND, OR, XOR of fields bool45, bool24. */
static inline uint32_t sm_combine(unsigned how, uint32_t a, uint32_t b)
{
    return how == 0 ? a & b : how == 1 ? a | b : a ^ b;
}

/* Rows of 0 and all ones, or (BF) of 0 and 1.0, from a mask. */
static inline unsigned sm_set_row(struct sm_exec *x, uint32_t mask, bool floating)
{
    FOR_LANES (i)
        x->d[0][i] = mask >> i & 1 ? (floating ? 0x3f800000u : 0xffffffffu) : 0;
    return 1;
}

#endif
