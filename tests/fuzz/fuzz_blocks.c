/*
 * Fuzz target: the translator. The input chooses a program, its lanes, schedule, steps, watches and
 * snapshots, as the unit tests of blocks choose them at random; handlers alone and translated
 * blocks must come to the same states, hits and faults at the same issue times. The first byte says
 * whose program it is: of PTX (tests/unit/test_ptx_blocks.c), Vortex (test_vx_blocks.c), gfx900
 * (test_gcn_blocks.c) or Gen9 (test_gen_blocks.c).
 */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void fuzz_ptx_blocks(const uint8_t *data, size_t size);
void fuzz_vx_blocks(const uint8_t *data, size_t size);
void fuzz_gcn_blocks(const uint8_t *data, size_t size);
void fuzz_gen_blocks(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const compare[])(const uint8_t *, size_t) = {fuzz_ptx_blocks, fuzz_vx_blocks,
                                                               fuzz_gcn_blocks, fuzz_gen_blocks};
    if (size < 2 || size > 4096)
        return 0;
    compare[data[0] % 4](data + 1, size - 1);
    return 0;
}
