/* The reasons why a thread has stopped: the bits of cr0.1 (docs/gen9.md, "Exceptions"). */
#include "debug/gen/internal.h"

#include <stdio.h>

/* The exceptions of cr0.1 come first, in the order of the table below. */
const struct wt_exception genp_exceptions[GENP_EXCEPTIONS] = {{"illegal", WT_FAULT_ILLEGAL},
                                                              {"stack", WT_FAULT_STACK_OVERFLOW},
                                                              {"software", WT_FAULT_NONE},
                                                              {"access", WT_FAULT_ACCESS},
                                                              {"deadlock", WT_FAULT_DEADLOCK}};

static const struct {
    uint32_t bit;
    unsigned number;
    enum wt_fault_kind kind;
    const char *text;
} exceptions[] = {
    {GEN_SAVED_ILLEGAL, 28, WT_FAULT_ILLEGAL, "illegal instruction"},
    {GEN_SAVED_STACK, 27, WT_FAULT_STACK_OVERFLOW,
     "the stack's top (sp.0) would be beyond its limit (sp.1)"},
    {GEN_SAVED_SOFTWARE, 29, WT_FAULT_EXCEPTION, "software exception"},
};

enum wt_halt_cause genp_cause_of(uint32_t causes, bool step)
{
    if (causes & (GEN_SAVED_ILLEGAL | GEN_SAVED_STACK | GEN_SAVED_SOFTWARE))
        return WT_HALT_EXCEPTION;
    if (causes & GEN_SAVED_BREAKPOINT)
        return step ? WT_HALT_STEP : WT_HALT_BREAKPOINT;
    return WT_HALT_REQUEST;
}

void genp_describe_exception(const struct wt_standstill_row *common,
                             struct wt_probe_exception *exception)
{
    const struct genp_row *row = (const struct genp_row *)common;
    const uint64_t pc = genp_row_pc(row);
    *exception = (struct wt_probe_exception){.fault = {.pc = pc, .lanes = genp_channels(row)}};
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
        if (!(row->causes & exceptions[i].bit))
            continue;
        exception->fault.kind = exceptions[i].kind;
        exception->raised = (uint64_t)1 << i;
        snprintf(exception->fault.text, sizeof exception->fault.text,
                 "%s at 0x%llx (cr0.1 bit %u; cr0.2, AIP, is 0x%x)", exceptions[i].text,
                 (unsigned long long)pc, exceptions[i].number, (unsigned)row->saved.cr[2]);
        return;
    }
}
