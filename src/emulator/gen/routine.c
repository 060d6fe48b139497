/*
 * The system routine of the emulated driver, by which a debugger controls threads (docs/gen9.md,
 * "Exceptions"). It does what Intel's own routine does: it saves a thread's registers where the
 * host reads and writes them, waits for TD_CLR, and returns to AIP. It is native code: it takes no
 * issues, and its data for a thread is outside of the program's state, so that a debugger does not
 * change the run.
 */
#include "emulator/gen/internal.h"

#include <string.h>

#include "object/gen_saved.h"

static_assert(sizeof(struct gen_saved) <= GEN_SAVED_STRIDE, "a thread's area holds its registers");

static const uint32_t requests = GEN_CR1_BREAKPOINT | GEN_CR1_HALT | GEN_CR1_FORCED;

void gen_hold(struct gen_thread *t, uint32_t status)
{
    struct wt_machine *m = &t->device->machine;
    assert(t->active && t->device->debugged);
    t->held = true;
    t->status |= status & requests;
    t->steps = t->suppresses = t->suppress = false;
    /* A host that halts threads by itself looks at them next. */
    m->event |= m->in_turn || status & GEN_CR1_FORCED;
    t->device->attention = true;
    gen_update_ready(t);
}

/* The thread would be back in the routine before its next instruction. */
static bool stays(const struct gen_thread *t)
{
    const uint32_t own = t->g->cr[1];
    if (t->status & (GEN_CR1_HALT | GEN_CR1_FORCED))
        return true;
    if (t->status & GEN_CR1_BREAKPOINT && !t->suppress)
        return true;
    return !gen_walk_of(t)->walk.sip && own & GEN_CR1_SOFTWARE && own & GEN_CR1_ENABLE_SOFTWARE;
}

void gen_release(struct gen_thread *t)
{
    assert(t->held);
    if (stays(t))
        return;
    t->steps = t->status & GEN_CR1_BREAKPOINT;
    t->suppresses = t->suppress;
    t->held = t->suppress = false;
    t->status = 0;
    gen_update_ready(t);
}

void gen_device_debug(struct gen_device *d, bool on)
{
    d->debugged = on;
    d->td_ctl = on ? GEN_DRIVER_TD_CTL : 0;
    for (uint32_t i = 0; i < d->machine.waves && !on; i++) {
        struct gen_thread *t = &d->thread[i];
        t->held = t->steps = t->suppress = false;
        t->suppresses &= t->active && gen_walk_of(t)->walk.sip;
        t->status = 0;
        gen_update_ready(t);
    }
}

void gen_device_hold(struct gen_device *d, uint32_t thread)
{
    if (!d->thread[thread].held)
        gen_hold(&d->thread[thread], 0);
}

bool gen_device_attention(struct gen_device *d)
{
    const bool any = d->attention;
    d->attention = false;
    return any;
}

/* ---- what it has saved ---- */

static void copy_vectors(struct gen_saved *s, const struct gen_registers *g)
{
    memcpy(s->r, g->r, sizeof s->r);
    memcpy(s->a0, g->a0, sizeof s->a0);
    memcpy(s->acc, g->acc, sizeof s->acc);
    memcpy(s->f, g->f, sizeof s->f);
    memcpy(s->sp, g->sp, sizeof s->sp);
    memcpy(s->sr, g->sr, sizeof s->sr);
    memcpy(s->cr, g->cr, sizeof s->cr);
    memcpy(s->n, g->n, sizeof s->n);
    memcpy(s->tdr, g->tdr, sizeof s->tdr);
    memcpy(s->dbg, g->dbg, sizeof s->dbg);
    memcpy(s->msg, g->msg, sizeof s->msg);
    for (unsigned i = 0; i < GEN_FC_ELEMENTS; i++)
        s->fc[i] = (uint32_t)wt_load_le(g->fc[i], 4);
}

static void describe(struct gen_saved *s, const struct gen_thread *t)
{
    const struct gen_running *k = gen_walk_of(t);
    const struct gen_walk *w = &k->walk;
    *s = (struct gen_saved){
        .ce = t->mask,
        .dispatch = t->dispatched,
        .tm = {(uint32_t)t->device->machine.time, (uint32_t)(t->device->machine.time >> 32)},
        .instructions = t->base,
        .launch = w->launch,
        .id = wt_machine_wave_id(&t->device->machine, t->id),
        .index = t->index,
        .simd = w->simd,
        .scratch = w->general,
        .arguments = w->payload};
    if (w->has_scratch)
        s->scratch += w->scratch + ((uint64_t)t->id << (10 + w->scratch_code));
    copy_vectors(s, t->g);
    s->cr[0] |= GEN_SAVED_MASTER;
    s->cr[1] |= t->status;
    s->cr[2] = (uint32_t)(t->pc - t->base);
    for (unsigned i = 0; i < 3; i++) {
        s->group[i] = t->group->coordinate[i];
        s->block[i] = w->block[i];
        s->grid[i] = w->grid[i];
        s->groups[i] = w->block[i] ? (w->grid[i] - 1) / w->block[i] + 1 : w->end[i];
    }
}

/* The bits that a debugger may change. Request bits that the program has set stay as they are. */
static void take_back(struct gen_thread *t, const struct gen_saved *s)
{
    struct gen_registers *g = t->g;
    const uint32_t kept0 = GEN_CR0_MASTER | (uint32_t)GEN_CR0_SUPPRESS;
    const uint32_t cr[2] = {(s->cr[0] & ~kept0) | (g->cr[0] & kept0),
                            (s->cr[1] & ~requests) | (g->cr[1] & requests)};
    memcpy(g->r, s->r, sizeof s->r);
    memcpy(g->a0, s->a0, sizeof s->a0);
    memcpy(g->acc, s->acc, sizeof s->acc);
    memcpy(g->f, s->f, sizeof s->f);
    memcpy(g->sp, s->sp, sizeof s->sp);
    memcpy(g->n, s->n, sizeof s->n);
    memcpy(g->tdr, s->tdr, sizeof s->tdr);
    memcpy(g->dbg, s->dbg, sizeof s->dbg);
    memcpy(g->msg, s->msg, sizeof s->msg);
    for (unsigned i = 0; i < GEN_FC_ELEMENTS; i++)
        wt_store_le(g->fc[i], s->fc[i], 4);
    memcpy(g->cr, cr, sizeof cr);
    t->suppress = s->cr[0] & GEN_SAVED_SUPPRESS;
    t->status = s->cr[1] & requests;
    t->pc = t->base + s->cr[2];
}

/* The thread whose area [addr, addr + size) lies in; *offset: of the first byte in it. */
static struct gen_thread *saved_at(struct gen_device *d, uint64_t addr, size_t size, size_t *offset)
{
    const uint64_t at = addr - GEN_SAVED_APERTURE, number = at / GEN_SAVED_STRIDE;
    *offset = (size_t)(at % GEN_SAVED_STRIDE);
    if (addr < GEN_SAVED_APERTURE || number >= d->machine.waves || !d->thread[number].held ||
        *offset > sizeof(struct gen_saved) || size > sizeof(struct gen_saved) - *offset)
        return NULL;
    return &d->thread[number];
}

bool gen_saved_read(struct gen_device *d, uint64_t addr, void *out, size_t size)
{
    size_t offset;
    struct gen_saved saved;
    const struct gen_thread *t = saved_at(d, addr, size, &offset);
    if (!t)
        return false;
    describe(&saved, t);
    memcpy(out, (const uint8_t *)&saved + offset, size);
    return true;
}

bool gen_saved_write(struct gen_device *d, uint64_t addr, const void *bytes, size_t size)
{
    size_t offset;
    struct gen_saved saved;
    struct gen_thread *t = saved_at(d, addr, size, &offset);
    if (!t)
        return false;
    describe(&saved, t);
    memcpy((uint8_t *)&saved + offset, bytes, size);
    take_back(t, &saved);
    return true;
}
