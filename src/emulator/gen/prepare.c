/*
 * Chooses, once for each instruction, how it is executed: its handler, the arithmetic of its types
 * (Skylake PRM volume 7, "Numeric Data Types"), and which types it does not take.
 */
#include "emulator/gen/internal.h"

/* Whether sources are 32 bits or fewer as signed numbers, without modifiers. */
static bool fits_signed(const struct gen_operand *o)
{
    if (o->negate || o->absolute)
        return false;
    return o->type == GEN_D || o->type == GEN_W || o->type == GEN_UW || o->type == GEN_B ||
           o->type == GEN_UB || o->type == GEN_V || o->type == GEN_UV;
}

/* Whether wrapping 32-bit arithmetic gives the destination's bits. */
static bool wraps(const struct gen_insn *insn)
{
    const struct gen_row *row = insn->row;
    if (gen_type_size(insn->dst.type) > 4 || gen_type_is_float(insn->dst.type) || insn->saturate ||
        insn->accumulate || (insn->dst.file == GEN_ARF && insn->dst.reg >> 4 == GEN_ARF_ACC) ||
        insn->condition == GEN_COND_OV)
        return false;
    for (unsigned i = 0; i < insn->sources; i++)
        if (gen_type_size(insn->src[i].type) > 4)
            return false;
    if (row == &gen_rows[GEN_MOV] || row == &gen_rows[GEN_SMOV] || row == &gen_rows[GEN_ADD] ||
        row == &gen_rows[GEN_MUL] || row == &gen_rows[GEN_AND] || row == &gen_rows[GEN_OR] ||
        row == &gen_rows[GEN_XOR] || row == &gen_rows[GEN_NOT] || row == &gen_rows[GEN_SHL] ||
        row == &gen_rows[GEN_MAD])
        return true;
    if (row == &gen_rows[GEN_SEL] && !insn->condition)
        return true;
    if (row == &gen_rows[GEN_CMP] || row == &gen_rows[GEN_SEL])
        return fits_signed(&insn->src[0]) && fits_signed(&insn->src[1]);
    if (row == &gen_rows[GEN_ASR])
        return fits_signed(&insn->src[0]);
    return row == &gen_rows[GEN_SHR] && insn->src[0].type == GEN_UD && !insn->src[0].negate &&
           !insn->src[0].absolute;
}

enum gen_domain gen_domain_of(const struct gen_insn *insn)
{
    bool real = false, wide = false;
    for (unsigned i = 0; i < insn->sources; i++) {
        real = real || gen_type_is_float(insn->src[i].type);
        wide = wide || insn->src[i].type == GEN_DF;
    }
    if (real)
        return wide || (insn->dst.type == GEN_DF && insn->row != &gen_rows[GEN_MOV] &&
                        insn->row != &gen_rows[GEN_SMOV])
                   ? GEN_DOUBLE
                   : GEN_FLOAT;
    return wraps(insn) ? GEN_INT32 : GEN_INT64;
}

/* A move that changes no bits. */
static bool is_raw(const struct gen_insn *insn)
{
    const struct gen_operand *s = &insn->src[0], *d = &insn->dst;
    return insn->row == &gen_rows[GEN_MOV] && !s->negate && !s->absolute && !insn->saturate &&
           !insn->condition && !insn->accumulate && s->type < GEN_UV &&
           gen_type_is_float(s->type) == gen_type_is_float(d->type) &&
           (s->type == d->type ||
            (!gen_type_is_float(s->type) && gen_type_size(s->type) >= gen_type_size(d->type)));
}

#define I(id, name, opcode, format, allows, executor, ...) [GEN_##id] = executor,
static const gen_alu_op alu_ops[GEN_INSNS] = {
#define ALU(executor) gen_alu_##executor
#define OP(executor) NULL
#include "emulator/gen/isa.def"
#undef ALU
#undef OP
};
static const gen_op other_ops[GEN_INSNS] = {
#define ALU(executor) NULL
#define OP(executor) gen_op_##executor
#include "emulator/gen/isa.def"
};
#undef I

/* The source types that an instruction takes (PRM volume 2a, the tables of source types). */
enum gen_sources { SOURCES_ANY, SOURCES_INTEGER, SOURCES_REAL, SOURCES_SINGLE };

static enum gen_sources math_sources(enum gen_math function)
{
    if (function >= GEN_MATH_IDIV && function <= GEN_MATH_IREM)
        return SOURCES_INTEGER;
    return function >= GEN_MATH_INVM ? SOURCES_REAL : SOURCES_SINGLE;
}

static enum gen_sources sources_of(const struct gen_insn *insn)
{
    static const uint8_t sources[GEN_INSNS] = {
        [GEN_NOT] = SOURCES_INTEGER,  [GEN_AND] = SOURCES_INTEGER,   [GEN_OR] = SOURCES_INTEGER,
        [GEN_XOR] = SOURCES_INTEGER,  [GEN_SHR] = SOURCES_INTEGER,   [GEN_SHL] = SOURCES_INTEGER,
        [GEN_ASR] = SOURCES_INTEGER,  [GEN_BFREV] = SOURCES_INTEGER, [GEN_BFE] = SOURCES_INTEGER,
        [GEN_BFI1] = SOURCES_INTEGER, [GEN_BFI2] = SOURCES_INTEGER,  [GEN_AVG] = SOURCES_INTEGER,
        [GEN_MACH] = SOURCES_INTEGER, [GEN_LZD] = SOURCES_INTEGER,   [GEN_FBH] = SOURCES_INTEGER,
        [GEN_FBL] = SOURCES_INTEGER,  [GEN_CBIT] = SOURCES_INTEGER,  [GEN_ADDC] = SOURCES_INTEGER,
        [GEN_SUBB] = SOURCES_INTEGER, [GEN_SAD2] = SOURCES_INTEGER,  [GEN_SADA2] = SOURCES_INTEGER,
        [GEN_FRC] = SOURCES_REAL,     [GEN_RNDU] = SOURCES_REAL,     [GEN_RNDD] = SOURCES_REAL,
        [GEN_RNDE] = SOURCES_REAL,    [GEN_RNDZ] = SOURCES_REAL,     [GEN_MADM] = SOURCES_REAL,
        [GEN_DP4] = SOURCES_SINGLE,   [GEN_DPH] = SOURCES_SINGLE,    [GEN_DP3] = SOURCES_SINGLE,
        [GEN_DP2] = SOURCES_SINGLE,   [GEN_LINE] = SOURCES_SINGLE,   [GEN_PLN] = SOURCES_SINGLE,
        [GEN_LRP] = SOURCES_SINGLE};
    return insn->row == &gen_rows[GEN_MATH] ? math_sources(insn->condition)
                                            : (enum gen_sources)sources[insn->row - gen_rows];
}

/* Why an arithmetic instruction cannot be executed; NULL: it can. */
static const char *type_mistake(const struct gen_insn *insn)
{
    const enum gen_sources wanted = sources_of(insn);
    const enum gen_domain domain = gen_domain_of(insn);
    for (unsigned i = 0; i < insn->sources; i++) {
        const enum gen_type type = insn->src[i].type;
        if (wanted == SOURCES_INTEGER && gen_type_is_float(type))
            return "its sources must be integers";
        if (wanted >= SOURCES_REAL && !gen_type_is_float(type))
            return "its sources must be floating-point numbers";
    }
    if (wanted == SOURCES_SINGLE && domain != GEN_FLOAT)
        return "its sources must be f or hf, and no df";
    const bool planes = insn->row == &gen_rows[GEN_LINE] || insn->row == &gen_rows[GEN_PLN];
    for (unsigned i = 0; i < insn->sources && planes; i++)
        if (insn->src[i].file != GEN_GRF && (i == 0 || insn->row == &gen_rows[GEN_PLN]))
            return "its coefficients must be in general registers";
    return NULL;
}

static bool is_arf(const struct gen_operand *o, enum gen_arf arf)
{
    return o->file == GEN_ARF && !o->indirect && o->reg >> 4 == arf;
}

/* Intel's compiler makes bfrev of type f of a loop that reverses bits of another number than 8, 16,
 * 32 or 64. The bits of the float are reversed. */
static void retype_bits(struct gen_insn *insn)
{
    struct gen_operand *s = &insn->src[0];
    if (insn->row == &gen_rows[GEN_BFREV] && s->type == GEN_F && !s->negate && !s->absolute)
        s->type = GEN_UD;
}

static void choose_handler(struct gen_uop *u)
{
    retype_bits(&u->insn);
    const size_t id = (size_t)(u->insn.row - gen_rows);
    u->alu = alu_ops[id];
    u->granules = u->insn.length / GEN_GRANULE;
    u->run = other_ops[id];
    if (u->run == gen_op_send)
        gen_prepare_message(u);
    if (!u->alu)
        return;
    u->mistake = type_mistake(&u->insn);
    if (u->mistake) {
        u->run = gen_op_illegal;
        return;
    }
    u->uses_ip = is_arf(&u->insn.dst, GEN_ARF_IP);
    for (unsigned i = 0; i < u->insn.sources; i++)
        u->uses_ip = u->uses_ip || is_arf(&u->insn.src[i], GEN_ARF_IP);
    u->domain = gen_domain_of(&u->insn);
    u->raw = is_raw(&u->insn);
    u->general = u->raw ? gen_run_raw : gen_run_alu;
    if (is_arf(&u->insn.dst, GEN_ARF_SP))
        u->run = gen_run_on_stack;
    else if (gen_sets_mode(&u->insn))
        u->run = gen_run_mode;
    else if (!gen_quick_prepare(u))
        u->run = u->general;
    else if (!gen_rows_prepare(u) && !gen_wide_prepare(u))
        u->run = gen_run_quick;
}

void gen_prepare(struct gen_uop *u)
{
    choose_handler(u);
    u->real = u->run;
    if (u->insn.breakpoint)
        u->run = gen_op_breakpoint;
}
