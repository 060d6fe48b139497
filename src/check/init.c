/* See init.h. */
#include "check/init.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/init_state.h"
#include "check/start.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/watch_set.h"

/* ---- instructions ---- */

static void free_insn(void *insn)
{
    struct init_insn *i = insn;
    if (i) {
        free(i->list);
        free(i->span);
    }
    free(i);
}

static void forget_code(struct wt_check_init *c)
{
    c->insns = 0;
    c->code_state++;
    wt_check_code_forget(&c->code, free_insn);
}

/* Its effect, as far as that need not be told beforehand. */
static enum init_does does(const struct init_insn *insn)
{
    const struct wt_insn_operands *head = &insn->head;
    bool results = false, accesses = false;
    for (unsigned i = 0; i < insn->count; i++) {
        accesses |= insn->list[i].kind == WT_OPERAND_MEMORY;
        results |= init_is_result(&insn->list[i]);
    }
    if ((head->indirect && !head->steady) || head->empties.count || head->exchanges)
        return INIT_DOES_OTHER;
    if (!accesses && (head->decides || head->operation == WT_DOES_BRANCH))
        return INIT_BRANCHES;
    if (!accesses && results && head->operation < WT_DOES_LOAD)
        return INIT_COMPUTES;
    if (!accesses && !results)
        return INIT_PASSES;
    if (!accesses || head->incomplete)
        return INIT_DOES_OTHER;
    return head->operation == WT_DOES_STORE && !results ? INIT_STORES
           : head->operation == WT_DOES_LOAD || head->operation == WT_DOES_LOAD_SIGNED
               ? INIT_LOADS
               : INIT_DOES_OTHER;
}

/* Whether it goes to what is behind it, and registers stay as they are known. */
static bool goes_on(const struct init_insn *insn)
{
    return insn->does == INIT_COMPUTES || insn->does == INIT_STORES;
}

static bool take_operands(const struct wt_check_init *c, struct init_insn *insn,
                          const struct wt_insn_operands *o)
{
    struct wt_insn_operand *list = realloc(insn->list, (o->count + 1) * sizeof *list);
    if (!list)
        return false;
    memcpy(list, o->list, o->count * sizeof *list);
    insn->count = o->count;
    insn->list = list;
    insn->guard = NULL;
    insn->remasks = false;
    for (unsigned i = 0; i < o->count; i++) {
        if (list[i].guards && list[i].reads && list[i].by_lane)
            insn->guard = &list[i];
        insn->remasks |= list[i].guards && list[i].writes;
    }
    insn->lanes = (o->lanes ? wt_lanes_first(o->lanes) << o->first_lane : ~(wt_lanes)0) &
                  wt_lanes_first(c->machine->lanes);
    memcpy(&insn->head, o, offsetof(struct wt_insn_operands, list));
    insn->does = (uint8_t)does(insn);
    insn->number = INIT_NO_NUMBER;
    return init_list_spans(c, insn);
}

/* The key of an instruction. *keyed becomes true where the key has the frame, too: then what is
 * known holds for all waves whose issues have that frame. */
static inline uint64_t key_of(uint64_t pc, uint32_t frame, bool *keyed)
{
    enum { FRAME = 48 }; /* bits of addresses of code */
    *keyed = !(pc >> FRAME) && !(frame >> (64 - FRAME));
    return *keyed ? pc | (uint64_t)frame << FRAME : pc;
}

/* The record of an instruction; NULL: nothing. */
static inline struct init_insn *known_at(struct wt_check_init *c, uint64_t pc, uint32_t frame)
{
    bool keyed;
    struct init_insn *known = wt_check_code_find(&c->code, key_of(pc, frame, &keyed));
    return known && (keyed || !known->head.steady) ? known : NULL;
}

/* The record of the instruction that a wave is about to execute; NULL: nothing. */
static struct init_insn *insn_at(struct wt_check_init *c, const struct wt_issue *i)
{
    struct wt_insn_operands o;
    struct init_insn *known = known_at(c, i->pc, i->frame);
    bool keyed;
    const uint64_t key = key_of(i->pc, i->frame, &keyed);
    if (known)
        return known;
    if (!c->machine->ops->operands(c->machine, i->wave, i->pc, &o))
        return NULL;
    if (o.indirect && !(o.steady && keyed))
        return take_operands(c, &c->now, &o) ? &c->now : NULL;
    struct init_insn *insn = calloc(1, sizeof *insn);
    if (insn && take_operands(c, insn, &o) && wt_check_code_add(&c->code, key, insn)) {
        insn->pc = i->pc;
        if (keyed && c->insns < INIT_NO_NUMBER)
            insn->number = c->insns++;
        return insn;
    }
    free_insn(insn);
    return NULL;
}

/* The lanes for which an instruction is executed. */
static wt_lanes enabled_of(const struct wt_check_init *c, const struct init_insn *insn,
                           const struct wt_issue *i)
{
    const struct wt_insn_operand *guard = insn->guard;
    const wt_lanes own = insn->head.unmasked ? insn->lanes : insn->lanes & i->mask;
    if (!insn->head.steady || !guard)
        return insn->head.exact && !insn->head.steady ? insn->lanes & insn->head.enabled : own;
    uint32_t mask = 0;
    const uint64_t bit = (uint64_t)guard->number * c->machine->ops->operand_files[guard->file].bits;
    c->machine->ops->read_cell(c->machine, i->wave, guard->file, bit / INIT_CELL, &mask);
    mask = (guard->inverted ? ~mask : mask) >> bit % INIT_CELL;
    return own & mask;
}

/* ---- waves and groups ---- */

static void free_group(struct init_space *s)
{
    init_space_clear(s);
    free(s);
}

static void free_wave(struct init_wave *w)
{
    if (w)
        init_free_wave(w);
    free(w);
}

static void free_gone(struct init_gone *gone)
{
    free_wave(gone->wave);
    if (gone->group)
        free_group(gone->group);
}

/* All registers and groups' memory count as defined. */
static void begin_anew(struct wt_check_init *c)
{
    for (size_t i = 0; i < c->groups.room; i++)
        if (c->groups.entry[i].key)
            free_group((void *)(uintptr_t)c->groups.entry[i].value);
    wt_map_free(&c->groups);
    c->last_group = NULL;
    for (uint32_t i = 0; i < c->machine->waves; i++) {
        free_wave(c->wave[i]);
        c->wave[i] = NULL;
    }
    init_past_clear(&c->past);
    c->writes = 0;
    c->pending.insn = NULL;
    c->unasked.insn = NULL;
}

/* The rest of a program that is loaded again: its own machine's memory is all there is. */
static void undefine_stacks(struct wt_check_init *c)
{
    if (!c->stacks_size)
        return;
    init_lock();
    init_space_clear(c->global);
    init_undefine(c->global, c->stacks, c->stacks_size, INIT_OF_PRIVATE);
    init_unlock();
}

static void forget(void *context, uint64_t time)
{
    begin_anew(context);
    init_forget_mistakes(context, time);
    if (!time)
        undefine_stacks(context);
}

static bool is_past(struct wt_check_init *c, uint64_t time)
{
    return wt_followed_is_past(&c->run, c->machine->resets, c->machine->known, time, forget, c);
}

/* Changes of a wave are noted from now on, or is not. */
static void note_changes(struct wt_check_init *c, struct init_wave *w)
{
    for (unsigned i = 0; i < INIT_FILES; i++) {
        w->file[i].past = c->past.kept ? &c->past : NULL;
        w->file[i].state = &w->state;
    }
}

/* Events from now on are of this time. */
static void go_on(struct wt_check_init *c, uint64_t time)
{
    const bool kept = c->machine->recorded;
    if (kept != c->past.kept) {
        init_past_clear(&c->past);
        c->past.kept = kept;
        c->past.from = time;
        for (uint32_t i = 0; i < c->machine->waves; i++)
            if (c->wave[i])
                note_changes(c, c->wave[i]);
    }
    c->past.now = time;
}

static size_t bytes_of(const struct init_wave *w)
{
    size_t bytes = sizeof *w + w->own.pages.count * sizeof(struct init_page);
    for (unsigned i = 0; i < INIT_FILES; i++)
        for (size_t word = 0; word < w->file[i].cells / 64; word++)
            bytes += w->file[i].values[word] ? sizeof(struct init_cells) : 0;
    return bytes;
}

/* A wave whose registers all have values; NULL without host memory. */
static struct init_wave *new_wave(struct wt_check_init *c, uint32_t slot, uint64_t id)
{
    struct init_wave *old = c->wave[slot];
    if (!old ||
        init_past_take(&c->past, &(struct init_gone){.bytes = bytes_of(old), .wave = old})) {
        c->wave[slot] = calloc(1, sizeof **c->wave);
        c->run.lost |= !c->wave[slot];
    } else {
        init_free_wave(old);
        *old = (struct init_wave){.id = 0};
    }
    struct init_wave *w = c->wave[slot];
    if (w) {
        w->id = id;
        w->state = 1;
        w->own.lanes = c->machine->lanes;
        note_changes(c, w);
    }
    return w;
}

static struct init_wave *wave_of(struct wt_check_init *c, uint32_t slot, uint64_t id)
{
    struct init_wave *w = c->wave[slot];
    return w && w->id == id ? w : new_wave(c, slot, id); /* its begin was not seen */
}

/* ---- what need not be told ---- */

/* Whether neither the instruction's sources nor its results have undefined bits: then it changes
 * nothing that the check knows. */
static bool is_clean(struct init_wave *w, const struct init_insn *insn)
{
    const wt_lanes all = ~(wt_lanes)0;
    struct init_clean *clean;
    if (!insn->does || insn->number == INIT_NO_NUMBER)
        return false;
    if (insn->number >= w->clean_room) {
        const size_t old = w->clean_room;
        if (!(clean = wt_array_grow(w->clean, &w->clean_room, insn->number + 1, sizeof *clean)))
            return false;
        memset(clean + old, 0, (w->clean_room - old) * sizeof *clean);
        w->clean = clean;
    }
    clean = &w->clean[insn->number];
    if (clean->state == w->state)
        return true;
    if (!init_is_clean(w, insn, all))
        return false;
    clean->state = w->state;
    return true;
}

/* Likewise, but for lanes that are not enabled: *by_lanes becomes true where these differ. */
static bool is_clean_in(struct init_wave *w, const struct init_insn *insn, wt_lanes lanes,
                        bool *by_lanes)
{
    if (is_clean(w, insn))
        return true;
    if (!insn->does || insn->number == INIT_NO_NUMBER || insn->head.unmasked ||
        !init_is_clean(w, insn, lanes))
        return false;
    return *by_lanes = true;
}

/* Notes which instruction is behind the one that the wave has executed before. */
static void link(struct wt_check_init *c, struct init_wave *w, struct init_insn *insn)
{
    enum { MOST_BYTES = 16 }; /* bytes of an instruction */
    if (w->code != c->code_state) {
        if (w->clean)
            memset(w->clean, 0, w->clean_room * sizeof *w->clean);
        memset(w->piece, 0, sizeof w->piece);
        w->code = c->code_state;
        w->last = NULL;
    }
    if (w->last && insn->pc > w->last->pc && insn->pc - w->last->pc <= MOST_BYTES) {
        if (w->last->next && w->last->next != insn && goes_on(w->last)) {
            w->last->does = INIT_DOES_OTHER;
            c->code_state++; /* what waves have in `clean` may go by it */
        }
        w->last->next = insn;
    }
    w->last = goes_on(insn) ? insn : NULL;
}

/* The lowest address ahead at which other lanes of the wave wait, as its divergence stack says: the
 * instruction there may not be the next one of the lanes that come to it. */
static uint64_t next_meeting(const struct wt_check_init *c, const struct wt_issue *i)
{
    struct wt_machine *m = c->machine;
    uint64_t next = UINT64_MAX;
    struct wt_divergence entry;
    if (i->mask == wt_lanes_first(m->lanes))
        return next;
    for (unsigned k = 0; m->ops->divergence(m, i->wave, k, &entry); k++)
        if (entry.pc > i->pc && entry.pc < next)
            next = entry.pc;
    return next;
}

/* How many instructions from this one on change nothing that the check knows but by what they
 * access. */
static uint64_t skipped(const struct wt_check_init *c, struct init_wave *w, struct init_insn *insn,
                        const struct wt_issue *i, bool *accesses)
{
    enum { MOST = 256 };
    const uint32_t number = insn->number;
    uint32_t count = 0;
    wt_lanes lanes = i->mask; /* that are enabled */
    bool by_lanes = false;    /* other lanes have undefined bits */
    if (insn->does == INIT_PASSES || !is_clean_in(w, insn, lanes, &by_lanes))
        return 0;
    const uint64_t meeting = next_meeting(c, i);
    const struct init_clean *known = &w->clean[number];
    if (!by_lanes && known->all == w->state && known->last->pc < meeting) {
        w->last = known->last;
        *accesses = known->accesses;
        return known->count;
    }
    bool more = true;
    for (; insn && more && insn->pc < meeting && count < MOST && insn->does != INIT_PASSES &&
           is_clean_in(w, insn, lanes, &by_lanes);
         more = goes_on(insn), insn = more ? insn->next : insn, count++) {
        w->last = insn;
        *accesses |= insn->does == INIT_STORES || insn->does == INIT_LOADS;
        lanes = insn->remasks ? ~(wt_lanes)0 : lanes;
    }
    /* Else what ends it may change without a new state. */
    if (!by_lanes && insn && (count == MOST || !goes_on(insn)))
        w->clean[number] = (struct init_clean){w->state, w->state, count, *accesses, w->last};
    return count;
}

/* Whether no instruction of a piece has undefined bits, but for some that are called, for which
 * bits in *halts are set. */
static bool is_piece_clean(struct wt_check_init *c, struct init_wave *w,
                           const struct wt_observed_piece *piece, const struct wt_issue *i,
                           struct init_piece *known)
{
    struct wt_issue at = *i;
    memset(known->halts, 0, sizeof known->halts);
    known->better = false;
    for (unsigned k = 0; k < piece->count; k++) {
        const uint64_t bit = (uint64_t)1 << k % 64;
        struct init_insn *insn;
        at.pc = piece->pc[k];
        if (!at.pc || ((insn = insn_at(c, &at)) && insn != &c->now && is_clean(w, insn)))
            continue;
        known->better |= insn && insn->does;
        if (!(piece->called[k / 64] & bit))
            return false;
        known->halts[k / 64] |= bit;
    }
    return true;
}

/* The instructions before which a wave that stays in the piece that it is in must halt; NULL: it
 * may not stay. */
static const uint64_t *may_stay(struct wt_check_init *c, struct init_wave *w,
                                const struct init_insn *insn, const struct wt_issue *i)
{
    struct wt_machine *m = c->machine;
    struct wt_observed_piece piece;
    const uint64_t number = is_clean(w, insn) ? m->ops->piece(m, i->wave, i->pc, NULL) : 0;
    struct init_piece *known = &w->piece[number % INIT_PIECES];
    if (!number)
        return NULL;
    const bool is_known =
        known->state == w->state && known->number == number && known->frame == i->frame;
    known->uses = is_known ? known->uses + 1 : 0;
    if (!is_known || (known->better && !(known->uses & (known->uses - 1)))) {
        m->ops->piece(m, i->wave, i->pc, &piece);
        known->clean = is_piece_clean(c, w, &piece, i, known);
        known->state = w->state;
        known->number = number;
        known->frame = i->frame;
    }
    return known->clean ? known->halts : NULL;
}

/* ---- what the observer is told ---- */

/* The effect of an instruction is looked at from here on. */
static void attend(struct wt_check_init *c, const struct init_insn *insn, uint32_t wave,
                   uint64_t time, uint64_t pc)
{
    struct init_pending *p = &c->pending;
    p->insn = insn;
    p->wave = wave;
    p->time = time;
    p->pc = pc;
    p->slow = false;
    p->moved = 0;
    if (p->any_more)
        memset(p->more, 0, sizeof p->more);
    p->any_more = false;
    p->last = 0;
}

/* Looks at the instruction of a run that makes an access, if it is one. */
static bool attend_run(struct wt_check_init *c, const struct wt_observed *a)
{
    struct init_run *run = &c->unasked;
    if (!run->insn || a->wave != run->wave || a->time < run->time || a->time >= run->end)
        return false;
    for (; run->time < a->time && !run->stays; run->time++)
        run->insn = run->insn->next;
    if (run->stays && !(run->insn = known_at(c, a->pc, run->frame)))
        run->insn =
            insn_at(c, &(struct wt_issue){.pc = a->pc, .wave = a->wave, .frame = run->frame});
    assert(run->insn && run->insn->pc == a->pc && !c->writes);
    attend(c, run->insn, a->wave, a->time, a->pc);
    c->pending.enabled = c->pending.guarded = 0; /* what moves is counted lane by lane */
    go_on(c, a->time);
    return true;
}

/* Looks at the instruction that the wave is about to execute. */
static void attend_now(struct wt_check_init *c, struct init_wave *w, const struct init_insn *insn,
                       const struct wt_issue *i)
{
    struct init_pending *p = &c->pending;
    attend(c, insn, i->wave, i->time, i->pc);
    p->enabled = enabled_of(c, insn, i);
    p->guarded = insn->head.unmasked ? insn->lanes : insn->lanes & i->mask;
    if (insn->head.any_lane && !p->enabled) {
        p->insn = NULL;
        return;
    }
    if (!init_may_be_slow(w, insn, p->guarded | p->enabled))
        return;
    for (unsigned k = 0; k < insn->count && !p->slow; k++)
        p->slow = insn->list[k].reads && insn->list[k].kind <= WT_OPERAND_SCALAR &&
                  init_has_undefined(c, w, &insn->list[k], init_readers(p, &insn->list[k]));
    if (p->slow)
        init_issue(c, w);
}

static void before(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct wt_check_init *c = context;
    struct init_insn *insn;
    bool accesses = false;
    c->pending.insn = NULL;
    c->unasked.insn = NULL;
    c->writes = 0;
    if (!i->issues || is_past(c, i->time) || !(insn = insn_at(c, i)))
        return;
    go_on(c, i->time);
    struct init_wave *w = wave_of(c, i->wave, wt_machine_wave_id(m, i->wave));
    if (!w)
        return;
    link(c, w, insn);
    if (m->watch && m->watch->mistakes) {
        attend_now(c, w, insn, i);
        return;
    }
    const uint64_t *halts = may_stay(c, w, insn, i);
    if (halts) {
        wt_observe_stay(m, c, halts);
        w->last = NULL;
        c->unasked = (struct init_run){insn, i->wave, i->time, UINT64_MAX, true, i->frame};
        return;
    }
    const uint64_t skip = skipped(c, w, insn, i, &accesses);
    if (skip) {
        wt_observe_skip(m, c, skip);
        if (accesses)
            c->unasked = (struct init_run){insn, i->wave, i->time, i->time + skip, false, 0};
        return;
    }
    attend_now(c, w, insn, i);
}

static void after(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct wt_check_init *c = context;
    const bool of_run = c->unasked.insn; /* whose results are defined, but for what was put */
    if (c->pending.insn && c->pending.time < m->time && (c->writes || !of_run))
        init_commit(c, c->wave[i->wave]);
    c->pending.insn = NULL;
    c->unasked.insn = NULL;
    wt_mistakes_tell(&c->decisions, m, i);
}

static void take(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_check_init *c = context;
    const struct init_pending *p = &c->pending;
    if ((p->insn && a->time == p->time && a->wave == p->wave) || attend_run(c, a))
        init_access(c, c->wave[a->wave], a);
    if (c->writes && c->unasked.stays)
        wt_observe_attend(m);
}

/* Lanes have taken values of others that take no part: what they have is undefined. */
static void exchange(struct wt_check_init *c, struct wt_machine *m,
                     const struct wt_observed_event *e)
{
    const struct init_insn *insn = c->pending.insn;
    if (!insn || e->time != c->pending.time || e->wave != c->pending.wave)
        return;
    for (unsigned i = 0; i < insn->count; i++) {
        const struct wt_insn_operand *o = &insn->list[i];
        for (wt_lanes left = init_is_result(o) && o->kind == WT_OPERAND_ROW ? e->lanes : 0; left;
             left &= left - 1) {
            const unsigned lane = wt_lanes_lowest(left);
            init_put(c, init_part_of(c, o, lane, 0, init_bits_of(c, o)),
                     (struct wt_defined){0, UINT64_MAX, 0}, INIT_OF_INACTIVE);
        }
    }
    if (c->writes && c->unasked.stays)
        wt_observe_attend(m);
}

static void change(void *context, struct wt_machine *m, uint64_t addr, uint64_t size)
{
    struct wt_check_init *c = context;
    (void)m;
    wt_check_init_filled(c->space, addr, size);
}

static void end_group(struct wt_check_init *c, uint64_t home)
{
    uint64_t *there = wt_map_find(&c->groups, home + 1);
    if (!there)
        return;
    struct init_space *group = (void *)(uintptr_t)*there;
    const size_t bytes = sizeof *group + group->pages.count * sizeof(struct init_page);
    if (!init_past_take(&c->past,
                        &(struct init_gone){.bytes = bytes, .group = group, .home = home}))
        free_group(group);
    wt_map_remove(&c->groups, home + 1);
    c->last_group = NULL;
}

/* A wave's registers are those that had no values before, too, where nobody goes back. */
static void begin_wave(struct wt_check_init *c, uint32_t slot, uint64_t id)
{
    struct init_wave *w = c->wave[slot] && !c->past.kept ? c->wave[slot] : new_wave(c, slot, id);
    if (!w)
        return;
    init_begin_wave(c, w, slot, id);
    note_changes(c, w);
}

static void event(void *context, struct wt_machine *m, const struct wt_observed_event *e)
{
    struct wt_check_init *c = context;
    if (e->kind == WT_SEEN_LAUNCH) {
        c->pending.insn = NULL; /* a wave that ends makes room for the launch */
        c->unasked.insn = NULL;
        forget_code(c); /* other code may have been loaded */
    }
    if (is_past(c, e->time))
        return;
    go_on(c, e->time);
    switch (e->kind) {
    case WT_SEEN_LAUNCH:
        init_lock();
        init_untouched_look(c->space, 0, UINT64_MAX);
        init_unlock();
        break;
    case WT_SEEN_WAVE:
        begin_wave(c, e->wave, e->id);
        break;
    case WT_SEEN_GROUP_END:
        end_group(c, e->home);
        break;
    case WT_SEEN_EXCHANGE:
        exchange(c, m, e);
        break;
    case WT_SEEN_LAUNCH_END:
        init_lock();
        init_report_visible(c);
        init_define_shared(c);
        init_unlock();
        break;
    default:
        break;
    }
}

/* ---- beginning and end ---- */

bool wt_check_init_knows(const struct wt_machine *m)
{
    struct wt_unwritten list[WT_UNWRITTEN];
    return m->ops->unwritten((struct wt_machine *)(uintptr_t)m, 0, list) != WT_UNTOLD;
}

struct wt_check_init *wt_check_init_begin(const struct wt_check_start *start)
{
    struct wt_machine *m = start->machine;
    struct wt_check_init *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct wt_check_init){.machine = m,
                                .level = start->level,
                                .found = start->found,
                                .context = start->context,
                                .run.resets = m->resets};
    c->past.free_gone = free_gone;
    c->wave = calloc(m->waves, sizeof *c->wave);
    init_enter(c);
    wt_check_init_set_space(c, start->space);
    if (c->wave && c->global && wt_observe_beneath(m, take, before, after, c)) {
        wt_observe_changes(m, change);
        wt_groups_observe(m, event);
        return c;
    }
    wt_check_init_free(c);
    return NULL;
}

void wt_check_init_set_space(struct wt_check_init *c, const void *space)
{
    init_lock();
    c->space = space;
    c->global = init_memory_of(space);
    init_unlock();
}

void wt_check_init_set_stacks(struct wt_check_init *c, uint64_t first, uint64_t size)
{
    c->stacks = first;
    c->stacks_size = size;
    undefine_stacks(c);
}

void wt_check_init_set_copies(struct wt_check_init *c, bool copies)
{
    c->copies = copies;
}

void wt_check_init_free(struct wt_check_init *c)
{
    if (!c)
        return;
    init_leave(c);
    if (c->wave)
        begin_anew(c);
    forget_code(c);
    free(c->wave);
    free(c->now.list);
    free(c->now.span);
    free(c->write);
    free(c->visible);
    free(c->shared);
    wt_decisions_free(&c->decisions);
    free(c);
}

void wt_check_init_end(struct wt_check_init *c)
{
    if (!c)
        return;
    init_lock();
    init_report_visible(c);
    init_unlock();
    wt_observe_beneath(c->machine, NULL, NULL, NULL, c);
    wt_check_init_free(c);
}
