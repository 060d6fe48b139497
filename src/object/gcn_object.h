/* The contents of a code object for AMD's GPUs: kernels with arguments, segments, printf formats.
 */
#ifndef WT_OBJECT_GCN_OBJECT_H
#define WT_OBJECT_GCN_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The content of an argument (".value_kind"). */
enum gcn_argument_kind {
    GCN_ARG_VALUE,  /**< the caller: a value of `size` bytes */
    GCN_ARG_BUFFER, /**< the caller: an address of global memory */
    GCN_ARG_LOCAL,  /**< the caller says how many bytes of LDS; the value is their offset */
    GCN_ARG_OTHER,  /**< images, samplers, queues: not offered */
    /* Hidden ones, which the runtime fills. */
    GCN_ARG_BLOCK_COUNT_X,
    GCN_ARG_BLOCK_COUNT_Y,
    GCN_ARG_BLOCK_COUNT_Z,
    GCN_ARG_GROUP_SIZE_X,
    GCN_ARG_GROUP_SIZE_Y,
    GCN_ARG_GROUP_SIZE_Z,
    GCN_ARG_REMAINDER_X,
    GCN_ARG_REMAINDER_Y,
    GCN_ARG_REMAINDER_Z,
    GCN_ARG_GRID_DIMS,
    GCN_ARG_PRIVATE_BASE,
    GCN_ARG_SHARED_BASE,
    GCN_ARG_QUEUE,
    GCN_ARG_DYNAMIC_LDS,
    GCN_ARG_PRINTF_BUFFER,   /**< where printf of OpenCL C leaves what is to be printed */
    GCN_ARG_HOSTCALL_BUFFER, /**< through which a kernel asks a runtime: printf of HIP, assert */
    GCN_ARG_HIDDEN_ZERO,     /**< the rest: 0 where no runtime offers what they stand for */
};

struct gcn_argument {
    char *name; /**< "" if the metadata have none */
    enum gcn_argument_kind kind;
    uint32_t offset, size;
};

struct gcn_kernel {
    char *name;
    uint64_t descriptor; /**< address of the descriptor in the object, before it is placed */
    uint32_t kernarg_size, group_size, private_size, most_items;
    uint32_t lanes; /**< lanes of the waves that it is for */
    bool opencl;    /**< it was written in OpenCL C */
    struct gcn_argument *argument;
    size_t arguments;
    size_t explicit_arguments; /**< the first ones, which the caller gives */
};

struct gcn_object_segment {
    uint64_t addr, size; /**< in memory; zero beyond `length` */
    const uint8_t *bytes;
    size_t length;
    bool writable;
};

/** A place that depends on where the object is: 8 bytes, its address plus a number. */
struct gcn_relocation {
    uint64_t at;     /**< in the object */
    uint64_t addend; /**< the value, less the object's base */
};

/** The format of a printf call: its text, and the sizes of the arguments in the call's record. */
struct gcn_format {
    uint32_t id;
    uint32_t *size;
    size_t sizes;
    char *text;
};

/** A code object in memory. */
struct gcn_object {
    uint8_t *file;    /**< a copy of its bytes */
    unsigned version; /**< version of the code object ABI: 4 or 5 */
    struct gcn_object_segment *segment;
    size_t segments;
    uint64_t size; /**< size of the address range that the segments cover from 0 on */
    struct gcn_kernel *kernel;
    size_t kernels, kernel_capacity;
    struct gcn_format *format;
    size_t formats, format_capacity;
    struct gcn_relocation *relocation;
    size_t relocations;
};

#endif
