/* Wait states where they go by the passes of a product, and where vector instructions need some
 * among themselves: gfx942 (LLVM, GCNHazardRecognizer: checkMAIHazards90A, checkMAIVALUHazards,
 * checkVALUHazards). */
#include "emulator/gcn/exec/mfma.h"
#include "emulator/gcn/know/operands.h"
#include "emulator/gcn/know/pace.h"
#include "emulator/machine/meaning.h"

/* Products: of singles, of others but doubles, of doubles; each with so many passes. */
enum pace_product { S2, S8, S16, X2, X4, X8, X16, D4, D16, KINDS };

enum {
    LANE_VGPR = PACE_COMMON,
    LANE_EXEC,
    SCALAR_USE,
    FUNCTION_USE,
    HALF_USE,
    DOT_USE,
    DOT_OTHER,
    DOUBLE_FMA,
    USE,                  /* by kind */
    MEMORY = USE + KINDS, /* D4, D16 */
    PART_C = MEMORY + 2,  /* by kind */
    SAME_C = PART_C + KINDS,
    KEEP, /* X2 to X16 */
    RULES = KEEP + D4 - X2
};

#define PRODUCT(kind, name, states_of_use, states_of_c, same)                                      \
    [USE + (kind)] = {.states = (states_of_use),                                                   \
                      .text = "v_mfma of " name                                                    \
                              " writes registers, and another instruction than one that has "      \
                              "them as C reads or writes one"},                                    \
           [PART_C + (kind)] = {.states = (states_of_c),                                           \
                                .text =                                                            \
                                    "v_mfma of " name                                              \
                                    " writes registers, and another one has some of them as C",    \
                                .unlike = !(same)}
#define KEPT(kind, name, states_of)                                                                \
    [KEEP + (kind)-X2] = {.states = (states_of),                                                   \
                          .text = "v_mfma of " name                                                \
                                  " reads registers as C, and another instruction writes one"}

static const struct wt_pace_rule rules[RULES] = {
    PACE_COMMON_RULES(2),
    PACE_DOT_RULES(DOT_USE, DOT_OTHER, DOUBLE_FMA),
    [LANE_VGPR] = {.states = 1,
                   .text = "a vector instruction writes a VGPR, and v_readlane or "
                           "v_readfirstlane reads it"},
    [LANE_EXEC] = {.states = 4,
                   .text = "a vector instruction writes EXEC, and v_readlane, v_readfirstlane or "
                           "v_writelane follows"},
    [SCALAR_USE] = {.states = 2,
                    .text = "a vector instruction writes an SGPR or VCC, and another one reads it"},
    [FUNCTION_USE] = {.states = 1,
                      .text = "a function (exp, log, rcp, rsq, sqrt, sin, cos) writes a VGPR, and "
                              "another vector instruction than a function reads it"},
    [HALF_USE] = {.states = 1,
                  .text = "a vector instruction writes a part of a VGPR (SDWA, op_sel), and "
                          "another one reads it"},
    PRODUCT(S2, "singles with 2 passes", 4, 2, false),
    PRODUCT(S8, "singles with 8 passes", 10, 8, false),
    PRODUCT(S16, "singles with 16 passes", 18, 16, false),
    PRODUCT(X2, "2 passes", 5, 3, false),
    PRODUCT(X4, "4 passes", 7, 5, false),
    PRODUCT(X8, "8 passes", 11, 9, false),
    PRODUCT(X16, "16 passes", 19, 17, false),
    PRODUCT(D4, "doubles, 4x4,", 6, 4, true),
    PRODUCT(D16, "doubles, 16x16,", 11, 9, false),
    [MEMORY] = {.states = 9,
                .text = "v_mfma of doubles, 4x4, writes registers, and an access to memory or LDS "
                        "has one as address or data"},
    [MEMORY + 1] = {.states = 18,
                    .text = "v_mfma of doubles, 16x16, writes registers, and an access to memory "
                            "or LDS has one as address or data"},
    [SAME_C] = {.states = 2,
                .text = "v_mfma of 2 passes writes registers, and another one has just them as C",
                .alike = true},
    KEPT(X2, "2 passes", 1),
    KEPT(X4, "4 passes", 3),
    KEPT(X8, "8 passes", 7),
    KEPT(X16, "16 passes", 15),
};

const struct wt_pace_table gcn_pace_passes_table = {
    .counter = {"s_waitcnt vmcnt", "s_waitcnt expcnt", "s_waitcnt lgkmcnt"},
    .limit = {63, 7, 15},
    .rules = RULES,
    .last = {PACE_FROM_TO(USE, KEEP), PACE_FROM_TO(KEEP, RULES)},
    .rule = rules,
};

static enum pace_product kind_of(const struct gcn_mfma *m)
{
    const bool singles = m->type == GCN_MATRIX_F32;
    if (m->type == GCN_MATRIX_F64)
        return m->side == 4 ? D4 : D16;
    switch (m->passes) {
    case 2:
        return singles ? S2 : X2;
    case 4:
        assert(!singles);
        return X4;
    case 8:
        return singles ? S8 : X8;
    default:
        assert(m->passes == 16);
        return singles ? S16 : X16;
    }
}

void gcn_pace_passes_matrix(const struct gcn_uop *u, struct wt_insn_pace *p)
{
    const struct gcn_mfma *m = gcn_mfma_of(u->row);
    const char *letters = strchr(u->row->operands, ':') + 1;
    const enum pace_product kind = kind_of(m);
    const bool slow = kind < X2 || kind > X16; /* not LLVM's XDL */
    const unsigned c = (m->sparse ? u->dst + GCN_VGPR : u->src[2]) - GCN_VGPR;
    earlier(p,
            bit(USE + kind) | bit(PART_C + kind) | (m->passes == 2 ? bit(SAME_C) : 0) |
                (kind > X16 ? bit(MEMORY + kind - D4) : 0),
            GCN_FILE_V, u->dst, u->dst + u->result);
    if (kind > X16)
        earlier(p, bit(DOUBLE_FMA), WT_PACE_OTHERS, ANY, ANY + 1);
    later(p, bit(MATRIX_EXEC), GCN_FILE_S, GCN_EXEC, GCN_EXEC + 2);
    for (unsigned i = 0; i < 2; i++)
        if (u->src[i] >= GCN_VGPR) {
            const unsigned row = u->src[i] - GCN_VGPR;
            later(p,
                  bits(USE, KINDS) | bit(MATRIX_VGPR) | bit(FUNCTION_USE) | bit(HALF_USE) |
                      bit(DOT_USE),
                  GCN_FILE_V, row, row + gcn_registers_of(letters[i]));
        }
    if (!m->sparse && u->src[2] < GCN_VGPR)
        return;
    if (!slow)
        earlier(p, bit(KEEP + kind - X2), GCN_FILE_V, c, c + u->result);
    later(p,
          bit(MATRIX_VGPR) | bit(SAME_C) | bit(FUNCTION_USE) | bit(HALF_USE) |
              (slow ? bits(PART_C, KINDS) : bits(PART_C + X2, D4 - X2)),
          GCN_FILE_V, c, c + u->result);
}

static bool is_named(const struct gcn_uop *u, const char *begin)
{
    return !strncmp(u->row->name, begin, strlen(begin));
}

static bool is_function(const struct gcn_uop *u)
{
    static const char *const names[] = {"v_exp_",  "v_log_", "v_rcp_", "v_rsq_",
                                        "v_sqrt_", "v_sin_", "v_cos_"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_named(u, names[i]))
            return true;
    return false;
}

/* Whether it writes a part of its result's VGPR by a way that is behind the others'. */
static bool writes_half(const struct gcn_uop *u)
{
    enum { DWORD = 6, HIGH = 8, BYTE = 4 };
    if (u->form == GCN_FORM_SDWA)
        return u->sel[2] != DWORD;
    return u->row->encoding != GCN_VOP3P &&
           (u->op_sel & HIGH || (is_named(u, "v_cvt_sr_") && u->op_sel & BYTE));
}

uint64_t gcn_pace_passes_result(const struct gcn_uop *u, const struct wt_insn_operand *o)
{
    if (o->file == GCN_FILE_V)
        return bit(LANE_VGPR) | (is_function(u) ? bit(FUNCTION_USE) : 0) |
               (writes_half(u) ? bit(HALF_USE) : 0) |
               (gcn_pace_is_dot(u) ? bit(DOT_USE) | bit(DOT_OTHER) : 0);
    return o->file != GCN_FILE_S ? 0 : o->number == GCN_EXEC ? bit(LANE_EXEC) : bit(SCALAR_USE);
}

void gcn_pace_passes_memory(const struct wt_insn_operand *o, struct wt_insn_pace *p)
{
    if (o->kind == WT_OPERAND_ROW && o->file == GCN_FILE_V)
        later(p,
              (o->reads ? bits(USE, D4) | bits(MEMORY, 2) | bit(DOT_USE) : 0) |
                  (o->writes ? bits(USE, KINDS) | bits(KEEP, D4 - X2) | bit(DOT_OTHER) : 0),
              o->file, o->number, end_of(o));
}

/* The rules whose second half a VGPR of a vector instruction may be. */
static uint64_t of_vgpr(const struct gcn_uop *u, const struct wt_insn_operand *o)
{
    const bool dot_c = gcn_pace_is_dot(u) && o->leaf == WT_M_C, part = o->bits % 32;
    uint64_t rules_of = 0;
    if (o->reads)
        rules_of |= bits(USE, KINDS) | (is_function(u) ? 0 : bit(FUNCTION_USE)) |
                    (dot_c ? bit(DOT_OTHER) : bit(DOT_USE));
    if (o->writes)
        rules_of |= bits(USE, KINDS) | bits(KEEP, D4 - X2) | bit(DOT_OTHER);
    return rules_of | (o->reads || part ? bit(HALF_USE) : 0);
}

void gcn_pace_passes_vector(const struct gcn_uop *u, const struct wt_insn_operands *o,
                            struct wt_insn_pace *p)
{
    const bool reads_lane = is_named(u, "v_readlane") || is_named(u, "v_readfirstlane");
    if (u->row->function == gcn_vop_v_fma_f64)
        later(p, bit(DOUBLE_FMA), WT_PACE_OTHERS, ANY, ANY + 1);
    if (reads_lane || is_named(u, "v_writelane"))
        later(p, bit(LANE_EXEC), GCN_FILE_S, GCN_EXEC, GCN_EXEC + 2);
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        if (x->file == GCN_FILE_V && x->kind <= WT_OPERAND_SCALAR)
            later(p, of_vgpr(u, x) | (reads_lane && x->reads ? bit(LANE_VGPR) : 0), x->file,
                  x->number, end_of(x));
        if (x->file == GCN_FILE_S && x->kind <= WT_OPERAND_SCALAR && x->reads &&
            (x->number | 1) != GCN_EXEC + 1)
            later(p, bit(SCALAR_USE), x->file, x->number, end_of(x));
    }
}
