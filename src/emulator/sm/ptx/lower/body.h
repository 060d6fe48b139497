/*
 * A body of a function of PTX that is being lowered: its names, its frame, its records, and the
 * operands of its statements. What the ptx_lower*.c share.
 */
#ifndef WT_EMULATOR_SM_PTX_LOWER_BODY_H
#define WT_EMULATOR_SM_PTX_LOWER_BODY_H

#include "emulator/sm/ptx/lower/lower.h"

#define NONE UINT32_MAX
#define BUCKETS 256

enum entry_kind {
    ENTRY_REGISTER,
    ENTRY_KERNEL_PARAMETER, /* number: bytes from the first one */
    ENTRY_ROWS,             /* a parameter of a function: slot */
    ENTRY_LOCAL,            /* number: bytes into the frame's local memory */
    ENTRY_STATIC,           /* a variable of another space that is declared in the body */
    ENTRY_TARGETS,          /* number: index of the image's targets, once they are complete */
    ENTRY_PROTOTYPE,
};

/* The meaning of a name in a function, or in a block of it. */
struct ptx_entry {
    struct ptx_name name;
    enum entry_kind kind;
    const struct ptx_variable *variable;
    const struct ptx_symbol *symbol; /* the symbol of an ENTRY_STATIC */
    uint32_t slot;
    uint64_t number;
    uint32_t next; /* in its bucket */
    uint32_t bucket;
};

struct label {
    struct ptx_name name;
    uint32_t record; /* NONE: not met yet */
    uint32_t next;
    struct ptx_place place;
};

/* A function that is being lowered. */
struct body {
    struct ptx_linker *l;
    struct sm_ptx *image;
    uint32_t module;
    const struct ptx_module *text;
    const struct ptx_function *f;
    const struct ptx_statement *s; /* the statement */
    struct ptx_form form;
    struct ptx_entry *entry;
    size_t entry_count, entry_room;
    uint32_t bucket[BUCKETS], label_bucket[BUCKETS];
    struct label *label;
    size_t label_count, label_room;
    uint32_t scope[80]; /* entry_count where each open block begins */
    unsigned depth;
    uint32_t rows; /* so far */
    uint32_t predicate_slot, predicates_left;
    uint32_t dump;     /* slot of two rows that nobody reads; NONE: none yet */
    uint32_t matrices; /* slot of rows where operands of matrices lie together; likewise */
    uint64_t local;
    uint32_t first_record;
    uint32_t info; /* index of its ptx_function_info */
};

/* ---- sm/ptx/lower/body.c: mistakes, names, the frame, records ---- */

/** Raises a mistake at the statement; false. */
bool body_fail(struct body *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Fails at an operand. */
bool body_fail_at(struct body *b, const struct ptx_operand *o, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** There is no such instruction; false. */
bool body_unsupported(struct body *b);

/* The bucket of a name. */
uint32_t body_hash(struct ptx_name name);
/* Adds a name to the innermost block; false without host memory, which was raised. */
bool body_add_entry(struct body *b, struct ptx_entry e);
/** Forgets the names of the innermost block. */
void body_close_scope(struct body *b);
/** The entry of a name, and which one of its range: "%r12" of "%r<40>". NULL: there is none. */
const struct ptx_entry *body_find(const struct body *b, struct ptx_name name, uint32_t *number);

/* Bytes of a lane's value in the frame: 4 or 8. */
unsigned body_register_bytes(const struct ptx_variable *v);
/** Rows of the frame; the slot of the first one. */
uint32_t body_take_rows(struct body *b, uint32_t count);
/** Whether the frame has grown too large, which is a mistake then. */
bool body_too_large(struct body *b);
/** A slot for a value of 4 or 8 bytes. */
uint32_t body_temporary(struct body *b, unsigned bytes);
/** The slot of two rows that nobody reads. */
uint32_t body_dump(struct body *b);
/* Gives the registers of a .reg declaration their rows; false: a mistake was raised. */
bool body_declare_register(struct body *b, const struct ptx_variable *v);
/* Any declaration within a body (.reg, .local, .shared, .param). */
bool body_declare(struct body *b, const struct ptx_variable *v);

/** Adds a record of the statement without its guard. NULL: no host memory, and that was raised. */
struct ptx_op *body_emit(struct body *b, sm_op run);

/* ---- sm/ptx/lower/operand.c: operands of the statement ---- */

/** How many the opcode has at least. */
unsigned body_operands_of(const struct body *b);
/* Operand n of the statement. */
const struct ptx_operand *body_operand(const struct body *b, unsigned n);
/* How many the statement has. */
unsigned body_operand_count(const struct body *b);
/** Element n of a list. */
const struct ptx_operand *body_item(const struct body *b, const struct ptx_operand *o, unsigned n);
/** The slot of a register, which has any width. */
bool body_register_operand(struct body *b, const struct ptx_operand *o, const struct ptx_entry **e,
                           uint32_t *slot);
/** A destination that may be wider than the type: for memory and conversions. */
bool body_loose_register(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                         uint32_t *slot, unsigned *bytes);
/** Such a source, with what is added to it. */
bool body_loose_source(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                       struct ptx_source *s, unsigned *bytes);
/**
 * Splits a[i], of elements of *size bytes: *plain is the array with the offset of a constant
 * index, *index another one, or NULL. False: a mistake was raised.
 */
bool body_index(struct body *b, const struct ptx_operand *o, struct ptx_operand *plain,
                const struct ptx_operand **index, uint64_t *size);
/** A destination of the type's width; a sink is body_dump. */
bool body_destination(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                      uint32_t *slot);
/** Likewise; a sink is NONE. */
bool body_optional_destination(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                               uint32_t *slot);
/** A source; records that compute it come before that of the statement. */
bool body_source(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                 struct ptx_source *s);
/* A constant row of the value. */
bool body_constant(struct body *b, enum ptx_type type, uint64_t value, struct ptx_source *s);
/** Elements of {a, b} or of a register that was declared as a vector; 0: the operand is neither. */
unsigned body_elements_of(struct body *b, const struct ptx_operand *o);
/** Element i of such an operand. */
struct ptx_operand body_element_of(struct body *b, const struct ptx_operand *o, unsigned i);
/** Where parameter n of a range ("%P<2>") is in the frame. */
uint32_t body_parameter_slot(const struct ptx_entry *e, uint32_t n);

/** The elements of a register whose first one is vector[0] of the record. */
void body_register_elements(const struct ptx_variable *v, struct ptx_op *record);

/** Adds the record of the statement, with its guard. NULL: an error was raised. */
struct ptx_op *body_emit_guarded(struct body *b, sm_op run);
/** A record without operands. */
struct ptx_op body_blank(void);
/** Adds a record that was made from body_blank(). */
bool body_put_record(struct body *b, sm_op run, const struct ptx_op *record);

/* ---- the statements; the functions that ptx.def names ---- */

/** Bit 2a + b of the truth tables: a and b; a or b; a xor b; not a; a. */
enum { TABLE_AND = 8, TABLE_OR = 14, TABLE_XOR = 6, TABLE_NOT = 3, TABLE_FIRST = 12 };
/** Of predicates. */
bool body_predicate_logic(struct body *b, unsigned table);
/* The label that the statement is; false: it is there already. */
bool body_define_label(struct body *b);
/** name: .branchtargets a, b; until the body ends they are numbers of labels. */
bool body_define_targets(struct body *b);
/** Lowers a function without a body: its records call the driver's function of its name. */
bool body_lower_builtin(struct body *b);

/* sm/ptx/lower/alu.c */
/** The types of the operands of an operation on integers of a type, the result first. */
void ptx_operand_types(enum ptx_math op, enum ptx_type t, enum ptx_type types[static 5]);
/** Arithmetic on integers and floats. */
bool ptx_lower_arithmetic(struct body *b, enum ptx_math op);
/* setp, set. */
bool ptx_lower_compare(struct body *b, enum ptx_math op);
/* and, or, xor, not, of registers and predicates. */
bool ptx_lower_logic(struct body *b, enum ptx_math op);
/* selp, slct. */
bool ptx_lower_select(struct body *b, enum ptx_math op);
/* testp. */
bool ptx_lower_test(struct body *b, enum ptx_math op);
/* sm/ptx/lower/move.c */
bool ptx_lower_convert(struct body *b, enum ptx_math op);
/* sm/ptx/exec/mbarrier.c */
bool ptx_lower_mbarrier(struct body *b, enum ptx_math op);
/* Completes so many bytes at the barrier whose address the record has. */
bool ptx_put_completion(struct body *b, const struct ptx_op *at, const struct ptx_source *bytes);
/* sm/ptx/exec/bulk.c */
/* cp: copies, and arrivals that they cause. */
bool ptx_lower_asynchronous(struct body *b, enum ptx_math op);
/* sm/ptx/exec/pack.c */
/** cvt.pack, and cvt to and from FP8 and TF32. */
bool ptx_lower_pack(struct body *b);
/* cvta. */
bool ptx_lower_generic(struct body *b, enum ptx_math op);
/* isspacep. */
bool ptx_lower_isspacep(struct body *b, enum ptx_math op);
/* mapa, getctarank. */
bool ptx_lower_cluster(struct body *b, enum ptx_math op);
/* mov. */
bool ptx_lower_move(struct body *b, enum ptx_math op);
/* sm/ptx/lower/memory.c */
bool ptx_lower_alloca(struct body *b, enum ptx_math op);
/* atom, red. */
bool ptx_lower_atomic(struct body *b, enum ptx_math op);
/* ld, ldu. */
bool ptx_lower_load(struct body *b, enum ptx_math op);
/* cp.async. */
bool ptx_lower_copy(struct body *b, enum ptx_math op);
/* Instructions without an effect here: prefetch and the like. */
bool ptx_lower_nothing(struct body *b, enum ptx_math op);
/* fence, membar: an observer is told. */
bool ptx_lower_fence(struct body *b, enum ptx_math op);
/* stacksave, stackrestore. */
bool ptx_lower_stack(struct body *b, enum ptx_math op);
/* st. */
bool ptx_lower_store(struct body *b, enum ptx_math op);
/* createpolicy. */
bool ptx_lower_policy(struct body *b, enum ptx_math op);
/** The address of an instruction on memory, and the space that its name implies. */
bool body_address(struct body *b, const struct ptx_operand *memory, enum ptx_space *space,
                  struct ptx_op *record);
/* sm/ptx/lower/matrix.c */
bool ptx_lower_matrix(struct body *b, enum ptx_math op);
/* ldmatrix, stmatrix. */
bool ptx_lower_matrix_memory(struct body *b, enum ptx_math op);
/* wmma. */
bool ptx_lower_fragment(struct body *b, enum ptx_math op);
/* movmatrix. */
bool ptx_lower_transpose(struct body *b, enum ptx_math op);
/* sm/ptx/lower/flow.c */
bool ptx_lower_branch(struct body *b, enum ptx_math op);
/* call. */
bool ptx_lower_call(struct body *b, enum ptx_math op);
/* exit. */
bool ptx_lower_exit(struct body *b, enum ptx_math op);
/* ret. */
bool ptx_lower_ret(struct body *b, enum ptx_math op);
/* brx.idx. */
bool ptx_lower_table(struct body *b, enum ptx_math op);
/* trap, brkpt. */
bool ptx_lower_trap(struct body *b, enum ptx_math op);
/* sm/ptx/lower/texture.c */
bool ptx_lower_surface(struct body *b, enum ptx_math op);
/* tex, tld4. */
bool ptx_lower_texture(struct body *b, enum ptx_math op);
/* txq, suq. */
bool ptx_lower_texture_query(struct body *b, enum ptx_math op);
/* sm/ptx/lower/warp.c */
bool ptx_lower_active(struct body *b, enum ptx_math op);
/* elect. */
bool ptx_lower_elect(struct body *b, enum ptx_math op);
/* bar, barrier. */
bool ptx_lower_barrier(struct body *b, enum ptx_math op);
/* match. */
bool ptx_lower_match(struct body *b, enum ptx_math op);
/* redux. */
bool ptx_lower_redux(struct body *b, enum ptx_math op);
/* Instructions on the halves or bytes of words. */
bool ptx_lower_parts(struct body *b, enum ptx_math op);
/* add, min, max of .u16x2 and .s16x2. */
bool ptx_lower_halves(struct body *b, enum ptx_math op);
/* Instructions on a part of a word each. */
bool ptx_lower_scalar_video(struct body *b, enum ptx_math op);
/* shfl. */
bool ptx_lower_shuffle(struct body *b, enum ptx_math op);
/* vote. */
bool ptx_lower_vote(struct body *b, enum ptx_math op);

#endif
