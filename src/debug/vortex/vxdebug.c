/* The Debug Module's registers and fields. See vxdebug.h. */
#include "debug/vortex/vxdebug.h"

static const char *const states[] = {"NONE", "REQ", "INFLIGHT", NULL};
static const char *const causes[] = {"NONE", "EBREAK", "HALTREQ", "STEP", "RESETHALTREQ", NULL};

#define DSCRATCH_FIELD                                                                             \
    WT_HW_FIELD("data", 31, 0, RW, "the selected thread's scratch register, a CSR for it")

static const struct wt_hw_register registers[] = {
    WT_HW_REGISTER(0x0, "PLATFORM", "what the device is",
                   WT_HW_FIELD("platformid", 31, 28, R, "platform: 1 is Vortex"),
                   WT_HW_FIELD("numclusters", 27, 21, R, "clusters"),
                   WT_HW_FIELD("numcores", 20, 12, R, "cores of a cluster"),
                   WT_HW_FIELD("numwarps", 11, 3, R, "warps of a core"),
                   WT_HW_FIELD("numthreads", 2, 0, R, "log2 of the threads of a warp")),
    WT_HW_REGISTER(0x1, "DCONFIG", "how the module behaves",
                   WT_HW_FIELD("ndmresetcyc", 31, 29, RW, "log2 of the cycles of ndmreset",
                               .alias = "NRC", .longer = "ndmresetcycles"),
                   WT_HW_FIELD("resethaltreqcyc", 28, 26, RW, "log2 of the cycles of resethaltreq",
                               .alias = "RHC", .longer = "resethaltreqcycles"),
                   WT_HW_FIELD("ebreakh", 0, 0, RW, "ebreak halts its warp", .alias = "EH")),
    WT_HW_REGISTER(
        0x2, "DSELECT", "which window, warp and thread the others mean",
        WT_HW_FIELD("winsel", 31, 22, RW, "window of 32 warps that WMASK, WACTIVE, WSTATUS show"),
        WT_HW_FIELD("warpsel", 21, 7, RW, "warp (of all) for step, inject, DPC, hacause"),
        WT_HW_FIELD("threadsel", 6, 0, RW, "thread of that warp for inject and DSCRATCH")),
    WT_HW_REGISTER(
        0x3, "WMASK", "warps that are selected",
        WT_HW_FIELD("mask", 31, 0, RW, "warps of the window that haltreq and resumereq mean")),
    WT_HW_REGISTER(0x4, "WACTIVE", "warps that are active",
                   WT_HW_FIELD("astatus", 31, 0, R, "warps of the window that are active")),
    WT_HW_REGISTER(0x5, "WSTATUS", "warps that are halted",
                   WT_HW_FIELD("status", 31, 0, R, "warps of the window that are halted")),
    WT_HW_REGISTER(0x6, "DCTRL", "requests and states",
                   WT_HW_FIELD("dmactive", 31, 31, RW, "the module works; 0 resets its registers",
                               .alias = "DA"),
                   WT_HW_FIELD("ndmreset", 30, 30, RW,
                               "resets all but the module; 1 while it lasts", .alias = "NT"),
                   WT_HW_FIELD("allhalted", 29, 29, R, "all warps are halted", .alias = "AH"),
                   WT_HW_FIELD("anyhalted", 28, 28, R, "some warp is halted", .alias = "NH"),
                   WT_HW_FIELD("allrunning", 27, 27, R, "all warps are running", .alias = "AR"),
                   WT_HW_FIELD("anyrunning", 26, 26, R, "some warp is running", .alias = "NR"),
                   WT_HW_FIELD("allunavail", 25, 25, R, "all warps are unavailable", .alias = "AU"),
                   WT_HW_FIELD("anyunavail", 24, 24, R, "some warp is unavailable", .alias = "NU"),
                   WT_HW_FIELD("hacause", 11, 9, R, "why the selected warp halted", .alias = "HC",
                               .values = causes),
                   WT_HW_FIELD("injectstate", 8, 7, R, "of the request to inject", .alias = "IST",
                               .values = states),
                   WT_HW_FIELD("injectreq", 6, 6, W, "runs INJECT in the selected warp and thread",
                               .alias = "IR"),
                   WT_HW_FIELD("stepstate", 5, 4, R, "of the request to step", .alias = "SST",
                               .values = states),
                   WT_HW_FIELD("stepreq", 3, 3, W, "lets the selected warp issue one instruction",
                               .alias = "SR"),
                   WT_HW_FIELD("resethaltreq", 2, 2, W,
                               "the warps of WMASK halt right after ndmreset", .alias = "RHR"),
                   WT_HW_FIELD("resumereq", 1, 1, W, "resumes the warps of WMASK", .alias = "RR"),
                   WT_HW_FIELD("haltreq", 0, 0, W, "halts the warps of WMASK", .alias = "HR")),
    WT_HW_REGISTER(
        0x7, "DPC", "program counter of the selected warp",
        WT_HW_FIELD("pc", 31, 0, RW, "next instruction; valid while the warp is halted")),
    WT_HW_REGISTER(0x8, "INJECT", "instruction to inject",
                   WT_HW_FIELD("instr", 31, 0, RW, "instruction that injectreq runs")),
    WT_HW_REGISTER(0x9, "DSCRATCH0", "scratch, CSR 0x7b2", DSCRATCH_FIELD),
    WT_HW_REGISTER(0xa, "DSCRATCH1", "scratch, CSR 0x7b3", DSCRATCH_FIELD),
    WT_HW_REGISTER(0xb, "DSCRATCH2", "scratch, CSR 0x7b4", DSCRATCH_FIELD),
    WT_HW_REGISTER(0xc, "DSCRATCH3", "scratch, CSR 0x7b5", DSCRATCH_FIELD),
};

const struct wt_hw_table wt_vxdebug_table = {.registers = registers,
                                             .count = WT_HW_COUNT(registers)};
