/* Watches (machine/watch_set.h): finds the memory of their ranges, and stops before a watched
 * instruction. */
#include "emulator/gen/internal.h"

/* A thread does not see such memory. */
#define NOWHERE (UINT64_MAX - 1)

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
        return NOWHERE;
    return space_of_group(d, d->thread[wave].group);
}

static bool add_part(struct wt_machine *m, const struct wt_watch *watch, uint64_t first,
                     uint64_t last, struct wt_spans *spans)
{
    if (!in_slm(first))
        return wt_spans_add(spans, WT_SPACE_GLOBAL, first, last);
    const uint64_t home = first == watch->addr && watch->home != WT_HOME_NOW
                              ? watch->home
                              : gen_home(m, watch->wave, first);
    return home == NOWHERE || wt_spans_add(spans, home, first, last);
}

bool gen_watch_range(struct wt_machine *m, const struct wt_watch *watch, uint64_t first,
                     uint64_t last, struct wt_spans *spans)
{
    static const uint64_t bounds[] = {GEN_SLM_APERTURE, GEN_SLM_APERTURE + GEN_SLM_BYTES};
    return wt_watch_set_add_parts(m, watch, first, last, bounds, sizeof bounds / sizeof bounds[0],
                                  add_part, spans);
}

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
    assert(size >= 1 && size <= 16 && lane < GEN_CHANNELS);
    struct gen_device *d = t->device;
    const uint64_t space = in_slm(addr) ? space_of_group(d, t->group) : WT_SPACE_GLOBAL;
    if (!wt_watch_set_meets(d->machine.watch, kind, space, addr, addr + size - 1))
        return;
    const struct wt_issue issue = gen_issue_at(&t->head, gen_pc_of(t, u), gen_now(t));
    wt_watch_set_access(&d->machine, &issue, kind, lane, space, addr, size, before, after);
    wt_end_turn(&d->machine, &t->left);
}

const struct gen_uop *gen_watch_here(struct gen_thread *t, const struct gen_uop *u)
{
    assert(u >= t->code->uop && u < t->code->uop + GEN_SLOTS && t->code->page.watched);
    const wt_code_handler run =
        wt_engine_watched(&t->device->machine, &t->head, &t->code->page, (size_t)(u - t->code->uop),
                          gen_pc_of(t, u), t->mask);
    return run ? ((gen_op)run)(t, u) : NULL;
}
