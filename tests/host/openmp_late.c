/* A target region whose kernel a GPU can find in its queue long before libgomp rings the doorbell:
 * taking a call stack is slow here, and checks take them when they note what the region maps. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int backtrace(void **address, int most)
{
    int (*real)(void **, int) = (int (*)(void **, int))dlsym(RTLD_NEXT, "backtrace");
    usleep(20000);
    return real(address, most);
}

int main(void)
{
    volatile int sum = 1;
    int a[100];
    for (int i = 0; i < 100; i++)
        a[i] = i;
#pragma omp target map(tofrom : sum) map(to : a)
    for (int i = 0; i < 20000; i++)
        sum += a[i % 100];
    printf("sum %d\n", sum);
    return 0;
}
