/*
 * Translated blocks of Vortex beside its handlers: random programs on two devices, of which one
 * translates from the first visit on, with the same states at the same issue times, hits of
 * watches, and faults; both widths, all numbers of lanes. WAVETRAP_LONG=N takes N times as many
 * programs, WAVETRAP_SEED other ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bits.h"
#include "emulator/machine/state.h"
#include "emulator/translate/rows.h"
#include "emulator/vortex/vortex.h"
#include "choices.h"
#include "told.h"

enum { PROGRAMS = 200, WORDS = 4096 };
#define CODE 0x80000000u
#define BUFFER 0x90000000u

/* ---- a random program ---- */

/* Integer registers: 5 to 15 have what differs from lane to lane, 16 to 19 what does not, 20 and up
 * are counters of loops; 28 to 31 are for addresses and numbers. */
enum { ANY = 5, ANYS = 11, SAME = 16, SAMES = 4, COUNTER = 20, MASK = 27, T = 28, AT, LANE, BASE };

struct program {
    uint16_t half[2 * WORDS];
    size_t size; /* halves */
    unsigned xlen, lanes, warps;
};

static void word(struct program *p, uint32_t w)
{
    assert_true(p->size + 2 < 2 * WORDS);
    p->half[p->size++] = (uint16_t)w;
    p->half[p->size++] = (uint16_t)(w >> 16);
}

static void r_type(struct program *p, unsigned op, unsigned f3, unsigned f7, unsigned rd,
                   unsigned rs1, unsigned rs2)
{
    word(p, f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op);
}

static void i_type(struct program *p, unsigned op, unsigned f3, unsigned rd, unsigned rs1,
                   int32_t imm)
{
    word(p, (uint32_t)imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op);
}

static void s_type(struct program *p, unsigned op, unsigned f3, unsigned rs1, unsigned rs2,
                   int32_t imm)
{
    const uint32_t i = (uint32_t)imm;
    word(p, (i >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (i & 31) << 7 | op);
}

static uint32_t branch(unsigned f3, unsigned rs1, unsigned rs2, int32_t imm)
{
    const uint32_t i = (uint32_t)imm;
    return (i >> 12 & 1) << 31 | (i >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
           (i >> 1 & 15) << 8 | (i >> 11 & 1) << 7 | 0x63;
}

/* The branch at `from` goes to `to`, both in halves. */
static void put_branch(struct program *p, size_t from, unsigned f3, unsigned rs1, unsigned rs2,
                       size_t to)
{
    const uint32_t w = branch(f3, rs1, rs2, (int32_t)(2 * ((int64_t)to - (int64_t)from)));
    p->half[from] = (uint16_t)w;
    p->half[from + 1] = (uint16_t)(w >> 16);
}

static void load_number(struct program *p, unsigned rd, uint32_t value)
{
    const uint32_t upper = value + 0x800;
    word(p, (upper & 0xfffff000) | rd << 7 | 0x37);
    i_type(p, p->xlen == 64 ? 0x1b : 0x13, 0, rd, rd, (int32_t)value);
}

/* An address: of RV64 not sign-extended. */
static void load_address(struct program *p, unsigned rd, uint32_t value)
{
    load_number(p, rd, value);
    if (p->xlen == 32)
        return;
    i_type(p, 0x13, 1, rd, rd, 32);
    i_type(p, 0x13, 5, rd, rd, 32);
}

static unsigned any(void)
{
    const unsigned n = below(16);
    return n == 0 ? 0 : n < 3 ? SAME + below(SAMES) : ANY + below(ANYS);
}

static unsigned written(void)
{
    return below(12) ? ANY + below(ANYS) : 0;
}

static int32_t number(void)
{
    static const int16_t edges[] = {0, 1, -1, 2047, -2048, 31, 32, 63};
    return below(2) ? edges[below(8)] : (int32_t)below(4096) - 2048;
}

static void integers(struct program *p)
{
    static const uint8_t extras[] = {0, 0, 1, 1, 32};
    const bool wide = p->xlen == 64, words = wide && below(3) == 0;
    const unsigned f3 = below(8), shift = f3 == 1 || f3 == 5;
    const int32_t most = words || !wide ? 31 : 63;
    switch (below(8)) {
    case 0:
        word(p, below(1 << 20) << 12 | written() << 7 | (below(2) ? 0x37 : 0x17));
        break;
    case 1: /* Zicond */
        r_type(p, 0x33, below(2) ? 5 : 7, 7, written(), any(), any());
        break;
    case 2:
    case 3:
    case 4: /* a number */
        if (shift)
            i_type(p, words ? 0x1b : 0x13, f3, written(), any(),
                   (int32_t)below((uint32_t)most + 1) | (f3 == 5 && below(2) ? 1024 : 0));
        else
            i_type(p, words ? 0x1b : 0x13, words ? 0 : f3, written(), any(), number());
        break;
    default: {
        unsigned f7 = extras[below(5)];
        if (f7 == 32 && f3 != 0 && f3 != 5)
            f7 = 0;
        if (words && f7 == 1)
            r_type(p, 0x3b, below(2) ? 0 : 4 + below(4), 1, written(), any(), any());
        else if (words)
            r_type(p, 0x3b, shift ? f3 : 0, f3 == 5 || !shift ? f7 : 0, written(), any(), any());
        else
            r_type(p, 0x33, f3, f7, written(), any(), any());
    }
    }
}

/* A register of floats: mostly an odd one for a double. */
static unsigned single_or_double(unsigned twice)
{
    return below(16) * 2 % 16 + (below(24) ? twice : !twice);
}

static void floats(struct program *p)
{
    static const uint8_t arithmetic[] = {0, 1, 2, 3, 0x0b};
    const unsigned twice = below(3) == 0, d = single_or_double(twice), a = single_or_double(twice),
                   b = single_or_double(twice), c = single_or_double(twice),
                   rm = below(8) ? below(2) * 7 : below(5), kind = below(20);
    const unsigned f5 = arithmetic[below(5)];
    if (kind < 6)
        r_type(p, 0x53, rm, f5 << 2 | twice, d, a, f5 == 0x0b ? 0 : b);
    else if (kind < 10)
        word(p,
             c << 27 | twice << 25 | b << 20 | a << 15 | rm << 12 | d << 7 | 0x43 | below(4) << 2);
    else if (kind < 12)
        r_type(p, 0x53, below(3), 0x10 | twice, d, a, below(2) ? a : b);
    else if (kind < 13)
        r_type(p, 0x53, below(2), 0x14 | twice, d, a, b);
    else if (kind < 14)
        r_type(p, 0x53, below(3), 0x50 | twice, written(), a, b);
    else if (kind < 18)
        r_type(p, 0x53, 0, 0x68 | twice, d, any(), 0); /* of an integer */
    else if (below(2))
        r_type(p, 0x53, 0, 0x78, d, any(), 0); /* fmv.w.x */
    else
        r_type(p, 0x53, 0, twice ? 0x21 : 0x20, d, a ^ 1, !twice); /* of the other format */
}

/* An access whose addresses are in a row, one, scattered in a page, in several, or sometimes
 * wrong. */
static void access_memory(struct program *p)
{
    const bool words = below(3) == 0; /* in a row, which has a way of its own */
    const unsigned file = !words && below(4) == 0, size = words  ? 2
                                                          : file ? 2 + below(2)
                                                                 : below(p->xlen == 64 ? 4 : 3);
    const bool store = below(3) == 0;
    const unsigned load =
        !words && !file && size < 2 + (p->xlen == 64) && below(2) ? size | 4 : size;
    const int32_t offset = (int32_t)(below(4) ? below(256) << size : 0) - (below(2) ? 512 : 0);
    switch (words ? 0 : below(4)) {
    case 0: { /* in a row; or lanes between the first and the last one change places */
        const unsigned swaps = below(4) == 0;
        if (swaps) { /* bits 0 and 1 of their numbers */
            i_type(p, 0x13, 5, T, LANE, 1);
            r_type(p, 0x33, 4, 0, T, T, LANE);
            i_type(p, 0x13, 7, T, T, 1);
            r_type(p, 0x33, 4, 0, AT, LANE, T);
            i_type(p, 0x13, 1, T, T, 1);
            r_type(p, 0x33, 4, 0, AT, AT, T);
        }
        i_type(p, 0x13, 1, AT, swaps ? AT : LANE, (int32_t)(below(8) ? size : 2));
        break;
    }
    case 1: /* one */
        load_number(p, AT, below(0x1000) & ~7u);
        break;
    default:
        load_number(p, T, (below(3) ? 0xfffu : 0x2fffu) & (below(60) ? ~7u : ~0u));
        r_type(p, 0x33, 7, 0, AT, ANY + below(ANYS), T);
        break;
    }
    r_type(p, 0x33, 0, 0, AT, AT, BASE);
    if (below(200) == 0)
        i_type(p, 0x13, 0, AT, below(2) ? 0 : AT, (int32_t)below(2000)); /* the console, or odd */
    if (store)
        s_type(p, file ? 0x27 : 0x23, size, AT, file ? single_or_double(size == 3) : any(), offset);
    else
        i_type(p, file ? 0x07 : 0x03, load, file ? single_or_double(size == 3) : written(), AT,
               offset);
}

/* Instructions that only handlers execute: CSRs, masks, votes. */
static void others(struct program *p)
{
    static const uint16_t csrs[] = {1, 2, 3, 1, 3};
    static const uint16_t read[] = {0xc00, 0xc02, 0xcc0, 0xcc3, 0xb02};
    switch (below(7)) {
    case 6: /* a rounding mode, mostly one that there is */
        i_type(p, 0x73, 5, 0, below(40) ? below(5) : 5, 2);
        break;
    case 0: /* flags, rounding */
        load_number(p, T, below(32));
        i_type(p, 0x73, 1 + below(3), written(), T, csrs[below(5)]);
        break;
    case 1:
    case 2:
        i_type(p, 0x73, 2, ANY + below(ANYS), 0, read[below(5)]);
        break;
    case 3: /* some lanes, or all */
        if (below(4) == 0)
            load_number(p, T, below(4) ? 1 | below(1u << 31) : below(0xffffffff) | 2);
        else
            i_type(p, 0x13, 0, T, 0, -1);
        r_type(p, 0x0b, 0, 0, 0, T, 0);
        break;
    case 4:
        r_type(p, 0x0b, below(4), 1, ANY + below(ANYS), any(), 0);
        break;
    default: { /* code that changes itself: the instruction behind */
        if (p->size & 1)
            p->half[p->size++] = 0x0001; /* c.nop */
        const uint32_t at = (uint32_t)(CODE + 2 * (p->size + 2 * (p->xlen == 64 ? 7 : 5)));
        load_address(p, AT, at);
        load_number(p, T,
                    0x00000013u | (ANY + below(ANYS)) << 7 | (ANY + below(ANYS)) << 15 |
                        below(4096) << 20);
        s_type(p, 0x23, 2, AT, T, 0);
        assert_int_equal(CODE + 2 * p->size, at);
        i_type(p, 0x13, 0, ANY, ANY, 1);
    }
    }
}

static void compressed(struct program *p)
{
    const unsigned a = 8 + below(8), b = 8 + below(8);
    const uint32_t arithmetic[] = {0x8c01, 0x8c21, 0x8c41, 0x8c61};
    p->half[p->size++] = (uint16_t)(below(3) ? arithmetic[below(4)] | (a - 8) << 7 | (b - 8) << 2
                                             : 0x0001u | a << 7 | (1 + below(31)) << 2);
}

/* All warps come here equally often. */
static void barrier(struct program *p)
{
    i_type(p, 0x13, 0, T, 0, (int32_t)p->warps);
    r_type(p, 0x0b, 4, 0, 0, 0, T);
}

static void body(struct program *p, unsigned depth, unsigned count)
{
    for (unsigned i = 0; i < count && p->size < WORDS; i++) {
        size_t at;
        if (!depth && below(24) == 0)
            barrier(p);
        switch (below(depth < 3 ? 24 : 20)) {
        case 0:
        case 1:
        case 2:
        case 3:
            access_memory(p);
            break;
        case 4:
        case 5:
        case 6:
        case 7:
            floats(p);
            break;
        case 8:
            others(p);
            break;
        case 9:
            compressed(p);
            break;
        case 10: /* what does not differ from lane to lane */
            i_type(p, 0x13, below(2) ? 0 : 4, SAME + below(SAMES), SAME + below(SAMES), number());
            break;
        case 20:
        case 21: { /* an if */
            static const uint8_t how[] = {0, 1, 4, 5, 6, 7};
            const unsigned f3 = how[below(6)], same = below(8),
                           a = same ? SAME + below(SAMES) : any(),
                           b = same ? (below(4) ? SAME + below(SAMES) : 0) : any();
            at = p->size;
            word(p, 0);
            body(p, depth + 1, 1 + below(6));
            put_branch(p, at, f3, a, b, p->size);
            break;
        }
        case 22:
        case 23: /* a loop */
            i_type(p, 0x13, 0, COUNTER + depth, 0, (int32_t)(1 + below(below(2) ? 12 : 3)));
            at = p->size;
            body(p, depth + 1, 1 + below(8));
            i_type(p, 0x13, 0, COUNTER + depth, COUNTER + depth, -1);
            word(p, 0);
            put_branch(p, p->size - 2, below(2) ? 1 : 4, 0, COUNTER + depth, at);
            break;
        default:
            integers(p);
            break;
        }
    }
}

static void write_program(struct program *p)
{
    p->size = 0;
    /* Other warps come here, too. */
    p->warps = below(3) ? 2 : 1;
    i_type(p, 0x13, 0, T, 0, (int32_t)p->warps);
    word(p, 0x00000017u | AT << 7);
    i_type(p, 0x13, 0, AT, AT, 12);
    r_type(p, 0x0b, 1, 0, 0, T, AT);
    i_type(p, 0x13, 0, MASK, 0, -1);
    r_type(p, 0x0b, 0, 0, 0, MASK, 0);
    i_type(p, 0x73, 2, LANE, 0, 0xcc0);
    load_address(p, BASE, BUFFER);
    for (unsigned i = 0; i < ANYS; i++) {
        load_number(p, ANY + i, below(0xffffffff));
        r_type(p, 0x33, below(2) ? 0 : 4, below(2), ANY + i, ANY + i, LANE);
    }
    for (unsigned i = 0; i < SAMES; i++)
        i_type(p, 0x13, 0, SAME + i, 0, (int32_t)below(4));
    for (unsigned i = 0; i < 16; i++)
        r_type(p, 0x53, 0, i & 1 ? 0x69 : 0x68, i, i & 2 ? LANE : ANY + i % ANYS, 0);
    i_type(p, 0x13, 0, MASK - 1, 0, (int32_t)(4 + below(40)));
    const size_t all = p->size;
    body(p, 0, 8 + below(30));
    i_type(p, 0x13, 0, MASK - 1, MASK - 1, -1);
    const size_t out = p->size;
    word(p, 0);
    const int32_t back = (int32_t)(2 * ((int64_t)all - (int64_t)p->size));
    const uint32_t b = (uint32_t)back;
    word(p, (b >> 20 & 1) << 31 | (b >> 1 & 1023) << 21 | (b >> 11 & 1) << 20 |
                (b >> 12 & 255) << 12 | 0x6f);
    put_branch(p, out, 0, MASK - 1, 0, p->size);
    r_type(p, 0x0b, 0, 0, 0, 0, 0); /* tmc x0: it ends */
}

/* ---- two devices ---- */

static struct wt_machine *device(const struct program *p, const char *options, unsigned jit,
                                 const char *schedule)
{
    struct vx_config config;
    struct vx_device *d;
    struct wt_error err;
    char text[160];
    snprintf(text, sizeof text, "xlen=%u,threads=%u,warps=2,jit=%u%s", p->xlen, p->lanes, jit,
             options);
    vx_config_default(&config);
    if (wt_config_parse(&vx_config_table, &config, text, &err) != WT_OK)
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(wt_schedule_parse(schedule, &config.schedule, &err), WT_OK);
    assert_int_equal(vx_device_new(&config, &d, &err), WT_OK);
    struct wt_segment segment = {.addr = CODE,
                                 .size = 2 * p->size,
                                 .bytes = (uint8_t *)(uintptr_t)p->half,
                                 .length = 2 * p->size,
                                 .executable = true};
    struct wt_image image = {.format = WT_IMAGE_RAW,
                             .has_entry = true,
                             .entry = CODE,
                             .segment = &segment,
                             .segments = 1};
    assert_int_equal(vx_device_load(d, &image, &err), WT_OK);
    uint8_t bytes[0x3000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 5);
    struct wt_machine *m = vx_machine(d);
    assert_true(m->ops->write_memory(m, 0, 0, BUFFER, bytes, sizeof bytes));
    return m;
}

static void compare(struct wt_machine *const m[2], const enum wt_run run[2], const char *about)
{
    if (run[0] != run[1] || m[0]->time != m[1]->time || m[0]->hits != m[1]->hits ||
        m[0]->ops->hash(m[0]) != m[1]->ops->hash(m[1]) || m[0]->fault.kind != m[1]->fault.kind ||
        m[0]->fault.pc != m[1]->fault.pc || m[0]->fault.addr != m[1]->fault.addr ||
        m[0]->fault.lanes != m[1]->fault.lanes || m[0]->fault.time != m[1]->fault.time ||
        strcmp(m[0]->fault.text, m[1]->fault.text) != 0 || !have_same_hits(m[0], m[1])) {
        unsigned shown = 0;
        for (unsigned wave = 0; wave < m[0]->waves; wave++)
            for (unsigned n = 0; n < 65 + 4 && shown < 8; n++) {
                uint64_t a[128] = {0}, b[128] = {0};
                if (m[0]->ops->read_row(m[0], wave, n, a) &&
                    m[1]->ops->read_row(m[1], wave, n, b) && memcmp(a, b, sizeof a) != 0)
                    print_message("warp %u, register %u: %llx %llx\n", wave, n,
                                  (unsigned long long)a[0], (unsigned long long)b[0]),
                        shown++;
            }
        fail_msg("runs %d and %d, at %llu and %llu, %s / %s: %s", run[0], run[1],
                 (unsigned long long)m[0]->time, (unsigned long long)m[1]->time, m[0]->fault.text,
                 m[1]->fault.text, about);
    }
}

/* Sets the same watches on both, or none; others listen. */
static void set_watches(struct wt_machine *const m[2], size_t halves)
{
    const struct wt_watch list[2] = {
        {.kind = WT_WATCH_EXECUTE, .addr = CODE + below((uint32_t)halves) * 2, .size = 2},
        {.kind = WT_WATCH_WRITE, .addr = BUFFER + below(0x1000), .size = 8}};
    const unsigned kinds = below(4);
    for (unsigned i = 0; i < 2; i++)
        assert_true(wt_set_watches(m[i], list + (kinds == 2), kinds == 3 ? 2 : kinds != 0));
    choose_listeners(m, BUFFER + below(0x1000));
}

/* Runs so many issues, a piece after the other: turns of a warp that is alone end at each. */
static enum wt_run run_in_pieces(struct wt_machine *m, uint64_t issues, uint64_t piece)
{
    enum wt_run run = WT_RUN_BUDGET;
    for (uint64_t left = issues; left && run == WT_RUN_BUDGET;) {
        const uint64_t now = left < piece ? left : piece;
        run = m->ops->run(m, now);
        left -= now;
    }
    return run;
}

static uint64_t run_both(struct wt_machine *const m[2], size_t halves, const char *about)
{
    const uint64_t piece = below(2) ? 1 + below(4) : 1000;
    struct wt_state *saved[2] = {NULL, NULL};
    enum wt_run run[2] = {WT_RUN_BUDGET, WT_RUN_BUDGET};
    for (unsigned step = 0; step < STEPS; step++) {
        const uint64_t issues = below(3) ? 1 + below(500) : 1 + below(70);
        for (unsigned i = 0; i < 2; i++)
            run[i] = run_in_pieces(m[i], issues, i || m[i]->judge || m[i]->observer ? 1000 : piece);
        compare(m, run, about);
        if (!have_told_the_same(vx_device_translated((struct vx_device *)m[1]).issues))
            fail_msg("%s", about);
        if (run[0] != WT_RUN_BUDGET && run[0] != WT_RUN_WATCH)
            break;
        if (below(16) == 0)
            set_watches(m, halves);
        if (below(16) == 0 && !saved[0])
            for (unsigned i = 0; i < 2; i++)
                assert_non_null(saved[i] = wt_state_save(m[i]));
        else if (below(16) == 0 && saved[0])
            for (unsigned i = 0; i < 2; i++) {
                wt_state_restore(m[i], saved[i]);
                wt_state_free(saved[i]);
                saved[i] = NULL;
            }
    }
    for (unsigned i = 0; i < 2; i++)
        if (saved[i])
            wt_state_free(saved[i]);
    listen_to_nobody(m);
    return vx_device_translated((struct vx_device *)m[1]).issues;
}

/* A random program, with handlers alone and with blocks; returns the issues of these. */
static uint64_t compare_program(unsigned k)
{
    static const char *const schedules[] = {"rr:64",    "rr:1",     "rr:7",
                                            "lockstep", "random:5", "rr:1000"};
    static const char *const options[] = {"", ",branches=rtl", ",divergence=auto",
                                          ",branches=rtl,misaligned=allow"};
    static struct program p;
    char about[200];
    p.xlen = k & 1 ? 64 : 32;
    p.lanes = 1u << (k < 8 || below(4) ? k / 2 % 6 : 6);
    write_program(&p);
    const char *schedule = schedules[below(6)], *option = options[below(4)];
    char translated[64];
    snprintf(translated, sizeof translated, "%s%s", option, below(3) ? "" : ",vectors=256");
    snprintf(about, sizeof about, "program %u, RV%u, %u lanes, %s, %s", k, p.xlen, p.lanes,
             translated, schedule);
    struct wt_machine *const m[2] = {device(&p, option, 0, schedule),
                                     device(&p, translated, below(3) ? 1 : 3, schedule)};
    const uint64_t issues = run_both(m, p.size, about);
    for (unsigned i = 0; i < 2; i++)
        m[i]->ops->free(m[i]);
    return issues;
}

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
        assert_true(issues > 1000 * (uint64_t)programs && told_issues > 300 * (uint64_t)programs);
}

#ifdef FUZZED
void fuzz_vx_blocks(const uint8_t *data, size_t size);

void fuzz_vx_blocks(const uint8_t *data, size_t size)
{
    choose_by_seed(size);
    choices.input = data;
    choices.left = size;
    compare_program(below(64));
}
#else
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks_do_what_handlers_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
