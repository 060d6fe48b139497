/* Traps that are written for waves that stop. See armed.h. */
#include "runtime/common/armed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/common/recording.h"

/* ---- bytes ---- */

static bool lies_in(const struct live_place *p, uint64_t addr, size_t size)
{
    return p->wire.addr >= addr && p->wire.addr - addr <= size &&
           p->wire.size <= size - (p->wire.addr - addr);
}

static bool is_there(const struct live_place *p, const uint8_t *bytes, const uint8_t *what)
{
    for (uint32_t i = 0; i < p->wire.size; i++)
        if ((bytes[i] ^ what[i]) & p->wire.mask[i])
            return false;
    return true;
}

/* Byte @p i of the place with the bits of @p what that are the trap's. */
static uint8_t mixed(const struct live_place *p, uint32_t i, uint8_t byte, const uint8_t *what)
{
    return (uint8_t)((byte & ~p->wire.mask[i]) | (what[i] & p->wire.mask[i]));
}

static void put(const struct live_place *p, uint8_t *bytes, const uint8_t *what)
{
    for (uint32_t i = 0; i < p->wire.size; i++)
        bytes[i] = mixed(p, i, bytes[i], what);
}

void armed_show(const struct wt_hosted *gpu, uint64_t addr, uint8_t *bytes, size_t size)
{
    const struct live_points *live = &gpu->watched.live;
    for (size_t i = 0; i < live->places; i++) {
        const struct live_place *p = &live->place[i];
        for (uint32_t k = 0; p->armed && k < p->wire.size; k++) {
            const uint64_t at = p->wire.addr + k - addr;
            if (at < size)
                bytes[at] = mixed(p, k, bytes[at], p->wire.trap);
        }
    }
}

static struct wt_planted_one as_planted(const struct live_place *p)
{
    struct wt_planted_one one = {.addr = p->wire.addr, .size = p->wire.size};
    memcpy(one.mask, p->wire.mask, p->wire.size);
    memcpy(one.trap, p->wire.trap, p->wire.size);
    memcpy(one.original, p->wire.original, p->wire.size);
    return one;
}

/* ---- waves ---- */

/* The trap comes into memory, for the wave that has arrived. */
static bool trip(struct wt_hosted *gpu, struct live_place *p, const struct wt_watch_hit *hit)
{
    const struct wt_planted_one planted = as_planted(p);
    uint8_t bytes[WT_LIVE_BYTES];
    p->armed = false;
    if (!wt_hosted_read(gpu, hit->wave, 0, p->wire.addr, bytes, p->wire.size))
        return false;
    put(p, bytes, p->wire.trap);
    wt_planted_add(gpu->planted, &planted);
    live_note(&gpu->watched.live, p, hit);
    return wt_hosted_input(gpu, &(struct wt_input){.kind = WT_INPUT_MEMORY,
                                                   .wave = hit->wave,
                                                   .addr = p->wire.addr,
                                                   .bytes = bytes,
                                                   .size = p->wire.size});
}

bool armed_take(struct wt_hosted *gpu)
{
    struct live_points *live = &gpu->watched.live;
    struct wt_watch_hit here;
    bool any, others;
    any = watched_take_place(gpu->machine, &here, &others);
    for (size_t i = 0; i < live->places && any && !others; i++)
        if (live->place[i].armed && live->place[i].wire.pc == here.pc)
            trip(gpu, &live->place[i], &here);
    if (any && !others)
        watched_apply(&gpu->watched, gpu->machine);
    return others;
}

/* ---- the debugger ---- */

/* Takes the breakpoint, or condition, at @p at; false: the list breaks off. */
static bool take_one(struct wt_machine *m, const uint8_t **at, size_t *left,
                     struct wt_condition_counts *counts, struct live_place *p)
{
    if (*left < sizeof p->wire)
        return false;
    memcpy(&p->wire, *at, sizeof p->wire);
    const size_t padded = ((size_t)p->wire.code + 7) & ~(size_t)7;
    if ((!p->wire.size && !p->wire.addr) || p->wire.size > WT_PLANTED_BYTES ||
        padded > *left - sizeof p->wire)
        return false;
    wt_condition_new(m, *at + sizeof p->wire, p->wire.code, counts, &p->condition, WT_IGNORED);
    *at += sizeof p->wire + padded;
    *left -= sizeof p->wire + padded;
    return true;
}

/* Brings the trap into memory, or takes it out, where the code is as expected. */
static bool change(struct live_place *p, bool arm, struct wt_hosted *gpu, armed_copy_fn *copy,
                   void *context)
{
    const struct wt_planted_one planted = as_planted(p);
    uint8_t now[WT_LIVE_BYTES];
    if (!copy(context, p->wire.addr, now, p->wire.size, true) ||
        !is_there(p, now, arm ? p->wire.trap : p->wire.original))
        return false;
    put(p, now, arm ? p->wire.original : p->wire.trap);
    if (arm)
        wt_planted_written(gpu->planted, p->wire.addr, now, p->wire.size);
    else
        wt_planted_add(gpu->planted, &planted);
    return copy(context, p->wire.addr, now, p->wire.size, false);
}

/* Those of the list before that are armed come into memory: so the debugger believes. */
static void plant_all(struct wt_hosted *gpu, armed_copy_fn *copy, void *context)
{
    struct live_points *live = &gpu->watched.live;
    for (size_t i = 0; i < live->places; i++) {
        const bool armed = live->place[i].armed;
        live->place[i].armed = false;
        if (armed)
            change(&live->place[i], false, gpu, copy, context);
    }
}

/* Takes a list, of which the caller frees everything. Returns as armed_set(). */
static int take_all(struct wt_hosted *gpu, const uint8_t *bytes, size_t size,
                    struct live_points *new)
{
    struct live_points *live = &gpu->watched.live;
    new->place = calloc(size / sizeof(struct wt_wire_live) + 1, sizeof *new->place);
    new->counts = calloc(1, sizeof *new->counts);
    if (!new->place || !new->counts)
        return -ENOMEM;
    *new->counts = (struct wt_condition_counts){.print = live_print, .context = live};
    while (size) {
        struct live_place p = {.live = live};
        if (!take_one(gpu->machine, &bytes, &size, new->counts, &p) || !p.condition)
            return -EINVAL;
        new->place[new->all++] = p;
        if (p.wire.size && ++new->places != new->all)
            return -EINVAL;
    }
    return 0;
}

int armed_set(struct wt_hosted *gpu, const uint8_t *bytes, size_t size, armed_copy_fn *copy,
              void *context)
{
    struct live_points new = {.place = NULL};
    plant_all(gpu, copy, context);
    const int result = take_all(gpu, bytes, size, &new);
    for (size_t i = 0; i < new.places && !result; i++)
        new.place[i].armed = change(&new.place[i], true, gpu, copy, context);
    if (result)
        live_forget(&new);
    live_replace(&gpu->watched.live, &new);
    watched_apply(&gpu->watched, gpu->machine);
    return result;
}

void armed_written(struct wt_hosted *gpu, uint64_t addr, uint8_t *bytes, size_t size)
{
    struct live_points *live = &gpu->watched.live;
    bool changed = false;
    for (size_t i = 0; i < live->places && !wt_recording_is_away(gpu->recording); i++) {
        struct live_place *p = &live->place[i];
        if (p->wire.addr >= addr + size || addr >= p->wire.addr + p->wire.size)
            continue;
        uint8_t *at = lies_in(p, addr, size) ? bytes + (p->wire.addr - addr) : NULL;
        const bool arms = at && is_there(p, at, p->wire.trap);
        if (arms)
            put(p, at, p->wire.original);
        changed |= p->armed != arms;
        p->armed = arms;
    }
    if (changed)
        watched_apply(&gpu->watched, gpu->machine);
}
