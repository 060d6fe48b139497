/* The quick ways through arithmetic (emulator/gen/quick.c, rows.c, wide.c)
 * give what the general way gives:
 * random instructions on random registers, in any rounding mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/gen/internal.h"

static uint64_t seed = 1;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * UINT64_C(0x2545f4914f6cdd1d);
}

/* Numbers that mean something: small ones, infinities, NaN, denormals, and any. */
static uint32_t number(void)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0x7f800001, 0x00000001, 0x807fffff, 0x3f800000, 0xbf000000,
                                       0x7fffffff, 0xffffffff, 0x00010000, 0x4b000000};
    const uint64_t r = next_random();
    switch (r & 3) {
    case 0:
        return special[(r >> 8) % (sizeof special / sizeof special[0])];
    case 1:
        return (uint32_t)(r >> 8 & 0xff);
    default:
        return (uint32_t)(r >> 16);
    }
}

static void fill(struct gen_registers *g)
{
    for (unsigned i = 0; i < GEN_REGISTER_FILE; i += 4)
        wt_store_le(g->r + i, number(), 4);
    for (unsigned i = 0; i < 2; i++)
        g->f[i] = (uint32_t)next_random();
    /* Mostly what compilers set: to nearest, denormals kept. */
    const uint32_t modes = (uint32_t)next_random();
    g->cr[0] = modes & 7 ? 0x4c0 : modes >> 8 & (3 << 4 | GEN_CR0_KEEP_F | GEN_CR0_KEEP_DF);
}

static uint64_t one_of(const uint8_t *values, unsigned count)
{
    return values[next_random() % count];
}
#define ONE_OF(...) one_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* Fields of one or two sources: types of up to 32 bits, mostly regions that compilers use. */
static void set_two_sources(struct gen_word *w, unsigned kind)
{
    /* UD, D, UW, W, UB, B; F; DF; UQ, Q among the others. */
    const bool real = kind == 1 || kind == 2;
    const uint64_t float_type = kind == 1 ? 7 : 6;
    gen_set_field(w, 8, 8, 0);
    gen_set_field(w, 36, 35, ONE_OF(1, 1, 1, 0));
    gen_set_field(w, 40, 37,
                  real   ? float_type
                  : kind ? ONE_OF(0, 1, 8, 9)
                         : ONE_OF(0, 1, 0, 1, 2, 3, 4, 5));
    gen_set_field(w, 63, 61, ONE_OF(1, 1, 1, 2));
    gen_set_field(w, 60, 56, 0);
    if (!gen_field(w, 36, 35))
        gen_set_field(w, 60, 53, 0); /* null */
    for (unsigned i = 0; i < 2; i++) {
        const unsigned at = i ? 96 : 64, type = i ? 91 : 43, file = i ? 89 : 41;
        gen_set_field(w, file + 1, file, i && kind < 2 ? ONE_OF(1, 1, 1, 3) : 1);
        gen_set_field(w, type + 3, type,
                      real   ? float_type
                      : kind ? ONE_OF(0, 1, 8, 9)
                             : ONE_OF(0, 1, 0, 1, 2, 3, 4, 5));
        if (gen_field(w, file + 1, file) == 3) {
            if (!real)
                gen_set_field(w, type + 3, type, ONE_OF(0, 1));
            continue;
        }
        gen_set_field(w, at + 15, at + 15, 0);
        gen_set_field(w, at + 12, at + 8, 0); /* few registers: they meet */
        gen_set_field(w, at + 14, at + 13, ONE_OF(0, 0, 1, 2, 3));
        gen_set_field(w, at + 24, at + 21, ONE_OF(0, 1, 2, 3, 4, 5));
        gen_set_field(w, at + 20, at + 18, ONE_OF(0, 1, 2, 3, 4));
        gen_set_field(w, at + 17, at + 16, ONE_OF(0, 1, 1, 2));
    }
}

/* An instruction with an operation of the table. */
static struct gen_word any_word(void)
{
    struct gen_word w = {next_random(), next_random()};
    const struct gen_row *row = &gen_rows[next_random() % GEN_INSNS];
    const uint64_t shape = next_random();
    gen_set_field(&w, 6, 0, row->opcode);
    gen_set_field(&w, 30, 29, 0); /* native, no breakpoint */
    gen_set_field(&w, 23, 21, 2 + shape % 4);
    gen_set_field(&w, 31, 31, (shape >> 4 & 7) == 0);  /* saturate */
    gen_set_field(&w, 28, 28, (shape >> 8 & 15) == 0); /* AccWrEn */
    if (row->format == GEN_FORMAT_MATH)
        gen_set_field(&w, 27, 24, 1 + (shape >> 12) % 7);
    else
        gen_set_field(&w, 27, 24, (shape >> 12 & 3) ? 0 : shape >> 14 & 7);
    if (row == &gen_rows[GEN_CMP] || row == &gen_rows[GEN_SEL])
        gen_set_field(&w, 27, 24, 1 + (shape >> 14) % 6);
    if (row->format != GEN_FORMAT_THREE) {
        set_two_sources(&w, row->format == GEN_FORMAT_MATH ? 1 : shape >> 20 & 3);
        return w;
    }
    gen_set_field(&w, 8, 8, 1);
    gen_set_field(&w, 48, 43,
                  shape >> 24 & 1   ? 0
                  : shape >> 25 & 1 ? 1 << 3 | 1
                                    : 3 << 3 | 3); /* f, d, df */
    gen_set_field(&w, 36, 35, 0);
    for (unsigned i = 0; i < 3; i++)
        gen_set_field(&w, i == 0 ? 72 : i == 1 ? 93 : 114, i == 0 ? 65 : i == 1 ? 86 : 107, 0xe4);
    gen_set_field(&w, 52, 49, shape >> 28 & 3 ? 15 : shape >> 30);
    return w;
}

static void test_both_ways_give_the_same(void **state)
{
    enum { WANTED = 60000, MOST = 4000000 };
    struct gen_registers *before = calloc(1, sizeof *before), *quick = calloc(1, sizeof *before),
                         *general = calloc(1, sizeof *before);
    unsigned done = 0, rows[GEN_INSNS] = {0}, by_rows[GEN_INSNS] = {0}, wide[GEN_INSNS] = {0};
    struct gen_uop u;
    assert_true(before && quick && general);
    for (unsigned tries = 0; done < WANTED && tries < MOST; tries++) {
        const char *why;
        memset(&u, 0, sizeof u);
        u.word = any_word();
        if (!gen_decode(&u.word, &u.insn, &why))
            continue;
        gen_prepare(&u);
        if (!u.general || u.run == u.general || u.mistake)
            continue;
        fill(before);
        struct gen_thread t = {.mask = (uint32_t)(next_random() & 1 ? UINT32_MAX : next_random())};
        *quick = *general = *before;
        t.g = quick;
        const struct gen_uop *after = u.run(&t, &u);
        t.g = general;
        assert_ptr_equal(u.general(&t, &u), after);
        if (memcmp(quick, general, sizeof *quick) != 0) {
            char text[300];
            gen_disassemble(&u.word, text, sizeof text);
            fail_msg("seed %llx: %s", (unsigned long long)seed, text);
        }
        rows[u.insn.row - gen_rows]++;
        by_rows[u.insn.row - gen_rows] += u.run != gen_run_quick;
        wide[u.insn.row - gen_rows] += u.run != gen_run_quick && u.domain == GEN_DOUBLE;
        done++;
    }
    assert_int_equal(done, WANTED);
    static const unsigned wanted[] = {GEN_MOV, GEN_SEL, GEN_AND, GEN_SHL, GEN_SHR, GEN_ASR,
                                      GEN_CMP, GEN_ADD, GEN_MUL, GEN_MAD, GEN_MATH};
    for (unsigned i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (rows[wanted[i]] <= 10)
            fail_msg("%s: %u", gen_rows[wanted[i]].name, rows[wanted[i]]);
    static const unsigned by_row[] = {GEN_MOV, GEN_NOT, GEN_AND, GEN_OR,  GEN_XOR, GEN_SHL, GEN_SHR,
                                      GEN_ASR, GEN_SEL, GEN_CMP, GEN_ADD, GEN_MUL, GEN_MAD};
    for (unsigned i = 0; i < sizeof by_row / sizeof by_row[0]; i++)
        if (by_rows[by_row[i]] <= 10)
            fail_msg("%s by rows.c: %u", gen_rows[by_row[i]].name, by_rows[by_row[i]]);
    static const unsigned by_wide[] = {GEN_MOV, GEN_ADD, GEN_MUL}; /* fused products: some hosts */
    for (unsigned i = 0; i < sizeof by_wide / sizeof by_wide[0]; i++)
        if (wide[by_wide[i]] <= 10)
            fail_msg("%s by wide.c: %u", gen_rows[by_wide[i]].name, wide[by_wide[i]]);
    free(before);
    free(quick);
    free(general);
}

/* or cr0.0, cr0.0, a number: the handler of its own, and the general one. */
static void test_bits_of_the_mode(void **state)
{
    struct gen_device *d = calloc(1, sizeof *d);
    struct gen_registers *g = calloc(2, sizeof *g);
    struct gen_group group = {.launch = 0};
    assert_true(d && g);
    for (unsigned i = 0; i < 1000; i++) {
        struct gen_uop u = {.run = NULL};
        const char *why;
        gen_set_field(&u.word, 6, 0, gen_rows[GEN_OR].opcode);
        gen_set_field(&u.word, 34, 34, 1);      /* NoMask */
        gen_set_field(&u.word, 40, 37, GEN_UD); /* the destination: cr0.0<1>:ud */
        gen_set_field(&u.word, 60, 53, GEN_ARF_CR << 4);
        gen_set_field(&u.word, 62, 61, 1);
        gen_set_field(&u.word, 76, 69, GEN_ARF_CR << 4);
        gen_set_field(&u.word, 46, 43, GEN_UD);
        gen_set_field(&u.word, 90, 89, GEN_IMMEDIATE);
        gen_set_field(&u.word, 94, 91, i % 2 ? GEN_UD : GEN_UW);
        gen_set_field(&u.word, 127, 96, (uint32_t)next_random() & INT32_MAX);
        assert_true(gen_decode(&u.word, &u.insn, &why));
        gen_prepare(&u);
        assert_ptr_equal(u.run, gen_run_mode);
        g[0].cr[0] = g[1].cr[0] = (uint32_t)next_random() & INT32_MAX;
        struct gen_thread t = {.mask = 1, .device = d, .group = &group, .g = &g[0]};
        const struct gen_uop *after = u.run(&t, &u);
        t.g = &g[1];
        assert_ptr_equal(u.general(&t, &u), after);
        assert_memory_equal(&g[0], &g[1], sizeof g[0]);
    }
    free(g);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways_give_the_same),
                                       cmocka_unit_test(test_bits_of_the_mode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
