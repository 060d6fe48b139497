// Kernels whose names are mangled, some of them almost the same. The program itself runs none.
#include <hip/hip_runtime.h>

namespace ns {
template <typename T> __global__ void scale(T *p, T by) { p[threadIdx.x] *= by; }
}
__global__ void fill(float *p, int n) { p[threadIdx.x] = n; }
__global__ void fill(int *p, int n) { p[threadIdx.x] = n; }
template __global__ void ns::scale<float>(float *, float);
template __global__ void ns::scale<int>(int *, int);

int main() { }
