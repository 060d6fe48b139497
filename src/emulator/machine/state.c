/* Saved states of all families. See state.h. */
#include "emulator/machine/state.h"

#include <assert.h>
#include <stdlib.h>

#include "emulator/machine/archive.h"
#include "emulator/machine/code_pages.h"
#include "emulator/machine/core_format.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/profile.h"

struct wt_state {
    uint8_t *bytes; /* what the family's list of parts has written */
    size_t size;
    struct wt_kept_copy **kept; /* that it shares with other states */
    size_t kept_count;
    struct wt_profile_saved *profile; /* NULL: nothing was counted */
    uint32_t locals;
    struct wt_memory *memory;  /* a fork */
    struct wt_memory *local[]; /* likewise, as many as the machine has */
};

static bool save(struct wt_state *s, struct wt_machine *m)
{
    struct wt_archive a = {
        .snapshot = true, .saves = true, .version = WT_CORE_VERSION, .kept_bytes = &m->kept_bytes};
    m->ops->state(m, &a);
    s->bytes = a.bytes;
    s->size = a.size;
    s->kept = a.kept;
    s->kept_count = a.kept_count;
    if (a.failed)
        return false;
    uint8_t *fitting = realloc(s->bytes, s->size);
    s->bytes = fitting ? fitting : s->bytes;
    if (m->profile && !(s->profile = wt_profile_save(m->profile)))
        return false;
    /* Pages that the device could write are shared from now on. */
    wt_tlb_clear(&m->tlb);
    for (uint32_t i = 0; i < m->locals; i++)
        if (!(s->local[i] = wt_memory_fork(m->local[i])))
            return false;
    return (s->memory = wt_memory_fork(m->memory)) != NULL;
}

struct wt_state *wt_state_save(struct wt_machine *m)
{
    struct wt_state *s = calloc(1, sizeof *s + m->locals * sizeof *s->local);
    if (!s)
        return NULL;
    s->locals = m->locals;
    if (save(s, m))
        return s;
    wt_state_free(s);
    return NULL;
}

/* A state is older than its machine, whose buffers only grow: nothing can fail. */
void wt_state_restore(struct wt_machine *m, const struct wt_state *s)
{
    assert(s->memory && s->locals == m->locals && !m->in_turn);
    struct wt_archive a = {.snapshot = true,
                           .version = WT_CORE_VERSION,
                           .in = s->bytes,
                           .left = s->size,
                           .kept = s->kept};
    m->ops->state(m, &a);
    assert(!a.failed && !a.left);
    wt_code_note_pages(&m->code, m->memory);
    wt_memory_become(m->memory, s->memory);
    wt_code_keep_pages(&m->code, m->memory);
    for (uint32_t i = 0; i < m->locals; i++)
        wt_memory_become(m->local[i], s->local[i]);
    wt_tlb_clear(&m->tlb);
    if (m->profile)
        wt_profile_restore(m->profile, s->profile);
}

void wt_state_free(struct wt_state *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->locals; i++)
        wt_memory_free(s->local[i]);
    wt_memory_free(s->memory);
    free(s->bytes);
    for (size_t i = 0; i < s->kept_count; i++)
        wt_kept_drop(s->kept[i]);
    free(s->kept);
    wt_profile_drop(s->profile);
    free(s);
}

uint64_t wt_state_bytes(const struct wt_state *s)
{
    return sizeof *s + s->locals * sizeof *s->local + s->size + s->kept_count * sizeof *s->kept +
           wt_profile_saved_bytes(s->profile);
}

uint64_t wt_state_held(const struct wt_machine *m)
{
    uint64_t bytes = wt_memory_held(m->memory) + m->kept_bytes;
    for (uint32_t i = 0; i < m->locals; i++)
        bytes += wt_memory_held(m->local[i]);
    return bytes;
}

uint64_t wt_state_live(const struct wt_machine *m)
{
    uint64_t bytes = wt_memory_resident(m->memory);
    for (uint32_t i = 0; i < m->locals; i++)
        bytes += wt_memory_resident(m->local[i]);
    return bytes;
}
