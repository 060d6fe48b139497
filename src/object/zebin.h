/*
 * Intel's zebin: an ELF file (EM_INTELGT, relocatable) with a code section for each kernel and a
 * section .ze_info that says in YAML how to launch them (Intel Graphics Compiler, "ZEBinary
 * Specification").
 */
#ifndef WT_OBJECT_ZEBIN_H
#define WT_OBJECT_ZEBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define GEN_ELF_MACHINE 205

/** The content of a piece of a kernel's payload: arg_type of .ze_info. */
enum gen_argument_kind {
    GEN_ARG_UNKNOWN,
    GEN_ARG_BYPOINTER,
    GEN_ARG_BYVALUE,
    GEN_ARG_BUFFER_ADDRESS,
    GEN_ARG_BUFFER_OFFSET,
    GEN_ARG_GLOBAL_ID_OFFSET,
    GEN_ARG_LOCAL_SIZE,
    GEN_ARG_ENQUEUED_LOCAL_SIZE,
    GEN_ARG_GROUP_COUNT,
    GEN_ARG_GLOBAL_SIZE,
    GEN_ARG_WORK_DIMENSIONS,
    GEN_ARG_PRIVATE_BASE,
    GEN_ARG_PRINTF_BUFFER,
    GEN_ARG_LOCAL_ID,
    GEN_ARG_IMAGE_WIDTH,
    GEN_ARG_IMAGE_HEIGHT,
    GEN_ARG_IMAGE_DEPTH,
    GEN_ARG_IMAGE_LAYERS,
    GEN_ARG_IMAGE_ORDER, /**< OpenCL's number, as that of the type */
    GEN_ARG_IMAGE_TYPE,
    GEN_ARG_IMAGE_SAMPLES,
    GEN_ARG_IMAGE_LEVELS,
    GEN_ARG_SAMPLER_ADDRESS,    /**< CLK_ADDRESS_… */
    GEN_ARG_SAMPLER_NORMALIZED, /**< CLK_NORMALIZED_COORDS_… */
    GEN_ARG_SAMPLER_SNAP,       /**< all ones where texels are snapped to: clamp with nearest */
    GEN_ARG_PROGRAM_DATA,       /**< the address of data in the image: source_offset says where */
};

/** How a pointer is used: addrmode of .ze_info. */
enum gen_address_mode {
    GEN_ADDRESS_NONE,
    GEN_ADDRESS_STATEFUL,
    GEN_ADDRESS_STATELESS,
    GEN_ADDRESS_SLM,
    GEN_ADDRESS_BINDLESS
};

/** The memory to which an argument with an address mode leads: addrspace of .ze_info. */
enum gen_argument_object { GEN_OBJECT_MEMORY, GEN_OBJECT_IMAGE, GEN_OBJECT_SAMPLER };

/** Kinds of images: image_type of .ze_info. */
enum gen_image_kind {
    GEN_IMAGE_OTHER, /**< cubes, of several samples: not offered */
    GEN_IMAGE_BUFFER,
    GEN_IMAGE_1D,
    GEN_IMAGE_1D_ARRAY,
    GEN_IMAGE_2D,
    GEN_IMAGE_2D_ARRAY,
    GEN_IMAGE_3D,
};

/** A slot of the table of samplers. */
struct gen_sampler_slot {
    uint32_t slot;
    int32_t index;             /**< the argument that is there; -1: it is the program's own */
    uint8_t address;           /**< the rest of those: the address mode of SAMPLER_STATE */
    bool linear, unnormalized; /**< likewise */
};

/** Address modes of SAMPLER_STATE (Skylake PRM volume 2d). */
enum {
    GEN_ADDRESSING_WRAP = 0,
    GEN_ADDRESSING_MIRROR = 1,
    GEN_ADDRESSING_CLAMP = 2,
    GEN_ADDRESSING_BORDER = 4
};

/** A piece of the payload. */
struct gen_payload_argument {
    enum gen_argument_kind kind;
    enum gen_address_mode mode;
    uint32_t offset, size;
    uint32_t source_offset; /**< BYVALUE, sizes of three: where the piece is in the value */
    int32_t index;          /**< which argument of the kernel; -1: none */
    uint8_t object;         /**< BYPOINTER: enum gen_argument_object */
    uint8_t image;          /**< enum gen_image_kind */
};

/** A binding table entry that an argument has, or data in the image. */
struct gen_binding {
    uint32_t entry;
    int32_t index;     /**< -1: data in the image */
    uint64_t at, size; /**< where those are */
};

struct gen_kernel {
    char *name;
    uint64_t code, code_size; /**< in the object's image */
    uint32_t simd, slm_size, barriers;
    bool fixed_group;      /**< it is for groups of one size (reqd_work_group_size) */
    uint32_t private_size; /**< bytes of a work-item */
    uint32_t scratch_size; /**< bytes of a thread */
    struct gen_payload_argument *payload;
    size_t payload_count, payload_capacity;
    uint32_t local_id_size; /**< bytes of a thread's block; 0: it has none */
    struct gen_binding *binding;
    size_t binding_count, binding_capacity;
    struct gen_sampler_slot *sampler;
    size_t sampler_count, sampler_capacity;
    char **argument_name;    /**< by index; NULL where it is not known */
    uint32_t *argument_size; /**< by index: bytes of its type; 0 where it is not known */
    size_t argument_count, name_capacity;
    char **text; /**< text of printf calls, whose records hold an index; else they hold addresses */
    size_t text_count, text_capacity;
};

/** A place in the image that holds an address. */
struct gen_relocation {
    uint64_t at, addend; /**< both relative to the image; the address is its base plus addend */
    uint8_t size;        /**< 4 or 8 bytes */
    bool high;           /**< the upper half of the address, 4 bytes */
};

struct gen_object {
    uint8_t *image; /**< code, then data */
    uint64_t size;
    struct gen_kernel *kernel;
    size_t kernel_count, kernel_capacity;
    struct gen_relocation *relocation;
    size_t relocation_count, relocation_capacity;
    char version[16]; /**< version of .ze_info */
    int64_t *place; /**< place of each section of the file in the image; negative: it is not loaded;
                       NULL: of patch tokens */
    size_t section_count;
};

/**
 * Parses a zebin, or a program in patch tokens (patchtokens.h), itself or in the file that `ocloc`
 * makes: @p length bytes at @p bytes; @p name is for messages. The caller frees *object with
 * gen_object_free after success.
 */
enum wt_status gen_object_parse(const char *name, const uint8_t *bytes, size_t length,
                                struct gen_object *object, struct wt_error *err);
/** Frees what an object owns; *object is empty then. */
void gen_object_free(struct gen_object *object);

/**
 * The file that @p object has been parsed from, as one for debuggers whose image is loaded at
 * @p base: sections and symbols have addresses, and debug sections are relocated. *linked, of
 * *linked_length bytes, is freed by the caller. WT_UNSUPPORTED: it is in patch tokens.
 */
enum wt_status gen_object_link(const char *name, const uint8_t *bytes, size_t length,
                               const struct gen_object *object, uint64_t base, uint8_t **linked,
                               size_t *linked_length, struct wt_error *err);

/**
 * Makes an object with one kernel "code" from machine code without a format, with threads of @p
 * simd channels: 8, 16 or 32. Its threads get the local ids x, y and z from r1 on, a vector each,
 * and behind them argument n at byte 8 * n: by its @p mode a value (NONE), an address whose surface
 * has the binding table index n (STATELESS), or an offset in local memory (SLM). WT_INVALID where
 * the length is no multiple of 8. The caller frees *object with gen_object_free.
 */
enum wt_status gen_object_of_code(const char *name, const uint8_t *bytes, size_t length,
                                  unsigned simd, const enum gen_address_mode *mode,
                                  size_t argument_count, struct gen_object *object,
                                  struct wt_error *err);

/** The kernel of that name; NULL if there is none. */
const struct gen_kernel *gen_object_kernel(const struct gen_object *object, const char *name);

/** Memory for the arrays of work-items that a kernel reaches by an address in its cross-thread
 * data, at byte *at there: an array of *bytes bytes for each hardware thread. False: it has none.
 */
bool gen_kernel_private(const struct gen_kernel *kernel, uint16_t *at, uint32_t *bytes);

/** Parses the text of .ze_info into @p object, whose kernels get no code. */
enum wt_status gen_ze_info_parse(const char *name, const char *text, size_t length,
                                 struct gen_object *object, struct wt_error *err);

/** Adds a slot of the table of samplers and returns it; NULL without host memory. */
struct gen_sampler_slot *gen_kernel_add_sampler(struct gen_kernel *kernel);

/**
 * Makes argument_name[@p index] and argument_size[@p index] exist, unknown where they are new;
 * false without host memory.
 */
bool gen_kernel_know_argument(struct gen_kernel *kernel, size_t index);

#endif
