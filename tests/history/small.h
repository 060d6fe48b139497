/* Small devices with the program that makes use of all that they have, for play.h. */
#ifndef TESTS_HISTORY_SMALL_H
#define TESTS_HISTORY_SMALL_H

#include "play.h"

/** A device's shape, its schedule and how it is reached, all by small numbers (of any size). */
struct small {
    unsigned xlen, shape, schedule, rounds;
    unsigned memory; /* for the past: little, or enough */
    bool dm_only, waves;
};

/** What to play with; *fd is the program's file, to be closed after it. */
struct play_options small_device(const struct small *small, int *fd, char path[32]);

#endif
