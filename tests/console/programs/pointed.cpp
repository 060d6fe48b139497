// Pointers to members, and floats of 128 bits.
struct base0 {
    int z;
};
struct A {
    int i, j;
    int bar(int k)
    {
        return i + k;
    }
    virtual int vb(int k)
    {
        return k;
    }
};
struct D : base0, A {
    int m;
};
typedef int A::*PMI;
int A::*pmi = &A::j;
int A::*none = 0;
int (A::*pmf)(int) = &A::bar;
int (A::*pmv)(int) = &A::vb;
int D::*pmd = &D::m;
int D::*pmb = &D::j;
PMI list[2] = {&A::i, &A::j};
struct holder {
    int A::*in;
    int (A::*fn)(int);
} h = {&A::i, &A::bar};
A a;
A *ap = &a;
D d;
long double ld = 3.25L, third = 1.0L / 3, huge = 1e300L * 1e300L;

__attribute__((noinline)) void last()
{
    asm volatile("");
}

int main()
{
    a.i = 5;
    a.j = 121;
    d.m = 7;
    d.j = 9;
    last();
    return a.*pmi + (a.*pmf)(3) + (a.*pmv)(1) + d.*pmd + d.*pmb == 0;
}
