// Lanes that a mask names and that do not come: masks CASE, a kernel's name. In the first ones it does not matter which branch stands first.
#include <cstring>
#include <cuda_runtime.h>
#define ALL 0xffffffffu
#define UPPER 0xffff0000u
#define HERE const int l = threadIdx.x

__global__ void store(int *o) { HERE; if (l < 16) o[l] = __shfl_sync(ALL, l, 0); else o[l] = 5; }
__global__ void store_first(int *o) { HERE; if (l >= 16) o[l] = 5; else o[l] = __shfl_sync(ALL, l, 0); }
__global__ void goes_on(int *o) { HERE; if (l < 16) o[l] = __shfl_sync(ALL, l, 0); else o[l] = 5; o[32 + l] = 1; }
__global__ void goes_on_first(int *o) { HERE; if (l >= 16) o[l] = 5; else o[l] = __shfl_sync(ALL, l, 0); o[32 + l] = 1; }
__global__ void barrier(int *o) { HERE; if (l < 16) __syncwarp(); else o[l] = 5; o[32 + l] = 1; }
__global__ void taken(int *o) { HERE; if (l < 16) o[l] = __shfl_sync(ALL, l, 20); else o[l] = 5; }
__global__ void other(int *o) { HERE; if (l < 16) o[l] = __shfl_sync(ALL, l, 0); else o[l] = __ballot_sync(ALL, l & 1); }
__global__ void other_mask(int *o) { HERE; if (l < 16) o[l] = __ballot_sync(ALL, l & 1); else o[l] = __ballot_sync(UPPER, l & 1); }
__global__ void other_mask_first(int *o) { HERE; if (l >= 16) o[l] = __ballot_sync(UPPER, l & 1); else o[l] = __ballot_sync(ALL, l & 1); }
__global__ void barrier_of_some(int *o) { HERE; if (l < 16) o[l] = __ballot_sync(ALL, l & 1); else { o[l] = 5; __syncwarp(UPPER); } o[32 + l] = 1; }
__global__ void of_the_block(int *o) { HERE; if (l < 16) o[l] = __ballot_sync(ALL, l & 1); else __syncthreads(); }
__global__ void same(int *o) { HERE; if (l < 16) o[l] = __shfl_sync(ALL, l, 0); else { o[32 + l] = 2; o[l] = __shfl_sync(ALL, l + 1, 0); } }
// No mistakes: who returns before the call is not waited for, and each half has its own mask.
__global__ void returned(int *o) { HERE; if (l >= 16) return; o[l] = __shfl_sync(ALL, l, 0); o[32 + l] = 1; }
__global__ void returned_in_loop(int *o) { HERE; for (int i = 0; i < 4; i++) { o[l] = i; if (l >= 16 && i == 2) return; o[32 + l] = __shfl_sync(ALL, l, 0); } }
__global__ void halves(int *o) { HERE; if (l < 16) { o[l] = __shfl_sync(~UPPER, l, 0); return; } o[l] = __ballot_sync(UPPER, l & 1); o[32 + l] = 1; }

#define CASE(name) if (!strcmp(words[1], #name)) name<<<1, 32>>>(o)
int main(int count, char **words)
{
    int *o;
    cudaMalloc(&o, 256);
    CASE(store); CASE(store_first); CASE(goes_on); CASE(goes_on_first); CASE(barrier); CASE(taken); CASE(other); CASE(other_mask); CASE(other_mask_first);
    CASE(barrier_of_some); CASE(of_the_block); CASE(same); CASE(returned); CASE(returned_in_loop); CASE(halves);
    cudaDeviceSynchronize();
    cudaFree(o);
}
