/* The actions of threads that are set going. */
#ifndef WT_DEBUG_CORE_GOING_H
#define WT_DEBUG_CORE_GOING_H

#include "debug/core/debugger.h"

enum wt_resume_kind {
    WT_RESUME_CONTINUE,
    WT_RESUME_STEP,  /**< one instruction of the thread's lane; masked off: when it has its turn */
    WT_RESUME_RANGE, /**< step while the pc of the lane is in [start, end) */
    WT_RESUME_STOP,  /**< halt it (non-stop); a STOP event with reason WT_STOP_REQUESTED follows */
};

/** The action of one thread; thread 0: of all threads not named by an earlier entry. */
struct wt_resume {
    wt_thread thread;
    enum wt_resume_kind kind;
    uint64_t start, end;
    /**
     * Of the first entry, which names a thread; all-stop, and not through the recorded run: the run
     * also ends, with WT_STOP_STEP and `stuck` of the event, where none of the waves that run can
     * go on by itself, where the stepping wave of this entry has come back to an equal state
     * WT_SPINS times, and where waves have run freely for so many milliseconds. 0: it does not.
     */
    unsigned patience;
    /** With patience, of a range: it also ends (WT_STUCK_LONG) where the wave does not come back to
     * an equal state in so many instructions; 0: it goes on. */
    uint64_t most;
    bool goes_on; /**< with patience: what its wave did in the run before counts, too */
};

enum { WT_SPINS = 1000 };

/** While waves go on, breakpoints at these addresses do not stop others than @p wave, where one
 * client alone has set them; they are counted. The list must stay until the next call; @p count 0:
 * each wave stops. */
void wt_debugger_leave_out(struct wt_debugger *d, wt_wave_id wave, const uint64_t *addr,
                           size_t count);
/** How often one was left out since. */
uint64_t wt_debugger_left_out(const struct wt_debugger *d);

/** Whether the target can tell why waves wait, so that patience has an effect. */
bool wt_debugger_tells_waits(const struct wt_debugger *d);

#endif
