#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#pragma omp declare target
int table[3] = {2, 3, 5};
static int priv = 10;
int square(int x)
{
    return x * x;
}
int (*pointer)(int) = square;
#pragma omp end declare target

int other(int n);

int main(void)
{
    int n = 500, count = 0, host = 1;
    double sum = 0, *a = malloc(n * sizeof *a);
#pragma omp target map(from : host)
    host = omp_is_initial_device();
#pragma omp target teams distribute parallel for reduction(+ : sum) map(from : a[:n])
    for (int i = 0; i < n; i++) {
        a[i] = sin(i * 0.01) + sqrt(i) + pow(1.001, i);
        sum += square(i) % table[i % 3] + priv;
    }
#pragma omp target teams num_teams(4) thread_limit(32) map(tofrom : count)
#pragma omp parallel
    {
#pragma omp critical
        count += 1;
    }
    double worst = 0, wanted = 0;
    for (int i = 0; i < n; i++) {
        const double right = sin(i * 0.01) + sqrt(i) + pow(1.001, i);
        worst = fmax(worst, fabs(a[i] - right) / (1 + fabs(right)));
        wanted += i * i % table[i % 3] + 10;
    }
#pragma omp target
    printf("on the device %d\n", omp_is_initial_device());
    printf("devices %d, host %d, sum %s, near %d, critical %s, other %d\n", omp_get_num_devices(),
           host, sum == wanted ? "right" : "wrong",
           worst<1e-12, count> 0 && count % 4 == 0 ? "right" : "wrong", other(7));
    return 0;
}
