/* Whether watched places (watch.h) tell all that a kernel does to memory. */
#ifndef WATCHED_H
#define WATCHED_H

#include "emulator/gcn/gcn.h"

/*
 * Runs a launched kernel to its end and takes it back to its beginning, three times: as it is; with
 * all memory watched, when what is told must make of a copy of the memory what is there in the end,
 * and the end must be the same; and recorded, when searches for who wrote words of [addr, addr +
 * size), from random times backwards and forwards, must find who was told. Prints "WRITES FOUND"
 * and returns 0, or says what was different and returns 1.
 */
int watched_check(struct gcn_device *device, uint64_t addr, uint64_t size, uint64_t seed);

#endif
