#include "../opencl/common.h"

int main(void)
{
    open_device();
    cl_kernel kernel = build("kernel void set(global int *p) { p[get_global_id(0)] = 1; }", "set");
    cl_mem p = clCreateBuffer(context, CL_MEM_READ_ONLY, 64, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof p, &p);
    run(kernel, 16);
    return 0;
}
