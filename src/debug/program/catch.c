/* Catchpoints: stops for events of the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "debug/program/internal.h"

static const struct {
    const char *name;
    enum wt_catch_kind kind;
} kinds[] = {{"fault", WT_CATCH_FAULT},       {"dispatch begin", WT_CATCH_DISPATCHES},
             {"dispatch end", WT_CATCH_ENDS}, {"module load", WT_CATCH_MODULES},
             {"check", WT_CATCH_MISTAKES},    {"dispatch", WT_CATCH_DISPATCHES},
             {"load", WT_CATCH_MODULES}};

enum { KINDS = sizeof kinds / sizeof kinds[0], WHOLE_KINDS = 5 };

/* The words of @p text with one blank between them. */
static void take_words(const char *text, char *words, size_t size)
{
    size_t used = 0;
    words[0] = 0;
    for (size_t length; (length = wt_word_length(text)) != 0; text = wt_skip_blanks(text + length))
        used += (size_t)snprintf(words + used, used < size ? size - used : 0, "%s%.*s",
                                 used ? " " : "", length < 40 ? (int)length : 40, text);
}

void wt_program_catch_names(const struct wt_program *g,
                            void (*offer)(void *context, const char *name), void *context)
{
    for (size_t i = 0; i < WHOLE_KINDS; i++)
        offer(context, kinds[i].name);
    for (size_t i = 0; i < g->topology->exception_count; i++)
        offer(context, g->topology->exceptions[i].name);
}

static void add_name(void *context, const char *name)
{
    FILE *out = context;
    fprintf(out, "%s\"%s\"", ftell(out) ? ", " : "", name);
}

static enum wt_status unknown(const struct wt_program *g, const char *words, struct wt_error *err)
{
    char names[600] = "";
    FILE *out = fmemopen(names, sizeof names, "w");
    if (!out)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    wt_program_catch_names(g, add_name, out);
    fclose(out);
    return wt_fail(err, WT_INVALID,
                   "There is nothing to catch that is called \"%s\": catch takes %s", words, names);
}

/* The exception of a name: their case does not matter. */
static bool find_exception(const struct wt_program *g, const char *name, size_t *index)
{
    for (*index = 0; *index < g->topology->exception_count; ++*index)
        if (strcasecmp(name, g->topology->exceptions[*index].name) == 0)
            return true;
    return false;
}

static enum wt_status can_catch(const struct wt_program *g, enum wt_catch_kind kind,
                                struct wt_error *err)
{
    if (kind == WT_CATCH_MODULES && !g->options.host)
        return wt_fail(err, WT_UNSUPPORTED, "all code is loaded before the program begins");
    if ((kind == WT_CATCH_DISPATCHES || kind == WT_CATCH_ENDS) && !g->topology->has_grid &&
        !g->topology->host_launches)
        return wt_fail(err, WT_UNSUPPORTED, "the device does not report dispatches");
    return WT_OK;
}

enum wt_status wt_program_set_catch(struct wt_program *g, const char *text, const char *condition,
                                    struct wt_point **point, struct wt_error *err)
{
    char words[200];
    size_t i = 0, exception = 0;
    if (strlen(text) >= sizeof words / 2)
        return wt_fail(err, WT_INVALID, "catch takes no such words");
    take_words(text, words, sizeof words);
    while (i < KINDS && strcmp(words, kinds[i].name) != 0)
        i++;
    const bool mistakes = strcmp(words, "check") == 0 || strncmp(words, "check ", 6) == 0;
    const bool named = i == KINDS && !mistakes && find_exception(g, words, &exception);
    if (i == KINDS && !mistakes && !named)
        return unknown(g, words, err);
    const enum wt_catch_kind kind = mistakes ? WT_CATCH_MISTAKES
                                    : named  ? WT_CATCH_FAULT
                                             : kinds[i].kind;
    uint64_t bits = named ? (uint64_t)1 << exception : 0;
    enum wt_status status =
        mistakes ? wt_checks_kinds(g->options.checks, words + (words[5] ? 6 : 5), &bits, err)
                 : can_catch(g, kind, err);
    if (status)
        return status;
    struct wt_point *p = pg_add_point(g, WT_POINT_CATCH,
                                      mistakes ? words
                                      : named  ? g->topology->exceptions[exception].name
                                               : kinds[i].name,
                                      err);
    if (!p)
        return WT_NO_MEMORY;
    p->caught = kind;
    p->exceptions = bits;
    if (condition)
        status = wt_program_set_condition(g, p, condition, err);
    if (status) {
        pg_take_back(g, p);
        return status;
    }
    if (wt_point_has_addresses(p))
        pg_resolve_catch(g, p);
    *point = p;
    return WT_OK;
}

/* ---- where dispatches end ----
 *
 * No GPU tells its debugger that a dispatch has ended. So each wave of a dispatch that was seen to
 * begin stops at the instruction that ends it. The dispatch ends with the wave that ends when the
 * last group has begun and no other wave is left: groups begin in ascending order. Where a whole
 * program is launched, any of its functions may have the instruction. */

#define CALL_TO_END 16 /* bytes behind the call of a kernel: in them the wave ends */

/* Where a kernel's instructions are that end a wave: in the kernel; or, where kernels are called,
 * behind the call by which the selected thread has come to it. */
static bool find_code_of_ends(struct wt_program *g, uint64_t entry, uint64_t *from, uint64_t *to)
{
    const struct wt_module *m = wt_modules_at(g->modules, 0, entry);
    struct wt_wave wave;
    struct wt_thread_position place;
    unsigned ra = 0;
    uint64_t end;
    if (g->topology->begins_at_kernel) {
        if (!m || !wt_symbols_extent(m->symbols, entry - m->bias, from, &end))
            return false;
        *from = entry;
        *to = end + m->bias;
        return true;
    }
    while (ra < g->topology->register_count && g->topology->registers[ra].role != WT_ROLE_RA)
        ra++;
    if (ra == g->topology->register_count ||
        wt_program_wave(g, g->thread, &wave, &place, WT_IGNORED) != WT_OK || place.pc != entry ||
        wt_debugger_read_numbers(g->debugger, g->thread, &ra, 1, from, WT_IGNORED) != WT_OK)
        return false;
    *to = *from + CALL_TO_END;
    return true;
}

struct ends {
    struct wt_program *g;
    struct wt_point *p;
    size_t capacity; /* capacity of p->addr */
    uint64_t bias;
};

static void find_in_code(struct ends *e, uint64_t from, uint64_t to)
{
    for (uint64_t at = from; at < to;) {
        struct wt_instruction instruction = {0};
        if (wt_debugger_instruction(e->g->debugger, e->g->thread, at, &instruction, WT_IGNORED) !=
                WT_OK ||
            !instruction.length)
            return;
        if (instruction.kind == WT_INSTRUCTION_END)
            pg_add_address(&e->p->addr, &e->p->addr_count, &e->capacity, at);
        at += instruction.length;
    }
}

static bool find_in_function(void *context, const char *name, uint64_t addr, uint64_t size,
                             bool code)
{
    struct ends *e = context;
    if (code)
        find_in_code(e, addr + e->bias, addr + e->bias + size);
    return true;
}

static void find_ends(struct ends *e, uint64_t entry)
{
    uint64_t from, to;
    const struct wt_module *m = wt_modules_at(e->g->modules, 0, entry);
    if (e->g->topology->has_grid) {
        if (find_code_of_ends(e->g, entry, &from, &to))
            find_in_code(e, from, to);
    } else if (m && m->symbols) {
        e->bias = m->bias;
        wt_symbols_each(m->symbols, find_in_function, e);
    }
}

void pg_resolve_catch(struct wt_program *g, struct wt_point *p)
{
    size_t count;
    uint64_t *list = pg_kernel_entries(g, &count);
    pg_set_addresses(p, list, count);
    p->entries = p->caught == WT_CATCH_ENDS ? count : 0;
    struct ends e = {.g = g, .p = p, .capacity = count};
    if (p->caught == WT_CATCH_ENDS && g->started && g->thread)
        for (size_t i = 0; i < count; i++)
            find_ends(&e, p->addr[i]);
    pg_compile_condition(g, p, WT_IGNORED);
}

static bool is_entry(const struct wt_point *p, uint64_t pc)
{
    for (size_t k = 0; k < p->entries; k++)
        if (p->addr[k] == pc)
            return true;
    return false;
}

static bool is_last_group(const struct wt_wave *wave)
{
    for (unsigned i = 0; i < 3; i++)
        if (wave->block[i] && wave->grid[i] &&
            wave->group[i] != (wave->grid[i] + wave->block[i] - 1) / wave->block[i] - 1)
            return false;
    return true;
}

/* Notes that a wave is at its end, and forgets those that have ended. */
static void note_ending(struct wt_program *g, struct wt_point *p, wt_wave_id wave)
{
    struct wt_wave_info info;
    size_t kept = 0;
    for (size_t i = 0; i < p->ending_count; i++)
        if (p->ending[i] != wave &&
            wt_debugger_wave(g->debugger, p->ending[i], &info, WT_IGNORED) == WT_OK)
            p->ending[kept++] = p->ending[i];
    p->ending_count = kept;
    wt_wave_id *grown = wt_array_grow(p->ending, &p->ending_capacity, kept + 1, sizeof *grown);
    if (!grown)
        return;
    p->ending = grown;
    grown[p->ending_count++] = wave;
}

/* Whether no other wave of its dispatch is left but those that are at their ends, too: several stop
 * there in one halt, and each is reported before the next goes on. */
static bool is_alone(struct wt_program *g, const struct wt_point *p, wt_wave_id wave)
{
    struct wt_wave_info own, other;
    size_t count = 1;
    if (wt_debugger_wave(g->debugger, wave, &own, WT_IGNORED) != WT_OK)
        return false;
    for (size_t i = 0; i < p->ending_count; i++)
        count += p->ending[i] != wave &&
                 wt_debugger_wave(g->debugger, p->ending[i], &other, WT_IGNORED) == WT_OK &&
                 other.dispatch == own.dispatch;
    const struct wt_dispatch *dispatch = wt_debugger_dispatch(g->debugger, own.dispatch);
    return dispatch && dispatch->wave_count == count;
}

/* Where the lanes of a wave end one by one: whether all of them are at the end of the kernel and do
 * the instruction. A lane that waits elsewhere has a pc of its own. */
static bool ends_whole_wave(struct wt_program *g, const struct wt_wave *wave, uint64_t pc)
{
    const unsigned pc_index = g->topology->pc_index;
    struct wt_instruction in;
    struct wt_thread_position place;
    uint64_t at, guard = 0;
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        const wt_thread thread = wt_debugger_thread_of_lane(g->debugger, g->thread, lane);
        if (wt_debugger_read_numbers(g->debugger, thread, &pc_index, 1, &at, WT_IGNORED) != WT_OK ||
            at != pc)
            return false;
    }
    if (wt_debugger_instruction(g->debugger, g->thread, pc, &in, WT_IGNORED) != WT_OK ||
        wt_debugger_thread_position(g->debugger, g->thread, &place, WT_IGNORED) != WT_OK)
        return false;
    if (!in.guard)
        return true;
    const unsigned index = in.guard - 1;
    return wt_debugger_read_numbers(g->debugger, g->thread, &index, 1, &guard, WT_IGNORED) ==
               WT_OK &&
           !((in.guard_inverted ? guard : ~guard) & (uint64_t)place.active);
}

bool pg_catch_at(struct wt_program *g, struct wt_point *p, uint64_t pc)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    /* Without a grid each core comes to the program's beginning. */
    if (p->caught == WT_CATCH_DISPATCHES && !g->topology->has_grid)
        return wt_program_wave(g, g->thread, &wave, &place, WT_IGNORED) != WT_OK ||
               (!wave.group[0] && !wave.index);
    if (p->caught != WT_CATCH_ENDS)
        return true;
    if (is_entry(p, pc)) {
        /* Of a whole program they are where they were. */
        if (g->topology->has_grid || p->addr_count == p->entries)
            pg_resolve_catch(g, p);
        return false;
    }
    if (wt_program_wave(g, g->thread, &wave, &place, WT_IGNORED) != WT_OK)
        return false;
    if (is_last_group(&wave))
        p->last_of = wave.dispatch;
    if (g->topology->lanes_end && !ends_whole_wave(g, &wave, pc))
        return false;
    if (g->backwards)
        p->ending_count = 0; /* they go on again */
    else
        note_ending(g, p, wave.id);
    /* Backwards, the wave that ended last comes first. */
    return (g->backwards || p->last_of == wave.dispatch) && is_alone(g, p, wave.id);
}

void pg_catch_news(struct wt_program *g, const struct wt_probe_event *news)
{
    if (news->kind != WT_PROBE_MODULES_CHANGED)
        return;
    for (size_t i = 0; i < g->point_count && g->waiting && !g->caught_number; i++) {
        struct wt_point *p = g->point[i];
        if (p->kind != WT_POINT_CATCH || !p->enabled || p->caught != WT_CATCH_MODULES)
            continue;
        p->hits++;
        if (p->ignore) {
            p->ignore--;
            continue;
        }
        g->caught_number = p->number;
        wt_debugger_interrupt(g->debugger, WT_IGNORED);
    }
}

bool pg_report_catch(struct wt_program *g)
{
    struct wt_point *p = g->caught_number ? wt_program_point(g, g->caught_number) : NULL;
    g->caught_number = 0;
    if (!p)
        return false;
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_MODULES, .point = p});
    g->stop_number = p->number;
    pg_stopped_at(g, p);
    return true;
}

bool pg_catch_holds(struct wt_program *g, const struct wt_point *p, wt_lanes lanes)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    struct wt_error err;
    bool holds = false;
    if (!p->condition || wt_program_wave(g, g->thread, &wave, &place, WT_IGNORED) != WT_OK)
        return true;
    const wt_lanes own = wt_lane_bit(place.lane);
    if (!lanes)
        lanes = own;
    /* That of the selected thread, which the stop is told of, comes first. */
    for (wt_lanes next = lanes & own ? own : lanes & -lanes; next && !holds;) {
        struct wt_view view = {
            .source = g->source,
            .thread = wt_debugger_thread_of_lane(g->debugger, g->thread, wt_lanes_lowest(next))};
        view.frames = wt_frames_new(g->debugger, g->modules, view.thread);
        view.frame = view.frames ? wt_frames_get(view.frames, 0) : NULL;
        if (pg_is_true(&view, p->condition, &holds, &err) != WT_OK) {
            pg_tell(g, &(struct wt_news){.kind = WT_NEWS_UNDECIDED, .point = p, .text = err.text});
            holds = true;
        }
        wt_frames_free(view.frames);
        if (holds && next != own)
            wt_program_select_lane_of(g, wave.id, wt_lanes_lowest(next), WT_IGNORED);
        lanes &= ~next;
        next = lanes & -lanes;
    }
    return holds;
}

static bool is_for_fault(const struct wt_point *p, const struct wt_event *event)
{
    return p->kind == WT_POINT_CATCH && p->caught == WT_CATCH_FAULT &&
           (!p->exceptions || p->exceptions & event->exceptions);
}

bool pg_catch_fault(struct wt_program *g, struct wt_point **caught)
{
    const wt_lanes lanes = g->event.record.kind ? g->event.record.lanes : 0;
    bool any = false;
    *caught = NULL;
    for (size_t i = 0; i < g->point_count; i++) {
        struct wt_point *p = g->point[i];
        if (!is_for_fault(p, &g->event))
            continue;
        any = true;
        if (!p->enabled || !pg_catch_holds(g, p, lanes))
            continue;
        p->hits++;
        if (p->ignore) {
            p->ignore--;
            continue;
        }
        if (!*caught)
            *caught = p;
        pg_stopped_at(g, p);
    }
    return *caught || !any;
}
