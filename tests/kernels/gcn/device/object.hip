/* HIP's language without its runtime: classes, virtual functions, tables of functions, templates. */
typedef unsigned int uint;
typedef uint (*function)(uint);

#define GLOBAL __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))

static DEVICE __attribute__((noinline)) uint square(uint x)
{
    return x * x;
}

static DEVICE __attribute__((noinline)) uint half(uint x)
{
    return x / 2;
}

static DEVICE __attribute__((noinline)) uint mixed(uint x)
{
    return (x ^ x >> 7) * 0x9e3779b1u;
}

DEVICE const function table[] = {square, half, mixed};
DEVICE uint counter = 5;

struct shape {
    DEVICE virtual uint area() const { return 0; }
};

struct box : shape {
    uint a, b;
    DEVICE box(uint x, uint y) : a(x), b(y) {}
    DEVICE uint area() const override { return a * b; }
};

struct square_box : box {
    DEVICE square_box(uint x) : box(x, x) {}
    DEVICE uint area() const override { return a * a + 1; }
};

extern "C" GLOBAL void functions(const uint *in, uint *out)
{
    const uint i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    out[i] = table[in[i] % 3](in[i]) + counter;
}

extern "C" GLOBAL void virtuals(const uint *in, uint *out)
{
    const uint i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    box b(in[i] & 0xff, i);
    square_box s(in[i] & 0xff);
    const shape *p = in[i] & 256 ? (const shape *)&s : &b;
    __asm__ volatile("" : "+v"(p)); /* the compiler shall not know which */
    out[i] = p->area();
}

template <int N> DEVICE uint folded(const uint *v)
{
    return *v + 3 * folded<N - 1>(v + 1);
}

template <> DEVICE uint folded<0>(const uint *)
{
    return 1;
}

extern "C" GLOBAL void templates(const uint *in, uint *out)
{
    SHARED uint room[72];
    const uint l = __builtin_amdgcn_workitem_id_x(), i = __builtin_amdgcn_workgroup_id_x() * 64 + l;
    room[l] = in[i];
    if (l < 8)
        room[64 + l] = l;
    __builtin_amdgcn_s_barrier();
    out[i] = folded<8>(&room[l]);
}
