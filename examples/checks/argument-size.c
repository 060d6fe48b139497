#include "../opencl/common.h"

int main(void)
{
    open_device();
    cl_kernel kernel = build("kernel void set(global int *p, int to) { *p = to; }", "set");
    const char to = 5;
    clSetKernelArg(kernel, 1, sizeof to, &to);
    return 0;
}
