/* The Debug Module's registers and fields. See vxdebug.h. */
#include "bus/vxdebug.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const states[] = {"NONE", "REQ", "INFLIGHT", NULL};
static const char *const causes[] = {"NONE", "EBREAK", "HALTREQ", "STEP", "RESETHALTREQ", NULL};

static const struct wt_dm_field platform[] = {
    {"platformid", NULL, 31, 28, WT_DM_R, NULL, "platform: 1 is Vortex"},
    {"numclusters", NULL, 27, 21, WT_DM_R, NULL, "clusters"},
    {"numcores", NULL, 20, 12, WT_DM_R, NULL, "cores of a cluster"},
    {"numwarps", NULL, 11, 3, WT_DM_R, NULL, "warps of a core"},
    {"numthreads", NULL, 2, 0, WT_DM_R, NULL, "log2 of the threads of a warp"},
};

static const struct wt_dm_field dconfig[] = {
    {"ndmresetcyc", "NRC", 31, 29, WT_DM_RW, NULL, "log2 of the cycles of ndmreset"},
    {"resethaltreqcyc", "RHC", 28, 26, WT_DM_RW, NULL, "log2 of the cycles of resethaltreq"},
    {"ebreakh", "EH", 0, 0, WT_DM_RW, NULL, "ebreak halts its warp"},
};

static const struct wt_dm_field dselect[] = {
    {"winsel", NULL, 31, 22, WT_DM_RW, NULL,
     "window of 32 warps that WMASK, WACTIVE, WSTATUS show"},
    {"warpsel", NULL, 21, 7, WT_DM_RW, NULL, "warp (of all) for step, inject, DPC, hacause"},
    {"threadsel", NULL, 6, 0, WT_DM_RW, NULL, "thread of that warp for inject and DSCRATCH"},
};

static const struct wt_dm_field wmask[] = {
    {"mask", NULL, 31, 0, WT_DM_RW, NULL, "warps of the window that haltreq and resumereq mean"},
};

static const struct wt_dm_field wactive[] = {
    {"astatus", NULL, 31, 0, WT_DM_R, NULL, "warps of the window that are active"},
};

static const struct wt_dm_field wstatus[] = {
    {"status", NULL, 31, 0, WT_DM_R, NULL, "warps of the window that are halted"},
};

static const struct wt_dm_field dctrl[] = {
    {"dmactive", "DA", 31, 31, WT_DM_RW, NULL, "the module works; 0 resets its registers"},
    {"ndmreset", "NT", 30, 30, WT_DM_RW, NULL, "resets all but the module; 1 while it lasts"},
    {"allhalted", "AH", 29, 29, WT_DM_R, NULL, "all warps are halted"},
    {"anyhalted", "NH", 28, 28, WT_DM_R, NULL, "some warp is halted"},
    {"allrunning", "AR", 27, 27, WT_DM_R, NULL, "all warps are running"},
    {"anyrunning", "NR", 26, 26, WT_DM_R, NULL, "some warp is running"},
    {"allunavail", "AU", 25, 25, WT_DM_R, NULL, "all warps are unavailable"},
    {"anyunavail", "NU", 24, 24, WT_DM_R, NULL, "some warp is unavailable"},
    {"hacause", "HC", 11, 9, WT_DM_R, causes, "why the selected warp halted"},
    {"injectstate", "IST", 8, 7, WT_DM_R, states, "of the request to inject"},
    {"injectreq", "IR", 6, 6, WT_DM_W, NULL, "runs INJECT in the selected warp and thread"},
    {"stepstate", "SST", 5, 4, WT_DM_R, states, "of the request to step"},
    {"stepreq", "SR", 3, 3, WT_DM_W, NULL, "lets the selected warp issue one instruction"},
    {"resethaltreq", "RHR", 2, 2, WT_DM_W, NULL, "the warps of WMASK halt right after ndmreset"},
    {"resumereq", "RR", 1, 1, WT_DM_W, NULL, "resumes the warps of WMASK"},
    {"haltreq", "HR", 0, 0, WT_DM_W, NULL, "halts the warps of WMASK"},
};

static const struct wt_dm_field dpc[] = {
    {"pc", NULL, 31, 0, WT_DM_RW, NULL, "next instruction; valid while the warp is halted"},
};

static const struct wt_dm_field inject[] = {
    {"instr", NULL, 31, 0, WT_DM_RW, NULL, "instruction that injectreq runs"},
};

static const struct wt_dm_field dscratch[] = {
    {"data", NULL, 31, 0, WT_DM_RW, NULL, "the selected thread's scratch register, a CSR for it"},
};

#define REGISTER(addr, name, fields, about)                                                        \
    {                                                                                              \
        addr, name, fields, COUNT(fields), about                                                   \
    }

const struct wt_dm_register wt_vxdebug_registers[] = {
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
const size_t wt_vxdebug_register_count = COUNT(wt_vxdebug_registers);

static bool same(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && strncasecmp(name, text, length) == 0;
}

const struct wt_dm_register *wt_vxdebug_register(const char *name, size_t length)
{
    for (size_t i = 0; i < wt_vxdebug_register_count; i++)
        if (same(wt_vxdebug_registers[i].name, name, length))
            return &wt_vxdebug_registers[i];
    return NULL;
}

/* Fields that the specification's tables name longer than its figures and our output do. */
static const struct {
    const char *name, *field;
} longer_names[] = {{"ndmresetcycles", "ndmresetcyc"}, {"resethaltreqcycles", "resethaltreqcyc"}};

const struct wt_dm_field *wt_vxdebug_field(const struct wt_dm_register *reg, const char *name,
                                           size_t length)
{
    for (size_t i = 0; i < COUNT(longer_names); i++) {
        if (same(longer_names[i].name, name, length)) {
            name = longer_names[i].field;
            length = strlen(name);
            break;
        }
    }
    for (size_t i = 0; i < reg->field_count; i++)
        if (same(reg->fields[i].name, name, length) || same(reg->fields[i].alias, name, length))
            return &reg->fields[i];
    return NULL;
}

const char *wt_vxdebug_value_name(const struct wt_dm_field *field, uint32_t value)
{
    for (uint32_t i = 0; field->values && field->values[i]; i++)
        if (i == value)
            return field->values[i];
    return NULL;
}
