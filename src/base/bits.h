/* Bit fields, sign extension and little-endian bytes. */
#ifndef WT_BASE_BITS_H
#define WT_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/** A number whose low @p bits are 1; of 64 or more: all of them. */
static inline uint64_t wt_low_bits(unsigned bits)
{
    return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

/** The low @p bits (1..64) of @p value as a two's complement number. */
static inline int64_t wt_sign_extend(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/** How many bits are 1. Without POPCNT, which the oldest x86-64 lacks, the builtin is a call. */
static inline unsigned wt_count_ones(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(word * UINT64_C(0x0101010101010101) >> 56);
}

/** Reads @p size (1..8) little-endian bytes. */
static inline uint64_t wt_load_le(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    uint64_t value = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* The usual sizes as one load each, which compilers do not always make of the loop. */
    uint16_t two;
    uint32_t four;
    switch (size) {
    case 2:
        memcpy(&two, b, 2);
        return two;
    case 4:
        memcpy(&four, b, 4);
        return four;
    case 8:
        memcpy(&value, b, 8);
        return value;
    default:
        break;
    }
#endif
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)b[i] << (8 * i);
    return value;
}

/** Writes the low @p size (1..8) bytes of @p value, little-endian. */
static inline void wt_store_le(void *bytes, uint64_t value, size_t size)
{
    uint8_t *b = bytes;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    switch (size) {
    case 2:
        memcpy(b, &(uint16_t){(uint16_t)value}, 2);
        return;
    case 4:
        memcpy(b, &(uint32_t){(uint32_t)value}, 4);
        return;
    case 8:
        memcpy(b, &value, 8);
        return;
    default:
        break;
    }
#endif
    if (size > 8)
        __builtin_unreachable(); /* else GCC for arm64 warns of sizes that there are not */
    for (size_t i = 0; i < size; i++)
        b[i] = (uint8_t)(value >> (8 * i));
}

/** The bits of a float, as IEEE 754 lays them out. */
static inline uint32_t wt_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/** The float that has these bits. */
static inline float wt_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/** The bits of a double, as IEEE 754 lays them out. */
static inline uint64_t wt_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/** The double that has these bits. */
static inline double wt_double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
