/* Slices. See slice.h. */
#include "emulator/machine/slice.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/slice_internal.h"
#include "emulator/machine/watch_set.h"

/* Issues of the first window, how much wider the next one is, and how wide they become. */
#define FIRST_WIDTH 256
#define WIDER 8
#define MOST_WIDTH ((uint64_t)1 << 15)
/* Issues of a way on which it is worth saving states. */
#define LONG_WAY 4096
/* Ranges of memory that are observed instead of all, at most. */
#define MOST_RANGES 256

/* ---- notes ---- */

static void forget_notes(struct wt_slice *s)
{
    s->issues = s->accesses = s->taken = s->addresses = s->names = s->kept_count = 0;
    memset(s->name_of, 0, s->m->waves * sizeof *s->name_of);
}

static void note_access(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_slice *s = context;
    struct access *access =
        wt_array_grow(s->access, &s->access_room, s->accesses + 1, sizeof *access);
    uint64_t *address =
        wt_array_grow(s->address, &s->address_room, s->addresses + m->lanes, sizeof *address);
    s->access = access ? access : s->access;
    s->address = address ? address : s->address;
    if (!access || !address) {
        s->short_of_memory = true;
        return;
    }
    access[s->accesses++] = (struct access){.time = a->time,
                                            .kind = a->kind,
                                            .space = a->space,
                                            .home = a->home,
                                            .is_scalar = a->is_scalar,
                                            .size = a->size,
                                            .lanes = a->lanes,
                                            .first = s->addresses};
    for (wt_lanes left = a->lanes; left; left &= left - 1)
        address[s->addresses++] = a->at[wt_lanes_lowest(left)];
}

/* The name of the wave, from when it was noted first. */
static bool note_name(struct wt_slice *s, uint32_t wave, uint64_t id)
{
    const uint32_t known = s->name_of[wave];
    if (known && s->name[known - 1].id == id)
        return true;
    struct name *grown = wt_array_grow(s->name, &s->name_room, s->names + 1, sizeof *grown);
    if (!grown)
        return false;
    s->name = grown;
    grown[s->names].id = id;
    wt_machine_name_wave(s->m, wave, grown[s->names].text, sizeof grown->text);
    s->name_of[wave] = (uint32_t)++s->names;
    return true;
}

/* Operands that the registers choose now; 0: there are none. */
static size_t note_operands(struct wt_slice *s, const struct wt_issue *i)
{
    struct wt_insn_operands o;
    if (!s->m->ops->operands(s->m, i->wave, i->pc, &o) || !o.indirect)
        return 0; /* not told: slice_read() finds that out again */
    struct wt_insn_operands *grown =
        wt_array_grow(s->kept, &s->kept_room, s->kept_count + 1, sizeof *grown);
    s->short_of_memory |= !grown;
    if (!grown)
        return 0;
    s->kept = grown;
    grown[s->kept_count++] = o;
    return s->kept_count;
}

static void note_before(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct wt_slice *s = context;
    s->chosen = note_operands(s, i);
}

static void note_issue(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct wt_slice *s = context;
    const uint64_t id = wt_machine_wave_id(m, i->wave);
    struct issue *grown = wt_array_grow(s->issue, &s->issue_room, s->issues + 1, sizeof *grown);
    if (!grown || !note_name(s, i->wave, id)) {
        s->issue = grown ? grown : s->issue;
        s->short_of_memory = true;
        return;
    }
    s->issue = grown;
    /* Accesses of an instruction that has begun and not issued are left out. */
    while (s->taken < s->accesses && s->access[s->taken].time != i->time)
        s->taken++;
    grown[s->issues++] = (struct issue){.time = i->time,
                                        .pc = i->pc,
                                        .id = id,
                                        .wave = i->wave,
                                        .name = s->name_of[i->wave] - 1,
                                        .mask = i->mask,
                                        .first = s->taken,
                                        .accesses = s->accesses - s->taken,
                                        .operands = s->chosen};
    s->taken = s->accesses;
}

/* Notes memory that the host or a debugger has written, as an issue of no wave. */
static void note_change(void *context, struct wt_machine *m, uint64_t addr, uint64_t size)
{
    struct wt_slice *s = context;
    struct issue *grown = wt_array_grow(s->issue, &s->issue_room, s->issues + 1, sizeof *grown);
    s->short_of_memory |= !grown;
    if (!grown)
        return;
    s->issue = grown;
    grown[s->issues++] =
        (struct issue){.time = m->time, .pc = addr, .first = size, .wave = UINT32_MAX};
}

/* ---- what is left ---- */

static void note_input(struct wt_slice *s, const struct wt_slice_input *input)
{
    struct wt_slice_input *grown =
        wt_array_grow(s->out.input, &s->input_room, s->out.inputs + 1, sizeof *grown);
    s->short_of_memory |= !grown;
    if (!grown)
        return;
    s->out.input = grown;
    grown[s->out.inputs++] = *input;
}

/* No instruction has made it: its register, and each range of memory in it, is an input. */
static void settle(struct wt_slice *s, struct place *p)
{
    static const uint8_t spaces[] = {[WT_OBSERVED_GLOBAL] = WT_SLICE_GLOBAL,
                                     [WT_OBSERVED_GROUP] = WT_SLICE_GROUP,
                                     [WT_OBSERVED_PRIVATE] = WT_SLICE_PRIVATE,
                                     [WT_OBSERVED_DEVICE] = WT_SLICE_DEVICE};
    struct wt_slice_input in = {
        .lane = p->lane, .of = p->of, .time = UINT64_MAX, .depth = p->depth};
    if (!p->is_memory) {
        const struct wt_operand_file *f = &s->m->ops->operand_files[p->file];
        const uint64_t reg = p->at * 32 / f->bits;
        const struct wt_insn_operand o = {.kind = f->per_lane ? WT_OPERAND_ROW : WT_OPERAND_SCALAR,
                                          .file = p->file,
                                          .bits = f->bits,
                                          .number =
                                              (uint32_t)(f->per_lane ? reg / s->m->lanes : reg)};
        in.space = f->per_lane ? WT_SLICE_ROW : WT_SLICE_REGISTER;
        in.lane = (uint16_t)(f->per_lane ? reg % s->m->lanes : 0);
        in.at = reg;
        in.size = f->bits == 8 ? SLICE_GRANULE / 8 : 0; /* registers that are bytes */
        s->m->ops->name_operand(&o, in.name, sizeof in.name);
        note_input(s, &in);
    } else {
        in.space = spaces[p->file];
    }
    for (unsigned b = 0; p->is_memory && b < SLICE_GRANULE; b++) {
        if (!(p->mask >> b & 1))
            continue;
        in.at = p->at * SLICE_GRANULE + b;
        for (in.size = 0; b < SLICE_GRANULE && p->mask >> b & 1; b++)
            in.size++;
        note_input(s, &in);
    }
    p->mask = 0;
    --*slice_count(s, p);
}

/* The bytes of a change from outside that are looked for are inputs. */
static void settle_change(struct wt_slice *s, const struct issue *i)
{
    struct place p = {.used = true, .is_memory = true, .file = WT_OBSERVED_GLOBAL};
    const uint64_t last = i->pc + i->first - 1;
    for (uint64_t first = i->pc, end; first <= last; first = end + 1) {
        uint32_t depth = UINT32_MAX;
        end = slice_cut(&p, first, last);
        for (uint32_t hit = slice_found_piece(s, &p, &depth); hit; hit &= hit - 1)
            note_input(s, &(struct wt_slice_input){.space = WT_SLICE_GLOBAL,
                                                   .at = p.at * SLICE_GRANULE +
                                                         (unsigned)__builtin_ctz(hit),
                                                   .size = 1,
                                                   .time = i->time,
                                                   .depth = depth});
    }
}

static bool is_there(const struct wt_slice *s, uint64_t id)
{
    const uint32_t wave = (uint32_t)(id & 0xffff);
    return wave < s->m->waves && s->there[wave] == id;
}

/* Settles what belongs to waves that have not begun yet, or everything. */
static void settle_places(struct wt_slice *s, bool all)
{
    for (size_t i = 0; i < s->room; i++) {
        struct place *p = &s->place[i];
        const bool own = !p->is_memory || p->file == WT_OBSERVED_PRIVATE;
        const bool of_group =
            p->is_memory && p->file == WT_OBSERVED_GROUP && wt_machine_wave(s->m, 0)->group;
        if (p->mask && (all || (own && !is_there(s, p->of)) || (of_group && !is_there(s, p->user))))
            settle(s, p);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct wt_slice_input *x = a, *y = b;
#define BY(member)                                                                                 \
    if (x->member != y->member)                                                                    \
    return x->member < y->member ? -1 : 1
    BY(space);
    BY(of);
    BY(lane);
    BY(at);
    BY(time);
#undef BY
    return 0;
}

/* Ranges of memory that lie side by side become one, parts of a register one register. */
static void order_inputs(struct wt_slice *s)
{
    struct wt_slice_input *list = s->out.input;
    size_t kept = 0;
    if (s->out.inputs)
        qsort(list, s->out.inputs, sizeof *list, by_place);
    for (size_t i = 0; i < s->out.inputs; i++) {
        struct wt_slice_input *last = kept ? &list[kept - 1] : NULL, *in = &list[i];
        const bool side_by_side = last && last->space == in->space && last->of == in->of &&
                                  last->lane == in->lane && last->time == in->time &&
                                  last->at + last->size == in->at;
        if (!side_by_side) {
            list[kept++] = *in;
            continue;
        }
        last->size += in->size;
        last->depth = in->depth < last->depth ? in->depth : last->depth;
    }
    s->out.inputs = kept;
}

/* ---- windows ---- */

/* Looks for a register's part in the lanes. */
static bool seed_register(struct wt_slice *s, const struct wt_slice_seed *seed)
{
    struct wt_insn_operand o;
    uint32_t depth = 0;
    const bool is_place = seed->name[0] == '#';
    if (!s->m->ops->find_operand(is_place ? "" : seed->name, &o) ||
        seed->from > (is_place ? UINT32_MAX : 31) || seed->bytes > 512)
        return false;
    o.bits = seed->bytes ? (uint16_t)(8 * seed->bytes) : o.bits;
    if (is_place) {
        o.number = seed->from;
        o.step = o.bits;
    } else {
        o.first = (uint8_t)(o.first + 8 * seed->from);
    }
    for (unsigned lane = 0; lane < s->m->lanes; lane++)
        if (wt_has_lane(seed->lanes, lane) || (!seed->lanes && !lane))
            slice_register(s, seed->id, &o, lane, is_place ? 0 : lane, true, &depth);
    return true;
}

/* Instructions, the latest first. */
static void seed_instruction(struct wt_slice *s, const struct wt_slice_seed *seed)
{
    size_t at = s->seeds++;
    for (; at && s->seed[at - 1].time < seed->time; at--)
        s->seed[at] = s->seed[at - 1];
    s->seed[at] = *seed;
}

enum wt_status wt_slice_begin(struct wt_timeline *timeline, struct wt_machine *machine,
                              const struct wt_slice_seed *seed, size_t seeds,
                              const struct wt_slice_limits *limits, struct wt_slice **out,
                              struct wt_error *err)
{
    assert(timeline && machine && limits->steps && (seed || !seeds));
    if (machine->ops->operand_files == wt_machine_no_operand_files)
        return wt_fail(err, WT_UNSUPPORTED,
                       "where values come from is not known on %s: what its instructions read and "
                       "write has no table yet",
                       machine->ops->family);
    struct wt_slice *s = calloc(1, sizeof *s);
    if (!s)
        return wt_fail(err, WT_NO_MEMORY, "no host memory to search the past");
    s->timeline = timeline;
    s->m = machine;
    s->limits = *limits;
    s->low = machine->time;
    s->width = FIRST_WIDTH;
    s->seed = calloc(seeds ? seeds : 1, sizeof *s->seed);
    s->name_of = calloc(machine->waves, sizeof *s->name_of);
    s->there = calloc(machine->waves, sizeof *s->there);
    enum wt_status status = WT_OK;
    if (!s->seed || !s->name_of || !s->there || !slice_make_room(s))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory to search the past");
    for (size_t i = 0; !status && i < seeds; i++) {
        if (!seed[i].name[0] && seed[i].time < machine->time)
            seed_instruction(s, &seed[i]);
        else if (!seed[i].name[0] || !seed_register(s, &seed[i]))
            status = wt_fail(err, WT_INVALID, "%.16s is not a value that instructions make",
                             seed[i].name[0] ? seed[i].name : "a later instruction");
    }
    if (status)
        wt_slice_free(s);
    else
        *out = s;
    return status;
}

void wt_slice_free(struct wt_slice *s)
{
    if (!s)
        return;
    if (s->state >= NOTING)
        wt_observe(s->m, NULL, NULL, NULL, 0);
    free(s->seed);
    free(s->place);
    wt_slice_found_free(&s->out);
    free(s->issue);
    free(s->access);
    free(s->address);
    free(s->name);
    free(s->kept);
    free(s->name_of);
    free(s->there);
    free(s);
}

/* Whether memory alone is looked for, in few places that each wave sees alike: then nothing else
 * need be observed. Lists it. */
static size_t few_ranges(const struct wt_slice *s, struct wt_watch *range)
{
    size_t count = 0;
    if (s->registers || s->next_seed < s->seeds || s->closely)
        return 0;
    for (size_t i = 0; i < s->room; i++) {
        const struct place *p = &s->place[i];
        if (!p->mask)
            continue;
        if (p->file != WT_OBSERVED_GLOBAL || count == MOST_RANGES)
            return 0;
        range[count++] = (struct wt_watch){.kind = WT_WATCH_WRITE,
                                           .addr = p->at * SLICE_GRANULE,
                                           .size = SLICE_GRANULE,
                                           .home = WT_HOME_NOW};
    }
    return count;
}

static void skim(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_slice *s = context;
    if (a->kind == WT_WATCH_READ || a->time >= s->high)
        return;
    const struct issue issue = {.id = a->id};
    const struct access access = {.space = a->space, .home = a->home};
    for (wt_lanes left = a->lanes; left; left &= left - 1) {
        struct place p = slice_memory_place(&issue, &access, wt_lanes_lowest(left));
        const uint64_t at = a->at[wt_lanes_lowest(left)];
        for (uint64_t first = at, end; first <= at + a->size - 1; first = end + 1) {
            end = slice_cut(&p, first, at + a->size - 1);
            const struct place *q = &s->place[slice_slot(s, &p)];
            if (q->used && q->mask & p.mask)
                s->found = a->time + 1;
        }
    }
}

/* A change from outside belongs to the window that ends with it. */
static void skim_change(void *context, struct wt_machine *m, uint64_t addr, uint64_t size)
{
    struct wt_slice *s = context;
    struct place p = {.used = true, .is_memory = true, .file = WT_OBSERVED_GLOBAL};
    for (uint64_t first = addr, end; first <= addr + size - 1; first = end + 1) {
        end = slice_cut(&p, first, addr + size - 1);
        const struct place *q = &s->place[slice_slot(s, &p)];
        if (q->used && q->mask & p.mask && m->time > s->found)
            s->found = m->time;
    }
}

static bool is_done(const struct wt_slice *s)
{
    return s->out.steps >= s->limits.steps ||
           (!s->registers && !s->memory && s->next_seed == s->seeds);
}

/* Chooses the window before `low`, and goes to the saved state before it. */
static enum wt_slice_state choose_window(struct wt_slice *s, struct wt_error *err)
{
    struct wt_watch range[MOST_RANGES];
    const uint64_t start = wt_timeline_start(s->timeline);
    assert(s->low <= s->m->time);
    if (is_done(s) || s->low <= start) {
        if (s->out.steps < s->limits.steps)
            settle_places(s, true);
        else
            s->out.more |= s->registers || s->memory;
        order_inputs(s);
        return WT_SLICE_DONE;
    }
    s->high = s->low;
    const uint64_t saved = wt_timeline_saved_before(s->timeline, s->high - 1);
    const uint64_t width = few_ranges(s, range) ? UINT64_MAX : s->width;
    s->low = s->high - start > width ? s->high - width : start;
    s->low = s->low < saved ? saved : s->low;
    if (s->width < MOST_WIDTH)
        s->width *= WIDER;
    s->state = ON_THE_WAY;
    return wt_timeline_goto(s->timeline, saved, err) ? WT_SLICE_FAILED : WT_SLICE_ON;
}

/* The machine stands at the beginning of the window. */
static enum wt_slice_state begin_window(struct wt_slice *s, struct wt_error *err)
{
    struct wt_watch range[MOST_RANGES];
    const size_t ranges = few_ranges(s, range);
    forget_notes(s);
    s->found = 0;
    for (uint32_t w = 0; w < s->m->waves; w++)
        s->there[w] = wt_machine_wave(s->m, w)->active ? wt_machine_wave_id(s->m, w) : 0;
    if (!wt_observe(s->m, ranges ? skim : note_access, s, ranges ? range : NULL, ranges)) {
        wt_fail(err, WT_NO_MEMORY, "no host memory to search the past");
        return WT_SLICE_FAILED;
    }
    s->state = ranges ? SKIMMING : NOTING;
    wt_observe_changes(s->m, ranges ? skim_change : note_change);
    if (!ranges)
        wt_observe_issues(s->m, note_before, note_issue);
    return WT_SLICE_ON;
}

static enum wt_slice_state end_window(struct wt_slice *s, struct wt_error *err)
{
    const bool skimmed = s->state == SKIMMING;
    wt_observe(s->m, NULL, NULL, NULL, 0);
    s->state = CHOOSING;
    s->closely = skimmed && s->found;
    if (s->closely) {
        s->low = s->found;
        s->width = FIRST_WIDTH;
    }
    for (size_t i = s->issues; i-- && !is_done(s);)
        if (s->issue[i].wave == UINT32_MAX)
            settle_change(s, &s->issue[i]);
        else if (s->issue[i].time < s->high)
            slice_read(s, &s->issue[i]);
    if (!skimmed)
        settle_places(s, false);
    if (!s->short_of_memory)
        return WT_SLICE_ON;
    wt_fail(err, WT_NO_MEMORY, "no host memory for the instructions that are found");
    return WT_SLICE_FAILED;
}

enum wt_slice_state wt_slice_on(struct wt_slice *s, uint64_t budget, struct wt_error *err)
{
    assert(s && budget);
    struct wt_machine *m = s->m;
    const bool comes = s->state == ON_THE_WAY;
    const uint64_t to = comes ? s->low : s->high;
    if (s->state == CHOOSING)
        return choose_window(s, err);
    if (m->time >= to)
        return comes ? begin_window(s, err) : end_window(s, err);
    const uint64_t left = to - m->time;
    uint64_t part = left < budget ? left : budget;
    if (comes && left >= LONG_WAY && part > left - left / WIDER)
        part = left - left / WIDER;
    wt_timeline_run(s->timeline, part);
    if (comes && part >= LONG_WAY - LONG_WAY / WIDER)
        wt_timeline_keep(s->timeline);
    return WT_SLICE_ON;
}

const struct wt_slice_found *wt_slice_found(const struct wt_slice *s)
{
    return &s->out;
}

void wt_slice_take(struct wt_slice *s, struct wt_slice_found *out)
{
    *out = s->out;
    s->out = (struct wt_slice_found){.more = false};
    s->step_room = s->input_room = 0;
}
