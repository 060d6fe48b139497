/*
 * Operations of a debugger's user in any order, forwards, backwards, writes and resets, each
 * checked against the model of world.h: where it leads, and the whole state there.
 */
#ifndef TESTS_HISTORY_PLAY_H
#define TESTS_HISTORY_PLAY_H

#include "world.h"

struct play_options {
    struct world_options world;
    uint64_t data;                 /* memory that the user writes: from here */
    uint64_t data_size;            /* on, in bytes */
    uint64_t avoid_from, avoid_to; /* code that the program overwrites: no breakpoints there */
    bool writes_code; /* instructions are of four bytes, and the user may write others */
    uint64_t most;    /* issues, after which nothing new is run any more */
    unsigned slice;   /* issues that one `continue` runs at most */
};

/** Does what the bytes say, at most `ops` operations, and checks each. Returns how many were done.
 */
unsigned play(const struct play_options *options, const uint8_t *bytes, size_t size, unsigned ops);

#endif
