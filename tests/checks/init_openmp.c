/* Planted uses of values that nothing has written in OpenMP's target regions, and idioms, for GCC:
 * init_openmp bad|good [CASE]... */
#include <omp.h>
#include "cases.h"

enum { N = 64 };

static int in[N], out[N];

static void set(void)
{
    for (int i = 0; i < N; i++) {
        in[i] = i * 7 % 61;
        out[i] = 0;
    }
}

static void end(int bad)
{
    result(out, bad ? 0 : sizeof out);
}

/* ---- memory of the device ---- */

/* Of which the first elements are written. */
static int *device(int count)
{
    int *p = omp_target_alloc(sizeof in, 0);
#pragma omp target parallel for is_device_ptr(p)
    for (int i = 0; i < count; i++)
        p[i] = i * 7 % 61;
    return p;
}

static void device_branch(int bad)
{
    set();
    int *p = device(bad ? N / 2 : N);
#pragma omp target parallel for is_device_ptr(p) map(tofrom : out)
    for (int i = 0; i < N; i++)
        if (p[i] > 5) /* BUG omp_branch */
            out[i] = 3;
    omp_target_free(p, 0);
    end(bad);
}

static void device_index(int bad)
{
    set();
    int *p = device(bad ? N / 2 : N);
#pragma omp target parallel for is_device_ptr(p) map(tofrom : out) map(to : in)
    for (int i = 0; i < N; i++)
        out[i] = in[p[i] & 31]; /* BUG omp_index */
    omp_target_free(p, 0);
    end(bad);
}

/* ---- idioms ---- */

/* What the host copies to memory of the device, and back. */
static void copied_there_and_back(int bad)
{
    (void)bad;
    set();
    int *p = omp_target_alloc(sizeof in, 0), *q = omp_target_alloc(sizeof in, 0);
    omp_target_memcpy(p, in, sizeof in, 0, 0, 0, omp_get_initial_device());
    omp_target_memcpy(q, p, sizeof in, 0, 0, 0, 0);
#pragma omp target parallel for is_device_ptr(q)
    for (int i = 0; i < N; i++)
        q[i] = q[i] > 5 ? q[i] + 1 : 0;
    omp_target_memcpy(out, q, sizeof in, 0, 0, omp_get_initial_device(), 0);
    omp_target_free(p, 0);
    omp_target_free(q, 0);
    end(0);
}

static void teams_and_reductions(int bad)
{
    int sum = 0;
    (void)bad;
    set();
#pragma omp target teams distribute parallel for map(tofrom : sum) map(to : in) reduction(+ : sum)
    for (int i = 0; i < N; i++)
        sum += in[i] > 9 ? in[i] : 1;
    result(&sum, sizeof sum);
}

static void region_of_regions(int bad)
{
    (void)bad;
    set();
#pragma omp target map(tofrom : out) map(to : in)
    {
        int part[N];
#pragma omp parallel for
        for (int i = 0; i < N; i++)
            part[i] = in[i] * 3;
#pragma omp parallel for
        for (int i = 0; i < N; i++)
            if (part[N - 1 - i] > 20)
                out[i] = part[i];
    }
    end(0);
}

/* libatomic does it by the word around the byte, of which nothing else is mapped. */
static void byte_of_a_word(int bad)
{
    char all = 1;
    (void)bad;
    set();
#pragma omp target map(tofrom : all) map(to : in)
#pragma omp for simd reduction(&& : all)
    for (int i = 0; i < N; i++)
        all = all && in[i] >= 0;
    result(&all, sizeof all);
}

CASES(CASE(device_branch), CASE(device_index), CASE(copied_there_and_back),
      CASE(teams_and_reductions), CASE(region_of_regions), CASE(byte_of_a_word))

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
