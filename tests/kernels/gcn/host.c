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

typedef void (*kernel_fn)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static size_t grid[3], block[3], size[3], group[3], item[3];
static ucontext_t scheduler, context[MOST_ITEMS];
static char stack[MOST_ITEMS][STACK];
static int ended[MOST_ITEMS];
static unsigned current, items;
static kernel_fn function;
static uintptr_t argument[6];

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
    function(argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
    ended[n] = 1;
}

static void run_group(void)
{
    unsigned left = 0;
    for (unsigned i = 0; i < 3; i++)
        size[i] =
            grid[i] - group[i] * block[i] < block[i] ? grid[i] - group[i] * block[i] : block[i];
    items = (unsigned)(size[0] * size[1] * size[2]);
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

/* What the items of a sub-group of 64, or of the whole group, do together: each leaves its value,
 * lets all others do so, and looks at what they left. */
#ifndef SUB_GROUP
#define SUB_GROUP 64
#endif
#define OVERLOAD __attribute__((overloadable))

static union value {
    int64_t i;
    uint64_t u;
    double f;
} left_by[MOST_ITEMS];

static void all_come_here(void)
{
    swapcontext(&context[current], &scheduler);
}

static void range(int whole, unsigned *from, unsigned *to)
{
    *from = whole ? 0 : current / SUB_GROUP * SUB_GROUP;
    *to = whole || *from + SUB_GROUP > items ? items : *from + SUB_GROUP;
}

#define ADD(x, y) ((x) + (y))
#define MIN(x, y) ((y) < (x) ? (y) : (x))
#define MAX(x, y) ((y) > (x) ? (y) : (x))

/* From the first item to `last`, of which there is none for the first exclusive sum. */
#define FOLD(name, whole, type, field, operation, first_is, last)                                  \
    type OVERLOAD name(type x)                                                                     \
    {                                                                                              \
        unsigned from, to;                                                                         \
        left_by[current].field = x;                                                                \
        all_come_here();                                                                           \
        range(whole, &from, &to);                                                                  \
        type result = first_is ? (type)left_by[from].field : (type)0;                              \
        for (unsigned i = from + first_is; i < (last); i++)                                        \
            result = (type)operation(result, (type)left_by[i].field);                              \
        all_come_here();                                                                           \
        return result;                                                                             \
    }
#define FOLDS(prefix, whole, type, field)                                                          \
    FOLD(prefix##_reduce_add, whole, type, field, ADD, 1, to)                                      \
    FOLD(prefix##_reduce_min, whole, type, field, MIN, 1, to)                                      \
    FOLD(prefix##_reduce_max, whole, type, field, MAX, 1, to)                                      \
    FOLD(prefix##_scan_inclusive_add, whole, type, field, ADD, 1, current + 1)                     \
    FOLD(prefix##_scan_inclusive_min, whole, type, field, MIN, 1, current + 1)                     \
    FOLD(prefix##_scan_inclusive_max, whole, type, field, MAX, 1, current + 1)                     \
    FOLD(prefix##_scan_exclusive_add, whole, type, field, ADD, 0, current)
#define BROADCAST(name, whole, type, field, index)                                                 \
    type OVERLOAD name(type x, index from_item)                                                    \
    {                                                                                              \
        unsigned from, to;                                                                         \
        left_by[current].field = x;                                                                \
        all_come_here();                                                                           \
        range(whole, &from, &to);                                                                  \
        const type result = (type)left_by[from + (unsigned)from_item].field;                       \
        all_come_here();                                                                           \
        return result;                                                                             \
    }
#define VOTES(prefix, whole)                                                                       \
    static FOLD(prefix##_fewest, whole, int, i, MIN, 1, to) static FOLD(                           \
        prefix##_most, whole, int, i, MAX, 1, to) int OVERLOAD prefix##_all(int x)                 \
    {                                                                                              \
        return prefix##_fewest(x != 0);                                                            \
    }                                                                                              \
    int OVERLOAD prefix##_any(int x)                                                               \
    {                                                                                              \
        return prefix##_most(x != 0);                                                              \
    }

FOLDS(sub_group, 0, int, i)
FOLDS(sub_group, 0, unsigned, u)
FOLDS(sub_group, 0, long, i)
FOLDS(sub_group, 0, float, f)
FOLDS(sub_group, 0, double, f)
BROADCAST(sub_group_broadcast, 0, int, i, unsigned)
BROADCAST(sub_group_broadcast, 0, long, i, unsigned)
VOTES(sub_group, 0)
FOLDS(work_group, 1, int, i)
BROADCAST(work_group_broadcast, 1, int, i, size_t)
VOTES(work_group, 1)

unsigned OVERLOAD get_sub_group_local_id(void)
{
    return current % SUB_GROUP;
}

unsigned OVERLOAD get_sub_group_id(void)
{
    return current / SUB_GROUP;
}

unsigned OVERLOAD get_sub_group_size(void)
{
    unsigned from, to;
    range(0, &from, &to);
    return to - from;
}

unsigned OVERLOAD get_num_sub_groups(void)
{
    return (items + SUB_GROUP - 1) / SUB_GROUP;
}

/* fma() of half: the product and the sum are exact before the one rounding. */
_Float16 fma_of_halves(_Float16 a, _Float16 b, _Float16 c) __asm__("_Z3fmaDhDhDh");
_Float16 fma_of_halves(_Float16 a, _Float16 b, _Float16 c)
{
    return (_Float16)((__float128)a * b + c);
}
