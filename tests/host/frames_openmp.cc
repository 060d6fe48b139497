/* Calls on a GPU by GCC's OpenMP, whose prologues and epilogues the console steps through. */
#include <cstdio>

#pragma omp declare target
__attribute__((noinline)) int add(int a, int b, int *p)
{
    int c = a + b;
    p[0] = c;
    return c * 2;
}

__attribute__((noinline)) int outer(int a, int b, int *p)
{
    int c = add(a + 10, b + 10, p) + b;
    p[1] = c;
    return c + a;
}
#pragma omp end declare target

int main()
{
    int out[3] = {0};
#pragma omp target map(tofrom : out)
    {
        out[2] = outer(3, 4, out);
    }
    printf("%d %d %d\n", out[0], out[1], out[2]);
    return 0;
}
