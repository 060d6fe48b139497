/* Warps, thread masks, the IPDOM stack and barriers: Vortex's SIMT instructions. */
#include "emulator/machine/groups.h"
#include "emulator/vortex/trace.h"
#include "emulator/vortex/watch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint64_t vx_get_x(const struct vx_warp *w, unsigned r, unsigned lane)
{
    assert(r < 32 && lane < w->device->machine.lanes);
    const size_t at = (size_t)r * w->device->machine.lanes + lane;
    return w->device->config.xlen == 32 ? ((const uint32_t *)w->x)[at]
                                        : ((const uint64_t *)w->x)[at];
}

void vx_set_x(struct vx_warp *w, unsigned r, unsigned lane, uint64_t value)
{
    assert(r < VX_X_ROWS && lane < w->device->machine.lanes);
    const size_t at = (size_t)r * w->device->machine.lanes + lane;
    if (w->device->config.xlen == 32)
        ((uint32_t *)w->x)[at] = (uint32_t)value;
    else
        ((uint64_t *)w->x)[at] = value;
}

/* ---- faults ---- */

const struct vx_uop *vx_fault(struct vx_warp *w, const struct vx_uop *u, enum wt_fault_kind kind,
                              wt_lanes lanes, uint64_t addr, const char *format, ...)
{
    struct wt_machine *m = &w->device->machine;
    va_list args;
    va_start(args, format);
    const struct wt_fault fault =
        wt_engine_fault(m, &w->head, kind, lanes, vx_pc_of(w, u), addr, format, args);
    va_end(args);
    wt_engine_stop(m, &w->head, &fault);
    vx_mark_fault(w->device);
    return NULL;
}

void vx_mark_fault(struct vx_device *d)
{
    char *text = d->machine.fault.text;
    const size_t length = strlen(text);
    if (d->config.part_lanes)
        snprintf(text + length, sizeof d->machine.fault.text - length, " (divergence=auto)");
}

const struct vx_uop *vx_illegal(struct vx_warp *w, const struct vx_uop *u)
{
    uint8_t bytes[4] = {0};
    vx_read_bytes(w->core, w->device, vx_pc_of(w, u), bytes, sizeof bytes);
    const unsigned length = (bytes[0] & 3) == 3 ? 4 : 2;
    return vx_fault(w, u, WT_FAULT_ILLEGAL, w->mask, 0, "illegal instruction 0x%0*llx",
                    (int)length * 2, (unsigned long long)wt_load_le(bytes, length));
}

/* ---- masks and activity ---- */

void vx_set_mask(struct vx_warp *w, wt_lanes mask)
{
    assert(!(mask & ~w->device->all_lanes));
    const unsigned lanes = w->device->machine.lanes;
    w->mask = mask;
    w->full = mask == w->device->all_lanes;
    uint64_t bits = (uint64_t)mask;
    for (unsigned l = 0; l < lanes; l++) {
        if (l == 64)
            bits = (uint64_t)(mask >> 64);
        const uint64_t on = -(bits & 1);
        bits >>= 1;
        w->lane32[l] = (uint32_t)on;
        w->lane64[l] = on;
    }
    w->device->mask_written = true;
    vx_note_change(w);
}

void vx_update_ready(struct vx_warp *w)
{
    wt_turns_set_ready(&w->device->machine.turns, w->id,
                       w->active && w->wait == VX_RUNS && !w->halted);
}

/* Notes what the warp waits for, or that it waits for nothing. */
static void set_wait(struct vx_warp *w, enum vx_wait wait)
{
    assert(wait <= VX_WAIT_PHASE);
    w->wait = wait;
    vx_update_ready(w);
}

/* Tells who observes the machine of an event of a warp with its active lanes. */
static void tell(const struct vx_warp *w, enum wt_observed_event_kind kind, uint64_t pc)
{
    if (!wt_observes_events(&w->device->machine))
        return;
    const bool global =
        w->wait == VX_WAIT_GLOBAL_BARRIER || (w->wait == VX_WAIT_PHASE && w->wait_target);
    const enum wt_observed_barrier barrier = global ? WT_BARRIER_CORES : WT_BARRIER_CORE;
    wt_wave_tell(&w->device->machine, &w->head,
                 &(struct wt_observed_event){.kind = kind,
                                             .pc = pc,
                                             .lanes = w->mask,
                                             .barrier = barrier,
                                             .number = w->wait_id,
                                             .expected = w->wait_count});
}

void vx_tell_fence(const struct vx_warp *w, const struct vx_uop *u)
{
    enum { STORES = 1, LOADS = 2 };
    const uint64_t pc = vx_pc_of(w, u);
    uint8_t bytes[4];
    vx_read_bytes(w->core, w->device, pc, bytes, sizeof bytes);
    const uint64_t word = wt_load_le(bytes, sizeof bytes);
    const unsigned both = (unsigned)(word >> 24 & word >> 20);
    if (both & (STORES | LOADS)) /* else it orders no memory, as a pause */
        wt_wave_tell_fence(&w->device->machine, &w->head, pc, w->mask,
                           !(both & LOADS)    ? WT_ORDER_RELEASE
                           : !(both & STORES) ? WT_ORDER_ACQUIRE
                                              : WT_ORDER_SEQUENTIAL,
                           WT_AMONG_DEVICE);
}

void vx_warp_start(struct vx_warp *w, uint64_t pc, wt_lanes mask)
{
    w->touched = true;
    w->pc = vx_truncate(w->device, pc) & ~(uint64_t)1;
    w->depth = w->parts = 0;
    const bool begins = !w->active;
    if (begins) {
        w->active = true;
        w->incarnation++;
        w->core->active++;
        w->device->machine.active++;
        w->device->halted_active += w->halted;
    }
    vx_set_mask(w, mask);
    set_wait(w, VX_RUNS);
    if (begins)
        wt_wave_tell_begin(&w->device->machine, &w->head);
}

void vx_launch_first_warps(struct vx_device *device)
{
    wt_group_tell(&device->machine, NULL, WT_SEEN_LAUNCH);
    for (uint32_t core = 0; core < device->core_count; core++)
        vx_warp_start(&device->warp[core * device->config.warps], device->config.startup, 1);
}

/* Warps 0..count-1 but the issuer start at target with thread 0. A count below 2 starts none,
 * whichever warp asks: wspawn(1, 0) is how a program waits for its other warps. */
static void spawn(struct vx_warp *w, uint32_t count, uint64_t target)
{
    struct vx_device *d = w->device;
    if (count < 2)
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct vx_warp *other = &d->warp[w->core->first_warp + i];
        if (other == w)
            continue;
        other->mscratch = w->mscratch; /* of profiles where it is the warp's */
        vx_warp_start(other, target, 1);
    }
}

static void check_global_barriers(struct vx_device *d, struct vx_core *core);

/* A warp of this core has exited: a wspawn that waited to be alone, a global barrier that waited
 * for the core's other warps may go on. */
static void after_exit(struct vx_device *d, struct vx_core *core)
{
    if (core->active == 1) {
        for (uint32_t i = 0; i < d->config.warps; i++) {
            struct vx_warp *w = &d->warp[core->first_warp + i];
            if (w->active && w->wait == VX_WAIT_WSPAWN) {
                set_wait(w, VX_RUNS);
                tell(w, WT_SEEN_ALONE, 0);
                spawn(w, w->wait_id, w->wait_target);
                return;
            }
        }
    }
    check_global_barriers(d, core);
}

/* The warp has ended: it leaves its CTA, whose place may become free. */
static void leave_cta(struct vx_warp *w)
{
    if (!w->of_cta)
        return;
    assert(w->core->left[w->place] > 0);
    if (!--w->core->left[w->place] && wt_observes_events(&w->device->machine))
        wt_observe_tell(
            &w->device->machine,
            &(struct wt_observed_event){.kind = WT_SEEN_GROUP_END,
                                        .launch = wt_machine_launch(&w->device->machine, 0),
                                        .home = vx_cta_home(w)});
    w->of_cta = false;
}

static void deactivate(struct vx_warp *w)
{
    assert(!w->active || (w->core->active > 0 && w->device->machine.active > 0));
    struct vx_device *d = w->device;
    if (!w->active)
        return;
    tell(w, WT_SEEN_WAVE_END, 0);
    w->active = false;
    w->parts = 0;
    w->core->active--;
    d->machine.active--;
    d->halted_active -= w->halted;
    vx_set_mask(w, 0);
    set_wait(w, VX_RUNS);
    leave_cta(w);
    if (!d->machine.active && !vx_launch_pending(d))
        wt_group_tell(&d->machine, NULL, WT_SEEN_LAUNCH_END);
}

/* Ends the warp. A wspawn or a global barrier of its core that waited for that goes on. */
static void warp_exit(struct vx_warp *w)
{
    deactivate(w);
    after_exit(w->device, w->core);
    if (w->device->profile->launch_unit)
        vx_launch_pump(w->device);
}

void vx_stop_core(struct vx_device *d, struct vx_core *core)
{
    for (uint32_t i = 0; i < d->config.warps; i++)
        deactivate(&d->warp[core->first_warp + i]);
    memset(core->arrived, 0, d->barriers * sizeof *core->arrived);
}

/* ---- instructions ---- */

/* Operand rs of the last active lane, sign-extended from xlen bits. */
static int64_t last_lane_value(const struct vx_warp *w, unsigned r)
{
    const uint64_t value = vx_get_x(w, r, w->mask ? wt_lanes_highest(w->mask) : 0);
    return wt_sign_extend(value, w->device->config.xlen);
}

/* A register as a thread mask; a warp wider than xlen takes the sign for the lanes beyond, so that
 * -1 means all. */
static wt_lanes mask_of(const struct vx_warp *w, int64_t value)
{
    return (wt_lanes)(__extension__(__int128) value) & w->device->all_lanes;
}

/* Active lanes whose predicate, bit 0 of rs1, is set. */
static wt_lanes predicate(const struct vx_warp *w, const struct vx_uop *u)
{
    wt_lanes set = 0;
    for (unsigned l = 0; l < w->device->machine.lanes; l++)
        if (wt_has_lane(w->mask, l) && (vx_get_x(w, u->rs1, l) & 1))
            set |= wt_lane_bit(l);
    return set;
}

static uint64_t next_pc(const struct vx_warp *w, const struct vx_uop *u)
{
    return vx_truncate(w->device, vx_pc_of(w, u) + u->halves * 2u);
}

/* The warp continues with the lanes of mask; with none it ends. */
static const struct vx_uop *go_on_with(struct vx_warp *w, const struct vx_uop *u, wt_lanes mask)
{
    if (mask) {
        vx_set_mask(w, mask);
        return u + u->halves;
    }
    w->pc = next_pc(w, u);
    warp_exit(w);
    return NULL;
}

const struct vx_uop *vx_op_tmc(struct vx_warp *w, const struct vx_uop *u)
{
    if (w->parts)
        return vx_parted(w, u);
    return go_on_with(w, u, mask_of(w, last_lane_value(w, u->rs1)));
}

const struct vx_uop *vx_op_wspawn(struct vx_warp *w, const struct vx_uop *u)
{
    if (w->parts)
        return vx_parted(w, u);
    const uint64_t wanted = vx_truncate(w->device, (uint64_t)last_lane_value(w, u->rs1));
    const uint32_t warps = w->device->config.warps;
    const uint32_t count = wanted < warps ? (uint32_t)wanted : warps;
    const uint64_t target = vx_truncate(w->device, (uint64_t)last_lane_value(w, u->rs2)) & ~1ull;
    const uint32_t others = w->core->active - w->active;
    if (others == 0) {
        tell(w, WT_SEEN_ALONE, 0);
        spawn(w, count, target);
        /* The turn ends, so that the scheduler sees the new warps. */
        w->pc = next_pc(w, u);
        return NULL;
    }
    w->wait_id = count;
    w->wait_target = target;
    w->wait_pc = vx_pc_of(w, u);
    w->pc = next_pc(w, u);
    set_wait(w, VX_WAIT_WSPAWN);
    return NULL;
}

static unsigned ipdom_size(const struct vx_warp *w)
{
    const unsigned lanes = w->device->machine.lanes;
    return lanes > 1 ? lanes - 1 : 1;
}

static const struct vx_uop *split(struct vx_warp *w, const struct vx_uop *u, bool negate)
{
    const wt_lanes set = predicate(w, u);
    const wt_lanes then_part = negate ? w->mask & ~set : set;
    const wt_lanes else_part = w->mask & ~then_part;
    const bool divergent = then_part && else_part;
    if (divergent && w->depth == ipdom_size(w))
        return vx_fault(w, u, WT_FAULT_STACK_OVERFLOW, w->mask, 0,
                        "IPDOM stack is full: %u splits without their joins", w->depth);
    const unsigned depth = w->depth;
    for (unsigned l = 0; l < w->device->machine.lanes; l++)
        if (wt_has_lane(w->mask, l))
            vx_set_x(w, u->rd, l, depth);
    if (!divergent)
        return u + u->halves;
    /* The larger part goes first, or the smaller one; of equals, then. */
    const unsigned thens = wt_lanes_count(then_part), elses = wt_lanes_count(else_part);
    const bool then_first = w->device->profile->smaller_first ? thens <= elses : thens >= elses;
    w->ipdom[w->depth++] = (struct vx_ipdom){
        .restore = w->mask,
        .other = then_first ? else_part : then_part,
        .pc = next_pc(w, u),
    };
    vx_set_mask(w, then_first ? then_part : else_part);
    return u + u->halves;
}

const struct vx_uop *vx_op_split(struct vx_warp *w, const struct vx_uop *u)
{
    if (w->parts)
        return vx_parted(w, u);
    return split(w, u, false);
}

const struct vx_uop *vx_op_split_n(struct vx_warp *w, const struct vx_uop *u)
{
    if (w->parts)
        return vx_parted(w, u);
    return split(w, u, true);
}

const struct vx_uop *vx_op_join(struct vx_warp *w, const struct vx_uop *u)
{
    if (w->parts)
        return vx_parted(w, u);
    if ((uint64_t)last_lane_value(w, u->rs1) == w->depth)
        return u + u->halves; /* its split did not diverge */
    if (w->depth == 0)
        return vx_fault(w, u, WT_FAULT_STACK_UNDERFLOW, w->mask, 0,
                        "IPDOM stack is empty: a join of depth %lld without its split",
                        (long long)last_lane_value(w, u->rs1));
    struct vx_ipdom *top = &w->ipdom[w->depth - 1];
    if (!top->fallthrough) {
        /* The other part begins; the first one waits here until it comes by, too. */
        const wt_lanes begins = top->other;
        const uint64_t pc = top->pc;
        top->fallthrough = true;
        top->other = top->restore & ~begins;
        top->pc = next_pc(w, u);
        vx_set_mask(w, begins);
        return vx_fetch(w, pc);
    }
    w->depth--;
    vx_set_mask(w, top->restore);
    return u + u->halves;
}

/* The warps of a core that wait at global barrier id. */
static uint32_t waiting_globally(const struct vx_device *d, const struct vx_core *core, uint32_t id)
{
    assert(id < d->barriers);
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < d->config.warps; i++) {
        const struct vx_warp *w = &d->warp[core->first_warp + i];
        waiting += w->active && w->wait == VX_WAIT_GLOBAL_BARRIER && w->wait_id == id;
    }
    return waiting;
}

/* Lets the warps go on that wait at a barrier. With phases a local and a global barrier of one
 * number are the same one, whose phase ends. */
static void release(struct vx_device *d, struct vx_core *core, enum vx_wait wait, uint32_t id)
{
    assert(wait == VX_WAIT_BARRIER || wait == VX_WAIT_GLOBAL_BARRIER);
    if (core->phase) {
        core->phase[id].phase ^= 1;
        core->phase[id].reported = false;
    }
    for (uint32_t i = 0; i < d->config.warps; i++) {
        struct vx_warp *w = &d->warp[core->first_warp + i];
        const bool waits = core->phase ? w->wait >= VX_WAIT_BARRIER : w->wait == wait;
        if (!w->active || !waits || w->wait_id != id)
            continue;
        tell(w, WT_SEEN_RELEASE, 0);
        set_wait(w, VX_RUNS);
    }
}

/* Whether a core has arrived at a global barrier: all its active warps have. */
static bool has_arrived(const struct vx_device *d, const struct vx_core *core, uint32_t id)
{
    return core->phase ? core->phase[id].reported
                       : core->active && waiting_globally(d, core, id) == core->active;
}

uint32_t vx_cores_at_barrier(const struct vx_device *d, const struct vx_core *core, uint32_t id)
{
    const struct vx_core *first = &d->core[core->id / d->config.cores * d->config.cores];
    uint32_t arrived = 0;
    for (uint32_t i = 0; i < d->config.cores; i++)
        arrived += has_arrived(d, &first[i], id);
    return arrived;
}

/* A global barrier opens when as many cores of the cluster as the count says have arrived. */
static void check_global_barrier(struct vx_device *d, struct vx_core *core, uint32_t id,
                                 uint32_t count)
{
    struct vx_core *first = &d->core[core->id / d->config.cores * d->config.cores];
    if (vx_cores_at_barrier(d, core, id) < count)
        return;
    for (uint32_t i = 0; i < d->config.cores; i++)
        if (has_arrived(d, &first[i], id))
            release(d, &first[i], VX_WAIT_GLOBAL_BARRIER, id);
}

/* With phases: reports a core to its cluster once all its active warps have arrived, and no
 * transaction is pending. */
static void check_core(struct vx_device *d, struct vx_core *core, uint32_t id, uint32_t count)
{
    if (core->arrived[id] >= core->active && !core->phase[id].pending) {
        core->phase[id].reported = true;
        core->arrived[id] = 0;
    }
    if (core->phase[id].reported)
        check_global_barrier(d, core, id, count);
}

static void check_global_barriers(struct vx_device *d, struct vx_core *core)
{
    for (uint32_t i = 0; i < d->config.warps; i++) {
        const struct vx_warp *w = &d->warp[core->first_warp + i];
        if (w->active && w->wait == VX_WAIT_GLOBAL_BARRIER) {
            if (core->phase)
                check_core(d, core, w->wait_id, w->wait_count);
            else
                check_global_barrier(d, core, w->wait_id, w->wait_count);
            return;
        }
    }
}

/* An operand of BAR and its kin: which barrier, and of which kind. */
struct vx_barrier {
    bool global, exists;
    uint32_t id; /* its number in the core */
};

/* With phases bits 7:0 are the CTA's place, the following ones the number among the CTA's. */
static struct vx_barrier barrier_of(const struct vx_warp *w, const struct vx_uop *u)
{
    const struct vx_device *d = w->device;
    const uint32_t word = (uint32_t)last_lane_value(w, u->rs1);
    const uint32_t each = d->profile->slot_barriers, low = word & 0x7fffffff;
    struct vx_barrier b = {.global = word >> 31, .id = low};
    b.exists = low < d->barriers;
    if (each) {
        b.exists = (low & 0xff) < d->config.warps && low >> 8 < each;
        b.id = (low & 0xff) * each + (low >> 8);
    }
    return b;
}

static const struct vx_uop *no_barrier(struct vx_warp *w, const struct vx_uop *u)
{
    const struct vx_device *d = w->device;
    const uint32_t each = d->profile->slot_barriers;
    const uint32_t word = (uint32_t)last_lane_value(w, u->rs1) & 0x7fffffff;
    if (each)
        return vx_fault(w, u, WT_FAULT_ILLEGAL, w->mask, 0,
                        "barrier %u of CTA place %u does not exist: this core has barriers 0 to %u "
                        "of places 0 to %u",
                        word >> 8, word & 0xff, each - 1, d->config.warps - 1);
    return vx_fault(w, u, WT_FAULT_ILLEGAL, w->mask, 0,
                    "barrier %u does not exist: this core has barriers 0 to %u", word,
                    d->barriers - 1);
}

/* An arrival at a local barrier with phases; the last one ends the phase, unless transactions are
 * pending. */
static void arrive(struct vx_device *d, struct vx_core *core, uint32_t id, uint32_t count)
{
    const uint64_t arrived = (uint64_t)core->arrived[id] + 1;
    core->arrived[id] = (uint32_t)(arrived % count);
    if (arrived == count && !core->phase[id].pending)
        release(d, core, VX_WAIT_BARRIER, id);
}

static void arrive_globally(struct vx_device *d, struct vx_core *core, uint32_t id, uint32_t count)
{
    core->arrived[id]++;
    check_core(d, core, id, count);
}

/* The warp stops at the instruction at u, for what happens at a barrier. */
static void wait_at(struct vx_warp *w, const struct vx_uop *u, enum vx_wait wait, uint32_t id,
                    uint32_t count)
{
    w->wait_id = id;
    w->wait_count = count;
    w->wait_pc = vx_pc_of(w, u);
    w->pc = next_pc(w, u);
    set_wait(w, wait);
}

/* Tells of an arrival without a wait, or of a wait that is over before it begins. */
static void tell_barrier(const struct vx_warp *w, const struct vx_uop *u,
                         enum wt_observed_event_kind kind, struct vx_barrier b, uint32_t count)
{
    if (wt_observes_events(&w->device->machine))
        wt_wave_tell(
            &w->device->machine, &w->head,
            &(struct wt_observed_event){.kind = kind,
                                        .pc = kind == WT_SEEN_ARRIVE ? vx_pc_of(w, u) : 0,
                                        .lanes = w->mask,
                                        .barrier = b.global ? WT_BARRIER_CORES : WT_BARRIER_CORE,
                                        .number = b.id,
                                        .expected = count});
}

static const struct vx_uop *no_count(struct vx_warp *w, const struct vx_uop *u)
{
    return vx_fault(w, u, WT_FAULT_ILLEGAL, w->mask, 0, "a barrier for 0 arrivals");
}

const struct vx_uop *vx_op_bar(struct vx_warp *w, const struct vx_uop *u)
{
    if (w->parts)
        return vx_parted(w, u);
    struct vx_device *d = w->device;
    struct vx_core *core = w->core;
    const struct vx_barrier b = barrier_of(w, u);
    const uint32_t count = (uint32_t)last_lane_value(w, u->rs2);
    if (count < 2 && !core->phase)
        return u + u->halves;
    if (!b.exists)
        return no_barrier(w, u);
    if (!count)
        return no_count(w, u);
    wait_at(w, u, b.global ? VX_WAIT_GLOBAL_BARRIER : VX_WAIT_BARRIER, b.id, count);
    tell(w, WT_SEEN_ARRIVE, w->wait_pc);
    if (core->phase) {
        (b.global ? arrive_globally : arrive)(d, core, b.id, count);
    } else if (b.global) {
        check_global_barrier(d, core, b.id, count);
    } else if (++core->arrived[b.id] >= count) {
        core->arrived[b.id] = 0;
        release(d, core, VX_WAIT_BARRIER, b.id);
    }
    return NULL;
}

/* BAR.ARRIVE rd, id, count: rd is the phase before; a count with bit 31 announces transactions.
 * BAR.WAIT id, phase (rd is x0): waits while the phase is that one. */
const struct vx_uop *vx_op_bar_arrive(struct vx_warp *w, const struct vx_uop *u)
{
    if (w->parts)
        return vx_parted(w, u);
    struct vx_device *d = w->device;
    struct vx_core *core = w->core;
    const struct vx_barrier b = barrier_of(w, u);
    const uint32_t value = (uint32_t)last_lane_value(w, u->rs2);
    assert(core->phase);
    if (!b.exists)
        return no_barrier(w, u);
    struct vx_phase *phase = &core->phase[b.id];
    if (u->rd == VX_SINK) {
        if (phase->phase != value) {
            tell_barrier(w, u, WT_SEEN_RELEASE, b, 0);
            return u + u->halves;
        }
        w->wait_target = b.global;
        wait_at(w, u, VX_WAIT_PHASE, b.id, value);
        return NULL;
    }
    if (!value)
        return no_count(w, u);
    for (unsigned l = 0; l < d->machine.lanes; l++)
        if (wt_has_lane(w->mask, l))
            vx_set_x(w, u->rd, l, phase->phase);
    if (value >> 31) {
        phase->pending += value & 0x7fffffff;
        return u + u->halves;
    }
    tell_barrier(w, u, WT_SEEN_ARRIVE, b, value);
    (b.global ? arrive_globally : arrive)(d, core, b.id, value);
    w->pc = next_pc(w, u);
    return NULL; /* so that the scheduler sees the warps that go on */
}

static const struct vx_uop *pred(struct vx_warp *w, const struct vx_uop *u, bool negate)
{
    const wt_lanes set = predicate(w, u);
    const wt_lanes stay = negate ? w->mask & ~set : set;
    return go_on_with(w, u, stay ? stay : mask_of(w, last_lane_value(w, u->rs2)));
}

const struct vx_uop *vx_op_pred(struct vx_warp *w, const struct vx_uop *u)
{
    if (w->parts)
        return vx_parted(w, u);
    return pred(w, u, false);
}

const struct vx_uop *vx_op_pred_n(struct vx_warp *w, const struct vx_uop *u)
{
    if (w->parts)
        return vx_parted(w, u);
    return pred(w, u, true);
}

/* ---- traps ---- */

enum { CAUSE_BREAKPOINT = 3, CAUSE_ECALL = 11 };

static const struct vx_uop *trap(struct vx_warp *w, const struct vx_uop *u, unsigned cause)
{
    const uint64_t handler = w->mtvec & ~(uint64_t)3;
    if (w->parts)
        return vx_parted(w, u);
    if (!handler)
        return vx_fault(
            w, u, WT_FAULT_TRAP, w->mask, 0, "%s, and no handler: mtvec of the warp is 0",
            cause == CAUSE_BREAKPOINT ? "breakpoint (ebreak)" : "environment call (ecall)");
    w->mepc = vx_pc_of(w, u);
    w->mcause = cause;
    w->mtval = 0;
    w->trap_mask = w->device->injecting ? w->device->inject_mask : w->mask;
    return vx_fetch(w, vx_truncate(w->device, handler));
}

const struct vx_uop *vx_op_return(struct vx_warp *w, const struct vx_uop *u)
{
    if (w->parts)
        return vx_parted(w, u);
    if (w->trap_mask)
        vx_set_mask(w, w->trap_mask);
    return vx_fetch(w, vx_truncate(w->device, w->mepc) & ~(uint64_t)1);
}

/* Without traps as SimX of 2025: the whole core stops; the exit word that it stored stays. */
static const struct vx_uop *stop(struct vx_warp *w, const struct vx_uop *u)
{
    w->pc = next_pc(w, u);
    vx_stop_core(w->device, w->core);
    return NULL;
}

const struct vx_uop *vx_op_ecall(struct vx_warp *w, const struct vx_uop *u)
{
    return w->device->profile->traps ? trap(w, u, CAUSE_ECALL) : stop(w, u);
}

const struct vx_uop *vx_op_ebreak(struct vx_warp *w, const struct vx_uop *u)
{
    if (!w->device->injecting) {
        w->pc = vx_pc_of(w, u);
        if (vx_dm_ebreak(w)) {
            wt_not_issued(&w->device->machine);
            return NULL;
        }
    }
    return w->device->profile->traps ? trap(w, u, CAUSE_BREAKPOINT) : stop(w, u);
}

const struct vx_uop *vx_op_unit(struct vx_warp *w, const struct vx_uop *u)
{
    struct vx_device *d = w->device;
    const uint32_t word = d->injecting ? d->dm.inject : vx_fetch_word(d, vx_pc_of(w, u));
    const enum vx_insn_id id = vx_insn_find(word, d->config.xlen);
    const char *unit = vx_unit_missing(id);
    return unit ? vx_fault(w, u, WT_FAULT_ILLEGAL, w->mask, 0, "%s: this Vortex has no %s",
                           vx_insns[id].name, unit)
                : vx_illegal(w, u);
}
