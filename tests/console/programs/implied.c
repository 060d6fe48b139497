/* Pointers that the optimiser has removed, with what they point to in registers, or known. */
struct pair {
    int a, b;
    struct {
        short c[2];
    } in;
};

volatile int input = 5, sink;

__attribute__((noinline, noipa)) static int use(int value)
{
    sink = value;
    return value + input;
}

static inline __attribute__((always_inline)) int sum(const struct pair *p, const int *q,
                                                     const long *l)
{
    int s = use(p->a + *q);
    sink = s;
    sink = *q + (int)*l;
    return s + p->b + p->in.c[1];
}

int main(void)
{
    struct pair x = {input * 3, input + 4, {{(short)input, (short)(input + 1)}}};
    int k = input * 7;
    const long fixed = 1234567;
    return sum(&x, &k, &fixed) & 0xf;
}
