#include <hip/hip_runtime.h>

int main()
{
    hipEvent_t event;
    hipEventCreate(&event);
    hipEventDestroy(event);
    hipEventRecord(event, 0);
}
