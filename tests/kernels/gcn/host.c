/*
 * The same kernels on the CPU: compiled from the same source by the same compiler for the host,
 * they call what is here. The work-items of a group take turns at barriers: each is a context of
 * its own.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define STACK 65536
#define MOST_ITEMS 1024

typedef void (*kernel_fn)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static size_t grid[3], block[3], size[3], group[3], item[3];
static ucontext_t scheduler, context[MOST_ITEMS];
static char stack[MOST_ITEMS][STACK];
static int ended[MOST_ITEMS];
static unsigned current;
static kernel_fn function;
static uintptr_t argument[5];

static void set_item(unsigned n)
{
    current = n;
    item[0] = n % size[0];
    item[1] = n / size[0] % size[1];
    item[2] = n / size[0] / size[1];
}

static void start(void)
{
    const unsigned n = current;
    function(argument[0], argument[1], argument[2], argument[3], argument[4]);
    ended[n] = 1;
}

static void run_group(void)
{
    unsigned left = 0;
    for (unsigned i = 0; i < 3; i++)
        size[i] =
            grid[i] - group[i] * block[i] < block[i] ? grid[i] - group[i] * block[i] : block[i];
    const unsigned items = (unsigned)(size[0] * size[1] * size[2]);
    for (unsigned n = 0; n < items; n++) {
        getcontext(&context[n]);
        context[n].uc_stack.ss_sp = stack[n];
        context[n].uc_stack.ss_size = STACK;
        context[n].uc_link = &scheduler;
        ended[n] = 0;
        makecontext(&context[n], start, 0);
    }
    do {
        left = 0;
        for (unsigned n = 0; n < items; n++) {
            if (ended[n])
                continue;
            set_item(n);
            swapcontext(&scheduler, &context[n]);
            left += !ended[n];
        }
    } while (left);
}

void run(kernel_fn fn, const size_t *all, const size_t *of_group, const uintptr_t *arguments)
{
    function = fn;
    memcpy(grid, all, sizeof grid);
    memcpy(block, of_group, sizeof block);
    memcpy(argument, arguments, sizeof argument);
    for (group[2] = 0; group[2] * block[2] < grid[2]; group[2]++)
        for (group[1] = 0; group[1] * block[1] < grid[1]; group[1]++)
            for (group[0] = 0; group[0] * block[0] < grid[0]; group[0]++)
                run_group();
}

/* OpenCL's functions, as their names are mangled. */
size_t _Z13get_global_idj(unsigned i)
{
    return group[i] * block[i] + item[i];
}

size_t _Z12get_local_idj(unsigned i)
{
    return item[i];
}

size_t _Z12get_group_idj(unsigned i)
{
    return group[i];
}

size_t _Z14get_local_sizej(unsigned i)
{
    return size[i];
}

size_t _Z15get_global_sizej(unsigned i)
{
    return grid[i];
}

size_t _Z14get_num_groupsj(unsigned i)
{
    return (grid[i] + block[i] - 1) / block[i];
}

void _Z7barrierj(unsigned flags)
{
    (void)flags;
    swapcontext(&context[current], &scheduler);
}
