/*
 * cubins: NVIDIA's ELF files of SASS (e_machine 190). This reads what the compute driver
 * needs: code of each function, its parameters (.nv.info), constant banks, sizes of shared
 * and local memory, registers. Format: public tools that read and write them (maxas, CuAssembler).
 */
#ifndef WT_OBJECT_CUBIN_H
#define WT_OBJECT_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** e_machine of cubins. */
#define CUBIN_ELF_MACHINE 190

/** Where parameters begin in constant bank 0 of a kernel for sm_50. */
#define CUBIN_PARAMETERS 0x140
/** Bytes of a constant bank. */
#define CUBIN_BANK_BYTES 0x10000
/** Constant banks that a program may have. */
#define CUBIN_BANKS 18

/** Bytes of parameters that a kernel may have, be it PTX or machine code. */
#define CUBIN_MOST_PARAMETERS 4096u

struct cubin_parameter {
    uint32_t offset; /**< from the first parameter */
    uint32_t size;   /**< bytes */
    char name[64];   /**< "" where the file has none, as NVIDIA's compilers leave it */
};

/** A function: a kernel or what kernels call. */
struct cubin_function {
    char *name;
    bool is_kernel;
    uint64_t code; /**< offset in cubin.code, a multiple of 128 */
    uint64_t size; /**< bytes of code */
    unsigned registers, barriers;
    uint32_t shared, local; /**< bytes of static shared memory, of a thread's stack */
    struct cubin_parameter *parameter;
    size_t parameter_count;
    uint32_t parameter_bytes; /**< bytes of all of them */
    uint8_t *bank[CUBIN_BANKS];
    uint32_t bank_size[CUBIN_BANKS];
};

/** A variable of the file, which all kernels share. */
struct cubin_variable {
    char *name;
    bool is_constant; /**< in bank 3; else in global memory */
    uint64_t offset;  /**< bytes into bank3 or data */
    uint64_t size;    /**< bytes */
};

/** The parts of a cubin that have relocations. */
enum cubin_part { CUBIN_CODE, CUBIN_DATA, CUBIN_BANK3, CUBIN_BANK };

/** How an address is put there; the numbers are R_CUDA_...'s. */
enum cubin_field {
    CUBIN_ADDRESS_32 = 1,
    CUBIN_ADDRESS_64 = 2,
    CUBIN_WHOLE_20 = 42, /**< bits 51..20 of an instruction: an address below 4 GiB */
    CUBIN_LOW_20 = 43,   /**< the lower dword there */
    CUBIN_HIGH_20 = 44,  /**< the upper one */
};

/** A place that the address of a variable or function is put into. */
struct cubin_relocation {
    enum cubin_part part;
    size_t function; /**< function of CODE and BANK */
    unsigned bank;   /**< bank of BANK */
    uint64_t offset; /**< bytes into the function's code, into data, bank3 or the bank */
    enum cubin_field field;
    bool to_function; /**< `target` is an index of functions; else of variables */
    size_t target;
    int64_t addend;
};

struct cubin {
    unsigned sm; /**< the SM version that it is for: 50 */
    uint8_t *code;
    uint64_t code_size;
    size_t code_capacity;
    struct cubin_function *function;
    size_t function_count;
    uint8_t *bank3; /**< __constant__ variables, which all kernels share */
    uint32_t bank3_size;
    uint8_t *data;                   /**< variables in global memory: initial values, then zeros */
    uint64_t data_size, initialized; /**< bytes of all, of those that have initial values */
    struct cubin_variable *variable;
    size_t variable_count;
    struct cubin_relocation *relocation;
    size_t relocation_count;
};

/**
 * Reads a cubin for sm_50 to sm_53 from @p bytes; @p name is for messages. WT_UNSUPPORTED: another
 * SM, or a relocation of a kind that is not known or to what the file does not have. The caller
 * frees it with cubin_free; on failure there is nothing to free.
 */
enum wt_status cubin_parse(const char *name, const uint8_t *bytes, size_t length,
                           struct cubin *cubin, struct wt_error *err);

/**
 * Applies the relocations: @p code, @p data and @p bank3 are where these will be in memory. The
 * cubin can be relocated again for other addresses.
 */
void cubin_relocate(struct cubin *cubin, uint64_t code, uint64_t data, uint64_t bank3);

/** The variable of this name; NULL if there is none. */
const struct cubin_variable *cubin_find_variable(const struct cubin *cubin, const char *name);

/** Whether bytes begin with the header of a cubin. */
bool cubin_is(const uint8_t *bytes, size_t available);
/**
 * Finds the size of a cubin from its header and section headers: *size bytes. False: these are no
 * cubin, or it is longer than @p available (SIZE_MAX: not known).
 */
bool cubin_extent(const uint8_t *bytes, size_t available, size_t *size);

/**
 * Writes @p cubin, which has at least one function, as an executable ELF file. The caller frees
 * *bytes. WT_NO_MEMORY is the only failure.
 */
enum wt_status cubin_write(const struct cubin *cubin, uint8_t **bytes, size_t *length,
                           struct wt_error *err);

/** Frees what a cubin owns; *cubin is empty then. */
void cubin_free(struct cubin *cubin);

/**
 * Adds @p size zero bytes to the code where the next function may begin; *at becomes their offset
 * in cubin->code. Returns a pointer to them, valid until code is added again; NULL without host
 * memory.
 */
uint8_t *cubin_append_code(struct cubin *cubin, uint64_t size, uint64_t *at);

/** The function of this name; NULL if there is none. */
const struct cubin_function *cubin_find(const struct cubin *cubin, const char *name);

#endif
