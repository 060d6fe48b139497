/* Time travel of an emulated device: its recording, and the history service of its target. */
#ifndef WT_TARGET_HISTORY_H
#define WT_TARGET_HISTORY_H

#include "target/emulated.h"

/** The history service; its context is a struct wt_emulated that is recorded. */
extern const struct wt_history_services wt_emulated_history;

/** Starts to record the device. WT_NO_MEMORY without host memory. */
enum wt_status wt_emulated_history_start(struct wt_emulated *e, struct wt_error *err);

/** Ends the recording, if there is one. */
void wt_emulated_history_stop(struct wt_emulated *e);

/* The device, recorded or not: everything that happens to it from outside goes through these. */

/** Runs at most @p issues wave-instructions. */
enum wt_run wt_emulated_run(struct wt_emulated *e, uint64_t issues);
/** Applies an input; returns as wt_timeline_input does. */
uint32_t wt_emulated_input(struct wt_emulated *e, const struct wt_input *input);
/** An input that is an operation of the family's, with its bytes. */
static inline uint32_t wt_emulated_operation(struct wt_emulated *e, wt_input_operation operation,
                                             const void *bytes, size_t size)
{
    return wt_emulated_input(
        e, &(struct wt_input){
               .kind = WT_INPUT_OPERATION, .bytes = bytes, .size = size, .operation = operation});
}
/** A program was loaded: the recording begins again. */
enum wt_status wt_emulated_history_restart(struct wt_emulated *e, struct wt_error *err);

/* Parts of opening a device (emulated.c). */

/** A device of nothing yet. */
void wt_emulated_begin(struct wt_emulated *e, const struct wt_emulated_options *options,
                       const char *program);
/** Sets the limits of memory that the options give. */
void wt_emulated_limit_memory(struct wt_emulated *e);

#endif
