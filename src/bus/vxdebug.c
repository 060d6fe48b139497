/* The Debug Module's registers and fields. See vxdebug.h. */
#include "bus/vxdebug.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FIELD(name, alias, msb, lsb, access, values, about)                                        \
    {                                                                                              \
        name, alias, msb, lsb, access, values, about, NULL                                         \
    }

static const char *const states[] = {"NONE", "REQ", "INFLIGHT", NULL};
static const char *const causes[] = {"NONE", "EBREAK", "HALTREQ", "STEP", "RESETHALTREQ", NULL};

static const struct wt_hw_field platform[] = {
    FIELD("platformid", NULL, 31, 28, WT_HW_R, NULL, "platform: 1 is Vortex"),
    FIELD("numclusters", NULL, 27, 21, WT_HW_R, NULL, "clusters"),
    FIELD("numcores", NULL, 20, 12, WT_HW_R, NULL, "cores of a cluster"),
    FIELD("numwarps", NULL, 11, 3, WT_HW_R, NULL, "warps of a core"),
    FIELD("numthreads", NULL, 2, 0, WT_HW_R, NULL, "log2 of the threads of a warp"),
};

static const struct wt_hw_field dconfig[] = {
    /* Fields that the specification's tables name longer than its figures and our output do. */
    {"ndmresetcyc", "NRC", 31, 29, WT_HW_RW, NULL, "log2 of the cycles of ndmreset",
     "ndmresetcycles"},
    {"resethaltreqcyc", "RHC", 28, 26, WT_HW_RW, NULL, "log2 of the cycles of resethaltreq",
     "resethaltreqcycles"},
    FIELD("ebreakh", "EH", 0, 0, WT_HW_RW, NULL, "ebreak halts its warp"),
};

static const struct wt_hw_field dselect[] = {
    FIELD("winsel", NULL, 31, 22, WT_HW_RW, NULL,
          "window of 32 warps that WMASK, WACTIVE, WSTATUS show"),
    FIELD("warpsel", NULL, 21, 7, WT_HW_RW, NULL, "warp (of all) for step, inject, DPC, hacause"),
    FIELD("threadsel", NULL, 6, 0, WT_HW_RW, NULL, "thread of that warp for inject and DSCRATCH"),
};

static const struct wt_hw_field wmask[] = {
    FIELD("mask", NULL, 31, 0, WT_HW_RW, NULL,
          "warps of the window that haltreq and resumereq mean"),
};

static const struct wt_hw_field wactive[] = {
    FIELD("astatus", NULL, 31, 0, WT_HW_R, NULL, "warps of the window that are active"),
};

static const struct wt_hw_field wstatus[] = {
    FIELD("status", NULL, 31, 0, WT_HW_R, NULL, "warps of the window that are halted"),
};

static const struct wt_hw_field dctrl[] = {
    FIELD("dmactive", "DA", 31, 31, WT_HW_RW, NULL, "the module works; 0 resets its registers"),
    FIELD("ndmreset", "NT", 30, 30, WT_HW_RW, NULL, "resets all but the module; 1 while it lasts"),
    FIELD("allhalted", "AH", 29, 29, WT_HW_R, NULL, "all warps are halted"),
    FIELD("anyhalted", "NH", 28, 28, WT_HW_R, NULL, "some warp is halted"),
    FIELD("allrunning", "AR", 27, 27, WT_HW_R, NULL, "all warps are running"),
    FIELD("anyrunning", "NR", 26, 26, WT_HW_R, NULL, "some warp is running"),
    FIELD("allunavail", "AU", 25, 25, WT_HW_R, NULL, "all warps are unavailable"),
    FIELD("anyunavail", "NU", 24, 24, WT_HW_R, NULL, "some warp is unavailable"),
    FIELD("hacause", "HC", 11, 9, WT_HW_R, causes, "why the selected warp halted"),
    FIELD("injectstate", "IST", 8, 7, WT_HW_R, states, "of the request to inject"),
    FIELD("injectreq", "IR", 6, 6, WT_HW_W, NULL, "runs INJECT in the selected warp and thread"),
    FIELD("stepstate", "SST", 5, 4, WT_HW_R, states, "of the request to step"),
    FIELD("stepreq", "SR", 3, 3, WT_HW_W, NULL, "lets the selected warp issue one instruction"),
    FIELD("resethaltreq", "RHR", 2, 2, WT_HW_W, NULL,
          "the warps of WMASK halt right after ndmreset"),
    FIELD("resumereq", "RR", 1, 1, WT_HW_W, NULL, "resumes the warps of WMASK"),
    FIELD("haltreq", "HR", 0, 0, WT_HW_W, NULL, "halts the warps of WMASK"),
};

static const struct wt_hw_field dpc[] = {
    FIELD("pc", NULL, 31, 0, WT_HW_RW, NULL, "next instruction; valid while the warp is halted"),
};

static const struct wt_hw_field inject[] = {
    FIELD("instr", NULL, 31, 0, WT_HW_RW, NULL, "instruction that injectreq runs"),
};

static const struct wt_hw_field dscratch[] = {
    FIELD("data", NULL, 31, 0, WT_HW_RW, NULL,
          "the selected thread's scratch register, a CSR for it"),
};

#define REGISTER(addr, name, fields, about)                                                        \
    {                                                                                              \
        addr, name, fields, COUNT(fields), about, false, false                                     \
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

const struct wt_hw_table wt_vxdebug_table = {.registers = registers, .count = COUNT(registers)};
