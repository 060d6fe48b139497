/* An OpenACC program in C, which shuts its device down and starts it again. */
#include <openacc.h>
#include <stdio.h>

int main(void)
{
    enum { N = 1000 };
    double sum = 0, a[N];
    int on_device = 0;
    for (int round = 0; round < 20; round++) {
        acc_init(acc_device_radeon);
        sum = 0;
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma acc parallel loop copy(a [0:N], on_device) reduction(+ : sum)
        for (int i = 0; i < N; i++) {
            a[i] = 2 * a[i] + 1;
            sum += a[i];
            if (i == 0)
                on_device = acc_on_device(acc_device_radeon);
        }
        acc_shutdown(acc_device_radeon);
    }
    printf("devices %d, on one %d, sum %.0f, last %.0f\n", acc_get_num_devices(acc_device_radeon),
           on_device, sum, a[N - 1]);
    return 0;
}
