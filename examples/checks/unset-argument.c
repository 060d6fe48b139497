#include "../opencl/common.h"

int main(void)
{
    open_device();
    cl_kernel kernel = build("kernel void set(global int *p, int to) { *p = to; }", "set");
    cl_mem p = buffer(4, NULL);
    clSetKernelArg(kernel, 0, sizeof p, &p);
    run(kernel, 1);
    return 0;
}
