/*
 * Saved states: the head of every family's struct wt_state, and helpers to copy the rest. A state
 * holds everything that execution depends on, and nothing that can be recomputed (decoded code, the
 * TLB). Memory is shared page by page.
 */
#ifndef WT_EMULATOR_MACHINE_STATE_H
#define WT_EMULATOR_MACHINE_STATE_H

#include "emulator/machine/code_pages.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory.h"

/** The first member of a family's struct wt_state. */
struct wt_state_head {
    uint64_t time;
    struct wt_fault fault;
    struct wt_turns turns;
    uint32_t active;
    struct wt_memory *memory;
    uint64_t bytes; /**< host memory of the state, pages of memory not counted */
};

/**
 * Fills in a head of zeros: what the machine itself knows, and a fork of @p memory. @p size is that
 * of the family's struct. False without host memory; wt_state_end must be called then, too.
 */
bool wt_state_begin(struct wt_state_head *head, const struct wt_machine *m,
                    struct wt_memory *memory, struct wt_tlb *tlb, size_t size);
/** Frees what wt_state_begin made. */
void wt_state_end(struct wt_state_head *head);
/** Puts the machine back to the head's state, keeps decoded code that still holds, and empties the
 * TLB. */
void wt_state_resume(const struct wt_state_head *head, struct wt_machine *m,
                     struct wt_memory *memory, struct wt_code_cache *code);

/**
 * A copy of @p size bytes, which are added to head->bytes. Also of 0 bytes, so that NULL always
 * means no host memory. The caller frees it.
 */
void *wt_state_copy(struct wt_state_head *head, const void *from, size_t size);

/** One of many pieces that are saved one behind the other; size 0: it is not saved. */
struct wt_row {
    void *at;
    size_t size;
};
/** Piece @p index of a machine. It must say the same sizes before and after. */
typedef struct wt_row (*wt_row_fn)(struct wt_machine *m, uint32_t index);

/**
 * Copies the pieces 0 .. count-1, one behind the other, and adds their bytes to head->bytes; NULL
 * without host memory. The caller frees it.
 */
uint8_t *wt_state_save_rows(struct wt_state_head *head, struct wt_machine *m, uint32_t count,
                            wt_row_fn row);
/** Copies the pieces that wt_state_save_rows has saved back. */
void wt_state_restore_rows(struct wt_machine *m, uint32_t count, wt_row_fn row,
                           const uint8_t *from);

/** The machine's operation state_bytes, for states that begin with a head. */
uint64_t wt_state_size(const struct wt_state *state);

#endif
