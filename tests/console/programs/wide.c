/* Integers of 128 bits. */
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

wide big = ((wide)1 << 100) + 12345, minus = -(((wide)3 << 90) + 7), tiny = -5, seven = 7;
uwide all = ~(uwide)0, high = (uwide)9 << 100;
struct {
    int a;
    wide b;
} s = {1, 2};
wide list[2] = {3, -4};
int small = -3;
double real = 1e30;

__attribute__((noinline)) wide stop(wide x, uwide y)
{
    wide sum = x + (wide)y; /* stop */
    return sum;
}

int main(void)
{
    return (int)stop(big, all) == 0;
}
