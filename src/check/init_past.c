/* See init_past.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/init_past.h"

static const size_t most_bytes = (size_t)256 << 20;

/* The page that a change keeps; NULL: none. */
static struct init_page *page_of(const struct init_change *change)
{
    return change->kind == INIT_WAS_PAGE ? change->was.page : NULL;
}

/* ---- what is forgotten ---- */

static void drop_changes(struct init_past *p, uint64_t time)
{
    size_t first = 0;
    for (; first < p->count && p->list[first].time < time; first++) {
        struct init_page *page = page_of(&p->list[first]);
        p->bytes -= sizeof *p->list + (page ? sizeof *page : 0);
        free(page);
    }
    p->count -= first;
    if (first)
        memmove(p->list, p->list + first, p->count * sizeof *p->list);
}

static void drop_gone(struct init_past *p, uint64_t time)
{
    size_t first = 0;
    for (; first < p->gone_count && p->gone[first].time < time; first++) {
        p->bytes -= p->gone[first].bytes;
        p->free_gone(&p->gone[first]);
    }
    p->gone_count -= first;
    if (first)
        memmove(p->gone, p->gone + first, p->gone_count * sizeof *p->gone);
}

/* Nothing is known before a time. */
static void drop(struct init_past *p, uint64_t time)
{
    drop_changes(p, time);
    drop_gone(p, time);
    p->from = time > p->from ? time : p->from;
}

/* The older half goes, once there is too much. */
static void make_room(struct init_past *p, size_t bytes)
{
    p->bytes += bytes;
    while (p->bytes > most_bytes && (p->count > 1 || p->gone_count > 1))
        drop(p, p->gone_count > 1 ? p->gone[p->gone_count / 2].time + 1
                                  : p->list[p->count / 2].time + 1);
}

void init_past_clear(struct init_past *p)
{
    drop_changes(p, UINT64_MAX);
    drop_gone(p, UINT64_MAX);
    free(p->list);
    free(p->gone);
    *p = (struct init_past){
        .kept = p->kept, .now = p->now, .from = p->now, .free_gone = p->free_gone};
}

/* ---- what is noted ---- */

/* A change of the instruction of this time; NULL: it is noted already, or nothing is. */
static struct init_change *note(struct init_past *p, const void *of, enum init_change_kind kind,
                                uint64_t at)
{
    const struct init_change *last = p->count ? &p->list[p->count - 1] : NULL;
    assert(!last || last->time <= p->now); /* change_at() searches by time */
    if (last && last->time == p->now && last->of == of && last->kind == kind && last->at == at)
        return NULL;
    make_room(p, sizeof *p->list);
    struct init_change *grown = wt_array_grow(p->list, &p->room, p->count + 1, sizeof *grown);
    if (!grown) {
        init_past_clear(p);
        p->kept = false;
        return NULL;
    }
    p->list = grown;
    grown[p->count] = (struct init_change){.time = p->now, .of = of, .at = at, .kind = kind};
    return &grown[p->count++];
}

void init_note_set(struct init_file *f, size_t word)
{
    struct init_change *n = f->past ? note(f->past, f, INIT_WAS_SET, word) : NULL;
    if (n) {
        n->was.set.any = f->any[word];
        n->was.set.fresh = f->fresh[word];
    }
}

void init_note_cell(struct init_file *f, size_t cell)
{
    struct init_change *n = f->past ? note(f->past, f, INIT_WAS_CELL, cell) : NULL;
    if (n) {
        const struct init_cells *values = f->values[cell / 64];
        n->was.cell.undefined = values ? values->undefined[cell % 64] : 0;
        n->was.cell.computed = values ? values->computed[cell % 64] : 0;
        n->was.cell.origin = values ? values->origin[cell % 64] : 0;
    }
    init_note_set(f, cell / 64);
}

void init_note_byte(struct init_past *p, const struct init_space *s, uint64_t number,
                    const struct init_page *page, unsigned at)
{
    const unsigned first = at / INIT_GRANULE * INIT_GRANULE;
    struct init_change *n =
        note(p, s, INIT_WAS_GRANULE, number * INIT_PAGE / INIT_GRANULE + at / INIT_GRANULE);
    if (!n)
        return;
    memcpy(n->was.granule.undefined, page->undefined + first, INIT_GRANULE);
    n->was.granule.computed = page->computed[first / 8] >> first % 8 & 0xf;
    n->was.granule.origin = page->origin[at / INIT_GRANULE];
}

bool init_note_page(struct init_past *p, const struct init_space *s, uint64_t number,
                    struct init_page *page)
{
    struct init_change *n = note(p, s, INIT_WAS_PAGE, number);
    if (!n)
        return false;
    n->was.page = page;
    p->bytes += page ? sizeof *page : 0;
    return true;
}

void init_note_host(struct init_past *p, const struct init_space *s, uint64_t addr, uint64_t size)
{
    struct init_change *n = p->kept && size ? note(p, s, INIT_WAS_CHANGED, addr) : NULL;
    if (n)
        n->was.last = addr + size - 1;
}

bool init_past_take(struct init_past *p, const struct init_gone *gone)
{
    struct init_gone *grown =
        p->kept ? wt_array_grow(p->gone, &p->gone_room, p->gone_count + 1, sizeof *grown) : NULL;
    if (!grown)
        return false;
    p->gone = grown;
    grown[p->gone_count] = *gone;
    grown[p->gone_count++].time = p->now;
    make_room(p, gone->bytes);
    return true;
}
