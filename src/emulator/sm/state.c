/* The parts of the device's state, for snapshots and core files. See machine/archive.h. The images
 * of PTX are no part of it: the device must have them before a file is read. */
#include "emulator/machine/archive_parts.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/sm/host.h"
#include "emulator/sm/ptx_image.h"

#define ROW_BYTES (SM_LANES * 4u)

/* ---- the launch, SMs, CTAs ---- */

/* Refuses the launches that sm_device_launch() refuses. */
static void check_launch(struct wt_archive *a, struct sm_device *d)
{
    struct sm_grid *g = &d->grid;
    const struct sm_launch *l = &g->launch;
    uint64_t total = 1, threads = 1;
    bool good = l->shared <= SM_CTA_SHARED && l->registers >= 1 && l->registers <= 255;
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
    uint64_t *const longs[] = {&g->next,       &g->done,      &l->entry,
                               &l->local_base, &l->constant,  &l->constant_end,
                               &l->heap,       &l->heap_size, &l->together};
    if (wt_archive_whole(a, g, sizeof *g))
        return;
    wt_archive_u64(a, &g->total, UINT64_MAX, "a number of CTAs");
    wt_archive_bool(a, &g->active);
    if (!g->total) { /* there was no launch yet */
        *g = (struct sm_grid){.active = false};
        return;
    }
    for (size_t i = 0; i < sizeof longs / sizeof *longs; i++)
        wt_archive_u64(a, longs[i], UINT64_MAX, "a launch");
    for (unsigned i = 0; i < 3; i++) {
        wt_archive_u32(a, &l->grid[i], UINT32_MAX, "a grid");
        wt_archive_u32(a, &l->block[i], 1024, "a CTA");
    }
    for (unsigned i = 0; i < SM_BANKS; i++) {
        wt_archive_u64(a, &l->bank[i], UINT64_MAX, "a constant bank");
        wt_archive_u32(a, &l->bank_size[i], UINT32_MAX, "a constant bank");
    }
    wt_archive_u64(a, &l->number, UINT64_MAX, "a launch");
    wt_archive_unsigned(a, &l->registers, 255, "the registers of a thread");
    wt_archive_u32(a, &l->shared, SM_CTA_SHARED, "the shared memory of a CTA");
    uint32_t *const words[] = {&l->local, &l->rows, &l->frame_local, &l->dynamic};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        wt_archive_u32(a, words[i], UINT32_MAX, "a launch");
    if (wt_archive_reads(a))
        check_launch(a, d);
}

static void unit(struct wt_archive *a, struct sm_unit *u)
{
    bool *const flags[] = {&u->in_trap,     &u->debugger, &u->stop_any_warp, &u->stop_any_sm,
                           &u->single_step, &u->stop,     &u->loud};
    uint32_t *const words[] = {&u->global_esr,       &u->warp_report, &u->global_report,
                               &u->exception_enable, &u->interrupts,  &u->inconsistent};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        wt_archive_bool(a, flags[i]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        wt_archive_u32(a, words[i], UINT32_MAX, "a register");
    wt_archive_u64(a, &u->pause_mask, UINT64_MAX, "a mask of warps");
    wt_archive_u64(a, &u->trap_mask, UINT64_MAX, "a mask of warps");
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
    for (unsigned i = 0; i < SM_BARRIERS; i++) {
        struct sm_barrier *b = &c->barrier[i];
        wt_archive_u32(a, &b->arrived, UINT32_MAX, "who came to a barrier");
        wt_archive_u32(a, &b->expected, UINT32_MAX, "who is to come to a barrier");
        wt_archive_u32(a, &b->holds, UINT32_MAX, "a barrier");
        wt_archive_u32(a, &b->op, UINT32_MAX, "a barrier");
    }
}

/* ---- warps ---- */

static void entry(struct wt_archive *a, struct sm_entry *e)
{
    wt_archive_u64(a, &e->pc, UINT64_MAX, "an address");
    wt_archive_u32(a, &e->mask, UINT32_MAX, "lanes");
    wt_archive_u32(a, &e->kind, SM_ENTRY_PATH, "an entry of a stack");
    wt_archive_u32(a, &e->base, UINT32_MAX, "a frame");
    wt_archive_u32(a, &e->wait, PTX_GOES_ON, "what a path waits for");
    wt_archive_u32(a, &e->result, UINT32_MAX, "a path");
}

static void registers(struct wt_archive *a, struct sm_warp *w)
{
    if (!w->r) {
        if ((w->r = aligned_alloc(64, SM_ROWS * sizeof *w->r)))
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
    bool *const flags[] = {&w->trapped, &w->must_enter, &w->masked,
                           &w->held,    &w->step,       &w->stepped};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        wt_archive_bool(a, flags[i]);
    wt_archive_u8(a, &w->pending_traps, UINT8_MAX, "traps");
    wt_archive_u8(a, &w->paused, SM_PAUSED_QUIET, "a pause");
    wt_archive_u32(a, &w->esr, UINT32_MAX, "a warp's ESR");
    wt_archive_u64(a, &w->esr_pc, UINT64_MAX, "an address");
    wt_archive_fault(a, &w->error, d->machine.waves, SM_LANES);
    for (unsigned i = 0; i < 2; i++) {
        wt_archive_u32(a, &w->late[i].code, UINT8_MAX, "an error");
        wt_archive_u64(a, &w->late[i].due, UINT64_MAX, "a number of instructions");
        wt_archive_fault(a, &w->late[i].fault, d->machine.waves, SM_LANES);
    }
}

static bool is_sound(struct sm_warp *w)
{
    const struct sm_device *d = w->device;
    const struct sm_unit *u = &d->unit[w->id / SM_WARPS];
    if (!w->cta->used || !w->live || !w->mask || w->mask & ~w->live ||
        (w->step && w->stepped && w->trapped) || (w->stepped && !w->step) ||
        (w->must_enter && (!d->handler || w->trapped || !u->in_trap)) || (w->paused && w->held))
        return false;
    if (w->at_barrier && !w->trapped && (w->must_enter || (w->paused && d->handler)))
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (w->late[i].code && !w->late[i].fault.kind)
            return false;
    return ptx_is_sound(w);
}

static void running(struct wt_archive *a, struct sm_device *d, struct sm_warp *w)
{
    const uint32_t first = w->id / SM_WARPS * SM_CTAS;
    uint32_t place = w->cta ? (uint32_t)(w->cta - d->cta) - first : 0;
    uint32_t index = w->index;
    uint32_t *const words[] = {&w->live,   &w->mask,  &w->z,          &w->s,    &w->carry,
                               &w->o,      &index,    &w->bar_result, &w->base, &w->wait,
                               &w->result, &w->spins, &w->hold};
    wt_archive_u32(a, &place, SM_CTAS - 1, "a warp's CTA");
    w->cta = &d->cta[first + place];
    wt_archive_u64(a, &w->pc, UINT64_MAX, "an address");
    wt_archive_u64(a, &w->issued, UINT64_MAX, "a number of instructions");
    wt_archive_u64(a, &w->local, UINT64_MAX, "an address");
    wt_archive_u64(a, &w->wait_pc, UINT64_MAX, "an address");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        wt_archive_u32(a, words[i], UINT32_MAX, "a warp");
    if (index > UINT16_MAX)
        wt_archive_fail(a, "a warp is where it cannot be");
    w->index = (uint16_t)index;
    for (unsigned i = 0; i < 7; i++)
        wt_archive_u32(a, &w->p[i], UINT32_MAX, "a predicate");
    w->p[7] = UINT32_MAX;
    wt_archive_u8(a, &w->at_barrier, SM_BARRIERS, "a barrier");
    wt_archive_u8(a, &w->bar_op, UINT8_MAX, "a barrier");
    wt_archive_u8(a, &w->bar_threads, SM_LANES, "a barrier");
    wt_archive_u8(a, &w->bar_true, SM_LANES, "a barrier");
    wt_archive_u32(a, &w->depth, SM_STACK, "the depth of a stack");
    for (uint32_t i = 0; i < w->depth; i++)
        entry(a, &w->stack[i]);
    trap(a, w);
    registers(a, w);
    if (wt_archive_reads(a) && !a->failed && !is_sound(w))
        wt_archive_fail(a, "a warp is where it cannot be");
}

/* A warp in a snapshot: its rows have as much room as they ever needed. */
static void whole_warp(struct wt_archive *a, struct sm_warp *w)
{
    const uint32_t room = w->room;
    wt_archive_whole_but(a, w, sizeof *w, &w->r);
    w->room = room;
    if (wt_archive_reads(a))
        w->clean = false; /* a later warp may have used the rows of a free slot */
    assert(!w->active || sm_rows_of(w) <= room);
    if (w->active)
        wt_archive_bytes(a, w->r, sm_rows_of(w) * sizeof *w->r);
}

static void warp(struct wt_archive *a, struct sm_device *d, uint32_t n)
{
    struct sm_warp *w = &d->warp[n];
    if (a->snapshot) {
        whole_warp(a, w);
        return;
    }
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
                wt_archive_fail(a, "more wait at a barrier than have come to it");
    }
}

static void count(struct wt_archive *a, struct sm_device *d)
{
    struct wt_machine *m = &d->machine;
    uint64_t used = 0;
    for (uint32_t i = 0; i < m->waves; i++) {
        struct sm_warp *w = &d->warp[i];
        m->active += w->active;
        if (w->active && !w->cta->waves++)
            w->cta->first = i % SM_WARPS;
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
        unit(a, &d->unit[i]);
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
