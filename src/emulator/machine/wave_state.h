/* A hash of what the next instructions of a wave depend on, to tell that it has come back. */
#ifndef WT_EMULATOR_MACHINE_WAVE_STATE_H
#define WT_EMULATOR_MACHINE_WAVE_STATE_H

#include "base/map.h"
#include "emulator/machine/machine.h"

/**
 * Adds the registers that another time alone changes, by their numbers from 1 on: an instruction
 * that reads one is not what a wave spins for. False without host memory.
 */
bool wt_wave_find_clocks(struct wt_machine *m, uint32_t wave, struct wt_map *clocks);
/**
 * A hash of the wave's place, registers and divergence, but for these registers; memory is left
 * out. 0 without host memory.
 */
uint64_t wt_wave_state(struct wt_machine *m, uint32_t wave, const struct wt_map *clocks);
/** As wt_wave_state(), where nobody keeps the list of registers. */
uint64_t wt_wave_state_now(struct wt_machine *m, uint32_t wave);

#endif
