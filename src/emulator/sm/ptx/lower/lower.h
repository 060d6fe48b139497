/* Linking and lowering of PTX: what sm/ptx/lower/link.c and the files that lower bodies share. */
#ifndef WT_EMULATOR_SM_PTX_LOWER_LOWER_H
#define WT_EMULATOR_SM_PTX_LOWER_LOWER_H

#include "emulator/sm/ptx/lower/form.h"
#include "emulator/sm/ptx/image.h"

/** A symbol of a module: a variable or a function. */
struct ptx_symbol {
    struct ptx_name name;
    uint32_t module;
    const struct ptx_variable *variable; /**< NULL: a function */
    const struct ptx_function *function;
    uint64_t address;                  /**< global and constant memory; offset into shared memory */
    uint32_t info;                     /**< index in the image of a function, a placed variable */
    bool dynamic;                      /**< shared memory that the launch adds */
    bool placed;                       /**< at an address that a module says (.wavetrap_at) */
    const struct ptx_function *inside; /**< in whose body it is declared; NULL: in the module */
    struct ptx_symbol *definition;     /**< the one that a declaration stands for; else itself */
    /* shared memory: who uses it */
    const struct ptx_function *user;
    bool common;
    uint32_t next; /**< in its bucket; UINT32_MAX: the last */
};

/** Rows of the image that have one value in all lanes, found by it. */
struct ptx_constant_rows {
    uint64_t *value; /* value of row n of the image */
    uint32_t *bytes, *next;
    size_t room;
    uint32_t bucket[1024];
};

/** Opcodes that were split into their words: programs have few different ones. */
enum { PTX_FORMS = 256 };
struct ptx_known_form {
    struct ptx_name opcode; /**< none: the place is free */
    struct ptx_form form;
};

struct ptx_linker {
    struct sm_ptx *image;
    const struct sm_ptx_module *module;
    size_t module_count;
    struct ptx_symbol *symbol;
    size_t symbol_count;
    uint32_t *bucket;
    size_t bucket_count; /**< a power of two */
    struct wt_error *err;
    enum wt_status status;
    uint32_t shared_common;
    struct ptx_constant_rows *constants;
    struct ptx_known_form *form; /**< PTX_FORMS places, by a hash of the opcode */
};

/** Fails at a place of a module's text; false. */
bool ptx_mistake(struct ptx_linker *l, uint32_t module, struct ptx_place place,
                 enum wt_status status, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Fails for want of host memory; false. */
bool ptx_out_of_memory(struct ptx_linker *l);

/** The definition of a name in a module; NULL if there is none. */
struct ptx_symbol *ptx_find_symbol(struct ptx_linker *l, uint32_t module, struct ptx_name name);

/** Adds the symbols of all modules; then each gets its definition. */
bool ptx_collect_symbols(struct ptx_linker *l);
/* Gives each declaration its definition; false: a mistake was raised. */
bool ptx_resolve_symbols(struct ptx_linker *l);
/** Gives variables the addresses that modules say for them. */
void ptx_place_symbols(struct ptx_linker *l);
/** Whether a symbol is more than a declaration. */
bool ptx_is_definition(const struct ptx_symbol *s);
/**
 * Notes in the image that a module uses a variable or function at @p place that no module defines.
 * False without host memory.
 */
bool ptx_check_defined(struct ptx_linker *l, uint32_t module, struct ptx_place place,
                       const struct ptx_symbol *s);

/** The symbol of a variable that is declared in a body. */
const struct ptx_symbol *ptx_inner_symbol(const struct ptx_linker *l,
                                          const struct ptx_variable *variable);

/** In place of bytes: the value is a function's index, and the row has its address in the end. */
#define PTX_FUNCTION 9

/** Rows that have one value in all lanes, of 4 or 8 bytes; NULL without host memory. */
const void *ptx_constant(struct ptx_linker *l, unsigned bytes, uint64_t value);

/** Rows of PTX_FUNCTION get the functions' addresses: all records are there. */
void ptx_fill_in_functions(struct ptx_linker *l);

/** Notes where all variables of global, constant and shared memory are. */
bool ptx_list_variables(struct ptx_linker *l);
/** The number of a variable, at its place in its space, among the origins of addresses, plus 1; 0:
 * its size is not known, or there are too many. */
uint16_t ptx_origin_number(struct ptx_linker *l, const struct ptx_variable *v, enum ptx_space space,
                           uint64_t place);
/** Notes where a variable is. */
bool ptx_add_variable(struct ptx_linker *l, const struct sm_ptx_variable *variable);

/** Lowers the body of a function; sets its rows, local memory and records. */
bool ptx_lower(struct ptx_linker *l, const struct ptx_symbol *function);

/** Dwords that a parameter takes: each element of one that is a register has its own. */
static inline uint32_t ptx_dwords(const struct ptx_variable *v)
{
    if (v->space == PTX_SPACE_REG)
        return v->vector * (ptx_type_bytes(v->type) == 8 ? 2u : 1u);
    return (uint32_t)((v->bytes + 3) / 4);
}

#endif
