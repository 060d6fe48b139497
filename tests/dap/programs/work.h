/* The body of the kernel of the tests, in C of Vortex and in OpenCL C; from[i] is i. */
struct pair {
    int low, high;
};

static int __attribute__((noinline)) twice(int value)
{
    int result = value * 2; /* in twice */
    return result;
}

static void work_on(GLOBAL const int *from, GLOBAL int *to, int i, int n)
{
    struct pair pair = {i, from[i]};
    int table[300];
    for (int k = 0; k < 300; k++)
        table[k] = i + k;
    int sum = pair.low + pair.high; /* first */
    sum = twice(sum);               /* call */
    to[i] = sum + table[2] + n;     /* store */
}
