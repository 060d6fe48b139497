/* A header of CUDA's that programs name; what it declares is in cuda_runtime.h here. */
#include <cuda_runtime.h>
