/* A kernel for the tests of the Gen9 debugger: WIDTH work-items a thread. Each stores its number, and a sum. */
__attribute__((intel_reqd_sub_group_size(WIDTH)))
__kernel void wide(__global const int *factors, __global int *numbers, __global int *sums, int n)
{
    int i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += factors[k] ^ i; /* sum */
    sums[i] = sum; /* store */
    numbers[i] = i;
}
