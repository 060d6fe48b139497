/*
 * Values of a program as its source names them: expressions, evaluated for lanes of a stopped wave
 * or compiled for the debugger's core; earlier values; convenience variables.
 */
#ifndef WT_DEBUG_SOURCE_SOURCE_H
#define WT_DEBUG_SOURCE_SOURCE_H

#include "debug/source/frames.h"
#include "debug/source/parse.h"

struct wt_source;

/** The outcome of reading a value in one lane. */
enum wt_value_state {
    WT_VALUE_GOOD,
    WT_VALUE_UNKNOWN,    /**< the debug information does not tell it */
    WT_VALUE_DIVIDED,    /**< something is divided by zero */
    WT_VALUE_UNFIT,      /**< a number is too large for its type */
    WT_VALUE_UNREACHED,  /**< memory on the way cannot be read, at its `address` */
    WT_VALUE_UNREADABLE, /**< memory at its address cannot be read */
    WT_VALUE_NOT_YET,    /**< the function has not stored it, or computed where it lies */
    WT_VALUE_NOT_HERE,   /**< no register has where it lies in memory any longer */
    WT_VALUE_LOST,       /**< (partly) optimised out */
    WT_VALUE_ELSEWHERE,  /**< the lane waits where the expression means nothing */
    WT_VALUE_LARGE,   /**< in memory and not read: it has too many bytes; its children are read */
    WT_VALUE_DAMAGED, /**< the debug information places a child outside its parent */
};

/** Whether a value of this state could not be computed. */
static inline bool wt_value_is_unknown(uint8_t state)
{
    return state >= WT_VALUE_UNKNOWN && state <= WT_VALUE_UNREACHED;
}

#define WT_VALUE_REASON 160 /**< bytes of a reason */

#define WT_VALUE_BYTES                                                                             \
    ((uint64_t)1 << 20) /**< bytes of one lane, at most: more is of no use to a reader */

/** One of several pieces that a value is in, where some may be optimised out. */
struct wt_value_piece {
    uint64_t end;                /**< the byte of the value behind it */
    int reg;                     /**< the register that it is a part of; -1: none */
    uint64_t from;               /**< … from this byte of it on */
    bool in_memory;              /**< it lies in memory: */
    uint32_t space;              /**< … of this space */
    const uint64_t *address;     /**< … at the address of each lane */
    uint8_t state[WT_MAX_LANES]; /**< state of each lane */
};

/** Values of one expression in some lanes, the lowest first. */
struct wt_values {
    const struct wt_type *type;
    wt_lanes lanes;
    unsigned lane_count;
    bool selected;                /**< the expression said which lanes (x@…) */
    uint64_t size;                /**< bytes of one value */
    uint8_t *bytes;               /**< lane_count * size */
    uint8_t *state;               /**< enum wt_value_state of each lane */
    struct wt_value_piece *piece; /**< where they are in several pieces; else NULL */
    unsigned piece_count;
    bool in_memory;    /**< they lie in memory, in one range each: */
    bool in_frame;     /**< they, or their first piece, lie in the frame: of a variable of it */
    uint32_t space;    /**< … of this space */
    uint64_t *address; /**< … at these addresses */
    int reg;           /**< else: the register that they are, or a part of; -1: none */
    uint64_t from;     /**< … from this byte of it on */
    uint32_t bit_offset, bit_size;
    const struct wt_type *reference; /**< a reference led to them: its type; NULL: none did */
    wt_lanes there;                  /**< ELSEWHERE: lanes of the wave that have a value */
    bool apart;      /**< lanes have it in different places: they cannot be written together */
    bool uses_frame; /**< they hold in the scope's frame only: a local or a register was named */
    const char
        *as_of; /**< when a parameter's copy was made: "at launch", "at the call"; else NULL */
    /** The variable whose declaration does not tell its type, and the type that is guessed, so that
     * the value is one, too. NULL: the type is known. */
    const char *guess;
    const struct wt_type *guess_type;
};

/** Some bytes of a value, and where they lie. */
struct wt_value_place {
    uint64_t at, size; /**< bytes of the value */
    bool in_memory;
    struct wt_address memory; /**< in_memory */
    int reg;                  /**< else: the register; -1: they lie nowhere */
    uint64_t from;            /**< … from this byte of it on */
};
/** Place number @p i of the value of lane number @p k, in the order of its bytes; false: it has no
 * more. */
bool wt_values_place(const struct wt_values *values, unsigned k, unsigned i,
                     struct wt_value_place *place);
/** Whether all of the first lane's value is in memory, in one range or several. */
bool wt_values_in_memory(const struct wt_values *values);
/** The bits of byte @p at that are the value's: of a bit-field's storage some are its neighbours'.
 */
uint8_t wt_values_mask(const struct wt_values *values, uint64_t at);
/** Whether two values like @p values, given by their bytes, are the same. */
bool wt_values_equal(const struct wt_values *values, const uint8_t *a, const uint8_t *b);

/** One value of a scalar type as an integer or a float. */
struct wt_number {
    bool is_float, is_signed;
    uint64_t integer;
    double real;
};
/** Reads the number at a bit offset of a value's bytes; false if the type is no scalar. */
bool wt_number_of(const struct wt_type *type, uint32_t bit_offset, uint32_t bit_size,
                  const uint8_t *bytes, struct wt_number *number);

/** Where names are looked up and values are read. */
struct wt_view {
    struct wt_source *source;
    wt_thread thread;             /**< 0: none */
    struct wt_frames *frames;     /**< NULL: registers and locals cannot be named */
    const struct wt_frame *frame; /**< frame of `frames`; NULL: likewise */
};

/**
 * A register that code has under a name of its own, as the virtual registers of PTX are; or a
 * parameter of the code's function that debug information may not know the place of: what it was
 * at the launch, or a part of it in a register.
 */
struct wt_code_register {
    char name[64];        /**< "%r1"; of a parameter: its own */
    char expression[128]; /**< its value, or (`is_mask`) that of all lanes, one bit each */
    bool is_mask;
    unsigned parameter; /**< which parameter it is, or the next bytes of, from 1; 0: none */
    bool at_launch;     /**< … which the launch has given: */
    uint32_t offset;    /**< … from here in the block of arguments (struct wt_wave) */
    uint32_t at;        /**< … which are the bytes from here on of the parameter */
    uint32_t bytes;     /**< … so many */
};

/** Register @p n of the function whose code is at @p pc; false: it has no more. */
typedef bool wt_code_register_fn(void *context, uint64_t pc, size_t n,
                                 struct wt_code_register *reg);

enum { WT_REGION_LANES = 32 };
/**
 * An operand that is written as in the device's assembly text: a region of registers, of which each
 * lane has one element. An element lies in one register.
 */
struct wt_register_region {
    const char *type; /**< C's name of the elements' type; NULL: the device has no such region: */
    char why[120];    /**< … the reason */
    unsigned size;    /**< size of an element, bytes */
    unsigned count;   /**< lanes from this one on have none */
    struct {
        char reg[12];  /**< the register's name */
        unsigned from; /**< bytes into it */
    } element[WT_REGION_LANES];
};
/** The region with which a text begins, and its length; 0: none. */
typedef size_t wt_register_region_fn(void *context, const char *text,
                                     struct wt_register_region *region);

/** An empty context. The debugger and the modules must outlive it. NULL without host memory. */
struct wt_source *wt_source_new(struct wt_debugger *debugger, struct wt_modules *modules);
/** Frees it. NULL is allowed. */
void wt_source_free(struct wt_source *source);
/** Goes to another debugger of the same family, and its modules; what was kept stays. */
void wt_source_use(struct wt_source *source, struct wt_debugger *debugger,
                   struct wt_modules *modules);
/** Has expressions name such registers, as "$%r1". NULL: there are none. */
void wt_source_name_registers(struct wt_source *source, wt_code_register_fn *next, void *context);
/** Has expressions take regions. NULL: there are none. */
void wt_source_take_regions(struct wt_source *source, wt_register_region_fn *region, void *context);
/** Whether an expression may change a register or memory; WT_OK, or *err says why it may not. */
typedef enum wt_status wt_may_change_fn(void *context, struct wt_error *err);
/** Has it asked before each assignment, but for those to variables of the debugger's own. */
void wt_source_ask_changes(struct wt_source *source, wt_may_change_fn *may_change, void *context);
/** Register @p n of the scope's frame; false: it has no more. */
bool wt_source_code_register(const struct wt_view *scope, size_t n, struct wt_code_register *reg);
/** The debugger that it was given last. */
struct wt_debugger *wt_source_debugger(struct wt_source *source);
/** Types that no module has. */
struct wt_types *wt_source_types(struct wt_source *source);

/** Whether a lane is selected of "x && y" or "x || y" without parentheses, where of y alone may
 * have been meant. */
bool wt_source_selects_logic(const struct wt_view *scope, const char *text);

/** Whether a text is an expression, whatever its names may be where it is evaluated. */
enum wt_status wt_source_check(const struct wt_view *scope, const char *text, struct wt_error *err);
/**
 * Evaluates an expression. Without a selection of lanes in it the lane of the scope's thread
 * counts. An assignment is carried out (for the lanes that are selected). The caller frees *values.
 */
enum wt_status wt_source_evaluate(const struct wt_view *scope, const char *text,
                                  struct wt_values *values, struct wt_error *err);
/** Likewise of values that it names no memory for: its type alone, also of a reference. */
enum wt_status wt_source_type_of(const struct wt_view *scope, const char *text,
                                 const struct wt_type **type, bool *is_type_name,
                                 struct wt_error *err);
/** Why the value of lane number @p k cannot be computed or read: a sentence without a full stop.
 *  It is constant, or in @p text, which has WT_VALUE_REASON bytes. NULL: the value is good,
 * optimised out or in another place. */
const char *wt_values_reason(const struct wt_values *values, unsigned k, char *text);
/** Says what is guessed about values, and what the user can ask instead. @p text has room for
 * WT_VALUE_REASON bytes, and is returned; NULL: nothing is guessed. */
const char *wt_values_guess(const struct wt_values *values, char *text);
/** The state of some bytes of value @p k: of one in pieces that of the pieces that they are in. */
uint8_t wt_values_part_state(const struct wt_values *values, unsigned k, uint64_t from,
                             uint64_t size);
/** WT_INVALID with that reason where a value that is one of all lanes cannot be had. */
enum wt_status wt_values_check(const struct wt_values *values, struct wt_error *err);
/** WT_INVALID with that reason where the first lane's value cannot be computed or read. */
enum wt_status wt_values_check_first(const struct wt_values *values, struct wt_error *err);
/** The address that a value is where one is asked for: that of a function or an array, else the
 * number. WT_INVALID as wt_values_check_first(), or where it is neither, as GDB says. */
enum wt_status wt_values_address(const struct wt_values *values, struct wt_address *address,
                                 struct wt_error *err);
/** Frees what values hold; @p values itself is the caller's. */
void wt_values_free(struct wt_values *values);

/* ---- children ---- */

enum wt_child_kind {
    WT_CHILD_MEMBER,    /**< member of a structure, class or union; a bit field, too */
    WT_CHILD_BASE,      /**< a base class */
    WT_CHILD_STATIC,    /**< a static member */
    WT_CHILD_ELEMENT,   /**< element of an array or slice */
    WT_CHILD_COMPONENT, /**< component of a vector */
    WT_CHILD_TARGET,    /**< what a pointer or reference leads to */
};

/** A part of a value, or what it leads to, in all of the value's lanes. */
struct wt_value_child {
    enum wt_child_kind kind;
    const char *name; /**< a member's, a base class's, a component's (of OpenCL C: "x", "sa"), "*";
                           NULL: it has none, or an index */
    int64_t index;    /**< ELEMENT: as its language counts */
    bool is_virtual;  /**< BASE */
    struct wt_values values; /**< `state` says of each lane whether there is a value, and why not */
};

/** How many children values have, by their type. */
uint64_t wt_value_child_count(const struct wt_values *values);
/**
 * Child number @p index, below that count; an array is so read page by page. Memory is read for
 * targets, virtual bases, static members and parts of what is too large, but for nothing else. A
 * child that cannot be had is one with a state that says why. The caller frees child->values.
 */
enum wt_status wt_value_child(const struct wt_view *scope, const struct wt_values *values,
                              uint64_t index, struct wt_value_child *child, struct wt_error *err);
/** wt_source_evaluate(), but for a value in memory that is too large to be read: WT_VALUE_LARGE. */
enum wt_status wt_source_evaluate_parts(const struct wt_view *scope, const char *text,
                                        struct wt_values *values, struct wt_error *err);

/** A variable of a scope, read for the lane of the thread (or @p lanes, if any). */
enum wt_status wt_source_read_variable(const struct wt_view *scope, Dwarf_Die *variable,
                                       wt_lanes lanes, struct wt_values *values,
                                       struct wt_error *err);

/**
 * Compiles an expression whose value is a number, for breakpoints. The caller owns *expr.
 * *names_local (unless NULL): it names what belongs to the function of the scope's frame, so that
 * it means nothing elsewhere.
 */
enum wt_status wt_source_compile(const struct wt_view *scope, const char *text,
                                 struct wt_expr **expr, bool *names_local, struct wt_error *err);

/** One value of a message, and how it is written. */
struct wt_message_value {
    const char *before;     /**< what stands before it, as it is */
    const char *conversion; /**< conversion of printf(3), from its '%': d i u o x X c p s f e g a */
    size_t length;          /**< length of the conversion */
    const char *text;       /**< the expression */
};

/**
 * Compiles a message of a breakpoint: its values, each with its text, then the text @p behind the
 * last one. Each lane prints its own message when the expression is run. WT_UNSUPPORTED, or another
 * failure: the message cannot be printed in this way. The caller owns *expr.
 */
enum wt_status wt_source_compile_message(const struct wt_view *scope,
                                         const struct wt_message_value *value, size_t count,
                                         const char *behind, struct wt_expr **expr,
                                         struct wt_error *err);

/** Keeps the value of the first lane as $1, $2, …; returns its number, 0 without host memory. */
unsigned wt_source_keep(struct wt_source *source, const struct wt_values *values);

/** Memory as the scope's thread sees it. */
bool wt_source_read(const struct wt_view *scope, uint32_t space, uint64_t address, void *out,
                    size_t size);

/** The meaning of a name. */
struct wt_found {
    enum {
        WT_FOUND_NOTHING,
        WT_FOUND_VARIABLE,
        WT_FOUND_FUNCTION,
        WT_FOUND_ENUMERATOR,
        WT_FOUND_TYPE,
        WT_FOUND_SYMBOL
    } kind;
    Dwarf_Die die;
    Dwarf_Die type; /**< ENUMERATOR: its enumeration */
    struct wt_info *info;
    uint64_t bias;
    uint64_t address; /**< SYMBOL */
    bool is_code;     /**< SYMBOL */
    bool is_local;    /**< VARIABLE: of the scope's frame */
    bool is_near;     /**< its namespaces need not be named in the scope */
};
/** Finds the meaning of @p name in a scope: its locals come first, then names of the program.
 * False: it has none. */
bool wt_source_find(const struct wt_view *scope, const char *name, struct wt_found *found);

/** Whether the language of the scope's frame (or of the program) has C++'s rules for names. */
bool wt_source_is_cplusplus(const struct wt_view *scope);
/** Whether the scope's frame is of Fortran. */
bool wt_source_is_fortran(const struct wt_view *scope);

/** The description of an address of code or data: "<main+16>"; "" if there is none. */
void wt_source_symbol_at(const struct wt_view *scope, uint64_t address, bool data, char *text,
                         size_t size);

/* ---- text ---- */

/** How a value is printed. */
struct wt_format {
    char letter;       /**< 0: by its type; else x d u o t c f s a z */
    unsigned elements; /**< elements of an array, at most; 0: 200 */
    unsigned repeats;  /**< more equal elements are one with a count; 0: 10 */
    bool top;          /**< a pointer tells its type, as `print` does */
    bool pretty;       /**< a structure has a line for each member */
};

/** Sets a convenience variable ("name", without the $) to the value of the first lane. */
enum wt_status wt_source_set_variable(struct wt_source *source, const char *name,
                                      const struct wt_values *values, struct wt_error *err);
/** The name of convenience variable number @p i; NULL behind the last one. */
const char *wt_source_variable_name(const struct wt_source *source, size_t i);

/** The value of lane number @p k (counted within values->lanes) in GDB's notation. */
void wt_values_print(FILE *out, const struct wt_view *scope, const struct wt_values *values,
                     unsigned k, const struct wt_format *format);
/** A value of one lane that is like @p like (its type, which bits, what is known of it), but has
 * these bytes, like->size of them: as it was, or will be. */
void wt_values_print_bytes(FILE *out, const struct wt_view *scope, const struct wt_values *like,
                           const uint8_t *bytes, const struct wt_format *format);

#endif
