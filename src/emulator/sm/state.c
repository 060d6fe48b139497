/* The parts of the device's state, for snapshots and core files. See machine/archive.h. The images
 * of PTX are no part of it: the device must have them before a file is read. */
#include "emulator/machine/archive_parts.h"

#include <string.h>

#include "emulator/sm/ptx/image.h"

#define ROW_BYTES (SM_LANES * 4u)

/* ---- the members of structures: for files, hashes (hash.c) and checks (check.c) ---- */

#define GRID(member, most, what, at) WT_FIELD(struct sm_grid, member, most, what, at)
#define LAUNCH(member) GRID(launch.member, UINT64_MAX, "a launch", WT_UNHASHED)
const struct wt_field sm_grid_begin[] = {GRID(total, UINT64_MAX, "a number of CTAs", WT_AT(11)),
                                         GRID(active, 1, "a flag", WT_AT(9)),
                                         {0}};
const struct wt_field sm_grid_fields[] = {GRID(next, UINT64_MAX, "a launch", WT_AT(10)),
                                          GRID(done, UINT64_MAX, "a launch", WT_AT(12)),
                                          GRID(launch.entry, UINT64_MAX, "a launch", WT_AT(13)),
                                          LAUNCH(local_base),
                                          LAUNCH(constant),
                                          LAUNCH(constant_end),
                                          LAUNCH(heap),
                                          LAUNCH(heap_size),
                                          LAUNCH(together),
                                          GRID(launch.grid[0], UINT32_MAX, "a grid", WT_UNHASHED),
                                          GRID(launch.block[0], 1024, "a CTA", WT_UNHASHED),
                                          GRID(launch.grid[1], UINT32_MAX, "a grid", WT_UNHASHED),
                                          GRID(launch.block[1], 1024, "a CTA", WT_UNHASHED),
                                          GRID(launch.grid[2], UINT32_MAX, "a grid", WT_UNHASHED),
                                          GRID(launch.block[2], 1024, "a CTA", WT_UNHASHED),
                                          {0}};
/* Between the two tables: the constant banks. */
const struct wt_field sm_grid_end[] = {
    LAUNCH(number),
    GRID(launch.registers, 255, "the registers of a thread", WT_UNHASHED),
    GRID(launch.shared, SM_MOST_CTA_SHARED, "the shared memory of a CTA", WT_UNHASHED),
    GRID(launch.local, UINT32_MAX, "a launch", WT_UNHASHED),
    GRID(launch.rows, UINT32_MAX, "a launch", WT_UNHASHED),
    GRID(launch.frame_local, UINT32_MAX, "a launch", WT_UNHASHED),
    GRID(launch.dynamic, UINT32_MAX, "a launch", WT_UNHASHED),
    {0}};

#define FLAG(member, at) WT_FIELD(struct sm_unit, member, 1, "a flag", WT_AT(at))
#define UNIT(member, at) WT_FIELD(struct sm_unit, member, UINT32_MAX, "a register", WT_AT(at))
#define WARPS(member, at) WT_FIELD(struct sm_unit, member, UINT64_MAX, "a mask of warps", WT_AT(at))
const struct wt_field sm_unit_fields[] = {FLAG(in_trap, 0),
                                          FLAG(debugger, 1),
                                          FLAG(stop_any_warp, 2),
                                          FLAG(stop_any_sm, 3),
                                          FLAG(single_step, 4),
                                          FLAG(stop, 5),
                                          FLAG(loud, 6),
                                          UNIT(global_esr, 7),
                                          UNIT(warp_report, 8),
                                          UNIT(global_report, 9),
                                          UNIT(exception_enable, 12),
                                          UNIT(interrupts, 13),
                                          UNIT(inconsistent, 14),
                                          WARPS(pause_mask, 10),
                                          WARPS(trap_mask, 11),
                                          {0}};

/* The hash has barriers, as it has stacks, as a whole. */
#define BARRIER(member, what) WT_FIELD(struct sm_barrier, member, UINT32_MAX, what, WT_UNHASHED)
static const struct wt_field barrier_fields[] = {BARRIER(arrived, "the arrived at a barrier"),
                                                 BARRIER(expected, "the expected at a barrier"),
                                                 BARRIER(holds, "a barrier"),
                                                 BARRIER(op, "a barrier"),
                                                 {0}};

static const struct wt_field entry_fields[] = {
    WT_FIELD(struct sm_entry, pc, UINT64_MAX, "an address", WT_UNHASHED),
    WT_FIELD(struct sm_entry, mask, UINT32_MAX, "lanes", WT_UNHASHED),
    WT_FIELD(struct sm_entry, kind, SM_ENTRY_PATH, "an entry of a stack", WT_UNHASHED),
    WT_FIELD(struct sm_entry, base, UINT32_MAX, "a frame", WT_UNHASHED),
    WT_FIELD(struct sm_entry, wait, PTX_GOES_ON, "what a path waits for", WT_UNHASHED),
    WT_FIELD(struct sm_entry, result, UINT32_MAX, "a path", WT_UNHASHED),
    {0}};

#define WARP(member, most, what, at) WT_FIELD(struct sm_warp, member, most, what, at)
#define WORD(member, at) WARP(member, UINT32_MAX, "a warp", at)
const struct wt_field sm_warp_fields[] = {
    WARP(pc, UINT64_MAX, "an address", WT_AT(2)),
    WARP(issued, UINT64_MAX, "a number of instructions", WT_AT(3)),
    WARP(local, UINT64_MAX, "an address", WT_AT(8)),
    WARP(wait_pc, UINT64_MAX, "an address", WT_AT(10)),
    WORD(live, WT_AT(4)),
    WORD(mask, WT_UPPER(4)),
    WORD(z, WT_AT(5)),
    WORD(s, WT_UPPER(5)),
    WORD(carry, WT_AT(6)),
    WORD(o, WT_UPPER(6)),
    WARP(index, UINT16_MAX, "a warp's place in its CTA", WT_AT(1)),
    WORD(bar_result, WT_AT(11)),
    WORD(base, WT_AT(25)),
    WORD(wait, WT_UPPER(25)),
    WORD(result, WT_AT(26)),
    WORD(spins, WT_UPPER(26)),
    WORD(hold, WT_AT(27)),
    {0}};
/* Between the two tables: the predicates. */
const struct wt_field sm_warp_barrier[] = {WARP(at_barrier, SM_BARRIERS, "a barrier", WT_AT(9)),
                                           WARP(bar_op, UINT8_MAX, "a barrier", WT_AT(12)),
                                           WARP(bar_threads, SM_LANES, "a barrier", WT_AT(12) + 1),
                                           WARP(bar_true, SM_LANES, "a barrier", WT_AT(12) + 2),
                                           WARP(depth, SM_STACK, "the depth of a stack", WT_AT(7)),
                                           {0}};
/* Between the two tables: the stack. */
const struct wt_field sm_warp_trap[] = {WARP(trapped, 1, "a flag", WT_AT(13)),
                                        WARP(must_enter, 1, "a flag", WT_AT(14)),
                                        WARP(masked, 1, "a flag", WT_AT(15)),
                                        WARP(held, 1, "a flag", WT_AT(18)),
                                        WARP(step, 1, "a flag", WT_AT(19)),
                                        WARP(stepped, 1, "a flag", WT_UNHASHED), /* with `step` */
                                        WARP(pending_traps, UINT8_MAX, "traps", WT_AT(16)),
                                        WARP(paused, SM_PAUSED_QUIET, "a pause", WT_AT(17)),
                                        WARP(esr, UINT32_MAX, "a warp's ESR", WT_AT(22)),
                                        WARP(esr_pc, UINT64_MAX, "an address", WT_AT(23)),
                                        {0}};

/* ---- the launch, SMs, CTAs ---- */

/* Refuses the launches that sm_device_launch() refuses. */
static void check_launch(struct wt_archive *a, struct sm_device *d)
{
    struct sm_grid *g = &d->grid;
    const struct sm_launch *l = &g->launch;
    uint64_t total = 1, threads = 1;
    bool good =
        l->shared <= sm_shared_of(d->config.cc).cta && l->registers >= 1 && l->registers <= 255;
    for (unsigned i = 0; i < 3; i++) {
        good = good && l->grid[i] && l->block[i] && l->block[i] <= 1024 &&
               !__builtin_mul_overflow(total, (uint64_t)l->grid[i], &total);
        threads *= l->block[i];
    }
    good = good && threads <= 1024 && g->total == total && g->done <= g->next && g->next <= total;
    g->warps_per_cta = (uint32_t)((threads + SM_LANES - 1) / SM_LANES);
    if (!good || !ptx_launch_fits(d, l) ||
        g->warps_per_cta * ((l->registers + 7) / 8 * 8 * SM_LANES) > SM_FILE)
        wt_archive_fail(a, "a launch has a form that there cannot be");
}

static void launch(struct wt_archive *a, struct sm_device *d)
{
    struct sm_grid *g = &d->grid;
    struct sm_launch *l = &g->launch;
    if (wt_archive_whole(a, g, sizeof *g))
        return;
    wt_archive_fields(a, g, sm_grid_begin);
    if (!g->total) { /* there was no launch yet */
        *g = (struct sm_grid){.active = false};
        return;
    }
    wt_archive_fields(a, g, sm_grid_fields);
    for (unsigned i = 0; i < SM_BANKS; i++) {
        wt_archive_u64(a, &l->bank[i], UINT64_MAX, "a constant bank");
        wt_archive_u32(a, &l->bank_size[i], UINT32_MAX, "a constant bank");
    }
    wt_archive_fields(a, g, sm_grid_end);
    if (wt_archive_reads(a))
        check_launch(a, d);
}

static void cta(struct wt_archive *a, struct wt_machine *m, struct wt_group_head *head)
{
    const struct sm_device *d = (const struct sm_device *)m;
    struct sm_cta *c = (struct sm_cta *)head;
    if (wt_archive_reads(a))
        c->local_size = d->grid.launch.shared;
    wt_archive_bool(a, &c->used);
    if (!c->used)
        return;
    if (wt_archive_reads(a) && !d->grid.active)
        wt_archive_fail(a, "a CTA is of a launch that has ended");
    for (unsigned i = 0; i < 3; i++)
        wt_archive_u32(a, &c->coordinate[i], UINT32_MAX, "a CTA");
    for (unsigned i = 0; i < SM_BARRIERS; i++)
        wt_archive_fields(a, &c->barrier[i], barrier_fields);
    c->meets = true; /* perhaps */
}

/* ---- warps ---- */

static void registers(struct wt_archive *a, struct sm_warp *w)
{
    if (!w->r) {
        if ((w->r = sm_rows_new(w->id, SM_ROWS)))
            w->room = SM_ROWS;
        else
            wt_archive_fail(a, "the host has no memory for registers");
    }
    /* The rows are in the file: it says of no more than it has. */
    wt_archive_u32(a, &w->rows, PTX_MOST_ROWS, "the registers of a warp");
    if (wt_archive_reads(a) && w->rows > a->left / ROW_BYTES)
        wt_archive_fail(a, "it ends in the middle of a warp");
    if (!a->failed && !ptx_make_room(w, w->rows))
        wt_archive_fail(a, "the host has no memory for registers");
    if (a->failed)
        return;
    if (wt_archive_reads(a))
        memset(w->r, 0, SM_ROWS * sizeof *w->r);
    wt_archive_bytes(a, w->r, sm_rows_of(w) * sizeof *w->r);
    for (unsigned i = 0; i < SM_LANES && wt_archive_reads(a); i++)
        w->r[SM_RZ][i] = w->r[SM_RZ + 1][i] = w->r[SM_ROWS - 1][i] = 0;
}

static void trap(struct wt_archive *a, struct sm_warp *w)
{
    const struct sm_device *d = w->device;
    wt_archive_fields(a, w, sm_warp_trap);
    wt_archive_fault(a, &w->error, d->machine.waves, SM_LANES);
    w->marked = true;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t code = w->late_code[i];
        wt_archive_u32(a, &code, UINT8_MAX, "an error");
        w->late_code[i] = (uint8_t)code;
        wt_archive_u64(a, &w->late[i].due, UINT64_MAX, "a number of instructions");
        wt_archive_fault(a, &w->late[i].fault, d->machine.waves, SM_LANES);
    }
}

bool sm_warp_is_sound(struct sm_warp *w)
{
    const struct sm_device *d = w->device;
    const struct sm_unit *u = &d->unit[w->id / SM_WARPS];
    if (!w->cta->used || !w->live || !w->mask || w->mask & ~w->live ||
        (w->step && w->stepped && w->trapped) || (w->stepped && !w->step) ||
        (w->must_enter && (!d->handler || w->trapped || !u->in_trap)) || (w->paused && w->held))
        return false;
    /* Whoever is to enter a handler has left the barrier; where there is none it waits on. */
    if (w->at_barrier && !w->trapped && (w->must_enter || (w->paused && d->handler)))
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (w->late_code[i] && !w->late[i].fault.kind)
            return false;
    return ptx_is_sound(w);
}

static void running(struct wt_archive *a, struct sm_device *d, struct sm_warp *w)
{
    const uint32_t first = w->id / SM_WARPS * SM_CTAS;
    uint32_t place = w->cta ? (uint32_t)(w->cta - d->cta) - first : 0;
    wt_archive_u32(a, &place, SM_CTAS - 1, "a warp's CTA");
    w->cta = &d->cta[first + place];
    wt_archive_fields(a, w, sm_warp_fields);
    for (unsigned i = 0; i < 7; i++)
        wt_archive_u32(a, &w->p[i], UINT32_MAX, "a predicate");
    w->p[7] = UINT32_MAX;
    wt_archive_fields(a, w, sm_warp_barrier);
    for (uint32_t i = 0; i < w->depth; i++)
        wt_archive_fields(a, &w->stack[i], entry_fields);
    trap(a, w);
    registers(a, w);
    if (wt_archive_reads(a) && !a->failed && !sm_warp_is_sound(w))
        wt_archive_fail(a, "a warp is where it cannot be");
}

/* A warp in a snapshot: its rows have as much room as they ever needed. */
static bool whole_warp(struct wt_archive *a, struct sm_warp *w)
{
    const uint32_t room = w->room;
    if (!wt_archive_slot(a, w, sizeof *w, &w->r, w->active))
        return false;
    w->room = room;
    if (wt_archive_reads(a))
        w->clean = false; /* a later warp may have used the rows */
    assert(sm_rows_of(w) <= room);
    wt_archive_bytes(a, w->r, sm_rows_of(w) * sizeof *w->r);
    return true;
}

static void warp(struct wt_archive *a, struct sm_device *d, uint32_t n)
{
    struct sm_warp *w = &d->warp[n];
    if (whole_warp(a, w))
        return;
    if (wt_archive_reads(a))
        *w = (struct sm_warp){.r = w->r, .room = w->room, .device = d, .id = n};
    wt_archive_bool(a, &w->active);
    wt_archive_u64(a, &w->incarnation, UINT64_MAX, "a number of warps");
    if (w->active)
        running(a, d, w);
    if (wt_archive_reads(a) && a->failed)
        *w = (struct sm_warp){.r = w->r, .room = w->room, .device = d, .id = n};
}

/* ---- what follows from the parts ---- */

/* Whoever waits at a barrier has come to it. */
static void check_barriers(struct wt_archive *a, const struct sm_device *d)
{
    for (uint32_t i = 0; i < d->config.sms * SM_CTAS && !a->failed; i++) {
        uint64_t waiting[SM_BARRIERS] = {0};
        for (uint32_t k = 0; k < d->machine.waves; k++) {
            const struct sm_warp *w = &d->warp[k];
            if (w->cta != &d->cta[i])
                continue;
            if (w->at_barrier)
                waiting[w->at_barrier - 1]++;
            ptx_count_waiting(w, waiting);
        }
        for (unsigned n = 0; n < SM_BARRIERS; n++)
            if (waiting[n] > d->cta[i].barrier[n].arrived)
                wt_archive_fail(a, "more wait at a barrier than have arrived at it");
    }
}

static void count(struct wt_archive *a, struct sm_device *d)
{
    struct wt_machine *m = &d->machine;
    uint64_t used = 0;
    for (uint32_t i = 0; i < m->waves; i++) {
        struct sm_warp *w = &d->warp[i];
        m->active += w->active;
        if (w->active) {
            w->cta->waves++;
            w->cta->slots |= (uint64_t)1 << i % SM_WARPS;
        }
        if (w->error.kind && a->version == 4)
            w->error.id = wt_machine_wave_id(m, i);
        if (w->active)
            w->cta->threads += (uint32_t)__builtin_popcount(w->live);
    }
    wt_groups_count(&d->machine);
    for (uint32_t i = 0; i < d->config.sms * SM_CTAS; i++) {
        used += d->cta[i].used;
        if (d->cta[i].used && !d->cta[i].waves)
            wt_archive_fail(a, "a CTA has no warps");
    }
    if (d->grid.done + used > d->grid.next || (d->grid.active && d->grid.done == d->grid.total))
        wt_archive_fail(a, "a launch has other CTAs than it says");
    check_barriers(a, d);
    for (uint32_t i = 0; i < m->waves && !a->failed; i++)
        sm_update_ready(&d->warp[i]);
}

void sm_state(struct wt_machine *m, struct wt_archive *a)
{
    struct sm_device *d = (struct sm_device *)m;
    wt_archive_machine(a, m);
    if (!a->snapshot) {
        wt_archive_in_process(a, m);
        wt_archive_regions(a, &d->machine.regions);
    }
    wt_archive_u64(a, &d->handler, UINT64_MAX, "the address of the trap handler");
    if (!a->snapshot)
        wt_archive_bool(a, &d->grant);
    launch(a, d);
    for (uint32_t i = 0; i < d->config.sms; i++)
        wt_archive_fields(a, &d->unit[i], sm_unit_fields);
    wt_groups_archive(m, a, cta);
    for (uint32_t i = 0; i < m->waves && !a->failed; i++)
        warp(a, d, i);
    wt_console_archive(a, &d->console);
    if (!wt_archive_reads(a) || a->failed)
        return;
    if (a->snapshot)
        wt_groups_count(&d->machine);
    else
        count(a, d);
}
