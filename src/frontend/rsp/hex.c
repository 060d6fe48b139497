/* Hexadecimal text, by table in both directions. */
#include "frontend/rsp/hex.h"

#include <string.h>

static const char digits[] = "0123456789abcdef";

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

void wt_hex_encode(char *out, const void *bytes, size_t size)
{
    const uint8_t *in = bytes;
    /* Eight bytes at a time as one vector of nibbles: a digit is '0' + n, and 39 more from 'a' on.
     * Written so that the compiler turns it into vector code. */
    typedef uint8_t nibbles __attribute__((vector_size(32)));
    size_t i = 0;
    for (; i + 16 <= size; i += 16) {
        nibbles n;
        for (unsigned k = 0; k < 16; k++) {
            n[2 * k] = in[i + k] >> 4;
            n[2 * k + 1] = in[i + k] & 15;
        }
        nibbles letter = (nibbles)(n > 9) & 39;
        n += letter + '0';
        memcpy(out + 2 * i, &n, sizeof n);
    }
    for (; i < size; i++) {
        out[2 * i] = digits[in[i] >> 4];
        out[2 * i + 1] = digits[in[i] & 15];
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
