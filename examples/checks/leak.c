#include "../opencl/common.h"

int main(void)
{
    open_device();
    clCreateBuffer(context, 0, 400, NULL, NULL);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
