/* How many steps the Collatz sequence of each number takes, and the most steps of each work-group: lanes leave the loop at different
 * times, and wait for each other at barriers. docs/view.md looks at it. */
kernel void collatz(global uint *steps, global uint *most)
{
    local uint best[64];
    const uint item = get_local_id(0);
    uint n = get_global_id(0) + 1;
    uint count = 0;
    while (n != 1) {
        if (n % 2)
            n = 3 * n + 1;
        else
            n = n / 2;
        count++;
    }
    steps[get_global_id(0)] = count;
    best[item] = count;
    for (uint reach = get_local_size(0) / 2; reach; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < reach)
            best[item] = max(best[item], best[item + reach]);
    }
    if (item == 0)
        most[get_group_id(0)] = best[0];
}
