/* Planted mistakes with memory in OpenMP's target regions, and idioms, for GCC's offloading. The
 * oracle is the same source compiled for the host alone, where a target region uses the host's
 * memory: each mapped range is one block of malloc's. */
#include <omp.h>
#include <stdlib.h>
#include "cases.h"

enum { N = 32 };

static int *numbers(int count)
{
    int *p = malloc(count * sizeof *p);
    for (int i = 0; i < count; i++)
        p[i] = 7 * i + 1;
    return p;
}

/* The first @p count numbers are the case's result. */
static void end(int *p, int count)
{
    result(p, count * sizeof *p);
    free(p);
}

static int device(void)
{
    return omp_get_default_device();
}

#pragma omp declare target
static int variable[16];
static int beside[16];

static __attribute__((noinline)) void called(int *p, int i, int value)
{
    p[i] = value; /* BUG called */
}

static __attribute__((noinline)) int inner(volatile int *p, int i)
{
    return p[i]; /* BUG inner */
}
#pragma omp end declare target

static void map_after(int bad)
{
    int *p = numbers(N);
#pragma omp target map(tofrom : p [0:N])
    for (int i = 0; i < N; i++)
        p[i + bad] = 3 * i; /* BUG map_after */
    end(p, N);
}

static void map_before(int bad)
{
    int *p = numbers(N), sum = 0;
#pragma omp target map(to : p [0:N]) map(tofrom : sum)
    for (int i = 0; i < N; i++)
        sum += p[i - bad]; /* BUG map_before */
    p[0] = sum;
    end(p, 1);
}

/* The host has more of the array than the device. */
static void map_part(int bad)
{
    int *p = numbers(2 * N);
#pragma omp target map(tofrom : p [4:N])
    for (int i = 4; i < 4 + N; i++)
        p[i + bad] = 3 * i; /* BUG map_part */
    end(p, N);
}

static void in_called(int bad)
{
    int *p = numbers(N);
#pragma omp target map(tofrom : p [0:N])
    for (int i = 0; i < N; i++)
        called(p, i + bad, 5 * i);
    end(p, N);
}

static void in_parallel(int bad)
{
    int *p = numbers(N);
#pragma omp target teams distribute parallel for map(tofrom : p [0:N]) num_teams(2) thread_limit(4)
    for (int i = 0; i < N; i++)
        p[i + bad * (i == N - 1)] = 2 * i; /* BUG in_parallel */
    end(p, N);
}

static void atomic_after(int bad)
{
    int *p = numbers(N);
#pragma omp target map(tofrom : p [0:N])
    for (int i = 0; i < N; i++)
#pragma omp atomic
        p[i + bad] += 2; /* BUG atomic_after */
    end(p, N);
}

static void variable_after(int bad)
{
    int *p = numbers(16);
#pragma omp target map(from : p [0:16])
    {
        for (int i = 0; i < 16; i++)
            variable[i + bad] = i; /* BUG variable_after */
        for (int i = 0; i < 16; i++)
            p[i] = variable[i] + beside[i] * 0;
    }
    end(p, 16);
}

static void private_after(int bad)
{
    int *p = numbers(N);
#pragma omp target map(tofrom : p [0:N])
    {
        volatile int mine[8];
        for (int i = 0; i < 8; i++)
            mine[i] = i;
        p[0] = inner(mine, 7 + bad);
    }
    end(p, 1);
}

static void allocated_after(int bad)
{
    int *p = numbers(N), *q = omp_target_alloc(N * sizeof(int), device());
#pragma omp target is_device_ptr(q)
    for (int i = 0; i < N; i++)
        q[i + bad] = 9 * i; /* BUG allocated_after */
    omp_target_memcpy(p, q, N * sizeof(int), 0, 0, omp_get_initial_device(), device());
    omp_target_free(q, device());
    end(p, N);
}

static void allocated_freed(int bad)
{
    int *p = numbers(N), *q = omp_target_alloc(N * sizeof(int), device());
    if (bad)
        omp_target_free(q, device());
#pragma omp target is_device_ptr(q)
    q[3] = 4; /* BUG allocated_freed */
    if (!bad)
        omp_target_free(q, device());
    end(p, N);
}

static void freed_twice(int bad)
{
    int *p = numbers(N), *q = omp_target_alloc(N * sizeof(int), device());
    omp_target_free(q, device());
    omp_target_free(bad ? q : NULL, device()); /* BUG freed_twice */
    end(p, N);
}

static void copy_beyond(int bad)
{
    int *p = numbers(2 * N), *q = omp_target_alloc(N * sizeof(int), device());
    /* BUG copy_beyond */
    omp_target_memcpy(q, p, (N + bad) * sizeof(int), 0, 0, device(), omp_get_initial_device());
    omp_target_free(q, device());
    end(p, N);
}

/* The device's copy after its map has ended. */
static void unmapped(int bad)
{
    int *p = numbers(N), *there = NULL;
#pragma omp target enter data map(to : p [0:N])
#pragma omp target data use_device_ptr(p)
    there = p;
    if (bad) {
#pragma omp target exit data map(delete : p [0:N])
    }
#pragma omp target is_device_ptr(there)
    there[2] = 6; /* BUG unmapped */
    if (!bad) {
#pragma omp target exit data map(from : p [0:N])
    }
    end(p, N);
}

static void leak_allocation(int bad)
{
    int *p = numbers(N), *q = omp_target_alloc(92, device()); /* BUG leak_allocation */
    if (!bad)
        omp_target_free(q, device());
    q = NULL;
    end(p, N);
}

/* ---- idioms ---- */

static void middle(int bad)
{
    int *p = numbers(N), *m = p + N / 2;
    (void)bad;
#pragma omp target map(tofrom : p [0:N], m)
    for (int i = -N / 2; i < N / 2; i++)
        p[N / 2 + i] = 2 * i;
    end(p, N);
    (void)m;
}

static void section(int bad)
{
    int *p = numbers(2 * N);
    (void)bad;
#pragma omp target map(tofrom : p [N:N])
    for (int i = N; i < 2 * N; i++)
        p[i] = i;
    end(p, 2 * N);
}

static void zero_length(int bad)
{
    int *p = numbers(N), n = 0, seen = 5;
    (void)bad;
#pragma omp target map(tofrom : p [0:n]) map(tofrom : seen)
    seen = n + 1;
    p[0] = seen;
    end(p, N);
}

static void reduction(int bad)
{
    int *p = numbers(N), sum = 0;
    (void)bad;
#pragma omp target teams distribute parallel for map(to : p[0 : N]) map(tofrom : sum) reduction(+ : sum) num_teams(2) thread_limit(4)
    for (int i = 0; i < N; i++)
        sum += p[i];
    p[0] = sum;
    end(p, 1);
}

static void nested_data(int bad)
{
    int *p = numbers(N), *scratch = numbers(N);
    (void)bad;
#pragma omp target data map(tofrom : p [0:N]) map(alloc : scratch [0:N])
    {
#pragma omp target
        for (int i = 0; i < N; i++)
            scratch[i] = p[i] + 1;
#pragma omp target update from(p [0:4])
#pragma omp target map(p [0:N])
        for (int i = 0; i < N; i++)
            p[i] = scratch[N - 1 - i];
    }
    free(scratch);
    end(p, N);
}

struct attached {
    int count, *values;
};

static void structure(int bad)
{
    struct attached s = {N, numbers(N)};
    (void)bad;
#pragma omp target map(to : s) map(tofrom : s.values [0:N])
    for (int i = 0; i < s.count; i++)
        s.values[i] *= 2;
    end(s.values, N);
}

/* Small maps that the runtime puts into one block. */
static void several_maps(int bad)
{
    char a[3] = {1, 2, 3}, b[5] = {4, 5, 6, 7, 8};
    int *p = numbers(N), c = 7;
    (void)bad;
#pragma omp target map(tofrom : a, b, c) map(tofrom : p [0:3])
    {
        for (int i = 0; i < 3; i++)
            a[i] = (char)(a[i] + p[i]);
        for (int i = 0; i < 5; i++)
            b[i] = (char)(b[i] + c);
        c++;
    }
    p[0] = a[2] + b[4] + c;
    end(p, 4);
}

static void no_iterations(int bad)
{
    int *p = numbers(N), n = bad;
#pragma omp target teams distribute parallel for map(tofrom : p [0:N]) num_teams(2) thread_limit(4)
    for (int i = 0; i < n; i++)
        p[i + N - 1] = 0;
    end(p, N);
}

CASES(CASE(map_after), CASE(map_before), CASE(map_part), CASE(in_called), CASE(in_parallel),
      CASE(atomic_after), CASE(variable_after), CASE(private_after), CASE(allocated_after),
      CASE(allocated_freed), CASE(freed_twice), CASE(copy_beyond), CASE(unmapped),
      CASE(leak_allocation), CASE(middle), CASE(section), CASE(zero_length), CASE(reduction),
      CASE(nested_data), CASE(structure), CASE(several_maps), CASE(no_iterations))

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
