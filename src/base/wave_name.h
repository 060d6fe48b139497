/* The name of a wave, the same wherever people read one: run, exec, console, GDB, core files. */
#ifndef WT_BASE_WAVE_NAME_H
#define WT_BASE_WAVE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WT_WAVE_NAME 160 /* bytes that hold any name */

struct wt_wave_name {
    uint32_t device;
    bool has_work; /**< dispatch and group are known */
    uint64_t dispatch;
    uint32_t group[3];
    uint32_t core;
    uint32_t slot;    /**< slot of the core */
    const char *word; /**< the family's word for a wave */
};

/** "device 0, dispatch 1, group (2,0,0), core 3, warp 5". */
void wt_wave_name(const struct wt_wave_name *name, char *text, size_t size);

#endif
