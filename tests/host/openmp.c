/* An OpenMP program in C: a loop on the device, with a map and a reduction. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    enum { N = 1000 };
    double sum = 0, a[N];
    int on_device = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp target teams distribute parallel for map(tofrom : a [0:N], on_device) reduction(+ : sum)
    for (int i = 0; i < N; i++) {
        a[i] = 2 * a[i] + 1;
        sum += a[i];
        if (i == 0)
            on_device = !omp_is_initial_device();
    }
    printf("devices %d, on one %d, sum %.0f, last %.0f\n", omp_get_num_devices(), on_device, sum,
           a[N - 1]);
    return 0;
}
