/* Planted mistakes with barriers in OpenCL C, and idioms: sync_opencl FILE.cl bad|good [CASE]...
 * The oracle is Oclgrind, which runs the same program. */
#include "opencl.h"

enum { ITEMS = 64, INTS = ITEMS * sizeof(int) };

/* Of a kernel that writes out; the numbers of a bad case are not its result. */
static void of_kernel(const char *kernel, int number, int bad)
{
    cl_mem out = buffer(INTS);
    launch(kernel, ITEMS, "mi", out, number);
    end(out, bad ? 0 : INTS);
}

#define RUN(name, kernel)                                                                          \
    static void name(int bad)                                                                      \
    {                                                                                              \
        of_kernel(kernel, bad, bad);                                                               \
    }
#define RUN_GOOD(name, kernel)                                                                     \
    static void name(int bad)                                                                      \
    {                                                                                              \
        (void)bad;                                                                                 \
        of_kernel(kernel, 5, 0);                                                                   \
    }

static void copy_forgotten(int bad)
{
    of_kernel(bad ? "forgets" : "waits_for_all", 3, bad);
}

static void second_copy_forgotten(int bad)
{
    of_kernel(bad ? "waits_for_the_first" : "waits_for_all", 4, bad);
}

RUN(early_return, "returns")
RUN(items_missing, "some_items")
RUN(one_item_missing, "one_item")
RUN(threads_missing, "half_of_group")
RUN(branches, "branches")
RUN(different_rounds, "rounds")
RUN(tree_of_some, "tree")
RUN_GOOD(uniform_branch, "uniform_branch")
RUN_GOOD(uniform_rounds, "uniform_rounds")
RUN_GOOD(exit_that_is_common, "common_exit")
RUN_GOOD(return_of_all, "all_return")

CASES(CASE(early_return), CASE(items_missing), CASE(one_item_missing), CASE(threads_missing),
      CASE(branches), CASE(different_rounds), CASE(tree_of_some), CASE(copy_forgotten),
      CASE(second_copy_forgotten), CASE(uniform_branch), CASE(uniform_rounds),
      CASE(exit_that_is_common), CASE(return_of_all))

int main(int argc, char **argv)
{
    group_items = ITEMS;
    return run_program(argc, argv, run_cases);
}
