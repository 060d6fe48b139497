#include <hip/hip_runtime.h>

int main()
{
    int *p, here[100] = {0};
    hipMalloc(&p, sizeof here);
    hipMemcpy(p, here, sizeof here, hipMemcpyDeviceToHost);
    hipFree(p);
}
