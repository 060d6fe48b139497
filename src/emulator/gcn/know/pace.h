/* Rules of all models about wait states, and means (pace.c, pace_passes.c). */
#ifndef WT_EMULATOR_GCN_KNOW_PACE_H
#define WT_EMULATOR_GCN_KNOW_PACE_H

#include <assert.h>
#include <string.h>

#include "emulator/gcn/internal.h"
#include "emulator/machine/operands.h"
#include "emulator/machine/pace.h"

/* Rules of all models; numbers from PACE_COMMON on are a table's own. */
enum gcn_pace_rule {
    SCALAR_VMEM,
    LANE_SELECT,
    DIV_FMAS,
    ZERO_FLAGS,
    STORE_DATA,
    DPP_ROW,
    DPP_EXEC,
    SETREG,
    VSKIP,
    RFE,
    M0,
    MATRIX_VGPR,
    MATRIX_EXEC,
    PACE_COMMON
};

/* @p of_store: wait states behind a store of more than 64 bits. */
#define PACE_COMMON_RULES(of_store)                                                                \
    [SCALAR_VMEM] =                                                                                \
        {.states = 5,                                                                              \
         .text = "a vector instruction writes an SGPR, and one of vector memory reads it"},        \
    [LANE_SELECT] =                                                                                \
        {.states = 4,                                                                              \
         .text = "a vector instruction writes an SGPR, and v_readlane or v_writelane has the "     \
                 "number of its lane from there"},                                                 \
    [DIV_FMAS] = {.states = 4,                                                                     \
                  .text = "a vector instruction writes VCC, and v_div_fmas reads it"},             \
    [ZERO_FLAGS] = {.states = 5,                                                                   \
                    .text =                                                                        \
                        "a vector instruction writes VCC or EXEC, and one reads VCCZ or EXECZ"},   \
    [STORE_DATA] = {.states = (of_store),                                                          \
                    .text =                                                                        \
                        "a store of more than 64 bits, and a vector instruction that writes its "  \
                        "data's VGPRs"},                                                           \
    [DPP_ROW] = {.states = 2,                                                                      \
                 .text = "a vector instruction writes a VGPR, and one with DPP reads it"},         \
    [DPP_EXEC] = {.states = 5,                                                                     \
                  .text = "a vector instruction writes EXEC, and one with DPP follows"},           \
    [SETREG] = {.states = 2,                                                                       \
                .text =                                                                            \
                    "s_setreg or s_setvskip writes a hardware register, and s_getreg or s_setreg " \
                    "has it"},                                                                     \
    [VSKIP] = {.states = 2,                                                                        \
               .text = "s_setreg writes MODE.VSKIP, and a vector instruction follows"},            \
    [RFE] = {.states = 1, .text = "s_setreg writes TRAPSTS, and s_rfe follows"},                   \
    [M0] = {.states = 1,                                                                           \
            .text =                                                                                \
                "a scalar instruction writes M0, and s_movrel, s_sendmsg, s_ttracedata, GDS, LDS " \
                "with M0, or a load to LDS reads it"},                                             \
    [MATRIX_VGPR] = {.states = 2,                                                                  \
                     .text = "a vector instruction writes a VGPR, and v_mfma (or "                 \
                             "v_accvgpr_write, in a file of its "                                  \
                             "own) reads it"},                                                     \
    [MATRIX_EXEC] = {.states = 4,                                                                  \
                     .text =                                                                       \
                         "a vector instruction writes EXEC, and v_mfma (or v_accvgpr_write, in a " \
                         "file of its own) follows"}

#define PACE_DOT_RULES(use, other, fma)                                                            \
    [use] = {.states = 3,                                                                          \
             .text = "v_dot writes a VGPR, and another instruction reads it, or such a one has "   \
                     "it as A or B"},                                                              \
    [other] = {.states = 3,                                                                        \
               .text = "v_dot writes a VGPR, and another vector instruction than such a one "      \
                       "has it as C or writes it",                                                 \
               .differ = true},                                                                    \
    [fma] = {.states = 2, .text = "v_mfma of doubles, and v_fma_f64 or v_fmac_f64 follows"}

/* Rules [from, to). */
#define PACE_FROM_TO(from, to) ((UINT64_C(1) << (to)) - (UINT64_C(1) << (from)))

/* Among the registers that are no operands (WT_PACE_OTHERS): those of the hardware, then these. */
enum { ANY = 64, HW_MODE = 1, HW_TRAPSTS = 3, MODE_VSKIP = 28 };

/* The bit of a rule. */
static inline uint64_t bit(unsigned rule)
{
    return UINT64_C(1) << rule;
}

/* So many rules of one group. */
static inline uint64_t bits(unsigned rule, unsigned count)
{
    return (bit(count) - 1) << rule;
}

/* Whether it is an instruction of that row. */
static inline bool is(const struct gcn_uop *u, enum gcn_id id)
{
    return u->row == &gcn_rows[id];
}

/* Whether it is a dot product. */
static inline bool gcn_pace_is_dot(const struct gcn_uop *u)
{
    return !strncmp(u->row->name, "v_dot", 5);
}

/* Behind the last register of an operand. */
static inline uint32_t end_of(const struct wt_insn_operand *o)
{
    return o->number + (o->first + o->bits + 31u) / 32;
}

/* Adds a use of some rules; one of none is left out. */
static inline void put(struct wt_pace_use *list, uint8_t *count, struct wt_pace_use use)
{
    if (!use.rules)
        return;
    assert(*count < WT_PACE_USES);
    list[(*count)++] = use;
}

/* An instruction may be the first one of two, in registers [first, end) of a file. */
static inline void earlier(struct wt_insn_pace *p, uint64_t rules_of, unsigned file, uint32_t first,
                           uint32_t end)
{
    put(p->earlier, &p->earlier_count,
        (struct wt_pace_use){rules_of, (uint8_t)file, first, end, 0});
}

/* Likewise the second one. */
static inline void later(struct wt_insn_pace *p, uint64_t rules_of, unsigned file, uint32_t first,
                         uint32_t end)
{
    put(p->later, &p->later_count, (struct wt_pace_use){rules_of, (uint8_t)file, first, end, 0});
}

/* pace_passes.c: GPUs whose products are waited for by their passes. */
extern const struct wt_pace_table gcn_pace_passes_table;
/* Rules that a result of a vector instruction begins, which is no product. */
uint64_t gcn_pace_passes_result(const struct gcn_uop *u, const struct wt_insn_operand *o);
/* A product. */
void gcn_pace_passes_matrix(const struct gcn_uop *u, struct wt_insn_pace *p);
/* Another vector instruction. */
void gcn_pace_passes_vector(const struct gcn_uop *u, const struct wt_insn_operands *o,
                            struct wt_insn_pace *p);
/* An operand of an access to memory or LDS. */
void gcn_pace_passes_memory(const struct wt_insn_operand *o, struct wt_insn_pace *p);

#endif
