/* By this clang finds that there is a CUDA: the version that it is told decides that of the PTX. */
#define CUDA_VERSION 12000
