/*
 * The recording of what a GPU does for a debugger: time travel within the kernels that run.
 *
 * Host memory is in no snapshot, so while kernels run and a debugger wants them recorded the GPU
 * works on a copy of the process's memory: a page is copied when the GPU first comes to it, and is
 * not changed after. A machine on such a copy is deterministic, and is recorded as a standalone
 * kernel is (machine/timeline.h).
 *
 * What waves store to memory that the program's threads may use meanwhile (fine-grained memory:
 * hipHostMalloc, signals, the buffers of printf) goes to that memory after each slice, in the order
 * of the stores; what threads change there comes back as an input of the recording. If both have
 * changed the same bytes in one slice, the slice is undone and run again with the threads' change.
 * Device memory (coarse-grained) is made the same on both sides when a kernel begins or ends, and
 * after each packet of the copy engine.
 *
 * A recording reaches from the latest beginning or end of a kernel to now: the program has seen
 * what came before, which cannot be undone.
 */
#ifndef WT_RUNTIME_HSAKMT_RECORDING_H
#define WT_RUNTIME_HSAKMT_RECORDING_H

#include "emulator/machine/timeline.h"
#include "object/kfd_wire.h"
#include "runtime/hsakmt/host.h"

struct host_recording;

/*
 * The GPU is entered for each of these but host_recording_time(). A GPU "is away" while its
 * debugger is in the past: it must not run then, and the program's threads wait in host_enter().
 */

/**
 * Records kernels of this GPU for a debugger or a core file with @p budget bytes of host memory,
 * from the next one on that begins on an idle GPU; 0: no longer, and the recording ends. -ENOMEM.
 */
int host_recording_want(struct host_gpu *gpu, uint64_t budget);
/**
 * No debugger wants a recording any longer: it ends. If the recorded run is to go into the core
 * file of a fault, another recording begins with the next kernel.
 */
void host_recording_let_go(struct host_gpu *gpu);
/** Ends and frees the recording, if there is one. */
void host_recording_free(struct host_gpu *gpu);

/** Whether the kernels that run are recorded. */
bool host_recording_on(const struct host_gpu *gpu);
/** Whether the GPU is away: its debugger is in the past. */
bool host_recording_is_away(const struct host_gpu *gpu);
/**
 * Whether the GPU must not run now: it is away, or its debugger deals with an exception. So what a
 * debugger does about a breakpoint is recorded at the breakpoint's issue time.
 */
bool host_recording_waits(const struct host_gpu *gpu);
/** Notes that the debugger asks for exceptions: it has dealt with those that were reported. */
void host_recording_asked(struct host_gpu *gpu);
/** The GPU's issue time; at any moment, from any thread. */
uint64_t host_recording_time(const struct host_gpu *gpu);

/**
 * Before a kernel begins: starts the copy of memory, or brings it up to date with what the program
 * has written.
 */
void host_recording_before_kernel(struct host_gpu *gpu);
/** After a kernel has begun: the recording begins here. */
void host_recording_after_kernel(struct host_gpu *gpu);
/**
 * Runs the GPU for at most @p issues. Kernels that have ended are in gpu->ended then, and the
 * program sees their stores.
 */
enum wt_run host_recording_run(struct host_gpu *gpu, uint64_t issues);
/**
 * After kernels have ended and were retired: the recording begins anew here, or ends with the last
 * one.
 */
void host_recording_after_end(struct host_gpu *gpu);
/** Brings the copy and the process's memory together after the copy engine has changed memory. */
void host_recording_merge(struct host_gpu *gpu);
/** Before memory is taken from the GPU: ends the recording if kernels have used that memory. */
void host_recording_unmap(struct host_gpu *gpu, uint64_t addr, uint64_t size);
/**
 * Delays the interrupt of a wave, of whatever kind, until the program can see the wave's stores.
 */
void host_recording_interrupt(struct host_gpu *gpu, uint32_t wave, uint32_t data);
/**
 * Ends the recording before something changes the device that is not recorded; @p why tells people
 * that. The GPU is not away afterwards.
 */
void host_recording_end(struct host_gpu *gpu, const char *why);
/** As host_recording_end, where the kernels go on: the recording begins anew here. */
void host_recording_restart(struct host_gpu *gpu);

/**
 * Does something from outside, and records it where the GPU is recorded. Returns as wt_input_apply.
 */
uint32_t host_recording_input(struct host_gpu *gpu, const struct wt_input *input);
/**
 * Does an operation of the driver's debug interface, recorded where the GPU is; *call becomes the
 * answer.
 */
void host_recording_call(struct host_gpu *gpu, struct kfd_debug_call *call);
/**
 * Reads memory of the copy as the debugger sees it; *size becomes what lies in one page. False
 * where the copy has none there: then the process's own counts.
 */
bool host_recording_read(struct host_gpu *gpu, uint64_t addr, void *out, size_t *size);
/**
 * Writes memory of the copy, as an input of the recording; *size becomes what lies in one page.
 * False where the copy has none there.
 */
bool host_recording_write(struct host_gpu *gpu, uint64_t addr, const void *bytes, size_t *size);

/**
 * Writes the section STAT of a core file: the state, and @p issues of the recorded run before it;
 * the GPU is recorded. In the past, inspecting ends with this. WT_NO_MEMORY.
 */
enum wt_status host_recording_archive(struct host_gpu *gpu, uint64_t issues, struct wt_archive *a,
                                      struct wt_error *err);

/* ---- travel: requests of a debugger (KFD_WIRE_HISTORY) ---- */

#define HOST_HISTORY_BYTES (64u << 10) /**< of an answer, at most */

/**
 * Serves a request, whose bytes are at @p bytes; the answer's bytes, up to HOST_HISTORY_BYTES, go
 * there.
 */
void host_history_serve(struct host_gpu *gpu, const struct kfd_wire_request *request,
                        struct kfd_wire_answer *answer, uint8_t *bytes);

/* ---- between the two files ---- */

/** The recording's timeline; NULL where nothing is recorded. */
struct wt_timeline *host_recording_timeline(const struct host_gpu *gpu);
/** Why nothing is recorded, for people; for where host_recording_on() is false. */
const char *host_recording_missing(const struct host_gpu *gpu);
/** Must be called after the device was put to another issue time. */
void host_recording_moved(struct host_gpu *gpu);
/** Must be called where the present may have got another past: the process's memory follows it. */
void host_recording_branched(struct host_gpu *gpu);
struct host_history;
/** The state of searches, and what frees it; NULL before the first one. */
struct host_travel {
    struct host_history *of;
    void (*free)(struct host_history *history);
};

/** The place for the state of searches; a GPU with a recording has one. */
struct host_travel *host_recording_travel(struct host_gpu *gpu);
/** Bytes of host memory that the recording may take. */
uint64_t host_recording_budget(const struct host_gpu *gpu);

#endif
