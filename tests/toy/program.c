/* A host program: launches the kernel of a file twice on a buffer, and prints the buffer's sum. */
#include <stdio.h>
#include <stdlib.h>

#include "toy_host.h"

int main(int argc, char **argv)
{
    enum { WORDS = 64 };
    static char file[4096];
    uint64_t *words = toy_allocate(WORDS * sizeof *words), sum = 0;
    FILE *in = fopen(argv[argc > 1], "rb");
    if (!words || !in)
        return 2;
    const size_t size = fread(file, 1, sizeof file, in);
    fclose(in);
    const uint64_t argument[] = {(uint64_t)words, 3}; // NOLINT
    for (int i = 0; i < 2; i++)
        if (toy_launch(file, size, 4, 2, argument))
            return 1;
    for (int i = 0; i < WORDS; i++)
        sum += words[i];
    printf("sum %llu\n", (unsigned long long)sum);
    return 0;
}
