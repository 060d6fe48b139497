/* A device inside a host process: its memory is the process's own. */
#ifndef WT_EMULATOR_GEN_HOST_H
#define WT_EMULATOR_GEN_HOST_H

#include "emulator/gen/gen.h"
#include "emulator/machine/archive.h"
#include "emulator/machine/timeline.h"

struct wt_host_archive;

/**
 * A device whose physical memory is this process's: a physical address is an address of the host.
 * It sees what the table maps that gen_device_use_table has named, and nothing else is ever
 * touched. It has no snapshots.
 */
enum wt_status gen_device_new_in_host(const struct gen_config *config, struct gen_device **device,
                                      struct wt_error *err);

/**
 * From now on threads see memory through the table (PPGTT of 48 bits) whose PML4 is at @p root,
 * which stays readable meanwhile; 0: they see nothing. The TLB and all decoded
 * instructions are dropped, since the host may have written code.
 */
void gen_device_use_table(struct gen_device *device, uint64_t root);

/** WT_INPUT_OPERATION: writes the copy: a physical address of 64 bits, then the bytes. */
uint32_t gen_do_write_copy(struct wt_machine *m, const void *bytes, size_t size);
/** WT_INPUT_OPERATION: gen_device_hold() of the thread whose number is at @p bytes, 32 bits. */
uint32_t gen_do_hold(struct wt_machine *m, const void *bytes, size_t size);
/** Both of them; NULL ends the list. The order is part of the format of core files. */
extern const wt_input_operation gen_operations[];

/**
 * After an access of this process's memory at @p addr, which is not there any more, has ended a run
 * of the device by a signal: the fault is that of the instruction, which has been executed in part
 * and can be tried again. False: it is not known which one that was; the device must be reset.
 */
bool gen_device_lost_memory(struct gen_device *device, uint64_t addr);

/**
 * Writes the whole state, as a device that is in no process reads it; the addresses of @p in_host
 * are physical ones. False: no host memory.
 */
bool gen_archive_in_host(struct wt_machine *device, struct wt_archive *archive,
                         const struct wt_host_archive *in_host);

#endif
