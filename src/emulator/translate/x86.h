/* Encodings of x86-64 with AVX2 and FMA, and with AVX-512: those that rows need (Intel SDM, volume
 * 2). */
#ifndef WT_EMULATOR_TRANSLATE_X86_H
#define WT_EMULATOR_TRANSLATE_X86_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { X86_AX, X86_CX, X86_DX, X86_SI = 6, X86_DI, X86_R8, X86_R9, X86_R10, X86_R11 };

enum { X86_NOTED = 256 * 128 };

/** Dwords that code reads and stores in the memory behind a register: dwords from its first byte
 * on. */
struct x86_notes {
    unsigned base;
    bool drops; /**< stores to what is not read are left out */
    bool lost;  /**< the code accesses it in a way that the notes do not say */
    uint64_t read[X86_NOTED / 4 / 64], stored[X86_NOTED / 4 / 64];
};

/** Code that is being written. Memory of it is `bytes`; past its end nothing is written. */
struct x86_code {
    uint8_t *bytes;
    size_t size, room;
    bool overflow;
    bool narrow; /**< instructions of vectors are of 128 bits, not 256 */
    size_t literal_count;
    uint8_t (*literal)[32];
    size_t fixup_count;
    struct x86_fixup *fixup;
    struct x86_notes *notes; /**< NULL: none are taken */
};

enum { X86_LITERALS = 512, X86_FIXUPS = 32768 };

/** A reference to a literal, whose distance is known at the end. */
struct x86_fixup {
    uint32_t at;     /**< where its 32 bits are */
    uint32_t behind; /**< bytes of the instruction behind them */
    uint32_t literal;
};

/** An operand: a register, memory at a register, a literal of 32 bytes. */
struct x86_place {
    enum { X86_REGISTER, X86_MEMORY, X86_INDEXED, X86_LITERAL } kind;
    unsigned number; /**< number of the register (the base), of the literal */
    int32_t offset;
    unsigned index; /**< register that is added */
    unsigned scale; /**< shifted to the left by so many bits */
    bool each;      /**< vectors of 512 bits: a dword, or a qword, that all lanes have */
};

/* A register. */
static inline struct x86_place x86_reg(unsigned number)
{
    return (struct x86_place){X86_REGISTER, number, 0, 0, 0, false};
}

/* Memory, @p offset bytes behind where a register points to. */
static inline struct x86_place x86_mem(unsigned base, size_t offset)
{
    return (struct x86_place){X86_MEMORY, base, (int32_t)offset, 0, 0, false};
}

/* The base may not be one of the upper eight registers. */
static inline struct x86_place x86_scaled(unsigned base, size_t offset, unsigned index,
                                          unsigned scale)
{
    assert(base < 8);
    return (struct x86_place){X86_INDEXED, base, (int32_t)offset, index, scale, false};
}

/* Memory at the sum of two registers. */
static inline struct x86_place x86_sum(unsigned base, unsigned index)
{
    return x86_scaled(base, 0, index, 0);
}

/** The instructions of vectors: prefix | map << 2 | W << 7 | opcode << 8. */
#define X86_V(prefix, map, w, opcode) ((prefix) | (map) << 2 | (w) << 7 | (opcode) << 8)
enum {
    VMOVDQU = X86_V(2, 1, 0, 0x6f),
    VMOVDQU_TO = X86_V(2, 1, 0, 0x7f),
    VPADDD = X86_V(1, 1, 0, 0xfe),
    VPSUBD = X86_V(1, 1, 0, 0xfa),
    VPMULLD = X86_V(1, 2, 0, 0x40),
    VPADDQ = X86_V(1, 1, 0, 0xd4),
    VPSUBQ = X86_V(1, 1, 0, 0xfb),
    VPMULUDQ = X86_V(1, 1, 0, 0xf4),
    VPMULDQ = X86_V(1, 2, 0, 0x28),
    VPAND = X86_V(1, 1, 0, 0xdb),
    VPOR = X86_V(1, 1, 0, 0xeb),
    VPXOR = X86_V(1, 1, 0, 0xef),
    VPMASKMOVD_TO = X86_V(1, 2, 0, 0x8e), /* a: the register; b: the mask */
    VPABSD = X86_V(1, 2, 0, 0x1e),
    VPMINSD = X86_V(1, 2, 0, 0x39),
    VPMINUD = X86_V(1, 2, 0, 0x3b),
    VPMAXSD = X86_V(1, 2, 0, 0x3d),
    VPMAXUD = X86_V(1, 2, 0, 0x3f),
    VPSHIFTD = X86_V(1, 1, 0, 0x72), /* by a number: /6 left, /2 right, /4 signed */
    VPSHIFTQ = X86_V(1, 1, 0, 0x73),
    VPSLLVD = X86_V(1, 2, 0, 0x47),
    VPSRLVD = X86_V(1, 2, 0, 0x45),
    VPSRAVD = X86_V(1, 2, 0, 0x46),
    VPSLLVQ = X86_V(1, 2, 1, 0x47),
    VPSRLVQ = X86_V(1, 2, 1, 0x45),
    VPCMPEQD = X86_V(1, 1, 0, 0x76),
    VPCMPGTD = X86_V(1, 1, 0, 0x66),
    VPCMPEQQ = X86_V(1, 2, 0, 0x29),
    VPCMPGTQ = X86_V(1, 2, 0, 0x37),
    VPBROADCASTB = X86_V(1, 2, 0, 0x78),
    VPCMPEQB = X86_V(1, 1, 0, 0x74),
    VPBROADCASTD = X86_V(1, 2, 0, 0x58),
    VPBROADCASTQ = X86_V(1, 2, 0, 0x59),
    VPBROADCASTW = X86_V(1, 2, 0, 0x79),
    VMOVD = X86_V(1, 1, 0, 0x6e), /* these of 128 bits only: of a register, or memory */
    VMOVD_TO = X86_V(1, 1, 0, 0x7e),
    VMOVQ = X86_V(2, 1, 0, 0x7e),
    VMOVQ_TO = X86_V(1, 1, 0, 0xd6),
    VPMOVSXBD = X86_V(1, 2, 0, 0x21), /* zeros instead of the sign: 0x10 more */
    VPMOVSXBQ = X86_V(1, 2, 0, 0x22),
    VPMOVSXWD = X86_V(1, 2, 0, 0x23),
    VPMOVSXWQ = X86_V(1, 2, 0, 0x24),
    VPMOVSXDQ = X86_V(1, 2, 0, 0x25),
    VPMOVZXDQ = X86_V(1, 2, 0, 0x35),
    VPACKSSDW = X86_V(1, 1, 0, 0x6b),
    VPACKSSWB = X86_V(1, 1, 0, 0x63),
    VPSHUFD = X86_V(1, 1, 0, 0x70),
    VPBLENDD = X86_V(1, 3, 0, 0x02),
    VPANDN = X86_V(1, 1, 0, 0xdf), /* a = ~b & c */
    VINSERTI128 = X86_V(1, 3, 0, 0x38),
    VPERM2I128 = X86_V(1, 3, 0, 0x46),
    VPUNPCKLDQ = X86_V(1, 1, 0, 0x62),
    VPUNPCKHDQ = X86_V(1, 1, 0, 0x6a),
    VPUNPCKLQDQ = X86_V(1, 1, 0, 0x6c),
    VPUNPCKHQDQ = X86_V(1, 1, 0, 0x6d),
    VEXTRACTI128 = X86_V(1, 3, 0, 0x39), /* to an operand */
    VMOVMSKPS = X86_V(0, 1, 0, 0x50),
    VPGATHERDD = X86_V(1, 2, 0, 0x90),
    VPGATHERDQ = X86_V(1, 2, 1, 0x90),
    VPGATHERQD = X86_V(1, 2, 0, 0x91),
    VPGATHERQQ = X86_V(1, 2, 1, 0x91),
    VPERMD = X86_V(1, 2, 0, 0x36),
    VPINSRD = X86_V(1, 3, 0, 0x22), /* these four of 128 bits only */
    VPINSRQ = X86_V(1, 3, 1, 0x22),
    VPEXTRD = X86_V(1, 3, 0, 0x16), /* to an operand */
    VPEXTRQ = X86_V(1, 3, 1, 0x16),
    VMOVQ_FROM = X86_V(1, 1, 1, 0x6e), /* of an integer register */
    VPERMQ = X86_V(1, 3, 1, 0x00),
    VSHUFPS = X86_V(0, 1, 0, 0xc6),
    VPMOVMSKB = X86_V(1, 1, 0, 0xd7),
    VMOVMSKPD = X86_V(1, 1, 0, 0x50),
    VPBLENDVB = X86_V(1, 3, 0, 0x4c),
    VBLENDVPS = X86_V(1, 3, 0, 0x4a),
    VPTEST = X86_V(1, 2, 0, 0x17),
    VADDPS = X86_V(0, 1, 0, 0x58),
    VMULPS = X86_V(0, 1, 0, 0x59),
    VSUBPS = X86_V(0, 1, 0, 0x5c),
    VMINPS = X86_V(0, 1, 0, 0x5d),
    VMAXPS = X86_V(0, 1, 0, 0x5f),
    VDIVPS = X86_V(0, 1, 0, 0x5e),
    VCMPPS = X86_V(0, 1, 0, 0xc2),
    VCVTDQ2PS = X86_V(0, 1, 0, 0x5b),
    VCVTTPS2DQ = X86_V(2, 1, 0, 0x5b),
    VFMADD132PS = X86_V(1, 2, 0, 0x98), /* a = a * c + b; the negated ones: 0x9a to 0x9e */
    VSQRTPS = X86_V(0, 1, 0, 0x51),
    VSQRTPD = X86_V(1, 1, 0, 0x51),
    VADDPD = X86_V(1, 1, 0, 0x58),
    VMULPD = X86_V(1, 1, 0, 0x59),
    VSUBPD = X86_V(1, 1, 0, 0x5c),
    VDIVPD = X86_V(1, 1, 0, 0x5e),
    VCVTDQ2PD = X86_V(2, 1, 0, 0xe6),
    VCVTTPD2DQ = X86_V(1, 1, 0, 0xe6),
    VROUNDPD = X86_V(1, 3, 0, 0x09),
    VCMPPD = X86_V(1, 1, 0, 0xc2),
    VFMADD132PD = X86_V(1, 2, 1, 0x98),
};

/**
 * Those of 512 bits (x86_512()): also the ones above of which the comments do not say how many bits
 * they have, but for those with masks in vectors, moves to integer registers, and VPTEST, VPBLENDD,
 * VINSERTI128, VPERM2I128. From bit 16 on: how the operand in memory is smaller than 64 bytes: the
 * logarithm of its bytes; 0: it is not. Results that are masks are a k register, the number a.
 */
#define X86_Z(prefix, map, w, opcode, log) (X86_V(prefix, map, w, opcode) | (log) << 16)
enum {
    Z_QWORDS = 1 << 7, /* is added to an instruction of dwords, where that makes one of qwords */
    ZPADDQ = X86_V(1, 1, 1, 0xd4),
    ZPSUBQ = X86_V(1, 1, 1, 0xfb),
    ZPMOVSXDQ = X86_Z(1, 2, 0, 0x25, 5),
    ZPMOVZXDQ = X86_Z(1, 2, 0, 0x35, 5),
    ZPMOVZXBQ = X86_Z(1, 2, 0, 0x32, 3),
    ZPMOVQD = X86_Z(2, 2, 0, 0x35, 5), /* a to an operand */
    ZPMULUDQ = X86_V(1, 1, 1, 0xf4),
    ZPMULDQ = X86_V(1, 2, 1, 0x28),
    ZPSHIFTQ = X86_V(1, 1, 1, 0x73),
    ZPBROADCASTD = X86_Z(1, 2, 0, 0x58, 2),
    ZPBROADCASTQ = X86_Z(1, 2, 1, 0x59, 3),
    ZPBROADCAST = X86_V(1, 2, 0, 0x7c), /* of 32 bits of an integer register */
    ZPCMPD = X86_V(1, 3, 0, 0x1f),      /* a mask; the number: 0 =, 1 <, 2 <=, 4 to 6 the others */
    ZPCMPUD = X86_V(1, 3, 0, 0x1e),
    ZPCMPUQ = X86_V(1, 3, 1, 0x1e),
    ZFPCLASSPS = X86_V(1, 3, 0, 0x66), /* a mask; the number: 0x81: NaNs */
    ZPTESTMD = X86_V(1, 2, 0, 0x27),   /* a mask: where bits are in both */
    ZPBLENDMD = X86_V(1, 2, 0, 0x64),  /* c where the mask is 1, else b */
    ZPTERNLOGD = X86_V(1, 3, 0, 0x25), /* bit 4a + 2b + c of the number */
    ZPMOVM2D = X86_V(2, 2, 0, 0x38),   /* ones of a k register, c */
    ZPMOVZXBD = X86_Z(1, 2, 0, 0x31, 4),
    ZPMOVSXBD = X86_Z(1, 2, 0, 0x21, 4),
    ZPMOVZXWD = X86_Z(1, 2, 0, 0x33, 5),
    ZPMOVSXWD = X86_Z(1, 2, 0, 0x23, 5),
    ZPMOVDB = X86_Z(2, 2, 0, 0x31, 4), /* a to an operand, as in the next one */
    ZPMOVDW = X86_Z(2, 2, 0, 0x33, 5),
    ZINSERTI32X4 = X86_Z(1, 3, 0, 0x38, 4),
    ZEXTRACTI32X4 = X86_Z(1, 3, 0, 0x39, 4), /* a to an operand */
    ZPUNPCKLQDQ = X86_V(1, 1, 1, 0x6c),
    ZPUNPCKHQDQ = X86_V(1, 1, 1, 0x6d),
    ZINSERT = X86_V(1, 3, 1, 0x3a),  /* c, 256 bits, in the upper half if the number is 1, and b */
    ZPERMT2D = X86_V(1, 2, 0, 0x7e), /* a: dwords of a and c that b numbers */
    ZPGATHERDD = X86_V(1, 2, 0, 0x90),
    ZCVTUDQ2PS = X86_V(3, 1, 0, 0x7a),
    ZCVTUDQ2PD = X86_Z(2, 1, 0, 0x7a, 5),
    ZCVTDQ2PD = X86_Z(2, 1, 0, 0xe6, 5),
    ZCVTTPD2UDQ = X86_V(0, 1, 1, 0x78), /* 256 bits of 512, as the next one */
    ZCVTTPD2DQ = X86_V(1, 1, 1, 0xe6),
    ZDIVPD = X86_V(1, 1, 1, 0x5e),
    ZADDPD = X86_V(1, 1, 1, 0x58),
    ZMULPD = X86_V(1, 1, 1, 0x59),
    ZFPCLASSPD = X86_V(1, 3, 1, 0x66),
};
/** Likewise of 512 bits, of which registers are 0 to 31, for lanes of a k register @p mask (0:
 * all); where it is 0 @p a stays as it is (of masks: 0), or, with X86_ZEROS, becomes 0. */
void x86_512(struct x86_code *code, unsigned op, unsigned a, unsigned b, struct x86_place c,
             unsigned mask);
/** Likewise with a byte behind it. */
void x86_512_number(struct x86_code *code, unsigned op, unsigned a, unsigned b, struct x86_place c,
                    unsigned mask, unsigned number);
/** Loads lanes at @p base, one of the lower eight, + a register of vectors, where the k register
 * @p mask is 1; it is 0 then. */
void x86_512_gather(struct x86_code *code, unsigned a, unsigned mask, unsigned base,
                    unsigned index);
enum { X86_ZEROS = 8 };

/** Instructions of k registers, 0 to 7, for x86_mask(). */
enum {
    KMOVW = X86_V(0, 1, 0, 0x90), /* of memory, or of a k register */
    KMOVW_FROM = X86_V(0, 1, 0, 0x92),
    KMOVB = X86_V(1, 1, 0, 0x90),    /* likewise */
    KMOVQ_TO = X86_V(3, 1, 1, 0x93), /* a: an integer register, c: a k register */
    KNOTW = X86_V(0, 1, 0, 0x44),
    KORTESTW = X86_V(0, 1, 0, 0x98),
    KANDW = X86_V(0, 1, 0, 0x41), /* these of two sources */
    KANDNW = X86_V(0, 1, 0, 0x42),
    KORW = X86_V(0, 1, 0, 0x45),
    KXNORW = X86_V(0, 1, 0, 0x46),
    KUNPCKBW = X86_V(1, 1, 0, 0x4b), /* b above c, as in the next ones */
    KUNPCKWD = X86_V(0, 1, 0, 0x4b),
    KUNPCKDQ = X86_V(0, 1, 1, 0x4b),
};
/** An instruction of k registers: @p a, @p b (of two sources), operand @p c. */
void x86_mask(struct x86_code *code, unsigned op, unsigned a, unsigned b, struct x86_place c);

/** An instruction of vectors: register @p a, register @p b (0 where it has none), operand @p c. */
void x86_vector(struct x86_code *code, unsigned op, unsigned a, unsigned b, struct x86_place c);
/** Likewise with a byte behind it. */
void x86_vector_number(struct x86_code *code, unsigned op, unsigned a, unsigned b,
                       struct x86_place c, unsigned number);
/** Loads lanes at @p base, one of the lower eight, + a register of vectors, which are neither @p a
 * nor @p mask: of signs; it is zeros then. */
void x86_gather(struct x86_code *code, unsigned op, unsigned a, unsigned mask, unsigned base,
                unsigned index);
/* Clears the upper halves of all registers of vectors, before code that has none. */
void x86_vzeroupper(struct x86_code *code);

/** Instructions of integer registers; the first opcode byte is that of "register, operand". */
enum {
    X86_ADD = 0x03,
    X86_OR = 0x0b,
    X86_AND = 0x23,
    X86_SUB = 0x2b,
    X86_XOR = 0x33,
    X86_CMP = 0x3b,
    X86_TEST = 0x85,
    X86_LOAD = 0x8b,
    X86_STORE = 0x89, /* register to operand */
};
/** Register @p a, operand @p b: of 32 bits, or (wide) of 64. */
void x86_integer(struct x86_code *code, unsigned op, bool wide, unsigned a, struct x86_place b);
/** Fetches a line of memory into all caches. */
void x86_prefetch(struct x86_code *code, struct x86_place from);
/** Loads 1, 2 or 4 bytes into register @p a, of 32 bits or (wide) 64, with zeros or the sign
 * above them. */
void x86_load_part(struct x86_code *code, unsigned bytes, bool is_signed, bool wide, unsigned a,
                   struct x86_place from);
/** Stores the lower 1, 2, 4 or 8 bytes of register @p a. */
void x86_store_part(struct x86_code *code, unsigned bytes, unsigned a, struct x86_place to);
/** Register @p a and a number, which is extended from 32 bits. */
void x86_integer_number(struct x86_code *code, unsigned op, bool wide, unsigned a, int32_t number);
/** Shifts 64 bits to the left or right. */
void x86_shift(struct x86_code *code, bool left, unsigned a, unsigned by);
/** Shifts 64 bits of register @p a to the left, by another one. */
void x86_shift_by(struct x86_code *code, unsigned a, unsigned by);
/** How many of 32 bits are 1. */
void x86_count_ones(struct x86_code *code, unsigned a, unsigned from);
/** The number of zeros below the lowest 1 of 64 bits, which are not 0. */
void x86_find_one(struct x86_code *code, unsigned a, unsigned from);
/** Multiplies 64 bits. */
void x86_multiply(struct x86_code *code, unsigned a, struct x86_place by);
/* Inverts 32 bits. */
void x86_not(struct x86_code *code, unsigned a);
/** Loads a number. */
void x86_set(struct x86_code *code, unsigned a, uint64_t number);
/** Tests whether bits of a byte are 1. */
void x86_test_byte(struct x86_code *code, struct x86_place place, unsigned bits);
/** Stores MXCSR at one of the lower eight registers. */
void x86_store_flags(struct x86_code *code, struct x86_place to);
/** Loads it from there. */
void x86_load_flags(struct x86_code *code, struct x86_place from);
/** Stores 32 bits. */
void x86_store_number(struct x86_code *code, struct x86_place to, uint32_t number);
/* Jumps to where a register points to. */
void x86_jump_register(struct x86_code *code, unsigned a);
/* Calls the function whose address is at a place. */
void x86_call(struct x86_code *code, struct x86_place function);
/* Saves a register, one of the lower eight, on the stack. */
void x86_push(struct x86_code *code, unsigned a);
/* Restores it. */
void x86_pop(struct x86_code *code, unsigned a);
/* Returns to the caller. */
void x86_return(struct x86_code *code);

/** Conditions of jumps. */
enum {
    X86_ALWAYS = -1,
    X86_BELOW = 2,
    X86_NOT_BELOW,
    X86_ZERO,
    X86_NOT_ZERO,
    X86_NOT_ABOVE,
    X86_ABOVE,
    X86_LESS = 12,
    X86_NOT_LESS,
    X86_NOT_GREATER,
    X86_GREATER
};
/** Loads 64 bits if a condition holds. */
void x86_move_if(struct x86_code *code, int condition, unsigned a, struct x86_place from);
/** Stores a byte: 1 if a condition holds, else 0. */
void x86_store_condition(struct x86_code *code, int condition, struct x86_place to);
/** Loads the address of a place of the code that x86_land() tells; returns where its distance is.
 */
size_t x86_address(struct x86_code *code, unsigned a);
/** A jump to a place that x86_land() tells; returns where its distance is. */
size_t x86_jump(struct x86_code *code, int condition);
/** The jump goes to the byte @p to of the code. */
void x86_land(struct x86_code *code, size_t jump, size_t to);

/** A literal: @p size bytes, 4, 8, 16 or 32, repeated to 32. Equal ones are one. */
struct x86_place x86_literal(struct x86_code *code, const void *bytes, size_t size);
/** Writes the literals behind the code. */
void x86_finish(struct x86_code *code);

#endif
