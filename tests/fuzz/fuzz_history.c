/*
 * Fuzz target: time travel through the debugger. The first four bytes choose a small device, its
 * schedule and how it is reached; the rest is a user's operations in any order (forwards,
 * backwards, writes, breakpoints, watchpoints, resets), each of which must lead where a model does
 * that runs again from reset (tests/history).
 */
#include <unistd.h>

#include "../history/small.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 4, OPERATIONS = 40, MOST = 1500 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= HEADER)
        return 0;
    char path[32];
    int fd;
    const struct small small = {.xlen = data[0] & 1,
                                .memory = data[0] >> 1 & 1,
                                .dm_only = data[0] >> 2 & 1,
                                .waves = data[0] >> 3 & 1,
                                .shape = data[1],
                                .schedule = data[2],
                                .rounds = data[3]};
    struct play_options options = small_device(&small, &fd, path);
    options.most = MOST;
    play(&options, data + HEADER, size - HEADER, OPERATIONS);
    close(fd);
    return 0;
}
