/*
 * Types of C, C++ and Fortran programs: read from DWARF when they are needed, or made by
 * expressions (a pointer to a type, an array of it). A type lives as long as the list that it is
 * of.
 */
#ifndef WT_DEBUG_SOURCE_TYPES_H
#define WT_DEBUG_SOURCE_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

enum wt_type_kind {
    WT_TYPE_VOID,
    WT_TYPE_INT,  /**< an integer, signed or not; also wide characters */
    WT_TYPE_CHAR, /**< one byte, signed or not */
    WT_TYPE_BOOL,
    WT_TYPE_FLOAT, /**< 2, 4, 8 or more bytes */
    WT_TYPE_ENUM,
    WT_TYPE_POINTER,
    WT_TYPE_REFERENCE,
    WT_TYPE_ARRAY,
    WT_TYPE_STRUCT,
    WT_TYPE_CLASS,
    WT_TYPE_UNION,
    WT_TYPE_FUNCTION,
    WT_TYPE_TYPEDEF,
    WT_TYPE_CONST,
    WT_TYPE_VOLATILE,
    WT_TYPE_COMPLEX, /**< two floats; `target` is one of them */
    WT_TYPE_MEMBER,  /**< a pointer to a member of `owner`: its offset, -1 for none; or (a method,
                        which  `target` is then) an address or place in the table, and an offset */
};

struct wt_types;
struct wt_type;

/** A member, a base class, a parameter or an enumerator. */
struct wt_member {
    const char *name; /**< NULL: anonymous */
    const struct wt_type *type;
    uint64_t offset; /**< bytes into the structure */
    uint32_t
        bit_offset; /**< a bit field's first bit, from the lowest bit of the byte at `offset` on */
    uint32_t bit_size; /**< 0: not a bit field */
    int64_t value;     /**< enumerator */
    bool is_base;
    bool is_virtual; /**< a base whose place is computed from the object: `die` says how */
    Dwarf_Die die;   /**< die of a virtual base */
    bool is_static;  /**< it has no place in the structure */
    uint8_t access;  /**< DW_ACCESS_…; 0: as the kind of structure has it */
};

/** How a class goes to and from functions; it is found when it is first asked for. */
enum wt_type_passed { WT_PASSED_NOT_READ, WT_PASSED_BY_VALUE, WT_PASSED_BY_ADDRESS };

struct wt_type {
    enum wt_type_kind kind;
    const char *name;             /**< NULL: anonymous */
    uint64_t size;                /**< bytes; 0: unknown */
    bool is_signed;               /**< INT, CHAR, ENUM */
    bool is_guess;                /**< INT: the declaration does not tell the type; not signed */
    bool is_rvalue;               /**< REFERENCE: && */
    bool is_vector;               /**< ARRAY: of the vector types of C and OpenCL */
    bool is_incomplete;           /**< STRUCT, CLASS, UNION: only declared */
    bool is_scoped;               /**< ENUM: an enum class */
    bool is_variadic;             /**< FUNCTION */
    bool has_prototype;           /**< FUNCTION */
    bool has_count;               /**< ARRAY: `count` is known */
    unsigned address_class;       /**< POINTER, REFERENCE: DW_AT_address_class; 0: none */
    const struct wt_type *target; /**< what it points to, is made of, or returns; NULL: void */
    const struct wt_type *owner;  /**< MEMBER: the class */
    uint64_t count;               /**< ARRAY: elements */
    int64_t lower;                /**< ARRAY: index of the first one (Fortran: 1) */
    int64_t stride;               /**< ARRAY: bytes to the next element; 0: its size */
    struct wt_member
        *member; /**< members of a structure, enumeration or function; by wt_type_members() */
    size_t member_count;
    bool read;                  /**< `member` is filled in */
    enum wt_type_passed passed; /**< STRUCT, CLASS, UNION: by wt_type_is_passed_by_address() */
    struct wt_types *types;
    Dwarf_Die die; /**< the entry that it was read from; addr NULL: none */
};

/** Finds the definition of a structure that is only declared, by its name; false: none is known. */
typedef bool wt_types_definition_fn(void *context, const char *name, Dwarf_Die *die);

/** The namespaces and classes in which a type stands: "ns::Class"; "" if it stands in none. */
typedef const char *wt_types_scope_fn(void *context, Dwarf_Die *die);

/**
 * An empty list. @p definition and @p scope may be NULL: types that are made only. NULL without
 * host memory.
 */
struct wt_types *wt_types_new(wt_types_definition_fn *definition, wt_types_scope_fn *scope,
                              void *context, unsigned address_size);
/** Pointers with an address class that has no size beside it have so many bytes; else they are as
 * long as others. */
void wt_types_set_class_size(struct wt_types *types, unsigned bytes);
/** Frees the list and all of its types. */
void wt_types_free(struct wt_types *types);
/** Bytes of an address: 4 or 8. */
unsigned wt_types_address_size(const struct wt_types *types);

/** The type that a DIE of a type stands for; never NULL. */
const struct wt_type *wt_types_read(struct wt_types *types, Dwarf_Die *die);
/** The type of a variable, member or parameter: what DW_AT_type says; void if nothing. */
const struct wt_type *wt_types_of(struct wt_types *types, Dwarf_Die *die);

/** A type of C by its name ("unsigned int", "_Float16", "uint32_t", …); NULL if it is none. */
const struct wt_type *wt_types_basic(struct wt_types *types, const char *name);
/** C's integer type of @p size bytes (1, 2, 4, 8 or 16). */
const struct wt_type *wt_types_integer(struct wt_types *types, unsigned size, bool is_signed);
/** The type of pointers to @p target. */
const struct wt_type *wt_types_pointer(struct wt_types *types, const struct wt_type *target);
/** The type of pointers to members of @p owner that are a @p target. */
const struct wt_type *wt_types_member_pointer(struct wt_types *types, const struct wt_type *owner,
                                              const struct wt_type *target);
/** The type of arrays of @p count elements. */
const struct wt_type *wt_types_array(struct wt_types *types, const struct wt_type *element,
                                     uint64_t count);
/** A vector of some of the elements of @p vector, in the order that is wanted. */
const struct wt_type *wt_types_vector(struct wt_types *types, const struct wt_type *vector,
                                      uint64_t count);
/** An array from the index @p lower on, in the language of @p die. */
const struct wt_type *wt_types_array_from(struct wt_types *types, const struct wt_type *element,
                                          int64_t lower, uint64_t count, const Dwarf_Die *die);
/** Likewise with @p stride bytes from an element to the next, which may lie before it. */
const struct wt_type *wt_types_array_strided(struct wt_types *types, const struct wt_type *element,
                                             int64_t lower, uint64_t count, int64_t stride,
                                             const Dwarf_Die *die);
/** The offset of element @p index, from 0, in the bytes of an array. */
uint64_t wt_type_element_at(const struct wt_type *array, uint64_t index);
/** A function without a prototype that returns void: what $pc points to. */
const struct wt_type *wt_types_function(struct wt_types *types);
/** A register of 64 bits that holds a float in its low half, or a double. */
const struct wt_type *wt_types_float_union(struct wt_types *types);
/** A structure of three elements, x, y and z: CUDA's uint3 and dim3. @p name lives on. */
const struct wt_type *wt_types_triple(struct wt_types *types, const char *name,
                                      const struct wt_type *element);

/** Without typedefs and qualifiers; of a declared structure its definition, if there is one. */
const struct wt_type *wt_type_plain(const struct wt_type *type);
/** The members of a structure, enumeration or function; *count 0 if it has none. */
const struct wt_member *wt_type_members(const struct wt_type *type, size_t *count);
/** It is, or consists of, a class of C++ that only its own functions may copy or destroy: whatever
 *  its size, functions take and return such a class in memory. */
bool wt_type_is_passed_by_address(const struct wt_type *type);
/** The type that a type points to or is made of; void rather than NULL. */
const struct wt_type *wt_type_target(const struct wt_type *type);
/** Bytes of a value; 0 if that is unknown. */
uint64_t wt_type_size(const struct wt_type *type);

/** Kinds of types, which wt_type_plain() has given. */
bool wt_type_is_integral(const struct wt_type *plain); /**< also enumerations, characters, bool */
bool wt_type_is_scalar(const struct wt_type *plain);   /**< also floats and pointers */
bool wt_type_is_record(const struct wt_type *plain);   /**< structure, class or union */
/** A value of it has a sign. */
bool wt_type_is_signed(const struct wt_type *plain);
/** The 16-bit floats that languages have as classes of one integer or float, and __bf16. */
enum wt_type_half { WT_NO_HALF, WT_HALF, WT_BFLOAT };
/** Which of them a type is, by its name. */
enum wt_type_half wt_type_half(const struct wt_type *type);

/** Writes the type as C has it: "char *[4]", "struct pixel". */
void wt_type_print(FILE *out, const struct wt_type *type);
/** Likewise as a text, which the caller frees; NULL without host memory. */
char *wt_type_text(const struct wt_type *type);
/** The scope before the name of an enumerator in C++, "ns::" or "ns::colour::"; returns its
 *  length within type->name: the rest is "::" if that is not 0. */
size_t wt_type_enumerator_scope(const struct wt_type *type);
/** Likewise around a name: "char *name[4]". */
void wt_type_print_declared(FILE *out, const struct wt_type *type, const char *name);
/** WT_INVALID where a structure or an array is to be put where one of another type is. */
enum wt_status wt_type_check_assigned(const struct wt_type *to, const struct wt_type *from,
                                      struct wt_error *err);
/** Flags of GDB's ptype. */
struct wt_ptype_flags {
    bool offsets;    /**< o: offset and size of each member in bytes, bits of bit fields, holes */
    bool hex;        /**< x: those in hexadecimal */
    bool no_methods; /**< m */
};
/** As GDB's ptype, "type = " and what follows: typedefs resolved, members listed. */
void wt_type_print_definition(FILE *out, const struct wt_type *type,
                              const struct wt_ptype_flags *flags);

/** Whether bytes [@p from, @p from + @p size) of a structure or class are no member's. */
bool wt_type_is_padding(const struct wt_type *type, uint64_t from, uint64_t size);

#endif
