/* Target tasks that depend on each other: clang's runtime starts them from threads of its own,
 * which have no context. */
#include <omp.h>
#include <stdio.h>

enum { N = 256, ROUNDS = 20 };

int main(void)
{
    static int a[N], b[N];
    int on_host = 0, wrong = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int r = 0; r < ROUNDS; r++) {
#pragma omp target nowait depend(out : a) map(tofrom : a, on_host)
        {
            on_host |= omp_is_initial_device();
            for (int i = 0; i < N; i++)
                a[i] += i;
        }
#pragma omp target teams distribute parallel for nowait depend(in                                  \
                                                               : a) depend(out                     \
                                                                           : b) map(to             \
                                                                                    : a)           \
    map(tofrom                                                                                     \
        : b)
        for (int i = 0; i < N; i++)
            b[i] += a[i];
    }
    for (int i = 0; i < N; i++)
        wrong += a[i] != ROUNDS * i || b[i] != i * ROUNDS * (ROUNDS + 1) / 2;
    printf("host %d, wrong %d\n", on_host, wrong);
    return wrong != 0;
}
