/*
 * Arithmetic on rows of 32-bit values: most instructions of most kernels. Sources are registers
 * side by side, one element for all channels, packed words, or immediates (quick.c has the
 * conditions); the result is a row, or flags. A row is one or two vectors of eight channels; of
 * shorter instructions a part of one. The results are those of exec.c, which executes all the rest.
 */
#include <string.h>
#ifdef GEN_FMA
#include <immintrin.h>
#endif

#include "emulator/gen/vectors.h"

/* The operations; …_F of floats, CMP_U and SEL_U of unsigned numbers. */
enum gen_operation {
    NONE,
    MOV,
    NOT,
    AND,
    OR,
    XOR,
    SHL,
    SHR,
    ASR,
    ADD,
    MUL,
    MAD,
    SEL,
    SEL_U,
    SEL_F,
    CMP,
    CMP_U,
    CMP_F,
    ADD_F,
    MUL_F,
    OPERATIONS
};

/* ---- masks ---- */

static INLINE uint32_t enabled(const struct gen_thread *t, const struct gen_insn *insn, unsigned n,
                               bool predicated)
{
    uint32_t on = (insn->no_mask ? UINT32_MAX : t->mask) >> insn->channel;
    if (predicated && insn->predicate)
        on &= gen_predicate(t, insn);
    return on & (((uint32_t)1 << n) - 1);
}

/* ---- sources ---- */

/* Elements of fewer bytes. */
static CLONED __attribute__((noinline)) void
fetch_short(const uint8_t *from, const struct gen_quick_source *s, unsigned n, vector_ud *row)
{
    const uint32_t one = (uint32_t)gen_quick_element(from, s);
    for (unsigned i = 0; i < n; i += LANES) {
        vector_uw words = {0};
        if (s->fetch == GEN_FETCH_ELEMENT) {
            row[i / LANES] = (vector_ud){0} + one;
            continue;
        }
        if (s->fetch == GEN_FETCH_LOW) {
            const unsigned rest = 32 - 8 * s->size;
            vector_ud dwords = {0};
            memcpy(&dwords, from + 4 * i, (n < LANES ? n : LANES) * sizeof(uint32_t));
            dwords <<= rest;
            row[i / LANES] = s->is_signed ? (vector_ud)((vector_d)dwords >> rest) : dwords >> rest;
            continue;
        }
        memcpy(&words, from + 2 * i, (n < LANES ? n : LANES) * sizeof(uint16_t));
        row[i / LANES] = s->is_signed
                             ? (vector_ud) __builtin_convertvector((vector_w)words, vector_d)
                             : __builtin_convertvector(words, vector_ud);
    }
}

/* A row as it lies in registers. */
static INLINE void read_row(const uint8_t *from, unsigned blocks, unsigned n, vector_ud *row)
{
    if (n < LANES) {
        row[0] = (vector_ud){0};
        memcpy(row, from, n * sizeof(uint32_t));
        return;
    }
    for (unsigned k = 0; k < blocks; k++)
        row[k] = *(const vector_at *)(from + k * sizeof row[0]);
}

static INLINE void fetch(const struct gen_thread *t, const struct gen_quick_source *s,
                         unsigned blocks, unsigned n, vector_ud *row)
{
    const uint8_t *from = t->g->r + s->at;
    if (s->fetch == GEN_FETCH_ROW) {
        read_row(from, blocks, n, row);
    } else if (s->fetch <= GEN_FETCH_VALUE) {
        const uint32_t value =
            s->fetch == GEN_FETCH_VALUE ? (uint32_t)s->value : *(const gen_u32 *)from;
        for (unsigned k = 0; k < blocks; k++)
            row[k] = (vector_ud){0} + value;
    } else {
        fetch_short(from, s, n, row);
    }
}

/* abs, then negation (gen_modify). */
static CLONED __attribute__((noinline)) void modify(const struct gen_quick_source *s,
                                                    unsigned blocks, vector_ud *row)
{
    for (unsigned k = 0; k < blocks; k++) {
        vector_ud sign = row[k] >> 31;
        if (s->is_real) {
            if (s->absolute)
                row[k] &= UINT32_C(0x7fffffff);
            if (s->negate)
                row[k] ^= UINT32_C(0x80000000);
            continue;
        }
        if (s->absolute)
            row[k] = (row[k] ^ -sign) + sign;
        if (s->negate)
            row[k] = s->complements ? ~row[k] : -row[k];
    }
}

static INLINE void source(const struct gen_thread *t, const struct gen_uop *u, unsigned index,
                          unsigned blocks, unsigned n, vector_ud *row)
{
    const struct gen_quick_source *s = &u->quick.source[index];
    fetch(t, s, blocks, n, row);
    if (s->modified)
        modify(s, blocks, row);
}

/* ---- comparisons ---- */

/* Lanes for which a condition holds: all ones. @p more: and those whose b is NaN. */
#define COMPARE(type, more)                                                                        \
    for (unsigned k = 0; k < blocks; k++) {                                                        \
        const type x = (type)a[k], y = (type)b[k];                                                 \
        vector_ud is;                                                                              \
        switch (condition) {                                                                       \
        case GEN_COND_EQ:                                                                          \
            is = (vector_ud)(x == y);                                                              \
            break;                                                                                 \
        case GEN_COND_NE:                                                                          \
            is = (vector_ud)(x != y);                                                              \
            break;                                                                                 \
        case GEN_COND_GT:                                                                          \
            is = (vector_ud)(x > y);                                                               \
            break;                                                                                 \
        case GEN_COND_GE:                                                                          \
            is = (vector_ud)(x >= y);                                                              \
            break;                                                                                 \
        case GEN_COND_LT:                                                                          \
            is = (vector_ud)(x < y);                                                               \
            break;                                                                                 \
        default: /* GEN_COND_LE */                                                                 \
            is = (vector_ud)(x <= y);                                                              \
            break;                                                                                 \
        }                                                                                          \
        out[k] = (more) ? is | (vector_ud)(y != y) : is;                                           \
    }

static INLINE void compare(enum gen_operation kind, enum gen_condition condition, unsigned blocks,
                           const vector_ud *a, const vector_ud *b, vector_ud *out)
{
    if (kind == CMP_F || kind == SEL_F)
        COMPARE(vector_f, kind == SEL_F)
    else if (kind == CMP_U || kind == SEL_U)
        COMPARE(vector_ud, false)
    else
        COMPARE(vector_d, false)
}

/* ---- execution ---- */

static INLINE void compute(enum gen_operation operation, unsigned blocks, const vector_ud *a,
                           const vector_ud *b, const vector_ud *c, vector_ud *r)
{
    for (unsigned k = 0; k < blocks; k++)
        switch (operation) {
        case MOV:
            r[k] = a[k];
            break;
        case NOT:
            r[k] = ~a[k];
            break;
        case AND:
            r[k] = a[k] & b[k];
            break;
        case OR:
            r[k] = a[k] | b[k];
            break;
        case XOR:
            r[k] = a[k] ^ b[k];
            break;
        case SHL:
            r[k] = a[k] << (b[k] & 31);
            break;
        case SHR:
            r[k] = a[k] >> (b[k] & 31);
            break;
        case ASR:
            r[k] = (vector_ud)((vector_d)a[k] >> (vector_d)(b[k] & 31));
            break;
        case ADD:
            r[k] = a[k] + b[k];
            break;
        case MUL:
            r[k] = a[k] * b[k];
            break;
        case MAD:
            r[k] = b[k] * c[k] + a[k];
            break;
        case ADD_F:
            r[k] = (vector_ud)((vector_f)a[k] + (vector_f)b[k]);
            break;
        case MUL_F:
            r[k] = (vector_ud)((vector_f)a[k] * (vector_f)b[k]);
            break;
        default:
            break;
        }
}

static INLINE bool is_any_nan(unsigned blocks, const vector_ud *row)
{
    vector_ud is[2];
    for (unsigned k = 0; k < blocks; k++)
        is[k] = (vector_ud)((vector_f)row[k] != (vector_f)row[k]);
    return gather_bits(is, blocks) != 0;
}

/* Which NaN a result is: the first operand that is one, made quiet; else that of an invalid
 * operation (softfloat.c). Operands are in the order of the operation; @p third may be NULL. */
static INLINE void choose_nan(unsigned blocks, const vector_ud *first, const vector_ud *second,
                              const vector_ud *third, vector_ud *r)
{
    const vector_ud *const operand[] = {third, second, first};
    for (unsigned k = 0; k < blocks; k++) {
        const vector_ud is = (vector_ud)((vector_f)r[k] != (vector_f)r[k]);
        vector_ud nan = (vector_ud){0} + 0x7fc00000;
        for (unsigned i = third ? 0 : 1; i < 3; i++) {
            const vector_ud o = operand[i][k];
            const vector_ud counts = (vector_ud)((vector_f)o != (vector_f)o);
            nan = ((o | 0x00400000) & counts) | (nan & ~counts);
        }
        r[k] = (nan & is) | (r[k] & ~is);
    }
}

static INLINE void put(struct gen_thread *t, const struct gen_uop *u, unsigned blocks, unsigned n,
                       uint32_t on, const vector_ud *r)
{
    uint8_t *to = t->g->r + u->quick.to;
    vector_ud old[2];
    read_row(to, blocks, n, old);
    for (unsigned k = 0; k < blocks; k++) {
        vector_ud mask;
        spread_bits(on, k, &mask);
        old[k] = (r[k] & mask) | (old[k] & ~mask);
        if (n >= LANES)
            *(vector_at *)(to + k * sizeof old[0]) = old[k];
    }
    if (n < LANES)
        memcpy(to, old, n * sizeof(uint32_t));
}

/* The result's flags: it is compared with zero. */
static INLINE uint32_t test(const struct gen_uop *u, enum gen_operation operation, unsigned blocks,
                            const vector_ud *r)
{
    const vector_ud zero[2] = {{0}};
    const enum gen_condition condition = u->insn.condition;
    vector_ud is[2];
    if (u->domain == GEN_FLOAT)
        compare(CMP_F, condition, blocks, r, zero, is);
    else if (gen_type_is_signed(u->insn.dst.type))
        compare(CMP, condition, blocks, r, zero, is);
    else
        compare(CMP_U, condition, blocks, r, zero, is);
    return gather_bits(is, blocks);
}

static INLINE const struct gen_uop *execute(struct gen_thread *t, const struct gen_uop *u,
                                            unsigned n, enum gen_operation operation)
{
    const struct gen_insn *insn = &u->insn;
    const bool selects = operation == SEL || operation == SEL_U || operation == SEL_F;
    const bool compares = operation == CMP || operation == CMP_U || operation == CMP_F;
    const bool arithmetic = operation == ADD_F || operation == MUL_F;
    const unsigned blocks = n < LANES ? 1 : n / LANES;
    const uint32_t on = enabled(t, insn, n, !selects);
    vector_ud a[2], b[2], c[2], r[2], is[2];
    if (!on)
        return gen_next(u);
    if (u->domain == GEN_FLOAT && !gen_is_as_host(t, u))
        return u->general(t, u);
    source(t, u, 0, blocks, n, a);
    if (operation != MOV && operation != NOT)
        source(t, u, 1, blocks, n, b);
    if (operation == MAD)
        source(t, u, 2, blocks, n, c);
    if (compares) {
        compare(operation, insn->condition, blocks, a, b, is);
        gen_set_flags(t, insn, on, gather_bits(is, blocks));
        return gen_next(u);
    }
    if (selects) {
        if (insn->condition)
            compare(operation, insn->condition, blocks, a, b, is);
        else
            for (unsigned k = 0; k < blocks; k++)
                spread_bits(gen_predicate(t, insn), k, &is[k]);
        for (unsigned k = 0; k < blocks; k++)
            r[k] = (a[k] & is[k]) | (b[k] & ~is[k]);
    } else {
        compute(operation, blocks, a, b, c, r);
    }
    if (arithmetic && is_any_nan(blocks, r))
        choose_nan(blocks, a, b, NULL, r);
    if (!u->quick.nowhere)
        put(t, u, blocks, n, on, r);
    if (u->quick.tests)
        gen_set_flags(t, insn, on, test(u, operation, blocks, r));
    return gen_next(u);
}

/* b * c + a, rounded once: for hosts that do so. */
#ifdef GEN_FMA
static INLINE __attribute__((target("avx2,fma"))) const struct gen_uop *
fuse(struct gen_thread *t, const struct gen_uop *u, unsigned n)
{
    const unsigned blocks = n / LANES;
    const uint32_t on = enabled(t, &u->insn, n, true);
    vector_ud a[2], b[2], c[2], r[2];
    if (!on)
        return gen_next(u);
    if (!gen_is_as_host(t, u))
        return u->general(t, u);
    source(t, u, 0, blocks, n, a);
    source(t, u, 1, blocks, n, b);
    source(t, u, 2, blocks, n, c);
    for (unsigned k = 0; k < blocks; k++)
        r[k] = (vector_ud)_mm256_fmadd_ps((__m256)b[k], (__m256)c[k], (__m256)a[k]);
    if (is_any_nan(blocks, r))
        choose_nan(blocks, b, c, a, r);
    if (!u->quick.nowhere)
        put(t, u, blocks, n, on, r);
    if (u->quick.tests)
        gen_set_flags(t, &u->insn, on, test(u, ADD_F, blocks, r));
    return gen_next(u);
}

static __attribute__((target("avx2,fma"))) const struct gen_uop *fuse_eight(struct gen_thread *t,
                                                                            const struct gen_uop *u)
{
    return fuse(t, u, 8);
}

static __attribute__((target("avx2,fma"))) const struct gen_uop *
fuse_sixteen(struct gen_thread *t, const struct gen_uop *u)
{
    return fuse(t, u, 16);
}

static gen_op fused_handler(const struct gen_uop *u)
{
    if (u->domain != GEN_FLOAT || u->insn.row != &gen_rows[GEN_MAD] || u->insn.exec_size < 8 ||
        !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return NULL;
    return u->insn.exec_size == 8 ? fuse_eight : fuse_sixteen;
}
#else
static gen_op fused_handler(const struct gen_uop *u)
{
    return NULL;
}
#endif

#define EACH_OPERATION(X)                                                                          \
    X(MOV)                                                                                         \
    X(NOT)                                                                                         \
    X(AND)                                                                                         \
    X(OR)                                                                                          \
    X(XOR)                                                                                         \
    X(SHL)                                                                                         \
    X(SHR)                                                                                         \
    X(ASR) X(ADD) X(MUL) X(MAD) X(SEL) X(SEL_U) X(SEL_F) X(CMP) X(CMP_U) X(CMP_F) X(ADD_F) X(MUL_F)
#define HANDLER(operation, n)                                                                      \
    static CLONED const struct gen_uop *run_##operation##_##n(struct gen_thread *t,                \
                                                              const struct gen_uop *u)             \
    {                                                                                              \
        return execute(t, u, n, operation);                                                        \
    }
#define HANDLERS(operation)                                                                        \
    HANDLER(operation, 1)                                                                          \
    HANDLER(operation, 2)                                                                          \
    HANDLER(operation, 4) HANDLER(operation, 8) HANDLER(operation, 16)
EACH_OPERATION(HANDLERS)

#define ENTRY(operation)                                                                           \
    [operation] = {run_##operation##_1, run_##operation##_2, run_##operation##_4,                  \
                   run_##operation##_8, run_##operation##_16},
static const gen_op handlers[OPERATIONS][5] = {EACH_OPERATION(ENTRY)};

/* ---- decoding ---- */

static bool is_unsigned(const struct gen_operand *o)
{
    return !o->negate && !o->absolute &&
           (o->type == GEN_UD || o->type == GEN_UW || o->type == GEN_UB);
}

static enum gen_operation operation_of(const struct gen_uop *u)
{
    static const uint8_t integers[GEN_INSNS] = {
        [GEN_MOV] = MOV, [GEN_NOT] = NOT, [GEN_AND] = AND, [GEN_OR] = OR,   [GEN_XOR] = XOR,
        [GEN_SHL] = SHL, [GEN_SHR] = SHR, [GEN_ASR] = ASR, [GEN_ADD] = ADD, [GEN_MUL] = MUL,
        [GEN_MAD] = MAD, [GEN_SEL] = SEL, [GEN_CMP] = CMP};
    static const uint8_t reals[GEN_INSNS] = {[GEN_MOV] = MOV,
                                             [GEN_ADD] = ADD_F,
                                             [GEN_MUL] = MUL_F,
                                             [GEN_SEL] = SEL_F,
                                             [GEN_CMP] = CMP_F};
    const struct gen_insn *insn = &u->insn;
    const size_t row = (size_t)(insn->row - gen_rows);
    if (u->domain == GEN_FLOAT)
        return reals[row];
    if (u->domain == GEN_INT32)
        return integers[row];
    /* Unsigned numbers, which signed ones of 64 bits would hold as well. */
    const bool orders = row == GEN_CMP || (row == GEN_SEL && insn->condition);
    if (u->domain != GEN_INT64 || !orders || !is_unsigned(&insn->src[0]) ||
        !is_unsigned(&insn->src[1]))
        return NONE;
    return row == GEN_CMP ? CMP_U : SEL_U;
}

static enum gen_quick_fetch fetch_of(const struct gen_quick_source *s, unsigned n)
{
    if (s->kind == GEN_QUICK_VALUE)
        return GEN_FETCH_VALUE;
    if (s->step == 0)
        return s->size == 4 ? GEN_FETCH_DWORD : GEN_FETCH_ELEMENT;
    if (s->step == s->size && s->size == 4)
        return GEN_FETCH_ROW;
    if (s->step == 4 && s->size < 4 && s->at + 4 * n <= GEN_REGISTER_FILE)
        return GEN_FETCH_LOW;
    return s->step == s->size && s->size == 2 ? GEN_FETCH_WORDS : GEN_FETCH_OTHER;
}

bool gen_rows_prepare(struct gen_uop *u)
{
    const struct gen_insn *insn = &u->insn;
    const enum gen_operation operation = operation_of(u);
    struct gen_quick *q = &u->quick;
    const gen_op fused = fused_handler(u);
    if ((operation == NONE && !fused) || insn->exec_size > 16 ||
        (!q->nowhere && (q->to_size != 4 || q->to_step != 4)) || insn->condition > GEN_COND_LE)
        return false;
    for (unsigned i = 0; i < insn->sources; i++) {
        struct gen_quick_source *s = &q->source[i];
        s->fetch = (uint8_t)fetch_of(s, insn->exec_size);
        if (s->fetch == GEN_FETCH_OTHER || s->size > 4)
            return false;
        s->is_real = u->domain == GEN_FLOAT;
        s->absolute = insn->src[i].absolute;
        s->negate = insn->src[i].negate;
        s->complements =
            operation == NOT || operation == AND || operation == OR || operation == XOR;
    }
    q->rows = true;
    u->run = fused ? fused : handlers[operation][__builtin_ctz(insn->exec_size)];
    return true;
}
