/*
 * Values while an expression is compiled to the core's form: where their bytes are, in vectors of
 * one cell a lane. A value is in pieces: memory at an address, the low bytes of a cell (of a
 * register, a constant, a result), or lost. For the files of debug/source.
 */
#ifndef WT_DEBUG_SOURCE_BUILD_H
#define WT_DEBUG_SOURCE_BUILD_H

#include <elfutils/libdw.h>

#include "debug/core/debugger.h"
#include "debug/source/types.h"

struct wt_frame;
struct wt_frames;

#define WT_PIECES 32 /**< pieces of one value, at most */

enum wt_piece_kind {
    WT_PIECE_MEMORY, /**< at the address in `vector` */
    WT_PIECE_CELL,   /**< the low bytes of `vector` */
    WT_PIECE_LOST,   /**< optimised out */
};

struct wt_piece {
    enum wt_piece_kind kind;
    wt_expr_vector vector;
    uint32_t space; /**< MEMORY: which address space */
    bool in_frame;  /**< MEMORY: a variable of the frame, or a part of one, whose place its debug
                         information computes from registers without a look at memory */
    bool unstored;  /**< MEMORY: a parameter, or a part of one, that the prologue stores later */
    int reg;        /**< CELL: index of the register that it is, or a part of; -1: none */
    uint64_t from;  /**< … from this byte of it on */
    uint64_t size;  /**< bytes */
    uint64_t lost;  /**< CELL: bits of it that are optimised out */
};

struct wt_operand {
    const struct wt_type *type;
    uint32_t bit_offset, bit_size;   /**< a bit field's; bit_size 0: none */
    const struct wt_type *reference; /**< a reference led here: its type; NULL: none did */
    /** A pointer that is optimised out, to a variable that is not: which one, and how far into it
     * (DW_OP_implicit_pointer). addr NULL: it is none. */
    Dwarf_Die pointee;
    int64_t pointee_offset;
    unsigned piece_count;
    struct wt_piece piece[WT_PIECES];
};

struct wt_build;

/** The questions of location descriptions about a frame. */
struct wt_frame_ops {
    /** The register of this DWARF number. */
    enum wt_status (*dwarf_register)(struct wt_build *b, const struct wt_frame *frame,
                                     uint64_t number, struct wt_operand *o, struct wt_error *err);
    enum wt_status (*cfa)(struct wt_build *b, const struct wt_frame *frame, wt_expr_vector *cfa,
                          struct wt_error *err);
    /** The base that DW_OP_fbreg counts from; *in_frame: it is an address of the space of frames.
     */
    enum wt_status (*base)(struct wt_build *b, const struct wt_frame *frame, wt_expr_vector *base,
                           bool *in_frame, struct wt_error *err);
    /** Whether a called function has saved the register of this DWARF number whole in memory, and
     * where. */
    bool (*saved)(const struct wt_build *b, const struct wt_frame *frame, unsigned number,
                  struct wt_address *addr);
};

/**
 * The value of DW_OP_entry_value, and its base type (NULL: the generic type): what a register held
 * when the frame's function was called. Fails with "optimized out" where the caller's debug
 * information does not say.
 */
typedef enum wt_status wt_entry_value_fn(struct wt_build *b, Dwarf_Attribute *attribute,
                                         const Dwarf_Op *op, const struct wt_frame *frame,
                                         wt_expr_vector *v, const struct wt_type **type,
                                         struct wt_error *err);

/** Where a variable's address, its value or a frame's base is: of @p place `reg`, `from`, `first`,
 * `size` and `stride` are given. */
typedef enum wt_status wt_kept_fn(const struct wt_build *b, const struct wt_frame *frame,
                                  const struct wt_kept_address *place,
                                  struct wt_kept_answer *answer, struct wt_error *err);

/**
 * Code may keep in a register of each lane where a variable lies, its home: Intel's compiler does
 * so without optimisation. Where the code has not computed the home yet, or no register has it any
 * longer, the expression fails for the lane, or it ends with one of these numbers:
 */
enum wt_build_homeless { WT_HOMELESS_YET = 1, WT_HOMELESS_NOW };

/** An expression while it is compiled. */
/** A register of the code's own, such as PTX's, by its name; *found: whether there is one. */
typedef enum wt_status wt_named_register_fn(struct wt_build *b, const char *name, bool *found,
                                            struct wt_operand *o, struct wt_error *err);

struct wt_build {
    struct wt_expr *expr;
    unsigned next;          /**< temporaries below this one are in use */
    struct wt_types *types; /**< for types that expressions make */
    const struct wt_topology *topology;
    const struct wt_frame_ops *frame_ops;
    struct wt_frames *frames; /**< NULL: no thread is selected */
    bool own_lane;            /**< it is evaluated in the thread's lane alone */
    bool uses_frame;          /**< a register or the frame was used */
    bool asks_homes;     /**< lanes without a home end with a number of enum wt_build_homeless */
    bool uses_home;      /**< a home was looked at */
    Dwarf_Die *variable; /**< whose location it is; NULL: of none */
    uint64_t named, named_end; /**< … for instructions at these addresses; end 0: for all */
    bool has_object;           /**< DW_OP_push_object_address pushes `object` */
    wt_expr_vector object;
    wt_entry_value_fn *entry_value; /**< NULL: not wanted */
    wt_kept_fn *kept;               /**< NULL: registers have what the debug information says */
    wt_named_register_fn *named_register; /**< NULL: the code has no registers of its own */
    unsigned calls;                       /**< outwards, for values at the entry of functions */
};

/* ---- cells: each returns false with *err filled in where temporaries run out ---- */

/** The vector that has @p value in every lane. */
wt_expr_vector wt_build_constant(struct wt_build *b, uint64_t value);
/** A new temporary that holds `a op b`; constants are folded. */
enum wt_status wt_build_op(struct wt_build *b, enum wt_expr_op op, unsigned size, wt_expr_vector a,
                           wt_expr_vector other, wt_expr_vector *to, struct wt_error *err);
/** The @p size bytes (1 to 8) at an address of a space, zero-extended. */
enum wt_status wt_build_load(struct wt_build *b, uint32_t space, unsigned size,
                             wt_expr_vector address, wt_expr_vector *to, struct wt_error *err);
/** Frees the temporaries from @p mark on, but for @p keep, which is moved there. */
enum wt_status wt_build_release(struct wt_build *b, unsigned mark, wt_expr_vector *keep,
                                struct wt_error *err);

/** Lanes that come here have no home: they leave the expression. */
void wt_build_leave(struct wt_build *b, enum wt_build_homeless why);
/** Likewise where a register does not have the home: NOT_YET or GONE. */
void wt_build_leave_kept(struct wt_build *b, enum wt_kept_state state);

/* ---- operations ---- */

/** Intel's operations (Intel Graphics Compiler, DebugInfo): what they do is in dwarf_expr.c. */
enum {
    WT_OP_INTEL_REGS = 0xeb,
    WT_OP_INTEL_PUSH_BITS = 0xec,
    WT_OP_INTEL_PUSH_LANE = 0xed,
    WT_OP_INTEL_LAST = 0xef
};

/**
 * The operations of an attribute that is one expression, or of its location list's for @p address
 * (of the file), which the caller frees; NULL if there are none, or one that is not known. For
 * those that libdw refuses. Fails like wt_dwarf_read().
 */
enum wt_status wt_dwarf_operations(Dwarf_Attribute *attribute, uint64_t address, Dwarf_Op **ops,
                                   size_t *count, struct wt_error *err);
/**
 * Likewise of the bytes of an expression, at least one. Constants are read as Intel's compiler
 * writes them, or in LEB128. WT_INVALID: both ways make sense.
 */
enum wt_status wt_dwarf_read(const uint8_t *bytes, size_t length, Dwarf_Op **ops, size_t *count,
                             struct wt_error *err);
/** The addresses of the file, from *first to before *end, for which a location list has the
 *  operations that it has for @p address; false if the attribute is no such list. */
bool wt_dwarf_named(Dwarf_Attribute *attribute, uint64_t address, uint64_t *first, uint64_t *end);
/** Whether an expression whose last operation is this one can have @p end bytes: exactly known but
 *  for operands of a variable length. */
bool wt_dwarf_operation_ends(const Dwarf_Op *op, uint64_t end);

/* ---- operands ---- */

/** A result in a cell. */
struct wt_operand wt_operand_cell(const struct wt_type *type, wt_expr_vector vector);
/** A value in memory. */
struct wt_operand wt_operand_memory(const struct wt_type *type, uint32_t space,
                                    wt_expr_vector address);
/** Whether it is one range of memory. */
bool wt_operand_in_memory(const struct wt_operand *o);
/** Whether bits of its cells are optimised out; of a bit field, its own. Pieces that are lost whole
 *  do not count. */
bool wt_operand_lacks_bits(const struct wt_operand *o);
/** A part of it: a member, an element whose place is known. */
enum wt_status wt_operand_part(struct wt_build *b, const struct wt_operand *o, uint64_t offset,
                               const struct wt_type *type, struct wt_operand *part,
                               struct wt_error *err);
/** Whether @p name selects components of a vector, as "x", "s3", "xy" or "lo" of OpenCL C. */
bool wt_operand_is_component(const struct wt_operand *vector, const char *name);
/** These components: an element, or a vector. */
enum wt_status wt_operand_components(struct wt_build *b, const struct wt_operand *vector,
                                     const char *name, struct wt_operand *o, struct wt_error *err);
/** A scalar's bits in one cell: sign- or zero-extended, of a float as they are. */
enum wt_status wt_operand_cell_of(struct wt_build *b, const struct wt_operand *o,
                                  wt_expr_vector *cell, struct wt_error *err);
/** Whether a type is that of integers of 128 bits. */
bool wt_type_is_wide(const struct wt_type *type);
/** A number as one of 128 bits: the first of two temporaries, of which the second is the high half.
 */
enum wt_status wt_operand_pair_of(struct wt_build *b, const struct wt_operand *o,
                                  wt_expr_vector *pair, struct wt_error *err);
/** The value of such a pair, of a type of 128 bits. */
struct wt_operand wt_operand_of_pair(struct wt_build *b, const struct wt_type *type,
                                     wt_expr_vector pair);
/** Two temporaries, one after the other. */
enum wt_status wt_build_pair(struct wt_build *b, wt_expr_vector *pair, struct wt_error *err);
/** An operation on 128 bits (WT_EXPR_WIDE_…) whose result is a new pair. */
enum wt_status wt_build_wide(struct wt_build *b, enum wt_expr_op op, wt_expr_vector a,
                             wt_expr_vector other, wt_expr_vector *to, struct wt_error *err);
/** A scalar as a value of another scalar type, as C casts. */
enum wt_status wt_operand_convert(struct wt_build *b, const struct wt_operand *o,
                                  const struct wt_type *type, struct wt_operand *result,
                                  struct wt_error *err);

/* ---- locations ---- */

/** Whether the register of this DWARF number points into a function's frame. */
bool wt_build_is_frame_register(const struct wt_build *b, unsigned number);
/** Converts the contents of such a register to an address of the frame's space. */
enum wt_status wt_build_frame_address(struct wt_build *b, wt_expr_vector *v, struct wt_error *err);

/**
 * Evaluates a location description for @p frame (NULL: of static storage): pieces for a value of
 * @p size bytes (0: unknown). @p bias is that of the module.
 */
enum wt_status wt_build_location(struct wt_build *b, Dwarf_Attribute *attribute,
                                 const Dwarf_Op *ops, size_t count, const struct wt_frame *frame,
                                 uint64_t bias, uint64_t size, struct wt_operand *o,
                                 struct wt_error *err);
/** The address that an expression computes of another one, which is on its stack at first. */
enum wt_status wt_build_member_address(struct wt_build *b, Dwarf_Attribute *attribute,
                                       const Dwarf_Op *ops, size_t count, wt_expr_vector object,
                                       wt_expr_vector *address, struct wt_error *err);
/** The value of an expression that computes an address: a CFA, a frame base. Where @p type is not
 * NULL, it may have a base type, which *type is then (NULL: the generic type). */
enum wt_status wt_build_address(struct wt_build *b, Dwarf_Attribute *attribute, const Dwarf_Op *ops,
                                size_t count, const struct wt_frame *frame, uint64_t bias,
                                const struct wt_type **type, wt_expr_vector *address,
                                struct wt_error *err);

#endif
