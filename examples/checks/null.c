#include "../opencl/common.h"

int main(void)
{
    open_device();
    cl_kernel kernel = build("kernel void set(global int *p, int n) { p[n * get_global_id(0)] = 1; }", "set");
    const int n = 4;
    clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL);
    clSetKernelArg(kernel, 1, sizeof n, &n);
    run(kernel, 16);
    return 0;
}
