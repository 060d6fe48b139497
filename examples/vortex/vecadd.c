/*
 * Vector addition: c[i] = a[i] + b[i], one thread an element.
 */
#include "check.h"
#include "vortex.h"

#define N 1000

struct job {
    const float *a, *b;
    float *c;
};

static float a[N], b[N], c[N], expected[N];

static void add(void *p, size_t i)
{
    struct job *job = p;
    float x = job->a[i];
    float y = job->b[i];
    job->c[i] = x + y;
}

int main(void)
{
    struct job job = {a, b, c};
    for (unsigned i = 0; i < N; i++) {
        a[i] = noise_float(i);
        b[i] = noise_float(N + i);
    }
    vx_parallel(N, add, &job);

    for (unsigned i = 0; i < N; i++)
        expected[i] = a[i] + b[i];
    return judge("vecadd", c, expected, N, sizeof c[0]);
}
