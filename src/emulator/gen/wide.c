/*
 * Arithmetic on rows of doubles, and moves of 64 bits. Sources are registers side by side, one
 * element for all channels, or immediates (quick.c has the conditions); the result is a row of one
 * or two vectors of four channels. The results are those of exec.c. A result that is no number is
 * left to gen_run_quick, which knows which NaN it is.
 */
#ifdef GEN_FMA
#include <immintrin.h>
#endif

#include "emulator/gen/vectors.h"

enum { WIDE_LANES = 4 };

typedef double vector_df __attribute__((vector_size(32)));
/* A row where it lies in registers. */
typedef uint64_t wide_at __attribute__((vector_size(32), aligned(1), may_alias));

enum wide_operation { NONE, MOV, ADD, MUL, MAD, OPERATIONS };

static INLINE void source(const struct gen_thread *t, const struct gen_uop *u, unsigned index,
                          unsigned blocks, vector_uq *row)
{
    const struct gen_quick_source *s = &u->quick.source[index];
    const uint8_t *from = t->g->r + s->at;
    const uint64_t value = s->fetch == GEN_FETCH_VALUE ? s->value : *(const gen_u64 *)from;
    for (unsigned k = 0; k < blocks; k++) {
        row[k] = (vector_uq){0} + value;
        if (s->fetch == GEN_FETCH_ROW)
            row[k] = *(const wide_at *)(from + k * sizeof row[0]);
        if (s->absolute)
            row[k] &= INT64_MAX;
        if (s->negate)
            row[k] ^= UINT64_C(1) << 63;
    }
}

static INLINE void put(struct gen_thread *t, const struct gen_uop *u, unsigned blocks, uint32_t on,
                       const vector_uq *r)
{
    uint8_t *to = t->g->r + u->quick.to;
    for (unsigned k = 0; k < blocks; k++, to += sizeof r[0]) {
        const vector_uq bits = (vector_uq){1, 2, 4, 8} << (k * WIDE_LANES);
        const vector_uq mask = (vector_uq)((bits & on) == bits);
        *(wide_at *)to = (r[k] & mask) | (*(const wide_at *)to & ~mask);
    }
}

static INLINE bool is_any_nan(unsigned blocks, const vector_uq *row)
{
    vector_uq is = {0};
    for (unsigned k = 0; k < blocks; k++)
        is |= (vector_uq)((vector_df)row[k] != (vector_df)row[k]);
    return is[0] | is[1] | is[2] | is[3];
}

/* The inputs of an instruction: its channels, and the rows of its sources. */
struct gen_found {
    uint32_t on;
    vector_uq source[3][2];
};

/* False: there is nothing to compute here, and *next follows. */
static INLINE bool begin(struct gen_thread *t, const struct gen_uop *u, unsigned blocks,
                         unsigned sources, struct gen_found *x, const struct gen_uop **next)
{
    x->on = gen_enabled(t, &u->insn);
    if (!x->on || !gen_is_as_host(t, u)) {
        *next = x->on ? u->general(t, u) : gen_next(u);
        return false;
    }
    for (unsigned i = 0; i < sources; i++)
        source(t, u, i, blocks, x->source[i]);
    return true;
}

static INLINE const struct gen_uop *finish(struct gen_thread *t, const struct gen_uop *u,
                                           unsigned blocks, uint32_t on, const vector_uq *r)
{
    if (!u->quick.nowhere)
        put(t, u, blocks, on, r);
    return gen_next(u);
}

static INLINE const struct gen_uop *execute(struct gen_thread *t, const struct gen_uop *u,
                                            unsigned blocks, enum wide_operation operation)
{
    const struct gen_uop *next;
    struct gen_found x;
    vector_uq r[2];
    if (!begin(t, u, blocks, operation == MOV ? 1 : 2, &x, &next))
        return next;
    for (unsigned k = 0; k < blocks; k++) {
        const vector_df a = (vector_df)x.source[0][k], b = (vector_df)x.source[1][k];
        r[k] = operation == MOV ? x.source[0][k] : (vector_uq)(operation == ADD ? a + b : a * b);
    }
    if (operation != MOV && is_any_nan(blocks, r))
        return gen_run_quick(t, u);
    return finish(t, u, blocks, x.on, r);
}

#define HANDLER(operation, blocks)                                                                 \
    static CLONED const struct gen_uop *run_##operation##_##blocks(struct gen_thread *t,           \
                                                                   const struct gen_uop *u)        \
    {                                                                                              \
        return execute(t, u, blocks, operation);                                                   \
    }
#define HANDLERS(operation) HANDLER(operation, 1) HANDLER(operation, 2)
HANDLERS(MOV)
HANDLERS(ADD)
HANDLERS(MUL)

static const gen_op handlers[OPERATIONS][2] = {
    [MOV] = {run_MOV_1, run_MOV_2}, [ADD] = {run_ADD_1, run_ADD_2}, [MUL] = {run_MUL_1, run_MUL_2}};

/* Source 1 * source 2 + source 0, rounded once: for hosts that do so. */
#ifdef GEN_FMA
#define FUSED __attribute__((target("avx2,fma")))
static INLINE FUSED const struct gen_uop *fuse(struct gen_thread *t, const struct gen_uop *u,
                                               unsigned blocks)
{
    const struct gen_uop *next;
    struct gen_found x;
    vector_uq r[2];
    if (!begin(t, u, blocks, 3, &x, &next))
        return next;
    for (unsigned k = 0; k < blocks; k++)
        r[k] = (vector_uq)_mm256_fmadd_pd((__m256d)x.source[1][k], (__m256d)x.source[2][k],
                                          (__m256d)x.source[0][k]);
    return is_any_nan(blocks, r) ? gen_run_quick(t, u) : finish(t, u, blocks, x.on, r);
}

static FUSED const struct gen_uop *fuse_four(struct gen_thread *t, const struct gen_uop *u)
{
    return fuse(t, u, 1);
}

static FUSED const struct gen_uop *fuse_eight(struct gen_thread *t, const struct gen_uop *u)
{
    return fuse(t, u, 2);
}

static gen_op fused_handler(unsigned blocks)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return NULL;
    return blocks == 1 ? fuse_four : fuse_eight;
}
#else
static gen_op fused_handler(unsigned blocks)
{
    return NULL;
}
#endif

static enum wide_operation operation_of(const struct gen_uop *u)
{
    const struct gen_row *row = u->insn.row;
    if (row == &gen_rows[GEN_MOV])
        return u->raw ? MOV : NONE;
    if (u->domain != GEN_DOUBLE)
        return NONE;
    return row == &gen_rows[GEN_ADD]   ? ADD
           : row == &gen_rows[GEN_MUL] ? MUL
           : row == &gen_rows[GEN_MAD] ? MAD
                                       : NONE;
}

bool gen_wide_prepare(struct gen_uop *u)
{
    const struct gen_insn *insn = &u->insn;
    const enum wide_operation operation = operation_of(u);
    const unsigned blocks = insn->exec_size / WIDE_LANES;
    struct gen_quick *q = &u->quick;
    if (operation == NONE || (insn->exec_size != 4 && insn->exec_size != 8) || insn->condition ||
        (!q->nowhere && (q->to_size != 8 || q->to_step != 8)))
        return false;
    for (unsigned i = 0; i < insn->sources; i++) {
        struct gen_quick_source *s = &q->source[i];
        const bool is_row = s->kind == GEN_QUICK_ROW, is_value = s->kind == GEN_QUICK_VALUE;
        if (s->size != 8 || (!is_row && !is_value && s->step))
            return false;
        s->fetch = is_row ? GEN_FETCH_ROW : is_value ? GEN_FETCH_VALUE : GEN_FETCH_ELEMENT;
        s->absolute = insn->src[i].absolute;
        s->negate = insn->src[i].negate;
    }
    const gen_op run = operation == MAD ? fused_handler(blocks) : handlers[operation][blocks - 1];
    if (run)
        u->run = run;
    q->wide = run != NULL;
    return run != NULL;
}
