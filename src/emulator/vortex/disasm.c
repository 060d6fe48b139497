/* Disassembly, from the operand letters of the instruction tables. */
#include <stdio.h>
#include <string.h>

#include "emulator/vortex/trace.h"

static const char *const x_names[32] = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};
static const char *const f_names[32] = {
    "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1",  "fa0",
    "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4",  "fs5",
    "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

const char *vx_x_name(unsigned r)
{
    return x_names[r & 31];
}

const char *vx_f_name(unsigned r)
{
    return f_names[r & 31];
}

struct vx_out {
    char *text;
    size_t size;
    unsigned operands;
};

__attribute__((format(printf, 2, 3))) static void put(struct vx_out *out, const char *format, ...)
{
    const size_t length = strlen(out->text);
    va_list args;
    va_start(args, format);
    vsnprintf(out->text + length, out->size - length, format, args);
    va_end(args);
}

/* Begins the next operand: a space before the first one, a comma before the others. */
static void operand(struct vx_out *out)
{
    put(out, out->operands++ ? ", " : " ");
}

static void fence_set(struct vx_out *out, unsigned set)
{
    put(out, "%s%s%s%s%s", set & 8 ? "i" : "", set & 4 ? "o" : "", set & 2 ? "r" : "",
        set & 1 ? "w" : "", set ? "" : "0");
}

static void csr_name(struct vx_out *out, unsigned number)
{
    const char *name = vx_csr_name(number);
    if (name)
        put(out, "%s", name);
    else
        put(out, "0x%x", number);
}

static void rounding_mode(struct vx_out *out, unsigned rm)
{
    static const char *const names[8] = {"rne", "rtz", "rdn", "rup", "rmm", "5", "6", "dyn"};
    put(out, "%s", names[rm]);
}

static uint64_t target_of(uint64_t pc, int32_t imm, unsigned xlen)
{
    const uint64_t target = pc + (uint64_t)(int64_t)imm;
    return xlen == 32 ? (uint32_t)target : target;
}

static void full_operand(struct vx_out *out, char letter, uint32_t word, unsigned xlen, uint64_t pc)
{
    /* Registers, of which those with capital letters are of floats, and where they begin. */
    static const char letters[] = "dDsStTRr";
    static const uint8_t bits[] = {7, 7, 15, 15, 20, 20, 27, 27};
    operand(out);
    const char *at = memchr(letters, letter, sizeof letters - 1);
    if (at) {
        const unsigned first = bits[at - letters], number = wt_field(word, first + 4, first);
        put(out, "%s", letter < 'a' ? f_names[number] : x_names[number]);
        return;
    }
    switch (letter) {
    case 'j':
        put(out, "%d", vx_imm_i(word));
        break;
    case 'l':
        put(out, "%d(%s)", vx_imm_i(word), x_names[wt_field(word, 19, 15)]);
        break;
    case 'q':
        put(out, "%d(%s)", vx_imm_s(word), x_names[wt_field(word, 19, 15)]);
        break;
    case 'a':
        put(out, "(%s)", x_names[wt_field(word, 19, 15)]);
        break;
    case 'p':
        put(out, "0x%llx", (unsigned long long)target_of(pc, vx_imm_b(word), xlen));
        break;
    case 'J':
        put(out, "0x%llx", (unsigned long long)target_of(pc, vx_imm_j(word), xlen));
        break;
    case 'u':
        put(out, "0x%x", wt_field(word, 31, 12));
        break;
    case '5':
        put(out, "%u", wt_field(word, 24, 20));
        break;
    case '6':
        put(out, "%u", wt_field(word, 25, 20));
        break;
    case 'E':
        csr_name(out, wt_field(word, 31, 20));
        break;
    case 'Z':
        put(out, "%u", wt_field(word, 19, 15));
        break;
    case 'm':
        rounding_mode(out, wt_field(word, 14, 12));
        break;
    case 'g':
        put(out, "%u", wt_field(word, 26, 25));
        break;
    case 'F':
        fence_set(out, wt_field(word, 27, 24));
        operand(out);
        fence_set(out, wt_field(word, 23, 20));
        break;
    }
}

/* Operands of a compressed instruction; immediates come from the word that it stands for. */
static void rvc_operand(struct vx_out *out, char letter, uint16_t half, uint32_t word,
                        unsigned xlen, uint64_t pc)
{
    const bool store = (word & 0x7f) == 0x23 || (word & 0x7f) == 0x27;
    static const char letters[] = "dDtTzZ";
    const unsigned numbers[] = {wt_field(half, 11, 7), wt_field(half, 6, 2),
                                8 + wt_field(half, 4, 2)};
    const char *at = memchr(letters, letter, sizeof letters - 1);
    operand(out);
    if (at) {
        const unsigned number = numbers[(at - letters) / 2];
        put(out, "%s", letter < 'a' ? f_names[number] : x_names[number]);
        return;
    }
    switch (letter) {
    case 'x': /* rd'/rs1', or the base of a load or store */
        if ((half & 3) == 0)
            put(out, "%d(%s)", store ? vx_imm_s(word) : vx_imm_i(word),
                x_names[8 + wt_field(half, 9, 7)]);
        else
            put(out, "%s", x_names[8 + wt_field(half, 9, 7)]);
        break;
    case 'S': /* sp, and after it the immediate of c.addi4spn */
        put(out, "sp");
        if ((half & 3) == 0)
            put(out, ", %d", vx_imm_i(word));
        break;
    case 'p':
        put(out, "%d(sp)", store ? vx_imm_s(word) : vx_imm_i(word));
        break;
    case 'i':
        put(out, "%d", vx_imm_i(word));
        break;
    case 'u':
        put(out, "0x%x", wt_field(word, 31, 12));
        break;
    case '6':
        put(out, "%u", wt_field(word, 25, 20));
        break;
    case 'j':
        put(out, "0x%llx", (unsigned long long)target_of(pc, vx_imm_j(word), xlen));
        break;
    case 'b':
        put(out, "0x%llx", (unsigned long long)target_of(pc, vx_imm_b(word), xlen));
        break;
    }
}

/* ---- aliases ----
 *
 * Names of special cases of instructions that GNU's and LLVM's disassemblers both print. */

/* Fields of a word that are 0. */
enum { NO_RD = 0x1f << 7, NO_RS1 = 0x1f << 15, NO_RS2 = 0x1f << 20 };
#define NO_IMMEDIATE 0xfff00000u
#define RD(n) ((uint32_t)(n) << 7)
#define RS1(n) ((uint32_t)(n) << 15)
#define IMMEDIATE(n) ((uint32_t)(n) << 20)

enum special { ANY, SAME_SOURCES, IS_SHORT }; /* rs1 is rs2; the instruction is a compressed one */

static const struct vx_alias {
    enum vx_insn_id id;
    uint32_t mask, match; /* bits of the operands' fields */
    const char *name, *operands;
    enum special special;
} aliases[] = {
    {VX_INSN_addi, NO_RD | NO_RS1 | NO_IMMEDIATE, 0, "nop", "", ANY},
    {VX_INSN_addi, NO_RS1, 0, "li", "dj", ANY},
    {VX_INSN_addi, NO_IMMEDIATE, 0, "mv", "ds", ANY},
    {VX_INSN_add, NO_RS1, 0, "mv", "dt", IS_SHORT},
    {VX_INSN_xori, NO_IMMEDIATE, NO_IMMEDIATE, "not", "ds", ANY},
    {VX_INSN_sub, NO_RS1, 0, "neg", "dt", ANY},
    {VX_INSN_subw, NO_RS1, 0, "negw", "dt", ANY},
    {VX_INSN_addiw, NO_IMMEDIATE, 0, "sext.w", "ds", ANY},
    {VX_INSN_sltiu, NO_IMMEDIATE, IMMEDIATE(1), "seqz", "ds", ANY},
    {VX_INSN_sltu, NO_RS1, 0, "snez", "dt", ANY},
    {VX_INSN_slt, NO_RS2, 0, "sltz", "ds", ANY},
    {VX_INSN_slt, NO_RS1, 0, "sgtz", "dt", ANY},
    {VX_INSN_beq, NO_RS2, 0, "beqz", "sp", ANY},
    {VX_INSN_bne, NO_RS2, 0, "bnez", "sp", ANY},
    {VX_INSN_bge, NO_RS1, 0, "blez", "tp", ANY},
    {VX_INSN_bge, NO_RS2, 0, "bgez", "sp", ANY},
    {VX_INSN_blt, NO_RS2, 0, "bltz", "sp", ANY},
    {VX_INSN_blt, NO_RS1, 0, "bgtz", "tp", ANY},
    {VX_INSN_jal, NO_RD, 0, "j", "J", ANY},
    {VX_INSN_jal, NO_RD, RD(1), "jal", "J", ANY},
    {VX_INSN_jalr, NO_RD | NO_RS1 | NO_IMMEDIATE, RS1(1), "ret", "", ANY},
    {VX_INSN_jalr, NO_RD | NO_IMMEDIATE, 0, "jr", "s", ANY},
    {VX_INSN_jalr, NO_RD | NO_IMMEDIATE, RD(1), "jalr", "s", ANY},
    {VX_INSN_jalr, NO_RD, 0, "jr", "l", ANY},
    {VX_INSN_jalr, NO_RD, RD(1), "jalr", "l", ANY},
    {VX_INSN_jalr, NO_IMMEDIATE, 0, "jalr", "ds", ANY},
    {VX_INSN_fence, IMMEDIATE(0xff), IMMEDIATE(0xff), "fence", "", ANY},
    {VX_INSN_csrrw, NO_RD | NO_RS1 | NO_IMMEDIATE, IMMEDIATE(0xc00), "unimp", "", ANY},
    {VX_INSN_csrrs, NO_RS1 | NO_IMMEDIATE, IMMEDIATE(0xc00), "rdcycle", "d", ANY},
    {VX_INSN_csrrs, NO_RS1 | NO_IMMEDIATE, IMMEDIATE(0xc01), "rdtime", "d", ANY},
    {VX_INSN_csrrs, NO_RS1 | NO_IMMEDIATE, IMMEDIATE(0xc02), "rdinstret", "d", ANY},
    {VX_INSN_csrrs, NO_RS1 | NO_IMMEDIATE, IMMEDIATE(0xc80), "rdcycleh", "d", ANY},
    {VX_INSN_csrrs, NO_RS1 | NO_IMMEDIATE, IMMEDIATE(0xc81), "rdtimeh", "d", ANY},
    {VX_INSN_csrrs, NO_RS1 | NO_IMMEDIATE, IMMEDIATE(0xc82), "rdinstreth", "d", ANY},
    {VX_INSN_csrrs, NO_RS1 | NO_IMMEDIATE, IMMEDIATE(1), "frflags", "d", ANY},
    {VX_INSN_csrrs, NO_RS1 | NO_IMMEDIATE, IMMEDIATE(2), "frrm", "d", ANY},
    {VX_INSN_csrrs, NO_RS1 | NO_IMMEDIATE, IMMEDIATE(3), "frcsr", "d", ANY},
    {VX_INSN_csrrw, NO_RD | NO_IMMEDIATE, IMMEDIATE(1), "fsflags", "s", ANY},
    {VX_INSN_csrrw, NO_RD | NO_IMMEDIATE, IMMEDIATE(2), "fsrm", "s", ANY},
    {VX_INSN_csrrw, NO_RD | NO_IMMEDIATE, IMMEDIATE(3), "fscsr", "s", ANY},
    {VX_INSN_csrrw, NO_IMMEDIATE, IMMEDIATE(1), "fsflags", "ds", ANY},
    {VX_INSN_csrrw, NO_IMMEDIATE, IMMEDIATE(2), "fsrm", "ds", ANY},
    {VX_INSN_csrrw, NO_IMMEDIATE, IMMEDIATE(3), "fscsr", "ds", ANY},
    {VX_INSN_csrrwi, NO_RD | NO_IMMEDIATE, IMMEDIATE(1), "fsflagsi", "Z", ANY},
    {VX_INSN_csrrwi, NO_RD | NO_IMMEDIATE, IMMEDIATE(2), "fsrmi", "Z", ANY},
    {VX_INSN_csrrwi, NO_IMMEDIATE, IMMEDIATE(1), "fsflagsi", "dZ", ANY},
    {VX_INSN_csrrwi, NO_IMMEDIATE, IMMEDIATE(2), "fsrmi", "dZ", ANY},
    {VX_INSN_csrrs, NO_RS1, 0, "csrr", "dE", ANY},
    {VX_INSN_csrrw, NO_RD, 0, "csrw", "Es", ANY},
    {VX_INSN_csrrs, NO_RD, 0, "csrs", "Es", ANY},
    {VX_INSN_csrrc, NO_RD, 0, "csrc", "Es", ANY},
    {VX_INSN_csrrwi, NO_RD, 0, "csrwi", "EZ", ANY},
    {VX_INSN_csrrsi, NO_RD, 0, "csrsi", "EZ", ANY},
    {VX_INSN_csrrci, NO_RD, 0, "csrci", "EZ", ANY},
    {VX_INSN_fsgnj_s, 0, 0, "fmv.s", "DS", SAME_SOURCES},
    {VX_INSN_fsgnjn_s, 0, 0, "fneg.s", "DS", SAME_SOURCES},
    {VX_INSN_fsgnjx_s, 0, 0, "fabs.s", "DS", SAME_SOURCES},
    {VX_INSN_fsgnj_d, 0, 0, "fmv.d", "DS", SAME_SOURCES},
    {VX_INSN_fsgnjn_d, 0, 0, "fneg.d", "DS", SAME_SOURCES},
    {VX_INSN_fsgnjx_d, 0, 0, "fabs.d", "DS", SAME_SOURCES},
    {VX_INSN_bar_arrive, NO_RD, 0, "vx_bar.wait", "st", ANY},
};

/* The name and operands of an instruction under which it is best known. */
static void choose_name(uint32_t word, enum vx_insn_id id, bool is_short, const char **name,
                        const char **operands)
{
    *name = vx_insns[id].name;
    *operands = vx_insns[id].operands;
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        const struct vx_alias *a = &aliases[i];
        if (a->id != id || (word & a->mask) != a->match ||
            (a->special == SAME_SOURCES && wt_field(word, 19, 15) != wt_field(word, 24, 20)) ||
            (a->special == IS_SHORT && !is_short))
            continue;
        *name = a->name;
        *operands = a->operands;
        return;
    }
}

/* The rounding mode that is not written: that of fcsr, and any of a conversion that is exact. */
static bool is_usual_rounding(uint32_t word, enum vx_insn_id id)
{
    return wt_field(word, 14, 12) ==
           (id == VX_INSN_fcvt_d_s || id == VX_INSN_fcvt_d_w || id == VX_INSN_fcvt_d_wu ? 0 : 7);
}

unsigned vx_disassemble_known(const uint8_t *bytes, unsigned available, unsigned xlen, uint64_t pc,
                              char *text, size_t size)
{
    const bool is_short = available < 4 || (bytes[0] & 3) != 3;
    uint32_t word = (uint32_t)wt_load_le(bytes, available < 4 ? available : 4);
    struct vx_out out = {.text = text, .size = size};
    const char *name, *operands;
    if (is_short && !vx_rvc_find((uint16_t)word, xlen, &word))
        return vx_disassemble(bytes, available, xlen, pc, text, size);
    const enum vx_insn_id id = vx_insn_find(word, xlen);
    if (id == VX_INSN_COUNT || strchr(vx_insns[id].operands, 'a'))
        return vx_disassemble(bytes, available, xlen, pc, text, size);
    choose_name(word, id, is_short, &name, &operands);
    text[0] = 0;
    put(&out, "%s", name);
    for (const char *o = operands; *o; o++)
        if (*o != 'm' || !is_usual_rounding(word, id))
            full_operand(&out, *o, word, xlen, pc);
    return is_short ? 2 : 4;
}

unsigned vx_disassemble(const uint8_t *bytes, unsigned available, unsigned xlen, uint64_t pc,
                        char *text, size_t size)
{
    assert(bytes && text && size > 0 && available >= 2);
    struct vx_out out = {.text = text, .size = size};
    const uint32_t word = (uint32_t)wt_load_le(bytes, available < 4 ? available : 4);
    text[0] = 0;
    if ((word & 3) != 3 || available < 4) {
        const uint16_t half = (uint16_t)word;
        uint32_t expanded;
        const struct vx_rvc *row = vx_rvc_find(half, xlen, &expanded);
        if (!row) {
            put(&out, ".2byte 0x%x", half);
            return 2;
        }
        put(&out, "%s", row->name);
        for (const char *o = row->operands; *o; o++)
            rvc_operand(&out, *o, half, expanded, xlen, pc);
        return 2;
    }
    const enum vx_insn_id id = vx_insn_find(word, xlen);
    if (id == VX_INSN_COUNT) {
        put(&out, ".4byte 0x%x", word);
        return 4;
    }
    put(&out, "%s", vx_insns[id].name);
    if (strchr(vx_insns[id].operands, 'a')) { /* the ordering bits of atomics */
        if (word >> 26 & 1)
            put(&out, word >> 25 & 1 ? ".aqrl" : ".aq");
        else if (word >> 25 & 1)
            put(&out, ".rl");
    }
    for (const char *o = vx_insns[id].operands; *o; o++)
        full_operand(&out, *o, word, xlen, pc);
    return 4;
}
