/* Structures of bit fields that optimised code keeps in registers: the debug information has pieces
 * of bits. */
struct fields {
    int a : 5;
    unsigned b : 9;
    int c : 7;
    unsigned d : 3;
    int e;
};
struct halves {
    unsigned x : 12;
    unsigned y : 20;
};
struct wide {
    unsigned long long low : 33, high : 31;
};
volatile int in = 77, sink;

__attribute__((noinline)) void stop_here(void)
{
    sink++;
}

__attribute__((noinline)) int work(int p, int q)
{
    struct fields v;
    struct halves w;
    struct wide u;
    v.a = p;
    v.b = q * 3;
    v.c = p - q;
    v.d = 5;
    v.e = p * q;
    w.x = q;
    w.y = p * 1000;
    u.low = p * 100000007ll;
    u.high = q;
    stop_here();
    int r = v.a + v.b * 2 + v.c * 3 + v.d + v.e + w.x + w.y + (int)u.low + u.high;
    stop_here();
    return r;
}

int main(void)
{
    sink = work(in, in + 5);
    return 0;
}
