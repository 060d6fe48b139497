/* The operands of an instruction, by the letters of its row (isa.def). */
#include "emulator/vortex/operands.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/meaning.h"
#include "emulator/machine/operands.h"
#include "emulator/vortex/isa.h"
#include "emulator/vortex/profile.h"
#include "emulator/vortex/trace.h"

/* Major opcodes (unprivileged ISA, table 24.1), and the numbers of CSRs (chapter 11). */
enum { OP_FP = 0x53, JALR = 0x67, AMO = 0x2f, FFLAGS = 1, FRM = 2, FCSR = 3, DYNAMIC = 7 };

/* A row of integers; x0 is the constant 0, and nothing as a result. */
static void put_x(struct wt_insn_operands *o, uint64_t number, bool writes, unsigned bits,
                  enum wt_operand_type type)
{
    if (number)
        wt_operands_add(o, (struct wt_insn_operand){.kind = WT_OPERAND_ROW,
                                                    .type = type,
                                                    .reads = !writes,
                                                    .writes = writes,
                                                    .file = VX_FILE_X,
                                                    .bits = (uint8_t)bits,
                                                    .number = (uint16_t)number});
    else if (!writes)
        wt_operands_add(
            o, (struct wt_insn_operand){.kind = WT_OPERAND_CONSTANT, .reads = true, .type = type});
}

static void put_address(struct wt_insn_operands *o, uint64_t number, unsigned xlen)
{
    put_x(o, number, false, xlen, WT_OPERAND_BITS);
    o->list[o->count - 1].aside = true;
}

static struct wt_insn_operand *put_scalar(struct wt_insn_operands *o, enum vx_file file,
                                          unsigned number, bool reads, bool writes)
{
    return wt_operands_add(o, (struct wt_insn_operand){.kind = WT_OPERAND_SCALAR,
                                                       .reads = reads,
                                                       .writes = writes,
                                                       .file = (uint8_t)file,
                                                       .number = (uint16_t)number});
}

/* Bits of a floating point operand: a conversion between formats has its source's in rs2. */
static uint8_t float_bits(uint32_t word, char letter)
{
    const bool converts = (word & 0x7f) == OP_FP && wt_field(word, 31, 27) == 8;
    if ((word & 0x7f) != OP_FP && (word & 0x70) != 0x40) /* loads and stores: funct3 */
        return wt_field(word, 14, 12) == 3 ? 64 : 32;
    const unsigned format =
        (unsigned)(converts && letter == 'S' ? wt_field(word, 20, 20) : wt_field(word, 25, 25));
    return format ? 64 : 32;
}

static void put_f(struct wt_insn_operands *o, uint32_t word, char letter)
{
    static const char letters[] = "DSTR";
    static const uint8_t low[] = {7, 15, 20, 27};
    const unsigned i = (unsigned)(strchr(letters, letter) - letters);
    wt_operands_add(
        o, (struct wt_insn_operand){.kind = WT_OPERAND_ROW,
                                    .type = WT_OPERAND_FLOAT,
                                    .reads = i != 0,
                                    .writes = i == 0,
                                    .file = VX_FILE_F,
                                    .bits = float_bits(word, letter),
                                    .number = (uint16_t)wt_field(word, low[i] + 4, low[i])});
}

static void put_memory(struct wt_insn_operands *o, enum vx_insn_id id, uint32_t word,
                       int64_t offset)
{
    const bool load_reserved = id == VX_INSN_lr_w || id == VX_INSN_lr_d,
               conditional = id == VX_INSN_sc_w || id == VX_INSN_sc_d,
               atomic = (word & 0x7f) == AMO, stores = wt_field(word, 6, 5) == 1;
    wt_operands_add(o, (struct wt_insn_operand){.kind = WT_OPERAND_MEMORY,
                                                .reads = atomic ? true : !stores,
                                                .writes = atomic ? !load_reserved : stores,
                                                .file = VX_FILE_X,
                                                .bits = (uint8_t)(8u << wt_field(word, 13, 12)),
                                                .number = (uint16_t)wt_field(word, 19, 15),
                                                .value = offset});
    if (load_reserved || conditional)
        put_scalar(o, VX_FILE_STATE, VX_STATE_RESERVATION, conditional, true);
}

/* CSRRW does not read for x0, the others do not write for x0 or 0 (chapter 9). */
static void put_csr(struct wt_insn_operands *o, uint32_t word)
{
    const unsigned number = word >> 20;
    const bool swaps = wt_field(word, 13, 12) == 1;
    const bool reads = !swaps || wt_field(word, 11, 7), writes = swaps || wt_field(word, 19, 15);
    if (number == FCSR) {
        put_scalar(o, VX_FILE_CSR, FFLAGS, reads, writes);
        /* An immediate of 5 bits does not set or clear frm, which is above the flags. */
        put_scalar(o, VX_FILE_CSR, FRM, reads, writes && (swaps || !wt_field(word, 14, 14)));
    } else {
        put_scalar(o, VX_FILE_CSR, number, reads, writes);
    }
}

/* Of the integer sources: as the row compares, shifts or divides them. */
static enum wt_operand_type sign_of(const uint8_t *meaning)
{
    static const uint8_t signs[WT_M_OPS] = {
        [WT_M_LT] = WT_OPERAND_UNSIGNED,       [WT_M_LE] = WT_OPERAND_UNSIGNED,
        [WT_M_DIV] = WT_OPERAND_UNSIGNED,      [WT_M_REM] = WT_OPERAND_UNSIGNED,
        [WT_M_MUL_HIGH] = WT_OPERAND_UNSIGNED, [WT_M_LT_S] = WT_OPERAND_SIGNED,
        [WT_M_LE_S] = WT_OPERAND_SIGNED,       [WT_M_DIV_S] = WT_OPERAND_SIGNED,
        [WT_M_REM_S] = WT_OPERAND_SIGNED,      [WT_M_MUL_HIGH_S] = WT_OPERAND_SIGNED,
        [WT_M_SAR] = WT_OPERAND_SIGNED,        [WT_M_MUL_HIGH_SU] = WT_OPERAND_SIGNED};
    const uint8_t *code = meaning + (*meaning == WT_M_OUT ? 2 : 1);
    enum wt_operand_type sign = WT_OPERAND_BITS;
    if (*meaning != WT_M_OUT && *meaning != WT_M_JUMP)
        return sign;
    for (unsigned left = 1; left; left--) {
        const struct wt_meaning_node node = wt_meaning_take(&code);
        left += node.operands;
        sign = signs[node.op] ? signs[node.op] : sign;
    }
    return sign;
}

/* The leaves and results of the meaning that the operands of a letter are, from @p first on. */
static void put_leaves(struct wt_insn_operands *o, unsigned first, char letter, unsigned xlen,
                       unsigned *sources)
{
    const bool is_address = o->count > first + 1 && o->list[first + 1].kind == WT_OPERAND_MEMORY;
    for (unsigned i = first; i < o->count; i++) {
        struct wt_insn_operand *x = &o->list[i];
        const bool is_csr = x->file == VX_FILE_CSR && letter == 'E';
        if (strchr("mpJ", letter) || (x->kind == WT_OPERAND_SCALAR && !is_csr))
            continue;
        x->width = (uint8_t)(x->kind == WT_OPERAND_CONSTANT ? xlen
                             : !is_csr                      ? 0
                             : x->number == FFLAGS          ? 5
                             : x->number == FRM             ? 3
                                                            : xlen);
        x->result = !x->writes || x->kind == WT_OPERAND_MEMORY ? 0
                    : is_csr                                   ? WT_RESULT_SECOND
                                                               : WT_RESULT_D;
        x->leaf = !x->reads                      ? 0
                  : x->kind == WT_OPERAND_MEMORY ? WT_M_MEMORY
                  : is_address                   ? WT_M_BASE
                  : WT_M_A + *sources <= WT_M_C  ? (uint8_t)(WT_M_A + *sources)
                                                 : 0;
        *sources += !is_address && !is_csr && x->reads;
    }
    *sources += letter == 'E';
}

/* Its effect on them. A result of 32 bits whose sign fills the register is a signed one. */
static void put_meaning(struct wt_insn_operands *o, const char *letters, const uint8_t *meaning)
{
    const uint8_t *condition = wt_meaning_jump(meaning), *code = meaning;
    wt_operands_set_meaning(o, meaning);
    o->decides = condition && *condition != WT_M_K;
    if (*meaning == WT_M_UNSAID && !*letters)
        o->operation = WT_DOES_WAIT;
    if (*code == WT_M_ATOMIC) {
        code++;
        wt_meaning_skip(&code);
        wt_meaning_skip(&code);
    }
    if (*code == WT_M_OUT && code[2] == WT_M_SEXT && o->list[0].bits > 32)
        o->list[0].type = WT_OPERAND_SIGNED;
}

/* The warp's own state: masks, the IPDOM stack, other warps. */
static void put_state(struct wt_insn_operands *o, enum vx_insn_id id)
{
    switch (id) {
    case VX_INSN_split:
    case VX_INSN_split_n:
        put_scalar(o, VX_FILE_STATE, VX_STATE_IPDOM, true, true);
        put_scalar(o, VX_FILE_STATE, VX_STATE_MASK, true, true);
        break;
    case VX_INSN_join:
        put_scalar(o, VX_FILE_STATE, VX_STATE_IPDOM, true, true);
        put_scalar(o, VX_FILE_STATE, VX_STATE_MASK, true, true);
        put_scalar(o, VX_FILE_STATE, VX_STATE_PC, true, true);
        break;
    case VX_INSN_tmc:
    case VX_INSN_pred:
    case VX_INSN_pred_n:
        put_scalar(o, VX_FILE_STATE, VX_STATE_MASK, true, true);
        put_scalar(o, VX_FILE_STATE, VX_STATE_WARPS, true, true); /* it may end */
        break;
    case VX_INSN_ecall: /* the core stops */
    case VX_INSN_ebreak:
        put_scalar(o, VX_FILE_STATE, VX_STATE_MASK, false, true);
        put_scalar(o, VX_FILE_STATE, VX_STATE_WARPS, false, true);
        break;
    case VX_INSN_wspawn:
    case VX_INSN_bar:
    case VX_INSN_bar_arrive:
        put_scalar(o, VX_FILE_STATE, VX_STATE_WARPS, true, true);
        break;
    case VX_INSN_vote_ballot:
    case VX_INSN_vote_all:
    case VX_INSN_vote_any:
    case VX_INSN_vote_uni:
        put_scalar(o, VX_FILE_STATE, VX_STATE_MASK, true, false);
        break;
    default:
        break;
    }
}

/* Marks the operands that a shuffle or a vote takes from other lanes. */
static void put_lanes(struct wt_insn_operands *o, enum vx_insn_id id)
{
    const bool shuffles = id >= VX_INSN_shfl_up && id <= VX_INSN_shfl_idx,
               votes = id >= VX_INSN_vote_all && id <= VX_INSN_vote_ballot;
    bool value = true; /* the first source; the second one says which lane */
    o->unmasked = id == VX_INSN_wgather;
    for (unsigned i = 0; i < o->count && o->unmasked; i++)
        o->list[i].crosses = o->list[i].reads && o->list[i].kind == WT_OPERAND_ROW;
    for (unsigned i = 0; i < o->count && (shuffles || votes); i++)
        if (o->list[i].reads && o->list[i].kind <= WT_OPERAND_CONSTANT) {
            o->list[i].crosses = value && o->list[i].kind == WT_OPERAND_ROW;
            o->list[i].aside = !value;
            value = false;
        }
}

/* Floating point exceptions are added to the flags. */
static bool raises(enum vx_insn_id id, const char *letters)
{
    switch (id) {
    case VX_INSN_fmin_s:
    case VX_INSN_fmax_s:
    case VX_INSN_feq_s:
    case VX_INSN_flt_s:
    case VX_INSN_fle_s:
    case VX_INSN_fmin_d:
    case VX_INSN_fmax_d:
    case VX_INSN_feq_d:
    case VX_INSN_flt_d:
    case VX_INSN_fle_d:
        return true;
    case VX_INSN_fcvt_d_w: /* exact */
    case VX_INSN_fcvt_d_wu:
        return false;
    default:
        return strchr(letters, 'm');
    }
}

void vx_operand_name(const struct wt_insn_operand *o, char *text, size_t size)
{
    static const char *const states[] = {
        [VX_STATE_PC] = "the PC",
        [VX_STATE_MASK] = "the mask of lanes",
        [VX_STATE_IPDOM] = "the IPDOM stack",
        [VX_STATE_RESERVATION] = "the lanes' reservations (LR, SC)",
        [VX_STATE_WARPS] = "the core's warps: which are active, and for what they wait",
    };
    const struct vx_csr_row *csr =
        o->file == VX_FILE_CSR ? vx_profile_csr(vx_profiles[0], o->number) : NULL;
    const char *csr_name = o->file != VX_FILE_CSR ? NULL : csr ? csr->name : vx_csr_name(o->number);
    if (o->kind == WT_OPERAND_MEMORY)
        snprintf(text, size, "memory a lane, at %s%+" PRId64, vx_x_name(o->number), o->value);
    else if (o->file == VX_FILE_CSR)
        snprintf(text, size, "CSR 0x%03x%s%s", o->number, csr_name ? " " : "",
                 csr_name ? csr_name : "");
    else
        snprintf(text, size, "%s",
                 o->file == VX_FILE_X   ? vx_x_name(o->number)
                 : o->file == VX_FILE_F ? vx_f_name(o->number)
                                        : states[o->number]);
}

bool vx_operands(uint32_t word, unsigned xlen, struct wt_insn_operands *o)
{
    assert(o && (xlen == 32 || xlen == 64));
    const enum vx_insn_id id = vx_insn_find(word, xlen);
    *o = (struct wt_insn_operands){0};
    if (id == VX_INSN_COUNT)
        return false;
    const char *letters = vx_insns[id].operands;
    const uint64_t rd = wt_field(word, 11, 7), rs1 = wt_field(word, 19, 15),
                   rs2 = wt_field(word, 24, 20);
    const bool words = (word & 0x7f) == 0x1b || (word & 0x7f) == 0x3b;
    const uint8_t *meaning = vx_meaning(id, xlen);
    const enum wt_operand_type type = sign_of(meaning);
    unsigned sources = 0;
    const unsigned bits = words ? 32 : xlen;
    for (const char *l = letters; *l; l++) {
        const unsigned first = o->count;
        switch (*l) {
        case 'd':
            put_x(o, rd, true, xlen, WT_OPERAND_BITS);
            break;
        case 's':
            put_x(o, rs1, false, bits, type);
            break;
        case 't':
            put_x(o, rs2, false, bits, id == VX_INSN_mulhsu ? WT_OPERAND_UNSIGNED : type);
            break;
        case 'D':
        case 'S':
        case 'T':
        case 'R':
            put_f(o, word, *l);
            break;
        case 'j':
            wt_operands_add_constant(o, vx_imm_i(word));
            break;
        case 'l':
            put_address(o, rs1, xlen);
            if ((word & 0x7f) == JALR)
                wt_operands_add_constant(o, vx_imm_i(word));
            else
                put_memory(o, id, word, vx_imm_i(word));
            break;
        case 'q':
            put_address(o, rs1, xlen);
            put_memory(o, id, word, vx_imm_s(word));
            break;
        case 'a':
            put_address(o, rs1, xlen);
            put_memory(o, id, word, 0);
            break;
        case 'p':
            wt_operands_add_constant(o, vx_imm_b(word));
            break;
        case 'J':
            wt_operands_add_constant(o, vx_imm_j(word));
            break;
        case 'u':
            wt_operands_add_constant(o, vx_imm_u(word));
            break;
        case '5':
            wt_operands_add_constant(o, (int64_t)rs2);
            break;
        case '6':
            wt_operands_add_constant(o, (int64_t)wt_field(word, 25, 20));
            break;
        case 'Z':
            wt_operands_add_constant(o, (int64_t)rs1);
            break;
        case 'r':
            put_x(o, wt_field(word, 31, 27), false, xlen, WT_OPERAND_BITS);
            break;
        case 'g':
            wt_operands_add_constant(o, (int64_t)wt_field(word, 26, 25));
            break;
        case 'E':
            put_csr(o, word);
            break;
        case 'm':
            if (wt_field(word, 14, 12) == DYNAMIC)
                put_scalar(o, VX_FILE_CSR, FRM, true, false)->aside = true;
            break;
        default: /* F: there is one memory, without caches */
            break;
        }
        put_leaves(o, first, *l, xlen, &sources);
    }
    if (raises(id, letters))
        put_scalar(o, VX_FILE_CSR, FFLAGS, true, true)->aside = true;
    if (strpbrk(letters, "pJ") || (word & 0x7f) == JALR || id == VX_INSN_auipc)
        put_scalar(o, VX_FILE_STATE, VX_STATE_PC, id == VX_INSN_auipc || (word & 0x7f) != JALR,
                   id != VX_INSN_auipc);
    put_state(o, id);
    put_lanes(o, id);
    /* The bytes of a packed load are no row; units that are not modelled do what they do. */
    o->incomplete = id >= VX_INSN_packlb && id != VX_INSN_wgather;
    put_meaning(o, letters, meaning);
    return true;
}

const struct wt_operand_file vx_operand_files[] = {[VX_FILE_X] = {64, true},
                                                   [VX_FILE_F] = {64, true},
                                                   [VX_FILE_CSR] = {64, false},
                                                   [VX_FILE_STATE] = {0, false}};

bool vx_find_operand(const char *name, struct wt_insn_operand *o)
{
    *o = (struct wt_insn_operand){.kind = WT_OPERAND_ROW, .bits = 64};
    for (; o->number < 32; o->number++) {
        o->file = VX_FILE_X;
        if (!strcmp(name, vx_x_name(o->number)))
            return o->number > 0;
        o->file = VX_FILE_F;
        if (!strcmp(name, vx_f_name(o->number)))
            return true;
    }
    return false;
}
