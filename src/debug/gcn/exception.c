/* The reasons why a wave has stopped, and exceptions as text. */
#include "debug/gcn/internal.h"

#include <stdio.h>
#include <string.h>

enum {
    TRAPSTS_EXCP = 0x1ff,
    TRAPSTS_MEM_VIOL = 1 << 8,
    TRAPSTS_ILLEGAL = 1 << 11,
    TRAPSTS_WATCH = 1 << 7 | 7 << 12,
    TRAPSTS_CYCLE_SHIFT = 16,
};

/* The bits of MODE.EXCP_EN and TRAPSTS.EXCP in their order. Address watches are left out: their
 * stops are reported as watchpoints. The other exceptions follow. */
enum { MATH_EXCEPTIONS = 7, MEM_VIOL = MATH_EXCEPTIONS, ILLEGAL };
const struct wt_exception gcnp_exceptions[GCNP_EXCEPTIONS] = {
    {"invalid", WT_FAULT_NONE},      {"denormal", WT_FAULT_NONE},   {"float_div0", WT_FAULT_NONE},
    {"overflow", WT_FAULT_NONE},     {"underflow", WT_FAULT_NONE},  {"inexact", WT_FAULT_NONE},
    {"int_div0", WT_FAULT_NONE},     {"mem_viol", WT_FAULT_ACCESS}, {"illegal", WT_FAULT_ILLEGAL},
    {"deadlock", WT_FAULT_DEADLOCK},
};

static uint32_t rewind_of(const struct gcnp_row *row)
{
    return row->ttmp[1] >> KFD_TTMP1_REWIND_SHIFT & 15;
}

enum wt_halt_cause gcnp_cause_of(const struct gcnp_row *row)
{
    const uint32_t trap = row->ttmp[6] >> KFD_TTMP6_TRAP_SHIFT & 15;
    if (!(row->ttmp[6] & KFD_TTMP6_STOPPED) || row->ttmp[1] & KFD_TTMP1_HOST_TRAP)
        return WT_HALT_REQUEST;
    if (trap)
        return WT_HALT_BREAKPOINT;
    const uint32_t trapsts = row->hw[KFD_HW_TRAPSTS];
    const uint32_t others = trapsts & (TRAPSTS_EXCP & ~(uint32_t)TRAPSTS_WATCH) &
                            (row->hw[gcnp_mode(row)] >> 12 | TRAPSTS_MEM_VIOL);
    if (rewind_of(row) && trapsts & TRAPSTS_WATCH && !others)
        return WT_HALT_WATCH;
    if (rewind_of(row) || trapsts & (TRAPSTS_ILLEGAL | TRAPSTS_MEM_VIOL))
        return WT_HALT_EXCEPTION;
    return WT_HALT_STEP;
}

/* The exceptions in TRAPSTS that are enabled for this wave, as text. */
static void name_exceptions(uint32_t trapsts, uint32_t mode, char *text, size_t size)
{
    static const char *const name[] = {
        "invalid operation", "denormal source", "division by zero",         "overflow",
        "underflow",         "inexact result",  "integer division by zero",
    };
    size_t used = 0;
    const uint32_t raised = trapsts & TRAPSTS_EXCP & mode >> 12;
    text[0] = 0;
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
        if (raised >> i & 1 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name[i]);
}

uint32_t gcnp_code_of(const struct gcnp_row *row)
{
    if (row->aborts)
        return KFD_EC_QUEUE_WAVE_ABORT;
    if (row->hw[KFD_HW_TRAPSTS] & TRAPSTS_MEM_VIOL)
        return KFD_EC_QUEUE_WAVE_MEMORY_VIOLATION;
    return rewind_of(row) ? KFD_EC_QUEUE_WAVE_MATH_ERROR : KFD_EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION;
}

void gcnp_describe_exception(const struct wt_standstill_row *common,
                             struct wt_probe_exception *exception)
{
    const struct gcnp_row *row = (const struct gcnp_row *)common;
    const uint64_t pc = gcnp_row_pc(row) - 4 * rewind_of(row);
    char names[128];
    *exception = (struct wt_probe_exception){.fault = {.pc = pc, .lanes = gcnp_row_exec(row)}};
    struct wt_fault *fault = &exception->fault;
    switch (gcnp_code_of(row)) {
    case KFD_EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION:
        fault->kind = WT_FAULT_ILLEGAL;
        exception->raised = 1 << ILLEGAL;
        snprintf(fault->text, sizeof fault->text,
                 "illegal instruction at 0x%llx (TRAPSTS.ILLEGAL_INST)", (unsigned long long)pc);
        return;
    case KFD_EC_QUEUE_WAVE_MEMORY_VIOLATION:
        fault->kind = WT_FAULT_ACCESS;
        exception->raised = 1 << MEM_VIOL;
        snprintf(
            fault->text, sizeof fault->text,
            "memory violation (TRAPSTS.MEM_VIOL) by the instruction at 0x%llx or one before it",
            (unsigned long long)pc);
        return;
    default:
        name_exceptions(row->hw[KFD_HW_TRAPSTS], row->hw[gcnp_mode(row)], names, sizeof names);
        fault->kind = WT_FAULT_EXCEPTION;
        exception->raised =
            row->hw[KFD_HW_TRAPSTS] & row->hw[gcnp_mode(row)] >> 12 & ((1 << MATH_EXCEPTIONS) - 1);
        snprintf(fault->text, sizeof fault->text,
                 "%s by the instruction at 0x%llx, which MODE.EXCP_EN makes an exception (the PC "
                 "is after it)",
                 *names ? names : "an exception", (unsigned long long)pc);
        return;
    }
}

bool gcnp_gives_up(struct wt_probe *p, uint32_t wave, char *text, size_t size)
{
    struct gcnp_row *row = gcnp_row(p, wave);
    row->aborts = row->traps_to_abort;
    if (row->aborts)
        snprintf(text, size,
                 "s_trap 2 at 0x%llx: the program gave up (assert, abort or __builtin_trap)",
                 (unsigned long long)gcnp_row_pc(row));
    return row->aborts;
}
