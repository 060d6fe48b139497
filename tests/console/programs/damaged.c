/* Functions whose frames are damaged before the lines that are marked. */
__attribute__((noinline)) int lost(int x)
{
    __asm volatile("mv t5, ra; mv ra, zero" ::: "t5");
    x++; /* lost */
    __asm volatile("mv ra, t5");
    return x;
}

/* One frame again and again: the return address and the caller's frame are its own. */
__attribute__((noinline)) int circle(int x)
{
    volatile int y = lost(x);
    volatile long *frame = __builtin_frame_address(0);
    const long address = frame[-1], base = frame[-2];
    frame[-1] = (long)&&here;
    frame[-2] = (long)frame;
here:
    y++; /* circle */
    frame[-1] = address;
    frame[-2] = base;
    return y;
}

/* The caller's frame lies inwards. */
__attribute__((noinline)) int inner(int x)
{
    volatile int y = lost(x);
    volatile long *frame = __builtin_frame_address(0);
    const long base = frame[-2];
    frame[-2] = (long)frame - 256;
    y++; /* inner */
    frame[-2] = base;
    return y;
}

int main(void)
{
    return circle(1) + inner(2) - 7;
}
