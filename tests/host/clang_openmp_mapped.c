/* A range that is mapped without its last element, which a target region loads. */
#include <stdio.h>

enum { N = 100 };

int main(int argc, char **argv)
{
    static int from[N], to[N];
    const int mapped = argc > 1 ? N - 1 : N;
    for (int i = 0; i < N; i++)
        from[i] = i;
#pragma omp target teams distribute parallel for map(to : from [0:mapped]) map(from : to [0:N])
    for (int i = 0; i < N; i++)
        to[i] = from[i] * 2; /* BUG */
    printf("%d\n", to[1]);
    return 0;
}
