/* A kernel for the tests of the Gen9 debugger. Intel's compiler writes debug information of files
 * with one kernel only. */
__kernel void add(__global const int *a, __global const int *b, __global int *c, int n)
{
    int i = get_global_id(0);
    int sum = 0;
    if (i < n) {
        sum = a[i] + b[i]; /* sum */
        if (i & 1)
            sum *= 2; /* odd */
        c[i] = sum; /* store */
    }
}
