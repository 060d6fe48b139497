/*
 * The probe of Intel Gen9: how it reaches a device. It uses what a debugger has on a real system:
 * the registers TD_CTL, TD_ATT and TD_CLR, the driver's system routine, in which threads wait and
 * which leaves their registers in memory (object/gen_saved.h), and that memory.
 */
#ifndef WT_DEBUG_GEN_GEN_H
#define WT_DEBUG_GEN_GEN_H

#include "debug/core/probe.h"
#include "object/gen_saved.h"
#include "object/gen_wire.h"

/** The registers of a link: offsets in the GPU's registers, in bytes. */
enum wt_gen_register {
    WT_GEN_MCR_SELECTOR =
        0xfdc, /**< slice in bits 27:26, subslice in 25:24: whose TD_ATT, TD_CLR */
    WT_GEN_TD_CTL = 0xe400,
    WT_GEN_TD_ATT0 = 0xe470,
    WT_GEN_TD_ATT1 = 0xe474,
    WT_GEN_TD_CLR0 = 0xe490,
    WT_GEN_TD_CLR1 = 0xe494,
};

/** The driver's facts about the GPUs. Threads are numbered through: subslice, EU, thread. */
struct wt_gen_info {
    uint32_t gpus;                     /**< 1 to GEN_WIRE_GPUS */
    uint32_t subslices[GEN_WIRE_GPUS]; /**< of each, number n is subslice n % 3 of slice n / 3 */
    uint64_t saved; /**< address of the area of a GPU's thread 0, then the next */
    uint64_t slm;   /**< where a thread sees the shared local memory of its group */
    uint64_t file;  /**< … and its own general registers, r0 first */
};

/**
 * The mark that distinguishes an address of GPU @p gpu from the same one of another GPU, whose
 * memory there is another: it is added to addresses of code and of scratch memory. An address
 * without a mark is of the GPU of the thread that looks. 0: there is only one GPU.
 */
static inline uint64_t wt_gen_mark(const struct wt_gen_info *info, uint32_t gpu)
{
    return info->gpus > 1 ? (uint64_t)(gpu + 1) << GEN_WIRE_GPU_BIT : 0;
}

/** Takes the mark off *addr; the number of its GPU, or @p otherwise where it has none. */
static inline uint32_t wt_gen_unmark(const struct wt_gen_info *info, uint64_t *addr,
                                     uint32_t otherwise)
{
    const uint64_t mark = info->gpus > 1 ? *addr >> GEN_WIRE_GPU_BIT : 0;
    if (!mark || mark > info->gpus)
        return otherwise;
    *addr &= ((uint64_t)1 << GEN_WIRE_GPU_BIT) - 1;
    return (uint32_t)mark - 1;
}

/** Events of the program. */
struct wt_gen_event {
    bool attention;      /**< a thread has come into the system routine since it was asked last */
    bool code;           /**< the list of kernels has changed since code_known() */
    uint64_t code_state; /**< code: a number for what the list is like now */
};

/** A piece of memory as a thread sees it. */
struct wt_gen_piece {
    uint32_t thread;
    uint64_t addr;
    void *bytes;
    uint32_t size;
    bool absent; /**< there is no such memory */
};

/** The driver's interface. What fails says that the link is broken (WT_IO), or of memory that there
 * is none (WT_INVALID). */
struct wt_gen_link_ops {
    enum wt_status (*info)(void *context, struct wt_gen_info *info, struct wt_error *err);
    enum wt_status (*read_register)(void *context, uint32_t gpu, uint32_t offset, uint32_t *value,
                                    struct wt_error *err);
    enum wt_status (*write_register)(void *context, uint32_t gpu, uint32_t offset, uint32_t value,
                                     struct wt_error *err);
    /** Memory as a thread sees it, or at an address with a GPU's mark (@p thread counts where the
     * memory is its group's). */
    enum wt_status (*read)(void *context, uint32_t thread, uint64_t addr, void *out, size_t size,
                           struct wt_error *err);
    enum wt_status (*write)(void *context, uint32_t thread, uint64_t addr, const void *bytes,
                            size_t size, struct wt_error *err);
    /** Reads or writes some pieces in one round trip. NULL: read() and write() do. */
    enum wt_status (*transfer)(void *context, struct wt_gen_piece *list, size_t count, bool write,
                               struct wt_error *err);
    /** Reads the events. With @p wait it waits for an attention, a moment at most and only while a
     * thread can go on by itself. */
    enum wt_status (*event)(void *context, bool wait, struct wt_gen_event *event,
                            struct wt_error *err);
    /** The debugger knows the list of kernels in this state: walks that wait for that go on. NULL:
     * kernels do not come and go. */
    enum wt_status (*code_known)(void *context, uint64_t state, struct wt_error *err);
    /** Watches memory, this list and no other; what has no mark and is no group's, on all GPUs.
     * NULL: the target has a service for it, or none. */
    enum wt_status (*watch)(void *context, const struct wt_wire_watch *list, size_t count,
                            struct wt_error *err);
    /** The accesses to such memory since the last call; their threads have stopped. The caller
     * frees *list. NULL where watch is. */
    enum wt_status (*take_hits)(void *context, struct wt_wire_hit **list, size_t *count,
                                struct wt_error *err);
    /** Whether the program has ended, with which status and words for people. */
    bool (*ended)(void *context, uint32_t *status, char *text, size_t size);
    /** Runs the kernel from its beginning in memory as it is. NULL: only the program can do that.
     */
    enum wt_status (*reset)(void *context, struct wt_error *err);
    /** The debugger is gone: threads that wait go on. */
    void (*detach)(void *context);
};

/** The structure that `link` of a target points to, for this probe. It must outlive the probe. */
struct wt_gen_link {
    const struct wt_gen_link_ops *ops;
    void *context;
    bool host_launches; /**< a host program launches kernels: idle is not the end */
};

extern const struct wt_probe_ops wt_probe_gen;

#endif
