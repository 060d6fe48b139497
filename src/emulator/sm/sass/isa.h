/*
 * The instruction set sm_50 (Maxwell): instruction words, control words, decoding, text. The
 * tables are isa.def (instructions) and fields.def (modifiers); this header is all that uses them.
 */
#ifndef WT_EMULATOR_SM_SASS_ISA_H
#define WT_EMULATOR_SM_SASS_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** How operand B is given. */
enum sm_form {
    SM_FORM_R,  /**< a register at bit 20 */
    SM_FORM_C,  /**< c[bank at bit 34][offset] */
    SM_FORM_I,  /**< an immediate of 19 bits and the sign at bit 56 */
    SM_FORM_RC, /**< a register at bit 39; operand C is in constant memory */
    SM_FORMS,
};

enum sm_insn {
#define I(id, class, executor, text, state, mask, reg, con, imm, rc, ...) SM_##id,
#include "emulator/sm/sass/isa.def"
#undef I
    SM_INSNS
};

/** A row of the table. */
struct sm_row {
    const char *text;  /**< see isa.def */
    const char *state; /**< likewise */
    uint64_t mask;
    uint64_t word[SM_FORMS]; /**< 0: there is no such form */
    const uint8_t *meaning;  /**< WT_M_END: it has none */
};

extern const struct sm_row sm_rows[SM_INSNS];

/** A row of fields.def. */
struct sm_field {
    const char *name;
    uint8_t pos, width, high_pos, high_width;
    const char *names;
};

enum sm_field_id {
#define F(name, pos, width, high_pos, high_width, names) SM_F_##name,
#include "emulator/sm/sass/fields.def"
#undef F
    SM_FIELDS
};

extern const struct sm_field sm_fields[SM_FIELDS];

/* Bits pos .. pos + width - 1; width is 63 at most. */
static inline uint64_t sm_bits(uint64_t word, unsigned pos, unsigned width)
{
    return word >> pos & ((UINT64_C(1) << width) - 1);
}

/** The value of a field of fields.def: SM_FIELD(word, sat50). Both ranges are constants. */
#define SM_FIELD(word, name) sm_field_value((word), SM_F_##name)

/* The value of a field, whose parts are put together. */
static inline unsigned sm_field_value(uint64_t word, enum sm_field_id id)
{
    const struct sm_field *f = &sm_fields[id];
    return (unsigned)(sm_bits(word, f->pos, f->width) | sm_bits(word, f->high_pos, f->high_width)
                                                            << f->width);
}

/** The instruction of a word, and its form; false if there is none. */
bool sm_decode(uint64_t word, enum sm_insn *insn, enum sm_form *form);

/** Whether each field of the word has a value that has a name. */
bool sm_fields_legal(uint64_t word, enum sm_insn insn);

/** The mnemonic of a row without its modifiers: "IADD". */
void sm_mnemonic(enum sm_insn insn, char *text, size_t size);

/** The signed immediate of operand B. */
static inline uint32_t sm_immediate(uint64_t word)
{
    return (uint32_t)sm_bits(word, 20, 19) | (word >> 56 & 1 ? 0xfff80000u : 0);
}

/** The operation of FSWZADD in a lane: the signs of A and B; Z: A is left out. */
enum { SM_SWIZZLES = 4 };
extern const char *const sm_swizzles[SM_SWIZZLES];
/** The index in sm_swizzles of lane 0..3 of each four. */
static inline unsigned sm_swizzle(uint64_t word, unsigned lane)
{
    return (unsigned)sm_bits(word, 34 - 2 * lane, 2);
}

/** Why an instruction of NVIDIA's GPUs is not in the table. */
struct sm_refused {
    const char *name; /**< "IPA" */
    const char *why;  /**< "graphics" */
};

/** The instruction of a word that sm_decode() refuses; NULL: no known one. */
const struct sm_refused *sm_refused_word(uint64_t word);
/** Likewise by the mnemonic without its modifiers. */
const struct sm_refused *sm_refused_name(const char *name, size_t length);

/** The entries of that table by their number; NULL: there are no more. */
const struct sm_refused *sm_refused_at(size_t n);

/* ---- control words ---- */

/** Each bundle of 32 bytes begins with a control word for the three instructions behind it. */
#define SM_BUNDLE 32

/** The part of a control word for one instruction, 21 bits. */
struct sm_control {
    uint8_t stall;         /**< cycles, 0..15 */
    bool yield;            /**< bit 4, as it stands in the word: 0 is a hint to yield */
    uint8_t write_barrier; /**< 0..5; 7: none */
    uint8_t read_barrier;  /**< 0..5; 7: none */
    uint8_t wait;          /**< barriers to wait for, a bit set of 6 */
    uint8_t reuse;         /**< operands A, B, C to keep, a bit set of 4 */
};

/** The word's part for instruction @p slot, 0..2. */
struct sm_control sm_control_get(uint64_t word, unsigned slot);
/** The word with instruction @p slot set. */
uint64_t sm_control_set(uint64_t word, unsigned slot, struct sm_control control);
/** Whether an instruction's result takes an unknown time: a barrier announces it. */
bool sm_is_slow(enum sm_insn insn);
/** The least stall of BPT, and its default. */
#define SM_BPT_STALL 5
/**
 * A part that is safe for any instruction: it stalls for the longest fixed latency, and waits for
 * the barrier that instructions of unknown latency announce.
 */
struct sm_control sm_control_safe(uint64_t word, enum sm_insn insn);
/** The part that a text such as "[B01----:R0:W1:Y:S05]" says; *at then points behind it. False: it
 * is no such text. */
bool sm_control_parse(const char **at, struct sm_control *control);
/** No barriers, no stall. */
#define SM_CONTROL_NONE ((struct sm_control){.write_barrier = 7, .read_barrier = 7})
/** Whether an address holds a control word. */
static inline bool sm_is_control(uint64_t addr)
{
    return addr % SM_BUNDLE == 0;
}
/** The instruction behind the one at @p pc: control words are skipped. */
static inline uint64_t sm_next_pc(uint64_t pc)
{
    pc += 8;
    return sm_is_control(pc) ? pc + 8 : pc;
}

/* ---- text ---- */

/** The name of special register @p number as in "SR_TID.X"; NULL if it has none. */
const char *sm_special_name(unsigned number);
/** The number of a special register; false if there is none of this name. */
bool sm_special_number(const char *name, size_t length, unsigned *number);

/**
 * The text of an instruction at @p pc in NVIDIA's notation, without semicolon; @p reuse as in its
 * control word. What is no instruction reads ".quad 0x…".
 */
void sm_disassemble(uint64_t word, uint64_t pc, unsigned reuse, char *text, size_t size);
/** The text of what a control word says of an instruction: "[B01----:R0:W1:Y:S05]". */
void sm_control_text(struct sm_control control, char *text, size_t size);

/** Finds the address of a label; false if there is none. */
typedef bool (*sm_label_fn)(void *context, const char *name, size_t length, uint64_t *address);

/**
 * Assembles one instruction that stands at @p pc. @p *reuse becomes the operands marked ".reuse".
 * On failure *column is the place of the mistake in @p text, from 0.
 */
enum wt_status sm_assemble(const char *text, uint64_t pc, sm_label_fn label, void *context,
                           uint64_t *word, unsigned *reuse, size_t *column, struct wt_error *err);

/* ---- the table's text, item by item: for text.c and asm.c ---- */

enum sm_item_kind {
    SM_ITEM_END,
    SM_ITEM_CHARS,   /**< characters of the mnemonic */
    SM_ITEM_FIELD,   /**< a modifier */
    SM_ITEM_PHASE,   /**< .T or .P of a texture instruction, which the control word has */
    SM_ITEM_TYPES,   /**< the types of a video instruction */
    SM_ITEM_OPERAND, /**< an operand */
};

#define SM_NO_BIT 0xff

struct sm_item {
    enum sm_item_kind kind;
    bool b_is_unsigned; /**< TYPES: operand B has no sign */
    const char *chars;  /**< CHARS, or an operand of characters */
    size_t length;
    enum sm_field_id field; /**< FIELD; an operand that is one */
    char what;              /**< the operand's letter; '[' a field, '\'' characters */
    bool optional;
    uint8_t neg, abs, inv, cc; /**< bits; SM_NO_BIT: none */
    uint8_t pos, width;        /**< bits of p, u, s, m, w, W, r, R */
    uint64_t fallback;         /**< its default */
    bool has_part;
    enum sm_field_id part; /**< the field behind it */
};

/** Whether an operand is a number in this form: its sign is its own, ".NEG" behind it the bit. */
static inline bool sm_item_is_immediate(const struct sm_item *item, enum sm_form form)
{
    const char w = item->what;
    return w == 'F' || (form == SM_FORM_I && (w == 'b' || w == 'n' || w == 'f' || w == 'g'));
}

/* A texture instruction names components of one or two vectors of registers by the same bits. */
static inline enum sm_field_id sm_components(uint64_t word)
{
    return sm_bits(word, 28, 8) == 255 ? SM_F_some50 : SM_F_more50;
}

/** Operands of video instructions: bytes, halves or whole words, with a sign or without one. */
enum sm_video_size { SM_VIDEO_BYTE = 0, SM_VIDEO_HALF = 4, SM_VIDEO_WORD = 6 };

/** The size of operand A, or (@p b) of B, whose immediate has 16 bits. */
static inline enum sm_video_size sm_video_size(uint64_t word, bool b)
{
    const unsigned part = (unsigned)sm_bits(word, b ? 28 : 36, 3);
    if (b && !(word >> 50 & 1))
        return SM_VIDEO_HALF;
    return part < SM_VIDEO_HALF   ? SM_VIDEO_BYTE
           : part < SM_VIDEO_WORD ? SM_VIDEO_HALF
                                  : SM_VIDEO_WORD;
}

/** As field atom52 numbers them; CAS and SAFEADD are ours. */
enum sm_atomic {
    SM_ATOMIC_ADD,
    SM_ATOMIC_MIN,
    SM_ATOMIC_MAX,
    SM_ATOMIC_INC,
    SM_ATOMIC_DEC,
    SM_ATOMIC_AND,
    SM_ATOMIC_OR,
    SM_ATOMIC_XOR,
    SM_ATOMIC_EXCH,
    SM_ATOMIC_CAS,
    SM_ATOMIC_SAFEADD,
};

/** Whether operand A, or B, of a video instruction has a sign. */
static inline bool sm_video_signed(uint64_t word, bool b)
{
    return word >> (b ? 49 : 48) & 1;
}

/** Takes the next item of a row's text. @p *at begins at the row's text. */
struct sm_item sm_item_next(const char **at, bool *in_operands);

/** Characters of name @p value of a field; NULL if it has none. */
const char *sm_field_name(const struct sm_field *field, unsigned value, size_t *length);

#endif
