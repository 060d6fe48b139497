/* More idioms of vortex.c that look like mistakes with memory and are none. */
#include <stddef.h>

/* The end of a variable as the base: GCC's constant is the address of the next one. */
KERNEL(back_from_the_end)
{
    const int *end = words + N;
    out[me()] = end[-1 - me()];
}
CASE_OF(from_the_end, back_from_the_end, bad, out)

/* An index of which one is taken: the constant is within the variable before. */
KERNEL(before_one)
{
    out[me()] = flags[(me() + 1) - 1] + initial[(me() | 8) - 8] + of_call[me() + 3 - 3];
}
CASE_OF(index_less_one, before_one, bad, out)

KERNEL(down_to_the_begin)
{
    int sum = 0;
    for (const int *at = words + N; at != words; sum += *--at)
        ;
    out[me()] = sum;
}
CASE_OF(down_to_zero, down_to_the_begin, bad, out)

/* From a member to the structure that it is in. */
KERNEL(of_container)
{
    float *member = &pairs[me()].second;
    out[me()] = ((struct pair *)((char *)member - offsetof(struct pair, second)))->first;
}
CASE_OF(container, of_container, bad, out)

/* Each lane has one of two arrays, which it takes by arithmetic. */
KERNEL(one_or_the_other)
{
    const uintptr_t both = (uintptr_t)words ^ (uintptr_t)initial;
    const int *from = (const int *)((uintptr_t)words ^ (both & -(uintptr_t)(me() & 1)));
    out[me()] = from[me()];
}
CASE_OF(one_of_two, one_or_the_other, bad, out)

static int *const table_of_rows[] = {words, out, initial};

KERNEL(by_table)
{
    table_of_rows[1][me()] = table_of_rows[0][me()] + table_of_rows[2][N - 1 - me()];
}
CASE_OF(table_of_pointers, by_table, bad, out)

KERNEL(ring)
{
    int sum = 0;
    for (int k = 0; k < 3 * N; k++)
        sum += words[(me() + k) & (N - 1)];
    out[me()] = sum;
}
CASE_OF(ring_buffer, ring, bad, out)

/* A word of bytes at once. */
KERNEL(by_words)
{
    uint32_t word;
    __builtin_memcpy(&word, many_bytes + 4 * me(), sizeof word);
    word ^= 0x01010101;
    __builtin_memcpy(many_bytes + 4 * me(), &word, sizeof word);
    out[me()] = (int)word;
}
CASE_OF(words_of_bytes, by_words, bad, out)

/* All of a stack that there is, but for some hundred bytes. */
KERNEL(large_frame)
{
    volatile char mine[7000];
    mine[0] = (char)me();
    mine[6999] = 3;
    out[me()] = mine[0] + mine[6999];
}
CASE_OF(frame_of_pages, large_frame, bad, out)

/* An array that one thread has on its stack is everybody's. */
KERNEL(of_others)
{
    int *theirs = a;
    theirs[me()] = theirs[me()] * 2 + me();
}

static void stack_of_main(int bad)
{
    int mine[N];
    (void)bad;
    for (int i = 0; i < N; i++)
        mine[i] = 7 * i;
    vx_launch(of_others, mine);
    result(mine, sizeof mine);
}

/* The library's functions load words: also those behind the end of a text, and around bytes. */
static void library_texts(int bad)
{
    static char text[13] = "twelve chars", other[13];
    (void)bad;
    given.c = text;
    strcpy(other, given.c);
    memmove(other + 1, other, strlen(other) - 1);
    other[0] = (char)('a' + strlen(given.c) + (memchr(given.c, 'c', 12) != NULL));
    result(other, sizeof other);
}

static void heap_again(int bad)
{
    int sum = 0;
    (void)bad;
    for (int i = 1; i < 20; i++) {
        int *p = malloc(i * sizeof *p), *q = calloc(i, sizeof *q);
        for (int k = 0; k < i; k++)
            p[k] = k + q[k];
        p = realloc(p, 3 * i * sizeof *p);
        sum += p[i - 1] + q[i / 2];
        free(q);
        free(p);
    }
    result(&sum, sizeof sum);
}

/* The compiler loads and stores the bytes that the members share. */
static struct __attribute__((packed)) fields {
    unsigned one : 3, two : 9, three : 11;
    signed char last;
} fields[N];

KERNEL(put_fields)
{
    fields[me()].two = 40 * me();
    fields[me()].three += fields[me()].two;
    fields[me()].last = (signed char)fields[me()].one;
}
CASE_OF(bit_fields, put_fields, bad, fields)

#define MORE_IDIOMS                                                                                \
    CASE(from_the_end), CASE(index_less_one), CASE(down_to_zero), CASE(container),                 \
        CASE(one_of_two), CASE(table_of_pointers), CASE(ring_buffer), CASE(words_of_bytes),        \
        CASE(frame_of_pages), CASE(stack_of_main), CASE(library_texts), CASE(heap_again),          \
        CASE(bit_fields)
