/* Lowers instructions of PTX on matrices, whose elements lie in the registers of all lanes
 * (9.7.14). */
#include "emulator/machine/softfloat.h"
#include "emulator/sm/ptx/lower/body.h"
#include "emulator/sm/ptx/exec/matrix.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned bits;
} kinds[] = {
#define K(name, bits, exponent, fraction) {#name, bits},
    PTX_KINDS(K)
#undef K
};

#define BIT(kind) (1u << PTX_KIND_##kind)
enum {
    INT8 = BIT(s8) | BIT(u8),
    INT4 = BIT(s4) | BIT(u4),
    FP8 = BIT(e4m3) | BIT(e5m2),
    HALVES = BIT(f16) | BIT(f32),
};

/* A shape of a product: the kinds of A and B (both of one set), and of C and D. */
struct shape {
    uint16_t m, n, k;
    uint32_t ab, cd;
};

/* Those of mma. */
static const struct shape shapes[] = {
    {8, 8, 4, BIT(f16), HALVES},      {16, 8, 8, BIT(f16), HALVES},
    {16, 8, 16, BIT(f16), HALVES},    {16, 8, 8, BIT(bf16), BIT(f32)},
    {16, 8, 16, BIT(bf16), BIT(f32)}, {16, 8, 4, BIT(tf32), BIT(f32)},
    {16, 8, 8, BIT(tf32), BIT(f32)},  {16, 8, 16, FP8, HALVES},
    {16, 8, 32, FP8, HALVES},         {8, 8, 4, BIT(f64), BIT(f64)},
    {16, 8, 4, BIT(f64), BIT(f64)},   {16, 8, 8, BIT(f64), BIT(f64)},
    {16, 8, 16, BIT(f64), BIT(f64)},  {8, 8, 16, INT8, BIT(s32)},
    {16, 8, 16, INT8, BIT(s32)},      {16, 8, 32, INT8, BIT(s32)},
    {8, 8, 32, INT4, BIT(s32)},       {16, 8, 32, INT4, BIT(s32)},
    {16, 8, 64, INT4, BIT(s32)},      {8, 8, 128, BIT(b1), BIT(s32)},
    {16, 8, 128, BIT(b1), BIT(s32)},  {16, 8, 256, BIT(b1), BIT(s32)},
};

/* Those of wmma. */
static const struct shape fragments[] = {
    {16, 16, 16, BIT(f16), HALVES},   {32, 8, 16, BIT(f16), HALVES},
    {8, 32, 16, BIT(f16), HALVES},    {16, 16, 16, BIT(bf16), BIT(f32)},
    {32, 8, 16, BIT(bf16), BIT(f32)}, {8, 32, 16, BIT(bf16), BIT(f32)},
    {16, 16, 16, INT8, BIT(s32)},     {32, 8, 16, INT8, BIT(s32)},
    {8, 32, 16, INT8, BIT(s32)},      {16, 16, 8, BIT(tf32), BIT(f32)},
    {8, 8, 4, BIT(f64), BIT(f64)},    {8, 8, 32, INT4, BIT(s32)},
    {8, 8, 128, BIT(b1), BIT(s32)},
};

/* The words of mma or of an instruction of wmma, decoded. */
struct matrix_words {
    struct ptx_tile tile;
    unsigned kind[4], kind_count; /* D, A, B, C */
    bool column[2], satfinite, popc;
    unsigned layout_count, logic; /* logic: 1 xor, 2 and; 0: none */
    char does, matrix;            /* wmma's m(ma), l(oad), s(tore); a, b, c, d */
    uint8_t round;                /* enum wt_round */
    bool rounds, is_placed;       /* there is a word for it, for a space */
};

/* Members of wmma's instructions alone. */
static bool take_of_wmma(struct matrix_words *w, const char *word)
{
    static const char *const rounds[] = {"rn", "rz", "rm", "rp"};
    static const uint8_t round[] = {WT_RNE, WT_RTZ, WT_RDN, WT_RUP};
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(word, rounds[i]) == 0) {
            w->round = round[i];
            return w->rounds = true;
        }
    if (strcmp(word, "mma") == 0 || strcmp(word, "load") == 0 || strcmp(word, "store") == 0) {
        w->does = *word;
        return true;
    }
    if (strlen(word) == 1 && strchr("abcd", *word)) {
        w->matrix = *word;
        return true;
    }
    w->is_placed = strcmp(word, "shared") == 0 || strcmp(word, "shared::cta") == 0 ||
                   strcmp(word, "global") == 0;
    return w->is_placed;
}

static bool take(struct matrix_words *w, const char *word)
{
    int end = 0;
    if (sscanf(word, "m%un%uk%u%n", &w->tile.m, &w->tile.n, &w->tile.k, &end) == 3 && !word[end])
        return true;
    if (strcmp(word, "row") == 0 || strcmp(word, "col") == 0) {
        if (w->layout_count == 2)
            return false;
        w->column[w->layout_count++] = *word == 'c';
        return true;
    }
    for (unsigned i = 0; i < PTX_KIND_COUNT; i++)
        if (strcmp(word, kinds[i].name) == 0 && w->kind_count < 4) {
            w->kind[w->kind_count++] = i;
            return true;
        }
    if (strcmp(word, "satfinite") == 0)
        return w->satfinite = true;
    if (strcmp(word, "popc") == 0)
        return w->popc = true;
    if (strcmp(word, "xor") == 0 || strcmp(word, "and") == 0) {
        w->logic = *word == 'x' ? 1 : 2;
        return true;
    }
    return strcmp(word, "sync") == 0 || strcmp(word, "aligned") == 0 || take_of_wmma(w, word);
}

static bool is_in(const struct matrix_words *w, const struct shape *shape, size_t count,
                  uint32_t ab, uint32_t cd)
{
    for (size_t i = 0; i < count; i++)
        if (shape[i].m == w->tile.m && shape[i].n == w->tile.n && shape[i].k == w->tile.k &&
            !(ab & ~shape[i].ab) && !(cd & ~shape[i].cd))
            return true;
    return false;
}

static bool is_shape(const struct matrix_words *w)
{
    const uint32_t ab = 1u << w->kind[1] | 1u << w->kind[2],
                   cd = 1u << w->kind[0] | 1u << w->kind[3];
    const bool integers = w->kind[0] == PTX_KIND_s32, bits = w->kind[1] == PTX_KIND_b1;
    const bool wmma = w->does == 'm', wide = w->kind[0] == PTX_KIND_f64,
               halves = w->kind[1] == PTX_KIND_f16;
    const bool any_layout = wmma ? !bits && !((1u << w->kind[1]) & INT4) : halves && w->tile.k == 4;
    if (w->kind_count != 4 || w->layout_count != 2 || w->matrix || w->is_placed ||
        (w->does && !wmma) || (w->satfinite && (bits || !(integers || (wmma && halves)))) ||
        bits != (w->popc && w->logic) || (w->round && !wide) ||
        ((1u << w->kind[1]) & FP8 && w->kind[0] != w->kind[3]) ||
        (!any_layout && (w->column[0] || !w->column[1])))
        return false;
    if (wmma)
        return w->kind[1] == w->kind[2] &&
               is_in(w, fragments, sizeof fragments / sizeof fragments[0], ab, cd);
    return is_in(w, shapes, sizeof shapes / sizeof shapes[0], ab, cd);
}

/* ---- registers that lie together ---- */

enum { MOST = 16 }; /* rows of an operand */

/* Part n, of MOST rows, of those where operands are put together. */
static uint32_t part(struct body *b, unsigned n)
{
    if (b->matrices == NONE)
        b->matrices = body_take_rows(b, 4 * MOST);
    return b->matrices + n * MOST * PTX_ROW_BYTES;
}

static bool is_list(struct body *b, const struct ptx_operand *o, unsigned count)
{
    if (o->kind == PTX_OPERAND_VECTOR ? o->count == count : count == 1)
        return true;
    return body_fail_at(b, o, "%u registers are wanted", count);
}

static struct ptx_operand item(struct body *b, const struct ptx_operand *o, unsigned i)
{
    return o->kind == PTX_OPERAND_VECTOR ? *body_item(b, o, i) : *o;
}

/* The slot of the first of `count` sources, the others behind it: where they are, or part n. The
 * list has `listed`: fragments may have their elements more than once. */
static bool gather(struct body *b, const struct ptx_operand *o, enum ptx_type type, unsigned count,
                   unsigned listed, unsigned n, uint32_t *slot)
{
    const uint32_t step = ptx_type_class(type) / 4 * PTX_ROW_BYTES;
    struct ptx_source s[MOST];
    bool are_together = true;
    if (!is_list(b, o, listed))
        return false;
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand one = item(b, o, i);
        s[i] = (struct ptx_source){0};
        if (!body_source(b, &one, type, &s[i]))
            return false;
        are_together = are_together && !s[i].constant && s[i].slot == s[0].slot + i * step;
    }
    *slot = are_together ? s[0].slot : part(b, n);
    for (unsigned i = 0; i < count && !are_together; i++) {
        struct ptx_op record = body_blank();
        record.s[0] = s[i];
        record.d = *slot + i * step;
        if (!body_put_record(b, ptx_integer(PTX_OP_mov, type), &record))
            return false;
    }
    return true;
}

/* Emits a record whose results are `count` registers; they follow each other from its d on. */
static bool put_with_results(struct body *b, sm_op run, struct ptx_op *record,
                             const struct ptx_operand *o, enum ptx_type type, unsigned count)
{
    const uint32_t step = ptx_type_class(type) / 4 * PTX_ROW_BYTES;
    uint32_t d[MOST];
    bool are_together = true;
    if (!is_list(b, o, count))
        return false;
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand one = item(b, o, i);
        if (!body_optional_destination(b, &one, type, &d[i]))
            return false;
        are_together = are_together && d[i] != NONE && d[i] == d[0] + i * step;
    }
    record->d = are_together ? d[0] : part(b, 3);
    if (body_too_large(b) || !body_put_record(b, run, record))
        return false;
    for (unsigned i = 0; i < count && !are_together; i++) {
        struct ptx_op move = body_blank();
        move.s[0].slot = record->d + i * step;
        move.d = d[i];
        if (d[i] != NONE && !body_put_record(b, ptx_integer(PTX_OP_mov, type), &move))
            return false;
    }
    return true;
}

/* All lanes of the warp come together. */
static bool all_lanes(struct body *b, struct ptx_op *record)
{
    return body_constant(b, PTX_U32, UINT32_MAX, &record->s[3]);
}

/* ---- instructions ---- */

static bool read_words(struct body *b, bool (*taken)(struct matrix_words *w, const char *word),
                       struct matrix_words *w)
{
    char text[160], *rest = NULL;
    snprintf(text, sizeof text, "%.*s", (int)b->s->name.length, b->s->name.at);
    strtok_r(text, ".", &rest);
    for (const char *word; (word = strtok_r(NULL, ".", &rest));)
        if (!taken(w, word))
            return false;
    return true;
}

/* Registers of a fragment of A or B: of FP16 always eight. */
static unsigned listed(const struct matrix_words *w, unsigned kind, unsigned count)
{
    return w->does && kind == PTX_KIND_f16 ? 8 : count;
}

static bool lower_product(struct body *b, const struct matrix_words *w)
{
    struct ptx_op record = body_blank();
    const bool wide = w->kind[0] == PTX_KIND_f64,
               quads = w->kind[1] == PTX_KIND_f16 && w->tile.k == 4;
    const enum ptx_type type = wide ? PTX_B64 : PTX_B32;
    const unsigned size[4] = {w->tile.m * w->tile.n, w->tile.m * w->tile.k, w->tile.n * w->tile.k,
                              w->tile.m * w->tile.n};
    unsigned count[4];
    for (unsigned i = 0; i < 4; i++)
        count[i] = size[i] * (quads ? 4 : 1) * kinds[w->kind[i]].bits / 32 / (wide ? 64 : 32);
    record.size = (uint8_t)w->tile.m;
    record.element = (uint8_t)w->tile.n;
    record.index = w->tile.k;
    record.type = (uint8_t)w->kind[0];
    record.from_type = (uint8_t)w->kind[1];
    record.how = (uint8_t)w->kind[2];
    record.combine = (uint8_t)w->kind[3];
    record.sat = w->satfinite;
    record.flag = w->logic == 2;
    record.count = w->round;
    record.round = (uint8_t)(w->column[0] | w->column[1] << 1);
    for (unsigned i = 1; i < 4; i++)
        if (!gather(b, body_operand(b, i), type, count[i],
                    i < 3 ? listed(w, w->kind[i], count[i]) : count[i], i - 1,
                    &record.s[i - 1].slot))
            return false;
    return all_lanes(b, &record) &&
           put_with_results(b, ptx_op_matrix, &record, body_operand(b, 0), type, count[0]);
}

bool ptx_lower_matrix(struct body *b, enum ptx_math op)
{
    struct matrix_words w = {0};
    if (!read_words(b, take, &w) || w.does || !is_shape(&w))
        return body_unsupported(b);
    return lower_product(b, &w);
}

/* wmma.load and wmma.store: [address] and the leading dimension, or that of the matrix alone. */
static bool lower_fragment(struct body *b, const struct matrix_words *w)
{
    const bool stores = w->does == 's', wide = w->kind[0] == PTX_KIND_f64;
    const unsigned which = w->matrix == 'a' ? 0 : w->matrix == 'b' ? 1 : 2;
    const struct ptx_tile t = w->tile;
    const unsigned rows = which == 1 ? t.k : t.m, columns = which == 0 ? t.k : t.n;
    const bool column = w->column[0];
    const uint32_t kind = 1u << w->kind[0];
    enum ptx_space space = b->form.space;
    struct ptx_op record = body_blank();
    if (w->kind_count != 1 || w->layout_count != 1 || stores != (w->matrix == 'd') || !w->matrix ||
        w->satfinite || w->popc || w->logic || w->rounds ||
        !is_in(w, fragments, sizeof fragments / sizeof fragments[0], which < 2 ? kind : 0,
               which < 2 ? 0 : kind) ||
        ((kind & (INT4 | BIT(b1))) && column != (which == 1)))
        return body_unsupported(b);
    const struct ptx_operand *memory = body_operand(b, stores ? 0 : 1);
    const unsigned bits = kinds[w->kind[0]].bits, count = rows * columns / 32 * bits / 32;
    const unsigned registers = which < 2 ? listed(w, w->kind[0], count) : count;
    if (memory->kind != PTX_OPERAND_MEMORY)
        return body_unsupported(b);
    if (!body_address(b, memory, &space, &record) || !all_lanes(b, &record))
        return false;
    if (body_operand_count(b) > 2
            ? !body_source(b, body_operand(b, 2), PTX_U32, &record.s[1])
            : !body_constant(b, PTX_U32, column ? rows : columns, &record.s[1]))
        return false;
    record.space = (uint8_t)space;
    record.size = (uint8_t)t.m;
    record.element = (uint8_t)t.n;
    record.index = t.k;
    record.type = (uint8_t)w->kind[0];
    record.how = (uint8_t)which;
    record.flag = column;
    record.count = (uint8_t)registers;
    const enum ptx_type type = wide ? PTX_B64 : PTX_B32;
    const unsigned names = wide ? registers / 2 : registers;
    if (!stores)
        return put_with_results(b, ptx_op_load_fragment, &record, body_operand(b, 0), type, names);
    return gather(b, body_operand(b, 1), type, names, names, 0, &record.s[2].slot) &&
           body_put_record(b, ptx_op_store_fragment, &record);
}

bool ptx_lower_fragment(struct body *b, enum ptx_math op)
{
    struct matrix_words w = {0};
    if (!read_words(b, take, &w) || !w.does)
        return body_unsupported(b);
    if (w.does != 'm')
        return lower_fragment(b, &w);
    if (w.kind_count == 2) { /* of FP16, D and C */
        w.kind[3] = w.kind[1];
        w.kind[1] = w.kind[2] = PTX_KIND_f16;
        w.kind_count = 4;
    }
    if (!is_shape(&w))
        return body_unsupported(b);
    if (body_operand_count(b) < 4)
        return body_fail(b, "4 operands are wanted");
    return lower_product(b, &w);
}

/* ldmatrix and stmatrix: their words, in any order, as the assembler of NVIDIA takes them. */
static bool take_of_memory(struct matrix_words *w, const char *word)
{
    if (strcmp(word, "x1") == 0 || strcmp(word, "x2") == 0 || strcmp(word, "x4") == 0) {
        w->kind_count = (unsigned)(word[1] - '0');
        return true;
    }
    if (strcmp(word, "trans") == 0)
        return w->column[0] = true;
    if (strcmp(word, "m8n8") == 0)
        return (w->tile.m = 8) != 0;
    if (strcmp(word, "b16") == 0)
        return w->popc = true;
    return strcmp(word, "sync") == 0 || strcmp(word, "aligned") == 0 ||
           strcmp(word, "shared") == 0 || strcmp(word, "shared::cta") == 0;
}

bool ptx_lower_matrix_memory(struct body *b, enum ptx_math op)
{
    const bool stores = op == PTX_OP_add;
    enum ptx_space space = b->form.space;
    struct matrix_words w = {0};
    struct ptx_op record = body_blank();
    if (!read_words(b, take_of_memory, &w) || !w.tile.m || !w.popc || !w.kind_count)
        return body_unsupported(b);
    record.count = (uint8_t)w.kind_count;
    record.flag = w.column[0];
    const struct ptx_operand *memory = body_operand(b, stores ? 0 : 1);
    if (memory->kind != PTX_OPERAND_MEMORY)
        return body_unsupported(b);
    if (!body_address(b, memory, &space, &record) || !all_lanes(b, &record))
        return false;
    record.space = (uint8_t)space;
    if (!stores)
        return put_with_results(b, ptx_op_load_matrix, &record, body_operand(b, 0), PTX_B32,
                                record.count);
    return gather(b, body_operand(b, 1), PTX_B32, record.count, record.count, 0,
                  &record.s[1].slot) &&
           body_put_record(b, ptx_op_store_matrix, &record);
}

bool ptx_lower_transpose(struct body *b, enum ptx_math op)
{
    struct ptx_op record = body_blank();
    if (!ptx_name_is(b->s->name, "movmatrix.sync.aligned.m8n8.trans.b16"))
        return body_unsupported(b);
    return body_destination(b, body_operand(b, 0), PTX_B32, &record.d) &&
           body_source(b, body_operand(b, 1), PTX_B32, &record.s[0]) && all_lanes(b, &record) &&
           body_put_record(b, ptx_op_transpose, &record);
}
