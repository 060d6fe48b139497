/*
 * The frames of a thread: frames.c finds them, frame_registers.c knows the registers that they had.
 */
#ifndef WT_DEBUG_SOURCE_FRAMES_INTERNAL_H
#define WT_DEBUG_SOURCE_FRAMES_INTERNAL_H

#include "debug/source/frames.h"

/** A physical frame: a function that was called, not inlined. */
struct wt_physical {
    uint64_t pc, inside, bias;
    struct wt_symbols *symbols;
    struct wt_info *info;
    Dwarf_Frame *cfi; /**< NULL: there is none for it */
    unsigned level;   /**< level of its innermost frame */
    unsigned levels;  /**< with the calls inlined into it */
    bool has_cfa, cfa_tried;
    uint64_t cfa;                 /**< cfa of the thread's lane */
    struct wt_cfa_answer by_code; /**< the CFA, where the call frame information has none */
    bool is_kernel;               /**< it was launched, not called */
    bool rules_tried;             /**< without call frame information: */
    struct wt_caller *rules; /**< … what its instructions tell of its caller; NULL: nothing */
};

struct wt_frames {
    struct wt_debugger *debugger;
    const struct wt_topology *topology;
    const struct wt_modules *modules;
    wt_thread thread;
    struct wt_wave wave;
    unsigned lane;
    struct wt_physical *physical;
    size_t physical_count, physical_capacity;
    struct wt_frame **frame;
    size_t frame_count, frame_capacity;
    bool complete;
    char end[256];
    struct wt_error unread; /**< why what find_caller() needs cannot be read */
};

/** Finds a frame's CFA for the thread's lane, once; false if it is not known. */
bool wt_frames_set_cfa(struct wt_frames *f, unsigned physical);
/** The rules of a frame's caller by the instructions of its function, read once; NULL: they tell
 * nothing. */
const struct wt_caller *wt_frames_rules(struct wt_frames *f, unsigned physical);
/** Fills in `by_code` of the innermost frame, whose `cfi` is then that of another instruction. */
void wt_frames_find_cfa(struct wt_frames *f, struct wt_physical *p);
/** The index of the register that holds a function's return address; -1: none is known. */
int wt_frames_return_register(const struct wt_frames *f, const struct wt_physical *p);
/** The value that register @p index, which holds the return address, has in the caller of a frame;
 * false, and *err, if it is not known. */
bool wt_frames_returns_to(struct wt_frames *f, unsigned physical, unsigned index, uint64_t *pc,
                          struct wt_error *err);

#endif
