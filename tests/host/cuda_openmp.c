/* OpenMP by GCC on whatever device there is: reductions, calls, recursion, memory, printf. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#pragma omp declare target
static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
int scale = 3;
#pragma omp end declare target

int main(void)
{
    int host = 1, f = 0, team = 0;
    unsigned a[1000], sum = 0;
    for (int i = 0; i < 1000; i++)
        a[i] = (unsigned)i;
#pragma omp target teams distribute parallel for map(tofrom : a)
    for (int i = 0; i < 1000; i++)
        a[i] = a[i] * (unsigned)scale + 1;
#pragma omp target map(tofrom : sum, host, f, team) map(to : a)
    {
        host = omp_is_initial_device();
        f = fibonacci(10);
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 1000; i++)
            sum += a[i];
#pragma omp parallel
        {
#pragma omp critical
            team++;
        }
        int *own = malloc(10 * sizeof *own);
        for (int i = 0; i < 10; i++)
            own[i] = i * f;
        printf("kernel: %d %s %5.2f\n", own[9], "text", 2.5);
        free(own);
    }
    printf("host %d, fibonacci %d, sum %u, threads %s\n", host, f, sum,
           team > 1 ? "several" : "one");
    return 0;
}
