/* The questions to a judge about accesses of a warp. See memory_access.h. */
#include "emulator/machine/array.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx/image.h"
#include "emulator/sm/texture_access.h"

/* The part of an instruction that accesses a thread's own memory; the other part is 0. */
enum { OF_LANES = 1 };

/* An access as it is asked about. */
struct sm_question {
    struct sm_warp *w;
    const struct sm_uop *u;
    enum wt_watch_kind kind;
    unsigned size;
    const struct ptx_origin *origin; /* the variable of PTX from which they come; NULL: not known */
};

/* Whether accesses to a space may be those of a variable. */
static bool is_in(const struct ptx_origin *o, enum wt_observed_space space)
{
    switch (o->space) {
    case PTX_SPACE_SHARED:
        return space == WT_OBSERVED_GROUP;
    case PTX_SPACE_LOCAL:
        return space == WT_OBSERVED_PRIVATE;
    default:
        return space == WT_OBSERVED_GLOBAL || space == WT_OBSERVED_CONSTANT;
    }
}

/* Whether an access stays in its variable. */
static bool are_in(const struct wt_lane_access *a, uint32_t lanes, const uint64_t *at)
{
    const struct wt_judged_variable *v = a->variable;
    bool are = true;
    for (; lanes; lanes &= lanes - 1)
        are &= at[__builtin_ctz(lanes)] - v->first + a->size <= v->size;
    return are;
}

static uint32_t ask(const struct sm_question *q, enum wt_observed_space space, uint32_t lanes,
                    const uint64_t *at)
{
    struct wt_judged_variable variable;
    struct wt_lane_access a = {.pc = sm_pc_of(q->w, q->u),
                               .kind = q->kind,
                               .space = space,
                               .size = q->size,
                               .align = q->size};
    /* Vectors of PTX are those of the program, but that three components may be loaded as four. */
    if (q->w->device->grid.launch.rows && q->u->ptx->size && q->size > q->u->ptx->size) {
        a.unit = q->u->ptx->size;
        a.spare = q->size == 4u * q->u->ptx->size ? q->u->ptx->size : 0;
    }
    const bool frames = lanes && space == WT_OBSERVED_PRIVATE && q->w->device->grid.launch.rows;
    if (q->origin && lanes && is_in(q->origin, space)) {
        variable = q->origin->variable;
        variable.first = ptx_origin_at(q->w, q->origin, (unsigned)__builtin_ctz(lanes));
        a.variable = &variable;
    } else if (frames) {
        /* Behind the frames no function has a variable. */
        const uint32_t end = ptx_stack_end(q->w, lanes, true);
        variable = (struct wt_judged_variable){.name = "", .size = end};
        a.variable = &variable;
    }
    if (frames && q->u->ptx->array && are_in(&a, lanes, at)) { /* sm_array() says more */
        a.variable = NULL;
        a.part = OF_LANES;
    }
    return (uint32_t)wt_judge(&q->w->device->machine, &q->w->head, &a, lanes, at);
}

bool sm_array(struct wt_machine *m, uint32_t wave, uint64_t first, uint64_t pc,
              struct wt_array_access *access, wt_lanes lanes, uint64_t *at)
{
    struct sm_device *d = (struct sm_device *)m;
    uint32_t index;
    const struct sm_ptx *image = ptx_image_at(d, pc, &index);
    const struct ptx_op *o = image ? &image->op[index] : NULL;
    access->how = o && o->array ? WT_ARRAY_BASE : WT_ARRAY_NONE;
    if (access->how == WT_ARRAY_NONE)
        return false;
    const uint64_t *from = (const void *)(ptx_frame(&d->warp[wave]) + o->array - 1);
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = wt_lanes_lowest(lanes);
        at[lane] = from[lane] - (o->space == PTX_SPACE_LOCAL ? 0 : SM_LOCAL_WINDOW);
    }
    return true;
}

uint64_t sm_frame(struct wt_machine *m, uint32_t wave, unsigned lane)
{
    const struct sm_device *d = (struct sm_device *)m;
    const struct sm_warp *w = &d->warp[wave];
    return d->grid.launch.rows ? w->r[w->base + PTX_LOCAL_ROW][lane] : 0;
}

/* An address in shared or local memory has 32 bits, as a distance from a variable it may be
 * negative. */
static uint64_t offset_of(uint64_t at)
{
    return (uint64_t)(int64_t)(int32_t)at;
}

/* Asks about each space that the addresses lead to. */
static uint32_t ask_all(const struct sm_question *q, enum sm_judged where, uint32_t lanes,
                        const uint64_t *at)
{
    uint64_t moved[SM_LANES] = {0};
    uint32_t shared = where == SM_JUDGED_SHARED ? lanes : 0;
    uint32_t local = where == SM_JUDGED_LOCAL ? lanes : 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        moved[i] = at[i];
        if (shared >> i & 1 || local >> i & 1) {
            moved[i] = offset_of(at[i]);
        } else if (where == SM_JUDGED_GENERIC && at[i] - SM_SHARED_WINDOW < SM_WINDOW_BYTES) {
            shared |= 1u << i;
            moved[i] -= SM_SHARED_WINDOW;
        } else if (where == SM_JUDGED_GENERIC && at[i] - SM_LOCAL_WINDOW < SM_WINDOW_BYTES) {
            local |= 1u << i;
            moved[i] -= SM_LOCAL_WINDOW;
        }
    }
    return ask(q, WT_OBSERVED_GROUP, shared, moved) | ask(q, WT_OBSERVED_PRIVATE, local, moved) |
           ask(q, where == SM_JUDGED_CONSTANT ? WT_OBSERVED_CONSTANT : WT_OBSERVED_GLOBAL,
               lanes & ~shared & ~local, moved);
}

uint32_t sm_judge(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                  enum sm_judged where, uint32_t lanes, const uint64_t *at, unsigned size)
{
    return ask_all(&(struct sm_question){w, u, kind, size, NULL}, where, lanes, at);
}

void sm_access_judge(struct sm_warp *w, const struct sm_uop *u, enum sm_judged where,
                     struct sm_access *a, const uint64_t *at)
{
    const struct ptx_origin *origin = w->device->grid.launch.rows ? u->ptx->origin : NULL;
    const enum wt_watch_kind kind = a->atomic  ? WT_WATCH_ACCESS
                                    : a->store ? WT_WATCH_WRITE
                                               : WT_WATCH_READ;
    if (a->lanes)
        a->refused =
            ask_all(&(struct sm_question){w, u, kind, a->size, origin}, where, a->lanes, at);
    a->lanes &= ~a->refused;
}

void sm_judge_beside(struct sm_texture_lane *r, const struct sm_texture *t, enum wt_watch_kind kind)
{
    struct wt_machine *m = &r->w->device->machine;
    const struct wt_lane_access a = {.pc = sm_pc_of(r->w, r->u), .kind = kind, .size = r->size};
    if (r->beside)
        m->judge->outside(m->judge->context, m, &r->w->head, &a, r->beside, r->at, t->address,
                          t->slice ? t->slice * t->depth : (uint64_t)t->pitch * t->height,
                          r->texel);
}
