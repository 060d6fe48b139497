/*
 * SMs that are locked down and resumed, as NVIDIA's kernel driver does it (nvgpu, gr_gk20a.c:
 * lock_down_sm, wait_for_pause, resume_from_pause), and the warps in them. docs/sm-trap.md has the
 * protocol.
 */
#include "debug/sm/internal.h"

#include <assert.h>
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
/* Moments until an SM must be locked down: its handler executes a few instructions a warp. */
#define MOST_WAITS 4096u

/* What is read of an SM. */
struct look {
    uint32_t status, control, global_esr;
    uint64_t valid, paused, trapped;
};

/* ---- registers ---- */

/* An access to a register of an SM, of those of all GPUs. */
struct access {
    unsigned sm, offset;
    bool write;
    uint32_t value;
};

static struct access reads(unsigned sm, unsigned offset)
{
    return (struct access){.sm = sm, .offset = offset};
}

static struct access writes(unsigned sm, unsigned offset, uint32_t value)
{
    return (struct access){.sm = sm, .offset = offset, .write = true, .value = value};
}

enum { MOST_ACCESSES = 9 * 16 }; /* of a batch: the SMs of a GPU */

/* Makes accesses in their order, those of SMs of one GPU that follow each other in a batch. */
static enum wt_status transact(struct wt_probe *p, struct access *list, size_t count,
                               struct wt_error *err)
{
    struct wt_bus_op ops[MOST_ACCESSES];
    enum wt_status status = WT_OK;
    for (size_t done = 0, n; done < count && !status; done += n) {
        unsigned gpu = 0, first = 0;
        while (list[done].sm >= first + p->link->sms[gpu])
            first += p->link->sms[gpu++];
        for (n = 0; done + n < count && n < MOST_ACCESSES; n++) {
            const struct access *a = &list[done + n];
            const unsigned sm = a->sm - first;
            if (a->sm < first || sm >= p->link->sms[gpu])
                break;
            ops[n] =
                (struct wt_bus_op){.write = a->write,
                                   .addr = (uint16_t)(sm / TPCS_OF_GPC * 0x2000 +
                                                      sm % TPCS_OF_GPC * 0x200 + a->offset / 4),
                                   .value = a->value};
        }
        status = wt_bus_transact(p->link->bus[gpu], ops, n, err);
        for (size_t i = 0; i < n && !status; i++)
            list[done + i].value = ops[i].value;
    }
    return status;
}

/* Reads all SMs, those of a GPU in one batch. */
static enum wt_status look_at(struct wt_probe *p, struct look *look, struct wt_error *err)
{
    enum { EACH = 9 };
    struct access ops[SMP_MOST_SMS * EACH];
    const unsigned sms = p->topology.cores;
    for (unsigned sm = 0; sm < sms; sm++) {
        struct access *op = ops + sm * EACH;
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
        const struct access *op = ops + sm * EACH;
        look[sm] = (struct look){.status = op[0].value,
                                 .control = op[1].value,
                                 .global_esr = op[2].value,
                                 .valid = op[3].value | (uint64_t)op[4].value << 32,
                                 .paused = op[5].value | (uint64_t)op[6].value << 32,
                                 .trapped = op[7].value | (uint64_t)op[8].value << 32};
    }
    return status;
}

/* ---- launches ---- */

void smp_push_event(struct wt_probe *p, enum wt_probe_event_kind kind, uint64_t dispatch)
{
    if (p->first_event == p->events)
        p->first_event = p->events = 0;
    assert(p->events < sizeof p->event / sizeof p->event[0]);
    p->event[p->events++] = (struct wt_probe_event){.kind = kind, .dispatch = dispatch};
}

/* Two events at most; they are taken before the next look. */
static enum wt_status look_at_launch(struct wt_probe *p, struct wt_error *err)
{
    enum wt_status status = p->link->ops->launch(p->link->context, &p->launch, err);
    const struct wt_sm_launch *l = &p->launch;
    if (status || p->events - p->first_event > 1)
        return status;
    const bool over = !l->runs || l->number != p->began;
    if (p->began && p->began != p->ended && over) {
        p->ended = p->began;
        smp_push_event(p, WT_PROBE_DISPATCH_ENDED, p->ended);
    }
    if (l->runs && l->number != p->began) {
        p->began = l->number;
        smp_push_event(p, WT_PROBE_DISPATCH_BEGAN, p->began);
    }
    return WT_OK;
}

/* ---- rows ---- */

/* A warp's name: launch, block, index in it. A block has at most 32 warps; 2^34 blocks take longer
 * than anybody waits. */
static wt_wave_id name_warp(const struct wt_sm_launch *l, const struct wt_sm_warp *w)
{
    const uint64_t line = (uint64_t)w->block[2] * l->grid[1] + w->block[1];
    const uint64_t block = line * l->grid[0] + w->block[0];
    return l->number << 40 | (block & 0x3ffffffff) << 6 | w->index;
}

/* Describes the warps of all SMs. *begun: one is there that was not, and is to be held. */
static enum wt_status list_warps(struct wt_probe *p, const struct look *look, bool *begun,
                                 struct wt_error *err)
{
    enum wt_status status = look_at_launch(p, err);
    *begun = false;
    for (uint32_t i = 0; i < p->topology.waves && !status; i++) {
        struct smp_row *row = &p->row[i];
        struct wt_sm_warp warp;
        /* Of a kernel that has failed warps may be left. */
        row->present = p->launch.runs && look[i / SMP_WARPS].valid >> i % SMP_WARPS & 1;
        if (!row->present) {
            row->run = row->step = false;
            continue;
        }
        if ((status = p->link->ops->warp(p->link->context, i, &warp, err)) != WT_OK)
            return status;
        const wt_wave_id id = name_warp(&p->launch, &warp);
        if (row->id != id) {
            *row = (struct smp_row){
                .id = id, .present = true, .run = !p->hold, .cause = WT_HALT_REQUEST};
            *begun |= p->hold;
        }
        row->dispatch = p->launch.number;
        memcpy(row->block, warp.block, sizeof row->block);
        row->index = warp.index;
        row->pc = warp.pc;
        row->active = warp.active;
        row->error = warp.error;
        row->steps = warp.steps;
    }
    return status;
}

static void stop_row(struct smp_row *row, enum wt_halt_cause cause)
{
    row->run = row->step = false;
    row->cause = cause;
}

/* A warp that executed BPT.TRAP stands behind it; a debugger looks at it from before. */
static enum wt_status take_trap(struct wt_probe *p, uint32_t warp, bool *taken,
                                struct wt_error *err)
{
    struct smp_row *row = &p->row[warp];
    const uint64_t pc = smp_pc_before(row->pc);
    uint8_t bytes[8];
    *taken = false;
    if (p->link->ops->read(p->link->context, warp, 0, pc, bytes, sizeof bytes, WT_IGNORED) != WT_OK)
        return WT_OK;
    row->trap = smp_trap_of(wt_load_le(bytes, 8));
    if (!row->trap) /* its handler has taken it further */
        return WT_OK;
    *taken = true;
    wt_store_le(bytes, pc, sizeof bytes);
    row->pc = pc;
    stop_row(row, WT_HALT_BREAKPOINT);
    return p->link->ops->write_row(p->link->context, warp, WT_SM_USER_PC, 0, bytes, err);
}

/* Why a warp that was to run has stopped, if it has. @p before: the SM as it was found. */
static enum wt_status judge(struct wt_probe *p, uint32_t warp, const struct look *before,
                            const struct look *now, struct wt_error *err)
{
    struct smp_row *row = &p->row[warp];
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
    if (row->step && !row->steps)
        stop_row(row, WT_HALT_STEP);
    else if (p->link->has_handler && before->paused & bit && before->global_esr & ESR_BPT_PAUSE)
        stop_row(row, WT_HALT_REQUEST); /* the program's handler asks for the CPU */
    return status;
}

/* ---- lock-down ---- */

bool smp_has_ended(struct wt_probe *p)
{
    uint32_t status;
    char text[8];
    if (!p->link->host_launches ||
        !p->link->ops->ended(p->link->context, &status, text, sizeof text))
        return false;
    for (uint32_t i = 0; i < p->topology.waves; i++)
        p->row[i].present = p->row[i].run = false;
    p->suspended = true;
    return true;
}

/* STOP_TRIGGER is a level: where it is set already, as it is while launches are held, it has to
 * fall first. Blocks that begin in between do not issue. */
static enum wt_status trigger_stop(struct wt_probe *p, const struct look *look,
                                   struct wt_error *err)
{
    struct access ops[2 * SMP_MOST_SMS];
    size_t count = 0;
    for (unsigned sm = 0; sm < p->topology.cores; sm++) {
        if (look[sm].status & LOCKED_DOWN)
            continue;
        if (look[sm].control & STOP_TRIGGER)
            ops[count++] = writes(sm, CONTROL0, DEBUGGER_MODE);
        ops[count++] = writes(sm, CONTROL0, DEBUGGER_MODE | STOP_TRIGGER);
    }
    return count ? transact(p, ops, count, err) : WT_OK;
}

static enum wt_status wait_for_lock_down(struct wt_probe *p, struct look *look,
                                         struct wt_error *err)
{
    enum wt_status status;
    for (unsigned waits = 0;; waits++) {
        unsigned sm = 0;
        if ((status = look_at(p, look, err)) != WT_OK)
            return status;
        while (sm < p->topology.cores && look[sm].status & LOCKED_DOWN)
            sm++;
        if (sm == p->topology.cores)
            return WT_OK;
        if (waits == MOST_WAITS)
            return wt_fail(err, WT_TIMEOUT,
                           "SM %u does not lock down: its trap handler must execute BPT.PAUSE "
                           "while the stop trigger is set",
                           sm);
        if ((status = p->link->ops->wait(p->link->context, err)) != WT_OK)
            return status;
    }
}

/* The traps have been taken in. */
static enum wt_status clear_traps(struct wt_probe *p, const struct look *look, struct wt_error *err)
{
    struct access ops[2 * SMP_MOST_SMS];
    size_t count = 0;
    for (unsigned sm = 0; sm < p->topology.cores; sm++) {
        if (!look[sm].trapped)
            continue;
        ops[count++] = writes(sm, TRAP_MASK, 0);
        ops[count++] = writes(sm, TRAP_MASK + 4, 0);
    }
    return count ? transact(p, ops, count, err) : WT_OK;
}

static enum wt_status hold_still(struct wt_probe *p, struct wt_error *err)
{
    struct look before[SMP_MOST_SMS], now[SMP_MOST_SMS];
    enum wt_status status;
    bool begun;
    if (p->suspended)
        return WT_OK;
    if ((status = look_at(p, before, err)) != WT_OK ||
        (status = trigger_stop(p, before, err)) != WT_OK ||
        (status = wait_for_lock_down(p, now, err)) != WT_OK)
        return status;
    if ((status = list_warps(p, now, &begun, err)) != WT_OK)
        return status;
    for (uint32_t i = 0; i < p->topology.waves && !status; i++) {
        const struct smp_row *row = &p->row[i];
        if (row->present && row->run)
            status = judge(p, i, &before[i / SMP_WARPS], &now[i / SMP_WARPS], err);
    }
    if (!status)
        status = clear_traps(p, now, err);
    p->suspended = !status;
    return status;
}

enum wt_status smp_hold_still(struct wt_probe *p, struct wt_error *err)
{
    const enum wt_status status = hold_still(p, err);
    return status == WT_IO && smp_has_ended(p) ? WT_OK : status;
}

enum wt_status smp_look(struct wt_probe *p, struct wt_error *err)
{
    struct look look[SMP_MOST_SMS];
    bool stopped = false, begun;
    enum wt_status status;
    if (p->suspended)
        return WT_OK;
    if ((status = look_at(p, look, err)) != WT_OK)
        return status;
    if ((status = list_warps(p, look, &begun, err)) != WT_OK)
        return status;
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        const struct look *l = &look[i / SMP_WARPS];
        const bool paused = l->paused >> i % SMP_WARPS & 1;
        stopped |= paused && p->row[i].present && p->row[i].run &&
                   (!p->link->has_handler || l->global_esr & ESR_BPT_PAUSE);
    }
    return stopped || begun ? smp_hold_still(p, err) : WT_OK;
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
        const struct smp_row *row = &p->row[warp];
        if (!row->present)
            continue;
        if (row->run && (only == WT_NO_HANDLE || warp == only))
            g.goes |= UINT64_C(1) << i;
        else
            g.stays |= UINT64_C(1) << i;
    }
    g.step = only != WT_NO_HANDLE && g.goes && p->row[only].step;
    return g;
}

/* The error status of warps that go on: it has been told. */
static enum wt_status clear_esr(struct wt_probe *p, unsigned sm, uint64_t goes,
                                struct wt_error *err)
{
    static const uint8_t none[8];
    enum wt_status status = WT_OK;
    for (uint32_t i = 0; i < SMP_WARPS && !status; i++) {
        struct smp_row *row = &p->row[sm * SMP_WARPS + i];
        if (!(goes >> i & 1) || !row->reports)
            continue;
        row->reports = false;
        status = p->link->ops->write_row(p->link->context, sm * SMP_WARPS + i, WT_SM_WARP_ESR, 0,
                                         none, err);
    }
    return status;
}

/* Without a trap handler the stop trigger may stay set while warps run: it holds new blocks. A
 * handler must not return while it is set. */
static enum wt_status resume_sm(struct wt_probe *p, unsigned sm, const struct going *g, bool holds,
                                struct wt_error *err)
{
    const uint32_t control = DEBUGGER_MODE | (g->step ? SINGLE_STEP_MODE : 0) |
                             (holds && !p->link->has_handler ? STOP_TRIGGER : 0);
    struct access ops[5];
    size_t count = 0;
    enum wt_status status;
    if (!g->goes && (g->stays || holds))
        return WT_OK;
    if ((status = clear_esr(p, sm, g->goes, err)) != WT_OK)
        return status;
    ops[count++] = writes(sm, GLOBAL_ESR, 0xffffffff);
    ops[count++] = writes(sm, PAUSE_MASK, (uint32_t)g->stays);
    ops[count++] = writes(sm, PAUSE_MASK + 4, (uint32_t)(g->stays >> 32));
    ops[count++] = writes(sm, CONTROL0, control);
    if (g->goes)
        ops[count++] = writes(sm, CONTROL0, control | RUN_TRIGGER);
    return transact(p, ops, count, err);
}

enum wt_status smp_go(struct wt_probe *p, uint32_t only, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    const bool holds = p->hold || only != WT_NO_HANDLE;
    bool any = !holds;
    struct going going[SMP_MOST_SMS];
    if (!p->suspended || p->stands || smp_has_ended(p))
        return WT_OK;
    for (unsigned sm = 0; sm < p->topology.cores; sm++) {
        going[sm] = going_of(p, sm, only);
        any |= going[sm].goes != 0;
    }
    for (unsigned sm = 0; any && sm < p->topology.cores && !status; sm++)
        status = resume_sm(p, sm, &going[sm], holds, err);
    p->suspended = !any && !status;
    return status;
}

void smp_let_go(struct wt_probe *p)
{
    for (unsigned sm = 0; sm < p->topology.cores; sm++) {
        struct access ops[] = {
            writes(sm, PAUSE_MASK, 0),
            writes(sm, PAUSE_MASK + 4, 0),
            writes(sm, CONTROL0, 0),
            writes(sm, CONTROL0, RUN_TRIGGER),
        };
        transact(p, ops, p->suspended ? 4 : 3, WT_IGNORED);
    }
    p->suspended = false;
}

enum wt_status smp_find_row(struct wt_probe *p, uint32_t wave, struct smp_row **row,
                            struct wt_error *err)
{
    assert(wave < p->topology.waves);
    enum wt_status status = smp_hold_still(p, err);
    if (status != WT_OK)
        return status;
    if (!p->row[wave].present)
        return wt_fail(err, WT_STATE, "warp %u is not active", (unsigned)wave);
    *row = &p->row[wave];
    return WT_OK;
}
