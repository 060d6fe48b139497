int values[4];

__attribute__((noinline)) int deep(int n, volatile int *out)
{
    if (n == 0)
        return out[1] + 1; /* bottom */
    return deep(n - 1, out) + n;
}

int main(void)
{
    values[0] = deep(1000, values);
    return 0;
}
