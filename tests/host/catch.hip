// Kernels that raise exceptions in one lane, and know nothing of exceptions: one for each word.
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <string.h>

__global__ void reciprocal(const float *in, float *out)
{
    out[threadIdx.x] = __builtin_amdgcn_rcpf(in[threadIdx.x]); // float_div0 in lane 17
}

__global__ void quotient(const int *in, int *out)
{
    out[threadIdx.x] = 1000 / in[threadIdx.x]; // int_div0 in lane 33
}

__global__ void root(const float *in, float *out)
{
    out[threadIdx.x] = __builtin_amdgcn_sqrtf(in[threadIdx.x]); // invalid in lane 5
}

__global__ void product(const float *in, float *out)
{
    out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x]; // overflow or underflow
}

__global__ void doubles(const double *in, double *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1e-300; // inexact in lane 40
}

__global__ void plain(int *out)
{
    out[threadIdx.x] = (int)threadIdx.x + 1; // no exception
}

__global__ void wild(int *out)
{
    out[threadIdx.x] = 1; // nothing is mapped there
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    float *in, f[64];
    int *integers, n[64];
    double *wide, d[64];
    if (hipMalloc(&in, sizeof f) || hipMalloc(&integers, sizeof n) || hipMalloc(&wide, sizeof d))
        return 2;
    for (int i = 0; i < 64; i++) {
        f[i] = 1.0f;
        n[i] = 1 + i;
        d[i] = 0;
    }
    printf("before\n");
    if (!strcmp(what, "float_div0"))
        f[17] = 0;
    if (!strcmp(what, "int_div0"))
        n[33] = 0;
    if (!strcmp(what, "invalid"))
        f[5] = -2.5f;
    if (!strcmp(what, "overflow"))
        f[9] = 1e30f;
    if (!strcmp(what, "underflow"))
        f[62] = 1e-30f;
    if (!strcmp(what, "denormal"))
        f[63] = 1e-40f;
    if (!strcmp(what, "inexact"))
        d[40] = 1;
    if (hipMemcpy(in, f, sizeof f, hipMemcpyHostToDevice) || hipMemcpy(integers, n, sizeof n, hipMemcpyHostToDevice) ||
        hipMemcpy(wide, d, sizeof d, hipMemcpyHostToDevice))
        return 2;
    if (!strcmp(what, "float_div0"))
        reciprocal<<<8, 64>>>(in, in);
    else if (!strcmp(what, "int_div0"))
        quotient<<<1, 64>>>(integers, integers);
    else if (!strcmp(what, "invalid"))
        root<<<1, 64>>>(in, in);
    else if (!strcmp(what, "inexact"))
        doubles<<<1, 64>>>(wide, wide);
    else if (!strcmp(what, "plain"))
        plain<<<1, 64>>>(integers);
    else if (!strcmp(what, "wild"))
        wild<<<1, 64>>>((int *)0x123456000);
    else
        product<<<1, 64>>>(in, in);
    if (hipDeviceSynchronize())
        return 3;
    printf("after\n");
}
