/* Values of many types, for comparing what the console prints with what GDB prints. */
#include <stdbool.h>
#include <stdint.h>

enum colour { RED, GREEN = 5, BLUE };
enum flag { READ = 1, WRITE = 2, RUN = 4 };
struct inner {
    short a;
    char tag;
};
struct pixel {
    int x, y;
    float depth;
    struct inner in;
    enum colour colour;
};
union number {
    int whole;
    float part;
    unsigned char byte[4];
};
struct bits {
    unsigned one : 1, three : 3;
    int five : 5;
    unsigned rest : 20;
};
struct anonymous {
    int head;
    union {
        int left;
        float right;
    };
    struct {
        int p, q;
    };
};
struct list {
    int value;
    struct list *next;
};
typedef struct pixel pixel_t;
typedef unsigned int word;

int global = 42;
static int hidden = -7;
unsigned char bytes[16] = {1, 2, 3};
char text[16] = "hello\n";
char full[4] = {'a', 'b', 'c', 'd'};
const char *message = "a message";
int table[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
int zeros[64];
double real = 3.25, third = 1.0 / 3;
float narrow = 0.1f, huge = 1e30f;
int (*function)(int, char);
void *nothing;
volatile const int fixed = 9;
long long wide = -1234567890123456789ll;
uint64_t unsigned_wide = 18446744073709551615ull;
bool yes = true, no;
struct list second = {2, 0}, first = {1, &second};
unsigned long long shifted = 1ull << 40;
struct pixel pixels[2] = {{1, 2, 0.5f, {3, 'x'}, GREEN}, {-4, 5, -1.5f, {6, 0}, BLUE}};

int twice(int value, char letter)
{
    return 2 * value + letter;
}

__attribute__((noinline)) void stop_here(int depth)
{
    global += depth;
}

__attribute__((noinline)) int deep(int depth)
{
    int local = depth * 10;
    if (depth == 0)
        stop_here(1);
    else
        local += deep(depth - 1);
    return local;
}

int main(void)
{
    int here = 17, negative = -3;
    unsigned int positive = 4000000000u;
    signed char small = -5;
    unsigned char letter = 'A';
    short half_word = -300;
    struct pixel pixel = pixels[0];
    pixel_t *pointer = &pixels[1];
    union number number = {.part = 1.5f};
    struct bits bit = {1, 5, -9, 0xabcde};
    struct anonymous hollow = {1, {2}, {3, 4}};
    enum colour colour = BLUE;
    enum flag flag = READ | RUN, none = 0, odd = 9;
    int *into = &table[1][2];
    word length = 3;
    int numbers[5] = {10, 20, 30, 40, 50};
    function = twice;
    stop_here(here);
    here = deep(3) + numbers[2] + (int)letter + negative + small + half_word;
    here += (int)positive + (int)flag + (int)none + (int)odd + colour + number.whole + bit.five +
            hollow.q + *into + (int)length + pixel.x + pointer->x + hidden;
    return here != 0 ? 0 : 1;
}
