/* The start-up of a HIP program. `startup` asks for the GPUs, `startup memory` allocates as well, and
 * `startup kernel` runs an empty kernel, too. Without a GPU it ends there, with the status 3. */
#include <cstring>
#include <hip/hip_runtime.h>

__global__ void empty()
{
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int devices = 0;
    void *memory;
    if (hipGetDeviceCount(&devices) != hipSuccess || !devices)
        return 3;
    if (*what && hipMalloc(&memory, 4096) != hipSuccess)
        return 1;
    if (strcmp(what, "kernel") != 0)
        return 0;
    empty<<<1, 64>>>();
    return hipDeviceSynchronize() != hipSuccess;
}
