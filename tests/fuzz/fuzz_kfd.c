/*
 * Fuzz target: the ioctls of /dev/kfd. An input is a list of calls: the number of an ioctl, the
 * size and direction that its request claims, and the bytes of its arguments, in which two places
 * may be replaced by what a program would really give: a GPU's number, a queue, an event, a handle,
 * an address in memory. Waves run meanwhile. Whatever comes, the driver lives, and an ioctl that is
 * right is served afterwards.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/kfd/kfd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

enum { MEMORY = 0x40000, LARGEST = 256 };

static uint8_t *memory;

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    setenv("WAVETRAP_GPUS", "gfx900:cu=1 gfx900:cu=1", 1);
    if (hsaKmtOpenKFD())
        abort();
    memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return 0;
}

/* Something that is right in a program, chosen by a byte. */
static uint64_t good(uint8_t choice, uint64_t handle)
{
    switch (choice % 8) {
    case 0:
        return host_gpu_id(&host_get()->gpu[choice >> 3 & 1]);
    case 1:
        return (uint64_t)(uintptr_t)memory + (uint64_t)(choice >> 3) * 4096;
    case 2:
        return host_get()->next_queue - 1 - (choice >> 3) % 4;
    case 3:
        return 1 + (choice >> 3) % 8; /* an event, a count, a type */
    case 4:
        return handle;
    case 5:
        return (uint64_t)getpid() | (uint64_t)(choice >> 3)
                                        << 32; /* debug trap: and an operation */
    case 6:
        return 0x200000000 + (uint64_t)(choice >> 3) * 0x10000;
    default:
        return (uint64_t)4096 << (choice >> 3) % 4;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kfd_ioctl_get_version_args version = {0};
    uint64_t handle = 0;
    while (size >= 8) {
        uint8_t arguments[LARGEST + 64] = {0};
        const unsigned number = data[0], claimed = data[1], length = data[2] % 96,
                       direction = data[3] & 3;
        const size_t taken = length < size - 8 ? length : size - 8;
        const unsigned long request = _IOC(direction, data[3] & 4 ? 'x' : 'K', number, claimed);
        memcpy(arguments, data + 8, taken);
        for (unsigned i = 0; i < 2; i++)
            if (data[4 + 2 * i] & 0x80) {
                const uint64_t value = good(data[5 + 2 * i], handle);
                memcpy(arguments + (data[4 + 2 * i] & 0x3f), &value,
                       data[4 + 2 * i] & 0x40 ? 4 : 8);
            }
        /* Nobody sets events for long waits: the timeout is short. */
        if (number == _IOC_NR(AMDKFD_IOC_WAIT_EVENTS))
            arguments[16] &= 1, arguments[17] = arguments[18] = arguments[19] = 0;
        /* Shared virtual memory is the program's: only the memory that is meant for it. */
        kfd_ioctl(request, data[3] & 8 ? (void *)(uintptr_t)1 : arguments);
        if (number == _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU))
            memcpy(&handle, arguments + 16, 8);
        data += 8 + taken;
        size -= 8 + taken;
    }
    if (kfd_ioctl(AMDKFD_IOC_GET_VERSION, &version) || version.major_version != 1)
        abort();
    /* A new life for the next input. */
    host_debug_close(host_get());
    hsaKmtCloseKFD();
    if (hsaKmtOpenKFD())
        abort();
    memset(memory, 0, MEMORY);
    return 0;
}
