/*
 * Judging: before an instruction accesses memory, a judge says which of its lanes must not. The
 * loads of these lanes give zeros, their stores and atomics change nothing, and no fault is raised
 * for them: the other lanes go on. The judge is not part of the machine's state. A machine without
 * one is not slowed down.
 */
#ifndef WT_EMULATOR_MACHINE_JUDGE_H
#define WT_EMULATOR_MACHINE_JUDGE_H

#include "emulator/machine/machine.h"
#include "emulator/machine/observe.h"

/**
 * Judges accesses of @p lanes, 1 or more, by the instruction of wave @p w that is being executed;
 * `lane` and `at` of @p access do not count. at[lane] is the address in GLOBAL and CONSTANT memory,
 * as the program has it (it may be mapped or not, aligned or not); in GROUP and DEVICE memory the
 * offset in it, in PRIVATE memory the offset in the lane's own. Offsets may be negative, as
 * numbers of 64 bits. Returns the lanes that must not make the access. It may read the machine's
 * state, and must not change it. It may be asked twice for one access (an instruction that faults
 * is tried again). Where a recorded run is repeated (wt_machine.known), it must answer what it
 * answered when it was recorded.
 */
typedef wt_lanes wt_judge_fn(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                             const struct wt_lane_access *access, wt_lanes lanes,
                             const uint64_t *at);

/** A variable in memory of a space, where addresses, or offsets, are those that a judge has. */
struct wt_judged_variable {
    const char *name; /**< "": not known */
    uint64_t first, size;
};

struct wt_judge {
    wt_judge_fn *fn;
    /** Whether all of [first, first + size) of GLOBAL memory may be accessed: a quick answer, which
     * may be false where the judge would allow it. */
    bool (*holds)(void *context, uint64_t first, uint64_t size, bool write);
    /** Whether an access of GLOBAL memory by any lanes, at addresses from @p first to @p last that
     * have no other bits than @p bits, may be made: a quick answer, as that of `holds`. Or an
     * access of GROUP memory, which is inside the group's. */
    bool (*passes)(void *context, const struct wt_wave_head *w, const struct wt_lane_access *access,
                   uint64_t first, uint64_t last, uint64_t bits);
    /** Reports accesses of all of @p lanes, which are mistakes: they are outside of the memory that
     * the instruction names, a buffer or an image, which has the @p size bytes of GLOBAL memory at
     * @p base (both 0: there is none). at[lane] is the address, which may be below @p base.
     * @p what: of an image: the texel, for people; NULL: it is a buffer. */
    void (*outside)(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                    const struct wt_lane_access *access, wt_lanes lanes, const uint64_t *at,
                    uint64_t base, uint64_t size, const char *what);
    /** Lane `lane` of @p call, of which `pc` counts, too, has taken @p size bytes of GLOBAL memory,
     * 1 or more, from the device's heap. */
    void (*taken)(void *context, const struct wt_wave_head *w, const struct wt_lane_access *call,
                  uint64_t addr, uint64_t size);
    /** Lane `lane` of @p call, of which `pc` counts, too, gives such memory back. False: that is a
     * mistake, which is reported. */
    bool (*given_back)(void *context, const struct wt_wave_head *w,
                       const struct wt_lane_access *call, uint64_t addr);
    /** Writes to a core file what it has decided in the recorded run. */
    void (*archive)(void *context, struct wt_archive *a);
    void *context;
    /** Whether a function of the kernels' allocator begins at @p pc, or one that a wave is in
     * returns there. */
    bool (*is_allocator)(void *context, uint64_t pc);
    /**
     * A wave comes to such a place, with the argument or the result of each of @p lanes. The
     * function that begins there returns to @p returns. Returns the lanes that must not free.
     */
    wt_lanes (*allocator)(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                          uint64_t pc, uint64_t returns, wt_lanes lanes, const uint64_t *value);
};

/** Asks the machine's judge, if there is one. */
static inline wt_lanes wt_judge(struct wt_machine *m, const struct wt_wave_head *w,
                                const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at)
{
    return m->judge && lanes ? m->judge->fn(m->judge->context, m, w, a, lanes, at) : 0;
}

/** Whether nobody need be asked about GLOBAL memory of [first, first + size). */
static inline bool wt_judge_holds(const struct wt_machine *m, uint64_t first, uint64_t size,
                                  bool write)
{
    return !m->judge || m->judge->holds(m->judge->context, first, size, write);
}

#endif
