/* Copies of a program that launches no kernel, in HIP and CUDA: copies_alone CASE. */
#include "gpu.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { SIZE = 1 << 20, ROWS = 16 };

int main(int argc, char **argv)
{
    API(Stream_t) one, other;
    char *from, *to, *pinned, *here = (char *)malloc(SIZE);
    const char *what = argv[1];
    const bool wait = argc > 2;
    int bad = API(Malloc)(&from, SIZE) || API(Malloc)(&to, SIZE) || API(MallocHost)((void **)&pinned, SIZE) ||
              API(StreamCreate)(&one) || API(StreamCreate)(&other);
    memset(here, 1, SIZE);
    memset(pinned, 1, SIZE);
    if (!strcmp(what, "unwritten")) {
        if (wait)
            bad |= API(Memcpy)(from, here, SIZE, API(MemcpyHostToDevice));
        bad |= API(Memcpy)(here, from, SIZE, API(MemcpyDeviceToHost));
    } else if (!strcmp(what, "few")) {
        if (wait)
            bad |= API(Memset)(from, 2, SIZE);
        bad |= API(Memcpy)(here, from, 64, API(MemcpyDeviceToHost));
    } else if (!strcmp(what, "copied")) {
        if (wait)
            bad |= API(Memset)(from, 2, SIZE);
        bad |= API(Memcpy)(to, from, SIZE, API(MemcpyDeviceToDevice));
        bad |= API(MemcpyAsync)(pinned, to, SIZE, API(MemcpyDeviceToHost), one) || API(StreamSynchronize)(one);
    } else if (!strcmp(what, "rows")) {
        if (wait)
            bad |= API(Memcpy2D)(from, 128, here, 64, 64, ROWS, API(MemcpyHostToDevice));
        bad |= API(Memcpy2D)(here, 64, from, 128, 64, ROWS, API(MemcpyDeviceToHost));
    } else if (!strcmp(what, "read_early")) {
        bad |= API(MemsetAsync)(from, 1, SIZE, one) || API(MemcpyAsync)(pinned, from, SIZE, API(MemcpyDeviceToHost), one);
        if (wait)
            bad |= API(StreamSynchronize)(one);
        (void)*(volatile char *)(pinned + 5);
    } else if (!strcmp(what, "stored_early")) {
        bad |= API(MemcpyAsync)(from, pinned, SIZE, API(MemcpyHostToDevice), one);
        if (wait)
            bad |= API(StreamSynchronize)(one);
        *(volatile char *)(pinned + 7) = 3;
    } else {
        bad |= API(MemcpyAsync)(from, pinned, SIZE, API(MemcpyHostToDevice), one);
        if (wait)
            bad |= API(StreamSynchronize)(one);
        bad |= API(MemcpyAsync)(to, from, SIZE, API(MemcpyDeviceToDevice), other);
    }
    bad |= API(DeviceSynchronize)() || API(Free)(from) || API(Free)(to) || API(FreeHost)(pinned) || API(StreamDestroy)(one) ||
           API(StreamDestroy)(other);
    free(here);
    printf("%d\n", bad);
}
