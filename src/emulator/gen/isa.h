/*
 * The instructions of Gen9: the table (isa.def), the decoded form, decoding, compaction, text.
 * Manual: Skylake PRM, volume 7 "3D-Media-GPGPU", section "EU Overview"; bits of the 128-bit
 * instruction are numbered as there.
 */
#ifndef WT_EMULATOR_GEN_ISA_H
#define WT_EMULATOR_GEN_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/gen_word.h"

/** How an instruction's operands lie. */
enum gen_format {
    GEN_FORMAT_PLAIN, /**< no operands */
    GEN_FORMAT_ONE,   /**< destination, one source */
    GEN_FORMAT_TWO,
    GEN_FORMAT_THREE, /**< Align16 only */
    GEN_FORMAT_MATH,  /**< one or two sources; the function is in the condition modifier's place */
    GEN_FORMAT_JIP,   /**< a branch with one target, JIP */
    GEN_FORMAT_JIP_UIP, /**< a branch with two targets */
    GEN_FORMAT_JMPI,    /**< a scalar jump: JIP, or a register, relative to the next instruction */
    GEN_FORMAT_CALL,    /**< destination: return address and mask; JIP or a register */
    GEN_FORMAT_RET,     /**< source: return address and mask */
    GEN_FORMAT_WAIT,    /**< a notification register, as destination and source */
    GEN_FORMAT_SEND,    /**< destination, one payload, descriptors */
    GEN_FORMAT_SENDS,   /**< destination, two payloads, descriptors */
};

/** Properties of an instruction, by the names of isa.def. */
enum gen_allows {
    GEN_ALLOWS_NO = 0,
    GEN_ALLOWS_C = 1, /**< a condition modifier */
    GEN_ALLOWS_S = 2, /**< saturation */
    GEN_ALLOWS_M = 4, /**< source modifiers */
    GEN_ALLOWS_CS = GEN_ALLOWS_C | GEN_ALLOWS_S,
    GEN_ALLOWS_CM = GEN_ALLOWS_C | GEN_ALLOWS_M,
    GEN_ALLOWS_SM = GEN_ALLOWS_S | GEN_ALLOWS_M,
    GEN_ALLOWS_CSM = GEN_ALLOWS_CS | GEN_ALLOWS_M,
};

/** A row of isa.def. */
struct gen_row {
    const char *name;
    uint8_t opcode;
    uint8_t format;            /**< enum gen_format */
    uint8_t allows;            /**< enum gen_allows */
    const uint8_t *meaning[2]; /**< for integers, for floats (isa.def) */
};

enum gen_insn_id {
#define I(id, name, opcode, format, allows, executor, ...) GEN_##id,
#include "emulator/gen/isa.def"
#undef I
    GEN_INSNS
};

extern const struct gen_row gen_rows[GEN_INSNS];

/** The row of an opcode, 0..127; NULL if there is none. */
const struct gen_row *gen_row_of(unsigned opcode);

/** Types of operands, as registers encode them; immediates have more. */
enum gen_type {
    GEN_UD,
    GEN_D,
    GEN_UW,
    GEN_W,
    GEN_UB,
    GEN_B,
    GEN_DF,
    GEN_F,
    GEN_UQ,
    GEN_Q,
    GEN_HF,
    GEN_UV, /**< eight unsigned half-bytes; the last three are of immediates only */
    GEN_V,
    GEN_VF,
    GEN_TYPES
};

/** "ud". */
const char *gen_type_name(enum gen_type type);
/** Bytes of an element; of the packed types, of the elements that they unpack to. */
unsigned gen_type_size(enum gen_type type);
/** Whether it is f, hf, df or vf. */
bool gen_type_is_float(enum gen_type type);
/* Whether it is a signed integer. */
bool gen_type_is_signed(enum gen_type type);

enum gen_file { GEN_ARF, GEN_GRF, GEN_IMMEDIATE = 3 };

/** Architecture registers: bits 7:4 of RegNum. */
enum gen_arf {
    GEN_ARF_NULL,
    GEN_ARF_A,
    GEN_ARF_ACC,
    GEN_ARF_F,
    GEN_ARF_CE,
    GEN_ARF_MSG,
    GEN_ARF_SP,
    GEN_ARF_SR,
    GEN_ARF_CR,
    GEN_ARF_N,
    GEN_ARF_IP,
    GEN_ARF_TDR,
    GEN_ARF_TM,
    GEN_ARF_FC,
    GEN_ARF_RESERVED,
    GEN_ARF_DBG,
};

/** Vertical stride of a region whose rows begin where address registers say. */
#define GEN_STRIDE_VXH 0xff
/** Swizzle of a source whose elements stay in their places. */
#define GEN_SWIZZLE_XYZW 0xe4
/** Extended accumulator of an operand that has none ("nomme"). */
#define GEN_NO_MME 8

/** An operand: a region of registers, or an immediate. */
struct gen_operand {
    uint8_t file;   /**< enum gen_file */
    uint8_t type;   /**< enum gen_type */
    uint8_t reg;    /**< reg of GRF; RegNum of ARF */
    uint8_t subreg; /**< bytes; indirect: which subregister of a0 */
    int16_t offset; /**< indirect: bytes added to the address register, -512..511 */
    bool indirect;
    bool negate; /**< logic instructions: complement */
    bool absolute;
    uint8_t vstride, width, hstride; /**< elements; of a destination hstride alone */
    uint8_t swizzle; /**< Align16 sources: two bits a channel; destinations: the write mask */
    bool replicate;  /**< three sources: one element for all channels */
    uint8_t mme;     /**< madm, math.invm, math.rsqtm: 0..7, or GEN_NO_MME */
    uint64_t immediate;
};

/** Which element of its register, and of those behind it, a channel takes of an Align16 source that
 * is not replicated. */
unsigned gen_swizzled(const struct gen_operand *o, unsigned channel);
/** Channels that Align16's write mask lets through, all 32 of them told: a bit for each of a group
 * of four, and two bits for each of two doubles (xy, zw), by which Intel's compiler writes one. */
uint32_t gen_written_channels(const struct gen_operand *dst);

/** Conditions, as instructions encode them. */
enum gen_condition {
    GEN_COND_NONE,
    GEN_COND_EQ,
    GEN_COND_NE,
    GEN_COND_GT,
    GEN_COND_GE,
    GEN_COND_LT,
    GEN_COND_LE,
    GEN_COND_OV = 8,
    GEN_COND_UN,
};

/** Functions of math. */
enum gen_math {
#define M(id, number, name, ...) GEN_MATH_##id = number,
#include "emulator/gen/math.def"
#undef M
};

/** A decoded instruction. */
struct gen_insn {
    const struct gen_row *row;
    uint8_t length; /**< bytes: 8 or 16 */
    bool align16;
    uint8_t exec_size; /**< channels: 1..32 */
    uint8_t channel;   /**< first one: quarter and nibble control, 0..28 */
    bool no_mask;      /**< WE_all: channel enables do not count */
    uint8_t predicate; /**< 0: none; 1: each channel's bit; 2.. any and all forms */
    bool predicate_inverted;
    uint8_t flag;      /**< subregister of the flags: f0.0, f0.1, f1.0, f1.1 */
    uint8_t condition; /**< enum gen_condition; math: the function; send: SFID */
    bool saturate;
    bool accumulate; /**< AccWrEn */
    bool branch;     /**< BranchCtrl: goto.b */
    bool breakpoint; /**< DebugCtrl */
    bool no_dd_clear, no_dd_check;
    uint8_t thread_control; /**< 1: Atomic, 2: Switch */
    uint8_t sources;
    struct gen_operand dst, src[3];
    int32_t jip, uip;      /**< bytes, relative to the instruction (jmpi: to the next one) */
    uint32_t desc, exdesc; /**< send */
    bool desc_in_register, exdesc_in_register; /**< send: a0.0; sends: exdesc in a0.exdesc_subreg */
    uint8_t exdesc_subreg;
};

/** Its function; NULL: none. */
const uint8_t *gen_math_meaning(unsigned function);
/** The function of `math` in bits 0 to 3: "inv"; "?": none. */
const char *gen_math_name(unsigned function);

/** The name of `bfrev` of a float among the instructions that are near to hardware. */
#define GEN_BFREV_F "bfrev.f"

/** Whether hardware's results of it may be others: it is no division of integers. */
bool gen_math_is_near(unsigned function);

/** Expands a compact instruction to its native form, whose CmptCtrl is 0; false if its opcode has
 * no compact form. */
bool gen_expand(const struct gen_word *compact, struct gen_word *native);
/** Finds the compact form of a native instruction; false if it has none. */
bool gen_compact(const struct gen_word *native, struct gen_word *compact);

/**
 * Decodes an instruction, native or compact; *why says what is wrong with it otherwise. Bits that
 * no field has are ignored.
 */
bool gen_decode(const struct gen_word *word, struct gen_insn *insn, const char **why);

/** Writes the instruction as iga64 does, branch targets relative to it. */
void gen_text(const struct gen_insn *insn, char *text, size_t size);

/** gen_decode and gen_text: of what is no instruction, its words; returns its length in bytes. */
unsigned gen_disassemble(const struct gen_word *word, char *text, size_t size);

#endif
