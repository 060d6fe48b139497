/* Whether a machine's past is what it was. */
#ifndef TRAVEL_H
#define TRAVEL_H

#include <stdint.h>

struct wt_machine;

/*
 * Runs the machine to its end with `budget` bytes for what is recorded, noting a hash of the whole
 * state at random issue times; then goes to these times in random order, and on from there, and
 * compares. Prints "ISSUES TRIPS SNAPSHOTS" and returns 0, or says what was different and
 * returns 1.
 */
int travel_check(struct wt_machine *m, uint64_t budget, uint64_t seed);

#endif
