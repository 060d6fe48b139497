/* A debugger's questions about a value: as it was at the machine's time. See init.h. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/init_state.h"
#include "emulator/machine/groups.h"

/* ---- who is asked ---- */

static struct wt_check_init *check_of(const struct wt_machine *m)
{
    struct wt_check_init *c = init_checks();
    while (c && c->machine != m)
        c = c->next;
    return c;
}

/* The wave of an id, which may have ended; NULL: its begin was not seen. */
static const struct init_wave *wave_of(const struct wt_check_init *c, uint32_t slot, uint64_t id)
{
    if (c->wave[slot] && c->wave[slot]->id == id)
        return c->wave[slot];
    for (size_t i = c->past.gone_count; i-- > 0;)
        if (c->past.gone[i].wave && c->past.gone[i].wave->id == id)
            return c->past.gone[i].wave;
    return NULL;
}

/* A group's memory at a time; NULL: nobody has used it. */
static struct init_space *group_of(const struct wt_check_init *c, uint64_t home, uint64_t time)
{
    for (size_t i = 0; i < c->past.gone_count; i++) {
        const struct init_gone *gone = &c->past.gone[i];
        if (gone->group && gone->home == home && gone->time >= time)
            return gone->group;
    }
    const uint64_t *there = wt_map_find(&c->groups, home + 1);
    return there ? (struct init_space *)(uintptr_t)*there : NULL;
}

/* ---- the past ---- */

/* The first of the changes that were made at a time or later. */
static size_t change_at(const struct init_past *p, uint64_t time)
{
    WT_BISECT(low, p->count, p->list[middle].time < time);
    return low;
}

static void undo_in_file(const struct init_past *p, const struct init_file *of, uint64_t time,
                         struct init_file *copy)
{
    for (size_t i = p->count, first = change_at(p, time); i-- > first;) {
        const struct init_change *n = &p->list[i];
        if (n->of != of)
            continue;
        if (n->kind == INIT_WAS_SET) {
            copy->any[n->at] = n->was.set.any;
            copy->fresh[n->at] = n->was.set.fresh;
        } else if (copy->values[n->at / 64]) { /* else it had none either */
            struct init_cells *values = copy->values[n->at / 64];
            values->undefined[n->at % 64] = n->was.cell.undefined;
            values->computed[n->at % 64] = n->was.cell.computed;
            values->origin[n->at % 64] = n->was.cell.origin;
        }
    }
}

/* A copy of a file with cells, as it was at a time. False without host memory. */
static bool copy_file(const struct init_past *p, const struct init_file *of, uint64_t time,
                      struct init_file *copy)
{
    *copy = (struct init_file){.cells = 0};
    if (!init_grow_file(copy, of->cells))
        return false;
    for (size_t word = 0; word < of->cells / 64; word++) {
        copy->any[word] = of->any[word];
        copy->fresh[word] = of->fresh[word];
        if (!of->values[word])
            continue;
        if (!(copy->values[word] = malloc(sizeof **copy->values)))
            return false;
        *copy->values[word] = *of->values[word];
    }
    undo_in_file(p, of, time, copy);
    return true;
}

/* Turns a byte of a space as it is now into what it was at a time. */
static void undo_in_byte(const struct init_past *p, const struct init_space *s, uint64_t at,
                         uint64_t time, struct init_byte *byte)
{
    for (size_t i = p->count, first = change_at(p, time); i-- > first;) {
        const struct init_change *n = &p->list[i];
        if (n->of != s)
            continue;
        if (n->kind == INIT_WAS_PAGE && n->at == at / INIT_PAGE)
            init_load_page(s, n->at, n->was.page, (unsigned)(at % INIT_PAGE), 1, byte);
        if (n->kind != INIT_WAS_GRANULE || n->at != at / INIT_GRANULE)
            continue;
        const uint8_t undefined = n->was.granule.undefined[at % INIT_GRANULE];
        *byte = (struct init_byte){undefined,
                                   n->was.granule.computed >> at % INIT_GRANULE & 1 ? undefined : 0,
                                   undefined ? n->was.granule.origin : 0};
    }
}

/* The time at which the host has written there, after a time; 0: it has not. */
static uint64_t changed_at(const struct init_past *p, const struct init_space *s, uint64_t at,
                           uint64_t time)
{
    for (size_t i = change_at(p, time); i < p->count; i++) {
        const struct init_change *n = &p->list[i];
        if (n->of == s && n->kind == INIT_WAS_CHANGED && n->time > time && n->at <= at &&
            n->was.last >= at)
            return n->time;
    }
    return 0;
}

/* ---- answers ---- */

static void tell_origin(struct wt_defined_view *view, uint32_t number)
{
    const struct init_origin *o = init_origin_of(number);
    view->origin = o->kind;
    view->pc = o->pc;
    view->time = o->time;
    memcpy(view->wave, o->wave, sizeof view->wave);
    if (o->kind >= WT_ORIGIN_OBJECT)
        wt_object_view_of(&o->object, &view->object);
}

static enum wt_defined_answer tell_register(const struct wt_check_init *c, uint32_t slot,
                                            const struct wt_defined_request *r,
                                            struct wt_defined_view *view)
{
    struct wt_machine *m = c->machine;
    struct wt_insn_operand o;
    const bool is_place = r->name[0] == '#';
    const struct init_wave *w = wave_of(c, slot, r->id);
    if (!m->ops->find_operand(is_place ? "" : r->name, &o) || (!is_place && r->from > 31))
        return WT_DEFINED_NO_VALUE;
    o.bits = (uint16_t)(8 * r->bytes);
    if (is_place) {
        o.number = (uint16_t)r->from;
        o.step = o.bits;
    } else {
        o.first = (uint8_t)(o.first + 8 * r->from);
    }
    if (!w || !w->file[o.file].cells)
        return WT_DEFINED_KNOWN;
    struct init_wave then = {.id = w->id};
    uint32_t origin = 0;
    const bool copied = copy_file(&c->past, &w->file[o.file], m->time, &then.file[o.file]);
    for (unsigned i = 0; copied && i < r->bytes; i++) {
        const struct wt_defined is =
            init_fetch(c, &then, slot,
                       (struct init_part){&o, r->lane, is_place ? 0 : r->lane, 8 * i, 8}, &origin);
        view->undefined[i] = (uint8_t)is.undefined;
        view->computed[i] = (uint8_t)is.computed;
    }
    init_free_file(&then.file[o.file]);
    if (origin)
        tell_origin(view, origin);
    return copied ? WT_DEFINED_KNOWN : WT_DEFINED_NOT_CHECKED;
}

static enum wt_defined_answer tell_memory(const struct wt_check_init *c, uint32_t slot,
                                          const struct wt_defined_request *r,
                                          struct wt_defined_view *view)
{
    struct wt_machine *m = c->machine;
    const struct init_wave *w = wave_of(c, slot, r->id);
    uint32_t origin = 0;
    for (unsigned i = 0; i < r->bytes; i++) {
        uint64_t at = r->address + i, home;
        unsigned space;
        struct init_byte byte = {0};
        m->ops->observed_place(m, slot, r->lane, &at, &space, &home);
        struct init_space *s = space == WT_OBSERVED_GLOBAL  ? c->global
                               : space == WT_OBSERVED_GROUP ? group_of(c, home, m->time)
                               : space == WT_OBSERVED_PRIVATE && w
                                   ? (struct init_space *)(uintptr_t)&w->own
                                   : NULL;
        if (s)
            at = init_place(s, space, r->lane, at);
        else if (space == WT_OBSERVED_GROUP)
            byte = (struct init_byte){0xff, 0, INIT_OF_GROUP};
        if (s && (view->since = changed_at(&c->past, s, at, m->time)) != 0)
            return WT_DEFINED_CHANGED;
        if (s) {
            init_load(s, at, 1, &byte);
            undo_in_byte(&c->past, s, at, m->time, &byte);
        }
        view->undefined[i] = byte.undefined;
        view->computed[i] = byte.computed;
        origin = origin || !byte.undefined ? origin : byte.origin;
    }
    if (origin)
        tell_origin(view, origin);
    return WT_DEFINED_KNOWN;
}

void wt_check_init_tell(struct wt_machine *m, uint32_t slot, const struct wt_defined_request *r,
                        struct wt_defined_view *view)
{
    *view = (struct wt_defined_view){.answer = WT_DEFINED_NOT_CHECKED};
    init_lock();
    const struct wt_check_init *c = check_of(m);
    if (!c || c->run.lost || !r->bytes || r->bytes > WT_DEFINED_BYTES || r->lane >= m->lanes) {
        init_unlock();
        return;
    }
    if (slot >= m->waves || wt_machine_wave_id(m, slot) != r->id)
        view->answer = WT_DEFINED_NO_WAVE;
    else if (m->time <= c->run.most && (!c->past.kept || m->time < c->past.from)) {
        view->answer = WT_DEFINED_FORGOTTEN;
        view->since = c->past.from;
    } else
        view->answer = r->name[0] ? tell_register(c, slot, r, view) : tell_memory(c, slot, r, view);
    init_unlock();
}
