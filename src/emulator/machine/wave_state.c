/* See wave_state.h. */
#include "emulator/machine/wave_state.h"

#include <string.h>
#include <xxhash.h>

#include "emulator/machine/heads.h"

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
