#pragma omp declare target
static int priv = 100;
int square(int x);
static int twice(int x)
{
    return 2 * x;
}
#pragma omp end declare target
int other(int n)
{
    int r = 0;
#pragma omp target map(tofrom : r)
    r = square(n) + twice(n) + priv;
    return r;
}
