/* Declarations shared by the files of the evaluator. */
#ifndef WT_DEBUG_SOURCE_SOURCE_INTERNAL_H
#define WT_DEBUG_SOURCE_SOURCE_INTERNAL_H

#include "debug/source/source.h"

/** A value of one lane that stays. */
struct kept_value {
    const struct wt_type *type;
    uint64_t size;
    uint8_t *bytes;
    uint32_t bit_offset, bit_size;
    /* As in struct wt_values. */
    const char *as_of, *guess;
    const struct wt_type *guess_type;
};

struct variable {
    char *name;
    struct kept_value value;
};

struct wt_source {
    struct wt_debugger *debugger;
    struct wt_modules *modules;
    const struct wt_topology *topology;
    struct wt_types *types;
    wt_code_register_fn *code_register; /**< NULL: none */
    void *code_register_context;
    wt_register_region_fn *region; /**< NULL: none */
    void *region_context;
    wt_may_change_fn *may_change; /**< NULL: any change is made */
    void *may_change_context;
    struct kept_value *value; /**< $1, $2, … */
    size_t value_count, value_capacity;
    struct variable *variable; /**< $NAME */
    size_t variable_count, variable_capacity;
    unsigned work;            /**< nodes compiled since the text was parsed */
    struct wt_symbols **kept; /**< symbols whose types may be in use */
    size_t kept_count, kept_capacity;
};

/**
 * Types outlive their module in values that are kept: so the symbols stay that they are of. False
 * without host memory.
 */
bool wt_source_hold(struct wt_source *source, struct wt_symbols *symbols);
/** "", "1", "$", "$2": an earlier value; NULL if there is none. */
const struct kept_value *wt_source_kept(struct wt_source *source, const char *name);
/** The value of a convenience variable ("name", without the $); NULL if it was never set. */
const struct kept_value *wt_source_variable(struct wt_source *source, const char *name);
/**
 * The name that @p name, or its first part, stands for in a scope by an alias or a using
 * declaration; false: it is none.
 */
bool wt_source_alias(const struct wt_view *scope, const char *name, char *whole, size_t size);
/** find_type of struct wt_parse_world; @p context is a struct wt_view. */
const struct wt_type *wt_source_find_type(void *context, const char *name);
/** Parses a text as an expression of the scope. The caller frees the tree. */
enum wt_status wt_source_parse(const struct wt_view *scope, const char *text, struct wt_node **root,
                               struct wt_error *err);

struct compiler;

/** Compiles something, anew for each piece of its value, since an expression has one. */
typedef enum wt_status wt_compile_fn(struct compiler *c, const void *what, struct wt_operand *o,
                                     struct wt_error *err);

#define WT_MOST_REDUCTIONS 8 /**< in one condition */

/** A value over lanes within a condition. */
struct reduced {
    const struct wt_node *node;
    const struct wt_type *type;
    wt_expr_vector vector;
};

/** An expression while its tree is compiled. */
struct compiler {
    const struct wt_view *scope;
    struct wt_build build;
    bool names_local; /**< a name of the frame's function was used, or what only it has */
    bool beside;      /**< for a breakpoint: no lane can be asked now */
    bool any_lanes;   /**< lanes were selected: */
    wt_lanes lanes;   /**< … these */
    wt_lanes all;     /**< lanes of the wave */
    bool types_only;  /**< nothing is read: reductions have some value */
    unsigned depth;
    /** Evaluates a part of the expression now: for other lanes, or over lanes. */
    enum wt_status (*evaluate)(const struct wt_view *view, const struct wt_node *node,
                               wt_lanes lanes, struct wt_values *values, struct wt_error *err);
    /** Evaluates a number now, for these lanes (0: the scope's lane); fails where they disagree. */
    enum wt_status (*number)(const struct wt_view *view, wt_compile_fn *compile, const void *what,
                             wt_lanes lanes, int64_t *value, struct wt_error *err);
    /** Fortran's: see wt_compile_section() and wt_compile_intrinsic(). */
    enum wt_status (*section)(struct compiler *c, const struct wt_node *call,
                              const struct wt_operand *array, struct wt_operand *o,
                              struct wt_error *err);
    enum wt_status (*intrinsic)(struct compiler *c, const struct wt_node *call,
                                struct wt_operand *o, bool *is_one, struct wt_error *err);
    /** See wt_compile_parameter() and wt_compile_named_parameter(). */
    bool (*parameter)(struct compiler *c, Dwarf_Die *die, const struct wt_type *type,
                      struct wt_operand *o);
    bool (*named_parameter)(struct compiler *c, const char *name, struct wt_operand *o);
    /* Of a condition: reductions are computed first, before lanes part. */
    struct reduced reduced[WT_MOST_REDUCTIONS];
    unsigned reduced_count;
    bool in_reduction;
    wt_lanes over;     /**< in_reduction: lanes that were selected; 0: all */
    bool as_described; /**< arrays have the bounds of their type alone */
    const char *as_of; /**< as in struct wt_values */
    const char *guess; /**< likewise */
    const struct wt_type *guess_type;
    bool wants_launch; /**< a condition wants a parameter that the launch alone has told */
};

/** A compiler for expressions of a scope, without an expression yet. */
struct compiler wt_compiler_for(const struct wt_view *scope);
/** The tree of a text, with the names and types of a scope. The caller frees it. */
enum wt_status wt_source_parse(const struct wt_view *scope, const char *text, struct wt_node **root,
                               struct wt_error *err);
/** The values of a tree; @p lanes: of these, 0: of the scope's lane, or those that it selects. */
enum wt_status wt_source_evaluate_node(const struct wt_view *scope, const struct wt_node *node,
                                       wt_lanes lanes, struct wt_values *values,
                                       struct wt_error *err);
/** Fails where an expression has an array's element of a type that is guessed, for @p who, which
 * has nowhere to say so. */
enum wt_status wt_compile_check_guess(const struct compiler *c, const char *who,
                                      struct wt_error *err);
/** Whether it is data that only a symbol names: its type is not known. */
bool wt_compile_is_untyped(const struct wt_operand *o);
/** Compiles a tree. */
enum wt_status wt_compile_node(struct compiler *c, const struct wt_node *node, struct wt_operand *o,
                               struct wt_error *err);
/* Compiles a text that stands for a name. */
enum wt_status wt_compile_text(struct compiler *c, const char *text, struct wt_operand *o,
                               struct wt_error *err);
/** A number, converted to a type; fails for what is none. */
enum wt_status wt_compile_number(struct compiler *c, const struct wt_operand *o,
                                 const struct wt_type *type, wt_expr_vector *cell,
                                 struct wt_error *err);
/**
 * A bound of a slice or section, which must be known when the expression is compiled: it is part of
 * the type. A bound that is no constant is evaluated now, in the lanes that the expression has
 * selected so far (the scope's lane, if none). Fails where they disagree, and in a condition, which
 * is compiled once for many stops.
 */
enum wt_status wt_compile_bound(struct compiler *c, const struct wt_node *n, int64_t *bound,
                                struct wt_error *err);
/** Fortran's a(i, j), a(2:9:3, :), which is a call in the tree: part of an array. */
enum wt_status wt_compile_section(struct compiler *c, const struct wt_node *call,
                                  const struct wt_operand *array, struct wt_operand *o,
                                  struct wt_error *err);
/** A call of one of Fortran's intrinsic functions; *is_one: it is. */
enum wt_status wt_compile_intrinsic(struct compiler *c, const struct wt_node *call,
                                    struct wt_operand *o, bool *is_one, struct wt_error *err);
/** Before wt_compile_node() for a condition: computes its reductions for all lanes. */
enum wt_status wt_compile_reductions(struct compiler *c, const struct wt_node *node,
                                     struct wt_error *err);
/** A variable's value. */
enum wt_status wt_compile_variable(struct compiler *c, Dwarf_Die *die, struct wt_info *info,
                                   uint64_t bias, bool is_local, struct wt_operand *o,
                                   struct wt_error *err);
/**
 * Gives an array that is found at run time its place and bounds, those of the scope's lane: the
 * variable @p o that was compiled of @p die, whose description lies where @p find says. Leaves
 * other variables as they are.
 */
enum wt_status wt_compile_dynamic(struct compiler *c, Dwarf_Die *die, const struct wt_frame *frame,
                                  uint64_t bias, wt_compile_fn *find, const void *what,
                                  struct wt_operand *o, struct wt_error *err);
/**
 * A parameter of the scope's frame whose place the debug information does not know: from the
 * registers that the code names, or as the launch has given it. False: that is not known, either.
 */
bool wt_compile_parameter(struct compiler *c, Dwarf_Die *die, const struct wt_type *type,
                          struct wt_operand *o);
/** The parameter that the code calls so, where no debug information does: bytes, or one integer. */
bool wt_compile_named_parameter(struct compiler *c, const char *name, struct wt_operand *o);
/** A register that the code names itself: what stands for its value. @p b is that of a compiler. */
wt_named_register_fn wt_compile_code_register;
/** Whether a variable may lie in a work-group's memory where the debug information has none of its
 *  address, as that of clang 22 for AMD's GPUs: it is a global, and not constant. */
bool wt_compile_is_without_address(Dwarf_Die *die);
/** Whether a variable lies in a work-group's memory at an address of the file, or may lie there. */
bool wt_compile_is_of_group(Dwarf_Die *die);
/** The address space of such memory in clang's debug information; false: the device has none. */
bool wt_compile_group_space(const struct compiler *c, uint32_t *space);
/** The address of such a variable for the kernel of the scope's frame, by LLVM's rule; false: it
 *  cannot be known. */
bool wt_compile_group_address(const struct compiler *c, Dwarf_Die *die, struct wt_info *info,
                              uint64_t *address);
/**
 * An array of the launch's, `extern __shared__`, of which clang's debug information for AMD's GPUs
 * has nothing: bytes from the end of the kernel's own variables on (LLVM,
 * AMDGPUMachineFunction::setDynLDSAlign). False: the file has no such symbol, or the frame is in no
 * kernel.
 */
bool wt_compile_launch_array(struct compiler *c, const char *name, struct wt_operand *o);
/** A cell other than 0 where a number or pointer is: a condition. */
enum wt_status wt_compile_truth(struct compiler *c, const struct wt_operand *o,
                                wt_expr_vector *cell, struct wt_error *err);

/** The wave of a scope's thread, and the lane of the thread in it; false if there is none. */
bool wt_source_wave(const struct wt_view *scope, struct wt_wave *wave, unsigned *lane);
/** Memory as a lane of that wave sees it (NULL: there is none). */
bool wt_source_read_lane(const struct wt_view *scope, const struct wt_wave *wave, unsigned lane,
                         uint32_t space, uint64_t address, void *out, size_t size);
/** The space into which a pointer or reference of a type points, from its address class. */
uint32_t wt_source_space_of(const struct wt_topology *topology, const struct wt_type *plain);
/** Where a virtual base of the object at an address lies, in the scope's lane; false: unknown. */
bool wt_source_virtual_base(const struct wt_view *scope, const struct wt_member *base,
                            uint32_t space, uint64_t object, uint64_t *address);

#endif
