/* OpenMP with the memory of the process: nothing is mapped, and pointers mean the same on both
 * sides. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#pragma omp requires unified_shared_memory

struct node {
    int value;
    struct node *next;
};

static int global[100];

int main(void)
{
    struct node *list = NULL;
    int *out = calloc(100, sizeof *out), sum = 0, on_host = 1;
    for (int i = 1; i <= 100; i++) {
        struct node *n = malloc(sizeof *n);
        *n = (struct node){i, list};
        list = n;
    }
#pragma omp target map(tofrom : sum, on_host)
    {
        on_host = omp_is_initial_device();
        for (struct node *n = list; n; n = n->next)
            sum += n->value;
    }
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 100; i++)
        global[i] = out[i] = 3 * i;
    int wrong = 0;
    for (int i = 0; i < 100; i++)
        wrong += out[i] != 3 * i || global[i] != 3 * i;
    printf("devices %d, on the host %d, sum %d, wrong %d\n", omp_get_num_devices(), on_host, sum,
           wrong);
    return 0;
}
