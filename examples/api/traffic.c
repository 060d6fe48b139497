/*
 * Counts the bytes that each instruction of a kernel reads and writes, and prints the instructions
 * with most of them:
 *
 *     traffic OPTION… PROGRAM
 */
#include <stdio.h>
#include <stdlib.h>

#include <wavetrap/wavetrap.h>

enum { MOST = 4096, SHOWN = 5 };

struct counts {
    size_t used;
    struct count {
        uint64_t pc, read, written;
    } of[MOST];
};

static void take(void *context, const struct wavetrap_access *access)
{
    struct counts *c = context;
    const uint64_t bytes =
        (uint64_t)access->size * (unsigned)(__builtin_popcountll(access->lanes.word[0]) +
                                            __builtin_popcountll(access->lanes.word[1]));
    size_t i = 0;
    while (i < c->used && c->of[i].pc != access->pc)
        i++;
    if (i == MOST)
        return;
    c->used += i == c->used;
    c->of[i].pc = access->pc;
    c->of[i].read += access->kind == WAVETRAP_WRITE ? 0 : bytes;
    c->of[i].written += access->kind == WAVETRAP_READ ? 0 : bytes;
}

static int by_bytes(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    const uint64_t n = x->read + x->written, m = y->read + y->written;
    return n != m ? (n < m) - (n > m) : (x->pc > y->pc) - (x->pc < y->pc);
}

int main(int argc, char **argv)
{
    static struct counts counts;
    struct wavetrap *session;
    struct wavetrap_stop stop;
    struct wavetrap_error err;
    if (argc < 2 || wavetrap_open((const char *const *)argv + 1, NULL, NULL, &session, &err)) {
        fprintf(stderr, "traffic: %s\n", argc < 2 ? "traffic OPTION... PROGRAM" : err.text);
        return 1;
    }
    if (wavetrap_observe(session, take, &counts, &err) ||
        wavetrap_continue(session, false, &stop, &err)) {
        fprintf(stderr, "traffic: %s\n", err.text);
        wavetrap_close(session);
        return 1;
    }
    qsort(counts.of, counts.used, sizeof counts.of[0], by_bytes);
    printf("%10s %10s  instruction\n", "read", "written");
    for (size_t i = 0; i < counts.used && i < SHOWN; i++) {
        char text[256] = "?";
        unsigned length;
        wavetrap_instruction(session, counts.of[i].pc, text, sizeof text, &length, &err);
        printf("%10llu %10llu  0x%llx %s\n", (unsigned long long)counts.of[i].read,
               (unsigned long long)counts.of[i].written, (unsigned long long)counts.of[i].pc, text);
    }
    puts(stop.text);
    wavetrap_close(session);
    return 0;
}
