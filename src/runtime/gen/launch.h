/* Running one kernel of a zebin without any host runtime. */
#ifndef WT_RUNTIME_GEN_LAUNCH_H
#define WT_RUNTIME_GEN_LAUNCH_H

#include "emulator/gen/gen.h"
#include "object/zebin.h"
#include "runtime/common/value.h"

/** Its handler is the code of the system routine. */
struct gen_launch {
    WT_KERNEL_LAUNCH; /* first */
    const struct gen_kernel *kernel;
    struct gen_steps *steps;         /**< steps of its walks; the caller's */
    struct gen_walk walk[GEN_WALKS]; /**< as gen_launch() has begun them */
    unsigned walk_count;
};

/* The memory map of a device that gen_launch has set up. */
#define GEN_LAUNCH_CODE UINT64_C(0x100000000)
/** The system routine, in reach of the instruction base address. */
#define GEN_LAUNCH_SYSTEM UINT64_C(0x170000000)
/* Binding tables and samplers are placed so that they do not collide with the buffers in the
 * emulator's direct-mapped software TLB. */
#define GEN_LAUNCH_PAYLOAD UINT64_C(0x180100000)
#define GEN_LAUNCH_SURFACES UINT64_C(0x1c0200000)
/** Samplers and their border colour. */
#define GEN_LAUNCH_DYNAMIC UINT64_C(0x1e0300000)
#define GEN_LAUNCH_BUFFERS UINT64_C(0x200000000)
#define GEN_LAUNCH_SCRATCH UINT64_C(0x400000000000)
#define GEN_LAUNCH_PRIVATE UINT64_C(0x440000000000)
#define GEN_LAUNCH_PRINTF UINT64_C(0x480000000000)
/** The system routine's surface (0xfc): where it saves the threads' state. */
#define GEN_LAUNCH_SAVE UINT64_C(0x4c0000000000)
#define GEN_LAUNCH_SAVE_SIZE (UINT64_C(64) << 20)
#define GEN_LAUNCH_PRINTF_SIZE (UINT64_C(4) << 20)

/** The number of arguments of the kernel, by its payload and its names. */
size_t gen_launch_arguments(const struct gen_kernel *kernel);
/**
 * The kind of value that argument @p index takes; *size becomes the bytes of a PLAIN one, the
 * number of sizes of an IMAGE.
 */
enum wt_value_kind gen_launch_kind(const struct gen_kernel *kernel, size_t index, size_t *size);
/** The name of argument @p index; "" if it is not known. */
const char *gen_launch_name(const struct gen_kernel *kernel, size_t index);

/**
 * Puts code, buffers, payload, surfaces and scratch memory into a fresh device and starts the
 * kernel. Arguments that do not fit give WT_INVALID.
 */
enum wt_status gen_launch(struct gen_device *device, const struct gen_object *object,
                          struct gen_launch *launch, struct wt_error *err);

/** Begins the walks of a launch again, after a reset, with memory as it is. */
enum wt_status gen_launch_again(struct gen_device *device, const struct gen_walk *walk,
                                unsigned count, struct wt_error *err);

/**
 * Prints the records that the kernel's printf calls have left so far. *lost: why some are
 * missing; NULL: none is.
 */
enum wt_status gen_launch_print(struct gen_device *device, const struct gen_launch *launch,
                                FILE *out, const char **lost, struct wt_error *err);

#endif
