/* Bit fields, sign extension and little-endian bytes. */
#ifndef WT_BASE_BITS_H
#define WT_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The field word[msb:lsb], right-aligned. 31 >= msb >= lsb >= 0. */
static inline uint32_t wt_field(uint32_t word, unsigned msb, unsigned lsb)
{
    return (uint32_t)((word >> lsb) & (((uint64_t)1 << (msb - lsb + 1)) - 1));
}

/** @p word with its field [msb:lsb] replaced by the low bits of @p value. */
static inline uint32_t wt_with_field(uint32_t word, unsigned msb, unsigned lsb, uint32_t value)
{
    uint32_t mask = (uint32_t)(((((uint64_t)1) << (msb - lsb + 1)) - 1) << lsb);
    return (word & ~mask) | ((value << lsb) & mask);
}

/** The low @p bits (1..64) of @p value as a two's complement number. */
static inline int64_t wt_sign_extend(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/** Reads @p size (1..8) little-endian bytes. */
static inline uint64_t wt_load_le(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)b[i] << (8 * i);
    return value;
}

/** Writes the low @p size (1..8) bytes of @p value, little-endian. */
static inline void wt_store_le(void *bytes, uint64_t value, size_t size)
{
    uint8_t *b = bytes;
    for (size_t i = 0; i < size; i++)
        b[i] = (uint8_t)(value >> (8 * i));
}

#endif
