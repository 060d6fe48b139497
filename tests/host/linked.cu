// A kernel that is linked with session.cu by cuda_session.c: each file has a variable of its own with the same name.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

struct triple {
    short first, second, third;
};

static __device__ int scale = 10;

extern "C" __device__ int weigh(int value, int by);

extern "C" __global__ void outer(int *out)
{
    int t = __nvvm_read_ptx_sreg_tid_x();
    struct triple three = {(short)t, (short)(2 * t), (short)(3 * t)};
    int part = three.third * scale; // three is filled
    int sum = weigh(part, 3);       // part is known
    if (t < 2)
        out[t] = sum;
}
