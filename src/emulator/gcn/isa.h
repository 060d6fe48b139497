/* The instruction table of GCN5 as data, and decoded instructions. See isa.def for the rows. */
#ifndef WT_EMULATOR_GCN_ISA_H
#define WT_EMULATOR_GCN_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GCN_LANES 64

/* In the order of the table, which is sorted by encoding and opcode. */
enum gcn_encoding {
    GCN_SOP2,
    GCN_SOPK,
    GCN_SOP1,
    GCN_SOPC,
    GCN_SOPP,
    GCN_SMEM,
    GCN_VOP2,
    GCN_VOP1,
    GCN_VOPC,
    GCN_VOP3,
    GCN_VOP3P,
    GCN_DS,
    GCN_FLAT,
    GCN_GLOBAL,
    GCN_SCRATCH,
    GCN_MUBUF,
    GCN_MTBUF,
    GCN_MIMG,
    GCN_ENCODINGS
};

/* Which kind of function executes the instructions of an encoding: gcn_op_X or gcn_vop_X. */
#define GCN_RUNS_SOP2 GCN_OP
#define GCN_RUNS_SOPK GCN_OP
#define GCN_RUNS_SOP1 GCN_OP
#define GCN_RUNS_SOPC GCN_OP
#define GCN_RUNS_SOPP GCN_OP
#define GCN_RUNS_SMEM GCN_OP
#define GCN_RUNS_DS GCN_OP
#define GCN_RUNS_FLAT GCN_OP
#define GCN_RUNS_GLOBAL GCN_OP
#define GCN_RUNS_SCRATCH GCN_OP
#define GCN_RUNS_MUBUF GCN_OP
#define GCN_RUNS_MTBUF GCN_OP
#define GCN_RUNS_MIMG GCN_OP
#define GCN_RUNS_VOP1 GCN_VECTOR
#define GCN_RUNS_VOP2 GCN_VECTOR
#define GCN_RUNS_VOPC GCN_VECTOR
#define GCN_RUNS_VOP3 GCN_VECTOR
#define GCN_RUNS_VOP3P GCN_VECTOR

/* Forms that a row has beside its own encoding. */
enum gcn_form_bits {
    GCN_E64 = 1,
    GCN_SDWA = 2,
    GCN_DPP = 4,
    GCN_LIT = 8,
    GCN_NEAR = 16, /* not a form: see gcn_row_is_near() */
    GCN_ALL = GCN_E64 | GCN_SDWA | GCN_DPP
};

enum gcn_id {
#define I(id, name, encoding, opcode, forms, operands, state, models, gfx10, executor, ...)        \
    GCN_I_##id,
#include "emulator/gcn/isa.def"
#undef I
    GCN_INSNS
};

struct gcn_model;
struct gcn_wave;
struct gcn_uop;
struct gcn_valu;

/*
 * Executes one decoded instruction for all lanes of a wave and returns the next one. NULL ends the
 * turn: wave->pc is then set.
 */
typedef const struct gcn_uop *(*gcn_op)(struct gcn_wave *w, const struct gcn_uop *u);
/* Computes a vector instruction's results for 64 lanes from its fetched sources. */
typedef void (*gcn_row_function)(struct gcn_valu *v);

#define GCN_NO_OPCODE 0xffff

struct gcn_row {
    const char *name;
    uint8_t encoding; /* enum gcn_encoding */
    uint8_t forms;    /* enum gcn_form_bits */
    uint16_t opcode;
    uint16_t gfx10; /* its opcode in gfx10's encodings; GCN_NO_OPCODE: it has none */
    uint8_t models; /* that have it: enum gcn_model_set */
    const char *operands;
    const char *state;      /* what it reads and writes beside its operands */
    const uint8_t *meaning; /* what it does with them (machine/meaning.h) */
    union {
        gcn_op op;                 /* scalar and memory encodings */
        gcn_row_function function; /* vector encodings */
    };
};

extern const struct gcn_row gcn_rows[GCN_INSNS];

/* The model's row of an opcode in its own encoding; NULL if there is none. */
const struct gcn_row *gcn_row_find(const struct gcn_model *model, enum gcn_encoding encoding,
                                   unsigned opcode);
/* Whether the emulator executes the row; else it is only disassembled. */
bool gcn_row_executes(const struct gcn_row *row);
/* Whether a GPU's result may be another one in its last place: reciprocals, roots, exponentials,
 * logarithms, sines. */
bool gcn_row_is_near(const struct gcn_row *row);
/*
 * Whether a 16-bit result leaves the other half of its register alone. Most instructions of GCN5
 * clear it; those that came with it (they are in VOP3 alone) do not. (LLVM knows them as
 * zeroesHigh16BitsOfDest.)
 */
bool gcn_keeps_other_half(const struct gcn_uop *u);
/* Whether a 16-bit result goes to the high half: OP_SEL says so, or the instruction (mixhi). */
bool gcn_writes_high_half(const struct gcn_uop *u);
/* The name of an encoding: "SOP2". */
const char *gcn_encoding_name(enum gcn_encoding encoding);

/* The operation (memory/vmem.h) of a row that is an atomic, but of LDS. */
static inline unsigned gcn_atomic_number(const struct gcn_row *row)
{
    return row->opcode & (row->encoding == GCN_MIMG ? 0xf : 0x1f);
}

/* Whether an atomic compares: its data are two values. */
static inline bool gcn_atomic_compares(const struct gcn_row *row)
{
    return gcn_atomic_number(row) == 1 || gcn_atomic_number(row) == 0x14; /* floats */
}

/* Which data registers an instruction of the data share has. */
struct gcn_share_data {
    bool first, second; /* that it takes */
    bool result;        /* that it writes */
    bool pair;          /* for two places */
};
/* Those of a row of that encoding. */
struct gcn_share_data gcn_share_data(const struct gcn_row *row);

/* A control that is DPP8's: 3 bits for each lane of a group of eight, which say which of them it
 * reads. */
#define GCN_DPP8 ((uint32_t)1 << 24)
/* The lane that lane i of a DPP source reads; -1: none (section 12.4, DPP_CTRL). */
int gcn_dpp_lane(unsigned ctrl, int i);
/* The lane that lane i reads in ds_swizzle_b32: the pattern rearranges quads, or groups of 32
 * lanes. */
unsigned gcn_swizzled(uint32_t pattern, unsigned i);

/* Registers of an operand of the arithmetic encodings, by its letter. */
unsigned gcn_registers_of(char letter);

/* Operand numbers of scalar sources (manual, section 12.1 "Scalar ALU operations"). */
enum gcn_operand {
    GCN_FLAT_SCRATCH = 102,
    GCN_XNACK_MASK = 104,
    GCN_VCC = 106,
    GCN_TTMP = 108,
    GCN_M0 = 124,
    GCN_NULL = 125, /* from gfx10 on: reads 0 and keeps nothing */
    GCN_EXEC = 126,
    GCN_INLINE = 128, /* 0; then 1..64, -1..-16 */
    GCN_SHARED_BASE = 235,
    GCN_SHARED_LIMIT = 236,
    GCN_PRIVATE_BASE = 237,
    GCN_PRIVATE_LIMIT = 238,
    GCN_POPS_WAVE_ID = 239,
    GCN_HALF = 240, /* 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi) */
    GCN_VCCZ = 251,
    GCN_EXECZ = 252,
    GCN_SCC = 253,
    GCN_LDS_DIRECT = 254,
    GCN_LITERAL = 255,
    GCN_VGPR = 256,
};

/* How an instruction of a vector encoding is written. */
enum gcn_form { GCN_FORM_NATIVE, GCN_FORM_E64, GCN_FORM_SDWA, GCN_FORM_DPP };

/* Which way a vector instruction is executed (valu.c): the short ways know no modifiers. */
enum gcn_path {
    GCN_PATH_ANY,
    GCN_PATH_PLAIN, /* all values have 32 bits */
    GCN_PATH_WHOLE, /* 32 or 64 bits, masks */
    GCN_PATH_MOVE,  /* between accumulation registers and others */
    GCN_PATH_MATRIX,
};

#define GCN_NO_BASE 0x7f

/* A decoded instruction. */
struct gcn_uop {
    gcn_op run;
    const struct gcn_row *row; /* NULL: no such instruction */
    uint32_t word[2];          /* as it stands in memory */
    uint32_t literal;
    int32_t imm; /* immediate of 16 bits, sign-extended; offset of a memory instruction */
    /* operand numbers; memory: address, data, second data VGPR; s_waitcnt: vmcnt, expcnt, lgkmcnt
     */
    uint16_t src[3];
    uint16_t dst;   /* register: row of vector encodings, else a scalar operand number */
    uint8_t sdst;   /* scalar operand number of a mask result */
    uint8_t smask;  /* scalar operand number of a mask source */
    uint8_t length; /* dwords */
    uint8_t form;   /* enum gcn_form */
    /* modifiers, a bit for each source */
    uint8_t abs, neg, neg_hi, op_sel, op_sel_hi, sext;
    uint8_t cbsz, abid, blgp; /* matrices: which block of A, which lanes of B */
    bool clamp;
    uint8_t omod;
    uint8_t sel[3]; /* SDWA: of src0, src1, destination */
    uint8_t unused; /* SDWA: what happens to the rest of the destination */
    uint32_t dpp;   /* dpp_ctrl, or GCN_DPP8 and its selectors */
    uint8_t row_mask, bank_mask;
    bool bound_ctrl, fetches_inactive;
    bool narrow;      /* masks of lanes have 32 bits: the wave has as many lanes */
    bool keeps_half;  /* a 16-bit result leaves the other half alone */
    uint8_t relative; /* M0 is added to the register of sources, 1, and of the result, 8; 16: each
                       * its own half of it */
    /* memory */
    uint8_t base;    /* SGPRs of the base address or resource; GCN_NO_BASE: none */
    uint8_t soffset; /* scalar operand number */
    uint8_t size;    /* bytes of the access; images: components */
    char extend;     /* u, s, or 0 */
    char half;       /* l, h, or 0: all of the register */
    bool glc, slc, scc, lds, gds, idxen, offen, tfe, has_soffset;
    bool vaddr; /* FLAT, GLOBAL, SCRATCH: src[0] is part of the address */
    uint8_t nfmt, dfmt;
    /* images: components in the data registers, SGPRs of the sampler */
    uint8_t dmask, sampler;
    bool unorm, array, d16;
    uint8_t sources;   /* vector: how many */
    uint8_t last_vgpr; /* vector: the highest VGPR that it uses */
    uint16_t agprs;    /* vector: accumulation registers that a wave must have for it */
    uint8_t path;      /* vector: enum gcn_path */
    /* vector, GCN_PATH_WHOLE: sources of 64 bits, those of them that are floating, masks, a bit
     * each; registers of the result, and whether there is a mask, too */
    uint8_t wide, wide_float, mask;
    uint8_t result;
    bool mask_result;
    bool cmpx; /* the mask goes to EXEC as well */
};

/* The most dwords of an instruction: an image's with addresses in VGPRs anywhere. */
#define GCN_MOST_DWORDS 5

/*
 * Decodes the first instruction in word[0 .. available-1] (1 or more) of code for waves of so many
 * lanes. The result is true if it is an instruction of the model. Otherwise *why is the reason, a
 * constant sentence, and u->row is the row whose operands are impossible, or NULL. u->length is at
 * least 1. The decoder does not change u->run.
 */
bool gcn_decode(const struct gcn_model *model, unsigned lanes, const uint32_t *word,
                unsigned available, struct gcn_uop *u, const char **why);

/* Writes the mnemonic of a decoded instruction with the suffix of its form: "v_add_f32_sdwa". */
void gcn_mnemonic(const struct gcn_uop *u, char *text, size_t size);

#endif
