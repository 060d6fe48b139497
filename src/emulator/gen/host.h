/* A device inside a host process: its memory is the process's own. */
#ifndef WT_EMULATOR_GEN_HOST_H
#define WT_EMULATOR_GEN_HOST_H

#include "emulator/gen/gen.h"

/**
 * A device whose memory is this process's: it sees what gen_device_see has named, in place, and
 * nothing else is ever touched. It has no snapshots.
 */
enum wt_status gen_device_new_in_host(const struct gen_config *config, struct gen_device **device,
                                      struct wt_error *err);

/** Pages of the process, at the address at which the GPU sees them. */
struct gen_host_pages {
    uint64_t address, size; /**< multiples of 4096 */
    void *host;
};

/**
 * From now on the device sees these pages, sorted by address, and no other ones. Decoded
 * instructions are forgotten: the host may have written code. On failure it sees nothing.
 */
enum wt_status gen_device_see(struct gen_device *device, const struct gen_host_pages *pages,
                              size_t count, struct wt_error *err);

#endif
