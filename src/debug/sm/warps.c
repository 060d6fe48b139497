/*
 * Locks down and resumes SMs as NVIDIA's kernel driver does it (nvgpu, gr_gk20a.c: lock_down_sm,
 * wait_for_pause, resume_from_pause), and reads their warps. docs/sm-trap.md has the protocol.
 */
#include "debug/sm/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"

/* Registers of the block of an SM, and their bits. */
enum {
    STATUS0 = 0x60c,
    CONTROL0 = 0x610,
    VALID_MASK = 0x614,
    PAUSE_MASK = 0x624,
    TRAP_MASK = 0x634,
    GLOBAL_ESR = 0x650,
};
enum { LOCKED_DOWN = 1 << 4, DEBUGGER_MODE = 1 << 0, SINGLE_STEP_MODE = 1 << 3 };
enum { ESR_BPT_PAUSE = 1 << 5 };
#define RUN_TRIGGER 0x40000000u
#define STOP_TRIGGER 0x80000000u
#define TPCS_OF_GPC 4u
/* Moments until an SM must be locked down: its handler executes a few instructions for
 * each warp. */
#define MOST_WAITS 4096u

/* The registers of an SM that are read. */
struct sm_look {
    uint32_t status, control, global_esr;
    uint64_t valid, paused, trapped;
};

/* ---- registers ---- */

/* An access to a register of an SM; SMs are numbered over all GPUs. */
struct warp_access {
    unsigned sm, offset;
    bool write;
    uint32_t value;
};

static struct warp_access reads(unsigned sm, unsigned offset)
{
    return (struct warp_access){.sm = sm, .offset = offset};
}

static struct warp_access writes(unsigned sm, unsigned offset, uint32_t value)
{
    return (struct warp_access){.sm = sm, .offset = offset, .write = true, .value = value};
}

enum { MOST_ACCESSES = 9 * 16 }; /* accesses of a batch: the SMs of a GPU */

/* Makes accesses in their order. Consecutive accesses to SMs of one GPU go into one batch. */
static enum wt_status transact(struct wt_probe *p, struct warp_access *list, size_t count,
                               struct wt_error *err)
{
    const struct wt_link *link = p->common.link;
    struct wt_wire_register ops[MOST_ACCESSES];
    enum wt_status status = WT_OK;
    for (size_t done = 0, n; done < count && !status; done += n) {
        unsigned first;
        const unsigned gpu = wt_standstill_gpu_of(p, list[done].sm, &first);
        for (n = 0; done + n < count && n < MOST_ACCESSES; n++) {
            const struct warp_access *a = &list[done + n];
            const unsigned sm = a->sm - first;
            if (a->sm < first || sm >= p->common.device_cores[gpu])
                break;
            ops[n] = (struct wt_wire_register){.addr = sm / TPCS_OF_GPC * 0x2000 +
                                                       sm % TPCS_OF_GPC * 0x200 + a->offset / 4,
                                               .write = a->write,
                                               .value = a->value};
        }
        status = link->ops->registers(link->context, gpu, ops, n, err);
        for (size_t i = 0; i < n && !status; i++)
            list[done + i].value = ops[i].value;
    }
    return status;
}

/* Reads all SMs; one batch for each GPU. */
static enum wt_status look_at(struct wt_probe *p, struct sm_look *look, struct wt_error *err)
{
    enum { EACH = 9 };
    struct warp_access ops[SMP_MOST_SMS * EACH];
    const unsigned sms = p->common.topology.cores;
    for (unsigned sm = 0; sm < sms; sm++) {
        struct warp_access *op = ops + sm * EACH;
        op[0] = reads(sm, STATUS0);
        op[1] = reads(sm, CONTROL0);
        op[2] = reads(sm, GLOBAL_ESR);
        for (unsigned half = 0; half < 2; half++) {
            op[3 + half] = reads(sm, VALID_MASK + 4 * half);
            op[5 + half] = reads(sm, PAUSE_MASK + 4 * half);
            op[7 + half] = reads(sm, TRAP_MASK + 4 * half);
        }
    }
    enum wt_status status = transact(p, ops, (size_t)sms * EACH, err);
    for (unsigned sm = 0; sm < sms && !status; sm++) {
        const struct warp_access *op = ops + sm * EACH;
        look[sm] = (struct sm_look){.status = op[0].value,
                                    .control = op[1].value,
                                    .global_esr = op[2].value,
                                    .valid = op[3].value | (uint64_t)op[4].value << 32,
                                    .paused = op[5].value | (uint64_t)op[6].value << 32,
                                    .trapped = op[7].value | (uint64_t)op[8].value << 32};
    }
    return status;
}

/* ---- launches ---- */

static enum wt_status look_at_launch(struct wt_probe *p, struct wt_error *err)
{
    const struct sm_wire_launch *l = &p->launch;
    const enum wt_status status =
        smp_ask(p, &(struct wt_wire_request){.verb = SM_WIRE_LAUNCH, .wave = WT_NO_HANDLE},
                &p->launch, sizeof p->launch, err);
    if (!status && l->runs && l->number != p->arguments_of) {
        uint64_t at;
        uint32_t bytes;
        smp_find_bank(p, 0, &at, &bytes, WT_IGNORED);
        p->arguments = bytes > WT_SM_PARAMETERS ? at + WT_SM_PARAMETERS : 0;
        p->arguments_of = l->number;
    }
    return status;
}

/* ---- rows ---- */

static struct wt_wave describe_work(const struct wt_probe *p, const struct sm_wire_warp *w)
{
    const struct sm_wire_launch *l = &p->launch;
    struct wt_wave wave = {.id = w->id,
                           .lanes = SMP_LANES,
                           .dispatch = l->number,
                           .index = w->index,
                           .arguments = p->arguments};
    memcpy(wave.group, w->block, sizeof wave.group);
    for (unsigned i = 0; i < 3; i++) {
        wave.block[i] = l->block[i];
        wave.grid[i] = l->block[i] * l->grid[i];
    }
    if (wave.id == WT_NO_WAVE) /* of a damaged driver */
        wave.id = wt_standstill_name(&wave, l->grid);
    return wave;
}

/* Reads what the driver has of the warps of a GPU. */
static enum wt_status read_warps(struct wt_probe *p, unsigned gpu, unsigned first_sm,
                                 struct wt_error *err)
{
    const uint32_t first = first_sm * SMP_WARPS;
    const struct wt_wire_request request = {.verb = SM_WIRE_WARPS, .wave = first};
    return smp_ask(p, &request, &p->warps[first],
                   p->common.device_cores[gpu] * SMP_WARPS * sizeof *p->warps, err);
}

/* Describes the warps of all SMs. *begun: a new warp is there that is to be held. */
static enum wt_status list_warps(struct wt_probe *p, const struct sm_look *look, bool *begun,
                                 struct wt_error *err)
{
    enum wt_status status = look_at_launch(p, err);
    uint32_t known = 0; /* GPUs whose warps are known */
    *begun = false;
    for (uint32_t i = 0; i < p->common.topology.waves && !status; i++) {
        struct smp_row *row = smp_row(p, i);
        const struct sm_wire_warp *warp = &p->warps[i];
        unsigned first;
        const unsigned gpu = wt_standstill_gpu_of(p, i / SMP_WARPS, &first);
        /* Warps of a kernel that has failed are abandoned, and do not run any more. */
        row->common.present = p->launch.runs && look[i / SMP_WARPS].valid >> i % SMP_WARPS & 1;
        if (row->common.present && !(known >> gpu & 1)) {
            if ((status = read_warps(p, gpu, first, err)) != WT_OK)
                return status;
            known |= 1u << gpu;
        }
        row->common.present &= warp->present; /* or it has ended since the masks were read */
        if (!row->common.present) {
            row->common.run = row->common.step = false;
            continue;
        }
        struct wt_wave wave = describe_work(p, warp);
        wave.device = gpu;
        if (row->common.wave.id != wave.id) {
            *row = (struct smp_row){.common = {.wave = wave,
                                               .present = true,
                                               .run = !p->common.hold,
                                               .cause = WT_HALT_REQUEST}};
            *begun |= p->common.hold;
        }
        row->pc = warp->pc;
        row->active = warp->active;
        row->error =
            (struct wt_fault){.kind = warp->kind <= WT_FAULT_HOST ? warp->kind : WT_FAULT_NONE,
                              .lanes = warp->lanes,
                              .pc = warp->error_pc};
        row->steps = warp->steps;
    }
    return status;
}

static void stop_row(struct smp_row *row, enum wt_halt_cause cause)
{
    row->common.run = row->common.step = false;
    row->common.cause = cause;
}

/* A warp that executed BPT.TRAP stands behind it; a debugger expects it at the instruction. */
static enum wt_status take_trap(struct wt_probe *p, uint32_t warp, bool *taken,
                                struct wt_error *err)
{
    struct smp_row *row = smp_row(p, warp);
    const uint64_t pc = smp_pc_before(row->pc);
    uint8_t bytes[8];
    *taken = false;
    if (wt_link_read(p->common.link, warp, 0, pc, bytes, sizeof bytes, WT_IGNORED) != WT_OK)
        return WT_OK;
    row->trap = smp_trap_of(wt_load_le(bytes, 8));
    if (!row->trap) /* the handler has moved it on */
        return WT_OK;
    *taken = true;
    wt_store_le(bytes, pc, sizeof bytes);
    row->pc = pc;
    stop_row(row, WT_HALT_BREAKPOINT);
    return smp_set_row(p, warp, WT_SM_USER_PC, 0, bytes, err);
}

/* A warp that is to stand, as one that has begun since launches are held, has come to a breakpoint
 * before it stood: its instruction is not to be left out. */
static enum wt_status take_late_trap(struct wt_probe *p, uint32_t warp, struct wt_error *err)
{
    bool taken;
    const enum wt_status status = take_trap(p, warp, &taken, err);
    smp_row(p, warp)->reports |= taken;
    return status;
}

/* Why a warp that was to run has stopped, if it has. @p before: the state of the SM before. */
static enum wt_status judge(struct wt_probe *p, uint32_t warp, const struct sm_look *before,
                            const struct sm_look *now, struct wt_error *err)
{
    struct smp_row *row = smp_row(p, warp);
    const uint64_t bit = UINT64_C(1) << warp % SMP_WARPS;
    bool taken = false;
    enum wt_status status = WT_OK;
    if (now->trapped & bit)
        status = take_trap(p, warp, &taken, err);
    if (!taken && row->error.kind) {
        stop_row(row, WT_HALT_EXCEPTION);
        taken = true;
    }
    if (taken) {
        row->reports = true;
        return status;
    }
    if (wt_standstill_has_hit(p, warp))
        stop_row(row, WT_HALT_WATCH);
    else if (row->common.step && !row->steps)
        stop_row(row, WT_HALT_STEP);
    else if (p->has_handler && before->paused & bit && before->global_esr & ESR_BPT_PAUSE)
        stop_row(row, WT_HALT_REQUEST); /* the program's handler asks for the CPU */
    return status;
}

/* ---- lock-down ---- */

/* STOP_TRIGGER is a level: if it is set already, as it is while launches are held, it must be
 * cleared first. Blocks that begin in between do not issue. */
static enum wt_status trigger_stop(struct wt_probe *p, const struct sm_look *look,
                                   struct wt_error *err)
{
    struct warp_access ops[2 * SMP_MOST_SMS];
    size_t count = 0;
    for (unsigned sm = 0; sm < p->common.topology.cores; sm++) {
        if (look[sm].status & LOCKED_DOWN)
            continue;
        if (look[sm].control & STOP_TRIGGER)
            ops[count++] = writes(sm, CONTROL0, DEBUGGER_MODE);
        ops[count++] = writes(sm, CONTROL0, DEBUGGER_MODE | STOP_TRIGGER);
    }
    return count ? transact(p, ops, count, err) : WT_OK;
}

static enum wt_status wait_for_lock_down(struct wt_probe *p, struct sm_look *look,
                                         struct wt_error *err)
{
    enum wt_status status;
    for (unsigned waits = 0;; waits++) {
        unsigned sm = 0;
        if ((status = look_at(p, look, err)) != WT_OK)
            return status;
        while (sm < p->common.topology.cores && (look[sm].status & LOCKED_DOWN || !look[sm].valid))
            sm++; /* without warps nothing runs there */
        if (sm == p->common.topology.cores)
            return WT_OK;
        if (waits == MOST_WAITS)
            return wt_fail(err, WT_TIMEOUT,
                           "SM %u does not lock down: its trap handler must execute BPT.PAUSE "
                           "while the stop trigger is set",
                           sm);
        struct wt_link_event event;
        const struct wt_link *link = p->common.link;
        if ((status = link->ops->event(link->context, true, &event, err)) != WT_OK)
            return status;
    }
}

/* The traps have been taken in. */
static enum wt_status clear_traps(struct wt_probe *p, const struct sm_look *look,
                                  struct wt_error *err)
{
    struct warp_access ops[2 * SMP_MOST_SMS];
    size_t count = 0;
    for (unsigned sm = 0; sm < p->common.topology.cores; sm++) {
        if (!look[sm].trapped)
            continue;
        ops[count++] = writes(sm, TRAP_MASK, 0);
        ops[count++] = writes(sm, TRAP_MASK + 4, 0);
    }
    return count ? transact(p, ops, count, err) : WT_OK;
}

static enum wt_status lock_down(struct wt_probe *p, struct wt_error *err)
{
    struct sm_look before[SMP_MOST_SMS], now[SMP_MOST_SMS];
    enum wt_status status;
    bool begun;
    if ((status = look_at(p, before, err)) != WT_OK ||
        (status = trigger_stop(p, before, err)) != WT_OK ||
        (status = wait_for_lock_down(p, now, err)) != WT_OK)
        return status;
    if ((status = list_warps(p, now, &begun, err)) != WT_OK ||
        (status = wt_driver_watches_take(p, err)) != WT_OK)
        return status;
    for (uint32_t i = 0; i < p->common.topology.waves && !status; i++) {
        const struct wt_standstill_row *row = wt_standstill_row(p, i);
        const struct sm_look *look = &now[i / SMP_WARPS];
        if (row->present && row->run)
            status = judge(p, i, &before[i / SMP_WARPS], look, err);
        else if (row->present && look->trapped >> i % SMP_WARPS & 1)
            status = take_late_trap(p, i, err);
    }
    if (!status)
        status = clear_traps(p, now, err);
    p->common.still = !status;
    return status;
}

/* Whether a kernel runs of which no warp is known: its begin was told before there was one. */
static bool misses_warps(const struct wt_probe *p)
{
    for (uint32_t i = 0; i < p->common.topology.waves && p->launch.runs; i++)
        if (wt_standstill_row(p, i)->present)
            return false;
    return p->launch.runs;
}

/* Waits until a run that has begun after the last change has come back; WT_WIRE_WAIT_MS at most. */
static enum wt_status wait_for_run(struct wt_probe *p, struct wt_link_event *event,
                                   struct wt_error *err)
{
    p->owes = false;
    return p->common.link->ops->event(p->common.link->context, true, event, err);
}

static enum wt_status ask(struct wt_probe *p, bool wait, struct wt_link_event *event,
                          struct wt_error *err)
{
    const struct wt_link *link = p->common.link;
    struct sm_look look[SMP_MOST_SMS];
    bool begun;
    enum wt_status status = WT_OK;
    /* Resumed warps get a run first. On a busy machine the program's thread might else find the SMs
     * locked down each time that it comes to run them. */
    if (wait || p->owes)
        status = wait_for_run(p, event, err);
    if (!wait && !status)
        status = link->ops->event(link->context, false, event, err);
    const bool told = event->attention;
    event->attention = false;
    if (status || wait || (!told && !p->common.hold && p->common.scanned && !misses_warps(p)))
        return status; /* the rows are as they were */
    if ((status = look_at(p, look, err)) != WT_OK ||
        (status = list_warps(p, look, &begun, err)) != WT_OK)
        return status;
    event->attention = begun;
    for (uint32_t i = 0; i < p->common.topology.waves; i++) {
        const struct wt_standstill_row *row = wt_standstill_row(p, i);
        const struct sm_look *l = &look[i / SMP_WARPS];
        const bool paused = l->paused >> i % SMP_WARPS & 1;
        event->attention |= paused && row->present && row->run &&
                            (!p->has_handler || l->global_esr & ESR_BPT_PAUSE);
    }
    return WT_OK;
}

/* ---- resumption ---- */

struct going {
    uint64_t goes, stays;
    bool step;
};

static struct going going_of(const struct wt_probe *p, unsigned sm, uint32_t only)
{
    struct going g = {0};
    for (uint32_t i = 0; i < SMP_WARPS; i++) {
        const uint32_t warp = sm * SMP_WARPS + i;
        const struct smp_row *row = smp_row(p, warp);
        if (!row->common.present)
            continue;
        if (row->common.run && (only == WT_NO_HANDLE || warp == only))
            g.goes |= UINT64_C(1) << i;
        else
            g.stays |= UINT64_C(1) << i;
    }
    g.step = only != WT_NO_HANDLE && g.goes && smp_row(p, only)->common.step;
    return g;
}

/* Clears the error status of warps that are resumed: it has been reported. */
static enum wt_status clear_reports(struct wt_probe *p, unsigned sm, uint64_t goes,
                                    struct wt_error *err)
{
    static const uint8_t none[8];
    enum wt_status status = WT_OK;
    for (uint32_t i = 0; i < SMP_WARPS && !status; i++) {
        struct smp_row *row = smp_row(p, sm * SMP_WARPS + i);
        if (!(goes >> i & 1))
            continue;
        if (!row->reports)
            continue;
        row->reports = false;
        status = smp_set_row(p, sm * SMP_WARPS + i, WT_SM_WARP_ESR, 0, none, err);
        if (status == WT_INVALID) /* it has ended with its kernel since the rows were read */
            status = WT_OK;
    }
    return status;
}

/* Without a trap handler the stop trigger may stay set while warps run: it pauses new blocks. A
 * handler must not return while it is set. */
static enum wt_status resume_sm(struct wt_probe *p, unsigned sm, const struct going *g, bool holds,
                                struct wt_error *err)
{
    const uint32_t control = DEBUGGER_MODE | (g->step ? SINGLE_STEP_MODE : 0) |
                             (holds && !p->has_handler ? STOP_TRIGGER : 0);
    struct warp_access ops[5];
    size_t count = 0;
    enum wt_status status;
    if (!g->goes && (g->stays || holds))
        return WT_OK;
    if ((status = clear_reports(p, sm, g->goes, err)) != WT_OK)
        return status;
    ops[count++] = writes(sm, GLOBAL_ESR, 0xffffffff);
    ops[count++] = writes(sm, PAUSE_MASK, (uint32_t)g->stays);
    ops[count++] = writes(sm, PAUSE_MASK + 4, (uint32_t)(g->stays >> 32));
    ops[count++] = writes(sm, CONTROL0, control);
    if (g->goes || !g->stays) /* a block may have begun since, and have paused */
        ops[count++] = writes(sm, CONTROL0, control | RUN_TRIGGER);
    return transact(p, ops, count, err);
}

static enum wt_status resume(struct wt_probe *p, uint32_t only, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    const bool holds = p->common.hold || only != WT_NO_HANDLE;
    for (unsigned sm = 0; sm < p->common.topology.cores && !status; sm++) {
        const struct going going = going_of(p, sm, only);
        status = resume_sm(p, sm, &going, holds, err);
        p->owes |= going.goes && p->common.link->host_launches;
    }
    return status;
}

/* A warp that goes on after its fault or its own trap does what it would do without
 * a debugger, unless the debugger has yet to hear of something. */
static enum wt_status give_up(struct wt_probe *p, wt_wave_handle wave, bool step,
                              struct wt_error *err)
{
    struct smp_row *row = smp_row(p, wave);
    row->aborts |= row->common.cause == WT_HALT_EXCEPTION && row->common.told;
    if (wt_standstill_has_news(p, wave))
        return WT_OK;
    const bool failed = row->aborts;
    row->aborts = false;
    return p->common.link->host_launches && failed
               ? smp_ask(p, &(struct wt_wire_request){.verb = SM_WIRE_FAIL, .wave = wave}, NULL, 0,
                         err)
               : WT_OK;
}

static void view(const struct wt_standstill_row *row, uint64_t *pc, wt_lanes *mask)
{
    *pc = ((const struct smp_row *)row)->pc;
    *mask = ((const struct smp_row *)row)->active;
}

/* Errors of a warp as HWW_WARP_ESR reports them (docs/sm-trap.md), and those that only the trap
 * unit has. */
const struct wt_exception smp_exceptions[] = {
    {"STACK_ERROR", WT_FAULT_NONE},
    {"API_STACK_ERROR", WT_FAULT_NONE},
    {"RET_EMPTY_STACK_ERROR", WT_FAULT_NONE},
    {"PC_WRAP", WT_FAULT_NONE},
    {"MISALIGNED_PC", WT_FAULT_NONE},
    {"PC_OVERFLOW", WT_FAULT_NONE},
    {"MISALIGNED_IMMC_ADDR", WT_FAULT_NONE},
    {"MISALIGNED_REG", WT_FAULT_NONE},
    {"ILLEGAL_INSTR_ENCODING", WT_FAULT_NONE},
    {"ILLEGAL_INSTR_PARAM", WT_FAULT_NONE},
    {"INVALID_CONST_ADDR", WT_FAULT_NONE},
    {"OOR_REG", WT_FAULT_NONE},
    {"OOR_ADDR", WT_FAULT_NONE},
    {"MISALIGNED_ADDR", WT_FAULT_NONE},
    {"INVALID_ADDR_SPACE", WT_FAULT_NONE},
    {"INVALID_CONST_ADDR_LDC", WT_FAULT_NONE},
    {"L1_ERROR", WT_FAULT_NONE},
    {"ASSERT", WT_FAULT_NONE},
    {"deadlock", WT_FAULT_DEADLOCK},
};
const size_t smp_exception_count = sizeof smp_exceptions / sizeof *smp_exceptions;

static void describe_exception(const struct wt_standstill_row *row,
                               struct wt_probe_exception *exception)
{
    *exception = (struct wt_probe_exception){.fault = ((const struct smp_row *)row)->error};
}

/* Kernels of a host program run before anybody has stopped one. */
enum wt_status smp_arm(struct wt_probe *p, struct wt_error *err)
{
    struct warp_access ops[SMP_MOST_SMS];
    if (!p->common.link->host_launches)
        return WT_OK;
    for (unsigned sm = 0; sm < p->common.topology.cores; sm++)
        ops[sm] = writes(sm, CONTROL0, DEBUGGER_MODE);
    return transact(p, ops, p->common.topology.cores, err);
}

void smp_let_go(struct wt_probe *p)
{
    const bool handler = p->has_handler;
    for (unsigned sm = 0; sm < p->common.topology.cores; sm++) {
        struct warp_access ops[] = {
            writes(sm, CONTROL0, DEBUGGER_MODE | (handler ? 0 : STOP_TRIGGER)), /* all pause */
            writes(sm, PAUSE_MASK, 0),
            writes(sm, PAUSE_MASK + 4, 0),
            writes(sm, CONTROL0, 0),
            writes(sm, CONTROL0, RUN_TRIGGER),
        };
        transact(p, ops, p->common.still || !handler ? 5 : 4, WT_IGNORED);
    }
    p->common.still = false;
}

const struct wt_standstill_ops smp_standstill = {
    .stop = lock_down,
    .go = resume,
    .event = ask,
    .event_reads_rows = true,
    .view = view,
    .give_up = give_up,
    .exception = describe_exception,
    .read_rows = smp_read_rows,
    .write_row = smp_write_row,
};
