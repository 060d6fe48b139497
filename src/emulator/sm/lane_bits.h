/* Bits of one lane: functions that PTX and machine code share (PTX manual, 9.7.1 and 9.7.9). */
#ifndef WT_EMULATOR_SM_LANE_BITS_H
#define WT_EMULATOR_SM_LANE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/** The number of the highest bit that is 1, of a negative signed number 0; all ones: there is none.
 * As an amount: by how far a shift to the left brings it to the top. */
static inline uint32_t sm_find_bit(uint64_t a, bool is_signed, unsigned bits, bool shift_amount)
{
    const uint64_t mask = bits == 64 ? UINT64_MAX : UINT32_MAX;
    if (is_signed && a >> (bits - 1) & 1)
        a = ~a;
    a &= mask;
    if (!a)
        return UINT32_MAX;
    const uint32_t at = 63 - (uint32_t)__builtin_clzll(a);
    return shift_amount ? bits - 1 - at : at;
}

/** The lower bits in the opposite order. */
static inline uint64_t sm_reverse_bits(uint64_t a, unsigned bits)
{
    a = (a & UINT64_C(0x5555555555555555)) << 1 | (a >> 1 & UINT64_C(0x5555555555555555));
    a = (a & UINT64_C(0x3333333333333333)) << 2 | (a >> 2 & UINT64_C(0x3333333333333333));
    a = (a & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4 | (a >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f));
    return __builtin_bswap64(a) >> (64 - bits);
}

/* The lowest bits of a field: as many of its length as there are from pos on. */
static inline uint64_t field_mask(uint32_t pos, uint32_t length, unsigned bits)
{
    const uint32_t room = pos < bits ? bits - pos : 0, n = length < room ? length : room;
    return n < 64 ? ((uint64_t)1 << (n & 63)) - 1 : UINT64_MAX;
}

/** c bits from position b on, both of 8 bits; bits beyond the operand are its sign (9.7.1.19). */
static inline uint64_t sm_extract(uint64_t a, uint32_t b, uint32_t c, bool is_signed, unsigned bits)
{
    const uint32_t pos = b & 0xff, length = c & 0xff;
    const uint32_t top = pos + length - 1 < bits - 1 ? pos + length - 1 : bits - 1;
    const uint64_t mask = field_mask(pos, length, bits);
    const uint64_t sign = is_signed && length ? 0 - (a >> (top & 63) & 1) : 0;
    return (a >> (pos & 63) & mask) | (sign & ~mask);
}

/** b, in which bits from position c on are replaced by as many (d) of a; both numbers have 8 bits.
 */
static inline uint64_t sm_insert(uint64_t a, uint64_t b, uint32_t c, uint32_t d, unsigned bits)
{
    const uint32_t pos = c & 0xff;
    const uint64_t mask = field_mask(pos, d & 0xff, bits) << (pos & 63);
    return (b & ~mask) | (a << (pos & 63) & mask);
}

/* Bytes of b:a that the nibbles of c choose; bit 3 of a nibble spreads the byte's sign. */
static inline uint32_t choose_byte(uint64_t both, unsigned nibble)
{
    const uint32_t byte = (uint32_t)(both >> 8 * (nibble & 7)) & 0xff;
    return nibble & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

/** Bytes of b:a by nibbles of c, or by a mode: f4e, b4e, rc8, ecl, ecr, rc16 from 1 on. */
static inline uint32_t sm_permute(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    static const uint16_t modes[7][4] = {
        {0},
        {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e */
        {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e */
        {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8 */
        {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl */
        {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr */
        {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16 */
    };
    const uint64_t both = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    if (mode)
        c = modes[mode][c & 3];
    for (unsigned i = 0; i < 4; i++)
        r |= choose_byte(both, mode ? c >> 4 * i & 7 : c >> 4 * i & 15) << 8 * i;
    return r;
}

/** Each bit by a table of 8 bits; that of a has the highest place in its index. */
static inline uint32_t sm_logic3(uint32_t a, uint32_t b, uint32_t c, unsigned table)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1)
            r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}

#endif
