/* The least that an OpenMP program asks of its GPU. */
int main(void)
{
    int on_host = 1;
#pragma omp target map(from : on_host)
    on_host = 0;
    return on_host < 0;
}
