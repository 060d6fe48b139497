/* The sum of two vectors. */
#include "common.h"

static const char source[] =
    "kernel void vadd(global const float *a, global const float *b, global float *sum)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    sum[i] = a[i] + b[i];\n"
    "}\n";

enum { N = 1000 };

int main(void)
{
    static float a[N], b[N], sum[N];
    char name[100];
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    open_device();
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "name");
    puts(name);
    cl_kernel kernel = build(source, "vadd");
    cl_mem arguments[] = {buffer(sizeof a, a), buffer(sizeof b, b), buffer(sizeof sum, NULL)};
    for (int i = 0; i < 3; i++)
        check(clSetKernelArg(kernel, i, sizeof arguments[i], &arguments[i]), "argument");
    check(run(kernel, N), "kernel");
    check(clEnqueueReadBuffer(queue, arguments[2], CL_TRUE, 0, sizeof sum, sum, 0, NULL, NULL), "read");
    for (int i = 0; i < N; i++)
        wrong += sum[i] != 3 * i;
    printf("%d of %d sums are wrong\n", wrong, N);
    return wrong != 0;
}
