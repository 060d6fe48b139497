/* Planted races in OpenMP's target regions, and idioms: races_openmp bad|good [CASE]... The oracle
 * is Archer, LLVM's ThreadSanitizer for OpenMP, with the same source compiled for the host. */
#include <stdlib.h>
#include "cases.h"

enum { N = 16, THREADS = 4 };

/* The first @p count of these numbers are the case's result. */
static int *zeros(void)
{
    return calloc(N, sizeof(int));
}

static void end(int *p, int count)
{
    result(p, count * sizeof *p);
    free(p);
}

static void sum_plain(int bad)
{
    int *p = zeros();
#pragma omp target parallel map(tofrom : p [0:N]) num_threads(THREADS)
    {
        if (bad) {
            p[0] += 1; /* BUG sum */
        } else {
#pragma omp atomic
            p[0] += 1;
        }
    }
    end(p, bad ? 0 : 1);
}

static void barrier_missing(int bad)
{
    int *p = zeros(), *q = zeros();
#pragma omp target map(tofrom : p [0:N], q [0:N])
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(static, 1) nowait
        for (int i = 0; i < N; i++)
            p[i] = 3 * i; /* BUG first_loop */
        if (!bad) {
#pragma omp barrier
        }
#pragma omp for schedule(static, 1)
        for (int i = 0; i < N; i++)
            q[i] = p[N - 1 - i]; /* BUG second_loop */
    }
    free(p);
    end(q, bad ? 0 : N);
}

static void temporary_shared(int bad)
{
    int *p = zeros(), shared = 0;
#pragma omp target map(tofrom : p [0:N], shared)
#pragma omp parallel for num_threads(THREADS) schedule(static, 1)
    for (int i = 0; i < N; i++) {
        int own = i + 1;
        if (bad)
            shared = own;                    /* BUG shared_store */
        __asm__ volatile("" : : : "memory"); /* or the compiler keeps the value in a register */
        p[i] = bad ? shared : own;           /* BUG shared_load */
    }
    end(p, bad ? 0 : N);
}

static void two_criticals(int bad)
{
    int *p = zeros();
#pragma omp target parallel map(tofrom : p [0:N]) num_threads(THREADS)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < THREADS; i++) {
            if (bad && i % 2) {
#pragma omp critical(other)
                p[0] = p[0] + 1; /* BUG other_name */
            } else {
#pragma omp critical(one)
                p[0] = p[0] + 1; /* BUG one_name */
            }
        }
    }
    end(p, bad ? 0 : 1);
}

static void single_nowait(int bad)
{
    int *p = zeros();
#pragma omp target parallel map(tofrom : p [0:N]) num_threads(THREADS)
    {
#pragma omp single nowait
        p[N - 1] = 5; /* BUG single_store */
        if (!bad) {
#pragma omp barrier
        }
#pragma omp for schedule(static, 1)
        for (int i = 0; i < THREADS; i++)
            p[i] = p[N - 1] + i; /* BUG single_load */
    }
    end(p, bad ? 0 : THREADS);
}

static void across_teams(int bad)
{
    int *p = zeros();
#pragma omp target teams distribute map(tofrom : p [0:N]) num_teams(4)
    for (int i = 0; i < 4; i++) {
        if (bad) {
            p[0] += i; /* BUG teams */
        } else {
#pragma omp atomic
            p[0] += i;
        }
    }
    end(p, bad ? 0 : 1);
}

static void reduction(int bad)
{
    int *p = zeros(), sum = 0;
    (void)bad;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : p [0:N])
    for (int i = 0; i < N; i++) {
        p[i] = i;
        sum += i;
    }
    p[0] = sum;
    end(p, N);
}

static void in_turn(int bad)
{
    int *p = zeros();
    (void)bad;
#pragma omp target parallel map(tofrom : p [0:N]) num_threads(THREADS)
    {
#pragma omp single
        p[0] = 1;
#pragma omp critical
        p[0] = 2 * p[0];
#pragma omp barrier
#pragma omp master
        p[1] = p[0];
    }
    end(p, 2);
}

static void double_buffer(int bad)
{
    int *p = zeros(), *q = zeros();
    (void)bad;
#pragma omp target map(tofrom : p [0:N], q [0:N])
#pragma omp parallel num_threads(THREADS)
    for (int round = 0; round < 4; round++) {
        int *from = round % 2 ? q : p, *to = round % 2 ? p : q;
#pragma omp for
        for (int i = 0; i < N; i++)
            to[i] = from[(i + 1) % N] + i;
    }
    free(q);
    end(p, N);
}

/* Teams and tasks of the inner regions lie in memory that the runtime frees and allocates again. */
static void nested_regions(int bad)
{
    enum { ROUNDS = 30 };
    int *p = zeros(), *q = calloc(ROUNDS * N, sizeof *q);
    (void)bad;
#pragma omp target map(from : q [0:ROUNDS * N])
#pragma omp parallel for num_threads(2 * THREADS)
    for (int i = 0; i < ROUNDS; i++)
#pragma omp parallel for
        for (int k = 0; k < N; k++)
            q[N * i + k] = 3 * i + k;
    for (int i = 0; i < ROUNDS * N; i++)
        p[i % N] += q[i];
    free(q);
    end(p, N);
}

CASES(CASE(sum_plain), CASE(barrier_missing), CASE(temporary_shared), CASE(two_criticals),
      CASE(single_nowait), CASE(across_teams), CASE(reduction), CASE(in_turn), CASE(double_buffer),
      CASE(nested_regions))

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
