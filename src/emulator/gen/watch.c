/* Watches (machine/watch_set.h): finds the memory of their ranges, and stops before a watched
 * instruction. */
#include "emulator/gen/internal.h"
#include "emulator/machine/mapped.h"

/* Spaces: global memory, and the shared local memory of each group, by walk and number. */
uint64_t gen_group_home(const struct wt_machine *m, const struct wt_group_head *g)
{
    const struct gen_device *d = (const struct gen_device *)m;
    return wt_watch_home(m, d->walk[g->launch].id, ((const struct gen_group *)g)->number);
}

static bool in_slm(uint64_t addr)
{
    return addr - GEN_SLM_APERTURE < GEN_SLM_BYTES;
}

uint64_t gen_home(struct wt_machine *m, uint32_t wave, uint64_t addr)
{
    const struct gen_device *d = (const struct gen_device *)m;
    if (!in_slm(addr))
        return WT_HOME_NOW; /* the same at any time */
    if (wave >= m->waves || !d->thread[wave].active)
        return WT_HOME_NOWHERE;
    return d->thread[wave].group->home;
}

static const uint64_t bounds[] = {GEN_SLM_APERTURE, GEN_SLM_APERTURE + GEN_SLM_BYTES};
const struct wt_address_map gen_address_map = {.bound = bounds, .bounds = 2};

bool gen_watches_page(const struct gen_device *d, uint64_t addr, bool write)
{
    return wt_engine_watches_page(&d->machine, addr, write);
}

/* Threads issue whatever their channel enables are. */
struct wt_issue gen_issue_at(const struct wt_wave_head *head, uint64_t pc, uint64_t time)
{
    const struct gen_thread *t = (const struct gen_thread *)head;
    return (struct wt_issue){
        .time = time, .pc = pc, .wave = t->id, .mask = t->mask, .executes = true, .issues = true};
}

static struct wt_lane_access access_of(const struct gen_thread *t, const struct gen_uop *u,
                                       enum wt_watch_kind kind, unsigned lane, uint64_t addr,
                                       unsigned size)
{
    const bool slm = in_slm(addr);
    return (struct wt_lane_access){.pc = gen_pc_of(t, u),
                                   .kind = kind,
                                   .space = slm ? WT_OBSERVED_GROUP : WT_OBSERVED_GLOBAL,
                                   .home = slm ? t->group->home : WT_SPACE_GLOBAL,
                                   .of_wave = u->insn.no_mask,
                                   .owner = t->mask ? (uint8_t)__builtin_ctz(t->mask) : 0,
                                   .order =
                                       kind == WT_WATCH_ACCESS ? WT_ORDER_RELAXED : WT_ORDER_PLAIN,
                                   .scope = WT_AMONG_DEVICE,
                                   .lane = lane,
                                   .size = size,
                                   .at = addr};
}

void gen_watch_access(struct gen_thread *t, const struct gen_uop *u, enum wt_watch_kind kind,
                      unsigned lane, uint64_t addr, unsigned size, const void *before,
                      const void *after)
{
    const struct wt_lane_access a = access_of(t, u, kind, lane, addr, size);
    wt_engine_access(&t->device->machine, &t->head, &a, before, after);
}

uint64_t *gen_observe_row(struct gen_thread *t, const struct gen_uop *u, enum wt_watch_kind kind,
                          uint32_t lanes, uint64_t lowest, unsigned size, bool is_row)
{
    struct wt_lane_access a = access_of(t, u, kind, (unsigned)__builtin_ctz(lanes), lowest, size);
    struct wt_machine *m = &t->device->machine;
    a.is_row = is_row;
    return wt_observe_row(m, &t->head, wt_issue_time(m, t->left), &a, lanes);
}

const struct gen_uop *gen_watch_here(struct gen_thread *t, const struct gen_uop *u)
{
    assert(u >= t->code->uop && u < t->code->uop + GEN_SLOTS && t->code->page.watched);
    const wt_code_handler run = wt_engine_watched(&t->device->machine, &t->head, &t->code->page,
                                                  (size_t)(u - t->code->uop), gen_pc_of(t, u));
    return run ? ((gen_op)run)(t, u) : NULL;
}
