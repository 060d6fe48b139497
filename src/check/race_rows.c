/* Rows of cells, one behind the other in a page, which plain accesses are made to: what is the same
 * of all is asked once. See race_access.h. */
#include <string.h>

#include "check/race_access.h"
#include "check/rows.h"

/* The lanes of cells of a page. */
static uint8_t *lanes_at(const struct race_page *page, unsigned slot, unsigned cell)
{
    return &page->lane[slot][cell * page->per];
}

/* A row of cells gets one record, and lanes; number 0: none, where one is. */
static void fill(struct race_access *x, struct race_page *page, unsigned slot, unsigned first,
                 unsigned count, uint32_t number, const uint8_t *lanes)
{
    if (!race_own(page, slot)) {
        x->r->run.lost = true;
        return;
    }
    uint32_t *to = &page->slot[slot][first];
    for (unsigned i = 0; i < count; i++)
        to[i] = number;
    if (number)
        memcpy(lanes_at(page, slot, first), lanes, count * page->per);
    x->stored |= number == x->number;
}

/* Cells of a page one behind the other. */
struct race_row {
    unsigned first, count;
    bool equal[RACE_SLOTS];      /* all have the same number in the slot, and are not split */
    uint32_t number[RACE_SLOTS]; /* number of the first one */
    const uint8_t *mine;         /* lanes of the access: race_page.per of each cell */
};

static void see_row(const struct race_page *page, struct race_row *row)
{
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        const uint32_t *slot = &page->slot[k][row->first];
        row->number[k] = page->plane[k] ? *slot : 0;
        row->equal[k] =
            !page->plane[k] || (!(*slot & RACE_SPLIT) && race_are_equal(slot, row->count));
    }
}

/* Whether the lanes in one slot are those of the access. */
static bool has_lanes(const struct race_page *page, unsigned k, const struct race_row *row)
{
    return memcmp(lanes_at(page, k, row->first), row->mine, row->count * page->per) == 0;
}

/* Whether nothing races that is in one slot of a row of cells, and nothing need be kept of it. */
static bool is_over(const struct race_access *x, const struct race_page *page, unsigned k,
                    const struct race_row *row)
{
    const struct race_record *o = race_record(&x->r->shadow, row->number[k]);
    if (!row->equal[k] || !o)
        return row->equal[k];
    if (o->wave == x->w->number)
        return !x->r->rules.independent || has_lanes(page, k, row);
    return !(x->alone && row->number[k] >= x->past) && race_ordered(x->r, x->w, 0, o, 0);
}

/* Whether all that is in one slot of a row of cells is ordered before the access, as numbers say.
 */
static bool are_past(const struct race_access *x, const struct race_page *page, unsigned k,
                     const struct race_row *row)
{
    const uint32_t *slot = &page->slot[k][row->first];
    const uint32_t past =
        page->owner == x->w->number && !x->r->rules.independent ? x->number : x->past;
    const unsigned count = !page->plane[k] ? 0 : row->equal[k] ? 1 : row->count;
    uint32_t later = 0;
    for (unsigned i = 0; i < count; i++)
        later |= slot[i] >= past;
    return !later && page->per == 1;
}

/* A row of whole cells, one behind the other, which plain accesses are made to: false, and nothing
 * is done, where it is no simple case. */
static bool take_row(struct race_access *x, struct race_page *page, const struct race_row *row)
{
    const struct race_record *read = race_record(&x->r->shadow, row->number[1]);
    if (!are_past(x, page, 0, row) && !is_over(x, page, 0, row))
        return false;
    const bool over = is_over(x, page, 1, row);
    if (!over && !are_past(x, page, 1, row))
        return false;
    if (x->record.kind == WT_WATCH_READ) {
        if (over && read && read->atomic == x->record.atomic && read->wave == x->w->number &&
            read->clock == x->w->clock)
            return true; /* an earlier load stands for it */
        fill(x, page, 1, row->first, row->count, x->number, row->mine);
        return true;
    }
    if (!are_past(x, page, 2, row) && !is_over(x, page, 2, row))
        return false;
    fill(x, page, 0, row->first, row->count, x->number, row->mine);
    for (unsigned k = 1; k < RACE_SLOTS; k++)
        if (!row->equal[k] || row->number[k])
            fill(x, page, k, row->first, row->count, 0, NULL);
    return true;
}

/* A row of words in a page that the wave alone has accessed, whose lanes are one: all that is there
 * is ordered before. False, and nothing is done, where that is not so simple. */
static bool take_own(struct race_access *x, struct race_page *page, unsigned cell, unsigned lane,
                     unsigned count)
{
    const bool loads = x->a->kind == WT_WATCH_READ;
    if (page->is_split || page->per != 1 || !page->plane[loads])
        return false;
    uint32_t *slot = &page->slot[loads][cell];
    const struct race_record *o = loads ? race_record(&x->r->shadow, *slot) : NULL;
    if (o && o->wave == x->w->number && o->clock == x->w->clock && !o->atomic &&
        race_are_equal(slot, count))
        return true; /* an earlier load stands for it */
    if (!race_number(x) || x->stored) {
        race_see_past(x);
        return false;
    }
    for (unsigned i = 0; i < count; i++)
        slot[i] = x->number;
    memcpy(&page->lane[loads][cell], x->r->lanes + lane, count);
    x->stored = true;
    for (unsigned k = 1; k < RACE_SLOTS && !loads; k++)
        if (page->plane[k])
            memset(&page->slot[k][cell], 0, count * sizeof *slot);
    return true;
}

/* Whether lanes from *first on access what fills whole cells one behind the other, of one page;
 * *count: how many lanes. */
static bool is_row(const struct wt_observed *a, unsigned *first, unsigned *count)
{
    return a->size <= 16 && wt_is_row(a, a->size, first, count) && a->at[*first] % 4 == 0 &&
           *count * a->size % 4 == 0 &&
           a->at[*first] % RACE_PAGE + (uint64_t)*count * a->size <= RACE_PAGE;
}

/* A row whose cells are equal but for the lanes: they are taken as one. False, and nothing is done,
 * where they are not. */
static bool take_equal_cells(struct race_access *x, struct race_page *page,
                             const struct race_row *row)
{
    uint8_t *lanes[RACE_SLOTS];
    uint32_t slot[RACE_SLOTS];
    uint8_t number[RACE_SLOTS] = {0, 1, 2};
    struct race_cell cell;
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        const struct race_record *o = race_record(&x->r->shadow, row->number[k]);
        if (!row->equal[k] || row->number[k] == x->number ||
            (o && o->wave == x->w->number && x->r->rules.independent && !has_lanes(page, k, row)))
            return false;
        lanes[k] = lanes_at(page, k, row->first);
        slot[k] = row->number[k];
        cell.slot[k] = &slot[k];
        cell.lane[k] = &number[k];
    }
    cell.page = NULL;
    x->row = lanes;
    x->row_count = row->count * page->per;
    race_take_cell(x, &cell, RACE_WAVE, x->a->at[wt_lanes_lowest(x->a->lanes)]);
    x->row = NULL;
    for (unsigned k = RACE_SLOTS; k-- > 0;) /* slot 0, whose lanes others may get, comes last */
        if (slot[k] != row->number[k])
            fill(x, page, k, row->first, row->count, slot[k],
                 slot[k] == x->number ? row->mine : lanes[number[k]]);
    return true;
}

/* Whether a load's cells have two loads of others, as keep() leaves them. */
static bool all_stay(const struct race_access *x, const struct race_row *row)
{
    const struct race_shadow *s = &x->r->shadow;
    const struct race_record *o[RACE_SLOTS];
    if (x->record.kind != WT_WATCH_READ || !x->alone || !row->equal[0] || row->number[0] >= x->past)
        return false;
    for (unsigned k = 1; k < RACE_SLOTS; k++) {
        o[k] = race_record(s, row->number[k]);
        if (!row->equal[k] || row->number[k] < x->past || !o[k] || o[k]->kind != WT_WATCH_READ ||
            o[k]->wave == x->w->number)
            return false;
    }
    return race_home_of(x, o[1]) != race_home_of(x, o[2]) ||
           race_home_of(x, &x->record) == race_home_of(x, o[1]);
}

/* A row as one, in one of the ways. */
bool race_take_cells(struct race_access *x, struct race_page *page, unsigned first, unsigned count,
                     const uint8_t *mine)
{
    struct race_row row;
    row.first = first;
    row.count = count;
    row.mine = mine;
    see_row(page, &row);
    return all_stay(x, &row) || take_row(x, page, &row) || take_equal_cells(x, page, &row);
}

bool race_take_row(struct race_access *x)
{
    uint8_t list[WT_MAX_LANES * 16];
    const struct wt_observed *a = x->a;
    const uint8_t *mine = list;
    unsigned lane, lanes;
    if (x->record.atomic || x->polls || !is_row(a, &lane, &lanes))
        return false;
    const uint64_t at = a->at[lane];
    struct race_page *page = race_page(x->space, at, true);
    if (!page || (page->syncs && (x->record.maybe_atomic || x->hides)))
        return false;
    race_page_used(page, x->w->number);
    const unsigned first = at % RACE_PAGE / 4;
    if (page->owner == x->w->number && a->size == 4 && !a->of_wave && !x->r->rules.independent &&
        take_own(x, page, first, lane, lanes))
        return true;
    if ((a->size % 4 && !race_own_bytes(page)) || !race_number_once(x))
        return false;
    const unsigned cells = lanes * a->size / 4, each = a->size * page->per / 4;
    if (a->of_wave)
        memset(list, a->owner, cells * page->per);
    else if (each == 1)
        mine = x->r->lanes + lane;
    else
        for (unsigned i = 0; i < cells * page->per; lane++)
            for (const unsigned end = i + each; i < end; i++)
                list[i] = (uint8_t)lane;
    return race_take_cells(x, page, first, cells, mine);
}
