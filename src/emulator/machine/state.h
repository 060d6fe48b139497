/*
 * Saved states, for time travel (timeline.h): snapshots of a machine. A state holds everything that
 * execution depends on, and nothing that can be recomputed (decoded code, the TLB). Memory is
 * shared page by page.
 */
#ifndef WT_EMULATOR_MACHINE_STATE_H
#define WT_EMULATOR_MACHINE_STATE_H

#include <stdint.h>

struct wt_machine;

/** A machine's whole state at one moment, debug hardware included. */
struct wt_state;

/** Copies the state; NULL without host memory. The caller frees it with wt_state_free(). */
struct wt_state *wt_state_save(struct wt_machine *m);
/** Puts a machine back to a state of its own. */
void wt_state_restore(struct wt_machine *m, const struct wt_state *state);
/** Frees a state; NULL is allowed. */
void wt_state_free(struct wt_state *state);
/** Host memory of a state, pages of memory not counted. */
uint64_t wt_state_bytes(const struct wt_state *state);

/** Host memory of all pages of memory, those of saved states included, and of what these share. */
uint64_t wt_state_held(const struct wt_machine *m);
/** Host memory of the pages that the machine sees now. */
uint64_t wt_state_live(const struct wt_machine *m);

#endif
