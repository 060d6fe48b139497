/*
 * Translated blocks of Gen9 beside its handlers: random programs on two devices, of which one
 * translates from the first visit on, with the same states at the same issue times, hits of
 * watches, and faults. WAVETRAP_LONG=N takes N times as many programs, WAVETRAP_SEED other ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "choices.h"
#include "told.h"
#include "emulator/gen/internal.h"
#include "emulator/machine/state.h"
#include "emulator/translate/rows.h"

enum {
    PROGRAMS = 150,
    WORDS = 500,
    SLM = 4096,
    DATA_BYTES = 0x2000,
    BUFFER = 0x1f00,
    BUFFERS = 6 /* entries of the binding table, described in three pages */
};
#define CODE UINT64_C(0x100000000)
#define PAYLOAD UINT64_C(0x180000000)
#define DATA UINT64_C(0x180010000)
#define SURFACES UINT64_C(0x180020000)

/*
 * Registers: up to VALUES there are values; AT has offsets of messages; TURNS count loops of the
 * thread, LANES_LEFT those of channels. Of the payload are addresses of 64 bits, side by side, then
 * scattered; COUNTS, for loops of channels, then offsets side by side; the address of what says
 * where a surface begins.
 */
enum {
    VALUES = 60,
    AT = 70,
    TURNS = 80,
    LANES_LEFT = 90,
    ADDRESSES = 100,
    COUNTS = 110,
    SURFACE = 114,
    LAST = 120
};

struct program {
    struct gen_word word[WORDS + 100];
    size_t size;
};

/* Values are in so many registers; in a few, each is soon written again. */
static unsigned values = VALUES;

static uint32_t bits32(void)
{
    return below(1 << 16) << 16 | below(1 << 16);
}

/* ---- encodings (Skylake PRM, volume 2a) ---- */

static struct gen_word *put(struct program *p, unsigned row, unsigned lanes, bool no_mask)
{
    assert_true(p->size < sizeof p->word / sizeof p->word[0]);
    struct gen_word *w = &p->word[p->size++];
    *w = (struct gen_word){0, 0};
    gen_set_field(w, 6, 0, gen_rows[row].opcode);
    gen_set_field(w, 23, 21, (uint64_t)__builtin_ctz(lanes));
    gen_set_field(w, 34, 34, no_mask);
    return w;
}

static void destination(struct gen_word *w, unsigned reg, unsigned sub, enum gen_type type)
{
    gen_set_field(w, 36, 35, GEN_GRF);
    gen_set_field(w, 40, 37, type);
    gen_set_field(w, 60, 53, reg);
    gen_set_field(w, 52, 48, sub);
    gen_set_field(w, 62, 61, 1);
}

/* r<0;1,0>, or a row of `lanes`. */
static void region(struct gen_word *w, unsigned index, unsigned reg, unsigned sub,
                   enum gen_type type, unsigned lanes)
{
    const unsigned at = index ? 96 : 64, width = lanes < 8 ? lanes : 8;
    gen_set_field(w, index ? 90 : 42, index ? 89 : 41, GEN_GRF);
    gen_set_field(w, index ? 94 : 46, index ? 91 : 43, type);
    gen_set_field(w, at + 12, at + 5, reg);
    gen_set_field(w, at + 4, at, sub);
    if (lanes < 2)
        return;
    gen_set_field(w, at + 24, at + 21, (uint64_t)__builtin_ctz(width) + 1);
    gen_set_field(w, at + 20, at + 18, (uint64_t)__builtin_ctz(width));
    gen_set_field(w, at + 17, at + 16, 1);
}

static void number(struct gen_word *w, unsigned index, enum gen_type type, uint32_t value)
{
    gen_set_field(w, index ? 90 : 42, index ? 89 : 41, GEN_IMMEDIATE);
    gen_set_field(w, index ? 94 : 46, index ? 91 : 43, type);
    gen_set_field(w, 127, 96, value);
}

/* f0.0 and so on: 0 to 3. */
static void predicate(struct gen_word *w, unsigned flag, bool inverted)
{
    gen_set_field(w, 19, 16, 1);
    gen_set_field(w, 20, 20, inverted);
    gen_set_field(w, 33, 32, flag);
}

static void move(struct program *p, unsigned reg, uint32_t value)
{
    struct gen_word *w = put(p, GEN_MOV, 1, true);
    destination(w, reg, 0, GEN_UD);
    number(w, 0, GEN_UD, value);
}

/* One less; the flags say where it is not 0. */
static void count_down(struct program *p, unsigned reg, unsigned lanes, bool no_mask, unsigned flag)
{
    struct gen_word *w = put(p, GEN_ADD, lanes, no_mask);
    destination(w, reg, 0, GEN_D);
    region(w, 0, reg, 0, GEN_D, lanes);
    number(w, 1, GEN_D, UINT32_MAX);
    gen_set_field(w, 27, 24, GEN_COND_NE);
    gen_set_field(w, 33, 32, flag);
}

static void branch(struct program *p, size_t at, size_t jip, size_t uip)
{
    struct gen_word *w = &p->word[at];
    gen_set_field(w, 127, 96, (uint32_t)(16 * (int32_t)(jip - at)));
    gen_set_field(w, 95, 64, (uint32_t)(16 * (int32_t)(uip - at)));
}

static void send(struct program *p, unsigned lanes, unsigned sfid, unsigned to, unsigned payload,
                 uint32_t desc)
{
    struct gen_word *w = put(p, GEN_SEND, lanes, false);
    gen_set_field(w, 27, 24, sfid);
    destination(w, to, 0, GEN_UD);
    region(w, 0, payload, 0, GEN_UD, 8);
    number(w, 1, GEN_UD, desc);
}

/* ---- what programs are of ---- */

static enum gen_type any_type(bool real)
{
    static const uint8_t types[] = {GEN_D, GEN_UD, GEN_D, GEN_UD, GEN_D, GEN_UD, GEN_W, GEN_UW};
    return real ? GEN_F : (enum gen_type)types[below(sizeof types)];
}

static unsigned any_register(void)
{
    return 1 + below(values);
}

/* Bytes or words that begin dwords: r<4;1,0>, r<2;1,0>. */
static void short_region(struct gen_word *w, unsigned index, unsigned reg)
{
    static const uint8_t types[] = {GEN_B, GEN_UB, GEN_W, GEN_UW};
    const unsigned at = index ? 96 : 64, which = below(4);
    region(w, index, reg, which < 2 ? below(4) : 2 * below(2), (enum gen_type)types[which], 1);
    gen_set_field(w, at + 24, at + 21, which < 2 ? 3 : 2);
}

static void any_source(struct gen_word *w, unsigned index, bool last, unsigned lanes, bool real)
{
    const unsigned at = index ? 96 : 64;
    const enum gen_type type = any_type(real);
    switch (below(last ? 4 : 3)) {
    case 0:
        region(w, index, any_register(), below(8) * 4, type, 1);
        break;
    case 3:
        number(w, index,
               real       ? GEN_F
               : below(2) ? GEN_D
                          : GEN_UD,
               below(2) ? below(40) - 8 : bits32());
        return;
    default:
        if (!real && lanes > 1 && below(5) == 0) {
            short_region(w, index, any_register());
            break;
        }
        region(w, index, any_register(), below(8) ? 0 : lanes <= 8 ? below(8) * 4 : 0, type, lanes);
        if (below(30) == 0)
            gen_set_field(w, at + 24, at + 16, bits32());
        break;
    }
    if (below(5) == 0)
        gen_set_field(w, at + 14, at + 13, below(4));
}

static void any_arithmetic(struct program *p)
{
    static const uint8_t rows[] = {GEN_MOV, GEN_NOT, GEN_AND, GEN_OR,  GEN_XOR,  GEN_SHL, GEN_SHR,
                                   GEN_ASR, GEN_ADD, GEN_ADD, GEN_MUL, GEN_SEL,  GEN_CMP, GEN_CMP,
                                   GEN_SEL, GEN_ADD, GEN_MUL, GEN_AVG, GEN_CBIT, GEN_ADDC};
    static const uint8_t widths[] = {1, 2, 4, 8, 8, 16, 16, 16, 16};
    const unsigned row = rows[below(sizeof rows)], lanes = widths[below(sizeof widths)];
    const bool real = row != GEN_NOT && row != GEN_AND && row != GEN_OR && row != GEN_XOR &&
                      (row < GEN_SHR || row > GEN_ASR) && row < GEN_AVG && below(3) == 0;
    struct gen_word *w = put(p, row, lanes, below(5) == 0);
    const unsigned sources = gen_rows[row].format == GEN_FORMAT_ONE ? 1 : 2;
    if (row == GEN_CMP) {
        gen_set_field(w, 40, 37, real ? GEN_F : GEN_D);
        gen_set_field(w, 62, 61, 1);
    } else {
        destination(w, any_register(),
                    below(10)    ? 0
                    : lanes <= 8 ? below(8) * 4
                                 : 0,
                    below(30) ? (real       ? GEN_F
                                 : below(2) ? GEN_D
                                            : GEN_UD)
                              : GEN_W);
    }
    for (unsigned i = 0; i < sources; i++)
        any_source(w, i, i + 1 == sources, lanes, real);
    if (lanes < 16)
        gen_set_field(w, 13, 12, lanes == 8 || below(4) == 0 ? below(2) : 0);
    if (lanes == 4 && below(2))
        gen_set_field(w, 11, 11, 1);
    gen_set_field(w, 33, 32, below(4));
    if (row == GEN_CMP || (row == GEN_SEL && below(2)) || below(5) == 0)
        gen_set_field(w, 27, 24, 1 + below(6));
    if (below(4) == 0 || (row == GEN_SEL && !gen_field(w, 27, 24))) {
        predicate(w, (unsigned)gen_field(w, 33, 32), below(2));
        if (below(20) == 0)
            gen_set_field(w, 19, 16, 1 + below(13));
    }
    if (below(40) == 0)
        gen_set_field(w, 31, 31, 1); /* saturates */
}

/* Some that can be executed. */
static void arithmetic(struct program *p)
{
    const size_t at = p->size;
    struct gen_uop u;
    const char *why;
    do {
        p->size = at;
        u = (struct gen_uop){.run = NULL};
        any_arithmetic(p);
        if (!gen_decode(&p->word[at], &u.insn, &why) || gen_region_mistake(&u.insn))
            continue;
        gen_prepare(&u);
    } while (!u.run || u.mistake);
}

/* mad: source 1 * source 2 + source 0. */
static void fused(struct program *p)
{
    struct gen_word *w = put(p, GEN_MAD, below(2) ? 8 : 16, below(6) == 0);
    gen_set_field(w, 8, 8, 1);
    gen_set_field(w, 48, 43, below(4) ? 0 : 1 << 3 | 1);
    gen_set_field(w, 63, 56, any_register());
    gen_set_field(w, 52, 49, 15);
    for (unsigned i = 0; i < 3; i++) {
        const unsigned at = i == 0 ? 64 : i == 1 ? 85 : 106;
        gen_set_field(w, at + 8, at + 1, 0xe4);
        gen_set_field(w, at + 19, at + 12, any_register());
        if (below(4) == 0) {
            gen_set_field(w, at, at, 1);
            gen_set_field(w, at + 11, at + 9, below(8));
        }
        if (below(5) == 0)
            gen_set_field(w, 38 + 2 * i, 37 + 2 * i, below(4));
    }
    if (below(4) == 0)
        predicate(w, below(4), below(2));
    if (below(5) == 0)
        gen_set_field(w, 27, 24, 1 + below(6));
}

/* A row of doubles, or one for all lanes. */
static void any_doubles(struct gen_word *w, unsigned index, unsigned lanes, enum gen_type type)
{
    const bool row = below(3);
    region(w, index, any_register(), row ? 0 : 8 * below(4), type, row ? lanes : 1);
    if (below(4) == 0)
        gen_set_field(w, index ? 110 : 78, index ? 109 : 77, below(4));
}

/* Arithmetic of doubles, and moves of 64 bits. */
static void doubles(struct program *p)
{
    static const uint8_t rows[] = {GEN_MOV, GEN_ADD, GEN_MUL, GEN_MAD};
    const unsigned row = rows[below(sizeof rows)], lanes = below(3) ? 8 : 4;
    const enum gen_type type = row == GEN_MOV && below(2) ? GEN_Q : GEN_DF;
    if (row == GEN_MAD) {
        fused(p);
        struct gen_word *w = &p->word[p->size - 1];
        gen_set_field(w, 23, 21, (uint64_t)__builtin_ctz(lanes));
        gen_set_field(w, 48, 43, 3 << 3 | 3);
        gen_set_field(w, 27, 24, 0);
        return;
    }
    struct gen_word *w = put(p, row, lanes, below(4) == 0);
    destination(w, any_register(), 0, type);
    any_doubles(w, 0, lanes, type);
    if (row != GEN_MOV)
        any_doubles(w, 1, lanes, type);
    gen_set_field(w, 13, 12, lanes == 8 || below(2) ? below(2) : 0);
    if (lanes == 4 && below(2))
        gen_set_field(w, 11, 11, 1);
    if (below(3) == 0)
        predicate(w, below(4), below(2));
}

/* Accesses of shared local memory, of a surface, and of addresses; sometimes wrong ones. */
static void message(struct program *p)
{
    const unsigned lanes = below(2) ? 8 : 16, way = below(4), data = any_register();
    const uint32_t registers = lanes / 8;
    const bool store = below(3) == 0;
    if (way < 2) { /* offsets; stores have their data behind them */
        /* components that are left out: mostly all but the first one */
        const uint32_t without = below(3) ? 0xe : below(15);
        const unsigned dwords = 4u - (unsigned)__builtin_popcount(without);
        const uint32_t bti = way ? below(below(4) ? 3 : BUFFERS) : 0xfe;
        const bool crosses = below(100) == 0; /* the end, seldom */
        const bool bytes = dwords == 1 && below(3) == 0;
        struct gen_word *w = put(p, crosses ? GEN_ADD : GEN_AND, 16, false);
        destination(w, AT, 0, GEN_UD);
        region(w, 0, crosses || below(2) ? COUNTS + 2 : any_register(), 0, GEN_UD, 16);
        number(w, 1, GEN_UD,
               crosses      ? (way ? BUFFER : SLM) - 0x100 - 4 * below(17)
               : below(100) ? (without != 0xe ? (below(2) ? SLM - 16 : SLM / 2 - 4)
                               : below(4)     ? SLM - 4
                                              : 0x3fc)
                            : SLM - 1);
        if (bytes && below(2)) {
            w = put(p, GEN_ADD, 16, false);
            destination(w, AT, 0, GEN_UD);
            region(w, 0, AT, 0, GEN_UD, 16);
            number(w, 1, GEN_UD, below(4));
        }
        if (!way && below(8) == 0) { /* the memory ignores bit 28 */
            w = put(p, GEN_OR, 16, false);
            destination(w, AT, 0, GEN_UD);
            region(w, 0, AT, 0, GEN_UD, 16);
            number(w, 1, GEN_UD, UINT32_C(1) << 28);
        }
        for (unsigned i = 0; i < dwords && store; i++) {
            w = put(p, GEN_MOV, 16, false);
            destination(w, AT + (1 + i) * registers, 0, GEN_UD);
            region(w, 0, data + i, 0, GEN_UD, 16);
        }
        const uint32_t kind =
            bytes ? (store ? 12u : 4u) << 14 | (lanes == 16 ? 1u : 0u) << 8 | below(3) << 10
                  : (store ? 9u : 1u) << 14 | (lanes == 16 ? 1u : 2u) << 12 | without << 8;
        send(p, lanes, bytes ? 10 : 12, data, AT,
             (store ? (1 + dwords) * registers : registers) << 25 |
                 (store ? 0 : dwords * registers) << 20 | kind | bti);
        if (store)
            gen_set_field(&p->word[p->size - 1], 36, 35, GEN_ARF);
    } else { /* 64 bits: dwords */
        const unsigned from = ADDRESSES + (way == 2 ? 0 : 4), power = below(3) ? 0 : below(3);
        if (store) {
            struct gen_word *w = put(p, GEN_SENDS, lanes, false);
            gen_set_field(w, 27, 24, 12);
            gen_set_field(w, 36, 36, 1);
            gen_set_field(w, 51, 44, data);
            gen_set_field(w, 76, 69, from);
            gen_set_field(w, 67, 64, registers << power);
            gen_set_field(w, 126, 96,
                          2 * registers << 25 | 0x1au << 14 | (lanes == 16 ? 1u : 0u) << 12 |
                              power << 10 | 1u << 8 | 0xff);
        } else {
            send(p, lanes, 12, data, from,
                 2 * registers << 25 | registers << power << 20 | 0x10u << 14 |
                     (lanes == 16 ? 1u : 0u) << 12 | power << 10 | 1u << 8 | 0xff);
        }
    }
    if (below(4) == 0)
        predicate(&p->word[p->size - 1], below(4), below(2));
}

/* The surface begins elsewhere: all lanes store that to its description. */
static void move_surface(struct program *p)
{
    struct gen_word *w = put(p, GEN_MOV, 8, false);
    destination(w, AT, 0, GEN_UD);
    number(w, 0, GEN_UD, (uint32_t)DATA + 0x400 * below(3));
    w = put(p, GEN_SENDS, 8, false);
    gen_set_field(w, 27, 24, 12);
    gen_set_field(w, 36, 36, 1);
    gen_set_field(w, 51, 44, AT);
    gen_set_field(w, 76, 69, SURFACE);
    gen_set_field(w, 67, 64, 1);
    gen_set_field(w, 126, 96, 2u << 25 | 0x1au << 14 | 1u << 8 | 0xff);
    message(p);
}

static void barrier(struct program *p)
{
    struct gen_word *w = put(p, GEN_SEND, 8, true);
    gen_set_field(w, 27, 24, 3);
    gen_set_field(w, 36, 35, GEN_ARF);
    region(w, 0, 1, 0, GEN_UD, 8);
    number(w, 1, GEN_UD, 1u << 25 | 4);
    w = put(p, GEN_WAIT, 1, true);
    gen_set_field(w, 60, 53, 0x90);
    gen_set_field(w, 42, 41, GEN_ARF);
    gen_set_field(w, 76, 69, 0x90);
}

static void body(struct program *p, unsigned depth, unsigned count);

static void choose_channels(struct program *p, unsigned depth)
{
    const size_t at = p->size;
    put(p, GEN_IF, 16, false);
    predicate(&p->word[at], below(4), below(2));
    body(p, depth + 1, 1 + below(6));
    if (below(2)) {
        const size_t other = p->size;
        put(p, GEN_ELSE, 16, false);
        body(p, depth + 1, 1 + below(6));
        branch(p, at, other + 1, p->size);
        branch(p, other, p->size, p->size);
    } else {
        branch(p, at, p->size, p->size);
    }
    const size_t end = p->size;
    put(p, GEN_ENDIF, 16, false);
    branch(p, end, end + 1, end + 1);
}

static struct gen_word *jump(struct program *p)
{
    struct gen_word *w = put(p, GEN_JMPI, 1, true);
    gen_set_field(w, 90, 89, GEN_IMMEDIATE);
    predicate(w, below(4), below(2));
    return w;
}

/* The thread jumps back until its count is 0. */
static void jump_back(struct program *p, unsigned depth, size_t to)
{
    const unsigned flag = below(4);
    count_down(p, TURNS + depth, 1, true, flag);
    const size_t at = p->size;
    struct gen_word *w = jump(p);
    gen_set_field(w, 127, 96, (uint32_t)(16 * (int32_t)(to - at - 1)));
    predicate(w, flag, false);
}

/* Channels that wait at an instruction as any other, past which the thread may jump: it comes there
 * when it jumps back. */
static void skip_channels(struct program *p, unsigned depth)
{
    const bool loops = below(2);
    struct gen_word *past = NULL;
    move(p, TURNS + depth, 1 + below(6));
    const size_t at = p->size;
    put(p, GEN_GOTO, 16, false);
    predicate(&p->word[at], below(4), below(2));
    body(p, depth + 1, 1 + below(6));
    if (below(2))
        past = jump(p);
    const size_t first = p->size;
    branch(p, at, first, first);
    for (unsigned i = 0, count = 1 + below(3); i < count; i++)
        arithmetic(p);
    if (past)
        gen_set_field(past, 127, 96, 16 * (p->size - first));
    arithmetic(p);
    if (loops)
        jump_back(p, depth, first);
}

/* A loop that each channel leaves when its own count is 0, or by a break. */
static void loop_of_channels(struct program *p, unsigned depth)
{
    const unsigned counter = LANES_LEFT + 2 * depth;
    struct gen_word *w = put(p, GEN_SHR, 16, false);
    destination(w, counter, 0, GEN_UD);
    region(w, 0, COUNTS, 0, GEN_UD, 16);
    number(w, 1, GEN_UD, depth ? 3 : below(3));
    w = put(p, GEN_ADD, 16, false);
    destination(w, counter, 0, GEN_UD);
    region(w, 0, counter, 0, GEN_UD, 16);
    number(w, 1, GEN_UD, 1);
    const size_t first = p->size, breaks = below(3) ? 0 : 1 + below(4);
    size_t out = 0;
    for (size_t i = 0; i < 1 + breaks; i++) {
        body(p, depth + 1, 1 + below(5));
        if (i + 1 == breaks) {
            out = p->size;
            put(p, below(2) ? GEN_BREAK : GEN_CONT, 16, false);
            predicate(&p->word[out], below(4), below(2));
        }
    }
    const unsigned flag = below(4);
    count_down(p, counter, 16, false, flag);
    const size_t end = p->size;
    put(p, GEN_WHILE, 16, false);
    predicate(&p->word[end], flag, false);
    branch(p, end, first, end);
    if (breaks)
        branch(p, out, end, end);
}

/* A loop of the whole thread. */
static void loop(struct program *p, unsigned depth)
{
    move(p, TURNS + depth, 1 + below(below(2) ? 20 : 4));
    const size_t first = p->size;
    body(p, depth + 1, 1 + below(8));
    jump_back(p, depth, first);
}

static void body(struct program *p, unsigned depth, unsigned count)
{
    for (unsigned i = 0; i < count && p->size < WORDS; i++)
        switch (below(depth < 4 ? 26 : 20)) {
        case 0:
        case 1:
            message(p);
            break;
        case 2:
            fused(p);
            break;
        case 4:
            doubles(p);
            break;
        case 3:
            if (below(3))
                put(p, GEN_NOP, 1, false);
            else
                move_surface(p);
            break;
        case 20:
        case 21:
            choose_channels(p, depth);
            break;
        case 22:
            skip_channels(p, depth);
            break;
        case 23:
        case 24:
            loop_of_channels(p, depth);
            break;
        case 25:
            loop(p, depth);
            break;
        default:
            arithmetic(p);
            break;
        }
}

static void write_program(struct program *p)
{
    p->size = 0;
    values = below(2) ? VALUES : 6 + below(10);
    if (below(4)) { /* cr0.0: denormals are kept, mostly */
        struct gen_word *w = put(p, GEN_MOV, 1, true);
        gen_set_field(w, 40, 37, GEN_UD);
        gen_set_field(w, 60, 53, 0x80);
        gen_set_field(w, 62, 61, 1);
        number(w, 0, GEN_UD, below(6) ? 0x4c0 : below(4) << 4 | 0x480);
    }
    body(p, 4, below(200));
    move(p, TURNS + 5, 2 + below(10));
    const size_t first = p->size;
    body(p, 0, 10 + below(30));
    if (below(2))
        barrier(p);
    body(p, 0, below(20));
    jump_back(p, 5, first);
    struct gen_word *w = put(p, GEN_SEND, 8, true);
    gen_set_field(w, 27, 24, 7);
    gen_set_field(w, 36, 35, GEN_ARF);
    region(w, 0, 127, 0, GEN_UD, 8);
    number(w, 1, GEN_UD, UINT32_C(1) << 31 | 0x02000010);
}

/* ---- two devices ---- */

struct rig {
    struct gen_device *d;
    struct wt_machine *m;
};

struct start {
    const char *schedule;
    unsigned groups, threads;
    uint32_t mask;
    uint8_t payload[(LAST - 1) * GEN_GRF_BYTES];
};

static void choose_start(struct start *s)
{
    static const char *const orders[] = {"rr:64",    "rr:1",     "rr:7",
                                         "lockstep", "random:5", "rr:1000"};
    s->schedule = orders[below(6)];
    s->groups = 1 + below(3);
    s->threads = 1 + below(3);
    s->mask = below(2) ? 0xffff : bits32() | 1;
    for (size_t i = 0; i < sizeof s->payload; i += 4)
        wt_store_le(s->payload + i,
                    i % 12           ? bits32()
                    : below(24) == 0 ? 0x7ff00000 | bits32()
                    : below(16)      ? 0x3f800000 + (bits32() & 0x80ffffff)
                                     : 0x7f800000 | bits32(), /* no number, mostly */
                    4);
    for (size_t i = 0; i < sizeof s->payload; i += 8)
        if (below(12) == 0) /* a double: infinity, or 0 */
            wt_store_le(s->payload + i,
                        (uint64_t)(below(3) ? 0x7ff : 0) << 52 | (uint64_t)below(2) << 63, 8);
    const uint32_t kept = below(2) ? 0xffc : DATA_BYTES - 4, first = below(8) ? 0x800 : 0xfd0;
    const uint64_t described = SURFACES + (below(2) ? 64 : 0x1000 * (1 + below(2)));
    const uint32_t aligned = below(2) ? ~UINT32_C(15) : UINT32_MAX, end = below(2) ? 0xffd : 0xff8;
    /* a lane whose dwords are of two pages, or whose address has another upper half */
    const unsigned odd = below(6) ? 16 : below(16), other = below(40) ? 16 : below(16);
    for (unsigned i = 0; i < 16; i++) {
        uint8_t *at = s->payload + (ADDRESSES - 1) * GEN_GRF_BYTES + 8 * i;
        wt_store_le(at, DATA + first + 4 * i, 8);
        wt_store_le(at + 128,
                    (odd == i ? DATA + end : DATA + (bits32() & kept & aligned)) +
                        (other == i ? UINT64_C(1) << 32 : 0),
                    8);
        if (below(2000) == 0)
            wt_store_le(at + 128, bits32(), 8);
        at = s->payload + (COUNTS - 1) * GEN_GRF_BYTES + 4 * i;
        wt_store_le(at, below(2) ? 9 : below(20), 4);
        wt_store_le(at + 64, odd == i ? end - 0x800 * below(2) : 0x100 + 4 * i, 4);
        wt_store_le(s->payload + (SURFACE - 1) * GEN_GRF_BYTES + 8 * i, described + 32, 8);
    }
}

static struct rig open_rig(const struct program *p, const struct start *s, unsigned jit)
{
    struct rig r;
    struct gen_config config;
    struct wt_error err;
    uint8_t bytes[DATA_BYTES], surface[0x2040] = {0};
    gen_config_default(&config);
    config.subslices = 1;
    config.jit = jit;
    assert_int_equal(wt_schedule_parse(s->schedule, &config.schedule, &err), WT_OK);
    assert_int_equal(gen_device_new(&config, &r.d, &err), WT_OK);
    r.m = gen_machine(r.d);
    for (size_t i = 0; i < sizeof bytes; i += 4)
        wt_store_le(bytes + i, i * 2654435761u + 12345, 4);
    for (unsigned i = 0; i < BUFFERS; i++) { /* the table; then the buffers */
        const unsigned at = i % 3 ? 0x1000 * (i % 3) : 64;
        wt_store_le(surface + 4 * i, at, 4);
        wt_store_le(surface + at, UINT32_C(4) << 29, 4);
        wt_store_le(surface + at + 8, ((BUFFER - 1) & 127) | (BUFFER - 1) >> 7 << 16, 4);
        wt_store_le(surface + at + 32, DATA + (i % 3 == 2 ? 0x800 : 0), 8);
    }
    const struct gen_walk walk = {.instructions = CODE,
                                  .payload = PAYLOAD,
                                  .cross_bytes = sizeof s->payload,
                                  .surfaces = SURFACES,
                                  .slm_bytes = SLM,
                                  .barrier = true,
                                  .simd = 16,
                                  .threads = (uint16_t)s->threads,
                                  .last_mask = s->mask,
                                  .end = {s->groups, 1, 1}};
    assert_int_equal(gen_device_map(r.d, CODE, 0x4000, true, &err), WT_OK);
    assert_int_equal(gen_device_map(r.d, PAYLOAD, 0x4000, true, &err), WT_OK);
    assert_int_equal(gen_device_map(r.d, DATA, 2 * DATA_BYTES, true, &err), WT_OK);
    assert_int_equal(gen_device_map(r.d, SURFACES, 0x3000, true, &err), WT_OK);
    assert_true(gen_device_write(r.d, CODE, p->word, p->size * sizeof p->word[0]));
    assert_true(gen_device_write(r.d, PAYLOAD, s->payload, sizeof s->payload));
    assert_true(gen_device_write(r.d, DATA, bytes, sizeof bytes));
    assert_true(gen_device_write(r.d, SURFACES, surface, sizeof surface));
    assert_int_equal(gen_device_walk(r.d, &walk, &err), WT_OK);
    return r;
}

static void compare(struct rig r[2], const enum wt_run run[2], const struct program *p,
                    const char *about)
{
    struct wt_machine *const m[2] = {r[0].m, r[1].m};
    if (run[0] == run[1] && m[0]->time == m[1]->time && have_same_hits(m[0], m[1]) &&
        m[0]->ops->hash(m[0]) == m[1]->ops->hash(m[1]) && m[0]->fault.kind == m[1]->fault.kind &&
        m[0]->fault.pc == m[1]->fault.pc && m[0]->fault.addr == m[1]->fault.addr &&
        m[0]->fault.lanes == m[1]->fault.lanes && m[0]->fault.time == m[1]->fault.time &&
        strcmp(m[0]->fault.text, m[1]->fault.text) == 0)
        return;
    for (size_t i = 0; i < p->size; i++) {
        char text[300];
        gen_disassemble(&p->word[i], text, sizeof text);
        print_message("%3zx0: %s\n", i, text);
    }
    for (uint32_t i = 0; i < m[0]->waves; i++) {
        const struct gen_thread *a = &r[0].d->thread[i], *b = &r[1].d->thread[i];
        if (!a->g || !b->g || (!a->active && !b->active))
            continue;
        for (unsigned n = 0; n < GEN_REGISTER_FILE; n += 4)
            if (memcmp(a->g->r + n, b->g->r + n, 4) != 0)
                print_message("thread %u, r%u.%u: %llx %llx\n", i, n / 32, n % 32 / 4,
                              (unsigned long long)wt_load_le(a->g->r + n, 4),
                              (unsigned long long)wt_load_le(b->g->r + n, 4));
        print_message("thread %u: pc %llx %llx, mask %x %x, waiting %x %x, f %x %x, %x %x\n", i,
                      (unsigned long long)a->pc, (unsigned long long)b->pc, a->mask, b->mask,
                      a->waiting, b->waiting, a->g->f[0], b->g->f[0], a->g->f[1], b->g->f[1]);
    }
    fail_msg("runs %d and %d, at %llu and %llu, %s / %s: %s", run[0], run[1],
             (unsigned long long)m[0]->time, (unsigned long long)m[1]->time, m[0]->fault.text,
             m[1]->fault.text, about);
}

/* Sets the same watches on both, or none; others listen. */
static void set_watches(struct rig r[2], size_t words)
{
    const struct wt_watch list[3] = {
        {.kind = WT_WATCH_EXECUTE, .addr = CODE + 16 * below((uint32_t)words), .size = 16},
        {.kind = WT_WATCH_WRITE, .addr = DATA + below(DATA_BYTES - 8), .size = 8},
        {.kind = WT_WATCH_READ, .addr = GEN_SLM_APERTURE + below(SLM), .size = 4}};
    const unsigned kinds = below(5);
    for (unsigned i = 0; i < 2; i++)
        assert_true(wt_set_watches(r[i].m, list + (kinds < 4 ? kinds % 3 : 0),
                                   kinds == 4 ? 3 : kinds != 3));
    choose_listeners((struct wt_machine *const[2]){r[0].m, r[1].m}, DATA + below(0x2000));
}

static uint64_t run_both(struct rig r[2], const struct program *p, const char *about)
{
    struct wt_state *saved[2] = {NULL, NULL};
    enum wt_run result[2] = {WT_RUN_BUDGET, WT_RUN_BUDGET};
    for (unsigned step = 0; step < STEPS; step++) {
        const uint64_t issues = below(3) ? 1 + below(600) : 1 + below(70);
        for (unsigned i = 0; i < 2; i++)
            result[i] = r[i].m->ops->run(r[i].m, issues);
        compare(r, result, p, about);
        if (!have_told_the_same(gen_device_translated(r[1].d).issues))
            fail_msg("%s", about);
        if (result[0] != WT_RUN_BUDGET && result[0] != WT_RUN_WATCH)
            break;
        if (below(16) == 0)
            set_watches(r, p->size);
        if (below(16) == 0 && !saved[0])
            for (unsigned i = 0; i < 2; i++)
                assert_non_null(saved[i] = wt_state_save(r[i].m));
        else if (below(16) == 0 && saved[0])
            for (unsigned i = 0; i < 2; i++) {
                wt_state_restore(r[i].m, saved[i]);
                wt_state_free(saved[i]);
                saved[i] = NULL;
            }
    }
    for (unsigned i = 0; i < 2; i++)
        if (saved[i])
            wt_state_free(saved[i]);
    listen_to_nobody((struct wt_machine *const[2]){r[0].m, r[1].m});
    return gen_device_translated(r[1].d).issues;
}

/* A random program, with handlers alone and with blocks; returns the issues of these. */
static uint64_t compare_program(unsigned k)
{
    static struct program p;
    static struct start s;
    char about[200];
    struct rig r[2];
    write_program(&p);
    choose_start(&s);
    snprintf(about, sizeof about, "program %u, %u groups of %u, mask %x, %s", k, s.groups,
             s.threads, s.mask, s.schedule);
    r[0] = open_rig(&p, &s, 0);
    r[1] = open_rig(&p, &s, below(3) ? 1 : 3);
    const uint64_t issues = run_both(r, &p, about);
    for (unsigned i = 0; i < 2; i++)
        gen_device_free(r[i].d);
    return issues;
}

#ifdef FUZZED
void fuzz_gen_blocks(const uint8_t *data, size_t size);

void fuzz_gen_blocks(const uint8_t *data, size_t size)
{
    choose_by_seed(size);
    choices.input = data;
    choices.left = size;
    compare_program(0);
}
#else
static void test_blocks_do_what_handlers_do(void **unused)
{
    const char *longer = getenv("WAVETRAP_LONG"), *seed = getenv("WAVETRAP_SEED");
    const unsigned programs = PROGRAMS * (longer ? (unsigned)atoi(longer) : 1);
    uint64_t issues = 0;
    (void)unused;
    choose_by_seed(seed ? strtoull(seed, NULL, 0) : 0);
    for (unsigned k = 0; k < programs; k++)
        issues += compare_program(k);
    if (wt_rows_supported())
        assert_true(issues > 500 * (uint64_t)programs && told_issues > 150 * (uint64_t)programs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks_do_what_handlers_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
