__global__ void twice(float *out, const float *in)
{
    __shared__ volatile float tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads(); /* each thread loads what it has stored itself */
    out[threadIdx.x] = 2 * tile[threadIdx.x];
}

int main()
{
    float *in, *out, here[64] = {1};
    cudaMalloc(&in, sizeof here);
    cudaMalloc(&out, sizeof here);
    cudaMemcpy(in, here, sizeof here, cudaMemcpyHostToDevice);
    twice<<<1, 64>>>(out, in);
    cudaMemcpy(here, out, sizeof here, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
}
