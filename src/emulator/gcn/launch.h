/* Running one kernel of a code object without any host runtime. */
#ifndef WT_GCN_LAUNCH_H
#define WT_GCN_LAUNCH_H

#include "emulator/gcn/code_object.h"

/** What the caller gives for one argument. */
struct gcn_value {
    uint8_t *bytes; /**< GCN_ARG_VALUE: the value; GCN_ARG_BUFFER: the first contents */
    size_t length;  /**< of them; GCN_ARG_LOCAL: bytes of LDS, and `bytes` is NULL */
    uint64_t addr;  /**< GCN_ARG_BUFFER: where gcn_launch put it */
};

struct gcn_launch {
    const struct gcn_kernel *kernel;
    uint32_t grid[3], block[3]; /**< work-items: of all, of a work-group */
    struct gcn_value *value;    /**< one for each explicit argument */
    size_t values;
};

/** Where things lie in a device that gcn_launch has set up. */
#define GCN_LAUNCH_CODE UINT64_C(0x100000000)
#define GCN_LAUNCH_ARGUMENTS UINT64_C(0x180000000)
#define GCN_LAUNCH_BUFFERS UINT64_C(0x200000000)
#define GCN_LAUNCH_SCRATCH UINT64_C(0x400000000000)

/**
 * Puts code, buffers, arguments and scratch memory into a fresh device and dispatches the kernel.
 * Arguments that do not fit the kernel give WT_INVALID.
 */
enum wt_status gcn_launch(struct gcn_device *device, const struct gcn_object *object,
                          struct gcn_launch *launch, struct wt_error *err);

#endif
