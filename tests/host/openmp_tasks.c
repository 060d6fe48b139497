/* The sum of a list of N numbers on the device, by a task for each: a limit of GCC's libgomp. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

#pragma omp declare target
int sum_of(struct node *list)
{
    int sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
    {
        for (struct node *at = list; at; at = at->next)
#pragma omp task in_reduction(+ : sum)
            sum += at->value;
    }
    return sum;
}
#pragma omp end declare target

int main(int count, char **word)
{
    static struct node list[1000];
    const int n = count > 1 ? atoi(word[1]) : 10;
    int sum = 0;
    for (int i = 0; i < n; i++)
        list[i].value = i + 1;
#pragma omp target map(tofrom : list, sum)
    {
        for (int i = 0; i + 1 < n; i++)
            list[i].next = &list[i + 1];
        list[n - 1].next = NULL;
#pragma omp parallel
#pragma omp single
        sum = sum_of(list);
    }
    printf("sum %d\n", sum);
    return 0;
}
