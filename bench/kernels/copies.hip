/*
 * copies WHAT COUNT: COUNT copies or fills of 64 MiB, or COUNT launches of an empty kernel; prints the seconds of one, CPU
 * time of the process and elapsed time. WHAT with "host-" in front is the same work of the C library.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <hip/hip_runtime.h>
#include <string>

static const size_t SIZE = 64 << 20;

__global__ void empty()
{
}

static double seconds(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const std::string what = argv[1];
    const int count = atoi(argv[2]);
    char *from, *to, *host = (char *)malloc(SIZE), *other = (char *)malloc(SIZE);
    const bool of_host = !what.compare(0, 5, "host-");
    bool good = host && other;
    if (good && !of_host)
        good = hipMalloc((void **)&from, SIZE) == hipSuccess && hipMalloc((void **)&to, SIZE) == hipSuccess;
    memset(host, 1, SIZE);
    memset(other, 2, SIZE);
    double cpu = 0, elapsed = 0;
    for (int i = -1; good && i < count; i++) { /* the first one is not counted: memory is touched, kernels are compiled */
        if (i == 0)
            cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), elapsed = seconds(CLOCK_MONOTONIC);
        if (what == "copy")
            good = hipMemcpy(to, from, SIZE, hipMemcpyDeviceToDevice) == hipSuccess;
        else if (what == "upload")
            good = hipMemcpy(to, host, SIZE, hipMemcpyHostToDevice) == hipSuccess;
        else if (what == "fill")
            good = hipMemset(to, 3, SIZE) == hipSuccess;
        else if (what == "host-copy")
            memcpy(other, host, SIZE);
        else if (what == "host-fill")
            memset(other, i, SIZE);
        else
            empty<<<1, 64>>>();
        asm volatile("" : : "r"(other) : "memory"); /* the copy is wanted */
        if (!of_host && (what != "queued" || i < 0))
            good = good && hipDeviceSynchronize() == hipSuccess;
    }
    good = good && (of_host || hipDeviceSynchronize() == hipSuccess);
    printf("%g %g\n", (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) / count, (seconds(CLOCK_MONOTONIC) - elapsed) / count);
    return good ? 0 : 1;
}
