/* The Debug Module's registers and fields. See vxdebug.h. */
#include "debug/vortex/vxdebug.h"

static const char *const states[] = {"NONE", "REQ", "INFLIGHT", NULL};
static const char *const causes[] = {"NONE", "EBREAK", "HALTREQ", "STEP", "RESETHALTREQ", NULL};

static const struct wt_hw_field platform[] = {
    WT_HW_FIELD("platformid", 31, 28, WT_HW_R, NULL, "platform: 1 is Vortex"),
    WT_HW_FIELD("numclusters", 27, 21, WT_HW_R, NULL, "clusters"),
    WT_HW_FIELD("numcores", 20, 12, WT_HW_R, NULL, "cores of a cluster"),
    WT_HW_FIELD("numwarps", 11, 3, WT_HW_R, NULL, "warps of a core"),
    WT_HW_FIELD("numthreads", 2, 0, WT_HW_R, NULL, "log2 of the threads of a warp"),
};

static const struct wt_hw_field dconfig[] = {
    /* Fields that the specification's tables name longer than its figures and our output do. */
    {"ndmresetcyc", "NRC", 31, 29, WT_HW_RW, NULL, "log2 of the cycles of ndmreset",
     "ndmresetcycles"},
    {"resethaltreqcyc", "RHC", 28, 26, WT_HW_RW, NULL, "log2 of the cycles of resethaltreq",
     "resethaltreqcycles"},
    {"ebreakh", "EH", 0, 0, WT_HW_RW, NULL, "ebreak halts its warp", NULL},
};

static const struct wt_hw_field dselect[] = {
    WT_HW_FIELD("winsel", 31, 22, WT_HW_RW, NULL,
                "window of 32 warps that WMASK, WACTIVE, WSTATUS show"),
    WT_HW_FIELD("warpsel", 21, 7, WT_HW_RW, NULL, "warp (of all) for step, inject, DPC, hacause"),
    WT_HW_FIELD("threadsel", 6, 0, WT_HW_RW, NULL, "thread of that warp for inject and DSCRATCH"),
};

static const struct wt_hw_field wmask[] = {
    WT_HW_FIELD("mask", 31, 0, WT_HW_RW, NULL,
                "warps of the window that haltreq and resumereq mean"),
};

static const struct wt_hw_field wactive[] = {
    WT_HW_FIELD("astatus", 31, 0, WT_HW_R, NULL, "warps of the window that are active"),
};

static const struct wt_hw_field wstatus[] = {
    WT_HW_FIELD("status", 31, 0, WT_HW_R, NULL, "warps of the window that are halted"),
};

static const struct wt_hw_field dctrl[] = {
    {"dmactive", "DA", 31, 31, WT_HW_RW, NULL, "the module works; 0 resets its registers", NULL},
    {"ndmreset", "NT", 30, 30, WT_HW_RW, NULL, "resets all but the module; 1 while it lasts", NULL},
    {"allhalted", "AH", 29, 29, WT_HW_R, NULL, "all warps are halted", NULL},
    {"anyhalted", "NH", 28, 28, WT_HW_R, NULL, "some warp is halted", NULL},
    {"allrunning", "AR", 27, 27, WT_HW_R, NULL, "all warps are running", NULL},
    {"anyrunning", "NR", 26, 26, WT_HW_R, NULL, "some warp is running", NULL},
    {"allunavail", "AU", 25, 25, WT_HW_R, NULL, "all warps are unavailable", NULL},
    {"anyunavail", "NU", 24, 24, WT_HW_R, NULL, "some warp is unavailable", NULL},
    {"hacause", "HC", 11, 9, WT_HW_R, causes, "why the selected warp halted", NULL},
    {"injectstate", "IST", 8, 7, WT_HW_R, states, "of the request to inject", NULL},
    {"injectreq", "IR", 6, 6, WT_HW_W, NULL, "runs INJECT in the selected warp and thread", NULL},
    {"stepstate", "SST", 5, 4, WT_HW_R, states, "of the request to step", NULL},
    {"stepreq", "SR", 3, 3, WT_HW_W, NULL, "lets the selected warp issue one instruction", NULL},
    {"resethaltreq", "RHR", 2, 2, WT_HW_W, NULL, "the warps of WMASK halt right after ndmreset",
     NULL},
    {"resumereq", "RR", 1, 1, WT_HW_W, NULL, "resumes the warps of WMASK", NULL},
    {"haltreq", "HR", 0, 0, WT_HW_W, NULL, "halts the warps of WMASK", NULL},
};

static const struct wt_hw_field dpc[] = {
    WT_HW_FIELD("pc", 31, 0, WT_HW_RW, NULL, "next instruction; valid while the warp is halted"),
};

static const struct wt_hw_field inject[] = {
    WT_HW_FIELD("instr", 31, 0, WT_HW_RW, NULL, "instruction that injectreq runs"),
};

static const struct wt_hw_field dscratch[] = {
    WT_HW_FIELD("data", 31, 0, WT_HW_RW, NULL,
                "the selected thread's scratch register, a CSR for it"),
};

#define REGISTER(addr, name, fields, about)                                                        \
    {                                                                                              \
        addr, name, fields, WT_HW_COUNT(fields), about, false, false                               \
    }

static const struct wt_hw_register registers[] = {
    REGISTER(0x0, "PLATFORM", platform, "what the device is"),
    REGISTER(0x1, "DCONFIG", dconfig, "how the module behaves"),
    REGISTER(0x2, "DSELECT", dselect, "which window, warp and thread the others mean"),
    REGISTER(0x3, "WMASK", wmask, "warps that are selected"),
    REGISTER(0x4, "WACTIVE", wactive, "warps that are active"),
    REGISTER(0x5, "WSTATUS", wstatus, "warps that are halted"),
    REGISTER(0x6, "DCTRL", dctrl, "requests and states"),
    REGISTER(0x7, "DPC", dpc, "program counter of the selected warp"),
    REGISTER(0x8, "INJECT", inject, "instruction to inject"),
    REGISTER(0x9, "DSCRATCH0", dscratch, "scratch, CSR 0x7b2"),
    REGISTER(0xa, "DSCRATCH1", dscratch, "scratch, CSR 0x7b3"),
    REGISTER(0xb, "DSCRATCH2", dscratch, "scratch, CSR 0x7b4"),
    REGISTER(0xc, "DSCRATCH3", dscratch, "scratch, CSR 0x7b5"),
};

const struct wt_hw_table wt_vxdebug_table = {.registers = registers,
                                             .count = WT_HW_COUNT(registers)};
