/* Functions of every kind of name, for breakpoints: for Vortex, HIP, CUDA, and the host. */
typedef decltype(sizeof 0) size_t;
#if defined __HIP__ || defined __CUDA__
#define DEVICE __attribute__((device))
#else
#define DEVICE
#endif
#define NOINLINE __attribute__((noinline)) DEVICE
#define INLINE inline __attribute__((always_inline)) DEVICE

namespace ns {
NOINLINE int f(int a)
{
    return a + 1;
}
NOINLINE int f(float a)
{
    return (int)a + 2;
}
namespace inner {
NOINLINE int f(int a, unsigned b)
{
    return a + (int)b;
}
}
}
namespace {
NOINLINE int hidden(int a)
{
    return a * 5;
}
}
NOINLINE int f(int a)
{
    return a + 3;
}
template <typename T> NOINLINE T twice(T a)
{
    T b = a + a;
    return b;
}
template <typename T, int N> struct box {
    T held;
    NOINLINE T get() const
    {
        return held + N;
    }
    NOINLINE box(T a) : held(a)
    {
        held += 1;
    }
    DEVICE T operator+(const box &other) const;
    NOINLINE operator int() const { return (int)held; }
};
template <typename T, int N> NOINLINE T box<T, N>::operator+(const box &other) const
{
    return held + other.held;
}
static INLINE int small(int a)
{
    int b = a * 3;
    return b + 1;
}
static DEVICE volatile int sink;
static NOINLINE void one(void *p, size_t i)
{
    int n = (int)i;
    auto lambda = [=](int a) NOINLINE {
        return a + n;
    };
    box<int, 3> x(n);
    box<long, 4> y(n);
    sink = ns::f(n) + ns::f((float)n) + ns::inner::f(n, 2u) + hidden(n) + f(n);
    sink = twice(n) + (int)twice((float)n) + (int)twice((long)n);
    sink = x.get() + (int)y.get() + (x + x) + (int)(y + y) + int(x);
    sink = small(n);
    sink = small(n + 1);
    sink = lambda(n);
    auto generic = [](auto a) NOINLINE { return a * 2; };
    sink = generic(n) + (int)generic(1.5f);
    (void)p;
}
#if defined __HIP__ || defined __CUDA__
extern "C" __attribute__((global)) void kernel(int n)
{
    one(0, n);
}
#else
int main(void)
{
    one(0, sink);
    return 0;
}
#endif
