/*
 * PTX: the paths of a warp (sm/ptx/exec/flow.c describes them), barriers of threads, the beginning
 * of a warp.
 */
#include <string.h>

#include "emulator/machine/fill.h"
#include "emulator/sm/ptx/exec/rows.h"

/* ---- paths ---- */

/* Whether a path at a runs before one at b. */
bool ptx_before(const struct sm_device *d, uint32_t a_base, uint64_t a_pc, uint32_t b_base,
                uint64_t b_pc)
{
    return a_base != b_base ? a_base > b_base : ptx_order_of(d, a_pc) < ptx_order_of(d, b_pc);
}

void ptx_remove_entry(struct sm_warp *w, uint32_t i)
{
    uint32_t oldest = 0;
    while (oldest < i && !ptx_can_run(&w->stack[oldest]))
        oldest++;
    if (oldest == i && ptx_can_run(&w->stack[i]))
        w->spins = 0; /* another one has waited longest from now on */
    memmove(&w->stack[i], &w->stack[i + 1], (w->depth - i - 1) * sizeof *w->stack);
    w->depth--;
}

/* Adds a path, to the one at the same place if there is one. */
void ptx_put_away(struct sm_warp *w, uint64_t pc, uint32_t mask, uint32_t base, uint32_t wait,
                  uint32_t result)
{
    assert(mask);
    for (uint32_t i = 0; wait == PTX_RUNS && i < w->depth; i++) {
        struct sm_entry *e = &w->stack[i];
        if (ptx_can_run(e) && e->pc == pc && e->base == base) {
            e->mask |= mask;
            return;
        }
    }
    assert(w->depth < SM_STACK); /* paths have lanes, and there are 32 */
    w->stack[w->depth++] = (struct sm_entry){.pc = pc,
                                             .mask = mask,
                                             .kind = SM_ENTRY_PATH,
                                             .base = base,
                                             .wait = wait,
                                             .result = result};
}

/* Entry i becomes the path that runs; it stands at w->pc. */
void ptx_take_path(struct sm_warp *w, uint32_t i)
{
    const struct sm_entry e = w->stack[i];
    ptx_remove_entry(w, i);
    w->mask = e.mask;
    w->base = e.base;
    w->wait = e.wait;
    w->result = e.result;
    w->pc = e.pc;
}

bool ptx_find_best(const struct sm_warp *w, uint32_t wait, uint32_t *best)
{
    bool found = false;
    for (uint32_t i = 0; i < w->depth; i++) {
        const struct sm_entry *e = &w->stack[i];
        if (e->kind != SM_ENTRY_PATH || e->wait != wait)
            continue;
        if (!found ||
            ptx_before(w->device, e->base, e->pc, w->stack[*best].base, w->stack[*best].pc))
            *best = i;
        found = true;
    }
    return found;
}

/*
 * The path that ran has gone or waits in an entry: another one is chosen. Where none can run, one
 * that waits for lanes that do not come goes on without them; else one that waits at a barrier
 * stands for the warp. False: there is no path left.
 */
bool ptx_choose_path(struct sm_warp *w)
{
    uint32_t i = 0;
    w->spins = w->hold = 0;
    if (ptx_find_best(w, PTX_RUNS, &i)) {
        ptx_take_path(w, i);
        return true;
    }
    if (ptx_find_best(w, PTX_WAITS_SYNC, &i)) {
        ptx_take_path(w, i);
        w->wait = PTX_GOES_ON;
        return true;
    }
    if (!w->depth)
        return false;
    ptx_take_path(w, w->depth - 1);
    sm_update_ready(w);
    return true;
}

/* ---- frames ---- */

bool ptx_make_room(struct sm_warp *w, uint32_t rows)
{
    if (rows <= w->room)
        return true;
    const uint32_t room = rows + rows / 2;
    uint32_t(*r)[SM_LANES] = sm_rows_new(w->id, room);
    if (!r)
        return false;
    const uint32_t zeros = w->clean ? PTX_FIRST_ROW : 0; /* as new ones are */
    if (w->room > zeros)
        memcpy(r + zeros, w->r + zeros, (size_t)(w->room - zeros) * sizeof *r);
    sm_rows_free(w->r, w->room);
    w->r = r;
    w->room = room;
    return true;
}

/* Rows in use: the newest frame of all paths is the last one. */
uint32_t ptx_rows_in_use(const struct sm_warp *w)
{
    uint32_t base = w->base;
    for (uint32_t i = 0; i < w->depth; i++)
        if (w->stack[i].kind == SM_ENTRY_PATH && w->stack[i].base > base)
            base = w->stack[i].base;
    return base + w->r[base][PTX_ROWS];
}

/* ---- barriers of the CTA, in threads ---- */

/* Paths that wait so go on; -> their lanes. */
static inline uint32_t resume(struct sm_warp *w, uint32_t wait, uint32_t result)
{
    uint32_t lanes = w->wait == wait ? w->mask : 0;
    for (uint32_t i = 0; i < w->depth; i++) {
        struct sm_entry *e = &w->stack[i];
        if (e->kind != SM_ENTRY_PATH || e->wait != wait)
            continue;
        lanes |= e->mask;
        e->wait = PTX_RUNS;
        e->result = result;
        e->pc = sm_next_pc(e->pc);
    }
    if (w->wait == wait) {
        w->wait = PTX_RUNS;
        w->result = result;
        w->pc = sm_next_pc(w->pc);
    } else if (w->wait > PTX_RUNS && w->wait < PTX_WAITS_SYNC) {
        ptx_put_away(w, w->pc, w->mask, w->base, w->wait, w->result);
        ptx_choose_path(w);
    }
    sm_update_ready(w);
    return lanes;
}

/* How many threads arrived is in the upper half of a path's result while it waits. */
bool ptx_open_barrier(struct sm_device *d, struct sm_cta *c, unsigned number)
{
    struct sm_barrier *b = &c->barrier[number];
    if (!b->arrived || b->arrived < (b->expected ? b->expected : c->threads))
        return false;
    const bool holds = b->op == 0 ? b->holds == b->arrived : b->holds > 0; /* and; or, popc */
    const uint32_t result = (b->holds & 0xffff) | (holds ? 1u << 31 : 0);
    *b = (struct sm_barrier){0};
    struct sm_warp *const of_sm = &d->warp[c->core * SM_WARPS];
    const bool observed = wt_observes_events(&d->machine);
    struct wt_turns *t = &d->machine.turns;
    uint64_t ready = 0; /* warps with one path */
    static_assert(SM_WARPS == 64, "a word of the ready set is an SM's");
    for (uint64_t left = c->slots; left; left &= left - 1) {
        struct sm_warp *w = of_sm + __builtin_ctzll(left);
        if (w->wait == PTX_WAITS_BARRIER + number && !w->depth && !observed && sm_trap_runs(w)) {
            w->wait = PTX_RUNS;
            w->result = result;
            w->pc = sm_next_pc(w->pc);
            ready |= left & -left;
            continue;
        }
        const uint32_t lanes = resume(w, PTX_WAITS_BARRIER + number, result);
        if (lanes)
            wt_wave_tell_release(&d->machine, &w->head, lanes, number);
    }
    ready &= ~t->ready[c->core];
    t->ready[c->core] |= ready;
    t->ready_count += wt_count_ones(ready);
    return true;
}

bool ptx_open_cluster(struct sm_device *d, struct sm_cta *c)
{
    struct sm_warp *const of_sm = &d->warp[c->core * SM_WARPS];
    uint32_t came = 0;
    bool clusters = false;
    for (size_t i = 0; i < d->image_count && !clusters; i++)
        clusters = d->image[i]->clusters;
    if (!clusters)
        return false;
    for (uint64_t left = c->slots; left; left &= left - 1) {
        const struct sm_warp *w = of_sm + __builtin_ctzll(left);
        const uint32_t due = w->bare ? 0 : ptx_header(w, PTX_FIRST_ROW)[PTX_CLUSTER_DUE];
        if (w->live & ~due)
            return false;
        came |= due;
    }
    for (uint64_t left = came ? c->slots : 0; left; left &= left - 1) {
        struct sm_warp *w = of_sm + __builtin_ctzll(left);
        uint32_t *due = &ptx_header(w, PTX_FIRST_ROW)[PTX_CLUSTER_DUE];
        /* The order begins here, also for those that wait later: then they find it open. */
        wt_wave_tell_release(&d->machine, &w->head, *due, SM_BARRIERS);
        *due = 0;
        resume(w, PTX_WAITS_CLUSTER, 0);
    }
    return came;
}

static void leave(struct sm_cta *c, uint32_t *wait, uint32_t result)
{
    if (*wait < PTX_WAITS_BARRIER || *wait >= PTX_WAITS_SYNC)
        return;
    if (*wait == PTX_WAITS_CLUSTER) {
        *wait = PTX_RUNS;
        return;
    }
    struct sm_barrier *b = &c->barrier[*wait - PTX_WAITS_BARRIER];
    assert(b->arrived >= result >> 16);
    b->arrived -= result >> 16;
    b->holds -= result & 0xffff;
    if (!b->arrived)
        *b = (struct sm_barrier){0};
    *wait = PTX_RUNS;
}

void ptx_leave_barriers(struct sm_warp *w)
{
    leave(w->cta, &w->wait, w->result);
    for (uint32_t i = 0; i < w->depth; i++)
        if (w->stack[i].kind == SM_ENTRY_PATH)
            leave(w->cta, &w->stack[i].wait, w->stack[i].result);
}

/* ---- the beginning ---- */

void ptx_clear_frame(struct sm_warp *w, uint32_t base, uint32_t rows)
{
    const uint32_t header = rows < PTX_PARAMETER_ROW ? rows : PTX_PARAMETER_ROW;
    const struct wt_machine *m = &w->device->machine;
    const struct wt_fill *fill = &w->device->config.fill;
    ptx_clear_rows(w->r + base, fill->kind == WT_FILL_ZERO ? rows : header);
    if (fill->kind == WT_FILL_ZERO)
        return;
    wt_fill_bytes(fill, wt_fill_place(WT_FILLED_REGISTERS, wt_machine_wave_id(m, w->id)) + base,
                  w->r[base + header], (size_t)(rows - header) * sizeof *w->r);
}

/* The frame of the kernel; `bare`: nobody saw the warp without it. */
static void make_frame(struct sm_warp *w, bool bare)
{
    const struct sm_launch *l = &w->device->grid.launch;
    uint32_t(*const frame)[SM_LANES] = w->r + PTX_FIRST_ROW;
    if (!bare || !ptx_begin_fresh(w))
        ptx_clear_frame(w, PTX_FIRST_ROW, l->rows);
    frame[0][PTX_ROWS] = l->rows;
    frame[0][PTX_CALLER] = PTX_FIRST_ROW;
    const uint32_t local = l->frame_local;
    for (unsigned i = 0; local && i < SM_LANES; i++) /* it is zeros */
        frame[PTX_STACK_ROW][i] = local;
}

bool ptx_start_warp(struct sm_warp *w)
{
    const struct sm_launch *l = &w->device->grid.launch;
    const uint32_t rows = PTX_FIRST_ROW + l->rows;
    if (!ptx_make_room(w, rows))
        return false;
    if (!w->clean)
        memset(w->r, 0, PTX_FIRST_ROW * sizeof *w->r);
    w->clean = true;
    w->base = PTX_FIRST_ROW;
    w->rows = rows;
    w->bare = ptx_is_unseen(w->device);
    if (w->bare)
        w->device->has_fresh = true;
    else
        make_frame(w, false);
    return true;
}

/* The rows of the last warp that ended are in the host's caches: where nobody has them, they are
 * this one's from now on, and its own are the other one's. */
void ptx_take_rows(struct sm_warp *w)
{
    struct sm_warp *other = w->device->ended;
    w->device->ended = NULL;
    if (!other || other == w || !other->clean || other->room < w->rows ||
        (other->active && (!other->bare || w->room < other->rows)))
        return;
    uint32_t(*const r)[SM_LANES] = w->r;
    const uint32_t room = w->room;
    w->r = other->r;
    w->room = other->room;
    other->r = r;
    other->room = room;
}

void ptx_begin_warp(struct sm_warp *w)
{
    w->bare = false;
    ptx_take_rows(w);
    make_frame(w, true);
}

void ptx_begin_all(struct sm_device *d)
{
    for (uint32_t i = 0; d->has_fresh && i < d->machine.waves; i++)
        if (d->warp[i].active && d->warp[i].bare)
            ptx_begin_warp(&d->warp[i]);
}
