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
    uint32_t space; /**< of what is an address */
    bool in_frame;  /**< an address within a function's frame */
    bool is_loaded; /**< of the file, with the bias of its module */
    bool in_file;   /**< an offset in the register file */
    bool is_saved;  /**< … that lies in `space` in this frame */
    bool overflows; /**< of the generic type: bits above those of an address mean nothing */
    const struct wt_type *type; /**< NULL: the generic type */
};

/** An operation to which lanes have jumped, and the stack that they bring there. */
struct join {
    struct join *next;
    uint64_t offset; /**< of the operation within the expression, in bytes */
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
    uint64_t size; /**< of the value; 0: unknown */
    struct cell stack[DWARF_STACK];
    unsigned count;
    bool takes_bits;         /**< registers are places in the register file */
    bool is_of_home;         /**< the result is an address, not a value */
    const Dwarf_Op *ops;     /**< all operations, */
    bool is_value;           /**< the top is the value, not its address */
    bool is_register;        /**< `place` is a register */
    struct wt_operand place; /**< … in one piece, or several */
    const uint8_t *block;    /**< DW_OP_implicit_value */
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

/** Bytes of an address: 4 or 8. */
unsigned wt_machine_address_size(const struct machine *m);
/** Takes the top of the stack, as an address or a condition: of the generic type's width. */
enum wt_status wt_machine_pop_address(struct machine *m, wt_expr_vector *v, struct wt_error *err);
/** An operation on one or two numbers of the stack. */
enum wt_status wt_machine_arithmetic(struct machine *m, unsigned atom, struct wt_error *err);
/** An operation that names a base type (DWARF 5, 2.5.1.2, 2.5.1.6). */
enum wt_status wt_machine_typed(struct machine *m, const Dwarf_Op *op, struct wt_error *err);

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
