#include "../opencl/common.h"

int main(void)
{
    open_device();
    clCreateBuffer(context, 0, 0, NULL, NULL); /* a size of 0 */
    return 0;
}
