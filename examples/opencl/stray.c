/* A mistake: the kernel writes past the end of its buffer. */
#include "common.h"

static const char source[] = "kernel void stray(global int *out, int by)\n"
                             "{\n"
                             "    out[get_global_id(0) + by] = -1;\n"
                             "}\n";

enum { N = 64 };

int main(void)
{
    const int by = 4;
    static int around[4 * N];
    open_device();
    cl_kernel kernel = build(source, "stray");
    cl_mem out = buffer(N * sizeof(int), NULL);
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "argument");
    check(clSetKernelArg(kernel, 1, sizeof by, &by), "argument");
    const cl_int status = run(kernel, N);
    int changed = 0;
    for (int i = 0; i < 4 * N; i++)
        changed += around[i] != 0;
    printf("the program's memory is %s\n", changed ? "not as it was" : "as it was");
    fflush(stdout);
    check(status, "kernel");
    return 0;
}
