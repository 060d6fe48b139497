/*
 * Results of wt_defined_result() for all operands: definedness OPERATION BITS DIGITS
 * [CONSTANTS [ends]].
 *
 * Case N's digits in base 3 are the bits of the sources, the lowest ones first: 0, 1, or undefined.
 * DIGITS ("8,8,3") says how many each source has. For each bit of the result, and then for the
 * carry, a bit set goes to stdout: of the cases in which it is undefined. CONSTANTS ("3,4") are
 * sources behind those; ends: the last digit of a source is its bit BITS - 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/definedness.h"

enum { MOST_SOURCES = 4 };

/* A source of so many digits of *n; an undefined bit has a value of its own. */
static struct wt_defined take(uint64_t *n, unsigned digits, uint64_t values, unsigned last)
{
    struct wt_defined x = {0};
    for (unsigned i = 0; i < digits; i++, *n /= 3) {
        const uint64_t digit = *n % 3, bit = UINT64_C(1) << (i + 1 < digits ? i : last);
        x.undefined |= digit == 2 ? bit : 0;
        x.value |= digit == 1 || (digit == 2 && values >> i & 1) ? bit : 0;
    }
    return x;
}

int main(int argc, char **argv)
{
    unsigned digits[MOST_SOURCES] = {0}, sources = 0, constants = 0;
    struct wt_defined in[MOST_SOURCES] = {{0}};
    const bool ends = argc > 5 && *argv[5];
    if (argc < 4)
        return 2;
    const unsigned operation = (unsigned)atoi(argv[1]), bits = (unsigned)atoi(argv[2]);
    uint64_t cases = 1;
    for (char *word = strtok(argv[3], ","); word && sources < MOST_SOURCES;
         word = strtok(NULL, ",")) {
        digits[sources] = (unsigned)atoi(word);
        for (unsigned i = 0; i < digits[sources]; i++)
            cases *= 3;
        sources++;
    }
    for (char *word = argc > 4 ? strtok(argv[4], ",") : NULL;
         word && sources + constants < MOST_SOURCES; word = strtok(NULL, ","))
        in[sources + constants++].value = strtoull(word, NULL, 0);
    const size_t bytes = (size_t)(cases + 7) / 8;
    uint8_t *plane = calloc(bits + 1, bytes);
    if (!plane)
        return 1;
    for (uint64_t n = 0; n < cases; n++) {
        struct wt_defined carry;
        uint64_t left = n, values = n * UINT64_C(0x9e3779b97f4a7c15);
        for (unsigned i = 0; i < sources; i++)
            in[i] = take(&left, digits[i], values >> (16 + 8 * i), ends ? bits - 1 : digits[i] - 1);
        const struct wt_defined is = wt_defined_result((enum wt_meaning_op)operation, in,
                                                       sources + constants, bits, false, &carry);
        for (unsigned i = 0; i < bits; i++)
            plane[i * bytes + n / 8] |= (uint8_t)((is.undefined >> i & 1) << n % 8);
        plane[bits * bytes + n / 8] |= (uint8_t)((carry.undefined & 1) << n % 8);
    }
    fwrite(plane, bytes, bits + 1, stdout);
    free(plane);
    return ferror(stdout) != 0;
}
