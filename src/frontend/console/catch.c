/* Catchpoints: stops for events of the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "frontend/console/internal.h"

static const struct {
    const char *name;
    enum catch_kind kind;
} kinds[] = {{"fault", CATCH_FAULT},         {"dispatch begin", CATCH_DISPATCHES},
             {"dispatch end", CATCH_ENDS},   {"module load", CATCH_MODULES},
             {"dispatch", CATCH_DISPATCHES}, {"load", CATCH_MODULES}};

enum { KINDS = sizeof kinds / sizeof kinds[0], WHOLE_KINDS = 4 };

/* The first wave of a dispatch, at its first instruction. */
#define FIRST_WAVE                                                                                 \
    "$_group_x == 0 && $_group_y == 0 && $_group_z == 0 && $_item_x == 0 && $_item_y == 0 && "     \
    "$_item_z == 0"

/* The words of @p text with one blank between them. */
static void take_words(const char *text, char *words, size_t size)
{
    size_t used = 0;
    words[0] = 0;
    for (size_t length; (length = word_length(text)) != 0; text = skip_blanks(text + length))
        used += (size_t)snprintf(words + used, used < size ? size - used : 0, "%s%.*s",
                                 used ? " " : "", length < 40 ? (int)length : 40, text);
}

void each_catch_name(const struct wt_shell *c, void (*offer)(void *context, const char *name),
                     void *context)
{
    for (size_t i = 0; i < WHOLE_KINDS; i++)
        offer(context, kinds[i].name);
    for (size_t i = 0; i < c->topology->exception_count; i++)
        offer(context, c->topology->exceptions[i].name);
}

static void add_name(void *context, const char *name)
{
    FILE *out = context;
    fprintf(out, "%s\"%s\"", ftell(out) ? ", " : "", name);
}

static enum wt_status unknown(const struct wt_shell *c, const char *words, struct wt_error *err)
{
    char names[600] = "";
    FILE *out = fmemopen(names, sizeof names, "w");
    if (!out)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    each_catch_name(c, add_name, out);
    fclose(out);
    return wt_fail(err, WT_INVALID,
                   "There is nothing to catch that is called \"%s\": catch takes %s", words, names);
}

/* The exception of a name: their case does not matter. */
static bool find_exception(const struct wt_shell *c, const char *name, size_t *index)
{
    for (*index = 0; *index < c->topology->exception_count; ++*index)
        if (strcasecmp(name, c->topology->exceptions[*index].name) == 0)
            return true;
    return false;
}

static enum wt_status can_catch(const struct wt_shell *c, enum catch_kind kind,
                                struct wt_error *err)
{
    if (kind == CATCH_MODULES && !c->options.host)
        return wt_fail(err, WT_UNSUPPORTED, "all code is loaded before the program begins");
    if ((kind == CATCH_DISPATCHES || kind == CATCH_ENDS) && !c->topology->has_grid)
        return wt_fail(err, WT_UNSUPPORTED, "the device does not tell of dispatches");
    return WT_OK;
}

enum wt_status do_catch(struct wt_shell *c, const char *text, struct wt_error *err)
{
    char words[200];
    size_t i = 0, exception = 0;
    if (strlen(text) >= sizeof words / 2)
        return wt_fail(err, WT_INVALID, "catch takes no such words");
    take_words(text, words, sizeof words);
    while (i < KINDS && strcmp(words, kinds[i].name) != 0)
        i++;
    const bool named = i == KINDS && find_exception(c, words, &exception);
    if (i == KINDS && !named)
        return unknown(c, words, err);
    const enum catch_kind kind = named ? CATCH_FAULT : kinds[i].kind;
    enum wt_status status = can_catch(c, kind, err);
    if (status)
        return status;
    struct point *p = add_point(
        c, POINT_CATCH, named ? c->topology->exceptions[exception].name : kinds[i].name, err);
    if (!p)
        return WT_NO_MEMORY;
    p->caught = kind;
    p->exceptions = named ? (uint64_t)1 << exception : 0;
    if (has_addresses(p)) {
        p->condition = strdup(FIRST_WAVE);
        resolve_catch(c, p);
    }
    fprintf(c->out, "Catchpoint %u (%s)\n", p->number, p->text);
    return WT_OK;
}

/* ---- where dispatches end ----
 *
 * No GPU tells its debugger that a dispatch has ended. So each wave of a dispatch that was seen to
 * begin stops at the instruction that ends it. The dispatch ends with the wave that ends when the
 * last group has begun and no other wave is left: groups begin in ascending order. */

static void add_address(struct point *p, size_t *capacity, uint64_t addr)
{
    for (size_t k = 0; k < p->addr_count; k++)
        if (p->addr[k] == addr)
            return;
    uint64_t *grown = wt_array_grow(p->addr, capacity, p->addr_count + 1, sizeof *grown);
    if (!grown)
        return;
    p->addr = grown;
    grown[p->addr_count++] = addr;
}

/* The instructions that end a wave, in the kernel that begins at an address. */
static void find_ends(struct wt_shell *c, struct point *p, size_t *capacity, uint64_t entry)
{
    const struct wt_module *m = wt_modules_at(c->modules, 0, entry);
    uint64_t start, end;
    if (!m || !wt_symbols_extent(m->symbols, entry - m->bias, &start, &end))
        return;
    for (uint64_t at = entry; at < end + m->bias;) {
        struct wt_instruction instruction = {0};
        if (wt_debugger_instruction(c->debugger, c->thread, at, &instruction, WT_IGNORED) !=
                WT_OK ||
            !instruction.length)
            return;
        if (instruction.kind == WT_INSTRUCTION_END)
            add_address(p, capacity, at);
        at += instruction.length;
    }
}

void resolve_catch(struct wt_shell *c, struct point *p)
{
    size_t count;
    uint64_t *list = list_kernel_entries(c, &count);
    set_addresses(p, list, count);
    p->entries = p->caught == CATCH_ENDS ? count : 0;
    size_t capacity = count;
    if (p->caught == CATCH_ENDS && c->started && c->thread)
        for (size_t i = 0; i < count; i++)
            find_ends(c, p, &capacity, p->addr[i]);
    compile_condition(c, p, WT_IGNORED);
}

static bool is_entry(const struct point *p, uint64_t pc)
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

/* Whether no other wave of its dispatch is left. */
static bool is_alone(struct wt_shell *c, const struct wt_wave *wave)
{
    const wt_wave_id *list;
    size_t count;
    if (wt_debugger_waves(c->debugger, &list, &count, WT_IGNORED) != WT_OK)
        return false;
    wt_wave_id *own = malloc((count ? count : 1) * sizeof *own);
    bool alone = own != NULL;
    if (own)
        memcpy(own, list, count * sizeof *own);
    for (size_t i = 0; alone && i < count; i++) {
        struct wt_wave_info info;
        alone = own[i] == wave->id ||
                wt_debugger_wave(c->debugger, own[i], &info, WT_IGNORED) != WT_OK ||
                info.wave.dispatch != wave->dispatch;
    }
    free(own);
    return alone;
}

/* Where the lanes of a wave end one by one: whether all of them are at the end of the kernel and do
 * the instruction. A lane that waits elsewhere has a pc of its own. */
static bool ends_whole_wave(struct wt_shell *c, const struct wt_wave *wave, uint64_t pc)
{
    const unsigned pc_index = c->topology->pc_index;
    struct wt_instruction in;
    struct wt_thread_position place;
    uint64_t at, guard = 0;
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        const wt_thread thread = wt_debugger_thread_of_lane(c->debugger, c->thread, lane);
        if (wt_debugger_read_numbers(c->debugger, thread, &pc_index, 1, &at, WT_IGNORED) != WT_OK ||
            at != pc)
            return false;
    }
    if (wt_debugger_instruction(c->debugger, c->thread, pc, &in, WT_IGNORED) != WT_OK ||
        wt_debugger_thread_position(c->debugger, c->thread, &place, WT_IGNORED) != WT_OK)
        return false;
    if (!in.guard)
        return true;
    const unsigned index = in.guard - 1;
    return wt_debugger_read_numbers(c->debugger, c->thread, &index, 1, &guard, WT_IGNORED) ==
               WT_OK &&
           !((in.guard_inverted ? guard : ~guard) & (uint64_t)place.active);
}

bool catch_at(struct wt_shell *c, struct point *p, uint64_t pc)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    if (p->caught != CATCH_ENDS)
        return true;
    if (is_entry(p, pc)) {
        resolve_catch(c, p);
        return false;
    }
    if (wave_of_thread(c, c->thread, &wave, &place, WT_IGNORED) != WT_OK)
        return false;
    if (is_last_group(&wave))
        p->last_of = wave.dispatch;
    /* Backwards, the wave that ended last comes first. */
    return (c->backwards || p->last_of == wave.dispatch) && is_alone(c, &wave) &&
           (!c->topology->lanes_end || ends_whole_wave(c, &wave, pc));
}

void catch_news(struct wt_shell *c, const struct wt_probe_event *news)
{
    if (news->kind != WT_PROBE_MODULES_CHANGED)
        return;
    for (size_t i = 0; i < c->point_count && c->waiting && !c->caught_number; i++) {
        struct point *p = c->point[i];
        if (p->kind != POINT_CATCH || !p->enabled || p->caught != CATCH_MODULES)
            continue;
        p->hits++;
        if (p->ignore) {
            p->ignore--;
            continue;
        }
        c->caught_number = p->number;
        wt_debugger_interrupt(c->debugger, WT_IGNORED);
    }
}

bool report_catch(struct wt_shell *c)
{
    struct point *p = c->caught_number ? find_point(c, c->caught_number) : NULL;
    c->caught_number = 0;
    if (!p)
        return false;
    print_where(c, c->thread);
    fprintf(c->out, "\nCatchpoint %u (%s): the program has loaded or unloaded code.\n", p->number,
            p->text);
    c->stop_number = p->number;
    queue_commands(c, p);
    return true;
}

struct point *catch_of_faults(const struct wt_shell *c)
{
    for (size_t i = 0; i < c->point_count; i++) {
        struct point *p = c->point[i];
        if (p->kind == POINT_CATCH && p->caught == CATCH_FAULT &&
            (!p->exceptions || p->exceptions & c->event.exceptions))
            return p;
    }
    return NULL;
}

bool passes_faults(const struct wt_shell *c)
{
    const struct point *p = catch_of_faults(c);
    return p && !p->enabled;
}
