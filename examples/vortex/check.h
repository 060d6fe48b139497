/*
 * What all examples use to make up their input and to judge their output: a generator of
 * pseudo-random numbers and a checksum, the same on every machine.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** The i-th number of a fixed pseudo-random sequence (a multiplicative hash of i). */
static inline uint32_t noise(uint32_t i)
{
    uint32_t x = i * 2654435761u + 0x9e3779b9u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    return x;
}

/** A number from -1 up to, not including, 1 that a float holds exactly. */
static inline float noise_float(uint32_t i)
{
    return (float)(int32_t)(noise(i) >> 8) / 8388608.0f - 1.0f;
}

/** FNV-1a over bytes. */
static inline uint32_t checksum(const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ p[i]) * 16777619u;
    return sum;
}

/** Prints the checksum of a result; returns 0 if it is what is expected, else prints where not. */
static inline int judge(const char *name, const void *result, const void *expected, size_t count,
                        size_t size)
{
    printf("%s: %u elements, checksum %08lx\n", name, (unsigned)count,
           (unsigned long)checksum(result, count * size));
    for (size_t i = 0; i < count; i++) {
        if (memcmp((const char *)result + i * size, (const char *)expected + i * size, size) != 0) {
            printf("%s: element %u is wrong\n", name, (unsigned)i);
            return 1;
        }
    }
    return 0;
}

#endif
