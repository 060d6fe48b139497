/* What the check of uninitialised values reports. See init_state.h. */
#include <stdio.h>
#include <string.h>

#include "check/init_state.h"

/* Where it comes from, and who has computed with it first. */
static void describe(struct wt_finding *f, const struct init_origin *o, const char *what)
{
    snprintf(f->text, sizeof f->text, "%s has bits %s", what, wt_origin_text(o->kind));
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
}

void init_forget_mistakes(struct wt_check_init *c, uint64_t time)
{
    wt_decisions_drop(&c->decisions, time, NULL, NULL);
}

/* ---- reports ---- */

void init_report(struct wt_check_init *c, enum wt_finding_kind kind, wt_lanes lanes,
                 uint32_t origin, const char *what)
{
    struct wt_machine *m = c->machine;
    const struct init_pending *p = &c->pending;
    const struct init_origin *o = init_origin_of(origin);
    struct wt_finding f = {.kind = kind,
                           .severity = WT_ERROR,
                           .access = WT_NO_ACCESS,
                           .pc = p->pc,
                           .time = p->time,
                           .times = 1};
    wt_finding_of_wave(&f, m, p->wave, lanes);
    if (!wt_machine_checks(c->machine, f.launch))
        return;
    describe(&f, o, what);
    describe_first(&f, o);
    wt_mistake_note(&c->decisions, m, &f);
    c->found(c->context, &f);
}

/* How many bytes there are from byte @p at on to the last one that comes from there. */
static uint64_t extent_of(struct init_space *s, uint64_t addr, uint64_t size, uint64_t at,
                          const struct init_byte *byte, bool computed)
{
    uint64_t last = at;
    struct init_byte one = {0};
    for (uint64_t next = at + 1; next < size; next++) {
        next += init_find(s, addr + next, size - next, computed, &one);
        if (next < size && one.origin == byte->origin)
            last = next;
    }
    return last - at + 1;
}

void init_report_result(struct wt_check_init *c, struct init_space *s, uint64_t addr, uint64_t size,
                        uint64_t at, const struct init_byte *byte, bool computed, bool there,
                        const char *by, const struct wt_call_stack *calls)
{
    const struct init_origin *o = init_origin_of(byte->origin);
    struct wt_finding f = {.kind = computed ? WT_FOUND_UNDEFINED_RESULT : WT_FOUND_UNDEFINED_COPY,
                           .severity = WT_ERROR,
                           .space = WT_FOUND_HOST,
                           .access = WT_NO_ACCESS,
                           .part = there ? addr + at : at,
                           .part_size = extent_of(s, addr, size, at, byte, computed),
                           .part_is_address = there,
                           .times = 1};
    char what[100];
    snprintf(what, sizeof what, "what %s copies to the host", by ? by : "");
    if (!by)
        snprintf(what, sizeof what, "memory that the host sees");
    if (calls)
        f.calls = *calls;
    if (computed && o->pc && o->by) {
        if (!wt_machine_checks(o->by->machine, o->launch))
            return;
        c = o->by;
        f.pc = o->pc;
        f.time = o->time;
        f.wave_id = o->wave_id;
        f.lanes[0] = (uint64_t)o->lanes;
        f.lanes[1] = (uint64_t)(o->lanes >> 64);
        f.lanes_of = wt_lanes_count(o->lanes);
        f.launch = o->launch;
        f.groups = o->group;
        f.entry = o->entry;
        f.device = o->device;
        memcpy(f.wave, o->wave, sizeof f.wave);
    }
    describe(&f, o, what);
    if (c)
        c->found(c->context, &f);
}

void init_report_visible(struct wt_check_init *c)
{
    struct init_byte byte = {0};
    for (size_t i = 0; i < c->visibles; i++) {
        const struct init_page_seen *v = &c->visible[i];
        const bool computed = init_find(c->global, v->addr, v->size, true, &byte) < v->size;
        const uint64_t at = init_find(c->global, v->addr, v->size, computed, &byte);
        if (at < v->size && (computed || c->level >= WT_INIT_COPY))
            init_report_result(c, c->global, v->addr, v->size, at, &byte, computed, true,
                               c->copies ? "a command" : NULL, NULL);
    }
    c->visibles = 0;
}
