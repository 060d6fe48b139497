/*
 * The trap unit: BPT, warp errors, entry of the trap handler and return from it, pauses, the stop
 * and run triggers. docs/sm-trap.md has the rules, their source and the table of those that no
 * public source settles.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emulator/sm/internal.h"

/* Those that nothing here makes are told as well: a word may come from a real GPU. */
const char *const sm_error_names[] = {
    "none",
    [SM_STACK_ERROR] = "STACK_ERROR",
    [SM_API_STACK_ERROR] = "API_STACK_ERROR",
    [SM_RET_EMPTY_STACK_ERROR] = "RET_EMPTY_STACK_ERROR",
    [SM_PC_WRAP] = "PC_WRAP",
    [SM_MISALIGNED_PC] = "MISALIGNED_PC",
    [SM_PC_OVERFLOW] = "PC_OVERFLOW",
    [SM_MISALIGNED_IMMC_ADDR] = "MISALIGNED_IMMC_ADDR",
    [SM_MISALIGNED_REG] = "MISALIGNED_REG",
    [SM_ILLEGAL_INSTR_ENCODING] = "ILLEGAL_INSTR_ENCODING",
    [0x0a] = "ILLEGAL_SPH_INSTR_COMBO",
    [SM_ILLEGAL_INSTR_PARAM] = "ILLEGAL_INSTR_PARAM",
    [SM_INVALID_CONST_ADDR] = "INVALID_CONST_ADDR",
    [SM_OOR_REG] = "OOR_REG",
    [SM_OOR_ADDR] = "OOR_ADDR",
    [SM_MISALIGNED_ADDR] = "MISALIGNED_ADDR",
    [SM_INVALID_ADDR_SPACE] = "INVALID_ADDR_SPACE",
    [0x11] = "ILLEGAL_INSTR_PARAM2",
    [SM_INVALID_CONST_ADDR_LDC] = "INVALID_CONST_ADDR_LDC",
    [0x13] = "GEOMETRY_SM_ERROR",
    [0x14] = "DIVERGENT",
    [0x15] = "WARP_EXIT",
    [0x16] = "STACK_OVERFLOW",
    [0x17] = "MMU_FAULT",
    NULL,
};

const char *sm_error_name(uint32_t code)
{
    const size_t count = sizeof sm_error_names / sizeof sm_error_names[0] - 1;
    return code == SM_L1_ERROR ? "L1_ERROR" : code && code < count ? sm_error_names[code] : "error";
}

static enum wt_fault_kind kind_of(uint32_t code)
{
    switch (code) {
    case SM_STACK_ERROR:
    case SM_RET_EMPTY_STACK_ERROR:
        return WT_FAULT_STACK_UNDERFLOW;
    case SM_API_STACK_ERROR:
        return WT_FAULT_STACK_OVERFLOW;
    case SM_MISALIGNED_PC:
    case SM_MISALIGNED_ADDR:
    case SM_MISALIGNED_IMMC_ADDR:
        return WT_FAULT_MISALIGNED;
    case SM_ILLEGAL_INSTR_ENCODING:
    case SM_ILLEGAL_INSTR_PARAM:
    case SM_MISALIGNED_REG:
    case SM_OOR_REG:
        return WT_FAULT_ILLEGAL;
    default:
        return WT_FAULT_ACCESS;
    }
}

static uint64_t bit_of(const struct sm_warp *w)
{
    return (uint64_t)1 << w->id % SM_WARPS;
}

/* Notifies the CPU: the run returns with WT_RUN_EVENT. An access to a register between two runs
 * leaves no event: the next run would return at once, without an issue. */
static void notify(struct sm_device *d, uint32_t sm)
{
    d->unit[sm].interrupts++;
    d->machine.event |= d->machine.in_turn;
}

/* Sets bits of the global ESR; those that the report mask has raise an interrupt. */
static void raise_global(struct sm_device *d, uint32_t sm, uint32_t bits)
{
    struct sm_unit *unit = &d->unit[sm];
    unit->global_esr |= bits;
    if (bits & unit->global_report)
        notify(d, sm);
}

/* ---- trap mode ---- */

static void pause_warp(struct sm_warp *w, enum sm_pause how)
{
    struct sm_unit *unit = sm_unit_of(w);
    w->paused = (uint8_t)how;
    unit->pause_mask |= bit_of(w);
    sm_update_ready(w);
}

/* A warp that waits at a barrier comes to it again when it returns. */
void sm_leave_barrier(struct sm_warp *w)
{
    w->stepped = false;
    if (w->device->grid.launch.rows)
        w->device->code_ops->leave_barriers(w);
    if (!w->at_barrier)
        return;
    struct sm_barrier *b = &w->cta->barrier[w->at_barrier - 1];
    assert(b->arrived);
    if (--b->arrived == 0)
        *b = (struct sm_barrier){0};
    w->at_barrier = 0;
    w->pc = w->wait_pc;
}

/*
 * A trap event: all warps of the SM that are not in the handler enter it before their next
 * instruction. Where no handler is installed, the trap unit pauses them there: it is as if the
 * handler consisted of BPT.PAUSE and RTT, but that a warp at a barrier need not leave it. A run
 * that a debugger stops and resumes issues what it would have issued without, therefore.
 */
static void trap_event(struct sm_device *d, uint32_t sm)
{
    struct sm_unit *unit = &d->unit[sm];
    if (!unit->in_trap)
        unit->loud = false;
    unit->in_trap = true;
    if (unit->stop_any_warp)
        unit->stop = true;
    for (uint32_t i = 0; i < SM_WARPS; i++) {
        struct sm_warp *w = &d->warp[sm * SM_WARPS + i];
        if (!w->active || w->trapped || w->must_enter || w->paused)
            continue;
        if (d->handler) {
            sm_leave_barrier(w);
            w->must_enter = true;
            sm_update_ready(w);
        } else {
            unit->loud = true;
            pause_warp(w, SM_PAUSED);
        }
    }
}

/* A trap event of an SM, and of the others that are to stop with any. */
static void trap_events(struct sm_device *d, uint32_t sm)
{
    trap_event(d, sm);
    for (uint32_t i = 0; i < d->config.sms; i++) {
        if (i == sm || !d->unit[i].stop_any_sm || d->unit[i].stop)
            continue;
        d->unit[i].stop = true;
        trap_event(d, i);
    }
}

/* Without a handler the trap unit pauses new warps as it does others. So a debugger does not change
 * which place a block has, and when. */
bool sm_trap_holds_blocks(const struct sm_device *d, uint32_t sm)
{
    return d->handler && (d->unit[sm].in_trap || d->unit[sm].stop);
}

void sm_trap_warp_begins(struct sm_warp *w)
{
    if (sm_unit_of(w)->stop)
        pause_warp(w, SM_PAUSED);
}

/* Whether a warp of the SM is in the handler, on its way to it, or paused. */
static bool is_inside(const struct sm_warp *w)
{
    return w->trapped || w->must_enter || w->paused;
}

void sm_trap_settle(struct sm_device *d, uint32_t sm)
{
    struct sm_unit *unit = &d->unit[sm];
    bool inside = false, all_quiet = true, any = false;
    if (!unit->in_trap)
        return;
    for (uint32_t i = 0; i < SM_WARPS; i++) {
        const struct sm_warp *w = &d->warp[sm * SM_WARPS + i];
        if (!w->active)
            continue;
        any = true;
        inside = inside || is_inside(w);
        all_quiet = all_quiet && w->paused == SM_PAUSED_QUIET;
    }
    if (unit->stop || (inside && !(any && all_quiet && !unit->loud)))
        return;
    unit->in_trap = false;
    unit->loud = false;
    wt_groups_pump(&d->machine);
}

/* Enters the handler; the warp returns to pc with the lanes that are active now. */
static bool enter(struct sm_warp *w, uint64_t pc)
{
    assert(!w->trapped && w->device->handler);
    w->must_enter = false;
    if (!sm_push(w, SM_ENTRY_TRAP, w->mask, pc)) {
        const struct wt_fault fault = {
            .kind = WT_FAULT_STACK_OVERFLOW,
            .wave = w->id,
            .lanes = w->mask,
            .pc = pc,
            .text = "PHYSICAL_STACK_OVERFLOW: the call-return stack has no room for a trap"};
        raise_global(w->device, w->id / SM_WARPS, SM_GESR_STACK_OVERFLOW);
        sm_fault(w, &fault);
        return false;
    }
    w->trapped = true;
    w->clean = false; /* the handler is machine code */
    w->stepped = false;
    w->pc = w->device->handler;
    return true;
}

/* ---- errors ---- */

/*
 * An error arrives; the warp would go on at pc. False: the launch has ended, else the warp's pc
 * says where it goes on, and whether it runs.
 */
static bool arrive(struct sm_warp *w, uint32_t code, const struct wt_fault *fault, uint64_t pc,
                   bool late)
{
    struct sm_device *d = w->device;
    struct sm_unit *unit = sm_unit_of(w);
    const uint32_t sm = w->id / SM_WARPS;
    w->pc = pc;
    if (code == SM_L1_ERROR) {
        raise_global(d, sm, SM_GESR_L1_ERROR);
        if (!(unit->global_report & SM_GESR_L1_ERROR))
            return true;
        w->error = *fault;
        w->marked = true;
    } else {
        if (!(unit->warp_report >> code & 1))
            return true; /* not reported: as if it had not happened */
        if (w->esr & SM_WESR_ERROR)
            raise_global(d, sm, SM_GESR_MULTIPLE_WARP_ERRORS);
        w->esr = (w->esr & ~(uint32_t)SM_WESR_ERROR) | code;
        w->esr_pc = fault->pc;
        w->error = *fault;
        w->marked = true;
        notify(d, sm);
    }
    if (w->trapped && late) /* an error of the program: the handler that runs sees it in the ESR */
        return true;
    if (w->trapped || (!d->handler && !unit->debugger)) {
        sm_fault(w, fault);
        return false;
    }
    w->step = w->stepped = false; /* it has ended otherwise */
    trap_events(d, sm);
    return d->handler ? enter(w, pc) : true;
}

/* Goes on where w->pc says, in the same turn where there is something left of it. */
static const struct sm_uop *go_on(struct sm_warp *w)
{
    if (!sm_trap_runs(w) || !w->active) {
        wt_yield_turn(&w->device->machine);
        return NULL;
    }
    return sm_jump(w, w->pc);
}

const struct sm_uop *sm_error(struct sm_warp *w, const struct sm_uop *u, uint32_t code,
                              uint32_t lanes, uint64_t addr, const char *format, ...)
{
    struct sm_device *d = w->device;
    const char *name = code == SM_ASSERT ? "ASSERT" : sm_error_name(code);
    code &= SM_WESR_ERROR;
    if (w->fresh)
        d->code_ops->settle(w, sm_pc_of(w, u));
    if (w->opens)
        d->code_ops->settle_frame(w, sm_pc_of(w, u));
    struct wt_fault fault = {.kind = kind_of(code),
                             .wave = w->id,
                             .id = wt_machine_wave_id(&d->machine, w->id),
                             .lanes = lanes,
                             .pc = sm_pc_of(w, u),
                             .addr = addr,
                             .time = sm_now(w)};
    const unsigned delay = code == SM_L1_ERROR ? d->config.memory_delay : d->config.error_delay;
    snprintf(fault.name, sizeof fault.name, "%s", name);
    const int used = snprintf(fault.text, sizeof fault.text, "%s: ", name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault.text + used, sizeof fault.text - (size_t)used, format, arguments);
    va_end(arguments);
    if (!delay || w->trapped) {
        if (!arrive(w, code, &fault, fault.pc, false))
            return NULL;
        /* Where nobody reports it, the instruction is skipped. */
        if (w->pc == fault.pc && !w->paused)
            return sm_next(u);
        return go_on(w);
    }
    const bool of_memory = code == SM_L1_ERROR;
    if (w->late_code[of_memory]) {
        raise_global(d, w->id / SM_WARPS, SM_GESR_MULTIPLE_WARP_ERRORS);
    } else {
        w->late_code[of_memory] = (uint8_t)code;
        w->marked = true;
        w->late[of_memory] = (struct sm_late){
            .due = w->issued + (d->machine.slice - w->left) + delay, .fault = fault};
    }
    wt_end_turn(&d->machine, &w->left);
    return sm_next(u);
}

/*
 * A jump has led to where no instruction can be: the PC is no multiple of 8, or beyond the address
 * space. No instruction is there that could be skipped, so the error is never late, and ends the
 * launch where nobody reports it.
 */
const struct sm_uop *sm_op_nowhere(struct sm_warp *w, const struct sm_uop *u)
{
    const uint32_t code = w->pc % 8 ? SM_MISALIGNED_PC : SM_PC_WRAP;
    struct wt_fault fault = {.kind = kind_of(code),
                             .wave = w->id,
                             .id = wt_machine_wave_id(&w->device->machine, w->id),
                             .lanes = w->mask,
                             .pc = w->pc,
                             .addr = w->pc,
                             .time = sm_now(w)};
    snprintf(fault.name, sizeof fault.name, "%s", sm_error_name(code));
    if (code == SM_MISALIGNED_PC)
        snprintf(fault.text, sizeof fault.text, "MISALIGNED_PC: jump to 0x%llx, no multiple of 8",
                 (unsigned long long)w->pc);
    else
        snprintf(fault.text, sizeof fault.text,
                 "PC_WRAP: jump to 0x%llx, out of the address space of 48 bits",
                 (unsigned long long)w->pc);
    const bool reported = sm_unit_of(w)->warp_report >> code & 1;
    if (!reported)
        sm_fault(w, &fault);
    if (!reported || !arrive(w, code, &fault, w->pc, false))
        return NULL;
    if (!sm_trap_runs(w))
        wt_yield_turn(&w->device->machine);
    return sm_trap_runs(w) && w->left ? sm_fetch(w, w->pc) : NULL;
}

/* Takes a late error. False: the launch has ended. */
static bool take_late(struct sm_warp *w, unsigned i)
{
    const uint32_t code = w->late_code[i];
    struct wt_fault fault = w->late[i].fault;
    w->late_code[i] = 0;
    w->late[i] = (struct sm_late){0};
    const size_t used = strlen(fault.text);
    snprintf(fault.text + used, sizeof fault.text - used, " (imprecise: the warp is at 0x%llx)",
             (unsigned long long)w->pc);
    return arrive(w, code, &fault, w->pc, true);
}

bool sm_trap_before_turn(struct sm_warp *w, uint64_t *n)
{
    if (w->must_enter && !enter(w, w->pc))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const struct sm_late *late = &w->late[i];
        if (!w->late_code[i])
            continue;
        if (w->issued >= late->due) {
            if (!take_late(w, i))
                return false;
        } else if (late->due - w->issued < *n) {
            *n = late->due - w->issued;
        }
    }
    if (w->step && !w->trapped)
        *n = 1;
    return true;
}

bool sm_trap_before_exit(struct sm_warp *w, const struct sm_uop *u)
{
    for (unsigned i = 0; i < 2; i++) {
        if (!w->late_code[i] || w->trapped)
            continue;
        w->pc = sm_pc_of(w, u);
        wt_not_issued(&w->device->machine);
        take_late(w, i);
        wt_yield_turn(&w->device->machine);
        return false;
    }
    return true;
}

/* ---- BPT ---- */

const struct sm_uop *sm_op_bpt_illegal(struct sm_warp *w, const struct sm_uop *u)
{
    return sm_error(w, u, SM_ILLEGAL_INSTR_ENCODING, w->mask, 0, "%s",
                    sm_rows[u->insn].text[5] == 'C' ? "BPT.CAL" : "BPT.DRAIN_ILLEGAL");
}

/* Takes BPT.TRAP n; the warp returns to pc. Returns as arrive() does. */
static bool take_trap(struct sm_warp *w, unsigned n, uint64_t pc, uint64_t at)
{
    struct sm_device *d = w->device;
    struct sm_unit *unit = sm_unit_of(w);
    if (!d->handler && !unit->debugger) {
        struct wt_fault fault = {.kind = WT_FAULT_TRAP, .wave = w->id, .lanes = w->mask, .pc = at};
        snprintf(fault.text, sizeof fault.text, "BPT.TRAP 0x%x, and there is no trap handler", n);
        w->pc = at;
        sm_fault(w, &fault);
        return false;
    }
    w->pc = pc;
    w->step = w->stepped = false; /* it has ended otherwise */
    w->esr = (w->esr & ~(uint32_t)SM_WESR_TRAP) | n << SM_WESR_TRAP_SHIFT;
    w->esr_pc = pc;
    unit->trap_mask |= bit_of(w);
    raise_global(d, w->id / SM_WARPS, 1u << (SM_GESR_TRAP_SHIFT + n));
    trap_events(d, w->id / SM_WARPS);
    return d->handler ? enter(w, pc) : true;
}

/* A trap instruction takes BPT.TRAP n. Where the trap unit pauses the warp itself, it has not been
 * issued: a run has the same issue times with a debugger's breakpoints and without. */
static const struct sm_uop *take_trap_at(struct sm_warp *w, unsigned n, uint64_t at)
{
    if (!take_trap(w, n, sm_next_pc(at), at))
        return NULL;
    if (w->paused)
        wt_not_issued(&w->device->machine);
    return go_on(w);
}

const struct sm_uop *sm_take_program_trap(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes,
                                          const char *name)
{
    const uint64_t pc = sm_pc_of(w, u);
    if (!w->device->handler && !sm_unit_of(w)->debugger) {
        struct wt_fault fault = {.kind = WT_FAULT_TRAP, .wave = w->id, .lanes = lanes, .pc = pc};
        snprintf(fault.text, sizeof fault.text, "%s (BPT.TRAP 0x1), and there is no trap handler",
                 name);
        w->pc = pc;
        sm_fault(w, &fault);
        return NULL;
    }
    if (w->masked) {
        w->pending_traps |= 1u << 1;
        return sm_next(u);
    }
    return take_trap_at(w, 1, pc);
}

const struct sm_uop *sm_op_bpt_trap(struct sm_warp *w, const struct sm_uop *u)
{
    const unsigned n = (unsigned)sm_bits(u->word, 20, 20);
    if (n > 7)
        return sm_error(w, u, SM_ILLEGAL_INSTR_ENCODING, w->mask, 0,
                        "BPT.TRAP 0x%x: the immediate has 3 bits", n);
    if (!n)
        return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, w->mask, 0, "BPT.TRAP 0x0");
    if (w->trapped && n == 7) {
        const struct wt_fault fault = {.kind = WT_FAULT_TRAP,
                                       .wave = w->id,
                                       .lanes = w->mask,
                                       .pc = sm_pc_of(w, u),
                                       .text = "BPT.TRAP 0x7 in the trap handler"};
        w->pc = fault.pc;
        sm_fault(w, &fault);
        return NULL;
    }
    if (n != 7 && (w->masked || w->trapped)) {
        w->pending_traps |= (uint8_t)(1u << n);
        return sm_next(u);
    }
    const uint64_t pc = sm_pc_of(w, u);
    return take_trap_at(w, n, pc);
}

/* A trap that waited while traps were masked. */
static const struct sm_uop *take_pending(struct sm_warp *w, uint64_t pc, uint64_t at)
{
    const unsigned n = (unsigned)__builtin_ctz(w->pending_traps);
    w->pending_traps &= (uint8_t)(w->pending_traps - 1);
    return take_trap(w, n, pc, at) ? go_on(w) : NULL;
}

const struct sm_uop *sm_op_bpt_int(struct sm_warp *w, const struct sm_uop *u)
{
    raise_global(w->device, w->id / SM_WARPS, SM_GESR_BPT_INT);
    wt_end_turn(&w->device->machine, &w->left);
    return sm_next(u);
}

const struct sm_uop *sm_op_bpt_drain(struct sm_warp *w, const struct sm_uop *u)
{
    if (!w->late_code[0])
        return sm_next(u);
    w->pc = sm_next_pc(sm_pc_of(w, u));
    return take_late(w, 0) ? go_on(w) : NULL;
}

static const struct sm_uop *pause(struct sm_warp *w, const struct sm_uop *u, enum sm_pause how)
{
    struct sm_device *d = w->device;
    const uint32_t sm = w->id / SM_WARPS;
    if (!w->trapped)
        return sm_error(w, u, SM_ILLEGAL_INSTR_ENCODING, w->mask, 0,
                        "BPT.%s outside the trap handler",
                        how == SM_PAUSED ? "PAUSE" : "PAUSE_QUIET");
    w->pc = sm_next_pc(sm_pc_of(w, u));
    pause_warp(w, how);
    if (how == SM_PAUSED) {
        d->unit[sm].loud = true;
        d->unit[sm].global_esr |= SM_GESR_BPT_PAUSE;
        notify(d, sm); /* whatever the report mask says */
    }
    sm_trap_settle(d, sm);
    wt_yield_turn(&d->machine);
    return NULL;
}

const struct sm_uop *sm_op_bpt_pause(struct sm_warp *w, const struct sm_uop *u)
{
    return pause(w, u, SM_PAUSED);
}

const struct sm_uop *sm_op_bpt_pause_quiet(struct sm_warp *w, const struct sm_uop *u)
{
    return pause(w, u, SM_PAUSED_QUIET);
}

/* ---- the handler's instructions ---- */

const struct sm_uop *sm_op_ide(struct sm_warp *w, const struct sm_uop *u)
{
    w->masked = SM_FIELD(u->word, ide5);
    if (w->masked || w->trapped || !w->pending_traps)
        return sm_next(u);
    const uint64_t pc = sm_pc_of(w, u);
    return take_pending(w, sm_next_pc(pc), pc);
}

static const struct sm_uop *not_in_handler(struct sm_warp *w, const struct sm_uop *u)
{
    char name[24];
    sm_mnemonic((enum sm_insn)u->insn, name, sizeof name);
    return sm_error(w, u, SM_ILLEGAL_INSTR_ENCODING, w->mask, 0, "%s outside the trap handler",
                    name);
}

struct sm_entry *sm_trap_entry(struct sm_warp *w)
{
    uint32_t at = w->depth;
    while (at && w->stack[at - 1].kind != SM_ENTRY_TRAP)
        at--;
    return at ? &w->stack[at - 1] : NULL;
}

enum { RTT_TERMINATE = 1, RTT_FALLTHROUGH, RTT_PREEMPTED };

const struct sm_uop *sm_op_rtt(struct sm_warp *w, const struct sm_uop *u)
{
    struct sm_device *d = w->device;
    struct sm_unit *unit = sm_unit_of(w);
    const uint32_t sm = w->id / SM_WARPS;
    const unsigned how = SM_FIELD(u->word, rtt0);
    const struct sm_entry *entry = sm_trap_entry(w);
    if (!w->trapped)
        return not_in_handler(w, u);
    if (!entry)
        return sm_error(w, u, SM_STACK_ERROR, w->mask, 0,
                        "RTT, and the call-return stack has no entry of the trap");
    if (how == RTT_PREEMPTED)
        return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, w->mask, 0,
                        "RTT.PREEMPTED: this GPU does not preempt at instructions");
    if (unit->stop) { /* the rule is BPT.PAUSE instead: the SM is held here */
        w->held = true;
        w->pc = sm_pc_of(w, u);
        wt_not_issued(&d->machine);
        wt_yield_turn(&d->machine);
        sm_update_ready(w);
        notify(d, sm);
        return NULL;
    }
    const struct sm_entry back = *entry;
    w->depth = (uint32_t)(entry - w->stack);
    w->trapped = false;
    if (how == RTT_TERMINATE)
        return sm_exit_lanes(w, u, w->live);
    w->mask = back.mask & w->live;
    w->error.kind = WT_FAULT_NONE;
    w->pc = how == RTT_FALLTHROUGH ? sm_next_pc(sm_pc_of(w, u)) : back.pc;
    w->step = w->step || unit->single_step;
    if (!w->mask) { /* all of its lanes have exited in the handler */
        sm_lanes_end(w, UINT32_MAX);
        sm_warp_end(w);
        return NULL;
    }
    sm_trap_settle(d, sm);
    if (w->pending_traps && !w->masked)
        return take_pending(w, w->pc, w->pc);
    wt_end_turn(&d->machine, &w->left);
    return sm_jump(w, w->pc);
}

/* All lanes that have not exited. */
const struct sm_uop *sm_op_sam(struct sm_warp *w, const struct sm_uop *u)
{
    if (!w->trapped)
        return not_in_handler(w, u);
    w->mask = w->live;
    return sm_next(u);
}

/* The lanes that were active when the handler was entered. */
const struct sm_uop *sm_op_ram(struct sm_warp *w, const struct sm_uop *u)
{
    const struct sm_entry *entry = sm_trap_entry(w);
    if (!w->trapped || !entry)
        return not_in_handler(w, u);
    if (entry->mask & w->live)
        w->mask = entry->mask & w->live;
    return sm_next(u);
}

static const struct sm_uop *set_register(struct sm_warp *w, const struct sm_uop *u, uint32_t value)
{
    for (uint32_t left = u->d == SM_RZ ? 0 : w->mask; left; left &= left - 1)
        w->r[u->d][__builtin_ctz(left)] = value;
    return sm_next(u);
}

const struct sm_uop *sm_op_getcrsptr(struct sm_warp *w, const struct sm_uop *u)
{
    return set_register(w, u, w->depth);
}

const struct sm_uop *sm_op_setcrsptr(struct sm_warp *w, const struct sm_uop *u)
{
    const uint32_t depth = w->r[u->a][__builtin_ctz(w->mask)];
    if (depth > w->depth)
        return sm_error(w, u, SM_STACK_ERROR, w->mask, 0, "SETCRSPTR: %u entries, and there are %u",
                        depth, w->depth);
    w->depth = depth;
    return sm_next(u);
}

const struct sm_uop *sm_op_getlmembase(struct sm_warp *w, const struct sm_uop *u)
{
    return set_register(w, u, (uint32_t)(w->local >> 8));
}

const struct sm_uop *sm_op_setlmembase(struct sm_warp *w, const struct sm_uop *u)
{
    w->local = (uint64_t)w->r[u->a][__builtin_ctz(w->mask)] << 8;
    return sm_next(u);
}

uint32_t sm_trap_global_status(const struct sm_warp *w)
{
    const struct sm_unit *unit = sm_unit_of(w);
    return (unit->global_esr & ~(uint32_t)SM_GESR_BPT_INT) |
           (unit->stop ? SM_GESR_STOP_TRIGGER : 0);
}

/* ---- stop and run ---- */

bool sm_locked_down(const struct sm_device *d, uint32_t sm)
{
    const struct sm_unit *unit = &d->unit[sm];
    bool any = false, paused = true, still = true;
    for (uint32_t i = 0; i < SM_WARPS; i++) {
        const struct sm_warp *w = &d->warp[sm * SM_WARPS + i];
        any = any || w->active;
        paused = paused && (!w->active || w->paused);
        still = still && (!w->active || w->paused || w->held);
    }
    return unit->in_trap && (any ? paused || (unit->stop && still) : unit->stop);
}

void sm_trap_stop(struct sm_device *d, uint32_t sm)
{
    trap_event(d, sm);
    if (sm_locked_down(d, sm))
        notify(d, sm);
}

void sm_device_stop(struct sm_device *d, unsigned sm)
{
    assert(sm < d->config.sms);
    trap_events(d, sm);
}

/* A wake that the rules forbid is done all the same; the run comes back with a report. */
static void report_inconsistent(struct sm_device *d, uint32_t sm, const struct sm_warp *running)
{
    d->unit[sm].inconsistent++;
    struct wt_fault fault = {.kind = WT_FAULT_TRAP,
                             .wave = running ? running->id : sm * SM_WARPS,
                             .lanes = running ? running->mask : 0,
                             .pc = running ? running->pc : 0,
                             .time = d->machine.time};
    if (running)
        snprintf(fault.text, sizeof fault.text,
                 "RUN_TRIGGER while warp %u of SM %u has neither paused nor exited: the system is "
                 "inconsistent",
                 running->id % SM_WARPS, sm);
    else
        snprintf(fault.text, sizeof fault.text,
                 "RUN_TRIGGER while SM %u, which has a paused warp, is not trapped: the system is "
                 "inconsistent",
                 sm);
    if (!d->machine.fault.kind)
        d->machine.fault = fault;
}

void sm_trap_run(struct sm_device *d, uint32_t sm)
{
    struct sm_unit *unit = &d->unit[sm];
    const struct sm_warp *running = NULL;
    bool any_paused = false;
    for (uint32_t i = 0; i < SM_WARPS; i++) {
        const struct sm_warp *w = &d->warp[sm * SM_WARPS + i];
        any_paused = any_paused || w->paused;
        if (!running && w->active && !w->paused && !w->held)
            running = w;
    }
    if (any_paused && (running || !unit->in_trap))
        report_inconsistent(d, sm, unit->in_trap ? running : NULL);
    for (uint32_t i = 0; i < SM_WARPS; i++) {
        struct sm_warp *w = &d->warp[sm * SM_WARPS + i];
        if (w->held && !unit->stop) {
            w->held = false;
            sm_update_ready(w);
        }
        if (!w->paused || unit->pause_mask & bit_of(w))
            continue;
        w->paused = SM_RUNS;
        if (!w->trapped) {
            w->error.kind = WT_FAULT_NONE;
            w->step = w->step || unit->single_step;
        }
        sm_update_ready(w);
    }
    unit->loud = false;
    for (uint32_t i = 0; i < SM_WARPS; i++)
        unit->loud = unit->loud || d->warp[sm * SM_WARPS + i].paused == SM_PAUSED;
    sm_trap_settle(d, sm);
}

/* ---- the debugger goes ---- */

uint64_t sm_pc_before(uint64_t pc)
{
    return pc - (pc % 32 == 8 ? 16 : 8);
}

static void release_warp(struct sm_warp *w)
{
    struct sm_unit *unit = sm_unit_of(w);
    w->step = w->stepped = false;
    w->esr = 0;
    if (w->trapped)
        return;
    /* A debugger that has taken the trap in has cleared its bit, or written the PC. */
    if (unit->trap_mask & bit_of(w) && w->pc == w->esr_pc)
        w->pc = sm_pc_before(w->pc);
    else if (w->error.kind)
        sm_fault(w, &w->error);
}

void sm_device_release(struct sm_device *d)
{
    assert(!d->machine.in_turn);
    for (uint32_t sm = 0; sm < d->config.sms; sm++) {
        struct sm_unit *unit = &d->unit[sm];
        unit->debugger = unit->stop_any_warp = unit->stop_any_sm = false;
        unit->single_step = unit->stop = unit->loud = false;
        unit->global_esr = 0;
        for (uint32_t i = 0; i < SM_WARPS; i++) {
            struct sm_warp *w = &d->warp[sm * SM_WARPS + i];
            if (!w->active)
                continue;
            release_warp(w);
            w->paused = SM_RUNS;
            w->held = false;
            sm_update_ready(w);
        }
        unit->pause_mask = unit->trap_mask = 0;
        sm_trap_settle(d, sm);
    }
}
