/* Planted races in OpenCL C, and idioms: races_opencl FILE.cl bad|good [CASE]... The oracle is
 * Oclgrind, which runs the same program. */
#include "opencl.h"

enum { ITEMS = 64, INTS = ITEMS * sizeof(int) };

/* Of a kernel that writes out, with the number behind it: one group. */
static void of_group(const char *kernel, int bad)
{
    cl_mem out = buffer(INTS);
    launch(kernel, 32, "mi", out, bad);
    end(out, bad ? 0 : INTS);
}

/* Of a kernel that uses a buffer, too. */
static void of_buffers(const char *kernel, size_t items, int bad)
{
    cl_mem out = buffer(INTS), p = buffer(INTS);
    launch(kernel, items, "mmi", out, p, bad);
    end(out, bad ? 0 : INTS);
    clReleaseMemObject(p);
}

/* Two groups. */
static void of_groups(const char *kernel, int bad)
{
    cl_mem out = buffer(INTS);
    launch(kernel, ITEMS, "mi", out, bad);
    end(out, bad ? 0 : INTS);
}

static void local_missing(int bad)
{
    of_group("reverse_local", bad);
}

static void global_missing(int bad)
{
    of_buffers("reverse_global", 32, bad);
}

static void local_again(int bad)
{
    of_group("rounds", bad);
}

static void across_groups(int bad)
{
    of_buffers("exchange", ITEMS, bad);
}

static void histogram(int bad)
{
    of_groups("count_plain", bad);
}

static void sum_of_groups(int bad)
{
    of_groups("total", bad);
}

static void broadcast_early(int bad)
{
    of_group("broadcast", bad);
}

static void bytes_missing(int bad)
{
    of_group("reverse_bytes", bad);
}

static void atomic_then_load(int bad)
{
    of_group("sum_and_read", bad);
}

static void shift_in_place(int bad)
{
    of_group("shift", bad);
}

static void stores_alone(int bad)
{
    of_groups("last_wins", bad);
}

static void vectors_missing(int bad)
{
    of_group("vectors", bad);
}

/* sub_group_barrier() has no code: the correct kernels are others. */
static void of_sub_groups(const char *wrong, const char *right, int bad)
{
    cl_mem out = buffer(INTS);
    launch(bad ? wrong : right, ITEMS, "m", out);
    end(out, bad ? 0 : INTS);
}

static void sub_group_again(int bad)
{
    of_sub_groups("sub_group_goes_on", "sub_group_waits", bad);
}

static void sub_group_late(int bad)
{
    of_sub_groups("sub_group_too_late", "sub_group_loads_early", bad);
}

static void sub_group_missing(int bad)
{
    of_sub_groups("sub_group_alone", "sub_group_loads_early", bad);
}

/* ---- idioms ---- */

static void of_memory(const char *kernel, size_t items)
{
    cl_mem out = buffer(INTS);
    launch(kernel, items, "m", out);
    end(out, INTS);
}

static void tree_of_barriers(int bad)
{
    (void)bad;
    of_memory("tree", 32);
}

static void histogram_merged(int bad)
{
    (void)bad;
    of_memory("merged", ITEMS);
}

static void masked_neighbours(int bad)
{
    (void)bad;
    of_memory("neighbours", ITEMS);
}

static void groups_of_one_thread(int bad)
{
    (void)bad;
    of_memory("one_thread", ITEMS);
}

static void read_by_all(int bad)
{
    cl_mem out = buffer(INTS), p = buffer(INTS);
    (void)bad;
    launch("read_all", ITEMS, "mm", out, p);
    end(out, INTS);
    clReleaseMemObject(p);
}

CASES(CASE(local_missing), CASE(global_missing), CASE(local_again), CASE(across_groups),
      CASE(histogram), CASE(sum_of_groups), CASE(broadcast_early), CASE(bytes_missing),
      CASE(atomic_then_load), CASE(shift_in_place), CASE(stores_alone), CASE(vectors_missing),
      CASE(sub_group_again), CASE(sub_group_late), CASE(sub_group_missing), CASE(tree_of_barriers),
      CASE(histogram_merged), CASE(masked_neighbours), CASE(read_by_all),
      CASE(groups_of_one_thread))

int main(int argc, char **argv)
{
    group_items = 32;
    return run_program(argc, argv, run_cases);
}
