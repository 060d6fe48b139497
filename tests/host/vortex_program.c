/* A host program of Vortex 2.x: KERNEL [MODE [LAUNCHES]]. Prints what the kernel has left, or which
 * call has failed. MODE 7 waits for a line before each launch but the first. */
#define VORTEX_API 2
#include "runtime/vortex/vortex.h"

#include <stdlib.h>

enum { COUNT = 100 };

static int check(const char *name, int result)
{
    if (result)
        printf("%s: %d\n", name, result);
    return result;
}
#define TRY(call)                                                                                  \
    do                                                                                             \
        if (check(#call, call))                                                                    \
            return 1;                                                                              \
    while (0)

int main(int argc, char **argv)
{
    const int mode = argc > 2 ? atoi(argv[2]) : 0, launches = argc > 3 ? atoi(argv[3]) : 1;
    struct {
        uint32_t count, mode;
        uint64_t a, b, c;
    } arguments = {.count = COUNT, .mode = (uint32_t)mode};
    vx_device_h device;
    vx_buffer_h a, b, c, kernel, block;
    int32_t words[COUNT];
    int64_t sum = 0;
    uint64_t instructions;
    setbuf(stdout, NULL);
    TRY(vx_dev_open(&device));
    TRY(vx_mem_alloc(device, sizeof words, VX_MEM_READ, &a));
    TRY(vx_mem_alloc(device, sizeof words, VX_MEM_READ, &b));
    TRY(vx_mem_alloc(device, sizeof words, VX_MEM_WRITE, &c));
    TRY(vx_mem_address(a, &arguments.a));
    TRY(vx_mem_address(b, &arguments.b));
    TRY(vx_mem_address(c, &arguments.c));
    for (int i = 0; i < COUNT; i++)
        words[i] = i;
    TRY(vx_copy_to_dev(a, words, 0, sizeof words));
    TRY(vx_copy_to_dev(b, words, 0, sizeof words));
    TRY(vx_upload_kernel_file(device, argv[1], &kernel));
    TRY(vx_upload_bytes(device, &arguments, sizeof arguments, &block));
    for (uint32_t i = 0; mode == 8 && i < 16; i++) /* vx_start writes those of the start itself */
        if (!vx_dcr_write(device, i, 0x12345678))
            printf("register 0x%x\n", i);
    for (int i = 0; i < launches; i++) {
        if (mode == 7 && i)
            printf("launch %d waits\n", i + 1), getchar();
        TRY(vx_start(device, kernel, block));
        TRY(vx_ready_wait(device, mode == 3 ? 10 : VX_MAX_TIMEOUT));
        TRY(vx_copy_from_dev(words, c, 0, sizeof words));
        TRY(vx_copy_to_dev(a, words, 0, sizeof words));
    }
    for (int i = 0; i < COUNT; i++)
        sum += words[i];
    TRY(vx_mpm_query(device, 0xb02, 0, &instructions));
    printf("sum %lld%s\n", (long long)sum, instructions ? "" : ", no instructions");
    TRY(vx_mem_free(a));
    TRY(vx_mem_free(b));
    TRY(vx_mem_free(c));
    TRY(vx_mem_free(kernel));
    if (mode != 5) /* leaks the arguments */
        TRY(vx_mem_free(block));
    TRY(vx_dev_close(device));
    return 0;
}
