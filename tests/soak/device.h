/*
 * Devices for the soak test: an emulator whose time passes as its registers are read, so that what
 * it does depends on what a debugger does, and not on how fast the wire is; and processes that
 * serve such devices over the transports of the register bus.
 */
#ifndef TESTS_SOAK_DEVICE_H
#define TESTS_SOAK_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bus/bus.h"

struct soak_shape {
    unsigned xlen, cores, warps, threads, dm_clock;
    bool ebreak_after;
    unsigned slice; /* issues at each read of DCTRL or WSTATUS */
    unsigned seed;  /* of the schedule: 0 round robin, 1 lockstep, else random */
};

enum { SOAK_CODE = 0x80000000, SOAK_DATA = 0x10000000, SOAK_FLAG = SOAK_DATA };

/* The program that every device runs: words of code at SOAK_CODE. It ends when SOAK_FLAG is set. */
size_t soak_program_words(void);

/* How a device and its process are. */
struct soak_state {
    uint64_t hash;  /* of the whole device */
    uint64_t time;  /* its issue time */
    uint64_t heap;  /* bytes in use */
    uint64_t files; /* open descriptors */
};

/* ---- a device in this process ---- */

struct soak_device;

struct soak_device *soak_device_new(const struct soak_shape *shape);
void soak_device_free(struct soak_device *device);
struct wt_bus_device soak_device_registers(struct soak_device *device);
void soak_device_state(struct soak_device *device, struct soak_state *state);

/* Bytes of the heap in use, and open descriptors, of this process. */
uint64_t soak_heap(void);
uint64_t soak_files(void);

/* ---- a device in another process ---- */

enum soak_transport { SOAK_TCP, SOAK_JTAG };
struct soak_server;

/* Starts a process; it has no device yet. Aborts with a message where it cannot. */
struct soak_server *soak_server_start(enum soak_transport transport);
/* "tcp:127.0.0.1:4711", "remote_bitbang:127.0.0.1:4712" */
const char *soak_server_address(const struct soak_server *server);
/* A new device, in place of the old one. */
void soak_server_device(struct soak_server *server, const struct soak_shape *shape);
/* As soak_device_state; without a device the process alone. */
void soak_server_state(struct soak_server *server, bool device, struct soak_state *state);
void soak_server_stop(struct soak_server *server);

#endif
