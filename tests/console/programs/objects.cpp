/* Classes, templates, namespaces and references, for comparing what the console prints with what GDB prints. */
namespace geometry {
enum class side { left, right = 4 };
enum plain { UP = 1, DOWN };
struct point {
    int x, y;
    static int made;
    int sum() const { return x + y; }
    int scaled(int by) const;
};
int point::made = 3;
int point::scaled(int by) const
{
    int local = by * made;
    return sum() * by + local; /* method */
}
namespace inner {
int depth = 7;
float width = 1.5f;
}
int depth = 9;
}
namespace {
int hidden = 21;
}
namespace short_name = geometry::inner;

template <typename T, int N> struct array {
    T item[N];
    T &at(int i) { return item[i]; }
    typedef T value_type;
};
struct base {
    int kind;
    unsigned flags : 4;
};
struct other {
    short tag;
};
struct derived : base, other {
    float weight;
    int kind2;
};
class guarded {
    int secret;

  public:
    int open;
    static const int limit = 12;
    guarded(int first) : secret(first), open(first + 1) {}
    int both(float) const { return secret + open; }

  protected:
    char shared;
};
struct animal {
    int legs;
    virtual int noise() const { return legs; }
};
struct dog : animal {
    int teeth;
    int noise() const override { return legs + teeth; }
};
template <typename T> __attribute__((noinline)) T twice(T value)
{
    T result = value + value;
    return result; /* template */
}
__attribute__((noinline)) int overloaded(int a) { return a; }
__attribute__((noinline)) int overloaded(float a) { return (int)a; }

geometry::point origin = {1, 2};
array<int, 3> three = {{4, 5, 6}};
array<geometry::point, 2> corners = {{{1, 2}, {3, 4}}};
derived d = {{8, 5}, {3}, 2.5f, 11};
struct pets { const animal *last; };
pets all;
bool truth = true;
wchar_t wide = L'x';
char16_t half = u'y';
char32_t whole = U'Z';
int member_of_this = 1;

__attribute__((noinline)) int stop_here(const geometry::point &p, int &changed, geometry::side s, array<int, 3> *a, geometry::point &&moved)
{
    using namespace geometry;
    int &alias = a->at(1);
    auto *q = &p;
    base &as_base = d;
    const animal *pet = all.last;
    changed += alias; /* stop */
    geometry::plain way = DOWN;
    if (way == UP)
        changed++;
    return changed + p.x + q->y + (int)s + moved.x + as_base.kind + pet->noise();
}

extern "C" int main()
{
    int local = 5;
    guarded g(20);
    dog rex;
    all.last = &rex;
    rex.legs = 4;
    rex.teeth = 42;
    int r = stop_here(origin, local, geometry::side::right, &three, geometry::point{6, 7});
    r += origin.scaled(2);
    r += twice(3) + (int)twice(1.5f);
    r += overloaded(1) + overloaded(2.0f) + hidden + geometry::depth + (int)geometry::inner::width + geometry::inner::depth;
    r += corners.at(1).y + member_of_this + g.both(1);
    return r & 0;
}
