/*
 * Frames of a stopped wave's lane: functions and inlined calls, the innermost first. A caller's
 * registers are found by call frame information, as expressions for all lanes of the wave.
 */
#ifndef WT_DEBUG_SOURCE_FRAMES_H
#define WT_DEBUG_SOURCE_FRAMES_H

#include "debug/source/build.h"
#include "debug/source/info.h"
#include "debug/source/modules.h"

/** One frame: a function, or a call that was inlined into the next frame's. */
struct wt_frame {
    unsigned level;             /**< from 0 */
    unsigned physical;          /**< which of the functions that really were called it lies in */
    uint64_t pc;                /**< loaded address where it goes on */
    uint64_t inside;            /**< an address of the instruction that it is at, or of its call */
    uint64_t bias;              /**< its module's */
    struct wt_symbols *symbols; /**< its module's; NULL: none */
    struct wt_info *info;       /**< likewise */
    unsigned scope_count;       /**< 0: no debug information covers it */
    Dwarf_Die scope[WT_SCOPES]; /**< from the function's own down to the innermost */
    unsigned first_scope;       /**< `scope` of the frame's function or inlined call */
    const char *function;       /**< NULL: unknown */
    uint64_t offset;            /**< offset of `pc` in the function, where only a symbol names it */
    bool inlined;
    const char *file; /**< as the compiler was given it; NULL: unknown */
    const char *path; /**< the same with its folder */
    unsigned line;
};

struct wt_frames;

/**
 * The frames of a lane of a stopped wave. They are found as they are asked for, and hold as long as
 * the wave stands where it is. NULL without host memory.
 */
struct wt_frames *wt_frames_new(struct wt_debugger *debugger, const struct wt_modules *modules,
                                wt_thread thread);
/** The frames of the code at @p pc, whichever lane comes there: those of one function only. */
struct wt_frames *wt_frames_at(struct wt_debugger *debugger, const struct wt_modules *modules,
                               uint64_t pc);
/**
 * Describes where a lane of a stopped wave stands (wt_described_place), with its callers if
 * @p callers, or if the code at @p pc, where it is, is not the user's or has no line.
 */
void wt_frames_describe(struct wt_debugger *debugger, const struct wt_modules *modules,
                        wt_thread thread, uint64_t pc, bool callers, char *text, size_t size);
/** Frees them, with all frames that wt_frames_get() gave. NULL is allowed. */
void wt_frames_free(struct wt_frames *frames);

/** Frame number @p level; NULL if there are not so many. It stays valid. */
const struct wt_frame *wt_frames_get(struct wt_frames *frames, unsigned level);
/**
 * How many of the innermost frames are inlined calls that begin at the very instruction. They have
 * been come to as much as not yet entered; that of @p line (0: none) and those around it do not
 * count. If none of them is at @p line, a line without code is meant, and all have been entered.
 */
unsigned wt_frames_begun(struct wt_frames *frames, unsigned line);
/** Leaves out the innermost @p count frames, at most as many as have begun, before any other use.
 */
void wt_frames_hide(struct wt_frames *frames, unsigned count);
/** Why there are no more frames, after wt_frames_get() has given NULL; "" at an ordinary end. */
const char *wt_frames_end(const struct wt_frames *frames);
/** The frames have more functions than are followed. */
#define WT_FRAMES_MOST 20000

/** The canonical frame address of a frame of the thread's lane; false if it is unknown. It names
 *  the frame as long as that lives. */
bool wt_frames_cfa(struct wt_frames *frames, unsigned level, uint64_t *cfa);

/** Register @p index (of the topology) as a frame has it. */
enum wt_status wt_frames_register(struct wt_build *b, const struct wt_frame *frame, unsigned index,
                                  struct wt_operand *o, struct wt_error *err);
/** For expressions that are compiled with frames (entry_value.c). */
wt_entry_value_fn wt_frames_entry_value;
/** Likewise (kept.c). */
wt_kept_fn wt_frames_kept;
/** Likewise. */
extern const struct wt_frame_ops wt_frame_ops;

/** Whether variables of the frame's function are in other places at other addresses, by lists. */
bool wt_frame_has_lists(const struct wt_frame *frame);

#endif
