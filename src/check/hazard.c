/* See hazard.h. */
#include "check/hazard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "check/code.h"
#include "check/followed.h"
#include "check/start.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/observe.h"
#include "emulator/machine/operands.h"
#include "emulator/machine/pace.h"

enum { RECENT = 32, MOST_SPANS = 8, RULES = 64 };

/* Registers [first, end) of a file. */
struct span {
    uint8_t file;
    bool reads, writes, of_lane; /* OF_LANE: each lane has its own */
    uint32_t first, end;
};

/* The record of an instruction. */
struct hazard_insn {
    uint64_t touched; /* a bit for some of its registers each */
    bool indirect, unmasked;
    uint64_t later; /* rules of which it may be the second half */
    unsigned spans;
    struct span span[WT_MOST_OPERANDS];
    struct wt_insn_pace pace;
};

/* An instruction that a counter counts. */
struct hazard_pending {
    uint64_t pc, time;
    wt_lanes lanes;
    uint8_t results, sources; /* counters that count it still */
    uint8_t counted;          /* all that have counted it */
    uint8_t kind, spans;
    struct span span[MOST_SPANS];
    /* A load to a group's memory: its lanes (0: it is none), which group's it is (wt_watch.home),
     * lane N's bytes: `size` from first + N * size on. */
    wt_lanes filled;
    uint64_t first, home;
    unsigned size;
};

/* One of which a rule about wait states may be the first half. */
struct hazard_recent {
    uint64_t pc, time;
    uint64_t clock; /* the wave's clock after it */
    struct wt_pace_use use;
};

struct hazard_wave {
    uint64_t id;
    uint64_t touched;               /* by results and sources that are pending */
    uint64_t clock;                 /* wait states so far */
    struct hazard_pending *pending; /* in the order of issue */
    size_t count, room;
    struct hazard_recent recent[RECENT];
    uint64_t until[RULES]; /* the clock up to which the second half of a rule may be too near */
    unsigned recents;      /* counted on */
};

struct wt_check_hazard {
    struct wt_machine *machine;
    const struct wt_pace_table *table;
    wt_found_fn *found;
    void *context;
    wt_check_say_fn *unseen; /* NULL: it need not, or has said it */
    struct wt_followed run;
    struct hazard_wave *wave;          /* by slot */
    struct wt_check_code code;         /* struct hazard_insn */
    struct hazard_insn now;            /* whose registers choose its operands */
    const struct hazard_insn *issuing; /* NULL: nothing is known of what is being executed */
    bool elsewhere, in_group;          /* where that has accessed memory */
    uint64_t time;                     /* when it was */
    struct hazard_pending filling;     /* a load to a group's memory: what it fills */
    struct hazard_pending met;         /* what fills the group's memory that it has accessed */
    uint32_t met_slot;                 /* whose that is */
    wt_lanes met_lanes;                /* that have accessed it; 0: none */
    bool met_write, may_fill;          /* there have been such loads */
    struct wt_decisions decisions;     /* what was reported in the recorded run */
};

/* ---- instructions ---- */

static void forget_code(struct wt_check_hazard *h)
{
    wt_check_code_forget(&h->code, free);
    h->issuing = NULL;
}

static uint64_t bits_of(const struct span *s)
{
    uint64_t bits = 0;
    for (uint32_t n = s->first; n < s->end; n++)
        bits |= UINT64_C(1) << (n + 17 * s->file) % 64;
    return bits;
}

static void add_span(struct hazard_insn *i, const struct wt_operand_file *f, bool rows,
                     const struct wt_insn_operand *o)
{
    if (o->kind > WT_OPERAND_SCALAR || !f->bits)
        return;
    struct span *s = &i->span[i->spans++];
    *s = (struct span){.file = o->file,
                       .reads = o->reads,
                       .writes = o->writes,
                       .of_lane = (f->per_lane || (rows && o->kind == WT_OPERAND_ROW)) &&
                                  !o->crosses && o->whose == WT_LANE_OWN,
                       .first = o->number + o->first / f->bits,
                       .end = o->number + (o->first + o->bits + f->bits - 1u) / f->bits};
    i->touched |= bits_of(s);
}

static bool describe(struct wt_check_hazard *h, struct hazard_insn *i, uint32_t wave, uint64_t pc)
{
    struct wt_insn_operands o;
    const struct wt_machine_ops *ops = h->machine->ops;
    *i = (struct hazard_insn){.indirect = false};
    if (!ops->pace(h->machine, pc, &i->pace)) {
        if (h->unseen && h->table->unpaced && ops->operands(h->machine, wave, pc, &o)) {
            h->unseen("--check=hazard has nothing to look at in this code: %s", h->table->unpaced);
            h->unseen = NULL;
        }
        return false;
    }
    if (!ops->operands(h->machine, wave, pc, &o))
        return false;
    i->indirect = o.indirect;
    i->unmasked = o.unmasked;
    for (unsigned k = 0; k < i->pace.later_count; k++)
        i->later |= i->pace.later[k].rules;
    for (unsigned k = 0; k < o.count; k++)
        add_span(i, &ops->operand_files[o.list[k].file], h->table->rows, &o.list[k]);
    return true;
}

/* The instruction that a wave is about to execute; NULL: there is none. */
static const struct hazard_insn *insn_at(struct wt_check_hazard *h, uint32_t wave, uint64_t pc)
{
    const struct hazard_insn *known = wt_check_code_find(&h->code, pc);
    if (known)
        return known;
    if (!describe(h, &h->now, wave, pc))
        return NULL;
    if (h->now.indirect)
        return &h->now;
    struct hazard_insn *i = malloc(sizeof *i);
    if (!i || !wt_check_code_add(&h->code, pc, i)) {
        free(i);
        return &h->now;
    }
    *i = h->now;
    return i;
}

/* ---- waves ---- */

static void begin_wave(struct hazard_wave *w, uint64_t id)
{
    w->id = id;
    w->touched = w->clock = 0;
    w->count = 0;
    memset(w->recent, 0, sizeof w->recent);
    memset(w->until, 0, sizeof w->until);
}

static void forget(void *context, uint64_t time)
{
    struct wt_check_hazard *h = context;
    forget_code(h);
    wt_decisions_drop(&h->decisions, time, NULL, NULL);
    for (uint32_t i = 0; i < h->machine->waves; i++)
        begin_wave(&h->wave[i], 0);
}

/* ---- reports ---- */

static void report(struct wt_check_hazard *h, const struct wt_issue *i, enum wt_finding_kind kind,
                   wt_lanes lanes, const struct wt_finding_other *first, const char *text)
{
    struct wt_finding f = {.kind = kind,
                           .severity = wt_finding_severity(kind, false),
                           .access = WT_NO_ACCESS,
                           .pc = i->pc,
                           .time = i->time,
                           .other = *first,
                           .times = 1};
    wt_finding_of_wave(&f, h->machine, i->wave, lanes);
    f.other.access = WT_NO_ACCESS;
    if (!f.other.wave_id) { /* the same wave */
        f.other.wave_id = f.wave_id;
        memcpy(f.other.wave, f.wave, sizeof f.wave);
    }
    snprintf(f.text, sizeof f.text, "%s", text);
    if (!wt_machine_checks(h->machine, f.launch))
        return;
    wt_mistake_note(&h->decisions, h->machine, &f);
    h->found(h->context, &f);
}

static void name_registers(const struct wt_check_hazard *h, const struct span *a,
                           const struct span *b, char *text, size_t size)
{
    const uint32_t first = a->first > b->first ? a->first : b->first,
                   end = a->end < b->end ? a->end : b->end;
    const unsigned bits = h->machine->ops->operand_files[a->file].bits;
    const struct wt_insn_operand o = {.kind = a->of_lane ? WT_OPERAND_ROW : WT_OPERAND_SCALAR,
                                      .reads = true,
                                      .file = a->file,
                                      .number = first,
                                      .bits = (uint16_t)((end - first) * bits)};
    h->machine->ops->name_operand(&o, text, size);
}

static void report_pending(struct wt_check_hazard *h, const struct wt_issue *i,
                           const struct hazard_pending *p, const struct span *theirs,
                           const struct span *mine, wt_lanes lanes)
{
    char name[40], text[160];
    const uint8_t left = theirs->writes ? p->results : p->sources;
    const char *const *counter = h->table->counter;
    const char *waits = counter[__builtin_ctz(left)];
    const struct wt_finding_other other = {
        .pc = p->pc, .time = p->time, .lanes = WT_FINDING_LANES(p->lanes)};
    name_registers(h, theirs, mine, name, sizeof name);
    if (theirs->writes)
        snprintf(text, sizeof text,
                 "%s is %s while a result is under way to it: no %s waits for it", name,
                 mine->writes ? "written" : "read", waits);
    else
        snprintf(text, sizeof text,
                 "%s is written while it may still be read: no %s waits for that", name, waits);
    report(h, i, theirs->writes ? WT_FOUND_UNWAITED_RESULT : WT_FOUND_UNWAITED_SOURCE, lanes,
           &other, text);
}

/* Memory of a group that a load of this wave, or of another one, is about to fill. */
static void report_filling(struct wt_check_hazard *h, const struct wt_issue *i)
{
    char text[160];
    struct wt_finding_other other = {
        .pc = h->met.pc, .time = h->met.time, .lanes = WT_FINDING_LANES(h->met.filled)};
    const bool own = h->met_slot == i->wave;
    if (!own) {
        struct wt_finding its = {.pc = 0};
        wt_finding_of_wave(&its, h->machine, h->met_slot, h->met.filled);
        other.wave_id = its.wave_id;
        memcpy(other.wave, its.wave, sizeof its.wave);
    }
    snprintf(text, sizeof text,
             "local memory is %s while a load to it is under way: no %s waits for it%s",
             h->met_write ? "written" : "read", h->table->counter[__builtin_ctz(h->met.results)],
             own ? "" : ", in the wave that has issued it");
    report(h, i, WT_FOUND_UNWAITED_RESULT, h->met_lanes, &other, text);
    h->met_lanes = 0;
}

/* ---- results that are under way ---- */

static void touch_again(struct hazard_wave *w)
{
    w->touched = 0;
    for (size_t i = 0; i < w->count; i++)
        for (unsigned k = 0; k < w->pending[i].spans; k++)
            w->touched |= bits_of(&w->pending[i].span[k]);
}

/* Counter @p c has come down to @p most. */
static void wait_for(struct hazard_wave *w, unsigned c, unsigned most)
{
    const uint8_t bit = (uint8_t)(1u << c);
    unsigned behind = 0, kind = 0;
    bool mixed = false;
    for (size_t i = 0; i < w->count; i++)
        if (w->pending[i].counted & bit) {
            mixed |= !w->pending[i].kind || (kind && kind != w->pending[i].kind);
            kind = w->pending[i].kind;
            behind++;
        }
    if (behind <= most || (mixed && most))
        return;
    for (size_t i = 0; i < w->count && behind > most; i++)
        if (w->pending[i].counted & bit) {
            const uint8_t had = w->pending[i].results;
            w->pending[i].counted &= (uint8_t)~bit;
            w->pending[i].results &= (uint8_t)~bit;
            w->pending[i].sources &= (uint8_t)~bit;
            if (bit & had &
                ~w->pending[i].results) /* a result that is there has its sources read */
                w->pending[i].sources = 0;
            behind--;
        }
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++)
        if (w->pending[i].counted)
            w->pending[kept++] = w->pending[i];
    w->count = kept;
    touch_again(w);
}

/* Results of one kind come in the order of issue, so that a later one may have the same register.
 */
static bool comes_behind(const struct hazard_pending *p, const struct hazard_insn *insn)
{
    return p->kind && p->kind == insn->pace.kind;
}

static bool meets(const struct span *a, const struct span *b)
{
    return a->file == b->file && a->first < b->end && b->first < a->end;
}

static bool look_at(struct wt_check_hazard *h, const struct wt_issue *i,
                    const struct hazard_insn *insn, const struct hazard_pending *p,
                    const struct span *theirs)
{
    for (unsigned k = 0; k < insn->spans; k++) {
        const struct span *mine = &insn->span[k];
        if (!meets(theirs, mine))
            continue;
        const bool of_lane = theirs->of_lane && mine->of_lane && !insn->unmasked;
        const wt_lanes lanes = of_lane ? p->lanes & i->mask : i->mask;
        const bool misses = of_lane && !lanes;
        const bool hurts = theirs->writes ? p->results && (mine->reads || !comes_behind(p, insn))
                                          : p->sources && mine->writes;
        if (misses || !hurts)
            continue;
        report_pending(h, i, p, theirs, mine, lanes);
        return true;
    }
    return false;
}

/* Each instruction that is under way is reported once. */
static void look_at_pending(struct wt_check_hazard *h, struct hazard_wave *w,
                            const struct wt_issue *i, const struct hazard_insn *insn)
{
    for (size_t n = 0; n < w->count; n++) {
        struct hazard_pending *p = &w->pending[n];
        for (unsigned k = 0; k < p->spans; k++)
            if (look_at(h, i, insn, p, &p->span[k])) {
                p->spans = 0;
                break;
            }
    }
}

static void add_pending(struct wt_check_hazard *h, struct hazard_wave *w, const struct wt_issue *i,
                        const struct hazard_insn *insn)
{
    struct hazard_pending *grown = wt_array_grow(w->pending, &w->room, w->count + 1, sizeof *grown);
    if (!grown) {
        h->run.lost = true;
        return;
    }
    w->pending = grown;
    struct hazard_pending *p = &grown[w->count++];
    *p = (struct hazard_pending){
        .pc = i->pc,
        .time = i->time,
        .lanes = i->mask,
        .results = (uint8_t)((h->elsewhere || !h->in_group ? insn->pace.results : 0) |
                             (h->in_group ? insn->pace.group_results : 0)),
        .sources = insn->pace.sources,
        .counted = insn->pace.counts,
        .kind = insn->pace.kind,
        .filled = h->filling.filled,
        .first = h->filling.first,
        .home = h->filling.home,
        .size = h->filling.size};
    h->may_fill |= p->filled != 0;
    for (unsigned k = 0; k < insn->spans && p->spans < MOST_SPANS; k++) {
        const struct span *s = &insn->span[k];
        if (!(p->results && s->writes) && !(p->sources && s->of_lane))
            continue;
        p->span[p->spans++] = *s;
        w->touched |= bits_of(s);
    }
    for (unsigned c = 0; c < WT_PACE_COUNTERS; c++)
        if (p->counted >> c & 1)
            wait_for(w, c, h->table->limit[c]);
}

/* ---- wait states ---- */

/* Whether an instruction may be too near to an earlier one, by the rules alone. */
static bool may_be_near(const struct hazard_wave *w, const struct hazard_insn *insn)
{
    for (uint64_t left = insn->later; left; left &= left - 1)
        if (w->until[__builtin_ctzll(left)] > w->clock)
            return true;
    return false;
}

/* Whether the first half of a rule has issued behind another one's. */
static bool is_between(const struct hazard_wave *w, const struct hazard_recent *r, unsigned rule)
{
    for (unsigned n = 0; n < RECENT; n++)
        if (w->recent[n].use.rules >> rule & 1 && w->recent[n].time > r->time)
            return true;
    return false;
}

/* Whether another first half of the rule's group has had some of these registers since. */
static bool is_superseded(const struct wt_check_hazard *h, const struct hazard_wave *w,
                          const struct hazard_recent *r, const struct wt_pace_use *use,
                          unsigned rule)
{
    uint64_t group = 0;
    for (unsigned i = 0; i < WT_PACE_LAST; i++)
        group |= h->table->last[i] >> rule & 1 ? h->table->last[i] : 0;
    for (unsigned n = 0; group && n < RECENT; n++) {
        const struct hazard_recent *later = &w->recent[n];
        if (later->time > r->time && later->use.rules & group && later->use.file == use->file &&
            later->use.first < use->end && use->first < later->use.end)
            return true;
    }
    return false;
}

static void compare(struct wt_check_hazard *h, const struct hazard_wave *w,
                    const struct wt_issue *i, const struct hazard_recent *r,
                    const struct wt_pace_use *use)
{
    const uint64_t between = w->clock - r->clock;
    if (use->file != r->use.file || use->first >= r->use.end || r->use.first >= use->end)
        return;
    for (uint64_t rules = use->rules & r->use.rules; rules; rules &= rules - 1) {
        const unsigned number = (unsigned)__builtin_ctzll(rules);
        const struct wt_pace_rule *rule = &h->table->rule[number];
        const struct wt_finding_other first = {
            .pc = r->pc, .time = r->time, .lanes = WT_FINDING_LANES(i->mask)};
        const bool same = use->first == r->use.first && use->end == r->use.end;
        char text[200];
        if (between >= rule->states || (same ? rule->unlike : rule->alike) ||
            (rule->differ && use->kind == r->use.kind) ||
            (rule->between && !is_between(w, r, rule->between)) ||
            is_superseded(h, w, r, use, number))
            continue;
        snprintf(text, sizeof text, "%u wait state%s of %u between: %s", (unsigned)between,
                 wt_plural(between), rule->states, rule->text);
        report(h, i, WT_FOUND_WAIT_STATES, i->mask, &first, text);
    }
}

static void look_at_states(struct wt_check_hazard *h, const struct hazard_wave *w,
                           const struct wt_issue *i, const struct hazard_insn *insn)
{
    for (unsigned n = 0; n < RECENT; n++)
        for (unsigned k = 0; k < insn->pace.later_count; k++)
            compare(h, w, i, &w->recent[n], &insn->pace.later[k]);
}

static void add_recent(const struct wt_check_hazard *h, struct hazard_wave *w,
                       const struct wt_issue *i, const struct hazard_insn *insn)
{
    for (unsigned k = 0; k < insn->pace.earlier_count; k++) {
        const struct wt_pace_use *use = &insn->pace.earlier[k];
        w->recent[w->recents++ % RECENT] =
            (struct hazard_recent){.pc = i->pc, .time = i->time, .clock = w->clock, .use = *use};
        for (uint64_t left = use->rules; left; left &= left - 1) {
            const unsigned rule = (unsigned)__builtin_ctzll(left);
            w->until[rule] = w->clock + h->table->rule[rule].states;
        }
    }
}

/* ---- what the observer is told ---- */

static bool fills(const struct hazard_pending *p, uint64_t at, unsigned size)
{
    for (uint64_t byte = at; byte < at + size; byte++)
        if (byte >= p->first && (byte - p->first) / p->size < WT_MAX_LANES &&
            p->filled >> ((byte - p->first) / p->size) & 1)
            return true;
    return false;
}

/* The lanes whose access meets what a load fills that is under way. Loads of one wave come in the
 * order of issue. */
static void look_at_filled(struct wt_check_hazard *h, struct hazard_wave *w, uint32_t slot,
                           const struct wt_observed *a)
{
    for (size_t n = 0; n < w->count && !h->met_lanes; n++) {
        struct hazard_pending *p = &w->pending[n];
        if (!p->filled || !p->results || p->home != a->home ||
            (slot == a->wave && h->issuing->pace.to_group))
            continue;
        for (wt_lanes left = a->lanes; left; left &= left - 1) {
            const unsigned lane = wt_lanes_lowest(left);
            if (fills(p, a->at[lane], a->size))
                h->met_lanes |= wt_lane_bit(lane);
        }
        if (!h->met_lanes)
            continue;
        h->met = *p;
        h->met_slot = slot;
        h->met_write = a->kind != WT_WATCH_READ;
        p->filled = 0; /* it is reported once */
    }
}

static void access(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_check_hazard *h = context;
    const bool in_group = a->space == WT_OBSERVED_GROUP;
    h->in_group |= in_group;
    h->elsewhere |= !in_group;
    if (!in_group || !h->issuing)
        return;
    if (h->may_fill)
        for (uint32_t slot = 0; slot < m->waves && !h->met_lanes; slot++)
            if (h->wave[slot].count && h->wave[slot].id == wt_machine_wave_id(m, slot))
                look_at_filled(h, &h->wave[slot], slot, a);
    if (!h->issuing->pace.to_group || a->kind != WT_WATCH_WRITE)
        return;
    const unsigned lowest = wt_lanes_lowest(a->lanes);
    h->filling.filled |= a->lanes;
    h->filling.first = a->at[lowest] - (uint64_t)lowest * a->size;
    h->filling.home = a->home;
    h->filling.size = a->size;
}

/* Its registers are those that choose its operands. */
static void before(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct wt_check_hazard *h = context;
    h->issuing = NULL;
    h->in_group = h->elsewhere = false;
    h->filling.filled = h->met_lanes = 0;
    if (!i->issues || wt_followed_is_past(&h->run, m->resets, m->known, i->time, forget, h))
        return;
    h->issuing = insn_at(h, i->wave, i->pc);
    h->time = i->time;
}

static void take(struct wt_check_hazard *h, const struct hazard_insn *insn,
                 const struct wt_issue *i)
{
    struct hazard_wave *w = &h->wave[i->wave];
    const uint64_t id = wt_machine_wave_id(h->machine, i->wave);
    if (w->id != id)
        begin_wave(w, id);
    for (unsigned c = 0; c < WT_PACE_COUNTERS; c++)
        if (insn->pace.most[c] != WT_PACE_ANY)
            wait_for(w, c, insn->pace.most[c]);
    if (insn->touched & w->touched)
        look_at_pending(h, w, i, insn);
    if (h->met_lanes)
        report_filling(h, i);
    if (may_be_near(w, insn))
        look_at_states(h, w, i, insn);
    if (insn->pace.counts)
        add_pending(h, w, i, insn);
    w->clock += insn->pace.states;
    if (insn->pace.earlier_count)
        add_recent(h, w, i, insn);
}

/* It has issued, with the lanes that were enabled before it. */
static void after(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct wt_check_hazard *h = context;
    if (h->issuing && h->time == i->time)
        take(h, h->issuing, i);
    h->issuing = NULL;
    wt_mistakes_tell(&h->decisions, m, i);
}

static void event(void *context, struct wt_machine *m, const struct wt_observed_event *e)
{
    (void)m;
    if (e->kind == WT_SEEN_LAUNCH)
        forget_code(context); /* other code may have been loaded */
}

/* ---- beginning and end ---- */

bool wt_check_hazard_knows(const struct wt_machine *m)
{
    return m->ops->pace_table->counter[0];
}

struct wt_check_hazard *wt_check_hazard_begin(const struct wt_check_start *start)
{
    struct wt_machine *m = start->machine;
    struct wt_check_hazard *h = calloc(1, sizeof *h);
    const struct wt_pace_table *table = m->ops->pace_table;
    if (!h)
        return NULL;
    *h = (struct wt_check_hazard){.machine = m,
                                  .table = table->of ? table->of(m) : table,
                                  .found = start->found,
                                  .context = start->context,
                                  .unseen = start->unseen,
                                  .run.resets = m->resets};
    h->wave = calloc(m->waves, sizeof *h->wave);
    if (h->wave && wt_observe_beneath(m, access, before, after, h)) {
        wt_groups_observe(m, event);
        return h;
    }
    wt_check_hazard_free(h);
    return NULL;
}

void wt_check_hazard_free(struct wt_check_hazard *h)
{
    if (!h)
        return;
    for (uint32_t i = 0; h->wave && i < h->machine->waves; i++)
        free(h->wave[i].pending);
    free(h->wave);
    wt_decisions_free(&h->decisions);
    forget_code(h);
    free(h);
}

void wt_check_hazard_end(struct wt_check_hazard *h)
{
    if (h)
        wt_observe_beneath(h->machine, NULL, NULL, NULL, h);
    wt_check_hazard_free(h);
}
