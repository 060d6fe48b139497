/* Copies, fills and the host's own accesses, for the check of races. See race.h. */
#include "check/race.h"

#include "check/race_access.h"
#include "emulator/machine/machine.h"

void wt_check_race_set_order(struct wt_check_race *r, struct wt_order *order)
{
    r->order = order;
}

uint64_t wt_check_race_time(const struct wt_check_race *r)
{
    return r ? r->machine->time : 0;
}

bool wt_check_race_idles(const struct wt_check_race *r)
{
    enum { REPEATED = 1 << 20 };
    const uint64_t most = UINT64_C(1) << 32;
    return r && (r->repeated > REPEATED || r->machine->time - r->begun > most);
}

void wt_check_race_copied(struct wt_check_race *r, uint64_t addr, uint64_t size,
                          enum wt_access access)
{
    struct race_conflict conflict[RACE_CONFLICTS];
    if (!r || !size)
        return;
    race_forget_ordered(r);
    struct wt_observed a = {.kind = access == WT_ACCESS_LOAD ? WT_WATCH_READ : WT_WATCH_WRITE,
                            .space = WT_OBSERVED_GLOBAL,
                            .time = r->machine->time,
                            .lanes = 1};
    struct race_access x = {.r = r,
                            .a = &a,
                            .conflict = conflict,
                            .space = &r->global,
                            .w = race_copy(r, size),
                            .past = r->shadow.first};
    if (!x.w || !race_make_room(r)) {
        race_tell_lost(r);
        return;
    }
    x.record = (struct race_record){
        .time = a.time, .wave = x.w->number, .clock = x.w->clock, .kind = (uint8_t)a.kind};
    if (race_number(&x))
        race_take_range(&x, &a, addr, size);
    if (!x.stored && x.number)
        r->shadow.count--;
    for (unsigned i = 0; i < x.count; i++)
        race_report(&x, &x.conflict[i]);
}

/* Calls @p visit for each cell of a range that has been accessed, until it says false, with the
 * bytes of the range in it, as bits. False: it has, or the page is not there. */
static bool each_cell(struct wt_check_race *r, uint64_t addr, uint64_t size,
                      bool (*visit)(struct wt_check_race *r, const struct race_cell *cell,
                                    void *context),
                      void *context)
{
    for (uint64_t at = addr; at < addr + size;) {
        struct race_cell list[4];
        struct race_page *page = race_page(&r->global, at, false);
        if (!page)
            return false;
        const unsigned cells = race_cells(&r->shadow, page, at % RACE_PAGE / 4, false, list);
        const uint64_t next = (at | 3) + 1 < addr + size ? (at | 3) + 1 : addr + size;
        if (!cells)
            return false;
        for (; at < next; at++)
            if ((cells == 4 || at % 4 == 0 || at == addr) &&
                !visit(r, &list[cells == 4 ? at % 4 : 0], context))
                return false;
    }
    return true;
}

static bool clear(struct wt_check_race *r, const struct race_cell *cell, void *context)
{
    (void)r, (void)context;
    for (unsigned k = 0; k < RACE_SLOTS; k++)
        if (*cell->slot[k])
            *cell->slot[k] = 0;
    return true;
}

void wt_check_race_renewed(struct wt_check_race *r, uint64_t addr, uint64_t size)
{
    for (uint64_t next; r && size; addr = next) {
        next = (addr / RACE_PAGE + 1) * RACE_PAGE;
        next = size < next - addr ? addr + size : next;
        each_cell(r, addr, next - addr, clear, NULL);
        size -= next - addr;
    }
}

/* The contents of a cell's slot, of an operation that the host has not waited for; else NULL. */
static const struct race_record *under_way(const struct wt_check_race *r,
                                           const struct race_cell *cell, unsigned slot)
{
    const struct race_record *o = race_record(&r->shadow, *cell->slot[slot]);
    const struct wt_order_operation *call = o ? r->wave[o->wave - 1].call : NULL;
    return call && !wt_order_is_over(r->order, call->stream, call->number) ? o : NULL;
}

static bool use(struct wt_check_race *r, const struct race_cell *cell, void *context)
{
    enum wt_race_use *all = context;
    const struct race_record *store = under_way(r, cell, 0);
    if (!store && !under_way(r, cell, 1) && !under_way(r, cell, 2))
        return false;
    if (!store)
        *all = WT_RACE_LOADED;
    return true;
}

enum wt_race_use wt_check_race_use(struct wt_check_race *r, uint64_t addr, uint64_t size)
{
    enum wt_race_use all = WT_RACE_STORED;
    struct race_page *page = race_page(&r->global, addr, false);
    if (!r->order || !page)
        return WT_RACE_PARTS;
    if (page->syncs || page->tells)
        return WT_RACE_ATOMIC;
    return each_cell(r, addr, size, use, &all) ? all : WT_RACE_PARTS;
}

struct host_access {
    uint64_t addr; /* as GPUs have it */
    const struct wt_host_access *is;
};

static bool judge(struct wt_check_race *r, const struct race_cell *cell, void *context)
{
    const struct host_access *h = context;
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        const struct race_record *o = under_way(r, cell, k);
        if (o && !o->atomic && (h->is->store || o->kind != WT_WATCH_READ)) {
            race_report_host(r, o, *cell->lane[k], h->addr, h->is);
            return false;
        }
    }
    return true;
}

void wt_check_race_host(struct wt_check_race *r, uint64_t addr, const struct wt_host_access *access)
{
    struct host_access h = {addr, access};
    if (r && r->order)
        each_cell(r, addr, 1, judge, &h);
}
