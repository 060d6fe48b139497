/* Variables that optimised code does not keep: the debug information computes them, with the width
 * of an address, or in types of its own (DW_OP_regval_type, DW_OP_convert). */
volatile int sink;
volatile float float_sink;
volatile double double_sink;

__attribute__((noinline)) void stop_here(void)
{
    sink++;
}

/* x % 7 + 10 of a negative number: the difference wraps in 32 bits. */
__attribute__((noinline)) int integers(int x, unsigned u, long long wide)
{
    int y = x % 7 + 10;
    int halved = x / 4 - 3;
    unsigned shifted = (u >> 3) + 5;
    int arithmetic = (x >> 2) ^ 1;
    int less = x < -5, below = u < 7u, at_most = x <= -29;
    signed char narrow = (signed char)(x * 3);
    unsigned short half = (unsigned short)(u * 5 + 1);
    long long more = wide * 3 - 1;
    long long from_int = (long long)x + 2;
    int negated = -x, inverted = ~x;
    stop_here();
    sink = x;
    sink = (int)u;
    sink = (int)wide;
    sink = (int)(wide >> 32);
    return x + (int)u;
}

__attribute__((noinline)) double floats(float f, double d, int n, unsigned u)
{
    float twice = f * 2.0f, third = f - 0.25f, quotient = f / 3.0f, negative = -f;
    double sum = d + 1.5, wider = (double)f + 0.5, from_int = n * 0.5, from_unsigned = u;
    float narrowed = (float)d, of_int = (float)n;
    int to_int = (int)f + 1, truncated = (int)d;
    int greater = f > 1.0f;
    stop_here();
    float_sink = f;
    double_sink = d;
    sink = n;
    sink = (int)u;
    return d;
}

int main(void)
{
    sink = -29;
    int x = sink;
    float_sink = 3.75f;
    double_sink = -20.625;
    integers(x, (unsigned)sink, sink * 1000000007LL);
    floats(float_sink, double_sink, x, (unsigned)x);
    return 0;
}
