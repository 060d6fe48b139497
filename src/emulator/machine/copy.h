/*
 * A device in a host process that works on a copy of the process's memory, so that it has
 * snapshots: what it needs of the recording that makes the copy (runtime/common/recording.h).
 */
#ifndef WT_EMULATOR_MACHINE_COPY_H
#define WT_EMULATOR_MACHINE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/machine/machine.h"

/**
 * The copy of the process's memory that a device works on. The functions are called while the
 * device runs, and when its memory is read or written; none may call the device. Addresses are
 * those of the device's memory.
 */
struct wt_copy {
    /** The page of the copy at @p addr, to which the process has @p host: the same bytes each time
     * for as long as the copy exists. Never NULL. */
    const uint8_t *(*page)(void *context, uint64_t addr, const uint8_t *host);
    /** Whether threads of the process may use the page at @p addr, which is mapped, while kernels
     * run. */
    bool (*shared)(void *context, uint64_t addr);
    /** A wave has stored to the copy. Every store to shared pages is reported, in the order of the
     * stores; of stores to other pages some are. */
    void (*stored)(void *context, uint64_t addr, const void *bytes, size_t size);
    /** An atomic has stored its result at @p addr; in shared memory that is the store reported
     * last. True: the run returns WT_RUN_EVENT behind its instruction. */
    bool (*was_atomic)(void *context, uint64_t addr);
    void *context;
    /** Set by the device: the process's memory. */
    struct wt_memory *process;
};

/** The list is empty then. */
void wt_shared_pages_free(struct wt_shared_pages *pages);

/** Whether stores to the page of @p addr, which is mapped, are reported one by one, or were in the
 * recorded run. */
bool wt_in_process_shares(const struct wt_in_process *p, uint64_t addr);
/** Whether the device reports stores at all, or did in the recorded run. */
static inline bool wt_in_process_reports(const struct wt_in_process *p)
{
    return p->copy || p->shared.count;
}
/** A wave has stored @p size bytes to the device's memory. */
void wt_in_process_stored(const struct wt_in_process *p, uint64_t addr, const void *bytes,
                          size_t size);
/** An atomic has stored at @p addr. True: the run returns WT_RUN_EVENT behind its instruction,
 * since the process's threads may be changing that memory. */
bool wt_in_process_atomic(const struct wt_in_process *p, uint64_t addr);

/** The sources from which the state of a device in a host process is written. */
struct wt_host_archive {
    /** Copies memory of the device; pages that it refuses are left out. */
    bool (*read)(void *context, uint64_t addr, uint8_t *bytes, size_t size);
    void *context;
    struct wt_shared_pages shared; /**< pages of the copy that the device works on */
};

#endif
