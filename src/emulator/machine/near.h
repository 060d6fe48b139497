/*
 * Instructions that a device has executed and whose results may differ from hardware's
 * (target/support.h): for the counts of --stats. No part of the state.
 */
#ifndef WT_EMULATOR_MACHINE_NEAR_H
#define WT_EMULATOR_MACHINE_NEAR_H

#include <stddef.h>

enum { WT_NEAR_MOST = 32, WT_NEAR_NAME = 24 };

/** Names of instructions, each once, in the order in which they came. */
struct wt_near {
    unsigned count;
    char name[WT_NEAR_MOST][WT_NEAR_NAME];
};

/** Adds an instruction by its name, of @p length bytes: a longer name is cut, and one that is there
 * stays. */
void wt_near_add(struct wt_near *near, const char *name, size_t length);

#endif
