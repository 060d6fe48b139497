/* Hexadecimal text, by table in both directions. */
#include "frontend/rsp/hex.h"

#include <string.h>

const int8_t wt_hex_value[256] = {
    [0 ... '0' - 1] = -1,
    ['0'] = 0,
    ['1'] = 1,
    ['2'] = 2,
    ['3'] = 3,
    ['4'] = 4,
    ['5'] = 5,
    ['6'] = 6,
    ['7'] = 7,
    ['8'] = 8,
    ['9'] = 9,
    ['9' + 1 ... 'A' - 1] = -1,
    ['A'] = 10,
    ['B'] = 11,
    ['C'] = 12,
    ['D'] = 13,
    ['E'] = 14,
    ['F'] = 15,
    ['F' + 1 ... 'a' - 1] = -1,
    ['a'] = 10,
    ['b'] = 11,
    ['c'] = 12,
    ['d'] = 13,
    ['e'] = 14,
    ['f'] = 15,
    ['f' + 1 ... 255] = -1,
};

/* A digit is '0' + n, and 39 more from 'a' on: arithmetic that compilers make vector code of. */
static inline char digit(unsigned n)
{
    return (char)(n + '0' + (n > 9 ? 39 : 0));
}

void wt_hex_encode(char *restrict out, const void *restrict bytes, size_t size)
{
    const uint8_t *restrict in = bytes;
    for (size_t i = 0; i < size; i++) {
        out[2 * i] = digit(in[i] >> 4);
        out[2 * i + 1] = digit(in[i] & 15);
    }
}

size_t wt_hex_decode(void *bytes, const char *text, size_t size)
{
    uint8_t *out = bytes;
    const uint8_t *in = (const uint8_t *)text;
    for (size_t i = 0; i < size; i++) {
        int high = wt_hex_value[in[2 * i]];
        if (high < 0)
            return i;
        int low = wt_hex_value[in[2 * i + 1]];
        if (low < 0)
            return i;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return size;
}
