/*
 * The recording of what a GPU in a host process does for a debugger: time travel within the kernels
 * that run.
 *
 * Host memory is in no snapshot, so while kernels run and a debugger wants them recorded the GPU
 * works on a copy of the process's memory: a page is copied when the GPU first comes to it, and is
 * not changed after. A machine on such a copy is deterministic, and is recorded as a standalone
 * kernel is (machine/timeline.h).
 *
 * Stores of waves to memory that the program's threads may use meanwhile (shared memory) go to
 * that memory after each slice, in their order; changes by threads come back as an input of the
 * recording. If both have changed the same bytes in one slice, the slice is undone
 * and run again with the threads' change. Other memory is made the same on both sides when a kernel
 * begins or ends, and by wt_recording_merge().
 *
 * A recording reaches from the latest beginning or end of a kernel to now: the program has seen
 * what came before, which cannot be undone. One of a device with memory of its own, which a program
 * changes by inputs alone, goes on from kernel to kernel (wt_recording_ops.lasts): what came before
 * the latest kernel can be looked at, and not be changed.
 *
 * A GPU "is away" while its debugger is in the past: it must not run then, and the program's
 * threads must not use it. The GPU's lock is held for each function but wt_recording_time().
 */
#ifndef WT_RUNTIME_COMMON_RECORDING_H
#define WT_RUNTIME_COMMON_RECORDING_H

#include "emulator/machine/timeline.h"
#include "object/travel_wire.h"
#include "runtime/common/hosted.h"

struct wt_copy;
struct wt_shared_pages;

/** Why nothing is recorded before the first kernel and after the last one, for people. */
#define WT_RECORDING_NOT_YET                                                                       \
    "nothing is recorded now: a recording begins with a kernel, and ends with the last one that "  \
    "runs"

/** Likewise where a recording begins within a kernel, too. */
#define WT_RECORDING_SOON "nothing is recorded yet: a recording begins when the waves run on"

/**
 * The driver's part of the recording of GPU @p gpu, which begins with WT_HOSTED (hosted.h). What
 * may be NULL says so. Addresses are those of the device's memory, which may be others than those
 * that waves use.
 */
struct wt_recording_ops {
    bool within_kernels; /**< recordings begin within a kernel, too */
    /** The device has memory of its own, and all that the driver does to it, kernels' beginnings
     * included, is an input: recordings begin when they are wanted, and go on between kernels. */
    bool lasts;
    /** WT_INPUT_OPERATION that writes memory of the copy: an address of 64 bits, then the bytes.
     * NULL: wave 0 uses the same addresses, and WT_INPUT_MEMORY does that. */
    wt_input_operation write_copy;
    /** Whether the page at @p addr is mapped. NULL: the machine's regions say it. */
    bool (*maps)(void *gpu, uint64_t addr);
    /** Whether the program's threads may use the page at @p addr while kernels run. NULL: never. */
    bool (*is_shared)(void *gpu, uint64_t addr);
    /** Whether kernels run. */
    bool (*has_kernels)(void *gpu);
    /** Whether recording is impossible now, for a reason of the family's. NULL: it never is. */
    bool (*is_kept_from)(void *gpu);
    /** Whether a debugger has to deal with something that has happened before the GPU goes on. */
    bool (*has_exception)(void *gpu);
    /** Tells the program of what the device has done since the last call: it has happened. NULL: by
     * stores alone does it hear of that. */
    void (*shown)(void *gpu);
    /** Takes back what the device has done since the last call of shown(): it has not happened.
     * NULL where that is. */
    void (*take_back)(void *gpu);
    /** Notes which kernels have ended, if any: whether there are. NULL: there are where none runs.
     */
    bool (*find_ended)(void *gpu);
    /** Writes what people call the GPU. */
    void (*name)(void *gpu, char *text, size_t size);
    /** Frees what the driver has kept for the recording, which has ended. NULL: nothing. */
    void (*freed)(void *gpu);
};

/**
 * Has kernels of a GPU recorded for a debugger or a core file with @p budget bytes of host memory,
 * from the next one on that begins, or from wt_recording_begin() on. A recording that there is goes
 * on. 0: no debugger wants that any longer; then what gpu->records wants begins anew. False without
 * host memory.
 */
bool wt_hosted_record(struct wt_hosted *gpu, uint64_t budget);
/** Ends the recording of a GPU, if there is one, and frees it. */
void wt_hosted_free_recording(struct wt_hosted *gpu);

/* A recording may be NULL in what follows: nothing is recorded. */

/** Whether the kernels that run are recorded. */
bool wt_recording_on(const struct wt_recording *recording);
/** Whether the GPU is away: its debugger is in the past. */
bool wt_recording_is_away(const struct wt_recording *recording);
/**
 * Whether the GPU must not run now: it is away, or its debugger deals with an exception. So what a
 * debugger does about a breakpoint is recorded at the breakpoint's issue time.
 */
bool wt_recording_waits(const struct wt_recording *recording);
/** Notes that the debugger asks for exceptions: it has dealt with those that were reported. */
void wt_recording_asked(struct wt_recording *recording);
/** The GPU's issue time; at any moment, from any thread. */
uint64_t wt_recording_time(const struct wt_recording *recording);
/** Whether what the device does now has not happened before: an operation of the driver that is
 * called while it runs may have an effect outside. */
bool wt_recording_is_live(const struct wt_recording *recording);
/** Notes that there was no host memory: the recording ends with the slice. */
void wt_recording_fail(struct wt_recording *recording);

/** Begins the recording of kernels that run already, if it was asked for as they ran. */
void wt_recording_begin(struct wt_recording *recording);
/**
 * Before a kernel begins: starts the copy of memory, or brings it up to date with what the program
 * has written.
 */
void wt_recording_before_kernel(struct wt_recording *recording);
/** After a kernel has begun: the recording begins here. */
void wt_recording_after_kernel(struct wt_recording *recording);
/**
 * Runs the GPU, which is recorded, for at most @p issues. Where kernels have ended, the program
 * sees their stores. The recording may have ended after this, without host memory.
 */
enum wt_run wt_recording_run(struct wt_recording *recording, uint64_t issues);
/**
 * After kernels have ended and were retired: the recording begins anew here, or ends with the last
 * one.
 */
void wt_recording_after_end(struct wt_recording *recording);
/** Brings the copy and the process's memory together after something else has changed memory. */
void wt_recording_merge(struct wt_recording *recording);
/** Before memory is taken from the GPU: ends the recording if kernels have used that memory. */
void wt_recording_unmap(struct wt_recording *recording, uint64_t addr, uint64_t size);
/**
 * Ends the recording before something changes the device that is not recorded; @p why tells people
 * that. The GPU is not away afterwards.
 */
void wt_recording_end(struct wt_recording *recording, const char *why);
/** As wt_recording_end, where the kernels go on: the recording begins anew here. */
void wt_recording_restart(struct wt_recording *recording);

/**
 * Does something from outside to the recording's machine, and records it while kernels are
 * recorded. Returns as wt_input_apply. @p recording is not NULL.
 */
uint32_t wt_recording_input(struct wt_recording *recording, const struct wt_input *input);
/** Likewise to a GPU, whether it is recorded or not. */
uint32_t wt_hosted_input(struct wt_hosted *gpu, const struct wt_input *input);
/** Reads memory as a wave sees it. */
bool wt_hosted_read(struct wt_hosted *gpu, uint32_t wave, unsigned lane, uint64_t addr, void *out,
                    size_t size);
/** Runs a GPU, whether it is recorded or not. @p alone: no debugger looks at it (apart.h). */
enum wt_run wt_hosted_run(struct wt_hosted *gpu, uint64_t issues, bool alone);
/**
 * Reads memory of the copy as the debugger sees it; *size becomes what lies in one page. False
 * where the copy has none there: then the process's own counts.
 */
bool wt_recording_read(struct wt_recording *recording, uint64_t addr, void *out, size_t *size);
/**
 * Writes memory of the copy, as an input of the recording; *size becomes what lies in one page.
 * False where the copy has none there.
 */
bool wt_recording_write(struct wt_recording *recording, uint64_t addr, const void *bytes,
                        size_t *size);

/** The GPU whose recording has made a copy. */
struct wt_hosted *wt_recording_gpu_of(const struct wt_copy *copy);
/** Whether the copy has a page at @p addr, whose memory is not the process's. */
bool wt_recording_has_page(const struct wt_recording *recording, uint64_t addr);
/** The shared pages of the copy, which the caller frees; false without host memory. */
bool wt_recording_shared_pages(const struct wt_recording *recording, struct wt_shared_pages *pages);
/**
 * Writes the state for a core file with @p state, and @p issues of the recorded run before it; the
 * GPU is recorded. In the past, inspecting ends with this. WT_NO_MEMORY.
 */
enum wt_status wt_recording_archive(struct wt_recording *recording, uint64_t issues,
                                    wt_archive_fn state, const wt_input_operation *operations,
                                    struct wt_archive *a, struct wt_error *err);

/** Why nothing is recorded now, for people. */
const char *wt_recording_missing(const struct wt_recording *recording);

/* ---- travel.c ---- */

/**
 * Serves a debugger's request about time travel, whose bytes are at @p bytes; the answer's bytes,
 * up to WT_TRAVEL_BYTES, go there.
 */
void wt_recording_serve(struct wt_recording *recording, const struct wt_travel_request *request,
                        struct wt_travel_answer *answer, uint8_t *bytes);

#endif
