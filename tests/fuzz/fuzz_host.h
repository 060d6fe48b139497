/* What fuzz targets of a host process and its debugger have in common: the folder of the socket,
 * and the harness as the debugger. */
#ifndef TESTS_FUZZ_FUZZ_HOST_H
#define TESTS_FUZZ_FUZZ_HOST_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/bits.h"
#include "object/process_wire.h"
#include "object/travel_wire.h"
#include "runtime/common/endpoint.h"

#include "../unit/temporary.h"

enum { FUZZ_PATIENCE_S = 30 };

static char folder[TEMPORARY_PATH];

static void remove_folder(void)
{
    char path[80];
    snprintf(path, sizeof path, "%s/core", folder);
    unlink(path);
    rmdir(folder);
}

/* A folder for the process's socket, and for core files; it is removed at the end. */
static inline void make_folder(void)
{
    if (!temporary_folder(folder))
        abort();
    setenv("WAVETRAP_SOCKETS", folder, 1);
    atexit(remove_folder);
}

/* ---- the debugger ---- */

/* A connection to this process, whose socket is PID.SUFFIX in the folder. */
static inline int connect_to(const char *suffix)
{
    const struct timeval patience = {.tv_sec = FUZZ_PATIENCE_S};
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "%s/%d.%s", folder, (int)getpid(), suffix);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) ||
        connect(fd, (struct sockaddr *)&name, sizeof name))
        abort();
    return fd;
}

/* False: the process has closed its end. One that is silent for long has failed. */
static inline bool receive(int fd, void *to, size_t size)
{
    errno = 0;
    if (wt_endpoint_receive(fd, to, size))
        return true;
    if (errno == EAGAIN)
        abort(); /* no answer */
    return false;
}

/* A connection whose first words have been said, of GPUs of a family. */
static inline int connect_and_greet(const char *suffix, uint32_t family)
{
    const struct wt_wire_greeting own = wt_wire_greeting(family, (uint32_t)getpid());
    struct wt_wire_greeting other;
    const int fd = connect_to(suffix);
    if (!wt_endpoint_send(fd, &own, sizeof own) || !receive(fd, &other, sizeof other) ||
        !wt_wire_agree(&own, &other) || other.pid != own.pid || other.family != family ||
        other.result)
        abort();
    return fd;
}

/* Another connection, whose first words are wrong: so many bytes, from @p at on others. The process
 * closes it, or answers and closes it. */
static inline void greet_wrongly(const char *suffix, uint32_t family, unsigned at,
                                 const uint8_t *others, unsigned count)
{
    struct wt_wire_greeting own = wt_wire_greeting(family, (uint32_t)getpid());
    uint8_t *bytes = (uint8_t *)&own;
    const int fd = connect_to(suffix);
    for (unsigned i = 0; i < count; i++)
        bytes[(at + i) % sizeof own] ^= others[i];
    wt_endpoint_send(fd, &own, sizeof own - at % 3);
    close(fd);
}

/* ---- the input ---- */

struct input {
    const uint8_t *data;
    size_t left;
};

/* The next number of `size` bytes (at most 8); 0s behind the end. */
static inline uint64_t take(struct input *in, unsigned size)
{
    uint8_t number[8] = {0};
    if (size > in->left)
        size = (unsigned)in->left;
    memcpy(number, in->data, size);
    in->data += size;
    in->left -= size;
    return wt_load_le(number, 8);
}

/* ---- time travel ---- */

typedef uint64_t take_fn(struct input *in);

/* A request about time travel, of about `size` bytes, which go to `bytes`: WT_TRAVEL_REQUEST_BYTES.
 */
static inline struct wt_travel_request take_travel(struct input *in, uint32_t size, take_fn *number,
                                                   take_fn *place, uint8_t *bytes)
{
    struct wt_travel_request travel = {.what = take(in, 1) % (WT_TRAVELS + 1), .size = size};
    travel.argument = number(in);
    if (travel.what == WT_TRAVEL_SEARCH) {
        const uint32_t count = size % 8;
        travel.size = count * (uint32_t)sizeof(struct wt_wire_watch);
        for (uint32_t i = 0; i < count; i++) {
            struct wt_wire_watch watch = {.kind =
                                              (uint32_t)take(in, 1) % (WT_WIRE_WATCH_KINDS + 1)};
            watch.wave = (uint32_t)number(in);
            watch.addr = place(in);
            watch.size = number(in);
            memcpy(bytes + i * sizeof watch, &watch, sizeof watch);
        }
        return travel;
    }
    if (travel.what == WT_TRAVEL_SLICE) {
        static const char *const names[] = {"v0", "s4", "R3", "r20", "vcc", "#", "", "x"};
        const struct wt_slice_limits limits = {(uint32_t)take(in, 1), (uint32_t)take(in, 1),
                                               (uint32_t)take(in, 1) & 1};
        const uint32_t count = size % 4;
        travel.size = (uint32_t)(sizeof limits + count * sizeof(struct wt_slice_seed));
        memcpy(bytes, &limits, sizeof limits);
        for (uint32_t i = 0; i < count; i++) {
            struct wt_slice_seed seed = {.lanes = take(in, 2), .id = number(in)};
            seed.time = number(in);
            seed.from = (uint32_t)number(in);
            seed.bytes = (uint32_t)take(in, 1);
            strcpy(seed.name, names[take(in, 1) % 8]);
            memcpy(bytes + sizeof limits + i * sizeof seed, &seed, sizeof seed);
        }
        return travel;
    }
    if (travel.size > WT_TRAVEL_REQUEST_BYTES)
        travel.size = WT_TRAVEL_REQUEST_BYTES;
    for (uint32_t i = 0; i < travel.size && in->left; i++)
        bytes[i] = (uint8_t)take(in, 1);
    return travel;
}

#endif
