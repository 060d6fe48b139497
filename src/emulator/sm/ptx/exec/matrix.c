/*
 * PTX: matrices in the registers of a warp (manual 9.7.14). Where an element lies follows from the
 * lane and its number among the lane's elements. Integers are exact. Floating point is added as
 * public models of the hardware say (docs/ptx.md): all products and C as one sum of numbers that
 * are cut off below a bit of the largest.
 */
#include "emulator/sm/ptx/exec/matrix.h"

#include <math.h>
#include <string.h>

#include "emulator/machine/softfloat.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx/image.h"

enum { GROUP = 4, MOST_M = 32, MOST_N = 32, MOST_K = 256 };

static const struct {
    uint8_t bits, exponent, fraction;
} kinds[] = {
#define K(name, bits, exponent, fraction) {bits, exponent, fraction},
    PTX_KINDS(K)
#undef K
};

/* ---- elements in registers ---- */

/* Element i of a lane's. */
static uint64_t element(const uint8_t *frame, uint32_t slot, unsigned kind, unsigned lane,
                        unsigned i)
{
    const unsigned bits = kinds[kind].bits, at = i * bits;
    if (bits == 64)
        return ((const uint64_t *)(frame + slot + 2 * i * PTX_ROW_BYTES))[lane];
    const uint32_t word = ((const uint32_t *)(frame + slot + at / 32 * PTX_ROW_BYTES))[lane];
    return bits == 32 ? word : word >> at % 32 & ((1u << bits) - 1);
}

static void put_element(uint8_t *frame, uint32_t slot, unsigned kind, unsigned lane, unsigned i,
                        uint64_t value)
{
    const unsigned bits = kinds[kind].bits, at = i * bits;
    if (bits == 64) {
        ((uint64_t *)(frame + slot + 2 * i * PTX_ROW_BYTES))[lane] = value;
        return;
    }
    uint32_t *word = &((uint32_t *)(frame + slot + at / 32 * PTX_ROW_BYTES))[lane];
    const uint32_t mask = bits == 32 ? UINT32_MAX : ((1u << bits) - 1) << at % 32;
    *word = (*word & ~mask) | ((uint32_t)value << at % 32 & mask);
}

struct matrix_place {
    unsigned row, column; /* in B column is that of the product, row is k */
};

/* Elements that share a register, as a power of two. */
static unsigned packed(unsigned kind)
{
    return kinds[kind].bits == 64 ? 0 : (unsigned)__builtin_ctz(32u / kinds[kind].bits);
}

/* Tiles of wmma are several of mma's: k comes first, then the rows of A or the columns of B. */
static struct matrix_place of_a(const struct ptx_op *o, unsigned kind, unsigned lane, unsigned i)
{
    const unsigned p = packed(kind), low = i & ((1u << p) - 1), steps = o->index >> (p + 2);
    const unsigned both = o->size >= 16, rest = i >> p, step = rest >> both;
    return (struct matrix_place){lane / GROUP + 8 * (rest & both) + 16 * (step / steps),
                                 low | (lane % GROUP) << p | (step % steps) << (p + 2)};
}

static struct matrix_place of_b(const struct ptx_op *o, unsigned kind, unsigned lane, unsigned i)
{
    const unsigned p = packed(kind), low = i & ((1u << p) - 1), steps = o->index >> (p + 2);
    return (struct matrix_place){low | (lane % GROUP) << p | ((i >> p) % steps) << (p + 2),
                                 lane / GROUP + 8 * ((i >> p) / steps)};
}

static struct matrix_place of_c(const struct ptx_op *o, unsigned lane, unsigned i)
{
    const unsigned both = o->size >= 16, rest = i >> 1, block = rest >> both,
                   across = o->element / 8;
    return (struct matrix_place){lane / GROUP + 8 * (rest & both) + 16 * (block / across),
                                 2 * (lane % GROUP) + (i & 1) + 8 * (block % across)};
}

/* m8n8k4: four products, each by the lanes 4q to 4q + 3 and 16 + 4q to 16 + 4q + 3. */
static struct matrix_place of_quad(unsigned which, unsigned kind, bool column, unsigned lane,
                                   unsigned i)
{
    const unsigned in = (lane % 4) + 4 * (lane / 16), high = 4 * (lane / 16);
    switch (which) {
    case 0:
        return column ? (struct matrix_place){i + high, lane % 4} : (struct matrix_place){in, i};
    case 1:
        return column ? (struct matrix_place){i, in} : (struct matrix_place){lane % 4, i + high};
    default:
        if (kind == PTX_KIND_f16)
            return (struct matrix_place){in, i};
        return (struct matrix_place){(lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)};
    }
}

/* ---- floating point ---- */

enum class { ZERO, FINITE, INFINITE, NOT_A_NUMBER };

/* A number of any kind: significand * 2^(exponent - fraction). */
struct number {
    enum class class;
    bool negative;
    uint32_t significand;
    int exponent;
};

static struct number number_of(unsigned kind, uint32_t bits)
{
    const unsigned e = kinds[kind].exponent, f = kinds[kind].fraction;
    if (kind == PTX_KIND_tf32)
        bits >>= 13; /* the other bits are not looked at */
    const uint32_t fraction = bits & ((1u << f) - 1), biased = bits >> f & ((1u << e) - 1);
    const int bias = (1 << (e - 1)) - 1;
    struct number n = {.class = FINITE,
                       .negative = bits >> (e + f) & 1,
                       .significand = biased ? fraction | 1u << f : fraction,
                       .exponent = (biased ? (int)biased : 1) - bias};
    if (kind == PTX_KIND_e4m3)
        n.class = (bits & 0x7f) == 0x7f ? NOT_A_NUMBER : FINITE;
    else if (biased == (1u << e) - 1)
        n.class = fraction ? NOT_A_NUMBER : INFINITE;
    if (!n.significand)
        n.class = ZERO;
    return n;
}

/* A term of a sum: its significand has `fraction` bits behind the point. */
struct term {
    struct number number;
    unsigned fraction;
};

static struct term product(const struct number *a, const struct number *b, unsigned fraction)
{
    struct term t = {.fraction = fraction};
    t.number.negative = a->negative != b->negative;
    t.number.significand = a->significand * b->significand;
    t.number.exponent = a->exponent + b->exponent;
    t.number.class = a->class > b->class ? a->class : b->class;
    if (t.number.class == INFINITE && (a->class == ZERO || b->class == ZERO))
        t.number.class = NOT_A_NUMBER;
    if (t.number.class == FINITE && !t.number.significand)
        t.number.class = ZERO;
    return t;
}

/* An exact sum in the kind of the result: FP32 is cut off, with `kept` bits of fraction, FP16 is
 * rounded to nearest even. */
static uint32_t result_of(unsigned kind, int64_t sum, int scale, unsigned kept)
{
    const bool negative = sum < 0;
    uint64_t magnitude = (uint64_t)(negative ? -sum : sum);
    if (kind == PTX_KIND_f16) {
        struct wt_fp fp = {0};
        const double value = ldexp((double)magnitude, scale);
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        return (uint32_t)wt_f64_to_f16(bits, &fp) | (uint32_t)negative << 15;
    }
    if (!magnitude)
        return 0;
    const int length = 64 - __builtin_clzll(magnitude);
    const int by_length = length - 1 - (int)kept, by_range = -149 - scale;
    const int drop = by_length > by_range ? by_length : by_range;
    if (drop >= 64)
        magnitude = 0;
    else if (drop > 0)
        magnitude = magnitude >> drop << drop;
    const float value = (float)ldexp((double)magnitude, scale);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits | (uint32_t)negative << 31;
}

static uint32_t not_a_number(unsigned kind)
{
    return kind == PTX_KIND_f16 ? 0x7fff : 0x7fffffff;
}

/* The arithmetic of the tensor cores of a compute capability. */
struct model {
    int fraction;      /* bits that a term keeps under the largest */
    int least;         /* exponent that the largest has at least */
    unsigned kept;     /* bits of fraction of an FP32 result */
    unsigned together; /* products of one sum */
    bool by_halves;    /* FP8 as FP16: C is added to the sum of the products */
};

/* C and `count` products as one sum, each cut off below m->fraction bits under the largest. */
static uint32_t fused_sum(unsigned kind, const struct term *t, unsigned count,
                          const struct model *m)
{
    int largest = INT32_MIN;
    unsigned infinite = 0;
    int64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        if (t[i].number.class == NOT_A_NUMBER)
            return not_a_number(kind);
        if (t[i].number.class == INFINITE)
            infinite |= 1u << t[i].number.negative;
        else if (t[i].number.class == FINITE && t[i].number.exponent > largest)
            largest = t[i].number.exponent;
    }
    if (infinite == 3)
        return not_a_number(kind);
    if (infinite)
        return (kind == PTX_KIND_f16 ? 0x7c00u : 0x7f800000u) |
               (infinite == 2) << (kind == PTX_KIND_f16 ? 15 : 31);
    if (largest == INT32_MIN)
        return 0;
    if (largest < m->least)
        largest = m->least;
    for (unsigned i = 0; i < count; i++) {
        if (t[i].number.class != FINITE)
            continue;
        const int left = m->fraction - (int)t[i].fraction - (largest - t[i].number.exponent);
        const uint64_t value = left >= 0    ? (uint64_t)t[i].number.significand << left
                               : left > -64 ? (uint64_t)t[i].number.significand >> -left
                                            : 0;
        sum += t[i].number.negative ? -(int64_t)value : (int64_t)value;
    }
    return result_of(kind, sum, largest - m->fraction, m->kept);
}

static struct model model_of(unsigned cc, const struct ptx_op *o)
{
    const bool eight = kinds[o->from_type].bits == 8, hopper = cc >= 90,
               volta = cc >= 70 && cc < 75;
    const unsigned per_step = hopper ? 32 : volta ? 8 : 16;
    struct model m = {.fraction = hopper  ? 25
                                  : volta ? 23
                                          : 24,
                      .kept = 23,
                      .together = per_step * 8 / kinds[o->from_type].bits};
    m.least = (o->type == PTX_KIND_f16 ? -14 : -126) - (m.fraction - 18);
    if (eight && hopper) { /* there are no tensor cores for mma of FP8 */
        m.by_halves = true;
        m.together = 16;
    } else if (eight) {
        m.fraction = 13;
        m.kept = 13;
        m.least = INT32_MIN;
    } else if (o->from_type == PTX_KIND_tf32 && o->element == 16) { /* wmma: m16n8k4 repeated */
        m.together = 4;
    }
    return m;
}

/* Product n of those of a step. As FP16, FP8 comes in pairs of halves of each word. */
static unsigned place_in_row(const struct model *m, unsigned k, unsigned step, unsigned n)
{
    return m->by_halves && k == 32 ? 4 * (n / 2) + 2 * step + n % 2 : step * m->together + n;
}

/* FP8 as FP16, whose subnormals are smaller. */
static struct number as_half(struct number n, unsigned fraction)
{
    while (n.class == FINITE && n.exponent > -14 && !(n.significand >> fraction)) {
        n.significand <<= 1;
        n.exponent--;
    }
    return n;
}

static uint32_t rounded_sum(unsigned kind, uint32_t a, uint32_t b)
{
    struct wt_fp fp = {0};
    const uint32_t sum =
        kind == PTX_KIND_f16 ? wt_f16_add((uint16_t)a, (uint16_t)b, &fp) : wt_f32_add(a, b, &fp);
    return number_of(kind, sum).class == NOT_A_NUMBER ? not_a_number(kind) : sum;
}

/* ---- products ---- */

struct matrices {
    uint64_t a[MOST_M][MOST_K], b[MOST_K][MOST_N], c[MOST_M][MOST_N];
};

/* .satfinite of wmma: an infinity becomes the largest finite number of its sign, a NaN becomes 0.
 */
static uint32_t made_finite(unsigned kind, uint32_t sum)
{
    const unsigned f = kinds[kind].fraction, sign = kinds[kind].exponent + f;
    const uint32_t infinity = (1u << sign) - (1u << f), magnitude = sum & ((1u << sign) - 1);
    return magnitude > infinity ? 0 : magnitude == infinity ? sum - 1 : sum;
}

static uint32_t float_dot(const struct sm_warp *w, const struct ptx_op *o, const struct matrices *x,
                          unsigned row, unsigned column)
{
    const struct model m = model_of(w->device->config.cc, o);
    const unsigned bits[] = {kinds[o->from_type].fraction, kinds[o->how].fraction};
    const uint32_t c = (uint32_t)x->c[row][column];
    struct term t[MOST_K / 8 + 1];
    unsigned kind = m.by_halves ? o->type : o->combine;
    uint32_t sum = m.by_halves ? 0 : c;
    for (unsigned step = 0; step * m.together < o->index; step++) {
        unsigned count = 1;
        t[0] = (struct term){number_of(kind, sum), kinds[kind].fraction};
        for (unsigned n = 0; n < m.together && step * m.together + n < o->index; n++) {
            const unsigned k = place_in_row(&m, o->index, step, n);
            struct number a = number_of(o->from_type, (uint32_t)x->a[row][k]);
            struct number b = number_of(o->how, (uint32_t)x->b[k][column]);
            if (m.by_halves) {
                a = as_half(a, bits[0]);
                b = as_half(b, bits[1]);
            }
            t[count++] = product(&a, &b, bits[0] + bits[1]);
        }
        sum = fused_sum(o->type, t, count, &m);
        kind = o->type;
    }
    if (m.by_halves)
        sum = rounded_sum(o->type, sum, c);
    return o->sat ? made_finite(o->type, sum) : sum;
}

static uint64_t double_dot(const struct ptx_op *o, const struct matrices *x, unsigned row,
                           unsigned column)
{
    uint64_t sum = x->c[row][column];
    struct wt_fp fp = {.round = o->count};
    for (unsigned k = 0; k < o->index; k++)
        sum = wt_f64_fma(x->a[row][k], x->b[k][column], sum, &fp);
    return sum;
}

static int64_t integer_of(unsigned kind, uint64_t bits)
{
    const bool is_signed = kind == PTX_KIND_s8 || kind == PTX_KIND_s4;
    return is_signed ? wt_sign_extend(bits, kinds[kind].bits) : (int64_t)bits;
}

static uint32_t integer_dot(const struct ptx_op *o, const struct matrices *x, unsigned row,
                            unsigned column)
{
    int64_t sum = (int32_t)x->c[row][column];
    for (unsigned k = 0; k < o->index; k++) {
        const uint64_t a = x->a[row][k], b = x->b[k][column];
        if (o->from_type == PTX_KIND_b1)
            sum += (int64_t)(o->flag ? a & b : a ^ b);
        else
            sum += integer_of(o->from_type, a) * integer_of(o->how, b);
    }
    if (o->sat)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

/* A lane's elements of one operand, and where they are: which is 0 for A, 1 for B, 2 for C and D.
 */
static struct matrix_place place_of(const struct ptx_op *o, unsigned which, unsigned kind,
                                    bool quads, unsigned lane, unsigned i)
{
    if (quads)
        return of_quad(which, kind, which < 2 && o->round >> which & 1, lane, i);
    return which == 0   ? of_a(o, kind, lane, i)
           : which == 1 ? of_b(o, kind, lane, i)
                        : of_c(o, lane, i);
}

PTX_EXECUTOR(ptx_op_matrix)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const struct sm_uop *next = sm_next(u);
    const uint32_t lanes = ptx_lanes(w, o);
    const bool quads = o->from_type == PTX_KIND_f16 && o->index == 4;
    const unsigned products = quads ? 4 : 1, m = o->size, n = o->element, k = o->index;
    struct matrices x;
    if (!lanes || !ptx_converge(w, u, ptx_in(frame, &o->s[3]), &next))
        return next;
    /* A product reads what it needs before it writes: the lanes of others are not its own. */
    for (unsigned q = 0; q < products; q++) {
        for (unsigned lane = 0; lane < SM_LANES; lane++) {
            if (quads && lane / 4 % 4 != q)
                continue;
            for (unsigned i = 0; i < m * k * products / SM_LANES; i++) {
                const struct matrix_place p = place_of(o, 0, o->from_type, quads, lane, i);
                x.a[p.row][p.column] = element(frame, o->s[0].slot, o->from_type, lane, i);
            }
            for (unsigned i = 0; i < n * k * products / SM_LANES; i++) {
                const struct matrix_place p = place_of(o, 1, o->how, quads, lane, i);
                x.b[p.row][p.column] = element(frame, o->s[1].slot, o->how, lane, i);
            }
            for (unsigned i = 0; i < m * n * products / SM_LANES; i++) {
                const struct matrix_place p = place_of(o, 2, o->combine, quads, lane, i);
                x.c[p.row][p.column] = element(frame, o->s[2].slot, o->combine, lane, i);
            }
        }
        for (unsigned lane = 0; lane < SM_LANES; lane++)
            for (unsigned i = 0; i < m * n * products / SM_LANES; i++) {
                const struct matrix_place p = place_of(o, 2, o->type, quads, lane, i);
                if ((quads && lane / 4 % 4 != q) || !(ptx_lanes(w, o) >> lane & 1))
                    continue;
                put_element(frame, o->d, o->type, lane, i,
                            o->type == PTX_KIND_s32   ? integer_dot(o, &x, p.row, p.column)
                            : o->type == PTX_KIND_f64 ? double_dot(o, &x, p.row, p.column)
                                                      : float_dot(w, o, &x, p.row, p.column));
            }
    }
    return sm_next(u);
}

/* ---- matrices of 8 by 8 elements of 16 bits, in memory and in registers ---- */

/* Checks an access of a->size bytes at the addresses of a->lanes. False: *next. */
static bool reach(struct sm_warp *w, const struct sm_uop *u, const uint64_t address[SM_LANES],
                  struct sm_access *a, const struct sm_uop **next)
{
    const struct ptx_op *o = u->ptx;
    const bool shared = o->space == PTX_SPACE_SHARED, generic = o->space == PTX_SPACE_NONE;
    if (sm_has_judge(w))
        sm_access_judge(w, u,
                        shared    ? SM_JUDGED_SHARED
                        : generic ? SM_JUDGED_GENERIC
                                  : SM_JUDGED_GLOBAL,
                        a, address);
    PTX_LEFT(i, a->lanes)
    {
        if (shared)
            sm_reach_shared(w, i, address[i], a);
        else
            sm_reach_global(w, i, address[i], generic, a);
    }
    if (a->stray)
        *next = sm_stray(w, u, a);
    return !a->stray;
}

/* Lane 8 j + r has the address of row r of matrix j. False: *next. */
static bool reach_rows(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                       struct sm_access *a, const struct sm_uop **next)
{
    const struct ptx_op *o = u->ptx;
    const void *at = ptx_in(ptx_frame(w), &o->s[0]);
    const uint32_t rows = o->count == 4 ? UINT32_MAX : (1u << 8 * o->count) - 1;
    uint64_t address[SM_LANES];
    sm_access_begin(a, ptx_lanes(w, o) & rows, 16, kind);
    for (unsigned i = 0; i < SM_LANES; i++)
        address[i] = ptx_get(at, o->from_type, i) + (uint64_t)o->offset;
    return reach(w, u, address, a, next);
}

/* Where half e of a lane's register lies in a matrix. */
static struct matrix_place half_of(const struct ptx_op *o, unsigned lane, unsigned e)
{
    const struct matrix_place p = {lane / GROUP, 2 * (lane % GROUP) + e};
    return o->flag ? (struct matrix_place){p.column, p.row} : p;
}

PTX_EXECUTOR(ptx_op_load_matrix)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_uop *next = sm_next(u);
    uint8_t rows[SM_LANES][16] = {{0}};
    struct sm_access a;
    if (!ptx_lanes(w, o) || !ptx_converge(w, u, ptx_in(ptx_frame(w), &o->s[3]), &next) ||
        !reach_rows(w, u, WT_WATCH_READ, &a, &next))
        return next;
    PTX_LEFT(i, a.lanes)
    sm_load_bytes(w, u, &a, i, rows[i]);
    PTX_LEFT(lane, ptx_lanes(w, o))
    for (unsigned j = 0; j < o->count; j++) {
        uint32_t word = 0;
        for (unsigned e = 0; e < 2; e++) {
            const struct matrix_place p = half_of(o, lane, e);
            word |= (uint32_t)wt_load_le(rows[8 * j + p.row] + 2 * p.column, 2) << 16 * e;
        }
        ((uint32_t *)(ptx_frame(w) + o->d + j * PTX_ROW_BYTES))[lane] = word;
    }
    return sm_next(u);
}

PTX_EXECUTOR(ptx_op_store_matrix)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_uop *next = sm_next(u);
    uint8_t rows[SM_LANES][16];
    struct sm_access a;
    if (!ptx_lanes(w, o) || !ptx_converge(w, u, ptx_in(ptx_frame(w), &o->s[3]), &next) ||
        !reach_rows(w, u, WT_WATCH_WRITE, &a, &next))
        return next;
    for (unsigned lane = 0; lane < SM_LANES; lane++)
        for (unsigned j = 0; j < o->count; j++)
            for (unsigned e = 0; e < 2; e++) {
                const struct matrix_place p = half_of(o, lane, e);
                const uint32_t *row =
                    (const uint32_t *)(ptx_frame(w) + o->s[1].slot + j * PTX_ROW_BYTES);
                wt_store_le(rows[8 * j + p.row] + 2 * p.column, row[lane] >> 16 * e & 0xffff, 2);
            }
    PTX_LEFT(i, a.lanes)
    if (!sm_store_bytes(w, u, &a, i, WT_WATCH_WRITE, rows[i]))
        return sm_no_memory(w, u, a.addr[i]);
    return sm_next(u);
}

PTX_EXECUTOR(ptx_op_transpose)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_uop *next = sm_next(u);
    uint32_t from[SM_LANES];
    if (!ptx_lanes(w, o) || !ptx_converge(w, u, ptx_in(ptx_frame(w), &o->s[3]), &next))
        return next;
    memcpy(from, ptx_in(ptx_frame(w), &o->s[0]), sizeof from);
    uint32_t *to = (uint32_t *)(ptx_frame(w) + o->d);
    PTX_LEFT(lane, ptx_lanes(w, o))
    {
        const unsigned column = lane / GROUP, row = 2 * (lane % GROUP);
        const uint32_t low = from[GROUP * row + column / 2];
        const uint32_t high = from[GROUP * (row + 1) + column / 2];
        const unsigned shift = 16 * (column % 2);
        to[lane] = (low >> shift & 0xffff) | (high >> shift) << 16;
    }
    return sm_next(u);
}

/* ---- fragments of wmma (9.7.14.4) in memory ---- */

enum { MOST_PARTS = 16 };

/* Elements that a lane loads at once: one, or, where these are less than a byte, a dword's. */
static unsigned together(const struct ptx_op *o)
{
    return kinds[o->type].bits < 8 ? 32u / kinds[o->type].bits : 1;
}

/* Accesses that a lane makes for its elements. */
static unsigned parts(const struct ptx_op *o)
{
    const unsigned size[] = {o->size * o->index, o->index * o->element, o->size * o->element};
    return size[o->how] / SM_LANES / together(o);
}

/* The access of part i of each lane's. False: *next. */
static bool reach_part(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                       unsigned i, struct sm_access *a, const struct sm_uop **next)
{
    const struct ptx_op *o = u->ptx;
    const void *at = ptx_in(ptx_frame(w), &o->s[0]), *strides = ptx_in(ptx_frame(w), &o->s[1]);
    const unsigned bits = kinds[o->type].bits;
    uint64_t address[SM_LANES];
    sm_access_begin(a, ptx_lanes(w, o), bits < 8 ? 4 : bits / 8, kind);
    for (unsigned lane = 0; lane < SM_LANES; lane++) {
        const struct matrix_place p = place_of(o, o->how, o->type, false, lane, i * together(o));
        const uint64_t stride = ptx_get(strides, 4, lane);
        const uint64_t before = o->flag ? p.column * stride + p.row : p.row * stride + p.column;
        address[lane] = ptx_get(at, o->from_type, lane) + (uint64_t)o->offset + before * bits / 8;
    }
    return reach(w, u, address, a, next);
}

/* The kind of what a part is in registers. */
static unsigned part_kind(const struct ptx_op *o)
{
    return together(o) > 1 ? PTX_KIND_s32 : o->type;
}

PTX_EXECUTOR(ptx_op_load_fragment)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_uop *next = sm_next(u);
    const unsigned bits = kinds[part_kind(o)].bits, rows = (parts(o) * bits + 31) / 32;
    uint32_t row[MOST_PARTS][SM_LANES] = {{0}};
    if (!ptx_lanes(w, o) || !ptx_converge(w, u, ptx_in(ptx_frame(w), &o->s[3]), &next))
        return next;
    for (unsigned i = 0; i < parts(o); i++) {
        struct sm_access a;
        if (!reach_part(w, u, WT_WATCH_READ, i, &a, &next))
            return next;
        PTX_LEFT(lane, a.lanes)
        {
            uint8_t bytes[8];
            sm_load_bytes(w, u, &a, lane, bytes);
            put_element((uint8_t *)row, 0, part_kind(o), lane, i, wt_load_le(bytes, a.size));
        }
    }
    /* Of FP16, A and B have 8 registers whatever their shape: elements are there again. */
    for (unsigned i = 0; i < o->count; i++)
        ptx_copy_row(ptx_frame(w) + o->d + i * PTX_ROW_BYTES, row[i % rows], ptx_lanes(w, o));
    return sm_next(u);
}

PTX_EXECUTOR(ptx_op_store_fragment)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_uop *next = sm_next(u);
    struct sm_access a[MOST_PARTS];
    if (!ptx_lanes(w, o) || !ptx_converge(w, u, ptx_in(ptx_frame(w), &o->s[3]), &next))
        return next;
    for (unsigned i = 0; i < parts(o); i++)
        if (!reach_part(w, u, WT_WATCH_WRITE, i, &a[i], &next))
            return next;
    for (unsigned i = 0; i < parts(o); i++)
        PTX_LEFT(lane, a[i].lanes)
        {
            uint8_t bytes[8];
            wt_store_le(bytes, element(ptx_frame(w), o->s[2].slot, o->type, lane, i), a[i].size);
            if (!sm_store_bytes(w, u, &a[i], lane, WT_WATCH_WRITE, bytes))
                return sm_no_memory(w, u, a[i].addr[lane]);
        }
    return sm_next(u);
}
