// Pi, summed up on the GPU: by OpenMP with -fopenmp, by OpenACC with -fopenacc.
#include <stdio.h>

enum { N = 10000 };

int main(void)
{
    double sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
#pragma acc parallel loop reduction(+ : sum)
    for (int i = 0; i < N; i++) {
        double x = (i + 0.5) / N;
        sum += 4 / (1 + x * x);
    }
    printf("%.8f\n", sum / N);
}
