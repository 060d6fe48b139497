/* Running one kernel of a code object without any host runtime. */
#ifndef WT_RUNTIME_GCN_LAUNCH_H
#define WT_RUNTIME_GCN_LAUNCH_H

#include <stdio.h>

#include "emulator/gcn/gcn.h"
#include "object/code_object.h"
#include "runtime/common/value.h"

/** The kind of value that an argument of a kernel takes. */
enum wt_value_kind gcn_value_kind(const struct gcn_argument *argument);

/** The TMA of its first trap handler leads to the second one, as with the kernel driver's. */
struct gcn_launch {
    WT_KERNEL_LAUNCH; /* first */
    const struct gcn_kernel *kernel;
};

/* The memory map of a device that gcn_launch has set up. */
#define GCN_LAUNCH_CODE UINT64_C(0x100000000)
#define GCN_LAUNCH_ARGUMENTS UINT64_C(0x180000000)
/** The AQL packet, behind the queue. */
#define GCN_LAUNCH_PACKET (GCN_LAUNCH_ARGUMENTS + 256)
/** The trap handler, and behind it, on a page of its own, what TMA points to; then the second ones.
 */
#define GCN_LAUNCH_HANDLER UINT64_C(0x1c0000000)
#define GCN_LAUNCH_BUFFERS UINT64_C(0x200000000)
#define GCN_LAUNCH_SCRATCH UINT64_C(0x400000000000)
#define GCN_LAUNCH_PRINTF UINT64_C(0x480000000000)
#define GCN_LAUNCH_PRINTF_SIZE (UINT64_C(16) << 20)
/** Unmapped addresses that stand for a host runtime: a kernel that accesses them needs one. */
#define GCN_LAUNCH_HOSTCALL UINT64_C(0x500000000000)
#define GCN_LAUNCH_HOSTCALL_SIZE (UINT64_C(1) << 32)

/**
 * Puts code, buffers, arguments and scratch memory into a fresh device and dispatches the kernel.
 * Arguments that do not fit the kernel give WT_INVALID.
 */
enum wt_status gcn_launch(struct gcn_device *device, const struct gcn_object *object,
                          struct gcn_launch *launch, struct wt_error *err);

/** Dispatches the kernel of gcn_launch once more, with memory as it is. */
enum wt_status gcn_launch_again(struct gcn_device *device, struct wt_error *err);

/**
 * Prints the records that the kernel's printf calls have left so far. *lost: why some are
 * missing; NULL: none is.
 */
enum wt_status gcn_launch_print(struct gcn_device *device, const struct gcn_object *object,
                                const struct gcn_launch *launch, FILE *out, const char **lost,
                                struct wt_error *err);

#endif
