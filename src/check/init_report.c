/* Findings of the check of uninitialised values. See init_state.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/init_state.h"
#include "check/memory_state.h"
#include "check/names.h"
#include "emulator/machine/machine.h"

/* Where it comes from, and who has computed with it first. */
static void describe(struct wt_finding *f, const struct init_origin *o, const char *what)
{
    static const char *const why[WT_ORIGINS] = {
        [WT_ORIGIN_REGISTER] = ": nothing has written the register",
        [WT_ORIGIN_PRIVATE] = ": nothing has written the lane's own memory there",
        [WT_ORIGIN_GROUP] = ": nothing has written the group's memory there since the group began",
        [WT_ORIGIN_INACTIVE] = ": they come from a lane that takes no part in the exchange",
        [WT_ORIGIN_OBJECT] = ": nothing has written the allocation there",
        [WT_ORIGIN_BEYOND] = ": the load reaches past the end of the object"};
    const char *reason = o->kind < WT_ORIGINS ? why[o->kind] : NULL;
    snprintf(f->text, sizeof f->text, "%s has uninitialised bits%s", what, reason ? reason : "");
    if (o->kind >= WT_ORIGIN_OBJECT)
        wt_finding_of_object(f, &o->object);
}

static void describe_first(struct wt_finding *f, const struct init_origin *o)
{
    if (!o->pc || o->pc == f->pc)
        return;
    f->other = (struct wt_finding_other){.pc = o->pc,
                                         .time = o->time,
                                         .lanes = WT_FINDING_LANES(o->lanes),
                                         .wave_id = o->wave_id,
                                         .access = WT_NO_ACCESS};
    memcpy(f->other.wave, o->wave, sizeof f->other.wave);
    memcpy(f->other.back, o->back, sizeof f->other.back);
}

void init_forget_mistakes(struct wt_check_init *c, uint64_t time)
{
    wt_decisions_drop(&c->decisions, time, NULL, NULL);
}

/* ---- reports ---- */

void init_report(struct wt_check_init *c, enum wt_finding_kind kind, wt_lanes lanes,
                 uint32_t origin, const char *what)
{
    init_report_loaded(c, kind, lanes, origin, what, NULL);
}

void init_report_loaded(struct wt_check_init *c, enum wt_finding_kind kind, wt_lanes lanes,
                        uint32_t origin, const char *what, const struct wt_observed *a)
{
    struct wt_machine *m = c->machine;
    const struct init_pending *p = &c->pending;
    const struct init_origin *o = init_origin_of(origin);
    struct wt_finding f = {.kind = kind,
                           .severity = wt_finding_severity(kind, false),
                           .access = WT_NO_ACCESS,
                           .pc = p->pc,
                           .time = p->time,
                           .times = 1};
    wt_finding_of_wave(&f, m, p->wave, lanes);
    if (!wt_machine_checks(c->machine, f.launch))
        return;
    describe(&f, o, what);
    if (a && o->kind == WT_ORIGIN_GROUP && a->space == WT_OBSERVED_GROUP) {
        f.space = WT_FOUND_GROUP;
        f.has_object = true;
        f.address = a->at[wt_lanes_lowest(lanes)] % WT_WINDOW;
        f.object_size = memory_room_of(m, wt_machine_wave(m, p->wave), a->space);
    }
    describe_first(&f, o);
    wt_mistake_note(&c->decisions, m, &f);
    c->found(c->context, &f);
}

/* ---- what the host gets ---- */

/* A finding, and the place behind its last piece. */
struct init_gathered {
    struct wt_finding finding;
    uint32_t origin;
    uint64_t end;
};

/* The finding of bits of an origin. False: none is wanted. */
static bool result_of(const struct init_results *r, uint32_t origin, bool computed,
                      struct wt_finding *f)
{
    const struct init_origin *o = init_origin_of(origin);
    char what[100];
    const enum wt_finding_kind kind =
        computed ? WT_FOUND_UNDEFINED_RESULT : WT_FOUND_UNDEFINED_COPY;
    *f = (struct wt_finding){.kind = kind,
                             .severity = wt_finding_severity(kind, false),
                             .space = WT_FOUND_HOST,
                             .access = WT_NO_ACCESS,
                             .origin = o->kind,
                             .times = 1};
    if (r->by)
        snprintf(what, sizeof what, "the data that %s copies to the host", r->by);
    else
        snprintf(what, sizeof what, "memory that the host sees");
    f->calls = r->calls;
    if (computed && o->pc && o->by) {
        if (!wt_machine_checks(o->by->machine, o->launch))
            return false;
        f->pc = o->pc;
        f->time = o->time;
        f->wave_id = o->wave_id;
        f->lanes[0] = (uint64_t)o->lanes;
        f->lanes[1] = (uint64_t)(o->lanes >> 64);
        f->lanes_of = wt_lanes_count(o->lanes);
        f->launch = o->launch;
        f->groups = o->group;
        f->entry = o->entry;
        f->device = o->device;
        memcpy(f->wave, o->wave, sizeof f->wave);
    }
    describe(f, o, what);
    return true;
}

/* The finding that bits of an origin belong to; NULL: none is wanted, or without host memory. */
static struct init_gathered *gathered_of(struct init_results *r, uint32_t origin, bool computed)
{
    uint64_t *const place = wt_map_add(&r->of_origin, 2 * (uint64_t)origin + computed + 1);
    struct wt_finding f;
    size_t i = 0;
    if (!place)
        return NULL;
    if (!*place) {
        *place = UINT64_MAX;
        if (!result_of(r, origin, computed, &f))
            return NULL;
        while (i < r->count && !wt_finding_is_like(&r->list[i].finding, &f))
            i++;
        if (i == r->count) {
            struct init_gathered *grown =
                wt_array_grow(r->list, &r->room, r->count + 1, sizeof *grown);
            if (!grown)
                return NULL;
            r->list = grown;
            grown[r->count++] = (struct init_gathered){.finding = f, .origin = origin};
        }
        *place = i + 1;
    }
    return *place == UINT64_MAX ? NULL : &r->list[*place - 1];
}

static void add_piece(struct init_gathered *g, uint64_t at, uint64_t size)
{
    struct wt_finding *f = &g->finding;
    const bool goes_on = f->pieces && at == g->end;
    g->end = at + size;
    f->pieces += !goes_on;
    if (f->pieces > WT_FINDING_PIECES) {
        f->rest += size;
        f->rest_last = g->end - 1;
        return;
    }
    if (!goes_on)
        f->piece[f->pieces - 1].first = at;
    f->piece[f->pieces - 1].last = g->end - 1;
}

void init_results_add(struct init_results *r, struct init_space *s, uint64_t addr, uint64_t size,
                      uint64_t at)
{
    struct init_byte byte = {0}, last = {0};
    struct init_gathered *g = NULL;
    for (uint64_t done = 0; done < size; done++) {
        done += init_find(s, addr + done, size - done, !r->whole, &byte);
        if (done >= size)
            return;
        if (!last.undefined || byte.origin != last.origin || !byte.computed != !last.computed)
            g = gathered_of(r, byte.origin, byte.computed);
        last = byte;
        if (g)
            add_piece(g, at + done, 1);
    }
}

/* The bytes of memory that the host sees are some of an object, if they are of one. */
static void name_object(const struct wt_check_init *c, struct wt_finding *f, uint64_t last)
{
    struct wt_object object;
    const uint64_t first = f->piece[0].first;
    f->pieces_of = WT_PIECES_OF_MEMORY;
    if (!c || !wt_object_find(c->space, first, &object, NULL, NULL))
        return;
    wt_variable_within(&object, first);
    if (last - object.addr >= object.size)
        return;
    f->pieces_of = WT_PIECES_OF_OBJECT;
    f->whole = object.addr;
    snprintf(f->whole_name, sizeof f->whole_name, "%s", object.name);
    for (size_t i = 0; i < WT_FINDING_PIECES && i < f->pieces; i++) {
        f->piece[i].first -= object.addr;
        f->piece[i].last -= object.addr;
    }
    f->rest_last -= f->rest ? object.addr : 0;
}

void init_results_tell(struct init_results *r)
{
    for (size_t i = 0; i < r->count; i++) {
        struct init_gathered *const g = &r->list[i];
        struct wt_check_init *const c = g->finding.pc ? init_origin_of(g->origin)->by : r->check;
        if (r->there)
            name_object(c, &g->finding, g->end - 1);
        if (c)
            c->found(c->context, &g->finding);
    }
    /* More waves that have computed such bits: findings of kernels count them. */
    for (size_t i = 0; i < r->of_origin.room; i++) {
        const struct wt_map_entry *const e = &r->of_origin.entry[i];
        const uint32_t origin = (uint32_t)((e->key - 1) / 2);
        struct wt_check_init *const c = e->key ? init_origin_of(origin)->by : NULL;
        struct wt_finding f;
        if (c && e->value != UINT64_MAX && r->list[e->value - 1].origin != origin &&
            result_of(r, origin, (e->key - 1) % 2, &f) && f.pc)
            c->found(c->context, &f);
    }
    wt_map_free(&r->of_origin);
    free(r->list);
    *r = (struct init_results){.check = NULL};
}

static int by_address(const void *one, const void *other)
{
    const struct init_range *a = one, *b = other;
    return a->addr < b->addr ? -1 : a->addr > b->addr;
}

size_t init_ranges_merge(struct init_range *list, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(list, count, sizeof *list, by_address);
    for (size_t i = 0; i < count; i++) {
        struct init_range *const last = kept ? &list[kept - 1] : NULL;
        const uint64_t end = list[i].addr + list[i].size;
        if (!last || last->addr + last->size < list[i].addr)
            list[kept++] = list[i];
        else if (end > last->addr + last->size)
            last->size = end - last->addr;
    }
    return kept;
}

void init_report_visible(struct wt_check_init *c)
{
    struct init_results r = {.check = c,
                             .whole = c->level >= WT_INIT_COPY,
                             .there = true,
                             .by = c->copies ? "a command" : NULL};
    c->visibles = init_ranges_merge(c->visible, c->visibles);
    for (size_t i = 0; i < c->visibles; i++)
        init_results_add(&r, c->global, c->visible[i].addr, c->visible[i].size, c->visible[i].addr);
    init_results_tell(&r);
    c->visibles = 0;
}
