/*
 * The sums of gfx942's products of matrices, but of singles and doubles, as MMA-Sim (arXiv
 * 2511.10909) found them on an MI300X: the products of a group are exact; each is cut (towards 0)
 * to 24 binary places below the largest exponent of the group; their sum and C are aligned to the
 * larger of both exponents, rounded down to 31 and to 24 places, and added; that is rounded to a
 * single, to nearest. Of numbers of 8 bits the products of even and of odd k are two such sums,
 * which are rounded down to 24 places of the larger exponent; a C that is smaller by more than 2^25
 * does not count. An exponent is that of the operands: a product is below four times it, and 0 has
 * -126.
 */
#include "base/bits.h"
#include "emulator/gcn/exec/cloned.h"
#include "emulator/gcn/exec/f8.h"
#include "emulator/gcn/exec/mfma.h"

#include <math.h>

enum {
    PLACES = 24, /* binary ones: a product has so many */
    DIGITS = 10, /* an element */
    MOST_COLUMNS = 32,
    MOST_GROUP = 16,
    TOO_LARGE = 126,  /* an exponent from which a product may be 2^128 */
    NOT_FINITE = 128, /* the exponent of infinity, and of what is no number */
};

static int least_exponent(enum gcn_matrix_type type)
{
    return type == GCN_MATRIX_F16   ? -14
           : type == GCN_MATRIX_FP8 ? -7
           : type == GCN_MATRIX_BF8 ? -15
                                    : -126;
}

static CLONED take_all(struct gcn_fused_elements *to, const uint32_t *from, unsigned count,
                       int32_t least, int32_t *most)
{
    int32_t high = -NOT_FINITE;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t x = from[i] & 0x7fffffff;
        const int32_t field = (int32_t)(x >> 23), own = (field > 1 ? field : 1) - 127;
        const int32_t exponent = x == 0 ? -126 : own > least ? own : least;
        const uint32_t whole = (x & 0x7fffff) | (field ? 0x800000u : 0);
        const int32_t digits =
            (int32_t)(whole >> (23 - DIGITS) >> (x == 0 || own >= least ? 0 : least - own));
        to->exponent[i] = exponent;
        to->digits[i] = from[i] >> 31 ? -digits : digits;
        high = exponent > high ? exponent : high;
    }
    *most = high;
}

void gcn_fused_take(struct gcn_fused_elements *to, const union gcn_elements *from, unsigned count,
                    enum gcn_matrix_type type)
{
    take_all(to, from->w, count, least_exponent(type), &to->most);
}

/* ---- sums of a group ---- */

#define COLUMNS _Pragma("GCC ivdep") for (unsigned j = 0; j < side; j++)

/* One product of A and each column of B. */
struct fused_term {
    int32_t digits, exponent; /* A's */
    const int32_t *b, *b_exponent;
};

/* The sums of every @p step th of @p count products, as whole numbers of 2^(most - PLACES). */
static inline __attribute__((always_inline)) void add_terms(const struct fused_term *term,
                                                            unsigned count, unsigned step,
                                                            int32_t *sum, int32_t *most,
                                                            const unsigned side)
{
    COLUMNS
    sum[j] = 0, most[j] = INT32_MIN;
    for (unsigned n = 0; n < count; n += step) {
        const struct fused_term t = term[n];
        COLUMNS
        {
            const int32_t e = t.exponent + t.b_exponent[j];
            most[j] = e > most[j] ? e : most[j];
        }
    }
    for (unsigned n = 0; n < count; n += step) {
        const struct fused_term t = term[n];
        COLUMNS
        {
            const int32_t product = t.digits * t.b[j],
                          below = most[j] - t.exponent - t.b_exponent[j];
            const uint32_t size = (uint32_t)(product < 0 ? -product : product)
                                  << (PLACES - 2 * DIGITS),
                           cut = size >> (below < 31 ? below : 31);
            sum[j] += product < 0 ? -(int32_t)cut : (int32_t)cut;
        }
    }
}

/* 2^n, of a normal double. */
static inline double power(int32_t n)
{
    return wt_double_of_bits((uint64_t)(int64_t)(n + 1023) << 52);
}

/* Adds sums to D, which is C. */
static inline __attribute__((always_inline)) void
add_sums(uint32_t *d, const int32_t *sum, const int32_t *most, bool eight, const unsigned side)
{
    COLUMNS
    {
        const int32_t field = (int32_t)(d[j] >> 23 & 0xff),
                      of_c = (d[j] & 0x7fffffff) == 0 ? -126 : (field > 1 ? field : 1) - 127,
                      top = of_c > most[j] ? of_c : most[j],
                      whole = (int32_t)((d[j] & 0x7fffff) | (field ? 0x800000u : 0)),
                      digits = d[j] >> 31 ? -whole : whole;
        const double s = floor((double)sum[j] * power(7 + most[j] - top)),
                     c = floor((double)digits * power(1 + of_c - top)),
                     counted = eight && of_c < top - 25 ? 0.0 : c;
        d[j] = wt_float_bits((float)((s + counted * 128.0) * power(top - 31)));
    }
}

static inline __attribute__((always_inline)) void add_group(const struct fused_term *term,
                                                            unsigned count, uint32_t *d, bool eight,
                                                            const unsigned side)
{
    int32_t sum[MOST_COLUMNS], most[MOST_COLUMNS], odd[MOST_COLUMNS], odd_most[MOST_COLUMNS];
    add_terms(term, count, eight ? 2 : 1, sum, most, side);
    if (eight) {
        add_terms(term + 1, count - 1, 2, odd, odd_most, side);
        COLUMNS
        {
            const int32_t top = most[j] > odd_most[j] ? most[j] : odd_most[j],
                          even_below = top - most[j], odd_below = top - odd_most[j];
            sum[j] = (sum[j] >> (even_below < 31 ? even_below : 31)) +
                     (odd[j] >> (odd_below < 31 ? odd_below : 31));
            most[j] = top;
        }
    }
    add_sums(d, sum, most, eight, side);
}

/* ---- with infinities, what is no number, and products beyond singles ---- */

/* A value that is not finite in the place of a sum; 0: all are finite. */
static double special(const struct fused_term *term, unsigned count, uint32_t c)
{
    double all = wt_float_of_bits(c), large = 0;
    for (unsigned n = 0; n < count; n++) {
        const struct fused_term t = term[n];
        double x = ldexp(t.digits, t.exponent - DIGITS), y = ldexp(*t.b, *t.b_exponent - DIGITS);
        if (t.exponent == NOT_FINITE)
            x = t.digits == 1 << DIGITS ? INFINITY : t.digits == -(1 << DIGITS) ? -INFINITY : NAN;
        if (*t.b_exponent == NOT_FINITE)
            y = *t.b == 1 << DIGITS ? INFINITY : *t.b == -(1 << DIGITS) ? -INFINITY : NAN;
        all += x * y;
        large += fabs(x * y) >= 0x1p128 ? x * y * INFINITY : 0;
    }
    return isfinite(all) ? large : all;
}

static void add_columns(struct fused_term *term, unsigned count, uint32_t *d, bool eight,
                        unsigned side)
{
    for (unsigned j = 0; j < side; j++) {
        const double odd = special(term, count, d[j]);
        if (odd == 0)
            add_group(term, count, d + j, eight, 1);
        else
            d[j] = wt_float_bits((float)odd);
        for (unsigned n = 0; n < count; n++)
            term[n].b++, term[n].b_exponent++;
    }
}

static bool is_plain(const uint32_t *d, unsigned side)
{
    uint32_t most = 0;
    for (unsigned j = 0; j < side; j++)
        most = (d[j] & 0x7fffffff) > most ? d[j] & 0x7fffffff : most;
    return most < 0x7f800000;
}

static inline __attribute__((always_inline)) void
add_row(struct fused_term *term, unsigned count, uint32_t *d, bool eight, const unsigned side)
{
    if (is_plain(d, side))
        add_group(term, count, d, eight, side);
    else
        add_columns(term, count, d, eight, side);
}

CLONED gcn_fused_row(const struct gcn_mfma *m, uint32_t *d, const struct gcn_fused_elements *of_a,
                     const struct gcn_fused_elements *of_b, const struct gcn_fused_line *line)
{
    const bool eight = m->type == GCN_MATRIX_FP8 || m->type == GCN_MATRIX_BF8;
    struct fused_term term[MOST_GROUP];
    for (unsigned first = 0; first < line->count; first += m->group) {
        bool plain = of_a->most < NOT_FINITE && of_b->most < NOT_FINITE;
        for (unsigned n = 0; n < m->group; n++) {
            const unsigned x = line->a + (first + n) * m->side,
                           y = line->b + line->from[first + n] * m->side;
            term[n] = (struct fused_term){of_a->digits[x], of_a->exponent[x], of_b->digits + y,
                                          of_b->exponent + y};
            plain &= of_a->exponent[x] + of_b->most < TOO_LARGE;
        }
        if (!plain)
            add_columns(term, m->group, d, eight, m->side);
        else if (m->side == 32)
            add_row(term, m->group, d, eight, 32);
        else if (m->side == 16)
            add_row(term, m->group, d, eight, 16);
        else
            add_row(term, m->group, d, eight, 4);
    }
}
