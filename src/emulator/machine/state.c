/* Saved states of all families. See state.h. */
#include <string.h>
#include <xxhash.h>

#include "emulator/machine/state.h"

#include <assert.h>
#include <stdlib.h>

#include "emulator/machine/archive.h"
#include "emulator/machine/code_pages.h"
#include "emulator/machine/core_format.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/profile.h"
#include "emulator/machine/trail.h"
#include "emulator/machine/wave_state.h"

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
    wt_trail_forget(m);
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

/* ---- a wave that comes back to where it was (wave_state.h) ---- */

bool wt_wave_find_clocks(struct wt_machine *m, uint32_t wave, struct wt_map *clocks)
{
    enum { LATER = 1 << 20 };
    uint8_t now[WT_ROW_BYTES], then[WT_ROW_BYTES];
    struct wt_register_shape shape;
    bool good = true;
    for (unsigned n = 0; m->ops->describe_register(m, n, &shape); n++) {
        if (!m->ops->read_row(m, wave, n, now))
            continue;
        m->time += LATER;
        const bool read = m->ops->read_row(m, wave, n, then);
        m->time -= LATER;
        if (read && memcmp(now, then, wt_row_bytes(m, &shape)) != 0)
            good &= wt_map_add(clocks, (uint64_t)n + 1) != NULL;
    }
    return good;
}

uint64_t wt_wave_state(struct wt_machine *m, uint32_t wave, const struct wt_map *clocks)
{
    uint8_t row[WT_ROW_BYTES];
    struct wt_register_shape shape;
    struct wt_divergence entry;
    XXH3_state_t *hash = XXH3_createState();
    uint64_t value = 0;
    if (!hash)
        return 0;
    XXH3_64bits_reset(hash);
    XXH3_64bits_update(hash, &wt_machine_wave(m, wave)->pc, sizeof(uint64_t));
    for (unsigned n = 0; m->ops->describe_register(m, n, &shape); n++)
        if (!wt_map_find(clocks, (uint64_t)n + 1) && m->ops->read_row(m, wave, n, row))
            XXH3_64bits_update(hash, row, wt_row_bytes(m, &shape));
    for (unsigned n = 0; m->ops->divergence(m, wave, n, &entry); n++) {
        XXH3_64bits_update(hash, &entry.restore, sizeof entry.restore);
        XXH3_64bits_update(hash, &entry.other, sizeof entry.other);
        XXH3_64bits_update(hash, &entry.pc, sizeof entry.pc);
    }
    value = XXH3_64bits_digest(hash);
    XXH3_freeState(hash);
    return value;
}

uint64_t wt_wave_state_now(struct wt_machine *m, uint32_t wave)
{
    struct wt_map clocks = {0};
    const uint64_t state =
        wt_wave_find_clocks(m, wave, &clocks) ? wt_wave_state(m, wave, &clocks) : 0;
    wt_map_free(&clocks);
    return state;
}
