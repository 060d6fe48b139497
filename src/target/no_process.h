/* The link to a GPU that no program uses (debug/standstill/link.h). See process.h. */
#ifndef WT_TARGET_NO_PROCESS_H
#define WT_TARGET_NO_PROCESS_H

#include "debug/standstill/link.h"
#include "target/memory_image.h"

/** The memory of a GPU that no program uses, and its answers: the context of its link. */
struct wt_no_process {
    const struct wt_memory_image *image; /**< the memory */
    /** Answers a request of the family's that is not about a wave, with bytes @p out, of which it
     * returns the number. NULL: they are all zeros. */
    uint32_t (*answer)(const void *of_file, const struct wt_wire_request *request, const void *more,
                       void *out);
    const void *of_file; /**< what the program's file says of the GPU, by the family; or NULL */
};

/** Its operations: memory cannot be written, registers are 0, requests about a wave fail
 * (WT_INVALID), and nothing happens. */
extern const struct wt_link_ops wt_no_process_link;

#endif
