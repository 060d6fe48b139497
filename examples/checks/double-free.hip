#include <hip/hip_runtime.h>

int main()
{
    int *p;
    hipMalloc(&p, 400);
    hipFree(p);
    hipFree(p);
}
