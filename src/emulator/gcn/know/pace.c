/* Waits and wait states that a program needs on hardware (manual, sections 4.4 and 4.5; LLVM's
 * hazard recogniser for GFX9). */
#include <string.h>

#include "emulator/gcn/exec/mfma.h"
#include "emulator/gcn/internal.h"
#include "emulator/gcn/know/operands.h"
#include "emulator/gcn/know/pace.h"
#include "emulator/machine/meaning.h"
#include "emulator/machine/pace.h"

enum { VM = 1 << 0, EXP = 1 << 1, LGKM = 1 << 2, VS = 1 << 3 };

/* Accesses that are done in the order of issue (0: SMEM, FLAT, which are not). */
enum { IN_ANY_ORDER, IN_LDS, IN_GDS, IN_MESSAGES, IN_VMEM };

/* Products of matrices by size, those of doubles last. */
enum { SINGLE_SIZES = 3, DOUBLE_4 = SINGLE_SIZES, SIZES = 5 };

enum {
    MATRIX_C = PACE_COMMON,
    MATRIX_AB,
    MATRIX_READ, /* and two more: 2, 8, 16 passes */
    MATRIX_WRITE = MATRIX_READ + 3,
    MATRIX_KEEP = MATRIX_WRITE + 3, /* 8, 16 passes */
    ACCUMULATOR_C = MATRIX_KEEP + 2,
    ACCUMULATOR_AB,
    ACCUMULATOR_READ,
    READ_MEMORY,
    UNIFIED_USE, /* and four more: products of singles and others by size, of doubles by size */
    UNIFIED_MEMORY = UNIFIED_USE + SIZES, /* only doubles */
    UNIFIED_C = UNIFIED_MEMORY + 2,       /* not of doubles */
    UNIFIED_DOUBLE = UNIFIED_C + SINGLE_SIZES,
    UNIFIED_KEEP = UNIFIED_DOUBLE + SIZES, /* not of doubles */
    DOT_USE = UNIFIED_KEEP + SINGLE_SIZES,
    DOT_OTHER,
    DOUBLE_FMA,
    DOUBLE_BETWEEN,
    RULES
};

static const struct wt_pace_rule rules[RULES] = {
    PACE_COMMON_RULES(1),
    [MATRIX_C] = {.states = 2,
                  .text = "v_mfma writes accumulation registers, and another one has some of them, "
                          "not all, as C",
                  .unlike = true},
    [MATRIX_AB] = {.states = 4,
                   .text =
                       "v_mfma writes accumulation registers, and another one has them as A or B"},
    [MATRIX_READ] =
        {.states = 4,
         .text = "v_mfma of 4x4 writes accumulation registers, and v_accvgpr_read reads one"},
    [MATRIX_READ +
        1] = {.states = 10,
              .text =
                  "v_mfma of 16x16 writes accumulation registers, and v_accvgpr_read reads one"},
    [MATRIX_READ +
        2] = {.states = 18,
              .text =
                  "v_mfma of 32x32 writes accumulation registers, and v_accvgpr_read reads one"},
    [MATRIX_WRITE] =
        {.states = 1,
         .text = "v_mfma of 4x4 writes accumulation registers, and v_accvgpr_write writes one"},
    [MATRIX_WRITE +
        1] = {.states = 7,
              .text =
                  "v_mfma of 16x16 writes accumulation registers, and v_accvgpr_write writes one"},
    [MATRIX_WRITE +
        2] = {.states = 15,
              .text =
                  "v_mfma of 32x32 writes accumulation registers, and v_accvgpr_write writes one"},
    [MATRIX_KEEP] =
        {.states = 5,
         .text =
             "v_mfma of 16x16 reads accumulation registers as C, and v_accvgpr_write writes one"},
    [MATRIX_KEEP + 1] =
        {.states = 13,
         .text =
             "v_mfma of 32x32 reads accumulation registers as C, and v_accvgpr_write writes one"},
    [ACCUMULATOR_C] =
        {.states = 1,
         .text = "v_accvgpr_write writes an accumulation register, and v_mfma has it in C"},
    [ACCUMULATOR_AB] =
        {.states = 3,
         .text = "v_accvgpr_write writes an accumulation register, and v_mfma has it in A or B"},
    [ACCUMULATOR_READ] =
        {.states = 3,
         .text = "v_accvgpr_write writes an accumulation register, and v_accvgpr_read reads it"},
    [READ_MEMORY] = {.states = 2,
                     .text = "v_accvgpr_read writes a VGPR, and an access to memory or LDS has it "
                             "as address or data"},
#define USES(size, count, states_of, c, keeps)                                                     \
    [UNIFIED_USE +                                                                                 \
        (count)] = {.states = (states_of),                                                         \
                    .text =                                                                        \
                        "v_mfma of " size " writes registers, and another instruction reads or "   \
                        "writes one"},                                                             \
        [UNIFIED_C + (count)] = {.states = (c),                                                    \
                                 .text =                                                           \
                                     "v_mfma of " size                                             \
                                     " writes registers, and another one has some of them, not "   \
                                     "all, as C",                                                  \
                                 .unlike = true},                                                  \
        [UNIFIED_DOUBLE + (count)] = {.states = (c) + 1,                                           \
                                      .text = "v_mfma of " size                                    \
                                              " writes registers, and one of doubles has some of " \
                                              "them, not all, as C",                               \
                                      .unlike = true},                                             \
        [UNIFIED_KEEP + (count)] = {                                                               \
            .states = (keeps),                                                                     \
            .text = "v_mfma of " size " reads registers as C, and another instruction writes "     \
                    "one"}
    USES("4x4", 0, 5, 2, 1),
    USES("16x16", 1, 11, 8, 7),
    USES("32x32", 2, 19, 16, 15),
#define DOUBLE_USES(size, count, states_of, memory, c, same)                                       \
    [UNIFIED_USE + DOUBLE_4 +                                                                      \
        (count)] = {.states = (states_of),                                                         \
                    .text =                                                                        \
                        "v_mfma of doubles, " size ", writes registers, and another instruction "  \
                        "reads or writes one"},                                                    \
        [UNIFIED_MEMORY + (count)] = {.states = (memory),                                          \
                                      .text =                                                      \
                                          "v_mfma of doubles, " size                               \
                                          ", writes registers, and an access to memory or LDS "    \
                                          "has one as address or data"},                           \
        [UNIFIED_DOUBLE + DOUBLE_4 + (count)] = {                                                  \
            .states = (c),                                                                         \
            .text = "v_mfma of doubles, " size ", writes registers, and another one has "          \
                    "some of them as C",                                                           \
            .unlike = !(same)}
    DOUBLE_USES("4x4", 0, 6, 9, 4, true),
    DOUBLE_USES("16x16", 1, 11, 18, 9, false),
    PACE_DOT_RULES(DOT_USE, DOT_OTHER, DOUBLE_FMA),
    [DOUBLE_BETWEEN] = {.states = 2,
                        .text =
                            "a vector instruction writes a VGPR, v_mfma of doubles follows, and "
                            "an access to memory or LDS has it as address or data",
                        .between = DOUBLE_FMA},
};

/* From gfx10 on the hardware waits by itself, but for this (LLVM, GCNHazardRecognizer,
 * fixFPAtomicToDenormModeHazard): a vector instruction or a wait between the two will do. */
enum { DENORM_MODE, GFX10_RULES };

static const struct wt_pace_table gcn_pace_gfx10_table = {
    .counter = {"s_waitcnt vmcnt", "s_waitcnt expcnt", "s_waitcnt lgkmcnt", "s_waitcnt_vscnt"},
    .limit = {63, 7, 63, 63},
    .rules = GFX10_RULES,
    .rule = (const struct wt_pace_rule[]){
        [DENORM_MODE] = {.states = 3,
                         .text = "an atomic operation on floats, and s_denorm_mode follows"}}};

static const struct wt_pace_table *table_of(struct wt_machine *m)
{
    if (gcn_is_gfx10(gcn_model_of((struct gcn_device *)m)))
        return &gcn_pace_gfx10_table;
    return gcn_model_of((struct gcn_device *)m)->states_by_passes ? &gcn_pace_passes_table
                                                                  : &gcn_pace_table;
}

/* Products are done in the order of issue (LLVM: getWaitStatesSinceDef stops at the last one whose
 * registers overlap; on a gfx908 not where they are the same, for C). */
const struct wt_pace_table gcn_pace_table = {
    .counter = {"s_waitcnt vmcnt", "s_waitcnt expcnt", "s_waitcnt lgkmcnt"},
    .limit = {63, 7, 15},
    .rules = RULES,
    .last = {PACE_FROM_TO(MATRIX_AB, MATRIX_KEEP) | PACE_FROM_TO(UNIFIED_USE, UNIFIED_KEEP),
             PACE_FROM_TO(UNIFIED_KEEP, DOT_USE)},
    .rule = rules,
    .of = table_of,
};

static bool is_vector(const struct gcn_uop *u)
{
    return u->row->encoding >= GCN_VOP2 && u->row->encoding <= GCN_VOP3P;
}

/* ---- counters ---- */

/* From gfx10 on: a wait for one counter, by an immediate: what a register beside it adds is not
 * known here. */
static void wait_alone(const struct gcn_uop *u, struct wt_insn_pace *p)
{
    static const char *const name[] = {"s_waitcnt_vmcnt", "s_waitcnt_expcnt", "s_waitcnt_lgkmcnt",
                                       "s_waitcnt_vscnt"};
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
        if (!strcmp(u->row->name, name[i]) && u->src[0] == GCN_NULL &&
            (uint16_t)u->imm < WT_PACE_ANY)
            p->most[i] = (uint8_t)u->imm;
}

static void count(const struct gcn_uop *u, bool gfx10, struct wt_insn_pace *p)
{
    const char access = u->row->operands[0];
    const bool writes_lds = u->lds && access == 'r';
    /* From gfx10 on what one of these counters counts is done in the order of issue, FLAT's, too
     * (LLVM, hasFlatLgkmVMemCountInOrder, for kernels with MEM_ORDERED); stores, and atomic
     * operations without a result, have a counter of their own. */
    const uint8_t vector = gfx10 && (access == 'w' || (access == 'a' && !u->glc)) ? VS : VM;
    switch ((enum gcn_encoding)u->row->encoding) {
    case GCN_SOPP:
        if (is(u, GCN_I_s_waitcnt)) {
            const uint8_t all[] = {63, 7, gfx10 ? 63 : 15};
            for (unsigned i = 0; i < sizeof all; i++)
                if (u->src[i] < all[i])
                    p->most[i] = (uint8_t)u->src[i];
        } else if (!strcmp(u->row->name, "s_wait_idle")) {
            memset(p->most, 0, 4);
        } else if (is(u, GCN_I_s_nop)) {
            p->states = (uint8_t)((u->imm & 15) + 1);
        } else if (is(u, GCN_I_s_sendmsg)) {
            p->counts = LGKM;
            p->kind = IN_MESSAGES;
        }
        return;
    case GCN_SOPK:
        wait_alone(u, p);
        return;
    case GCN_SMEM:
        p->counts = p->results = LGKM;
        p->kind = IN_ANY_ORDER;
        return;
    case GCN_DS:
        p->results = p->group_results = is(u, GCN_I_ds_nop) ? 0 : LGKM;
        p->sources = u->gds ? EXP : 0;
        p->counts = p->results | p->sources;
        p->kind = gfx10 ? IN_VMEM : u->gds ? IN_GDS : IN_LDS;
        return;
    case GCN_FLAT: /* the kernels of AMD's runtime wait for those from memory by vmcnt alone */
        p->counts = vector | LGKM;
        p->results = vector;
        p->group_results = LGKM;
        p->kind = gfx10 ? IN_VMEM : IN_ANY_ORDER;
        return;
    case GCN_GLOBAL:
    case GCN_SCRATCH:
    case GCN_MUBUF:
    case GCN_MTBUF:
    case GCN_MIMG: /* invalidations of caches are not counted */
        p->counts = p->results = access || writes_lds ? vector : 0;
        p->to_group = writes_lds;
        p->kind = IN_VMEM;
        return;
    default:
        return;
    }
}

/* ---- wait states ---- */

static void pace_hardware(const struct gcn_uop *u, struct wt_insn_pace *p)
{
    const unsigned id = u->imm & 63, first = u->imm >> 6 & 31, bits = (u->imm >> 11 & 31) + 1;
    const bool sets = is(u, GCN_I_s_setreg_b32) || is(u, GCN_I_s_setreg_imm32_b32);
    if (sets || is(u, GCN_I_s_getreg_b32))
        later(p, bit(SETREG), WT_PACE_OTHERS, id, id + 1);
    if (sets)
        earlier(p, bit(SETREG), WT_PACE_OTHERS, id, id + 1);
    if (is(u, GCN_I_s_setvskip))
        earlier(p, bit(SETREG), WT_PACE_OTHERS, HW_MODE, HW_MODE + 1);
    if (sets && id == HW_MODE && first <= MODE_VSKIP && first + bits > MODE_VSKIP)
        earlier(p, bit(VSKIP), WT_PACE_OTHERS, ANY, ANY + 1);
    if (sets && id == HW_TRAPSTS)
        earlier(p, bit(RFE), WT_PACE_OTHERS, ANY, ANY + 1);
    if (is(u, GCN_I_s_rfe_b64) || is(u, GCN_I_s_rfe_restore_b64))
        later(p, bit(RFE), WT_PACE_OTHERS, ANY, ANY + 1);
}

static bool uses_m0(const struct gcn_uop *u)
{
    return !strncmp(u->row->name, "s_movrel", 8) || is(u, GCN_I_s_sendmsg) ||
           is(u, GCN_I_s_sendmsghalt) || is(u, GCN_I_s_ttracedata) || u->gds || u->lds ||
           (u->row->encoding == GCN_DS && strstr(u->row->name, "addtid")) ||
           is(u, GCN_I_buffer_store_lds_dword);
}

/* Which rules a model has besides those of all. */
enum pace_kind { SEPARATE, UNIFIED, BY_PASSES, GFX10 };

/* The results of a vector instruction. */
static void pace_result(const struct gcn_uop *u, const struct wt_insn_operand *o,
                        enum pace_kind kind, struct wt_insn_pace *p)
{
    const bool dot = kind != SEPARATE && gcn_pace_is_dot(u);
    const uint64_t own = kind == BY_PASSES ? gcn_pace_passes_result(u, o)
                         : kind == UNIFIED ? bit(DOUBLE_BETWEEN)
                                           : 0;
    if (o->file == GCN_FILE_V)
        earlier(p, bit(DPP_ROW) | (dot ? 0 : bit(MATRIX_VGPR)) | own, o->file, o->number,
                end_of(o));
    if (o->file != GCN_FILE_S)
        return;
    const bool exec = o->number == GCN_EXEC, vcc = o->number <= GCN_VCC + 1 && end_of(o) > GCN_VCC;
    if (!exec)
        earlier(p,
                bit(SCALAR_VMEM) | bit(LANE_SELECT) | (vcc ? bit(DIV_FMAS) | bit(ZERO_FLAGS) : 0) |
                    own,
                o->file, o->number, end_of(o));
    else
        earlier(p, bit(DPP_EXEC) | bit(ZERO_FLAGS) | bit(MATRIX_EXEC) | own, o->file, o->number,
                end_of(o));
}

/* A source of a matrix or of v_accvgpr_write. */
static void pace_source(unsigned row, unsigned count, uint64_t accumulator, struct wt_insn_pace *p)
{
    later(p, row < GCN_AGPR ? bit(MATRIX_VGPR) : accumulator, GCN_FILE_V, row, row + count);
}

static unsigned size_of(const struct gcn_mfma *m)
{
    return m->passes == 2 ? 0 : m->passes == 8 ? 1 : 2;
}

/* LLVM, GCNHazardRecognizer::checkMAIHazards908. */
static void pace_matrix(const struct gcn_uop *u, struct wt_insn_pace *p)
{
    const struct gcn_mfma *m = gcn_mfma_of(u->row);
    const unsigned size = size_of(m), c = u->src[2] - GCN_VGPR;
    const char *letters = strchr(u->row->operands, ':') + 1;
    earlier(p, bit(MATRIX_C) | bit(MATRIX_AB) | bit(MATRIX_READ + size) | bit(MATRIX_WRITE + size),
            GCN_FILE_V, u->dst, u->dst + u->result);
    if (size)
        earlier(p, bit(MATRIX_KEEP + size - 1), GCN_FILE_V, c, c + u->result);
    later(p, bit(MATRIX_EXEC), GCN_FILE_S, GCN_EXEC, GCN_EXEC + 2);
    later(p, bit(MATRIX_C) | bit(ACCUMULATOR_C), GCN_FILE_V, c, c + u->result);
    for (unsigned i = 0; i < 2; i++)
        pace_source(u->src[i] - GCN_VGPR, gcn_registers_of(letters[i]),
                    bit(MATRIX_AB) | bit(ACCUMULATOR_AB), p);
}

/* On GPUs with one file of registers: LLVM, checkMAIHazards90A and checkMAIVALUHazards. What such a
 * product writes is late for every other use. */
static void pace_unified_matrix(const struct gcn_uop *u, struct wt_insn_pace *p)
{
    const struct gcn_mfma *m = gcn_mfma_of(u->row);
    const char *letters = strchr(u->row->operands, ':') + 1;
    const bool doubles = m->type == GCN_MATRIX_F64;
    const unsigned size = doubles ? DOUBLE_4 + (m->side == 16) : size_of(m),
                   c = u->src[2] - GCN_VGPR;
    earlier(p,
            bit(UNIFIED_USE + size) | bit(UNIFIED_DOUBLE + size) |
                (doubles ? bit(UNIFIED_MEMORY + size - DOUBLE_4) : bit(UNIFIED_C + size)),
            GCN_FILE_V, u->dst, u->dst + u->result);
    if (doubles)
        earlier(p, bit(DOUBLE_FMA), WT_PACE_OTHERS, ANY, ANY + 1);
    later(p, bit(MATRIX_EXEC), GCN_FILE_S, GCN_EXEC, GCN_EXEC + 2);
    for (unsigned i = 0; i < 2; i++) {
        const unsigned row = u->src[i] - GCN_VGPR;
        later(p, bits(UNIFIED_USE, SIZES) | bit(MATRIX_VGPR), GCN_FILE_V, row,
              row + gcn_registers_of(letters[i]));
    }
    if (u->src[2] < GCN_VGPR)
        return;
    if (!doubles)
        earlier(p, bit(UNIFIED_KEEP + size), GCN_FILE_V, c, c + u->result);
    later(p,
          bit(MATRIX_VGPR) |
              (doubles ? bits(UNIFIED_DOUBLE, SIZES) : bits(UNIFIED_C, SINGLE_SIZES)),
          GCN_FILE_V, c, c + u->result);
}

/* A register of another vector instruction there, or of an access to memory or LDS. */
static void pace_unified(const struct gcn_uop *u, const struct wt_insn_operand *x, bool memory,
                         struct wt_insn_pace *p)
{
    const bool dot = gcn_pace_is_dot(u);
    uint64_t rules_of = 0;
    if (x->kind != WT_OPERAND_ROW || x->file != GCN_FILE_V)
        return;
    if (x->reads)
        rules_of |= (dot && x->leaf == WT_M_C ? bit(DOT_OTHER) : bit(DOT_USE)) |
                    (memory ? bits(UNIFIED_USE, SINGLE_SIZES) | bits(UNIFIED_MEMORY, 2) |
                                  bit(DOUBLE_BETWEEN)
                            : bits(UNIFIED_USE, SIZES));
    if (x->writes)
        rules_of |= bits(UNIFIED_USE, SIZES) | bits(UNIFIED_KEEP, SINGLE_SIZES) | bit(DOT_OTHER);
    later(p, rules_of, x->file, x->number, end_of(x));
    if (x->writes && dot)
        earlier(p, bit(DOT_USE) | bit(DOT_OTHER), x->file, x->number, end_of(x));
}

/* v_accvgpr_read, v_accvgpr_write, beside what holds for others. */
static void pace_move(const struct gcn_uop *u, struct wt_insn_pace *p)
{
    const unsigned from = u->src[0] - GCN_VGPR;
    const bool writes = u->dst >= GCN_AGPR;
    uint64_t all = 0;
    for (unsigned k = 0; k < 3; k++)
        all |= bit(writes ? MATRIX_WRITE + k : MATRIX_READ + k);
    if (!writes) {
        later(p, all | bit(ACCUMULATOR_READ), GCN_FILE_V, from, from + 1);
        earlier(p, bit(READ_MEMORY), GCN_FILE_V, u->dst, u->dst + 1u);
        return;
    }
    later(p, all | bit(MATRIX_KEEP) | bit(MATRIX_KEEP + 1), GCN_FILE_V, u->dst, u->dst + 1u);
    later(p, bit(MATRIX_EXEC), GCN_FILE_S, GCN_EXEC, GCN_EXEC + 2);
    if (u->src[0] >= GCN_VGPR)
        pace_source(from, 1, 0, p);
    earlier(p, bit(ACCUMULATOR_C) | bit(ACCUMULATOR_AB) | bit(ACCUMULATOR_READ), GCN_FILE_V, u->dst,
            u->dst + 1u);
}

static void pace_vector(const struct gcn_uop *u, const struct wt_insn_operands *o,
                        enum pace_kind kind, struct wt_insn_pace *p)
{
    const bool lane = is(u, GCN_I_v_readlane_b32) || is(u, GCN_I_v_writelane_b32);
    later(p, bit(VSKIP), WT_PACE_OTHERS, ANY, ANY + 1);
    if (u->path == GCN_PATH_MATRIX) {
        (kind == BY_PASSES ? gcn_pace_passes_matrix
         : kind == UNIFIED ? pace_unified_matrix
                           : pace_matrix)(u, p);
        return;
    }
    if (u->path == GCN_PATH_MOVE && kind == SEPARATE)
        pace_move(u, p);
    if (kind == UNIFIED && u->row->function == gcn_vop_v_fma_f64)
        later(p, bit(DOUBLE_FMA), WT_PACE_OTHERS, ANY, ANY + 1);
    if (u->form == GCN_FORM_DPP)
        later(p, bit(DPP_EXEC), GCN_FILE_S, GCN_EXEC, GCN_EXEC + 2);
    if (is(u, GCN_I_v_div_fmas_f32) || is(u, GCN_I_v_div_fmas_f64))
        later(p, bit(DIV_FMAS), GCN_FILE_S, GCN_VCC, GCN_VCC + 2);
    if (lane && u->src[1] < GCN_INLINE)
        later(p, bit(LANE_SELECT), GCN_FILE_S, u->src[1], u->src[1] + 1u);
    for (unsigned i = 0; i < 3; i++)
        if (u->src[i] == GCN_VCCZ || u->src[i] == GCN_EXECZ) {
            const unsigned of = u->src[i] == GCN_VCCZ ? GCN_VCC : GCN_EXEC;
            later(p, bit(ZERO_FLAGS), GCN_FILE_S, of, of + 2);
        }
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        if (x->writes && x->kind <= WT_OPERAND_SCALAR)
            pace_result(u, x, kind, p);
        if (kind == UNIFIED)
            pace_unified(u, x, false, p);
        if (x->writes && x->file == GCN_FILE_V && x->kind == WT_OPERAND_ROW)
            later(p, bit(STORE_DATA), x->file, x->number, end_of(x));
        if (x->crosses && !x->writes && x->file == GCN_FILE_V && u->form == GCN_FORM_DPP)
            later(p, bit(DPP_ROW), x->file, x->number, end_of(x));
    }
    if (kind == BY_PASSES)
        gcn_pace_passes_vector(u, o, p);
}

static void pace_memory(const struct gcn_uop *u, const struct wt_insn_operands *o,
                        enum pace_kind kind, struct wt_insn_pace *p)
{
    /* An offset in an SGPR takes the time that is needed. */
    const bool buffer = u->row->encoding == GCN_MUBUF || u->row->encoding == GCN_MTBUF,
               in_time = buffer && u->soffset < GCN_INLINE;
    later(p, bit(VSKIP), WT_PACE_OTHERS, ANY, ANY + 1);
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        if (x->reads && x->file == GCN_FILE_S && x->kind == WT_OPERAND_SCALAR &&
            u->row->encoding != GCN_DS)
            later(p, bit(SCALAR_VMEM), x->file, x->number, end_of(x));
        if (kind == BY_PASSES)
            gcn_pace_passes_memory(x, p);
        else if (kind == UNIFIED)
            pace_unified(u, x, true, p);
        else if (x->reads && x->kind == WT_OPERAND_ROW)
            later(p, bit(READ_MEMORY), x->file, x->number, end_of(x));
        if (x->reads && !x->aside && x->kind == WT_OPERAND_ROW && x->bits > 64 && !in_time &&
            u->row->encoding != GCN_DS && u->row->encoding != GCN_MIMG)
            earlier(p, bit(STORE_DATA), x->file, x->number, end_of(x));
    }
}

/* The one rule of gfx10. */
static void pace_gfx10(const struct gcn_uop *u, struct wt_insn_pace *p)
{
    const char *name = u->row->name;
    if (strstr(name, "atomic_fmin") || strstr(name, "atomic_fmax") ||
        strstr(name, "atomic_fcmpswap"))
        earlier(p, bit(DENORM_MODE), WT_PACE_OTHERS, ANY, ANY + 1);
    if (!strcmp(name, "s_denorm_mode"))
        later(p, bit(DENORM_MODE), WT_PACE_OTHERS, ANY, ANY + 1);
    if (is_vector(u) || !strncmp(name, "s_wait", 6))
        p->states = 3;
}

static void pace(const struct gcn_uop *u, const struct wt_insn_operands *o, enum pace_kind kind,
                 struct wt_insn_pace *p)
{
    const bool scalar = u->row->encoding <= GCN_SOPC;
    *p = (struct wt_insn_pace){.states = 1};
    memset(p->most, WT_PACE_ANY, sizeof p->most);
    count(u, kind == GFX10, p);
    if (kind == GFX10) {
        pace_gfx10(u, p);
        return;
    }
    if (is_vector(u))
        pace_vector(u, o, kind, p);
    else if (u->row->encoding >= GCN_DS)
        pace_memory(u, o, kind, p);
    else
        pace_hardware(u, p);
    for (unsigned i = 0; scalar && i < o->count; i++)
        if (o->list[i].writes && o->list[i].file == GCN_FILE_S && o->list[i].number <= GCN_M0 &&
            end_of(&o->list[i]) > GCN_M0)
            earlier(p, bit(M0), GCN_FILE_S, GCN_M0, GCN_M0 + 1);
    if (uses_m0(u))
        later(p, bit(M0), GCN_FILE_S, GCN_M0, GCN_M0 + 1);
    for (unsigned i = 0; gcn_pace_is_dot(u) && i < WT_PACE_USES; i++)
        p->earlier[i].kind = p->later[i].kind = (uint16_t)(u->row - gcn_rows);
}

bool gcn_pace(struct wt_machine *m, uint64_t pc, struct wt_insn_pace *p)
{
    struct wt_insn_operands o;
    struct gcn_uop u;
    if (!gcn_uop_at((struct gcn_device *)m, pc, &u) || !gcn_operands(&u, &o))
        return false;
    const struct gcn_model *model = gcn_model_of((struct gcn_device *)m);
    pace(&u, &o,
         gcn_is_gfx10(model)       ? GFX10
         : model->states_by_passes ? BY_PASSES
         : model->unified          ? UNIFIED
                                   : SEPARATE,
         p);
    return true;
}
