/* Expressions: evaluating them. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/parts.h"
#include "expr/print.h"

#define MOST_STEPS 10000 /* until the lanes that are on their way fail */
#define PRINT_STEPS 200  /* it may print much: it counts as that many */
#define SMALL 1024       /* cells of temporaries that need no host memory */

/* ---- evaluating ---- */

/* Lanes that wait for their turn at an instruction. */
struct parted {
    uint32_t pc;
    wt_lanes lanes;
};

struct expr_run {
    const struct wt_expr *e;
    const uint64_t *const *row;
    const struct wt_expr_world *world;
    unsigned count;
    uint64_t *temporary;
    uint64_t *value;
    uint32_t pc;
    wt_lanes active, all, done;
    struct parted parted[WT_MAX_LANES];
    unsigned parted_count;
    uint32_t next; /* the lowest pc among `parted` */
    unsigned steps;
};

static const uint64_t *vector(const struct expr_run *r, wt_expr_vector v)
{
    const size_t number = v & NUMBER;
    switch (v >> KIND_SHIFT) {
    case REGISTER:
        return r->row[number];
    case CONSTANT:
        return r->e->constant + number * WT_MAX_LANES;
    default:
        return r->temporary + number * r->count;
    }
}

static void find_next(struct expr_run *r)
{
    r->next = UINT32_MAX;
    for (unsigned i = 0; i < r->parted_count; i++)
        if (r->parted[i].pc < r->next)
            r->next = r->parted[i].pc;
}

static void park(struct expr_run *r, uint32_t pc, wt_lanes lanes)
{
    unsigned i = 0;
    while (i < r->parted_count && r->parted[i].pc != pc)
        i++;
    if (i == r->parted_count) {
        assert(i < WT_MAX_LANES);
        r->parted[r->parted_count++] = (struct parted){pc, 0};
    }
    r->parted[i].lanes |= lanes;
    find_next(r);
}

/* The lanes at the lowest pc go on; the lanes that wait at that pc join them. */
static void join(struct expr_run *r)
{
    if (r->active && r->pc > r->next)
        park(r, r->pc, r->active);
    if (!r->active || r->pc > r->next) {
        r->active = 0;
        r->pc = r->next;
    }
    for (unsigned i = 0; i < r->parted_count; i++) {
        if (r->parted[i].pc != r->pc)
            continue;
        r->active |= r->parted[i].lanes;
        r->parted[i--] = r->parted[--r->parted_count];
    }
    find_next(r);
}

static void fail(struct expr_run *r, wt_lanes lanes, enum wt_expr_failure why)
{
    for (wt_lanes rest = r->world->failure ? r->active & lanes : 0; rest; rest &= rest - 1)
        r->world->failure[wt_lanes_lowest(rest)] = why;
    r->active &= ~lanes;
}

wt_lanes wt_expr_true(const uint64_t *cell, unsigned count)
{
    uint64_t half[2] = {0}, any = 0;
    for (unsigned k = 0; k < count; k++)
        any |= cell[k];
    if (!any)
        return 0; /* as most conditions have it */
    for (unsigned k = 0; k < count; k++)
        half[k / 64] |= (uint64_t)(cell[k] != 0) << (k % 64);
    return (wt_lanes)half[1] << 64 | half[0];
}

static void branch(struct expr_run *r, const uint64_t *a, uint32_t target)
{
    const wt_lanes taken = wt_expr_true(a, r->count) & r->active;
    const wt_lanes rest = r->active & ~taken;
    if (!taken) {
        r->pc++;
    } else if (!rest) {
        r->pc = target;
    } else {
        park(r, target, taken);
        r->active = rest;
        r->pc++;
    }
}

static void print(struct expr_run *r, const struct print *p)
{
    for (wt_lanes rest = r->active & ~r->world->silent; rest; rest &= rest - 1) {
        const unsigned k = wt_lanes_lowest(rest);
        struct wt_print_argument argument[WT_PRINT_ARGUMENTS];
        assert(p->count <= WT_PRINT_ARGUMENTS);
        for (size_t i = 0; i < p->count; i++)
            argument[i] = (struct wt_print_argument){.value = vector(r, p->argument[i].vector)[k],
                                                     .bits = p->argument[i].bits};
        if (!wt_print(r->world, k, p->format, p->length, argument, p->count))
            fail(r, wt_lane_bit(k), WT_EXPR_NO_VALUE);
    }
    r->steps += PRINT_STEPS;
}

static double to_double(uint64_t cell, unsigned size)
{
    return wt_print_double(cell, size);
}

static uint64_t from_double(double value, unsigned size)
{
    uint64_t cell;
    if (size == 32) {
        const float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    memcpy(&cell, &value, sizeof cell);
    return cell;
}

/* A binary64 as a binary16, to the nearest, ties to even. */
static uint64_t to_half(double value)
{
    const uint64_t sign = signbit(value) ? 0x8000 : 0;
    const double size = fabs(value);
    int exponent;
    if (isnan(value))
        return sign | 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    frexp(size, &exponent);
    /* Steps between neighbours: 2^-24 for subnormal numbers and the smallest normal ones. */
    const int step = exponent - 11 < -24 ? -24 : exponent - 11;
    const uint64_t units = (uint64_t)rint(ldexp(size, -step));
    /* A carry into the next power of two is the next exponent's first number. */
    return sign | (step == -24 ? units : ((uint64_t)(step + 24) << 10) + units);
}

/* Operations on cells. */
static uint64_t shift_left(uint64_t a, uint64_t b)
{
    return b < 64 ? a << b : 0;
}

static uint64_t shift_right(uint64_t a, uint64_t b)
{
    return b < 64 ? a >> b : 0;
}

static uint64_t shift_right_signed(uint64_t a, uint64_t b)
{
    return (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
}

static uint64_t divide_signed(uint64_t a, uint64_t b)
{
    /* The least number has no negative counterpart. */
    return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t remainder_signed(uint64_t a, uint64_t b)
{
    return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

static uint64_t low_bits(unsigned size)
{
    return size < 64 ? ((uint64_t)1 << size) - 1 : UINT64_MAX;
}

/* The lanes whose divisor is 0 fail. */
static void fail_zero(struct expr_run *r, const uint64_t *b)
{
    fail(r, ~wt_expr_true(b, r->count), WT_EXPR_DIVIDED);
}

static bool fits_int(double v)
{
    return v >= -0x1p63 && v < 0x1p63;
}

static void fail_unfit(struct expr_run *r, const uint64_t *a, unsigned size)
{
    for (unsigned k = 0; k < r->count; k++)
        if (!fits_int(to_double(a[k], size)))
            fail(r, wt_lane_bit(k), WT_EXPR_UNFIT);
}

/* A power of a negative exponent is what an integer division would make of it. */
static uint64_t power(uint64_t a, uint64_t b)
{
    if ((int64_t)b < 0)
        return a == 1 ? 1 : a == UINT64_MAX ? (b & 1 ? UINT64_MAX : 1) : 0;
    uint64_t result = 1;
    for (; b; b >>= 1, a *= a)
        if (b & 1)
            result *= a;
    return result;
}

static void fail_power(struct expr_run *r, const uint64_t *a, const uint64_t *b)
{
    for (wt_lanes rest = r->active; rest; rest &= rest - 1) {
        const unsigned k = wt_lanes_lowest(rest);
        if (a[k] == 0 && (int64_t)b[k] < 0)
            fail(r, wt_lane_bit(k), WT_EXPR_DIVIDED);
    }
}

/* All lanes in one loop that compilers vectorise, or those that are active. */
#define EACH(result)                                                                               \
    do {                                                                                           \
        if (r->active == r->all) {                                                                 \
            for (unsigned k = 0; k < count; k++)                                                   \
                to[k] = (result);                                                                  \
        } else {                                                                                   \
            for (wt_lanes rest_ = r->active; rest_; rest_ &= rest_ - 1) {                          \
                const unsigned k = wt_lanes_lowest(rest_);                                         \
                to[k] = (result);                                                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define FLOAT(operation)                                                                           \
    EACH(from_double(to_double(a[k], size) operation to_double(b[k], size), size))
#define FLOAT_IS(relation) EACH(to_double(a[k], size) relation to_double(b[k], size))

/* Whether lane @p k's value replaces the result so far. */
static bool is_better(enum wt_expr_op op, uint64_t a, uint64_t so_far, unsigned size)
{
    switch (op) {
    case WT_EXPR_OVER_MIN_SIGNED:
        return (int64_t)a < (int64_t)so_far;
    case WT_EXPR_OVER_MIN_UNSIGNED:
        return a < so_far;
    case WT_EXPR_OVER_MAX_SIGNED:
        return (int64_t)a > (int64_t)so_far;
    case WT_EXPR_OVER_MAX_UNSIGNED:
        return a > so_far;
    case WT_EXPR_OVER_F_MIN:
        return to_double(a, size) < to_double(so_far, size);
    default:
        return to_double(a, size) > to_double(so_far, size);
    }
}

static void over_lanes(struct expr_run *r, const struct instruction *in, uint64_t *to,
                       const uint64_t *a, const uint64_t *b)
{
    const wt_lanes those = wt_expr_true(b, r->count) & r->active;
    const bool sums = in->op == WT_EXPR_OVER_SUM || in->op == WT_EXPR_OVER_F_SUM;
    uint64_t result = those ? a[wt_lanes_lowest(those)] : 0;
    double real = 0;
    if (!those && !sums) {
        fail(r, r->active, WT_EXPR_NO_VALUE);
        return;
    }
    for (wt_lanes rest = those & (those - 1); rest; rest &= rest - 1) {
        const uint64_t value = a[wt_lanes_lowest(rest)];
        if (in->op == WT_EXPR_OVER_SUM)
            result += value;
        else if (!sums && is_better((enum wt_expr_op)in->op, value, result, in->size))
            result = value;
    }
    if (in->op == WT_EXPR_OVER_F_SUM) {
        for (wt_lanes rest = those; rest; rest &= rest - 1)
            real += to_double(a[wt_lanes_lowest(rest)], in->size);
        result = from_double(real, in->size);
    }
    for (wt_lanes rest = r->active; rest; rest &= rest - 1)
        to[wt_lanes_lowest(rest)] = result;
}

/* ---- 128 bits ---- */

__extension__ typedef __int128 wide_signed;
__extension__ typedef unsigned __int128 wide_unsigned;

static wide_unsigned wide_of(const uint64_t *low, unsigned count, unsigned k)
{
    return (wide_unsigned)low[k + count] << 64 | low[k];
}

static wide_unsigned wide_shift(enum wt_expr_op op, wide_unsigned a, uint64_t by)
{
    const bool over = by >= 128;
    if (op == WT_EXPR_WIDE_SHL)
        return over ? 0 : a << by;
    if (op == WT_EXPR_WIDE_SHR_UNSIGNED)
        return over ? 0 : a >> by;
    return (wide_unsigned)((wide_signed)a >> (over ? 127 : by));
}

static double wide_to_double(enum wt_expr_op op, wide_unsigned a)
{
    return op == WT_EXPR_WIDE_INT_TO_F ? (double)(wide_signed)a : (double)a;
}

/* The quotient or remainder; false: there is none. */
static bool wide_divide(enum wt_expr_op op, wide_unsigned a, wide_unsigned b, wide_unsigned *result)
{
    const bool is_signed = op == WT_EXPR_WIDE_DIV_SIGNED || op == WT_EXPR_WIDE_REM_SIGNED;
    const bool divides = op == WT_EXPR_WIDE_DIV_SIGNED || op == WT_EXPR_WIDE_DIV_UNSIGNED;
    const bool a_minus = is_signed && (wide_signed)a < 0, b_minus = is_signed && (wide_signed)b < 0;
    if (b == 0)
        return false;
    /* Of the sizes: the smallest number divided by -1 has no quotient, and wraps. */
    const wide_unsigned x = a_minus ? -a : a, y = b_minus ? -b : b;
    const wide_unsigned size = divides ? x / y : x % y;
    *result = (divides ? a_minus != b_minus : a_minus) ? -size : size;
    return true;
}

static bool fits_wide(double value)
{
    return value >= -0x1p127 && value < 0x1p127;
}

/* One lane; false: it fails. */
static bool wide_lane(const struct expr_run *r, const struct instruction *in, uint64_t *to,
                      const uint64_t *a, const uint64_t *b, unsigned k)
{
    const enum wt_expr_op op = (enum wt_expr_op)in->op;
    const struct widths wide = wt_expr_widths_of(op);
    const unsigned count = r->count;
    const wide_unsigned x = wide.a ? wide_of(a, count, k) : 0;
    const wide_unsigned y = wide.b ? wide_of(b, count, k) : 0;
    wide_unsigned result = 0;
    switch (op) {
    case WT_EXPR_WIDE_ADD:
        result = x + y;
        break;
    case WT_EXPR_WIDE_SUB:
        result = x - y;
        break;
    case WT_EXPR_WIDE_MUL:
        result = x * y;
        break;
    case WT_EXPR_WIDE_SHL:
    case WT_EXPR_WIDE_SHR_SIGNED:
    case WT_EXPR_WIDE_SHR_UNSIGNED:
        result = wide_shift(op, x, b[k]);
        break;
    case WT_EXPR_WIDE_LESS_SIGNED:
        result = (wide_signed)x < (wide_signed)y;
        break;
    case WT_EXPR_WIDE_LESS_UNSIGNED:
        result = x < y;
        break;
    case WT_EXPR_WIDE_INT_TO_F:
    case WT_EXPR_WIDE_UINT_TO_F:
        result = from_double(wide_to_double(op, x), in->size);
        break;
    case WT_EXPR_WIDE_F_TO_INT:
        if (!fits_wide(to_double(a[k], in->size)))
            return false;
        result = (wide_unsigned)(wide_signed)to_double(a[k], in->size);
        break;
    default:
        if (!wide_divide(op, x, y, &result))
            return false;
        break;
    }
    to[k] = (uint64_t)result;
    if (wide.to)
        to[k + count] = (uint64_t)(result >> 64);
    return true;
}

static void calculate_wide(struct expr_run *r, const struct instruction *in, uint64_t *to,
                           const uint64_t *a, const uint64_t *b)
{
    for (wt_lanes rest = r->active; rest; rest &= rest - 1) {
        const unsigned k = wt_lanes_lowest(rest);
        if (!wide_lane(r, in, to, a, b, k))
            fail(r, wt_lane_bit(k),
                 in->op == WT_EXPR_WIDE_F_TO_INT ? WT_EXPR_UNFIT : WT_EXPR_DIVIDED);
    }
}

static void calculate(struct expr_run *r, const struct instruction *in)
{
    const unsigned count = r->count, size = in->size;
    uint64_t *to = r->temporary + (size_t)(in->to & NUMBER) * count;
    const uint64_t *a = vector(r, in->a), *b = vector(r, in->b);
    switch ((enum wt_expr_op)in->op) {
    case WT_EXPR_COPY:
        EACH(a[k]);
        break;
    case WT_EXPR_ADD:
        EACH(a[k] + b[k]);
        break;
    case WT_EXPR_SUB:
        EACH(a[k] - b[k]);
        break;
    case WT_EXPR_MUL:
        EACH(a[k] * b[k]);
        break;
    case WT_EXPR_DIV_SIGNED:
        fail_zero(r, b);
        EACH(divide_signed(a[k], b[k]));
        break;
    case WT_EXPR_DIV_UNSIGNED:
        fail_zero(r, b);
        EACH(a[k] / b[k]);
        break;
    case WT_EXPR_REM_SIGNED:
        fail_zero(r, b);
        EACH(remainder_signed(a[k], b[k]));
        break;
    case WT_EXPR_REM_UNSIGNED:
        fail_zero(r, b);
        EACH(a[k] % b[k]);
        break;
    case WT_EXPR_SHL:
        EACH(shift_left(a[k], b[k]));
        break;
    case WT_EXPR_SHR_SIGNED:
        EACH(shift_right_signed(a[k], b[k]));
        break;
    case WT_EXPR_SHR_UNSIGNED:
        EACH(shift_right(a[k], b[k]));
        break;
    case WT_EXPR_POWER:
        fail_power(r, a, b);
        EACH(power(a[k], b[k]));
        break;
    case WT_EXPR_AND:
        EACH(a[k] & b[k]);
        break;
    case WT_EXPR_OR:
        EACH(a[k] | b[k]);
        break;
    case WT_EXPR_XOR:
        EACH(a[k] ^ b[k]);
        break;
    case WT_EXPR_EQUAL:
        EACH(a[k] == b[k]);
        break;
    case WT_EXPR_LESS_SIGNED:
        EACH((int64_t)a[k] < (int64_t)b[k]);
        break;
    case WT_EXPR_LESS_UNSIGNED:
        EACH(a[k] < b[k]);
        break;
    case WT_EXPR_OVER_SUM:
    case WT_EXPR_OVER_MIN_SIGNED:
    case WT_EXPR_OVER_MIN_UNSIGNED:
    case WT_EXPR_OVER_MAX_SIGNED:
    case WT_EXPR_OVER_MAX_UNSIGNED:
    case WT_EXPR_OVER_F_SUM:
    case WT_EXPR_OVER_F_MIN:
    case WT_EXPR_OVER_F_MAX:
        over_lanes(r, in, to, a, b);
        break;
    case WT_EXPR_NOT:
        EACH(~a[k]);
        break;
    case WT_EXPR_LOGIC_NOT:
        EACH(!a[k]);
        break;
    case WT_EXPR_EXT: {
        const unsigned by = 64 - size;
        if (size == 32) /* `int`: one instruction a lane */
            EACH((uint64_t)(int64_t)(int32_t)a[k]);
        else
            EACH((uint64_t)((int64_t)(a[k] << by) >> by));
        break;
    }
    case WT_EXPR_ZERO_EXT: {
        const uint64_t low = low_bits(size);
        EACH(a[k] & low);
        break;
    }
    case WT_EXPR_LOAD: {
        const wt_lanes got =
            r->world->read ? r->world->read(r->world->context, r->active, a, size, to) : 0;
        const wt_lanes not = r->active & ~got;
        for (wt_lanes rest = r->world->failure ? not : 0; rest; rest &= rest - 1)
            r->value[wt_lanes_lowest(rest)] = a[wt_lanes_lowest(rest)];
        fail(r, not, WT_EXPR_UNREAD);
        break;
    }
    case WT_EXPR_F_ADD:
        FLOAT(+);
        break;
    case WT_EXPR_F_SUB:
        FLOAT(-);
        break;
    case WT_EXPR_F_MUL:
        FLOAT(*);
        break;
    case WT_EXPR_F_DIV:
        FLOAT(/);
        break;
    case WT_EXPR_F_REM:
        EACH(from_double(fmod(to_double(a[k], size), to_double(b[k], size)), size));
        break;
    case WT_EXPR_F_POWER:
        EACH(from_double(pow(to_double(a[k], size), to_double(b[k], size)), size));
        break;
    case WT_EXPR_F_EQUAL:
        FLOAT_IS(==);
        break;
    case WT_EXPR_F_LESS:
        FLOAT_IS(<);
        break;
    case WT_EXPR_F_LESS_EQUAL:
        FLOAT_IS(<=);
        break;
    case WT_EXPR_F_NEGATE:
        EACH((a[k] ^ (uint64_t)1 << (size - 1)) & low_bits(size));
        break;
    case WT_EXPR_F_TO_F:
        EACH(from_double(to_double(a[k], 96 - size), size));
        break;
    case WT_EXPR_F_TO_HALF:
        EACH(to_half(to_double(a[k], size)));
        break;
    case WT_EXPR_HALF_TO_F:
        EACH(from_double(wt_print_double(a[k], 16), size));
        break;
    case WT_EXPR_F_TO_INT:
        fail_unfit(r, a, size);
        EACH((uint64_t)(int64_t)to_double(a[k], size));
        break;
    case WT_EXPR_INT_TO_F:
        EACH(size == 32 ? from_double((float)(int64_t)a[k], 32)
                        : from_double((double)(int64_t)a[k], 64));
        break;
    case WT_EXPR_UINT_TO_F:
        EACH(size == 32 ? from_double((float)a[k], 32) : from_double((double)a[k], 64));
        break;
    case WT_EXPR_WIDE_ADD:
    case WT_EXPR_WIDE_SUB:
    case WT_EXPR_WIDE_MUL:
    case WT_EXPR_WIDE_DIV_SIGNED:
    case WT_EXPR_WIDE_DIV_UNSIGNED:
    case WT_EXPR_WIDE_REM_SIGNED:
    case WT_EXPR_WIDE_REM_UNSIGNED:
    case WT_EXPR_WIDE_SHL:
    case WT_EXPR_WIDE_SHR_SIGNED:
    case WT_EXPR_WIDE_SHR_UNSIGNED:
    case WT_EXPR_WIDE_LESS_SIGNED:
    case WT_EXPR_WIDE_LESS_UNSIGNED:
    case WT_EXPR_WIDE_INT_TO_F:
    case WT_EXPR_WIDE_UINT_TO_F:
    case WT_EXPR_WIDE_F_TO_INT:
        calculate_wide(r, in, to, a, b);
        break;
    case WT_EXPR_BRANCH:
    case WT_EXPR_GOTO:
    case WT_EXPR_PRINT:
    case WT_EXPR_FAIL:
    case WT_EXPR_END:
        assert(false);
    }
}

static void end(struct expr_run *r, const uint64_t *a)
{
    if (r->active == r->all) /* not memcpy: compilers make `rep movs` of it, slow for a few lanes */
        for (unsigned k = 0; k < r->count; k++)
            r->value[k] = a[k];
    else
        for (wt_lanes rest = r->active; rest; rest &= rest - 1)
            r->value[wt_lanes_lowest(rest)] = a[wt_lanes_lowest(rest)];
    r->done |= r->active;
    r->active = 0;
}

static void step(struct expr_run *r)
{
    const struct instruction *in = &r->e->code[r->pc];
    switch ((enum wt_expr_op)in->op) {
    case WT_EXPR_BRANCH:
        branch(r, vector(r, in->a), in->target);
        break;
    case WT_EXPR_GOTO:
        r->pc = in->target;
        break;
    case WT_EXPR_PRINT:
        print(r, &r->e->print[in->target]);
        r->pc++;
        break;
    case WT_EXPR_FAIL:
        fail(r, r->active, WT_EXPR_NO_VALUE);
        break;
    case WT_EXPR_END:
        end(r, vector(r, in->a));
        break;
    default:
        calculate(r, in);
        r->pc++;
        break;
    }
}

wt_lanes wt_expr_run(const struct wt_expr *e, const uint64_t *const *row, unsigned count,
                     const struct wt_expr_world *world, uint64_t *value)
{
    assert(e->finished && count && count <= WT_MAX_LANES);
    uint64_t small[SMALL];
    const size_t cells = (size_t)e->temporaries * count;
    struct expr_run r;
    r.e = e;
    r.row = row;
    r.world = world;
    r.count = count;
    r.value = value;
    r.pc = 0;
    r.active = r.all = wt_lanes_first(count);
    r.done = 0;
    r.parted_count = 0;
    r.next = UINT32_MAX;
    r.steps = 0;
    r.temporary = cells <= SMALL ? small : malloc(cells * sizeof *small);
    if (!r.temporary)
        return 0;
    if (!e->written)
        memset(r.temporary, 0, cells * sizeof *small);
    while (r.active || r.parted_count) {
        if (!r.active || r.pc >= r.next)
            join(&r);
        step(&r);
        /* Lanes whose code does not terminate fail; the others get the same number of
         * steps again. */
        if (++r.steps > MOST_STEPS) {
            fail(&r, r.active, WT_EXPR_NO_VALUE);
            r.steps = 0;
        }
    }
    if (r.temporary != small)
        free(r.temporary);
    return r.done;
}
