/* The common part of the saved states of all families. See state.h. */
#include "emulator/machine/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/watch_set.h"

bool wt_state_begin(struct wt_state_head *head, const struct wt_machine *m,
                    struct wt_memory *memory, struct wt_tlb *tlb, size_t size)
{
    assert(size >= sizeof *head && !head->memory);
    if (!wt_turns_init(&head->turns, &m->turns.policy, m->waves))
        return false;
    wt_turns_copy(&head->turns, &m->turns);
    head->time = m->time;
    head->fault = m->fault;
    head->active = m->active;
    head->bytes = size + wt_turns_bytes(&head->turns);
    /* Pages that the device could write are shared from now on. */
    wt_tlb_clear(tlb);
    return (head->memory = wt_memory_fork(memory)) != NULL;
}

void wt_state_end(struct wt_state_head *head)
{
    wt_memory_free(head->memory);
    wt_turns_free(&head->turns);
}

void wt_state_resume(const struct wt_state_head *head, struct wt_machine *m,
                     struct wt_memory *memory, struct wt_code_cache *code)
{
    assert(head->memory && head->turns.waves == m->waves && !m->in_turn);
    m->time = head->time;
    m->fault = head->fault;
    m->active = head->active;
    m->event = false;
    wt_turns_copy(&m->turns, &head->turns);
    wt_code_note_pages(code, memory);
    wt_memory_become(memory, head->memory);
    wt_code_keep_pages(code, memory);
    wt_tlb_clear(code->tlb);
    wt_watch_set_forget(m);
}

void *wt_state_copy(struct wt_state_head *head, const void *from, size_t size)
{
    assert(from || !size);
    void *copy = malloc(size ? size : 1);
    if (copy && size)
        memcpy(copy, from, size);
    head->bytes += size;
    return copy;
}

uint8_t *wt_state_save_rows(struct wt_state_head *head, struct wt_machine *m, uint32_t count,
                            wt_row_fn row)
{
    assert(row);
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++)
        size += row(m, i).size;
    uint8_t *copy = malloc(size ? size : 1), *to = copy;
    if (!copy)
        return NULL;
    head->bytes += size;
    for (uint32_t i = 0; i < count; i++) {
        const struct wt_row r = row(m, i);
        if (r.size)
            memcpy(to, r.at, r.size);
        to += r.size;
    }
    assert(to == copy + size);
    return copy;
}

void wt_state_restore_rows(struct wt_machine *m, uint32_t count, wt_row_fn row, const uint8_t *from)
{
    assert(row && from);
    for (uint32_t i = 0; i < count; i++) {
        const struct wt_row r = row(m, i);
        if (r.size)
            memcpy(r.at, from, r.size);
        from += r.size;
    }
}

uint64_t wt_state_size(const struct wt_state *state)
{
    return ((const struct wt_state_head *)state)->bytes;
}
