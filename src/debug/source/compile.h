/* Declarations shared by the files that compile expressions. */
#ifndef WT_DEBUG_SOURCE_COMPILE_H
#define WT_DEBUG_SOURCE_COMPILE_H

#include "debug/source/source_internal.h"

#define MOST_STEPS 32 /* to a member */

/** The base classes and anonymous members on the way to a member. */
struct way {
    const struct wt_member *step[MOST_STEPS];
    unsigned count;
};

/** Functions that reduce the values of lanes to one. */
enum reduction { R_MIN, R_MAX, R_SUM, R_ANY, R_ALL, R_COUNT, R_NONE };

/* ---- compile_values.c ---- */
/** A type of C by its name. */
const struct wt_type *wt_compile_basic(struct compiler *c, const char *name);
/** C's integer type of @p size bytes. */
const struct wt_type *wt_compile_integer(struct compiler *c, unsigned size, bool is_signed);
/** The type of a comparison's result in the scope's language. */
const struct wt_type *wt_compile_truth_type(struct compiler *c);
/** The type of data that is known only by an ELF symbol. */
extern const struct wt_type wt_compile_no_type;
/** A value that is known: its bytes. */
struct wt_operand wt_compile_constant_bytes(struct compiler *c, const struct wt_type *type,
                                            const uint8_t *bytes, uint64_t size);
/** Replaces a reference by the object that it refers to; another value stays as it is. */
enum wt_status wt_compile_follow_reference(struct compiler *c, struct wt_operand *o,
                                           struct wt_error *err);
/** Whether the whole value is optimised out. */
bool wt_compile_is_lost(const struct wt_operand *o);
/** A value that is optimised out. */
struct wt_operand wt_compile_lost(const struct wt_type *type);
/** Turns a pointer into a space that space 0 can also reach into a pointer of space 0, as the
 * program uses it. */
enum wt_status wt_compile_make_generic(struct compiler *c, struct wt_operand *pointer,
                                       struct wt_error *err);
/** The member of this name, also in anonymous members and base classes; false if there is none. */
bool wt_compile_find_member(const struct wt_type *record, const char *name, struct way *way,
                            const struct wt_member **found);
/** Goes from a record to the one that has the member. */
enum wt_status wt_compile_take_way(struct compiler *c, const struct way *way, struct wt_operand *o,
                                   struct wt_error *err);
/** record.name */
enum wt_status wt_compile_member(struct compiler *c, const struct wt_operand *record,
                                 const char *name, struct wt_operand *o, struct wt_error *err);

/** Class::member of a static member, also one of a base class; false: it is none. */
bool wt_compile_static(struct compiler *c, const char *name, struct wt_operand *o);

/* ---- compile_numbers.c ---- */
/** A pointer's target type, address and space; an array counts as a pointer to its first element.
 */
enum wt_status wt_compile_pointer_of(struct compiler *c, const struct wt_operand *o,
                                     const struct wt_type **target, wt_expr_vector *address,
                                     uint32_t *space, struct wt_error *err);
/** Whether it is a pointer, or an array, which counts as one. */
bool wt_compile_is_pointer(const struct wt_operand *o);
/** *pointer */
enum wt_status wt_compile_dereference(struct compiler *c, const struct wt_operand *pointer,
                                      struct wt_operand *o, struct wt_error *err);
/** &value; WT_INVALID where it does not lie in memory. */
enum wt_status wt_compile_address_of(struct compiler *c, const struct wt_operand *o,
                                     struct wt_operand *pointer, struct wt_error *err);
/** array[index], also of a pointer or a vector. */
enum wt_status wt_compile_element(struct compiler *c, const struct wt_operand *array,
                                  const struct wt_operand *index, struct wt_operand *o,
                                  struct wt_error *err);
/** The type in which a number of this one is computed, as in C. */
const struct wt_type *wt_compile_promoted(struct compiler *c, const struct wt_type *type);
/** The type in which two numbers are computed, as in C. */
const struct wt_type *wt_compile_common(struct compiler *c, const struct wt_type *a,
                                        const struct wt_type *b);
/** Replaces a 16-bit float of a class, or a __bf16, by a number; another value stays as it is. */
enum wt_status wt_compile_take_half(struct compiler *c, struct wt_operand *o, struct wt_error *err);
/** WT_INVALID unless it is a number. */
enum wt_status wt_compile_need_number(const struct wt_operand *o, struct wt_error *err);
/** The result of arithmetic, truncated to its type. */
enum wt_status wt_compile_finish_number(struct compiler *c, const struct wt_type *type,
                                        wt_expr_vector cell, struct wt_operand *o,
                                        struct wt_error *err);
/** Turns a truth value over. */
enum wt_status wt_compile_invert(struct compiler *c, wt_expr_vector *cell, struct wt_error *err);
/** A temporary that outlives the branches that write it. */
enum wt_status wt_compile_result_temporary(struct compiler *c, wt_expr_vector *to,
                                           struct wt_error *err);
/** Numbers of which one has 128 bits. */
enum wt_status wt_compile_arithmetic_wide(struct compiler *c, int op, const struct wt_operand *a,
                                          const struct wt_operand *b, const struct wt_type *type,
                                          struct wt_operand *o, struct wt_error *err);
/** a op b; op is an operator's character or token. */
enum wt_status wt_compile_arithmetic(struct compiler *c, int op, const struct wt_operand *a,
                                     const struct wt_operand *b, struct wt_operand *o,
                                     struct wt_error *err);

/* ---- compile.c ---- */
/** The type of a node; generates no code for it. */
enum wt_status wt_compile_type_of(struct compiler *c, const struct wt_node *n,
                                  const struct wt_type **type, struct wt_error *err);

/* ---- compile_lanes.c ---- */
/** x@lanes */
enum wt_status wt_compile_select_lanes(struct compiler *c, const struct wt_node *n,
                                       struct wt_operand *o, struct wt_error *err);
/** The reduction of a function's name; R_NONE: it is none. */
enum reduction wt_compile_reduction_of(const char *name);
/** sum(x), any(x) and the like over the lanes. */
enum wt_status wt_compile_reduce(struct compiler *c, const struct wt_node *n, enum reduction kind,
                                 struct wt_operand *o, struct wt_error *err);

/* ---- compile_names.c ---- */
/** The register of a name; -1: there is none. */
int wt_compile_register_index(const struct wt_topology *t, const char *name);
/** $name: registers, earlier values, variables of the user. */
enum wt_status wt_compile_dollar(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                                 struct wt_error *err);
/** A region of registers, of which each lane has one element. */
enum wt_status wt_compile_region(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                                 struct wt_error *err);
/** Compiles the meaning that was found for a name. */
enum wt_status wt_compile_found(struct compiler *c, struct wt_found *f, const char *name,
                                struct wt_operand *o, struct wt_error *err);
/** Fails: a condition cannot say that a value is the launch's. */
enum wt_status wt_compile_at_launch(struct wt_error *err);
/** A name of the program. */
enum wt_status wt_compile_name(struct compiler *c, const char *name, struct wt_operand *o,
                               struct wt_error *err);

/* ---- compile_work.c ---- */
/** threadIdx.x and the like; *is_work: it is one of them. */
enum wt_status wt_compile_coordinate(struct compiler *c, const struct wt_node *n,
                                     struct wt_operand *o, bool *is_work, struct wt_error *err);
/** threadIdx and the like as a whole, and warpSize; *is_work: it is one of them. */
enum wt_status wt_compile_work_name(struct compiler *c, const char *name, struct wt_operand *o,
                                    bool *is_work, struct wt_error *err);
/** OpenCL's get_global_id(0) and the like. */
enum wt_status wt_compile_work_call(struct compiler *c, const struct wt_node *n,
                                    struct wt_operand *o, bool *is_work, struct wt_error *err);
enum { WT_PLACE_NUMBERS = 4 };
/* $_dispatch_pos and $_lane_workgroup_pos: expressions of the numbers in its text, up to
 * WT_PLACE_NUMBERS, those that are not there being NULL; *form prints them. NULL: it is another
 * name, or the device has no work-groups. */
const char *const *wt_compile_place(const struct wt_topology *t, const struct wt_node *n,
                                    const char **form);
/* Such a name beside == or != and a text; *is_place: it is that. */
enum wt_status wt_compile_place_equal(struct compiler *c, const struct wt_node *n,
                                      struct wt_operand *o, bool *is_place, struct wt_error *err);
/* $_thread_workgroup_pos: the number of the wave in its work-group. */
enum wt_status wt_compile_wave_of_group(struct compiler *c, struct wt_operand *o,
                                        struct wt_error *err);
/** space#address */
enum wt_status wt_compile_space(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                                struct wt_error *err);

#endif
