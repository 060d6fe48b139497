/* Other names of namespaces and of what is in them, and virtual bases, for comparing with GDB. */
#include "vortex.h"
namespace outer
{
namespace deep
{
int level = 3;
struct tag {
    int v;
};
enum class mode { off, on = 7 };
template <typename T> struct box {
    T item;
};
int twice(int x)
{
    return 2 * x;
}
} // namespace deep
int level = 1;
inline namespace v1
{
int inlined = 15;
}
} // namespace outer
namespace alias = outer::deep;
namespace second = alias;
using outer::level;
using outer::deep::tag;
using directive_t = outer::deep::box<int>;
namespace far
{
int distant = 44;
int level = 9;
} // namespace far
using namespace far;
struct root {
    int r;
    virtual int id() const
    {
        return r;
    }
};
struct left : virtual root {
    int l;
};
struct right : virtual root {
    int k;
};
struct diamond : left, right {
    int d;
    int id() const override
    {
        return d;
    }
};
struct plain_base {
    int pb;
};
struct mixed : plain_base, virtual left {
    int m;
};
outer::deep::box<tag> boxed = {{5}};
volatile int sink;
union either {
    int i;
    float f;
    struct {
        short lo, hi;
    };
};
either some = {0x3f800000};
struct flags {
    bool a : 1;
    unsigned b : 3;
    outer::deep::mode m;
};
flags bits = {true, 5, outer::deep::mode::on};
__attribute__((noinline)) int look(diamond &object, root *base, const mixed *many,
                                   outer::deep::mode mode)
{
    namespace local = outer::deep;
    using outer::deep::twice;
    int sum = object.r + base->r + many->l;
    left *half = &object;
    right *other = &object;
    auto lambda = [&sum, mode](int x) { return sum + x; };
    sink = lambda(3); /* here */
    return sum + local::level + twice(2) + half->l + other->k + (int)mode;
}
int main()
{
    static diamond *gems;
    diamond gem;
    mixed mix;
    gems = &gem;
    gem.r = 10;
    gem.l = 20;
    gem.k = 30;
    gem.d = 40;
    mix.r = 50;
    mix.l = 60;
    mix.m = 70;
    mix.pb = 80;
    return look(gem, &gem, &mix, outer::deep::mode::on) == 0;
}
