/*
 * wire-bench ADDRESS MODE WHAT SECONDS: how fast a debugger gets at a device elsewhere. ADDRESS is
 * that of a Debug Module ("tcp:…", "unix:…", "remote_bitbang:…"); MODE is "batched", as the
 * debugger does it, or "single": the same accesses, one request and its reply after another. WHAT
 * is "read" or "write" (4 KiB of memory in the middle of its address space) or "registers" (all
 * general registers of all lanes of warp 0). Prints, in one line: bytes or values a second, round
 * trips of one operation.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bus/jtag/jtag.h"
#include "debug/vortex/vortex.h"
#include "bus/tcp.h"
#include "debug/core/probe.h"

enum { BYTES = 4096, GENERAL = 32 };

struct bench {
    struct wt_bus *bus;
    struct wt_probe *probe;
    wt_lanes lanes;
    unsigned lane_count;
    uint8_t memory[BYTES];
    uint8_t row[8 * GENERAL * WT_MAX_LANES];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static enum wt_status open_bus(const char *address, bool single, struct wt_bus **bus,
                               struct wt_error *err)
{
    if (strncmp(address, "remote_bitbang:", 15) == 0) {
        struct wt_jtag_options how = wt_jtag_default_options(address);
        how.batch = single ? 1 : 0;
        return wt_bus_jtag_open(&how, bus, err);
    }
    const struct wt_bus_tcp_options how = {.one_at_a_time = single};
    return wt_bus_tcp_open(address, &how, bus, err);
}

/* One operation; *amount: bytes or values. */
static enum wt_status once(struct bench *b, const char *what, double *amount, struct wt_error *err)
{
    static const uint64_t place = 0x80200000;
    unsigned index[GENERAL];
    *amount = BYTES;
    if (strcmp(what, "read") == 0)
        return wt_probe_vortex.read_memory(b->probe, 0, 0, wt_address_of(place), b->memory, BYTES,
                                           err);
    if (strcmp(what, "write") == 0)
        return wt_probe_vortex.write_memory(b->probe, 0, 0, wt_address_of(place), b->memory, BYTES,
                                            err);
    for (unsigned i = 0; i < GENERAL; i++)
        index[i] = i; /* x0 to x31 come first */
    *amount = (double)GENERAL * b->lane_count;
    return wt_probe_vortex.read_rows(b->probe, 0, b->lanes, index, GENERAL, b->row, err);
}

static enum wt_status run(struct bench *b, const char *what, double seconds, struct wt_error *err)
{
    double amount, sum = 0;
    enum wt_status status = once(b, what, &amount, err); /* warms up */
    uint64_t trips = b->bus->round_trips, times = 0;
    double begin = now(), end = begin;
    while (!status && end - begin < seconds) {
        status = once(b, what, &amount, err);
        sum += amount;
        times++;
        end = now();
    }
    if (!status)
        printf("%.6g %.6g\n", sum / (end - begin),
               (double)(b->bus->round_trips - trips) / (double)times);
    return status;
}

int main(int argc, char **argv)
{
    static const struct wt_target_services none;
    struct wt_error err;
    static struct bench b;
    if (argc != 5) {
        fprintf(stderr, "usage: wire-bench ADDRESS batched|single read|write|registers SECONDS\n");
        return 2;
    }
    enum wt_status status = open_bus(argv[1], strcmp(argv[2], "single") == 0, &b.bus, &err);
    const struct wt_vortex_link link = {.bus = b.bus};
    const struct wt_target target = {.link = &link, .services = &none};
    if (!status)
        status = wt_probe_vortex.open(&wt_probe_vortex, &target, false, &b.probe, &err);
    if (!status) {
        struct wt_wave_set first = {0};
        wt_wave_set_add(&first, 0);
        b.lane_count = wt_probe_vortex.topology(b.probe)->lanes;
        b.lanes = wt_lanes_first(b.lane_count);
        status = wt_probe_vortex.halt(b.probe, &first, &err);
    }
    if (!status)
        status = run(&b, argv[3], atof(argv[4]), &err);
    if (status)
        fprintf(stderr, "wire-bench: %s\n", err.text);
    wt_probe_vortex.close(b.probe);
    wt_bus_close(b.bus);
    return status ? 1 : 0;
}
