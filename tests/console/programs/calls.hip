/* Calls in a HIP kernel, without HIP's headers. With -DSTORE each work-item stores what the variables of `deep` are. */
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))

struct shape {
    int kind;
    float side[2];
};

namespace work {
template <typename T> struct box {
    T value;
    __device__ __attribute__((noinline)) T twice() const
    {
        return value + value; /* method */
    }
};
}

__device__ __attribute__((noinline)) int deep(int d, const shape &s, int *last, long *store)
{
    int local[3] = {d, d * 2, s.kind};
    if (d == 0) {
#ifdef STORE
        store[0] = local[0];
        store[1] = local[1];
        store[2] = local[2];
        store[3] = s.kind;
        store[4] = (long)s.side[1];
        store[5] = *last;
#endif
        *last += local[2]; /* bottom */
        return *last;
    }
    int r = deep(d - 1, s, local, store);
    return r + local[d % 3]; /* back */
}

__global__ void calls(int *out, long *store, int n)
{
    int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
    shape s = {i + 40, {i * 0.5f, i * 2.0f}};
    int total = i;
    work::box<float> b = {i + 0.25f};
    int r = deep(n, s, &total, store + 6 * i);
    out[i] = r + total + (int)b.twice(); /* end */
}
