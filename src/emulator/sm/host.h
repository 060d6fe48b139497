/*
 * An SM in a host process: its memory is the process's own, at the same addresses; for a recording
 * it works on a copy of it (machine/copy.h).
 */
#ifndef WT_EMULATOR_SM_HOST_H
#define WT_EMULATOR_SM_HOST_H

#include "emulator/machine/archive.h"
#include "emulator/machine/timeline.h"
#include "emulator/sm/sm.h"
#include "object/sm_wire.h"

/** Makes a device inside a host process: what is mapped must be memory of the process at the same
 * address. There is no history, and no hash of memory. */
enum wt_status sm_device_new_in_host(const struct sm_config *config, struct sm_device **device,
                                     struct wt_error *err);

/**
 * After an access of this process's memory at @p addr, which is not there any more, has ended a run
 * of the device by a signal: the fault is that of the instruction, which has been executed in part.
 * The device is to be abandoned then.
 */
void sm_device_lost_memory(struct sm_device *device, uint64_t addr);

/** How many interrupts the SMs have raised for the debugger, modulo 2^32. */
uint32_t sm_device_interrupts(const struct sm_device *device);

/* ---- what a debugger does, as operations of a recording ---- */

/** The bytes of sm_do_write_row(). */
struct sm_row_write {
    uint32_t warp, number, lanes, zero;
    uint8_t row[4 * 32];
};

/** WT_INPUT_OPERATION: launches the struct sm_launch at @p bytes. */
uint32_t sm_do_launch(struct wt_machine *m, const void *bytes, size_t size);
/** WT_INPUT_OPERATION: sm_write_row() of the struct sm_row_write at @p bytes. */
uint32_t sm_do_write_row(struct wt_machine *m, const void *bytes, size_t size);
/** WT_INPUT_OPERATION: sm_device_stop() of the SM whose number is at @p bytes, 32 bits. */
uint32_t sm_do_stop(struct wt_machine *m, const void *bytes, size_t size);

/** All of them; NULL ends the list. The order is part of the format of core files. */
extern const wt_input_operation sm_operations[];

/**
 * Serves a request of enum sm_wire_verb; what changes the device goes through @p input. The
 * request's bytes are at @p bytes, where those of the answer go, at most WT_WIRE_MOST. Returns the
 * result; -ENOSYS: it is one for a driver.
 */
int32_t sm_serve(struct wt_machine *device, wt_input_fn *input, void *context,
                 const struct wt_wire_request *request, struct wt_wire_answer *answer,
                 uint8_t *bytes);

#endif
