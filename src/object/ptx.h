/*
 * PTX, NVIDIA's virtual instruction set: parses the text to a tree. Instructions have no meaning
 * here; names are not resolved, types not checked. Source: the public manual "Parallel
 * Thread Execution ISA", versions 3.1 to 8.5; section numbers in comments are those of 8.5.
 */
#ifndef WT_OBJECT_PTX_H
#define WT_OBJECT_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/ptx_text.h"
#include "base/error.h"

enum ptx_space {
    PTX_SPACE_NONE,
    PTX_SPACE_REG,
    PTX_SPACE_CONST,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
    PTX_SPACE_SHARED,
    PTX_SPACE_TEX,
};

/** Fundamental types (5.2), and opaque ones. */
enum ptx_type {
    PTX_NO_TYPE,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_F16X2,
    PTX_BF16,
    PTX_BF16X2,
    PTX_F32,
    PTX_F64,
    PTX_PRED,
    PTX_TEXREF,
    PTX_SAMPLERREF,
    PTX_SURFREF,
    PTX_TYPES,
};

/** Bytes of a value; 1 for PRED, 8 for references, 0 for NO_TYPE. */
unsigned ptx_type_bytes(enum ptx_type type);
/** The type of a name without its dot: "u32"; PTX_NO_TYPE if it names none. */
enum ptx_type ptx_type_of(const char *name, size_t length);

/* ptx_store.h writes these records to files as they are: unnamed padding would be of any value. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

enum ptx_linkage { PTX_PRIVATE, PTX_EXTERN, PTX_VISIBLE, PTX_WEAK, PTX_COMMON };

/** One item of an initialiser. */
struct ptx_initial {
    uint64_t offset;        /**< bytes from the variable's first */
    uint64_t value;         /**< bits; of a symbol: the number added to its address */
    struct ptx_name symbol; /**< none: a number */
    bool generic;           /**< generic(symbol) */
    uint8_t size;           /**< bytes: 1, 2, 4, 8 */
    uint8_t shift;          /**< bits by which the value is shifted right: 0xff00(symbol) */
    uint8_t unused[5];
    struct ptx_place place;
};

/** A variable, a register, a parameter, or `range` of them: "%r<4>" is %r0 to %r3. */
struct ptx_variable {
    struct ptx_name name;
    struct ptx_place place;
    enum ptx_space space;
    enum ptx_type type;
    enum ptx_linkage linkage;
    uint32_t range; /**< 0: it is one */
    uint32_t align; /**< bytes, a power of two */
    uint32_t unused;
    uint64_t bytes;  /**< bytes of all of it; 0: of unknown size, "[]" */
    uint8_t vector;  /**< elements: 1, 2, 4 */
    bool is_array;   /**< declared with brackets */
    bool is_pointer; /**< a parameter marked .ptr */
    bool unused_too;
    enum ptx_space pointed; /**< and the space that is named behind it */
    uint32_t initial;       /**< index of the first item in ptx_module.initial */
    uint32_t initial_count;
    uint64_t address; /**< where it is to be: .attribute(.wavetrap_at(N)); 0: not said */
};

enum ptx_operand_kind {
    PTX_OPERAND_NAME,    /**< a register, symbol, label or special register; with an offset or an
                            index: an element of an array */
    PTX_OPERAND_INTEGER, /**< value */
    PTX_OPERAND_SINGLE,  /**< 0f…: bits of a float */
    PTX_OPERAND_DOUBLE,  /**< 0d… or 1.5: bits of a double */
    PTX_OPERAND_SINK,    /**< _ */
    PTX_OPERAND_VECTOR,  /**< {…} */
    PTX_OPERAND_MEMORY,  /**< […]: base, then what follows a comma */
    PTX_OPERAND_GROUP,   /**< (…) of a call */
    PTX_OPERAND_PAIR,    /**< p|q */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated; /**< !p */
    bool indexed; /**< NAME[index]: the index, one operand, is the list */
    bool minus;   /**< -r, which vmad has */
    uint8_t unused;
    struct ptx_name name;
    struct ptx_name component; /**< "x" of %tid.x; none */
    uint64_t value;
    int64_t offset; /**< offset of a name; of memory */
    uint32_t list;  /**< index of the first item in ptx_module.item */
    uint32_t count;
    struct ptx_place place;
};

enum ptx_statement_kind {
    PTX_STATEMENT_INSTRUCTION,
    PTX_STATEMENT_LABEL,     /**< name */
    PTX_STATEMENT_OPEN,      /**< { */
    PTX_STATEMENT_CLOSE,     /**< } */
    PTX_STATEMENT_VARIABLE,  /**< index: of ptx_module.variable */
    PTX_STATEMENT_TARGETS,   /**< name: .branchtargets or .calltargets operands; */
    PTX_STATEMENT_PROTOTYPE, /**< name: .callprototype; index: of ptx_module.function */
};

struct ptx_statement {
    enum ptx_statement_kind kind;
    uint32_t guard_negated; /**< a boolean */
    struct ptx_name name;   /**< name of a label; the whole opcode "ld.global.u32" */
    struct ptx_name guard;  /**< none: unconditional */
    struct ptx_name text;   /**< the instruction as it is written, without semicolon */
    struct ptx_place place;
    uint32_t index;
    uint32_t operand, operand_count; /**< in ptx_module.item */
    /** Of the last .loc (11.5.3); file 0: none. */
    uint32_t file, line, column;
};

struct ptx_function {
    struct ptx_name name;
    struct ptx_place place;
    enum ptx_linkage linkage;
    bool is_entry, has_body, no_return;
    bool is_prototype;                            /**< it is a .callprototype: no function */
    uint32_t result, result_count;                /**< in ptx_module.variable */
    uint32_t parameter, parameter_count;          /**< likewise */
    uint32_t statement, statement_count;          /**< in ptx_module.statement */
    uint32_t max_threads[3], required_threads[3]; /**< .maxntid, .reqntid; 0: not given */
};

struct ptx_file {
    uint32_t number, unused;
    struct ptx_name folder; /**< none: the name is whole */
    struct ptx_name name;
};

/** A section of debug information: ".section .debug_info { … }", its lines as text. */
struct ptx_section {
    struct ptx_name name, body;
    struct ptx_place place; /**< place of the body */
};

struct ptx_alias {
    struct ptx_name name, target;
    struct ptx_place place;
};

#pragma GCC diagnostic pop

struct ptx_module {
    char *text;             /**< a copy of what was parsed */
    unsigned version;       /**< 80: PTX 8.0 */
    struct ptx_name target; /**< the first one: "sm_50" */
    unsigned address_size;  /**< 32 or 64 */
    struct ptx_function *function;
    struct ptx_variable *variable; /**< all there are */
    uint32_t *global;              /**< indices of those outside of functions */
    struct ptx_statement *statement;
    struct ptx_operand *item;
    struct ptx_initial *initial;
    struct ptx_file *file;
    struct ptx_section *section;
    struct ptx_alias *alias;
    size_t function_count, variable_count, global_count, statement_count, item_count;
    size_t initial_count, file_count, section_count, alias_count;
    size_t room[9]; /**< capacities of the arrays, in their order */
};

/**
 * Parses @p length characters of @p text, which may end with a NUL; @p name is for messages:
 * "NAME:LINE:COLUMN: …". The caller frees the module with ptx_free; on failure there is nothing to
 * free. WT_INVALID: no PTX; WT_UNSUPPORTED: PTX of addresses of 32 bits.
 */
enum wt_status ptx_parse(const char *name, const char *text, size_t length,
                         struct ptx_module *module, struct wt_error *err);

/** Frees what a module owns; *module is empty then. */
void ptx_free(struct ptx_module *module);

/** Whether a file's first bytes look like PTX: comments, then ".version". */
bool ptx_is_text(const uint8_t *bytes, size_t length);

/** The .version that PTX begins with, as 10 * major + minor; 0: it has none. */
unsigned ptx_version_of(const uint8_t *bytes, size_t length);

#endif
