/*
 * The device's end of a JTAG link: a TAP with the Debug Transport Module of the RISC-V Debug
 * Specification 0.13 (chapter "Debug Transport Module"), in front of a device's debug registers. A
 * DMI address is the word address of a register.
 */
#ifndef WT_BUS_JTAG_DTM_H
#define WT_BUS_JTAG_DTM_H

#include <stdbool.h>
#include <stdint.h>

#include "bus/bus.h"
#include "bus/jtag/tap.h"

enum {
    WT_DTM_IR_BITS = 5,
    /* Values of the instruction register. Any other selects BYPASS. */
    WT_DTM_IDCODE = 0x01,
    WT_DTM_DTMCS = 0x10,
    WT_DTM_DMI = 0x11,
    WT_DTM_BYPASS = 0x1f,

    WT_DTM_VERSION = 1, /**< dtmcs.version of specification 0.13 (and 1.0) */
    WT_DTM_ABITS_MIN = 4,
    WT_DTM_ABITS_MAX = 30,
    WT_DTM_DMIRESET = 1 << 16,
    WT_DTM_DMIHARDRESET = 1 << 17,

    /**
     * Clocks from Update-DR to the next Capture-DR of a debugger that does not enter
     * Run-Test/Idle in between; each clock there is one more.
     */
    WT_DTM_SCAN_CLOCKS = 3,
};

/** The values of dmi.op: the operation when it is written, its outcome when it is read. */
enum wt_dmi_op { WT_DMI_NOP, WT_DMI_READ, WT_DMI_WRITE };
enum wt_dmi_status { WT_DMI_OK, WT_DMI_RESERVED, WT_DMI_FAILED, WT_DMI_BUSY };

/** The manufacturer is 0, which is nobody's; part 0x5754 ("WT"), version 1. */
#define WT_DTM_DEFAULT_IDCODE 0x15754001u

struct wt_dtm_config {
    uint32_t idcode;    /**< its bit 0 is 1 */
    unsigned abits;     /**< width of a DMI address, WT_DTM_ABITS_MIN to _MAX */
    unsigned idle;      /**< dtmcs.idle, 0 to 7: what a debugger is told to wait */
    unsigned cycles;    /**< rising TCK edges that an access takes, whatever idle says */
    uint32_t addresses; /**< DMI addresses from here on fail; 0: none does */
};

struct wt_dtm {
    struct wt_dtm_config config;
    struct wt_bus_device device;
    enum wt_tap_state state;
    bool tck, trst, tdo;
    uint8_t ir, ir_shift;
    uint64_t dr_shift;
    unsigned dr_bits; /**< length of the data register that is being shifted */
    /* The DMI */
    enum wt_dmi_status sticky;
    enum wt_dmi_op flying; /**< the access in progress; WT_DMI_NOP: none */
    unsigned cycles_left;
    uint32_t address, data;
};

/** The default: 7 address bits, an access takes @p cycles and dtmcs.idle tells how long to wait. */
struct wt_dtm_config wt_dtm_default_config(unsigned cycles);

/** As after power-up. @p device is copied; its registers are not touched. */
void wt_dtm_init(struct wt_dtm *dtm, const struct wt_dtm_config *config,
                 const struct wt_bus_device *device);

/** The cable is pulled: an access in progress is done, then all is as after power-up. */
void wt_dtm_unplug(struct wt_dtm *dtm);

/** Sets the pins; what happens, happens at the edges of @p tck. */
void wt_dtm_pins(struct wt_dtm *dtm, bool tck, bool tms, bool tdi);

/** Sets TRST; while it is asserted the TAP is in Test-Logic-Reset. The DMI does not notice. */
void wt_dtm_trst(struct wt_dtm *dtm, bool asserted);

#endif
