/* The emulated TAP and Debug Transport Module. See jtag_dtm.h. */
#include "bus/jtag/dtm.h"

/* dmi is {address, data[31:0], op[1:0]}. */
enum { DMI_OP_BITS = 2, DMI_DATA_BITS = 32, DMI_FIXED_BITS = DMI_OP_BITS + DMI_DATA_BITS };

struct wt_dtm_config wt_dtm_default_config(unsigned cycles)
{
    unsigned idle = cycles > WT_DTM_SCAN_CLOCKS ? cycles - WT_DTM_SCAN_CLOCKS : 0;
    return (struct wt_dtm_config){.idcode = WT_DTM_DEFAULT_IDCODE,
                                  .abits = 7,
                                  .idle = idle < 7 ? idle : 7, /* the field has no more bits */
                                  .cycles = cycles};
}

void wt_dtm_init(struct wt_dtm *dtm, const struct wt_dtm_config *config,
                 const struct wt_bus_device *device)
{
    *dtm = (struct wt_dtm){.config = *config,
                           .device = *device,
                           .state = WT_TAP_RESET,
                           .tdo = true,
                           .ir = WT_DTM_IDCODE,
                           .dr_bits = 32};
}

/* Does the access in progress. */
static void complete(struct wt_dtm *dtm)
{
    enum wt_dmi_op op = dtm->flying;
    dtm->flying = WT_DMI_NOP;
    if (dtm->config.addresses && dtm->address >= dtm->config.addresses)
        dtm->sticky = WT_DMI_FAILED;
    else if (op == WT_DMI_WRITE)
        dtm->device.write(dtm->device.context, dtm->address, dtm->data);
    else
        dtm->data = dtm->device.read(dtm->device.context, dtm->address);
}

void wt_dtm_unplug(struct wt_dtm *dtm)
{
    if (dtm->flying)
        complete(dtm);
    struct wt_dtm old = *dtm;
    wt_dtm_init(dtm, &old.config, &old.device);
}

static void capture_dr(struct wt_dtm *dtm)
{
    const struct wt_dtm_config *c = &dtm->config;
    switch (dtm->ir) {
    case WT_DTM_IDCODE:
        dtm->dr_bits = 32;
        dtm->dr_shift = c->idcode;
        break;
    case WT_DTM_DTMCS:
        dtm->dr_bits = 32;
        dtm->dr_shift =
            (uint64_t)c->idle << 12 | (uint64_t)dtm->sticky << 10 | c->abits << 4 | WT_DTM_VERSION;
        break;
    case WT_DTM_DMI:
        /* "An operation was attempted while a DMI request is still in progress": to look at the
         * result of one too early is such an attempt, and it is sticky. */
        if (dtm->flying && !dtm->sticky)
            dtm->sticky = WT_DMI_BUSY;
        dtm->dr_bits = DMI_FIXED_BITS + c->abits;
        dtm->dr_shift = (uint64_t)dtm->address << DMI_FIXED_BITS |
                        (uint64_t)dtm->data << DMI_OP_BITS | dtm->sticky;
        break;
    default: /* BYPASS captures a 0 */
        dtm->dr_bits = 1;
        dtm->dr_shift = 0;
    }
}

static void update_dr(struct wt_dtm *dtm)
{
    if (dtm->ir == WT_DTM_DTMCS) {
        /* dmireset clears the error and lets what is in progress complete; dmihardreset forgets
         * that, too. */
        if (dtm->dr_shift & WT_DTM_DMIHARDRESET)
            dtm->flying = WT_DMI_NOP;
        if (dtm->dr_shift & (WT_DTM_DMIHARDRESET | WT_DTM_DMIRESET))
            dtm->sticky = WT_DMI_OK;
    } else if (dtm->ir == WT_DTM_DMI && !dtm->sticky && !dtm->flying) {
        unsigned op = dtm->dr_shift & 3;
        if (op == WT_DMI_NOP)
            return; /* the next capture shows the last result again */
        if (op > WT_DMI_WRITE) {
            dtm->sticky = WT_DMI_FAILED; /* a reserved operation */
            return;
        }
        dtm->flying = (enum wt_dmi_op)op;
        dtm->cycles_left = dtm->config.cycles;
        dtm->address = (uint32_t)(dtm->dr_shift >> DMI_FIXED_BITS);
        if (op == WT_DMI_WRITE)
            dtm->data = (uint32_t)(dtm->dr_shift >> DMI_OP_BITS);
        if (!dtm->cycles_left)
            complete(dtm);
    }
}

static void rising_edge(struct wt_dtm *dtm, bool tms, bool tdi)
{
    if (dtm->flying && !--dtm->cycles_left)
        complete(dtm);
    switch (dtm->state) {
    case WT_TAP_CAPTURE_IR:
        dtm->ir_shift = 1; /* IEEE 1149.1: the two lowest bits are 01 */
        break;
    case WT_TAP_SHIFT_IR:
        dtm->ir_shift = (uint8_t)(dtm->ir_shift >> 1 | tdi << (WT_DTM_IR_BITS - 1));
        break;
    case WT_TAP_CAPTURE_DR:
        capture_dr(dtm);
        break;
    case WT_TAP_SHIFT_DR:
        dtm->dr_shift = dtm->dr_shift >> 1 | (uint64_t)tdi << (dtm->dr_bits - 1);
        break;
    default:
        break;
    }
    dtm->state = wt_tap_next(dtm->state, tms);
}

/* "Update" and what TDO shows change at the falling edge (IEEE 1149.1). */
static void falling_edge(struct wt_dtm *dtm)
{
    dtm->tdo = true; /* not driven: as if a resistor pulled it up */
    switch (dtm->state) {
    case WT_TAP_RESET:
        dtm->ir = WT_DTM_IDCODE;
        break;
    case WT_TAP_SHIFT_IR:
        dtm->tdo = dtm->ir_shift & 1;
        break;
    case WT_TAP_SHIFT_DR:
        dtm->tdo = dtm->dr_shift & 1;
        break;
    case WT_TAP_UPDATE_IR:
        dtm->ir = dtm->ir_shift;
        break;
    case WT_TAP_UPDATE_DR:
        update_dr(dtm);
        break;
    default:
        break;
    }
}

void wt_dtm_pins(struct wt_dtm *dtm, bool tck, bool tms, bool tdi)
{
    if (tck == dtm->tck)
        return;
    dtm->tck = tck;
    if (dtm->trst)
        return;
    if (tck)
        rising_edge(dtm, tms, tdi);
    else
        falling_edge(dtm);
}

void wt_dtm_trst(struct wt_dtm *dtm, bool asserted)
{
    dtm->trst = asserted;
    if (asserted) {
        dtm->state = WT_TAP_RESET;
        dtm->ir = WT_DTM_IDCODE;
        dtm->tdo = true;
    }
}
