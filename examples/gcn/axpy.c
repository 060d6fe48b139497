// y = 2x + y on the GPU, by OpenMP. It has a mistake: docs/openmp-debug.md finds it.
#include <stdio.h>

enum { N = 1000 };

int main(void)
{
    static double x[N], y[N];
    int wrong = 0, first = -1;
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = 1;
    }
#pragma omp target teams distribute parallel for map(to : x, y)
    for (int i = 0; i < N; i++)
        y[i] = 2 * x[i] + y[i];
    for (int i = 0; i < N; i++)
        if (y[i] != 2 * i + 1)
            first = wrong++ ? first : i;
    if (wrong)
        printf("%d values are wrong; the first is y[%d] = %g, not %d\n", wrong, first, y[first], 2 * first + 1);
    return wrong != 0;
}
