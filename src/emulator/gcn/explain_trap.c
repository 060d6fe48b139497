/* The registers of a trap in words. See debug.h. */
#include "emulator/gcn/internal.h"
#include "emulator/gcn/know/operands.h"
#include "emulator/machine/softfloat.h"

#include <inttypes.h>
#include <stdio.h>

#define EXCEPTIONS 9

const char *const gcn_trap_register_names[GCN_TRAP_REGISTERS] = {
    [GCN_TRAP_TTMP0] = "TTMP0",   [GCN_TRAP_TTMP1] = "TTMP1",   [GCN_TRAP_TRAPSTS] = "TRAPSTS",
    [GCN_TRAP_MODE] = "MODE",     [GCN_TRAP_STATUS] = "STATUS", [GCN_TRAP_HW_ID] = "HW_ID",
    [GCN_TRAP_HW_ID1] = "HW_ID1", [GCN_TRAP_HW_ID2] = "HW_ID2",
};

/* By the bits of MODE.EXCP_EN and TRAPSTS.EXCP. */
static const char *const names[EXCEPTIONS] = {"invalid",  "denormal",   "float_div0",
                                              "overflow", "underflow",  "inexact",
                                              "int_div0", "addr_watch", "mem_viol"};

const char *gcn_exception_name(unsigned bit)
{
    return bit < EXCEPTIONS ? names[bit] : NULL;
}

static void list_exceptions(FILE *out, uint32_t bits)
{
    const char *comma = "";
    for (unsigned i = 0; i < EXCEPTIONS; i++) {
        if (!(bits >> i & 1))
            continue;
        fprintf(out, "%s%s", comma, names[i]);
        comma = ", ";
    }
    if (!*comma)
        fputs("none", out);
}

/* Of TRAPSTS, on a gfx942; other models leave them 0. */
static const struct {
    uint32_t bit;
    const char *text, *cause; /* CAUSE: NULL: TTMP1 has it */
} reasons[] = {
    {1 << 22, "the host's trap", NULL},
    {1 << 23, "the wave begins", "the wave's begin"},
    {1 << 24, "the wave ends", "the wave's end"},
    {1 << 25, "an instruction of a single step has been executed", "a single step"},
    {1 << 26, "a snapshot of performance counters", "a snapshot of performance counters"},
};

static bool is_gfx10(const struct gcn_trap_registers *r)
{
    return r->gfx10 || r->given & (1u << GCN_TRAP_HW_ID1 | 1u << GCN_TRAP_HW_ID2);
}

/* Why a wave is in its handler with trap number 0 and without HT. */
static const char *cause(const struct gcn_trap_registers *r)
{
    const bool known = r->given >> GCN_TRAP_TRAPSTS & 1, mode = r->given >> GCN_TRAP_MODE & 1;
    if (wt_field(r->value[GCN_TRAP_TTMP1], 28, 25))
        return "an exception";
    if (known && r->value[GCN_TRAP_TRAPSTS] & GCN_TRAPSTS_ILLEGAL)
        return "an illegal instruction";
    if (known && r->value[GCN_TRAP_TRAPSTS] & GCN_TRAPSTS_SAVECTX)
        return "a request to save the context";
    for (size_t i = 0; known && !is_gfx10(r) && i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].cause && r->value[GCN_TRAP_TRAPSTS] & reasons[i].bit)
            return reasons[i].cause;
    if (known && mode && r->value[GCN_TRAP_MODE] & GCN_MODE_DEBUG_EN)
        return "a single step";
    return "an illegal instruction, a single step, a request to save the context, or s_trap 0";
}

static void explain_origin(FILE *out, const struct gcn_trap_registers *r)
{
    const uint32_t ttmp1 = r->value[GCN_TRAP_TTMP1];
    const uint32_t id = wt_field(ttmp1, 23, 16), rewind = wt_field(ttmp1, 28, 25);
    fprintf(out, "TTMP1 = 0x%08" PRIx32 ": ", ttmp1);
    if (ttmp1 >> 24 & 1)
        fprintf(out, "the host's trap %" PRIu32, id);
    else if (id)
        fprintf(out, "s_trap %" PRIu32 "%s", id,
                id == 1   ? " (a breakpoint)"
                : id == 2 ? " (the program gave up: assert, abort or __builtin_trap)"
                : id == 3 ? " (a debug trap)"
                          : "");
    else
        fputs(cause(r), out);
    fprintf(out, ", PCRewind %" PRIu32 "\n", rewind);
    if (!(r->given & 1u << GCN_TRAP_TTMP0))
        return;
    const uint64_t pc = r->value[GCN_TRAP_TTMP0] | (uint64_t)(ttmp1 & 0xffff) << 32;
    fprintf(out, "TTMP0 = 0x%08" PRIx32 ": PC 0x%" PRIx64, r->value[GCN_TRAP_TTMP0], pc);
    if (rewind)
        fprintf(out, "; the instruction that raised it is at 0x%" PRIx64, pc - 4 * rewind);
    else if (id && !(ttmp1 >> 24 & 1))
        fputs(", of s_trap itself: handlers add 4", out);
    fputc('\n', out);
}

/* Of the 32 lanes that gfx10 executes at once: trap.c, note_cycle_gfx10(). */
static void explain_cycle_gfx10(FILE *out, uint32_t t)
{
    const uint32_t cycle = wt_field(t, 19, 16), groups = wt_field(t, 23, 20),
                   half = t >> 24 & 1 ? 32 : 0;
    if (t >> 29) {
        fprintf(out,
                "; floating point first in lanes %" PRIu32 "-%" PRIu32 " (DP_RATE %" PRIu32 ")",
                half + 2 * cycle, half + 2 * cycle + 1, t >> 29);
        return;
    }
    const char *separator = "; floating point first in lanes ";
    for (uint32_t i = 0; i < 4; i++)
        if (groups >> i & 1) {
            fprintf(out, "%s%" PRIu32 "-%" PRIu32, separator, half + 8 * i, half + 8 * i + 7);
            separator = ", ";
        }
}

static void explain_trapsts(FILE *out, const struct gcn_trap_registers *r)
{
    const uint32_t t = r->value[GCN_TRAP_TRAPSTS];
    const bool gfx10 = is_gfx10(r);
    fprintf(out, "TRAPSTS = 0x%08" PRIx32 ": raised since software cleared them: ", t);
    list_exceptions(out, t & 0x1ff);
    for (unsigned n = 0; n < GCN_WATCHES; n++)
        if (n ? t >> (11 + n) & 1 : t & GCN_TRAPSTS_ADDR_WATCH0)
            fprintf(out, "; address watch %u was hit", n);
    if (t & GCN_TRAPSTS_ILLEGAL)
        fputs("; an illegal instruction", out);
    if (t & GCN_TRAPSTS_SAVECTX)
        fputs("; the context is to be saved", out);
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0] && !gfx10; i++)
        if (t & reasons[i].bit)
            fprintf(out, "; %s", reasons[i].text);
    if (t >> 28 & 1)
        fputs(gfx10 ? "; an error of address translation" : "; an XNACK error", out);
    if (t & 0x7f && gfx10) {
        explain_cycle_gfx10(out, t);
    } else if (t & 0x7f) {
        const uint32_t cycle = wt_field(t, 21, 16), first = (cycle & 3) * 16;
        fprintf(out, "; floating point first in lanes %" PRIu32 "-%" PRIu32, first, first + 15);
        if (t >> 29)
            fprintf(out, ", lane %" PRIu32 " (DP_RATE %" PRIu32 ")",
                    first + (cycle >> 2 & 3) * 4 + (cycle >> 4 & 3), t >> 29);
    }
    fputc('\n', out);
}

static void explain_mode(FILE *out, const struct gcn_trap_registers *r)
{
    const uint32_t mode = r->value[GCN_TRAP_MODE];
    fprintf(out, "MODE = 0x%08" PRIx32 ": EXCP_EN ", mode);
    list_exceptions(out, wt_field(mode, 20, 12));
    fputs(mode & GCN_MODE_DEBUG_EN ? "; single step (DEBUG_EN)" : "", out);
    fputs(mode >> 21 & 1 ? "; a trap at the wave's end (TRAP_ON_END)\n" : "\n", out); /* gfx942 */
}

static void explain_status(FILE *out, const struct gcn_trap_registers *r)
{
    static const struct {
        uint32_t bit;
        const char *text;
    } bits[] = {
        {GCN_STATUS_PRIV, "in the trap handler (PRIV)"},
        {GCN_STATUS_TRAP_EN, "there is a handler (TRAP_EN)"},
        {GCN_STATUS_HALT, "halted (HALT)"},
        {GCN_STATUS_FATAL_HALT, "halted for good (FATAL_HALT)"},
        {1 << 12, "waits at s_barrier (IN_BARRIER)"},
        {1 << 9, "no lane executes (EXECZ)"},
        {1 << 17, "an ECC error (ECC_ERR)"},
    };
    const uint32_t status = r->value[GCN_TRAP_STATUS];
    const char *separator = ": ";
    fprintf(out, "STATUS = 0x%08" PRIx32, status);
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        if (!(status & bits[i].bit))
            continue;
        fprintf(out, "%s%s", separator, bits[i].text);
        separator = "; ";
    }
    fputc('\n', out);
}

static void explain_hw_id(FILE *out, const struct gcn_trap_registers *r)
{
    const uint32_t id = r->value[GCN_TRAP_HW_ID];
    fprintf(out,
            "HW_ID = 0x%08" PRIx32 ": shader engine %" PRIu32 ", array %" PRIu32
            ", compute unit %" PRIu32 ", SIMD %" PRIu32 ", wave %" PRIu32 "; VMID %" PRIu32
            ", queue %" PRIu32 "\n",
            id, wt_field(id, 15, 13), wt_field(id, 12, 12), wt_field(id, 11, 8), wt_field(id, 5, 4),
            wt_field(id, 3, 0), wt_field(id, 23, 20), wt_field(id, 26, 24));
}

static void explain_hw_id1(FILE *out, const struct gcn_trap_registers *r)
{
    const uint32_t id = r->value[GCN_TRAP_HW_ID1];
    fprintf(out,
            "HW_ID1 = 0x%08" PRIx32 ": shader engine %" PRIu32 ", array %" PRIu32
            ", work-group processor %" PRIu32 ", SIMD %" PRIu32 " of its four, wave %" PRIu32 "\n",
            id, wt_field(id, 20, 18), wt_field(id, 16, 16), wt_field(id, 13, 10),
            wt_field(id, 9, 8), wt_field(id, 4, 0));
}

static void explain_hw_id2(FILE *out, const struct gcn_trap_registers *r)
{
    const uint32_t id = r->value[GCN_TRAP_HW_ID2];
    fprintf(out,
            "HW_ID2 = 0x%08" PRIx32 ": VMID %" PRIu32 ", pipe %" PRIu32 ", queue %" PRIu32
            ", work-group slot %" PRIu32 "\n",
            id, wt_field(id, 27, 24), wt_field(id, 5, 4), wt_field(id, 3, 0), wt_field(id, 20, 16));
}

void gcn_explain_trap(FILE *out, const struct gcn_trap_registers *r)
{
    static void (*const explain[])(FILE *, const struct gcn_trap_registers *) = {
        [GCN_TRAP_TTMP1] = explain_origin,  [GCN_TRAP_TRAPSTS] = explain_trapsts,
        [GCN_TRAP_MODE] = explain_mode,     [GCN_TRAP_STATUS] = explain_status,
        [GCN_TRAP_HW_ID] = explain_hw_id,   [GCN_TRAP_HW_ID1] = explain_hw_id1,
        [GCN_TRAP_HW_ID2] = explain_hw_id2,
    };
    assert(out && r);
    for (unsigned i = 0; i < GCN_TRAP_REGISTERS; i++)
        if (explain[i] && r->given >> i & 1)
            explain[i](out, r);
}

bool gcn_wave_trap_registers(struct gcn_device *d, uint32_t wave, struct gcn_trap_registers *r)
{
    assert(r);
    if (wave >= d->machine.waves || !d->wave[wave].active)
        return false;
    const struct gcn_wave *w = &d->wave[wave];
    *r = (struct gcn_trap_registers){.given = (1u << GCN_TRAP_REGISTERS) - 1,
                                     .gfx10 = gcn_is_gfx10(gcn_model_of(d))};
    if (!w->tba) /* it can never have trapped */
        r->given &= ~(1u << GCN_TRAP_TTMP0 | 1u << GCN_TRAP_TTMP1);
    r->value[GCN_TRAP_TTMP0] = w->s[GCN_TTMP];
    r->value[GCN_TRAP_TTMP1] = w->s[GCN_TTMP + 1];
    r->value[GCN_TRAP_TRAPSTS] = w->trapsts;
    r->value[GCN_TRAP_MODE] = w->mode;
    r->value[GCN_TRAP_STATUS] = gcn_status(w);
    static const uint8_t number[GCN_TRAP_REGISTERS] = {
        [GCN_TRAP_HW_ID] = 4, [GCN_TRAP_HW_ID1] = 23, [GCN_TRAP_HW_ID2] = 24};
    for (unsigned i = GCN_TRAP_HW_ID; i < GCN_TRAP_REGISTERS; i++)
        if (!gcn_wave_hwreg(d, wave, number[i], &r->value[i])) /* the model has none */
            r->given &= ~(1u << i);
    return true;
}

void gcn_explain_exception(FILE *out, struct gcn_device *d, const struct wt_fault *fault,
                           bool taken)
{
    const struct gcn_wave *w = &d->wave[fault->wave];
    const uint32_t trapsts = w->trapsts, watched = trapsts & (7u << 12) ? 1u << 7 : 0;
    const uint32_t enabled = wt_field(w->mode, 20, 12), raised = (trapsts | watched) & enabled;
    if (!w->active || !raised)
        return;
    const struct gcn_raise *r = d->raise ? &d->raise[fault->wave] : NULL;
    const bool noted = r && r->time == fault->time;
    fputs("  ", out);
    list_exceptions(out, raised);
    if (fault->lanes)
        fprintf(out, " in lane %d", __builtin_ctzll(fault->lanes));
    fprintf(out, "; TRAPSTS 0x%08" PRIx32 ", MODE.EXCP_EN ", trapsts);
    list_exceptions(out, enabled);
    if (noted || !taken)
        fprintf(out, "; %sPCRewind %" PRIu64, taken ? "" : "a handler would find ",
                noted ? r->rewind : (w->pc - fault->pc) / 4);
    fputc('\n', out);
    if (noted && *r->operands)
        fprintf(out, "  operands in that lane: %s\n", r->operands);
}

void gcn_operand_text(const struct gcn_uop *u, unsigned source, char type, uint64_t value,
                      char *text, size_t size)
{
    struct wt_fp fp = {0};
    char name[24];
    union {
        uint64_t bits;
        double number;
    } wide = {value};
    union {
        uint32_t bits;
        float number;
    } single = {(uint32_t)value};
    const char *minus = u->neg >> source & 1 ? "-" : "", *bar = u->abs >> source & 1 ? "|" : "";
    assert(source < 3 && text);
    *name = 0;
    if (u->src[source] >= GCN_VGPR)
        snprintf(name, sizeof name, "v%u", u->src[source] - GCN_VGPR);
    else if (u->src[source] < GCN_INLINE)
        gcn_scalar_name(u->src[source], type == 'F' || type == 'U' ? 2 : 1, name, sizeof name);
    else if (u->src[source] == GCN_SCC)
        snprintf(name, sizeof name, "scc");
    if (!*name)
        minus = bar = "";
    int n = snprintf(text, size, "%s%s%s%s%s", minus, bar, name, bar, *name ? " = " : "");
    if (n < 0 || (size_t)n >= size)
        return;
    text += n, size -= (size_t)n;
    if (type == 'h')
        single.bits = wt_f16_to_f32((uint16_t)value, &fp);
    if (type == 'F')
        snprintf(text, size, "%.17g (0x%016" PRIx64 ")", wide.number, value);
    else if (type == 'f')
        snprintf(text, size, "%.9g (0x%08" PRIx64 ")", (double)single.number, value);
    else if (type == 'h')
        snprintf(text, size, "%.5g (0x%04" PRIx64 ")", (double)single.number, value);
    else
        snprintf(text, size, "0x%" PRIx64, value);
}
