/* Runs one kernel (KERNEL) over all items, REPEAT times; for both hosts (see start.S). */
#include "kernels.h"

uint32_t input[ITEMS], other[ITEMS], output[ITEMS];
float finput[ITEMS], foutput[ITEMS];

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

/* lane of lanes: which items this thread takes. Returns a checksum of its own items. */
unsigned run(unsigned lane, unsigned lanes)
{
    for (unsigned i = lane; i < ITEMS; i += lanes) {
        input[i] = i * 2654435761u;
        other[i] = i ^ 0x55555555u;
        finput[i] = (float)(int)(i & 1023) * (1.0f / 2048.0f);
    }
    for (int repeat = 0; repeat < REPEAT; repeat++)
        for (unsigned i = lane; i < ITEMS; i += lanes)
            PASTE(item_, KERNEL)(i);
    return output[lane] & 1;
}
