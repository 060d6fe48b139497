/* Classes, templates and references on gfx900. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

namespace physics {
enum class phase { solid, liquid = 3 };
template <typename T> struct body {
    T mass;
    int age;
    phase now;
    static const int limit = 40;
    __device__ T heavier(T by) const;
};
template <typename T> __device__ __attribute__((noinline)) T body<T>::heavier(T by) const
{
    T sum = mass + by; /* method */
    return age < limit ? sum : by;
}
__device__ __attribute__((noinline)) void grow(body<float> &which, const int &by)
{
    which.age += by;
    which.now = phase::liquid;
    which.age++; /* grown */
}
}

extern "C" __global__ void weigh(float *out)
{
    const int item = (int)__builtin_amdgcn_workitem_id_x();
    physics::body<float> one = {item * 0.5f, item, physics::phase::solid};
    int step = 2 * item;
    physics::grow(one, step);
    out[item] = one.heavier(100.0f);
}
