/* Functions for the tests of the Gen9 debugger, which -cl-opt-disable keeps. Each restores its caller's frame before `ret`. */
__attribute__((noinline)) int inner(int x, int k)
{
    int r = x * 2 + k;
    return r;
}

__attribute__((noinline)) int outer(int x, float y)
{
    int r = inner(x + 1, (int)y);
    return r;
}

__attribute__((intel_reqd_sub_group_size(8)))
__kernel void called(__global int *out, int n)
{
    int g = get_global_id(0);
    int mine = g + 40;
    int a = outer(g + 100, 2.5f);
    out[g] = a + mine + n;
}
