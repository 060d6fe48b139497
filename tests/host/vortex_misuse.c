/* Calls of libvortex.so that are mistakes: a table of them, each of which must fail and leave the
 * program going. KERNEL. */
#define VORTEX_API 2
#include "runtime/vortex/vortex.h"

#include <string.h>

#define FAILS(call)                                                                                \
    do                                                                                             \
        if ((call) != -1)                                                                          \
            printf("wrong: %s\n", #call);                                                          \
    while (0)
#define WORKS(call)                                                                                \
    do                                                                                             \
        if ((call) != 0)                                                                           \
            printf("wrong: %s\n", #call);                                                          \
    while (0)

int main(int argc, char **argv)
{
    vx_device_h device;
    vx_buffer_h buffer, other, kernel;
    uint64_t value = 0, address = 0, used = 0;
    uint32_t word;
    char bytes[256];
    FAILS(vx_dev_open(NULL));
    WORKS(vx_dev_open(&device));
    memset(bytes, 1, sizeof bytes);
    vx_device_h const none[] = {NULL, (void *)1, bytes, (char *)device + 1};
    for (unsigned i = 0; i < 4; i++) {
        FAILS(vx_dev_close(none[i]));
        FAILS(vx_dev_caps(none[i], VX_CAPS_NUM_CORES, &value));
        FAILS(vx_mem_alloc(none[i], 16, VX_MEM_READ, &buffer));
        FAILS(vx_mem_info(none[i], &value, &used));
        FAILS(vx_ready_wait(none[i], 1));
        FAILS(vx_dcr_write(none[i], 1, 0));
        FAILS(vx_mpm_query(none[i], 0xb00, 0, &value));
        FAILS(vx_check_occupancy(none[i], 4, &word));
        FAILS(vx_dump_perf(none[i], stdout));
        FAILS(vx_upload_bytes(none[i], bytes, 16, &buffer));
        FAILS(vx_upload_kernel_file(none[i], argv[1], &buffer));
        FAILS(vx_mem_address(none[i], &address));
        FAILS(vx_copy_to_dev(none[i], bytes, 0, 16));
    }
    FAILS(vx_dev_caps(device, 0x1000, &value));
    FAILS(vx_dev_caps(device, VX_CAPS_NUM_CORES, NULL));
    FAILS(vx_mem_alloc(device, 0, VX_MEM_READ, &buffer));
    FAILS(vx_mem_alloc(device, 16, VX_MEM_READ, NULL));
    FAILS(vx_mem_alloc(device, 16, 0x100, &buffer));
    FAILS(vx_mem_alloc(device, (uint64_t)1 << 33, VX_MEM_READ, &buffer)); /* more than all memory */
    FAILS(vx_mem_alloc(device, UINT64_MAX, VX_MEM_READ, &buffer));
    WORKS(vx_mem_alloc(device, 256, VX_MEM_READ_WRITE, &buffer));
    WORKS(vx_mem_address(buffer, &address));
    FAILS(vx_mem_address(buffer, NULL));
    FAILS(vx_mem_reserve(device, address + 128, 256, VX_MEM_READ, &other)); /* over another */
    FAILS(vx_mem_reserve(device, UINT64_MAX - 8, 16, VX_MEM_READ, &other));
    FAILS(vx_mem_access(buffer, 0, 256, 0x80));
    FAILS(vx_mem_access(buffer, 1, 256, VX_MEM_READ));
    FAILS(vx_copy_to_dev(buffer, bytes, 0, 257));
    FAILS(vx_copy_to_dev(buffer, bytes, UINT64_MAX, 2)); /* the sum wraps */
    FAILS(vx_copy_to_dev(buffer, bytes, UINT64_MAX - 15, 16));
    FAILS(vx_copy_to_dev(buffer, NULL, 0, 16));
    FAILS(vx_copy_from_dev(bytes, buffer, 250, 16));
    FAILS(vx_copy_from_dev(NULL, buffer, 0, 16));
    FAILS(vx_copy_to_dev(device, bytes, 0, 16)); /* another kind of handle */
    FAILS(vx_dcr_write(device, 0xfff, 0));
    FAILS(vx_dcr_read(device, 1, &word));
    FAILS(vx_mpm_query(device, 0xb00, 99, &value));
    FAILS(vx_mpm_query(device, 0x300, 0, &value));
    FAILS(vx_check_occupancy(device, 1000, &word));
    FAILS(vx_check_occupancy(device, 0, &word));
    FAILS(vx_upload_kernel_file(device, "/nowhere.vxbin", &kernel));
    FAILS(vx_upload_kernel_bytes(device, bytes, sizeof bytes, &kernel)); /* no such header */
    FAILS(vx_upload_kernel_bytes(device, bytes, 3, &kernel));
    FAILS(vx_upload_file(device, "/nowhere", &other));
    FAILS(vx_start(device, NULL, buffer));
    FAILS(vx_start(device, buffer, NULL));
    WORKS(vx_ready_wait(device, 1));
    WORKS(vx_upload_kernel_file(device, argv[1], &kernel));
    FAILS(vx_upload_kernel_file(device, argv[1], &other)); /* at the same place */
    WORKS(vx_mem_free(kernel));
    FAILS(vx_start(device, kernel, buffer)); /* it was freed */
    WORKS(vx_copy_from_dev(bytes, buffer, 0, 256));
    WORKS(vx_mem_free(buffer));
    FAILS(vx_mem_free(buffer));
    WORKS(vx_mem_alloc(device, 256, VX_MEM_READ_WRITE, &other)); /* of the same slot */
    FAILS(vx_copy_to_dev(buffer, bytes, 0, 16));
    WORKS(vx_mem_free(other));
    WORKS(vx_mem_free(NULL));
    WORKS(vx_dev_close(device));
    FAILS(vx_dev_close(device));
    FAILS(vx_mem_alloc(device, 16, VX_MEM_READ, &buffer));
    return 0;
}
