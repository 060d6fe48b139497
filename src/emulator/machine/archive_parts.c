/* See archive_parts.h; and what every machine has (archive.h). */
#include "emulator/machine/archive_parts.h"

#include <assert.h>
#include <stdlib.h>

#include "emulator/machine/machine.h"
#include "emulator/machine/watch_set.h"

/* A run of so many issues takes thousands of years: times add up without overflow. */
#define MOST_TIME ((uint64_t)1 << 62)
#define MOST_CHOICES (1 << 28)

/* ---- parts ---- */

#define MOST_REGIONS 65536

void wt_archive_regions(struct wt_archive *a, struct wt_regions *r)
{
    uint32_t count = (uint32_t)r->count;
    struct wt_error err;
    if (!wt_archive_reads(a) && r->count > MOST_REGIONS) {
        wt_archive_fail(a, "more is mapped than a core file can hold");
        return;
    }
    wt_archive_u32(a, &count, MOST_REGIONS, "the number of mapped ranges");
    if (wt_archive_reads(a))
        r->count = 0;
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        struct wt_region region = wt_archive_reads(a) ? (struct wt_region){0} : r->region[i];
        wt_archive_u64(a, &region.addr, UINT64_MAX, "an address");
        wt_archive_u64(a, &region.size, UINT64_MAX, "a size");
        wt_archive_bool(a, &region.writable);
        if (wt_archive_reads(a) && !a->failed &&
            wt_regions_add(r, region.addr, region.size, region.writable, &err) != WT_OK)
            wt_archive_fail(a, "%.150s", err.text);
    }
}

#define MOST_SHARED 1048576

static void shared_pages(struct wt_archive *a, struct wt_shared_pages *pages)
{
    uint64_t count = pages->count;
    wt_archive_u64(a, &count, MOST_SHARED, "the number of shared pages");
    if (wt_archive_reads(a)) {
        wt_shared_pages_free(pages);
        pages->page = count ? calloc(count, sizeof *pages->page) : NULL;
        if (count && !pages->page)
            wt_archive_fail(a, "the host has no memory for a list of pages");
    }
    for (uint64_t i = 0; i < count && !a->failed; i++) {
        uint64_t page = wt_archive_reads(a) ? 0 : pages->page[i];
        wt_archive_u64(a, &page, UINT64_MAX, "the address of a page");
        if (!wt_archive_reads(a) || a->failed)
            continue;
        if (page & WT_PAGE_MASK || (i && page <= pages->page[i - 1]))
            wt_archive_fail(a, "the shared pages are not in order");
        pages->page[pages->count++] = page;
    }
}

void wt_archive_in_process(struct wt_archive *a, struct wt_machine *m)
{
    wt_archive_bool(a, &m->process.hosted);
    shared_pages(a, &m->process.shared);
}

bool wt_archive_in_host(struct wt_archive *a, struct wt_machine *m,
                        const struct wt_host_archive *in_host, const struct wt_region *region,
                        size_t count)
{
    assert(m->process.memory && !wt_archive_reads(a));
    const struct wt_shared_pages own = m->process.shared;
    m->process.shared = in_host->shared;
    m->ops->state(m, a);
    m->process.shared = own;
    return !a->failed && wt_archive_ranges(a, region, count, in_host->read, in_host->context);
}

bool wt_archive_mapped(struct wt_machine *m, struct wt_archive *a,
                       const struct wt_host_archive *in_host)
{
    return wt_archive_in_host(a, m, in_host, m->regions.region, m->regions.count);
}

void wt_archive_whole_machine(struct wt_machine *m, struct wt_archive *a)
{
    m->ops->state(m, a);
    wt_archive_memory(a, m->memory);
    if (wt_archive_reads(a))
        wt_machine_forget_code(m);
}

/* ---- what every machine has ---- */

void wt_archive_fault(struct wt_archive *a, struct wt_fault *f, uint32_t waves, unsigned lanes)
{
    unsigned kind = f->kind;
    if (wt_archive_whole(a, f, sizeof *f))
        return;
    wt_archive_unsigned(a, &kind, WT_FAULT_HOST, "a fault's kind");
    f->kind = (enum wt_fault_kind)kind;
    if (f->kind == WT_FAULT_NONE) {
        if (wt_archive_reads(a))
            *f = (struct wt_fault){0};
        return;
    }
    const bool whole = !wt_archive_reads(a) || a->version > 4;
    wt_archive_u32(a, &f->wave, waves - 1, "a fault's wave");
    if (whole)
        wt_archive_u64(a, &f->id, UINT64_MAX, "a fault's wave");
    wt_archive_lanes(a, &f->lanes, wt_lanes_first(lanes));
    wt_archive_u64(a, &f->pc, UINT64_MAX, "a fault's address");
    wt_archive_u64(a, &f->addr, UINT64_MAX, "a fault's address");
    wt_archive_u64(a, &f->time, MOST_TIME, "a fault's issue time");
    if (whole)
        wt_archive_text(a, f->name, sizeof f->name);
    wt_archive_text(a, f->text, sizeof f->text);
    if (whole)
        wt_archive_text(a, f->memory, sizeof f->memory);
}

/* The list of choices that the schedule follows. */
static void choices(struct wt_archive *a, struct wt_turns *t)
{
    static const struct wt_choices none;
    const struct wt_choices *list = t->policy.choices ? t->policy.choices : &none;
    uint32_t count = (uint32_t)list->count;
    uint64_t last = 0;
    wt_archive_u32(a, &count, MOST_CHOICES, "the number of choices");
    if (wt_archive_reads(a)) {
        wt_choices_free(&t->own);
        t->policy.choices = &t->own;
    }
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        struct wt_choice choice = {0};
        if (!wt_archive_reads(a))
            choice = list->at[i];
        wt_archive_u64(a, &choice.time, MOST_TIME, "the time of a choice");
        wt_archive_u32(a, &choice.wave, UINT32_MAX, "the wave of a choice");
        if (!wt_archive_reads(a))
            continue;
        if (i && choice.time <= last)
            wt_archive_fail(a, "choices are not in the order of time");
        else if (!wt_choices_add(&t->own, choice.time, choice.wave))
            wt_archive_fail(a, "the host has no memory left");
        last = choice.time;
    }
}

static void turns(struct wt_archive *a, struct wt_turns *t)
{
    struct wt_schedule *policy = &t->policy;
    const size_t words = wt_turns_words(t);
    unsigned kind = policy->kind;
    struct wt_turns all = *t;             /* its sets stay where they are */
    const struct wt_choices own = t->own; /* all states have one list */
    if (wt_archive_whole(a, &all, sizeof all)) {
        *t = all;
        t->own = own;
        wt_archive_bytes(a, t->ready, wt_turns_bytes(t));
        return;
    }
    if (wt_archive_reads(a))
        wt_turns_reset(t);
    wt_archive_unsigned(a, &kind, WT_SCHEDULE_FILE, "the schedule");
    policy->kind = (enum wt_schedule_kind)kind;
    wt_archive_u32(a, &policy->turn, WT_LONGEST_TURN, "the length of a turn");
    wt_archive_u64(a, &policy->seed, UINT64_MAX, "the seed");
    wt_archive_u64(a, &policy->state, UINT64_MAX, "the generator's state");
    if (policy->kind == WT_SCHEDULE_FILE)
        choices(a, t);
    wt_archive_u32(a, &t->current, t->waves - 1, "the wave whose turn it is");
    wt_archive_u32(a, &t->left, wt_schedule_longest(policy), "what is left of a turn");
    for (size_t i = 0; i < words; i++)
        wt_archive_u64(a, &t->round[i],
                       i + 1 < words || t->waves % 64 == 0 ? UINT64_MAX
                                                           : ((uint64_t)1 << t->waves % 64) - 1,
                       "a word of the round");
    if (wt_archive_reads(a) && !policy->turn) {
        wt_archive_fail(a, "a turn has no length");
        policy->turn = 1;
    }
}

void wt_archive_machine(struct wt_archive *a, struct wt_machine *m)
{
    assert(!m->in_turn);
    wt_archive_u64(a, &m->time, MOST_TIME, "the issue time");
    wt_archive_fault(a, &m->fault, m->waves, m->lanes);
    turns(a, &m->turns);
    if (wt_archive_whole(a, &m->active, sizeof m->active)) {
        wt_archive_bool(a, &m->event);
        wt_archive_u64(a, &m->runs, UINT64_MAX, "a number of runs");
    } else if (!wt_archive_reads(a) || a->version > 5) {
        wt_archive_u32(a, &m->device, 15, "the number of a device");
        wt_archive_u32(a, &m->first_core, UINT16_MAX, "a number of cores");
        wt_archive_u64(a, &m->runs, UINT64_MAX, "a number of runs");
    }
    if (!wt_archive_reads(a))
        return;
    wt_watch_set_forget(m);
    if (a->snapshot)
        return;
    m->active = 0;
    m->event = false;
}
