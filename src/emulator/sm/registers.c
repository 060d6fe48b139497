/*
 * The registers of the SM debugger (Maxwell GM20B; public kernel driver nvgpu, hw_gr_gm20b.h):
 * unicast addresses of each SM, and broadcast ones. docs/sm-trap.md lists them.
 */
#include "emulator/sm/internal.h"

#include <stddef.h>

#include "base/hw_registers.h"

/*
 * On the bus registers have word addresses of 16 bits: unicast ones are (PRI - 0x504000) / 4, so
 * that SM n is n * 0x200 behind SM 0; broadcast ones are 0xc000 + (PRI - 0x419800) / 4.
 */
#define BUS_BROADCAST 0xc000u
#define BUS_GPC_EXCEPTION 0xbf24u /* 0x502c90 */
#define GPC_STRIDE 0x2000u
#define TPC_STRIDE 0x200u
#define TPCS_OF_GPC 4u

/* Offsets in the block of a TPC. */
enum {
    TPC_EXCEPTION = 0x508,
    TPC_EXCEPTION_EN = 0x50c,
    STATUS0 = 0x60c,
    CONTROL0 = 0x610,
    VALID_MASK = 0x614,
    VALID_MASK_1 = 0x618,
    PAUSE_MASK = 0x624,
    PAUSE_MASK_1 = 0x628,
    TRAP_MASK = 0x634,
    TRAP_MASK_1 = 0x638,
    WARP_ESR_REPORT_MASK = 0x644,
    WARP_ESR = 0x648,
    GLOBAL_ESR_REPORT_MASK = 0x64c,
    GLOBAL_ESR = 0x650,
    WARP_ESR_PC = 0x654,
    INCONSISTENT = 0x658, /* defined by wavetrap */
    WARP_ESR_PC_HI = 0x65c,
};

/* ---- the table ---- */

#define REGISTER(name, offset, about, ...)                                                         \
    WT_HW_REGISTER((offset) / 4, "NV_PTPC_PRI_SM_" name, about, __VA_ARGS__)
#define ALL(name, offset, about, ...)                                                              \
    WT_HW_REGISTER(BUS_BROADCAST + (offset) / 4, "NV_PGRAPH_PRI_GPCS_TPCS_SM_" name, about,        \
                   __VA_ARGS__)
#define STATUS0_FIELDS                                                                             \
    WT_HW_FIELD("SM_IN_TRAP_MODE", 0, 0, R,                                                        \
                "from a trap event until the SM returns to user mode"),                            \
        WT_HW_FIELD("LOCKED_DOWN", 4, 4, R, "idle and trapped: all warps paused, or held"),        \
        WT_HW_FIELD("RUN_TRIGGER", 30, 30, W, "wakes paused warps, as in CONTROL0")
#define CONTROL0_FIELDS                                                                            \
    WT_HW_FIELD("DEBUGGER_MODE", 0, 0, RW, "traps and errors without a handler pause the SM"),     \
        WT_HW_FIELD("STOP_ON_ANY_WARP", 1, 1, RW, "a trap event sets STOP_TRIGGER"),               \
        WT_HW_FIELD("STOP_ON_ANY_SM", 2, 2, RW, "a trap event of another SM sets STOP_TRIGGER"),   \
        WT_HW_FIELD("SINGLE_STEP_MODE", 3, 3, RW,                                                  \
                    "warps that return trap again after one instruction"),                         \
        WT_HW_FIELD("RUN_TRIGGER", 30, 30, W,                                                      \
                    "wakes paused warps whose bit in the pause mask is 0"),                        \
        WT_HW_FIELD("STOP_TRIGGER", 31, 31, RW, "a level: all warps enter the handler")
#define MASK_LOW_FIELD WT_HW_FIELD("WARPS", 31, 0, RW, "warps 31 to 0")
#define MASK_HIGH_FIELD WT_HW_FIELD("WARPS", 31, 0, RW, "warps 63 to 32")
#define REPORT_WARP_FIELD WT_HW_FIELD("ERRORS", 31, 0, RW, "bit n: warp error n is taken")
#define WARP_ESR_FIELDS                                                                            \
    WT_HW_FIELD("ERROR", 15, 0, RW, "code of the error", .values = sm_error_names),                \
        WT_HW_FIELD("TRAP", 18, 16, RW, "immediate of BPT.TRAP (defined by wavetrap)")
#define GLOBAL_FIELDS                                                                              \
    WT_HW_FIELD("SM_TO_SM_FAULT", 0, 0, RW, "does not happen here"),                               \
        WT_HW_FIELD("L1_ERROR", 1, 1, RW, "an access to memory that is not there"),                \
        WT_HW_FIELD("MULTIPLE_WARP_ERRORS", 2, 2, RW, "an error before the one before was read"),  \
        WT_HW_FIELD("PHYSICAL_STACK_OVERFLOW", 3, 3, RW, "no room for a trap on the stack"),       \
        WT_HW_FIELD("BPT_INT", 4, 4, RW, "BPT.INT; S2R reads it as 0"),                            \
        WT_HW_FIELD("BPT_PAUSE", 5, 5, RW, "BPT.PAUSE"),                                           \
        WT_HW_FIELD("SINGLE_STEP_COMPLETE", 6, 6, RW, "a warp has done its step"),                 \
        WT_HW_FIELD("TRAP", 15, 9, RW,                                                             \
                    "bit n of [15:8]: BPT.TRAP n was hit (defined by wavetrap)")
#define ADDRESS_FIELD WT_HW_FIELD("PC", 31, 0, R, "of the warp's ESR")

static const struct wt_hw_register registers[] = {
    WT_HW_REGISTER(TPC_EXCEPTION / 4, "NV_PTPC_PRI_TPCCS_TPC_EXCEPTION", "reports of TPC 0",
                   WT_HW_FIELD("SM", 1, 1, R, "the SM has something to report")),
    WT_HW_REGISTER(TPC_EXCEPTION_EN / 4, "NV_PTPC_PRI_TPCCS_TPC_EXCEPTION_EN", "what is forwarded",
                   WT_HW_FIELD("TEX", 0, 0, RW, "exceptions of the texture unit are forwarded"),
                   WT_HW_FIELD("SM", 1, 1, RW, "exceptions of the SM are forwarded")),
    REGISTER("DBGR_STATUS0", STATUS0, "state of SM 0; SM n is n * 0x200 after it", STATUS0_FIELDS),
    REGISTER("DBGR_CONTROL0", CONTROL0, "stop, run, step", CONTROL0_FIELDS),
    REGISTER("WARP_VALID_MASK", VALID_MASK, "warps that there are", MASK_LOW_FIELD),
    REGISTER("WARP_VALID_MASK_1", VALID_MASK_1, "the same", MASK_HIGH_FIELD),
    REGISTER("DBGR_BPT_PAUSE_MASK", PAUSE_MASK,
             "warps that have paused; RUN_TRIGGER wakes those whose bit was cleared",
             MASK_LOW_FIELD),
    REGISTER("DBGR_BPT_PAUSE_MASK_1", PAUSE_MASK_1, "the same", MASK_HIGH_FIELD),
    REGISTER("DBGR_BPT_TRAP_MASK", TRAP_MASK, "warps that executed BPT.TRAP", MASK_LOW_FIELD),
    REGISTER("DBGR_BPT_TRAP_MASK_1", TRAP_MASK_1, "the same", MASK_HIGH_FIELD),
    REGISTER("HWW_WARP_ESR_REPORT_MASK", WARP_ESR_REPORT_MASK, "which errors count",
             REPORT_WARP_FIELD),
    REGISTER("HWW_WARP_ESR", WARP_ESR, "of the lowest warp that has one; writing 0 clears it",
             WARP_ESR_FIELDS),
    REGISTER("HWW_GLOBAL_ESR_REPORT_MASK", GLOBAL_ESR_REPORT_MASK, "which bits interrupt",
             GLOBAL_FIELDS),
    REGISTER("HWW_GLOBAL_ESR", GLOBAL_ESR, "of the SM; ones clear", GLOBAL_FIELDS),
    REGISTER("HWW_WARP_ESR_PC", WARP_ESR_PC, "of the warp of HWW_WARP_ESR", ADDRESS_FIELD),
    REGISTER("HWW_WARP_ESR_PC_HI", WARP_ESR_PC_HI, "its upper half", ADDRESS_FIELD),
    REGISTER("DBGR_INCONSISTENT", INCONSISTENT, "wakes that the rules forbid (defined by wavetrap)",
             WT_HW_FIELD("COUNT", 31, 0, R, "since reset")),
    WT_HW_REGISTER(BUS_GPC_EXCEPTION, "NV_PGPC_PRI_GPCCS_GPC_EXCEPTION", "reports of GPC 0",
                   WT_HW_FIELD("GCC", 2, 2, R, "does not happen here"),
                   WT_HW_FIELD("TPC", 23, 16, R, "TPCs with an exception")),
    ALL("DBGR_STATUS0", STATUS0, "writes: all SMs; reads: SM 0", STATUS0_FIELDS),
    ALL("DBGR_CONTROL0", CONTROL0, "the same", CONTROL0_FIELDS),
    ALL("DBGR_BPT_PAUSE_MASK", PAUSE_MASK, "the same", MASK_LOW_FIELD),
    ALL("DBGR_BPT_PAUSE_MASK_1", PAUSE_MASK_1, "the same", MASK_HIGH_FIELD),
    ALL("HWW_WARP_ESR_REPORT_MASK", WARP_ESR_REPORT_MASK, "the same", REPORT_WARP_FIELD),
    ALL("HWW_WARP_ESR", WARP_ESR, "the same", WARP_ESR_FIELDS),
    ALL("HWW_GLOBAL_ESR_REPORT_MASK", GLOBAL_ESR_REPORT_MASK, "the same", GLOBAL_FIELDS),
    ALL("HWW_GLOBAL_ESR", GLOBAL_ESR, "the same", GLOBAL_FIELDS),
};

const struct wt_hw_table sm_register_table = {.registers = registers,
                                              .count = WT_HW_COUNT(registers)};

/* Bits of CONTROL0. RUN_TRIGGER is a task, which clears itself; STOP_TRIGGER is a level. */
enum {
    DEBUGGER_MODE = 1 << 0,
    STOP_ON_ANY_WARP = 1 << 1,
    STOP_ON_ANY_SM = 1 << 2,
    SINGLE_STEP_MODE = 1 << 3,
};
#define RUN_TRIGGER 0x40000000u
#define STOP_TRIGGER 0x80000000u
/* Bits of STATUS0; the description of BPT has RUN_TRIGGER here. */
enum { IN_TRAP_MODE = 1 << 0, LOCKED_DOWN = 1 << 4 };

enum { SM_EXCEPTION = 1 << 1 }; /* in TPC_EXCEPTION and TPC_EXCEPTION_EN */

/* The SM and the offset that an address means; false: none. sm is SM_MOST_SMS for all of them. */
static bool place_of(const struct sm_device *d, uint32_t addr, uint32_t *sm, uint32_t *offset)
{
    const uint32_t gpc = addr / GPC_STRIDE, rest = addr % GPC_STRIDE;
    if (addr >= BUS_BROADCAST) {
        *sm = SM_MOST_SMS;
        *offset = (addr - BUS_BROADCAST) * 4;
        return true;
    }
    *sm = gpc * TPCS_OF_GPC + rest / TPC_STRIDE;
    *offset = rest % TPC_STRIDE * 4;
    return rest / TPC_STRIDE < TPCS_OF_GPC && *sm < d->config.sms;
}

/* The lowest warp that has something in its ESR. */
static struct sm_warp *warp_with_error(struct sm_device *d, uint32_t sm)
{
    for (uint32_t i = 0; i < SM_WARPS; i++) {
        struct sm_warp *w = &d->warp[sm * SM_WARPS + i];
        if (w->active && w->esr)
            return w;
    }
    return NULL;
}

static uint64_t valid_mask(const struct sm_device *d, uint32_t sm)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < SM_WARPS; i++)
        mask |= (uint64_t)d->warp[sm * SM_WARPS + i].active << i;
    return mask;
}

static bool has_exception(struct sm_device *d, uint32_t sm)
{
    const struct sm_unit *u = &d->unit[sm];
    const struct sm_warp *w = warp_with_error(d, sm);
    const uint32_t code = w ? w->esr & SM_WESR_ERROR : 0;
    /* BPT.PAUSE notifies whatever the mask says. */
    return u->global_esr & (u->global_report | SM_GESR_BPT_PAUSE) ||
           (code && u->warp_report >> code & 1);
}

static uint32_t read_one(struct sm_device *d, uint32_t sm, uint32_t offset)
{
    const struct sm_unit *u = &d->unit[sm];
    const struct sm_warp *w = warp_with_error(d, sm);
    switch (offset) {
    case TPC_EXCEPTION:
        return has_exception(d, sm) ? SM_EXCEPTION : 0;
    case TPC_EXCEPTION_EN:
        return u->exception_enable;
    case STATUS0:
        return (u->in_trap ? IN_TRAP_MODE : 0) | (sm_locked_down(d, sm) ? LOCKED_DOWN : 0u);
    case CONTROL0:
        return (u->debugger ? DEBUGGER_MODE : 0) | (u->stop_any_warp ? STOP_ON_ANY_WARP : 0) |
               (u->stop_any_sm ? STOP_ON_ANY_SM : 0) | (u->single_step ? SINGLE_STEP_MODE : 0u) |
               (u->stop ? STOP_TRIGGER : 0);
    case VALID_MASK:
        return (uint32_t)valid_mask(d, sm);
    case VALID_MASK_1:
        return (uint32_t)(valid_mask(d, sm) >> 32);
    case PAUSE_MASK:
        return (uint32_t)u->pause_mask;
    case PAUSE_MASK_1:
        return (uint32_t)(u->pause_mask >> 32);
    case TRAP_MASK:
        return (uint32_t)u->trap_mask;
    case TRAP_MASK_1:
        return (uint32_t)(u->trap_mask >> 32);
    case WARP_ESR_REPORT_MASK:
        return u->warp_report;
    case WARP_ESR:
        return w ? w->esr : 0;
    case WARP_ESR_PC:
        return w ? (uint32_t)w->esr_pc : 0;
    case WARP_ESR_PC_HI:
        return w ? (uint32_t)(w->esr_pc >> 32) : 0;
    case GLOBAL_ESR_REPORT_MASK:
        return u->global_report;
    case GLOBAL_ESR:
        return u->global_esr;
    case INCONSISTENT:
        return u->inconsistent;
    default:
        return 0;
    }
}

uint32_t sm_debug_read(struct wt_machine *m, uint32_t addr)
{
    struct sm_device *d = (struct sm_device *)m;
    uint32_t sm, offset, exceptions = 0;
    if (addr == BUS_GPC_EXCEPTION) { /* [23:16]: TPCs of GPC 0 whose exceptions are forwarded */
        for (uint32_t i = 0; i < d->config.sms && i < TPCS_OF_GPC; i++)
            if (d->unit[i].exception_enable & SM_EXCEPTION && has_exception(d, i))
                exceptions |= 1u << (16 + i);
        return exceptions;
    }
    if (!place_of(d, addr, &sm, &offset))
        return 0;
    return read_one(d, sm == SM_MOST_SMS ? 0 : sm, offset);
}

static void write_control(struct sm_device *d, uint32_t sm, uint32_t value)
{
    struct sm_unit *u = &d->unit[sm];
    const bool stopped = u->stop;
    u->debugger = value & DEBUGGER_MODE;
    u->stop_any_warp = value & STOP_ON_ANY_WARP;
    u->stop_any_sm = value & STOP_ON_ANY_SM;
    u->single_step = value & SINGLE_STEP_MODE;
    u->stop = value & STOP_TRIGGER;
    if (u->stop && !stopped) {
        sm_trap_stop(d, sm);
    } else if (!u->stop && stopped) {
        /* Warps that have paused meanwhile wait for RUN_TRIGGER, however quietly: the driver's way
         * to resume wakes them while the SM is trapped. */
        for (uint32_t i = 0; i < SM_WARPS; i++)
            u->loud = u->loud || d->warp[sm * SM_WARPS + i].paused;
        sm_trap_settle(d, sm);
    }
    if (value & RUN_TRIGGER)
        sm_trap_run(d, sm);
}

static void write_one(struct sm_device *d, uint32_t sm, uint32_t offset, uint32_t value)
{
    struct sm_unit *u = &d->unit[sm];
    struct sm_warp *w;
    switch (offset) {
    case TPC_EXCEPTION_EN:
        u->exception_enable = value;
        break;
    case STATUS0:
        if (value & RUN_TRIGGER)
            sm_trap_run(d, sm);
        break;
    case CONTROL0:
        write_control(d, sm, value);
        break;
    case PAUSE_MASK:
        u->pause_mask = (u->pause_mask & ~UINT64_C(0xffffffff)) | value;
        break;
    case PAUSE_MASK_1:
        u->pause_mask = (u->pause_mask & 0xffffffff) | (uint64_t)value << 32;
        break;
    case TRAP_MASK:
        u->trap_mask = (u->trap_mask & ~UINT64_C(0xffffffff)) | value;
        break;
    case TRAP_MASK_1:
        u->trap_mask = (u->trap_mask & 0xffffffff) | (uint64_t)value << 32;
        break;
    case WARP_ESR_REPORT_MASK:
        u->warp_report = value;
        break;
    case GLOBAL_ESR_REPORT_MASK:
        u->global_report = value;
        break;
    case WARP_ESR: /* 0 clears the one that is read here */
        if ((w = warp_with_error(d, sm)))
            w->esr = value;
        break;
    case GLOBAL_ESR: /* ones clear */
        u->global_esr &= ~value;
        break;
    default:
        break;
    }
}

void sm_debug_write(struct wt_machine *m, uint32_t addr, uint32_t value)
{
    struct sm_device *d = (struct sm_device *)m;
    uint32_t sm, offset;
    if (!place_of(d, addr, &sm, &offset))
        return;
    if (sm < SM_MOST_SMS) {
        write_one(d, sm, offset, value);
        return;
    }
    for (uint32_t i = 0; i < d->config.sms; i++)
        write_one(d, i, offset, value);
}
