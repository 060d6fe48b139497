/*
 * PTX on the SM: modules are linked and lowered to an image of records that the SM executes beside
 * machine code. docs/ptx.md describes how.
 */
#ifndef WT_EMULATOR_SM_PTX_PTX_H
#define WT_EMULATOR_SM_PTX_PTX_H

#include "emulator/sm/sm.h"
#include "object/ptx.h"

/** A linked program of PTX; it does not change. */
struct sm_ptx;

struct sm_ptx_parameter {
    char *name;
    uint32_t offset, size, align;        /**< bytes; the offset is that from the first parameter */
    bool is_pointer;                     /**< marked .ptr */
    enum ptx_space space;                /**< to which it points; NONE: not known */
    const struct ptx_variable *declared; /**< in the module's text */
};

struct sm_ptx_kernel {
    char *name;
    uint64_t entry;          /**< address of its first instruction */
    uint64_t end;            /**< behind its last one */
    bool is_kernel;          /**< else a function that kernels call */
    uint32_t rows;           /**< rows of its frame in the register file */
    uint32_t result_rows;    /**< those before the parameters, for what it returns */
    uint32_t shared;         /**< bytes of static shared memory */
    uint32_t local;          /**< bytes of local memory that a thread takes, callees included */
    uint32_t frame_local;    /**< bytes of its own frame */
    uint32_t max_threads[3]; /**< .maxntid or .reqntid; 0: not given */
    bool exact_threads;      /**< .reqntid: these and no others */
    struct sm_ptx_parameter *parameter;
    size_t parameter_count;
    const struct ptx_variable *result; /**< what it returns; NULL: nothing, or several numbers */
    uint32_t parameter_bytes;
};

/** A variable of global or constant memory. */
struct sm_ptx_symbol {
    char *name;
    uint64_t address, size;
    bool is_constant;
};

/** A variable that is not with the others, but where a module says (.attribute(.wavetrap_at(N))).
 */
struct sm_ptx_placed {
    uint64_t address, size;
    uint8_t *bytes; /**< its initial value */
};

/** Where the variables of a module are that debug information names. */
struct sm_ptx_variable {
    struct ptx_name name;
    uint32_t module;
    enum ptx_space space; /**< global, constant, shared or local memory */
    uint64_t place;       /**< address; offset into shared memory, into the frame's local memory */
    uint64_t bytes;       /**< 0: not known */
};

/** An instruction, for line tables and disassembly. */
struct sm_ptx_line {
    uint64_t address;
    uint32_t module, file, line, column; /**< as .loc says; file 0: not known */
    uint32_t text_line;                  /**< line of the PTX itself, from 1 */
    bool begins_function;
};

/** A register of a function by its name. */
struct sm_ptx_register {
    char name[64]; /**< "%r1", of a vector "%v.x" */
    uint32_t slot; /**< where it is in the function's frame in the register file, in bytes */
    uint8_t
        bytes; /**< 4, 8, for each lane in turn; 0: a predicate, 4 bytes that are a mask of lanes */
    bool is_float;
};

struct sm_ptx_module {
    const char *name; /**< for messages */
    const struct ptx_module *text;
};

/**
 * Links modules, which must live as long as the image, and lowers their instructions. Code goes to
 * address @p code, variables to @p data. An instruction that there is not gives WT_UNSUPPORTED with
 * its place; mistakes give WT_INVALID. The caller frees the image with sm_ptx_free.
 */
enum wt_status sm_ptx_link(const struct sm_ptx_module *modules, size_t count, uint64_t code,
                           uint64_t data, struct sm_ptx **image, struct wt_error *err);
/**
 * Checks the symbols of modules alone: WT_INVALID for one that is defined twice. The modules'
 * instructions are not looked at.
 */
enum wt_status sm_ptx_check_symbols(const struct sm_ptx_module *modules, size_t count,
                                    struct wt_error *err);
/* Frees an image; NULL is allowed. */
void sm_ptx_free(struct sm_ptx *image);

/** The bytes to put into memory at the addresses that sm_ptx_link was given. */
const uint8_t *sm_ptx_code(const struct sm_ptx *image, size_t *size);
/* Where the code begins. */
uint64_t sm_ptx_code_address(const struct sm_ptx *image);
/* Where the variables begin. */
uint64_t sm_ptx_data_address(const struct sm_ptx *image);
/* Likewise for variables. */
const uint8_t *sm_ptx_data(const struct sm_ptx *image, size_t *size);

/**
 * A sentence about a variable that the modules use and none defines, with its place; NULL: there is
 * none. Such an image, that of an object that is to be linked, can be shown, but must not run.
 */
const char *sm_ptx_undefined(const struct sm_ptx *image);
/**
 * The same about a function. Such an image may run: a call of the function is a mistake of the
 * kernel.
 */
const char *sm_ptx_undefined_function(const struct sm_ptx *image);
/** The variables that sm_ptx_data does not have, since a module says where they are. */
const struct sm_ptx_placed *sm_ptx_placed(const struct sm_ptx *image, size_t *count);

/** All kernels and functions, in order of their addresses. */
const struct sm_ptx_kernel *sm_ptx_kernels(const struct sm_ptx *image, size_t *count);
/* The kernel of a name; NULL: there is none. */
const struct sm_ptx_kernel *sm_ptx_find(const struct sm_ptx *image, const char *name);
/* All variables. */
const struct sm_ptx_symbol *sm_ptx_symbols(const struct sm_ptx *image, size_t *count);
/** The variable that a name of a module means; NULL: none has it. */
const struct sm_ptx_variable *sm_ptx_variable(const struct sm_ptx *image, uint32_t module,
                                              struct ptx_name name);
/** Instruction @p index; false behind the last one. */
bool sm_ptx_line(const struct sm_ptx *image, size_t index, struct sm_ptx_line *line);

/** Register @p n of the function with the instruction that the byte at @p pc is of; false behind
 * the last one, and where no code is. */
bool sm_ptx_register_at(const struct sm_ptx *image, uint64_t pc, size_t n,
                        struct sm_ptx_register *reg);

/** A parameter of a function, or a part of it. */
struct sm_ptx_part {
    const char *name; /**< the parameter's */
    unsigned number;  /**< the parameter's, from 0 */
    bool is_kernels;  /**< it is in constant memory: @ref offset, from the first one, and size */
    uint32_t offset, size;
    uint32_t slot, dword; /**< else a dword of each lane: where in the frame; which of those of the
                             parameter */
};

/** Part @p n of the parameters of the function with the instruction at @p pc: a kernel's are whole;
 * false behind the last one, and where no code is. */
bool sm_ptx_parameter_at(const struct sm_ptx *image, uint64_t pc, size_t n,
                         struct sm_ptx_part *part);

/** Dword @p n of what the call in front of the instruction at @p pc has returned, in the caller's
 * frame; false: no call is there, or it returns no more. */
bool sm_ptx_result_at(const struct sm_ptx *image, uint64_t pc, size_t n,
                      struct sm_ptx_register *reg);

/**
 * Fills in a launch of a kernel of the image: its rows, registers, and where the shared memory
 * begins that the launch adds (the kernel's own, l->shared not below it, comes first).
 */
void sm_ptx_launch(const struct sm_ptx *image, const struct sm_ptx_kernel *kernel,
                   struct sm_launch *l);

/**
 * Makes an ELF file of the image for debuggers, which the caller frees: symbols, the lines of .loc
 * or, for functions that have none, those of the PTX text itself, and the texts' debug information,
 * in which the frame's local memory begins at PTX_DWARF_LOCAL. @p is_source, of @p count, becomes
 * true for a text whose own lines it names; NULL: nobody asks. WT_NO_MEMORY is the only failure.
 */
enum wt_status sm_ptx_elf(const struct sm_ptx *image, const struct sm_ptx_module *modules,
                          size_t count, bool *is_source, uint8_t **bytes, size_t *length,
                          struct wt_error *err);
/** Whether a text has debug information that tells more than lines. */
bool ptx_describes_variables(const struct ptx_module *text);

/** Finds out from which variables accesses have their addresses, for judges, by the code. Without
 * host memory less is known. */
void sm_ptx_find_origins(struct sm_ptx *image, const struct sm_ptx_module *modules, size_t count);

/** Lets the device execute the image, which must outlive it. */
enum wt_status sm_device_attach_ptx(struct sm_device *device, struct sm_ptx *image,
                                    struct wt_error *err);

/** Undoes it; no kernel of the image may run. */
void sm_device_detach_ptx(struct sm_device *device, const struct sm_ptx *image);

/** The text of the instruction at @p pc: PTX, or machine code. False: it cannot be read. */
bool sm_device_instruction(struct sm_device *device, uint64_t pc, char *text, size_t size);

/** The text of a word that would stand at @p pc. */
void sm_device_instruction_text(struct sm_device *device, uint64_t pc, uint64_t word, char *text,
                                size_t size);

/** Likewise in an image; false: it has no such word there. */
bool sm_ptx_instruction_text(const struct sm_ptx *image, uint64_t pc, uint64_t word, char *text,
                             size_t size);

/** The name of the table's instruction @p n; whether it has forms that approximate, and whether it
 * has no others. False: there are no more. */
bool sm_ptx_row(size_t n, const char **name, bool *only_near, bool *near_too);
/** Operation @p n of those that are computed lane by lane, and its meanings (machine/meaning.h) for
 * integers and for floats. False: there are no more. */
bool sm_ptx_operation(size_t n, const char **name, const uint8_t *meaning[2]);
/** Likewise of those that are refused, and why. */
bool sm_ptx_refused(size_t n, const char **name, const char **why);

#endif
