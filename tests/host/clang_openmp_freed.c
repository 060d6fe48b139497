/* Memory of the device that is freed; then ranges of its size are mapped. With an argument it is
 * used after that. */
#include <omp.h>
#include <stdio.h>

enum { N = 32 };

int main(int argc, char **argv)
{
    int p[N + 1] = {0};
    for (int n = 0; n < 3; n++) {
        int *q = omp_target_alloc(N * sizeof *q, 0);
#pragma omp target is_device_ptr(q)
        for (int i = 0; i < N; i++)
            q[i] = i;
        omp_target_free(q, 0);
#pragma omp target map(tofrom : p [0:N])
        for (int i = 0; i < N; i++)
            p[i] += i;
        if (argc > 1)
#pragma omp target is_device_ptr(q)
            q[1] = 2; /* BUG */
    }
    printf("%d\n", p[5]);
    return 0;
}
