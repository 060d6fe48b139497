/* Watches (machine/watch_set.h): finds the memory of their ranges, and stops before a watched
 * instruction. */
#include "emulator/gen/internal.h"
#include "emulator/machine/mapped.h"

/* Spaces: global memory, and the shared local memory of each group, by walk and number. */
static uint64_t space_of_group(const struct gen_device *d, const struct gen_group *g)
{
    return wt_watch_home(&d->machine, d->walk[g->launch].id, g->number);
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
    return space_of_group(d, d->thread[wave].group);
}

static const uint64_t bounds[] = {GEN_SLM_APERTURE, GEN_SLM_APERTURE + GEN_SLM_BYTES};
const struct wt_address_map gen_address_map = {.bound = bounds, .bounds = 2};

bool gen_watches_page(const struct gen_device *d, uint64_t addr, bool write)
{
    const struct wt_watch_set *set = d->machine.watch;
    const uint64_t first = addr & ~WT_PAGE_MASK, last = addr | WT_PAGE_MASK;
    return write ? wt_watch_set_writes(set, WT_SPACE_GLOBAL, first, last)
                 : wt_watch_set_reads(set, WT_SPACE_GLOBAL, first, last);
}

/* Threads issue whatever their channel enables are. */
struct wt_issue gen_issue_at(const struct wt_wave_head *head, uint64_t pc, uint64_t time)
{
    const struct gen_thread *t = (const struct gen_thread *)head;
    return (struct wt_issue){
        .time = time, .pc = pc, .wave = t->id, .mask = t->mask, .executes = true, .issues = true};
}

void gen_watch_access(struct gen_thread *t, const struct gen_uop *u, enum wt_watch_kind kind,
                      unsigned lane, uint64_t addr, unsigned size, const void *before,
                      const void *after)
{
    struct gen_device *d = t->device;
    const bool slm = in_slm(addr);
    const struct wt_lane_access a = {.pc = gen_pc_of(t, u),
                                     .kind = kind,
                                     .space = slm ? WT_OBSERVED_GROUP : WT_OBSERVED_GLOBAL,
                                     .home = slm ? space_of_group(d, t->group) : WT_SPACE_GLOBAL,
                                     .lane = lane,
                                     .size = size,
                                     .at = addr};
    wt_engine_access(&d->machine, &t->head, &a, before, after);
}

const struct gen_uop *gen_watch_here(struct gen_thread *t, const struct gen_uop *u)
{
    assert(u >= t->code->uop && u < t->code->uop + GEN_SLOTS && t->code->page.watched);
    const wt_code_handler run = wt_engine_watched(&t->device->machine, &t->head, &t->code->page,
                                                  (size_t)(u - t->code->uop), gen_pc_of(t, u));
    return run ? ((gen_op)run)(t, u) : NULL;
}
