/* OpenACC by GCC: a loop over gangs, workers and vectors; data that stay; async queues. */
#include <openacc.h>
#include <stdio.h>

int main(void)
{
    static float a[4096], b[4096];
    float sum = 0;
    int on = 0;
    for (int i = 0; i < 4096; i++)
        a[i] = (float)(i % 17);
#pragma acc data copyin(a) create(b)
    {
#pragma acc parallel loop gang vector present(a, b) async(1)
        for (int i = 0; i < 4096; i++)
            b[i] = 2 * a[i] + 1;
#pragma acc wait(1)
#pragma acc parallel loop gang worker vector reduction(+ : sum) present(b) copy(sum)
        for (int i = 0; i < 4096; i++)
            sum += b[i];
#pragma acc update self(b [100:10])
#pragma acc serial copyout(on)
        on = acc_on_device(acc_device_nvidia);
    }
    float want = 0;
    for (int i = 0; i < 4096; i++)
        want += 2 * a[i] + 1;
    printf("on %d, sum %s, b[105] %g\n", on, sum == want ? "right" : "wrong", b[105]);
    return 0;
}
