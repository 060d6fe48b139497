/*
 * DWARF's stack machine (DWARF 5, 2.5) while a location is compiled to the core's form. For the
 * files dwarf_*.c of debug/source.
 */
#ifndef WT_DEBUG_SOURCE_DWARF_MACHINE_H
#define WT_DEBUG_SOURCE_DWARF_MACHINE_H

#include "debug/source/build.h"

enum { DWARF_STACK = 64, DWARF_JUMPS = 32 };

/** A cell of the stack. */
struct cell {
    wt_expr_vector vector;
    uint32_t space;             /**< the address space */
    bool in_frame;              /**< an address within a function's frame */
    bool is_loaded;             /**< an address of the file has the bias of its module */
    bool in_file;               /**< an offset in the register file */
    bool is_saved;              /**< … that lies in `space` in this frame */
    bool overflows;             /**< generic type: bits above those of an address mean nothing */
    const struct wt_type *type; /**< NULL: the generic type */
};

/** An operation to which lanes have jumped, and the stack that they bring there. */
struct join {
    struct join *next;
    uint64_t offset; /**< offset of the operation within the expression, in bytes */
    size_t jump[DWARF_JUMPS];
    unsigned jumps;
    unsigned count;
    struct cell stack[DWARF_STACK];   /**< that of the first jump */
    wt_expr_vector home[DWARF_STACK]; /**< where each jump leaves the stack's cells */
    bool differs[DWARF_STACK];        /**< jumps bring different vectors: `home` is the cell */
    bool is_value;
};

/** The result of one expression. */
struct machine {
    struct wt_build *b;
    Dwarf_Attribute *attribute; /**< which the operations are of; NULL: of call frame information */
    const struct wt_frame *frame;
    uint64_t bias;
    uint64_t size; /**< size of the value; 0: unknown */
    struct cell stack[DWARF_STACK];
    unsigned count;
    bool takes_bits;             /**< registers are places in the register file */
    bool is_of_home;             /**< the result is an address, not a value */
    const Dwarf_Op *ops;         /**< all operations, */
    const struct wt_type **type; /**< where the base type of the result goes, which then is a value;
                                      NULL: the result is an address, if nothing says otherwise */
    bool is_value;               /**< the top is the value, not its address */
    bool is_register;            /**< `place` is a register */
    struct wt_operand place;     /**< … in one piece, or several */
    const uint8_t *block;        /**< DW_OP_implicit_value */
    size_t block_size;
    wt_expr_vector bits; /**< pieces that do not end at a byte: `bit_count` bits so far, */
    unsigned bit_count;
    uint64_t lost;      /**< … and which of them are optimised out */
    struct join *joins; /**< behind the present operation */
    bool has_left;      /**< every lane has jumped: no lane comes to the present operation */
};

/** Fails with a sentence about debug information that is damaged. */
static inline enum wt_status malformed(struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "the debug information is damaged: a location is malformed");
}

/** Puts a cell on the stack. */
static inline enum wt_status push_cell(struct machine *m, struct cell cell, struct wt_error *err)
{
    if (m->count == DWARF_STACK)
        return malformed(err);
    m->stack[m->count++] = cell;
    return WT_OK;
}

/** Takes the top of the stack. */
static inline enum wt_status pop_cell(struct machine *m, struct cell *cell, struct wt_error *err)
{
    if (m->count == 0)
        return malformed(err);
    *cell = m->stack[--m->count];
    return WT_OK;
}

/** Takes the vector of the top of the stack. */
static inline enum wt_status pop(struct machine *m, wt_expr_vector *v, struct wt_error *err)
{
    struct cell cell = {0};
    enum wt_status status = pop_cell(m, &cell, err);
    *v = cell.vector;
    return status;
}

/** Puts a vector on the stack, of the generic type. */
static inline enum wt_status push(struct machine *m, wt_expr_vector v, struct wt_error *err)
{
    return push_cell(m, (struct cell){.vector = v}, err);
}

/** Bytes of an address: 4 or 8. */
unsigned wt_machine_address_size(const struct machine *m);

/** Puts a number on the stack. */
static inline enum wt_status push_constant(struct machine *m, uint64_t value, struct wt_error *err)
{
    const bool overflows = wt_machine_address_size(m) < 8 && value > UINT32_MAX;
    return push_cell(
        m, (struct cell){.vector = wt_build_constant(m->b, value), .overflows = overflows}, err);
}

/** Takes the top of the stack, as an address or a condition: of the generic type's width. */
enum wt_status wt_machine_pop_address(struct machine *m, wt_expr_vector *v, struct wt_error *err);
/** An operation on one or two numbers of the stack. */
enum wt_status wt_machine_arithmetic(struct machine *m, unsigned atom, struct wt_error *err);
/** An operation that names a base type (DWARF 5, 2.5.1.2, 2.5.1.6). */
enum wt_status wt_machine_typed(struct machine *m, const Dwarf_Op *op, struct wt_error *err);

/** Converts the number of a register on the stack to its offset in the register file. */
enum wt_status wt_machine_file_place(struct machine *m, struct wt_error *err);
/** Puts the number of the lane on the stack. */
enum wt_status wt_machine_lane(struct machine *m, struct wt_error *err);
/**
 * Replaces an offset in the file by the address that is stored there for the lane: elements have 8
 * bytes. Of code for 32 lanes the registers are those of the first 16.
 */
enum wt_status wt_machine_stored_address(struct machine *m, struct wt_error *err);
/**
 * Checks a variable's value that lanes have in the register file, or that all share (@p stride 0):
 * lanes leave where the code has not computed it yet, and where the registers have something else.
 * @p from is its offset in the file, of lane @p first; UINT_MAX: unknown, and nothing is checked.
 */
enum wt_status wt_machine_check_value(struct machine *m, unsigned from, unsigned size,
                                      unsigned stride, unsigned first, struct wt_error *err);
/** Likewise of a place in the file that is the same for all lanes. */
enum wt_status wt_machine_check_place(struct machine *m, const struct cell *place, uint64_t offset,
                                      uint64_t size, struct wt_error *err);
/**
 * The place in scratch memory of what each lane has in a register that the code has spilled, if
 * DW_OP_deref @p op reads it as Intel's compiler writes it: DW_OP_const8u, the lane (less 16 in the
 * other half of 32), DW_OP_litN, DW_OP_shl, DW_OP_plus. 0: it is another expression.
 */
uint64_t wt_machine_spilled_at(const struct machine *m, const Dwarf_Op *op, unsigned *size,
                               unsigned *first);
/**
 * Replaces such a place by the memory there. For its whole scope it is the variable's address. In a
 * list of locations it is the value, though DW_OP_stack_value does not follow. Of smaller numbers
 * than the elements nothing tells whether the registers had them packed.
 */
enum wt_status wt_machine_take_spilled(struct machine *m, uint64_t spilled, unsigned size,
                                       unsigned first, struct wt_error *err);
/** DW_OP_INTEL_push_bit_piece_stack: a place in the file, an offset and a size in bits. */
enum wt_status wt_machine_bits(struct machine *m, const Dwarf_Op *op, struct wt_error *err);

/**
 * Operation @p at of @p count, DW_OP_bra or DW_OP_skip: lanes go to its target, with the stack.
 * Targets are behind it; a loop is refused.
 */
enum wt_status wt_machine_jump(struct machine *m, const Dwarf_Op *ops, size_t count, size_t at,
                               struct wt_error *err);
/** Before the operation at @p offset: the lanes that have jumped there come together with those
 *  that come from the operation before. */
enum wt_status wt_machine_join(struct machine *m, uint64_t offset, struct wt_error *err);
/** Frees what a failure has left. */
void wt_machine_free_joins(struct machine *m);

#endif
