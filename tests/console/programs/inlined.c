/* A function that is only inlined: in main, in another inlined function, and in a loop. */
volatile int sink;

static inline __attribute__((always_inline)) int scaled(int x)
{
    int result = x * 3;
    sink = result;
    return result + 1;
}

static inline __attribute__((always_inline)) int both(int a)
{
    return scaled(a) + a;
}

int main(void)
{
    sink = scaled(5);
    sink = both(7);
    for (int i = 0; i < 2; i++)
        sink = scaled(20 + i);
    return 0;
}
