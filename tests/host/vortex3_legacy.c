/* A program of 3.0 that only calls functions that 2.x has, too: FILE. Prints what each gives. */
#define VORTEX_API 3
#include "runtime/vortex/vortex.h"

int main(int argc, char **argv)
{
    vx_device_h device;
    vx_buffer_h kernel;
    uint64_t value = 0;
    uint32_t word = 0;
    setbuf(stdout, NULL);
    if (argc < 2 || vx_dev_open(&device))
        return 1;
    printf("occupancy %d\n", vx_check_occupancy(device, 4, 64));
    printf("counter %d\n", vx_mpm_query(device, 0, 0xb02, 0, &value));
    printf("register %d", vx_dcr_read(device, 0x14, 1, &word));
    printf(" 0x%x\n", word);
    printf("caps %d\n", vx_dev_caps(device, VX_CAPS_NUM_CLUSTERS, &value) ? -1 : (int)value);
    if (vx_upload_kernel_file(device, argv[1], &kernel))
        return 1;
    /* KERNEL_ENTRY is one of 3.0's */
    printf("profile %d", vx_dcr_write(device, 0x12, 0x80000000));
    printf(" 0x%x\n", 0x80000000);
    return vx_mem_free(kernel) || vx_dev_close(device);
}
