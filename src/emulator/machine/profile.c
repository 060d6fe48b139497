/* Exact counts. See profile.h. */
#include "emulator/machine/profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/observe.h"
#include "emulator/machine/operands.h"
#include "emulator/machine/watch_set.h"

/* Numbers of the instruction at hand: lines, dwords of local memory, addresses of atomics. */
struct numbers {
    uint64_t *list;
    size_t count, capacity;
};

/* A slot's latest wave. */
struct profiled_wave {
    uint64_t id, entry;
    unsigned lanes; /* that it began with */
};

/* An instruction's products of matrices. */
struct counted_matrix {
    uint32_t products; /* an issue has so many */
    bool unmasked;
};

#define NONE SIZE_MAX

struct wt_profile {
    struct wt_machine *m;
    uint64_t resets; /* resets of the machine, so far */
    struct wt_profile_shape shape;
    wt_profile_room_fn *room; /* NULL: the heap */
    void *context;
    struct wt_profile_count **block; /* counts in the order of first issues */
    struct counted_matrix *matrix;   /* each count's */
    size_t matrix_room;
    size_t blocks, capacity, counts;
    size_t first;   /* first instruction of the present code */
    uint64_t code;  /* its number */
    uint32_t *slot; /* slot of a hash table: 1 + index of a count of the present code; 0: free */
    size_t slots;   /* a power of 2 */
    struct profiled_wave *wave; /* by slot */
    struct profiled_wave now;   /* now of the instruction at hand */
    size_t at;                  /* number of its count; NONE: it has none */
    struct numbers lines, dwords, atomics;
    bool accesses; /* the instruction at hand has accessed memory */
    uint64_t bytes;
    bool short_of_memory;
};

/* ---- the counts of an instruction ---- */

static struct wt_profile_count *count_at(const struct wt_profile *p, size_t i)
{
    assert(i < p->blocks * WT_PROFILE_BLOCK);
    return &p->block[i / WT_PROFILE_BLOCK][i % WT_PROFILE_BLOCK];
}

static size_t place_of(const struct wt_profile *p, uint64_t pc, uint64_t entry)
{
    const uint64_t mixed = (pc ^ entry << 20) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(mixed >> 20) & (p->slots - 1);
    for (; p->slot[at]; at = (at + 1) & (p->slots - 1)) {
        const struct wt_profile_count *c = count_at(p, p->slot[at] - 1);
        if (c->pc == pc && c->entry == entry)
            break;
    }
    return at;
}

static bool grow(struct wt_profile *p)
{
    const size_t slots = p->slots ? 2 * p->slots : 1024;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(p->slot);
    p->slot = slot;
    p->slots = slots;
    for (size_t i = p->first; i < p->counts; i++) {
        const struct wt_profile_count *c = count_at(p, i);
        p->slot[place_of(p, c->pc, c->entry)] = (uint32_t)i + 1;
    }
    return true;
}

static bool add_block(struct wt_profile *p)
{
    struct wt_profile_count **grown =
        wt_array_grow(p->block, &p->capacity, p->blocks + 1, sizeof(*grown));
    if (!grown)
        return false;
    p->block = grown;
    grown[p->blocks] = p->room ? p->room(p->context) : calloc(WT_PROFILE_BLOCK, sizeof **grown);
    return grown[p->blocks] && ++p->blocks;
}

/* The effect of a new count's instruction. False without host memory. */
static bool note_matrix(struct wt_profile *p, uint64_t pc, uint32_t wave)
{
    struct wt_insn_operands o;
    struct counted_matrix *grown =
        wt_array_grow(p->matrix, &p->matrix_room, p->counts + 1, sizeof *grown);
    if (!grown)
        return false;
    p->matrix = grown;
    grown[p->counts] = (struct counted_matrix){0};
    if (p->m->ops->operands(p->m, wave, pc, &o))
        grown[p->counts] = (struct counted_matrix){o.products, o.products && o.unmasked};
    return true;
}

/* The number of the count of what a wave is about to issue; NONE without host memory. */
static size_t count_of(struct wt_profile *p, uint64_t pc, uint64_t entry, uint32_t wave)
{
    if (2 * (p->counts - p->first) >= p->slots && !grow(p))
        return NONE;
    const size_t at = place_of(p, pc, entry);
    if (!p->slot[at]) {
        if (p->counts == UINT32_MAX - 1 ||
            (p->counts == p->blocks * WT_PROFILE_BLOCK && !add_block(p)) ||
            !note_matrix(p, pc, wave))
            return NONE;
        *count_at(p, p->counts) =
            (struct wt_profile_count){.pc = pc, .entry = entry, .code = p->code};
        p->slot[at] = (uint32_t)++p->counts;
    }
    return p->slot[at] - 1;
}

void wt_profile_add(struct wt_profile_count *to, const struct wt_profile_count *from)
{
    to->issues += from->issues;
    to->enabled += from->enabled;
    to->lanes += from->lanes;
    to->requests += from->requests;
    to->transactions += from->transactions;
    to->conflicts += from->conflicts;
    to->collisions += from->collisions;
    to->bytes += from->bytes;
    to->products += from->products;
}

/* ---- memory ---- */

static void note(struct wt_profile *p, struct numbers *n, uint64_t number)
{
    uint64_t *grown = wt_array_grow(n->list, &n->capacity, n->count + 1, sizeof *grown);
    if (grown)
        n->list = grown;
    if (grown)
        grown[n->count++] = number;
    else
        p->short_of_memory = true;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort(struct numbers *n)
{
    if (n->count > 1)
        qsort(n->list, n->count, sizeof *n->list, by_number);
}

static size_t different(struct numbers *n)
{
    size_t count = 0;
    sort(n);
    for (size_t i = 0; i < n->count; i++)
        count += !i || n->list[i] != n->list[i - 1];
    n->count = 0;
    return count;
}

static size_t repeated(struct numbers *n)
{
    const size_t all = n->count;
    return all - different(n);
}

/* The dwords are (part << 48 | dword): of lanes that issue together. */
static uint64_t conflicts(const struct wt_profile *p, struct numbers *n)
{
    uint64_t made = 0;
    sort(n);
    for (size_t i = 0, end; i < n->count; i = end) {
        unsigned in_bank[WT_MAX_LANES] = {0}, most = 0;
        for (end = i; end < n->count && n->list[end] >> 48 == n->list[i] >> 48; end++) {
            if (end > i && n->list[end] == n->list[end - 1])
                continue;
            const unsigned bank = (unsigned)(n->list[end] % p->shape.banks);
            in_bank[bank]++;
            most = in_bank[bank] > most ? in_bank[bank] : most;
        }
        made += most - 1;
    }
    n->count = 0;
    return made;
}

/* The address of a byte of a lane's private memory, which lies dword by dword, lane by lane. */
static uint64_t interleaved(const struct wt_profile *p, unsigned lane, uint64_t offset)
{
    return (offset / 4 * p->m->lanes + lane) * 4 + offset % 4;
}

static void take_lane(struct wt_profile *p, const struct wt_observed *a, unsigned lane)
{
    const uint64_t at = a->at[lane], last = at + a->size - 1;
    p->bytes += a->size;
    if (a->kind == WT_WATCH_ACCESS)
        note(p, &p->atomics, at);
    switch (a->space) {
    case WT_OBSERVED_GLOBAL:
    case WT_OBSERVED_CONSTANT:
        for (uint64_t line = at / p->shape.line; line <= last / p->shape.line; line++)
            note(p, &p->lines, line);
        break;
    case WT_OBSERVED_PRIVATE:
        for (uint64_t in = at; in <= last; in = in / 4 * 4 + 4)
            note(p, &p->lines, UINT64_C(1) << 63 | interleaved(p, lane, in) / p->shape.line);
        break;
    case WT_OBSERVED_GROUP:
        for (uint64_t dword = at / 4; dword <= last / 4 && p->shape.banks; dword++)
            note(p, &p->dwords,
                 (uint64_t)(lane / p->shape.together) << 48 | (dword & 0xffffffffffff));
        break;
    case WT_OBSERVED_DEVICE:
        break;
    }
}

static void take(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_profile *p = context;
    /* An operand in a constant bank, as arguments of kernels are, is no request. */
    if (a->space == WT_OBSERVED_CONSTANT && a->is_scalar)
        return;
    p->accesses = true;
    for (wt_lanes left = a->lanes; left; left &= left - 1)
        take_lane(p, a, wt_lanes_lowest(left));
}

/* ---- issues ---- */

/* Counts of the heap are those since the machine was reset. */
static void follow_reset(struct wt_profile *p)
{
    if (p->room || p->resets == p->m->resets)
        return;
    for (size_t i = 0; i < p->counts; i++)
        count_at(p, i)->issues = 0;
    memset(p->slot, 0, p->slots * sizeof *p->slot);
    memset(p->wave, 0, p->m->waves * sizeof *p->wave);
    p->first = p->counts = 0;
    p->resets = p->m->resets;
}

/* Before an instruction. The wave's numbers are kept here, for the instruction may end the wave,
 * and another wave may take its slot. What was accessed before is dropped: it belongs to an
 * instruction that did not issue. */
static void begins(void *context, struct wt_machine *m, const struct wt_issue *issue)
{
    struct wt_profile *p = context;
    const uint64_t id = wt_machine_wave_id(m, issue->wave);
    struct profiled_wave *w = &p->wave[issue->wave];
    follow_reset(p);
    if (w->id != id)
        *w = (struct profiled_wave){.id = id,
                                    .entry = p->shape.begins_alone ? 0 : issue->pc,
                                    .lanes = p->shape.begins_alone ? m->lanes
                                                                   : wt_lanes_count(issue->mask)};
    p->now = *w;
    p->at = count_of(p, issue->pc, w->entry, issue->wave);
    p->accesses = false;
    p->bytes = 0;
    p->lines.count = p->dwords.count = p->atomics.count = 0;
}

static void issued(void *context, struct wt_machine *m, const struct wt_issue *issue)
{
    struct wt_profile *p = context;
    if (p->at == NONE) {
        p->short_of_memory = true;
        return;
    }
    struct wt_profile_count *c = count_at(p, p->at);
    const struct counted_matrix *matrix = &p->matrix[p->at];
    const unsigned enabled = matrix->unmasked ? p->now.lanes : wt_lanes_count(issue->mask);
    c->issues++;
    c->products += matrix->products;
    c->enabled += enabled;
    c->lanes += p->now.lanes > enabled ? p->now.lanes : enabled;
    c->requests += p->accesses;
    c->bytes += p->bytes;
    c->transactions += different(&p->lines);
    c->conflicts += conflicts(p, &p->dwords);
    c->collisions += repeated(&p->atomics);
}

/* ---- beginning and end ---- */

struct wt_profile *wt_profile_begin(struct wt_machine *m, const struct wt_profile_shape *shape,
                                    wt_profile_room_fn *room, void *context)
{
    struct wt_profile *p = calloc(1, sizeof *p);
    assert(shape->line && !(shape->line & (shape->line - 1)) && shape->banks <= WT_MAX_LANES);
    if (!p)
        return NULL;
    p->m = m;
    p->resets = m->resets;
    p->shape = *shape;
    p->room = room;
    p->context = context;
    p->wave = calloc(m->waves, sizeof *p->wave);
    if (p->wave && grow(p) && wt_observe_beneath(m, take, begins, issued, p)) {
        m->profile = p;
        return p;
    }
    wt_profile_free(p);
    return NULL;
}

void wt_profile_code(struct wt_profile *p, uint64_t code)
{
    p->code = code;
    p->first = p->counts;
    memset(p->slot, 0, p->slots * sizeof *p->slot);
}

void wt_profile_end(struct wt_profile *p)
{
    wt_observe_beneath(p->m, NULL, NULL, NULL, p);
    p->m->profile = NULL;
}

static int by_pc(const void *a, const void *b)
{
    const struct wt_profile_count *x = a, *y = b;
    return x->pc != y->pc ? by_number(&x->pc, &y->pc) : by_number(&x->entry, &y->entry);
}

enum wt_status wt_profile_list(struct wt_profile *p, struct wt_profile_count **list, size_t *count,
                               struct wt_error *err)
{
    follow_reset(p);
    *count = 0;
    *list = p->short_of_memory ? NULL : calloc(p->counts + 1, sizeof **list);
    if (!*list)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory for the counts");
    for (size_t i = 0; i < p->counts; i++)
        if (count_at(p, i)->issues)
            (*list)[(*count)++] = *count_at(p, i);
    qsort(*list, *count, sizeof **list, by_pc);
    return WT_OK;
}

void wt_profile_free(struct wt_profile *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->blocks && !p->room; i++)
        free(p->block[i]);
    free(p->block);
    free(p->slot);
    free(p->matrix);
    free(p->wave);
    free(p->lines.list);
    free(p->dwords.list);
    free(p->atomics.list);
    free(p);
}

/* ---- saved states ---- */

struct wt_profile_saved {
    size_t counts;              /* counts of the present code */
    struct profiled_wave *wave; /* behind them */
    struct wt_profile_count count[];
};

static size_t saved_bytes(size_t counts)
{
    return sizeof(struct wt_profile_saved) + counts * sizeof(struct wt_profile_count);
}

struct wt_profile_saved *wt_profile_save(struct wt_profile *p)
{
    follow_reset(p);
    const size_t counts = p->counts - p->first, waves = p->m->waves * sizeof *p->wave;
    struct wt_profile_saved *s = malloc(saved_bytes(counts));
    struct profiled_wave *wave = malloc(waves);
    if (!s || !wave) {
        free(s);
        free(wave);
        return NULL;
    }
    s->counts = counts;
    s->wave = memcpy(wave, p->wave, waves);
    for (size_t i = 0; i < counts; i++)
        s->count[i] = *count_at(p, p->first + i);
    return s;
}

/* Counts only grow in number: those that came later are there, and are of nothing. */
void wt_profile_restore(struct wt_profile *p, const struct wt_profile_saved *s)
{
    assert(!s || s->counts <= p->counts - p->first);
    for (size_t i = p->first; i < p->counts; i++) {
        struct wt_profile_count *c = count_at(p, i);
        *c = s && i - p->first < s->counts
                 ? s->count[i - p->first]
                 : (struct wt_profile_count){.pc = c->pc, .entry = c->entry, .code = c->code};
    }
    if (s)
        memcpy(p->wave, s->wave, p->m->waves * sizeof *p->wave);
    else
        memset(p->wave, 0, p->m->waves * sizeof *p->wave);
}

void wt_profile_drop(struct wt_profile_saved *s)
{
    if (s)
        free(s->wave);
    free(s);
}

uint64_t wt_profile_saved_bytes(const struct wt_profile_saved *s)
{
    return s ? saved_bytes(s->counts) : 0;
}
