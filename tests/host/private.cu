// Structures in local memory that functions read and write, of sizes with which the memory of a warp lies in one page
// or in two, by all lanes and by some: a sum for each, which the host has, too.
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Six {
    unsigned a, b, c, d, e, f;
};

template <unsigned WORDS> struct Many {
    Six six;
    unsigned more[WORDS];
};

static __host__ __device__ __attribute__((noinline)) unsigned read(const Six &s, unsigned by)
{
    return (s.a ^ by) + 3 * (s.b ^ s.c) + (s.d | s.e) * 5 + s.f;
}

static __host__ __device__ __attribute__((noinline)) unsigned turn(Six &s, unsigned by)
{
    const unsigned a = s.a + s.b, b = s.b ^ s.d;
    s.a = b + by;
    const unsigned again = s.a + s.c;
    s.f = a ^ again;
    s.e += s.f;
    s.c = s.d + s.e * by;
    return s.a + s.c + s.f + s.b;
}

template <unsigned WORDS> static __host__ __device__ unsigned one(unsigned i)
{
    Many<WORDS> m;
    m.six = {i, i * 7, i ^ 99, i + 5, i << 3, ~i};
    for (unsigned k = 0; k < WORDS; k++)
        m.more[k] = i * k;
    unsigned sum = 0;
    for (unsigned k = 0; k < 12; k++) {
        if ((i >> k % 5 & 1) == 0 || k % 3 == 0)
            sum += read(m.six, k + i % 3);
        if (k % 4 != i % 4 || k > 6)
            sum ^= turn(m.six, k);
        m.more[(k + i) % WORDS] += sum;
        sum += m.more[(k * 3) % WORDS];
    }
    return sum;
}

template <unsigned WORDS> static __global__ void all(unsigned *to) { const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; to[i] = one<WORDS>(i); }

template <unsigned WORDS> static bool compare()
{
    enum { N = 2048 };
    unsigned *to;
    if (cudaMallocManaged((void **)&to, N * sizeof *to) != cudaSuccess)
        exit(1);
    bool same = true;
    for (unsigned threads = 50; threads < 300; threads *= 2) {
        for (unsigned i = 0; i < N; i++)
            to[i] = 0;
        all<WORDS><<<N / threads, threads>>>(to);
        if (cudaDeviceSynchronize() != cudaSuccess)
            exit(1);
        for (unsigned i = 0; i < N / threads * threads; i++)
            same &= to[i] == one<WORDS>(i);
    }
    std::printf("%u %s\n", WORDS, same ? "same" : "differs");
    return same;
}

int main()
{
    return !(compare<2>() & compare<6>() & compare<17>() & compare<50>() & compare<120>());
}
