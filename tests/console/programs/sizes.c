/* Numbers whose highest bit in the debug information's bytes is set, and that are not negative. */
#include "vortex.h"

enum size { NEGATIVE = -3, SMALL = 100, BYTE = 200, WORD = 60000, LONG = 0x7fffffff };
struct holder {
    char of_byte[200], of_word[40000];
};
enum size size = BYTE;
int of_byte[200], of_word[40000];
struct holder holder;

__attribute__((noinline)) void stop_here(void)
{
}

int main(void)
{
    const int constant = 59952, small = 222;
    of_byte[199] = 7;
    stop_here();
    return of_word[constant / 2 + small] + (int)size + holder.of_byte[199];
}
